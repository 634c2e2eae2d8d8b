"""The job that takes a measure."""

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardlab.experiments.experiment import RUN, Board, Cell
from boardlab.experiments.measuring import MEASURES
from boardlab.jobs import Context, Job, kind
from boardlab.search.expression import escaped


def measure_job(cell: Cell, seed: int, runs: Mapping[str, Path]) -> Job:
    """The job of a cell, with the folders of the runs in place of their names."""
    arguments = _filled(dataclasses.asdict(cell.measure), runs)
    settings = {"measure": cell.measure.name, "arguments": arguments}
    reads = tuple(run.as_posix() for run in runs.values())
    return Job("measure", settings, seed, reads=reads, name=cell.name)


def _filled(value: Any, runs: Mapping[str, Path]) -> Any:
    if isinstance(value, str):
        whole = RUN.fullmatch(value)
        path = {name: run.as_posix() for name, run in runs.items()}
        if whole:
            return _folder(path[whole[1]], whole[2])
        return RUN.sub(lambda found: escaped(_folder(path[found[1]], found[2])), value)
    if isinstance(value, Mapping):
        return {name: _filled(item, runs) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(item, runs) for item in value]
    return value


def _folder(run: str, episodes: str | None) -> str:
    return f"{run}/snapshots/{episodes}" if episodes else run


@kind("measure")
def take_measure(job: Job, context: Context) -> dict[str, Any]:
    """Take the measure that the settings describe; returns its numbers and its CPU seconds."""
    begin = time.process_time()
    arguments = dict(job.settings["arguments"])
    if "board" in arguments:
        arguments["board"] = Board(**arguments["board"])
    numbers = MEASURES[job.settings["measure"]](**arguments).take(job.seed)
    return {"numbers": numbers, "cpu_seconds": time.process_time() - begin}
