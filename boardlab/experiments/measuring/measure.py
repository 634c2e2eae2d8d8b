"""The base of measures."""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from boardlab.experiments.experiment import Board

Numbers = dict[str, float]


@dataclass(frozen=True)
class Measure:
    """The base of all measures."""

    name: ClassVar[str]
    values: ClassVar[tuple[str, ...]]
    """The names of the numbers that `take` returns."""

    def take(self, seed: int) -> Numbers:
        """Measure."""
        raise NotImplementedError

    def __str__(self) -> str:
        fields = ((f.name, getattr(self, f.name), f.default) for f in dataclasses.fields(self))
        words = (f"{name}={_word(value)}" for name, value, default in fields if value != default)
        return f"{self.name}({', '.join(words)})"


def _word(value: Any) -> str:
    return str(value) if isinstance(value, Board) else repr(value)
