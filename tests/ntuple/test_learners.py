"""What every learner's runs have in common: exams, early stop, several runs, going on, looking inside."""

import csv

import numpy as np
import pytest

import boardlab as bl
from boardlab.evaluators.ntuple import PER_ACTION
from boardlab.learning import LEARNERS, train_many

TICTACTOE, CUBE = bl.game("tictactoe"), bl.game("rubiks", twists=2)
SMALL = {
    "alphazero": {
        "games": 100,
        "parallel": 100,
        "simulations": 4,
        "blocks": 0,
        "channels": 8,
        "exam_simulations": 4,
        "threads": 1,
        "device": "cpu",
    },
    "davi": {},
    "davi-net": {"walks": 100, "first": 16, "width": 16, "exam_width": 2, "threads": 1, "device": "cpu"},
}
SMALL["random-walk"] = SMALL["davi-net"]


def small(learner):
    """Settings that make a learner quick."""
    if "device" in SMALL.get(learner, {}):
        pytest.importorskip("torch")
    return SMALL.get(learner, {})


def game_of(learner):
    return CUBE if learner in ("davi", "davi-net", "random-walk") else TICTACTOE


def train(learner, path, episodes=400, **more):
    return bl.train(game_of(learner), learner, episodes=episodes, out=path, seed=7, exam_games=20, **more)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_exams_and_stops_early(learner, tmp_path):
    exam, passed = ("twists20", "twists50") if game_of(learner) is CUBE else ("perfect", "random")
    run = train(learner, tmp_path, 4000, exams=[exam], stop_exam=passed, stop_at=-1.0, exam_every=100,
                **small(learner))  # fmt: skip
    assert run.episodes == 300 and not run.is_finished
    said = bl.evaluate(run.agent(), run.game, exam, games=20, seed=7)
    assert float(run.log[-1][exam]) == pytest.approx(said.value, abs=1e-5)
    opened = bl.open_run(tmp_path)
    assert (opened.settings, opened.episodes, opened.log) == (run.settings, 300, run.log)
    assert bl.resume(tmp_path, episodes=4000).episodes == 600


@pytest.mark.parametrize("learner", LEARNERS)
def test_several_runs_are_those_of_the_learner_in_one_process_and_in_two(learner, tmp_path):
    game = game_of(learner)
    exam = "twists20" if game is CUBE else "random"
    settings = {"learner": learner, "episodes": 200, "exams": [exam], "exam_games": 10, **small(learner)}
    one = train_many(game, 2, out=tmp_path / "one", **settings)
    two = train_many(game, 2, out=tmp_path / "two", jobs=2, **settings)
    for a, b in zip(one.runs, two.runs, strict=True):
        assert type(a.settings) is type(b.settings) is LEARNERS[learner]
        with np.load(a.path / "weights.npz") as mine, np.load(b.path / "weights.npz") as other:
            assert any(mine[name].any() for name in mine.files)
            for name in mine.files:
                np.testing.assert_array_equal(mine[name], other[name])
    with (one.path / "multi.csv").open() as file:
        assert [row["seed"] for row in csv.DictReader(file)] == ["1", "2"]


def test_another_learner_does_not_go_on_with_a_run(tmp_path):
    train("sarsa-ntuple", tmp_path, 10)
    with pytest.raises(bl.BoardLabError, match="is a run of 'sarsa-ntuple', not of q-ntuple"):
        train("q-ntuple", tmp_path, 10, go_on=True)


@pytest.mark.parametrize("learner", PER_ACTION)
def test_a_layout_is_read_from_a_file_and_left_in_the_run(learner, tmp_path):
    (tmp_path / "mine.txt").write_text("{{0,1,2},{3,4,5,8}}")
    run = train(learner, tmp_path / "run", 10, cells=f"@{tmp_path / 'mine.txt'}")
    assert (run.path / "layout.txt").read_text() == "0,1,2\n3,4,5,8\n"
    assert run.inspect().layout == [[0, 1, 2], [3, 4, 5, 8]]


def test_features_have_no_tuples_to_look_at(tmp_path):
    train("sarsa-ntuple", tmp_path, 10)
    run = train("td-features", tmp_path, 10, force=True)
    assert not (tmp_path / "layout.txt").exists()
    with pytest.raises(bl.BoardLabError, match="is a run of td-features, which has no tuples"):
        run.inspect()
    with pytest.raises(bl.BoardLabError, match="cells"):
        train("td-features", tmp_path, 10, force=True, cells="0,1,2")
