"""The common part of the three protocols: a session with a program that plays."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.othello import Othello
from boardlab.references.engines.program import EngineError, Program


class Protocol:
    """A session about one game; subclasses define how to begin, ask and read answers."""

    name: ClassVar[str]
    farewell: ClassVar[str] = "quit"

    def __init__(self, program: Program, game: Game, level: int | None, seconds: float) -> None:
        self.program, self.game, self.level, self.seconds = program, game, level, seconds

    @staticmethod
    def check(game: Game) -> None:
        """Refuse a game that the protocol cannot express."""
        raise NotImplementedError

    def begin(self) -> None:
        """Perform the handshake."""
        raise NotImplementedError

    def new_game(self) -> None:
        """Forget the current game."""

    def ask(self, state: State) -> int:
        """Return the action that the program plays here."""
        raise NotImplementedError

    def await_line(self, is_answer: Callable[[str], bool]) -> str:
        """Skip lines until the answer."""
        deadline = time.monotonic() + self.seconds
        while True:
            line = self.program.hear(deadline)
            if is_answer(line):
                return line

    def action(self, state: State, text: str) -> int:
        """Return the legal action that the program named."""
        word = text.strip().lower()
        if word in ("pa", "ps", "pass", "--"):
            word = "pass"
        try:
            return state.parse_action(word)
        except BoardLabError:
            raise EngineError(
                f'{self.program.name} played "{text.strip()[:40]}", which is not a legal action'
            ) from None


def check_othello(name: str, game: Game) -> None:
    """Refuse every game except Othello on 8x8."""
    if game.rules != Othello():
        raise BoardLabError(f"{name} programs play othello on 8x8, not {game!r}")


def only_pass(state: State) -> int | None:
    """Return a forced pass, which each program writes in its own way; else None."""
    legal = state.legal_actions()
    return legal[0] if legal == [64] else None


class Session:
    """Keeps a program running for an agent.

    Starts it when needed and after a failure.
    """

    def __init__(
        self,
        kind: type[Protocol],
        game: Game,
        command: Sequence[str],
        name: str,
        folder: str | None,
        level: int | None,
        seconds: float,
    ) -> None:
        self.kind, self.game, self.command, self.name = kind, game, command, name
        self.folder, self.level, self.seconds = folder, level, seconds
        self.protocol: Protocol | None = None
        self.is_new_game = True
        self.start()

    def start(self) -> Protocol:
        """Start the program and perform the handshake."""
        program = Program(self.command, self.name, self.folder)
        protocol = self.kind(program, self.game, self.level, self.seconds)
        try:
            protocol.begin()
        except BaseException:
            program.close()
            raise
        self.protocol = protocol
        self.is_new_game = True
        return protocol

    def choose(self, state: State) -> int:
        """Ask the program; end it after a failure or Ctrl-C, when it is out of step."""
        protocol = self.protocol or self.start()
        try:
            if self.is_new_game:
                protocol.new_game()
                self.is_new_game = False
            return protocol.ask(state)
        except BaseException:
            self.protocol = None
            protocol.program.close()
            raise

    def reset(self, seed: int) -> None:
        """Announce that the next question belongs to a new game."""
        self.is_new_game = True

    def close(self) -> None:
        """End the program."""
        if self.protocol is not None:
            self.protocol.program.close(self.protocol.farewell)
            self.protocol = None
