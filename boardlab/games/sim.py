"""Sim: text, names and drawing.

Fields: the owners of the edges AB, AC .. AT, BC .. in this order, 0 nobody, 1 + player.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas, Token
from boardlab.games.game import State
from boardlab.games.graphs import GraphCanvas, circle_of
from boardlab.games.history import Event
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.games.stones import stone_token
from boardlab.options import option

SYMBOLS = ".rbg"
NAMES = ("red", "blue", "green")
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
        return "\n".join([*lines, self.status_text(state)])

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

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return the edge itself."""
        return (action,)

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.nodes - 1, first=1, labels=1)

    def winning_cells(self, state: State) -> list[list[int]]:
        """Return the edges of every triangle of one colour: who owns it has lost."""
        number = {edge: i for i, edge in enumerate(self._edges())}
        found = []
        for nodes in combinations(range(self.nodes), 3):
            sides = [number[edge] for edge in combinations(nodes, 2)]
            owners = {state.fields[side] for side in sides}
            if len(owners) == 1 and owners != {0}:
                found.append(sides)
        return found

    def player_token(self, state: State, player: int) -> Token:
        """Draw the player's colour."""
        return stone_token(NAMES[player])

    def draw_board(self, state: State) -> GraphCanvas:
        """Draw the graph with coloured edges; a losing triangle is filled."""
        edges, fields = list(self._edges()), state.fields
        canvas = GraphCanvas(
            circle_of(self.nodes, 130.0 if self.nodes <= 8 else 180.0), edges, cells_are_edges=True
        )
        for sides in self.winning_cells(state):
            corners = sorted({node for side in sides for node in edges[side]})
            colour = NAMES[fields[sides[0]] - 1]
            canvas.polygon([canvas.nodes[i] for i in corners], colour, stroke="", opacity=0.3)
        thick = 4.0 if self.nodes <= 8 else 2.5
        # Free edges first, so that they never cover a coloured one.
        for place in sorted(range(len(edges)), key=lambda i: fields[i] > 0):
            owner = fields[place]
            canvas.edge(place, NAMES[owner - 1] if owner else "line", thick if owner else 1.0)
        for node in range(self.nodes):
            canvas.node(node, NODES[node])
        return canvas

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Draw the last edge with a light core, and its player's colour over that."""
        if isinstance(canvas, GraphCanvas):
            canvas.edge(event.action, "ink", 8)
            canvas.edge(event.action, "halo", 5)
            canvas.edge(event.action, NAMES[state.fields[event.action] - 1], 3)
            for node in canvas.edges[event.action]:
                canvas.node(node, NODES[node])
        return True
