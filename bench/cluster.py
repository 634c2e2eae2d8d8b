"""Jobs on a Ray cluster: self-play beside local processes, a killed node, time to start, memory.

    python bench/cluster.py [--part all] [--games 96] [--jobs 1000]

Parts: `self-play` compares two workers of a cluster on this machine with two local processes, in repeats that take
turns; `killed` kills one of three nodes in the middle of a generation; `start` is the time from the command to the
first job on a running cluster; `memory` is that of the driver over many jobs; `bytes` measures what docs/cluster.md
and docs/results/cluster.md calculate with.

The speed is measured by the wall clock, and by CPU time, which other programs hardly change: the CPU seconds of
self-play in all processes. CPU seconds of Ray's own processes are counted apart.
"""

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": os.urandom(32).hex()}  # before Ray is imported

import job_kinds  # noqa: F401
import numpy as np
from common import table

import boardlab as bl
from boardlab.jobs import Job, cluster, cluster_in_use, finished_jobs
from boardlab.jobs.messages import encoded
from boardlab.jobs.ray_connection import QUIET
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.shares import SelfPlay, shares_of
from boardlab.nets.stored import build_net, net_description

os.environ |= QUIET
HOW = f"load {os.getloadavg()[0]:.1f} before"
SCALE = (-1.0, 1.0)
STORE = 100_000_000


def machines(nodes: int):
    """A Ray cluster on this machine: a head without cores, and nodes with one each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    for _ in range(nodes):
        made.add_node(num_cpus=1, object_store_memory=STORE)
    return made


@contextlib.contextmanager
def running(nodes: int):
    """A cluster in use, and the cluster itself."""
    made = machines(nodes)
    try:
        with cluster(made.address) as used:
            while used.workers < nodes:
                time.sleep(0.1)
            yield made, used
    finally:
        made.shutdown()


def player(games: int, processes: int = 2) -> SelfPlay:
    """Self-play of connectfour with a small net."""
    game = bl.game("connectfour")
    chosen = AlphaZero.checked(
        {
            "games": games,
            "parallel": games,
            "simulations": 64,
            "processes": processes,
            "device": "cpu",
            "cache_mb": 16,
        }
    )
    return SelfPlay(game, chosen.self_play, net_description(game, chosen.net), "cpu", 2)


def cpu_seconds() -> dict[int, float]:
    """CPU seconds of every process of this user so far, by its number."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                words = (folder / "stat").read_text().rpartition(")")[2].split()
                found[int(folder.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return found


def family() -> dict[int, tuple[int, str]]:
    """The parent and the command of every process."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(folder.name)] = parent, command
    return found


def ours(known: dict[int, tuple[int, str]]) -> set[int]:
    """This process and all below it; Ray's are its children too."""
    found = {os.getpid()}
    while more := {number for number, (parent, _) in known.items() if parent in found} - found:
        found |= more
    return found


def is_ray(command: str) -> bool:
    """Whether a process is Ray's own; the paths of ours contain its name too."""
    return "boardlab.jobs.worker" not in command and ("/ray/" in command or "ray::" in command)


def played(self_play: SelfPlay, net, seed: int) -> tuple[float, float, float]:
    """Seconds by the clock of one generation, CPU seconds of players and driver, and of Ray's processes."""
    begin, before = time.perf_counter(), cpu_seconds()
    self_play.play(net, SCALE, 64, seed)
    seconds, after, known = time.perf_counter() - begin, cpu_seconds(), family()
    used = {number: after.get(number, 0) - before.get(number, 0) for number in ours(known)}
    ray = sum(value for number, value in used.items() if is_ray(known[number][1]))
    nodes = sum(value for number, value in used.items() if "ray::Node" in known[number][1])
    return seconds, sum(used.values()) - ray + nodes, ray - nodes


def self_play_speed(games: int, repeats: int) -> None:
    """Two workers of a cluster beside two local processes, in turns."""
    local, distant = player(games), player(games)
    net = build_net(local.description)
    found: dict[str, list[tuple[float, float, float]]] = {"two processes": [], "two workers of Ray": []}
    with running(2):
        from boardlab.jobs import clusters

        used = clusters._IN_USE[:]
        for repeat in range(repeats + 1):
            clusters._IN_USE[:] = []
            one = played(local, net, repeat)
            clusters._IN_USE[:] = used
            assert cluster_in_use() is not None
            two = played(distant, net, repeat)
            if repeat:  # the first starts the processes
                found["two processes"].append(one)
                found["two workers of Ray"].append(two)
        local.close()
        distant.close()
    rows = []
    best = {name: [min(column) for column in zip(*times, strict=True)] for name, times in found.items()}
    for name, (seconds, cpu, ray) in best.items():
        rows.append(
            [
                name,
                f"{games / seconds:.2f}",
                f"{best['two processes'][0] / seconds:.2f}",
                f"{cpu:.2f}",
                f"{best['two processes'][1] / cpu:.2f}",
                f"{ray:.2f}",
            ]
        )
    columns = ["where", "games/s", "ratio", "CPU seconds", "ratio by CPU time", "CPU seconds of Ray itself"]
    table(
        f"Self-play of connectfour, {games} games a generation, 64 simulations",
        columns,
        rows,
        f"best of {repeats}, in turns, {HOW}",
    )


def killed_node(games: int) -> None:
    """One of three nodes is killed in the middle of a generation."""
    game = bl.game("connectfour")
    settings = {"episodes": games, "games": games, "simulations": 32, "processes": 3, "exams": [], "seed": 1}
    with TemporaryDirectory() as folder:
        times, lost, weights = [], [], []
        with running(3) as (made, used):
            list(finished_jobs([Job("nothing", seed=seed) for seed in range(9)], used.executor()))

            def end() -> None:
                while sum(bool(node.running) for node in list(used._nodes.values())) < 3:
                    time.sleep(0.05)
                time.sleep(times[1] / 3)
                made.remove_node(made.list_all_nodes()[-1], allow_graceful=False)

            for name in ("first", "whole", "killed"):  # the first starts the processes
                out, begin = Path(folder) / name, time.perf_counter()
                if name == "killed":
                    threading.Thread(target=end, daemon=True).start()
                bl.train(game, "alphazero", out=out, device="cpu", progress=False, **settings)
                times.append(time.perf_counter() - begin)
                lost.append(used.lost)
                weights.append((out / "weights.npz").read_bytes())
        rows = [
            ["three nodes", f"{times[1]:.1f}", str(lost[1]), ""],
            [
                "one killed after a third",
                f"{times[2]:.1f}",
                str(lost[2]),
                "yes" if weights[1] == weights[2] else "NO",
            ],
        ]
    table(
        f"A generation of {games} games in three shares on three nodes of this machine",
        ["run", "seconds", "shares lost and repeated", "same bytes"],
        rows,
        HOW,
    )


FIRST_JOB = """
import sys, time
sys.path.insert(0, sys.argv[2])
import boardlab as bl, job_kinds
from boardlab.jobs import Job
with bl.cluster(sys.argv[1]) as used:
    used.executor().submit(Job("nothing", seed=7)).result()
    print(time.time())
"""


def time_to_first_job(repeats: int) -> None:
    """From the start of a process to the first result."""
    made = machines(2)
    rows = []
    try:
        for _ in range(repeats):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            command = [sys.executable, "-c", FIRST_JOB, made.address, str(Path(__file__).parent)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            rows.append([f"{float(done.stdout) - begin:.1f}", f"{cpu:.1f}"])
    finally:
        made.shutdown()
    rows.sort()
    table(
        "From the command to the result of its first job, on a running cluster",
        ["seconds", "CPU seconds of the command"],
        rows,
        HOW,
    )


def memory(count: int) -> None:
    """Resident memory of the driver over many jobs, with a new shared value every ten."""
    marks = []
    with running(2) as (_, used):
        executor, value = used.executor(), np.zeros(1 << 18, np.float32)
        for number in range(count + 100):
            if number % 10 == 0:
                value[0] = number
                key = executor.share({"weights": value.copy()})
            executor.submit(Job("nothing", seed=number, shared={"weights": key})).result()
            if number % 10 == 9:
                executor.forget(key)
            if number in (99, 99 + count // 2, 99 + count):
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                marks.append(pages * os.sysconf("SC_PAGE_SIZE") / 2**20)
    rows = [
        [part, f"{mark:.1f}"]
        for part, mark in zip(
            ("after 100 jobs", f"{count // 2} jobs later", f"{count} jobs later"), marks, strict=True
        )
    ]
    table(
        f"Resident memory of the driver over {count:,} jobs, a new shared value of 1 MiB every ten",
        ["when", "MiB"],
        rows,
        HOW,
    )


def learning_seconds(games: int) -> float:
    """CPU seconds of learning from a generation, by the default settings."""
    from boardlab.learners.alphazero.learner import AlphaZeroLearner

    spent, learn = [], AlphaZeroLearner._learn

    def timed(learner, *arguments):
        begin = time.process_time()
        found = learn(learner, *arguments)
        spent.append(time.process_time() - begin)
        return found

    AlphaZeroLearner._learn = timed
    with TemporaryDirectory() as folder:
        settings = {"episodes": games, "games": games, "simulations": 64, "device": "cpu", "exams": []}
        bl.train(bl.game("connectfour"), "alphazero", out=folder, progress=False, **settings)
    AlphaZeroLearner._learn = learn
    return spent[0]


def sizes(games: int) -> None:
    """Bytes and milliseconds of a share, of the weights, of a block of positions."""
    self_play = player(games)
    net = build_net(self_play.description)
    begin = time.process_time()
    examples, counts = SelfPlay(
        self_play.game, self_play.settings, self_play.description, "cpu", 1
    ).play_shares(net, SCALE, 64, shares_of(self_play.settings, 1, 1), {})[0]
    cpu = time.process_time() - begin
    arrays = {name: getattr(examples, name) for name in ("fields", "actions", "shares", "z", "q")}
    block, weights = encoded(arrays), encoded(net.arrays())
    with running(1) as (_, used):
        executor = used.executor()
        list(finished_jobs([Job("nothing", seed=seed) for seed in range(20)], executor))
        times = {}
        begin, used_before = time.perf_counter(), time.process_time()
        list(finished_jobs([Job("nothing", seed=seed) for seed in range(1000, 1300)], executor))
        times["an empty job"] = (time.perf_counter() - begin) / 300, (time.process_time() - used_before) / 300
        for name, content in (
            ("new weights, to one machine", net.arrays()),
            ("a block of positions, back", arrays),
        ):
            spent, cpus = [], []
            for number in range(20):
                key = executor.share({"value": content, "number": number})
                begin, used_before = time.perf_counter(), time.process_time()
                executor.submit(
                    Job("echo" if "back" in name else "nothing", seed=number, shared={"value": key})
                ).result()
                spent.append(time.perf_counter() - begin)
                cpus.append(time.process_time() - used_before)
                executor.forget(key)
            times[name] = min(spent), min(cpus)
    rows = [
        [f"a share of {games} games, {counts.moves} moves", "", f"{cpu * 1000:,.0f}", ""],
        [f"learning from {games} games", "", f"{learning_seconds(games) * 1000:,.0f}", ""],
        ["the weights", f"{weights.nbytes:,}", "", ""],
        [f"a block of {len(examples):,} positions", f"{block.nbytes:,}", "", ""],
    ]
    rows += [[name, "", f"{wall * 1000:.2f}", f"{cpu * 1000:.2f}"] for name, (wall, cpu) in times.items()]
    table(
        "Bytes and milliseconds",
        ["what", "bytes", "ms", "CPU ms of the driver"],
        rows,
        f"the share and learning: CPU time; the others: wall clock, {HOW}",
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--part", default="all", choices=["all", "self-play", "killed", "start", "memory", "bytes"]
    )
    parser.add_argument("--games", type=int, default=96)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    parts = {
        "bytes": lambda: sizes(chosen.games),
        "self-play": lambda: self_play_speed(chosen.games, chosen.repeats),
        "killed": lambda: killed_node(chosen.games),
        "start": lambda: time_to_first_job(chosen.repeats),
        "memory": lambda: memory(chosen.jobs),
    }
    for name, part in parts.items():
        if chosen.part in ("all", name):
            part()


if __name__ == "__main__":
    main()
