"""All trainings and tournaments of a server, and how many a visitor may have."""

import shutil
import time
from collections.abc import Callable, Mapping
from typing import Any

from boardlab.web.errors import Forbidden, Missing, TooMuch
from boardlab.web.people import Person
from boardlab.web.settings import Settings
from boardlab.web.works.work import BROKEN, FOLDER, RUN, Work

MOST_RUNNING = 2
"""Most trainings and tournaments of one person that run at once, unless the server trusts its visitors."""
MOST_KEPT = 40
"""Most of one person that are kept, finished ones included."""
MOST_HOURS = 4.0
"""Most processor time of one, in hours."""
MOST_MEMORY_MB = 3072
"""Most memory of one process."""


class Works:
    """The trainings and tournaments of a server."""

    def __init__(self, settings: Settings, address_of: Callable[[str], str] = lambda person: "") -> None:
        self.settings = settings
        self._address_of = address_of
        self._known: dict[str, Work] = {}

    def all(self, kind: str) -> list[Work]:
        """Return all of one kind, newest first."""
        self._look()
        found = [work for work in self._known.values() if work.order["kind"] == kind]
        return sorted(found, key=lambda work: float(work.order["created"]), reverse=True)

    def get(self, key: str) -> Work:
        """Return the one with this id."""
        self._look()
        if key not in self._known:
            raise Missing("there is no such work on this server; it may have been removed")
        return self._known[key]

    def _look(self) -> None:
        try:
            there = {path.name: path for path in (self.settings.runs / FOLDER).iterdir()}
        except OSError:
            there = {}
        self._known = {key: work for key, work in self._known.items() if key in there}
        for key in there.keys() - self._known.keys():
            if (work := Work.open(there[key])) is not None:
                self._known[key] = work

    def may_change(self, person: Person, work: Work) -> bool:
        """Whether this visitor may pause, resume and stop it."""
        return person.may_change and (work.owner == person.id or self.is_everybodys)

    @property
    def is_everybodys(self) -> bool:
        """Whether all visitors count as the owner: those of one machine, or trusted ones."""
        return self.settings.trust or (self.settings.is_loopback and not self.settings.password)

    def check_may_change(self, person: Person, work: Work) -> None:
        """Refuse a visitor who may not change it."""
        if not self.may_change(person, work):
            raise Forbidden("only the one who started it may do that")

    @property
    def limits(self) -> dict[str, float]:
        """The limits of a new process."""
        if self.settings.trust:
            return {}
        return {"cpu_seconds": MOST_HOURS * 3600, "memory_mb": MOST_MEMORY_MB}

    def check_room(self, person: Person, work: Work | None = None) -> None:
        """Refuse to start one more where a visitor, or the machine, has enough of them."""
        if self.settings.trust:
            return
        self._look()
        others = [one for one in self._known.values() if one is not work]
        mine = [one for one in others if one.owner == person.id]
        running = [one for one in others if one.is_alive]
        if sum(one.owner == person.id for one in running) >= MOST_RUNNING:
            raise TooMuch(
                f"you have {MOST_RUNNING} trainings or tournaments that run; pause or stop one, or wait"
            )
        most, address = max(MOST_RUNNING + 1, self.settings.workers), self._address_of(person.id)
        neighbours = sum(self._address_of(one.owner) == address for one in running)
        if len(running) >= most or neighbours >= most - 1:  # an address leaves a place for others
            raise TooMuch("others train on all of this server's processors; wait, and try again")
        if work is None and len(mine) >= MOST_KEPT:
            raise TooMuch(f"a visitor may start {MOST_KEPT} trainings and tournaments; remove old ones")

    def start(self, person: Person, order: Mapping[str, Any]) -> Work:
        """Make new work and start its process."""
        self.check_room(person)
        work = Work.make(self.settings.runs, {**order, "owner": person.id, "limits": self.limits})
        self._known[work.id] = work
        work.start()
        return work

    def resume(self, person: Person, work: Work) -> None:
        """Start the process of paused, stopped or interrupted work again."""
        self.check_may_change(person, work)
        if work.is_alive and work.wanted != RUN:
            raise TooMuch("it is still saving; try again in a moment")
        if not work.is_alive:
            self.check_room(person, work)
            work.start()

    def remove(self, person: Person, work: Work) -> None:
        """Forget work that has ended; the run's folder and the store keep what it did."""
        self.check_may_change(person, work)
        if work.is_alive:
            raise Forbidden("stop it first")
        shutil.rmtree(work.folder, ignore_errors=True)
        self._known.pop(work.id, None)

    def revive(self) -> None:
        """Go on with what ran when the machine stopped; called when the server starts."""
        if self.settings.read_only or self.settings.play_only:
            return
        self._look()
        for work in sorted(self._known.values(), key=lambda one: float(one.order["created"])):
            if work.state == BROKEN and work.wanted == RUN and time.time() - _last_sign(work) < WEEK:
                work.start()


WEEK = 7 * 24 * 3600.0
"""Work that was interrupted longer ago waits for its owner."""


def _last_sign(work: Work) -> float:
    return float(work.status.get("at", 0.0))
