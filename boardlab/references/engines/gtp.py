"""GTP version 2, the text protocol of Go, Othello and Hex programs.

GTP has no command that sets up a position. The program receives the actions that were played, which the state
knows; only for a position that was set up is a sequence of actions searched.
"""

import re
import time
from collections.abc import Callable

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.tictactoe import TicTacToe
from boardlab.references.engines.program import EngineError, ResignedError
from boardlab.references.engines.protocol import Protocol

COLOURS = ("b", "w")
WITHOUT_I = ("gobang", "othello")
"""Boards whose columns use the letters of Go, which skip i; Hex programs do."""
MOST_TRIED = 100_000
"""Positions to visit on the way to one that was set up, for each of the three search methods."""


class RefusedError(EngineError):
    """The program answered a command with `?`."""


class Gtp(Protocol):
    """A GTP program that has followed the game up to `known`."""

    name = "gtp"
    known: State | None = None

    @staticmethod
    def check(game: Game) -> None:
        """Accept games of two players without chance and hidden parts."""
        if game.players != 2 or game.has_chance or game.is_hidden:
            raise BoardLabError(f"gtp programs play games of two players without chance, not {game!r}")

    def send(self, command: str) -> str:
        """Send a command and read the whole answer; raise an error if it is refused."""
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
        """Agree on the protocol version and the board."""
        version = self.send("protocol_version")
        if version != "2":
            raise EngineError(f'{self.program.name} speaks GTP version "{version[:20]}", not 2')
        size = board_size(self.game)
        if size is not None:
            self.send(f"boardsize {size}")

    def new_game(self) -> None:
        """Start with an empty board."""
        self.known = None

    def ask(self, state: State) -> int:
        """Send the actions since the last question, then ask for the next one."""
        self.follow(state)
        answer = self.send(f"genmove {COLOURS[state.player]}")
        self.known = None
        if answer.lower() == "resign":
            raise ResignedError(f"{self.program.name} resigned")
        try:
            name = from_vertex(self.game, answer)
        except BoardLabError as error:
            raise EngineError(f"{self.program.name}: {error}") from None
        action = self.action(state, name)
        self.known = state.copy()
        self.known.apply(action)
        return action

    def follow(self, state: State) -> None:
        """Bring the program to this position."""
        latest, played = back_to(self.known, state)
        if self.known is not None and (latest == self.known or not played):  # else actions were taken back
            path = path_between(self.known, latest, most=3)
            if path is not None:
                return self.replay(self.known, path + played)
        start = self.game.initial_state()
        path = path_between(start, latest, most=self.game.horizon)
        if path is None:
            raise EngineError(
                f"{self.program.name} speaks GTP, which can only reach positions by playing from the start, "
                "and no sequence of actions to this one was found"
            )
        self.send("clear_board")
        self.replay(start, path + played)
        return None

    def replay(self, start: State, path: list[int]) -> None:
        """Play a sequence of actions on the program's board."""
        state = start.copy()
        for action in path:
            name = state.action_text(action)
            try:
                self.send(f"play {COLOURS[state.player]} {to_vertex(self.game, name)}")
            except RefusedError:
                if name != "pass":  # some programs (GRhino) pass on their own and refuse the command
                    raise
            state.apply(action)


def board_size(game: Game) -> int | None:
    """Return the edge of a square board for `boardsize`; None for other boards."""
    rules = game.rules
    rows, cols = (getattr(rules, name, getattr(rules, "size", None)) for name in ("rows", "cols"))
    if isinstance(rules, TicTacToe):
        rows = cols = 3
    return rows if isinstance(rows, int) and rows == cols else None


def to_vertex(game: Game, name: str) -> str:
    """Write an action as a GTP vertex."""
    if game.name in WITHOUT_I and re.fullmatch(r"[i-y]\d+", name):
        return chr(ord(name[0]) + 1) + name[1:]
    return name


def from_vertex(game: Game, vertex: str) -> str:
    """Return the game's name of a GTP vertex."""
    name = vertex.strip().lower()
    if game.name not in WITHOUT_I or not re.fullmatch(r"[i-z]\d+", name):
        return vertex
    if name[0] == "i":
        raise BoardLabError(f'"{vertex.strip()}" is not a vertex: column j follows h')
    return chr(ord(name[0]) - 1) + name[1:]


def back_to(known: State | None, state: State) -> tuple[State, list[int]]:
    """Return the latest position in the state's history that the program knows.

    Also returns the actions since then. If the program knows none, it is the first position of all.
    """
    actions = []
    at = state.copy()
    while at != known and at.actions_played:
        before = at.copy()
        before.undo()
        actions.append(next(action for action, child in before.children() if child == at))
        at = before
    return at, actions[::-1]


def path_between(start: State, goal: State, most: int) -> list[int] | None:
    """Return up to `most` actions that lead from one position to the other.

    First assumes that stones stay unchanged, then that only their colours change; last, searches breadth
    first.
    """
    if start == goal:
        return []
    cells = start.game.core.cells
    aims = goal.fields[:cells]

    def stays(state: State) -> bool:
        return all(cell in (0, aim) for cell, aim in zip(state.fields[:cells], aims, strict=True))

    def stays_taken(state: State) -> bool:
        return all(aim or not cell for cell, aim in zip(state.fields[:cells], aims, strict=True))

    return (
        _depth_first(start, goal, most, stays)
        or _depth_first(start, goal, most, stays_taken)
        or _breadth_first(start, goal, most)
    )


def _depth_first(
    start: State, goal: State, most: int, leads_there: Callable[[State], bool]
) -> list[int] | None:
    seen: set[State] = set()
    # Without recursion: each entry is a position with its untried actions.
    stack: list[tuple[State, list[int], list[int]]] = [(start, [], start.legal_actions()[::-1])]
    while stack and len(seen) < MOST_TRIED:
        state, path, untried = stack[-1]
        if not untried or len(path) >= most:
            stack.pop()
            continue
        child = state.copy()
        action = untried.pop()
        child.apply(action)
        if child in seen:
            continue
        seen.add(child)
        if child == goal:
            return [*path, action]
        if not child.is_terminal and leads_there(child):
            stack.append((child, [*path, action], child.legal_actions()[::-1]))
    return None


def _breadth_first(start: State, goal: State, most: int) -> list[int] | None:
    seen = {start}
    level: list[tuple[State, list[int]]] = [(start, [])]
    for _ in range(most):
        following = []
        for state, path in level:
            for action, child in state.children():
                if child == goal:
                    return [*path, action]
                if child not in seen and not child.is_terminal:
                    seen.add(child)
                    following.append((child, [*path, action]))
            if len(seen) >= MOST_TRIED:
                return None
        level = following
    return None
