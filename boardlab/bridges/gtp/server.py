"""The commands of a GTP version 2 server."""

import dataclasses
import inspect
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import TextIO

import boardlab
from boardlab.bridges.gtp.clock import Clock
from boardlab.bridges.gtp.inbox import Inbox
from boardlab.bridges.gtp.thinking import Thinker
from boardlab.errors import BoardLabError, described, place_of, printable
from boardlab.games.game import Game, State
from boardlab.references.engines.gtp import board_size, from_vertex, to_vertex
from boardlab.search.agent import Agent, Decision
from boardlab.search.expression import agent as make_agent

PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}
OTHER_NAMES = {"othello": ("reversi",), "gobang": ("gomoku",), "connectfour": ("connect4",)}
"""Names of games in other programs."""
USUAL_INTERVAL = 100
"""Centiseconds between two reports of an analysis."""


class GtpServer:
    """A GTP server for one game; black is player 0.

    Method do_X answers command X, method tell_X streams the answer of lz-X.
    """

    def __init__(self, agent: Agent) -> None:
        self.clock = Clock()
        self.left_out: set[int] = set()
        """Numbers of actions played right after a forced pass that the controller left out."""
        self._use(agent)
        self.commands: dict[str, Callable[..., str]] = {
            name[3:]: getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")
        }
        self.streams: dict[str, Callable[..., Iterator[str]]] = {
            "lz-analyze": self.tell_analyze,
            "lz-genmove_analyze": self.tell_genmove_analyze,
        }
        self.inbox = Inbox(iter(()))

    def _use(self, agent: Agent) -> None:
        """Play with this agent from now on."""
        game = agent.game
        if game.players != 2 or game.has_chance or game.is_hidden:
            raise BoardLabError(
                f"gtp plays games of two players without chance and hidden cards, not {game!r}"
            )
        self.thinker = Thinker(agent)
        self.agent, self.game = agent, game
        self.state: State = game.initial_state()

    def serve(self, lines: TextIO | Iterator[str], out: TextIO) -> None:
        """Answer commands until `quit` or the end of the input."""
        self.inbox = Inbox(lines)
        for line in self.inbox:
            words = "".join(c for c in line.split("#")[0] if c in "\t\n" or c >= " ").split()
            if not words:
                continue
            number = words.pop(0) if _is_digits(words[0]) else ""
            name, *arguments = words or [""]
            mark = "="
            try:
                for part in self._answer(name, arguments):
                    print(
                        printable(f"{mark}{number} {part}".rstrip() if mark else part), file=out, flush=True
                    )
                    mark = ""
            except Exception as error:  # the agent may be user code; the controller must get an answer
                is_own = not isinstance(error, BoardLabError) or place_of(error)
                message = f"{self.agent.expression}: {described(error)}" if is_own else str(error)
                start = f"?{number} " if mark else "? "  # a stream may fail after it has begun
                print(printable(start + " ".join(message.split())), file=out, flush=True)
            print(file=out, flush=True)
            if name == "quit":
                return

    def _answer(self, name: str, arguments: list[str]) -> Iterator[str]:
        """Yield the answer, a stream in parts."""
        command = self.commands.get(name) or self.streams.get(name)
        if command is None:
            raise BoardLabError("unknown command")
        try:
            inspect.signature(command).bind(*arguments)
        except TypeError:
            raise BoardLabError("wrong number of arguments") from None
        answer = command(*arguments)
        return iter([answer]) if isinstance(answer, str) else answer

    def _turn_of(self, colour: str) -> State:
        """Return the position in which this colour moves, adding a forced pass."""
        player = _player(colour)
        state = self.state.copy()
        legal = state.legal_actions()
        if player != state.player and len(legal) == 1 and state.action_text(legal[0]) == "pass":
            state.apply(legal[0])
        if state.is_terminal:
            raise BoardLabError("the game is over")
        if player != state.player:
            raise BoardLabError(f"it is the turn of {'black' if state.player == 0 else 'white'}")
        return state

    def _play(self, state: State, action: int) -> None:
        """Play in the position that `_turn_of` returned."""
        if state.actions_played > self.state.actions_played:
            self.left_out.add(state.actions_played)
        state.apply(action)
        self.state = state

    # ---- about the program ----

    def do_protocol_version(self) -> str:
        """Return the version of GTP."""
        return "2"

    def do_name(self) -> str:
        """Return the engine's name."""
        return f"BoardLab {self.agent.expression}"

    def do_version(self) -> str:
        """Return the version of BoardLab."""
        return boardlab.__version__

    def do_known_command(self, command: str) -> str:
        """Return whether a command exists."""
        return "true" if command in self.commands or command in self.streams else "false"

    def do_list_commands(self) -> str:
        """List all commands."""
        return "\n".join(sorted([*self.commands, *self.streams]))

    def do_quit(self) -> str:
        """End the session."""
        return ""

    # ---- a new game ----

    def do_boardsize(self, size: str) -> str:
        """Change the size of the board, if the game has a square one and the agent can play it."""
        now = board_size(self.game)
        if not _is_whole(size) or now is None:
            raise BoardLabError(
                f"unacceptable size: {size}" + ("" if now else f"; {self.game.name} has no square board")
            )
        if int(size) != now:
            self._use(self._resized(int(size)))
        return self.do_clear_board()

    def _resized(self, size: int) -> Agent:
        known = {field.name for field in dataclasses.fields(self.game.rules)}
        sizes = {name: size for name in ("size", "rows", "cols") if name in known}
        if not sizes or self.agent.seed is None:
            raise BoardLabError(f"unacceptable size: {size}")
        try:
            game = Game(dataclasses.replace(self.game.rules, **sizes))
            return make_agent(self.agent.expression, game, self.agent.seed)
        except BoardLabError as error:  # no such board, or a run that was trained on another one
            raise BoardLabError(f"unacceptable size: {error}") from None

    def do_set_game(self, *name: str) -> str:
        """Accept the game's own name: some front ends ask for it."""
        known = (self.game.name, *OTHER_NAMES.get(self.game.name, ()))
        if "".join(name).lower() not in known:
            raise BoardLabError(f'unsupported game "{" ".join(name)}"; this is {self.game.name}')
        return ""

    def do_clear_board(self) -> str:
        """Start a new game."""
        self.state = self.game.initial_state()
        self.left_out.clear()
        self.clock.restart()
        self.thinker.reset()
        return ""

    def do_komi(self, komi: str) -> str:
        """Accept any number and ignore it."""
        _number("komi", komi)
        return ""

    # ---- time ----

    def do_time_settings(self, main: str, period: str, stones: str) -> str:
        """Set the clocks: main time, then periods of seconds for a number of stones."""
        self.clock.set(_number("main time", main), _number("byo-yomi time", period), _whole("stones", stones))
        return ""

    def do_time_left(self, colour: str, seconds: str, stones: str) -> str:
        """Set a player's remaining time."""
        self.clock.told(_player(colour), _number("time", seconds), _whole("stones", stones))
        return ""

    # ---- actions ----

    def do_play(self, colour: str, *vertex: str) -> str:
        """Play an action of either colour."""
        if not vertex:
            raise BoardLabError(f"play needs a colour and a vertex; only {colour} was given")
        where = " ".join(vertex)
        try:
            state = self._turn_of(colour)
        except BoardLabError as error:
            raise BoardLabError(f'"{where}" cannot be played: {error}') from None
        self._play(state, self._action(state, where))
        return ""

    def _action(self, state: State, vertex: str) -> int:
        """Return the legal action at a vertex; errors name vertices as GTP writes them."""
        name = from_vertex(self.game, vertex)
        try:
            return state.parse_action(name)
        except BoardLabError:
            legal = [to_vertex(self.game, name) for name in state.action_names().values()]
            some = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
            raise BoardLabError(f'"{vertex}" is not a legal vertex here; legal vertices: {some}') from None

    def do_genmove(self, colour: str) -> str:
        """Let the agent play."""
        state = self._turn_of(colour)
        start = time.monotonic()
        action = self.thinker.decide(state, self._seconds(state)).action
        self.clock.spend(state.player, time.monotonic() - start)
        answer = to_vertex(self.game, state.action_text(action))
        self._play(state, action)
        return answer

    def do_reg_genmove(self, colour: str) -> str:
        """Return what the agent would play."""
        state = self._turn_of(colour)
        decision = self.thinker.decide(state, self._seconds(state))
        return to_vertex(self.game, state.action_text(decision.action))

    def _seconds(self, state: State) -> float | None:
        known = state.moves_left if self.game.core.has_moves_left else None
        return self.clock.allotted(state.player, known)

    def do_undo(self) -> str:
        """Take the last action back."""
        if not self.state.actions_played:
            raise BoardLabError("cannot undo")
        self.state.undo()
        if (played := self.state.actions_played) in self.left_out:
            self.left_out.remove(played)
            self.state.undo()
        return ""

    # ---- analysis ----

    def tell_analyze(self, *words: str) -> Iterator[str]:
        """Tell what the agent thinks, again and again, until the next command.

        Takes a colour and the centiseconds between two reports, either of which may be left out.
        """
        colour, interval = _analysis(words)
        if self.state.is_terminal:
            raise BoardLabError("the game is over")
        state = self.state if colour is None else self._turn_of(colour)
        yield ""
        told = -1.0
        start = time.monotonic()
        for iterations, decision in self.thinker.slices(state):
            passed = (time.monotonic() - start) // interval
            if passed > told or self.inbox.waits():
                told = passed
                yield self._report(state, iterations, decision)
            if self.inbox.waits():
                return
        while not self.inbox.waits(3600.0):  # nothing is left to think about
            pass

    def tell_genmove_analyze(self, *words: str) -> Iterator[str]:
        """Let the agent play, and tell meanwhile what it thinks."""
        colour, interval = _analysis(words)
        state = self._turn_of(colour or ("w" if self.state.player == 1 else "b"))
        yield ""
        told = 0.0
        start = time.monotonic()
        for thought in self.thinker.within(state, self._seconds(state)):
            passed = (time.monotonic() - start) // interval
            if passed > told:
                told = passed
                yield self._report(state, *thought)
        iterations, decision = thought
        self.clock.spend(state.player, time.monotonic() - start)
        yield self._report(state, iterations, decision)
        answer = to_vertex(self.game, state.action_text(decision.action))
        self._play(state, decision.action)
        yield f"play {answer}"

    def _report(self, state: State, iterations: int, decision: Decision) -> str:
        """Write a decision as Leela Zero does: info move D4 visits 12 winrate 5100 ... pv D4 C3."""
        low, high = self.game.score_range
        policy = decision.policy or {decision.action: 1.0}
        ranked = sorted(policy, key=lambda a: (a == decision.action, policy[a]), reverse=True)
        parts = []
        for order, action in enumerate(a for a in ranked if policy[a] > 0):
            value = decision.values.get(action)
            line = decision.line if action == decision.action and decision.line else (action,)
            share = 0.5 if value is None else min(max((value - low) / (high - low), 0.0), 1.0)
            winrate = round(10_000 * share)
            prior = round(10_000 * policy[action])
            moves = " ".join(self._line(state, line))
            parts.append(
                f"info move {moves.split(' ')[0]} visits {round(iterations * policy[action])} "
                f"winrate {winrate} prior {prior} lcb {winrate} order {order} pv {moves}"
            )
        return " ".join(parts)

    def _line(self, state: State, actions: tuple[int, ...]) -> Iterator[str]:
        now = state.copy()
        for action in itertools.islice(actions, 20):
            yield to_vertex(self.game, now.action_text(action)).replace(" ", "-")
            now.apply(action)

    # ---- the position ----

    def do_showboard(self) -> str:
        """Return the board as text."""
        columns, *lines = self.game.rules.board_text(self.state).splitlines()
        columns = " ".join(to_vertex(self.game, f"{word}1")[:-1] for word in columns.split(" "))
        return "\n" + "\n".join(line or " " for line in (columns, *lines))

    def do_final_score(self) -> str:
        """Return the winner and the margin, in discs if the game counts them."""
        if not self.state.is_terminal:
            raise BoardLabError("the game is not over")
        outcome = self.state.outcome("discs" if "discs" in self.game.outcomes else "score")
        difference = float(outcome[0] - outcome[1])
        return "0" if difference == 0 else f"{'B' if difference > 0 else 'W'}+{abs(difference) / 2:g}"


def _player(colour: str) -> int:
    player = PLAYERS.get(colour.lower())
    if player is None:
        raise BoardLabError(f'the colour must be b or w, not "{colour}"')
    return player


def _number(what: str, text: str) -> float:
    try:
        if math.isfinite(number := float(text)):
            return number
    except ValueError:
        pass
    raise BoardLabError(f'{what} must be a number, not "{text}"')


def _whole(what: str, text: str) -> int:
    if not _is_whole(text):
        raise BoardLabError(f'{what} must be a whole number, not "{text}"')
    return int(text)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_whole(text: str) -> bool:
    """Return whether a text is a whole number of usual length."""
    return _is_digits(text) and len(text) < 10


def _analysis(words: tuple[str, ...]) -> tuple[str | None, float]:
    """Return the colour and the seconds of `lz-analyze [colour] [[interval] centiseconds]`."""
    colour, interval = None, USUAL_INTERVAL
    for word in words:
        if word.lower() in PLAYERS:
            colour = word
        elif _is_whole(word):
            interval = int(word)
        elif word.lower() != "interval":
            raise BoardLabError(
                f'unknown argument "{word}"; there are a colour and an interval in centiseconds'
            )
    return colour, max(interval, 1) / 100
