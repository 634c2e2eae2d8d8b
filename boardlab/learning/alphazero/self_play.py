"""Self-play: many games side by side, their leaves evaluated as one batch."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.learning.alphazero.ranked import Ranking
from boardlab.learning.alphazero.replay import Examples
from boardlab.learning.alphazero.resign import ResignCounts, Resigning
from boardlab.learning.alphazero.searchers import (
    ArenaSearcher,
    RheaSearcher,
    Searcher,
    TreeSearcher,
    search,
)
from boardlab.learning.alphazero.settings import AlphaZero
from boardlab.learning.alphazero.warm_start import WarmGeneration
from boardlab.search.forest import Forest


@dataclass
class SelfPlayCounts:
    """What a generation of self-play cost and brought."""

    moves: int = 0
    simulations: int = 0
    evaluations: int = 0
    arena_reward: float = 0.0
    """What MCTS with the net alone won against the enhancement, in the games of an adaptive warm start."""
    scores: list[float] = field(default_factory=list)
    """Of the first player, game by game as they ended."""
    coins: list[float] = field(default_factory=list)
    """Where rewards are ranked: a sign a position, the same for all of a game."""
    resign: ResignCounts = field(default_factory=ResignCounts)


def make_searcher(
    game: Game,
    settings: AlphaZero,
    simulations: int,
    trees: int,
    seed: int,
    threads: int,
    warm: WarmGeneration | None,
    ranking: Ranking | None,
) -> Searcher:
    """What searches in the games of a generation."""

    def forest(gumbel: int | None, cache_mb: int, **options: Any) -> Forest:
        return Forest(
            game,
            trees,
            seed=seed,
            cpuct=settings.cpuct,
            reuse=settings.reuse,
            cache_mb=cache_mb,
            threads=threads,
            max_nodes=1 << 20,
            noise=settings.dirichlet if settings.noise and gumbel is None else None,
            noise_fraction=settings.noise,
            gumbel=gumbel,
            ranked=None if ranking is None else ranking.threshold,
            **options,
        )

    def plain(cache_mb: int) -> Searcher:
        return TreeSearcher(forest(settings.gumbel, cache_mb), gumbel=settings.gumbel is not None)

    if warm is None:
        return plain(settings.cache_mb)
    if warm.enhancement == "rhea":
        enhanced: Searcher = RheaSearcher(forest(None, 0), simulations, seed, threads, ranking)
        return (
            ArenaSearcher(enhanced, plain(settings.cache_mb), settings.games) if warm.is_arena else enhanced
        )
    cache_mb = settings.cache_mb // 2 if warm.is_arena else settings.cache_mb
    enhanced = TreeSearcher(forest(None, cache_mb, **warm.options), by_values=True)
    return ArenaSearcher(enhanced, plain(cache_mb), settings.games) if warm.is_arena else enhanced


def play_games(
    game: Game,
    judge: Judge,
    settings: AlphaZero,
    simulations: int,
    values: int,
    seed: int,
    threads: int,
    *,
    first: int = 0,
    episodes: int | None = None,
    warm: WarmGeneration | None = None,
    ranking: Ranking | None = None,
) -> tuple[Examples, SelfPlayCounts]:
    """`settings.games` whole games, and what there is to learn from them: z is the games' own scores.

    Where they are a part of a generation of `episodes` games, `first` is how many come before them.
    """
    trees = min(settings.parallel, settings.games)
    searcher = make_searcher(game, settings, simulations, trees, seed, threads, warm, ranking)
    if isinstance(searcher, ArenaSearcher):
        searcher.started, searcher.episodes = first, episodes or settings.games
    forest = searcher.forest
    rng = np.random.default_rng(seed)
    counts = SelfPlayCounts()
    # Not where an enhancement meets the net alone: who is stronger is the question there.
    threshold = settings.resign if warm is None else None
    resigning = Resigning(game, threshold, settings.resign_played_out, trees, seed)
    started = trees
    searcher.restart(np.arange(trees))
    move = np.zeros(trees, np.int64)
    episode: list[list[int]] = [[] for _ in range(trees)]  # rows of each game that is being played
    fields: list[NDArray[np.int32]] = []
    policies: list[NDArray[np.float32]] = []
    movers: list[int] = []
    expected: list[NDArray[np.float32]] = []
    game_of: dict[int, int] = {}  # by row, the game in the order in which games end
    results: list[NDArray[np.float64]] = []
    while True:
        players = forest.players
        playing = (players != TERMINAL) & ~resigning.ended
        over = np.flatnonzero(~playing & (move >= 0))
        if len(over):
            outcome = forest.scores
            counts.arena_reward += searcher.arena_reward(over)
            for i in over.tolist():
                game_of |= dict.fromkeys(episode[i], len(results))
                results.append(resigning.close(i, outcome[i]))
                episode[i] = []
            again = over[: settings.games - started]
            started += len(again)
            move[over] = -1
            if len(again):
                move[again] = 0
                searcher.restart(again)
                resigning.restart(again)
                continue
        if not playing.any():
            break
        full = rng.random(trees) < settings.full_share
        iterations = np.where(full, simulations, min(settings.fast_simulations, simulations))
        search(searcher, judge, np.where(playing, iterations, 0), full)
        counts.simulations += int(iterations[playing].sum())
        now, roots = forest.fields(), searcher.root_values()
        target, actions = searcher.decide(move < settings.temperature_moves, settings.one_hot, rng)
        for i in np.flatnonzero(playing & full).tolist():
            episode[i].append(len(fields))
            fields.append(now[i])
            policies.append(target[i])
            movers.append(int(players[i]))
            expected.append(roots[i])
        resigning.look(playing, players, roots)
        playing &= ~resigning.ended
        searcher.play(np.where(playing, actions, -1))
        counts.moves += int(playing.sum())
        move[playing] += 1
    counts.evaluations, counts.resign = searcher.evaluations, resigning.counts
    counts.scores = [float(result[0]) for result in results]
    mover = np.array(movers)
    turn = (mover[:, None] + np.arange(values)) % game.players
    games = [game_of[row] for row in range(len(fields))]
    z = np.array(results)[games]
    if ranking is not None:
        counts.coins = rng.choice([-1.0, 1.0], len(results))[games].tolist()
    return (
        Examples(
            np.array(fields, np.int32),
            np.array(policies, np.float32),
            np.take_along_axis(z, turn, 1).astype(np.float32),
            np.take_along_axis(np.array(expected), turn, 1).astype(np.float32),
        ),
        counts,
    )
