"""HTML for notebooks: tables and pictures side by side, with all text escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from boardlab.errors import printable


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def cell(content: object) -> str:
    """Return the HTML of a cell."""
    return content if isinstance(content, Html) else escape(printable(str(content)))


def table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    left: Iterable[int] = (0,),
    bold: int | None = None,
) -> Html:
    """Return a table; the columns `left` are aligned on the left, the others on the right.

    `bold` is the number of a row to stress.
    """
    sides = set(left)

    def aligned(column: int) -> str:
        return "text-align:left;" if column in sides else "text-align:right;white-space:nowrap;"

    def line(cells: Sequence[object], tag: str, style: str = "") -> str:
        parts = (
            f'<{tag} style="{aligned(i)}{style}">{cell(content)}</{tag}>' for i, content in enumerate(cells)
        )
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line(row, "td", "font-weight:bold" if i == bold else "") for i, row in enumerate(rows))
    top = f"<thead>{line(head, 'th')}</thead>" if any(str(h) for h in head) else ""
    return Html(f'<table style="font-variant-numeric:tabular-nums">{top}<tbody>{body}</tbody></table>')


def beside(*parts: str) -> Html:
    """Return parts side by side, below each other where there is no room."""
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return Html(f'<div style="display:flex;flex-wrap:wrap;gap:20px;align-items:flex-start">{inside}</div>')


def below(*parts: str) -> Html:
    """Return parts below each other."""
    return Html("".join(f"<div>{part}</div>" for part in parts if part))


def paragraph(text: str) -> Html:
    """Return lines of text as a paragraph."""
    return Html(f"<p>{'<br>'.join(cell(line) for line in text.splitlines())}</p>") if text else Html("")


def bar(share: float, width: int = 120) -> Html:
    """Return a horizontal bar that fills a share of its width."""
    filled = round(width * min(1.0, max(0.0, share)))
    inside = f'<div style="width:{filled}px;height:.8em;background:#4a90d9"></div>'
    return Html(f'<div style="width:{width}px">{inside}</div>')


def heading(text: str) -> Html:
    """Return a line that names what follows."""
    return Html(f'<p style="margin:.3em 0"><b>{cell(text)}</b></p>')


def preformatted(text: str) -> Html:
    """Return text in a fixed font, as a terminal shows it."""
    return Html(f"<pre>{cell(text)}</pre>")


def shaded(text: str, share: float) -> Html:
    """Return text on a background from orange (a share of 0) to blue (1)."""
    if not 0 <= share <= 1:
        return Html(cell(text))
    colour = "194,65,12" if share < 0.5 else "29,111,184"
    style = f"background:rgba({colour},{abs(share - 0.5):.2f});padding:2px 6px;border-radius:3px"
    return Html(f'<span style="{style}">{cell(text)}</span>')


def progress_bar(done: float, total: float, words: str) -> Html:
    """Return a bar that fills, with words below it."""
    share = min(1.0, max(0.0, done / total)) if total else 1.0
    inside = f'<div style="width:{share:.1%};height:100%;border-radius:4px;background:#4a90d9"></div>'
    frame = "width:420px;max-width:100%;height:10px;border-radius:4px;background:rgba(128,128,128,.3)"
    return Html(f'<div style="{frame}">{inside}</div><div>{cell(words)}</div>')
