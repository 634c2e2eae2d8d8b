"""The folder of an experiment's results.

experiment.toml says what was measured, results.csv has a row for every cell and seed, times.csv the CPU
time of every training and cell. Rows are appended as they come, so that a kill loses at most the one being
written. The folder suffices to go on: no run is needed.
"""

import contextlib
import csv
import io
import json
import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardlab.arena.store.rows import version
from boardlab.errors import BoardLabError, shown
from boardlab.experiments.estimates import Estimate, mean_of
from boardlab.experiments.experiment import Budget, Experiment, Keys, Plan
from boardlab.paths import as_path, read_text
from boardlab.runs import RunFolder
from boardlab.runs.files import write_file
from boardlab.runs.toml import from_toml, to_toml

FORMAT = 1
LARGEST = 1 << 26
TIMES = ("what", "seed", "cpu_seconds")
Row = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """The measured cells of an experiment, as its `show` receives them."""

    experiment: Experiment
    budget: Budget
    plan: Plan
    rows: Sequence[Row]
    times: Sequence[Row] = ()
    """The CPU seconds of trainings and cells."""
    path: Path | None = None
    """The folder of results."""

    def numbers(self, name: str, *keys: str) -> list[float]:
        """A number of a cell, one for every seed."""
        found = (row for row in self.rows if self._keys(row) == keys and row[name] != "")
        return [float(row[name]) for row in found]

    def mean(self, name: str, *keys: str, low: float = -math.inf, high: float = math.inf) -> Estimate:
        """The mean of a number over seeds."""
        return mean_of(self.numbers(name, *keys), low, high)

    def share(self, name: str, *keys: str, of: str = "games") -> Estimate:
        """The share of games (cubes ...) with an outcome, its mean over seeds."""
        counts, games = self.numbers(name, *keys), self.numbers(of, *keys)
        shares = [count / number for count, number in zip(counts, games, strict=True)]
        return mean_of(shares, 0.0, 1.0, sum(games))

    def total(self, name: str, *keys: str) -> float:
        """The sum of a number over seeds."""
        return sum(self.numbers(name, *keys))

    @property
    def seeds(self) -> list[int]:
        """The seeds that were measured."""
        return sorted({int(row["seed"]) for row in self.rows})

    def cpu_seconds(self, what: str) -> list[float]:
        """The CPU seconds of a training or cell, one for every seed."""
        return [float(row["cpu_seconds"]) for row in self.times if row["what"] == what]

    def _keys(self, row: Mapping[str, Any]) -> Keys:
        return tuple(row[key] for key in self.experiment.keys)


class ResultsFolder:
    """The files of one experiment and budget."""

    def __init__(self, path: str | os.PathLike[str], experiment: Experiment, budget: str, plan: Plan) -> None:
        self.path = as_path("the folder of results", path)
        self.experiment, self.budget, self.plan = experiment, budget, plan
        self.columns = experiment.columns(plan)

    @property
    def is_begun(self) -> bool:
        """Whether it holds results, finished or not."""
        return (self.path / "experiment.toml").exists()

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Make the folder and keep other processes from writing into it; refuse another's."""
        with RunFolder(self.path).claimed():
            self._check()
            yield

    # ---- experiment.toml ----

    @property
    def about(self) -> dict[str, Any]:
        """What is measured: a folder in which it differs is refused."""
        named = {"experiment": self.experiment.name, "budget": self.budget}
        return named | self.plan.described()

    def _check(self) -> None:
        if not self.is_begun:
            others = [child.name for child in self.path.iterdir() if child.name not in (".lock", "runs")]
            if others:
                raise BoardLabError(f"{self.path} is not empty and holds no experiment.toml: {others[0]}")
            self._write_about({})
            return
        known = self.read_about()
        for name, now in _flat(self.about).items():
            before = _flat(known).get(name)
            if before != now:
                self._refuse(f"{name} was {_without(before, now)}, now {_without(now, before)}")
        gone = next((name for name in _flat(known) if name not in _flat(self.about)), None)
        if gone is not None:
            self._refuse(f"{gone} is no longer part of it")

    def check_version(self) -> None:
        """Refuse to mix numbers of two versions in one table."""
        before = self.read_about(whole=True).get("boardlab")
        if before != version():
            self._refuse(f"BoardLab was {before}, now {version()}")

    def _refuse(self, why: str) -> None:
        raise BoardLabError(f"{self.path} holds results of another experiment: {why}; choose another --out")

    def read_about(self, whole: bool = False) -> dict[str, Any]:
        """experiment.toml; only what identifies the experiment, or the whole of it."""
        file = self.path / "experiment.toml"
        try:
            table = from_toml(read_text("experiment.toml", file, LARGEST))
        except ValueError as error:  # a BoardLabError, too
            raise BoardLabError(f"{file} cannot be read: {error}") from None
        if table.get("format") != FORMAT:
            raise BoardLabError(f"{file} has format {shown(table.get('format'))}, ours is {FORMAT}")
        return table if whole else {name: table.get(name) for name in self.about}

    def _write_about(self, more: Mapping[str, Any]) -> None:
        about: dict[str, Any] = {"format": FORMAT, **self.about}
        tables = {name: about.pop(name) for name in ("trainings", "cells")}
        about |= {
            "item": f"{self.experiment.item} of {self.experiment.paper.cited}",
            "boardlab": version(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "machine": machine(),
            **more,
        }
        tables = {"settings": _as_text(self.experiment.budget(self.budget).settings), **tables}
        quoted = {
            name: {json.dumps(key, ensure_ascii=False): text for key, text in table.items()}
            for name, table in tables.items()
        }
        write_file(self.path / "experiment.toml", to_toml({**about, **quoted}))

    # ---- rows ----

    def rows(self) -> list[Row]:
        """The measured cells of this plan, in its order."""
        order = {cell.keys: place for place, cell in enumerate(self.plan.cells)}
        found = {
            (keys, int(row["seed"])): row
            for row in self._read("results.csv", self.columns)
            if (keys := tuple(row[key] for key in self.experiment.keys)) in order
        }
        return [found[key] for key in sorted(found, key=lambda key: (order[key[0]], key[1]))]

    def times(self) -> list[Row]:
        """The CPU time of trainings and cells."""
        found = {(row["what"], row["seed"]): row for row in self._read("times.csv", TIMES)}
        return sorted(found.values(), key=lambda row: (row["what"], int(row["seed"])))

    def add(self, keys: Keys, seed: int, numbers: Mapping[str, float]) -> None:
        """Append the row of a cell."""
        row = dict(zip(self.experiment.keys, keys, strict=True)) | {"seed": seed} | dict(numbers)
        self._append("results.csv", self.columns, row)

    def add_time(self, what: str, seed: int, cpu_seconds: float) -> None:
        """Append the CPU time of a training or cell."""
        self._append("times.csv", TIMES, {"what": what, "seed": seed, "cpu_seconds": round(cpu_seconds, 2)})

    def finish(self, measured: bool) -> None:
        """Bring the rows into the plan's order and note what it cost.

        `measured` tells whether this machine added something; it is then named, beside earlier ones.
        """
        write_file(self.path / "results.csv", _csv(self.columns, self.rows(), head=True))
        times = self.times()
        write_file(self.path / "times.csv", _csv(TIMES, times, head=True))
        seconds = sum(float(row["cpu_seconds"]) for row in times)
        seeds = sorted({int(row["seed"]) for row in self.rows()})
        about = self.read_about(whole=True)
        if about.get("boardlab") == version():
            known = str(about.get("machine", ""))
            machines = list(dict.fromkeys([*known.split(" and "), *([machine()] if measured else [])]))
            self._write_about(
                {"machine": " and ".join(machines), "seeds": seeds, "cpu_seconds": round(seconds, 1)}
            )

    def _read(self, name: str, columns: Sequence[str]) -> list[Row]:
        file = self.path / name
        if not file.exists():
            return []
        text = read_text(name, file, LARGEST)
        whole = text[: text.rfind("\n") + 1]  # a kill may have cut the last line
        rows = list(csv.DictReader(io.StringIO(whole, newline="")))
        if rows and list(rows[0]) != list(columns):
            raise BoardLabError(
                f"{file} has the columns {', '.join(map(str, rows[0]))}, not {', '.join(columns)}"
            )
        return rows

    def _append(self, name: str, columns: Sequence[str], row: Mapping[str, Any]) -> None:
        file = self.path / name
        try:
            with file.open("ab+") as out:
                size = out.tell()
                out.seek(0)
                whole = out.read().rfind(b"\n") + 1
                if whole < size:
                    out.truncate(whole)
                out.seek(0, os.SEEK_END)
                out.write(_csv(columns, [row], head=whole == 0).encode())
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise BoardLabError(f"{file} cannot be written: {error.strerror}") from None


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], head: bool) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), restval="", lineterminator="\n")
    if head:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _flat(about: Mapping[str, Any]) -> dict[str, str]:
    """The entries of tables beside the plain ones."""
    flat: dict[str, str] = {}
    for name, value in about.items():
        if isinstance(value, Mapping):
            flat |= {f"{name.removesuffix('s')} {key}": text for key, text in value.items()}
        else:
            flat[name] = value
    return flat


def _without(text: Any, other: Any) -> str:
    """The parts of a description that the other one lacks."""
    if not isinstance(text, str) or not isinstance(other, str):
        return shown(text)
    theirs = other.split(", ")
    return shown(", ".join(word for word in text.split(", ") if word not in theirs))


def _as_text(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in the types of a run file."""
    return {
        name: value if isinstance(value, (bool, int, float, str, list, tuple)) else json.dumps(value)
        for name, value in settings.items()
    }


def machine() -> str:
    """The processor and the number of its cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores"
