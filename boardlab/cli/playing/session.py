"""A session at the table: games, rematches and reviews, on whatever shows them."""

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from boardlab.cli.playing.mistakes import Review
from boardlab.cli.playing.table import Table
from boardlab.games.game import CHANCE, State
from boardlab.numbers import plain
from boardlab.search.agent import Agent, Decision
from boardlab.search.expression import agent as make_agent


class Front(Protocol):
    """What shows the game and asks people."""

    def begin(self, session: "Session") -> None:
        """Introduce the game, or the next one."""

    def said(self, text: str, style: str = "bold") -> None:
        """Report what happened: an action, a roll, a forced pass."""

    def tell(self, text: str) -> None:
        """Answer a person's request in a sentence."""

    def ask(self, fresh: bool) -> int | str:
        """Ask the person whose turn it is for an action or a word; `fresh`: the position is new."""

    def thinking(self, name: str) -> None:
        """Show that an agent is thinking."""

    def pause(self, seconds: float) -> bool:
        """Let people watch; return False if they want to stop."""

    def hand_over(self, name: str) -> None:
        """Wait until the other person sits at the keyboard."""

    def round_over(self, text: str) -> None:
        """Show the end of a round before the next deal."""

    def hint(self, decision: Decision, expression: str) -> None:
        """Show what an agent would play."""

    def help(self) -> None:
        """Show the words, the actions and the rules."""

    def review(self, review: Review) -> None:
        """Show the worst mistakes."""

    def end(self) -> str:
        """Show the end; return rematch, review, undo or quit."""


class Session:
    """People and agents at one table."""

    def __init__(
        self,
        table: Table,
        players: Sequence[Agent | None],
        front: Front,
        rng: random.Random,
        *,
        first: Callable[[int], State],
        hints: str,
        review: str,
        speed: float | None = None,
        keep: Callable[[Table], object] = lambda table: None,
    ) -> None:
        self.table, self.players, self.front, self.rng = table, players, front, rng
        self._first = first
        self.hints, self._review_by, self.speed, self.keep = hints, review, speed, keep
        self.people = {seat for seat, player in enumerate(players) if player is None}
        self.viewer = min(self.people, default=None)
        """The person who looks at the screen; None shows everything."""
        self._hinter: Agent | None = None

    @property
    def state(self) -> State:
        """The position on the table."""
        return self.table.state

    def seen(self) -> State:
        """Return the position without what is hidden from the person who looks."""
        return self.state if self.viewer is None else self.state.seen_by(self.viewer)

    def name(self, seat: int) -> str:
        """Return the name of a player of the game."""
        return self.state.game.rules.player_name(seat)

    def seat_words(self) -> str:
        """Write who plays what: "X: you, O: random"."""
        you = "you" if len(self.people) == 1 else "human"
        return ", ".join(
            f"{self.name(seat)}: {you if player is None else player.expression}"
            for seat, player in enumerate(self.players)
        )

    # ---- games ----

    def run(self) -> None:
        """Play games until people have had enough."""
        self.front.begin(self)
        while self._play():
            while (word := self.front.end()) == "review":
                everybody = set(range(len(self.players)))
                record = self.table.record(["" for _ in self.players])
                seed = self.rng.randrange(2**32)
                self.front.review(Review(record, self._review_by, self.people or everybody, seed))
            if word == "rematch":
                self.keep(self.table)
                self._set_up()
            elif word != "undo" or not self.table.undo(self.people):
                return

    def _set_up(self) -> None:
        """Start the next game of the same players."""
        self.table = Table(self._first(self.rng.randrange(2**32)))
        for player in filter(None, self.players):
            player.reset(self.rng.randrange(2**32))
        self.front.begin(self)

    def _play(self) -> bool:
        """Play until the end; return False if somebody quits."""
        state = self.state
        while not state.is_terminal:
            if state.round_over:
                self._end_round()
            self._draw_chance()
            if state.is_terminal or state.player == CHANCE:
                continue
            player = self.players[state.player]
            if player is not None:
                if not self._agent_acts(player):
                    return False
            elif self.table.is_forced:
                self.front.said(f"{self.name(state.player)} has to pass")
                self.table.apply(state.legal_actions()[0])
            elif not self._person_acts():
                return False
        return True

    def _end_round(self) -> None:
        scores = self.state.scores
        if self.viewer is not None:
            text = f"your score so far: {plain(scores[self.viewer], 6, sign=True)}"
        else:
            text = f"scores so far: {', '.join(plain(score, 6, sign=True) for score in scores)}"
        self.front.round_over(f"The round is over; {text}")

    def _draw_chance(self) -> None:
        """Draw chance events until somebody acts or a round ends."""
        state, events = self.state, []
        while state.player == CHANCE:
            outcome = state.sample_chance(self.rng.randrange(2**63))
            events.append(state.action_text(outcome))
            self.table.apply(outcome)
            if state.round_over:  # show the end of the round before the next deal
                break
        if events and not state.game.is_hidden:
            self.front.said(f"chance: {' '.join(events)}", "dim")

    def _agent_acts(self, agent: Agent) -> bool:
        state = self.state
        name = self.name(state.player)
        if self.speed and not self.front.pause(1 / self.speed):
            return False
        self.front.thinking(name)
        decision = agent.act(state)
        self.front.said(f"{name} plays {state.action_text(decision.action)}")
        self.table.apply(decision.action, decision.values.get(decision.action))
        return True

    def _person_acts(self) -> bool:
        """Ask until an action is played or taken back; return False if the person quits."""
        state, table = self.state, self.table
        if self.viewer != state.player:
            self.viewer = state.player
            if state.game.is_hidden:
                self.front.hand_over(self.name(state.player))
        fresh = True
        while True:
            request = self.front.ask(fresh)
            fresh = False
            if isinstance(request, int):
                table.apply(request)
                return True
            if request == "quit":
                return False
            if request == "undo":
                if table.undo(self.people):
                    return True
                self.front.tell("there is nothing to take back")
            elif request == "redo":
                if table.redo(self.people):
                    return True
                self.front.tell("there is nothing to play again")
            elif request == "hint":
                self._hint()
            else:
                self.front.help()

    def _hint(self) -> None:
        if self._hinter is None:
            self._hinter = make_agent(self.hints, self.state.game, seed=self.rng.randrange(2**32))
        self.front.thinking(self._hinter.expression)
        self.front.hint(self._hinter.act(self.state), self._hinter.expression)


def result_words(state: State, people: set[int]) -> str:
    """Write who has won, to the people at the table."""
    scores = state.scores
    if len(scores) == 1:
        return f"{'Your score' if people else 'Score'}: {plain(scores[0], 6)}"
    winners = [player for player, score in enumerate(scores) if score == max(scores)]
    if len(winners) == len(scores):
        return "Nobody wins."
    if len(people) == 1 and people <= set(winners):
        return "You win!"
    names = " and ".join(state.game.rules.player_name(winner) for winner in winners)
    return f"{names} {'win' if len(winners) > 1 else 'wins'}."
