"""What every learner by self-play has: settings, a description of what it learns, and a trainee.

Adding a learner: a frozen dataclass with `describe` and `build`, a line in LEARNERS (train.py). See
CONTRIBUTING.md.
"""

import dataclasses
import keyword
import types
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import NDArray

from boardlab import _engine
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.run_options import MOST_EPISODES
from boardlab.options import check_options, option
from boardlab.runs import RunFolder
from boardlab.search.agent import Agent


class Learner(Protocol):
    """What plays and learns: the engine's learners, and AlphaZero's."""

    episodes_done: int
    actions_done: int
    random_state: int

    @property
    def alpha(self) -> float:
        """The present learning rate."""

    @property
    def epsilon(self) -> float:
        """The present share of random actions, or of noise."""

    def train(self, episodes: int) -> int:
        """So many more episodes; returns how many were played."""


@dataclass(frozen=True)
class Trainee:
    """A learner in training and its arrays, which a checkpoint keeps and `resume` fills again."""

    core: Learner
    weights: dict[str, NDArray[Any]]
    """What playing needs: flat arrays that show the learner's own memory."""
    counters: dict[str, NDArray[Any]]
    """What only learning needs."""
    evaluator: Callable[[], _engine.Evaluator]
    """Judges with what was learned so far."""
    check: Callable[[], None] = lambda: None
    """Asked after the arrays were filled from a file; raises ValueError where they cannot be used."""
    columns: Callable[[], dict[str, Any]] = dict
    """What else a row of the log says."""
    agent: Callable[[int], Agent] | None = None
    """Plays the exams, for a seed; by default greedily with the evaluator."""
    place: Callable[[RunFolder], None] = lambda folder: None
    """Is told the run's folder before training goes on."""
    begin: Callable[[], None] = lambda: None
    """Is called once, when a run is new: what it begins with beside its own seed."""
    examined: Callable[[Mapping[str, Any]], None] = lambda row: None
    """Is told every new row of the log."""
    pictures: Callable[[], dict[str, bytes]] = dict
    """What is drawn beside the learning curve when the run stops, by file name."""
    saves_each_chunk: bool = False
    """Whether a checkpoint is written after every call of `train`, not once a minute."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays."""
        return self.weights | self.counters


@dataclass(frozen=True)
class LearnerSettings:
    """What every learner has: a name, settings, a network to describe and a trainee to build."""

    name: ClassVar[str]
    evaluator: ClassVar[str]
    """The evaluator that plays with what was learned."""
    before: ClassVar[Mapping[str, Any]] = types.MappingProxyType({})
    """Settings that runs of earlier versions do not name, as those versions behaved; else the default."""

    def expression(self, path: str) -> str:
        """The trained agent's name: by default its network, played greedily."""
        return f'greedy({self.evaluator}("{path}"))'

    @property
    def least_episodes(self) -> int:
        """The fewest that make a run."""
        return 1

    def checked_episodes(self, episodes: int | None) -> int:
        """A number of episodes that a run may have."""
        return as_integer("episodes", episodes, self.least_episodes, MOST_EPISODES)

    def whole_episodes(self, episodes: int) -> int:
        """The number of episodes that is played where so many are wanted."""
        return episodes

    def exam_cost(self, cost: float) -> float:
        """The cost of an exam's game in episodes of this learner, where it is `cost` for td-ntuple."""
        return cost

    @classmethod
    def inherited(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that the `given` ones bring with them; they go before the preset's."""
        return {}

    @classmethod
    def merged(cls, preset: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        """The `given` settings and what they bring with them, and the preset's for the rest."""
        given = cls.check(given)
        return cls.checked({**preset, **cls.inherited(given), **given})

    def check_given(self, given: Container[str]) -> None:
        """Refuses settings that would not do what they say, `given` or not; asked of new runs only."""

    def check_game(self, game: Game) -> None:
        """Refuses settings that make no sense in this game; asked of new runs only: old ones go on."""

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """All that is needed to build the network again, but for its weights; kept in agent.toml."""
        raise NotImplementedError

    def table_bytes(self, game: Game, seed: int) -> float:
        """The memory that the tables of a run will take; 0 where there are none."""
        return 0

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Trainee:
        """A learner that knows nothing yet."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """All fields that are not None, for the run's file; lambda_ is written lambda."""
        return {
            name.rstrip("_"): value for name, value in dataclasses.asdict(self).items() if value is not None
        }

    @classmethod
    def read(cls, game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
        """The `given` settings; a learner reads here what depends on the game."""
        return dict(given)

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Checked settings; `lambda` and `from`, words that Python keeps, may lack their underscore."""
        return cls(**cls.check(values))

    @classmethod
    def of_run(cls, values: Mapping[str, Any]) -> Self:
        """The settings of a run's agent.toml, which an earlier version may have written."""
        return cls.checked({**cls.before, **values})

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values`, refused with one sentence where one of them is not a setting or out of range."""
        named = {f"{name}_" if keyword.iskeyword(name) else name: value for name, value in values.items()}
        return check_options(cls.name, cls, named)


@dataclass(frozen=True)
class SelfPlaySettings(LearnerSettings):
    """Settings of the learners in the engine."""

    reward: str = option("score", "train on the score or on a named reward of the game")
    alpha: float = option(
        0.2, "learning rate, divided by the number of tuples times symmetries", low=1e-9, high=1e6
    )
    alpha_final: float | None = option(
        None, "learning rate at the end, reached geometrically; by default alpha", low=1e-9, high=1e6
    )
    epsilon: float = option(0.1, "probability of a random action", low=0, high=1)
    epsilon_final: float | None = option(
        None, "the same at the end, reached linearly; by default epsilon", low=0, high=1
    )
    epsilon_episodes: int | None = option(
        None,
        "epsilon_final is reached after so many episodes and stays; by default at the end (paper 003's l)",
        low=1,
        high=10**15,
    )
    lambda_: float = option(
        0.0, "eligibility: own positions j earlier learn with (gamma * lambda)**j", low=0, high=1
    )
    traces: str = option("et", "et: normal; reset: a random action cuts the trace", choices=("et", "reset"))
    gamma: float = option(1.0, "discount of what is to come", low=0, high=1)
    adapt_others: bool = option(True, "final adaptation, part 1: the players who did not move last")
    choose_start: float = option(
        0.0, "share of episodes that start after random actions (Choose-Start-01: 0.5)", low=0, high=1
    )
    start_actions: int = option(1, "number of those random actions", low=1, high=1000)
    start_actions_min: int | None = option(
        None,
        "fewest of them: the number is drawn evenly from here to start_actions; by default start_actions",
        low=1,
        high=1000,
    )
    episode_limit: int | None = option(
        None, "cut episodes after so many actions; by default at the game's horizon", low=1, high=10**9
    )

    def check_given(self, given: Container[str]) -> None:
        """Refuses a range of random actions that is empty."""
        if self.start_actions_min is not None and self.start_actions_min > self.start_actions:
            raise BoardLabError(
                f"{self.name}: start_actions_min must be at most {self.start_actions}, which is "
                f"start_actions, not {self.start_actions_min}"
            )

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The learner's part, as the engine takes it."""
        settings = _engine.TdSettings()
        settings.episodes = episodes
        settings.alpha = self.alpha
        settings.alpha_final = self.alpha if self.alpha_final is None else self.alpha_final
        settings.epsilon = self.epsilon
        settings.epsilon_final = self.epsilon if self.epsilon_final is None else self.epsilon_final
        settings.epsilon_episodes = self.epsilon_episodes or 0
        settings.decay = self.lambda_
        settings.reset_traces = self.traces == "reset"
        settings.gamma = self.gamma
        settings.adapt_others = self.adapt_others
        settings.start_rate = self.choose_start
        settings.start_actions = self.start_actions
        settings.start_actions_min = self.start_actions_min or 0
        settings.episode_limit = self.episode_limit or 0
        return settings
