"""The human player: asks somebody for an action. Who and how is up to the caller (terminal, browser)."""

from collections.abc import Callable

from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.search.agent import Agent, python_agent


class Human:
    """Turns a function that asks for text into an agent; asks again until the action is legal."""

    def __init__(self, ask: Callable[[State], str], tell: Callable[[str], None]) -> None:
        self.ask, self.tell = ask, tell

    def choose(self, state: State) -> int:
        """The action the person wants."""
        while True:
            try:
                return state.parse_action(self.ask(state))
            except BoardLabError as error:
                self.tell(str(error))

    def agent(self, game: Game) -> Agent:
        """The person as an agent."""
        return python_agent(game, self.choose, "human")


def terminal_human(game: Game) -> Agent:
    """A person at the terminal, asked by `input`."""

    def ask(state: State) -> str:
        print(
            game.rules.board_text(state)
        )  # the one place below the command line that talks: it is what this agent is
        try:
            return input(f"{game.rules.player_name(state.player)} plays: ")
        except (EOFError, RuntimeError):  # the input ended, or was closed from the first
            raise KeyboardInterrupt from None  # nobody is there any more: stop, do not lose the game
        except UnicodeDecodeError as error:  # a mistyped key, not the loss of the game
            raise BoardLabError(f"what was typed is not text in {error.encoding}; type an action") from None

    return Human(ask, print).agent(game)
