"""The settings of AlphaZero. Names follow papers 001, 003 and 004 and the field."""

import os
import types
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.alphazero.needs import NEEDS
from boardlab.learners.alphazero.presets import ALPHAZERO_PRESETS, alphazero_preset
from boardlab.learners.alphazero.ranked import RankedReward
from boardlab.learners.alphazero.replay import Window
from boardlab.learners.alphazero.reports import require_tensorboard
from boardlab.learners.alphazero.resign import check_resign
from boardlab.learners.alphazero.transfer import describe_transfer, inherited
from boardlab.learners.alphazero.warm_start import WARM_STARTS, WarmStart
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.nets.device import require_torch, uses_gpu
from boardlab.nets.stored import check_planes, net_description
from boardlab.options import option
from boardlab.search.enhancements import POLICIES
from boardlab.search.mcts import Mcts


@dataclass(frozen=True)
class AlphaZero(LearnerSettings):
    """AlphaZero's loop: generations of self-play, learning, and a gate where one is wanted."""

    net: str = option(
        "res",
        "res: residual blocks (AZ-Res); conv: the same without short cuts (AZ-Conv); pool: residual blocks "
        "that see the whole board, no batch normalisation; wang: four convolutions; mlp: fully connected",
        choices=("res", "conv", "pool", "wang", "mlp"),
    )
    blocks: int = option(3, "blocks of the net's body", low=0, high=100)
    channels: int = option(64, "channels of the body; width of an mlp", low=1, high=4096)
    head_filters: int = option(16, "filters of each head's 1x1 convolution", low=1, high=1024)
    hidden: int = option(64, "width of the value head's hidden layer", low=1, high=4096)
    dropout: float = option(0.0, "dropout before fully connected layers", low=0, high=0.95)

    games: int = option(256, "episodes of self-play a generation", low=1, high=10**6)
    parallel: int = option(256, "games played side by side", low=1, high=65536)
    simulations: int = option(64, "iterations of the tree search a move (m)", low=2, high=10**6)
    simulations_first: int | None = option(
        None, "the same in the first generation; grows linearly from there", low=2, high=10**6
    )
    full_share: float = option(
        1.0, "playout cap: this share of the moves gets all simulations and is learned from", low=0.01, high=1
    )
    fast_simulations: int = option(16, "playout cap: the other moves get so many", low=2, high=10**6)
    cpuct: float = option(1.5, "exploration of PUCT", low=0, high=100)
    noise: float = option(0.25, "share of Dirichlet noise in the root's priors", low=0, high=1)
    dirichlet: float = option(1.0, "the noise's parameter", low=1e-3, high=1000)
    gumbel: int | None = option(
        None,
        "Gumbel selection at the root over so many actions, with sequential halving: for few simulations; "
        "its improved policy is the target; noise and temperature have no part (temperature_moves says when "
        "one_hot begins)",
        low=1,
        high=1 << 20,
    )
    random_actions: int = option(
        0,
        "games of self-play begin with 0 to so many random actions, which are not learned from: a net that "
        "only knows its own openings errs elsewhere",
        low=0,
        high=10**6,
    )
    temperature_moves: int = option(
        12,
        "so many moves a game, after a random opening, are drawn in proportion to visits, later ones are the "
        "best (T')",
        low=0,
        high=10**6,
    )
    one_hot: bool = option(False, "after those moves the policy's target is the best move alone (paper 001)")
    episode_limit: int | None = option(
        None, "cut games after so many moves; by default at the game's horizon", low=1, high=10**9
    )
    resign: float | None = option(
        None,
        "self-play ends where the search expects the player to move less than this, from -1 (lost) to 0; by "
        "default never",
        low=-1,
        high=0,
    )
    resign_played_out: float = option(
        0.1, "share of those games that are played on, to see how often resigning is wrong", low=0, high=1
    )
    reuse: bool = option(True, "keep the part of the tree that was played")
    cache_mb: int = option(64, "memory for evaluations that come again, in MiB", low=0, high=65536)

    warm_start: str = option(
        "off",
        "what helps the search in the first generations (Wang et al. 2021): rollouts instead of the net's "
        "values, rave, both (rora), rollouts weighed with the net's values without and with rave (wro, "
        "wrora), or rhea",
        choices=("off", *WARM_STARTS),
    )
    switch: str = option(
        "fixed",
        "when it ends: after warm_iterations generations, or (adaptive: their Algorithm 2) once MCTS "
        "with the net alone wins more than it loses against it; their games are then what is learned from",
        choices=("fixed", "adaptive"),
    )
    warm_iterations: int = option(5, "generations of a warm start with switch=fixed (I')", low=1, high=10**6)
    warm_weight: float | None = option(
        None, "the rollouts' weight in wro and wrora; by default it falls, see warm_decay", low=0, high=1
    )
    warm_decay: str = option(
        "inverse",
        "how that weight falls: as 1/generation (Wang et al. 2021), or with switch=fixed linearly from 1 in "
        "the first generation to 1/I' in the last",
        choices=("inverse", "linear"),
    )
    warm_policy: str = option(
        "visits",
        "warm start: what the policy to learn from is made of: visits, which come nearer to the "
        "published results, or values, as the published listings say",
        choices=POLICIES,
    )
    equivalence: float = option(
        1000.0, "warm start: RAVE's weight is sqrt(equivalence / (3 N + equivalence))", low=1e-9, high=1e12
    )
    rave_of: str = option(
        "own",
        "warm start: RAVE counts the player's own later actions, or all players'",
        choices=("own", "all"),
    )
    ranked_reward: float | None = option(
        None,
        "one-player games: a game counts as won above this quantile (tau) of the last scores, as lost below",
        low=0,
        high=1,
    )
    ranked_window: int = option(250, "how many scores that are (L)", low=1, high=10**7)

    window: int = option(20, "generations that are learned from, at the end", low=1, high=10**6)
    window_first: int = option(
        4, "the same at the start; grows by one every two generations", low=1, high=10**6
    )
    window_positions: int | None = option(
        None, "learn from the last so many positions instead, of however many generations", low=1, high=10**9
    )
    samples: int | None = option(
        None,
        "positions drawn from the window to learn from (the whole window where it has fewer); by default as "
        "many as the generation brought, drawn anew for every step",
        low=2,
        high=10**9,
    )
    epochs: float = option(1.0, "passes over those positions", low=0.01, high=1000)
    batch: int = option(256, "positions a step of learning", low=2, high=65536)
    optimiser: str = option("adamw", "adam, adamw or sgd with momentum .9", choices=("adam", "adamw", "sgd"))
    lr: float = option(2e-3, "learning rate", low=1e-8, high=10)
    lr_final: float | None = option(
        None, "learning rate at the end, reached along a cosine; by default lr", low=1e-8, high=10
    )
    weight_decay: float = option(1e-4, "pull of the weights towards 0", low=0, high=1)
    value_target: str = option(
        "mean", "z: the game's result; q: the root's value; mean of both", choices=("z", "q", "mean")
    )
    value_weight: float = option(1.0, "weight of the value's loss beside the policy's", low=0, high=100)
    symmetries: bool = option(True, "positions are learned from turned by random symmetries of the game")
    gate: float | None = option(
        None,
        "a new net replaces the old one only if it scores this share against it (u; two players and "
        "more); by default always",
        low=0,
        high=1,
    )
    gate_games: int = option(
        40,
        "games of the gate (n), and as many more as let each opening be played from all seats",
        low=2,
        high=10**5,
    )

    from_: str = option("", "begin with the net of this run, trained on another size or variant of the game")
    freeze: str = option(
        "none",
        "what does not learn of what was taken over from there: none, body, kept (only new layers learn), or "
        'names of layers as in "body.0,body.1"',
    )

    exam_simulations: int = option(
        50,
        "iterations a move in the exams during training, at the gate and of the trained agent",
        low=1,
        high=10**6,
    )
    exam_cpuct: float = option(
        1.0, "exploration of PUCT there; by default cpuct where that is not the preset's", low=0, high=100
    )
    exam_solver: bool = option(
        True, "proven wins, losses and draws are backed up as proven there (MCTS-Solver); never in self-play"
    )
    leaves: int = option(
        8,
        "most leaves of a tree that the net judges at once there; self-play has one, of many trees",
        low=1,
        high=1024,
    )
    leaf_visits: int = option(
        Mcts.leaf_visits,
        "visits of the root for each of those leaves: few while the tree is small; 0: all from the start",
        low=0,
        high=10**6,
    )
    device: str = option(
        "auto", "cpu, cuda, or auto: the GPU if there is one", choices=("auto", "cpu", "cuda")
    )
    tensorboard: bool = option(False, "write every generation for TensorBoard too, into the run's folder")
    threads: int = option(0, "threads of self-play and net; 0: all cores", low=0, high=1024)
    lanes: int = option(
        1, "a generation's games in so many parts that take turns at the net: for a GPU", low=1, high=256
    )
    processes: int = option(1, "self-play in so many processes, each with these lanes", low=1, high=1024)

    name = "alphazero"
    evaluator = "net"
    files = (
        "losses.png",
        "generations.jsonl",
        f"replay/{6 * '[0-9]'}.npz",
        "tensorboard/events.out.tfevents.*",
    )
    needs = NEEDS
    before = types.MappingProxyType({"leaves": 8, "leaf_visits": 0})

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Mapping[str, Any]]:
        """The presets by name; they are those of every game."""
        return ALPHAZERO_PRESETS

    @classmethod
    def fit_preset(
        cls, game: Game, name: str, chosen: dict[str, Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The preset, fitted to the game, the device and the settings that the user gave."""
        return alphazero_preset(game, name, given, cls.cpuct)

    def window_at(self, generation: int) -> Window:
        """What the generation of that number, the first is 1, is learned from."""
        return Window(
            min(self.window, self.window_first + (generation - 1) // 2), positions=self.window_positions
        )

    def expression(self, path: str) -> str:
        """The trained agent: a search over its net."""
        tree = {name: value for name, value in self.tree_options.items() if value != getattr(Mcts, name)}
        more = "".join(f", {name}={value!r}" for name, value in tree.items())
        return f'mcts(net("{path}"), iterations={self.exam_simulations}{more})'

    @property
    def tree_options(self) -> dict[str, Any]:
        """Options of the trees in exams, at the gate and of the trained agent, as `mcts` names them."""
        return {
            "cpuct": self.exam_cpuct,
            "solver": self.exam_solver,
            "batch": self.leaves,
            "leaf_visits": self.leaf_visits,
        }

    @property
    def least_episodes(self) -> int:
        """What comes from another run can play before it learns (paper 001, V-D)."""
        return 0 if self.from_ else 1

    def whole_episodes(self, episodes: int) -> int:
        """Only whole generations are played."""
        return -(-episodes // self.games) * self.games

    def exam_cost(self, cost: float) -> float:
        """Mostly that of the net's own search; a GPU plays many self-play games at once, but one exam's."""
        own = 3 * self.exam_simulations / self.simulations * (40 if uses_gpu(self.device) else 1)
        return own + cost / 250

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values`, checked; the run to begin with may be a path."""
        name = "from" if "from" in values else "from_"
        if isinstance(values.get(name), os.PathLike):
            values = {**values, name: os.fspath(values[name])}
        return super().check(values)

    @classmethod
    def inherited(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the net that the run begins with."""
        return inherited(given["from_"], given) if given.get("from_") else {}

    def check_given(self, given: Container[str]) -> None:
        """Refuses what another setting cuts."""
        if "window_first" in given and self.window_first > self.window:
            raise BoardLabError(
                f"alphazero: window_first must be at most window={self.window}, not {self.window_first}"
            )
        if "window_positions" in given and self.window_positions == 1:
            raise BoardLabError("alphazero: window_positions must be at least 2: one position is no batch")
        if "simulations_first" in given and (self.simulations_first or 0) > self.simulations:
            raise BoardLabError(
                f"alphazero: simulations_first must be at most simulations={self.simulations}, to which it "
                f"grows, not {self.simulations_first}"
            )
        if "lr_final" in given and (self.lr_final or 0) > self.lr:
            raise BoardLabError(
                f"alphazero: lr_final must be at most lr={self.lr:g}, from which it falls, not "
                f"{self.lr_final:g}"
            )
        most = self.simulations
        if self.full_share < 1 and self.fast_simulations >= most:
            raise BoardLabError(
                f"alphazero: with full_share={self.full_share:g} fast_simulations must be less than {most}, "
                f"the simulations of the other moves, not {self.fast_simulations}"
            )

    def describe(self, game: Game, seed: int) -> dict[str, Any]:
        """All that is needed to build the net again, but for its weights."""
        if game.is_hidden:
            raise BoardLabError(f"alphazero learns games in which nothing is hidden, not {game.name}")
        if self.gate is not None and game.players == 1:
            raise BoardLabError(
                f"alphazero: gate is for games of two and more players, whose nets can meet; "
                f"{game.name} is for one"
            )
        longest = self.episode_limit or game.horizon
        if self.random_actions >= longest:
            raise BoardLabError(
                f"alphazero: random_actions must be less than {longest}, the most actions of a game, "
                f"not {self.random_actions}"
            )
        WarmStart.check(self, game)
        RankedReward.check(self, game)
        require_torch()
        if self.tensorboard:
            require_tensorboard()
        if self.resign is not None:
            check_resign(game)
        if self.from_:
            return describe_transfer(game, self, self.from_, self.freeze)
        if self.freeze != "none":
            raise BoardLabError(
                "alphazero: freeze is about layers that come from another run; name the run with from"
            )
        return net_description(game, self)

    def build(self, game: Game, description: Mapping[str, Any], episodes: int, seed: int) -> Learner:
        """A net with fresh weights and what it learns with."""
        require_torch()
        check_planes(game, description, "of the run")
        from boardlab.learners.alphazero.learner import AlphaZeroLearner

        return AlphaZeroLearner(game, self, description, episodes, seed)
