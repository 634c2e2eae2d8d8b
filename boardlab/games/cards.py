"""Playing cards: names (As, Kd, 7h) and drawings, shared by the card games."""

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas, rounded
from boardlab.games.palette import register_colours

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NO_CARD, UNKNOWN = "--", "??"
HIDDEN = 53
"""The engine's number for a card hidden from the viewer; cards are 1 .. 52, 0 is none."""
TERMINAL_COLOURS = (
    (rf"\b[{RANKS}]h\b", "bold red"),
    (rf"\b[{RANKS}]d\b", "bold bright_blue"),
    (rf"\b[{RANKS}]c\b", "bold green"),
    (rf"\b[{RANKS}]s\b", "bold magenta"),
    (r"\?\?|--", "dim"),
)
"""Styles of the suits in a terminal, a colour each as in a four-colour deck."""

register_colours(
    {
        "felt": ("#2f7a59", "#235c43"),
        "felt-edge": ("#245f45", "#184231"),
        "felt-ink": ("#eef5f0", "#e3ece6"),
        "felt-mark": ("#ffd166", "#ffd166"),
    }
)
FELT_INK, FELT_MARK = "felt-ink", "felt-mark"
_INKS = {"c": "core", "d": "#c8323f", "h": "#c8323f", "s": "core", "": "core"}
_SHAPES = {
    "h": "M0,.45C-.6,0-.5-.45-.22-.45-.08-.45 0-.35 0-.22 0-.35 .08-.45 .22-.45 .5-.45 .6,0 0,.45Z",
    "d": "M0-.5 .36,0 0,.5-.36,0Z",
    "s": "M0-.5C-.6-.05-.5,.32-.24,.32-.12,.32-.05,.26-.03,.2-.05,.35-.1,.43-.18,.5H.18C.1,.43 .05,.35 .03,.2"
    " .05,.26 .12,.32 .24,.32 .5,.32 .6-.05 0-.5Z",
    "c": "M-.2-.26a.2,.2 0 1 1 .4,0a.2,.2 0 1 1-.4,0ZM-.42,.08a.2,.2 0 1 1 .4,0a.2,.2 0 1 1-.4,0Z"
    "M.02,.08a.2,.2 0 1 1 .4,0a.2,.2 0 1 1-.4,0Z"
    "M-.05-.1H.05C.05,.3 .1,.43 .18,.5H-.18C-.1,.43-.05,.3-.05-.1Z",
}
_CHIP_COLOURS = ((100, "#2b2d42"), (25, "#3a7d44"), (5, "#c8323f"), (1, "#b8860b"))
CARD_WIDTH, CARD_HEIGHT = 44.0, 62.0


def card_name(card: int) -> str:
    """Name a card: `As` for the ace of spades, `--` for none, `??` for face down."""
    if card == 0:
        return NO_CARD
    return UNKNOWN if card == HIDDEN else RANKS[(card - 1) // 4] + SUITS[(card - 1) % 4]


def read_card(owner: str, word: str) -> int:
    """Read a card's name, in upper or lower case."""
    if word in (NO_CARD, UNKNOWN):
        return 0 if word == NO_CARD else HIDDEN
    rank, suit = RANKS.find(word[:1].upper()), SUITS.find(word[1:].lower())
    if len(word) != 2 or rank < 0 or suit < 0:
        raise BoardLabError(f'{owner}: "{word}" is not a card; cards are written As, Td, 7h, 2c')
    return 4 * rank + suit + 1


def draw_shown(canvas: Canvas, x: float, y: float, card: str) -> None:
    """Draw a card by name, rank and suit: `-` is still to come, `?` is face down."""
    if card[0] == "-":
        draw_place(canvas, x, y)
    elif card[0] == "?":
        draw_back(canvas, x, y)
    else:
        draw_card(canvas, x, y, card[0], card[1])


def draw_felt(canvas: Canvas) -> None:
    """Draw a table that fills the canvas."""
    w, h = canvas.width, canvas.height
    canvas.rect(10, 10, w - 20, h - 20, "felt", radius=min(48, min(w, h) / 3), stroke="felt-edge", width=8)


def draw_suit(canvas: Canvas, x: float, y: float, suit: str, size: float) -> None:
    """Draw a club, diamond, heart or spade (c, d, h, s) at a point."""
    canvas.add(
        f'path d="{_SHAPES[suit]}" transform="translate({rounded(x)} {rounded(y)}) scale({rounded(size)})"',
        _INKS[suit],
    )


def draw_card(canvas: Canvas, x: float, y: float, rank: str, suit: str = "", *, faded: bool = False) -> None:
    """Draw a face-up card centred at a point; without a suit its rank is printed large."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    with canvas.group(**_FADED if faded else {}):
        canvas.rect(x - w / 2, y - h / 2, w, h, "#fffdf8", radius=5, stroke="#8d8779")
        if not suit:
            canvas.text(x, y, rank, size=24 if len(rank) < 3 else 16, weight="bold", fill="core", most=w - 8)
            return
        wide = len(rank) > 1
        corner = x - w / 2 + (11.5 if wide else 10)
        size = 13 if wide else 15
        canvas.text(corner, y - h / 2 + 12, rank, size=size, weight="bold", fill=_INKS[suit])
        draw_suit(canvas, x - w / 2 + 10, y - h / 2 + 27, suit, 11)
        draw_suit(canvas, x + 6, y + 10, suit, 26)


_FADED = {"opacity": "0.45"}


def draw_back(canvas: Canvas, x: float, y: float, *, faded: bool = False) -> None:
    """Draw a face-down card."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    with canvas.group(**_FADED if faded else {}):
        canvas.rect(x - w / 2, y - h / 2, w, h, "#fffdf8", radius=5, stroke="#8d8779")
        canvas.rect(x - w / 2 + 3, y - h / 2 + 3, w - 6, h - 6, "#30638e", radius=3)
        lattice = "".join(
            f"M{rounded(x - 16 + 8 * i)} {rounded(y - 26 + 10.4 * k)}l4 5.2-4 5.2-4-5.2z"
            for i in range(5)
            for k in range(5)
        )
        canvas.add(f'path d="{lattice}"', "none", "#9dc3de", 'stroke-width="0.8"')


def draw_place(canvas: Canvas, x: float, y: float) -> None:
    """Draw the outline of a card that is still to come."""
    w, h = CARD_WIDTH, CARD_HEIGHT
    canvas.add(
        f'rect x="{rounded(x - w / 2)}" y="{rounded(y - h / 2)}" width="{w:g}" height="{h:g}" rx="5"',
        "none",
        FELT_INK,
        'stroke-opacity="0.35" stroke-dasharray="4 4"',
    )


def mark_card(canvas: Canvas, x: float, y: float) -> None:
    """Frame a card that decided the game."""
    w, h = CARD_WIDTH + 5, CARD_HEIGHT + 5
    canvas.rect(x - w / 2, y - h / 2, w, h, "none", radius=7, stroke=FELT_MARK, width=3)


def draw_chips(canvas: Canvas, x: float, y: float, amount: float) -> None:
    """Draw a small stack of chips with its worth, centred at a point."""
    left = amount
    pieces: list[str] = []
    for worth, colour in _CHIP_COLOURS:
        while left >= worth and len(pieces) < 6:
            pieces.append(colour)
            left -= worth
    for i, colour in enumerate(pieces):
        canvas.add(
            f'ellipse cx="{rounded(x - 14)}" cy="{rounded(y + 5 - 3 * i)}" rx="9" ry="5"',
            colour,
            "#ffffff",
            'stroke-dasharray="4 3"',
        )
    canvas.text(x, y, f"{amount:g}", size=13, fill=FELT_INK, weight="bold", anchor="start")
