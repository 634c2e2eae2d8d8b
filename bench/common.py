"""Helpers of the benchmarks: CPU time, interleaved repeats, tables."""

import json
import math
import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from boardlab.arena.intervals import hidden_share, interval

console = Console(highlight=False, width=120)


def rate(work: Callable[[], float], seconds: float = 1.0) -> float:
    """Return units of work a CPU second; `work` returns the units it did."""
    work()  # warm up
    done, start = 0.0, time.process_time()
    while time.process_time() - start < seconds:
        done += work()
    return done / (time.process_time() - start)


def best(measures: dict[str, Callable[[], float]], repeats: int = 3) -> dict[str, float]:
    """Return the best of several interleaved measurements: a busy machine only slows down."""
    result: dict[str, float] = {}
    for _ in range(repeats):
        for name, measure in measures.items():
            result[name] = max(result.get(name, 0.0), measure())
    return result


def mean(values: list[float]) -> str:
    """The mean with its 95% interval (Student's t), if the values differ; empty if one is missing."""
    if any(math.isnan(value) for value in values):
        return ""
    half = interval(values, (-math.inf, math.inf))
    return f"{sum(values) / len(values):.3f}" + (f" ± {half:.3f}" if len(set(values)) > 1 else "")


def percent(wins: int, games: int) -> str:
    """The proportion of wins in %, with its 95% interval over the games."""
    share = wins / games
    error = max(1.96 * math.sqrt(share * (1 - share) / games), hidden_share(games))
    return f"{100 * share:.1f} ± {100 * error:.1f}"


def tell(line: Mapping[str, Any], out: Path | None) -> None:
    """Print a result as a line of JSON and append it to the file."""
    text = json.dumps(line)
    print(text, flush=True)
    if out:
        with out.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def machine(how: str) -> str:
    """Describe the processor and its use, for the caption of a table."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor()
    return f"{model}, Python {platform.python_version()}, {how}"


def table(
    title: str,
    columns: list[str],
    rows: list[list[str]],
    how: str = "one core, CPU time, best of 3",
) -> None:
    """Print a table under its title and the machine."""
    grid = Table(
        title=f"{title}\n{machine(how)}", box=None, title_justify="left", header_style="bold", pad_edge=False
    )
    for i, column in enumerate(columns):
        grid.add_column(column, justify="left" if i == 0 else "right")
    for row in rows:
        grid.add_row(*row)
    console.print(grid)
    console.print()
