"""A table of results: a row for each setting, means over seeds with 95% intervals."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, mean_of
from boardlab.experiments.sweep_values import value_text
from boardlab.learners.curve import interval_of_runs

NOTHING = "-"
"""Stands for an option that does nothing in a setting."""


@dataclass(frozen=True)
class Row:
    """A setting and what was measured with it."""

    chosen: Mapping[str, Any]
    """Its values by axis."""
    values: Mapping[str, Mapping[int, float]]
    """By exam and seed."""
    episodes: Mapping[int, int] = field(default_factory=dict)
    """Of each run, by seed; empty where nothing was trained."""
    agent: str = ""
    """The agent that was examined, where it is not the run's own."""
    folder: str = ""
    """The folder of its runs."""

    def mean(self, exam: str) -> Estimate:
        """The mean over seeds and its interval, unknown for one seed or where all ended alike."""
        return mean_of(list(self.values.get(exam, {}).values()))

    @property
    def seeds(self) -> int:
        """The seeds of which all results are there."""
        return min((len(values) for values in self.values.values()), default=0)

    @property
    def name(self) -> str:
        """Its values: alpha=1 epsilon=0.1."""
        return " ".join(f"{axis}={value_text(value)}" for axis, value in self.chosen.items())


@dataclass(frozen=True)
class ResultTable:
    """Rows over the same axes and exams."""

    axes: tuple[str, ...]
    exams: tuple[str, ...]
    rows: tuple[Row, ...]

    # ---- the best ----

    def ranked(self, exam: str) -> list[Row]:
        """The rows with a result, the best first; the earlier of two equal ones."""
        known = [row for row in self.rows if row.mean(exam).is_known]
        return sorted(known, key=lambda row: -row.mean(exam).value)

    def best(self, exam: str) -> Row | None:
        """The row with the highest mean."""
        return next(iter(self.ranked(exam)), None)

    def rivals(self, exam: str) -> list[Row]:
        """The rows that are not clearly worse than the best."""
        ranked = self.ranked(exam)
        return [row for row in ranked[1:] if not is_clear(exam, ranked[0], row)]

    def values_of(self, axis: str) -> list[Any]:
        """The values of an axis, in order of appearance."""
        return list(dict.fromkeys(row.chosen[axis] for row in self.rows if axis in row.chosen))

    # ---- as text ----

    @property
    def lengths_differ(self) -> bool:
        """Whether runs have different numbers of episodes, which the table then shows."""
        return len({episodes for row in self.rows for episodes in row.episodes.values()}) > 1

    @property
    def columns(self) -> list[str]:
        """The headings of the table."""
        more = ["episodes"] if self.lengths_differ and "episodes" not in self.axes else []
        return [*self.axes, *self.exams, *more, "seeds"]

    def cells(self) -> list[list[str]]:
        """The rows of the table as text."""
        return [self._cells(row) for row in self.rows]

    def _cells(self, row: Row) -> list[str]:
        chosen = [value_text(row.chosen[axis]) if axis in row.chosen else NOTHING for axis in self.axes]
        means = [row.mean(exam).text() for exam in self.exams]
        more = []
        if "episodes" in self.columns[len(self.axes) :]:
            more = [f"{statistics.fmean(row.episodes.values()):,.0f}" if row.episodes else NOTHING]
        return [*chosen, *means, *more, str(row.seeds)]

    def markdown(self) -> str:
        """The table in Markdown."""
        return Display(
            self.columns, [[cell.replace("|", "\\|") for cell in row] for row in self.cells()]
        ).table()

    def text(self) -> str:
        """The table in aligned columns."""
        lines = [self.columns, *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        pad = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
        )
        return "\n".join(line.rstrip() for line in pad)

    # ---- as rows of CSV files ----

    def mean_rows(self) -> list[dict[str, Any]]:
        """A row for each setting: its values, seeds, and the mean and interval of each exam."""
        found = []
        for row in self.rows:
            line: dict[str, Any] = {
                axis: value_text(row.chosen[axis]) if axis in row.chosen else "" for axis in self.axes
            }
            line["seeds"] = row.seeds
            if row.episodes:
                line["episodes"] = f"{statistics.fmean(row.episodes.values()):.10g}"
            for exam in self.exams:
                mean = row.mean(exam)
                line |= {f"{exam} mean": number(mean.value), f"{exam} interval": number(mean.half)}
            found.append(line)
        return found

    def seed_rows(self) -> list[dict[str, Any]]:
        """A row for each setting and seed."""
        found = []
        for row in self.rows:
            chosen = {axis: value_text(row.chosen[axis]) if axis in row.chosen else "" for axis in self.axes}
            for seed in sorted({seed for values in row.values.values() for seed in values}):
                line = {**chosen, "seed": seed}
                line |= {exam: number(row.values[exam].get(seed, math.nan)) for exam in self.exams}
                if seed in row.episodes:
                    line["episodes"] = row.episodes[seed]
                if row.folder:
                    line["run"] = f"{row.folder}/seed-{seed}"
                if row.agent:
                    line["agent"] = row.agent
                found.append(line)
        return found


def number(value: float) -> str:
    """A number for a CSV file; empty where it is not known."""
    return "" if math.isnan(value) else f"{value:.6g}"


def is_clear(exam: str, better: Row, worse: Row) -> bool:
    """Whether the difference is clear at 95%: paired by seed, by Student's t."""
    one, other = better.values.get(exam, {}), worse.values.get(exam, {})
    pairs = [one[seed] - other[seed] for seed in sorted(set(one) & set(other))]
    return len(pairs) > 1 and abs(statistics.fmean(pairs)) > interval_of_runs(pairs)


def difference_text(rivals: Sequence[Row], others: int) -> str:
    """How clearly the best is better: in words."""
    if not others:
        return "there is no other setting"
    if not rivals:
        return "clearly better than all others at 95% (paired by seed)"
    names = ", ".join(row.name for row in rivals[:3]) + (" ..." if len(rivals) > 3 else "")
    return f"not clearly better than {len(rivals)} of {others} others ({names}); more seeds would tell"
