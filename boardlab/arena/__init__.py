"""The arena: where agents meet and strength becomes a number."""

from boardlab.arena.match import GameRecord, MatchResult, match

__all__ = ["GameRecord", "MatchResult", "match"]
