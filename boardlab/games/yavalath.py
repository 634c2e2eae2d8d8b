"""Yavalath: text, names and drawing.

Fields: the cells row by row from the top (0 empty, 1 white, 2 black, 3 red), then whose turn it is; in a
finished game whose turn it was last.
"""

import itertools
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Token
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, read_turn, turn_line
from boardlab.games.hexagons import HexagonCanvas
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import draw_stone, stone_token
from boardlab.options import option

SYMBOLS = ".WBR"
NAMES = ("white", "black", "red")
register_colours(
    {
        "moss-0": ("#dfe7dc", "#5d6f62"),
        "moss-1": ("#d2dccf", "#536558"),
        "moss-2": ("#c6d2c4", "#4a5b50"),
        "moss-line": ("#8fa08c", "#38463d"),
        "block": ("#e7b94c", "#b58a24"),
    }
)


@dataclass(frozen=True)
class Yavalath(Rules):
    """Four in a row win, but three in a row without four lose."""

    side: int = option(5, "cells along an edge of the hexagon", low=2, high=6)
    players: int = option(2, "two or three", low=2, high=3)
    swap: bool = option(
        True,
        "two players only: the second player's first action may be to swap, taking over the first "
        "stone in place; the first player moves again",
    )

    name = "yavalath"
    summary = "four in a row win, three in a row lose, on a hexagon"
    colours = (
        (r"\bW\b", "bold black on white"),
        (r"\bB\b", "bold white on grey23"),
        (r"\bR\b", "bold white on red"),
    )
    notation = "c4 is the fourth cell of row c; swap takes over the first stone"
    variants = (
        {},
        {"side": 2},
        {"side": 3, "swap": False},
        {"side": 4},
        {"side": 6},
        {"side": 3, "players": 3},
        {"side": 5, "players": 3},
    )
    truths = "two players: side 2 is a draw; side 3 is won by the second player, with or without swap"

    def variant_summary(self) -> str:
        """Describe the variant: three players drop out and must block; two may swap."""
        if self.players == 3:
            return (
                "four in a row win, three in a row put you out, and where the next player could make four "
                "you must block, on a hexagon"
            )
        return f"{self.summary}; black's first action may be to swap" if self.swap else self.summary

    def player_name(self, player: int) -> str:
        """Name the player: white begins, then black and (with three players) red."""
        return NAMES[player]

    @property
    def row_lengths(self) -> list[int]:
        """Number of cells in every row, from the top."""
        return [2 * self.side - 1 - abs(row - self.side + 1) for row in range(2 * self.side - 1)]

    def _rows(self) -> list[list[int]]:
        ends = [0, *itertools.accumulate(self.row_lengths)]
        return [list(range(start, end)) for start, end in itertools.pairwise(ends)]

    def to_text(self, state: State) -> str:
        """Write the rows between letters and cell counts, and whose turn it is."""
        lines = []
        for row, cells in enumerate(self._rows()):
            symbols = " ".join(SYMBOLS[state.fields[cell]] for cell in cells)
            lines.append(f"{' ' * abs(row - self.side + 1)}{LETTERS[row]} {symbols} {len(cells)}")
        return "\n".join([*lines, turn_line(state)])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the hexagon, with or without labels, and whose turn it is."""
        lines = [line for line in text.splitlines() if line.strip()]
        lengths = self.row_lengths
        if len(lines) < len(lengths):
            raise BoardLabError(f"{self.name}: expected {len(lengths)} rows, found {len(lines)}")
        symbols = SYMBOLS[: self.players + 1]
        fields = []
        for letter, length, line in zip(LETTERS, lengths, lines, strict=False):
            cells = "".join(line.split()).upper().removesuffix(str(length))
            if len(cells) == length + 1 and cells[0] == letter.upper():
                cells = cells[1:]
            if len(cells) != length or not set(cells) <= set(symbols):
                raise BoardLabError(
                    f"{self.name}: row {letter} must have {length} cells of {' '.join(symbols)}, "
                    f"got {line.strip()[:60]!r}"
                )
            fields += [symbols.index(cell) for cell in cells]
        rest = "\n".join(lines[len(lengths) :])
        return [*fields, read_turn(self.name, rest, NAMES[: self.players])]

    def action_text(self, state: State, action: int) -> str:
        """Name the cell (`c4` is the fourth of the third row) or `swap`."""
        for row, cells in enumerate(self._rows()):
            if action in cells:
                return f"{LETTERS[row]}{action - cells[0] + 1}"
        return "swap"

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the cell; a swap has none."""
        return (action,) if action < len(state.fields) - 1 else ()

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), len(self.row_lengths), labels=1, after=1)

    def player_token(self, state: State, player: int) -> Token:
        """Draw a small stone."""
        return stone_token(NAMES[player])

    def must_block(self, state: State) -> set[int]:
        """Return the cells one of which must be taken to stop four in a row."""
        legal = set(state.legal_actions())
        return legal if legal and len(legal) < state.fields[:-1].count(0) else set()

    def draw_board(self, state: State) -> HexagonCanvas:
        """Draw stones on hexagons; lines and cells that must be blocked are marked."""
        rows, block = self._rows(), self.must_block(state)
        canvas = HexagonCanvas([(-len(cells) / 2, len(cells)) for cells in rows])
        shades: dict[str, list[int]] = {}
        for row, cells in enumerate(rows):
            canvas.label(cells[0], -0.85, 0, LETTERS[row])
            canvas.label(cells[-1], 0.85, 0, str(len(cells)))
            for place, cell in enumerate(cells):
                shade = f"moss-{(place + max(0, row - self.side + 1) + row) % 3}"
                shades.setdefault("block" if cell in block else shade, []).append(cell)
        for shade, cells in sorted(shades.items()):
            canvas.hexagons(cells, shade, "moss-line")
        for cell, value in enumerate(state.fields[:-1]):
            if value:
                draw_stone(canvas, *canvas.centre(cell), NAMES[value - 1], 14.5)
        for line in self.lines(state):
            canvas.lines([line], "win" if len(line) > 3 else "lose")
        return canvas

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return the lines of four that win, or the three that lose if there are none."""
        lines = self.lines(state)
        return [line for line in lines if len(line) > 3] or lines

    def lines(self, state: State) -> list[list[int]]:
        """Return the cells of every line of three or more, from end to end."""
        cell_at = {
            (row, place + max(0, row - self.side + 1)): cell
            for row, cells in enumerate(self._rows())
            for place, cell in enumerate(cells)
        }
        owner = {at: state.fields[cell] for at, cell in cell_at.items()}
        found = []
        for (row, col), value in owner.items():
            for down, right in ((0, 1), (1, 0), (1, 1)):
                if not value or owner.get((row - down, col - right)) == value:
                    continue
                length = 1
                while owner.get((row + length * down, col + length * right)) == value:
                    length += 1
                if length >= 3:
                    found.append([cell_at[row + i * down, col + i * right] for i in range(length)])
        return found
