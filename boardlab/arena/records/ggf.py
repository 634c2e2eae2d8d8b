"""GGF, the Generic Game Format of Othello programs (GGS, NBoard, Edax).

(;GM[Othello]PC[BoardLab]DT[2026.01.31]PB[black]PW[white]RE[+12]TY[8]
BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5/0.25/1.5]W[D6]...;)

Black (`*`) is seat 0. A move is a square or PA (pass), then its expected value, then its seconds.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import replace

from boardlab.arena.records.record import ABANDONED, Record, played
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.othello import Othello
from boardlab.games.registry import game as make_game

FIELD = re.compile(r"\s*([A-Za-z]+)\[([^\]]*)\]")
SQUARES = "-*O"
NAMES = {"PB": 0, "PW": 1}
TAGS = {"PC": "Site", "DT": "Date", "EV": "Event"}
SIDES = ("B", "W")


def ggf_text(records: Iterable[Record]) -> str:
    """Format the games as GGF, one per line."""
    return "".join(_game_text(record) + "\n" for record in records)


def _game_text(record: Record) -> str:
    rules = record.game.rules
    if not isinstance(rules, Othello):
        raise BoardLabError(f"GGF is only for othello; save {record.game.name} as PGN")
    state = record.first_state
    moves = []
    for i, action in enumerate(record.actions):
        name = state.action_text(action).upper()
        value = record.value(i)
        expected = f"/{value:+}" if value is not None else ""
        moves.append(f"{SIDES[state.player]}[{'PA' if name == 'PASS' else name}{expected}]")
        state.apply(action)
    size = rules.size
    fields = [("GM", "Othello"), ("PC", record.tags.get("Site", "BoardLab")), *_dated(record)]
    fields += [("PB", record.players[0]), ("PW", record.players[1])]
    if record.is_finished:
        fields.append(("RE", _result(record, state)))
    fields += [("TY", str(size)), ("BO", f"{size} {_board(record.first_state, size)}")]
    return "(;" + "".join(f"{name}[{_plain(str(value))}]" for name, value in fields) + "".join(moves) + ";)"


def _dated(record: Record) -> list[tuple[str, str]]:
    return [("DT", record.tags["Date"])] if "Date" in record.tags else []


def _plain(text: str) -> str:
    """Remove the brackets that would end a field, and the ;) that would end the game."""
    return re.sub(r"[\[\]\r\n\0]|;(?=\))", " ", text)


def _board(state: State, size: int) -> str:
    *cells, mover = state.fields
    rows = ["".join(SQUARES[c] for c in cells[i * size : (i + 1) * size]) for i in range(size)]
    return f"{' '.join(rows)} {'*O'[mover]}"


def _result(record: Record, last: State) -> str:
    """Return black's disc difference; a game lost by an error is marked as resigned."""
    if last.is_terminal and not record.error:
        return f"{last.outcome('discs')[0]:+g}"
    return f"{64 * (record.scores[0] > record.scores[1]) - 64 * (record.scores[0] < record.scores[1]):+d}:r"


def read_ggf(name: str, text: str) -> list[Record]:
    """Read the games of a GGF file; `name` appears in error messages."""
    records: list[Record] = []
    line, at = 1, 0
    # No regular expression: each unclosed (; would be searched to the end of the file.
    while (begin := text.find("(;", at)) >= 0 and (end := text.find(";)", begin + 2)) >= 0:
        line += text.count("\n", at, begin)
        records.append(_record(f"{name}, line {line}", text[begin + 2 : end]))
        line, at = line + text.count("\n", begin, end), end
    if not records:
        raise BoardLabError(f"{name}: no game between (; and ;)")
    return records


def _record(place: str, text: str) -> Record:
    at, players, tags = 0, ["?", "?"], {}
    game, start, result = make_game("othello"), None, None
    words: list[tuple[str, str]] = []
    values: list[float | None] = []
    while field := FIELD.match(text, at):
        at = field.end()
        key, value = field[1].upper(), field[2].strip()
        if key == "GM" and value.lower() != "othello":
            raise BoardLabError(f"{place}: GM[{value}] is not Othello")
        if key in NAMES:
            players[NAMES[key]] = value
        elif key in TAGS:
            tags[TAGS[key]] = value
        elif key == "RE":
            result = value
        elif key == "BO":
            game, start = _position(place, value)
        elif key in SIDES:
            square, _, rest = value.partition("/")
            words.append((place, "pass" if square.lower() in ("pa", "pass", "ps", "--") else square))
            values.append(_value(rest.partition("/")[0]))
    if text[at:].strip():
        raise BoardLabError(f'{place}: "{text[at:].strip()[:20]}" is not a GGF field, as in B[F5]')
    if start is not None and start == game.initial_state():
        start = None
    record = played(game, words, start=start, players=players, values=values, tags=tags)
    # NBoard writes RE[?] while a game is running.
    return record if record.is_finished or result in (None, "", "?") else _given_up(place, record, result)


def _position(place: str, value: str) -> tuple[Game, State]:
    size, _, board = value.partition(" ")
    squares = "".join(board.split())
    try:
        game = make_game("othello", size=int(size))
        cells = [SQUARES.index(square) for square in squares[:-1].replace("o", "O")]
        return game, game.from_fields([*cells, "*O".index(squares[-1:].upper() or " ")])
    except ValueError as error:
        raise BoardLabError(f"{place}: BO[{value[:20]}...] is not an Othello position: {error}") from None


def _value(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _given_up(place: str, record: Record, result: str) -> Record:
    """Use the file's result for a game that ended by resignation or on time."""
    lead = _value(result.partition(":")[0])
    if lead is None:
        raise BoardLabError(f"{place}: the result RE[{result}] is not a number")
    first = float((lead > 0) - (lead < 0))
    return replace(record, scores=(first, -first), ending=ABANDONED)
