"""Rating systems: strength from results, with error bars."""

from boardlab.arena.ratings.bayeselo import BayesElo, EloRating, bayes_elo
from boardlab.arena.ratings.glicko2 import GlickoRating, glicko2
from boardlab.arena.ratings.openskill import SkillRating, openskill
from boardlab.arena.ratings.results import Result, read_pgn_results
from boardlab.arena.ratings.whole_history import HistoryPoint, whole_history

__all__ = [
    "BayesElo",
    "EloRating",
    "GlickoRating",
    "HistoryPoint",
    "Result",
    "SkillRating",
    "bayes_elo",
    "glicko2",
    "openskill",
    "read_pgn_results",
    "whole_history",
]
