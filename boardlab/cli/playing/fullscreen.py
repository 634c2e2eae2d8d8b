"""The game on the whole terminal window: a board with a cursor, redrawn in place."""

import contextlib
import textwrap
import time
from collections.abc import Sequence

from rich.markdown import Markdown
from rich.text import Text

from boardlab.cli.common import board, console
from boardlab.cli.inspect import opinion
from boardlab.cli.playing import keys
from boardlab.cli.playing.cursor import Cursor
from boardlab.cli.playing.mistakes import Mistake, Review
from boardlab.cli.playing.rulebook import rules_page
from boardlab.cli.playing.screen import as_lines, redraw, second_screen, size
from boardlab.cli.playing.session import Session, result_words
from boardlab.cli.playing.table import DIRECTIONS
from boardlab.cli.playing.view import Marks, draw, window, wrapped
from boardlab.errors import BoardLabError
from boardlab.games.game import State
from boardlab.games.history import Event, recent_events
from boardlab.search.agent import Decision

ARROWS = (keys.UP, keys.DOWN, keys.LEFT, keys.RIGHT)
LOGGED = 4
"""Events shown below the board."""
FASTEST, SLOWEST = 64.0, 1 / 16


class FullScreen:
    """Redraws the board in place and reads single keys."""

    session: Session

    def __init__(self) -> None:
        self._cursor = Cursor()
        self._log: list[tuple[str, str]] = []
        self._notes: list[Text] = []
        self._hint: int | None = None
        self._choice: list[int] = []
        self._typed = ""
        self._open = contextlib.ExitStack()
        self._keyboard = keys.Keyboard()
        self._is_paused = False

    # ---- what the session says ----

    def begin(self, session: Session) -> None:
        """Open the window, or clear it for the next game."""
        is_first = not hasattr(self, "session")
        self.session = session
        self._cursor, self._log, self._typed = Cursor(), [], ""
        self._clear()
        if is_first:
            self._open.enter_context(self._keyboard.listening())
            self._open.enter_context(second_screen())

    def close(self) -> None:
        """Give the terminal back, and leave the last position on it."""
        is_open = hasattr(self, "session")
        self._open.close()
        with contextlib.suppress(OSError):  # the terminal may be closed
            if is_open:
                self._print_position()

    def _print_position(self) -> None:
        console.print(board(self.session.seen()))
        if self.session.state.is_terminal:
            words = result_words(self.session.state, self.session.people)
            console.print(words, style="bold", markup=False)

    def _clear(self) -> None:
        self._notes, self._hint, self._choice = [], None, []

    def said(self, text: str, style: str = "bold") -> None:
        """Add a line to what happened since the person's last action."""
        self._log = [*self._log, (text, style)][-LOGGED:]

    def tell(self, text: str) -> None:
        """Show a sentence below the board."""
        self._notes, self._hint = [Text(text, style="yellow")], None

    def thinking(self, name: str) -> None:
        """Show who is thinking."""
        self._draw(Text(f"{name} is thinking ...", style="dim italic"), "Ctrl-C saves the game and stops")

    def hint(self, decision: Decision, expression: str) -> None:
        """Mark the choice on the board and show the opinion behind it."""
        state = self.session.state
        self._hint = decision.action
        self._notes = [Text(f"{expression} plays {state.action_text(decision.action)}", style="bold cyan")]
        if decision.values or any(decision.policy.values()):
            self._notes += as_lines(opinion(decision, state.action_names(), most=4), size()[0] - 2)

    def help(self) -> None:
        """Show the keys, the words, the actions and the rules."""
        session = self.session
        rules = session.state.game.rules
        names = ", ".join(session.state.action_names().values())
        paragraphs: list[str | Markdown] = [
            "Arrow keys or w a s d play."
            if session.table.has_directions
            else "Arrow keys move the cursor, Tab goes to the next legal place, Enter plays there. "
            "Or type an action and press Enter.",
            f"Words to type: {session.table.words()}. Ctrl-Z takes an action back, too.",
            Markdown(rules_page(session.state.game)),
            rules.notation and f"Actions: {rules.notation}.",
            f"Legal now: {names}.",
        ]
        self._page(paragraphs)

    # ---- a person's turn ----

    def ask(self, fresh: bool) -> int | str:
        """Read keys until they make an action or a word."""
        session = self.session
        if fresh:
            self._clear()
        while True:
            state = session.state
            legal = state.legal_actions()
            if not session.table.has_directions:
                self._cursor.meet(session.seen(), legal, self._choice)
            self._draw(self._prompt(), self._keys_line(), legal)
            request = self._key(self._keyboard.read())
            if request is not None:
                if isinstance(request, int) or request in ("undo", "redo"):
                    self._log = []
                    self._clear()
                self._typed = ""
                return request

    def _prompt(self) -> Text:
        name = self.session.name(self.session.state.player)
        return Text.assemble((f"{name}: ", "bold"), self._typed, ("_", "bold"))

    def _keys_line(self) -> str:
        if self._choice:
            return "arrows, Enter: choose one of these actions  Esc: go back"
        plays = (
            "arrows or w a s d: play  ?: rules"
            if self.session.table.has_directions
            else "arrows, Enter: play  Tab: next legal  ?: rules"
        )
        words = (
            "hint, undo, redo, quit"
            if self.session.table.has_directions
            else "an action, hint, undo, redo, quit"
        )
        return f"{plays}  or type: {words}"

    def _key(self, key: str | None) -> int | str | None:
        """Handle a key; return the action or word that it completes."""
        if key == keys.END_OF_INPUT:
            return "quit"
        if key == keys.UNDO:
            return "undo"
        if key == "?" and not self._typed:
            return "help"
        if key == keys.ENTER:
            return self._enter()
        if key == keys.ESCAPE:
            self._typed = ""
            self._clear()
        elif key == keys.BACKSPACE:
            self._typed = self._typed[:-1]
        elif key is not None and self._is_direction(key):
            return self._read(DIRECTIONS.get(key, key))
        elif key in ARROWS:
            self._cursor.move(key)
        elif key in (keys.TAB, keys.BACKTAB):
            self._cursor.next_legal(1 if key == keys.TAB else -1)
        elif key is not None and len(key) == 1 and len(self._typed) < 100:
            self._typed += key
        return None

    def _is_direction(self, key: str) -> bool:
        return self.session.table.has_directions and not self._typed and key in (*ARROWS, *"wasd")

    def _enter(self) -> int | str | None:
        if self._typed:
            typed, self._typed = self._typed, ""
            return self._read(typed)
        chosen = self._cursor.chosen()
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            self._choice = chosen
            self._cursor.button = None
        elif not self.session.table.has_directions:
            self.tell("no action is legal there; Tab goes to the next place where one is")
        return None

    def _read(self, typed: str) -> int | str | None:
        try:
            return self.session.table.read(typed)
        except BoardLabError as error:
            self._notes, self._hint = [Text(str(error), style="red")], None
            return None

    # ---- pauses ----

    def pause(self, seconds: float) -> bool:
        """Show the position for a while; keys change the speed."""
        end = time.monotonic() + seconds
        while self._is_paused or time.monotonic() < end:
            speed = self.session.speed or 1.0
            said = "paused" if self._is_paused else f"{speed:g} actions a second"
            line = "space: pause  Enter: next action  + -: speed  ?: rules  q: quit"
            self._draw(Text(said, style="dim"), line)
            key = self._keyboard.read(None if self._is_paused else max(end - time.monotonic(), 0))
            if key in ("q", keys.END_OF_INPUT):
                return False
            if key == " ":
                self._is_paused = not self._is_paused
            elif key == "?":
                self._page([Markdown(rules_page(self.session.state.game))])
            elif key in (keys.ENTER, keys.RIGHT):
                return True
            elif key in ("+", "-"):
                self.session.speed = min(max(speed * (2 if key == "+" else 0.5), SLOWEST), FASTEST)
                end = time.monotonic() + 1 / self.session.speed
        return True

    def hand_over(self, name: str) -> None:
        """Show nothing until the other person is there."""
        words = Text(f"It is {name}'s turn. Press Enter when {name} sits at the keyboard.")
        while True:
            redraw(wrapped([words.copy()], size()[0], console))
            self._quit_at(key := self._keyboard.read())
            if key == keys.ENTER:
                return

    def round_over(self, text: str) -> None:
        """Show the end of the round until Enter is pressed."""
        self.said(text)
        if not self.session.people:
            self._draw(Text(), "")
            return
        while True:
            self._draw(Text("The next round follows.", style="dim"), "Enter: go on  Ctrl-D: quit")
            self._quit_at(key := self._keyboard.read())
            if key == keys.ENTER:
                break
        self._log = []

    def _quit_at(self, key: str | None) -> None:
        if key == keys.END_OF_INPUT:
            raise EOFError

    # ---- the end ----

    def end(self) -> str:
        """Show the result and what can be done now."""
        session = self.session
        result = result_words(session.state, session.people)
        words = {"r": "rematch", "v": "review", "q": "quit", keys.END_OF_INPUT: "quit"}
        if session.people:
            words |= {"u": "undo", keys.UNDO: "undo"}
        line = f"r: rematch  v: review{'  u: undo' if session.people else ''}  ?: rules  q: quit"
        while True:
            self._draw(Text(result, style="bold green"), line)
            key = self._keyboard.read()
            if key in words:
                self._log = [] if words[key] == "undo" else self._log
                return words[key]
            if key == "?":
                self._page([Markdown(rules_page(session.state.game))])

    def review(self, review: Review) -> None:
        """Show the positions of the worst mistakes, one at a time."""
        for done in review:
            said = Text(f"reviewing decision {done + 1} of {len(review.places)} ...", style="dim italic")
            self._draw(said, "q: stop the review here")
            if self._keyboard.read(0) in ("q", keys.ESCAPE, keys.END_OF_INPUT):
                break
        mistakes, number = review.mistakes, 0
        self._clear()
        while True:
            self._notes = [Text(review.summary(), style="bold")]
            if mistakes:
                self._draw_mistake(mistakes, number)
            else:
                self._draw(Text("No mistake found."), "q: back")
            key = self._keyboard.read()
            if key in ("q", keys.ESCAPE, keys.ENTER, keys.END_OF_INPUT):
                break
            if mistakes and key in (keys.LEFT, keys.RIGHT, keys.UP, keys.DOWN):
                number = (number + (1 if key in (keys.RIGHT, keys.DOWN) else -1)) % len(mistakes)
        self._clear()

    def _draw_mistake(self, mistakes: Sequence[Mistake], number: int) -> None:
        mistake = mistakes[number]
        state = mistake.state
        self._notes += [
            Text(f"{i + 1}. {one}", style="bold yellow" if i == number else "")
            for i, one in enumerate(mistakes)
        ]
        seen = state.seen_by(mistake.opinion.player)
        marks = Marks(recent_events(state), state.legal_actions(), hint=mistake.opinion.decision.action)
        self._frame(seen, marks, Text(), "left, right: other mistakes  q: back")

    # ---- drawing ----

    def _draw(self, prompt: Text, keys_line: str, legal: Sequence[int] = ()) -> None:
        state = self.session.state
        is_aiming = bool(legal) and not self.session.table.has_directions
        is_on_board = self._cursor.button is None or bool(self._choice)
        cursor = self._cursor.cell if is_aiming and is_on_board else None
        events: list[Event] = [] if state.game.is_hidden else recent_events(state)
        self._frame(
            self.session.seen(), Marks(events, legal, self._hint, cursor), prompt, keys_line, bool(legal)
        )

    def _frame(
        self, seen: State, marks: Marks, prompt: Text, keys_line: str, has_buttons: bool = False
    ) -> None:
        """Fit title, board, words, buttons, events, notes, prompt and keys into the window."""
        width, height = size()
        title = Text.assemble((seen.game.name, "bold"), (f"  {self.session.seat_words()}", "dim"))
        view = draw(seen, marks)
        head = wrapped([title], width, console)
        bottom = [*wrapped([prompt], width, console), *_keys_lines(keys_line, width)]
        rest = wrapped(view.words, width, console)
        if has_buttons and not self.session.table.has_directions:
            rest += self._cursor.button_lines(width)
        rest += wrapped([Text(text, style=style) for text, style in self._log], width, console)
        rest += wrapped([note.copy() for note in self._notes], width, console)
        room = max(height - len(head) - len(bottom), 2)
        if len(view.board) + len(rest) + 2 <= room:  # blank lines where there is room for them
            head, rest, room = [*head, Text()], [*rest, Text()], room - 1
        rest = rest[: max(room - len(view.board), min(len(rest), room // 2))]
        shown = window(view.board, view.focus, width, max(room - len(rest), 1)) if view.board else []
        redraw([*head, *shown, *rest, *bottom])

    def _page(self, paragraphs: Sequence[str | Markdown]) -> None:
        """Show a text that may be longer than the window."""
        top = 0
        while True:
            width, height = size()
            lines: list[Text] = []
            for paragraph in paragraphs:
                if paragraph == "":
                    continue
                lines += as_lines(Text(paragraph) if isinstance(paragraph, str) else paragraph, width - 1)
                lines.append(Text())
            room = height - 1
            top = max(0, min(top, len(lines) - room))
            seen = f"{min(top + room, len(lines))} of {len(lines)} lines"
            line = Text(f"{seen}  arrows, space: more  q: back", style="dim")
            redraw([*lines[top : top + room], *([Text()] * (room - len(lines))), line])
            key = self._keyboard.read()
            if key in ("q", "?", keys.ESCAPE, keys.ENTER, keys.END_OF_INPUT):
                return
            steps = {keys.UP: -1, keys.DOWN: 1, " ": room - 1, keys.PAGE_DOWN: room - 1}
            top += (steps | {keys.PAGE_UP: 1 - room, "b": 1 - room}).get(key or "", 0)


def _keys_lines(line: str, width: int) -> list[Text]:
    """Break the line of keys between keys, not inside "u: undo"."""
    lines: list[str] = []
    for part in line.split("  "):
        if lines and len(lines[-1]) + 2 + len(part) <= width:
            lines[-1] += f"  {part}"
        else:
            lines += textwrap.wrap(part, width)
    return [Text(text, style="dim") for text in lines]
