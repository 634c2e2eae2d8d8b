"""Drawing graphs: nodes and edges, either of which may be the cells of a board."""

import math
from collections.abc import Sequence

from boardlab.games.drawing import BoardCanvas, Point, Spot, rounded

MARGIN = 26.0


def circle_of(nodes: int, radius: float) -> list[Point]:
    """Return places of nodes on a circle, the first at the top, clockwise."""
    return [
        (
            radius * math.sin(2 * math.pi * i / nodes),
            -radius * math.cos(2 * math.pi * i / nodes),
        )
        for i in range(nodes)
    ]


class GraphCanvas(BoardCanvas):
    """Nodes at points, and edges between them; its cells are the edges or the nodes."""

    def __init__(
        self, nodes: Sequence[Point], edges: Sequence[tuple[int, int]], *, cells_are_edges: bool
    ) -> None:
        left, top = min(x for x, _ in nodes), min(y for _, y in nodes)
        width, height = max(x for x, _ in nodes) - left, max(y for _, y in nodes) - top
        shift = max(0.0, (200 - width - 2 * MARGIN) / 2)  # room for the caption
        super().__init__(width + 2 * (MARGIN + shift), height + 2 * MARGIN)
        self.nodes = [(x - left + MARGIN + shift, y - top + MARGIN) for x, y in nodes]
        self.edges, self.cells_are_edges = edges, cells_are_edges
        self.middle = (self.width / 2, MARGIN + height / 2)
        shortest = min((math.dist(self.nodes[i], self.nodes[j]) for i, j in edges), default=60.0)
        self.unit = shortest
        self.node_radius = max(5.0, min(14.0, 0.24 * shortest))
        self.reach = (
            max(4.0, min(12.5, 12.5 * 15 / max(len(edges), 1))) if cells_are_edges else self.node_radius
        )

    def centre(self, cell: int) -> Point:
        """Return the place of a node, or the point of an edge where its marks go."""
        if not self.cells_are_edges:
            return self.nodes[cell]
        one, other = (self.nodes[node] for node in self.edges[cell])
        half = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
        # Edges through the middle all have the same half-way point.
        share = 0.34 if math.dist(half, self.middle) < self.reach else 0.5
        return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])

    def spot(self, cell: int) -> Spot:
        """Return where a node or an edge is marked and clicked."""
        x, y = self.centre(cell)
        if not self.cells_are_edges:
            at = f'circle cx="{rounded(x)}" cy="{rounded(y)}" r="{rounded(1.2 * self.node_radius)}"'
            return Spot(x, y, self.reach, at)
        (x1, y1), (x2, y2) = (self.nodes[node] for node in self.edges[cell])
        length = math.dist((x1, y1), (x2, y2)) or 1.0
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        start, end, half = self.node_radius, length - self.node_radius, 0.6 * self.reach
        corners = [
            (x1 + along * ux - side * uy, y1 + along * uy + side * ux)
            for along, side in ((start, half), (end, half), (end, -half), (start, -half))
        ]
        points = " ".join(f"{rounded(px)},{rounded(py)}" for px, py in corners)
        return Spot(x, y, self.reach, f'polygon points="{points}"')

    def edge(self, place: int, stroke: str, width: float) -> None:
        """Draw an edge."""
        i, j = self.edges[place]
        self.line(*self.nodes[i], *self.nodes[j], stroke, width)

    def node(self, place: int, label: str, fill: str = "cell", stroke: str = "ink", ink: str = "ink") -> None:
        """Draw a node with its label."""
        x, y = self.nodes[place]
        self.circle(x, y, self.node_radius, fill, stroke=stroke)
        size = min(13.0, 1.1 * self.node_radius)
        self.text(x, y, label, size=size, weight="bold", fill=ink, most=1.8 * self.node_radius)
