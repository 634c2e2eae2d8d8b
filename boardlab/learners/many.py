"""Several runs with the same settings and different seeds (GBG's MultiTrain).

Every run is a folder of its own, seed-1, seed-2 ..., so the whole survives kill -9 as each of them does: the
same call again goes on where it stopped. Runs go one after the other, or several at once as processes.
"""

import contextlib
import functools
import json
import math
import os
import re
import selectors
import signal
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boardlab.arena.exams.own import own_exams
from boardlab.checks import as_integer, as_seed
from boardlab.errors import BoardLabError
from boardlab.evaluators import own_evaluators
from boardlab.evaluators.features import OWN_FEATURES
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game_from_table
from boardlab.interrupts import Ending, ended_by_signals
from boardlab.learners.curve import draw_curve, interval_of_runs, points
from boardlab.learners.exams import exam_names
from boardlab.learners.multi_train import multi_train
from boardlab.learners.run import Run, open_run
from boardlab.learners.run_options import takes_run_options
from boardlab.learners.train import train
from boardlab.learners.training import Progress
from boardlab.learners.worker import worker_command
from boardlab.numbers import counted, plain
from boardlab.plugins import PLUGINS, plugin_failure, plugins_for, run_plugin
from boardlab.reports import Report
from boardlab.runs import RunFolder
from boardlab.search.own import own_agents

ManyProgress = Callable[[int, Progress], None]
"""A progress callback, called with the seed of a run and its progress."""


@dataclass(frozen=True, repr=False)
class ManyRuns(Report):
    """Runs that differ only in their seed."""

    path: Path
    runs: tuple[Run, ...]

    @property
    def exams(self) -> list[str]:
        """The exams that were taken."""
        return list(dict.fromkeys(name for run in self.runs for name in exam_names(run.log)))

    def last_values(self, exam: str) -> list[float]:
        """Every run's last value of the exam."""
        found = [points(run.log, exam) for run in self.runs]
        return [curve[-1][1] for curve in found if curve]

    def __str__(self) -> str:
        lines = [f"{self.path}: {self.runs[0].game.name}, {counted(len(self.runs), 'runs')}"]
        for exam in self.exams:
            values = self.last_values(exam)
            half = interval_of_runs(values)
            width = " (no interval: all ended alike)" if len(values) > 1 else ""
            if not math.isnan(half):
                width = f" ± {plain(half, 2)} (95%)"
            deviation = (
                f", standard deviation {plain(statistics.stdev(values), 3)}" if len(values) > 1 else ""
            )
            lines.append(
                f"{exam}: mean {plain(statistics.mean(values))}{width}{deviation}, "
                f"from {plain(min(values))} to {plain(max(values))} over {counted(len(values), 'runs')}"
            )
        return "\n".join(lines)


@ended_by_signals()
@takes_run_options
def train_many(
    game: Game,
    runs: int,
    *,
    learner: str | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: ManyProgress | bool | None = None,
    told_memory: Callable[[float], None] | None = None,
    **given: Any,
) -> ManyRuns:
    """Train with the seeds seed+1 ... seed+runs, at most `jobs` at a time.

    The runs are out/seed-1, out/seed-2 ...

    Other arguments are those of `train`. Runs that are there already go on, finished ones are kept; `force`
    starts all of them anew. multi.csv gets the rows of all logs, multiTrain.csv the same in the form of GBG.
    `told_memory` is called for every run that is trained in this process: with one job.
    """
    seed = given.pop("seed", 0)
    arguments = {"learner": learner, **given}
    check_many(game, runs, jobs, seed, arguments)
    path = RunFolder(out if out is not None else Path("runs") / f"{game.name}-runs").path
    if (path / "agent.toml").exists():
        raise BoardLabError(f"{path} already holds a single run; several runs need a folder of their own")
    if path.exists() and not path.is_dir():
        raise BoardLabError(f"{path} is a file; runs need a folder")
    tell: ManyProgress = progress if callable(progress) else lambda seed, standing: None
    seeds = [seed + 1 + i for i in range(runs)]
    tasks = [
        {"out": str(path / f"seed-{s}"), "seed": s, "force": force, "go_on": True, **arguments} for s in seeds
    ]
    if jobs == 1:
        for task in tasks:
            report = functools.partial(tell, task["seed"])
            train(game, progress=report, told_memory=told_memory, **task)
    else:
        _run_processes(game, tasks, jobs, tell)
    done = ManyRuns(path, tuple(open_run(task["out"]) for task in tasks))
    _write_summary(done)
    return done


def check_many(game: Game, runs: int, jobs: int, seed: int, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that make no several runs; `train` checks the others."""
    as_seed(as_seed(seed) + as_integer("runs", runs, 1, 100_000))
    if as_integer("jobs", jobs, 1, 1024) > 1:
        _check_known_elsewhere(arguments)
        plugins_for(game)


def _write_summary(done: ManyRuns) -> None:
    folder = RunFolder(done.path)
    rows = [{"seed": run.seed, **row} for run in done.runs for row in RunFolder(run.path).read_log()]
    folder.write_log(rows, "multi.csv")
    folder.write_text("multiTrain.csv", multi_train(done.runs))
    picture = draw_curve(done.runs[0].game, [(run.path.name, run.log) for run in done.runs])
    if picture is not None:
        folder.write_bytes("curve.png", picture)


# ---- processes ----

WORKER = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n"  # until there is something to save
    "from boardlab.learners.many import work; work()"
)


def _check_known_elsewhere(arguments: Mapping[str, Any]) -> None:
    """Refuse names registered in this process: workers do not have them."""
    if PLUGINS:  # the workers run them, too
        return
    features = arguments.get("features")
    exams = f"{arguments.get('exams')} {arguments.get('stop_exam')}"
    words = re.findall(r"[A-Za-z_][\w-]*", exams)
    known = {"evaluator": own_evaluators(), "agent": own_agents(), "exam": own_exams()}
    own = [f'the {kind} "{name}" was' for kind, names in known.items() for name in names if name in words]
    if isinstance(features, str) and features in OWN_FEATURES:
        own.append(f'the features "{features}" were')
    if own:
        raise BoardLabError(
            f"{own[0]} registered in this process, and the processes of jobs do not know them; use jobs=1, "
            "or register them in a file: boardlab --plugin FILE train ... --jobs N"
        )


def _run_processes(game: Game, tasks: Sequence[dict[str, Any]], jobs: int, tell: ManyProgress) -> None:
    """Run workers, which send JSON lines; on an interrupt they save and end."""
    waiting, running = list(tasks), dict[Any, tuple[subprocess.Popen[str], int]]()
    selector = selectors.DefaultSelector()
    failures: list[str] = []
    plugins = plugins_for(game)
    try:
        while (waiting or running) and not failures:
            while waiting and len(running) < jobs:
                task = waiting.pop(0)
                worker = _start_worker({"game": game_table(game), "plugins": plugins, **task})
                running[worker.stdout] = (worker, task["seed"])
                selector.register(worker.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            for key, _ in selector.select():
                stream: Any = key.fileobj
                worker, seed = running[stream]
                line = stream.readline()
                if line and not line.startswith("{"):
                    continue  # printed during an import
                message = json.loads(line) if line.endswith("\n") else None
                if message is None:  # it has ended
                    selector.unregister(stream)
                    del running[stream]
                    if worker.wait() != 0 and not failures:
                        failures.append(f"the run with seed {seed} ended with status {worker.returncode}")
                elif "error" in message:
                    failures.append(message["error"])
                    selector.unregister(stream)
                    del running[stream]
                    worker.communicate()  # it ends by itself
                else:
                    tell(seed, Progress(**message))
    finally:
        for worker, _ in running.values():  # interrupted or failed: they save, then end
            worker.send_signal(signal.SIGINT)
            _close_input(worker)
        for worker, _ in running.values():
            worker.communicate()
        selector.close()
    if failures:
        raise BoardLabError(failures[0])


def _start_worker(task: dict[str, Any]) -> subprocess.Popen[str]:
    # In a session of its own, so that Ctrl-C in the terminal reaches this process first and only once.
    worker = subprocess.Popen(
        worker_command(WORKER),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert worker.stdin is not None
    worker.stdin.write(json.dumps(task, default=os.fspath) + "\n")
    worker.stdin.flush()
    return worker


def _close_input(worker: subprocess.Popen[str]) -> None:
    """Close a worker's input, as it is closed when this process is killed."""
    assert worker.stdin is not None
    with contextlib.suppress(OSError):
        worker.stdin.close()
    worker.stdin = None  # `communicate` must not write to it


def _end_with_parent() -> None:
    """Wait for the end of the parent, then interrupt the worker, even in an exam."""
    while os.read(0, 1024):
        pass
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


def work() -> None:
    """A worker: read one task, train, send progress; Ctrl-C saves and ends it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ended_by_signals() as ending:
        _work(ending)


def _work(ending: Ending) -> None:
    parent, sys.stdout = sys.stdout, sys.stderr  # a plugin's prints must not mix with our messages
    try:
        task = json.loads(sys.stdin.readline())
        threading.Thread(target=_end_with_parent, daemon=True).start()
        table = task.pop("game")
        for path in task.pop("plugins"):
            run_plugin(path)

        def tell(standing: Progress) -> None:
            try:
                print(json.dumps(asdict(standing)), file=parent, flush=True)
            except BrokenPipeError:  # the parent is gone: save and end
                raise KeyboardInterrupt from None

        train(game_from_table(table, load=True), progress=tell, **task)
    except KeyboardInterrupt:
        os._exit(ending.status)  # training has saved
    except Exception as error:
        failure = plugin_failure(error)
        if failure is None and not isinstance(error, BoardLabError):
            raise
        sentence = failure or str(error).splitlines()[0]  # without the place in an expression
        print(json.dumps({"error": sentence}), file=parent, flush=True)
        os._exit(2)  # the parent may close our input before Python has ended
