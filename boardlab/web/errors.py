"""Errors of requests, each with its HTTP status."""

from boardlab.errors import BoardLabError


class Refusal(BoardLabError):  # noqa: N818
    """A request that this server refuses; the message says why."""

    status = 400


class Missing(Refusal):
    """Something that is not there."""

    status = 404


class Forbidden(Refusal):
    """Something that this visitor, or this server, may not do."""

    status = 403


class TooMuch(Refusal):
    """More than a visitor may ask for at once."""

    status = 429
