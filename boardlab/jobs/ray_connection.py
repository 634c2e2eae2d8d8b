"""The connection to Ray: its address, its token, and what Ray does not do unasked.

The head of a cluster decides whether a token is needed. We ask it before Ray connects: Ray would try for half
a minute, and its error does not mention the token.
"""

import contextlib
import importlib
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError, BoardLabWarning, MissingPackageError, install

ANSWER_SECONDS = 2.0
"""Seconds that a head has to take a connection."""
STORE_BYTES = 1 << 29
"""Ray's store of a cluster that is started here; what does not fit goes to a file."""
MODE = "RAY_AUTH_MODE"
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_LOG_TO_STDERR": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # A thread that asks something after the end would start or join a cluster that nobody named.
    "RAY_ENABLE_AUTO_CONNECT": "0",
}


def import_ray() -> Any:
    """Import Ray with usage statistics off."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise MissingPackageError(f"a cluster needs Ray, which is not installed: {install('ray')}") from None
    return ray


def needs_token() -> bool:
    """Whether the cluster that this process has joined lets nobody in without a token."""
    raylet = _raylet()
    return bool(raylet.get_authentication_mode() != raylet.AuthenticationMode.DISABLED)


def _raylet() -> Any:
    return importlib.import_module("ray._raylet")


def connect(ray: Any, address: str) -> bool:
    """Connect to a cluster, or start one here for "auto"; False if this process is connected already."""
    if ray.is_initialized():
        joined = ray.get_runtime_context().gcs_address
        if address not in ("", "auto") and not _is_same(address, joined):
            raise BoardLabError(
                f"this program has joined the cluster {joined} already; ray.shutdown() leaves it"
            )
        return False
    options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    mode = os.environ.get(MODE, "token")
    if address == "auto":
        options |= {"address": "local", "include_dashboard": False, "object_store_memory": STORE_BYTES}
        options |= {"_node_ip_address": "127.0.0.1"}
        if mode == "token" and not has_token():
            _make_token()
    else:
        if not answers(address):
            raise BoardLabError(f"no cluster answers at {address}; start one there: see docs/cluster.md")
        mode = _agreed_mode(address, mode)
        options |= {"address": address}
    try:
        with own_signals(), _in_mode(mode), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ray._private.worker.print_to_stdstream = _print_nothing
            ray.init(**options)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BoardLabError(f"no connection to the cluster {address}: {reason}") from None
    return True


def _is_same(address: str, joined: str) -> bool:
    """Whether an address may be the one of the joined head."""
    host, _, port = address.rpartition(":")
    known, _, known_port = joined.rpartition(":")
    with contextlib.suppress(OSError):
        host = socket.gethostbyname(host)
    return port == known_port and (host == known or is_loopback(host))


def _agreed_mode(address: str, mode: str) -> str:
    """The mode that a head wants, "token" or "disabled"; refuses a token that it refuses."""
    if mode not in ("token", "disabled"):  # another way of Ray's, which the user has chosen
        return mode
    if _lets_in(address, "disabled"):
        if has_token() and not is_loopback(address.rpartition(":")[0]):
            _warn_of(f"{address} is not this machine and asks for no token")
        return "disabled"
    where = "copy ~/.ray/auth_token of its head here: see docs/cluster.md"
    if not has_token():
        raise BoardLabError(f"no connection to the cluster {address}: it asks for a token; {where}")
    if mode == "disabled":
        raise BoardLabError(
            f"no connection to the cluster {address}: it asks for a token, but {MODE} is disabled here"
        )
    if not _lets_in(address, "token"):
        raise BoardLabError(f"no connection to the cluster {address}: it refuses the token here; {where}")
    return "token"


def _lets_in(address: str, mode: str) -> bool:
    """Whether a head takes a question in this mode."""
    from ray.exceptions import AuthenticationError

    try:
        with _in_mode(mode), _silent_stderr():
            _raylet().GcsClient(address=address)
    except AuthenticationError:
        return False
    except Exception:
        raise BoardLabError(
            f"no cluster answers at {address}, but something else does; start one: see docs/cluster.md"
        ) from None
    return True


@contextlib.contextmanager
def _in_mode(mode: str) -> Iterator[None]:
    """Let Ray use the token or not; it read the variable when it was imported."""
    raylet = _raylet()
    before = os.environ.get(MODE)
    os.environ[MODE] = mode
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()
    try:
        yield
    finally:
        if before is None:
            del os.environ[MODE]
        else:
            os.environ[MODE] = before


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """Drop what Ray's own code writes to standard error."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # it is closed
            kept = os.dup(2)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, 2)
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
        yield


class LastWords:
    """A sentence that appears if this process ends before `close`.

    Ray ends it by `_exit(1)` when Ray's processes on this machine die, as with `ray stop`. A shell that waits
    for the end of a pipe can still say why.
    """

    def __init__(self) -> None:
        words = (
            "boardlab: this process has ended with Ray's processes on this machine, or was killed; what was "
            "saved goes on with the same command, or with boardlab resume"
        )
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", 'read -r line || echo "$0" >&2', words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is not for it
        )

    def close(self) -> None:
        """Say nothing."""
        self._shell.communicate(b"\n")


def answers(address: str) -> bool:
    """Whether something takes connections at the address of a head."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS):
            return True
    except OSError:
        return False


def _print_nothing(data: Any, ignore_prefix: bool = False) -> None:
    """Replaces what prints pages about dead machines to standard output, where results belong."""


def check_address(address: str) -> None:
    """Refuse what is no address; warn where everybody who reaches it may run code there."""
    os.environ.setdefault(MODE, "token")
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise BoardLabError(
            f'a cluster is auto (started here) or the address of its head, HOST:PORT, not "{address}"'
        )
    if not (has_token() and os.environ[MODE] == "token") and not is_loopback(host):
        _warn_of(f"{address} is not this machine and there is no token")


def _warn_of(reason: str) -> None:
    warnings.warn(
        f"{reason}: whoever reaches its ports can run code on it; see docs/cluster.md",
        BoardLabWarning,
        stacklevel=3,
    )


def has_token() -> bool:
    """Whether Ray finds a token."""
    return bool(os.environ.get("RAY_AUTH_TOKEN")) or _token_file().is_file()


def _token_file() -> Path:
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or "~/.ray/auth_token").expanduser()


def _make_token() -> None:
    """Make the token that Ray would make, but for nobody else on this machine to read."""
    file = _token_file()
    with contextlib.suppress(OSError):  # of a home without room, where Ray's own attempt says so
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent) as made:  # only the owner may read it
            made.write(secrets.token_hex(32))
            made.flush()
            os.link(made.name, file)  # another command may have made one meanwhile


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine that no other reaches."""
    return host.strip("[]") in ("localhost", "::1") or host.startswith("127.")


@contextlib.contextmanager
def own_signals() -> Iterator[None]:
    """Keep the handlers of signals, which Ray replaces."""
    in_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if in_main else ()
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)
