"""What every search is in an agent expression: a frozen dataclass of parameters that can build it."""

from dataclasses import dataclass
from typing import ClassVar

from boardlab import _engine
from boardlab.games.game import Game


@dataclass(frozen=True)
class SearchSpec:
    """Parameters of a search. One that asks an evaluator has it as its first field, `evaluator`."""

    name: ClassVar[str]
    own_code: ClassVar[str] = ""
    """The fingerprint of the code of a user's own agent, for the store: changed, it is another one."""

    @property
    def program(self) -> str:
        """The outside program that these parameters name and that playing starts; empty: none."""
        return ""

    def build(self, game: Game, seed: int) -> _engine.Search:
        """The engine's search for this game."""
        raise NotImplementedError
