"""Results of the arena as HTML, for notebooks."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boardlab import html
from boardlab.arena.arena import GameRecord
from boardlab.arena.intervals import NORMAL_95, wilson
from boardlab.arena.played import game_points
from boardlab.charts import Series, line_chart, span_chart
from boardlab.games.game import Game
from boardlab.html import Html
from boardlab.numbers import counted, duration, plain, with_interval

if TYPE_CHECKING:
    from boardlab.arena.balance import BalanceResult, SeatReport
    from boardlab.arena.examinations import ExamTable
    from boardlab.arena.exams.exam import ExamResult
    from boardlab.arena.match_result import MatchResult
    from boardlab.arena.ratings import BayesElo
    from boardlab.arena.ratings.plot import Span
    from boardlab.arena.ratings.whole_history import HistoryCurves
    from boardlab.arena.standings import TournamentResult
    from boardlab.arena.store.fame import HallOfFame

CURVE_POINTS = 60
"""Most points of a curve over games."""
FEWEST = 10
"""Games from which on a curve over them is drawn."""


# ---- matches ----


def match_page(result: "MatchResult") -> Html:
    """Return the agents' results, how they came about, and the facts below."""
    solo = len(result.agents) == 1
    head = ["agent", *([] if solo else ["wins", "share", "95%"]), "mean score", "time/move"]
    rows = []
    for i, name in enumerate(result.names):
        low, high = wilson(result.wins[i], result.games)
        won = [str(result.wins[i]), f"{result.wins[i] / result.games:.1%}", f"{low:.0%}-{high:.0%}"]
        score = with_interval(result.mean_scores[i], result.intervals[i])
        rows.append([name, *([] if solo else won), score, _time(result.seconds_per_decision, i)])
    return html.below(
        html.heading(f"{result.game.name}, {counted(result.games, 'games')}"),
        html.table(head, rows),
        *_run_tables(result),
        html.paragraph("\n".join(result.notes())),
        match_curve(result.game, result.names, result.records),
    )


def _run_tables(result: "MatchResult") -> list[Html]:
    """Return the results of each run of agents that are folders of runs."""
    tables = []
    for name, runs in zip(result.names, result.runs, strict=False):
        if runs:
            rows = [[run.run, run.wins, run.draws, run.losses, plain(run.mean_score)] for run in runs]
            tables.append(html.table([f"runs of {name}", "wins", "draws", "losses", "mean score"], rows))
    return tables


def _time(seconds: Sequence[float], agent: int) -> str:
    known = agent < len(seconds) and not math.isnan(seconds[agent])
    return duration(seconds[agent]) if known else ""


def match_curve(game: Game, agents: Sequence[str], records: Sequence[GameRecord], theme: str = "auto") -> str:
    """Draw the mean of the first agent over the games played; "" for few games.

    It is that of points, of scores in a game for one player. The band is a 95% interval that takes games as
    independent.
    """
    if len(records) < FEWEST:
        return ""
    solo = game.players == 1
    values = [
        record.scores[0] if solo else game_points(record.scores)[record.seats.index(0)] for record in records
    ]
    return line_chart(
        [Series(agents[0], running_means(values))],
        title=f"{'mean score' if solo else 'points'} of {agents[0]}",
        x_label="games",
        possible=(-math.inf, math.inf) if solo else (0.0, 1.0),
        height=190,
        theme=theme,
    )


def running_means(values: Sequence[float]) -> list[tuple[float, float, float, float]]:
    """Return the mean over the first n values with its 95% interval, for some rising n."""
    step = max(1, len(values) // CURVE_POINTS)
    points, total, squares = [], 0.0, 0.0
    for n, value in enumerate(values, 1):
        total += value
        squares += value * value
        if n >= FEWEST // 2 and (n % step == 0 or n == len(values)):
            mean = total / n
            half = NORMAL_95 * math.sqrt(max(0.0, squares / n - mean * mean) / n)
            points.append((float(n), mean, mean - half, mean + half))
    return points


# ---- tournaments and ratings ----


def tournament_page(result: "TournamentResult") -> Html:
    """Return standings, ratings with intervals, and the cross table in colours."""
    title, *_ = str(result).splitlines()
    solo = result.game.players == 1
    rated = result.rated()
    head = [
        "rank",
        "agent",
        *([] if rated is None else ["rating ± 95%"]),
        "games",
        *([] if solo else ["points ± 95%", "wins", "draws", "losses"]),
        "mean score",
        "time/move",
    ]
    rows = []
    for rank, i in enumerate(result.ranking, 1):
        s = result.standings[i]
        row: list[object] = [rank, result.names[i]]
        if rated is not None:
            value, half, digits = rated[i]
            row.append(f"{value:z.{digits}f} ± {half:.{digits}f}")
        row.append(s.games)
        if not solo:
            half_text = "" if math.isnan(s.point_interval) else f" ± {s.point_interval:.1%}"
            row += [f"{s.share:.1%}{half_text}", s.wins, s.draws, s.losses]
        time = "" if math.isnan(s.seconds_per_decision) else duration(s.seconds_per_decision)
        rows.append([*row, with_interval(s.mean_score, s.score_interval), time])
    parts = [html.heading(title), html.table(head, rows, left=(0, 1))]
    if rated is not None:
        spans = [
            (result.names[i], rated[i][0], rated[i][0] - rated[i][1], rated[i][0] + rated[i][1])
            for i in result.ranking
        ]
        parts.append(Html(span_chart(spans, title="ratings with their 95% intervals")))
    if not solo:
        parts += [html.heading("points in percent, row against column"), _cross_table(result)]
    notes = "\n".join(result.notes())
    return html.below(*parts, html.paragraph(notes))


def _cross_table(result: "TournamentResult") -> Html:
    ranking = result.ranking
    rows = []
    for rank, i in enumerate(ranking, 1):
        cells = [
            "·"
            if i == j
            else ""
            if math.isnan(share := result.cross[i, j])
            else html.shaded(f"{100 * share:.0f}", share)
            for j in ranking
        ]
        rows.append([rank, result.names[i], *cells])
    return html.table(["", "", *range(1, len(ranking) + 1)], rows, left=(0, 1))


def ratings_page(unit: str, spans: Sequence["Span"], notes: Sequence[str]) -> Html:
    """Return a rating list as a table and a picture."""
    rows = [
        [rank, span.name, f"{span.rating:z.1f}", f"{span.low:z.1f} to {span.high:z.1f}"]
        for rank, span in enumerate(spans, 1)
    ]
    return html.below(
        html.table(["rank", "name", unit, "95% interval"], rows, left=(0, 1)),
        _span_picture(unit, spans),
        html.paragraph("\n".join(notes)),
    )


def elo_page(ratings: "BayesElo", notes: Sequence[str]) -> Html:
    """Return Bayesian Elo as a table and a picture."""
    rows = [
        [rank, r.name, f"{r.elo:z.0f}", f"+{r.plus:.0f}", f"-{r.minus:.0f}", r.games, f"{r.score:.0%}",
         f"{r.opponents:z.0f}", f"{r.draws:.0%}"]
        for rank, r in enumerate(ratings.ratings, 1)
    ]  # fmt: skip
    head = ["rank", "name", "Elo", "+", "-", "games", "score", "opponents", "draws"]
    return html.below(
        html.table(head, rows, left=(0, 1)),
        _span_picture("Elo", ratings.spans()),
        html.paragraph("\n".join(notes)),
    )


def history_page(curves: "HistoryCurves", notes: Sequence[str]) -> Html:
    """Return ratings over time as a table and curves."""
    rows = [
        [name, f"{p.time:g}", f"{p.elo:z.0f} ± {p.error:.0f}", p.games]
        for name, curve in curves.items()
        for p in curve
    ]
    series = [
        Series(name, [(p.time, p.elo, p.elo - p.error, p.elo + p.error) for p in curve])
        for name, curve in curves.items()
    ]
    return html.below(
        html.table(["name", "time", "Elo ± 95%", "games"], rows),
        line_chart(series, title="Elo with its 95% interval", x_label="time"),
        html.paragraph("\n".join(notes)),
    )


def _span_picture(unit: str, spans: Sequence["Span"]) -> Html:
    values = [(span.name, span.rating, span.low, span.high) for span in spans]
    return Html(span_chart(values, title=f"{unit} with its 95% interval"))


# ---- exams, balance, fame ----


def exam_page(result: "ExamResult") -> Html:
    """Return an exam's value and its parts."""
    head = ["exam", "value", "best possible", result.units]
    row: list[object] = [
        result.exam,
        with_interval(result.value, result.interval),
        "" if math.isinf(result.best) else plain(result.best),
        f"{result.games:,}",
    ]
    if result.outcomes is not None:
        head += ["wins", "draws", "losses"]
        row += list(result.outcomes)
    details = [
        [name, plain(value), html.bar(value) if 0 <= value <= 1 else ""]
        for name, value in result.details.items()
    ]
    _, *lines = str(result).splitlines()
    return html.below(
        html.table(head, [row]),
        html.table(["", "", ""], details, left=(0, 2)) if details else "",
        html.paragraph("\n".join(line.strip() for line in lines)),
    )


def exams_page(table: "ExamTable") -> Html:
    """Return a row for each agent and exam, and a picture of each exam that several agents took."""
    rows = []
    for row in table.rows:
        if row.result is None:
            rows.append([row.agent, row.exam, f"skipped: {row.skipped}", "", ""])
        else:
            best = "" if math.isinf(row.result.best) else plain(row.result.best)
            value = with_interval(row.result.value, row.result.interval)
            rows.append([row.agent, row.exam, value, best, f"{row.result.games:,} {row.result.units}"])
    charts = []
    for exam in dict.fromkeys(row.exam for row in table.rows):
        found = [(row.agent, row.result) for row in table.rows if row.exam == exam and row.result is not None]
        spans = [(name, r.value, r.value - r.interval, r.value + r.interval) for name, r in found]
        if len(spans) > 1:
            charts.append(span_chart(spans, title=exam))
    head = ["agent", "exam", "value", "best possible", ""]
    return html.below(html.table(head, rows, left=(0, 1)), html.beside(*charts) if charts else "")


def balance_page(result: "BalanceResult") -> Html:
    """Return what each seat is worth, and the even starts."""
    rows = [_seat_row(result, "standard start", result.usual)]
    rows += [
        _seat_row(result, f"start {number}: {' '.join(start.actions)}", start.report)
        for number, start in enumerate(result.starts, 1)
    ]
    if result.together is not None:
        rows.append(_seat_row(result, "all kept starts", result.together))
    names = [result.game.rules.player_name(seat) for seat in range(result.game.players)]
    head = [
        "",
        *(f"{name}: mean score" for name in names),
        *(f"{name} wins" for name in names),
        "draws",
        "games",
    ]
    return html.below(html.heading(f"{result.game.name}: what the seats are worth"), html.table(head, rows))


def _seat_row(result: "BalanceResult", title: str, report: "SeatReport") -> list[object]:
    scores = [with_interval(s, w) for s, w in zip(report.mean_scores, report.intervals, strict=True)]
    return [title, *scores, *(f"{share:.1%}" for share in report.wins), f"{report.draws:.1%}", report.games]


def fame_page(fame: "HallOfFame") -> Html:
    """Return a table of agents for every game."""
    parts: list[Html] = []
    for title, lines in fame.lists():
        rows = []
        for rank, line in enumerate(lines, 1):
            reach = "" if math.isnan(line.low) else f"{plain(line.low)} to {plain(line.high)}"
            rows.append([rank, line.expression, plain(line.rating), reach, line.games])
        head = ["rank", "agent", "rating", "95% interval", "games"]
        parts += [html.heading(title), html.table(head, rows, left=(0, 1))]
    return html.below(*parts) if parts else html.paragraph("no agent yet")
