"""Games as lines of plain text, one per line, as many programs write them.

    f5d6c3d3c4...     othello: squares in a row; passes are left out
    4455...           connectfour: columns, counted from 1 (from 0 in a file that has a 0); in a file of
                      solved positions (4455 -2) the score is ignored
    R U2 F'           rubiks: the twists that solve the cube; if they do not: `@` and its first position

Blank lines and text after a `#` are ignored; `-` is a game without actions.
"""

import functools
import re
from collections.abc import Callable, Iterable

from boardlab.arena.records.record import Record, played
from boardlab.errors import BoardLabError
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State
from boardlab.games.registry import game as make_game
from boardlab.games.rubiks import FACES, Rubiks

OTHELLO = re.compile(r"(?:[a-j](?:10|[1-9])|pass|pa|ps|--|\s)+", re.IGNORECASE)
COLUMNS = re.compile(r"[\d\s]+")
SOLVED = re.compile(r"(\d+)\s+-?\d+")
NO_ACTIONS = "-"
TWISTS = re.compile(r"(?:[ULFRBDulfrbd](?:2'?|'|3)?\s*)+(?:@[-\d\s]*)?|@[-\d\s]*")


def lines_text(records: Iterable[Record]) -> str:
    """Format the games as lines; only for games with such a notation."""
    return "".join((WRITERS[_kind(record)](record) or NO_ACTIONS) + "\n" for record in records)


def _kind(record: Record) -> str:
    if record.game.name not in WRITERS:
        raise BoardLabError(f"{record.game.name} has no plain-text line format; save it as PGN")
    return record.game.name


def _othello_line(record: Record) -> str:
    if record.start is not None:
        raise BoardLabError(
            "a transcript must begin at the initial position; save games from other starts as PGN or GGF"
        )
    names = (
        state.action_text(action) for state, action in zip(record.states(), record.actions, strict=False)
    )
    return "".join(name for name in names if name != "pass")


def _columns_line(record: Record) -> str:
    rules = record.game.rules
    assert isinstance(rules, ConnectFour)
    if record.start is not None or rules.cols > 9:
        raise BoardLabError("column strings begin with an empty board of at most 9 columns; use PGN")
    return "".join(str(action + 1) for action in record.actions)


def _twists_line(record: Record) -> str:
    state = record.first_state
    names = [state.action_text(action) for action in record.actions]
    for action in record.actions:
        state.apply(action)
    if state.is_terminal and record.scores[0] == 1:
        return " ".join(names)
    cells, last = _facelets(record.first_state)
    return " ".join([*names, "@", *map(str, [*cells, *(last if any(last) else ())])])


def _facelets(state: State) -> tuple[list[int], list[int]]:
    """Return the colours of the facelets, and what follows them: the last twist, where it is kept."""
    assert isinstance(state.game.rules, Rubiks)
    number = 6 * state.game.rules.size**2
    return state.fields[:number], state.fields[number:]


WRITERS: dict[str, Callable[[Record], str]] = {
    "othello": _othello_line,
    "connectfour": _columns_line,
    "rubiks": _twists_line,
}

# ---- reading ----


def read_lines(name: str, text: str, game: Game | None = None) -> list[Record]:
    """Read the games of such a file.

    The first line shows the game unless `game` is given.
    """
    lines = [(n, line.partition("#")[0].strip()) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line]
    if not lines:
        raise BoardLabError(f"{name} contains no game")
    if (game is None or game.name == "connectfour") and any(re.search(r"\s-\d", line) for _, line in lines):
        solved = [SOLVED.fullmatch(line) for _, line in lines]
        if all(solved):  # columns have no sign, so these are solved positions
            lines = [(n, found[1]) for (n, _), found in zip(lines, solved, strict=True) if found]
    game = game or _guess(name, lines)
    if game.name not in WRITERS:
        raise BoardLabError(f"{game.name} has no plain-text line format; its games are saved as PGN")
    from_zero = any("0" in line for _, line in lines)
    return [_read_line(f"{name}, line {n}", line, game, from_zero) for n, line in lines]


def _guess(name: str, lines: list[tuple[int, str]]) -> Game:
    number, line = next((found for found in lines if found[1] != NO_ACTIONS), lines[0])
    for pattern, kind in ((COLUMNS, "connectfour"), (OTHELLO, "othello"), (TWISTS, "rubiks")):
        if pattern.fullmatch(line):
            # The 2x2x2 turns only its faces U, L and F: the opposite corner stays fixed.
            is_large = kind == "rubiks" and any(re.match("[^@]*[RBDrbd]", line) for _, line in lines)
            return make_game(kind, size=3) if is_large else make_game(kind)
    raise BoardLabError(
        f"{name}, line {number}: {line[:30]!r} is neither PGN, GGF, an Othello transcript (f5d6c3), "
        "connect-four columns (4455) nor twists (R U2 F')"
    )


def _read_line(place: str, line: str, game: Game, from_zero: bool) -> Record:
    if line == NO_ACTIONS:
        line = ""
    if game.name == "othello":
        squares = re.findall(r"[a-z](?:1[0-9]|[0-9])|pass|pa|ps|--|\S", line, re.IGNORECASE)
        words = [(place, "pass" if w.lower() in ("pa", "ps", "--") else w.lower()) for w in squares]
        return played(game, words, forced_passes=True)
    if game.name == "connectfour":
        words = [(place, digit) for digit in re.findall(r"\S", line)]
        return played(game, words, read=functools.partial(_column, 0 if from_zero else 1))
    twists, at, fields = line.partition("@")
    words = [(place, _twist(place, game, word)) for word in re.findall(r"[A-Za-z](?:2'?|'|3)?|\S", twists)]
    return played(game, words, start=_cube(place, game, words, fields if at else None))


def _column(first: int, state: State, digit: str) -> int:
    """Return the column of a digit; the `first` column of the file is 0 or 1."""
    columns = {str(action + first): action for action in state.legal_actions()}
    if digit not in columns:
        why = f"legal are {', '.join(columns)}" if columns else "the game is over"
        raise BoardLabError(f'"{digit}" is not a legal action here; {why}')
    return columns[digit]


def _twist(place: str, game: Game, word: str) -> str:
    assert isinstance(game.rules, Rubiks)
    if game.rules.size > 2 and word[0] in "ulfrbd":
        raise BoardLabError(
            f'{place}: "{word}" turns two layers, which is not an action; write a face in capitals: '
            f"{word.upper()}"
        )
    return word[0].upper() + {"3": "'", "2'": "2"}.get(word[1:], word[1:])


def _cube(place: str, game: Game, words: list[tuple[str, str]], fields: str | None) -> State:
    """Return the first position: given, or found by undoing the twists from solved."""
    if fields is not None:
        try:
            cells = [int(field) for field in fields.split()]
            missing = len(game.initial_state().fields) - len(cells)
            return game.from_fields(cells + [0] * (missing == 1))
        except ValueError as error:
            raise BoardLabError(f"{place}: the text after @ is not a position: {error}") from None
    cells = game_of_twists(game, 0).initial_state().fields
    turns = _turns(game_of_twists(game, 30))
    for word in reversed([word for _, word in words]):
        if word not in turns:
            break  # `played` reports what is wrong
        before = list(cells)
        for cell, source in enumerate(turns[word]):
            before[source] = cells[cell]
        cells = before
    return game.from_text("".join(FACES[cell] for cell in cells))


def game_of_twists(game: Game, twists: int) -> Game:
    """Return the same cube with this number of scramble twists; its positions are facelets only."""
    assert isinstance(game.rules, Rubiks)
    return Game(Rubiks(size=game.rules.size, metric=game.rules.metric, twists=twists))


@functools.cache
def _turns(game: Game) -> dict[str, list[int]]:
    """Return for every twist the sticker that each cell receives.

    A solved cube cannot be twisted, since its game is over, so this is read off scrambled cubes: a source is
    clear once only one sticker had all the colours found.
    """
    scrambled = [game.initial_state(seed) for seed in range(64)]
    scrambled = [state for state in scrambled if not state.is_terminal]
    before = list(zip(*(state.fields for state in scrambled), strict=True))
    turns = {}
    for action, name in scrambled[0].action_names().items():
        after = []
        for state in scrambled:
            twisted = state.copy()
            twisted.apply(action)
            after.append(twisted.fields)
        turns[name] = [before.index(colours) for colours in zip(*after, strict=True)]
    return turns
