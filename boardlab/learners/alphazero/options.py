"""The options of AlphaZero in groups: self-play, play, learning, gate.

The groups follow AlphaZero.jl. Those of the net are in boardlab/nets/layers.py, those of warm starts and
ranked rewards beside their code. Names follow Church (2019), Wang (2021), Wang et al. (2021) and the field.
Each group refuses what does not fit together: `check` among its own options, `check_game` in a game.
"""

from collections.abc import Container
from dataclasses import dataclass, replace

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learners.alphazero.replay import Window
from boardlab.learners.alphazero.resign import check_resign
from boardlab.options import group, option
from boardlab.search.tree_options import TreeOptions


def with_noise(tree: TreeOptions) -> TreeOptions:
    """The options without noise that Gumbel replaces, or whose fraction is 0."""
    return replace(tree, noise=None) if tree.gumbel or not tree.noise_fraction else tree


@dataclass(frozen=True)
class SelfPlayOptions:
    """How the games are played that the net learns from."""

    games: int = option(256, "episodes of self-play a generation", low=1, high=10**6)
    parallel: int = option(256, "games played side by side", low=1, high=65536)
    simulations: int = option(64, "iterations of the tree search a move (m)", low=2, high=10**6)
    simulations_first: int | None = option(
        None, "the same in the first generation; grows linearly from there", low=2, high=10**6
    )
    full_share: float = option(
        1.0, "playout cap: share of the moves that get all simulations and are learned from", low=0.01, high=1
    )
    fast_simulations: int = option(16, "playout cap: simulations of the other moves", low=2, high=10**6)
    tree: TreeOptions = group(
        TreeOptions(cpuct=1.5, noise=1.0, solver=False, max_nodes=1 << 20),
        # One leaf of each tree: the trees of all games fill a batch. A net has priors, so it is always PUCT.
        without=("batch", "leaf_visits", "select", "explore"),
    )
    random_actions: int = option(
        0,
        "most random actions at the start of a game, which are not learned from: a net that only knows its "
        "own openings errs elsewhere",
        low=0,
        high=10**6,
    )
    temperature_moves: int = option(
        12,
        "moves a game, after a random opening, that are drawn in proportion to visits; later ones are the "
        "best (T'). With gumbel it only sets when one_hot begins",
        low=0,
        high=10**6,
    )
    one_hot: bool = option(
        False, "after those moves the policy's target is the best move alone (Church 2019)"
    )
    episode_limit: int | None = option(
        None, "cut games after this many moves; by default at the game's horizon", low=1, high=10**9
    )
    resign: float | None = option(
        None,
        "end a game where the search expects less than this for the player to move, from -1 (lost) to 0; by "
        "default never",
        low=-1,
        high=0,
    )
    resign_played_out: float = option(
        0.1, "share of those games that are played on, to count wrong resignations", low=0, high=1
    )
    cache_mb: int = option(64, "memory for evaluations that come again, in MiB", low=0, high=65536)
    lanes: int = option(
        1, "parts of a generation's games that take turns at the net: for a GPU", low=1, high=256
    )
    processes: int = option(1, "processes that play, each with these lanes", low=1, high=1024)

    def check(self, given: Container[str]) -> None:
        """Refuse numbers of simulations that cut each other, and trees that cannot be."""
        with_noise(self.tree).check("alphazero")
        if "simulations_first" in given and (self.simulations_first or 0) > self.simulations:
            raise BoardLabError(
                f"alphazero: simulations_first must be at most simulations={self.simulations}, to which it "
                f"grows, not {self.simulations_first}"
            )
        if self.full_share < 1 and self.fast_simulations >= self.simulations:
            raise BoardLabError(
                f"alphazero: with full_share={self.full_share:g} fast_simulations must be less than "
                f"{self.simulations}, the simulations of the other moves, not {self.fast_simulations}"
            )

    def check_game(self, game: Game) -> None:
        """Refuse openings as long as the game, and games in which nobody can resign."""
        longest = self.episode_limit or game.horizon
        if self.random_actions >= longest:
            raise BoardLabError(
                f"alphazero: random_actions must be less than {longest}, the most actions of a game, "
                f"not {self.random_actions}"
            )
        if self.resign is not None:
            check_resign(game)


@dataclass(frozen=True)
class PlayOptions:
    """How the trained agent plays, and the learner in exams and at the gate."""

    simulations: int = option(50, "iterations a move", low=1, high=10**6)
    tree: TreeOptions = group(TreeOptions(batch=8), without=("select", "explore"))

    def check(self) -> None:
        """Refuse trees that cannot be."""
        self.tree.check("alphazero: play")


@dataclass(frozen=True)
class LearningOptions:
    """How the net learns from the games."""

    window: int = option(20, "generations to learn from, at the end", low=1, high=10**6)
    window_first: int = option(
        4, "the same at the start; grows by one every two generations", low=1, high=10**6
    )
    window_positions: int | None = option(
        None, "learn from this many last positions instead, whatever their generations", low=1, high=10**9
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
    symmetries: bool = option(True, "turn positions by random symmetries of the game")

    def window_at(self, generation: int) -> Window:
        """What generation number `generation`, from 1, learns from."""
        return Window(
            min(self.window, self.window_first + (generation - 1) // 2), positions=self.window_positions
        )

    def check(self, given: Container[str]) -> None:
        """Refuse windows and rates whose start is beyond their end."""
        if "window_first" in given and self.window_first > self.window:
            raise BoardLabError(
                f"alphazero: window_first must be at most window={self.window}, not {self.window_first}"
            )
        if "window_positions" in given and self.window_positions == 1:
            raise BoardLabError("alphazero: window_positions must be at least 2: one position is no batch")
        if "lr_final" in given and (self.lr_final or 0) > self.lr:
            raise BoardLabError(
                f"alphazero: lr_final must be at most lr={self.lr:g}, from which it falls, not "
                f"{self.lr_final:g}"
            )


@dataclass(frozen=True)
class GateOptions:
    """When a new net replaces the old one."""

    share: float | None = option(
        None,
        "share of the points that a new net must score against the old one to replace it (u; two players and "
        "more); by default it always does",
        low=0,
        high=1,
    )
    games: int = option(
        40,
        "games of the gate (n), and as many more as let each opening be played from all seats",
        low=2,
        high=10**5,
    )

    def check_game(self, game: Game) -> None:
        """Refuse a gate where there is nobody to meet."""
        if self.share is not None and game.players == 1:
            raise BoardLabError(
                f"alphazero: gate is for games of two and more players, whose nets can meet; "
                f"{game.name} is for one"
            )


@dataclass(frozen=True)
class TransferOptions:
    """What the net begins with."""

    run: str = option("", "begin with the net of this run, trained on another size or variant of the game")
    freeze: str = option(
        "none",
        "layers taken over from there that do not learn: none, body, kept (only new layers learn), or names "
        'of layers as in "body.0,body.1"',
    )
