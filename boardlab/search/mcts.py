"""Monte Carlo tree search."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec
from boardlab.search.tree_options import TreeOptions


@dataclass(frozen=True)
class _Descents(SearchSpec):
    """The options that precede those of the tree: evaluator and budget."""

    evaluator: EvaluatorSpec = option(Rollout(), "judges the leaves")
    iterations: int | None = option(
        None, "descents per decision; by default 1000, or no limit with seconds", low=1, high=4 * 10**9
    )
    seconds: float | None = option(None, "seconds per decision", low=1e-3, high=1e6)
    c: float = option(1.4142135623730951, "exploration of UCB1, values scaled to [0, 1]", low=0, high=1e6)


@dataclass(frozen=True)
class Mcts(TreeOptions, _Descents):
    """Monte Carlo tree search: UCB1 over rollouts, PUCT over evaluators with priors."""

    priors: str = option(
        "softmax",
        "how action values become PUCT's priors: their softmax, or mapped from the game's range to [0, 1]",
        choices=("softmax", "minmax"),
    )
    choose: str = option(
        "visits",
        "play the most visited action, the best value, the best of the policy, or draw from the policy",
        choices=("visits", "value", "policy", "sample"),
    )
    temperature: float = option(
        1.0, "for choose=sample: draws from policy to the power 1/temperature", low=1e-3, high=1e3
    )
    threads: int = option(
        1,
        "threads that grow the tree together; with more than one, equal seeds may give different results",
        low=1,
        high=1024,
    )
    paper: bool = option(
        False, "Algorithm 1 of Scheiermann and Konen to the letter: raw values, no step rewards, no solver"
    )

    name = "mcts"
    usual_budget = 1000
    counts_simulations = True

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        evaluator = self.evaluator.build(game)
        unlimited = 0 if self.seconds is not None else self.usual_budget
        return _engine.mcts_search(
            evaluator,
            seed,
            self._tree(self._uses_puct(evaluator)),
            iterations=self.iterations if self.iterations is not None else unlimited,
            seconds=self.seconds or 0.0,
            choose=self.choose,
            temperature=self.temperature,
            threads=self.threads,
            minmax_priors=self.priors == "minmax",
        )

    def _tree(self, puct: bool) -> _engine.TreeOptions:
        tree = self.engine_tree(self.name)
        tree.puct, tree.paper = puct, self.paper
        tree.solver = self.solver and not self.paper
        if not puct:
            tree.cpuct = self.c  # the engine has one field for both
        return tree

    @property
    def is_plain_puct(self) -> bool:
        """Whether the trees of a forest give exactly the same search.

        True for PUCT limited by iterations without randomness.
        """
        drawn = self.noise is not None or self.gumbel is not None or self.choose != "visits"
        other = self.seconds is not None or self.select not in (None, "puct") or self.rave or self.paper
        return not drawn and not other and self.priors == "softmax" and self.threads == 1

    def _uses_puct(self, evaluator: _engine.Evaluator) -> bool:
        """Whether the tree asks for priors. Refuses options of PUCT alone beside UCB1."""
        puct_only = {
            "paper": self.paper,
            "noise": self.noise is not None,
            "gumbel": self.gumbel is not None,
            "fpu": self.fpu != "absolute" or self.fpu_value != 0,
            "priors": self.priors != "softmax",
        }
        wanted = next((name for name, given in puct_only.items() if given), None)
        if self.select is None:
            return evaluator.has_priors or wanted is not None
        if self.select != "puct" and wanted:
            raise BoardLabError(f'mcts: {wanted} belongs to select="puct", not to "{self.select}"')
        return self.select == "puct"
