"""Sim: text, names and drawing.

Fields: the owners of the edges AB, AC .. AT, BC .. in this order, 0 nobody, 1 + player.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from boardlab.errors import BoardLabError
from boardlab.games.drawing import LINE, PLAYER_COLOURS, Canvas
from boardlab.games.game import State
from boardlab.games.grid import mover_line
from boardlab.games.rules import Rules
from boardlab.options import option

SYMBOLS = ".rbg"
NAMES = ("red", "blue", "green")
COLOURS = (PLAYER_COLOURS[0], PLAYER_COLOURS[2], PLAYER_COLOURS[3])
TINTS = ("#f3d4d4", "#ccd8e4", "#d6e5dc")
NODES = "ABCDEFGHIJKLMNOPQRST"


@dataclass(frozen=True)
class Sim(Rules):
    """Colour one edge per turn; a triangle in your own colour loses."""

    nodes: int = option(6, "nodes of the complete graph", low=4, high=20)
    players: int = option(2, "2, or 3, where the first loser drops out", low=2, high=3)
    coalition: bool = option(
        False,
        "three players: 1 and 2 play together against 0, and the first triangle ends the game",
    )

    name = "sim"
    summary = "colour one edge per turn, a triangle in your own colour loses"
    notation = "AC colours the edge between the nodes A and C"
    variants = (
        {},
        {"nodes": 4},
        {"nodes": 5},
        {"nodes": 9},
        {"nodes": 20},
        {"players": 3},
        {"nodes": 10, "players": 3},
        {"nodes": 7, "players": 3, "coalition": True},
    )
    colours = ((r"\br\b", "bold red"), (r"\bb\b", "bold blue"), (r"\bg\b", "bold green"))
    truths = (
        "two players: the second player wins on 6 nodes, 4 and 5 nodes are a draw, "
        "6 nodes and more cannot be drawn"
    )

    def variant_summary(self) -> str:
        """Describe what a triangle means for two, three, and a coalition."""
        if self.coalition:
            return (
                "colour one edge per turn, the first triangle in your own colour loses; blue and green play "
                "together against red"
            )
        if self.players == 3:
            return (
                "colour one edge per turn, a triangle in your own colour puts you out and the others play on"
            )
        return self.summary

    def player_name(self, player: int) -> str:
        """Name the colour; red begins."""
        return NAMES[player]

    def _edges(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.nodes), 2)

    def to_text(self, state: State) -> str:
        """Write the upper half of the adjacency matrix: r, b or g, . for a free edge."""
        symbols = [SYMBOLS[value] for value in state.fields]
        lines = ["  " + " ".join(NODES[1 : self.nodes])]
        for i in range(self.nodes - 1):
            row, symbols = symbols[: self.nodes - 1 - i], symbols[self.nodes - 1 - i :]
            lines.append(f"{NODES[i]} {'  ' * i}{' '.join(row)}")
        return "\n".join([*lines, mover_line(state.player, NAMES)])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the output of `to_text`, or the edges in one line."""
        symbols = SYMBOLS[: 1 + self.players]
        lines = [line.split() for line in text.splitlines() if line.strip()]
        edges = "".join(lines[0]) if len(lines) == 1 else ""
        if len(lines) > 1:
            if "".join(lines[0]).upper() == NODES[1 : self.nodes]:
                lines = lines[1:]
            for i, line in enumerate(lines[: self.nodes - 1]):
                row = "".join(line)
                if len(row) != self.nodes - i or row[0].upper() != NODES[i]:
                    raise BoardLabError(
                        f'{self.name}: expected "{NODES[i]}" and {self.nodes - 1 - i} edges, '
                        f"got {' '.join(line)[:60]!r}"
                    )
                edges += row[1:]
        edges = edges.lower()
        wanted = self.nodes * (self.nodes - 1) // 2
        if len(edges) != wanted or set(edges) - set(symbols):
            raise BoardLabError(f"{self.name}: expected {wanted} edges, each one of {' '.join(symbols)}")
        return [symbols.index(edge) for edge in edges]

    def action_text(self, state: State, action: int) -> str:
        """Name the two nodes of the edge, as in `AC`."""
        i, j = list(self._edges())[action]
        return NODES[i] + NODES[j]

    def to_svg(self, state: State) -> str:
        """Draw the graph with coloured edges; a losing triangle is filled."""
        radius = 110.0 if self.nodes <= 8 else 170.0
        canvas = Canvas(2 * radius + 70, 2 * radius + 90)
        middle = radius + 35
        places = [
            (
                middle + radius * math.sin(2 * math.pi * i / self.nodes),
                middle - radius * math.cos(2 * math.pi * i / self.nodes),
            )
            for i in range(self.nodes)
        ]
        owner = dict(zip(self._edges(), state.fields, strict=True))
        for nodes in combinations(range(self.nodes), 3):
            sides = {owner[edge] for edge in combinations(nodes, 2)}
            if len(sides) == 1 and sides != {0}:
                canvas.polygon([places[i] for i in nodes], TINTS[sides.pop() - 1], stroke="none")
        # Free edges first, so that they never cover a coloured one.
        for (i, j), value in sorted(owner.items(), key=lambda item: item[1] > 0):
            canvas.line(
                *places[i],
                *places[j],
                COLOURS[value - 1] if value else LINE,
                (4.0 if self.nodes <= 8 else 2.5) if value else 0.6,
            )
        for name, (x, y) in zip(NODES, places, strict=False):
            canvas.circle(x, y, 12, "#ffffff", stroke="#1f2430")
            canvas.text(x, y, name, size=12, weight="bold")
        canvas.text(canvas.width / 2, canvas.height - 20, self._caption(state))
        return canvas.svg()

    def _caption(self, state: State) -> str:
        if not state.is_terminal:
            return mover_line(state.player, NAMES)
        winners = [NAMES[p] for p, score in enumerate(state.scores) if score > 0]
        return f"{' and '.join(winners)} won" if winners else "game over, nobody won"
