"""Where the cells of a board stand in its text, for marks and a cursor in the terminal."""

import re
from typing import NamedTuple


class Place(NamedTuple):
    """A cell in the text of a board."""

    line: int
    column: int
    width: int = 1


def word_places(
    text: str, rows: int, *, first: int = 0, labels: int = 0, after: int = 0, cells: int | None = None
) -> dict[int, Place]:
    """Number the words of `rows` lines from line `first` on, without those that are labels.

    `labels` words at the start of each line and `after` words at its end are left out. {} if the number of
    words is not `cells`.
    """
    places: dict[int, Place] = {}
    for number, line in enumerate(text.split("\n")[first : first + rows], first):
        words = list(re.finditer(r"\S+", line))
        for word in words[labels : len(words) - after]:
            places[len(places)] = Place(number, word.start(), word.end() - word.start())
    return places if cells is None or len(places) == cells else {}
