"""An experiment of a paper: agents to train, cells to measure, published numbers.

A file of this folder holds one experiment and reads like the section of the paper. Its `plan` names the
trainings and the cells for a budget; its `show` turns the measured cells into the paper's table and figure.
"""

import dataclasses
import hashlib
import importlib.util
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, MissingPackageError, check_known, install
from boardlab.games.game import Game
from boardlab.games.registry import game
from boardlab.learners.presets import preset
from boardlab.learners.run_options import RunOptions
from boardlab.learners.train import prepare
from boardlab.options import options_of

if TYPE_CHECKING:
    from boardlab.experiments.display import Display
    from boardlab.experiments.measuring import Measure
    from boardlab.experiments.results import Results

PACKAGES = {"az": "torch", "references": "bitbully"}
"""Extras that experiments need, and a package by which to tell that they are installed."""

DEVICES = ("cpu", "cuda")

RUN_OPTIONS = {known.name for known in options_of(RunOptions)}

Keys = tuple[str, ...]
"""What identifies a cell: its row, column ..."""


@dataclass(frozen=True)
class Paper:
    """One of the five papers."""

    name: str
    """First author and year, as in scheiermann2022."""
    cited: str
    """As the documentation names it."""


@dataclass(frozen=True)
class Board:
    """A game with its parameters, as plain values."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        """The game."""
        return game(self.name, **self.parameters)

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.parameters.items())])


@dataclass(frozen=True)
class Training:
    """An agent to train, once for every seed."""

    board: Board
    learner: str = "td-ntuple"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The options of `boardlab train`: preset, episodes ..."""
    parent: str = ""
    """The training whose run it begins with (`--from`)."""
    repeat: int = 0
    """Tells trainings apart that differ in nothing but their seed, within one pool of players."""

    def __str__(self) -> str:
        words = [f"{self.learner} on {self.board}", *(f"{k}={v!r}" for k, v in self.settings.items())]
        words += [f"from {self.parent}"] if self.parent else []
        return ", ".join([*words, f"repeat {self.repeat}"] if self.repeat else words)

    @property
    def described(self) -> str:
        """The training in words, with a digest of its preset: settings change with it."""
        given = {name: value for name, value in self.settings.items() if name not in RUN_OPTIONS}
        chosen = preset(self.board.game, str(self.settings.get("preset", "default")), self.learner, given)
        digest = hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()[:8]
        return f"{self}, settings {digest}"

    def check(self) -> None:
        """Refuse a training that could not begin; one with a parent is checked when it begins."""
        if not self.parent:
            prepare(self.board.game, self.learner, **self.settings)

    def seed(self, seed: int) -> int:
        """The seed of the run in a repetition of the experiment."""
        return seed + 1_000_000 * self.repeat

    def folder(self, seed: int, parents: str = "") -> str:
        """The name of the run's folder: equal for equal trainings, in every experiment."""
        digest = hashlib.sha256(f"{self} {parents}".encode()).hexdigest()[:10]
        return f"{self.board.name}-{digest}-{seed}"


@dataclass(frozen=True)
class Cell:
    """One number of the table, or one point of the figure, for every seed."""

    keys: Keys
    measure: "Measure"
    once: bool = False
    """Whether it is measured with the first seed alone: nothing in it was trained."""

    @property
    def name(self) -> str:
        """The keys as text."""
        return " / ".join(self.keys)

    @property
    def trainings(self) -> list[str]:
        """The names of the trainings that the measure mentions as {NAME} or {NAME@EPISODES}."""
        return list(dict.fromkeys(found[1] for found in mentions(self.measure)))


def mentions(measure: "Measure") -> Iterator[re.Match[str]]:
    """Where a measure mentions the runs of trainings."""
    for text in _texts(dataclasses.asdict(measure)):
        yield from RUN.finditer(text)


RUN = re.compile(r"\{(\w+)(?:@(\d+))?\}")
"""The run of a training, {tcl}, or its snapshot after so many episodes, {tcl@5000}."""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


@dataclass(frozen=True)
class Plan:
    """What an experiment trains and measures within a budget."""

    trainings: Mapping[str, Training]
    cells: Sequence[Cell]

    def folder(self, name: str, seed: int) -> str:
        """The name of the run's folder of a training."""
        training = self.trainings[name]
        return training.folder(seed, self.folder(training.parent, seed) if training.parent else "")

    def ancestors(self, name: str) -> list[str]:
        """A training after all that it begins with."""
        parent = self.trainings[name].parent
        return [*(self.ancestors(parent) if parent else []), name]

    def on(self, device: str) -> "Plan":
        """The plan with its nets trained on a device.

        The preset `default` differs on a GPU, so its trainings stay where they are.
        """
        moved = {
            name: dataclasses.replace(training, settings={**training.settings, "device": device})
            for name, training in self.trainings.items()
            if "device" in training.settings and training.settings.get("preset") != "default"
        }
        return dataclasses.replace(self, trainings={**self.trainings, **moved})

    @property
    def trains_nets(self) -> bool:
        """Whether a training can move to another device."""
        return any("device" in training.settings for training in self.trainings.values())

    def described(self) -> dict[str, dict[str, str]]:
        """Trainings and cells in words; a results folder keeps them."""
        return {
            "trainings": {name: training.described for name, training in self.trainings.items()},
            "cells": {cell.name: str(cell.measure) for cell in self.cells},
        }


@dataclass(frozen=True)
class Budget:
    """How much is trained and measured."""

    seeds: int
    cpu_minutes: float
    """With these seeds, on one core of ours."""
    shows: str
    """What this budget can show, and how it differs from the paper's."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper, with the published numbers."""

    paper: Paper
    item: str
    """As the paper names it: Table II."""
    title: str
    """What is measured, in one line."""
    keys: tuple[str, ...]
    """The names of the columns that identify a cell in results.csv."""
    plan: Callable[[Budget], Plan]
    show: Callable[["Results"], "Display"]
    quick: Budget
    full: Budget
    published: Mapping[Any, Any] = field(default_factory=dict)
    """The paper's numbers, by the keys of a cell."""
    source: str = ""
    """Where they stand in the paper."""
    choices: tuple[str, ...] = ()
    """What we chose where the paper is silent, or cannot be followed: a line each."""
    extras: tuple[str, ...] = ()
    """Extras of BoardLab that it needs."""
    name: str = ""
    """Set by the registry: paper and file."""

    @property
    def budgets(self) -> dict[str, Budget]:
        """The budgets by name."""
        return {"quick": self.quick, "full": self.full}

    def budget(self, name: str) -> Budget:
        """The budget of that name."""
        check_known("budget", name, self.budgets)
        return self.budgets[name]

    def check_extras(self) -> None:
        """Refuse to begin what a missing package would end."""
        for extra in self.extras:
            if importlib.util.find_spec(PACKAGES[extra]) is None:
                raise MissingPackageError(f"{self.name} needs {PACKAGES[extra]}: {install(extra)}")

    def planned(self, name: str, device: str = "cpu") -> Plan:
        """The plan of a budget, its nets trained on a device, checked."""
        check_known("device", device, DEVICES)
        plan = self.plan(self.budget(name))
        if device != "cpu":
            if not plan.trains_nets:
                raise BoardLabError(f"{self.name} trains no neural nets, so it cannot use device {device}")
            plan = plan.on(device)
        seen: set[Keys] = set()
        for cell in plan.cells:
            if len(cell.keys) != len(self.keys) or cell.keys in seen:
                raise BoardLabError(f"{self.name}: cell {json.dumps(cell.keys)} is not unique")
            seen.add(cell.keys)
            for training in cell.trainings:
                check_known(f"training of {self.name}", training, plan.trainings)
        return plan

    def columns(self, plan: Plan) -> list[str]:
        """The columns of results.csv."""
        values = dict.fromkeys(value for cell in plan.cells for value in cell.measure.values)
        return [*self.keys, "seed", *values]
