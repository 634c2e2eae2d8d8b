"""What there is in a Ray cluster, and which machines can work."""

import os
import warnings
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.jobs.foreman import difference, identity
from boardlab.jobs.ray_cluster import answers, check_address, connect, has_token, import_ray, own_signals

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
    has_token: bool
    cores: float
    free: float
    """Cores that nobody uses now."""
    machines: list[Machine]


def about() -> dict[str, str]:
    """The versions on the machine where this is called."""
    return identity()


def status(address: str | None = None) -> ClusterStatus:
    """Ask every machine of a cluster; by default of the one on this machine."""
    if address is not None and address != "auto":
        check_address(address)
    elif not has_token():
        os.environ["RAY_AUTH_MODE"] = "disabled"
    ray = import_ray()
    owns = _connect_here(ray) if address in (None, "auto") else connect(ray, address)
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
        is_closed = has_token() and os.environ.get("RAY_AUTH_MODE") == "token"
        return ClusterStatus(head, ray.__version__, is_closed, cores, free, machines)
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


def _connect_here(ray: Any) -> bool:
    """Connect to the cluster that runs on this machine."""
    if ray.is_initialized():
        return False
    nowhere = "no cluster runs on this machine; name one, HOST:PORT, or start one: see docs/cluster.md"
    try:
        address = ray._private.services.canonicalize_bootstrap_address("auto")
        if address and not answers(address):  # Ray remembers clusters that have ended
            raise BoardLabError(nowhere)
        with own_signals(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ray.init(address=address or "auto", log_to_driver=False, configure_logging=False)
    except ConnectionError:
        raise BoardLabError(nowhere) from None
    except BoardLabError:
        raise
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BoardLabError(f"no connection to the cluster on this machine: {reason}") from None
    return True
