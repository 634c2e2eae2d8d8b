"""Training runs as HTML, for notebooks: facts, exams and curves."""

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boardlab import html
from boardlab.charts import Series, line_chart
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.learners.curve import Point, Rows, band, interval_of_runs, mean_curve, points
from boardlab.learners.exams import exam_names, exam_range, exam_title, exam_unit
from boardlab.numbers import plain, with_interval

if TYPE_CHECKING:
    from boardlab.learners.compare import Comparison
    from boardlab.learners.listing import RunList
    from boardlab.learners.many import ManyRuns
    from boardlab.learners.run import Run


def run_page(run: "Run") -> Html:
    """Return a run's facts, its last exams and its curves."""
    speed = f"{run.actions / run.seconds:,.0f}" if run.seconds > 0 else ""
    facts = [
        ["game", repr(run.game)],
        ["learner", run.settings.name],
        ["episodes", f"{run.episodes:,}" + ("" if run.is_open else f" of {run.total:,}")],
        ["seconds", plain(run.seconds, 4)],
        ["actions per second", speed],
        ["agent", run.expression],
    ]
    exams = [[exam_title(exam), *_last(run.log, exam)] for exam in exam_names(run.log)]
    return html.below(
        html.heading(str(run.path)),
        html.table(["", ""], facts, left=(0, 1)),
        html.table(["exam", "last value", "after episodes"], exams) if exams else "",
        curves(run.game, [("", run.log)]),
    )


def _last(log: Rows, exam: str) -> list[str]:
    found = points(log, exam)
    if not found:
        return ["", ""]
    episodes, value, half = found[-1]
    return [with_interval(value, half), f"{episodes:,}"]


def curves(game: Game, logs: Sequence[tuple[str, Rows]], theme: str = "auto") -> Html:
    """Draw a chart for each exam, with a curve and its 95% band for each log."""
    exams = list(dict.fromkeys(name for _, rows in logs for name in exam_names(rows)))
    charts = []
    for exam in exams:
        possible = exam_range(exam, game)
        series = [Series(name, _banded(points(rows, exam), possible)) for name, rows in logs]
        charts.append(_chart(exam, series, possible, theme))
    return html.beside(*charts) if charts else Html("")


def _banded(found: Sequence[Point], possible: tuple[float, float]) -> list[tuple[float, float, float, float]]:
    low, high = band(found, possible)
    return [(float(x), y, a, b) for (x, y, _), a, b in zip(found, low, high, strict=True)]


def _chart(exam: str, series: Sequence[Series], possible: tuple[float, float], theme: str = "auto") -> str:
    return line_chart(
        series,
        title=exam_title(exam),
        x_label="episodes",
        y_label=exam_unit(exam),
        possible=possible,
        theme=theme,
    )


def many_page(runs: "ManyRuns") -> Html:
    """Return the exams of runs that differ in their seed, with the mean over runs."""
    rows, charts = [], []
    game = runs.runs[0].game
    for exam in runs.exams:
        values = runs.last_values(exam)
        deviation = plain(statistics.stdev(values), 3) if len(values) > 1 else ""
        mean = with_interval(statistics.mean(values), interval_of_runs(values))
        rows.append([exam_title(exam), mean, deviation, plain(min(values)), plain(max(values)), len(values)])
        possible = exam_range(exam, game)
        mean_of = Series(
            "mean of the runs", _banded(mean_curve([run.log for run in runs.runs], exam), possible)
        )
        own = [
            Series(run.path.name, [(float(x), y, math.nan, math.nan) for x, y, _ in points(run.log, exam)])
            for run in runs.runs[:7]
        ]
        charts.append(_chart(exam, [mean_of, *own], possible))
    head = ["exam", "mean ± 95%", "deviation", "lowest", "highest", "runs"]
    return html.below(
        html.heading(f"{runs.path}: {game.name}, {len(runs.runs)} runs"),
        html.table(head, rows) if rows else "",
        html.table(
            ["run", "seed", "episodes", "seconds"],
            [[run.path.name, run.seed, f"{run.episodes:,}", plain(run.seconds, 3)] for run in runs.runs],
        ),
        html.beside(*charts) if charts else "",
    )


def comparison_page(comparison: "Comparison") -> Html:
    """Return what differs between runs: settings, exams, curves, and their match."""
    names = [entrant.name for entrant in comparison.entrants]
    settings = [[name, *values] for name, values in comparison.settings.items()]
    tested = [
        [d.exam, d.at, d.first, d.second, with_interval(d.value, d.half), "yes" if d.is_clear else "no"]
        for d in comparison.differences
    ]
    exams = list(dict.fromkeys(n for e in comparison.entrants for run in e.runs for n in exam_names(run.log)))
    charts = []
    for exam in exams:
        possible = exam_range(exam, comparison.game)
        series = [Series(e.name, _banded(e.curve(exam), possible)) for e in comparison.entrants]
        charts.append(_chart(exam, series, possible))
    head = ["exam", "at", "run", "beside", "difference", "clear at 95%"]
    return html.below(
        html.heading(f"{comparison.game!r}"),
        html.table(["setting", *names], settings, left=range(len(names) + 1)) if settings else "",
        html.table(head, tested, left=range(4)) if tested else "",
        html.beside(*charts) if charts else "",
        Html(comparison.result._repr_html_()) if comparison.result is not None else "",
    )


def list_page(runs: "RunList", columns: Sequence[str]) -> Html:
    """Return the table of runs."""
    return html.below(html.table(columns, runs.rows(), left=range(5)), html.paragraph(runs.summary))
