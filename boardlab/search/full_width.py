"""Full-width searches: MaxN, expectimax, alpha-beta."""

from dataclasses import dataclass

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.simple import Score
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.search.spec import SearchSpec

MOST_DEPTH = 200


@dataclass(frozen=True)
class MaxN(SearchSpec):
    """Full-width search for any number of players, each maximising its own score."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(3, "search depth in actions", low=1, high=MOST_DEPTH)
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "maxn"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        if game.has_chance and not game.is_hidden:
            raise BoardLabError(f"maxn plays games without chance; for {game.name} use expectimax")
        return _engine.maxn_search(self.evaluator.build(game), self.depth, self.table_mb, seed)


@dataclass(frozen=True)
class Expectimax(SearchSpec):
    """Full-width search for games with chance or hidden cards.

    Players maximise; chance events and hidden cards are averaged.
    """

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(2, "search depth in actions; chance events do not count", low=1, high=MOST_DEPTH)
    worlds: int = option(
        4096,
        "hidden cards: completions to average; if more are possible, this number is sampled",
        low=1,
        high=1 << 20,
    )
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "expectimax"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        if game.is_hidden:
            return _engine.completions_search(self.evaluator.build(game), self.depth, self.worlds, seed)
        return _engine.maxn_search(self.evaluator.build(game), self.depth, self.table_mb, seed)


@dataclass(frozen=True)
class AlphaBeta(SearchSpec):
    """Alpha-beta search for two-player zero-sum games without chance.

    Deepens iteratively.
    """

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int | None = option(
        None, "search depth in actions; by default 4, or 200 with seconds", low=1, high=MOST_DEPTH
    )
    seconds: float | None = option(
        None, "seconds per decision; exact solving may use half of the remaining time", low=1e-3, high=1e6
    )
    exact: bool = option(False, "compute the value of every action, not only of the best")
    solve_below: int = option(
        0, "solve the game exactly when at most this number of actions is left; 0: never", low=0, high=1000
    )
    wld_below: int = option(
        0,
        "prove at least a win, loss or draw when at most this number of actions is left; 0: never",
        low=0,
        high=1000,
    )
    solve_nodes: int = option(
        20_000_000, "positions to visit before solving is abandoned for the normal search", low=1, high=2**62
    )
    mpc: float | None = option(
        None,
        "Multi-ProbCut: standard deviations by which a shallow search must clear a bound to cut",
        low=0.1,
        high=1e9,
    )
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    threads: int = option(
        1,
        "threads that search together; values stay those of one thread, unless the evaluator draws at random",
        low=1,
        high=1024,
    )

    name = "alphabeta"
    usual_budget = 4

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        for option_name in ("solve_below", "wld_below"):
            if getattr(self, option_name) and not game.core.has_moves_left:
                raise BoardLabError(
                    f"{option_name} needs a game that reports how many actions are left; {game.name} does not"
                )
        unlimited = MOST_DEPTH if self.seconds is not None else self.usual_budget
        return _engine.alphabeta_search(
            self.evaluator.build(game),
            self.depth if self.depth is not None else unlimited,
            self.seconds or 0.0,
            self.exact,
            self.solve_below,
            self.wld_below,
            self.solve_nodes,
            self.mpc or 0.0,
            self.table_mb,
            self.threads,
            seed,
        )
