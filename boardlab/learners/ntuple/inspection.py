"""A look inside a trained n-tuple network: actions, tuples, tables.

A position's value is a sum over tuples; `Inspection.position` gives every tuple's part in it.
"""

import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.evaluators.evaluator import Evaluator
from boardlab.evaluators.ntuple import grid_size, load_network
from boardlab.games.drawing import LINE, Canvas
from boardlab.games.game import CHANCE, TERMINAL, Game, State
from boardlab.html import Html, below, preformatted
from boardlab.learners.ntuple.layouts import Layout, layout_to_text
from boardlab.numbers import counted, plain
from boardlab.reports import Report


@dataclass(frozen=True)
class ActionView:
    """How the network sees one action."""

    action: int
    value: float
    """The outcome that the player to move can expect: rewards so far and future ones."""
    is_final: bool
    """The action ends the game or the round: its value is known, and no tuple is asked. Never so with
    tables for every action: they judge the action itself, not what comes after it."""
    contributions: NDArray[np.float64]
    """What every table adds to the sum, tuples first, then extra features; 0 where the action is final."""

    @property
    def sum(self) -> float:
        """The sum of all contributions; sigma of it is the future outcome."""
        return float(self.contributions.sum())

    def loudest(self, most: int = 5) -> list[tuple[int, float]]:
        """The tables that contribute most, for or against, as (number, contribution)."""
        order = np.argsort(-np.abs(self.contributions), kind="stable")[:most]
        return [(int(i), float(self.contributions[i])) for i in order if self.contributions[i] != 0]


@dataclass(frozen=True)
class WeightStatistics:
    """How full the tables are, and with what (Scheiermann and Konen 2022, Table I)."""

    weights: int
    """All entries of all tables."""
    uncompressed: int
    """The same with every joint value of the cells counted, possible or not, as the paper counts."""
    active: int
    """Weights that learning has changed: they are not 0."""
    mean: float
    deviation: float
    lowest: float
    highest: float
    """The last four are over the active weights; 0 where there is none."""

    @property
    def active_share(self) -> float:
        """The share of active weights."""
        return self.active / self.weights

    @property
    def active_share_uncompressed(self) -> float:
        """The share as the paper counts it."""
        return self.active / self.uncompressed


class Inspection(Report):
    """The network of a run, opened for inspection."""

    def __init__(self, run: str | os.PathLike[str]) -> None:
        self.network, self.description, self.game = load_network(run)
        self.path = Path(run)
        self.layout: Layout = [list(cells) for cells in self.description["tuples"]]
        self._evaluator = Evaluator(
            self.game,
            self.network.evaluator(
                self.description["reward"], float(self.description["gamma"]), learns=False
            ),
            f'ntuple("{self.path.as_posix()}")',
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the path of the folder, which a copy reads again."""
        return Inspection, (self.path,)

    def _page(self) -> Html:
        return below(preformatted(str(self)), self.layout_svg())

    def __str__(self) -> str:
        """The tuples and the weights in numbers."""
        found = self.weights()
        lengths = sorted({len(cells) for cells in self.layout})
        length = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        boards = counted(len(self.description["symmetries"]), "symmetric boards")
        lines = [
            f"network: {counted(len(self.layout), 'tuples')} of {length} cells, {boards}, "
            f"sigma {self.description['sigma']}",
            f"weights: {found.weights:,}, of which {found.active:,} active (not 0): {found.active_share:.1%}",
        ]
        if found.uncompressed != found.weights:
            lines.append(
                f"         {found.uncompressed:,} with all joint values of cells, possible or not: "
                f"{plain(100 * found.active_share_uncompressed, 2)}% active"
            )
        mean, low, high = (plain(value, sign=True) for value in (found.mean, found.lowest, found.highest))
        lines.append(
            f"active weights: mean {mean}, standard deviation {plain(found.deviation)}, from {low} to {high}"
        )
        return "\n".join(lines)

    # ---- a position ----

    def position(self, state: State) -> list[ActionView]:
        """Every legal action as the network sees it, the best first."""
        if not isinstance(state, State) or state.game != self.game:
            raise BoardLabError(f"this network judges positions of {self.game!r}")
        if state.player in (CHANCE, TERMINAL):
            over = state.player == TERMINAL
            raise BoardLabError(
                "the game is over in this position: there is nothing to decide"
                if over
                else "nature moves in this position; apply a chance outcome first"
            )
        values = self._evaluator.action_values(state)
        seen = [self._action(state, action, value) for action, value in values.items()]
        return sorted(seen, key=lambda view: -view.value)

    def _action(self, state: State, action: int, value: float) -> ActionView:
        after = State(self.game, state.core_for(self.game)).copy()
        after.apply(action)
        is_final = not self.network.per_action and (after.is_terminal or after.round_over)
        tables = len(self.network.table_starts)
        contributions = np.zeros(tables)
        if not is_final:
            if self.network.per_action:
                found = self.network.pair_indices(state.core_for(self.game), action)
            else:
                found = self.network.indices(after.core, state.player)
            entries = np.asarray(found, dtype=np.int64)
            spoken = self.network.weights[entries].astype(np.float64)
            tuples = len(self.layout)
            boards = tuples * len(self.description["symmetries"])
            contributions[:tuples] = spoken[:boards].reshape(-1, tuples).sum(axis=0)
            contributions[tuples:] = spoken[boards:]
        return ActionView(action, value, is_final, contributions)

    def table_name(self, number: int) -> str:
        """What the table of that number reads, in words."""
        if number < len(self.layout):
            return f"tuple {number}: cells {','.join(map(str, self.layout[number]))}"
        return f"feature {number - len(self.layout)}"

    # ---- weights ----

    def weights(self) -> WeightStatistics:
        """Counts and moments over all tables."""
        weights = self.network.weights
        active = weights[weights != 0].astype(np.float64)
        sets = self.network.entries // self.network.set_size
        values = self.game.core.cell_values()
        whole = sum(math.prod(int(values[cell]) for cell in cells) for cells in self.layout)
        features = sum(size for _, size in self._tables()[len(self.layout) :])
        return WeightStatistics(
            weights=self.network.entries,
            uncompressed=sets * (whole + features),
            active=len(active),
            mean=float(active.mean()) if len(active) else 0.0,
            deviation=float(active.std()) if len(active) else 0.0,
            lowest=float(active.min()) if len(active) else 0.0,
            highest=float(active.max()) if len(active) else 0.0,
        )

    def _tables(self) -> list[tuple[int, int]]:
        """(start, size) of every table within a set."""
        starts = [*self.network.table_starts, self.network.set_size]
        return [(a, b - a) for a, b in itertools.pairwise(starts)]

    # ---- the layout ----

    def layout_text(self) -> str:
        """One tuple a line; `--cells @FILE` and `layout_from_text` read it back."""
        return layout_to_text(self.layout)

    def drawn_layout(self, numbers: Sequence[int] | None = None, width: int = 100) -> str:
        """Tuples drawn on the board with characters, side by side."""
        chosen = range(len(self.layout)) if numbers is None else numbers
        return draw_layout(self.game, self.layout, chosen, width)

    def layout_svg(self) -> str:
        """All tuples as one drawing."""
        return layout_svg(self.game, self.layout)


def _board(game: Game) -> tuple[int, int]:
    """Rows and columns to draw cells in; one row for a game without a grid."""
    try:
        return grid_size(game)
    except BoardLabError:
        return 1, game.core.cells


def draw_layout(game: Game, layout: Layout, numbers: Sequence[int], width: int = 100) -> str:
    """Tuples as small boards, side by side; ■ is a cell that the tuple reads."""
    rows, cols = _board(game)
    tiles = []
    for number in numbers:
        cells = set(layout[number])
        board = [
            " ".join("■" if row * cols + col in cells else "·" for col in range(cols)) for row in range(rows)
        ]
        tiles.append([f"tuple {number}", *board])
    tile = max([2 * cols - 1, *(len(lines[0]) for lines in tiles)])
    across = max(1, (width + 3) // (tile + 3))
    blocks = []
    for first in range(0, len(tiles), across):
        side = tiles[first : first + across]
        blocks.append(
            "\n".join(
                "   ".join(line.ljust(tile) for line in lines).rstrip() for lines in zip(*side, strict=True)
            )
        )
    return "\n\n".join(blocks)


def layout_svg(game: Game, layout: Layout) -> str:
    """All tuples as small boards, with their cells numbered in reading order."""
    rows, cols = _board(game)
    cell, gap, head = 16.0, 18.0, 16.0
    across = max(1, min(len(layout), int(900 / (cols * cell + gap))))
    down = -(-len(layout) // across)
    tile_width, tile_height = cols * cell + gap, rows * cell + gap + head
    canvas = Canvas(across * tile_width + gap, down * tile_height + gap)
    for number, cells in enumerate(layout):
        left = gap + number % across * tile_width
        top = gap + number // across * tile_height + head
        canvas.text(left, top - 9, f"tuple {number}", size=10, anchor="start")
        order = {place: i for i, place in enumerate(cells)}
        for place in range(rows * cols):
            x, y = left + place % cols * cell, top + place // cols * cell
            fill = "yellow" if place in order else "cell"
            canvas.rect(x, y, cell, cell, fill, stroke=LINE)
            if place in order:
                canvas.text(x + cell / 2, y + cell / 2, str(order[place]), size=8, fill="core")
    return canvas.svg()
