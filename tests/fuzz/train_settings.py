"""Training with settings at random: it ends as a run that plays, or with a sentence that says why not."""

import contextlib
import importlib
import math
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.junk import JUNK
from fuzz.patience import TookTooLongError, at_most

import boardlab as bl
from boardlab.learners import LEARNERS
from boardlab.options import Option, options_of

with contextlib.suppress(ImportError):  # cases are interrupted, and its import can be broken off only once
    importlib.import_module("matplotlib.figure")

SECONDS = 4.0
NET_LEARNERS = ("alphazero", "davi-net", "random-walk")
# Small enough that most cases end by themselves; a setting at random may still replace each of them.
SMALL: dict[str, dict[str, Any]] = {
    "td-ntuple": {"tuples": 3, "length": 3, "memory_gb": 0.05},
    "sarsa-ntuple": {"tuples": 3, "length": 3, "memory_gb": 0.05},
    "q-ntuple": {"tuples": 3, "length": 3, "memory_gb": 0.05},
    "davi": {"tuples": 3, "length": 3, "memory_gb": 0.05},
    "alphazero": {
        "games": 2, "parallel": 2, "simulations": 4, "channels": 4, "blocks": 1, "hidden": 8, "head_filters": 2,
        "cache_mb": 1, "batch": 8, "threads": 1,
    },
    "davi-net": {"walks": 4, "first": 8, "width": 8, "threads": 1},
    "random-walk": {"walks": 4, "first": 8, "width": 8, "threads": 1},
}  # fmt: skip
# Not drawn: they take memory, processes or threads by the thousand, where they do what they say.
LEFT_ALONE = {"memory_gb", "memory_mb", "processes", "lanes", "parallel", "cache_mb", "device", "tensorboard"}
EXAMS = ["random", "score", "perfect", "mcts(iterations=5)", "abdl", "nonsense", ""]


@dataclass(frozen=True)
class Case:
    game: str
    parameters: dict[str, Any]
    learner: str
    settings: dict[str, Any]
    options: dict[str, Any]

    def __repr__(self) -> str:
        with contextlib.suppress(RuntimeError, ValueError):  # a value that has no text, or too much of it
            return f"train {self.game} {self.parameters} {self.learner} {self.settings} {self.options}"
        return f"train {self.game} {self.parameters} {self.learner} {list(self.settings)}"


def cases(rng: random.Random) -> Iterator[Case]:
    from boardlab.games.registry import GAMES

    learners = [name for name in LEARNERS if name not in NET_LEARNERS]
    if rng.random() < 0.3:  # the others import torch, which takes seconds
        learners = list(NET_LEARNERS)
        with contextlib.suppress(ImportError):
            import torch  # noqa: F401  (an import that is interrupted leaves half a module)
    while True:
        game = rng.choice(sorted(GAMES))
        parameters = dict(rng.choice(GAMES[game].variants))
        learner = rng.choice(learners)
        fields = [option for option in options_of(LEARNERS[learner]) if option.name not in LEFT_ALONE]
        settings = dict(SMALL.get(learner, {}))
        for option in rng.sample(fields, rng.choice([0, 1, 1, 2, 3, 6])):
            settings[option.name] = value_for(option, rng)
        options: dict[str, Any] = {"episodes": rng.choice([1, 2, 3, 10]), "seed": rng.randrange(100)}
        if rng.random() < 0.2:
            options |= {
                "exams": [rng.choice(EXAMS)],
                "exam_games": rng.choice([1, 2, 0]),
                "exam_every": rng.choice([0, 1]),
            }
        if rng.random() < 0.1:
            options["snapshot_every"] = rng.choice([1, 2, -1, None])
        if rng.random() < 0.1:
            options[rng.choice(["episodes", "seed", "stop_at", "stop_after", "stop_exam", "preset"])] = (
                rng.choice(JUNK)
            )
        yield Case(game, parameters, learner, settings, options)


def value_for(option: Option, rng: random.Random) -> Any:
    """A value that is allowed, one at the border, or nonsense."""
    chance = rng.random()
    if chance < 0.1:
        return rng.choice(JUNK)
    if option.choices and chance < 0.9:
        return rng.choice(option.choices)
    if option.low is not None and option.high is not None:
        if chance < 0.2:
            return rng.choice([option.low, option.high, option.low - 1, option.high + 1])
        low, high = max(option.low, 1e-9), min(option.high, max(option.low * 20, 20))
        drawn = math.exp(rng.uniform(math.log(low), math.log(high)))
        whole = isinstance(option.default, int) or (option.default is None and option.high > 1000)
        return round(drawn) if whole else drawn
    if isinstance(option.default, bool):
        return rng.random() < 0.5
    return rng.choice(["", "0 1 2", "2x2", "3x3, 2x4", "0,1;2,3", "discs", "score", option.default])


def run(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "run")
        try:
            with at_most(SECONDS):
                game = bl.game(case.game, **case.parameters)
                trained = bl.train(game, case.learner, out=out, **case.options, **case.settings)
                agent = bl.open_run(out).agent()
                state = game.initial_state(1)
                while state.player == bl.CHANCE:
                    state.apply(state.legal_actions()[0])
                if not state.is_terminal:
                    assert (
                        agent.act(state.seen_by(state.player) if game.is_hidden else state).action
                        in state.legal_actions()
                    )
                bl.resume(out, episodes=trained.total + 1)
        except TookTooLongError:
            pass
        except bl.BoardLabError as refusal:
            assert str(refusal)
