"""Shortest paths over the cells of a board, to draw finished connection games."""

from collections.abc import Collection, Mapping, Sequence


def shortest_path(
    neighbours: Sequence[Sequence[int]],
    allowed: Collection[int],
    starts: Collection[int],
    goals: Collection[int],
) -> list[int]:
    """Return a shortest path inside `allowed` from a start to a goal; [] if none."""
    came_from: dict[int, int | None] = {cell: None for cell in starts if cell in allowed}
    frontier = list(came_from)
    for cell in frontier:  # grows during the loop: breadth first
        if cell in goals:
            return _walk_back(came_from, cell)
        for other in neighbours[cell]:
            if other in allowed and other not in came_from:
                came_from[other] = cell
                frontier.append(other)
    return []


def _walk_back(came_from: Mapping[int, int | None], cell: int) -> list[int]:
    path: list[int] = []
    at: int | None = cell
    while at is not None:
        path.append(at)
        at = came_from[at]
    return path[::-1]
