"""The contract of a learner: `LearnerSettings` build a `Learner` for a run.

Adding a learner: a frozen dataclass with `describe` and `build`, a `Learner`, and a line in registry.py. See
CONTRIBUTING.md.
"""

import keyword
import types
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from boardlab import _engine
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.pace import Pace
from boardlab.learners.run_options import MOST_EPISODES
from boardlab.options import (
    Need,
    check_needs,
    check_options,
    idle_options,
    options_of,
    replaced,
    values_of,
)
from boardlab.runs import RunFolder
from boardlab.search.agent import Agent

Arrays = dict[str, NDArray[Any]]

USUAL_EPISODES = 100_000
"""Of a run whose learner has no preset for the game."""


class Learner(ABC):
    """Plays and learns: what a run trains, saves and examines.

    A checkpoint holds the weights, the counters and the three numbers below. They decide everything that
    comes next, so that a resumed run ends as an unbroken one does.
    """

    game: Game
    weights: Arrays
    """What playing needs: flat arrays that share the learner's memory."""
    counters: Arrays
    """What only learning needs."""
    episodes_done: int
    actions_done: int
    random_state: int

    pace: Pace | None = None
    """How the schedules progress in a run limited by time; None: evenly over the episodes."""

    saves_each_chunk: ClassVar[bool] = False
    """Whether a checkpoint is written after every call of `train`, not once a minute."""

    # ---- learning ----

    @abstractmethod
    def train(self, episodes: int) -> int:
        """Play and learn that many more episodes; returns how many were played."""

    def follow(self, pace: Pace) -> None:
        """Let the schedules follow a pace; called again at each of its corners."""
        self.pace = pace

    @property
    @abstractmethod
    def alpha(self) -> float:
        """The present learning rate."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The present share of random actions, or of noise."""

    # ---- playing ----

    @abstractmethod
    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over what was learned so far, without a copy of it."""

    def agent(self, seed: int) -> Agent:
        """The agent that takes the exams; by default greedy over the evaluator."""
        evaluator = self.evaluator()

        def greedy(_: Game, seed: int) -> _engine.Search:
            return _engine.greedy_search(evaluator, seed)

        return Agent(self.game, greedy(self.game, seed), "learner", greedy)

    # ---- the run ----

    @property
    def arrays(self) -> Arrays:
        """All arrays of a checkpoint."""
        return self.weights | self.counters

    def begin(self) -> None:  # noqa: B027  (optional)
        """Called once, when a run is new, before its first checkpoint."""

    def restore(self) -> None:  # noqa: B027  (optional)
        """Called after the arrays were read from a file; ValueError if they do not fit."""

    def expect(self, folder: RunFolder) -> None:  # noqa: B027  (optional)
        """Called with the run's folder before its checkpoint is read into the arrays."""

    def place(self, folder: RunFolder) -> None:  # noqa: B027  (optional)
        """Called with the run's folder before training starts or goes on."""

    def texts(self) -> dict[str, str]:
        """Texts beside the weights, in the run and its snapshots, by file name."""
        return {}

    def columns(self) -> dict[str, Any]:
        """Further columns of a row of the log."""
        return {}

    def examined(self, row: Mapping[str, Any]) -> None:  # noqa: B027  (optional)
        """Called with every new row of the log."""

    def pictures(self) -> dict[str, bytes]:
        """Pictures beside the learning curve, drawn when the run stops, by file name."""
        return {}


@dataclass(frozen=True)
class LearnerSettings:
    """Settings of a learner, each made with `option`; they build the learner."""

    name: ClassVar[str]
    evaluator: ClassVar[str]
    """The evaluator that plays with what was learned."""
    files: ClassVar[tuple[str, ...]] = ()
    """Patterns of the files that the learner keeps in a run's folder beside those of every run."""
    learns_hidden: ClassVar[bool] = False
    """Whether it learns games with hidden cards, by what a player sees."""
    needs: ClassVar[Mapping[str, Sequence[Need]]] = types.MappingProxyType({})
    """What settings need, where it is not declared with them."""
    before: ClassVar[Mapping[str, Any]] = types.MappingProxyType({})
    """Settings that runs of earlier versions lack, with the values that those versions used."""
    renamed: ClassVar[Mapping[str, str]] = types.MappingProxyType({})
    """Names that settings had in earlier versions, each with today's."""

    def expression(self, path: str) -> str:
        """The trained agent: by default greedy over its network."""
        return f'greedy({self.evaluator}("{path}"))'

    @property
    def least_episodes(self) -> int:
        """The fewest episodes of a run."""
        return 1

    def checked_episodes(self, episodes: int | None) -> int:
        """A number of episodes that a run may have."""
        return as_integer("episodes", episodes, self.least_episodes, MOST_EPISODES)

    def whole_episodes(self, episodes: int) -> int:
        """`episodes`, rounded up to what the learner can play."""
        return episodes

    def exam_cost(self, cost: float) -> float:
        """The cost of an exam's game in episodes; `cost` is that for td-ntuple."""
        return cost

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets for the game by name, with `episodes`; one is "default"."""
        return {"default": {"episodes": USUAL_EPISODES}}

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset `chosen`, fitted to the game and to the user's settings."""
        return chosen

    @classmethod
    def inherited(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that follow from the `given` ones; they override the preset's."""
        return {}

    @classmethod
    def merged(cls, preset: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        """The `given` settings, what follows from them, and the preset's for the rest."""
        given = cls.check(given)
        return cls.checked({**preset, **cls.inherited(given), **given})

    def idle(self, names: Iterable[str]) -> list[str]:
        """The named settings that do nothing here, because what they need is off."""
        return list(idle_options(self, names, self.needs))

    def check_needs(self, given: Iterable[str]) -> None:
        """Refuse `given` settings that would do nothing; a preset's may."""
        check_needs(self.name, self, given, self.needs)

    def check_given(self, given: Container[str]) -> None:
        """Refuse settings that contradict each other; called for new runs only."""

    @classmethod
    def check_plays(cls, game: Game) -> None:
        """Refuse a kind of game that the learner cannot learn."""
        if game.is_hidden and not cls.learns_hidden:
            raise BoardLabError(
                f"{cls.name} learns games in which nothing is hidden, not {game.name}; cfr learns it, and "
                'the search ismcts plays it without learning, as in "ismcts(iterations=1000)"'
            )

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse settings that make no sense in this game; called for new runs only."""

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The network without its weights, as agent.toml keeps it."""
        raise NotImplementedError

    def table_bytes(self, game: Game, seed: int) -> float:
        """Bytes of the tables of a run; 0 where there are none."""
        return 0

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Learner:
        """A learner that knows nothing yet, on the network that `describe` gave."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """All settings by flat names, for the run's file; lambda_ is written lambda.

        None is left out where it is the default, and else written as the text none.
        """
        usual = {known.name: known.default for known in options_of(type(self))}
        return {
            name.rstrip("_"): "none" if value is None else value
            for name, value in values_of(self).items()
            if value is not None or usual.get(name) is not None
        }

    @classmethod
    def read(cls, game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
        """The `given` settings; a learner may convert those that depend on the game."""
        return dict(given)

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Check settings; accept the keywords `lambda` and `from` without underscore."""
        return replaced(cls(), cls.check(values))

    @classmethod
    def flat(cls, **values: Any) -> Self:
        """Checked settings from keywords, those of groups by their flat names."""
        return cls.checked(values)

    @classmethod
    def translated(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a run of an earlier version by today's names."""
        return {cls.renamed.get(name, name): value for name, value in values.items()}

    @classmethod
    def check_renamed(cls, name: str) -> None:
        """Refuse a name of an earlier version, with today's."""
        if name in cls.renamed:
            raise BoardLabError(f"{cls.name}: {name} is now called {cls.renamed[name]}")

    @classmethod
    def of_run(cls, values: Mapping[str, Any]) -> Self:
        """The settings of a run's agent.toml, which an earlier version may have written."""
        return cls.checked({**cls.before, **cls.translated(values)})

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values` in their types; refuse one that is not a setting, or out of range."""
        named = {f"{name}_" if keyword.iskeyword(name) else name: value for name, value in values.items()}
        for name in named:
            cls.check_renamed(name)
        for known in options_of(cls):
            if known.may_be_none and named.get(known.name) == "none":
                named[known.name] = None
        return check_options(cls.name, cls, named)
