"""BoardLab: agents that teach themselves board games and puzzles, and how strong they really are.

import boardlab as bl

game = bl.game("connectfour")
agent = bl.agent("mcts(rollout, iterations=1000)", game, seed=1)
print(bl.match(game, [agent, "random"], games=100))
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("boardlab._engine") is None:  # the sources alone; they hide what is installed
    raise ImportError(
        f"the engine is not built beside {__file__}: build it there (make demo, then .venv/bin/python), or "
        "leave that folder to use a BoardLab that is installed",
        name=__name__,  # so that python -m boardlab says it in a line, too
    )

import boardlab.references  # noqa: F401  (makes the reference players known)
from boardlab import _engine
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators import register_evaluator, register_features
from boardlab.games import (
    CHANCE,
    TERMINAL,
    Game,
    PythonGame,
    State,
    describe,
    game,
    games,
    load_game,
    register_game,
)
from boardlab.options import option
from boardlab.paths import include
from boardlab.search import Agent, Decision, Forest, agent, evaluator, python_agent, register_agent

if TYPE_CHECKING:
    from boardlab import arena as arena
    from boardlab import learners as learners
    from boardlab import testing as testing
    from boardlab.arena.balance import BalanceResult, balance
    from boardlab.arena.exams import ExamResult, evaluate, register_exam
    from boardlab.arena.match import Adjudication, MatchResult, match
    from boardlab.arena.rate import rate
    from boardlab.arena.records import Record, read_records, write_records
    from boardlab.arena.standings import TournamentResult
    from boardlab.arena.store.store import Store, store
    from boardlab.arena.tournament import tournament
    from boardlab.learners.many import ManyRuns
    from boardlab.learners.run import Run, open_run
    from boardlab.watching import resume, train, train_many

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Adjudication",
    "Agent",
    "BalanceResult",
    "BoardLabError",
    "Decision",
    "ExamResult",
    "Forest",
    "Game",
    "ManyRuns",
    "MatchResult",
    "PythonGame",
    "Record",
    "Run",
    "State",
    "Store",
    "TournamentResult",
    "agent",
    "balance",
    "describe",
    "evaluate",
    "evaluator",
    "game",
    "games",
    "include",
    "load_game",
    "match",
    "open_run",
    "option",
    "perft",
    "python_agent",
    "rate",
    "read_records",
    "register_agent",
    "register_evaluator",
    "register_exam",
    "register_features",
    "register_game",
    "resume",
    "store",
    "tournament",
    "train",
    "train_many",
    "write_records",
]


_LEARNERS = ("ManyRuns", "Run", "open_run")
_WATCHING = ("resume", "train", "train_many")
_ARENA = (
    "Adjudication",
    "BalanceResult",
    "ExamResult",
    "MatchResult",
    "Record",
    "Store",
    "TournamentResult",
    "balance",
    "evaluate",
    "match",
    "rate",
    "read_records",
    "register_exam",
    "store",
    "tournament",
    "write_records",
)


_PACKAGES = ("arena", "learners", "testing")


if not TYPE_CHECKING:  # who checks types sees the imports above, and every other name as a mistake

    def __getattr__(name: str) -> Any:
        """Import the arena and the learners on first use: most programs need only a part."""
        if name in (*_PACKAGES, "learning"):  # deprecated: says so when it is imported
            return importlib.import_module(f"boardlab.{name}")
        for folder, names in (("arena", _ARENA), ("learners", _LEARNERS), ("watching", _WATCHING)):
            if name in names:
                return getattr(importlib.import_module(f"boardlab.{folder}"), name)
        raise AttributeError(f"module 'boardlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PACKAGES, *(name for name in globals() if name.startswith("__"))})


def perft(position: Game | State, depth: int) -> int:
    """Number of action sequences of exactly `depth` actions; a game that ended earlier does not count."""
    state = position.initial_state() if isinstance(position, Game) else position
    if not isinstance(state, State):
        raise BoardLabError(f"perft needs a game or a state, not {shown(position)}")
    return _engine.perft(state.core, as_integer("depth", depth, 0, 1000))
