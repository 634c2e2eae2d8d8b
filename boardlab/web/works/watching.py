"""Topics about files that other processes write: looked at while somebody watches."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError
from boardlab.web.hub import Topic
from boardlab.web.people import Person

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

LOG = logging.getLogger("boardlab.web")
SECONDS = 1.0
"""Between two looks, at least; a look that takes long is taken less often."""
SHARE = 0.2
"""Share of the time that looking may take."""

Look = Callable[[Person], dict[str, Any]]


class WatchedFiles(Topic):
    """Shows what `look` finds, which may read files for some milliseconds."""

    def __init__(self, arena: "Arena", name: str, look: Look) -> None:
        super().__init__(arena, name)
        self.look = look
        self._seen: dict[Person, dict[str, Any]] = {}
        self._task: asyncio.Task[None] | None = None
        self._soon = asyncio.Event()

    def state(self, person: Person) -> dict[str, Any]:
        """Return what was found last; the first look is on its way."""
        if person not in self._seen:
            self._soon.set()
            return {"waits": True}
        return self._seen[person]

    def woken(self) -> None:
        """Begin to look."""
        if self._task is None:
            self._task = asyncio.create_task(self._go())

    def abandoned(self) -> None:
        """Look no longer."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._seen.clear()

    def look_soon(self) -> None:
        """Look at once, after something was changed here."""
        self._soon.set()

    async def _go(self) -> None:
        while True:
            began = time.monotonic()
            people = {connection.person for connection in self.watchers}
            try:
                seen = await asyncio.to_thread(self._all, people)
            except Exception:
                LOG.exception("looking at %s", self.name)
                seen = self._seen
            if seen != self._seen:
                self._seen = seen
                self.changed()
            spent = time.monotonic() - began
            self._soon.clear()
            if {connection.person for connection in self.watchers} - seen.keys():
                continue  # somebody came meanwhile
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._soon.wait(), max(SECONDS, spent / SHARE))

    def _all(self, people: set[Person]) -> dict[Person, dict[str, Any]]:
        return {person: self._one(person) for person in people}

    def _one(self, person: Person) -> dict[str, Any]:
        try:
            return self.look(person)
        except BoardLabError as error:
            return {"error": str(error)}
