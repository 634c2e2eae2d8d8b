"""A generation of self-play, divided into shares.

Lanes, which are threads, take turns at one net; each process has its own. A share is a part of the
generation's games with its own trees, cache and random numbers, so that its games depend on its number alone,
and not on where or when they are played.
"""

import dataclasses
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.evaluators.python import Judge
from boardlab.games.game import Game
from boardlab.jobs import (
    ClusterLostError,
    Context,
    Job,
    JobExecutor,
    cluster_in_use,
    executor_for,
    job_for,
    kind,
)
from boardlab.learners.alphazero.options import SelfPlayOptions
from boardlab.learners.alphazero.ranked import Ranking
from boardlab.learners.alphazero.replay import NAMES, Examples, concatenate
from boardlab.learners.alphazero.resign import ResignCounts
from boardlab.learners.alphazero.self_play import SelfPlayCounts, play_games
from boardlab.learners.alphazero.warm_start import WarmGeneration
from boardlab.nets.inference import NetJudge, net_judge
from boardlab.nets.layers import LayeredNet, NetLayers, StoredNet
from boardlab.nets.stored import described_layers
from boardlab.search.tree_options import TreeOptions


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
        self._executor: JobExecutor | None = None

    def play(
        self,
        net: LayeredNet,
        scale: tuple[float, float],
        simulations: int,
        seed: int,
        *,
        warm: WarmGeneration | None = None,
        ranking: Ranking | None = None,
    ) -> tuple[Examples, SelfPlayCounts]:
        """Play one generation with this net.

        `scale` has the outcomes that the net's values -1 and 1 stand for.
        """
        settings, more = self.settings, {"warm": warm, "ranking": ranking}
        shares = shares_of(settings, settings.processes * settings.lanes, seed)
        is_here = settings.processes == 1 and cluster_in_use(for_self_play=True) is None
        play = self.play_shares if is_here else self._send_shares
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
        """Play the shares in processes, as many at a time in each as it has lanes.

        The weights travel to a process once.
        """
        lanes = self.settings.lanes
        parts = [shares[i : i + lanes] for i in range(0, len(shares), lanes)]
        player = {
            "options": dataclasses.asdict(dataclasses.replace(self.settings, processes=1)),
            "description": self.description,
            "device": self.device,
            "threads": max(1, self.threads // len(parts)),
        }
        task = {
            "player": player,
            "scale": scale,
            "simulations": simulations,
            **{name: value if value is None else dataclasses.asdict(value) for name, value in more.items()},
        }
        executor = self._executor or self._start()
        try:
            shared = {"weights": executor.share(net.arrays())}
            futures = [
                executor.submit(
                    job_for(
                        "self-play share",
                        self.game,
                        {**task, "shares": [dataclasses.asdict(share) for share in part]},
                        part[0].seed,
                        shared=shared,
                        size=float(sum(share.games for share in part)),
                        name="self-play",
                    )
                )
                for part in parts
            ]
            answers = [answer for future in futures for answer in future.result()]
            executor.forget(shared["weights"])
        except ClusterLostError:
            self.close()
            raise
        except BoardLabError as error:
            self.close()  # the results of the others are useless now
            raise BoardLabError(f"self-play failed in a process: {error}") from None
        except BaseException:
            self.close()
            raise
        return [_result(answer) for answer in answers]

    def _start(self) -> JobExecutor:
        """Make the executor; its processes start with their first share."""
        cluster = cluster_in_use(for_self_play=True)
        self._executor = cluster.executor() if cluster else executor_for(self.settings.processes)
        self._stop = weakref.finalize(self, self._executor.stop)
        return self._executor

    def close(self) -> None:
        """End the processes."""
        if self._executor is not None:
            self._stop()
            self._executor = None


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


# ---- in a process ----


@kind("self-play share")
def play_share(job: Job, context: Context) -> list[dict[str, Any]]:
    """Play shares with the weights of their generation; returns positions and counts."""
    settings = job.settings
    player, layers = _kept_player(job, context)
    more = {
        name: None if settings[name] is None else made(**settings[name])
        for name, made in (("warm", WarmGeneration), ("ranking", Ranking))
    }
    low, high = settings["scale"]
    net = StoredNet(layers, context.shared(job, "weights"))
    shares = [Share(**share) for share in settings["shares"]]
    results = player.play_shares(net, (low, high), settings["simulations"], shares, more)
    return [
        {
            "examples": {name: getattr(examples, name) for name in NAMES},
            "counts": {**dataclasses.asdict(counts), "coins": np.array(counts.coins)},
        }
        for examples, counts in results
    ]


def _kept_player(job: Job, context: Context) -> tuple[SelfPlay, NetLayers]:
    """The player of a job, which a worker keeps with its judge, and the layers of its net."""
    about = (job.settings["player"], job.game)
    known, made = context.kept.get("self-play", (None, None))
    if made is None or known != about:
        options, description = about[0]["options"], about[0]["description"]
        settings = SelfPlayOptions(**{**options, "tree": TreeOptions(**options["tree"])})
        game, device, threads = context.game(job), about[0]["device"], about[0]["threads"]
        player = SelfPlay(game, settings, description, device, threads)
        made = player, described_layers(description)
        context.kept["self-play"] = about, made
    found: tuple[SelfPlay, NetLayers] = made
    return found


def _result(answer: Mapping[str, Any]) -> tuple[Examples, SelfPlayCounts]:
    """The positions and counts of a share, as a worker sent them."""
    counts = {**answer["counts"], "coins": answer["counts"]["coins"].tolist()}
    counts["resign"] = ResignCounts(**counts["resign"])
    return Examples(**answer["examples"]), SelfPlayCounts(**counts)
