"""GTP, version 2: the text protocol of Go programs, which Othello and Hex programs speak too.

GTP has no command that sets up a position. The program is told the actions that were played, which the state
knows; only for a position that was set up a sequence that leads there is looked for.
"""

import re
import time
from collections.abc import Callable

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.games.tictactoe import TicTacToe
from boardlab.references.engines.program import RESIGNED, EngineError
from boardlab.references.engines.protocol import Protocol

COLOURS = ("b", "w")
WITHOUT_I = ("gobang", "othello")
"""Boards whose columns have the letters of Go, which leave out the i. Hex programs use it."""
MOST_TRIED = 100_000
"""Positions looked at on the way to one that was set up, in each of the three ways to look."""


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
        size = board_size(self.game)
        if size is not None:
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
        try:
            name = from_vertex(self.game, answer)
        except BoardLabError as error:
            raise EngineError(f"{self.program.name}: {error}") from None
        action = self.action(state, name)
        self.told = state.copy()
        self.told.apply(action)
        return action

    def follow(self, state: State) -> None:
        """Brings the program to this position."""
        known, played = back_to(self.told, state)
        if self.told is not None and (known == self.told or not played):  # else somebody took actions back
            path = path_between(self.told, known, most=3)
            if path is not None:
                return self.tell(self.told, path + played)
        start = self.game.initial_state()
        path = path_between(start, known, most=self.game.horizon)
        if path is None:
            raise EngineError(
                f"{self.program.name} speaks GTP, which knows no positions but those played from the start, "
                "and no sequence of actions to this one was found"
            )
        self.send("clear_board")
        self.tell(start, path + played)
        return None

    def tell(self, start: State, path: list[int]) -> None:
        """Tells the program a sequence of actions."""
        state = start.copy()
        for action in path:
            name = state.action_text(action)
            try:
                self.send(f"play {COLOURS[state.player]} {to_vertex(self.game, name)}")
            except RefusedError:
                if name != "pass":  # some programs (GRhino) pass by themselves and want to hear nothing of it
                    raise
            state.apply(action)


def board_size(game: Game) -> int | None:
    """The edge of a square board, as `boardsize` names it; None for other boards."""
    rules = game.rules
    rows, cols = (getattr(rules, name, getattr(rules, "size", None)) for name in ("rows", "cols"))
    if isinstance(rules, TicTacToe):
        rows = cols = 3
    return rows if isinstance(rows, int) and rows == cols else None


def to_vertex(game: Game, name: str) -> str:
    """An action as GTP writes it."""
    if game.name in WITHOUT_I and re.fullmatch(r"[i-y]\d+", name):
        return chr(ord(name[0]) + 1) + name[1:]
    return name


def from_vertex(game: Game, vertex: str) -> str:
    """The action's name in the game."""
    name = vertex.strip().lower()
    if game.name not in WITHOUT_I or not re.fullmatch(r"[i-z]\d+", name):
        return vertex
    if name[0] == "i":
        raise BoardLabError(f'"{name}" is no vertex: after column h comes j')
    return chr(ord(name[0]) - 1) + name[1:]


def back_to(told: State | None, state: State) -> tuple[State, list[int]]:
    """The latest position of the state's own history that the program knows, and the actions since then.

    Where it knows none, the first of all.
    """
    actions = []
    at = state.copy()
    while at != told and at.actions_played:
        before = at.copy()
        before.undo()
        actions.append(next(action for action, child in before.children() if child == at))
        at = before
    return at, actions[::-1]


def path_between(start: State, goal: State, most: int) -> list[int] | None:
    """Actions that lead from one position to the other, `most` at the longest; None where none is found.

    First it is taken that stones stay as they are put, then that only their colours change; at last whatever
    comes first is looked at first.
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
    # Without recursion: each entry is a position with the actions still to be tried there.
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
