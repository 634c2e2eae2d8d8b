"""One WebSocket a page: topics to watch, and requests about them.

A topic is whatever pages watch: a game, an analysis, a training. Every change gives it the next number, and a
message carries the whole state together with its number, so that a page that was away needs nothing but the
newest message:

    page:   {"id": 1, "topic": "table:x7", "do": "watch"}
    server: {"topic": "table:x7", "number": 12, "state": {...}}
    page:   {"id": 2, "topic": "table:x7", "do": "play", "at": 12, "action": 3}
    server: {"re": 2, "ok": {}}    or    {"re": 2, "error": "that was on an old picture"}
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from boardlab.errors import BoardLabError
from boardlab.web.errors import Forbidden, Missing, TooMuch
from boardlab.web.limits import Bucket, Buckets, Timed, network_of
from boardlab.web.people import Person

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

LOG = logging.getLogger("boardlab.web")
LONGEST_MESSAGE = 64 << 10
"""Bytes of a message from a page."""
MOST_TOPICS = 32
"""Most topics that a page watches."""
MOST_PAGES = 24
"""Most pages that one person has open."""
MOST_ANSWERS = 100
"""Answers that a page has not taken yet; until it does, the server does not listen to it."""
MOST_PAGES_OF_ADDRESS = 400
MOST_PAGES_IN_ALL = 2000
MESSAGES_A_SECOND, BURST = 30.0, 90.0
"""Of one page."""
MESSAGES_OF_ADDRESS, BURST_OF_ADDRESS = 600.0, 2400.0
"""Of all pages of one address, which may have many people behind it."""
IDLE_SECONDS = 60.0
"""A topic that nobody watches is dropped from memory after this time."""


class Topic:
    """Something that pages watch; a subclass says what."""

    is_alike = False
    """Whether everybody sees the same state, so that it is written once."""

    def __init__(self, arena: "Arena", name: str) -> None:
        self.arena, self.name = arena, name
        self.number = 0
        """Number of changes; a message carries it with the state."""
        self.watchers: set[Connection] = set()

    def state(self, person: Person) -> dict[str, Any]:
        """Return what this person may see, as JSON."""
        raise NotImplementedError

    async def ask(self, person: Person, do: str, message: dict[str, Any]) -> dict[str, Any] | None:
        """Do what a page asks for; the method `do_NAME(person, message)` does it.

        A subclass declares further methods. Errors of BoardLab are sent back as their sentence.
        """
        method = getattr(self, f"do_{do}", None)
        if method is None:
            raise Missing(f'nothing is called "{do}" here')
        if not person.may_change and do not in self.looking:
            raise Forbidden("this server only shows; nothing can be changed here")
        answer: dict[str, Any] | None = method(person, message)
        if isinstance(answer, Awaitable):
            answer = await answer
        return answer

    looking: frozenset[str] = frozenset()
    """Requests that change nothing, which a server that only shows allows too."""

    def changed(self) -> None:
        """Send the new state to all who watch; call it on the event loop."""
        self.number += 1
        for connection in self.watchers:
            connection.show(self)

    def woken(self) -> None:
        """Called when the first page watches; a subclass starts what it had stopped."""

    def abandoned(self) -> None:
        """Called a while after the last page has gone; a subclass stops its searches."""

    @property
    def may_be_dropped(self) -> bool:
        """Whether the topic can be forgotten while nobody watches: everything is in the database."""
        return True


OpenTopic = Callable[["Arena", str], Topic]
"""Opens "KIND:REST" from REST, or raises `Missing`."""


class Hub:
    """The open topics and connections."""

    def __init__(self, arena: "Arena") -> None:
        self.arena = arena
        self.kinds: dict[str, OpenTopic] = {}
        self.topics: dict[str, Topic] = {}
        self.connections: set[Connection] = set()
        self.messages = Buckets(MESSAGES_OF_ADDRESS, BURST_OF_ADDRESS)
        self._ending: dict[str, asyncio.TimerHandle] = {}
        self.idle_seconds = IDLE_SECONDS

    def topic(self, name: str) -> Topic:
        """Return an open topic, or open it."""
        if name not in self.topics:
            kind, _, rest = name.partition(":")
            if kind not in self.kinds or not rest or len(rest) > 400:
                raise Missing(f'there is nothing called "{name[:80]}"')
            self.topics[name] = self.kinds[kind](self.arena, rest)
            self._may_end(self.topics[name])
        return self.topics[name]

    def watch(self, topic: Topic, connection: "Connection") -> None:
        """Let a page watch."""
        if (timer := self._ending.pop(topic.name, None)) is not None:
            timer.cancel()
        topic.watchers.add(connection)
        if len(topic.watchers) == 1:
            topic.woken()

    def leave(self, topic: Topic, connection: "Connection") -> None:
        """A page watches no longer."""
        topic.watchers.discard(connection)
        self._may_end(topic)

    def _may_end(self, topic: Topic) -> None:
        if topic.watchers or topic.name in self._ending:
            return
        with contextlib.suppress(RuntimeError):  # no loop: opened by a test
            loop = asyncio.get_running_loop()
            self._ending[topic.name] = loop.call_later(self.idle_seconds, self._end, topic)

    def _end(self, topic: Topic) -> None:
        self._ending.pop(topic.name, None)
        if topic.watchers:
            return
        topic.abandoned()
        if topic.may_be_dropped and self.topics.get(topic.name) is topic:
            del self.topics[topic.name]

    async def serve(self, socket: WebSocket, person: Person) -> None:
        """Talk with one page until it goes."""
        pages = sum(one.person.id == person.id for one in self.connections)
        neighbours = sum(one.address == _address(socket) for one in self.connections)
        is_full = neighbours >= MOST_PAGES_OF_ADDRESS or len(self.connections) >= MOST_PAGES_IN_ALL
        if pages >= MOST_PAGES or is_full:
            await socket.close(1013, "too many pages are open")
            return
        await socket.accept()
        connection = Connection(self, socket, person)
        self.connections.add(connection)
        try:
            await connection.run()
        finally:
            self.connections.discard(connection)
            for topic in list(connection.topics.values()):
                self.leave(topic, connection)

    async def close_pages(self, person: Person) -> None:
        """Close the pages of somebody who has logged out."""
        for connection in list(self.connections):
            if connection.person.id == person.id:
                with contextlib.suppress(RuntimeError):
                    await connection.socket.close(4401)

    async def close(self) -> None:
        """End all conversations; pages connect again when a server is there."""
        for timer in self._ending.values():
            timer.cancel()
        for topic in self.topics.values():
            topic.abandoned()
        for connection in list(self.connections):
            with contextlib.suppress(Exception):
                await connection.socket.close(1012)


class Connection:
    """One page."""

    def __init__(self, hub: Hub, socket: WebSocket, person: Person) -> None:
        self.hub, self.socket, self.person = hub, socket, person
        self.address = _address(socket)
        self.topics: dict[str, Topic] = {}
        self._news: dict[str, None] = {}
        self._answers: list[str] = []
        self._wake = asyncio.Event()
        self._bucket = Bucket(MESSAGES_A_SECOND, BURST)
        self._tasks: set[asyncio.Task[None]] = set()

    def show(self, topic: Topic) -> None:
        """Send the state of a topic soon; of several changes only the last."""
        self._news[topic.name] = None
        self._wake.set()

    def answer(self, number: Any, **content: Any) -> None:
        """Answer a request."""
        self._answers.append(json.dumps({"re": number, **content}))
        self._wake.set()

    async def run(self) -> None:
        """Send and receive until the page goes."""
        sender = asyncio.create_task(self._send())
        try:
            while True:
                while len(self._answers) > MOST_ANSWERS and not sender.done():
                    await asyncio.sleep(0.1)
                self._hear(await self.socket.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            sender.cancel()
            for task in self._tasks:
                task.cancel()

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._answers or self._news:
                    if self._answers:
                        await self.socket.send_text(self._answers.pop(0))
                        continue
                    name = next(iter(self._news))
                    del self._news[name]
                    if (topic := self.topics.get(name)) is not None:
                        await self.socket.send_text(self._written(topic))

    def _written(self, topic: Topic) -> str:
        try:
            state = topic.state(self.person)
        except Exception as error:
            LOG.exception("the state of %s", topic.name)
            state = {"error": str(error) if isinstance(error, BoardLabError) else "this cannot be shown"}
        return json.dumps({"topic": topic.name, "number": topic.number, "state": state})

    def _hear(self, text: str) -> None:
        try:
            message = json.loads(text) if len(text) <= LONGEST_MESSAGE else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.answer(None, error="a message must be JSON, with topic and do")
            return
        number, topic, do = message.get("id"), message.get("topic"), message.get("do")
        if not isinstance(number, int) or not isinstance(topic, str) or not isinstance(do, str):
            self.answer(None, error="a message must have an id, a topic and do")
            return
        if not self._bucket.take() or not self.hub.messages.take(self.address):
            self.answer(number, error="too many requests at once; wait a moment")
            return
        if do in ("watch", "leave"):
            self._watch_or_leave(number, topic, do)
            return
        task = asyncio.create_task(self._do(number, topic, do, message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _watch_or_leave(self, number: int, name: str, do: str) -> None:
        try:
            if do == "watch":
                if name not in self.topics:
                    if len(self.topics) >= MOST_TOPICS:
                        raise TooMuch("this page watches too much at once")
                    topic = self.hub.topic(name)
                    self.topics[name] = topic
                    self.hub.watch(topic, self)
                self.show(self.topics[name])
            elif name in self.topics:
                self.hub.leave(self.topics.pop(name), self)
            self.answer(number, ok={})
        except BoardLabError as error:
            self.answer(number, error=str(error), missing=isinstance(error, Missing))

    async def _do(self, number: int, name: str, do: str, message: dict[str, Any]) -> None:
        try:
            topic = self.hub.topic(name)
            at = message.get("at")
            if at is not None and at != topic.number:
                self.show(topic)
                raise TooLate
            if not self.hub.arena.attention.is_left(self.person.id, self.address):
                raise TooMuch("too many large requests at once; wait a moment")
            work = Timed(topic.ask(self.person, do, message))
            try:
                answer = await work
            finally:
                self.hub.arena.attention.spent(self.person.id, self.address, work.seconds)
            self.answer(number, ok=answer or {})
        except TooLate:
            self.answer(number, late=True, error="the position had just changed; look and try again")
        except BoardLabError as error:
            self.answer(number, error=str(error))
        except asyncio.CancelledError:
            raise
        except Exception:
            LOG.exception("%s of %s", do, name)
            self.answer(number, error="something went wrong inside of the server; its log has the details")


def _address(socket: WebSocket) -> str:
    return network_of(socket.client.host) if socket.client else ""


class TooLate(Exception):  # noqa: N818
    """A request about an earlier state."""
