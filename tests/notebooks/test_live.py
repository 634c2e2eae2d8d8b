"""Notebooks show progress and curves while functions work."""

import boardlab as bl
from boardlab.notebooks import matches
from boardlab.watching import watching

from .fake import FakeNotebook

TICTACTOE = bl.game("tictactoe")


def test_a_match_shows_a_bar_and_its_curve_and_removes_them(monkeypatch):
    notebook = FakeNotebook(monkeypatch)
    monkeypatch.setattr(matches, "PATIENCE", -1.0)  # no wait, and every update is shown
    result = bl.match(TICTACTOE, ["random", "mc(iterations=2)"], games=40, seed=1)
    assert notebook.outputs == 1 and notebook.shown[-1] == {"text/plain": "", "text/html": ""}
    *_, last, _ = notebook.shown
    assert last["text/plain"] == "40 of 40 games" and "points of random" in last["text/html"]
    monkeypatch.undo()
    assert bl.match(TICTACTOE, ["random", "mc(iterations=2)"], games=40, seed=1) == result


def test_a_tournament_shows_a_bar(monkeypatch, tmp_path):
    notebook = FakeNotebook(monkeypatch)
    monkeypatch.setattr(matches, "PATIENCE", -1.0)
    bl.tournament(TICTACTOE, ["random", "mc(iterations=2)"], games=4, store=tmp_path / "s.db")
    assert any("of 4 games" in bundle["text/plain"] for bundle in notebook.shown)


def test_a_short_match_shows_nothing(monkeypatch):
    notebook = FakeNotebook(monkeypatch)
    monkeypatch.setattr(matches, "PATIENCE", 1e9)
    bl.match(TICTACTOE, ["random", "random"], games=2)
    assert not notebook.shown


def test_who_watches_the_progress_himself_gets_no_bar(monkeypatch):
    notebook, counts = FakeNotebook(monkeypatch), []
    monkeypatch.setattr(matches, "PATIENCE", -1.0)
    bl.match(TICTACTOE, ["random", "random"], games=4, progress=counts.append)
    assert not notebook.shown and counts[-1] == 4


def test_training_shows_a_bar_and_a_curve_for_each_exam(monkeypatch, tmp_path):
    notebook = FakeNotebook(monkeypatch)
    bl.train(
        TICTACTOE,
        episodes=40,
        out=tmp_path,
        exams=["random", "mc(iterations=2)"],
        exam_every=10,
        exam_games=2,
    )
    last = notebook.shown[-1]["text/html"]
    assert notebook.outputs == 1 and "40 of 40 episodes" in last and last.count("<svg") == 2


def test_several_runs_show_one_bar(monkeypatch, tmp_path):
    notebook = FakeNotebook(monkeypatch)
    bl.train_many(TICTACTOE, 2, learner="q-table", episodes=10, out=tmp_path)
    assert notebook.outputs == 1 and "2 of 2 runs" in notebook.shown[-1]["text/html"]


def test_nothing_is_shown_outside_notebooks():
    with watching() as watcher:
        assert watcher is None
