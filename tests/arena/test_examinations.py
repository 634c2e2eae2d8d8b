"""Several agents and exams: the same results in one process and in several, and nothing lost."""

import pytest

import boardlab as bl
from boardlab.arena import examinations
from boardlab.arena.examinations import StoppedExams
from boardlab.arena.exams import EXAMS, Exam
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.jobs import JobsFailedError
from tests.commands import output, refused, run
from tests.jobs.lent import lent_for

GAME = bl.game("tictactoe")
AGENTS = ["random", "mcts(rollout, iterations=10)"]
WORDS = ("evaluate", *AGENTS, "--game", "tictactoe", "--exam", "random", "--exam", "perfect", "-n", 20)


@pytest.fixture
def lent(monkeypatch):
    monkeypatch.setattr(examinations, "executor_for", lent_for)
    monkeypatch.setattr("boardlab.arena.blocks.executor_for", lent_for)


def values(table):
    return [(row.agent, row.exam, repr(row.result)) for row in table.rows]


def test_exams_are_the_same_in_two_processes(lent):
    told = []
    here = bl.evaluate_all(AGENTS, GAME, games=20, seed=3)
    there = bl.evaluate_all(AGENTS, GAME, games=20, seed=3, jobs=2, told=told.append)
    assert values(here) == values(there) and told == list(there.rows)
    assert [row.exam for row in here.rows] == ["random", "perfect", "optimal", "openings"] * 2
    alone = bl.evaluate(AGENTS[1], GAME, "perfect", 20, 3)
    assert repr(here.result(AGENTS[1], "perfect")) == repr(alone)
    assert str(there).splitlines()[0] == "random" and str(alone) in str(there)


def test_a_single_exam_has_its_games_in_processes(lent):
    for against in (None, "mcts(rollout, iterations=5)"):
        exam = ["perfect"] if against is None else None
        more = {"against": against, "games": 20, "seed": 3}
        here, there = (bl.evaluate_all(AGENTS[1], GAME, exam, jobs=jobs, **more) for jobs in (1, 2))
        assert values(here) == values(there)


def test_a_folder_remembers_finished_exams(tmp_path):
    def stop(row):
        if row.exam == "perfect":
            raise KeyboardInterrupt

    whole = bl.evaluate_all(AGENTS, GAME, games=20)
    with pytest.raises(StoppedExams) as stopped:
        bl.evaluate_all(AGENTS, GAME, games=20, out=tmp_path, told=stop)
    assert [row.exam for row in stopped.value.table.rows] == ["random", "perfect"]
    assert str(stopped.value) == "stopped in the exam optimal"
    standings = []
    again = bl.evaluate_all(AGENTS, GAME, games=20, out=tmp_path, progress=standings.append)
    assert values(again) == values(whole) and standings[0].done == 2
    with pytest.raises(BoardLabError, match="another command: games was 20, now 30"):
        bl.evaluate_all(AGENTS, GAME, games=30, out=tmp_path)


def test_a_run_that_learned_more_is_examined_again(tmp_path):
    def taken():
        standings = []
        path = (tmp_path / "run").as_posix()
        bl.evaluate_all(f'greedy(ntuple("{path}"))', GAME, ["random"], 4, out=tmp_path / "exams",
                        progress=standings.append)  # fmt: skip
        return 1 - standings[0].done

    bl.train(GAME, episodes=10, out=tmp_path / "run", exams=[])
    assert [taken(), taken()] == [1, 0]
    bl.resume(tmp_path / "run", episodes=20)
    assert [taken(), taken()] == [1, 0]


def test_an_exam_that_fails_does_not_stop_the_others(lent, tmp_path):
    plugin = tmp_path / "exam.py"
    plugin.write_text(
        "import boardlab as bl\n@bl.register_exam('broken')\ndef broken(paper):\n    return 1 / 0\n"
    )
    failed = run("--plugin", plugin, *WORDS, "--exam", "broken", "--jobs", 2)
    assert failed.returncode == 2 and failed.stdout.count("mean score against") == 4
    assert (
        f"2 of 6 exams failed:\n  broken: random: the plugin {plugin} failed in line 4: ZeroDi"
        in failed.stderr
    )
    assert (
        "\n    boardlab evaluate random --game tictactoe --exam broken --games 20 --seed 0\n" in failed.stderr
    )
    bl.register_exam("shaky", lambda paper: [1.0] if paper.agent == "random" else [1 / 0])
    try:
        with pytest.raises(JobsFailedError, match="1 of 2 exams failed"):
            bl.evaluate_all(AGENTS, GAME, ["shaky"])
        with pytest.raises(BoardLabError, match='the exam "shaky" was registered in this process'):
            bl.evaluate_all(AGENTS, GAME, ["shaky"], jobs=2)
    finally:
        del EXAMS["shaky"]


def test_an_exam_whose_package_is_missing_is_skipped_unless_it_is_named(monkeypatch):
    def take(paper):
        raise MissingPackageError("this needs a package")

    monkeypatch.setitem(EXAMS, "gone", Exam("gone", "an exam", lambda game: game == GAME, take, "1"))
    table = bl.evaluate_all("random", GAME, games=4)
    assert [row.exam for row in table.rows if row.skipped] == ["gone"]
    assert str(table).endswith("gone: skipped: this needs a package")
    with pytest.raises(MissingPackageError, match="this needs a package"):
        bl.evaluate_all("random", GAME, ["gone"])


def test_what_cannot_be_examined_elsewhere_is_refused():
    made = bl.python_agent(GAME, lambda state: state.legal_actions()[0], "first")
    assert bl.evaluate_all([made, "random"], GAME, ["random"], 4).agents == ["first", "random"]
    with pytest.raises(BoardLabError, match="the agent first is an object of this process"):
        bl.evaluate_all([made, "random"], GAME, ["random"], 4, jobs=2)
    with pytest.raises(BoardLabError, match='unknown agent "rndom"'):
        bl.evaluate_all(["random", "rndom"], GAME)
    with pytest.raises(BoardLabError, match='unknown exam "prfect"; did you mean "perfect"'):
        bl.evaluate_all("random", GAME, ["prfect"])
    with pytest.raises(BoardLabError, match="exams must be a list of names, not 'perfect'"):
        bl.evaluate_all("random", GAME, "perfect")


def test_the_command_prints_each_agent_with_its_exams(lent, tmp_path):
    out = output(*WORDS)
    assert out == output(*WORDS, "--jobs", 2, "--out", tmp_path / "exams")
    assert [line for line in out.splitlines() if line[:6] in ("random", "mcts(r")][::2] == AGENTS
    assert "unknown agent" in refused("evaluate", "random", "prfect", "--game", "tictactoe")
