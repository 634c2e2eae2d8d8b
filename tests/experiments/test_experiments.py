"""Every experiment of the papers: its plan fits its table, whatever numbers come out."""

import itertools
import re
from pathlib import Path

import pytest

from boardlab.experiments import experiment, experiment_names
from boardlab.experiments.results import Results

PAGES = Path(__file__).parents[2] / "docs" / "results"


def made_up(known, budget, missing=False):
    """Results with numbers that nobody measured; every other cell may be missing."""
    plan = known.planned(budget)
    rows = []
    few = len(plan.cells) // 60 + 1  # a pool of hundreds of pairs takes seconds to rate
    for (place, cell), seed in itertools.product(enumerate(plan.cells), (1, 2)):
        if place % few or (missing and place % 2):
            continue
        numbers = {
            column: "" if column not in cell.measure.values else 1 + (place + seed) % 3
            for column in known.columns(plan)
        }
        rows.append({**numbers, **dict(zip(known.keys, cell.keys, strict=True)), "seed": str(seed)})
    times = [{"what": f"train {name}", "seed": "1", "cpu_seconds": "2.5"} for name in plan.trainings]
    return Results(known, known.budget(budget), plan, rows, times)


@pytest.mark.parametrize("name", experiment_names())
def test_an_experiment_plans_and_shows(name):
    known = experiment(name)
    assert re.fullmatch(rf"{known.paper.name}-[\w-]+", name) and known.title.endswith(".")
    assert known.planned("full").cells
    for missing in (False, True):
        display = known.show(made_up(known, "quick", missing))
        assert display.rows and all(len(row) == len(display.columns) for row in display.rows)
        assert "nan" not in display.table()
    for training in list(known.planned("quick").trainings.values())[:4]:
        training.check()
    assert known.quick.cpu_minutes <= 30, "fifteen minutes on two cores"


def test_every_experiment_is_on_the_page_of_its_paper():
    for name in experiment_names():
        paper = experiment(name).paper.name
        assert f"`boardlab reproduce {name}" in (PAGES / f"{paper}.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", experiment_names())
def test_a_figure_is_drawn(name, tmp_path):
    from boardlab.experiments.display import draw_figure

    for missing in (False, True):
        display = experiment(name).show(made_up(experiment(name), "quick", missing))
        assert len(draw_figure(display, tmp_path)) == (0 if display.draw is None else 2)


def test_edax_plays_where_it_is_installed_and_a_labelled_ladder_elsewhere(monkeypatch, tmp_path):
    known = experiment("scheiermann2022-fig4")
    monkeypatch.setenv("EDAX", str(tmp_path / "nowhere"))
    ladder = known.planned("full")
    assert {cell.keys[1] for cell in ladder.cells} == {"our ladder, version 1"}
    assert "ladder(level=9)" in str(ladder.cells[8].measure)
    assert "not Edax but our ladder" in " ".join(known.show(made_up(known, "quick")).notes)
    program = tmp_path / "edax"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("EDAX", str(program))
    assert {cell.keys[1] for cell in known.planned("full").cells} == {"Edax"}
    assert known.show(made_up(known, "quick")).notes[-1] == "The opponent is Edax, as in the paper."
