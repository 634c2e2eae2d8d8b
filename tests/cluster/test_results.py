"""What comes from a cluster is what comes from this machine, byte for byte."""

import contextlib
import importlib
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import boardlab as bl
from boardlab import jobs
from boardlab.errors import BoardLabError
from boardlab.experiments import reproduce, sweep
from boardlab.jobs import Job, executor_for, job_for
from tests.cluster import kinds  # noqa: F401
from tests.experiments.tiny import tiny

TICTACTOE = bl.game("tictactoe")
AGENTS = ["mcts(iterations=20)", "random"]
SMALL_NET = {"blocks": 1, "channels": 8, "head_filters": 2, "hidden": 8, "simulations": 8, "device": "cpu"}
RUN_FILES = ("agent.toml", "weights.npz")


@contextlib.contextmanager
def not_in_use(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("boardlab.jobs.clusters._IN_USE", [])
        yield


def both(work, monkeypatch):
    """The result here, and on the cluster."""
    with not_in_use(monkeypatch):
        here = work("here")
    return here, work("there")


def contents(folder, names):
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.name in names
    }


def test_a_match_has_the_same_games(cluster, monkeypatch):
    here, there = both(lambda _: bl.match(TICTACTOE, AGENTS, 30, seed=5), monkeypatch)
    assert [record.actions for record in here.records] == [record.actions for record in there.records]
    assert here.wins == there.wins


def test_a_tournament_has_the_same_table_and_goes_on(cluster, monkeypatch, tmp_path):
    def play(where, games=4):
        return bl.tournament(TICTACTOE, [*AGENTS, "mc(iterations=3)"], games=games, store=tmp_path / where)

    here, there = both(play, monkeypatch)
    assert here.text(80).split("time")[0] == there.text(80).split("time")[0]
    assert play("there").fresh == 0


def test_exams_have_the_same_results(cluster, monkeypatch):
    exams = {"games": 10, "seed": 2, "against": "random"}
    here, there = both(lambda _: bl.evaluate_all([*AGENTS], TICTACTOE, **exams), monkeypatch)
    assert str(here) == str(there)
    one = both(lambda _: bl.evaluate_all([AGENTS[0]], TICTACTOE, **exams), monkeypatch)
    assert str(one[0]) == str(one[1])


def test_runs_over_seeds_come_home_with_the_same_files(cluster, monkeypatch, tmp_path):
    settings = {"episodes": 200, "exams": ["random"], "exam_games": 4, "seed": 3, "snapshot_every": 100}
    both(lambda where: bl.train_many(TICTACTOE, 2, out=tmp_path / where, **settings), monkeypatch)
    here, there = (contents(tmp_path / where, RUN_FILES) for where in ("here", "there"))
    assert here == there and len(here) == 2 * 2 * 3
    with not_in_use(monkeypatch):
        resumed = bl.resume(tmp_path / "there" / "seed-4", episodes=300)
    assert resumed.episodes == 300


def test_a_sweep_has_the_same_table(cluster, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys.modules[sweep.__module__], "draw_figure", lambda display, folder: [])
    agents = ["greedy(ntuple(RUN))", "mcts(ntuple(RUN), iterations=5)"]
    settings = {"episodes": 100, "seeds": 2, "exams": "random", "exam_games": 4, "agent": agents}

    def work(where):
        sweep("tictactoe", alpha=[0.5, 1], out=tmp_path / where, **settings)
        return (tmp_path / where / "results.csv").read_text().replace(where, "")

    here, there = both(work, monkeypatch)
    assert here == there and here.count("\n") == 9


def test_an_experiment_of_reproduce_has_the_same_table(cluster, monkeypatch, tmp_path):
    """Its measurements read runs that other jobs trained, perhaps on another machine."""

    def work(where):
        result = reproduce(tiny(), seeds=2, out=tmp_path / where)
        return [{name: row[name] for name in ("agent", "seed", "wins")} for row in result.rows]

    here, there = both(work, monkeypatch)
    assert here == there and len(here) == 5


def test_alphazero_learns_the_same_and_a_killed_node_changes_nothing(
    machines, cluster, monkeypatch, tmp_path
):
    pytest.importorskip("torch")
    settings = {"episodes": 48, "games": 16, "exams": [], "seed": 3, "processes": 3, **SMALL_NET}
    killed = []

    def progress(standing):
        if cluster in jobs.clusters._IN_USE and standing.episodes == 16:
            killed.append(machines.list_all_nodes()[-1])
            machines.remove_node(killed[0], allow_graceful=False)

    def work(where):
        bl.train(TICTACTOE, "alphazero", out=tmp_path / where, progress=progress, **settings)
        return contents(tmp_path / where, RUN_FILES)

    here, there = both(work, monkeypatch)
    assert killed and here == there


# ---- files ----

LOOKING = """
from boardlab.jobs import kind
from tests.cluster import kinds

@kind("look here")
def look(job, context):
    return kinds.look(job, context) | {"code": __file__}
"""


def test_folders_and_modules_travel_and_their_new_content_too(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("boardlab.jobs.job.KINDS", jobs.KINDS.copy())
    (tmp_path / "looking.py").write_text(LOOKING)
    monkeypatch.syspath_prepend(tmp_path)
    looking = importlib.import_module("looking")
    folder = tmp_path / "run"
    folder.mkdir()
    executor = executor_for(1)
    for text in ("first", "second"):
        (folder / "text").write_text(text)
        found = executor.submit(Job("look here", {"folder": str(folder)}, reads=(str(folder),))).result()
        assert found["text"] == text
        assert Path(found["folder"]) != folder and Path(found["code"]) != Path(looking.__file__)


def test_errors_name_files_as_they_are_called_at_home(cluster, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    job = Job("look", {"folder": str(folder)}, reads=(str(folder),))
    with pytest.raises(BoardLabError) as error:
        executor_for(1).submit(job).result()
    assert str(folder / "text") in str(error.value)


def test_weights_travel_once_to_a_machine(cluster, monkeypatch):
    put = []
    monkeypatch.setattr(cluster.ray, "put", lambda value, put_=cluster.ray.put: put.append(1) or put_(value))
    executor = executor_for(1)
    key = executor.share({"weights": np.arange(1000.0)})
    jobs_ = [Job("weigh", seed=seed, shared={"weights": key}) for seed in range(8)]
    with pytest.raises(BoardLabError):  # the value is a table: this shows that it arrived
        executor.submit(jobs_[0]).result()
    executor.forget(key)
    key = executor.share(np.arange(1000.0))
    futures = [executor.submit(Job("weigh", seed=seed, shared={"weights": key})) for seed in range(8)]
    assert {future.result() for future in futures} == {499500.0} and len(put) == 2
    executor.forget(key)
    assert key not in cluster.shared.values and key not in cluster._references


def test_a_stopped_run_is_saved_here_and_goes_on(cluster, tmp_path):
    out = tmp_path / "run"
    from boardlab.learners.jobs import train_job_for

    settings = {"out": str(out), "episodes": 10**7, "exams": [], "learner": "td-ntuple"}
    job = train_job_for(TICTACTOE, settings, 3, here=False, name="long")
    executor, told = executor_for(1), threading.Event()
    executor.submit(job, lambda progress: told.set() if progress.get("episodes", 0) > 0 else None)
    assert told.wait(60)
    executor.stop()
    run = bl.open_run(out)
    assert 0 < run.episodes < 10**7 and (out / "checkpoint.npz").exists()


PLUGIN = '''
import boardlab as bl
import neighbour
from boardlab.jobs import kind

@bl.register_game
class Few(bl.PythonGame):
    """Take one or two; who takes the last wins."""
    name = "few"
    action_count = 2
    heap: int = bl.option(5, "objects", low=1, high=20)
    def initial_state(self, rng): return (self.heap, 0)
    def player(self, position): return position[1] if position[0] else bl.TERMINAL
    def legal(self, position): return list(range(min(2, position[0])))
    def apply(self, position, action): return (position[0] - action - 1, 1 - position[1])
    def scores(self, position): return neighbour.scores(position)

@kind("where the plugin is")
def where(job, context):
    return __file__
'''
NEIGHBOUR = "def scores(position): return (1, -1) if position[1] else (-1, 1)\n"


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    from boardlab.plugins import run_plugin

    monkeypatch.setattr("boardlab.plugins.PLUGINS", [])
    monkeypatch.setattr("boardlab.jobs.job.PLUGINS", [])
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    (tmp_path / "few.py").write_text(PLUGIN)
    monkeypatch.delitem(sys.modules, "neighbour", raising=False)
    run_plugin(str(tmp_path / "few.py"))
    yield tmp_path / "few.py"
    sys.modules.pop("neighbour", None)


def test_a_game_in_python_reaches_the_workers_with_what_it_imports(cluster, plugin, monkeypatch):
    from boardlab.jobs.job import kind_of

    game = bl.game("few", heap=7)
    here, there = both(lambda _: bl.match(game, AGENTS, 10, seed=1), monkeypatch)
    assert [record.actions for record in here.records] == [record.actions for record in there.records]
    job = job_for("where the plugin is", game, {})
    with monkeypatch.context() as patch:
        patch.setitem(
            jobs.KINDS, job.kind, kind_of(job).__class__(job.kind, None, "tests.cluster.kinds", False)
        )
        assert Path(executor_for(1).submit(job).result()) != plugin


def test_a_changed_plugin_is_refused(cluster, plugin):
    game = bl.game("few")
    bl.match(game, AGENTS, 4)
    plugin.write_text(PLUGIN + "# changed\n")
    with pytest.raises(BoardLabError, match=r"few\.py has changed since"):
        bl.match(game, AGENTS, 4)


def test_a_compiled_game_reaches_the_workers(cluster, monkeypatch, tmp_path):
    source = (Path(bl.__file__).parents[1] / "examples" / "c_game" / "countdown.c").read_text()
    game = bl.c_game(source, name="countdown")
    here, there = both(lambda _: bl.match(game, AGENTS, 10, seed=1), monkeypatch)
    assert [record.actions for record in here.records] == [record.actions for record in there.records]
    both(lambda where: bl.train_many(game, 1, out=tmp_path / where, episodes=50, exams=[]), monkeypatch)
    here, there = (contents(tmp_path / where, RUN_FILES) for where in ("here", "there"))
    assert here == there and here
