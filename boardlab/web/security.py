"""What stands before every request: hosts, origins, the password, rates, sizes and headers."""

import hashlib
import hmac
import ipaddress
import socket
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardlab.numbers import memory
from boardlab.web.database import Database
from boardlab.web.limits import Buckets, network_of
from boardlab.web.people import cookie_name, hashed, new_token
from boardlab.web.settings import LOOPBACK, Settings

SESSION_SECONDS = 12 * 3600
"""How long a password counts after it was typed."""
SAFE = ("GET", "HEAD")
LOOKING = ("/login", "/logout", "/api/preview")
"""Paths that change no game, whatever the method."""
OPEN_PATHS = ("/login", "/static/login.js", "/static/style.css", "/static/icon.svg")
"""Paths that ask for no password."""
LARGEST_OPEN = 4 << 10
"""Bytes of a body sent there."""
REQUESTS_A_SECOND, BURST = 100.0, 400.0
"""Of one address, which may have many people behind it."""
GUESSES_A_SECOND, GUESSES = 1 / 12, 5.0
"""Of passwords, from one address."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """Middleware that lets only good requests through."""

    def __init__(self, app: ASGIApp, settings: Settings, database: Database) -> None:
        self.app, self.settings = app, settings
        self.visits = Visits(settings, database)
        self._requests = Buckets(REQUESTS_A_SECOND, BURST)
        self._hosts = _own_names(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        limited = _Limited(receive, self._largest(scope["path"]))
        await self.app(scope, limited if scope["type"] == "http" else receive, _with_headers(send, scope))

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        if not self._is_own(host):
            return _plain(421, "this server is not called that; start it with --name to allow the name")
        origin = headers.get("origin")
        is_change = scope["type"] == "websocket" or scope["method"] not in SAFE
        if is_change and origin is not None and not _is_same(origin, host):
            return _plain(403, "requests from other sites are refused")
        address = scope["client"][0] if scope.get("client") else ""
        if not self._requests.take(network_of(address)):
            return _plain(429, "too many requests; wait a moment")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._largest(path):
            return _plain(413, f"a request may have {memory(self._largest(path))} at most")
        if self.settings.password and path not in OPEN_PATHS and not self.visits.is_open(headers):
            if scope["type"] == "websocket" or path.startswith("/api/") or is_change:
                return JSONResponse({"error": "type the password first", "login": True}, 401)
            return RedirectResponse("/login", 303)
        if self.settings.read_only and scope["type"] == "http" and is_change and path not in LOOKING:
            return JSONResponse({"error": "this server only shows; nothing can be changed here"}, 403)
        return None

    def _largest(self, path: str) -> int:
        """Return how large a body may be; who has not typed the password yet sends no more than that."""
        return LARGEST_OPEN if path in OPEN_PATHS else int(self.settings.upload_mb * 2**20)

    def _is_own(self, host: str) -> bool:
        """Whether the request is meant for us: a foreign name may lead here by a trick of DNS."""
        name = _host_name(host)
        return name in self._hosts or (not self.settings.is_loopback and _is_address(name))


class Visits:
    """Who has typed the password, and until when it counts."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings, self.database = settings, database
        self._guesses = Buckets(GUESSES_A_SECOND, GUESSES)
        self.cookie = cookie_name(settings, "visit")

    def is_open(self, headers: Headers) -> bool:
        """Whether the request comes with the cookie of a visit that lasts."""
        return self.seconds_left(headers) > 0

    def seconds_left(self, headers: Headers) -> float:
        """How long the visit of this request lasts; 0 without one."""
        token = cookies_of(headers).get(self.cookie, "")
        rows = self.database.read("SELECT ends FROM visits WHERE token = ?", (hashed(token),))
        return max(0.0, float(rows[0][0]) - time.time()) if rows else 0.0

    def may_guess(self, address: str) -> bool:
        """Whether this address may try another password now."""
        return self._guesses.take(network_of(address))

    def is_right(self, password: str) -> bool:
        """Compare in constant time, whatever the lengths are."""
        given, own = (
            hashlib.sha256(text.encode("utf-8", "replace")).digest()
            for text in (password, self.settings.password)
        )
        return hmac.compare_digest(given, own)

    def begin(self) -> str:
        """Return the token of a new visit."""
        token, now = new_token(), time.time()
        self.database.write(
            ("DELETE FROM visits WHERE ends < ?", (now,)),
            ("INSERT INTO visits VALUES (?, ?)", (hashed(token), now + SESSION_SECONDS)),
        )
        return token

    def end(self, headers: Headers) -> None:
        """End the visit of this request."""
        token = cookies_of(headers).get(self.cookie, "")
        self.database.write(("DELETE FROM visits WHERE token = ?", (hashed(token),)))


def cookies_of(headers: Headers) -> dict[str, str]:
    """Return the cookies of a request."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def set_cookie(response: Response, name: str, value: str, seconds: int, *, secure: bool) -> None:
    """Set a cookie that scripts cannot read and other sites cannot send along."""
    response.set_cookie(name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=secure)


def _own_names(settings: Settings) -> set[str]:
    names = {*LOOPBACK, "[::1]", settings.host.lower(), *(name.lower() for name in settings.names)}
    if not settings.is_loopback:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return names - {"", "0.0.0.0", "::"}


def _host_name(host: str) -> str:
    """Return a Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0][1:].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_same(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower() and bool(host)
    except ValueError:
        return False


def _plain(status: int, text: str) -> Response:
    return PlainTextResponse(text + "\n", status)


async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await refusal(scope, receive, _with_headers(send, scope))
        return
    await receive()  # the request to connect
    await send({"type": "websocket.close", "code": 4000 + refusal.status_code, "reason": ""})


def _with_headers(send: Send, scope: Scope) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)  # an answer may be stricter
            headers.setdefault(
                "cache-control", "no-cache" if scope["path"].startswith("/static/") else "no-store"
            )
        await send(message)

    return sending


class _Limited:
    """Receives a body of at most so many bytes, whatever its header says."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            return {"type": "http.disconnect"}
        return message
