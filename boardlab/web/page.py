"""A page: routes that answer with JSON, topics to watch, and a module for the browser.

To add one, write `boardlab/web/pages/NAME.py` with a `PAGE`, `boardlab/web/static/pages/NAME.js` with
`export async function show(page)`, and a line in `boardlab/web/pages/__init__.py`.
"""

import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from boardlab.errors import BoardLabError
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.hub import OpenTopic
from boardlab.web.limits import Timed, network_of
from boardlab.web.people import Person

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

LOG = logging.getLogger("boardlab.web")
LARGEST_JSON = 256 << 10


@dataclass(frozen=True)
class Ask:
    """A request for JSON."""

    arena: "Arena"
    person: Person
    path: Mapping[str, str]
    """The parts of the path that the route names."""
    query: Mapping[str, str]
    body: Any
    """The JSON sent along, {} if none; of a route with `raw`, the bytes."""


Answer = Callable[[Ask], Any]
"""Answers a request with something that becomes JSON, or with a Response; may be async."""


@dataclass(frozen=True)
class Page:
    """A page of the arena."""

    name: str
    """Its path, /NAME, and its module, static/pages/NAME.js."""
    title: str
    """Its name in the header."""
    routes: Sequence["JsonRoute"] = ()
    topics: Mapping[str, OpenTopic] = field(default_factory=dict)
    """How to open the topics KIND:REST, by KIND."""
    for_play: bool = True
    """Whether it stays on a server started with --play-only."""
    in_header: bool = True
    start: Callable[["Arena"], Awaitable[None]] | None = None
    """Called when the server starts, to go on with what it finds."""
    stop: Callable[["Arena"], Awaitable[None]] | None = None


@dataclass(frozen=True)
class JsonRoute:
    """A path below /api/ and who answers it."""

    method: str
    path: str
    """As Starlette writes it: /runs/{name}/curve."""
    answer: Answer
    raw: bool = False
    """The body is a file, not JSON; it may be as large as the server's uploads."""

    def route(self, arena: "Arena") -> Route:
        """Return the route of the server."""

        async def respond(request: Request) -> Response:
            return await _respond(self, arena, request)

        return Route(f"/api{self.path}", respond, methods=[self.method])


def get(path: str, answer: Answer) -> JsonRoute:
    """Answer GET requests."""
    return JsonRoute("GET", path, answer)


def post(path: str, answer: Answer, *, raw: bool = False) -> JsonRoute:
    """Answer POST requests, which may change something."""
    return JsonRoute("POST", path, answer, raw)


async def _respond(route: JsonRoute, arena: "Arena", request: Request) -> Response:
    person = request.state.person
    if person is None:
        return JSONResponse({"error": "open the page first: it gives you a cookie"}, 403)
    address = request.client.host if request.client else ""
    if not arena.attention.is_left(person.id, network_of(address)):
        return JSONResponse({"error": "too many large requests at once; wait a moment"}, 429)
    work = Timed(_answer(route, arena, request, person))
    try:
        answer = await work
    except Refusal as refusal:
        return JSONResponse({"error": str(refusal)}, refusal.status)
    except BoardLabError as error:
        return JSONResponse({"error": str(error)}, 400)
    except ClientDisconnect:
        return JSONResponse({"error": "the request is too large"}, 413)
    except Exception:
        LOG.exception("%s %s", request.method, request.url.path)
        error_text = "something went wrong inside of the server; its log has the details"
        return JSONResponse({"error": error_text}, 500)
    finally:
        arena.attention.spent(person.id, network_of(address), work.seconds)
    return answer if isinstance(answer, Response) else JSONResponse(answer)


async def _answer(route: JsonRoute, arena: "Arena", request: Request, person: Person) -> Any:
    with arena.uploads.taken(person.id) if route.raw else contextlib.nullcontext():
        body = await _body(route, request)
        answer = route.answer(Ask(arena, person, request.path_params, request.query_params, body))
        return await answer if isinstance(answer, Awaitable) else answer


async def _body(route: JsonRoute, request: Request) -> Any:
    if route.method == "GET":
        return {}
    if not route.raw and not request.headers.get("content-type", "").startswith("application/json"):
        raise Forbidden("the body must be application/json")
    data = bytearray()
    async for part in request.stream():
        data += part
        if not route.raw and len(data) > LARGEST_JSON:
            raise Refusal(f"a request may have {LARGEST_JSON >> 10} KiB at most")
    if route.raw:
        return bytes(data)
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise Refusal("the body is not valid JSON") from None
    if not isinstance(found, dict):
        raise Refusal("the body must be a JSON object")
    return found
