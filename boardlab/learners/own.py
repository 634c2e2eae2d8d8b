"""Learners of a user's own: the decorator that registers them, and its simple form."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, make_dataclass
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.checks import as_integer, is_number
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators import EVALUATORS
from boardlab.evaluators.python import OwnEvaluator, check_inputs, check_own_name, python_evaluator
from boardlab.games.game import Game, check_outcome
from boardlab.learners.learner import USUAL_EPISODES, Arrays, Learner, LearnerSettings
from boardlab.learners.registry import LEARNERS
from boardlab.learners.run_options import MOST_EPISODES, RunOptions
from boardlab.options import first_line, option, options_of, own_options
from boardlab.paths import code_of
from boardlab.runs import RunFolder
from boardlab.search.expression import AGENTS

Made = TypeVar("Made", bound=Callable[..., Any])
"""make(game, seed, **parameters) -> an object with arrays(), episode(rng, progress), judge(inputs, legal)"""

Settings = TypeVar("Settings", bound=type[LearnerSettings])

ARGUMENTS = (
    "game",
    "learner",
    "out",
    "force",
    "go_on",
    "progress",
    "picture",
    "told_memory",
    "runs",
    "jobs",
    "layout",
)
"""Arguments of `train`, which no setting may be called."""

KEPT = ("progress", "random", "seconds", "cpu_seconds", "pace")
"""Arrays of every checkpoint."""


@overload
def register_learner(name: Settings) -> Settings: ...
@overload
def register_learner(
    name: str,
    *,
    inputs: str = "planes",
    priors: bool = False,
    outcome: str = "score",
    episodes: int = USUAL_EPISODES,
    hidden: bool = False,
) -> Callable[[Made], Made]: ...
def register_learner(
    name: Any,
    *,
    inputs: str = "planes",
    priors: bool = False,
    outcome: str = "score",
    episodes: int = USUAL_EPISODES,
    hidden: bool = False,
) -> Any:
    """Register a learner of your own by name, for `train`, sweeps and the command line.

    Decorates a class (or a function of the game and the seed) whose objects learn one episode after another:

        @bl.register_learner("counting", inputs="cells", episodes=2000)
        class Counting:
            def __init__(self, game, seed, rate=0.1):
                self.values = np.zeros(len(game.initial_state().board_vector()))

            def arrays(self):
                return {"values": self.values}

            def episode(self, rng, progress):
                ...  # play one episode, change self.values in place, return the number of actions

            def judge(self, cells, legal):
                return np.tanh(cells @ self.values)

    Keyword arguments are settings, as `--rate 0.2` on the command line. `arrays` names what was learned, in
    arrays that keep their sizes; runs save them. `rng` is numpy's generator, which depends on the seed and
    the number of the episode only, so that a resumed run ends as an unbroken one. `progress` goes from 0 to
    1.

    `judge` is as in `register_evaluator`, with its `inputs`, `priors` and `outcome`. The name is an evaluator
    too: `mcts(counting("runs/c"))`, and the trained agent is `greedy(counting("runs/c"))`. `episodes` is the
    usual length of a run; `hidden` says that it learns games with hidden cards.

    A class derived from `boardlab.learners.LearnerSettings` is registered as it is, without a name.
    """
    if isinstance(name, type) and issubclass(name, LearnerSettings):
        return _register_settings(name)
    check_own_name("a learner", name)
    _check_free(name)
    if name in AGENTS or (name in EVALUATORS and not issubclass(EVALUATORS[name], OwnTrained)):
        raise BoardLabError(f'"{name}" is an agent or an evaluator already; choose another name')
    check_inputs(inputs)
    usual = as_integer("episodes", episodes, 1, MOST_EPISODES)

    def register(make: Made) -> Made:
        if not callable(make):
            raise BoardLabError(
                "register_learner takes a class, or a function of the game and the seed, whose objects have "
                f"arrays(), episode(rng, progress) and judge(inputs, legal), not {shown(make)}"
            )
        how = _How(make, inputs, bool(priors), outcome, usual)
        reserved = {
            "name",
            *dir(OwnSettings),
            *ARGUMENTS,
            *(known.name for known in options_of(RunOptions)),
        }
        doc = first_line(make, "A learner written in Python.")
        LEARNERS.register(
            name,
            make_dataclass(
                name,
                own_options(make, ["game", "seed"], f"the learner {name}", sorted(reserved)),
                bases=(OwnSettings,),
                namespace={
                    "__doc__": doc,
                    "name": name,
                    "evaluator": name,
                    "learns_hidden": bool(hidden),
                    "how": how,
                },
                frozen=True,
            ),
        )
        body = {"__doc__": f"What {name} has learned, from its run.", "name": name, "own_code": code_of(make)}
        EVALUATORS.register(name, make_dataclass(name, [], bases=(OwnTrained,), namespace=body, frozen=True))
        return make

    return register


def _register_settings(kind: Settings) -> Settings:
    """Register a class of settings, which builds its learner itself."""
    name = vars(kind).get("name")
    check_own_name(f"the learner {kind.__name__} (a line name = ...)", name)
    _check_free(str(name))
    for must in ("describe", "build"):
        if getattr(kind, must) is getattr(LearnerSettings, must):
            raise BoardLabError(f"the learner {name}: the function {must} is missing")
    if not hasattr(kind, "evaluator") and kind.expression is LearnerSettings.expression:
        raise BoardLabError(
            f'the learner {name} needs the evaluator that plays with its runs, a line evaluator = "...", or '
            "the function expression(path)"
        )
    if "__dataclass_fields__" not in vars(kind):
        dataclass(frozen=True)(kind)
    LEARNERS.register(str(name), kind)
    return kind


def _check_free(name: str) -> None:
    if name in LEARNERS and name not in LEARNERS.sources:
        raise BoardLabError(f'"{name}" is a learner of BoardLab itself; choose another name')


def own_learners() -> list[str]:
    """The names registered with `register_learner`."""
    return [name for name in LEARNERS.sources if name in LEARNERS]


@dataclass(frozen=True)
class _How:
    """What the decorator was given."""

    make: Callable[..., Any]
    inputs: str
    priors: bool
    outcome: str
    episodes: int


@dataclass(frozen=True)
class OwnSettings(LearnerSettings):
    """Settings of a learner registered in its simple form."""

    how: ClassVar[_How]

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """One preset, with the usual number of episodes."""
        return {"default": {"episodes": cls.how.episodes}}

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The inputs of its judge."""
        return {"inputs": self.how.inputs, "outcome": self.how.outcome}

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Learner:
        """A learner that knows nothing yet."""
        return OwnLearner(game, self, self.made(game, seed), episodes, seed)

    def made(self, game: Game, seed: int) -> Any:
        """The user's object."""
        check_outcome(game, self.how.outcome)
        learner = self.how.make(
            game, seed, **{field.name: getattr(self, field.name) for field in fields(self)}
        )
        for must in ("arrays", "episode", "judge"):
            if not callable(getattr(learner, must, None)):
                raise BoardLabError(
                    f"the learner {self.name} must be an object with arrays(), episode(rng, progress) and "
                    f"judge(inputs, legal); {shown(learner)} has no {must}"
                )
        return learner

    def arrays_of(self, learner: Any) -> Arrays:
        """The arrays of the user's object, each as one row that shares its memory."""
        given = learner.arrays()
        if not isinstance(given, Mapping) or not given:
            raise BoardLabError(
                f"the learner {self.name}: arrays() must return its arrays by name, as in "
                f'{{"values": self.values}}, not {shown(given)}'
            )
        found: Arrays = {}
        for key, array in given.items():
            if not isinstance(key, str) or not re.fullmatch(r"[A-Za-z_]\w*", key) or key in KEPT:
                raise BoardLabError(
                    f"the learner {self.name}: the name of an array is a letter, then letters, digits and _, "
                    f"and none of {', '.join(KEPT)}, not {shown(key)}"
                )
            if (
                not isinstance(array, np.ndarray)
                or array.dtype.kind not in "biuf"
                or not array.flags.writeable
                or not array.flags.c_contiguous
            ):
                raise BoardLabError(
                    f"the learner {self.name}: arrays() must return contiguous numpy arrays of numbers that "
                    f"can be changed; {key} is {shown(array)}"
                )
            found[key] = array.reshape(-1)
        return found

    def judged(self, game: Game, learner: Any) -> _engine.Evaluator:
        """The engine's evaluator over the user's object."""
        how = self.how
        return python_evaluator(
            game, learner.judge, inputs=how.inputs, priors=how.priors, outcome=how.outcome
        )


class OwnLearner(Learner):
    """Asks a user's object for one episode after the other."""

    counters: Arrays = {}  # noqa: RUF012  (there are none: all arrays may be needed to play)

    def __init__(self, game: Game, settings: OwnSettings, learner: Any, episodes: int, seed: int) -> None:
        self.game, self.settings, self.learner, self.total = game, settings, learner, episodes
        self.episodes_done = self.actions_done = 0
        self.random_state = seed
        self.sizes = self._sizes()

    @property
    def weights(self) -> Arrays:  # type: ignore[override]
        """All that was learned."""
        return self.settings.arrays_of(self.learner)

    def _sizes(self) -> dict[str, tuple[int, str]]:
        return {name: (array.size, array.dtype.str) for name, array in self.weights.items()}

    def train(self, episodes: int) -> int:
        """Ask for the episodes, each with random numbers of its own."""
        name = self.settings.name
        for _ in range(episodes):
            number = self.episodes_done
            share = self.pace.share(number) if self.pace else number / max(1, self.total)
            rng = np.random.default_rng([self.random_state, number])
            actions = self.learner.episode(rng, min(1.0, float(share)))
            if isinstance(actions, bool) or not isinstance(actions, (int, np.integer)) or actions < 0:
                raise BoardLabError(
                    f"the learner {name}: episode() must return the number of its actions, not "
                    f"{shown(actions)}"
                )
            if self._sizes() != self.sizes:
                raise BoardLabError(
                    f"the learner {name}: its arrays were {shown(self.sizes)} at first and are "
                    f"{shown(self._sizes())} now; they must keep their names, sizes and types"
                )
            self.episodes_done += 1
            self.actions_done += int(actions)
        return episodes

    @property
    def alpha(self) -> float:
        """The object's attribute alpha, for the log; 0 without it."""
        return self._number("alpha")

    @property
    def epsilon(self) -> float:
        """The object's attribute epsilon, for the log; 0 without it."""
        return self._number("epsilon")

    def _number(self, name: str) -> float:
        value = getattr(self.learner, name, 0.0)
        return float(value) if is_number(value) else 0.0

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the object's judge."""
        return self.settings.judged(self.game, self.learner)


@dataclass(frozen=True)
class OwnTrained(OwnEvaluator):
    """The evaluator over a run of a learner registered in its simple form."""

    run: str = option("", "the folder of the run")

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator for this game."""
        if not self.run:
            raise BoardLabError(
                f'{self.name} needs the folder of a run, as in {self.name}("runs/{game.name}")'
            )
        folder = RunFolder(self.run)
        agent, _ = folder.read_trained(self.name, game=game)
        with folder.understanding():
            settings = LEARNERS[self.name].of_run(agent["settings"])
        assert isinstance(settings, OwnSettings)
        learner = settings.made(game, int(agent["seed"]))
        arrays: dict[str, NDArray[Any]] = settings.arrays_of(learner)
        folder.read_into("weights.npz", arrays)
        return settings.judged(game, learner)
