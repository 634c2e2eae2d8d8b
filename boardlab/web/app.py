"""The ASGI application: the shell of the page, JSON below /api/, one WebSocket at /ws."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

import boardlab
from boardlab.games.palette import stylesheet
from boardlab.web.arena import Arena
from boardlab.web.limits import network_of
from boardlab.web.page import Page
from boardlab.web.pages import PAGES
from boardlab.web.people import YEAR, cookie_name, new_token, person_of
from boardlab.web.security import Guard, Visits, cookies_of, set_cookie
from boardlab.web.settings import Settings

STATIC = Path(__file__).parent / "static"


def create_app(settings: Settings | None = None) -> Starlette:
    """Make the application; its state has the `arena`."""
    settings = settings or Settings()
    arena = Arena(settings)
    pages = [page for page in PAGES if page.for_play or not settings.play_only]
    for page in pages:
        arena.hub.kinds.update(page.topics)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        for page in pages:
            if page.start is not None:
                await page.start(arena)
        yield
        for page in reversed(pages):
            if page.stop is not None:
                await page.stop(arena)
        await arena.close()

    app = Starlette(
        routes=_routes(arena, pages),
        middleware=[
            Middleware(Guard, settings=settings, database=arena.database),
            Middleware(_WithPerson, arena=arena),
        ],
        lifespan=lifespan,
    )
    app.state.arena = arena
    return app


class _WithPerson:
    """Middleware that finds out who asks, and from where."""

    def __init__(self, app: ASGIApp, arena: Arena) -> None:
        self.app, self.arena = app, arena
        self.cookie = cookie_name(arena.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            token = cookies_of(HTTPConnection(scope).headers).get(self.cookie)
            person = person_of(token, self.arena.settings)
            scope.setdefault("state", {})["person"] = person
            if person is not None and scope.get("client"):
                self.arena.addresses.put(person.id, network_of(scope["client"][0]))
        await self.app(scope, receive, send)


def _routes(arena: Arena, pages: list[Page]) -> list[BaseRoute]:
    settings = arena.settings
    site = _site(settings, pages)
    visits = Visits(settings, arena.database)

    async def shell(request: Request) -> Response:
        response = FileResponse(STATIC / "index.html", headers={"cache-control": "no-store"})
        if request.state.person is None:
            token, is_secure = new_token(), request.url.scheme == "https"
            set_cookie(response, cookie_name(settings), token, YEAR, secure=is_secure)
        return response

    async def pictures(request: Request) -> Response:
        return PlainTextResponse(stylesheet(), media_type="text/css", headers={"cache-control": "no-cache"})

    async def about(request: Request) -> Response:
        return JSONResponse(site)

    async def socket(websocket: WebSocket) -> None:
        person = websocket.state.person
        if person is None:
            await websocket.close(4403)
            return
        left = visits.seconds_left(websocket.headers) if settings.password else None
        try:
            async with asyncio.timeout(left):
                await arena.hub.serve(websocket, person)
        except TimeoutError:
            await websocket.close(4401)  # the page asks for the password again

    async def login(request: Request) -> Response:
        if request.method == "GET":
            return FileResponse(STATIC / "login.html", headers={"cache-control": "no-store"})
        address = request.client.host if request.client else ""
        if not visits.may_guess(address):
            return JSONResponse({"error": "too many attempts; wait a minute"}, 429)
        try:
            body: Any = json.loads(await request.body() or b"{}")
            password = body.get("password")
        except (ValueError, AttributeError, RecursionError, ClientDisconnect):
            password = None
        if not isinstance(password, str) or not visits.is_right(password):
            return JSONResponse({"error": "that is not the password"}, 403)
        response = JSONResponse({"ok": True})
        set_cookie(response, visits.cookie, visits.begin(), YEAR, secure=request.url.scheme == "https")
        return response

    async def logout(request: Request) -> Response:
        visits.end(request.headers)
        if request.state.person is not None:
            await arena.hub.close_pages(request.state.person)
        return RedirectResponse("/login", 303)

    routes: list[BaseRoute] = [Route("/", shell)]
    for page in pages:
        routes += [route.route(arena) for route in page.routes]
        routes += [Route(f"/{page.name}", shell), Route(f"/{page.name}/{{rest:path}}", shell)]
    if settings.password:
        routes += [
            Route("/login", login, methods=["GET", "POST"]),
            Route("/logout", logout, methods=["POST"]),
        ]
    return [
        *routes,
        Route("/api/site", about),
        Route("/static/pictures.css", pictures),
        WebSocketRoute("/ws", socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


def _site(settings: Settings, pages: list[Page]) -> dict[str, Any]:
    """Describe this server to its pages."""
    return {
        "version": boardlab.__version__,
        "pages": [_about(page) for page in pages],
        "read_only": settings.read_only,
        "play_only": settings.play_only,
        "trust": settings.trust,
        "has_password": bool(settings.password),
        "runs": settings.runs.as_posix(),
    }


def _about(page: Page) -> dict[str, Any]:
    return {
        "name": page.name,
        "title": page.title,
        "in_header": page.in_header,
        "has_style": (STATIC / "pages" / f"{page.name}.css").exists(),
    }
