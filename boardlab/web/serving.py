"""Run the application with uvicorn on a socket of our own."""

import contextlib
import logging
import socket
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.interrupts import ended_by_signals
from boardlab.web.hub import LONGEST_MESSAGE
from boardlab.web.settings import LOOPBACK, Settings

MOST_CONNECTIONS = 3000
GRACE_SECONDS = 3


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens; one sentence if the address or the port cannot be had."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BoardLabError(f'--host: "{settings.host}" is no address of this machine') from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
    except OSError as error:
        listener.close()
        hint = "; choose another with --port, or 0 for any" if settings.port else ""
        raise BoardLabError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}{hint}"
        ) from None
    return listener


def run(uvicorn: Any, app: Any, settings: Settings, listener: socket.socket) -> None:
    """Serve until a signal ends it."""
    from boardlab.web.connections import HurriedConnection  # which needs uvicorn

    logging.getLogger("boardlab.web").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        http=HurriedConnection,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=not settings.is_loopback,
        ws_ping_interval=25.0,
        ws_ping_timeout=25.0,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=GRACE_SECONDS,
        server_header=False,
        proxy_headers=settings.proxy,
        forwarded_allow_ips=list(LOOPBACK),
        h11_max_incomplete_event_size=64 << 10,
    )
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt), ended_by_signals():
        server.run(sockets=[listener])
