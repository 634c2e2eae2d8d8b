"""A Ray cluster of a head and two nodes on this machine, which all tests of this folder share."""

import os
import time

import pytest

from boardlab.jobs.ray_cluster import RayCluster
from boardlab.jobs.ray_connection import QUIET

os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a1" * 32, **QUIET}  # Ray reads them when imported
ray = pytest.importorskip("ray", reason="these tests need Ray: make test-cluster installs it")

STORE = 80_000_000


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/cluster/" in str(item.path):
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def machines():
    """The cluster itself: nodes are added to it and removed."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    yield made
    ray.shutdown()
    made.shutdown()


def add_node(machines):
    return machines.add_node(num_cpus=1, object_store_memory=STORE)


@pytest.fixture(scope="session")
def connected(machines):
    """The jobs' side of the cluster."""
    for _ in range(2):
        add_node(machines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boardlab.jobs.ray_cluster.BUSY_SECONDS", 300.0)
        made = RayCluster(machines.address)
    yield made
    made.close()


@pytest.fixture
def cluster(machines, connected, monkeypatch):
    """The cluster with two nodes that work, in use."""
    while len(machines.worker_nodes) < 2:
        add_node(machines)
    wait_for(lambda: len(connected.nodes) == 2, connected)
    connected.lost = connected.late = 0
    monkeypatch.setattr("boardlab.jobs.clusters._IN_USE", [connected])
    yield connected
    connected.patience = 60.0


def wait_for(condition, cluster):
    """Wait for what the cluster notices by itself."""
    end = time.monotonic() + 300  # other programs may be at work
    with cluster._changed:
        while not condition():
            assert time.monotonic() < end
            cluster._changed.wait(0.1)
