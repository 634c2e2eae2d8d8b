"""`boardlab serve`: the arena in a browser."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console
from boardlab.errors import BoardLabError, MissingPackageError, install

PASSWORD = "BOARDLAB_PASSWORD"
"""The environment variable that has the password of a server that others can reach."""
LEAST_PASSWORD = 8


def serve(
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any free one.")] = 8000,
    host: Annotated[
        str,
        typer.Option(
            help=f"Address to listen on, 0.0.0.0: all. Others can reach it, so it needs a password: "
            f"${PASSWORD}, or typed when asked.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="Another host name by which browsers reach the server; may be repeated.", metavar="NAME"
        ),
    ] = None,
    proxy: Annotated[
        bool,
        typer.Option(
            "--proxy", help="A proxy on this machine is in front: believe its X-Forwarded-For and -Proto."
        ),
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Visitors look, and change nothing.")
    ] = False,
    play_only: Annotated[
        bool, typer.Option("--play-only", help="Visitors play; no training, no tournaments.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Visitors may start programs, read all files and search without limits."
        ),
    ] = False,
    runs: Annotated[Path, typer.Option(help="Folder of runs, and of what the server remembers.")] = Path(
        "runs"
    ),
    store: Annotated[
        Path | None, typer.Option(help="Store of tournaments; default: $BOARDLAB_STORE, then boardlab.db.")
    ] = None,
) -> None:
    """Play, analyse, train and compete in a browser.

    Only this machine can reach the server, unless --host is given.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
        import websockets  # noqa: F401
    except ImportError:
        raise MissingPackageError(f"boardlab serve needs a web server: {install('web')}") from None
    from boardlab.web.app import create_app
    from boardlab.web.serving import listen, run
    from boardlab.web.settings import Settings

    if not 0 <= port <= 65535:
        raise BoardLabError(f"--port must be a whole number from 0 to 65535, not {port}")
    settings = Settings(
        host=host,
        port=port,
        names=tuple(name or ()),
        proxy=proxy,
        read_only=read_only,
        play_only=play_only,
        trust=trust,
        runs=runs,
        store=store,
    )
    if not settings.is_loopback:
        settings = settings.with_password(_password())
    sockets = listen(settings)
    settings = settings.on_port(sockets.getsockname()[1])
    app = create_app(settings)
    address = f"[{host}]" if ":" in host else host
    console.print(f"BoardLab is at http://{address}:{settings.port}/", markup=False, soft_wrap=True)
    if not settings.is_loopback:
        console.print("Others see what you type unless a proxy adds TLS; see docs/serve.md.", soft_wrap=True)
    console.print("Ctrl-C stops the server; games and trainings are kept.", style="dim", soft_wrap=True)
    run(uvicorn, app, settings, sockets)


def _password() -> str:
    """Return the password from the environment, or ask for it."""
    given = os.environ.get(PASSWORD)
    if given is None and sys.stdin.isatty():
        given = getpass.getpass("Password for visitors: ")
    if not given:
        raise BoardLabError(f"a server that others can reach needs a password: set {PASSWORD}, then start it")
    if len(given) < LEAST_PASSWORD:
        raise BoardLabError(f"the password must have at least {LEAST_PASSWORD} characters, not {len(given)}")
    return given
