"""Runs under everyday mistakes: exams after every few episodes, short runs made long, two processes in a folder."""

import pytest

import boardlab as bl

TICTACTOE = bl.game("tictactoe")


def test_exams_after_every_few_episodes(tmp_path):
    """Their chunks are cut short, so that the length of the next one must not follow from the one wanted."""
    run = bl.train(TICTACTOE, episodes=400, out=tmp_path / "run", exam_every=1)
    assert run.is_finished
    assert len(run.log) == 400


def test_a_short_run_that_becomes_long_keeps_its_number_of_exams(tmp_path):
    bl.train(TICTACTOE, episodes=10, out=tmp_path, exam_every=None)
    run = bl.resume(tmp_path, episodes=2000)
    assert [int(row["episodes"]) for row in run.log] == [*range(1, 11), *range(100, 2001, 100)]


def test_an_interval_that_was_given_is_kept(tmp_path):
    bl.train(TICTACTOE, episodes=100, out=tmp_path, exam_every=50)
    run = bl.resume(tmp_path, episodes=300)
    assert [int(row["episodes"]) for row in run.log] == [50, 100, 150, 200, 250, 300]
