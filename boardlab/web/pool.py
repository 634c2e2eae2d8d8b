"""Searches in threads: bounded, fair between people, stopped when nobody waits.

The engine lets go of Python while it searches, so that threads use all cores and the server goes on
answering. Short work comes first: work that runs for longer than `SHORT_SECONDS` gives its place away and
goes on at a lower priority of the operating system, so that nobody's long search delays other people's
clicks.
"""

import asyncio
import contextlib
import os
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from boardlab.web.errors import TooMuch

T = TypeVar("T")

SHORT_SECONDS = 0.2
"""Seconds after which work counts as long."""
LOWER_PRIORITY = 10
"""Added to the niceness of the threads of long work."""
MOST_WAITING = 24
"""Most pieces of work of one person that wait."""
MOST_LONG = 2
"""Most pieces of long work of one person that run at once."""
MOST_LONG_IN_ALL = 32
SHARE_OF_ADDRESS = 0.75
"""Of all long work: whoever takes many cookies leaves places for others."""


class StopWorkError(Exception):
    """Work that was stopped because nobody waits for it any more."""


class Stopper:
    """Lets the work find out that it shall stop, and how."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self.is_stopped = False

    def stop(self) -> None:
        """Stop the work, from any thread."""
        with self._lock:
            self.is_stopped = True
            if self._stop is not None:
                self._stop()

    @contextlib.contextmanager
    def calling(self, stop: Callable[[], None]) -> Any:
        """Call `stop` if the work is stopped within this block."""
        with self._lock:
            if self.is_stopped:
                raise StopWorkError
            self._stop = stop
        try:
            yield
        finally:
            with self._lock:
                self._stop = None

    def check(self) -> None:
        """Raise StopWorkError if the work was stopped."""
        if self.is_stopped:
            raise StopWorkError


class _Work(Generic[T]):
    def __init__(
        self,
        person: str,
        do: Callable[[Stopper], T],
        seconds: float | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.person, self.do, self.seconds = person, do, seconds
        self.stopper = Stopper()
        self.done: asyncio.Future[T] = loop.create_future()
        self.is_long = False
        self.thread: int | None = None
        """What the operating system calls its thread."""


class Pool:
    """Runs work in threads; use it from one event loop."""

    def __init__(
        self,
        workers: int,
        address_of: Callable[[str], str] = lambda person: "",
        most_long: int = MOST_LONG_IN_ALL,
    ) -> None:
        self.workers = max(1, workers)
        self.most_long = most_long
        self._address_of = address_of
        self._waiting: OrderedDict[str, deque[_Work[Any]]] = OrderedDict()
        self._short = 0
        self._long: dict[str, int] = {}
        self._running: set[_Work[Any]] = set()
        self._is_closed = False

    @property
    def load(self) -> tuple[int, int]:
        """The numbers of pieces of work that run and that wait."""
        return len(self._running), sum(map(len, self._waiting.values()))

    async def run(self, person: str, do: Callable[[Stopper], T], seconds: float | None = None) -> T:
        """Run `do` in a thread, in turn with the work of other people, and return its result.

        Cancelling the task that waits here stops the work. Work that runs for more than `seconds` is stopped
        and raises TimeoutError; the time that it waits for its turn does not count.
        """
        queue = self._waiting.get(person)
        if queue is not None and len(queue) >= MOST_WAITING:
            raise TooMuch("the server still thinks about your earlier requests; wait a moment")
        work = _Work(person, do, seconds, asyncio.get_running_loop())
        if queue is None:
            queue = self._waiting[person] = deque()
        queue.append(work)
        self._start_next()
        try:
            return await asyncio.shield(work.done)
        except asyncio.CancelledError:
            self._cancel(work)
            raise

    def _cancel(self, work: _Work[Any]) -> None:
        work.stopper.stop()
        work.done.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody asks any more
        queue = self._waiting.get(work.person)
        if queue is not None and work in queue:
            queue.remove(work)
            if not queue:
                del self._waiting[work.person]
            work.done.cancel()

    def _start_next(self) -> None:
        """Start work while there are places: of the address for which least runs, in turn of its people."""
        while not self._is_closed and self._short < self.workers:
            if sum(self._long.values()) >= self.most_long or (person := self._next()) is None:
                return
            queue = self._waiting[person]
            self._start(queue.popleft())
            if queue:
                self._waiting.move_to_end(person)
            else:
                del self._waiting[person]

    def _next(self) -> str | None:
        """Return the person whose turn it is."""
        running = Counter(self._address_of(work.person) for work in self._running)
        long: Counter[str] = Counter()
        for person, number in self._long.items():
            long[self._address_of(person)] += number
        best: tuple[int, str] | None = None
        most = max(1, int(SHARE_OF_ADDRESS * self.most_long))
        for person in self._waiting:  # who has waited longest comes first
            address = self._address_of(person)
            if self._long.get(person, 0) >= MOST_LONG or long[address] >= most:
                continue
            if best is None or running[address] < best[0]:
                best = running[address], person
        return None if best is None else best[1]

    def _start(self, work: _Work[Any]) -> None:
        self._short += 1
        self._running.add(work)
        loop = work.done.get_loop()
        timers = [loop.call_later(SHORT_SECONDS, self._make_long, work)]
        if work.seconds is not None:
            timers.append(loop.call_later(work.seconds, self._time_out, work))

        def finish(result: Any, error: BaseException | None) -> None:
            for timer in timers:
                timer.cancel()
            self._running.discard(work)
            if work.is_long:
                self._long[work.person] -= 1
                if not self._long[work.person]:
                    del self._long[work.person]
            else:
                self._short -= 1
            if not work.done.done():
                if error is None:
                    work.done.set_result(result)
                else:
                    work.done.set_exception(error)
            self._start_next()

        def work_in_thread() -> None:
            work.thread = threading.get_native_id()
            result, error = None, None
            try:
                work.stopper.check()
                result = work.do(work.stopper)
            except BaseException as caught:  # the one who waits gets it
                error = caught
            with contextlib.suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(finish, result, error)

        threading.Thread(target=work_in_thread, name="search", daemon=True).start()

    def _make_long(self, work: _Work[Any]) -> None:
        if work not in self._running or work.is_long:
            return
        work.is_long = True
        self._short -= 1
        self._long[work.person] = self._long.get(work.person, 0) + 1
        self._lower(work)
        self._start_next()

    def _lower(self, work: _Work[Any]) -> None:
        """Lower the priority of work that has used the processor for long; on a busy machine, later."""
        if work not in self._running or work.thread is None:
            return
        with contextlib.suppress(AttributeError, OSError, ValueError):  # Linux has priorities of threads
            spent = Path(f"/proc/self/task/{work.thread}/schedstat").read_text()
            if int(spent.split()[0]) / 1e9 < SHORT_SECONDS:
                work.done.get_loop().call_later(SHORT_SECONDS, self._lower, work)
                return
            niceness = os.getpriority(os.PRIO_PROCESS, work.thread)
            os.setpriority(os.PRIO_PROCESS, work.thread, min(19, niceness + LOWER_PRIORITY))

    def _time_out(self, work: _Work[Any]) -> None:
        work.stopper.stop()
        if not work.done.done():  # the one who waits is free at once, even if the work notices late
            work.done.set_exception(TimeoutError())

    def close(self) -> None:
        """Stop everything."""
        self._is_closed = True
        for queue in self._waiting.values():
            for work in queue:
                work.done.cancel()
        self._waiting.clear()
        for work in list(self._running):
            work.stopper.stop()
