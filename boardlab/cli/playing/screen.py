"""The whole terminal window, redrawn in place."""

import contextlib
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from boardlab.cli.common import console

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # the second screen, without its cursor
_HOME, _REST_OF_LINE, _REST = "\x1b[H", "\x1b[K", "\x1b[J"


def size() -> tuple[int, int]:
    """Return the columns and lines of the window."""
    columns, lines = shutil.get_terminal_size()
    return max(columns, 10), max(lines, 6)


def as_lines(shown: RenderableType, width: int) -> list[Text]:
    """Render anything that rich prints as lines of this width."""
    options = console.options.update(width=max(width, 10), height=None)
    rows = console.render_lines(shown, options, pad=False)
    return [
        Text.assemble(*((segment.text, segment.style or "") for segment in row if not segment.control))
        for row in rows
    ]


@contextlib.contextmanager
def second_screen() -> Iterator[None]:
    """Draw on the terminal's second screen; the first one returns afterwards."""
    sys.stdout.write(_ENTER)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the terminal was closed
            sys.stdout.write(_LEAVE)
            sys.stdout.flush()


def redraw(lines: Sequence[Text]) -> None:
    """Draw the window anew, over what it showed before."""
    width, height = size()
    shown = list(_fitting(lines[:height], width))
    with console.capture() as captured:
        console.print(Group(*shown), width=width, end="")
    drawn = captured.get().rstrip("\n").split("\n")
    sys.stdout.write(_HOME + f"{_REST_OF_LINE}\n".join(drawn) + _REST_OF_LINE + _REST)
    sys.stdout.flush()


def _fitting(lines: Iterable[Text], width: int) -> Iterator[Text]:
    for line in lines:
        cut = line.copy()
        cut.no_wrap = True
        cut.truncate(width, overflow="ellipsis")
        yield cut
