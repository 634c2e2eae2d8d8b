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
    depth: int = option(3, "actions ahead", low=1, high=MOST_DEPTH)
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "maxn"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        if game.has_chance and not game.is_hidden:
            raise BoardLabError(f"maxn plays games without chance; for {game.name} use expectimax")
        return _engine.maxn_search(self.evaluator.build(game), self.depth, self.table_mb, seed)


@dataclass(frozen=True)
class Expectimax(SearchSpec):
    """Full-width search with chance: players maximise, nature averages, so do hidden cards."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int = option(2, "actions ahead; chance does not count", low=1, high=MOST_DEPTH)
    worlds: int = option(
        4096, "hidden cards: when more completions fit, so many are drawn", low=1, high=1 << 20
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
    """Alpha-beta with iterative deepening, for two-player zero-sum games without chance."""

    evaluator: EvaluatorSpec = option(Score(), "judges the positions at the end of the search")
    depth: int | None = option(
        None, "actions ahead; 4 if no time is given either, else 200", low=1, high=MOST_DEPTH
    )
    seconds: float | None = option(
        None, "time of a decision; solving may take half of what is left of it", low=1e-3, high=1e6
    )
    exact: bool = option(False, "find the value of every action, not only of the best")
    solve_below: int = option(
        0, "solve the rest of the game exactly when at most so many actions are left", low=0, high=1000
    )
    wld_below: int = option(
        0, "find out at least whether it is won when at most so many actions are left", low=0, high=1000
    )
    solve_nodes: int = option(
        20_000_000, "positions after which solving is given up for the usual search", low=1, high=2**62
    )
    mpc: float | None = option(
        None, "Multi-ProbCut: cut where a shallow search is clear by so many deviations", low=0.1, high=1e9
    )
    table_mb: int = option(64, "memory of the transposition table in MiB", low=1, high=65536)

    name = "alphabeta"
    usual_budget = 4

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        for option_name in ("solve_below", "wld_below"):
            if getattr(self, option_name) and not game.core.has_moves_left:
                raise BoardLabError(
                    f"{option_name} needs a game that says how many actions are left; {game.name} does not"
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
            seed,
        )
