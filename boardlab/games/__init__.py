"""Games in Python: states, text, drawings and notation."""

from boardlab.games.batch_env import BatchEnv
from boardlab.games.c_source import c_game
from boardlab.games.face import LibraryGame
from boardlab.games.game import CHANCE, TERMINAL, Game, State
from boardlab.games.library import load_game
from boardlab.games.own import register_game
from boardlab.games.palette import stylesheet
from boardlab.games.python import PythonGame
from boardlab.games.registry import describe, game, games
from boardlab.games.rules import Rules
from boardlab.games.shapes import cards, graph, grid, hexagonal, piece

__all__ = [
    "CHANCE",
    "TERMINAL",
    "BatchEnv",
    "Game",
    "LibraryGame",
    "PythonGame",
    "Rules",
    "State",
    "c_game",
    "cards",
    "describe",
    "game",
    "games",
    "graph",
    "grid",
    "hexagonal",
    "load_game",
    "piece",
    "register_game",
    "stylesheet",
]
