"""`boardlab runs`: what is listed, and what cleaning leaves."""

import os
import shutil

import pytest
from commands import output, refused

import boardlab as bl
from boardlab.learners.listing import clean_run, list_runs


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    bl.train(bl.game("tictactoe"), episodes=200, out=folder / "a", exams=["random"], exam_games=10, seed=1)
    bl.train(bl.game("nim"), "q-table", episodes=50, out=folder / "deep/b", exams=(), snapshot_every=20)

    def stop(standing):
        return standing.episodes >= 10

    bl.train(bl.game("nim"), episodes=10**6, out=folder / "c", exams=(), progress=stop)
    for age, name in enumerate(["c", "deep/b", "a"]):
        for file in (folder / name).rglob("*"):
            os.utime(file, (1e9 - age, 1e9 - age))
    return folder


@pytest.fixture
def folder(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "runs")


def names(found):
    return [line.path.name for line in found.lines]


def test_runs_are_found_sorted_and_filtered(folder):
    assert names(list_runs(folder)) == ["c", "b", "a"]
    assert names(list_runs(folder, sort="path")) == ["a", "c", "b"]
    assert names(list_runs(folder, sort="episodes"))[0] == "a"
    sizes = [line.size for line in list_runs(folder, sort="size").lines]
    assert sizes == sorted(sizes, reverse=True)
    assert names(list_runs(folder, game="nim", learner="q-table")) == ["b"]
    assert names(list_runs(folder, game="hex")) == []
    for filters, words in (({"game": "nom"}, 'did you mean "nim"'), ({"learner": "q-tabel"}, '"q-table"')):
        with pytest.raises(bl.BoardLabError, match=words):
            list_runs(folder, **filters)


def test_a_line_says_how_far_a_run_is(folder):
    lines = {line.path.name: line for line in list_runs(folder).lines}
    cells = lines["a"].cells(folder)
    assert cells[:4] == ["a", "tictactoe", "td-ntuple", "200 (finished)"] and cells[4].startswith("random ")
    assert lines["b"].cells(folder)[:2] == ["deep/b", "nim"]
    assert lines["c"].state == "0%" and lines["c"].last_exam == ""


def test_a_folder_that_cannot_be_opened_is_listed_with_the_reason(folder):
    (folder / "c" / "agent.toml").write_text("nothing")
    (broken,) = [line for line in list_runs(folder).lines if line.run is None]
    assert broken.path.name == "c" and "agent.toml" in broken.problem


def test_a_clean_run_plays_and_says_that_it_cannot_go_on(folder):
    run = bl.open_run(folder / "a")
    before = run.agent().act(run.game.initial_state()).values
    assert clean_run(run) > 1000
    again = bl.open_run(folder / "a")
    assert (again.episodes, again.log, again.seconds) == (run.episodes, run.log, run.seconds)
    assert again.agent().act(run.game.initial_state()).values == before
    with pytest.raises(bl.BoardLabError, match="plays, but cannot go on"):
        bl.resume(folder / "a", episodes=300)
    with pytest.raises(bl.BoardLabError, match="is not finished"):
        clean_run(folder / "c")
    assert [line.path.name for line in list_runs(folder).cleanable()] == ["b"]


def test_the_command_lists_and_cleans_after_asking(folder):
    text = output("runs", folder)
    assert "tictactoe" in text and "(finished)" in text and "3 runs, " in text
    assert "checkpoint.npz" in [file.name for file in (folder / "a").iterdir()]
    size = (folder / "a" / "checkpoint.npz").stat().st_size
    output("runs", folder, "--clean", given="n\n")
    assert (folder / "a" / "checkpoint.npz").stat().st_size == size
    assert "freed " in output("runs", folder, "--clean", given="y\n")
    assert (folder / "a" / "checkpoint.npz").stat().st_size < size
    assert "nothing to clean" in output("runs", folder, "--clean", "--yes")
    assert "no runs below" in output("runs", folder / "deep" / "b" / "snapshots" / "20", "--game", "hex")


def test_mistakes_are_sentences(folder, tmp_path):
    assert "there is no folder" in refused("runs", tmp_path / "none")
    assert 'unknown order "dat"; did you mean "date"' in refused("runs", folder, "--sort", "dat")
