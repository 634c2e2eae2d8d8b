"""Round stones in the colours of the palette."""

from boardlab.games.drawing import Canvas, Token

EDGES = {"black": "black-edge", "white": "white-edge"}


def draw_stone(canvas: Canvas, x: float, y: float, colour: str, radius: float) -> None:
    """Draw a stone with an edge that shows on every board."""
    canvas.circle(x, y, radius, colour, stroke=EDGES.get(colour, "core"), width=1.2)


def stone_token(colour: str) -> Token:
    """Return what draws a small stone beside a caption."""
    return lambda canvas, x, y: draw_stone(canvas, x, y, colour, 8)
