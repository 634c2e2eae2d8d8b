"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.exams import ExamResult, evaluate, exams_for
from boardlab.arena.match import GameRecord, MatchResult, match
from boardlab.arena.store import Fame, Pairing, Rating, Store, Tournament, store

__all__ = [
    "ExamResult",
    "Fame",
    "GameRecord",
    "MatchResult",
    "Pairing",
    "Rating",
    "Store",
    "Tournament",
    "evaluate",
    "exams_for",
    "match",
    "store",
]
