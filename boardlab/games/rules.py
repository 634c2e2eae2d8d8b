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
from boardlab.games import drawing, pictures
from boardlab.games.places import Place
from boardlab.numbers import plain
from boardlab.options import option_words, options_of

if TYPE_CHECKING:
    from boardlab.games.drawing import Canvas, Spot, Token
    from boardlab.games.game import State
    from boardlab.games.history import Event


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
    lengths: ClassVar[Sequence[str]] = ()
    """Parameters that only affect how many rounds are played."""
    truths: ClassVar[str] = ""
    """Proven facts about the game: values, counts."""
    own_code: ClassVar[str] = ""
    """Fingerprint of rules that a user wrote in Python, to notice changes."""
    is_impartial: ClassVar[bool] = False
    """Whether a position is worth the same to either player, whoever has to move."""

    numbers_line: ClassVar[bool] = True
    """Whether pictures number the expected actions on the board."""

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
        return re.sub(r", (?:player )?\w+ next\b", "", self.to_text(state))

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

    # ---- what happened, for text and pictures ----

    def winning_players(self, state: "State") -> list[int]:
        """Return the players with the highest final score; [] before the end and in a draw."""
        scores = state.scores
        best = [player for player, score in enumerate(scores) if score == max(scores)]
        return best if state.is_terminal and len(best) < len(scores) else []

    def status_text(self, state: "State") -> str:
        """Write who moves or has won: "X to move", "X has won", "a draw"."""
        if not state.is_terminal:
            return (
                "nature's turn"
                if state.player == _engine.CHANCE
                else f"{self.player_name(state.player)} to move"
            )
        if len(state.scores) == 1:
            return f"game over, score {plain(state.scores[0], 6)}"
        names = [self.player_name(player) for player in self.winning_players(state)]
        return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} won" if names else "a draw"

    def action_cells(self, state: "State", action: int) -> tuple[int, ...]:
        """Return the cell that a legal action concerns; of a move the first and the last.

        () if it has no place on the board, such as a pass; then it is a button.
        """
        return ()

    def last_cells(self, state: "State", event: "Event") -> tuple[int, ...]:
        """Return the cells to mark in the position that an action or a chance outcome made."""
        return self.action_cells(state, event.action) if event.player >= 0 else ()

    def winning_cells(self, state: "State") -> list[list[int]]:
        """Return the lines, paths or chains of cells that decided the game."""
        return []

    def text_places(self, state: "State") -> dict[int, Place]:
        """Return where cells stand in `board_text`; {} if it shows no board."""
        return {}

    # ---- drawing ----

    def draw_board(self, state: "State") -> "Canvas":
        """Draw the board and its pieces; `boardlab.games.pictures` adds the rest."""
        fields = state.fields
        return drawing.draw_table(["field", "value"], [[str(i), str(v)] for i, v in enumerate(fields)])

    def action_spot(self, canvas: "Canvas", state: "State", action: int) -> "Spot | None":
        """Return where a legal action shows on the canvas; None makes it a button."""
        return pictures.default_spot(canvas, self.action_cells(state, action))

    def draw_legal(self, canvas: "Canvas", state: "State", action: int, spot: "Spot") -> None:
        """Mark a legal action at its spot."""
        pictures.default_legal(canvas, self.action_cells(state, action), spot)

    def draw_last(self, canvas: "Canvas", state: "State", event: "Event") -> bool:
        """Mark what led to the position; return whether the picture shows it now."""
        return pictures.default_last(canvas, self.last_cells(state, event))

    def player_token(self, state: "State", player: int) -> "Token | None":
        """Return what draws the player's stone beside the caption."""
        return None

    def to_svg(self, state: "State") -> str:
        """Draw the state as SVG; a game that overrides this draws everything itself."""
        return pictures.picture(state)
