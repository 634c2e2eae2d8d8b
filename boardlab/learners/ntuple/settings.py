"""Settings of the learners on n-tuple networks.

Names and defaults follow Scheiermann and Konen (2022) and Konen (2022); presets.py fits them to each game.
"""

import random
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.ntuple import build_network, table_bytes
from boardlab.games.game import Game
from boardlab.learners.engine_learner import SelfPlaySettings
from boardlab.learners.ntuple import layouts
from boardlab.learners.ntuple.fitting import (
    default_variant,
    fitted,
    make_room,
    paper_variant,
    takes_no_reversal,
)
from boardlab.learners.ntuple.learner import NTupleLearner
from boardlab.learners.ntuple.presets import pair_presets, td_presets
from boardlab.learners.search_in_training import SearchingSettings
from boardlab.options import Not, option


def tanh_reaches(game: Game, reward: str) -> bool:
    """Whether all outcomes are values that tanh can have."""
    low, high, _ = game.core.outcome_range(reward)
    return low >= -1 and high <= 1


@dataclass(frozen=True)
class NTupleSettings(SelfPlaySettings):
    """Settings of the network and of temporal coherence learning (TCL)."""

    layout: str = option(
        "walk",
        "walk: random walks over neighbours; points: any cells; windows: all rectangles; cells: as given",
        choices=layouts.LAYOUTS,
    )
    tuples: int = option(50, "number of tuples (walk, points)", low=1, high=100_000)
    length: int = option(6, "cells a tuple (walk, points)", low=1, high=1000)
    neighbourhood: int | None = option(
        None, "4 or 8 neighbours on a grid (walk); by default the game's own neighbours", low=4, high=8
    )
    windows: str = option("", 'shapes of the windows, rows x columns, as in "2x3 1x4"')
    cells: str = option(
        "",
        'the tuples, as in "0,1,2 / 3,4,5", or @FILE; cells count from 0, on a grid row by row from the top; '
        "gbg:FILE: a file of GBG, whose cells are converted",
    )
    symmetries: int = option(
        0, "0: all symmetries; 1: none; n: the identity and n - 1 others, drawn once", low=0, high=10_000
    )
    compact: bool = option(True, "no table entries for joint values of cells that the rules exclude")
    tables: str = option(
        "player",
        "a set of tables for each player, or one shared by all (for one player, and impartial games as nim)",
        choices=("player", "shared"),
    )
    staged: bool = option(False, "a set of tables for every stage of the game")
    feature_tables: bool = option(False, "with the game's extra feature tables (othello: mobility)")
    sigma: str = option("tanh", "function applied to the sum of the weights", choices=("tanh", "identity"))
    memory_gb: float = option(8.0, "refuse tables that would take more", low=0.001, high=10_000)

    horizon_cut: float = option(
        0.1,
        "the trace ends where (gamma * lambda)**j falls below this, after 1,024 own positions at the latest",
        low=1e-9,
        high=1,
        # A decay of 0 or 1 does not fall below the cut on the way.
        needs=({"lambda_": Not(0)}, {"gamma": Not(0)}, {"lambda_": Not(1), "gamma": Not(1)}),
    )
    coherence: str = option(
        "off", "temporal coherence learning with TC-id or TC-EXP", choices=("off", "id", "exp")
    )
    tc_init: float = option(
        1e-4, "N and A start with this", low=1e-20, high=1e6, needs={"coherence": Not("off")}
    )
    tc_beta: float = option(2.7, "TC-EXP's exponent", low=0, high=80, needs={"coherence": ("exp",)})
    tc_accumulate: str = option(
        "change",
        "N and A sum up the recommended weight changes or delta",
        choices=("change", "delta"),
        needs={"coherence": Not("off")},
    )
    tc_interval: int = option(
        0,
        "episodes between renewals of the learning rates from N and A; 0: renewed at every step",
        low=0,
        high=10**15,
        needs={"coherence": Not("off")},
    )

    evaluator = "ntuple"
    files = ("layout.txt",)
    per_action: ClassVar[bool] = False
    """Whether the network has a set of tables for every action."""

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets for the game, by name."""
        return pair_presets(game.name)

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset `chosen`, fitted to the game and to the user's settings."""
        make_room(chosen, given)
        reward = given.get("reward", chosen.get("reward", "score"))
        if reward in game.outcomes and not tanh_reaches(game, reward):
            chosen["sigma"] = "identity"
        if name == "paper":
            chosen |= paper_variant(game)
        elif name == "default":
            variant = default_variant(game)
            chosen |= {key: value for key, value in variant.items() if key in chosen or hasattr(cls, key)}
        return fitted(game, chosen)

    @classmethod
    def read(cls, game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
        """`given`, with the cells of "gbg:FILE" in our order."""
        return layouts.read_gbg(game, given)

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values`, checked; "@FILE" among them is read."""
        return super().check({**values, **layouts.read_cells(values)})

    @classmethod
    def merged(cls, preset: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        """The `given` settings, their layout, and the preset's for the rest."""
        given = cls.check(given)
        usual = preset.get("layout", cls.layout)
        return super().merged(preset, {**given, "layout": layouts.layout_for(cls.name, given, usual)})

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse more stages or symmetries than the game has, and wrongly shared tables."""
        super().check_game(game, given)
        if "staged" in given and self.staged and game.core.stages == 1:
            raise BoardLabError(
                f"{self.name}: staged does nothing in {game.name}, which has one stage; leave it out"
            )
        if "symmetries" in given and self.symmetries > game.symmetries:
            raise BoardLabError(
                f"{self.name}: symmetries must be at most {game.symmetries}, as many as {game.name} has, not "
                f"{self.symmetries}; 0 is all of them"
            )
        self._check_shared(game)

    def _check_shared(self, game: Game) -> None:
        """Refuse shared tables where cells have owners."""
        if self.tables != "shared" or game.players == 1 or game.rules.is_impartial:
            return
        if game.core.cells and not _cells_depend_on_the_viewer(game):
            raise BoardLabError(
                f"{self.name}: tables=shared is for one player and for impartial games, as nim; the players "
                f"of {game.name} need tables of their own: leave it out, or give tables=player"
            )

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """The network without its weights, as agent.toml keeps it."""
        if self.sigma == "tanh" and not tanh_reaches(game, self.reward):
            low, high, _ = game.core.outcome_range(self.reward)
            raise BoardLabError(
                f"{self.name}: sigma tanh stays between -1 and 1, but the {self.reward} of {game.name} goes "
                f"from {low:,.10g} to {high:,.10g}; use sigma identity"
            )
        names = ("compact", "tables", "staged", "feature_tables", "sigma", "reward", "gamma")
        return {
            "tuples": self.tuple_lists(game, seed),
            "symmetries": self.symmetry_list(game, seed),
            **{name: getattr(self, name) for name in names},
        }

    def table_bytes(self, game: Game, seed: int) -> float:
        """Bytes of the tables of a run, with the counters of TCL."""
        description = self.describe(game, seed)
        tables = table_bytes(game, description, coherent=self.coherence != "off", per_action=self.per_action)
        return tables + self._rate_bytes(tables)

    def _rate_bytes(self, tables: float) -> float:
        """The bytes of held learning rates: one number beside a weight, N and A."""
        return tables / 3 if self.tc_interval else 0.0

    def _check_memory(self, network: _engine.NTupleNetwork) -> None:
        """Refuse learning rates that do not fit beside the tables."""
        wanted = network.bytes + self._rate_bytes(network.bytes)
        if wanted > self.memory_gb * 2**30:
            raise BoardLabError(
                f"the tables and their learning rates would take {wanted / 2**30:.4g} GiB; the limit is "
                f"{self.memory_gb:g} GiB (tc_interval=0 keeps no rates)"
            )

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> NTupleLearner:
        """A learner whose tables are zero. Memory is taken here, or refused."""
        network = build_network(
            game,
            description,
            coherent=self.coherence != "off",
            memory_gb=self.memory_gb,
            per_action=self.per_action,
        )
        self._check_memory(network)
        core = self.engine_learner(network, episodes, seed)
        return NTupleLearner(game, self, network, core, description["tuples"])

    def engine_learner(self, network: _engine.NTupleNetwork, episodes: int, seed: int) -> _engine.Learner:
        """The engine's learner on the network."""
        raise NotImplementedError

    def tuple_lists(self, game: Game, seed: int) -> layouts.Layout:
        """The cells of every tuple."""
        if self.neighbourhood not in (None, 4, 8):
            raise BoardLabError(f"{self.name}: neighbourhood must be 4 or 8, not {self.neighbourhood}")
        if self.layout == "walk":
            return layouts.random_walk(game, self.tuples, self.length, seed, self.neighbourhood)
        if self.layout == "points":
            return layouts.random_points(game, self.tuples, self.length, seed)
        if self.layout == "windows":
            return layouts.windows(game, self.windows)
        return layouts.layout_from_text(self.cells)

    def symmetry_list(self, game: Game, seed: int) -> list[int]:
        """The symmetries whose boards are read, the identity first."""
        count = game.symmetries if self.symmetries == 0 else min(self.symmetries, game.symmetries)
        if count > 10_000:
            raise BoardLabError(
                f"{game.name} has {count} symmetries, too many to read at once; give symmetries a number"
            )
        if count == game.symmetries:
            return list(range(count))
        rng = random.Random(f"symmetries {seed}")
        chosen: dict[int, None] = {0: None}
        while len(chosen) < count:
            chosen[rng.randrange(game.symmetries)] = None
        return list(chosen)

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.horizon_cut = self.horizon_cut
        settings.coherence = {
            "off": _engine.Coherence.NONE,
            "id": _engine.Coherence.ID,
            "exp": _engine.Coherence.EXP,
        }[self.coherence]
        settings.tc_init = self.tc_init
        settings.tc_beta = self.tc_beta
        settings.accumulate_delta = self.tc_accumulate == "delta"
        settings.tc_interval = self.tc_interval
        return settings


@dataclass(frozen=True)
class SelfPlayNTuple(NTupleSettings, SearchingSettings):
    """Settings that TD, SARSA and Q-learning share."""

    replay: int = option(
        0, "steps that the replay buffer holds; 0: there is none (GBG's ParRB)", low=0, high=10**8
    )
    replay_batch: int = option(
        1,
        "steps out of the buffer that are learned again after every step",
        low=1,
        high=10_000,
        needs={"replay": Not(0)},
    )

    is_q_learning: ClassVar[bool] = False

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.replay = self.replay
        settings.replay_batch = self.replay_batch
        return settings

    def engine_learner(self, network: _engine.NTupleNetwork, episodes: int, seed: int) -> _engine.Learner:
        """The engine's learner on the network."""
        settings = self.engine_settings(episodes)
        learner = _engine.SarsaLearner(network, settings, self.reward, self.is_q_learning, seed)
        self.advise(learner)
        return learner

    def _step_learner(self, network: _engine.NTupleNetwork) -> _engine.TdLearner | _engine.SarsaLearner:
        """A learner whose buffer holds one step."""
        small = replace(self, replay=1, tc_interval=0).engine_settings(1)
        return _engine.SarsaLearner(network, small, self.reward, self.is_q_learning, 0)

    def _check_memory(self, network: _engine.NTupleNetwork) -> None:
        """Refuse a replay buffer that does not fit beside the tables."""
        super()._check_memory(network)
        if not self.replay:
            return
        step = self._step_learner(network).replay
        assert step is not None
        arrays = (step.indices, step.facts, step.actions)
        held = network.bytes + self._rate_bytes(network.bytes)
        wanted = held + self.replay * sum(array.nbytes for array in arrays)
        if wanted > self.memory_gb * 2**30:
            raise BoardLabError(
                f"the tables and a replay buffer of {self.replay} steps would take {wanted / 2**30:.4g} GiB; "
                f"the limit is {self.memory_gb:g} GiB (fewer steps need less)"
            )


@dataclass(frozen=True)
class TdNTuple(SelfPlayNTuple):
    """TD(lambda) on an n-tuple network (Scheiermann and Konen, 2022)."""

    learn_from_random: bool = option(False, "learn from random actions too (LearnFromRM)")
    adapt_last: bool = option(True, "final adaptation, part 2: the player who moved last")
    skip_reversal: bool = option(False, "do not try the action that takes the last one back (cube)")
    target: str = option(
        "network",
        "alphabeta: targets are values of an alpha-beta search, not the network's own",
        choices=("network", "alphabeta"),
    )
    target_depth: int = option(
        2,
        "actions that it looks ahead of the after-state",
        low=1,
        high=100,
        needs={"target": Not("network")},
    )
    solve_below: int = option(
        0,
        "most actions left for exact targets, in games that fill up; at most two million positions are "
        "searched; 0: never",
        low=0,
        high=100,
    )
    threads: int = option(
        1,
        "threads that train the network at once without locks; with more than 1 no run is like another",
        low=1,
        high=1024,
    )

    name = "td-ntuple"
    learns_hidden = True

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets for the game, by name."""
        return td_presets(game.name)

    def check_game(self, game: Game, given: Container[str] = ()) -> None:
        """Refuse to forbid a way back that does not exist."""
        super().check_game(game, given)
        if self.skip_reversal and takes_no_reversal(game):
            raise BoardLabError(
                f"{self.name}: skip_reversal does nothing with coding=cubeplusaction, where the cube after a "
                "twist and its inverse is another position: its last twist differs; leave it out"
            )

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.learn_from_random = self.learn_from_random
        settings.adapt_last = self.adapt_last
        settings.skip_reversal = self.skip_reversal
        return settings

    def engine_learner(self, network: _engine.NTupleNetwork, episodes: int, seed: int) -> _engine.Learner:
        """The engine's learner on the network."""
        learner = _engine.TdLearner(network, self.engine_settings(episodes), self.reward, seed, self.threads)
        self.advise(learner, self.target_depth if self.target == "alphabeta" else 0, self.solve_below)
        return learner

    def _step_learner(self, network: _engine.NTupleNetwork) -> _engine.TdLearner | _engine.SarsaLearner:
        """A learner whose buffer holds one step."""
        small = replace(self, replay=1, tc_interval=0).engine_settings(1)
        return _engine.TdLearner(network, small, self.reward, 0)


@dataclass(frozen=True)
class QNTuple(SelfPlayNTuple):
    """Q-learning on an n-tuple network: tables for every action, greedy targets.

    With lambda above 0 and traces "reset" or "rr" it is Watkins's Q(lambda).
    """

    name = "q-ntuple"
    learns_hidden = True
    per_action = True
    is_q_learning = True


@dataclass(frozen=True)
class SarsaNTuple(SelfPlayNTuple):
    """SARSA on an n-tuple network: tables for every action, on-policy targets."""

    learn_from_random: bool = option(True, "learn from random actions too; SARSA is on-policy, so it does")

    name = "sarsa-ntuple"
    learns_hidden = True
    per_action = True

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The settings of learning, as the engine takes them."""
        settings = super().engine_settings(episodes)
        settings.learn_from_random = self.learn_from_random
        return settings


def _cells_depend_on_the_viewer(game: Game) -> bool:
    """Whether players see different board vectors, as in some games of users."""
    state, rng = game.initial_state(), random.Random(0)
    for _ in range(100):
        if any((state.board_vector(p) != state.board_vector(0)).any() for p in range(1, game.players)):
            return True
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions()))
    return False
