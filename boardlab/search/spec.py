"""The base class of searches: a frozen dataclass of parameters with `build`."""

from dataclasses import dataclass
from typing import ClassVar

from boardlab import _engine
from boardlab.games.game import Game
from boardlab.numbers import counted


@dataclass(frozen=True)
class SearchSpec:
    """Parameters of a search.

    A search that uses an evaluator has it as its first field, `evaluator`.
    """

    name: ClassVar[str]
    own_code: ClassVar[str] = ""
    """Fingerprint of the code of a user's own agent; in the store, changed code is another agent."""

    usual_budget: ClassVar[int] = 0
    """Iterations, or depth, if neither these nor a time is given."""
    counts_simulations: ClassVar[bool] = False
    """Whether `iterations` are simulations, so that equal numbers are equal budgets."""

    @property
    def budget(self) -> str:
        """The budget for a decision, in words; empty if it does not search."""
        if seconds := getattr(self, "seconds", None):
            return f"{seconds:g} s"
        for name, form in (
            ("iterations", "{} iterations"),
            ("depth", "depth {}"),
            ("level", "level {}"),
            ("width", "width {}"),
        ):
            if hasattr(self, name) and (value := getattr(self, name) or self.usual_budget):
                return counted(value, "iterations") if name == "iterations" else form.format(value)
        return ""

    @property
    def program(self) -> str:
        """The external program that the agent starts; empty if none."""
        return ""

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        raise NotImplementedError
