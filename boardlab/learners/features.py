"""TD learning on features, with a linear function or a small neural network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.evaluators.features import build_features
from boardlab.games.game import Game
from boardlab.learners.engine_learner import EngineLearner, SelfPlaySettings
from boardlab.learners.learner import USUAL_EPISODES
from boardlab.options import option

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


@dataclass(frozen=True)
class TdFeatures(SelfPlaySettings):
    """TD(lambda) with final adaptation on features.

    The inputs are features of your own (`boardlab.register_features`), or those of the game, or, where it has
    none, its board vector with one input for every value of every cell.
    """

    features: str = option("", "name of your own features; by default those of the game")

    alpha: float = option(0.05, "learning rate of the gradient step", low=1e-9, high=1e6)
    hidden: int = option(0, "tanh units in the hidden layer; 0: a linear function", low=0, high=100_000)
    sigma: str = option("tanh", "function applied to the output", choices=("tanh", "identity"))
    learn_from_random: bool = option(False, "learn from random actions too")
    adapt_last: bool = option(True, "final adaptation, part 2: the player who moved last")

    name = "td-features"
    learns_hidden = True
    evaluator = "features"

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The default is one for all games."""
        return {"default": FEATURES}

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The network without its weights, as agent.toml keeps it."""
        names = ("features", "hidden", "sigma", "reward", "gamma")
        return {name: getattr(self, name) for name in names}

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> EngineLearner:
        """A learner with small random hidden weights and a value of about 0 everywhere."""
        return FeatureLearner(game, self, build_features(game, description, seed), episodes, seed)

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.learn_from_random = self.learn_from_random
        settings.adapt_last = self.adapt_last
        return settings


class FeatureLearner(EngineLearner):
    """Learns the weights of a network on features."""

    def __init__(
        self, game: Game, settings: TdFeatures, network: _engine.FeatureNetwork, episodes: int, seed: int
    ) -> None:
        learner = _engine.FeatureLearner(network, settings.engine_settings(episodes), settings.reward, seed)
        super().__init__(game, learner)
        self.settings, self.network = settings, network
        self.weights = {"weights": network.weights}

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the network."""
        return self.network.evaluator(self.settings.reward, self.settings.gamma)
