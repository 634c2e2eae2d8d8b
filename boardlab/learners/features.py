"""TD learning on features, with a linear function or a small neural network."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.features import build_features, usual_kind
from boardlab.games.game import Game
from boardlab.learners.engine_learner import EngineLearner
from boardlab.learners.learner import USUAL_EPISODES
from boardlab.learners.ntuple.settings import SelfPlayNTuple, tanh_reaches
from boardlab.learners.search_in_training import SearchingSettings
from boardlab.numbers import memory
from boardlab.options import Not, like, option

FEATURES: dict[str, Any] = {
    "episodes": USUAL_EPISODES,
    "hidden": 30,
    "alpha": 0.01,
    "alpha_final": 0.001,
    "epsilon": 0.3,
    "choose_start": 0.5,
}
"""The preset of every game. A gradient step moves all weights of the hidden layer at once: with a rate of .05
it overshoots; and without random openings the network knows only its own."""


MOST_HIDDEN = 1000
"""Outcomes up to which the preset has a hidden layer: one step towards more would saturate its units."""


@dataclass(frozen=True)
class TdFeatures(SearchingSettings):
    """TD(lambda) with final adaptation on features.

    The inputs are features of your own (`boardlab.register_features`), or those of the game, or its board
    vector with one input for every value of every cell, or the latter two together.
    """

    features: str = option(
        "",
        "game: the game's features; board: a number for every value of every cell; both; or the name of your "
        "own; by default game, or board where the game has none",
    )

    alpha: float = option(0.05, "learning rate of the gradient step", low=1e-9, high=1e6)
    hidden: int = option(0, "tanh units in the hidden layer; 0: a linear function", low=0, high=100_000)
    sigma: str = option("tanh", "function applied to the output", choices=("tanh", "identity"))
    horizon_cut: float | None = option(
        None,
        "the trace ends where (gamma * lambda)**j falls below this, after 1,024 own positions at the latest; "
        "by default it does not end",
        low=1e-9,
        high=1,
        # A decay of 0 or 1 does not fall below the cut on the way.
        needs=({"lambda_": Not(0)}, {"gamma": Not(0)}, {"lambda_": Not(1), "gamma": Not(1)}),
    )
    replay: int = like(SelfPlayNTuple, "replay")
    replay_batch: int = like(SelfPlayNTuple, "replay_batch")
    memory_gb: float = option(
        8.0, "refuse a replay buffer that would take more", low=0.001, high=10_000, needs={"replay": Not(0)}
    )
    learn_from_random: bool = option(False, "learn from random actions too")
    adapt_last: bool = option(True, "final adaptation, part 2: the player who moved last")

    name = "td-features"
    learns_hidden = True
    evaluator = "features"

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The default is one for all games."""
        return {"default": FEATURES}

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset `chosen`, with a sigma that reaches all outcomes."""
        reward = given.get("reward", chosen.get("reward", "score"))
        if reward in game.outcomes and not tanh_reaches(game, reward):
            chosen["sigma"] = "identity"
            if max(map(abs, game.core.outcome_range(reward)[:2])) > MOST_HIDDEN:
                chosen |= {"hidden": 0, "alpha": 0.05, "alpha_final": 0.01, "epsilon": 0.05}
        return chosen

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The network without its weights, as agent.toml keeps it."""
        names = ("hidden", "sigma", "reward", "gamma")
        features = {"features": self.features or usual_kind(game)}
        return features | {name: getattr(self, name) for name in names}

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> EngineLearner:
        """A learner with small random hidden weights and a value of about 0 everywhere."""
        return FeatureLearner(game, self, build_features(game, description, seed), episodes, seed)

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.learn_from_random = self.learn_from_random
        settings.adapt_last = self.adapt_last
        settings.horizon_cut = self.horizon_cut or 0
        settings.replay, settings.replay_batch = self.replay, self.replay_batch
        return settings

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse a replay buffer that is too large."""
        super().check_game(game, given)
        inputs = build_features(game, self.describe(game, 0), 0).inputs
        wanted = self.replay * (2 * inputs + 3) * 8
        if wanted > self.memory_gb * 2**30:
            raise BoardLabError(
                f"a replay buffer of {self.replay} steps would take {memory(wanted)}; the limit is "
                f"{self.memory_gb:g} GiB (--memory-gb); fewer steps need less"
            )


class FeatureLearner(EngineLearner):
    """Learns the weights of a network on features."""

    def __init__(
        self, game: Game, settings: TdFeatures, network: _engine.FeatureNetwork, episodes: int, seed: int
    ) -> None:
        learner = _engine.FeatureLearner(network, settings.engine_settings(episodes), settings.reward, seed)
        settings.advise(learner)
        super().__init__(game, learner)
        self.settings, self.network = settings, network
        self.weights = {"weights": network.weights}
        self.replay: _engine.FeatureReplay | None = learner.replay
        if self.replay is not None:
            self.counters = {
                "replay_inputs": self.replay.inputs,
                "replay_facts": self.replay.facts,
                "replay_place": self.replay.place,
            }

    def restore(self) -> None:
        """Check the replay buffer that was read."""
        if self.replay is not None:
            self.replay.check()

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the network."""
        return self.network.evaluator(self.settings.reward, self.settings.gamma)
