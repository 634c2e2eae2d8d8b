"""The Python side of a game: parameters, text, action names and drawing.

The rules themselves are in the engine. A `Rules` subclass is a frozen dataclass whose fields are the game's
parameters; its methods turn the engine's plain integers (`state.fields`) into text and pictures and back.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.options import option_words, options_of

if TYPE_CHECKING:
    from boardlab.games.game import State


@dataclasses.dataclass(frozen=True)
class Rules:
    """Parameters and notation of one game.

    `boardlab.games.registry` finds subclasses.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for `boardlab games`, for all parameters; `variant_summary` is specific."""
    notation: ClassVar[str] = ""
    """How actions are written, in a sentence for players; empty if that is obvious."""
    variants: ClassVar[Sequence[dict[str, Any]]] = ({},)
    """Parameter sets that the tests use, the default first."""
    colours: ClassVar[Sequence[tuple[str, str]]] = ((r"\bX\b", "bold red"), (r"\bO\b", "bold yellow"))
    """Terminal styles: text that matches the pattern gets the style."""
    starts: ClassVar[Sequence[str]] = ()
    """Parameters that only affect how a game starts."""
    truths: ClassVar[str] = ""
    """Proven facts about the game: values, counts."""
    own_code: ClassVar[str] = ""
    """Fingerprint of rules that a user wrote in Python, to notice changes."""
    is_impartial: ClassVar[bool] = False
    """Whether a position is worth the same to either player, whoever has to move."""

    def engine_params(self) -> dict[str, Any]:
        """Return the parameters as the engine takes them."""
        params = dataclasses.asdict(self)
        return {
            key: int(value) if isinstance(value, bool) else list(value) if isinstance(value, tuple) else value
            for key, value in params.items()
        }

    def make_core(self) -> _engine.Game:
        """Make the engine's game."""
        return _engine.make_game(self.name, self.engine_params())

    # ---- text ----

    def call(self) -> str:
        """Return the Python call that makes the game."""
        given = [
            f", {field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f'boardlab.game("{self.name}"{"".join(given)})'

    def command_words(self) -> list[str]:
        """Return the game as words of the command line: gobang --rows 5 --exactly."""
        usual = {option.name: option.default for option in options_of(type(self))}
        given = {name: getattr(self, name) for name in usual}
        return [
            self.name,
            *option_words({name: value for name, value in given.items() if value != usual[name]}),
        ]

    def to_text(self, state: "State") -> str:
        """Write the whole state as readable text; `fields_from_text` reads it back."""
        return " ".join(str(field) for field in state.fields)

    def variant_summary(self) -> str:
        """Return the `summary` for these parameters."""
        return self.summary

    def board_text(self, state: "State") -> str:
        """Write what players see: in most games all but whose turn follows the end."""
        return re.sub(r"^game over, .* next\b", "game over", self.to_text(state), flags=re.MULTILINE)

    def fields_from_text(self, text: str) -> list[int]:
        """Return the fields of the state that `text` describes."""
        try:
            return [int(word) for word in text.split()]
        except ValueError:
            raise BoardLabError(f"{self.name}: expected whole numbers, got {text[:60]!r}") from None

    def action_text(self, state: "State", action: int) -> str:
        """Name the action as players write it in this state."""
        return str(action)

    def chance_text(self, state: "State", outcome: int) -> str:
        """Name a chance outcome."""
        return str(outcome)

    def parse_action(self, state: "State", text: str) -> int:
        """Return the legal action written as `text`, in upper or lower case."""
        wanted = text.strip().lower()
        names = state.action_names()
        for action, name in names.items():
            if name.lower() == wanted:
                return action
        some = ", ".join(list(names.values())[:12]) + (", ..." if len(names) > 12 else "")
        raise BoardLabError(f'"{text.strip()}" is not a legal action here; legal are {some}')

    @classmethod
    def player_counts(cls) -> list[int]:
        """List the possible numbers of players."""
        for parameter in options_of(cls):
            if parameter.name == "players" and parameter.low is not None and parameter.high is not None:
                return list(range(int(parameter.low), int(parameter.high) + 1))
        return [cls().make_core().players]

    def player_name(self, player: int) -> str:
        """Name a player, as in "X to move"."""
        return f"player {player}"

    def to_svg(self, state: "State") -> str:
        """Draw the state as SVG."""
        from boardlab.games.drawing import text_svg

        return text_svg(self.board_text(state))
