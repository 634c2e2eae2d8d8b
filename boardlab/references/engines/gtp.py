"""GTP, version 2: the text protocol of Go programs, which Othello and Hex programs speak too.

GTP has no command that sets up a position. The program is told the actions that were played; from a position
that did not come about before its eyes, a sequence that leads there is looked for.
"""

import time

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.references.engines.program import RESIGNED, EngineError
from boardlab.references.engines.protocol import Protocol

COLOURS = ("b", "w")
STAYING = ("othello", "gobang", "hex", "tictactoe", "connectfour")
"""Games in which a cell that is taken stays taken: what is empty in the end was never played on."""
MOST_TRIED = 100_000
"""Positions looked at on the way to a start from elsewhere."""


class RefusedError(EngineError):
    """The program answered a command with `?`."""


class Gtp(Protocol):
    """A GTP program that has followed the game to `told`."""

    name = "gtp"
    told: State | None = None

    @staticmethod
    def check(game: Game) -> None:
        """Two players, nothing hidden, no chance."""
        if game.players != 2 or game.has_chance or game.is_hidden:
            raise BoardLabError(f"gtp programs play games of two players without chance, not {game!r}")

    def send(self, command: str) -> str:
        """Sends a command and reads the whole answer; a refusal is an error."""
        self.program.say(command)
        deadline = time.monotonic() + self.seconds
        line = ""
        while not line.startswith(("=", "?")):
            line = self.program.hear(deadline)
        answer = [line[1:].strip()]
        while rest := self.program.hear(deadline):
            answer.append(rest)
        text = "\n".join(answer).strip()
        if line.startswith("?"):
            raise RefusedError(f'{self.program.name} refused "{command}": {text[:80] or "no reason given"}')
        return text

    def begin(self) -> None:
        """Says hello and agrees on the board."""
        version = self.send("protocol_version")
        if version != "2":
            raise EngineError(f'{self.program.name} speaks GTP version "{version[:20]}", not 2')
        size = getattr(self.game.rules, "size", None)
        if isinstance(size, int):
            self.send(f"boardsize {size}")

    def new_game(self) -> None:
        """An empty board."""
        self.told = None

    def ask(self, state: State) -> int:
        """Tells what was played since the last question, then asks."""
        self.follow(state)
        answer = self.send(f"genmove {COLOURS[state.player]}")
        self.told = None
        if answer.lower() == "resign":
            raise EngineError(f"{self.program.name} {RESIGNED}")
        action = self.action(state, answer)
        self.told = state.copy()
        self.told.apply(action)
        return action

    def follow(self, state: State) -> None:
        """Brings the program to this position."""
        if self.told is not None:
            path = path_between(self.told, state, most=3)
            if path is not None:
                return self.tell(self.told, path)
        start = self.game.initial_state()
        path = path_between(start, state, most=self.game.horizon)
        if path is None:
            raise EngineError(
                f"{self.program.name} speaks GTP, which knows no positions but those played from the start, "
                "and no sequence of actions to this one was found"
            )
        self.send("clear_board")
        self.tell(start, path)
        return None

    def tell(self, start: State, path: list[int]) -> None:
        """Tells the program a sequence of actions."""
        state = start.copy()
        for action in path:
            name = state.action_text(action)
            try:
                self.send(f"play {COLOURS[state.player]} {name}")
            except RefusedError:
                if name != "pass":  # some programs (GRhino) pass by themselves and want to hear nothing of it
                    raise
            state.apply(action)


def path_between(start: State, goal: State, most: int) -> list[int] | None:
    """Actions that lead from one position to the other, `most` at the longest; None where none is found."""
    staying = start.game.name in STAYING
    cells = start.game.core.cells if staying else 0
    empty = [cell for cell, value in enumerate(goal.fields[:cells]) if value == 0]
    seen: set[bytes] = set()
    # Depth first without recursion: each entry is a position with the actions still to be tried there.
    stack: list[tuple[State, list[int], list[int]]] = [(start, [], start.legal_actions()[::-1])]
    if start == goal:
        return []
    while stack and len(seen) < MOST_TRIED:
        state, path, untried = stack[-1]
        if not untried or len(path) >= most:
            stack.pop()
            continue
        child = state.copy()
        action = untried.pop()
        child.apply(action)
        key = child.core.to_bytes()
        if key in seen:
            continue
        seen.add(key)
        if child == goal:
            return [*path, action]
        fields = child.fields
        if child.is_terminal or any(fields[cell] for cell in empty):
            continue
        stack.append((child, [*path, action], child.legal_actions()[::-1]))
    return None
