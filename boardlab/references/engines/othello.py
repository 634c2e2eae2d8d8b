"""Othello programs that accept any position: NBoard and Edax's console."""

import re

from boardlab.games.game import Game, State
from boardlab.references.engines.protocol import Protocol, check_othello, only_pass


class NBoard(Protocol):
    """The protocol of the NBoard user interface, version 2.

    `level` is its search depth.
    """

    name = "nboard"
    pings = 0

    @staticmethod
    def check(game: Game) -> None:
        """Accept only Othello."""
        check_othello("nboard", game)

    def begin(self) -> None:
        """Start the protocol; the program must answer a ping."""
        self.program.say("nboard 2")
        if self.level is not None:
            self.program.say(f"set depth {self.level}")
        self.ping()

    def ping(self) -> None:
        """Wait until the program has finished all earlier commands."""
        self.pings += 1
        self.program.say(f"ping {self.pings}")
        self.await_line(lambda line: line.split() == ["pong", str(self.pings)])

    def ask(self, state: State) -> int:
        """Send the position, then ask for an action."""
        forced = only_pass(state)
        if forced is not None:
            return forced
        *cells, mover = state.fields
        board = "".join("-*O"[cell] for cell in cells)
        self.program.say(
            "set game (;GM[Othello]PC[BoardLab]DT[2000.01.01]PB[black]PW[white]RE[?]TI[15:00]TY[8]"
            f"BO[8 {board} {'*O'[mover]}];)"
        )
        self.ping()
        self.program.say("go")
        answer = self.await_line(lambda line: line.startswith("==="))
        return self.action(state, re.split(r"[\s/]", answer[3:].strip())[0])


class EdaxConsole(Protocol):
    """Edax's own console; `level` is its playing strength."""

    name = "edax"

    @staticmethod
    def check(game: Game) -> None:
        """Accept only Othello."""
        check_othello("edax", game)

    def begin(self) -> None:
        """Set the level; in mode 3 Edax plays only when asked."""
        self.program.say("mode 3")
        if self.level is not None:
            self.program.say(f"level {self.level}")

    def ask(self, state: State) -> int:
        """Send the position, then ask for an action."""
        forced = only_pass(state)
        if forced is not None:
            return forced
        *cells, mover = state.fields
        self.program.say("setboard " + "".join("-XO"[cell] for cell in cells) + "XO"[mover])
        self.program.say("go")
        found = re.compile(r"plays\s+(\S+)", re.IGNORECASE)
        answer = self.await_line(lambda line: bool(found.search(line)))
        played = found.search(answer)
        assert played
        return self.action(state, played[1])
