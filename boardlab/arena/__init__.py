"""The arena: matches, exams, tournaments, ratings and records."""

from boardlab.arena.arena import Adjudication, GameRecord
from boardlab.arena.balance import (
    BalanceResult,
    SeatReport,
    StoppedBalance,
    balance,
    seat_report,
    write_openings,
)
from boardlab.arena.examinations import ExamTable, StoppedExams, evaluate_all
from boardlab.arena.exams import ExamResult, evaluate, exams_for, register_exam
from boardlab.arena.match import StoppedMatch, match
from boardlab.arena.match_result import MatchResult
from boardlab.arena.rate import rate
from boardlab.arena.ratings.results import Result
from boardlab.arena.records import Record, read_records, write_records
from boardlab.arena.speed import Speed, speed
from boardlab.arena.standings import TournamentResult
from boardlab.arena.store import Fame, Pairing, Rating, Store, Tournament, store
from boardlab.arena.tournament import tournament

__all__ = [
    "Adjudication",
    "BalanceResult",
    "ExamResult",
    "ExamTable",
    "Fame",
    "GameRecord",
    "MatchResult",
    "Pairing",
    "Rating",
    "Record",
    "Result",
    "SeatReport",
    "Speed",
    "StoppedBalance",
    "StoppedExams",
    "StoppedMatch",
    "Store",
    "Tournament",
    "TournamentResult",
    "balance",
    "evaluate",
    "evaluate_all",
    "exams_for",
    "match",
    "rate",
    "read_records",
    "register_exam",
    "seat_report",
    "speed",
    "store",
    "tournament",
    "write_openings",
    "write_records",
]
