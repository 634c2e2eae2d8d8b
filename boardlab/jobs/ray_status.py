"""What there is in a Ray cluster, and which machines can work."""

import contextlib
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.jobs.foreman import difference, identity
from boardlab.jobs.ray_connection import answers, check_address, connect, import_ray, needs_token

ANSWER_SECONDS = 30.0
"""Seconds that a machine has to answer."""


@dataclass(frozen=True)
class Machine:
    """A machine of a cluster."""

    host: str
    cores: float
    gpus: float
    memory: float
    """Bytes that Ray counts with."""
    problem: str
    """Why it cannot work; empty where it can."""


@dataclass(frozen=True)
class ClusterStatus:
    """The machines of a cluster."""

    address: str
    ray: str
    needs_token: bool
    """Whether it lets nobody in without one."""
    cores: float
    free: float
    """Cores that nobody uses now."""
    machines: list[Machine]


def about() -> dict[str, str]:
    """The versions on the machine where this is called."""
    return identity()


def status(address: str | None = None) -> ClusterStatus:
    """Ask every machine of a cluster; by default of the one on this machine."""
    check_address(address or "auto")
    ray = import_ray()
    if address in (None, "auto"):
        address = "" if ray.is_initialized() else _address_here(ray)
    owns = connect(ray, str(address))
    try:
        here = identity()
        alive = [facts for facts in ray.nodes() if facts["Alive"]]
        questions = [_ask(ray, facts["NodeID"]) for facts in alive]
        ray.wait(questions, num_returns=len(questions), timeout=ANSWER_SECONDS)
        machines = [
            Machine(
                facts["NodeManagerHostname"],
                facts["Resources"].get("CPU", 0),
                facts["Resources"].get("GPU", 0),
                facts["Resources"].get("memory", 0),
                _problem(ray, question, here),
            )
            for facts, question in zip(alive, questions, strict=True)
        ]
        cores = ray.cluster_resources().get("CPU", 0)
        free = ray.available_resources().get("CPU", 0)
        head = ray.get_runtime_context().gcs_address
        return ClusterStatus(head, ray.__version__, needs_token(), cores, free, machines)
    finally:
        if owns:
            ray.shutdown()


def _ask(ray: Any, node: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    where = NodeAffinitySchedulingStrategy(node, soft=False)
    return ray.remote(about).options(num_cpus=0, max_retries=0, scheduling_strategy=where).remote()


def _problem(ray: Any, question: Any, here: dict[str, str]) -> str:
    """Why a machine cannot work; empty where it can."""
    done, _ = ray.wait([question], timeout=0)
    if not done:
        return f"no answer in {ANSWER_SECONDS:g} seconds"
    try:
        return difference(here, ray.get(question))
    except Exception as error:
        if "boardlab" in str(error):
            return "has no BoardLab that can join"
        return f"fails: {type(error).__name__}"


def _address_here(ray: Any) -> str:
    """The address of the cluster that runs on this machine."""
    address = None
    with contextlib.suppress(ConnectionError):
        address = ray._private.services.canonicalize_bootstrap_address("auto")
    if not address or not answers(address):  # Ray remembers clusters that have ended
        raise BoardLabError(
            "no cluster runs on this machine; name one, HOST:PORT, or start one: see docs/cluster.md"
        )
    return str(address)
