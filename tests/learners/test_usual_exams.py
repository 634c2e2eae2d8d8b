"""The exam of a run whose user names none, its cost, and what a run shows while it goes on."""

import importlib.util
import io
import sys
from types import ModuleType, SimpleNamespace

import pytest

import boardlab as bl
from boardlab import watching
from boardlab.learners import Progress, curve
from boardlab.learners.exams import exam_counts, plan_exams, resumed_exams
from boardlab.learners.presets import preset
from boardlab.learners.run_options import RunOptions
from boardlab.learners.usual_exams import EXAM_SHARE, OTHERS, USUAL, better_exam, usual_plan
from boardlab.runs import RunFolder

TICTACTOE = bl.game("tictactoe")
LEARNABLE = [name for name in bl.games() if not bl.game(name).is_hidden]


def plan_of(name, episodes=None, **more):
    game = bl.game(name)
    return usual_plan(game, episodes or preset(game)["episodes"], lambda cost: cost, **more)


@pytest.mark.parametrize("name", LEARNABLE)
def test_every_game_has_an_exam_that_tells_runs_apart_and_fits_a_tenth_of_the_run(name):
    episodes = preset(bl.game(name))["episodes"]
    plan = plan_of(name)
    assert plan.names and plan.names != ("random",)
    costs = {exam.name: exam.cost for exam in (*OTHERS, *USUAL[name])}
    number = -(-episodes // plan.every)
    spent = number * plan.games * costs[plan.names[0]] + sum(20 * costs[exam] for exam in plan.final)
    assert spent <= EXAM_SHARE * episodes
    assert 5 <= number <= 20 and 20 <= plan.games <= 100


def test_perfect_play_is_met_where_its_package_is_there(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "bitbully" or find(name))
    assert plan_of("connectfour", 2_000_000).names == ("stages",)  # abdl is too slow for a curve
    assert plan_of("connectfour", 2_000_000).final == ("abdl",)
    assert plan_of("connectfour", 10_000_000).names == ("abdl",)
    assert better_exam(bl.game("connectfour"), ("stages",)) == ""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "bitbully" else find(name))
    without = plan_of("connectfour", 10_000_000)
    assert (without.names, without.final, without.games) == (("stages",), (), 100)
    said = better_exam(bl.game("connectfour"), without.names)
    assert said.startswith("against perfect play (abdl) instead: ") and "references" in said
    assert better_exam(TICTACTOE, ("perfect",)) == ""


def test_a_run_that_is_too_short_takes_none_unless_it_is_asked_for():
    assert plan_of("tictactoe", 100).names == ()
    assert plan_of("tictactoe", 100, games=4).names == ("perfect",)
    assert plan_of("tictactoe", 100, every=10) == plan_of("tictactoe", 100, every=10, games=20)
    own = usual_plan(bl.game("nim", players=3), 10**7, lambda cost: cost)
    assert own.names == ("optimal",)  # perfect is for two


def test_train_takes_it_by_default_and_says_how_many_games_were_distinct(tmp_path):
    run = bl.train(TICTACTOE, episodes=6000, out=tmp_path / "run", seed=1)
    assert [row["episodes"] for row in run.log] == [3000, 6000]
    assert all(row["perfect games"] == 20 and 0 < row["perfect distinct"] <= 20 for row in run.log)
    distinct, wins, draws, losses = (
        run.log[-1][f"perfect {name}"] for name in ("distinct", "wins", "draws", "losses")
    )
    assert wins + draws + losses == 20 and run.log[-1]["perfect"] == (wins - losses) / 20
    assert exam_counts(run.log[-1], "perfect") == (
        f", 20 samples, {distinct} distinct, wins {wins}, draws {draws}, losses {losses}"
    )
    assert curve.exam_names(run.log) == ["perfect"]
    longer = bl.resume(run, episodes=12000)
    assert [row["episodes"] for row in longer.log] == [3000, 6000, 12000]
    assert bl.train(TICTACTOE, episodes=20, out=tmp_path / "short").log[-1].keys().isdisjoint({"perfect"})
    again = bl.resume(tmp_path / "short", episodes=6000)
    assert "perfect" in again.log[-1]


def test_logs_of_earlier_versions_are_read_and_go_on(tmp_path):
    run = bl.train(TICTACTOE, episodes=40, out=tmp_path, exams=["random"], exam_every=20, exam_games=4)
    new = ("games", "distinct", "wins", "draws", "losses")
    rows = [{key: value for key, value in row.items() if not key.endswith(new)} for row in run.log]
    RunFolder(tmp_path).write_log(rows)
    assert bl.open_run(tmp_path).log == rows and exam_counts(rows[0], "random") == ""
    again = bl.resume(tmp_path, episodes=60)
    for name in ("distinct", "wins", "losses"):
        assert [f"random {name}" in row for row in again.log] == [False, False, True]


def test_exams_do_not_change_what_is_learned(tmp_path):
    usual = bl.train(TICTACTOE, episodes=6000, out=tmp_path / "usual", seed=3)
    none = bl.train(TICTACTOE, episodes=6000, out=tmp_path / "none", seed=3, exams=[])
    assert (usual.path / "weights.npz").read_bytes() == (none.path / "weights.npz").read_bytes()


def test_the_last_exam_is_taken_at_the_end_only(tmp_path, monkeypatch):
    options = RunOptions(episodes=40, exams=["random"], exam_every=20, exam_games=4)
    plan = plan_exams(TICTACTOE, options, final=["mc(iterations=2)"])
    agent = bl.agent("random", TICTACTOE)
    assert list(plan.take(TICTACTOE, agent, 0)) == ["random"]
    assert list(plan.take(TICTACTOE, agent, 0, True)) == ["random", "mc(iterations=2)"]
    assert str(plan) == "random, 4 games every 20 episodes; mc(iterations=2), 20 games at the end"
    agent = {"episodes": 40, "seed": 0, "exams": plan.as_dict()}
    assert resumed_exams(TICTACTOE, plan.as_dict(), RunOptions.of_run(agent), 40, float) == plan
    run = bl.train(TICTACTOE, episodes=40, out=tmp_path, exams=["random"], exam_every=20, exam_games=4)
    file = run.path / "agent.toml"
    file.write_text(file.read_text().replace("[exams]\n", "[exams]\nfinal = ['engine(\"sh\")']\n"))
    with pytest.raises(bl.BoardLabError, match="an exam of this run starts the program 'sh'"):
        bl.resume(run, episodes=60)


# ---- progress ----


def standing(episodes, exams=0, **exam):
    return Progress(episodes, 100, 5 * episodes, episodes / 10, exam, exams)


def test_a_notebook_shows_progress_and_the_curve_in_one_output(monkeypatch, tmp_path):
    shown, updates = [], []
    handle = SimpleNamespace(update=lambda bundle, raw: updates.append(bundle["text/plain"]))
    display = ModuleType("IPython.display")
    display.display = lambda bundle, raw, display_id: shown.append(bundle["text/plain"]) or handle
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with watching.watching() as watcher:
        watcher(standing(10))
        watcher(standing(20, 1, perfect=-0.5))
        watcher(standing(40, 2, perfect=0.0))
    assert shown == ["10 of 100 episodes, 10 episodes/s"]
    assert updates[0] == "20 of 100 episodes, 10 episodes/s, perfect -0.5"
    assert "●" in updates[1]
    bl.train(TICTACTOE, episodes=20, out=tmp_path / "run", exams=["random"], exam_games=2)
    assert len(shown) == 2 and "20 of 20 episodes" in updates[-1]
    bl.train(TICTACTOE, episodes=20, out=tmp_path / "quiet", progress=False)
    assert len(shown) == 2


def test_a_terminal_shows_a_line_and_a_file_nothing(monkeypatch, tmp_path, capsys):
    bl.train(TICTACTOE, episodes=20, out=tmp_path / "run")
    assert capsys.readouterr() == ("", "")
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    bl.train(TICTACTOE, episodes=20, out=tmp_path / "seen")
    assert "20 of 20 episodes" in screen.getvalue() and "\n" not in screen.getvalue()
    bl.train_many(TICTACTOE, 2, episodes=20, out=tmp_path / "many")
    assert "2 of 2 runs" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_the_watched_functions_are_those_of_the_learners():
    import inspect

    from boardlab import learners

    for name in ("train", "resume", "train_many"):
        assert inspect.signature(getattr(bl, name)) == inspect.signature(getattr(learners, name))
