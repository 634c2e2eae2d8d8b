"""`boardlab compare`: what differs, and by how much."""

import dataclasses
import math

import pytest
from commands import output, refused

import boardlab as bl
from boardlab.learners.compare import Compared, at_equal_time, compare

GAME = bl.game("tictactoe")
EXAM = {"exams": ["random"], "exam_games": 20, "exam_every": 100}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs")
    bl.train(GAME, episodes=300, out=path / "a", seed=1, **EXAM)
    bl.train(GAME, "q-table", episodes=200, out=path / "b", seed=1, **EXAM)
    bl.train_many(GAME, 3, episodes=200, out=path / "many", **EXAM)
    bl.train_many(GAME, 3, episodes=200, out=path / "slow", alpha=1e-4, **EXAM)
    bl.train(bl.game("nim"), "q-table", episodes=20, out=path / "nim", exams=())
    return path


def value(run, episodes):
    return next(row["random"] for row in run.log if row["episodes"] == episodes)


def test_two_runs_are_compared_by_the_intervals_of_their_exams(folder):
    found = compare(folder / "a", folder / "b")
    a, b = (bl.open_run(folder / name) for name in "ab")
    equal = found.differences[0]
    assert equal.at == "200 episodes" and equal.value == value(a, 200) - value(b, 200)
    halves = [next(row["random interval"] for row in run.log if row["episodes"] == 200) for run in (a, b)]
    assert equal.half == pytest.approx(math.hypot(*halves)) and "not paired" in equal.how
    assert found.settings["learner"] == ["td-ntuple", "q-table"]
    assert found.settings["episodes"] == ["300", "200"] and "seed" not in found.settings


def test_equal_time_is_the_last_exam_that_both_reached_in_it(folder):
    run = bl.open_run(folder / "a")

    def entrant(*rows):
        log = [
            {"episodes": e, "seconds": s, "random": v, "random error": 0.1, "random interval": 0.3}
            for e, s, v in rows
        ]
        return Compared("x", (dataclasses.replace(run, log=log),))

    fast, slow = (
        entrant((10, 1.0, 0.2), (20, 2.0, 0.4), (30, 3.0, 0.9)),
        entrant((5, 1.5, 0.1), (6, 2.5, 0.3)),
    )
    found = at_equal_time("random", fast, slow)
    assert (found.at, found.value) == ("2.5 s of training", pytest.approx(0.4 - 0.3))
    assert at_equal_time("random", entrant((10, 9.0, 0.2)), slow) is None


def test_runs_over_seeds_are_paired(folder):
    found = compare(folder / "many", folder / "slow")
    pairs = [
        value(bl.open_run(folder / "many" / f"seed-{s}"), 200)
        - value(bl.open_run(folder / "slow" / f"seed-{s}"), 200)
        for s in (1, 2, 3)
    ]
    first = found.differences[0]
    assert first.value == pytest.approx(sum(pairs) / 3) and "3 pairs of runs with the same seed" in first.how
    assert list(found.settings) == ["alpha"]


def test_a_run_is_compared_with_runs_over_seeds(folder):
    assert compare(folder / "a", folder / "many").differences


@pytest.mark.parametrize("name", ["curves.png", "curves.svg", "curves.pdf"])
def test_curves_are_drawn(folder, tmp_path, name):
    pytest.importorskip("matplotlib")
    file = compare(folder / "a", folder / "many").draw(tmp_path / name)
    assert file.stat().st_size > 2000


def test_the_command_prints_and_draws(folder, tmp_path):
    text = output("compare", folder / "a", folder / "b", "--match", 10)
    assert "learner" in text and "q-table" in text and "10 games" in text
    assert "random at 200 episodes" in text


def test_mistakes_are_sentences(folder, tmp_path):
    assert "two runs or more" in refused("compare", folder / "a")
    assert 'plays boardlab.game("nim")' in refused("compare", folder / "a", folder / "nim")
    assert "--out must end in .png" in refused("compare", folder / "a", folder / "b", "--out", "x.txt")
    assert "agent.toml" in refused("compare", folder / "a", tmp_path)
    with pytest.raises(bl.BoardLabError, match="nothing to draw"):
        compare(folder / "nim", folder / "nim").draw(tmp_path / "x.png")
