"""An executor of jobs on a Ray cluster.

Each machine of the cluster runs one actor, a foreman (ray_node.py) with a process for every core. This end
knows the jobs: a lost one runs again elsewhere, and only the answer to its last start counts.
"""

import contextlib
import itertools
import os
import threading
import time
import warnings
from collections import OrderedDict, deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boardlab.errors import BoardLabError, BoardLabWarning
from boardlab.jobs.clusters import ClusterLostError, SharedValues
from boardlab.jobs.executor import JobExecutor
from boardlab.jobs.foreman import difference, identity, task_of
from boardlab.jobs.job import Job, Tell
from boardlab.jobs.messages import decoded, digest, encoded
from boardlab.jobs.processes import ATTEMPTS, ERRORS, StoppedError, WorkerDiedError, importable
from boardlab.jobs.ray_connection import (
    LastWords,
    answers,
    check_address,
    connect,
    import_ray,
    own_signals,
)
from boardlab.jobs.travel import Packer, bring_home
from boardlab.numbers import counted
from boardlab.runs import RunFolder

PATIENCE = 60.0
"""Seconds without an answer after which a machine counts as dead, and the least a job may take."""
BUSY_SECONDS = 60.0
"""Seconds that a command waits for the first machine that is free."""
JOIN_SECONDS = 10.0
"""Seconds that the first machine of a new cluster may take to join it."""
WRITING = 20
"""How many times longer a training run may be silent: it takes exams on the way."""
LATE = 10
"""A job is late after this many times what the slowest of its kind took for as much work."""
LOOK_SECONDS = 2.0
"""Seconds between looks at the machines."""
LISTEN_SECONDS = 0.5
"""Seconds that a thread waits in Ray before it looks whether the cluster was closed."""
SAVE_SECONDS = 60.0
"""Seconds that stopped jobs have to save."""
MOST_CONTENT = 1 << 28
"""Bytes of files that stay in Ray's store for later jobs."""


@dataclass(eq=False)
class _Task:
    """A job that is not finished."""

    job: Job
    future: "Future[Any]"
    tell: Tell
    owner: "View"
    claims: contextlib.ExitStack
    """Keeps other processes from the folders that the job writes."""
    guard: threading.Lock = field(default_factory=threading.Lock)
    """Held while the files that it brings are written."""
    number: int = -1
    """Of the present start; answers to earlier ones are dropped."""
    deaths: int = 0
    delays: int = 0
    sign: float = 0.0
    """When it last gave a sign of work; 0 before the start."""

    @property
    def name(self) -> str:
        return self.job.name or f"a job of kind {self.job.kind}"


@dataclass(eq=False)
class _Node:
    """A machine of the cluster."""

    key: str
    host: str
    slots: int
    actor: Any
    running: dict[int, _Task] = field(default_factory=dict)
    is_ready: bool = False
    beat: Any = None
    """The question that it has not answered yet."""
    asked: float = 0.0


class RayCluster:
    """The machines of a Ray cluster, and the jobs that run there."""

    def __init__(self, address: str = "auto", patience: float = PATIENCE) -> None:
        self.address, self.patience = address, patience
        check_address(address)
        self.ray = import_ray()
        self._identity = identity()
        self._owns_ray = connect(self.ray, address)
        self._last_words = LastWords()
        self._head = self.ray.get_runtime_context().gcs_address
        self._packer = Packer()
        self._references: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        """What was put into Ray's store: shared values and files, with their sizes; 0 for values."""
        self.shared = SharedValues()
        self._waiting: deque[_Task] = deque()
        self._nodes: dict[str, _Node] = {}
        self.refused: dict[str, str] = {}
        """Why machines are not used, by their names."""
        self._lost_nodes: set[str] = set()
        self._died: dict[str, int] = {}
        """By machine, how often its actor died since a job ended there."""
        self.lost = self.late = 0
        """Jobs that ran again: after a death, and after a deadline."""
        self.failure: BoardLabError | None = None
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._is_closed = False
        self._closing = threading.Event()
        self._listening: list[threading.Thread] = []
        self._watching: threading.Thread | None = None
        self._look_for_nodes()
        self._wait_for_a_node()
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._watching.start()

    # ---- what there is ----

    @property
    def workers(self) -> int:
        """How many jobs run at once."""
        with self._lock:
            return max(1, sum(node.slots for node in self._nodes.values() if node.is_ready))

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """The machines in use, each with the jobs that it runs at once."""
        with self._lock:
            return [(node.host, node.slots) for node in self._nodes.values() if node.is_ready]

    def facts(self) -> list[str]:
        """What progress shows."""
        with self._lock:
            ready = sum(node.is_ready for node in self._nodes.values())
            return [
                counted(ready, "nodes") if ready else "no node: waiting for one",
                *([f"{counted(self.lost, 'jobs')} lost and repeated"] if self.lost else []),
                *([f"{counted(self.late, 'jobs')} late and repeated"] if self.late else []),
            ]

    # ---- nodes ----

    def _look_for_nodes(self) -> None:
        """Start an actor on machines that are new."""
        for facts in self.ray.nodes():
            key, resources = facts["NodeID"], facts["Resources"]
            slots = int(resources.get("CPU", 0))
            if not facts["Alive"]:
                self._lost_nodes.add(key)
            elif slots and key not in self._nodes and key not in self._lost_nodes:
                self._add_node(key, facts["NodeManagerHostname"], slots, resources.get("GPU", 0))

    def _add_node(self, key: str, host: str, slots: int, gpus: float) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from boardlab.jobs.ray_node import Node

        # What Ray sets for its own workers would change what ours compute with.
        environment = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
        actor = (
            self.ray.remote(Node)
            .options(
                num_cpus=slots,
                num_gpus=gpus,
                max_concurrency=16,
                max_restarts=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(key, soft=False),
            )
            .remote(slots, environment)
        )
        node = _Node(key, host, slots, actor)
        with self._lock:
            self._nodes[key] = node
        listening = threading.Thread(target=self._listen, args=(node,), daemon=True)
        self._listening = [thread for thread in self._listening if thread.is_alive()] + [listening]
        listening.start()

    def _listen(self, node: _Node) -> None:
        """Read what a machine tells until it is gone."""
        try:
            answer = node.actor.about.remote()
            if not self._comes(answer):
                return
            about = self._read(answer)
            if reason := difference(self._identity, about):
                self._refuse(node, f"{node.host} {reason}: install the same version there")
                return
            with self._lock:
                node.host, node.is_ready = about["host"], True
                self._changed.notify_all()
                self._dispatch()
            stream = node.actor.events.options(num_returns="streaming").remote()
            while self._comes(stream):
                self._hear(node, decoded(self._read(next(stream))))
        except Exception as error:  # whatever went wrong, its jobs must run elsewhere
            if _misses_boardlab(error):
                self._refuse(
                    node, f"{node.host} has no BoardLab that can join: install {_wanted(self._identity)}"
                )
            else:
                self._lose(node)

    def _comes(self, awaited: Any) -> bool:
        """Wait for what a machine sends; False once the cluster is closed.

        A thread that still asks after `ray.shutdown` ends this process: Ray calls `_exit(1)` then.
        """
        while not self._closing.is_set():
            if self.ray.wait([awaited], timeout=LISTEN_SECONDS, fetch_local=False)[0]:
                return True
        return False

    def _read(self, reference: Any) -> Any:
        """Fetch what has come; None once the cluster is closed."""
        while not self._closing.is_set():
            with contextlib.suppress(self.ray.exceptions.GetTimeoutError):
                return self.ray.get(reference, timeout=LISTEN_SECONDS)
        return None

    def _refuse(self, node: _Node, reason: str) -> None:
        with self._lock:
            self.refused[node.host] = reason
            self._lost_nodes.add(node.key)
            self._nodes.pop(node.key, None)
            self._changed.notify_all()
        with contextlib.suppress(Exception):
            self.ray.kill(node.actor)
        if self._nodes:
            warnings.warn(f"a machine is not used: {reason}", BoardLabWarning, stacklevel=2)

    def _wait_for_a_node(self) -> None:
        """Wait until a machine is ready; refuse a cluster without any."""
        with self._lock:
            begin = time.monotonic()
            while not any(node.is_ready for node in self._nodes.values()):
                patience = BUSY_SECONDS if self._nodes else 0.0 if self.refused else JOIN_SECONDS
                if time.monotonic() - begin < patience:
                    self._changed.wait(0.5)
                    self._look_for_nodes()
                    continue
                reasons = "; ".join(self.refused.values())
                if not reasons:
                    reasons = (
                        "its cores are all in use" if self._nodes else "no machine in it has cores to work"
                    )
                break
            else:
                return
        self.close()
        raise BoardLabError(f"the cluster {self.address} cannot be used: {reasons}")

    def _lose(self, node: _Node) -> None:
        """Run the jobs of a machine that is gone again."""
        with self._lock:
            if self._nodes.pop(node.key, None) is None or self._is_closed:
                return
            self._died[node.key] = self._died.get(node.key, 0) + 1
            if self._died[node.key] >= ATTEMPTS:  # its actor dies again and again
                self._lost_nodes.add(node.key)
            tasks, node.running = list(node.running.values()), {}
            failed = []
            for task in tasks:
                task.deaths += 1
                self.lost += 1
                if task.deaths >= ATTEMPTS:
                    failed.append(task)
                else:
                    self._again(task)
            self._dispatch()
        with contextlib.suppress(Exception):
            self.ray.kill(node.actor)
        for task in failed:
            text = f"{task.name}: its machine died, {ATTEMPTS} times"
            self._settle(task, error=WorkerDiedError(text))

    def _again(self, task: _Task) -> None:
        """Queue a job again, before all others: some may wait for it."""
        with task.guard:  # not while its files are written
            task.number, task.sign = -1, 0.0
        if task.owner.is_stopped:
            self._settle(task, error=StoppedError())
        else:
            self._waiting.appendleft(task)

    def _watch(self) -> None:
        """Look at the machines again and again."""
        silent = 0
        while not self._is_closed and self.failure is None:
            if self._closing.wait(min(LOOK_SECONDS, self.patience / 4)):
                return
            silent = 0 if answers(self._head) else silent + 1
            if silent >= 3:
                self._fail(ClusterLostError(self._head))
                return
            if silent:
                continue
            with contextlib.suppress(Exception):  # of a head that dies at this moment
                self._look_for_nodes()
                self._ask_nodes()
                self._check_deadlines()

    def _ask_nodes(self) -> None:
        """Ask every machine whether it lives; one that does not answer for long counts as dead."""
        now = time.monotonic()
        for node in list(self._nodes.values()):
            if not node.is_ready:
                continue
            if node.beat is not None:
                done, _ = self.ray.wait([node.beat], timeout=0)
                if not done:
                    if now - node.asked > self.patience:
                        self._lose(node)
                    continue
            node.beat, node.asked = node.actor.beat.remote(), now

    def _check_deadlines(self) -> None:
        """Run jobs again that are much later than others of their kind."""
        now = time.monotonic()
        with self._lock:
            for node in self._nodes.values():
                for number, task in list(node.running.items()):
                    limit = task.owner.limit(task)
                    if limit is None or not task.sign or now - task.sign < limit:
                        continue
                    del node.running[number]
                    task.delays += 1
                    self.late += 1
                    node.actor.cancel.remote(number, True)
                    self._again(task)
            self._dispatch()

    def _fail(self, error: BoardLabError) -> None:
        """Give up: no job can end any more."""
        with self._lock:
            self.failure = error
            tasks = [task for node in self._nodes.values() for task in node.running.values()]
            tasks += self._waiting
            self._waiting.clear()
            self._nodes.clear()
        for task in tasks:
            self._settle(task, error=error)

    # ---- jobs ----

    def submit(self, owner: "View", job: Job, tell: Tell | None) -> "Future[Any]":
        """Queue a job for the next free worker."""
        if self.failure is not None:
            raise self.failure
        importable(job)
        claims = contextlib.ExitStack()
        for folder in job.writes:
            claims.enter_context(RunFolder(folder).claimed())
        task = _Task(job, Future(), tell or (lambda _: None), owner, claims)
        with self._lock:
            owner.tasks.add(task)
            self._waiting.append(task)
            self._dispatch()
        return task.future

    def _dispatch(self) -> None:
        """Give jobs to free workers; the lock is held."""
        while self._waiting:
            free = [node for node in self._nodes.values() if node.is_ready and len(node.running) < node.slots]
            if not free:
                return
            node = max(free, key=lambda node: node.slots - len(node.running))
            task = self._waiting.popleft()
            if task.future.cancelled():
                self._close_task(task)
                continue
            task.number = next(self._numbers)
            node.running[task.number] = task
            self._send(node, task, {})

    def _send(self, node: _Node, task: _Task, supplies: Mapping[str, Any]) -> None:
        """Send a job to a machine, with references to what that lacks."""
        try:
            baggage = importable(task.job)
            trees = self._packer.trees(task.job, baggage.module)
            message = encoded(task_of(task.job, baggage.module, baggage.saves, trees, self.shared.forgotten))
        except (BoardLabError, OSError, TypeError, ValueError) as error:  # a value that no message can hold
            node.running.pop(task.number, None)
            text = error if isinstance(error, BoardLabError) else BoardLabError(str(error))
            threading.Thread(target=self._settle, args=(task, None, text)).start()
            return
        # The references are inside a table, or Ray would fetch the values before the call.
        node.actor.submit.remote(task.number, message, dict(supplies))

    def _hear(self, node: _Node, event: dict[str, Any]) -> None:
        """Take what a machine tells about a job."""
        with self._lock:
            task = node.running.get(event["number"])
            if task is None:  # it was started again elsewhere
                return
            if "lacks" in event:
                self._supply(node, task, event["lacks"])
                return
            now, is_end = time.monotonic(), "home" not in event and "progress" not in event
            if task.sign and "home" not in event:
                task.owner.note_gap(task, now - task.sign, is_end)
            if "progress" in event:
                task.sign = now
            if is_end:
                del node.running[event["number"]]
                self._died.pop(node.key, None)
                self._dispatch()
        if not is_end:
            self._pass_on(node, task, event)
        elif "result" in event:
            self._settle(task, event["result"])
        elif "stopped" in event:
            self._settle(task, error=StoppedError())
        else:
            kind = WorkerDiedError if event["type"] == "died" else ERRORS.get(event["type"], BoardLabError)
            self._settle(task, error=kind(event["error"]))

    def _pass_on(self, node: _Node, task: _Task, event: dict[str, Any]) -> None:
        """Pass on progress, or write the files that a job brings; its owner may fail at that."""
        try:
            if "progress" in event:
                task.tell(event["progress"])
                return
            with task.guard:
                if task.number == event["number"]:
                    bring_home(event["home"], event)
        except Exception as error:
            with self._lock:
                node.running.pop(event["number"], None)
                node.actor.cancel.remote(event["number"], True)
                self._dispatch()
            self._settle(task, error=error)

    def _supply(self, node: _Node, task: _Task, keys: list[str]) -> None:
        """Send a job again with what its machine lacks."""
        try:
            self._send(node, task, {key: self._reference(key) for key in keys})
        except Exception as error:  # a file has changed, or its owner forgot the value meanwhile
            node.running.pop(task.number, None)
            threading.Thread(target=self._settle, args=(task, None, error)).start()

    def _reference(self, key: str) -> Any:
        """The reference to a file or a shared value in Ray's store, which gets it if necessary."""
        if key in self._references:
            self._references.move_to_end(key)
            return self._references[key][0]
        is_file = key.startswith("file ")
        content = self._packer.content(key) if is_file else encoded(self.shared.values[key])
        reference = self.ray.put(content)
        self._references[key] = reference, content.nbytes if is_file else 0
        while sum(size for _, size in self._references.values()) > MOST_CONTENT:
            oldest = next(key for key, (_, size) in self._references.items() if size)
            if oldest == key:
                break
            del self._references[oldest]
        return reference

    def _settle(self, task: _Task, result: Any = None, error: BaseException | None = None) -> None:
        """Finish a job, once."""
        self._close_task(task)
        with contextlib.suppress(Exception):  # it was cancelled meanwhile
            if error is None:
                task.future.set_result(result)
            else:
                task.future.set_exception(error)

    def _close_task(self, task: _Task) -> None:
        with self._lock:
            task.owner.tasks.discard(task)
            self._changed.notify_all()
        task.claims.close()

    def forget(self, key: str) -> None:
        """Free a shared value, here and on the machines, unless another command needs it."""
        with self._lock:
            if self.shared.drop(key):
                self._references.pop(key, None)

    def cancel(self, owner: "View") -> None:
        """End the jobs of an owner, which may save first, and wait for that."""
        with self._lock:
            for task in [task for task in self._waiting if task.owner is owner]:
                self._waiting.remove(task)
                task.future.cancel()
                self._close_task(task)
            for node in self._nodes.values():
                for number, task in node.running.items():
                    if task.owner is owner:
                        node.actor.cancel.remote(number, False)
            end = time.monotonic() + SAVE_SECONDS
            while owner.tasks and self.failure is None and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)

    def close(self) -> None:
        """End the work on all machines and leave the cluster."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            nodes, self._nodes = list(self._nodes.values()), {}
        self._closing.set()
        if self._watching is not None:
            self._watching.join(10)
        if self.failure is None:
            with contextlib.suppress(Exception):
                endings = [node.actor.close.remote() for node in nodes if node.is_ready]
                if endings:
                    self.ray.wait(endings, num_returns=len(endings), timeout=10)
                for node in nodes:
                    self.ray.kill(node.actor)
        for thread in self._listening:
            thread.join(10)
        self._references.clear()
        if self._owns_ray:
            with own_signals(), contextlib.suppress(Exception):
                self.ray.shutdown()
        self._last_words.close()

    def executor(self) -> "View":
        """An executor of jobs for one command."""
        return View(self)


class View(JobExecutor):
    """The jobs of one command on a cluster, which goes on afterwards."""

    def __init__(self, cluster: RayCluster) -> None:
        super().__init__()
        self.cluster = cluster
        self.tasks: set[_Task] = set()
        self.is_stopped = False
        self._slowest: dict[str, float] = {}
        """By kind, the most seconds without a sign, for a job of size 1."""

    @property
    def workers(self) -> int:  # type: ignore[override]
        """How many jobs run at once; grows and shrinks with the cluster."""
        return self.cluster.workers

    @property
    def capacity(self) -> int:  # type: ignore[override]
        """How many jobs to submit before the first is finished."""
        return 2 * self.cluster.workers

    def facts(self) -> list[str]:
        """What progress shows beside the jobs."""
        return self.cluster.facts()

    def submit(self, job: Job, /, tell: Tell | None = None) -> "Future[Any]":  # type: ignore[override]
        """Queue a job."""
        if self.is_stopped:
            raise RuntimeError("the executor was shut down")
        return self.cluster.submit(self, job, tell)

    def share(self, value: Any) -> str:
        """Keep a plain value, which travels to each machine at most once."""
        key = digest(value)
        if key not in self.values:
            self.values[key] = value
            self.cluster.shared.add(key, value)
        return key

    def forget(self, key: str) -> None:
        """Free a shared value."""
        if self.values.pop(key, None) is not None:
            self.cluster.forget(key)

    def note_gap(self, task: _Task, seconds: float, is_end: bool) -> None:
        """Measure how long a job gave no sign."""
        kind, each = task.job.kind, seconds / task.job.size
        if is_end or not task.job.writes:
            self._slowest[kind] = max(self._slowest.get(kind, 0.0), each)

    def limit(self, task: _Task) -> float | None:
        """Seconds without a sign after which a job is late; None as long as nothing was measured."""
        slowest = self._slowest.get(task.job.kind)
        if slowest is None:
            return None
        least = self.cluster.patience * (WRITING if task.job.writes else 1)
        return float(max(least, LATE * slowest * task.job.size) * 4**task.delays)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the submitted jobs; with `cancel_futures`, end them."""
        if cancel_futures:
            return self.stop()
        self.is_stopped = wait
        with self.cluster._changed:
            while wait and self.tasks:
                self.cluster._changed.wait(1.0)
        if wait:
            self._forget_all()

    def stop(self) -> None:
        """End the jobs of this command."""
        self.is_stopped = True
        self.cluster.cancel(self)
        self._forget_all()

    def _forget_all(self) -> None:
        for key in list(self.values):
            self.forget(key)


def _misses_boardlab(error: Exception) -> bool:
    text = f"{error} {getattr(error, 'cause', '')}"
    return "No module named 'boardlab" in text or "boardlab.jobs.ray_node" in text


def _wanted(known: Mapping[str, str]) -> str:
    return f"BoardLab {known['boardlab']} there, with the extra ray"
