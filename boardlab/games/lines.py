"""Lines of equal stones on a grid, to mark how a game was won."""

from collections.abc import Sequence


def lines_of(
    cells: Sequence[int], rows: int, cols: int, length: int, *, exactly: bool = False
) -> list[list[int]]:
    """Return the cells of every line of at least (or `exactly`) so many equal stones.

    0 is an empty cell. A line is listed once, from end to end.
    """

    def value(row: int, col: int) -> int:
        return cells[row * cols + col] if 0 <= row < rows and 0 <= col < cols else 0

    found = []
    for cell in range(rows * cols):
        row, col = divmod(cell, cols)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if not cells[cell] or value(row - down, col - right) == cells[cell]:
                continue
            count = 1
            while value(row + count * down, col + count * right) == cells[cell]:
                count += 1
            if count == length or (count > length and not exactly):
                found.append([cell + i * (down * cols + right) for i in range(count)])
    return found
