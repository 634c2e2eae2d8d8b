"""The commands that `train` prints at its end run as they are printed, for every learner."""

import shlex

import pytest
from commands import output

from boardlab.learners import LEARNERS

NETS = ("alphazero", "davi-net", "random-walk")
SETTINGS = {
    "alphazero": ["--games", 4, "--parallel", 4, "--simulations", 4, "--play-simulations", 4, "--blocks", 0,
                  "--channels", 8, "--threads", 1, "--device", "cpu"],
    "davi-net": ["--walks", 4, "--first", 8, "--width", 8, "--exam-width", 2, "--threads", 1,
                 "--device", "cpu"],
}  # fmt: skip
SETTINGS["random-walk"] = SETTINGS["davi-net"]
SETTINGS["q-table"] = SETTINGS["qm"] = ["--memory-mb", 1]
QUICK = ("td-ntuple", "q-table")


def game_of(learner):
    if learner == "cfr":
        return ["kuhnpoker"]
    return (
        ["rubiks", "--twists", 2] if learner.startswith(("davi", "random")) else ["nim", "--heaps", "3,4,5"]
    )


def trained(folder, learner, out, *more):
    """The commands that `train` prints at its end."""
    words = [
        "--learner",
        learner,
        "--episodes",
        8,
        "--exam",
        "none",
        "--out",
        out,
        *SETTINGS.get(learner, ()),
    ]
    text = output("train", *game_of(learner), *words, *more, cwd=folder)
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("  boardlab ")]


@pytest.mark.parametrize("runs", [(), ("--runs", 2)])
@pytest.mark.parametrize(
    "learner", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in LEARNERS]
)
def test_train_ends_with_commands_that_work(tmp_path, learner, runs):
    if learner in NETS:
        pytest.importorskip("torch")
    trained(tmp_path, learner, "other", *runs)
    commands = trained(tmp_path, learner, "run", *runs)
    kinds = ["play", "evaluate", "inspect", "compare", "resume"]
    assert [command[0] for command in commands] == kinds
    assert commands[3] == ["compare", "./run", "./other"]
    for command in commands:
        games = ["-n", 2] if command[0] == "evaluate" else []
        said = output(*command, *games, cwd=tmp_path, given="q\n")
        assert said
    assert "--episodes" in commands[4]


def test_a_run_without_another_one_beside_it_names_a_place_for_it(tmp_path):
    commands = trained(tmp_path, "td-ntuple", "runs/one")
    assert commands[3] == ["compare", "runs/one", "OTHER"]
    output("train", "tictactoe", "--episodes", 5, "--exam", "none", "--out", "runs/tictactoe", cwd=tmp_path)
    assert trained(tmp_path, "td-ntuple", "runs/two")[3] == ["compare", "runs/two", "runs/one"]


def test_a_folder_of_runs_goes_on(tmp_path):
    trained(tmp_path, "td-ntuple", "runs/many", "--runs", 2)
    said = output("resume", "runs/many", "--episodes", 30, cwd=tmp_path)
    assert "runs/many: nim, 2 runs" in said
    for seed in (1, 2):
        assert "30 of 30 episodes" in output("resume", f"runs/many/seed-{seed}", cwd=tmp_path)
    assert (tmp_path / "runs/many/multi.csv").exists()
