"""Outside programs in agent expressions: `engine("gtp-rhino")`, `edax(level=7)`."""

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from boardlab import _engine
from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.games.game import Game
from boardlab.options import option
from boardlab.references.engines.gtp import Gtp
from boardlab.references.engines.othello import EdaxConsole, NBoard
from boardlab.references.engines.protocol import Protocol, Session
from boardlab.search.agent import python_agent
from boardlab.search.spec import SearchSpec

PROTOCOLS: dict[str, type[Protocol]] = {kind.name: kind for kind in (Gtp, NBoard, EdaxConsole)}


@dataclass(frozen=True)
class Engine(SearchSpec):
    """An outside program that speaks GTP, NBoard or Edax's console."""

    command: str = option("", "the program with its arguments, as typed in a shell")
    protocol: str = option("gtp", "its protocol", choices=tuple(PROTOCOLS))
    level: int | None = option(None, "depth (nboard) or level (edax)", low=0, high=100)
    seconds: float = option(60.0, "time limit per answer; exceeding it loses the game", low=0.01, high=1e6)

    name = "engine"

    @property
    def program(self) -> str:
        """The command."""
        return self.command

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Start the program."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise BoardLabError(f"engine: the command {self.command!r} cannot be parsed: {error}") from None
        if not words:
            raise BoardLabError('engine needs a program, as in engine("gtp-rhino", protocol="gtp")')
        kind = PROTOCOLS[self.protocol]
        kind.check(game)
        if shutil.which(words[0]) is None:
            raise MissingPackageError(f'engine: there is no program "{words[0]}" on this machine')
        return _session(kind, game, words, Path(words[0]).name, None, self.level, self.seconds)


@dataclass(frozen=True)
class Edax(SearchSpec):
    """Edax, the papers' Othello opponent, if the program is installed."""

    level: int = option(
        5, "1 to 10: depth of a full-width search; higher levels are selective", low=0, high=60
    )
    path: str | None = option(None, "path of the program; default: $EDAX, then edax on the PATH")
    seconds: float = option(300.0, "time limit per answer; exceeding it loses the game", low=0.01, high=1e6)

    name = "edax"

    @property
    def program(self) -> str:
        """The path of the program, if given."""
        return self.path or ""

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Start the program."""
        EdaxConsole.check(game)
        wanted = self.path or os.environ.get("EDAX") or "edax"
        found = shutil.which(wanted)
        if found is None:
            raise MissingPackageError(
                f'edax: there is no program "{wanted}"; get Edax and its eval.dat from '
                "https://github.com/abulmo/edax-reversi/releases and name it in $EDAX or path="
            )
        program = Path(found).resolve()
        # Edax looks for data/eval.dat relative to the folder where it is started.
        folders = [f for f in (program.parent, program.parent.parent) if (f / "data" / "eval.dat").is_file()]
        command = [str(program), "-q", "-level", str(self.level), "-book-usage", "off", "-n", "1", "-h", "18"]
        folder = str(folders[0]) if folders else None
        return _session(EdaxConsole, game, command, "edax", folder, self.level, self.seconds)


def _session(
    kind: type[Protocol],
    game: Game,
    command: list[str],
    name: str,
    folder: str | None,
    level: int | None,
    seconds: float,
) -> _engine.Search:
    session = Session(kind, game, command, name, folder, level, seconds)
    return python_agent(game, session.choose, name, session.reset, with_history=kind is Gtp).core
