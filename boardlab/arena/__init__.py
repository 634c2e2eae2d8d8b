"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.balance import BalanceResult, SeatReport, balance, seat_report, write_openings
from boardlab.arena.exams import ExamResult, evaluate, exams_for
from boardlab.arena.match import GameRecord, MatchResult, match
from boardlab.arena.store import Fame, Pairing, Rating, Store, Tournament, store

__all__ = [
    "BalanceResult",
    "ExamResult",
    "Fame",
    "GameRecord",
    "MatchResult",
    "Pairing",
    "Rating",
    "SeatReport",
    "Store",
    "Tournament",
    "balance",
    "evaluate",
    "exams_for",
    "match",
    "seat_report",
    "store",
    "write_openings",
]
