"""Sweeps: every combination over several seeds, tables, the best, kills, failures and refusals."""

import csv
import math
import os
import random
import signal
import sys
from pathlib import Path

import pytest

import boardlab as bl
from boardlab import cli
from boardlab.experiments import sweep_plan
from boardlab.experiments.display import draw_figure
from boardlab.experiments.sweep import sweep
from boardlab.experiments.sweep_pictures import displayed, heat, text_picture
from boardlab.experiments.sweep_table import ResultTable, Row, is_clear
from boardlab.runs import RunFolder
from boardlab.runs.toml import from_toml

SMALL = {"episodes": 30, "exams": "random", "exam_games": 4, "seeds": 2}
TABLES = ("results.csv", "table.csv", "table.md", "sweep.toml")


@pytest.fixture
def no_pictures(monkeypatch):
    """Pictures cost most of a small sweep."""
    module = sys.modules[sweep.__module__]  # the package's attribute of that name is the function
    monkeypatch.setattr(module, "draw_figure", lambda display, folder: [])


pytestmark = pytest.mark.usefixtures("no_pictures")


def tables(folder):
    return {name: (folder / name).read_text().replace(str(folder), "FOLDER") for name in TABLES}


def rows_of(file):
    return list(csv.DictReader(file.read_text().splitlines()))


def test_every_combination_is_trained_with_every_seed(tmp_path):
    result = sweep("tictactoe", alpha=[0.5, 1], epsilon="0.1,0.3", **SMALL, out=tmp_path)
    assert [row.name for row in result.rows] == [
        f"alpha={alpha} epsilon={epsilon}" for alpha in ("0.5", "1") for epsilon in ("0.1", "0.3")
    ]
    assert len(list(tmp_path.glob("*/seed-*/agent.toml"))) == 8
    agent = RunFolder(tmp_path / "alpha=0.5_epsilon=0.3/seed-2").read_agent()
    assert agent["settings"]["alpha"] == 0.5 and agent["settings"]["epsilon"] == 0.3 and agent["seed"] == 2
    rows = rows_of(tmp_path / "results.csv")
    assert len(rows) == 8 and rows[1]["seed"] == "2" and rows[1]["episodes"] == "30"


def test_the_table_has_the_means_of_the_runs_and_their_intervals(tmp_path):
    result = sweep("tictactoe", alpha=[0.5, 1], **SMALL | {"seeds": 3}, out=tmp_path)
    values = [float(row["random"]) for row in rows_of(tmp_path / "results.csv")][:3]
    mean = sum(values) / 3
    assert result.means()[0] == pytest.approx(mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / 2)
    half = 4.3027 * deviation / math.sqrt(3)
    assert result.intervals()[0] == pytest.approx(half, rel=1e-4) or len(set(values)) == 1
    first = rows_of(tmp_path / "table.csv")[0]
    assert float(first["random mean"]) == pytest.approx(mean, rel=1e-5)
    assert str(result) in repr(result) or "2 settings" in repr(result)
    assert result.best in result.rows and result.best.mean("random").value == max(result.means())


def test_a_value_is_that_of_train_with_the_best_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = sweep("tictactoe", alpha=[0.5, 1], **SMALL, out="sweep")
    words = result.commands[0].split()
    assert words[:3] == ["boardlab", "train", "tictactoe"] and "--alpha" in words
    monkeypatch.setattr(sys, "argv", [*words, "--out", "again"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    again = bl.open_run("again")
    assert again.log[-1]["random"] == pytest.approx(result.best.values["random"][1], rel=1e-5)
    assert RunFolder("again").fingerprint() == RunFolder(f"sweep/{result.best.folder}/seed-1").fingerprint()


def test_games_learners_presets_and_lengths_can_vary(tmp_path):
    given = {**SMALL, "seeds": 1}
    result = sweep("nim", heaps=[(2, 3), (3, 3)], **given, out=tmp_path / "games")
    assert [row.chosen["heaps"] for row in result.rows] == [(2, 3), (3, 3)]
    learners = ["td-ntuple", "q-table"]
    result = sweep("tictactoe", learners, preset=["default", "paper"], **given, out=tmp_path / "learners")
    assert {agent.parts[-3] for agent in (tmp_path / "learners").glob("*/*/agent.toml")} == {
        f"learner={learner}_preset={preset}" for learner in learners for preset in ("default", "paper")
    }
    result = sweep("tictactoe", **given | {"episodes": [20, 40]}, out=tmp_path / "lengths")
    assert [list(row.episodes.values()) for row in result.rows] == [[20], [40]]
    layouts = tmp_path / "mine.txt"
    layouts.write_text("0,1,2\n3,4,5\n")
    result = sweep("tictactoe", layout=["points", str(layouts)], **given, out=tmp_path / "layouts")
    networks = [
        RunFolder(file.parent).read_agent()["network"] for file in (tmp_path / "layouts").rglob("agent.toml")
    ]
    assert len({str(network["tuples"]) for network in networks}) == 2


def test_a_setting_that_does_nothing_beside_others_is_left_out(tmp_path):
    result = sweep("tictactoe", lambda_=[0, 0.5], traces=["et", "reset"], **SMALL, out=tmp_path)
    assert [row.name for row in result.rows] == [
        "lambda=0",
        "lambda=0.5 traces=et",
        "lambda=0.5 traces=reset",
    ]
    assert result.table.cells()[0][:2] == ["0", "-"]
    grid = heat(result.table, "lambda", "traces", "random")
    assert grid[0][0] == grid[0][1] == result.rows[0].mean("random")


def test_several_exams_are_columns(tmp_path):
    result = sweep(
        "tictactoe", alpha=[0.5, 1], **SMALL | {"exams": ["random", "mcts(iterations={1,2})"]}, out=tmp_path
    )
    assert result.table.exams == ("random", "mcts(iterations=1)", "mcts(iterations=2)")
    assert all(len(row.values[exam]) == 2 for row in result.rows for exam in result.table.exams)


def test_agents_over_the_runs_can_vary(tmp_path):
    agent = "mcts(ntuple(RUN), iterations={2,8})"
    result = sweep("tictactoe", alpha=[0.5, 1], agent=agent, **SMALL, out=tmp_path)
    assert result.table.axes == ("alpha", "iterations") and len(result.rows) == 4
    assert len(list(tmp_path.glob("*/seed-*/agent.toml"))) == 4  # trained once for both agents
    assert "evaluate" in result.commands[1] and "seed-1" in result.commands[1]
    run = tmp_path / "alpha=0.5" / "seed-2"
    taken = bl.evaluate(f'mcts(ntuple("{run}"), iterations=8)', bl.game("tictactoe"), "random", 4, 2)
    assert result.rows[1].values["random"][2] == taken.value


def test_the_runs_own_agent_and_others_are_named_in_one_column(tmp_path):
    result = sweep("tictactoe", agent=["RUN", "mcts(ntuple(RUN), iterations=2)"], **SMALL, out=tmp_path)
    assert [row.chosen for row in result.rows] == [
        {"agent": "RUN"},
        {"agent": "mcts(ntuple(RUN), iterations=2)"},
    ]
    own = sweep("tictactoe", alpha=[1], **SMALL, out=tmp_path / "own")
    assert len(own.rows) == 1


def test_agents_without_a_run_train_nothing(tmp_path):
    result = sweep("tictactoe", agent="mcts(iterations={1,9})", exams="random", exam_games=4, out=tmp_path)
    assert len(result.rows) == 2 and not list(tmp_path.rglob("agent.toml"))
    assert result.commands == (
        f"boardlab evaluate 'mcts(iterations={result.best.chosen['iterations']})' --game tictactoe --exam random "
        "--games 4 --seed 1",
    )


def test_more_seeds_may_be_added_and_finished_runs_are_not_repeated(tmp_path):
    told = []
    sweep("tictactoe", alpha=[0.5, 1], **SMALL, out=tmp_path)
    first = (tmp_path / "alpha=1/seed-1/agent.toml").stat().st_mtime_ns
    sweep("tictactoe", alpha=[0.5, 1], **SMALL | {"seeds": 3}, out=tmp_path, progress=told.append)
    assert told[0].done == 4 and told[-1].done == 6
    assert (tmp_path / "alpha=1/seed-1/agent.toml").stat().st_mtime_ns == first
    fresh = sweep("tictactoe", alpha=[0.5, 1], **SMALL | {"seeds": 3}, out=tmp_path / "fresh")
    assert tables(fresh.path) == tables(tmp_path)


def test_what_is_not_kept_of_finished_runs_goes(tmp_path):
    given = {**SMALL, "seeds": 1, "agent": "mcts(ntuple(RUN), iterations={1,2})"}
    runs = {}
    for keep in ("checkpoints", "weights", "nothing"):
        sweep("tictactoe", **given, keep=keep, out=tmp_path / keep)
        runs[keep] = tmp_path / keep / "runs/seed-1"
    clean = [bool(RunFolder(run).read_agent().get("clean")) for run in runs.values()]
    assert clean == [False, True, False]
    assert bl.open_run(runs["weights"]).agent() is not None
    assert [file.name for file in runs["nothing"].iterdir()] == ["agent.toml"]
    bl.resume(runs["nothing"])
    assert len({RunFolder(run).fingerprint() for run in runs.values()}) == 1
    assert len({(tmp_path / keep / "table.csv").read_text() for keep in runs}) == 1
    sweep("tictactoe", **given, keep="nothing", out=tmp_path / "nothing")  # nothing is trained again
    with pytest.raises(bl.BoardLabError, match='unknown way to keep runs "all"'):
        sweep("tictactoe", **given, keep="all", out=tmp_path / "other")


# ---- kills ----


def killed(folder, after, number=signal.SIGKILL, **more):
    """Run a sweep in a forked process that dies at its `after`-th report; whether it died."""
    child = os.fork()
    if child == 0:
        count = [0]

        def tell(standing):
            count[0] += 1
            if count[0] == after:
                os.kill(os.getpid(), number)

        try:
            sweep("tictactoe", out=folder, progress=tell, **more)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_a_sweep_killed_at_random_moments_ends_with_the_same_table(tmp_path, seed):
    rng = random.Random(seed)
    given = {"alpha": [0.5, 1], "agent": "mcts(ntuple(RUN), iterations={1,4})", **SMALL, "seeds": 2}
    whole = sweep("tictactoe", out=tmp_path / "whole", **given)
    deaths = sum(killed(tmp_path / "cut", rng.randint(2, 12), **given) for _ in range(4))
    assert deaths >= 2
    sweep("tictactoe", out=tmp_path / "cut", **given)
    assert tables(tmp_path / "cut") == tables(whole.path)
    runs = [file.parent.relative_to(whole.path) for file in whole.path.rglob("agent.toml")]
    for run in runs:
        prints = [RunFolder(tmp_path / name / run).fingerprint() for name in ("whole", "cut")]
        assert prints[0] == prints[1]


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    def stop(standing):
        if standing.done == 2:
            raise KeyboardInterrupt

    given = {"alpha": [0.5, 1], **SMALL}
    with pytest.raises(KeyboardInterrupt):
        sweep("tictactoe", out=tmp_path / "cut", progress=stop, **given)
    assert not (tmp_path / "cut/table.csv").exists() and not list(tmp_path.rglob(".lock"))
    sweep("tictactoe", out=tmp_path / "cut", **given)
    sweep("tictactoe", out=tmp_path / "whole", **given)
    assert tables(tmp_path / "cut") == tables(tmp_path / "whole")


def test_processes_give_the_same_table(tmp_path):
    given = {"alpha": [0.5, 1], "agent": "mcts(ntuple(RUN), iterations=2)", **SMALL}
    one = sweep("tictactoe", out=tmp_path / "one", **given)
    two = sweep("tictactoe", out=tmp_path / "two", jobs=2, **given)
    assert tables(one.path) == tables(two.path)


# ---- failures and refusals ----


def test_a_failed_run_is_reported_with_its_command_and_the_others_go_on(tmp_path):
    given = {**SMALL, "alpha": [0.5, 1], "out": tmp_path}
    sweep("tictactoe", **given)
    run = tmp_path / "alpha=1/seed-3"
    run.write_text("in the way")
    with pytest.raises(bl.SweepFailedError) as failed:
        sweep("tictactoe", **given | {"seeds": 3})
    assert "1 of 6 jobs failed" in str(failed.value)
    assert f"--seed 3 --alpha 1.0 --out {run}" in str(failed.value)
    assert [row.seeds for row in failed.value.result.rows] == [3, 2]
    run.unlink()
    assert [row.seeds for row in sweep("tictactoe", **given | {"seeds": 3}).rows] == [3, 3]


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(bl.BoardLabError, match=r"not empty and holds no sweep \(notes.txt\)"):
        sweep("tictactoe", **SMALL, out=tmp_path)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"alpah": [1]}, 'unknown option, setting or parameter of tictactoe "alpah"; did you mean "alpha"'),
        ({"alpha": [1, -1]}, "td-ntuple: alpha must be a number from 1e-09 to 1000000, not -1"),
        ({"alpha": []}, "alpha has no values"),
        ({"channels": 4}, "channels is a setting of alphazero, not of td-ntuple"),
        ({"learner": ["td-ntuple", "alphazero"], "alpha": 1}, "alpha is a setting of .*, not of alphazero"),
        ({"learner": "td"}, 'unknown learner "td"'),
        ({"epsilon": "0..1:0.0001"}, "has 10,001 values"),
        ({"epsilon": "0..1:0.001", "alpha": [1, 2]}, r"6,006 runs \(epsilon 1001 x alpha 2, 3 seeds each\)"),
        ({"epsilon": "0..1"}, "a grid needs a step"),
        ({"start_actions_min": [1, 3], "choose_start": 0.5}, "start_actions_min=3: .*must be at most 1"),
        ({"exams": "abdl"}, 'has no exam "abdl"'),
        ({"exams": []}, "a sweep needs an exam"),
        ({"episodes": [10, 0]}, "episodes must be"),
        ({"seeds": 0}, "seeds must be a whole number from 1"),
        ({"agent": "mcts(ntuple(RUN), iteration=3)"}, 'unknown parameter of mcts "iteration"'),
        ({"agent": "random", "alpha": [1]}, "alpha does nothing: no agent plays with a trained run"),
        ({"agent": "RUN", "exam_every": 5}, "exam_every does nothing with agent"),
        ({"search": "grid"}, 'unknown search "grid"'),
        ({"search": "random", "alpha": ["1..2", 3]}, "one range or a list of values, not both"),
        ({"minutes": 1, "episodes": 5}, "give episodes or minutes, not both"),
        ({"traces": ["et", "reset"]}, "traces does nothing with lambda=0"),
    ],
)
def test_a_mistake_is_refused_before_anything_starts(tmp_path, given, sentence):
    with pytest.raises(bl.BoardLabError, match=sentence):
        sweep("tictactoe", out=tmp_path / "sweep", **given)
    assert not (tmp_path / "sweep").exists()


def test_many_runs_start_once_they_are_meant(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_plan, "MOST_RUNS", 3)
    with pytest.raises(
        bl.BoardLabError, match=r"4 runs \(alpha 2, 2 seeds each\); if you mean it, add --yes"
    ):
        sweep("tictactoe", alpha=[0.5, 1], **SMALL, out=tmp_path / "sweep")
    assert len(sweep("tictactoe", alpha=[0.5, 1], **SMALL, out=tmp_path / "sweep", yes=True).rows) == 2


def test_a_folder_of_another_sweep_is_refused_with_what_differs(tmp_path):
    sweep("tictactoe", alpha=[0.5, 1], **SMALL, out=tmp_path)
    with pytest.raises(
        bl.BoardLabError, match=r"another command: alpha was \[0\.5, 1\.0\], now \[0\.5, 2\.0\]"
    ):
        sweep("tictactoe", alpha=[0.5, 2], **SMALL, out=tmp_path)
    with pytest.raises(bl.BoardLabError, match=r"episodes was \[30\], now \[31\]"):
        sweep("tictactoe", alpha=[0.5, 1], **SMALL | {"episodes": 31}, out=tmp_path)
    with pytest.raises(bl.BoardLabError, match="holds a run"):
        sweep("tictactoe", **SMALL, out=tmp_path / "alpha=1/seed-1")


def test_damaged_results_are_refused(tmp_path):
    sweep("tictactoe", **SMALL, out=tmp_path)
    file = tmp_path / "results.jsonl"
    file.write_text(file.read_text().replace('"exams": {', '"exams": 3, "old": {', 1))
    with pytest.raises(bl.BoardLabError, match=r"results\.jsonl is damaged"):
        sweep("tictactoe", **SMALL, out=tmp_path)


# ---- searches ----


@pytest.mark.parametrize("name", ["random", "optuna"])
def test_a_search_is_repeated_by_its_seed_and_goes_on_after_a_kill(tmp_path, name):
    if name == "optuna":
        pytest.importorskip("optuna")
    given = {
        "alpha": "0.1..10:log",
        "epsilon": [0.1, 0.3],
        "length": "2..3",
        "tuples": 4,
        "layout": "walk",
        **SMALL,
        "seeds": 1,
    }
    given |= {"search": name, "trials": 6, "batch": 2}
    whole = sweep("tictactoe", out=tmp_path / "whole", **given)
    assert 1 < len(whole.rows) <= 6
    assert all(0.1 <= row.chosen["alpha"] <= 10 and row.chosen["length"] in (2, 3) for row in whole.rows)

    def stop(standing):
        if standing.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep("tictactoe", out=tmp_path / "cut", progress=stop, **given)
    sweep("tictactoe", out=tmp_path / "cut", **given)
    assert tables(tmp_path / "cut") == tables(whole.path)
    if name == "optuna":
        assert (tmp_path / "cut/study.journal").stat().st_size > 0
    more = sweep("tictactoe", out=tmp_path / "cut", **given | {"trials": 8})
    assert [row.name for row in more.rows][: len(whole.rows)] == [row.name for row in whole.rows]
    other = sweep("tictactoe", out=tmp_path / "other", seed=5, **given)
    assert {row.name for row in other.rows} != {row.name for row in whole.rows}


def test_a_search_passes_over_values_that_exclude_one_another(tmp_path):
    given = {"start_actions": "1..4", "start_actions_min": "1..4", "choose_start": 0.5, **SMALL, "seeds": 1}
    result = sweep("tictactoe", search="random", trials=8, out=tmp_path, **given)
    assert 0 < len(result.rows) < 8


# ---- files, tables and pictures ----


def test_the_file_in_the_folder_repeats_the_sweep(tmp_path):
    sweep("nim", heaps=[(2, 3), (3, 3)], alpha="0.5,1", **SMALL | {"seeds": 1}, out=tmp_path / "one")
    table = from_toml((tmp_path / "one/sweep.toml").read_text())
    table["exams"] = table.pop("exam")
    sweep(table.pop("game"), **table, out=tmp_path / "two")
    assert tables(tmp_path / "one") == tables(tmp_path / "two")


def table_of(values, axes=("alpha",)):
    rows = [
        Row(dict(zip(axes, key, strict=True)), {"exam": dict(enumerate(numbers))})
        for key, numbers in values.items()
    ]
    return ResultTable(axes, ("exam",), tuple(rows))


def test_the_best_is_clear_where_its_seeds_are_better_one_by_one():
    table = table_of({(1,): [0.1, 0.5, 0.9], (2,): [0.3, 0.7, 1.1001], (3,): [0.0, 0.9, 0.9]})
    assert table.best("exam").chosen == {"alpha": 2}
    assert [row.chosen["alpha"] for row in table.rivals("exam")] == [3]
    assert is_clear("exam", table.rows[1], table.rows[0]) and not is_clear(
        "exam", table.rows[1], table.rows[2]
    )


def test_a_row_without_results_is_no_rival():
    table = table_of({(1,): [], (2,): [0.3]})
    assert table.best("exam").chosen == {"alpha": 2} and table.rivals("exam") == []
    assert table.cells() == [["1", "-", "0"], ["2", "0.3", "1"]]


def test_pictures_as_text():
    bars = text_picture(table_of({(1,): [0.0, 0.2], (2,): [0.8, 1.0]}), "exam").splitlines()
    assert bars[0] == "exam over alpha" and bars[1].index("●") < bars[2].index("●")
    values = {(a, b): [a * b, a * b + 0.1] for a in (1, 2) for b in (1, 3)}
    shaded = text_picture(table_of(values, ("a", "b")), "exam").splitlines()
    assert shaded[0] == "exam over a (down) and b (across)" and "██ 6.05" in shaded[-1]
    values = {(a, b, c): [a * b * c] for a in (1, 2) for b in (1, 3) for c in (1, 2)}
    assert "mean over c" in text_picture(table_of(values, ("a", "b", "c")), "exam")


def test_pictures_are_drawn_for_one_axis_for_two_and_for_searches(tmp_path):
    pytest.importorskip("matplotlib")
    lines = table_of({(0.1,): [0.0, 0.2], (1.0,): [0.4, 0.5], (10.0,): [0.8, 1.0]})
    names = table_of({("walk",): [0.0], ("windows",): [0.8]})
    heat_map = table_of({(a, b): [a] for a in (1, 2) for b in ("x", "y")}, ("a", "b"))
    for name, table, is_search in (
        ("l", lines, False),
        ("n", names, False),
        ("h", heat_map, False),
        ("s", lines, True),
    ):
        folder = tmp_path / name
        folder.mkdir()
        files = draw_figure(displayed(table, {"exam": "the exam"}, is_search), folder)
        assert {file.suffix for file in files} == {".png", ".svg"}
        again = {file: file.read_bytes() for file in files}
        draw_figure(displayed(table, {"exam": "the exam"}, is_search), folder)
        assert again == {file: file.read_bytes() for file in files}


def test_python_shows_the_sweep_like_any_other_result(tmp_path):
    result = bl.sweep(bl.game("tictactoe"), alpha=[0.5, 1], **SMALL, out=tmp_path, progress=False)
    assert isinstance(result, bl.SweepResult) and repr(result).startswith("<SweepResult ")
    assert "best in random" in str(result) and Path(tmp_path / "table.md").read_text().count("|") > 10
