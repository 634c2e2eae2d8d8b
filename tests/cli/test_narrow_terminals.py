"""Output on narrow terminals: nothing is cut or broken."""

import re
from dataclasses import asdict

import numpy as np
import pytest

import boardlab as bl
from boardlab.cli.common import console
from boardlab.cli.inspect import opinion
from boardlab.cli.progress import JobsBar, game_bar, jobs_bar, teller, training_bar
from boardlab.evaluators import EVALUATORS
from boardlab.games.registry import rules_of
from boardlab.jobs import Standing
from boardlab.learners import LEARNERS
from boardlab.learners import Progress as RunProgress
from boardlab.options import options_of
from boardlab.search.agent import Decision
from boardlab.search.expression import AGENTS


@pytest.mark.parametrize("columns", [40, 80])
def test_a_curve_fits_a_narrow_terminal(boardlab, tmp_path, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    _, out, _ = boardlab(
        "train",
        "tictactoe",
        "--episodes",
        "200",
        "--exam",
        "random",
        "--exam-games",
        "4",
        "--out",
        tmp_path / "run",
    )
    axis = next(line for line in out.splitlines() if "└" in line)
    assert 24 < len(axis) <= columns


@pytest.mark.parametrize("columns", [30, 40, 60, 80])
def test_the_games_are_listed_whole_on_a_narrow_terminal(boardlab, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    out = boardlab("games")[1]
    words = out.split()
    assert max(map(len, out.splitlines())) <= columns
    for name in bl.games():
        assert {name, *rules_of(name).summary.split()} <= set(words), name
        for option in options_of(rules_of(name)):
            default = f"{option.name}={option.default}".split()[0].rstrip(",")
            assert any(word.rstrip(",") == default for word in words), default


@pytest.mark.parametrize("columns", [40, 80])
def test_no_word_about_a_setting_is_broken(boardlab, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    words = set(boardlab("train", "tictactoe", "--settings")[1].split())
    for option in options_of(LEARNERS["td-ntuple"]):
        assert {option.shown_name, *option.doc.split(), *option.allowed.split()} <= words, option.name


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", [*AGENTS, *EVALUATORS])
def test_no_word_about_a_parameter_is_broken(boardlab, monkeypatch, name, columns):
    monkeypatch.setattr(console, "_width", columns)
    words = boardlab("agents", name)[1].split()
    for group in (AGENTS, EVALUATORS):
        for option in options_of(group[name]) if name in group else []:
            assert set(option.doc.split()) <= set(words), option.name


@pytest.mark.parametrize(("actions", "lines"), [(20, 20), (21, 21), (22, 21), (40, 21)])
def test_no_line_says_that_there_is_one_more(actions, lines):
    """It would take the place of that one."""
    decision = Decision(0, dict.fromkeys(range(actions), 1 / actions), {}, np.zeros(2))
    table = opinion(decision, {action: str(action) for action in range(actions)})
    assert table.row_count == lines
    last = list(table.columns[0].cells)[-1]
    assert last == (f"… {actions - 20} more" if actions > 21 else str(actions - 1))


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_training_bar_tells_the_time_left_on_a_narrow_terminal(monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    bar = training_bar()
    teller(bar, "seed 1")(RunProgress(50_000, 100_000, 10**6, 10.0, {"mcts(rollout, iterations=200)": 0.98}))
    with console.capture() as said:
        console.print(bar.get_renderable())
    (line,) = said.get().splitlines()
    assert re.match(r"seed 1 ━+ +[-\d]:[-\d]{2}:[-\d]{2} 50,000", line) and len(line) <= columns


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_set_of_jobs_tells_what_is_done_first(monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    run = {**asdict(RunProgress(50_000, 100_000, 10**6, 10.0, {})), "share": 0.5}
    running = {"seed 3": run, "alpha 0.25": {"share": 0.25}, "seed 4": {}}
    bar = JobsBar("runs")
    bar.show(Standing(50, 10, 1, 60.0, 12.5, {"seed 1": run}))
    bar.show(Standing(50, 12, 1, 120.0, 25.0, running))
    with console.capture() as said:
        console.print(bar.drawn)
    lines = said.get().splitlines()
    assert all(len(line) <= columns for line in lines) and len(lines) == 3
    head, *jobs = [line.strip() for line in lines]
    whole = "12 of 50 runs, 1 failed, 3 running, 12.5 runs/min, 0:02:54 left"
    assert whole.startswith(head[9:].rstrip("…")) and len(head) >= min(columns - 1, 9 + len(whole))
    assert jobs[0].startswith("seed 3 ") and "50,000" in jobs[0]
    assert jobs[1].startswith("alpha 0.25 ") and jobs[1].endswith("25%")
    if columns == 80:
        assert head.endswith(whole)


def test_a_set_of_jobs_prints_a_line_now_and_then_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr("boardlab.cli.progress.QUIET_SECONDS", 0.0)
    with jobs_bar("runs") as show:
        show(Standing(5, 1, 0, 60.0, 1.0, {"a": {}}))
    with game_bar("abdl", 40) as show:
        show(10)
        show(20, 50)
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert lines[0] == "1 of 5 runs, 1 running, 1 runs/min, 0:04:00 left" and not said.out
    assert re.fullmatch(r"10 of 40 games, .* games/s, .* left, abdl", lines[1])
    assert lines[2] == "20 of 50 games, abdl"  # a tournament begins with those of earlier calls


def test_an_agent_without_parameters_has_no_empty_table(boardlab):
    assert options_of(AGENTS["random"]) == []
    assert boardlab("agents", "random")[1].splitlines()[1:] == ["It has no parameters."]
