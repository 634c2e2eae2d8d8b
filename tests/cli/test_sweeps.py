"""`boardlab sweep` on the command line: lists, files, refusals, kills."""

import os
import random
import signal
import subprocess
import sys

import pytest
from commands import ROOT, output, refused, run

SMALL = ("--episodes", 30, "--exam", "random", "--exam-games", 4, "--seeds", 2)


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    """Pictures cost most of a small sweep."""
    import boardlab.experiments  # noqa: F401

    monkeypatch.setattr(sys.modules["boardlab.experiments.sweep"], "draw_figure", lambda display, folder: [])


def test_a_sweep_prints_its_table_and_the_best_with_its_command(tmp_path):
    said = output("sweep", "tictactoe", "--alpha", "0.5,1", "--epsilon", "0.1,0.3", *SMALL, cwd=tmp_path)
    lines = said.splitlines()
    assert lines[1].split() == ["alpha", "epsilon", "random", "seeds"]
    assert [line.split()[:2] for line in lines[2:6]] == [
        ["0.5", "0.1"],
        ["0.5", "0.3"],
        ["1", "0.1"],
        ["1", "0.3"],
    ]
    assert (
        "best in random: alpha=" in said and "boardlab train tictactoe --episodes 30 --seed 1 --alpha" in said
    )
    assert "random over alpha (down) and epsilon (across)" in said  # where there is no matplotlib
    assert (tmp_path / "runs/tictactoe-sweep/table.md").exists()


def test_a_file_gives_the_same_as_the_command_line(tmp_path):
    (tmp_path / "grid.toml").write_text(
        'game = "nim"\nheaps = [[2, 3], [3, 3]]\nalpha = [0.5, 1]\nepisodes = 30\nexam = "random"\n'
        "exam-games = 4\nseeds = 1\n"
    )
    command = ("--heaps", "(2,3),3x3", "--alpha", "0.5,1", *SMALL[:-1], 1)
    output("sweep", "nim", *command, "--out", "line", cwd=tmp_path)
    output("sweep", "--grid", "grid.toml", "--out", "file", cwd=tmp_path)
    output("sweep", "--grid", "line/sweep.toml", "--out", "again", cwd=tmp_path)
    for name in ("table.csv", "results.csv", "sweep.toml"):
        assert len({(tmp_path / folder / name).read_text() for folder in ("line", "file", "again")}) == 1
    output("sweep", "--grid", "grid.toml", "--alpha", "2", "--out", "other", cwd=tmp_path)
    assert "alpha = [2.0]" in (tmp_path / "other/sweep.toml").read_text()


def test_switches_and_agents_are_lists_too(tmp_path):
    said = output("sweep", "tictactoe", "--compact", "true,false", "--agent", "RUN,mcts(ntuple(RUN), iterations={1,2})",
                  *SMALL, cwd=tmp_path)  # fmt: skip
    assert said.count("mcts(ntuple(RUN), iterations=2)") >= 2 and "compact" in said.splitlines()[1]
    said = output("sweep", "tictactoe", "--no-compact", *SMALL, "--out", "switch", cwd=tmp_path)
    assert "compact = [false]" in (tmp_path / "switch/sweep.toml").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name a game"),
        (("otello",), 'unknown game "otello"; did you mean "othello"?'),
        (("tictactoe", "--alpah", "1,2"), 'did you mean "alpha"?'),
        (("tictactoe", "--sedes", "3"), 'did you mean "seeds"?'),
        (("tictactoe", "--alpha", "1,0"), "alpha must be a number from 1e-09 to 1000000, not 0.0"),
        (("tictactoe", "--alpha", "1,,2"), "has an empty value in '1,,2'"),
        (
            ("tictactoe", "--channels", "4,8"),
            "--channels is a setting of the learner alphazero, not of td-ntuple",
        ),
        (("tictactoe", "--alpha"), "--alpha needs a value"),
        (("tictactoe", "random"), 'unexpected "random"'),
        (("tictactoe", "--alpha", "0.001..10:0.001"), "30,000 runs (alpha 10000, 3 seeds each)"),
        (("tictactoe", "--trials", "5"), "--trials does nothing without --search"),
        (("tictactoe", "--learner", "td"), 'unknown learner "td"'),
        (("--grid", "none.toml"), "none.toml"),
    ],
)
def test_a_mistake_is_one_sentence_and_starts_nothing(tmp_path, words, sentence):
    assert sentence in refused("sweep", *words, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("alpha = [1", "cannot be read"),
        ("[settings]\nalpha = 1", "[settings] is a table"),
        ("alpha = 1", "name a game"),
        ('game = "tictactoe"\nalpah = 1', 'did you mean "alpha"?'),
        ('game = "tictactoe"\nalpha = [[1]]', "alpha must be a number"),
        ("game = 3", "the name of a game must be text"),
        ('game = "tictactoe"\nseeds = "x"', "seeds must be a whole number"),
        ('game = "tictactoe"\nlearner = 3', "unknown learner 3"),
    ],
)
def test_a_file_with_a_mistake_is_refused(tmp_path, text, sentence):
    (tmp_path / "grid.toml").write_text(text)
    assert sentence in refused("sweep", "--grid", "grid.toml", cwd=tmp_path)


def test_a_folder_of_another_command_is_refused(tmp_path):
    output("sweep", "tictactoe", *SMALL, cwd=tmp_path)
    said = refused("sweep", "tictactoe", "--alpha", "2", *SMALL, cwd=tmp_path)
    assert "holds the jobs of another command: alpha was None, now [2.0]; choose another folder" in said


def test_a_failed_job_is_reported_and_the_status_is_not_0(tmp_path):
    words = ("sweep", "tictactoe", "--alpha", "0.5,1", *SMALL[:-1], 1, "--out", "s")
    output(*words, cwd=tmp_path)
    (tmp_path / "s/alpha=1/seed-2").write_text("in the way")
    done = run(*words[:-3], 2, "--out", "s", cwd=tmp_path)
    assert done.returncode == 1 and "best in random" in done.stdout
    assert "1 of 4 jobs failed" in done.stderr
    assert "boardlab train tictactoe --episodes 30 --seed 2 --alpha 1.0 --out s/alpha=1/seed-2" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_command_killed_at_random_moments_ends_with_the_same_table(tmp_path, number):
    words = ["sweep", "tictactoe", "--alpha", "0.5,1", "--agent", "mcts(ntuple(RUN), iterations={1,50})", "--jobs", "2",
             "--episodes", "20000", "--exam", "perfect", "--exam-games", "20", "--seeds", "2"]  # fmt: skip
    command = [sys.executable, "-m", "boardlab", *words, "--out"]
    env = {**os.environ, "PYTHONPATH": ROOT}
    subprocess.run([*command, "whole"], cwd=tmp_path, env=env, check=True, capture_output=True)
    rng, kills = random.Random(int(number)), 0
    while True:
        process = subprocess.Popen(
            [*command, "cut"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            process.communicate(timeout=rng.uniform(1, 3) * (1 + kills / 4))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            process.communicate()
            kills += 1
            continue
        if process.returncode == 0:
            break
    assert kills
    for name in ("table.csv", "results.csv"):
        assert (tmp_path / "cut" / name).read_text() == (tmp_path / "whole" / name).read_text()
