"""Training from the command line: plugins in every process, progress in a file, messages that name the remedy."""

import errno
import importlib
import io
import re
import shlex
import sys

import pytest
from commands import run

import boardlab as bl
from boardlab.learners.again import train_command
from boardlab.learners.training import Training
from boardlab.runs import RunFolder

CORNERS = """
import boardlab as bl

print("{this is no message}")

@bl.register_features("corners")
def corners(state, player):
    return [state.fields[cell] == player + 1 for cell in (0, 2, 6, 8)]

@bl.register_features("late")
def late(state, player):
    if sum(state.fields) > 3:
        raise RuntimeError("too late")
    return [1.0]

@bl.register_evaluator("even", priors=False)
def even(game):
    return lambda planes, legal: [0.0] * len(planes)

@bl.register_agent("player")
def player(game, seed, iterations=5):
    return bl.agent(f"mc(iterations={iterations})", game, seed)

@bl.register_exam("length")
def length(paper):
    return [len(r.actions) for r in bl.match(paper.game, [paper.agent, "random"], paper.games).records]
"""


def after_memory(out):
    """What follows the first line."""
    line, rest = out.split("\n", 1)
    assert line.startswith("memory of the tables: ")
    return rest


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "corners.py"
    file.write_text(CORNERS)
    return file


def two_processes(out, *words):
    return ("train", "tictactoe", "--runs", 2, "--jobs", 2, "--episodes", 20, "--out", out, *words)


def test_plugins_reach_the_processes_of_several_runs(plugin, tmp_path):
    exams = ("greedy(even)", "player(iterations=3)", "length")
    words = ("--learner", "td-features", "--features", "corners", "--exam-games", 2)
    asked = [word for exam in exams for word in ("--exam", exam)]
    done = run("--plugin", plugin, *two_processes(tmp_path / "runs", *words, *asked))
    assert done.returncode == 0, done.stderr
    assert all(f"{exam}: mean" in done.stdout for exam in exams)


def test_a_run_goes_on_where_nobody_reads_its_progress(boardlab, tmp_path, monkeypatch):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    words = ("--episodes", 20, "--exam-every", 10, "--exam-games", 2, "--out", tmp_path / "run")
    monkeypatch.setattr(sys, "stderr", Closed())
    assert boardlab("train", "tictactoe", *words)[0] == 0
    assert bl.open_run(tmp_path / "run").is_finished


def test_a_plugin_that_fails_in_a_process_is_said(plugin, tmp_path):
    words = ("--learner", "td-features", "--features", "late", "--exam", "none")
    done = run("--plugin", plugin, *two_processes(tmp_path / "runs", *words))
    assert done.returncode == 2
    said = f"boardlab: the plugin {plugin} failed in line 13: RuntimeError: too late\n"
    assert done.stderr.endswith(said)


def test_what_was_registered_in_python_is_refused_for_processes(tmp_path):
    bl.register_features("mine")(lambda state, player: [1.0])
    bl.register_evaluator("own", priors=False)(lambda game: lambda planes, legal: [0.0] * len(planes))
    bl.register_agent("player", lambda game, seed: bl.agent("random", game, seed))
    bl.register_exam("test", lambda paper: [1.0])
    for learner, settings, words in [
        ("td-features", {"features": "mine"}, 'the features "mine" were registered in this process'),
        ("td-ntuple", {"exams": ["greedy(own)"]}, 'the evaluator "own" was registered in this process'),
        ("q-table", {"exams": ["player"]}, 'the agent "player" was registered in this process'),
        ("qm", {"stop_exam": "test", "stop_at": 1}, 'the exam "test" was registered in this process'),
    ]:
        out = tmp_path / learner
        arguments = {"learner": learner, "out": out, "episodes": 5, "exam_games": 2, **settings}
        with pytest.raises(bl.BoardLabError, match=f"{words}.* use jobs=1, or .* --plugin FILE"):
            bl.train_many(bl.game("tictactoe"), 2, jobs=2, **arguments)
        assert not out.exists()


def test_progress_is_told_line_by_line_where_there_is_no_terminal(tmp_path):
    words = ("--episodes", 40, "--exam", "random", "--exam-every", 20, "--exam-games", 2)
    done = run("train", "tictactoe", "--out", tmp_path / "run", *words)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert [line.split(" episodes")[0] for line in lines] == ["20 of 40", "40 of 40"]
    assert all(line.endswith(" random") for line in lines)
    assert all(" actions/s" in line for line in (*lines, done.stdout))  # in one word
    said = f"memory of the tables: 153.8 KiB\n{tmp_path}/run: tictactoe, 40 of 40 episodes"
    assert done.stdout.startswith(said)
    done = run("resume", tmp_path / "run", "--episodes", 60)
    assert "60 of 60 episodes" in done.stderr
    done = run("train", "tictactoe", "--runs", 2, "--jobs", 2, "--out", tmp_path / "two", *words)
    assert sorted(line.split(" episodes")[0] for line in done.stderr.splitlines()) == [
        "seed 1: 20 of 40", "seed 1: 40 of 40", "seed 2: 20 of 40", "seed 2: 40 of 40",
    ]  # fmt: skip


def test_a_run_without_exams_says_after_a_while_how_far_it_is(tmp_path, monkeypatch, capsys):
    train = importlib.import_module("boardlab.cli.progress")
    monkeypatch.setattr(train, "QUIET_SECONDS", 0.0)
    with train.training_bar() as bar:
        tell = train.teller(bar)
        for episodes in (1, 2):
            tell(bl.learners.Progress(episodes, 2, 5 * episodes, 0.5, {}))
    assert [line[:17] for line in capsys.readouterr().err.splitlines()] == [
        "1 of 2 episodes, ", "2 of 2 episodes, ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--lambda", 2), "td-ntuple: lambda must be a number from 0 to 1, not 2.0"),
        (("--lambda", "x"), 'td-ntuple: lambda must be a number from 0 to 1, not "x"'),
        (("--plugin", "a.py"), "--plugin goes before the command: boardlab --plugin FILE train ..."),
        (("--plugin=a.py",), "--plugin goes before the command: boardlab --plugin FILE train ..."),
    ],
)
def test_a_mistake_gets_the_sentence_that_helps(words, sentence, tmp_path):
    done = run("train", "tictactoe", "--out", tmp_path / "run", *words)
    assert (done.returncode, done.stderr) == (2, f"boardlab: {sentence}\n")
    assert not (tmp_path / "run").exists()


def test_what_to_do_with_a_run_that_is_there_is_said(tmp_path):
    out = tmp_path / "run"
    bl.train(bl.game("tictactoe"), episodes=5, out=out)
    done = run("train", "tictactoe", "--episodes", 5, "--out", out)
    assert done.returncode == 2
    for remedy in (f"boardlab resume {out}", "resume()", "--force", "force=True"):
        assert remedy in done.stderr
    with pytest.raises(bl.BoardLabError, match=r"which differs in its episodes; .*--force, or force=True"):
        bl.train(bl.game("tictactoe"), episodes=6, out=out, go_on=True)


def test_a_folder_of_several_runs_says_what_it_is(tmp_path):
    bl.train_many(bl.game("tictactoe"), 2, episodes=5, out=tmp_path)
    words = f"{tmp_path} holds several runs: name one of them, as {tmp_path}/seed-1 ("
    assert words in run("play", "tictactoe", "--against", tmp_path).stderr
    with pytest.raises(bl.BoardLabError, match=re.escape(words)):
        bl.resume(tmp_path)
    assert [done.episodes for done in bl.resume_many(tmp_path, episodes=7).runs] == [7, 7]
    with pytest.raises(bl.BoardLabError, match="seed-1 is not a folder of runs"):
        bl.resume_many(tmp_path / "seed-1")
    with pytest.raises(bl.BoardLabError, match=r"holds several runs \(--runs\); choose another folder"):
        bl.train(bl.game("tictactoe"), episodes=5, out=tmp_path)


@pytest.mark.parametrize("command", ["train", "resume"])
def test_the_help_says_that_episodes_are_rounded_up(command):
    assert "Rounded up to whole generations" in " ".join(run(command, "--help").stdout.split())


def test_several_runs_say_where_their_curves_are(tmp_path):
    pytest.importorskip("matplotlib")
    words = ("--episodes", 20, "--exam", "random", "--exam-games", 2, "--runs", 2)
    done = run("train", "tictactoe", "--out", tmp_path / "two", *words)
    assert f"learning curves and their mean: {tmp_path}/two/curve.png\n" in done.stdout


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("0,1,2,3,4,5,6,7,8", "the only table, and what it adds to the sum"),
        ("0,1,2,3,4,5,6,7,8 / 0,1,2", "the 2 loudest of 2 tables, and what each adds to the sum"),
    ],
)
def test_the_loudest_tables_are_counted_as_a_person_does(boardlab, tmp_path, cells, said):
    bl.train(bl.game("tictactoe"), episodes=300, out=tmp_path / "run", cells=cells, symmetries=1)
    status, out, _ = boardlab("inspect", "tictactoe", "--run", tmp_path / "run")
    assert status == 0
    assert f": {said} " in out and "network: 1 tuples" not in out


def press_ctrl_c(monkeypatch, step):
    """Once, in a step of a run."""
    original, pressed = getattr(Training, step), []

    def call(self, *arguments):
        if not pressed:
            pressed.append(step)
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(Training, step, call)


@pytest.mark.parametrize("step", ["__init__", "begin", "save"])
@pytest.mark.parametrize("several", [(), ("--runs", 2)])
def test_ctrl_c_before_there_is_a_checkpoint_says_so_and_leaves_nothing(
    boardlab, tmp_path, monkeypatch, step, several
):
    press_ctrl_c(monkeypatch, step)
    path = tmp_path / "run"
    status, out, _ = boardlab("train", "tictactoe", "--episodes", 50, "--out", path, *several)
    assert (status, after_memory(out)) == (
        130,
        "stopped before anything was learned; nothing was saved\n",
    )
    assert not path.exists() or list(path.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_ctrl_c_names_the_command_that_goes_on(boardlab, tmp_path, monkeypatch, words):
    path = tmp_path / "run"
    if words:
        bl.train(bl.game("tictactoe"), episodes=5, out=path)
    press_ctrl_c(monkeypatch, "_until_pause")  # before the first episode, after the first checkpoint
    status, out, _ = boardlab("train", "tictactoe", "--episodes", 50, "--exam", "none", "--out", path, *words)
    assert (status, after_memory(out)) == (
        130,
        f"stopped and saved; to continue: boardlab resume {path}\n",
    )
    assert bl.resume(path).episodes == 50


def test_ctrl_c_before_a_run_is_replaced_leaves_the_old_one(boardlab, tmp_path, monkeypatch):
    path = tmp_path / "run"
    bl.train(bl.game("tictactoe"), episodes=5, out=path)
    press_ctrl_c(monkeypatch, "__init__")
    status, out, _ = boardlab("train", "tictactoe", "--episodes", 50, "--out", path, "--force")
    assert (status, after_memory(out)) == (
        130,
        "stopped before anything was learned; nothing was saved\n",
    )
    assert bl.open_run(path).episodes == 5


def test_several_runs_go_on_without_force(boardlab, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "_until_pause")
    words = ("--episodes", 5, "--runs", 2, "--force", "--exam", "none", "--out", tmp_path / "two")
    status, out, _ = boardlab("train", "tictactoe", *words)
    assert (status, after_memory(out)) == (
        130,
        "stopped and saved; to continue: the same command, without --force\n",
    )


def test_a_run_of_the_earlier_default_of_othello_is_trained_again_by_its_command(boardlab, tmp_path):
    """Its file names the preset default, which was the paper's network."""
    game = bl.game("othello", size=4)
    run = bl.train(game, out=tmp_path / "run", episodes=2, preset="paper", seed=3)
    file = run.path / "agent.toml"
    file.write_text(file.read_text().replace('preset = "paper"', 'preset = "default"'))
    words = shlex.split(train_command(RunFolder(run.path).read_agent("td-ntuple")))
    status, _, said = boardlab(*words[1:], "--exam", "none", "--out", tmp_path / "again")
    assert status == 0, said
    assert bl.open_run(tmp_path / "again").settings == run.settings
    assert bl.resume(run.path, episodes=3).episodes == 3
