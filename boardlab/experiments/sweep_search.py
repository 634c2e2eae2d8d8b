"""Searches of a sweep: they propose the next values from the results so far.

A search is deterministic: the same seed and results give the same proposals. A sweep that was killed asks
again from the start and finds the results of finished runs in its folder.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from boardlab.errors import MissingPackageError, check_known, install
from boardlab.experiments.sweep_values import Range, value_text

SEARCHES = ("optuna", "random")
STUDY = "study.journal"
"""The file of Optuna's study: for its dashboard, and written anew by every start."""

Choices = Mapping[str, Sequence[Any]]
"""By axis its values, or one range."""


class Search(Protocol):
    """Proposes values and is told what they were worth."""

    def ask(self, count: int) -> list[dict[str, Any]]:
        """The next proposals."""
        ...

    def tell(self, values: Sequence[float]) -> None:
        """The results of the last proposals, the higher the better; NaN where there is none."""
        ...


def make_search(name: str, choices: Choices, integers: Sequence[str], seed: int, folder: Path) -> Search:
    """The search of that name; `integers` are the axes whose ranges have whole numbers."""
    check_known("search", name, SEARCHES)
    kind = OptunaSearch if name == "optuna" else RandomSearch
    return kind(choices, integers, seed, folder)


def check_search(name: str) -> None:
    """Refuse an unknown search, or one whose package is missing."""
    check_known("search", name, SEARCHES)
    if name == "optuna":
        _optuna()


class RandomSearch:
    """Draws every value evenly, or evenly in the logarithm."""

    def __init__(self, choices: Choices, integers: Sequence[str], seed: int, folder: Path) -> None:
        self.choices, self.integers = choices, integers
        self.rng = np.random.default_rng(seed)

    def ask(self, count: int) -> list[dict[str, Any]]:
        """The next proposals."""
        return [
            {name: self._draw(name, values) for name, values in self.choices.items()} for _ in range(count)
        ]

    def tell(self, values: Sequence[float]) -> None:
        """Results do not matter."""

    def _draw(self, name: str, values: Sequence[Any]) -> Any:
        first = values[0]
        if not isinstance(first, Range):
            return values[int(self.rng.integers(len(values)))]
        if first.step is not None:
            steps = first.steps(name)
            found = steps[int(self.rng.integers(len(steps)))]
        elif first.log:
            found = math.exp(self.rng.uniform(math.log(first.low), math.log(first.high)))
        else:
            found = self.rng.uniform(first.low, first.high)
        return round(found) if name in self.integers else rounded(found, first)


def rounded(value: float, within: Range) -> float:
    """A proposal with no more digits than a person would type."""
    return min(max(float(f"{value:.6g}"), within.low), within.high)


class OptunaSearch:
    """Optuna's tree-structured Parzen estimator (Bergstra et al. 2011)."""

    def __init__(self, choices: Choices, integers: Sequence[str], seed: int, folder: Path) -> None:
        optuna = _optuna()
        self.choices, self.integers = choices, integers
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        for name in (STUDY, f"{STUDY}.lock"):  # of an earlier start
            (folder / name).unlink(missing_ok=True)
        storage = optuna.storages.JournalStorage(
            optuna.storages.journal.JournalFileBackend(str(folder / STUDY))
        )
        self.study = optuna.create_study(
            storage=storage,
            study_name="sweep",
            direction="maximize",
            sampler=optuna.samplers.TPESampler(seed=seed % 2**32),
        )
        self.trials: list[Any] = []

    def ask(self, count: int) -> list[dict[str, Any]]:
        """The next proposals."""
        self.trials = [self.study.ask() for _ in range(count)]
        return [{name: self._suggest(trial, name) for name in self.choices} for trial in self.trials]

    def tell(self, values: Sequence[float]) -> None:
        """The results of the last proposals; NaN is a failed trial."""
        from optuna.trial import TrialState

        for trial, value in zip(self.trials, values, strict=True):
            if math.isnan(value):
                self.study.tell(trial, state=TrialState.FAIL)
            else:
                self.study.tell(trial, value)

    def _suggest(self, trial: Any, name: str) -> Any:
        values = self.choices[name]
        first = values[0]
        if not isinstance(first, Range):
            texts = [value_text(value) for value in values]
            return values[texts.index(trial.suggest_categorical(name, texts))]
        if name in self.integers:
            step = 1 if first.step is None else int(first.step)
            return trial.suggest_int(name, int(first.low), int(first.high), step=step, log=first.log)
        found = trial.suggest_float(name, first.low, first.high, step=first.step, log=first.log)
        return rounded(found, first)


def _optuna() -> Any:
    try:
        import optuna
        import optuna.storages.journal
    except ImportError:
        raise MissingPackageError(
            f"--search optuna needs the package optuna: {install('sweep')}; --search random does without"
        ) from None
    return optuna
