"""Limits of rates: buckets that fill steadily."""

import time
from collections import OrderedDict


class Bucket:
    """Holds up to `burst` tokens and gains `rate` a second."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._tokens, self._at = burst, time.monotonic()

    def take(self, tokens: float = 1.0) -> bool:
        """Take tokens if there are enough."""
        now = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (now - self._at) * self.rate)
        self._at = now
        if self._tokens < tokens:
            return False
        self._tokens -= tokens
        return True


class Buckets:
    """A bucket for every key; the least recently used are forgotten."""

    MOST = 10_000

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str, tokens: float = 1.0) -> bool:
        """Take tokens of this key if there are enough."""
        bucket = self._buckets.pop(key, None) or Bucket(self.rate, self.burst)
        self._buckets[key] = bucket
        if len(self._buckets) > self.MOST:
            self._buckets.popitem(last=False)
        return bucket.take(tokens)
