"""Layouts: which cells the tuples of an n-tuple network read.

A layout is a list of tuples of cells. It can be drawn at random, made of all windows of a shape, or given as
text: one tuple a line (or between slashes), cells separated by commas or blanks, as in "0,1,2 / 3,4,5".
Lists in braces or brackets, "{{0,1,2},{3,4,5}}", as GBG's files and most programs write them, are read too.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.evaluators.ntuple import grid_size
from boardlab.games.game import Game
from boardlab.numbers import counted
from boardlab.paths import reachable, read_text

Layout = list[list[int]]

LARGEST = 1 << 24
"""Bytes of a file with a layout."""

LAYOUTS = ("walk", "points", "windows", "cells")
"""The kinds of layout: random walks over neighbours, any cells, all rectangles, cells as given."""

LAYOUTS_OF: dict[str, tuple[str, ...]] = {
    "tuples": ("walk", "points"),
    "length": ("walk", "points"),
    "neighbourhood": ("walk",),
    "windows": ("windows",),
    "cells": ("cells",),
}
"""The layouts that read a setting."""

GBG = "gbg:"
"""The prefix of a file of GBG, whose cells may be numbered in another order."""

GBG_AS_OURS = ("2048", "ewn", "nim", "othello", "sim", "tictactoe", "yavalath")
"""Games whose cells GBG numbers as we do."""


def read_layout(layout: str) -> dict[str, Any]:
    """The settings of a kind of layout by name, or of a file with cells."""
    if layout in LAYOUTS:
        return {"layout": layout}
    if not reachable(Path(layout.removeprefix("@"))).is_file():
        raise BoardLabError(f'layout must be {", ".join(LAYOUTS)} or a file, not "{layout}"')
    return {"cells": "@" + layout.removeprefix("@")}


def random_walk(game: Game, tuples: int, length: int, seed: int, neighbourhood: int | None = None) -> Layout:
    """Tuples of `length` cells: a random cell, then random neighbours of members.

    The neighbours are the game's own, or the 4 or 8 on a grid. No two tuples have the same cells.
    """
    check_length(game, length)
    adjacent = _grid_adjacency(game, neighbourhood) if neighbourhood else game.core.adjacency()
    if not adjacent:
        raise BoardLabError(
            f"{game.name} does not say which cells are neighbours: write adjacency(cell), or give "
            "layout=points (--layout points)"
        )
    rng = random.Random(f"random walk {seed}")

    def walk() -> list[int]:
        for _ in range(1000):
            cells = [rng.randrange(game.core.cells)]
            for _ in range(100 * length):
                if len(cells) == length:
                    return cells
                neighbours = adjacent[rng.choice(cells)]
                if neighbours:
                    cell = rng.choice(neighbours)
                    if cell not in cells:
                        cells.append(cell)
            if len(cells) == length:
                return cells
        raise BoardLabError(
            f"{game.name} has no {length} cells that hang together; use shorter tuples or layout points"
        )

    return _distinct(walk, tuples, f"random walks of {counted(length, 'cells')} on {game.name}")


def random_points(game: Game, tuples: int, length: int, seed: int) -> Layout:
    """Any cells at all, drawn without replacement. No two tuples have the same cells."""
    check_length(game, length)
    rng = random.Random(f"random points {seed}")
    return _distinct(
        lambda: rng.sample(range(game.core.cells), length),
        tuples,
        f"sets of {counted(length, 'cells')} on {game.name}",
    )


def windows(game: Game, shapes: str) -> Layout:
    """All places of rectangles, "4x4 1x7" (rows x columns), up to symmetry."""
    rows, cols = grid_size(game)
    layout: Layout = []
    seen: set[frozenset[int]] = set()
    images = _cell_images(game)
    for word in shapes.replace(",", " ").split():
        match = re.fullmatch(r"(\d+)x(\d+)", word)
        if not match or not (1 <= int(match[1]) <= rows and 1 <= int(match[2]) <= cols):
            raise BoardLabError(
                f'windows must be shapes as in "2x3 1x4" of at most {rows}x{cols} cells, not "{word}"'
            )
        height, width = int(match[1]), int(match[2])
        for top in range(rows - height + 1):
            for left in range(cols - width + 1):
                cells = [(top + r) * cols + left + c for r in range(height) for c in range(width)]
                if frozenset(cells) in seen:
                    continue
                seen.update(frozenset(image[cell] for cell in cells) for image in images)
                layout.append(cells)
    if not layout:
        raise BoardLabError('windows needs at least one shape, as in "2x3 1x4"')
    return layout


def layout_from_text(text: str) -> Layout:
    """Read a layout as `layout_to_text` writes it, or in a similar form."""
    plain = re.sub(r"#.*", "", text)
    if re.search(r"[\[\]{}()]", plain):
        parts = _bracketed(plain)
    else:
        parts = [part for part in re.split(r"[/\n;]", plain) if part.strip()]
    layout: Layout = []
    for part in parts:
        words = re.split(r"[,\s]+", part.strip().strip(","))
        if not all(re.fullmatch(r"\d{1,6}", word) for word in words):
            raise BoardLabError(f'a tuple must be cell numbers as in "0,1,2", not "{part.strip()[:60]}"')
        layout.append([int(word) for word in words])
    if not layout:
        raise BoardLabError('a layout needs at least one tuple, as in "0,1,2 / 3,4,5"')
    return layout


def _bracketed(text: str) -> list[str]:
    """The contents of the innermost brackets; refuse other text around them."""
    parts = re.findall(r"[\[{(]([^\[\]{}()]*)[\]})]", text)
    rest = re.sub(r"[\[{(][^\[\]{}()]*[\]})]", "", text)
    strange = re.search(r"[^\s,;/\[\]{}()]+", rest)
    opened, closed = sum(map(text.count, "[{(")), sum(map(text.count, "]})"))
    if strange or opened != closed:
        what = f'"{strange[0][:60]}" stands outside them' if strange else "one of them is not closed"
        raise BoardLabError(f"tuples in brackets are written {{0,1,2}},{{3,4,5}}; {what}")
    return parts


def read_cells(settings: Mapping[str, Any]) -> dict[str, Any]:
    """`cells`, read from a file for "@FILE", and the layout of that name."""
    cells = settings.get("cells")
    if not isinstance(cells, str) or not cells:
        return {}
    if cells.startswith("@"):
        cells = _one_line(_read(cells[1:]))
    elif cells.startswith(GBG):
        raise BoardLabError(f'cells "{cells[:60]}" need a game: only train reads GBG\'s files')
    return {"cells": cells, "layout": settings.get("layout", "cells")}


def read_gbg(game: Game, settings: Mapping[str, Any]) -> dict[str, Any]:
    """`settings` with the tuples of a GBG file in our order, for `cells` "gbg:FILE"."""
    cells = settings.get("cells")
    if not isinstance(cells, str) or not cells.startswith(GBG):
        return dict(settings)
    order = gbg_order(game)
    layout = _read(cells.removeprefix(GBG))
    for tuple_ in layout:
        for cell in tuple_:
            if cell >= len(order):
                raise BoardLabError(
                    f"a tuple names cell {cell}; GBG's cells of {game.name} are 0 to {len(order) - 1}"
                )
            if tuple_.count(cell) > 1:
                raise BoardLabError(f"a tuple names GBG's cell {cell} twice")
    return {**settings, "cells": _one_line([[order[cell] for cell in tuple_] for tuple_ in layout])}


def gbg_order(game: Game) -> list[int]:
    """Our number of each cell of GBG's board vector, in GBG's order.

    Facts read from GBG's public source (XNTupleFuncs of each game, 2026-11).
    """
    if game.name == "connectfour":  # column by column, from the bottom
        rows, cols = grid_size(game)
        return [(rows - 1 - height) * cols + col for col in range(cols) for height in range(rows)]
    if game.name == "hex":  # its first player joins left and right, ours top and bottom
        rows, cols = grid_size(game)
        return [row * cols + col for col in range(cols) for row in range(rows)]
    if game.name in GBG_AS_OURS:
        return list(range(game.core.cells))
    raise BoardLabError(
        f"how GBG counts the cells of {game.name} is not known here; {GBG}FILE is for "
        f"{', '.join(sorted(['connectfour', 'hex', *GBG_AS_OURS]))}"
    )


def _read(path: str) -> Layout:
    """The layout in a file."""
    return layout_from_text(read_text("the file of a layout", path, LARGEST))


def _one_line(layout: Layout) -> str:
    return " / ".join(",".join(map(str, cells)) for cells in layout)


def layout_for(learner: str, given: Mapping[str, Any], usual: str) -> str:
    """The layout that reads the `given` settings; the `usual` one if it does.

    Settings that the layout does not read are refused, since they would do nothing.
    """
    named = [name for name in LAYOUTS_OF if given.get(name) not in (None, "")]
    fitting = [str(given["layout"])] if "layout" in given else [usual, *LAYOUTS]
    for name in named:
        others = fitting
        fitting = [kind for kind in others if kind in LAYOUTS_OF[name]]
        if not fitting:
            not_of = f"{others[0]}" if "layout" in given else f"{others[0]} as {named[0]} is"
            kinds = " and ".join(LAYOUTS_OF[name])
            raise BoardLabError(f"{learner}: {name} is a setting of layout {kinds}, not of {not_of}")
    return fitting[0]


def layout_to_text(layout: Sequence[Sequence[int]]) -> str:
    """One tuple a line."""
    return "".join(",".join(str(cell) for cell in cells) + "\n" for cells in layout)


def check_length(game: Game, length: int) -> None:
    """Refuse tuples that are longer than the board."""
    if not game.core.cells:
        raise BoardLabError(
            f"{game.name} has no board vector, which n-tuple networks read; the learner q-table needs none"
        )
    if length > game.core.cells:
        raise BoardLabError(
            f"length must be at most {game.core.cells}, the cells of {game.name}, not {length}"
        )


def _grid_adjacency(game: Game, neighbourhood: int) -> list[list[int]]:
    rows, cols = grid_size(game)
    steps = [
        (dr, dc)
        for dr in (-1, 0, 1)
        for dc in (-1, 0, 1)
        if (dr or dc) and (neighbourhood == 8 or not (dr and dc))
    ]
    return [
        [
            (cell // cols + dr) * cols + cell % cols + dc
            for dr, dc in steps
            if 0 <= cell // cols + dr < rows and 0 <= cell % cols + dc < cols
        ]
        for cell in range(rows * cols)
    ]


def _cell_images(game: Game) -> list[list[int]]:
    """Where each cell goes under every symmetry that permutes cells."""
    images = [list(range(game.core.cells))]
    for index in range(1, min(game.symmetries, 64)):
        found = game.core.symmetry_cells(index)
        if found is not None:
            image = [0] * game.core.cells
            for target, source in enumerate(found[0].tolist()):
                image[source] = target
            images.append(image)
    return images


def _distinct(draw: Callable[[], list[int]], tuples: int, what: str) -> Layout:
    layout: Layout = []
    seen: set[frozenset[int]] = set()
    tries = 0
    while len(layout) < tuples:
        cells = draw()
        tries += 1
        if frozenset(cells) not in seen:
            seen.add(frozenset(cells))
            layout.append(cells)
        elif tries > 1000 * tuples:
            raise BoardLabError(f"there are not {tuples} different {what}")
    return layout
