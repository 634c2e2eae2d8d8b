"""`boardlab gtp`: offer an agent as a GTP engine to other programs."""

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, TextIO

import typer

import boardlab
from boardlab.cli.common import agent_from, game_from
from boardlab.cli.completion import GameOption, complete_agent
from boardlab.errors import BoardLabError, described, place_of, printable
from boardlab.games.game import Game, State
from boardlab.references.engines.gtp import board_size, from_vertex, to_vertex
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}


def gtp(
    context: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            help='An agent, as in "mcts(rollout, iterations=1000)".', autocompletion=complete_agent
        ),
    ],
    game: GameOption = "othello",
    seed: Annotated[int, typer.Option(help="Random seed of the agent.")] = 0,
) -> None:
    """Play through the Go Text Protocol (GTP)."""
    server = GtpServer(make_agent(agent_from(agent), game_from(game, context), seed))
    server.serve(sys.stdin, sys.stdout)


class GtpServer:
    """A GTP version 2 server for one game; black is player 0.

    Method do_X answers command X.
    """

    def __init__(self, agent: Agent) -> None:
        game = agent.game
        if game.players != 2 or game.has_chance or game.is_hidden:
            raise BoardLabError(
                f"gtp plays games of two players without chance and hidden cards, not {game!r}"
            )
        self.agent = agent
        self.game: Game = game
        self.state: State = game.initial_state()
        self.left_out: set[int] = set()
        """Numbers of actions played right after a forced pass that the controller left out."""
        self.commands: dict[str, Callable[..., str]] = {
            name[3:]: getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")
        }

    def serve(self, lines: TextIO | Iterator[str], out: TextIO) -> None:
        """Answer commands until `quit` or the end of the input."""
        for line in lines:
            words = "".join(c for c in line.split("#")[0] if c in "\t\n" or c >= " ").split()
            if not words:
                continue
            number = words.pop(0) if words[0].isdigit() else ""
            name, *arguments = words or [""]
            mark, answer = "=", ""
            try:
                answer = self._answer(name, arguments)
            except Exception as error:  # the agent may be user code; the controller must get an answer
                is_own = not isinstance(error, BoardLabError) or place_of(error)
                message = f"{self.agent.expression}: {described(error)}" if is_own else str(error)
                mark, answer = "?", " ".join(message.split())
            print(printable(f"{mark}{number} {answer}".rstrip()) + "\n", file=out, flush=True)
            if name == "quit":
                return

    def _answer(self, name: str, arguments: list[str]) -> str:
        if name not in self.commands:
            raise BoardLabError("unknown command")
        try:
            inspect.signature(self.commands[name]).bind(*arguments)
        except TypeError:
            raise BoardLabError("wrong number of arguments") from None
        return self.commands[name](*arguments)

    def _turn_of(self, colour: str) -> State:
        """Return the position in which this colour moves, adding a forced pass."""
        player = PLAYERS.get(colour.lower())
        if player is None:
            raise BoardLabError("the colour must be b or w")
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
        return "true" if command in self.commands else "false"

    def do_list_commands(self) -> str:
        """List all commands."""
        return "\n".join(self.commands)

    def do_quit(self) -> str:
        """End the session."""
        return ""

    def do_boardsize(self, size: str) -> str:
        """Accept only the board size of the game."""
        if size != str(board_size(self.game)):
            raise BoardLabError("unacceptable size")
        return self.do_clear_board()

    def do_clear_board(self) -> str:
        """Start a new game."""
        self.state = self.game.initial_state()
        self.left_out.clear()
        self.agent.reset()
        return ""

    def do_komi(self, komi: str) -> str:
        """Accept any number and ignore it."""
        try:
            float(komi)
        except ValueError:
            raise BoardLabError("komi must be a number") from None
        return ""

    def do_play(self, colour: str, *vertex: str) -> str:
        """Play an action of either colour."""
        state = self._turn_of(colour)
        self._play(state, self._action(state, " ".join(vertex)))
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
        action = self.agent.act(state).action
        answer = to_vertex(self.game, state.action_text(action))
        self._play(state, action)
        return answer

    def do_reg_genmove(self, colour: str) -> str:
        """Return what the agent would play."""
        state = self._turn_of(colour)
        return to_vertex(self.game, state.action_text(self.agent.act(state).action))

    def do_undo(self) -> str:
        """Take the last action back."""
        if not self.state.actions_played:
            raise BoardLabError("cannot undo")
        self.state.undo()
        if (played := self.state.actions_played) in self.left_out:
            self.left_out.remove(played)
            self.state.undo()
        return ""

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
