"""The settings of AlphaZero: its groups of options, and what they make of a run."""

import os
import types
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.alphazero.needs import NEEDS
from boardlab.learners.alphazero.options import (
    GateOptions,
    LearningOptions,
    PlayOptions,
    SelfPlayOptions,
    TransferOptions,
)
from boardlab.learners.alphazero.presets import ALPHAZERO_PRESETS, alphazero_preset
from boardlab.learners.alphazero.ranked import RankedOptions
from boardlab.learners.alphazero.reports import require_tensorboard
from boardlab.learners.alphazero.transfer import describe_transfer, inherited
from boardlab.learners.alphazero.warm_start import WarmStartOptions
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.nets.device import require_torch, uses_gpu
from boardlab.nets.layers import NetOptions
from boardlab.nets.stored import check_planes, net_description
from boardlab.options import group, option
from boardlab.search.mcts import Mcts


@dataclass(frozen=True)
class AlphaZero(LearnerSettings):
    """AlphaZero's loop: generations of self-play, learning and, optionally, a gate."""

    net: NetOptions = group(NetOptions())
    self_play: SelfPlayOptions = group(SelfPlayOptions())
    warm_start: WarmStartOptions = group(
        WarmStartOptions(), prefix="warm_", names={"enhancement": "warm_start", "switch": "switch"}
    )
    ranked: RankedOptions = group(RankedOptions(), prefix="ranked_")
    learning: LearningOptions = group(LearningOptions())
    gate: GateOptions = group(GateOptions(), prefix="gate_", names={"share": "gate"})
    transfer: TransferOptions = group(TransferOptions(), names={"run": "from_"})
    play: PlayOptions = group(PlayOptions(), "exams, gate and trained agent", prefix="play_")
    device: str = option(
        "auto", "cpu, cuda, or auto: the GPU if there is one", choices=("auto", "cpu", "cuda")
    )
    tensorboard: bool = option(False, "write every generation for TensorBoard too, into the run's folder")
    threads: int = option(0, "threads of self-play and net; 0: all cores", low=0, high=1024)

    name = "alphazero"
    evaluator = "net"
    files = (
        "losses.png",
        "generations.jsonl",
        f"replay/{6 * '[0-9]'}.npz",
        "tensorboard/events.out.tfevents.*",
    )
    needs = NEEDS
    before = types.MappingProxyType({"play_batch": 8, "play_leaf_visits": 0})
    renamed = types.MappingProxyType(
        {
            "dirichlet": "noise",
            "exam_simulations": "play_simulations",
            "exam_cpuct": "play_cpuct",
            "exam_solver": "play_solver",
            "leaves": "play_batch",
            "leaf_visits": "play_leaf_visits",
        }
    )

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets by name; they are those of every game."""
        return ALPHAZERO_PRESETS

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset, fitted to the game, the device and the settings that the user gave."""
        return alphazero_preset(game, name, given, cls().self_play.tree.cpuct)

    def expression(self, path: str) -> str:
        """The trained agent: a search over its net."""
        tree = {name: value for name, value in vars(self.play.tree).items() if value != getattr(Mcts, name)}
        more = "".join(f", {name}={value!r}" for name, value in tree.items())
        return f'mcts(net("{path}"), iterations={self.play.simulations}{more})'

    @property
    def least_episodes(self) -> int:
        """None: a net can play before it learns, untrained or with layers of another run."""
        return 0

    def whole_episodes(self, episodes: int) -> int:
        """The episodes of whole generations."""
        games = self.self_play.games
        return -(-episodes // games) * games

    def exam_cost(self, cost: float) -> float:
        """Estimate the cost of an exam, most of which is the net's own search.

        A GPU plays many games of self-play at once, but only one game of an exam.
        """
        own = 3 * self.play.simulations / self.self_play.simulations * (40 if uses_gpu(self.device) else 1)
        return own + cost / 250

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Check `values`; the run to begin with may be a path."""
        name = "from" if "from" in values else "from_"
        if isinstance(values.get(name), os.PathLike):
            values = {**values, name: os.fspath(values[name])}
        return super().check(values)

    @classmethod
    def check_renamed(cls, name: str) -> None:
        """Refuse a name of an earlier version, with today's."""
        if name == "dirichlet":
            raise BoardLabError(
                "alphazero: dirichlet is now called noise; what noise was, its share, is noise_fraction"
            )
        super().check_renamed(name)

    @classmethod
    def translated(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Translate a run's settings to today's names.

        `noise` used to be the fraction of noise, and `dirichlet` its alpha.
        """
        if "noise" in values and "noise_fraction" not in values:
            values = {"noise_fraction" if name == "noise" else name: value for name, value in values.items()}
        return super().translated(values)

    @classmethod
    def inherited(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the net that the run begins with."""
        return inherited(given["from_"], given) if given.get("from_") else {}

    def check_given(self, given: Container[str]) -> None:
        """Refuse options that cut one another."""
        self.learning.check(given)
        self.self_play.check(given)
        self.play.check()

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """All that is needed to build the net again, but for its weights."""
        if game.is_hidden:
            raise BoardLabError(f"alphazero learns games in which nothing is hidden, not {game.name}")
        for part in (self.gate, self.self_play, self.warm_start, self.ranked):
            part.check_game(game)
        self.ranked.check_openings(self.self_play.random_actions)
        require_torch()
        if self.tensorboard:
            require_tensorboard()
        if self.transfer.run:
            return describe_transfer(game, self.net, self.transfer.run, self.transfer.freeze)
        if self.transfer.freeze != "none":
            raise BoardLabError(
                "alphazero: freeze is about layers that come from another run; name the run with from"
            )
        return net_description(game, self.net)

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Learner:
        """A net with fresh weights and what it learns with."""
        require_torch()
        check_planes(game, description, "of the run")
        from boardlab.learners.alphazero.learner import AlphaZeroLearner

        return AlphaZeroLearner(game, self, description, episodes, seed)
