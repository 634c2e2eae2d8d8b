"""All experiments by name. A folder is a paper, a file in it an experiment."""

import dataclasses
import functools
import importlib
import pkgutil
import re
from pathlib import Path

from boardlab.errors import check_known
from boardlab.experiments.experiment import Experiment

PAPERS = ("scheiermann2022", "church2019", "konen2022", "wang2021thesis", "wang2021")
"""The folders of the papers, in the order of the list."""


@functools.cache
def experiment_names() -> tuple[str, ...]:
    """The names of all experiments: scheiermann2022-table2."""
    return tuple(name for paper in PAPERS for name in _of_paper(paper))


def _of_paper(paper: str) -> list[str]:
    files = pkgutil.iter_modules([str(Path(__file__).parent / paper)])
    names = [file.name.replace("_", "-") for file in files if not file.name.startswith("_")]
    return [f"{paper}-{name}" for name in sorted(names, key=_natural)]


def _natural(name: str) -> list[tuple[str, int]]:
    """Sort table2 before table10."""
    return [(word, int(digits or 0)) for word, digits in re.findall(r"(\D*)(\d*)", name)]


@functools.cache
def experiment(name: str) -> Experiment:
    """The experiment of that name."""
    check_known("experiment", name, experiment_names())
    paper, _, item = name.partition("-")
    module = importlib.import_module(f"boardlab.experiments.{paper}.{item.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return dataclasses.replace(found, name=name)
