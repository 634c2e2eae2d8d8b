"""The human player."""

from collections.abc import Callable

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.search.agent import Agent, python_agent


class Human:
    """A person as an agent: asks for input until it names a legal action.

    The caller provides the functions that ask and that report mistakes (in a terminal, in a browser).
    """

    def __init__(self, ask: Callable[[State], str], tell: Callable[[str], None]) -> None:
        self.ask, self.tell = ask, tell

    def choose(self, state: State) -> int:
        """Return the action that the person chose."""
        while True:
            try:
                return state.parse_action(self.ask(state))
            except BoardLabError as error:
                self.tell(str(error))

    def agent(self, game: Game) -> Agent:
        """Return the person as an agent."""
        return python_agent(game, self.choose, "human")


def terminal_human(game: Game) -> Agent:
    """Return a person at the terminal, asked with `input`."""

    def ask(state: State) -> str:
        # The only print outside boardlab.cli: this agent plays in the terminal.
        print(game.rules.board_text(state))
        try:
            return input(f"{game.rules.player_name(state.player)} plays: ")
        except (EOFError, RuntimeError):  # stdin ended or was closed from the start
            raise KeyboardInterrupt from None  # no more input: stop and keep the game
        except UnicodeDecodeError as error:  # a mistyped key must not lose the game
            raise BoardLabError(f"the input is not valid {error.encoding} text; type an action") from None

    return Human(ask, print).agent(game)
