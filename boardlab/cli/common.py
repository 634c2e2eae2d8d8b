"""Shared parts of commands: game parameters, coloured boards, progress bars."""

import contextlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from typer.models import ArgumentInfo, OptionInfo

from boardlab.arena.exams import EXAMS
from boardlab.errors import OF_YOUR_OWN, BoardLabError, printable, unknown
from boardlab.evaluators import EVALUATORS
from boardlab.games.game import CHANCE, Game, State
from boardlab.games.registry import game, rules_of
from boardlab.interrupts import ignoring_ctrl_c
from boardlab.learners.players import PLAYERS_FILE, Players, agent_expression, players
from boardlab.options import Option, options_of, read_number, read_option
from boardlab.paths import as_path, reachable, read_text
from boardlab.runs import RunFolder, runs_in
from boardlab.search.entrants import NAME, Entrant, named_runs, split_name
from boardlab.search.expression import AGENTS, programs_of

GAME_PARAMETERS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Lets a command take the game's own parameters: `boardlab play connectfour --rows 8 --cols 9`."""


Jobs = Annotated[int, typer.Option(help="Processes that work at once; the result does not depend on them.")]
Threads = Annotated[int, typer.Option(help="Games played at once in each process.")]


class SafeConsole(Console):
    """A console that removes terminal escape codes from the text it prints."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments to print; control segments are rich's own."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(printable(text), style)


console = SafeConsole(highlight=False)

STOPPED = 130
"""Exit status of a command that Ctrl-C ended; `main` replaces it after SIGTERM or SIGHUP."""

NARROW = 75
"""Terminal columns below which a table would cut words."""


def screen_width() -> int | None:
    """Return how wide a table may be; None, no limit, unless a terminal shows it."""
    return console.width if console.is_terminal else None


def read_values(command: Callable[..., None]) -> Callable[..., None]:
    """Read a command's numbers and paths with the checks of Python settings."""
    for name, hint in get_type_hints(command, include_extras=True).items():
        kind = _kind_in(hint)
        for info in get_args(hint):
            if kind is None or not isinstance(info, OptionInfo | ArgumentInfo):
                continue
            shown = name.upper()
            if isinstance(info, OptionInfo):
                names = (*(info.param_decls or ()), f"--{name.replace('_', '-')}")
                shown = next(word for word in names if word.startswith("--"))
            info.metavar = info.metavar or ("PATH" if kind is Path else f"<{kind.__name__}>")
            # Typer's own reader would not name the number given, and would read "" as the current folder.
            info.parser = lambda given: given
            info.callback = _reader(shown, kind)
    return command


def _kind_in(hint: Any) -> type | None:
    """Return the type in `Annotated[int | None, ...]`, `Annotated[list[Path], ...]`."""
    if hint in (int, float, Path):
        return hint  # type: ignore[no-any-return]
    return next((kind for part in get_args(hint) if (kind := _kind_in(part))), None)


def _reader(name: str, kind: type) -> Callable[[Any], Any]:
    def read(given: Any) -> Any:
        if isinstance(given, (list, tuple)):
            return [read(one) for one in given]
        if not isinstance(given, str):  # the default
            return given
        if kind is Path:
            return as_path(name, given)
        try:
            return read_number(kind, given)
        except ValueError:
            allowed = Option(name, kind, None, "", None, None, None).allowed
            raise BoardLabError(f'{name} must be {allowed}, not "{given}"') from None

    return read


def game_from(name: str, context: typer.Context) -> Game:
    """Make the game with the parameters that follow it on the command line."""
    rules = rules_of(name)
    known = {option.name: option for option in options_of(rules)}
    given: dict[str, Any] = {}
    words = list(context.args)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise BoardLabError(f'unexpected "{word}"; parameters of {name} are written --NAME VALUE')
        key, _, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key.startswith("no_") and key[3:] in known and known[key[3:]].type is bool:
            given[key[3:]] = False
            continue
        if key == "players" and key not in known:
            raise BoardLabError("--players goes before the command: boardlab --players FILE ...")
        if key not in known:
            raise unknown(f"option or parameter of {name}", key, [*known, *command_options(context)])
        if known[key].type is bool and "=" not in word:
            given[key] = read_switch(name, known[key], words)
            continue
        if "=" not in word:
            if not words:
                raise BoardLabError(f"--{key} needs a value: {known[key].allowed}")
            value = words.pop(0)
        given[key] = read_option(name, known[key], value)
    return game(name, **given)


def command_options(context: typer.Context) -> list[str]:
    """Return the names of the command's own options, as typed but without the dashes."""
    names = (name for option in context.command.params for name in (*option.opts, *option.secondary_opts))
    return [name[2:] for name in names if name.startswith("--")]


def check_given_with(context: typer.Context, main: str, *names: str) -> None:
    """Refuse options that do nothing because the `main` one has its default value."""
    options = {option.name: option for option in context.command.params}
    if context.params[main] != options[main].default:
        return
    for name in names:
        if context.params[name] != options[name].default:
            idle, switch = options[name].opts[0], options[main].opts[0]
            raise BoardLabError(f"{idle} does nothing without {switch}; give {switch} too")


def check_given_without(context: typer.Context, main: str, *names: str) -> None:
    """Refuse options that do nothing because the `main` one was given."""
    options = {option.name: option for option in context.command.params}
    for name in names:
        if context.params[name] not in (options[name].default, None, (), []):
            idle, switch = options[name].opts[0], options[main].opts[0]
            raise BoardLabError(f"{idle} does nothing with {switch}; give one of them")


def read_switch(owner: str, option: Option, words: list[str]) -> bool:
    """Read a yes-or-no option: --NAME alone is true, or a value follows it."""
    if not words or words[0].startswith("--"):
        return True
    return bool(read_option(owner, option, words.pop(0)))


def split_agents(name: str, agents: Sequence[str], context: typer.Context) -> tuple[Game, list[Entrant]]:
    """Split the arguments into game and agents.

    Words that begin with -- belong to the game.
    """
    words = [*agents, *context.args]
    first = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    context.args = words[first:]
    return game_from(name, context), [entrant_from(word) for word in words[:first]]


def entrant_from(word: str) -> Entrant:
    """Read a player: an agent, NAME=AGENT, or the name of a player in players.toml."""
    name, agent = split_name(word)
    if not name and (found := named_player(agent)):
        return Entrant(found, agent)
    return Entrant(agent_from(agent), name)


def agent_from(word: str, *, or_exam: bool = False) -> str:
    """Read an agent: an expression, a run's folder (with a slash), or the name of a player.

    With `or_exam` it may also be the name of an exam.
    """
    if or_exam and word in EXAMS:
        return word
    _, word = split_name(word)
    if found := named_player(word, or_exam=or_exam):
        return found
    if not or_exam:
        _check_no_folder(word)
    return agent_expression(word)


PLAYERS: list[Path] = []
"""The file that `boardlab --players FILE` named."""


def known_players() -> Players | None:
    """Read the file of --players, or else players.toml in this folder; None if it is not there."""
    if PLAYERS:
        return players(PLAYERS[0])
    return players() if reachable(Path(PLAYERS_FILE)).exists() else None


def named_player(word: str, *, or_exam: bool = False) -> str:
    """Return the agent of a player in the file of players; empty if the word is no such name.

    A file that the user did not name may be somebody else's: its agents may not start programs.
    """
    if word in {*AGENTS, *EVALUATORS} or not NAME.fullmatch(word):
        return ""
    known = known_players()
    if known is None or (or_exam and word not in known):
        return ""
    if word not in known:
        _check_no_folder(word)
        raise unknown("agent or player", word, [*known, *AGENTS], OF_YOUR_OWN)
    agent = known[word]
    if not PLAYERS and (started := programs_of(agent)):
        raise BoardLabError(
            f"{word} in {known.path} starts the program {started[0]!r}; if you trust the file, name it: "
            f"boardlab --players {known.path} ..."
        )
    return agent


def _check_no_folder(word: str) -> None:
    """Refuse a folder's name given as an agent.

    It would be reported as a misspelt agent.
    """
    if word in {*AGENTS, *EVALUATORS} or not re.fullmatch(r"[\w.-]+", word):
        return
    for path, written in ((Path(word), f"./{word}"), (Path("runs") / word, f"runs/{word}")):
        what = "runs" if runs_in(path) else "run"
        if what == "runs" or reachable(path / "agent.toml").is_file():
            raise BoardLabError(f'unknown agent "{word}"; write the {what} in that folder as {written}')
    if Path(word).is_dir():
        raise BoardLabError(
            f'unknown agent "{word}"; a folder of that name exists, but it has no agent.toml, so it is no run'
        )


def game_of_run(agent: str) -> Game | None:
    """Return the game of the one run, or folder of runs, that an agent names.

    None if it names none, or several.
    """
    folders = named_runs(agent)
    if len(folders) != 1:
        return None
    folder = RunFolder(next(iter(runs_in(folders[0])), folders[0]))
    with folder.understanding():
        return folder.game(folder.read_agent())


def table_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """Return a table.

    On a narrow terminal, each row's first cell with the others below it.
    """
    if console.width >= NARROW:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for number, column in enumerate(columns):
            table.add_column(column, overflow="fold", no_wrap=number == 0)
        for row in rows:
            table.add_row(*map(Text, row))
        return table
    lines: list[RenderableType] = []
    for row in rows:
        lines.append(Text(row[0], style="bold"))
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell:
                lines.append(Padding(Text(f"{column}: {cell}" if column else cell), (0, 0, 0, 2)))
    return Group(*lines)


@contextlib.contextmanager
def stopped_by_ctrl_c(where: str) -> Iterator[None]:
    """After Ctrl-C, print where the command stopped and exit with status 130."""
    with _stopped_by_ctrl_c(lambda: where):
        yield


def saved_by_ctrl_c(
    command: str, is_saved: Callable[[], bool] = lambda: True
) -> contextlib.AbstractContextManager[None]:
    """After Ctrl-C, print how to continue.

    `is_saved` returns whether anything was saved yet.
    """

    def where() -> str:
        if is_saved():
            return f"and saved; to continue: {command}"
        return "before anything was learned; nothing was saved"

    return _stopped_by_ctrl_c(where)


@contextlib.contextmanager
def _stopped_by_ctrl_c(where: Callable[[], str]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        with ignoring_ctrl_c(), contextlib.suppress(OSError):  # the terminal may be closed
            console.print(f"stopped {where()}", markup=False, soft_wrap=True)
        raise typer.Exit(STOPPED) from None


def whole_once_stopped(stopped: bool) -> contextlib.AbstractContextManager[None]:
    """Once a command is stopped, ignore further Ctrl-C while it writes its files."""
    return ignoring_ctrl_c() if stopped else contextlib.nullcontext()


def board(state: State) -> Text:
    """Return the board as its player sees it, in the game's colours."""
    text = Text(state.game.rules.board_text(state))
    for pattern, style in state.game.rules.colours:
        text.highlight_regex(pattern, style)
    return text


def play_actions(state: State, words: Sequence[str], seed: int = 0) -> None:
    """Play actions written as text; the seed draws chance events."""
    rng = random.Random(seed)
    settle_chance(state, rng)
    for word in words:
        state.apply(state.parse_action(word))
        settle_chance(state, rng)


def settle_chance(state: State, rng: random.Random) -> None:
    """Draw chance events until a player must act or the game ends."""
    while state.player == CHANCE:
        state.apply(state.sample_chance(rng.randrange(2**63)))


def read_position(game: Game, position: str | None, actions: str | None, seed: int) -> State:
    """Read a start (initial, text or file) and play actions from there."""
    state = first_position(game, position, seed)
    # Some action names contain blanks; such actions are separated by commas.
    words = re.split(r"\s*[,;]\s*" if re.search("[,;]", actions or "") else r"\s+", (actions or "").strip())
    play_actions(state, [word for word in words if word], seed)
    return state


def first_position(game: Game, position: str | None, seed: int) -> State:
    """Return the initial position, or the one in a text or a file."""
    if position is None:
        return game.initial_state(seed)
    if position.startswith("@"):
        return game.from_text(read_text("the file of a position", position[1:], 1 << 20))
    return game.from_text(position.replace("\\n", "\n"))
