"""`boardlab cluster status` and --cluster on the command line."""

import os
import subprocess
import sys

import pytest
import ray

import boardlab as bl
from boardlab.jobs.ray_status import status


def boardlab(*words, cwd, **environment):
    command = [sys.executable, "-m", "boardlab", *map(str, words)]
    env = {**os.environ, "COLUMNS": "80", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd, env=env)


def test_status_lists_the_machines(machines, cluster, tmp_path):
    done = boardlab("cluster", "status", machines.address, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, columns, *rows = done.stdout.splitlines()
    assert head.startswith(f"cluster {machines.address}, Ray ") and "with token: 3 machines" in head
    assert head.endswith("0 of 2 cores free") and "BoardLab" in columns
    assert len(rows) == 3 and all(row.rstrip().endswith("ready") for row in rows)


def test_a_wrong_token_is_one_sentence(machines, cluster, tmp_path):
    done = boardlab("cluster", "status", machines.address, cwd=tmp_path, RAY_AUTH_TOKEN="b2" * 32)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert f"no connection to the cluster {machines.address}: it refuses the token here" in line


def test_a_cluster_started_by_the_command_gives_the_same_match(tmp_path):
    words = ("match", "tictactoe", "mcts(iterations=20)", "random", "-n", "20")
    here, there = (boardlab(*words, *more, cwd=tmp_path) for more in ((), ("--cluster", "auto")))
    assert there.returncode == 0, there.stderr
    assert here.stdout.split("thinking time")[0] == there.stdout.split("thinking time")[0]
    assert "ray" not in there.stderr.lower()


def test_an_address_where_nothing_answers_is_one_sentence(tmp_path):
    for words in (
        ("cluster", "status", "127.0.0.1:1"),
        ("match", "nim", "random", "random", "--cluster", "127.0.0.1:1"),
    ):
        done = boardlab(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert (
            done.stderr.strip()
            == "boardlab: no cluster answers at 127.0.0.1:1; start one there: see docs/cluster.md"
        )


def test_a_cluster_that_has_ended_is_one_sentence(tmp_path):
    done = boardlab("cluster", "status", cwd=tmp_path, RAY_ADDRESS="127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr.startswith("boardlab: no cluster runs on this machine; name one, HOST:PORT")


def test_without_a_cluster_status_says_how_to_start_one(monkeypatch):
    def nowhere(*words):
        raise ConnectionError("Could not find any running Ray instance.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)  # an earlier test has joined one
    monkeypatch.setattr(ray._private.services, "canonicalize_bootstrap_address", nowhere)
    with pytest.raises(bl.BoardLabError, match="no cluster runs on this machine; name one"):
        status()
