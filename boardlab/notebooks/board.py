"""`boardlab.play`: a board to click in a notebook."""

import random
from functools import cache
from typing import Any

from boardlab.errors import BoardLabError, MissingPackageError, install, shown
from boardlab.games.game import CHANCE, Game, State, as_game, as_integer, as_seed
from boardlab.games.palette import stylesheet
from boardlab.notebooks.live import is_notebook
from boardlab.search.agent import Agent, AgentLike, Decision, as_agent
from boardlab.search.expression import agent as make_agent

UNDO, HINT, NEW, NEXT = "undo", "hint", "new game", "continue"
"""The words on the buttons below the board."""


def play(
    game: Game,
    against: AgentLike = "mcts(rollout, iterations=500)",
    *,
    seat: int = 0,
    seed: int | None = None,
) -> Any:
    """Show a board to play on, in a notebook with the extra `notebook`.

    Click where you want to play; the agent `against` plays the other seats and gives hints. `seat` is yours;
    seat 0 begins.
    """
    table = Table(game, against, seat=seat, seed=seed)
    if not is_notebook():
        raise BoardLabError(
            f"boardlab.play shows a board in a notebook; in a terminal: boardlab play {game.name}"
        )
    return _widget_class()(table)


class Table:
    """A game between a person and an agent, one click at a time."""

    def __init__(self, game: Game, against: AgentLike, *, seat: int = 0, seed: int | None = None) -> None:
        self.game = as_game(game)
        self.seat = as_integer("the seat", seat, 0, game.players - 1)
        opponent = as_agent(against)
        if not isinstance(opponent, (str, Agent)):
            raise BoardLabError(f"the opponent must be an agent or its expression, not {shown(against)}")
        seed = random.SystemRandom().randrange(2**32) if seed is None else as_seed(seed)
        self._rng = random.Random(seed)
        if isinstance(opponent, Agent):
            self.agent = opponent.twin(game, seed)
        else:
            self.agent = make_agent(opponent, game, seed=seed)
        self.hint: Decision | None = None
        self.note = ""
        self.restart()

    def restart(self) -> None:
        """Start a new game."""
        self.state = self.game.initial_state(self._rng.randrange(2**32))
        self.hint, self.note = None, ""
        self._waits = False
        self._go_on()

    def click(self, action: Any) -> None:
        """Play the person's action, if it is legal, and what follows it."""
        legal = self.state.legal_actions() if self.state.player == self.seat else []
        if isinstance(action, bool) or not isinstance(action, int) or action not in legal:
            return  # a click on an old picture
        self.state.apply(action)
        self.hint, self.note = None, ""

    def press(self, word: str) -> None:
        """Do what a button below the board says."""
        if word == NEW:
            self.restart()
        elif word == HINT and self.state.player == self.seat:
            self.hint = self.agent.act(self.state)
            self.note = f"the agent would play {self.state.action_text(self.hint.action)}"
        elif word == UNDO:
            self._take_back()
        elif word == NEXT and self._waits:
            self._waits = False
            self._deal()

    def answer(self) -> None:
        """Play until the person has to choose: the agent's actions, dice and cards."""
        self._go_on()

    def words(self) -> list[str]:
        """Return what the buttons below the board say now."""
        if self._waits:
            return [NEXT, NEW]
        return [UNDO, HINT, NEW] if self.state.player == self.seat else [UNDO, NEW]

    def picture(self) -> str:
        """Draw what the person sees."""
        seen = self.state.seen_by(self.seat)
        return seen.to_svg(self.hint, legal=self.hint is None, theme="page")

    def _go_on(self) -> None:
        said = []
        while not self.state.is_terminal and self.state.player != self.seat and not self._waits:
            if self.state.player == CHANCE:
                if self.state.round_over:  # the person looks at the end of the round first
                    self._waits = True
                    break
                self._deal()
                continue
            name = self.game.rules.player_name(self.state.player)
            action = self.agent.act(self.state).action
            said.append(f"{name} plays {self.state.action_text(action)}")
            self.state.apply(action)
        if said:
            self.note = ", ".join(said[-4:])

    def _deal(self) -> None:
        self.state.apply(self.state.sample_chance(self._rng.randrange(2**63)))

    def _take_back(self) -> None:
        """Go back to the person's previous choice, if there was one."""
        earlier = self.state.copy()
        while earlier.actions_played:
            earlier.undo()
            if earlier.player == self.seat:
                self.state = earlier
                self.hint, self.note, self._waits = None, "", False
                return
        self.note = "there is nothing to take back"


# ---- the widget ----

SCRIPT = """
function render({ model, el }) {
  el.classList.add("boardlab-play");
  const board = document.createElement("div");
  const words = document.createElement("div");
  const note = document.createElement("div");
  note.setAttribute("aria-live", "polite");
  el.append(board, words, note);
  const play = target => {
    const place = target.closest("[data-action]");
    if (place) model.send({ action: Number(place.dataset.action) });
  };
  board.addEventListener("click", event => play(event.target));
  board.addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(event.target); }
  });
  const draw = () => {
    board.innerHTML = model.get("picture");
    for (const place of board.querySelectorAll("[data-action]")) {
      place.setAttribute("tabindex", "0");
      place.setAttribute("role", "button");
    }
    words.replaceChildren(...model.get("words").map(word => {
      const button = document.createElement("button");
      button.textContent = word;
      button.addEventListener("click", () => model.send({ word }));
      return button;
    }));
    note.textContent = model.get("note");
  };
  for (const name of ["picture", "words", "note"]) model.on(`change:${name}`, draw);
  draw();
}
export default { render };
"""
STYLE = """
.boardlab-play > div { margin: 4px 0; }
.boardlab-play svg { max-width: 100%; height: auto; }
.boardlab-play [data-action] { cursor: pointer; }
.boardlab-play [data-action]:focus { outline: 2px solid #4a90d9; }
.boardlab-play button { margin-right: 6px; }
"""


@cache
def _widget_class() -> Any:
    """Return the class of the widget; anywidget is an extra."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingPackageError(f"a board to click needs anywidget: {install('notebook')}") from None

    class Board(anywidget.AnyWidget):  # type: ignore[misc]
        """A board to play on."""

        _esm = SCRIPT
        _css = STYLE + stylesheet()
        picture = traitlets.Unicode("").tag(sync=True)
        words = traitlets.List([]).tag(sync=True)
        note = traitlets.Unicode("").tag(sync=True)

        def __init__(self, table: Table) -> None:
            super().__init__()
            self.table = table
            self.on_msg(self._hear)
            self._show()

        @property
        def state(self) -> State:
            """The position on the board."""
            return self.table.state

        def _hear(self, widget: object, message: object, buffers: object) -> None:
            """Handle a click; whatever else a page may send is ignored."""
            if not isinstance(message, dict):
                return
            if "action" in message:
                self.table.click(message["action"])
            elif isinstance(message.get("word"), str):
                self.table.press(message["word"])
            self._show("thinking ...")
            try:
                self.table.answer()
            except Exception as error:
                self.table.note = f"the agent failed: {error}"
            self._show()

        def _show(self, note: str | None = None) -> None:
            self.picture, self.words = self.table.picture(), self.table.words()
            self.note = self.table.note if note is None else note

    return Board
