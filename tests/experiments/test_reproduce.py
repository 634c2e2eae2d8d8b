"""Experiments: killed and resumed they end alike, and a folder of another experiment is refused."""

import dataclasses
import importlib.util
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import boardlab
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.experiments import experiment, reproduce
from boardlab.experiments.estimates import mean_of
from boardlab.experiments.reproduce import command
from boardlab.experiments.results import machine
from tests.experiments.tiny import tiny

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The results of the small experiment."""
    return reproduce(tiny(), out=tmp_path_factory.mktemp("done") / "results")


def test_the_folder_holds_every_cell_and_seed_the_table_and_what_it_cost(done):
    assert {path.name for path in done.path.iterdir()} == {
        "experiment.toml",
        "results.csv",
        "table.md",
        "times.csv",
    }
    lines = (done.path / "results.csv").read_text().splitlines()
    assert lines[0] == "agent,seed,wins,draws,losses,games,distinct"
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["learned", "1"], ["learned", "2"], ["early", "1"], ["early", "2"], ["mc", "1"]
    ]  # fmt: skip
    assert done.fresh == 5 and "| learned |" in str(done)
    about = (done.path / "experiment.toml").read_text()
    assert 'experiment = "nobody2026-table0"' in about and "seeds = [1, 2]" in about
    assert (done.path / "times.csv").read_text().count("train learned") == 2


@pytest.mark.parametrize("jobs_done", [1, 3])
def test_killed_and_resumed_it_ends_alike(done, tmp_path, jobs_done):
    command = [sys.executable, "-m", "tests.experiments.tiny", tmp_path / "results", str(jobs_done)]
    killed = subprocess.run(command, cwd=ROOT, timeout=120)
    assert killed.returncode == -signal.SIGKILL
    resumed = reproduce(tiny(), out=tmp_path / "results")
    assert resumed.fresh == 5 - (jobs_done - 1)  # the first job is a training
    for name in ("results.csv", "table.md"):
        ours, theirs = ((folder / name).read_text() for folder in (resumed.path, done.path))
        assert re.sub(r"[\d.]+ CPU minutes", "", ours) == re.sub(r"[\d.]+ CPU minutes", "", theirs)


def test_a_line_cut_by_a_kill_is_measured_again(done, tmp_path):
    again = _copy(done, tmp_path)
    file = again / "results.csv"
    file.write_text(file.read_text()[:-3])
    assert reproduce(tiny(), out=again).fresh == 1
    assert file.read_text() == (done.path / "results.csv").read_text()


def test_more_seeds_extend_a_folder_and_runs_are_kept_where_asked(done, tmp_path):
    again = _copy(done, tmp_path)
    result = reproduce(tiny(), out=again, seeds=3, keep_runs=True)
    assert result.fresh == 2
    (run,) = (again / "runs").iterdir()
    assert (run / "agent.toml").exists() and run.name.endswith("-3")


def test_a_changed_experiment_is_refused_with_what_changed(done, tmp_path):
    again = _copy(done, tmp_path)
    with pytest.raises(BoardLabError, match=r"cell learned was .*games=20.*, now .*games=30"):
        reproduce(tiny(games=30), out=again)
    with pytest.raises(BoardLabError, match="budget was 'quick', now 'full'"):
        reproduce(tiny(), "full", out=again)


def test_a_changed_preset_is_refused(done, tmp_path, monkeypatch):
    from boardlab.learners.ntuple.presets import PRESETS

    monkeypatch.setitem(PRESETS["tictactoe"], "paper", {**PRESETS["tictactoe"]["paper"], "alpha": 0.7})
    with pytest.raises(BoardLabError, match=r"training learned was 'settings \w{8}', now 'settings"):
        reproduce(tiny(), out=_copy(done, tmp_path))


def test_a_training_that_cannot_begin_is_refused_before_anything_is_measured(tmp_path):
    def plan(budget):
        good = tiny().plan(budget)
        bad = dataclasses.replace(good.trainings["learned"], settings={"preset": "paper", "alpa": 1})
        return dataclasses.replace(good, trainings={"learned": bad})

    with pytest.raises(BoardLabError, match='unknown parameter of td-ntuple "alpa"; did you mean "alpha"'):
        reproduce(dataclasses.replace(tiny(), plan=plan), out=tmp_path / "results")
    assert not (tmp_path / "results/results.csv").exists()


def test_another_version_shows_a_finished_folder_but_adds_nothing(done, tmp_path, monkeypatch):
    again = _copy(done, tmp_path)
    monkeypatch.setattr(boardlab, "__version__", "99.0")
    assert "BoardLab 0." in str(reproduce(tiny(), out=again))
    with pytest.raises(BoardLabError, match=r"BoardLab was .*, now 99\.0"):
        reproduce(tiny(), out=again, seeds=3)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BoardLabError, match=r"is not empty and holds no experiment\.toml: notes\.txt"):
        reproduce(tiny(), out=tmp_path)


def test_a_missing_extra_is_named_before_anything_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"needs torch: .*pip install 'boardlab\[az\]'"):
        reproduce(tiny(extras=("az",)), out=tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_finished_folder_is_shown_without_the_extra(done, tmp_path, monkeypatch):
    again = _copy(done, tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert reproduce(tiny(extras=("az",)), out=again).fresh == 0


def test_nets_are_trained_on_the_device_asked_for_except_by_the_preset_that_depends_on_it():
    plan = experiment("church2019-fig6").planned("quick", "cuda")
    devices = {name: training.settings["device"] for name, training in plan.trainings.items()}
    assert devices.pop("boardlab_default") == "cpu"
    assert set(devices.values()) == {"cuda"} and len(devices) == 6
    assert command(experiment("church2019-fig6"), "full", 1, "cuda").endswith("--budget full --device cuda")


def test_a_device_is_refused_where_it_does_not_exist_or_nothing_would_use_it(tmp_path):
    with pytest.raises(BoardLabError, match='unknown device "gpu"'):
        reproduce(tiny(), out=tmp_path / "a", device="gpu")
    with pytest.raises(BoardLabError, match="trains no neural nets"):
        reproduce(tiny(), out=tmp_path / "a", device="cuda")
    assert not (tmp_path / "a").exists()


def test_every_machine_that_measured_is_named(done, tmp_path, monkeypatch):
    again = _copy(done, tmp_path)
    first = machine()
    monkeypatch.setattr("boardlab.experiments.results.machine", lambda: "another, 2 cores")
    assert "another" not in str(reproduce(tiny(), out=again))
    lines = (again / "results.csv").read_text().splitlines(keepends=True)
    (again / "results.csv").write_text("".join(lines[:-1]))
    assert f"BoardLab 0.1.0, {first} and another, 2 cores," in " ".join(
        str(reproduce(tiny(), out=again)).split()
    )


def test_a_failed_cell_keeps_the_others(tmp_path):
    def plan(budget):
        good = tiny().plan(budget)
        bad = dataclasses.replace(good.cells[2], measure=dataclasses.replace(good.cells[2].measure, agents=("nobody", "random")))  # fmt: skip
        return dataclasses.replace(good, cells=[bad, *good.cells[:2]])

    broken = dataclasses.replace(tiny(), plan=plan)
    with pytest.raises(BoardLabError, match='1 job failed, the rest is kept; mc: unknown agent "nobody"'):
        reproduce(broken, out=tmp_path / "results")
    assert len((tmp_path / "results/results.csv").read_text().splitlines()) == 5


def test_seeds_decide_the_interval_and_games_where_seeds_are_alike():
    assert mean_of([0.5, 0.7]).half == pytest.approx(12.7062 * 0.1, rel=1e-3)
    alike = mean_of([1.0, 1.0], 0, 1, count=40)
    assert alike.value == 1 and 0.05 < alike.half < 0.1
    assert not mean_of([]).is_known


def _copy(done, folder):
    shutil.copytree(done.path, folder / "results")
    return folder / "results"
