"""`boardlab reproduce`: the list, a run, and mistakes as one sentence."""

import importlib

import pytest

from boardlab.experiments import experiment_names, registry, reproduce
from tests.experiments.tiny import tiny

COMMAND = importlib.import_module("boardlab.cli.reproduce")
RUNNER = importlib.import_module("boardlab.experiments.reproduce")


@pytest.fixture
def small(monkeypatch):
    """The small experiment of the tests under its name."""
    known = registry.experiment

    def look_up(name):
        return tiny() if name == "nobody2026-table0" else known(name)

    monkeypatch.setattr(COMMAND, "experiment", look_up)
    monkeypatch.setattr(RUNNER, "experiment_of", look_up)


def test_the_list_has_every_experiment_and_what_is_done_here(boardlab, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(COMMAND, "experiment_names", lambda: ("nobody2026-table0",))
    assert "0 min" in boardlab("reproduce")[1]
    reproduce(tiny(), seeds=1)
    assert "quick 3 of 5 cells" in " ".join(boardlab("reproduce")[1].split())
    reproduce(tiny())
    assert "quick done" in " ".join(boardlab("reproduce")[1].split())


def test_an_experiment_runs_and_shows_its_table_again(boardlab, small, tmp_path):
    words = ("reproduce", "nobody2026-table0", "--out", tmp_path / "results", "--jobs", 1)
    status, said, _ = boardlab(*words)
    assert status == 0 and "# Table 0 of Nobody (2026)" in said and "| learned |" in said
    again = boardlab(*words)[1]
    assert again.partition("# Table")[2] == said.partition("# Table")[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["scheiermann2022-tabel2"], 'unknown experiment "scheiermann2022-tabel2"; did you mean'),
        (["scheiermann2022-table2", "--budget", "ful"], 'unknown budget "ful"; did you mean "full"?'),
        (["nobody2026-table0", "--seeds", "0"], "seeds must be a whole number from 1"),
        (["nobody2026-table0", "--jobs", "none"], "--jobs must be a whole number"),
    ],
)
def test_a_mistake_is_one_sentence(boardlab, small, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    status, _, error = boardlab("reproduce", *words)
    assert status == 2 and sentence in error and "Traceback" not in error
    assert not list(tmp_path.iterdir())


def test_names_are_those_of_the_folders_and_files():
    assert {"scheiermann2022-table2", "wang2021thesis-qm", "konen2022-final-adaptation"} <= set(
        experiment_names()
    )
