"""Self-play: many games side by side, their leaves evaluated as one batch."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardlab.evaluators.python import Judge
from boardlab.games.game import TERMINAL, Game
from boardlab.learning.alphazero.replay import Examples
from boardlab.learning.alphazero.settings import AlphaZero
from boardlab.search.forest import Forest


@dataclass
class SelfPlayCounts:
    """What a generation of self-play cost."""

    moves: int = 0
    simulations: int = 0
    evaluations: int = 0


def play_games(
    game: Game,
    judge: Judge,
    settings: AlphaZero,
    simulations: int,
    values: int,
    seed: int,
    threads: int,
) -> tuple[Examples, SelfPlayCounts]:
    """`settings.games` whole games, and what there is to learn from them."""
    trees = min(settings.parallel, settings.games)
    forest = Forest(
        game,
        trees,
        seed=seed,
        cpuct=settings.cpuct,
        reuse=settings.reuse,
        cache_mb=settings.cache_mb,
        threads=threads,
        max_nodes=1 << 20,
        noise=settings.dirichlet if settings.noise and settings.gumbel is None else None,
        noise_fraction=settings.noise,
        gumbel=settings.gumbel,
    )
    rng = np.random.default_rng(seed)
    counts = SelfPlayCounts()
    started = trees
    forest.restart(np.arange(trees), training_start=True)
    move = np.zeros(trees, np.int64)
    episode: list[list[int]] = [[] for _ in range(trees)]  # rows of each game that is being played
    fields: list[NDArray[np.int32]] = []
    policies: list[NDArray[np.float32]] = []
    movers: list[int] = []
    expected: list[NDArray[np.float32]] = []
    results: dict[int, NDArray[np.float64]] = {}
    while True:
        players = forest.players
        playing = players != TERMINAL
        over = np.flatnonzero(~playing & (move >= 0))
        if len(over):
            outcome = forest.scores
            for i in over.tolist():
                for row in episode[i]:
                    results[row] = outcome[i]
                episode[i] = []
            again = over[: settings.games - started]
            started += len(again)
            move[over] = -1
            if len(again):
                move[again] = 0
                forest.restart(again, training_start=True)
                continue
        if not playing.any():
            break
        full = rng.random(trees) < settings.full_share
        iterations = np.where(full, simulations, min(settings.fast_simulations, simulations))
        forest.search(judge, np.where(playing, iterations, 0), noise=full)
        visits = forest.visits().astype(np.float64)
        now, roots = forest.fields(), forest.root_values()
        drawn = move < settings.temperature_moves
        if settings.gumbel is not None:
            target, actions = forest.policy().astype(np.float32), forest.choices()
        else:
            target, actions = _by_visits(visits, drawn, settings.one_hot, rng)
        for i in np.flatnonzero(playing & full).tolist():
            episode[i].append(len(fields))
            fields.append(now[i])
            policies.append(target[i])
            movers.append(int(players[i]))
            expected.append(roots[i])
        forest.play(np.where(playing, actions, -1))
        counts.moves += int(playing.sum())
        counts.simulations += int(iterations[playing].sum())
        move[playing] += 1
    counts.evaluations = forest.info["evaluations"]
    mover = np.array(movers)
    turn = (mover[:, None] + np.arange(values)) % game.players
    z = np.array([results[row] for row in range(len(fields))])
    return (
        Examples(
            np.array(fields, np.int32),
            np.array(policies, np.float32),
            np.take_along_axis(z, turn, 1).astype(np.float32),
            np.take_along_axis(np.array(expected), turn, 1).astype(np.float32),
        ),
        counts,
    )


def _by_visits(
    visits: NDArray[np.float64], drawn: NDArray[np.bool_], one_hot: bool, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The policy's targets and the actions: in proportion to visits where they are `drawn`, else the best."""
    best = visits >= visits.max(axis=1, keepdims=True)
    best_share = best / best.sum(axis=1, keepdims=True)
    share = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
    chances = np.where(drawn[:, None], share, best_share)
    points = rng.random(len(visits))[:, None] * chances.sum(axis=1, keepdims=True)
    actions = (chances.cumsum(axis=1) <= points).sum(axis=1)
    target = np.where((one_hot & ~drawn)[:, None], best_share, share)
    return target.astype(np.float32), actions
