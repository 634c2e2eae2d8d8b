"""The learner on an n-tuple network: TD, SARSA, Q-learning or value iteration."""

from typing import TYPE_CHECKING

from boardlab import _engine
from boardlab.games.game import Game
from boardlab.learners.engine_learner import EngineLearner
from boardlab.learners.ntuple.layouts import Layout, layout_to_text

if TYPE_CHECKING:
    from boardlab.learners.ntuple.settings import NTupleSettings


class NTupleLearner(EngineLearner):
    """Learns the tables of an n-tuple network."""

    def __init__(
        self,
        game: Game,
        settings: "NTupleSettings",
        network: _engine.NTupleNetwork,
        core: _engine.Learner,
        layout: Layout,
    ) -> None:
        super().__init__(game, core)
        self.settings, self.network, self.layout = settings, network, layout
        self.replay = core.replay if isinstance(core, _engine.TdLearner | _engine.SarsaLearner) else None
        self.weights = {"weights": network.weights}
        if network.is_coherent:
            self.counters |= {"sums": network.sums, "absolutes": network.absolutes}
        if settings.tc_interval:
            assert isinstance(core, _engine.TdLearner | _engine.SarsaLearner | _engine.DaviLearner)
            self.counters["held_rates"] = core.held_rates
        if self.replay is not None:
            self.counters |= {
                "replay_indices": self.replay.indices,
                "replay_facts": self.replay.facts,
                "replay_place": self.replay.place,
            }
            if self.replay.actions.size:
                self.counters["replay_actions"] = self.replay.actions

    def restore(self) -> None:
        """Check the replay buffer that was read."""
        if self.replay is not None:
            self.replay.check()

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the network."""
        return self.network.evaluator(self.settings.reward, self.settings.gamma)

    def texts(self) -> dict[str, str]:
        """The tuples, one a line."""
        return {"layout.txt": layout_to_text(self.layout)}
