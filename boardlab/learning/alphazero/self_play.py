"""Self-play: many games side by side, their leaves evaluated as one batch."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.learning.alphazero.ranked import Ranking
from boardlab.learning.alphazero.replay import Examples, joined, sparse
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

    if warm is None:
        return TreeSearcher(forest(settings.gumbel, settings.cache_mb), gumbel=settings.gumbel is not None)
    cache_mb = settings.cache_mb
    if warm.enhancement == "rhea":
        enhanced: Searcher = RheaSearcher(forest(None, 0), simulations, seed, threads)
    else:
        cache_mb = cache_mb // 2 if warm.is_arena else cache_mb
        enhanced = TreeSearcher(forest(None, cache_mb, **warm.options), by_values="policy" in warm.options)
    if not warm.is_arena:
        return enhanced
    # Both sides explore alike, or the question would be whether Gumbel's root is better than PUCT's.
    return ArenaSearcher(enhanced, TreeSearcher(forest(None, cache_mb)), settings.games)


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
    poll: Callable[[], None] = lambda: None,
) -> tuple[Examples, SelfPlayCounts]:
    """`settings.games` whole games, and what there is to learn from them.

    z is the game's own score and, where every action is paid (a cube's costs something), what those from the
    position on were. A game that is cut has no score yet: it counts as what its last search expected, or as
    it stands where none expected anything (RHEA). q is NaN there.

    In a game with rounds z is what the rest of the round brings, as values of the net are; ranks are of whole
    games.

    If the games are a part of a generation of `episodes` games, `first` is how many come before them. `poll`
    is called before every move and may end it all with an exception.
    """
    trees = min(settings.parallel, settings.games)
    searcher = make_searcher(game, settings, simulations, trees, seed, threads, warm, ranking)
    if isinstance(searcher, ArenaSearcher):
        searcher.started, searcher.episodes = first, episodes or settings.games
    forest = searcher.forest
    rng = np.random.default_rng(seed)
    counts = SelfPlayCounts()
    # Not where an enhancement meets the net alone: who is stronger is the question there.
    threshold = None if warm and warm.is_arena else settings.resign
    resigning = Resigning(game, threshold, settings.resign_played_out, trees, seed)
    started = trees
    searcher.restart(np.arange(trees))
    move = np.zeros(trees, np.int64)
    # Not where an enhancement meets the net alone, either: an opening may decide the game.
    random_actions = 0 if warm and warm.is_arena else settings.random_actions
    opening = rng.integers(0, random_actions, trees, endpoint=True)
    limit = settings.episode_limit or game.horizon  # a cube may never be solved
    cut = np.zeros(trees, np.bool_)
    rounds = game.core.has_rounds and ranking is None
    paid = np.zeros((trees, game.players))  # step rewards, since the game began
    # By the last search that expected something, with what was paid before it.
    promised = np.full((trees, game.players), np.nan)
    # Of the game of each tree, or of its round where there are rounds, in the order in which they start.
    number = np.arange(trees)
    numbered = trees
    none = np.arange(0)  # random openings may be all there is of the games
    moves = [
        _Move(
            none,
            none,
            forest.fields()[:0],
            *sparse(np.zeros((0, game.action_count), np.float32)),
            paid[:0],
            paid[:0],
        )
    ]
    ended: list[NDArray[np.int64]] = []  # numbers, in the order in which games or rounds end
    results: list[NDArray[np.float64]] = []
    returns: list[NDArray[np.float64]] = []

    def play(played: NDArray[np.bool_], players: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        nonlocal numbered
        searcher.play(np.where(played, actions, -1))
        move[played] += 1
        paid[played, players[played]] += game.core.step_reward
        if not rounds:
            return
        ends = forest.round_ends()
        over = np.flatnonzero(played & ~np.isnan(ends[:, 0]))
        ended.append(number[over])
        returns.append(ends[over] + paid[over])
        number[over] = np.arange(numbered, numbered + len(over))
        numbered += len(over)

    while True:
        poll()
        players = forest.players
        cut |= move >= limit
        playing = (players != TERMINAL) & ~resigning.ended & ~cut
        over = np.flatnonzero(~playing & (move >= 0))
        if len(over):
            counts.arena_reward += searcher.arena_reward(over)
            ended.append(number[over])
            outcome = forest.scores
            results.append(np.array([resigning.close(i, outcome[i]) for i in over.tolist()]))
            returns.append(results[-1] + paid[over])
            if ranking is None:  # ranks are of scores, and those of games that were cut are as good as others
                is_cut = cut[over] & (players[over] != TERMINAL) & ~resigning.ended[over]
                is_cut &= ~np.isnan(promised[over, 0])
                returns[-1][is_cut] = promised[over][is_cut]
            again = over[: settings.games - started]
            number[again] = np.arange(numbered, numbered + len(again))
            numbered += len(again)
            started += len(again)
            move[over] = -1
            if len(again):
                move[again], cut[again], paid[again], promised[again] = 0, False, 0, np.nan
                opening[again] = rng.integers(0, random_actions, len(again), endpoint=True)
                searcher.restart(again)
                resigning.restart(again)
                continue
        if not playing.any():
            break
        opens = playing & (move < opening)
        if opens.any():
            play(opens, players, _random_actions(forest, rng))
            continue
        full = rng.random(trees) < settings.full_share
        if isinstance(searcher, RheaSearcher):
            full[:] = True  # it has one budget: the playout cap is for trees
        iterations = np.where(full, simulations, min(settings.fast_simulations, simulations))
        search(searcher, judge, np.where(playing, iterations, 0), full)
        counts.simulations += int(iterations[playing].sum())
        target, actions = searcher.decide(move - opening < settings.temperature_moves, settings.one_hot, rng)
        kept = np.flatnonzero(playing & full)
        roots = searcher.root_values()
        so_far = forest.scores if rounds else np.zeros_like(paid)
        moves.append(
            _Move(
                number[kept],
                players[kept],
                forest.fields()[kept],
                *sparse(target[kept]),
                (roots - so_far)[kept],
                (paid + so_far)[kept],
            )
        )
        expects = playing & ~np.isnan(roots[:, 0])
        promised[expects] = (roots + paid)[expects]
        resigning.look(playing, players, roots)
        playing &= ~resigning.ended
        play(playing, players, actions)
        counts.moves += int(playing.sum())
    counts.evaluations, counts.resign = searcher.evaluations, resigning.counts
    scores = np.concatenate(results)
    counts.scores = scores[:, 0].tolist()
    place = np.argsort(np.concatenate(ended))  # by number, when the game or round ended
    games = place[np.concatenate([kept.games for kept in moves])]
    if ranking is not None:
        counts.coins = rng.choice([-1.0, 1.0], len(scores))[games].tolist()
    mover = np.concatenate([kept.players for kept in moves])
    turn = (mover[:, None] + np.arange(values)) % game.players
    expected = np.concatenate([kept.expected for kept in moves])
    to_come = np.concatenate(returns)[games] - np.concatenate([kept.paid for kept in moves])
    return (
        Examples(
            np.concatenate([kept.fields for kept in moves]).astype(np.int32),
            joined([kept.actions for kept in moves], -1),
            joined([kept.shares for kept in moves], 0),
            np.take_along_axis(to_come, turn, 1).astype(np.float32),
            np.take_along_axis(expected, turn, 1).astype(np.float32),
        ),
        counts,
    )


def _random_actions(forest: Forest, rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action a game; any where a game is over."""
    legal = forest.roots()[1]
    drawn: NDArray[np.int64] = np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1)
    return drawn


class _Move(NamedTuple):
    """What one move of all games leaves to learn from: a row a game."""

    games: NDArray[np.int64]
    players: NDArray[np.int64]
    fields: NDArray[np.int32]
    actions: NDArray[np.signedinteger[Any]]
    shares: NDArray[np.float32]
    expected: NDArray[np.float64]
    paid: NDArray[np.float64]
