"""BoardLab: agents that teach themselves board games, and how strong they are.

import boardlab as bl

game = bl.game("connectfour")
agent = bl.agent("mcts(rollout, iterations=1000)", game, seed=1)
print(bl.match(game, [agent, "random"], games=100))
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("boardlab._engine") is None:  # bare sources, which hide an installed BoardLab
    raise ImportError(
        f"the engine is not built beside {__file__}: build it there (make demo, then .venv/bin/python), or "
        "change to another folder to use an installed BoardLab",
        name=__name__,  # lets python -m boardlab print this message alone
    )

import boardlab.references  # noqa: F401  (registers the reference players)
from boardlab import _engine
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators import register_features
from boardlab.games import (
    CHANCE,
    TERMINAL,
    BatchEnv,
    Game,
    LibraryGame,
    PythonGame,
    State,
    c_game,
    cards,
    describe,
    game,
    games,
    graph,
    grid,
    hexagonal,
    load_game,
    piece,
    register_game,
    stylesheet,
)
from boardlab.jobs.clusters import cluster
from boardlab.options import option
from boardlab.paths import include
from boardlab.plugins import load_plugins
from boardlab.search import (
    Agent,
    Decision,
    Forest,
    TreeOptions,
    agent,
    evaluator,
    python_agent,
    register_agent,
    register_evaluator,
)

if TYPE_CHECKING:
    from boardlab import arena as arena
    from boardlab import experiments as experiments
    from boardlab import learners as learners
    from boardlab import testing as testing
    from boardlab.arena.arena import Adjudication
    from boardlab.arena.balance import BalanceResult, balance
    from boardlab.arena.examinations import ExamTable, evaluate_all
    from boardlab.arena.exams import ExamResult, evaluate, register_exam
    from boardlab.arena.match_result import MatchResult
    from boardlab.arena.rate import rate
    from boardlab.arena.records import Record, read_records, write_records
    from boardlab.arena.speed import Speed, speed
    from boardlab.arena.standings import TournamentResult
    from boardlab.arena.store.store import Store, store
    from boardlab.experiments.reproduce import Reproduction
    from boardlab.experiments.sweep import SweepFailedError, SweepResult
    from boardlab.experiments.sweep_values import Range
    from boardlab.learners.compare import Comparison, compare
    from boardlab.learners.listing import RunList, list_runs
    from boardlab.learners.many import ManyRuns
    from boardlab.learners.own import register_learner
    from boardlab.learners.players import Players, players
    from boardlab.learners.run import Run, open_run
    from boardlab.notebooks import match, play, tournament
    from boardlab.watching import reproduce, resume, resume_many, sweep, train, train_many

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Adjudication",
    "Agent",
    "BalanceResult",
    "BatchEnv",
    "BoardLabError",
    "Comparison",
    "Decision",
    "ExamResult",
    "ExamTable",
    "Forest",
    "Game",
    "LibraryGame",
    "ManyRuns",
    "MatchResult",
    "Players",
    "PythonGame",
    "Range",
    "Record",
    "Reproduction",
    "Run",
    "RunList",
    "Speed",
    "State",
    "Store",
    "SweepFailedError",
    "SweepResult",
    "TournamentResult",
    "TreeOptions",
    "agent",
    "balance",
    "c_game",
    "cards",
    "cluster",
    "compare",
    "describe",
    "evaluate",
    "evaluate_all",
    "evaluator",
    "game",
    "games",
    "graph",
    "grid",
    "hexagonal",
    "include",
    "list_runs",
    "load_game",
    "load_plugins",
    "match",
    "open_run",
    "option",
    "perft",
    "piece",
    "play",
    "players",
    "python_agent",
    "rate",
    "read_records",
    "register_agent",
    "register_evaluator",
    "register_exam",
    "register_features",
    "register_game",
    "register_learner",
    "reproduce",
    "resume",
    "resume_many",
    "speed",
    "store",
    "stylesheet",
    "sweep",
    "tournament",
    "train",
    "train_many",
    "write_records",
]

_PACKAGES = ("arena", "experiments", "learners", "testing")
"""Public modules that are imported on first use."""


if not TYPE_CHECKING:  # type checkers see the imports above, and report every other name as a mistake

    def __getattr__(name: str) -> Any:
        """Import the arena and the learners on first use: most programs need only a part."""
        if name in (*_PACKAGES, "learning"):
            return importlib.import_module(f"boardlab.{name}")
        for package in (
            ("notebooks", "arena", "watching", "learners", "experiments") if name in __all__ else ()
        ):
            module = importlib.import_module(f"boardlab.{package}")
            if name in module.__all__:
                return getattr(module, name)
        raise AttributeError(f"module 'boardlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PACKAGES, *(name for name in globals() if name.startswith("__"))})


def perft(position: Game | State, depth: int) -> int:
    """Count the sequences of exactly `depth` actions.

    Games that end earlier do not count.
    """
    state = position.initial_state() if isinstance(position, Game) else position
    if not isinstance(state, State):
        raise BoardLabError(f"perft needs a game or a state, not {shown(position)}")
    return _engine.perft(state.core, as_integer("depth", depth, 0, 1000))
