"""What Jupyter adds: results that grow while one waits, and a board to click."""

from boardlab.notebooks.board import play
from boardlab.notebooks.matches import match, tournament

__all__ = ["match", "play", "tournament"]
