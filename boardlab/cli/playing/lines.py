"""The game as lines of text: for pipes, screen readers, and terminals without colour."""

import time

from rich.markdown import Markdown

from boardlab.cli.common import board, console
from boardlab.cli.inspect import opinion
from boardlab.cli.playing.mistakes import Review
from boardlab.cli.playing.rulebook import rules_page
from boardlab.cli.playing.session import Session, result_words
from boardlab.errors import BoardLabError
from boardlab.search.agent import Decision

FEW = 12
"""At most so many legal actions are listed under the board."""


class Lines:
    """Prints the board and asks for a line; nothing is redrawn."""

    session: Session

    def begin(self, session: Session) -> None:
        """Say which game it is, who plays it, and what can be typed."""
        self.session = session
        game = session.state.game
        console.print(f"{game.name}: {game.rules.variant_summary()}.", style="bold", markup=False)
        who = session.seat_words()
        if len(session.people) == 1:
            who = f"You are {session.name(min(session.people))}"
        console.print(f"{who}{f'. {session.table.words()}' if session.people else ''}.\n", markup=False)

    def said(self, text: str, style: str = "bold") -> None:
        """Print what happened."""
        console.print(text + ("\n" if style == "bold" else ""), style=style, markup=False)

    def tell(self, text: str) -> None:
        """Print the answer."""
        console.print(text, markup=False)

    def ask(self, fresh: bool) -> int | str:
        """Print the board and read lines until one makes sense."""
        session = self.session
        if fresh:
            console.print(board(session.seen()))
            names = list(session.state.action_names().values())
            if len(names) <= FEW:
                console.print(f"you may play: {', '.join(names)}", style="dim", markup=False)
        while True:
            answer = input(f"{session.name(session.state.player)}: ").strip()
            try:
                return session.table.read(answer) if answer else "help"
            except BoardLabError as error:
                console.print(str(error), style="red", markup=False)

    def thinking(self, name: str) -> None:
        """Say nothing; the answer will follow."""

    def pause(self, seconds: float) -> bool:
        """Print the board and wait."""
        console.print(board(self.session.seen()))
        time.sleep(seconds)
        return True

    def hand_over(self, name: str) -> None:
        """Wait for Enter, then push the other one's cards out of sight."""
        input(f"{name}'s turn; press Enter when {name} sits at the keyboard: ")
        console.print("\n" * (console.height if console.is_terminal else 0))

    def round_over(self, text: str) -> None:
        """Print the table at the end of a round."""
        console.print(board(self.session.seen()))
        console.print(f"{text}\n", style="bold", markup=False)

    def hint(self, decision: Decision, expression: str) -> None:
        """Print the choice and the opinion behind it."""
        state = self.session.state
        console.print(f"{expression} plays {state.action_text(decision.action)}", markup=False)
        if decision.values or any(decision.policy.values()):
            console.print(opinion(decision, state.action_names(), most=6))

    def help(self) -> None:
        """Print words, notation, legal actions and the rules."""
        game = self.session.state.game
        names = ", ".join(self.session.state.action_names().values())
        lines = filter(None, (self.session.table.words(), game.rules.notation, names))
        console.print("\n".join(lines), markup=False)
        console.print(Markdown(rules_page(game)))

    def review(self, review: Review) -> None:
        """Print the worst mistakes."""
        for _ in review:
            pass
        console.print(review.summary(), style="bold", markup=False)
        for mistake in review.mistakes:
            console.print(str(mistake), markup=False)

    def end(self) -> str:
        """Print the result; people may go on."""
        session = self.session
        console.print(board(session.seen()))
        console.print(result_words(session.state, session.people), style="bold", markup=False)
        words = {"r": "rematch", "v": "review", "u": "undo", "q": "quit", "exit": "quit", "": "quit"}
        while session.people:
            try:
                answer = input("rematch (r), review (v), undo (u) or quit (q): ").strip().lower()
            except EOFError:
                console.print()
                break
            if words.get(answer, answer) in words.values():
                return words.get(answer, answer)
            console.print(f'"{answer}" is none of these words', style="red", markup=False)
        return "quit"

    def close(self) -> None:
        """Leave the screen as it is."""
