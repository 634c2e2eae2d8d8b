"""EinStein wuerfelt nicht: text, names and drawing.

Fields: the cells row by row (0 empty, 1 + player * stones + stone), who is to roll or to move, the die (0
before the roll).
"""

import re
from dataclasses import dataclass

from boardlab.errors import BoardLabError
from boardlab.games.drawing import Canvas, GridCanvas, Token
from boardlab.games.game import State
from boardlab.games.grid import LETTERS, cell_name
from boardlab.games.history import Event
from boardlab.games.palette import register_colours
from boardlab.games.places import Place, word_places
from boardlab.games.rules import Rules
from boardlab.options import option

NAMES = ("red", "yellow", "blue", "green")
# Steps (rows, columns) of each seat: along its row, along its column, diagonally, seen from its corner.
STEPS = (
    ((0, 1), (1, 0), (1, 1)),
    ((0, -1), (-1, 0), (-1, -1)),
    ((-1, 0), (0, 1), (-1, 1)),
    ((1, 0), (0, -1), (1, -1)),
)
register_colours(
    {
        "red-goal": ("#f0b9bf", "#5a3138"),
        "yellow-goal": ("#f8dcae", "#5c4a26"),
        "blue-goal": ("#a9c1d8", "#27415a"),
        "green-goal": ("#bcd9c9", "#2c4a3b"),
        "board": ("#f6efdf", "#2a2e36"),
    }
)
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@dataclass(frozen=True)
class Ewn(Rules):
    """The die picks the stone, the stone runs to the far corner."""

    size: int = option(
        5, "edge of the board: 3 to 6 for two players, 6 for three, 4 or 6 for four", low=3, high=6
    )
    players: int = option(2, "2; 3 (0 and 1 hunt 2); 4 (0 and 2 against 1 and 3)", low=2, high=4)
    start: str = option(
        "fixed",
        "fixed: GBG's set-up; random: shuffled stones, the same order for every player",
        choices=("fixed", "random"),
    )
    coding: str = option(
        "stone",
        "cell contents for n-tuples: owner; owner and one of three levels; owner and stone",
        choices=("owner", "level", "stone"),
    )

    name = "ewn"
    summary = "EinStein wuerfelt nicht: the die picks the stone that runs to the far corner"
    notation = "a1-b2 moves the stone on a1 to b2, a1xb2 captures the stone there"
    variants = (
        {},
        {"size": 3, "coding": "owner"},
        {"size": 4, "start": "random"},
        {"size": 5, "start": "random", "coding": "level"},
        {"size": 6, "coding": "owner"},
        {"size": 6, "players": 3},
        {"size": 4, "players": 4, "coding": "level"},
        {"size": 6, "players": 4, "start": "random"},
    )
    colours = (
        (r"\bR\d\b", "bold red"),
        (r"\bY\d\b", "bold yellow"),
        (r"\bB\d\b", "bold blue"),
        (r"\bG\d\b", "bold green"),
    )
    truths = (
        "two players, fixed start, perfect play: the first player wins with probability 0.699588 on 3x3 and "
        "0.551235 on 4x4"
    )

    def variant_summary(self) -> str:
        """Name the teams if there are more than two players."""
        if self.players == 3:
            return (
                "EinStein wuerfelt nicht: the die picks the stone; red and yellow hunt blue's stones, blue "
                "runs to the far corner"
            )
        if self.players == 4:
            return f"{self.summary}; red and blue play against yellow and green"
        return self.summary

    @property
    def stones(self) -> int:
        """Stones per player, and sides of the die."""
        return 3 if self.size <= 4 else 6

    def player_name(self, player: int) -> str:
        """Name the colour; red begins in the top left corner."""
        return NAMES[player]

    def _symbol(self, cell: int) -> str:
        player, stone = divmod(cell - 1, self.stones)
        return f"{NAMES[player][0].upper()}{stone + 1}" if cell else "."

    def status_text(self, state: State) -> str:
        """Write who rolls, what was rolled, or who has won."""
        *_, mover, die = state.fields
        if state.is_terminal:
            return super().status_text(state)
        return f"{NAMES[mover]} rolled {die}" if die else f"{NAMES[mover]} to roll"

    def to_text(self, state: State) -> str:
        """Write the stones (R1 is red's first) and who rolls, or the roll."""
        n = self.size
        symbols = [f"{self._symbol(cell):<2}" for cell in state.fields[: n * n]]
        lines = ["  " + "  ".join(LETTERS[:n])]
        lines += [f"{row + 1} {' '.join(symbols[row * n : (row + 1) * n])}".rstrip() for row in range(n)]
        after = f", {NAMES[state.fields[-2]]} next" if state.is_terminal else ""
        return "\n".join([*lines, self.status_text(state) + after])

    def fields_from_text(self, text: str) -> list[int]:
        """Read the output of `to_text`; without the last line red is to roll."""
        n = self.size
        lines = [line.split() for line in text.splitlines() if line.strip()]
        if lines and "".join(lines[0]).lower() == LETTERS[:n]:
            lines = lines[1:]
        symbols = {self._symbol(cell).lower(): cell for cell in range(1 + self.players * self.stones)}
        fields: list[int] = []
        for number, words in enumerate(lines[:n], 1):
            row = words[1:] if len(words) == n + 1 and words[0] == str(number) else words
            bad = next((word for word in row if word.lower() not in symbols), None)
            if bad is not None or len(row) != n:
                raise BoardLabError(
                    f"{self.name}: row {number} must have {n} cells such as {self._symbol(1)} or ., "
                    f"got {' '.join(words)[:60]!r}"
                )
            fields += [symbols[word.lower()] for word in row]
        if len(fields) != n * n:
            raise BoardLabError(f"{self.name}: expected {n} rows of {n} cells")
        return fields + self._read_status(" ".join(" ".join(line) for line in lines[n:]))

    def _read_status(self, status: str) -> list[int]:
        names = NAMES[: self.players]
        match = re.fullmatch(
            rf"(?:.*, )?({'|'.join(names)}) (to roll|next|rolled (\d))",
            status.lower() or "red to roll",
        )
        if not match:
            raise BoardLabError(
                f'{self.name}: expected "red to roll", "red rolled 2" or "game over, red next" after the '
                f"board, got {status[:60]!r}"
            )
        return [names.index(match[1]), int(match[3] or 0)]

    def action_text(self, state: State, action: int) -> str:
        """Name origin and target: `a1-b2`, or `a1xb2` for a capture."""
        n, fields = self.size, state.fields
        mover = fields[n * n]
        if action == 3 * self.stones:
            return "pass"
        start = fields.index(1 + mover * self.stones + action // 3)
        down, right = STEPS[mover][action % 3]
        target = start + down * n + right
        return f"{cell_name(start, n)}{'x' if fields[target] else '-'}{cell_name(target, n)}"

    def chance_text(self, state: State, outcome: int) -> str:
        """Name the number on the die."""
        return str(outcome + 1)

    def parse_action(self, state: State, text: str) -> int:
        """Return the legal action; `a1-b2` and `a1b2` also name a capture."""
        wanted = re.sub(r"[-x ]", "", text.strip().lower())
        for action in state.legal_actions():
            if re.sub(r"[-x]", "", state.action_text(action)) == wanted:
                return action
        return super().parse_action(state, text)

    # ---- drawing ----

    def _move(self, player: int, action: int, cells: list[int], *, is_played: bool) -> tuple[int, ...]:
        """Return origin and target of a stone, which stands on one of them; () for a pass."""
        if action >= 3 * self.stones:
            return ()
        stone = 1 + player * self.stones + action // 3
        down, right = STEPS[player][action % 3]
        step = down * self.size + right
        if stone not in cells:
            return ()
        here = cells.index(stone)
        return (here - step, here) if is_played else (here, here + step)

    def action_cells(self, state: State, action: int) -> tuple[int, ...]:
        """Return origin and target; a pass has none."""
        return self._move(state.player, action, state.fields[: self.size**2], is_played=False)

    def last_cells(self, state: State, event: Event) -> tuple[int, ...]:
        """Return origin and target of the last move."""
        if event.player < 0:
            return ()
        return self._move(event.player, event.action, state.fields[: self.size**2], is_played=True)

    def text_places(self, state: State) -> dict[int, Place]:
        """Return where the cells stand in the text."""
        return word_places(self.board_text(state), self.size, first=1, labels=1)

    def player_token(self, state: State, player: int) -> Token:
        """Draw the die, or a small stone."""
        die = 0 if state.is_terminal else state.fields[-1]

        def draw(canvas: Canvas, x: float, y: float) -> None:
            if die:
                _draw_die(canvas, x, y, die, player)
            else:
                canvas.rect(x - 8, y - 8, 16, 16, NAMES[player], radius=4, stroke="core")

        return draw

    def draw_board(self, state: State) -> GridCanvas:
        """Draw numbered stones, and goal corners in their runner's colour."""
        n = self.size
        canvas = GridCanvas(
            n,
            n,
            board="board",
            column_labels=list(LETTERS[:n]),
            row_labels=[str(row + 1) for row in range(n)],
            cell=56,
        )
        goals = (n * n - 1, 0, n - 1, n * n - n)
        for player in range(self.players):
            if self.players == 3 and player < 2:
                continue  # hunters have no goal
            canvas.tint(goals[player], f"{NAMES[player]}-goal")
        canvas.grid()
        for cell, value in enumerate(state.fields[: n * n]):
            if not value:
                continue
            player, stone = divmod(value - 1, self.stones)
            x, y = canvas.centre(cell)
            canvas.rect(x - 17, y - 17, 34, 34, NAMES[player], radius=7, stroke="core")
            canvas.text(x, y, str(stone + 1), size=19, weight="bold", fill="core")
        return canvas

    def draw_last(self, canvas: Canvas, state: State, event: Event) -> bool:
        """Draw where the stone came from; the die shows what was rolled."""
        cells = self.last_cells(state, event)
        if cells and isinstance(canvas, GridCanvas):
            (x1, y1), (x2, y2) = (canvas.centre(cell) for cell in cells)
            canvas.circle(x1, y1, 5, "faint")
            canvas.line(x1, y1, x1 + 0.6 * (x2 - x1), y1 + 0.6 * (y2 - y1), "faint", 2.5)
            canvas.rect(x2 - 19, y2 - 19, 38, 38, "none", radius=8, stroke="core", width=4)
            canvas.rect(x2 - 19, y2 - 19, 38, 38, "none", radius=8, stroke="mark", width=2.2)
        return bool(cells) or event.player < 0


def _draw_die(canvas: Canvas, x: float, y: float, die: int, player: int) -> None:
    canvas.rect(x - 9.5, y - 9.5, 19, 19, "halo", radius=4, stroke=NAMES[player], width=2)
    for right, down in PIPS[die]:
        canvas.circle(x + 5 * right, y + 5 * down, 1.8, "core")
