"""A generation of self-play, divided into shares.

Lanes, which are threads, take turns at one net; each process has its own. A share is a part of the
generation's games with its own trees, cache and random numbers, so that its games depend on its number alone,
and not on where or when they are played.
"""

import dataclasses
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.evaluators.python import Judge
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game_from_table
from boardlab.interrupts import ignore_for_good
from boardlab.jobs.worker import worker_command
from boardlab.learners.alphazero.options import SelfPlayOptions
from boardlab.learners.alphazero.replay import Examples, concatenate
from boardlab.learners.alphazero.self_play import SelfPlayCounts, play_games
from boardlab.nets.inference import NetJudge, net_judge
from boardlab.nets.layers import LayeredNet, StoredNet
from boardlab.nets.stored import described_layers
from boardlab.plugins import plugins_for, run_plugin


@dataclass(frozen=True)
class Share:
    """Games of a generation that one lane plays."""

    games: int
    parallel: int
    seed: int
    first: int = 0
    """Games of the generation that other shares play before these."""


def shares_of(settings: SelfPlayOptions, shares: int, seed: int) -> list[Share]:
    """Divide a generation's games evenly into shares.

    A single share has the generation's seed.
    """
    count = min(shares, settings.games)
    if count == 1:
        return [Share(settings.games, settings.parallel, seed)]
    seeds = np.random.SeedSequence(seed).generate_state(count, np.uint64) >> np.uint64(1)

    def part(number: int, of: int) -> int:
        return number * (of + 1) // count - number * of // count

    return [
        Share(
            part(settings.games, i),
            max(1, part(settings.parallel, i)),
            int(seeds[i]),
            settings.games * i // count,
        )
        for i in range(count)
    ]


class SelfPlay:
    """Plays generations; keeps the judge, its graphs and the processes."""

    def __init__(
        self, game: Game, settings: SelfPlayOptions, description: dict[str, Any], device: str, threads: int
    ) -> None:
        self.game, self.settings, self.description = game, settings, description
        self.device, self.threads = device, threads
        self._judge: NetJudge | None = None
        self._workers: list[_Worker] = []

    def play(
        self, net: LayeredNet, scale: tuple[float, float], simulations: int, seed: int, **more: Any
    ) -> tuple[Examples, SelfPlayCounts]:
        """Play one generation with this net.

        `scale` has the outcomes that the net's values -1 and 1 stand for. `more` is passed on to
        `play_games`.
        """
        settings = self.settings
        shares = shares_of(settings, settings.processes * settings.lanes, seed)
        play = self.play_shares if settings.processes == 1 else self._send_shares
        results = play(net, scale, simulations, shares, more)
        return concatenate([examples for examples, _ in results]), _sum([counts for _, counts in results])

    # ---- lanes ----

    def play_shares(
        self,
        net: LayeredNet,
        scale: tuple[float, float],
        simulations: int,
        shares: Sequence[Share],
        more: dict[str, Any],
    ) -> list[tuple[Examples, SelfPlayCounts]]:
        """Play the shares in this process, one lane each."""
        if self._judge is None:
            self._judge = net_judge(net, self.device, *scale, self.threads)
        else:
            self._judge.load(net, *scale)
        rows = max(share.parallel for share in shares)
        shape = tuple(self.description[name] for name in ("planes", "rows", "cols"))
        self._judge.prepare(len(shares), rows, shape)
        threads = max(1, self.threads // len(shares))
        if len(shares) == 1:
            return [self._one(self._judge, shares[0], simulations, threads, more)]
        stop = threading.Event()

        def poll() -> None:
            if stop.is_set():
                raise _StoppedError

        judge = _polling(poll, self._judge)

        def lane(share: Share) -> tuple[Examples, SelfPlayCounts]:
            try:
                return self._one(judge, share, simulations, threads, {**more, "poll": poll})
            except BaseException:
                stop.set()  # here: the waiting thread may wake much later
                raise

        with ThreadPoolExecutor(len(shares)) as pool:
            lanes = [pool.submit(lane, share) for share in shares]
            try:
                wait(lanes, return_when=FIRST_EXCEPTION)
            finally:
                stop.set()  # a lane failed, or Ctrl-C: the others stop after their batch
        failures = [lane.exception() for lane in lanes]
        for failure in failures:
            if failure is not None and not isinstance(failure, _StoppedError):
                raise failure
        return [lane.result() for lane in lanes]

    def _one(
        self, judge: Judge, share: Share, simulations: int, threads: int, more: dict[str, Any]
    ) -> tuple[Examples, SelfPlayCounts]:
        settings = dataclasses.replace(self.settings, games=share.games, parallel=share.parallel)
        values = self.description["values"]
        whole = {"first": share.first, "episodes": self.settings.games, **more}
        return play_games(self.game, judge, settings, simulations, values, share.seed, threads, **whole)

    # ---- processes ----

    def _send_shares(
        self,
        net: LayeredNet,
        scale: tuple[float, float],
        simulations: int,
        shares: Sequence[Share],
        more: dict[str, Any],
    ) -> list[tuple[Examples, SelfPlayCounts]]:
        lanes = self.settings.lanes
        parts = [shares[i : i + lanes] for i in range(0, len(shares), lanes)]
        threads = max(1, self.threads // len(parts))
        while len(self._workers) < len(parts):
            self._workers.append(
                _Worker(
                    plugins_for(self.game),
                    game_table(self.game),
                    dataclasses.replace(self.settings, processes=1),
                    self.description,
                    self.device,
                    threads,
                )
            )
        task = {"weights": net.arrays(), "scale": scale, "simulations": simulations, "more": more}
        try:
            for worker, part in zip(self._workers, parts, strict=False):
                worker.send({**task, "shares": part})
            return [result for worker in self._workers[: len(parts)] for result in worker.receive()]
        except BaseException:
            self.close()  # the results of the others are useless now
            raise

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._workers = []


def _sum(counts: Sequence[SelfPlayCounts]) -> SelfPlayCounts:
    total = SelfPlayCounts()
    for field in dataclasses.fields(SelfPlayCounts):
        parts = [getattr(part, field.name) for part in counts]
        setattr(total, field.name, sum(parts[1:], parts[0]))
    return total


class _StoppedError(Exception):
    """Another lane failed."""


def _polling(poll: Callable[[], None], judge: Judge) -> Judge:
    def ask(planes: Any, legal: NDArray[np.bool_]) -> Any:
        poll()
        return judge(planes, legal)

    return ask


# ---- the other end of a process ----

WORKER = "from boardlab.learners.alphazero.shares import work; work()"
_SIZE = struct.Struct("<Q")


class _Worker:
    """A process that plays shares.

    The pipe is private to the two processes, so that unpickling is safe.
    """

    def __init__(self, *about: Any) -> None:
        # In a session of its own, so that Ctrl-C in the terminal reaches only the parent.
        self.process = subprocess.Popen(
            worker_command(WORKER),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._end = weakref.finalize(self, self.process.kill)
        self.send(about)

    def send(self, message: Any) -> None:
        try:
            _write(self.process.stdin, message)
        except OSError:
            raise self._died() from None

    def receive(self) -> list[tuple[Examples, SelfPlayCounts]]:
        answer = _read(self.process.stdout)
        if answer is None:
            raise self._died()
        if isinstance(answer, str):
            raise BoardLabError(f"self-play failed in a process: {answer}")
        return answer  # type: ignore[no-any-return]

    def end(self) -> None:
        self._end()
        self.process.wait()

    def _died(self) -> BoardLabError:
        status = self.process.wait()
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        return BoardLabError(
            f"a process of self-play {how}; the run is saved up to the last generation and can be resumed"
        )


def _write(stream: IO[bytes] | None, message: Any) -> None:
    assert stream is not None
    data = pickle.dumps(message, protocol=5)
    stream.write(_SIZE.pack(len(data)) + data)
    stream.flush()


def _read(stream: IO[bytes] | None) -> Any:
    """The next message; None if the other end is gone."""
    assert stream is not None
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


def work() -> None:
    """Play the shares that the parent sends, until it is gone."""
    ignore_for_good()  # the parent gets the same signals: it saves, then ends this process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep prints out of the answers
    tasks: queue.Queue[Any] = queue.Queue()

    def listen() -> None:
        while (message := _read(sys.stdin.buffer)) is not None:
            tasks.put(message)
        os._exit(0)  # even during a game

    threading.Thread(target=listen, daemon=True).start()
    plugins, table, settings, description, device, threads = tasks.get()
    for path in plugins:
        run_plugin(path)
    game = game_from_table(table, load=True)
    player = SelfPlay(game, settings, description, device, threads)
    layers = described_layers(description)
    while True:
        task = tasks.get()
        try:
            net = StoredNet(layers, task["weights"])
            answer: Any = player.play_shares(
                net, task["scale"], task["simulations"], task["shares"], task["more"]
            )
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        _write(answers, answer)
