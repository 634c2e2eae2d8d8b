"""The colours of pictures by name, each for a light and a dark page.

A picture says `fill="paper"`. How that is written depends on the theme:

- `auto`: the light colour, a class, and a stylesheet inside the picture that follows the reader's colour
  scheme: that of the system where the picture stands alone, that of the page or notebook around it otherwise.
- `page`: the same without the stylesheet, which the page brings (`stylesheet()`), as a strict
  Content-Security-Policy demands.
- `light` and `dark`: plain colours, for programs that know no stylesheets.
"""

from collections.abc import Iterable
from html import escape

from boardlab.errors import check_known

THEMES = ("auto", "page", "light", "dark")

PALETTE: dict[str, tuple[str, str]] = {
    "paper": ("#faf7f0", "#1b1e24"),
    "ink": ("#1f2430", "#e8e5dc"),
    "faint": ("#666a75", "#a3a8b3"),
    "line": ("#b9b2a3", "#565d6a"),
    "cell": ("#ffffff", "#272c35"),
    "shade": ("#e9e3d5", "#313742"),
    "button": ("#ebe5d6", "#333a46"),
    "button-edge": ("#a89f8b", "#5c6473"),
    # players, in the order of their colours: the same hue in both schemes, lighter on dark paper
    "red": ("#d1495b", "#e2677a"),
    "yellow": ("#edae49", "#f0b95f"),
    "blue": ("#30638e", "#5f9fd6"),
    "green": ("#4f8f6d", "#74b894"),
    "violet": ("#7a5195", "#a882c6"),
    "orange": ("#e07b39", "#ef9560"),
    "teal": ("#2a9d8f", "#4fc4b6"),
    "grey": ("#7a7f87", "#a4a9b2"),
    # stones
    "black": ("#1c1c1e", "#141416"),
    "black-edge": ("#000000", "#8a8f99"),
    "white": ("#f8f6ef", "#f1eee5"),
    "white-edge": ("#5d594e", "#2c2c30"),
    # marks
    "win": ("#35d07f", "#35d07f"),
    "lose": ("#ff7f3f", "#ff8f55"),
    "mark": ("#ffc933", "#ffc933"),
    "legal": ("#2a7de1", "#7db8ff"),
    "halo": ("#ffffff", "#ffffff"),
    "core": ("#14171d", "#14171d"),
}
"""Name: the colour on light paper, the colour on dark paper."""


def register_colours(colours: dict[str, tuple[str, str]]) -> None:
    """Add a game's own colours to the palette."""
    PALETTE.update(colours)


def paint(theme: str, fill: str, stroke: str) -> str:
    """Write the attributes that paint an element; "" leaves the attribute out."""
    parts, classes = [], []
    for attribute, colour in (("fill", fill), ("stroke", stroke)):
        if not colour:
            continue
        known = PALETTE.get(colour)
        if known is not None and theme in ("auto", "page"):
            classes.append(f"{attribute[0]}-{colour}")
        shown = colour if known is None else known[theme == "dark"]
        parts.append(f'{attribute}="{escape(shown)}"')
    return " ".join([f'class="{" ".join(classes)}"'] * bool(classes) + parts)


def stylesheet(classes: Iterable[str] | None = None) -> str:
    """Return the CSS of pictures, for a page that shows them with `theme="page"`.

    A page chooses the scheme with the CSS property `color-scheme`, and may replace a colour by a custom
    property, as in `--bl-paper: white`. `classes` are those to include (`f-ink` fills with ink, `s-ink` draws
    with it), by default all.
    """
    if classes is None:
        classes = [f"{kind}-{name}" for name in PALETTE for kind in "fs"]
    rules = []
    for chosen in sorted(classes):
        light, dark = PALETTE[chosen[2:]]
        attribute = "fill" if chosen.startswith("f") else "stroke"
        rules.append(f".{chosen}{{{attribute}:var(--bl-{chosen[2:]},light-dark({light},{dark}))}}")
    # Readers that know no light-dark() keep the light colours, which every element has as attributes too.
    schemes = (
        ":root.boardlab{color-scheme:light dark}"
        "[data-jp-theme-light=false] .boardlab,.vscode-dark .boardlab{color-scheme:dark}"
    )
    scoped = "".join(f".boardlab {rule}" for rule in rules)
    return f"@supports(color:light-dark(red,red)){{{schemes}{scoped}}}"


def as_theme(theme: str) -> str:
    """Return a theme if there is one of that name."""
    check_known("theme", theme, THEMES)
    return theme
