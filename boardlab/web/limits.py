"""Limits of rates: buckets that fill steadily."""

import contextlib
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Generator, Iterator
from typing import Any, Generic, TypeVar

from boardlab.web.errors import TooMuch

T = TypeVar("T")


class Bucket:
    """Holds up to `burst` tokens and gains `rate` a second."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._tokens, self._at = burst, time.monotonic()

    def take(self, tokens: float = 1.0) -> bool:
        """Take tokens if there are enough."""
        self._fill()
        if self._tokens < tokens:
            return False
        self._tokens -= tokens
        return True

    def owe(self, tokens: float) -> None:
        """Take tokens, more than there are if need be: nobody takes any until they are paid back."""
        self._fill()
        self._tokens -= tokens

    def _fill(self) -> None:
        now = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (now - self._at) * self.rate)
        self._at = now


class Buckets:
    """A bucket for every key; the least recently used are forgotten."""

    MOST = 10_000

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str, tokens: float = 1.0) -> bool:
        """Take tokens of this key if there are enough."""
        return self._bucket(key).take(tokens)

    def owe(self, key: str, tokens: float) -> None:
        """Take tokens of this key, more than there are if need be."""
        self._bucket(key).owe(tokens)

    def _bucket(self, key: str) -> Bucket:
        bucket = self._buckets.pop(key, None) or Bucket(self.rate, self.burst)
        self._buckets[key] = bucket
        if len(self._buckets) > self.MOST:
            self._buckets.popitem(last=False)
        return bucket


class Places:
    """Places for what takes memory or disk while it lasts: some for each person, more for all."""

    def __init__(self, of_person: int, in_all: int) -> None:
        self.of_person, self.in_all = of_person, in_all
        self._taken: Counter[str] = Counter()

    def take(self, person: str) -> None:
        """Take a place; refuse if there is none."""
        if self._taken[person] >= self.of_person or self._taken.total() >= self.in_all:
            raise TooMuch("too many files are on their way; wait until one has arrived")
        self._taken[person] += 1

    def leave(self, person: str) -> None:
        """Give a place back."""
        self._taken[person] -= 1
        if not self._taken[person]:
            del self._taken[person]

    @contextlib.contextmanager
    def taken(self, person: str) -> Iterator[None]:
        """Hold a place for a while."""
        self.take(person)
        try:
            yield
        finally:
            self.leave(person)


class Attention:
    """Shares the time of the event loop: who asks for what takes long waits before asking again.

    Only what a request takes beyond `FREE` counts, so that clicks are never refused.
    """

    FREE = 0.01
    """Seconds of a request that count for nothing."""
    OF_PERSON = 0.2, 1.0
    OF_ADDRESS = 0.5, 2.5
    """Seconds that count, a second and at once."""

    def __init__(self) -> None:
        self._people, self._addresses = Buckets(*self.OF_PERSON), Buckets(*self.OF_ADDRESS)

    def is_left(self, person: str, address: str) -> bool:
        """Whether this person, at this address, may ask for something now."""
        return self._people.take(person, 0.0) and self._addresses.take(address, 0.0)

    def spent(self, person: str, address: str, seconds: float) -> None:
        """Count what a request took."""
        if seconds > self.FREE:
            self._people.owe(person, seconds - self.FREE)
            self._addresses.owe(address, seconds - self.FREE)


class Timed(Generic[T]):
    """Awaits something and sums the processor time of this thread for it, without its waiting."""

    def __init__(self, work: Awaitable[T]) -> None:
        self._work, self.seconds = work, 0.0

    def __await__(self) -> Generator[Any, Any, T]:
        steps = self._work.__await__()
        failure: BaseException | None = None
        while True:
            began = time.thread_time()
            try:
                waits_for = next(steps) if failure is None else steps.throw(failure)
            except StopIteration as end:
                found: T = end.value
                return found
            finally:
                self.seconds += time.thread_time() - began
            failure = None
            try:
                yield waits_for
            except BaseException as caught:  # cancelled: the work hears of it
                failure = caught


def network_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the first half, since a visitor has all of the rest."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
