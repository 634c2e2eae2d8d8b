"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.exams import ExamResult, evaluate, exams_for
from boardlab.arena.match import GameRecord, MatchResult, match

__all__ = ["ExamResult", "GameRecord", "MatchResult", "evaluate", "exams_for", "match"]
