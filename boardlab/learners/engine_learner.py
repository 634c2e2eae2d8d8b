"""What the engine's learners share: settings of self-play, and a `Learner`."""

from collections.abc import Container
from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.learners.pace import Pace
from boardlab.options import Not, option


class EngineLearner(Learner):
    """A learner whose games and weight updates run in the engine."""

    def __init__(self, game: Game, core: _engine.Learner) -> None:
        self.game, self.core = game, core
        self.weights, self.counters = {}, {}

    def train(self, episodes: int) -> int:
        """Play and learn more episodes in the engine (engine/ntuple, engine/tabular)."""
        return self.core.train(episodes)

    def follow(self, pace: Pace) -> None:
        """Let alpha and epsilon follow the line of the present part."""
        super().follow(pace)
        self.core.follow(*pace.line(self.episodes_done))

    @property
    def alpha(self) -> float:
        """The present learning rate."""
        return self.core.alpha

    @property
    def epsilon(self) -> float:
        """The present share of random actions."""
        return self.core.epsilon

    @property
    def episodes_done(self) -> int:
        """Episodes played so far."""
        return self.core.episodes_done

    @episodes_done.setter
    def episodes_done(self, number: int) -> None:
        self.core.episodes_done = number

    @property
    def actions_done(self) -> int:
        """Actions of those episodes."""
        return self.core.actions_done

    @actions_done.setter
    def actions_done(self, number: int) -> None:
        self.core.actions_done = number

    @property
    def random_state(self) -> int:
        """The state of the random numbers."""
        return self.core.random_state

    @random_state.setter
    def random_state(self, number: int) -> None:
        self.core.random_state = number


@dataclass(frozen=True)
class SelfPlaySettings(LearnerSettings):
    """Settings of the engine's learners."""

    reward: str = option("score", "train on the score or on a named reward of the game")
    alpha: float = option(
        0.2, "learning rate, divided by the number of tuples times symmetries", low=1e-9, high=1e6
    )
    alpha_final: float | None = option(
        None, "learning rate at the end, reached geometrically; by default alpha", low=1e-9, high=1e6
    )
    epsilon: float = option(0.1, "probability of a random action", low=0, high=1)
    epsilon_final: float | None = option(None, "epsilon at the end; by default epsilon", low=0, high=1)
    epsilon_episodes: int | None = option(
        None,
        "episodes after which epsilon_final is reached, and stays; by default all (l in Wang, 2021)",
        low=1,
        high=10**15,
        needs={"epsilon_final": Not(None)},
    )
    epsilon_shape: str = option(
        "linear",
        "how epsilon falls: linear, or cosine, cos(pi m / 2 l) after m of l episodes (Wang, 2021)",
        choices=("linear", "cosine"),
        needs={"epsilon_final": Not(None)},
    )
    lambda_: float = option(
        0.0, "eligibility: own positions j earlier learn with (gamma * lambda)**j", low=0, high=1
    )
    traces: str = option(
        "et",
        "et: accumulating; rep: replacing, a weight keeps only its latest eligibility; reset, rr: the same "
        "two, and a random action cuts the trace",
        choices=("et", "reset", "rep", "rr"),
        needs=({"lambda_": Not(0)}, {"gamma": Not(0)}),
    )
    gamma: float = option(1.0, "discount of future values", low=0, high=1)
    adapt_others: bool = option(True, "final adaptation, part 1: the players who did not move last")
    choose_start: float = option(
        0.0, "share of episodes that start after random actions (Choose-Start-01: 0.5)", low=0, high=1
    )
    start_actions: int = option(
        1, "number of those random actions", low=1, high=1000, needs={"choose_start": Not(0)}
    )
    start_actions_min: int | None = option(
        None,
        "fewest of them: the number is drawn evenly from here to start_actions; by default start_actions",
        low=1,
        high=1000,
        needs={"choose_start": Not(0)},
    )
    episode_limit: int | None = option(
        None, "most actions of an episode; by default the game's horizon", low=1, high=10**9
    )

    def check_given(self, given: Container[str]) -> None:
        """Refuse an empty range of random actions."""
        if self.start_actions_min is not None and self.start_actions_min > self.start_actions:
            raise BoardLabError(
                f"{self.name}: start_actions_min must be at most {self.start_actions}, which is "
                f"start_actions, not {self.start_actions_min}"
            )

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = _engine.TdSettings()
        settings.episodes = episodes
        settings.alpha = self.alpha
        settings.alpha_final = self.alpha if self.alpha_final is None else self.alpha_final
        settings.epsilon = self.epsilon
        settings.epsilon_final = self.epsilon if self.epsilon_final is None else self.epsilon_final
        settings.epsilon_episodes = self.epsilon_episodes or 0
        settings.epsilon_cosine = self.epsilon_shape == "cosine"
        settings.decay = self.lambda_
        settings.reset_traces = self.traces in ("reset", "rr")
        settings.replace_traces = self.traces in ("rep", "rr")
        settings.gamma = self.gamma
        settings.adapt_others = self.adapt_others
        settings.start_rate = self.choose_start
        settings.start_actions = self.start_actions
        settings.start_actions_min = self.start_actions_min or 0
        settings.episode_limit = self.episode_limit or 0
        return settings
