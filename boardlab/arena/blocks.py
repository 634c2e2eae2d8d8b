"""Blocks of games as jobs: a match or a tournament in several processes.

A game depends on the seed and its number alone, so its record does not depend on the block or the process
that plays it. Blocks are handed over in the order of the games, whatever order they finish in.
"""

import dataclasses
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

import numpy as np

from boardlab import _engine
from boardlab.arena.arena import Adjudication, Arena, GameRecord, PlainGame
from boardlab.arena.elsewhere import check_rebuilt_elsewhere
from boardlab.arena.store.rows import run_folders
from boardlab.games.game import Game, State, with_history
from boardlab.jobs import Context, Here, Job, JobExecutor, executor_for, job_for, kind

BLOCK_SECONDS = 0.5
"""Seconds that a block should take; kill -9 loses the blocks that are not finished."""
MOST_GAMES = 1 << 16
"""Most games of a block."""
MOST_WAITING = 8
"""Blocks per worker that may be finished while an earlier one is not."""


def arena_executor(arena: Arena, jobs: int) -> JobExecutor:
    """The executor of an arena's games; refuses agents that other processes cannot make."""
    executor = executor_for(jobs)
    if not isinstance(executor, Here):
        check_rebuilt_elsewhere(arena.agents, arena.rules.judge if arena.rules else "")
    return executor


def play_games(
    executor: JobExecutor,
    arena: Arena,
    seatings: Sequence[Sequence[int]],
    games: int,
    receive: Callable[[list[GameRecord]], None],
    first: int = 0,
    turn: int | None = None,
) -> None:
    """Play games as `Arena.play` does, in the workers of an executor."""
    if isinstance(executor, Here):
        arena.play(seatings, games, receive, first, turn)
        return
    shared = {"arena": executor.share(_table(arena)), "seatings": executor.share([list(s) for s in seatings])}
    block = _BlockSize(executor.workers)
    most_pending = MOST_WAITING * executor.workers
    expressions = [*arena.names, *([f"greedy({arena.rules.judge})"] if arena.rules else [])]
    files = tuple(dict.fromkeys(folder for name in expressions for folder in run_folders(name)))
    pending: deque[Future[Any]] = deque()

    def submit(first: int, end: int) -> Future[Any]:
        settings = {"first": first, "games": end, "turn": turn or len(seatings)}
        more: dict[str, Any] = {"files": files, "shared": shared, "size": float(end - first)}
        job = job_for("play", arena.game, settings, arena.seed, **more)
        return executor.submit(job)

    try:
        while first < games or pending:
            unfinished = [future for future in pending if not future.done()]
            while first < games and len(unfinished) < executor.capacity and len(pending) < most_pending:
                end = first + block.games(games - first)
                pending.append(submit(first, end))
                unfinished.append(pending[-1])
                first = end
            wait(unfinished, return_when=FIRST_COMPLETED)
            while pending and pending[0].done():
                answer = pending.popleft().result()
                played = _games(answer["games"])
                block.took(answer["seconds"], len(played))
                receive([arena.record(game) for game in played])
    finally:
        executor.forget(shared["seatings"])


class _BlockSize:
    """How many games a block should have, learned from the blocks so far."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._seconds = 0.0
        """Of a game; 0 before the first."""
        self._last = 1

    def took(self, seconds: float, games: int) -> None:
        """Learn from a finished block."""
        each = seconds / games
        self._seconds = (self._seconds + each) / 2 if self._seconds else each

    def games(self, left: int) -> int:
        """The size of the next block, where so many games are left."""
        wanted = min(BLOCK_SECONDS / self._seconds, 4 * self._last, MOST_GAMES) if self._seconds else 1
        # The last blocks are small, so that the workers end together.
        self._last = max(1, min(int(wanted), math.ceil(left / (2 * self._workers))))
        return self._last


# ---- in the worker ----


@kind("play")
def play_block(job: Job, context: Context) -> dict[str, Any]:
    """Play the games first .. games - 1 of an arena; returns their records as columns."""
    arena = _kept_arena(job, context)
    found: list[_engine.GameRecord] = []
    begin = time.perf_counter()
    settings = job.settings
    arena.play_raw(
        context.shared(job, "seatings"), settings["games"], found.extend, settings["first"], settings["turn"]
    )
    return {"games": _columns(found), "seconds": time.perf_counter() - begin}


def _kept_arena(job: Job, context: Context) -> Arena:
    """The arena of the job; a worker keeps the last one with its agents."""
    key = (job.shared["arena"], job.game, job.seed)
    if context.kept.get("arena", (None, None))[0] != key:
        context.kept.pop("arena", None)  # its agents may be large
        context.kept["arena"] = key, _arena(context.game(job), job.seed, context.shared(job, "arena"))
    arena: Arena = context.kept["arena"][1]
    return arena


# ---- plain values ----


def _table(arena: Arena) -> dict[str, Any]:
    """An arena in plain values."""
    histories = [start.history_fields() for start in arena.starts]
    return {
        "agents": list(arena.names),
        "random_actions": arena.random_actions,
        "starts": np.array([fields for history in histories for fields in history], np.int32),
        "histories": [len(history) for history in histories],
        "threads": arena.threads,
        "adjudicate": dataclasses.asdict(arena.rules) if arena.rules else None,
        "values": arena.values,
    }


def _arena(game: Game, seed: int, table: dict[str, Any]) -> Arena:
    """The arena of a table."""
    starts: list[State] = []
    at = 0
    for length in table["histories"]:
        *before, fields = table["starts"][at : at + length]
        starts.append(with_history(game, fields, before))
        at += length
    return Arena(
        game,
        table["agents"],
        seed,
        random_actions=table["random_actions"],
        starts=starts,
        threads=table["threads"],
        adjudicate=Adjudication(**table["adjudicate"]) if table["adjudicate"] else None,
        values=table["values"],
    )


FIELDS: dict[str, Any] = {
    "seats": np.int32,
    "scores": np.float64,
    "seconds": np.float64,
    "decisions": np.int32,
    "seed": np.uint64,
    "start": np.int32,
    "faulty_seat": np.int32,
    "resigned": np.bool_,
    "adjudicated": np.bool_,
}
"""Fields of a game with as many numbers in every game."""
LISTS: dict[str, Any] = {"actions": np.int32, "values": np.float64}
"""Fields with a list in every game; `values` may be empty."""


def _columns(games: Sequence[_engine.GameRecord]) -> dict[str, Any]:
    """Records as columns: one array for each field over all games."""
    columns: dict[str, Any] = {
        name: np.array([getattr(game, name) for game in games], dtype) for name, dtype in FIELDS.items()
    }
    for name, dtype in LISTS.items():
        lists = [np.array(getattr(game, name), dtype) for game in games]
        columns[name] = [np.array([len(each) for each in lists]), np.concatenate(lists)]
    columns["errors"] = {str(i): game.error for i, game in enumerate(games) if game.error}
    return columns


def _games(columns: dict[str, Any]) -> list[PlainGame]:
    """The games of `_columns`."""
    fields = {name: columns[name].tolist() for name in FIELDS}
    for name in LISTS:
        lengths, numbers = columns[name]
        fields[name] = [each.tolist() for each in np.split(numbers, np.cumsum(lengths)[:-1])]
    fields["error"] = [columns["errors"].get(str(i), "") for i in range(len(fields["seed"]))]
    return [PlainGame(*row) for row in zip(*(fields[name] for name in PlainGame._fields), strict=True)]
