"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.exams import ExamResult, evaluate, exams_for
from boardlab.arena.match import GameRecord, MatchResult, match
from boardlab.arena.records import Record, read_records, write_records
from boardlab.arena.store import Fame, Pairing, Rating, Store, Tournament, store

__all__ = [
    "ExamResult",
    "Fame",
    "GameRecord",
    "MatchResult",
    "Pairing",
    "Rating",
    "Record",
    "Store",
    "Tournament",
    "evaluate",
    "exams_for",
    "match",
    "read_records",
    "store",
    "write_records",
]
