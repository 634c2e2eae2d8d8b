"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.exams import ExamResult, evaluate, exams_for
from boardlab.arena.match import GameRecord, MatchResult, match
from boardlab.arena.rate import rate
from boardlab.arena.records import Record, read_records, write_records
from boardlab.arena.standings import TournamentResult
from boardlab.arena.store import Fame, Pairing, Rating, Store, Tournament, store
from boardlab.arena.tournament import tournament

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
    "TournamentResult",
    "evaluate",
    "exams_for",
    "match",
    "rate",
    "read_records",
    "store",
    "tournament",
    "write_records",
]
