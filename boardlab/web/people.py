"""Visitors: a random cookie each, of which the server keeps a hash."""

import hashlib
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass

from boardlab.web.settings import Settings

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Person:
    """A visitor, as far as the server knows."""

    id: str
    """Names the visitor to the server; nobody else learns it."""
    may_change: bool = True
    """Whether this visitor may change anything on this server."""


def new_token() -> str:
    """Return a random secret for a cookie."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what the server keeps of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def cookie_name(settings: Settings, kind: str = "person") -> str:
    """Return the name of a cookie; browsers share cookies between the ports of a machine."""
    return f"boardlab-{kind}-{settings.port}"


def person_of(token: str | None, settings: Settings) -> Person | None:
    """Return the visitor with this cookie; None if it is none of ours."""
    if token is None or not TOKEN.fullmatch(token):
        return None
    return Person(hashed(token), may_change=not settings.read_only)


class Addresses:
    """From which address each visitor came last: one who takes many cookies has one address."""

    MOST = 10_000

    def __init__(self) -> None:
        self._known: OrderedDict[str, str] = OrderedDict()

    def put(self, person: str, address: str) -> None:
        """Remember where a visitor is."""
        self._known[person] = address
        self._known.move_to_end(person)
        if len(self._known) > self.MOST:
            self._known.popitem(last=False)

    def get(self, person: str) -> str:
        """Return where a visitor was last; "" if that is not known."""
        return self._known.get(person, "")
