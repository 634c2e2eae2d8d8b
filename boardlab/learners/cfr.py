"""Counterfactual regret minimisation (Zinkevich et al. 2007) for games with hidden cards."""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.regret import TABLE, bucket_bounds, bucket_shape, table_types
from boardlab.games.game import Game
from boardlab.games.tree import DOUBT, SMALL_TREE, small_tree, tree_nodes
from boardlab.learners.learner import Arrays, Learner, LearnerSettings
from boardlab.numbers import memory
from boardlab.options import option
from boardlab.runs import RunFolder
from boardlab.search.agent import Agent

CFR_PRESETS: dict[str, dict[str, Any]] = {
    "kuhnpoker": {"episodes": 2_000, "sampling": "none"},
    "leducpoker": {"episodes": 4_000, "sampling": "none"},
    "poker": {"episodes": 2_000_000, "sampling": "external", "variant": "vanilla", "buckets": (30, 3)},
}
FULL = {"episodes": 10_000, "sampling": "none"}
SAMPLED = {"episodes": 1_000_000, "sampling": "external", "variant": "vanilla"}
"""For games without a preset of their own: small ones, and others."""
FULL_NODES = 1_000_000
"""Nodes of a tree that is walked as a whole by default."""
NODE_BYTES = 80
"""Memory of a node of a tree, with what a walk keeps for it."""
HANDS, FEW_HANDS = 20_000, 200
"""Random hands of every stage from which the bounds of the buckets come; fewer for an estimate."""


def _is_walked_as_a_whole(game: Game) -> bool:
    """Whether the tree is not too large, and, as far as that is seen at once, is one at all."""
    nodes = tree_nodes(game, DOUBT * FULL_NODES)
    return nodes <= FULL_NODES and (nodes > SMALL_TREE or small_tree(game) is not None)


@dataclass(frozen=True)
class Cfr(LearnerSettings):
    """Counterfactual regret minimisation: an equilibrium of a game with hidden cards.

    An episode is an iteration: a walk through the game for every player. The average strategy approaches an
    equilibrium where two players' scores add up to zero; with more players it is a good strategy at best.
    """

    reward: str = option("score", "learn for the score or for a named reward of the game")
    variant: str = option(
        "discounted",
        "vanilla: CFR; plus: CFR+, without negative regrets; discounted: DCFR, early iterations count less",
        choices=("vanilla", "plus", "discounted"),
    )
    sampling: str | None = option(
        None,
        "none: walk the whole tree; external: sample cards and the others' actions (MCCFR); by default "
        "external for large trees",
        choices=("none", "external"),
    )
    alpha: float = option(
        1.5, "discounting of positive regrets: t**alpha / (t**alpha + 1)", low=-100, high=100,
        needs={"variant": ("discounted",)},
    )  # fmt: skip
    beta: float = option(
        0.0,
        "discounting of negative regrets, likewise",
        low=-100,
        high=100,
        needs={"variant": ("discounted",)},
    )
    gamma: float = option(
        2.0, "discounting of earlier strategies: (t / (t + 1))**gamma", low=-100, high=100,
        needs={"variant": ("discounted",)},
    )  # fmt: skip
    discount_every: int = option(
        1000, "sampled iterations that count as one step t of discounting", low=1, high=10**12,
        needs=({"variant": ("discounted",)}, {"sampling": ("external",)}),
    )  # fmt: skip
    buckets: tuple[int, ...] | None = option(
        None,
        "groups of hands that are played alike, by each of the game's hand features (poker: strength and "
        "potential); by default every hand by itself",
        needs={"sampling": ("external",)},
    )
    memory_gb: float = option(8.0, "refuse tables that would take more", low=0.001, high=10_000)
    threads: int = option(
        1,
        "threads that sample at once without locks; with more than 1 no run is like another",
        low=1,
        high=1024,
        needs={"sampling": ("external",)},
    )

    name = "cfr"
    evaluator = "regret"
    learns_hidden: ClassVar[bool] = True

    @property
    def shape(self) -> list[int]:
        """Groups of each hand feature; empty where hands are not put into buckets."""
        return list(self.buckets or ())

    def expression(self, path: str) -> str:
        """The agent draws from the average strategy."""
        return f'regret("{path}")'

    def exam_cost(self, cost: float) -> float:
        """A sampled walk is about as long as an episode. Whole trees are learned in a second or two.

        Their exams may take as long as that, or the curve would begin when everything is learned.
        """
        return cost / 20 if self.sampling == "none" else cost

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """One for every game; the sampling of other games is chosen by their size."""
        return {"default": CFR_PRESETS.get(game.name, {})}

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset, with the sampling that the size of the game suggests."""
        sampling = given.get("sampling") or ("external" if given.get("buckets") else chosen.get("sampling"))
        if sampling is None:
            sampling = "none" if _is_walked_as_a_whole(game) else "external"
        if chosen.get("sampling") != sampling:
            chosen = dict(FULL if sampling == "none" else SAMPLED)
            if sampling == "external" and game.core.hand_features:
                chosen["buckets"] = (30,) + (3,) * (game.core.hand_features - 1)
        return chosen

    @classmethod
    def merged(cls, preset: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        """The settings; `sampling=None` leaves the choice to `fit_preset`."""
        chosen = {name: value for name, value in given.items() if (name, value) != ("sampling", None)}
        return super().merged(preset, chosen)

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse a game without hidden cards, and tables that are too large."""
        self.check_buckets(game)
        size = self.table_bytes(game, 0)
        if size > self.memory_gb * 2**30:
            what = "the whole tree" if self.sampling == "none" else "the table of its information sets"
            hint = (
                "; sample it instead (--sampling external)"
                if self.sampling == "none"
                else "; put hands into fewer buckets (--buckets)"
                if game.core.hand_features
                else ""
            )
            about = f"{'at least' if self.sampling == 'external' else 'about'} {memory(size)}"
            limit = f"{self.memory_gb:g} GiB (--memory-gb)"
            raise BoardLabError(f"{game.name}: {what} would take {about}; the limit is {limit}{hint}")

    @classmethod
    def check_plays(cls, game: Game) -> None:
        """Refuse games without hidden cards."""
        if not game.is_hidden:
            raise BoardLabError(
                f"cfr learns games with hidden cards, and in {game.name} nothing is hidden; td-ntuple, the "
                "default learner, learns it"
            )
        if game.players < 2:
            raise BoardLabError(f"cfr is for two or more players, and {game.name} has one")

    def check_buckets(self, game: Game) -> None:
        """Refuse buckets that do not fit the features of the game's hands."""
        wanted = game.core.hand_features
        shape = self.shape
        if shape and len(shape) != wanted:
            raise BoardLabError(
                f"{game.name} describes a hand by {wanted} features, so buckets must be "
                + (f"{wanted} numbers" if wanted else "left out")
                + f", not {len(shape)}"
            )
        if not all(1 <= n <= 4096 for n in shape) or math.prod(shape) > 2**20:
            raise BoardLabError("buckets must be numbers from 1 to 4096, together at most 1,048,576 groups")

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """What a player needs beside the table."""
        return {"reward": self.reward, "buckets": self.shape}

    def table_bytes(self, game: Game, seed: int) -> float:
        """Bytes of the tree and the table; of a sampled game as many as random play tells."""
        self.check_buckets(game)
        if self.sampling == "none":
            tree = small_tree(game)
            nodes = tree.nodes if tree is not None else tree_nodes(game)
            sets = tree.sets if tree is not None else nodes / 4
            return nodes * NODE_BYTES + _engine.RegretTable.bytes_for(float(sets), 3.0)
        bounds = bucket_bounds(game, self.shape, FEW_HANDS, 0)
        return _engine.RegretTable.bytes_for(*_engine.estimate_sets(game.core, self.shape, bounds, 0))

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> "CfrLearner":
        """A learner whose table is empty."""
        return CfrLearner(game, self, bucket_shape(description), seed)


class CfrLearner(Learner):
    """Learns regrets and the average strategy of information sets."""

    def __init__(self, game: Game, settings: Cfr, shape: list[int], seed: int) -> None:
        self.game, self.settings, self.shape, self.seed = game, settings, shape, seed
        self.table = _engine.RegretTable(int(settings.memory_gb * 2**30))
        self.bounds = np.zeros(0)
        self.tree = small_tree(game)
        self._incoming: Arrays | None = None
        # A tree that is none is refused now: a run that cannot work leaves no trace.
        self._core = self._made() if settings.sampling == "none" else None

    @property
    def core(self) -> _engine.CfrLearner:
        """The engine's learner; it needs the bounds of the buckets first."""
        if self._core is None:
            self._core = self._made()
        return self._core

    def _made(self) -> _engine.CfrLearner:
        s = self.settings
        if s.sampling == "none":
            most = max(1, int(s.memory_gb * 2**30 / NODE_BYTES))
            tree = self.tree or _engine.GameTree(self.game.core, min(most, 2**32 - 1), s.reward)
            return _engine.tree_cfr(tree, self.table, s.variant, s.alpha, s.beta, s.gamma, self.seed)
        return _engine.sampled_cfr(
            self.game.core,
            self.shape,
            self.bounds,
            self.table,
            s.variant,
            s.alpha,
            s.beta,
            s.gamma,
            s.discount_every,
            s.threads,
            s.reward,
            self.seed,
        )

    # ---- learning ----

    def begin(self) -> None:
        """Find the bounds of the buckets."""
        self.bounds = bucket_bounds(self.game, self.shape, HANDS, self.seed)

    def train(self, episodes: int) -> int:
        """Walk through the game that many more times for every player."""
        return self.core.train(episodes)

    @property
    def alpha(self) -> float:
        """There is no learning rate."""
        return 0.0

    @property
    def epsilon(self) -> float:
        """There are no random actions."""
        return 0.0

    # ---- playing ----

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the average strategy."""
        return self.table.evaluator(self.game.core, self.settings.reward, self.shape, self.bounds)

    def agent(self, seed: int) -> Agent:
        """The agent that draws from the average strategy."""
        evaluator = self.evaluator()

        def play(_: Game, seed: int) -> _engine.Search:
            return _engine.policy_search(evaluator, seed, True)

        return Agent(self.game, play(self.game, seed), "learner", play)

    def columns(self) -> dict[str, Any]:
        """The exact NashConv where the tree is small, and the number of information sets."""
        columns: dict[str, Any] = {"information sets": self.table.sets}
        if self.tree is not None and self.settings.reward == "score":
            columns["nashconv"] = f"{self.tree.nash_conv(self.table.strategy(self.tree)):.6g}"
        if self.settings.variant == "vanilla" and self.episodes_done:
            columns["regret bound"] = f"{self._regret_bound():.6g}"
        return columns

    def _regret_bound(self) -> float:
        """The positive regrets of all information sets per iteration: NashConv is at most that.

        Of a sampled game it is an estimate, and with buckets NashConv is that of the game in buckets.
        """
        arrays = self.table.arrays()
        firsts = np.concatenate(([0], np.cumsum(arrays["counts"])[:-1]))
        best = np.maximum.reduceat(arrays["regrets"], firsts) if len(firsts) else np.zeros(1)
        return float(np.maximum(best, 0).sum() / self.episodes_done)

    # ---- checkpoints ----

    @property
    def arrays(self) -> Arrays:
        """All arrays of a checkpoint: copies, or those that are being read."""
        if self._incoming is not None:
            return self._incoming
        return {**self.table.arrays(), "bounds": self.bounds, "sizes": self._sizes()}

    @property
    def weights(self) -> Arrays:  # type: ignore[override]
        """What playing needs."""
        arrays = self.arrays
        del arrays["regrets"]
        return arrays

    def _sizes(self) -> NDArray[np.int64]:
        return np.array([self.table.sets, self.table.rows, len(self.bounds)], np.int64)

    def expect(self, folder: RunFolder) -> None:
        """Make room for the tables of the last checkpoint."""
        sizes = folder.read_arrays("checkpoint.npz", {"sizes": ("<i8", 3)})["sizes"]
        with folder.understanding():
            types = table_types(sizes.tolist(), playing=False)
            size = sum(np.dtype(kind).itemsize * length for kind, length in types.values())
            if size > self.settings.memory_gb * 2**30 + 2**20:
                raise BoardLabError(f"its tables would take {memory(size)}, more than its memory_gb allows")
        self._incoming = {name: np.empty(length, kind) for name, (kind, length) in types.items()}
        self._incoming["sizes"] = sizes

    def restore(self) -> None:
        """Fill the table with what was read."""
        assert self._incoming is not None
        arrays, self._incoming = self._incoming, None
        self.bounds = arrays["bounds"]
        learner = self.core
        self.table.fill(**{name: arrays[name] for name in TABLE})
        learner.restore()

    @property
    def episodes_done(self) -> int:
        """Iterations so far."""
        return self.core.iterations_done

    @episodes_done.setter
    def episodes_done(self, number: int) -> None:
        self.core.iterations_done = number

    @property
    def actions_done(self) -> int:
        """Nodes of the game that were walked through."""
        return self.core.nodes_done

    @actions_done.setter
    def actions_done(self, number: int) -> None:
        self.core.nodes_done = number

    @property
    def random_state(self) -> int:
        """The state of the random numbers."""
        return self.core.random_state

    @random_state.setter
    def random_state(self, number: int) -> None:
        self.core.random_state = number
