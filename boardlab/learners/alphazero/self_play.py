"""Self-play: many games side by side whose leaves are evaluated as one batch."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.learners.alphazero.options import SelfPlayOptions, with_noise
from boardlab.learners.alphazero.ranked import Ranking
from boardlab.learners.alphazero.replay import Examples, joined, sparse
from boardlab.learners.alphazero.resign import ResignCounts, Resigning
from boardlab.learners.alphazero.searchers import (
    ArenaSearcher,
    RheaSearcher,
    Searcher,
    TreeSearcher,
    search,
)
from boardlab.learners.alphazero.warm_start import WarmGeneration, without_gumbel
from boardlab.search.forest import Forest
from boardlab.search.tree_options import TreeOptions


@dataclass
class SelfPlayCounts:
    """Counts and scores of a generation of self-play."""

    moves: int = 0
    simulations: int = 0
    evaluations: int = 0
    arena_reward: float = 0.0
    """Wins minus losses of MCTS with the net alone against the enhancement, in an adaptive warm start."""
    scores: list[float] = field(default_factory=list)
    """Scores of the first player, in the order in which the games ended."""
    coins: list[float] = field(default_factory=list)
    """With ranked rewards: a random sign for each position, the same for all of a game."""
    resign: ResignCounts = field(default_factory=ResignCounts)


def make_searcher(
    game: Game,
    settings: SelfPlayOptions,
    simulations: int,
    trees: int,
    seed: int,
    threads: int,
    warm: WarmGeneration | None,
    ranking: Ranking | None,
    *,
    first: int = 0,
    episodes: int | None = None,
) -> Searcher:
    """The search for the games of a generation, or of a part of it, as in play_games."""
    tree, cache_mb = settings.tree, settings.cache_mb

    def forest(tree: TreeOptions, cache_mb: int, rollout_weight: float = 0.0) -> Forest:
        return Forest(
            game,
            trees,
            tree=with_noise(tree),
            seed=seed,
            cache_mb=cache_mb,
            threads=threads,
            rollout_weight=rollout_weight,
            ranked=None if ranking is None else ranking.threshold,
        )

    if warm is None:
        return TreeSearcher(forest(tree, cache_mb), tree)
    plain = without_gumbel(tree)
    if warm.enhancement == "rhea":
        enhanced: Searcher = RheaSearcher(forest(plain, 0), simulations, seed, threads)
    else:
        cache_mb = cache_mb // 2 if warm.is_arena else cache_mb
        grown = warm.enhanced(tree)
        enhanced = TreeSearcher(forest(grown, cache_mb, warm.rollout_weight), grown)
    if not warm.is_arena:
        return enhanced
    # Both sides explore alike, or the question would be whether Gumbel's root is better than PUCT's.
    return ArenaSearcher(
        enhanced, TreeSearcher(forest(plain, cache_mb), plain), episodes or settings.games, first
    )


def play_games(
    game: Game,
    judge: Judge,
    settings: SelfPlayOptions,
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
    """Play `settings.games` whole games and return the examples to learn from.

    z is the game's score plus the step rewards (the actions of a cube cost something) from the position on.
    A game that is cut counts as its last search expected or, if none expected anything (RHEA), as it stands;
    q is NaN there. In a game with rounds z is the rest of the round, as are the values of the net; ranks are
    of whole games.

    If the games are a part of a generation of `episodes` games, `first` is the number of games before them.
    `poll` is called before every move and may stop self-play with an exception.
    """
    trees = min(settings.parallel, settings.games)
    searcher = make_searcher(
        game, settings, simulations, trees, seed, threads, warm, ranking, first=first, episodes=episodes
    )
    forest = searcher.forest
    rng = np.random.default_rng(seed)
    counts = SelfPlayCounts()
    # Neither resigning nor random openings where an enhancement meets the net alone: the question there is
    # which is stronger, and an opening may decide a game.
    is_arena = warm is not None and warm.is_arena
    threshold = None if is_arena else settings.resign
    resigning = Resigning(game, threshold, settings.resign_played_out, trees, seed)
    random_actions = 0 if is_arena else settings.random_actions
    limit = settings.episode_limit or game.horizon  # a cube may never be solved
    book = _Book(forest, has_rounds=game.core.has_rounds and ranking is None)
    results: list[NDArray[np.float64]] = []
    started = trees
    searcher.restart(np.arange(trees))
    move = np.zeros(trees, np.int64)  # -1: its last game is over
    opening = rng.integers(0, random_actions, trees, endpoint=True)

    def play(played: NDArray[np.bool_], players: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        searcher.play(np.where(played, actions, -1))
        move[played] += 1
        book.pay(played, players)

    while True:
        poll()
        players = forest.players
        playing = (players != TERMINAL) & ~resigning.ended & (move >= 0) & (move < limit)
        over = np.flatnonzero(~playing & (move >= 0))
        if len(over):
            counts.arena_reward += searcher.arena_reward(over)
            scores = forest.scores
            results.append(np.array([resigning.close(i, scores[i]) for i in over.tolist()]))
            is_cut = (players[over] != TERMINAL) & ~resigning.ended[over]
            # Ranks compare scores, and a game that was cut has one.
            is_cut &= ranking is None
            book.close(over, results[-1], is_cut)
            again = over[: settings.games - started]
            started += len(again)
            move[over] = -1
            if len(again):
                move[again] = 0
                opening[again] = rng.integers(0, random_actions, len(again), endpoint=True)
                book.restart(again)
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
        if not searcher.has_playout_cap:
            full[:] = True
        iterations = np.where(full, simulations, min(settings.fast_simulations, simulations))
        search(searcher, judge, np.where(playing, iterations, 0), full)
        counts.simulations += int(iterations[playing].sum())
        target, actions = searcher.decide(move - opening < settings.temperature_moves, settings.one_hot, rng)
        roots = searcher.root_values()
        book.keep(playing, playing & full, players, target, roots)
        resigning.look(playing, players, roots)
        playing &= ~resigning.ended
        play(playing, players, actions)
        counts.moves += int(playing.sum())
    counts.evaluations, counts.resign = searcher.evaluations, resigning.counts
    brought = np.concatenate(results)
    counts.scores = brought[:, 0].tolist()
    examples, games = book.examples(values)
    if ranking is not None:
        counts.coins = rng.choice([-1.0, 1.0], len(brought))[games].tolist()
    return examples, counts


def _random_actions(forest: Forest, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each game; any number where a game is over."""
    legal = forest.roots()[1]
    drawn: NDArray[np.int64] = np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1)
    return drawn


class _Move(NamedTuple):
    """The examples of one move of all games, one row a game."""

    games: NDArray[np.int64]
    players: NDArray[np.int64]
    fields: NDArray[np.int32]
    actions: NDArray[np.signedinteger[Any]]
    shares: NDArray[np.float32]
    expected: NDArray[np.float64]
    paid: NDArray[np.float64]


class _Book:
    """The examples of games side by side, kept until their results are known.

    Games are numbered in the order in which they start; in games with rounds, the rounds are.
    """

    def __init__(self, forest: Forest, has_rounds: bool) -> None:
        self.forest, self.has_rounds = forest, has_rounds
        trees, players = len(forest), forest.game.players
        self.number = np.arange(trees)
        """The number of each tree's game."""
        self.numbered = trees
        self.paid = np.zeros((trees, players))
        """Step rewards since the game began."""
        self.promised = np.full((trees, players), np.nan)
        """The values of the last search that had any, plus the step rewards before it."""
        self.ended: list[NDArray[np.int64]] = []
        """Numbers in the order in which games or rounds end."""
        self.returns: list[NDArray[np.float64]] = []
        none, nothing = np.zeros(trees, np.bool_), np.zeros((trees, forest.game.action_count), np.float32)
        self.moves: list[_Move] = []
        self.keep(none, none, np.zeros(trees, np.int64), nothing, self.paid)  # all actions may be openings

    def restart(self, trees: NDArray[np.int64]) -> None:
        """Begin new games."""
        self._number(trees)
        self.paid[trees], self.promised[trees] = 0, np.nan

    def _number(self, trees: NDArray[np.int64]) -> None:
        self.number[trees] = np.arange(self.numbered, self.numbered + len(trees))
        self.numbered += len(trees)

    def keep(
        self,
        searched: NDArray[np.bool_],
        kept: NDArray[np.bool_],
        players: NDArray[np.int64],
        target: NDArray[np.float32],
        roots: NDArray[np.float64],
    ) -> None:
        """Keep a move of the games `searched`; those in `kept` become examples."""
        rows = np.flatnonzero(kept)
        so_far = self.forest.scores if self.has_rounds else np.zeros_like(self.paid)
        self.moves.append(
            _Move(
                self.number[rows],
                players[rows],
                self.forest.fields()[rows],
                *sparse(target[rows]),
                (roots - so_far)[rows],
                (self.paid + so_far)[rows],
            )
        )
        expects = searched & ~np.isnan(roots[:, 0])
        self.promised[expects] = (roots + self.paid)[expects]

    def pay(self, played: NDArray[np.bool_], players: NDArray[np.int64]) -> None:
        """Add the step reward of one action in each of these games.

        The action may have ended a round.
        """
        self.paid[played, players[played]] += self.forest.game.core.step_reward
        if not self.has_rounds:
            return
        ends = self.forest.round_ends()
        over = np.flatnonzero(played & ~np.isnan(ends[:, 0]))
        self.ended.append(self.number[over])
        self.returns.append(ends[over] + self.paid[over])
        self._number(over)

    def close(self, over: NDArray[np.int64], results: NDArray[np.float64], is_cut: NDArray[np.bool_]) -> None:
        """End games with these results.

        Games that were cut end with the promised values, if there are any.
        """
        returns = results + self.paid[over]
        promised = self.promised[over]
        is_cut = is_cut & ~np.isnan(promised[:, 0])
        returns[is_cut] = promised[is_cut]
        self.ended.append(self.number[over])
        self.returns.append(returns)

    def examples(self, values: int) -> tuple[Examples, NDArray[np.int64]]:
        """Return all examples, and for each the position of its game in ending order.

        Each example has `values` values.
        """
        place = np.argsort(np.concatenate(self.ended))  # by number, when the game or round ended
        games = place[np.concatenate([move.games for move in self.moves])]
        mover = np.concatenate([move.players for move in self.moves])
        turn = (mover[:, None] + np.arange(values)) % self.forest.game.players
        expected = np.concatenate([move.expected for move in self.moves])
        to_come = np.concatenate(self.returns)[games] - np.concatenate([move.paid for move in self.moves])
        examples = Examples(
            np.concatenate([move.fields for move in self.moves]).astype(np.int32),
            joined([move.actions for move in self.moves], -1),
            joined([move.shares for move in self.moves], 0),
            np.take_along_axis(to_come, turn, 1).astype(np.float32),
            np.take_along_axis(expected, turn, 1).astype(np.float32),
        )
        return examples, games
