"""PGN for every game: tags, then the actions in the game's own notation.

    [Event "boardlab match"]        the seven tags that PGN requires; White begins
    ...
    [Result "1-0"]                  three players: 1-0-0, 1/2-1/2-0 ...; one player, or unfinished: *
    [Game "ewn"]                    our own tags: game, parameters, scores of all seats, seed of the
    [Scores "1 -1"]                 set-up, first position if not the initial one
    [Seed "7"]

    1. <4> a3-b3 {+0.25} <6> "a name with blanks" {-0.1} 2. ... 1-0

`<4>` is a chance outcome, `{+0.25}` the value that the player expected of its action. With one player, or
three and more, White and Black become Player1, Player2 ...
"""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from boardlab.arena.records.record import ABANDONED, UNFINISHED, Record
from boardlab.errors import BoardLabError, printable, shown
from boardlab.games.game import CHANCE, Game, State, as_seed
from boardlab.games.registry import GAMES, rules_of
from boardlab.games.registry import game as make_game
from boardlab.numbers import counted
from boardlab.options import option_text, options_of, read_option

ROSTER = ("Event", "Site", "Date", "Round")
OURS = ("Game", "Parameters", "Scores", "Seed", "SetUp", "Position", "Termination", "Error")
RESERVED = ("White", "Black", "Result", "FEN", *OURS)
RESULTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
BARE = re.compile(r"[^\s{}()\[\]<>;\"$%*][^\s{}()\[\]<>;\"]*")
"""Names that need no quotes."""

# ---- writing ----


def pgn_text(records: Iterable[Record]) -> str:
    """Format the games as PGN, with blank lines between tags, moves and games."""
    return "".join(f"{_tags(record)}\n{_moves(record)}\n\n" for record in records)


def result_text(scores: Sequence[float], *, is_finished: bool = True) -> str:
    """Format a result: `1-0`, `1/2-1/2`, `1-0-0`; winners share one point.

    One player: `*`.
    """
    if not is_finished or len(scores) == 1:
        return "*"
    best = max(scores)
    share = Fraction(1, sum(score == best for score in scores))
    return "-".join(str(share) if score == best else "0" for score in scores)


def player_tags(count: int) -> list[str]:
    """Return the tags that hold the players' names."""
    return ["White", "Black"] if count == 2 else [f"Player{seat + 1}" for seat in range(count)]


def agent_tags(count: int) -> list[str]:
    """Return the tags that hold the expressions of players who have a name."""
    return [f"{tag}Agent" for tag in player_tags(count)]


def _tags(record: Record) -> str:
    tags = {name: record.tags.get(name, "????.??.??" if name == "Date" else "?") for name in ROSTER}
    players = [name or "?" for name in record.players]
    tags |= dict(zip(player_tags(record.game.players), players, strict=True))
    tags["Result"] = result_text(record.scores, is_finished=record.is_finished)
    tags["Game"] = record.game.name
    if given := parameters_text(record.game):
        tags["Parameters"] = given
    tags["Scores"] = " ".join(map(_number, record.scores))
    if record.seed:
        tags["Seed"] = str(record.seed)
    if record.start is not None:
        tags |= {"SetUp": "1", "Position": " ".join(map(str, record.start.fields))}
    if record.ending:
        tags["Termination"] = record.ending
    if record.error:
        tags["Error"] = record.error
    for name, value in record.tags.items():
        if not isinstance(name, str) or not re.fullmatch(r"\w+", name) or not isinstance(value, str):
            raise BoardLabError(
                "a PGN tag must be text, its name only letters, digits and _, "
                f"not {shown(name)}: {shown(value)}"
            )
        if name not in tags and name not in RESERVED:  # the record's own data win
            tags[name] = value
    return "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())


def parameters_text(game: Game) -> str:
    """Format the non-default parameters: `size=6 swap=True`."""
    rules = game.rules
    return " ".join(
        f"{option.name}={option_text(getattr(rules, option.name))}"
        for option in options_of(type(rules))
        if getattr(rules, option.name) != option.default and rules.name in GAMES
    )


def _moves(record: Record) -> str:
    state, players = record.first_state, record.game.players
    words, turns = [], 0
    for i, action in enumerate(record.actions):
        name = state.action_names([action])[action]
        if state.player == CHANCE:
            words.append(_chance_word(name))
        else:
            if turns % players == 0:
                words.append(f"{turns // players + 1}.")
            words.append(name if _is_bare(name) else _quoted(name))
            turns += 1
        value = record.value(i)
        if value is not None:
            words.append(f"{{{value:+}}}")
        state.apply(action)
    words.append(result_text(record.scores, is_finished=record.is_finished))
    return _wrapped(words)


def _wrapped(words: Iterable[str], width: int = 80) -> str:
    """Wrap lines at `width` characters without breaking a word, even one with blanks."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _is_bare(name: str) -> bool:
    return bool(BARE.fullmatch(name)) and not re.fullmatch(r"\d+\..*", name) and not RESULT.fullmatch(name)


def _escaped(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", re.sub(r"[\r\n\0]+", " ", text))


def _chance_word(name: str) -> str:
    """Write a chance outcome as it appears among the moves."""
    return f"<{name}>" if BARE.fullmatch(name.replace(" ", "_")) else f"<{_quoted(name)}>"


def _quoted(name: str) -> str:
    return f'"{_escaped(name)}"'


def _number(value: float) -> str:
    """Write a float as text that reads back exactly."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


# ---- reading: games as they appear in the file ----


@dataclass(slots=True)
class Section:
    """One game of a PGN file: its tags and the text of its moves."""

    line: int
    """Line number of its first tag."""
    tags: dict[str, str]
    moves_line: int
    moves: list[str]


class IncompleteGameError(BoardLabError):
    """A game whose tags do not name its players, as at the end of a truncated file."""


TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
SLOPPY_TAG = re.compile(r'\[\s*(\w+)\s+"(.*)"\s*\]\s*')  # with unescaped quotes inside
RESULT = re.compile(r"\*|(?:[01]|1/[1-9]\d{0,3})(?:-(?:[01]|1/[1-9]\d{0,3}))+")


def sections(text: str) -> Iterator[Section]:
    """Split a PGN file into games by its tags; the moves are not parsed."""
    line, tags, moves_line = 0, dict[str, str](), 0
    moves: list[str] = []
    in_comment = False
    for number, text_line in enumerate(text.replace("\r", "").split("\n"), 1):
        if text_line[:1] == "[" and not in_comment and (found := _line_tags(text_line)):
            for name, value in found:
                if moves or name in tags:
                    if tags:
                        yield Section(line, tags, moves_line, moves)
                    tags, moves = {}, []  # text before the first tag is not a game
                if not tags:
                    line = number
                tags[name] = value
        elif text_line and not text_line.isspace() and text_line[0] != "%":
            if not moves:
                moves_line = number
            moves.append(text_line)
            opened, closed = text_line.rfind("{"), text_line.rfind("}")
            in_comment = opened > closed or (in_comment and closed < 0)
        elif moves:
            moves.append("")
    if tags:
        yield Section(line, tags, moves_line, moves)


def _line_tags(line: str) -> list[tuple[str, str]]:
    single = TAG.fullmatch(line)
    if single and "\\" not in single[2]:
        return [(single[1], single[2])]
    found, place = [], 0
    while match := TAG.match(line, place):
        found.append((match[1], re.sub(r"\\(.)", r"\1", match[2])))
        place = match.end()
    if place < len(line):
        sloppy = SLOPPY_TAG.fullmatch(line)
        return [(sloppy[1], sloppy[2])] if sloppy else []
    return found


def section_result(place: str, tags: dict[str, str]) -> tuple[tuple[str, ...], tuple[float, ...]] | None:
    """Read players and scores from the tags; None if the game has no result.

    Scores come from the tag Scores, else from Result: 1-0, 0-1, 1/2-1/2, 1-0-0 ...
    """
    players = _players(place, tags)
    result = tags.get("Result", "*").replace(" ", "")
    scores = _scores(place, tags)
    if result == "*" and (scores is None or len(players) > 1 or tags.get("Termination") == UNFINISHED):
        return None
    if scores is None and len(players) == 2 and result in RESULTS:
        scores = RESULTS[result]
    if scores is None:
        if not RESULT.fullmatch(result):
            raise BoardLabError(f'{place}: the result "{result}" must be 1-0, 0-1, 1/2-1/2 or *')
        scores = tuple(float(Fraction(part)) for part in result.split("-"))
    if len(scores) != len(players):
        raise BoardLabError(
            f"{place}: a game of {counted(len(players), 'players')} has {counted(len(scores), 'scores')}"
        )
    return players, scores


def _players(place: str, tags: dict[str, str]) -> tuple[str, ...]:
    if "White" in tags or "Black" in tags:
        for name in ("White", "Black"):
            if not tags.get(name):
                raise IncompleteGameError(f"{place}: a game lacks the tag {name}")
        return tags["White"], tags["Black"]
    players: list[str] = []
    while f"Player{len(players) + 1}" in tags:
        players.append(tags[f"Player{len(players) + 1}"])
    if not players:
        raise IncompleteGameError(f"{place}: a game lacks the tag White")
    return tuple(players)


def _scores(place: str, tags: dict[str, str]) -> tuple[float, ...] | None:
    if "Scores" not in tags:
        return None
    try:
        scores = tuple(float(word) for word in tags["Scores"].split())
        if scores and all(map(math.isfinite, scores)):
            return scores
    except ValueError:
        pass
    raise BoardLabError(f'{place}: the scores "{tags["Scores"]}" are not numbers')


# ---- reading: games that can be replayed ----


def read_pgn(name: str, text: str, game: Game | None = None) -> list[Record]:
    """Read the games of a PGN file.

    `game` gives the rules of games without a Game tag.

    `name` appears in error messages. The moves decide: a warning counts finished games whose tag differs.
    """
    found = list(sections(text))
    moves = [(section.moves_line, section.moves[0]) for section in found if section.moves]
    for number, line in moves if found else enumerate(text.split("\n"), 1):
        if line.startswith("["):  # moves never do
            raise BoardLabError(
                f'{name}, line {number}: {line.strip()[:40]} is not a tag; tags look like [White "a name"]'
            )
    if not found:
        raise BoardLabError(f'{name} contains no game: PGN begins with tags such as [White "a name"]')
    records = [_record(name, section, game) for section in found]
    contradicted = [pair for pair in zip(found, records, strict=True) if _is_contradicted(*pair)]
    if contradicted:
        section, record = contradicted[0]
        number, tag, played = len(contradicted), section.tags["Result"], result_text(record.scores)
        warnings.warn(
            printable(
                f"{name}: the Result tag of {counted(number, 'games')} contradicts the moves, which decide; "
                f"in the first, in line {section.line}, the tag gives {tag}, the moves {played}"
            ),
            stacklevel=4,  # the caller of read_records
        )
    return records


def contradicts_moves(section: Section) -> bool:
    """Return whether the tag Result contradicts the moves, if the file has both."""
    if "Game" not in section.tags or "Scores" in section.tags:  # Scores must fit the moves, and decide
        return False
    try:
        return _is_contradicted(section, _record("", section, None))
    except BoardLabError:  # the moves are unreadable
        return False


def _is_contradicted(section: Section, record: Record) -> bool:
    found = section_result("", section.tags)
    return found is not None and not record.ending and result_text(found[1]) != result_text(record.scores)


def _record(name: str, section: Section, game: Game | None) -> Record:
    place, tags = f"{name}, line {section.line}", section.tags
    game = _game(place, tags, game)
    start = None
    seed = 0
    try:
        seed = as_seed(int(tags.get("Seed", "0")))
    except ValueError:
        raise BoardLabError(f'{place}: the seed "{tags["Seed"]}" must be a whole number') from None
    if "Position" in tags:
        try:
            start = game.from_fields([int(word) for word in tags["Position"].split()])
        except ValueError as error:
            raise BoardLabError(f"{place}: the tag Position is not the fields of a state: {error}") from None
    elif "FEN" in tags:
        raise BoardLabError(f"{place}: the tag FEN is a chess position; BoardLab's own tag is Position")
    players = _players(place, tags)
    if len(players) != game.players:
        raise BoardLabError(
            f"{place}: {game.name} has {counted(game.players, 'players')}, not {len(players)}"
        )
    known = {*player_tags(game.players), *OURS, "Result"}
    record = Record(
        game,
        players,
        (),
        (),
        seed,
        start,
        error=tags.get("Error", ""),
        ending=tags.get("Termination", "").replace("normal", ""),
        tags={
            key: value for key, value in tags.items() if key not in known and value not in ("?", "????.??.??")
        },
    )
    return _with_moves(name, section, record)


def _game(place: str, tags: dict[str, str], game: Game | None) -> Game:
    if "Game" not in tags:
        if game is None:
            raise BoardLabError(f"{place}: the game has no tag Game; give its rules (--rules, or game=)")
        return game
    if game is not None and game.name == tags["Game"] and game.name not in GAMES:  # a user's own game
        return game
    try:
        rules = rules_of(tags["Game"])
    except BoardLabError as error:
        raise BoardLabError(f"{place}: {error}") from None
    options = {option.name: option for option in options_of(rules)}
    given = {}
    try:
        for part in tags.get("Parameters", "").split():
            key, equals, value = part.partition("=")
            if not equals:
                raise BoardLabError(f'the parameter "{part}" must be written NAME=VALUE')
            given[key] = read_option(rules.name, options[key], value) if key in options else value
        named = make_game(tags["Game"], **given)
    except BoardLabError as error:
        raise BoardLabError(f"{place}: {error}") from None
    if game is not None and game != named:
        raise BoardLabError(f"{place}: the file is of {named}, not of {game}; omit the rules")
    return named


TOKEN = re.compile(
    r"""\s*(?:
      (?P<comment>\{[^}]*(?:\}|$)|;[^\n]*)
    | (?P<chance><(?:"(?:[^"\\]|\\.)*"|[^"<>]*)>)
    | (?P<quoted>"(?:[^"\\]|\\.)*+(?:"|\\?$))
    | (?P<open>\() | (?P<close>\))
    | (?P<glyph>\$\d+)
    | (?P<number>\d+\.+)
    | (?P<word>[^\s{}();"<>]+)
    | (?P<stray>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
VALUE = re.compile(r"(?:\[%eval\s+)?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?=[\s/,;\]]|$)")


def _with_moves(name: str, section: Section, record: Record) -> Record:
    """Add the actions, values and scores of the section's text to the record."""
    text = "\n".join(section.moves)
    result = section.tags.get("Result", "*").replace(" ", "")
    state = record.first_state
    actions: list[int] = []
    values: list[float | None] = []
    depth = 0
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        word = token[kind] if kind else ""
        if kind == "open" or kind == "close":  # variations are not played
            depth += 1 if kind == "open" else -1
        if depth or kind in ("open", "close", "glyph", "number", None) or not word.strip():
            continue
        if kind == "comment":
            found = VALUE.match(word.strip("{}; "))
            if found and values and values[-1] is None:
                values[-1] = float(found[1])
            continue
        if kind == "word" and (word == result or word in RESULTS or word == "*"):
            break
        try:
            actions.append(_play(state, kind == "chance", word))
        except BoardLabError as error:
            line = section.moves_line + text.count("\n", 0, token.start(kind or 0))
            raise BoardLabError(f"{name}, line {line}, move {len(actions) + 1} {word}: {error}") from None
        values.append(None)
    return _finished(f"{name}, line {section.line}", section, record, state, actions, values)


def _play(state: State, is_chance: bool, word: str) -> int:
    """Play the action written as `word`."""
    if state.is_terminal:
        raise BoardLabError("the game was already over")
    if is_chance != (state.player == CHANCE):
        if is_chance:
            raise BoardLabError("a player acts here, not chance")
        outcome = _chance_word(next(iter(state.action_names().values())))
        raise BoardLabError(f"chance acts here; its outcome is written before the move, as in {outcome}")
    name = word[1:-1] if is_chance else word
    try:
        action = state.parse_action(re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name)
    except BoardLabError:
        if not (bare := name.rstrip("!?")) or bare == name:
            raise
        action = state.parse_action(bare)  # b2! and a1?? are comments on b2 and a1
    state.apply(action)
    return action


def _finished(
    place: str,
    section: Section,
    record: Record,
    state: State,
    actions: list[int],
    values: list[float | None],
) -> Record:
    """Add the scores; those of a finished game must agree with the file."""
    stated = _scores(place, section.tags)
    found = section_result(place, section.tags)
    played: tuple[float, ...] = tuple(state.scores.tolist())
    by_the_rules = state.is_terminal and not record.error
    scores = played if by_the_rules or stated is None else stated
    if stated is not None and len(stated) != len(played):
        raise BoardLabError(
            f"{place}: a game of {counted(len(played), 'players')} has {counted(len(stated), 'scores')}"
        )
    if by_the_rules and stated is not None and stated != played:
        raise BoardLabError(
            f"{place}: the tag Scores is {section.tags['Scores']}, but the moves give "
            f"{' '.join(map(_number, played))}"
        )
    ending = record.ending
    if stated is None and not by_the_rules:
        if found is not None:  # somebody resigned, or ran out of time
            low, high = record.game.score_range
            scores = tuple(high if p == 1 else low if p == 0 else (low + high) / 2 for p in found[1])
            ending = ending or ABANDONED
        elif not ending:
            ending = UNFINISHED
    return replace(
        record,
        actions=tuple(actions),
        values=tuple(values) if any(value is not None for value in values) else (),
        scores=scores,
        ending=ending,
    )
