"""A table: a game between people and agents, which lives on the server.

Every action is in the database before anybody sees it. A message carries only what its receiver may see: with
hidden cards the picture is drawn from `state.seen_by(player)`, and cards that are dealt have no names.
"""

import asyncio
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, described
from boardlab.games.game import CHANCE, State
from boardlab.search.agent import Decision
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.hub import Topic
from boardlab.web.people import Person
from boardlab.web.pool import StopWorkError
from boardlab.web.tables.seats import AGENT, LONGEST_NAME, OPEN, PERSON, Seat, read_seat
from boardlab.web.tables.stored import StoredTable, Tables, again
from boardlab.web.tables.view import readable_log, table_state

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

HINTS = "mcts(rollout, seconds=1)"
"""The agent that gives hints."""
SOON_SECONDS = 0.04
"""A page hears of a person's action after this time, or at once together with the agent's answer."""
SLOW_SECONDS = 0.15
"""A page hears that an agent thinks if it takes longer than this."""
DELAYS = (0.0, 30.0)
"""Seconds between the actions of agents that play each other."""
PASS = "pass"
ROUND_SECONDS = 2.0
"""How long agents among themselves show the end of a round."""


class Table(Topic):
    """A game that pages watch."""

    looking = frozenset({"look", "log", "actions"})

    def __init__(self, arena: "Arena", tables: Tables, stored: StoredTable) -> None:
        super().__init__(arena, f"table:{stored.id}")
        self.tables, self.stored = tables, stored
        self.id, self.game = stored.id, stored.game
        self.seats: list[Seat] = list(stored.seats)
        self.options: dict[str, Any] = dict(stored.options)
        self.actions: list[int] = list(stored.actions)
        self.values: list[float | None] = list(stored.values) or [None] * len(self.actions)
        self.names: list[tuple[int, str]] = []
        """Who acted, CHANCE for nature, and the action as players write it; of all actions."""
        self.problem = ""
        self.thinker: int | None = None
        """The seat whose agent has been thinking for a while."""
        self._steps = 0
        self._continued = -1
        """How many actions were on the board when somebody went on to the next round."""
        self._task: asyncio.Task[None] | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._pictures: dict[Any, str] = {}
        self._rng = random.SystemRandom()
        self.state_now = stored.start.copy()
        for action in self.actions:
            self._name(action)
            self.state_now.apply(action)
        while self.state_now.actions_played > stored.cursor:
            self.state_now.undo()

    # ---- the position ----

    @property
    def cursor(self) -> int:
        """How many actions are on the board."""
        return self.state_now.actions_played

    @property
    def resigned(self) -> int | None:
        """The seat that has given up."""
        seat = self.options.get("resigned")
        return seat if isinstance(seat, int) else None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or by resigning."""
        return self.state_now.is_terminal or self.resigned is not None

    @property
    def people(self) -> set[int]:
        """The seats of people."""
        return {number for number, seat in enumerate(self.seats) if seat.kind == PERSON}

    def own_seats(self, person: Person) -> list[int]:
        """Return the seats of this person."""
        return [n for n, seat in enumerate(self.seats) if seat.kind == PERSON and seat.person == person.id]

    def _is_choice(self, state: State) -> bool:
        return state.player in self.people and list(state.action_names().values()) != [PASS]

    def _name(self, action: int) -> None:
        state = self.state_now
        self.names[state.actions_played :] = [(state.player, state.action_text(action))]

    def _apply(self, action: int, value: float | None = None) -> None:
        """Play an action; it is in the database when this returns."""
        state, number = self.state_now, self.cursor
        legal = state.legal_actions()
        if action not in legal:
            raise Refusal(f"action {action} is not legal here")
        self.tables.played(self.id, number, action, value)
        self._name(action)
        state.apply(action)
        self.actions[number:] = [action]
        self.values[number:] = [value]
        self._pictures.clear()

    # ---- what a page sees ----

    def viewer(self, person: Person) -> int | None:
        """Return through whose eyes a person looks; None: everything is open; -1: only the table."""
        if not self.game.is_hidden:
            return None
        own = self.own_seats(person)
        if own:
            return self.state_now.player if self.state_now.player in own else own[0]
        eyes = self.options.get("eyes", {})
        is_open = self.state_now.is_terminal  # not after resigning, which can be taken back
        if person.id in eyes and not is_open:
            return int(eyes[person.id])
        return None if is_open or not self._was_sat else -1

    @property
    def _was_sat(self) -> bool:
        """Whether a person sits here, or did."""
        return bool(self.people or self.options.get("eyes")) or any(s.kind == OPEN for s in self.seats)

    def seen(self, person: Person, state: State | None = None) -> State | None:
        """Return a position as this person may see it; None if nothing of it."""
        state = self.state_now if state is None else state
        viewer = self.viewer(person)
        if viewer is None:
            return state
        return None if viewer < 0 else state.seen_by(viewer)

    def is_turn(self, person: Person) -> bool:
        """Whether this person has to choose now."""
        return (
            person.may_change
            and not self.is_over
            and not self.waits
            and self.state_now.player in self.own_seats(person)
        )

    @property
    def waits(self) -> bool:
        """Whether the end of a round is shown until somebody goes on."""
        return self.state_now.round_over and not self.is_over and self._continued != self.cursor

    def picture(self, person: Person) -> str:
        """Draw the position as this person may see it; empty if nothing of it."""
        viewer, is_turn = self.viewer(person), self.is_turn(person)
        known = viewer, is_turn
        if known not in self._pictures:
            seen = self.seen(person)
            self._pictures[known] = "" if seen is None else seen.to_svg(legal=is_turn, theme="page")
        return self._pictures[known]

    def state(self, person: Person) -> dict[str, Any]:
        """Return what this person may see."""
        return table_state(self, person)

    def status(self, seen: State | None) -> str:
        """Write who moves, has won or has resigned, as far as it is seen."""
        rules, player = self.game.rules, self.state_now.player
        if self.resigned is not None and not self.state_now.is_terminal:
            return f"{rules.player_name(self.resigned)} has resigned"
        if seen is None:
            return "a card is dealt" if player == CHANCE else f"{rules.player_name(player)} to move"
        return rules.status_text(seen)

    # ---- who may do what ----

    def controls(self, person: Person) -> bool:
        """Whether this person may undo, pause and begin anew."""
        return bool(self.own_seats(person)) or (not self.people and self.stored.owner == person.id)

    @property
    def may_swap(self) -> bool:
        """Whether seats can be swapped: not away from another person, nor to see hidden cards."""
        people = {seat.person for seat in self.seats if seat.kind == PERSON}
        return len(self.seats) > 1 and (not self.cursor or (len(people) < 2 and not self.game.is_hidden))

    def _need_control(self, person: Person) -> None:
        if not self.controls(person):
            raise Forbidden("only those who play at this table may do that")

    def may_sit(self, person: Person, number: int) -> bool:
        """Whether this person may take this seat."""
        seat, is_hidden = self.seats[number], self.game.is_hidden
        # With hidden cards nobody changes to a seat with other cards.
        known = self.options.get("eyes", {}).get(person.id)
        if seat.kind == OPEN:
            return not is_hidden or (
                not self.own_seats(person) and (self.cursor == 0 or known in (None, number))
            )
        if seat.kind != AGENT or not (self.controls(person) or self.stored.owner == person.id):
            return False
        return not is_hidden or self.cursor == 0 or known == number

    # ---- requests ----

    def do_play(self, person: Person, message: dict[str, Any]) -> None:
        """Play an action, {"action": ..., "ply": ...}."""
        action = message.get("action")
        if message.get("ply") not in (None, self.cursor):
            raise Refusal("the position had just changed; look and try again")
        if isinstance(action, bool) or not isinstance(action, int):
            raise Refusal("an action is a whole number")
        if self.is_over:
            raise Refusal("the game is over")
        if self.state_now.player not in self.own_seats(person):
            raise Refusal("it is not your turn")
        self._apply(action)
        self._set(offer=None)
        self.problem = ""
        self._changed_soon()
        self._go_on()

    def do_type(self, person: Person, message: dict[str, Any]) -> None:
        """Play an action by its name, {"text": ...}."""
        if not self.is_turn(person):
            raise Refusal("it is not your turn")
        seen = self.seen(person)
        assert seen is not None
        self.do_play(person, {"action": seen.parse_action(str(message.get("text", ""))[:80])})

    def do_continue(self, person: Person, message: dict[str, Any]) -> None:
        """Go on to the next round."""
        self._need_control(person)
        self._continued = self.cursor
        self.changed()
        self._go_on()

    def do_undo(self, person: Person, message: dict[str, Any]) -> None:
        """Take back to a person's previous decision; other people at the table are asked first."""
        self._need_control(person)
        place = self.undone(self.own_seats(person))
        if place is None:
            raise Refusal("there is nothing to take back")
        if self._asks_others(person, "undo"):
            return
        self._stop_thinking()
        while self.cursor > place:
            self.state_now.undo()
        self._came_to_rest()

    def do_redo(self, person: Person, message: dict[str, Any]) -> None:
        """Play again what was taken back, up to the next decision of a person."""
        self._need_control(person)
        if self.cursor >= len(self.actions):
            raise Refusal("there is nothing to play again")
        self._stop_thinking()
        for action in self.actions[self.cursor :]:
            self.state_now.apply(action)
            if self._is_choice(self.state_now) or not self.people:
                break
        self._came_to_rest()

    def do_answer(self, person: Person, message: dict[str, Any]) -> None:
        """Accept or decline what another person asked for, {"yes": true}."""
        offer = self.options.get("offer")
        if not isinstance(offer, dict) or not self.own_seats(person):
            raise Refusal("nothing was asked")
        is_own = offer["by"] in self.own_seats(person)
        self._set(offer=None)
        if message.get("yes") and not is_own and (place := self.undone([offer["by"]])) is not None:
            self._stop_thinking()
            while self.cursor > place:
                self.state_now.undo()
            self._came_to_rest()
            return
        self.changed()

    async def do_hint(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return the picture with an agent's opinion, for the one who asks alone."""
        if not self.is_turn(person):
            raise Refusal("a hint is for the one whose turn it is")
        state, ply = self.state_now, self.cursor
        expression = self.arena.policy.agent(self.options.get("hints") or HINTS)
        try:
            decision = await self.arena.thinking.decide(
                person.id, f"{self.name} hint {person.id}", expression, state
            )
        except StopWorkError:
            raise Refusal("the hint was stopped") from None
        if ply != self.cursor:
            raise Refusal("the position has changed meanwhile")
        seen = self.seen(person)
        assert seen is not None
        name = self.state_now.action_text(decision.action)
        return {
            "picture": seen.to_svg(decision, theme="page"),
            "action": decision.action,
            "name": name,
            "agent": expression,
            "ply": ply,
        }

    def do_resign(self, person: Person, message: dict[str, Any]) -> None:
        """Give the game up."""
        own = self.own_seats(person)
        if not own or self.is_over:
            raise Refusal("there is nothing to resign")
        self._stop_thinking()
        self._set(resigned=self.state_now.player if self.state_now.player in own else own[0], offer=None)
        self.changed()

    def do_sit(self, person: Person, message: dict[str, Any]) -> None:
        """Take a seat, {"seat": ..., "name": ...}: a free one, or that of an agent."""
        number = self._seat_number(message)
        if not self.may_sit(person, number):
            raise Forbidden("this seat is not free")
        name = str(message.get("name") or "").strip()[:LONGEST_NAME]
        self._stop_thinking()
        self._take(number, Seat(PERSON, person.id, name=name))
        self.changed()
        self._go_on()

    def do_seat(self, person: Person, message: dict[str, Any]) -> None:
        """Give a seat to an agent or to whoever comes, {"seat": ..., "who": ...}."""
        self._need_control(person)
        number = self._seat_number(message)
        if self.seats[number].kind == PERSON and self.seats[number].person != person.id:
            raise Forbidden("another person sits there")
        seat = read_seat(message.get("who"), person, self.arena.policy)
        if seat.kind == PERSON and not self.may_sit(person, number) and number not in self.own_seats(person):
            raise Forbidden("with hidden cards nobody changes seats during the game")
        if seat.kind == OPEN and self.game.is_hidden and self.cursor and not self._was_sat:
            raise Forbidden("all have seen the cards of this game; begin a new one")
        self._stop_thinking()
        self._take(number, seat)
        self.changed()
        self._go_on()

    def do_swap(self, person: Person, message: dict[str, Any]) -> None:
        """Let everybody move on by one seat."""
        self._need_control(person)
        if not self.may_swap:
            raise Refusal("swap the seats in a new game")
        self._stop_thinking()
        self.seats = [self.seats[-1], *self.seats[:-1]]
        self._keep_seats()
        self.problem = ""
        self.changed()
        self._go_on()

    def do_new(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Begin anew with the same players, {"swap": true} with other seats; all pages follow."""
        self._need_control(person)
        seats = [self.seats[-1], *self.seats[:-1]] if message.get("swap") else self.seats
        start = self.game.initial_state(self._rng.randrange(2**32))
        made = again(replace(self.stored, options=self.options, owner=person.id), seats, start)
        self.tables.add(made)
        self._stop_thinking()
        self._set(next=made.id)
        self.changed()
        return {"id": made.id}

    def do_pace(self, person: Person, message: dict[str, Any]) -> None:
        """Set how agents play each other: {"paused": ...}, {"delay": seconds}, {"step": true}."""
        self._need_control(person)
        if isinstance(message.get("paused"), bool):
            self._set(paused=message["paused"])
        delay = message.get("delay")
        if (
            isinstance(delay, (int, float))
            and not isinstance(delay, bool)
            and DELAYS[0] <= delay <= DELAYS[1]
        ):
            self._set(delay=float(delay))
        if message.get("step"):
            self._steps = 1
            self._set(paused=True)
        self.problem = ""
        self._stop_thinking()
        self.changed()
        self._go_on()

    def do_retry(self, person: Person, message: dict[str, Any]) -> None:
        """Let an agent that failed try again."""
        self._need_control(person)
        self.problem = ""
        self.changed()
        self._go_on()

    def do_look(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return the picture after some actions, {"ply": ...}, as this person may see it."""
        ply = self._ply(message)
        state = self.stored.start.copy()
        for action in self.actions[:ply]:
            state.apply(action)
        seen = self.seen(person, state)
        return {"ply": ply, "picture": "" if seen is None else seen.to_svg(theme="page")}

    def do_log(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return the names of all actions that this person may read."""
        return {"log": readable_log(self, person, 0)}

    def do_actions(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return what leads to a position, {"ply": ...}, for a link that starts a game there."""
        if self.game.is_hidden:
            raise Forbidden("a position with hidden cards cannot be passed on")
        ply = self._ply(message)
        first = self.stored.start
        is_usual = not self.game.rules.starts and first == self.game.initial_state(0)
        return {"actions": self.actions[:ply], "position": None if is_usual else first.to_text()}

    # ---- changes ----

    def changed(self) -> None:
        """Send the new state to all who watch."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        super().changed()

    def _changed_soon(self) -> None:
        """Send the new state, unless an agent answers before: one picture less to draw."""
        player = self.state_now.player
        if player < 0 or self.is_over or self.seats[player].kind != AGENT:
            self.changed()
        elif self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_SECONDS, self.changed)

    def undone(self, own: list[int]) -> int | None:
        """Return how many actions are left after undo by these seats; None if nothing can be undone."""
        walk = self.state_now.copy()
        if self.game.is_hidden and walk.is_terminal:
            return None  # the cards are open
        if self.resigned is not None and walk.actions_played:
            return walk.actions_played
        while walk.actions_played:
            walk.undo()
            if self.game.is_hidden and walk.player == CHANCE:
                return None  # a card was dealt, and seen
            if self._is_choice(walk) and walk.player in own:
                return walk.actions_played
            if not self.people and walk.player != CHANCE:
                return walk.actions_played
        return None

    def _asks_others(self, person: Person, what: str) -> bool:
        """Ask the other people at the table; return whether there are any."""
        others = {seat.person for seat in self.seats if seat.kind == PERSON} - {person.id}
        if not others:
            return False
        self._set(offer={"what": what, "by": self.own_seats(person)[0]})
        self.changed()
        return True

    def _came_to_rest(self) -> None:
        """Keep and show the position that undo or redo led to."""
        self.tables.moved(self.id, self.cursor)
        self._pictures.clear()
        self._continued = -1
        self.problem = ""
        self._set(resigned=None, offer=None, **({} if self.people else {"paused": True}))
        self.changed()
        self._go_on()

    def _set(self, **options: Any) -> None:
        """Keep options; None removes one."""
        before = dict(self.options)
        for name, value in options.items():
            if value is None:
                self.options.pop(name, None)
            else:
                self.options[name] = value
        if self.options != before:
            self._pictures.clear()
            self._keep_seats()

    def _keep_seats(self) -> None:
        self._pictures.clear()
        self.tables.seated(self.id, self.seats, self.options)

    def _take(self, number: int, seat: Seat) -> None:
        before = self.seats[number]
        if self.game.is_hidden:
            eyes = dict(self.options.get("eyes", {}))
            for one in (before, seat):
                if one.kind == PERSON:
                    eyes.setdefault(one.person, number)
            self.options["eyes"] = eyes
        if before.kind == AGENT:
            self.arena.thinking.forget(self._memory(number))
        self.seats[number] = seat
        self.problem = ""
        self._keep_seats()

    def _ply(self, message: dict[str, Any]) -> int:
        ply = message.get("ply")
        if isinstance(ply, bool) or not isinstance(ply, int) or not 0 <= ply <= len(self.actions):
            raise Refusal(f"this game has the positions 0 to {len(self.actions)}")
        return ply

    def _seat_number(self, message: dict[str, Any]) -> int:
        number = message.get("seat")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self.seats):
            raise Refusal(f"the seats are 0 to {len(self.seats) - 1}")
        return number

    # ---- agents and chance ----

    @property
    def delay(self) -> float:
        """Seconds between the actions of agents that play each other."""
        return float(self.options.get("delay", 0.6))

    def _memory(self, seat: int) -> str:
        return f"{self.name} {seat}"

    def _stop_thinking(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.thinker = None

    def woken(self) -> None:
        """Go on where the table was left."""
        self._go_on()

    def abandoned(self) -> None:
        """Let the agents rest while nobody looks."""
        self._stop_thinking()
        for number in range(len(self.seats)):
            self.arena.thinking.forget(self._memory(number))

    def _go_on(self) -> None:
        if self.arena.settings.read_only or self.is_over or not self.watchers:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._advance())

    async def _advance(self) -> None:
        """Play agents' actions and chance until a person has to choose; send what changed."""
        before = self.problem
        shown = True
        try:
            while not self.is_over:
                if self.waits and not await self._rest():
                    break
                shown = False
                if not await self._advance_once():
                    shown = self._soon is None
                    break
                if self.state_now.player != CHANCE or self.state_now.round_over:
                    self.changed()
                    shown = True
        except BoardLabError as error:  # of an agent, or of rules of a user's own
            self.problem = str(error)
        except StopWorkError:
            pass
        except Exception as error:
            self.problem = f"the game failed: {described(error)}"
        if not shown or self.thinker is not None or self.problem != before:
            self.thinker = None
            self.changed()

    async def _advance_once(self) -> bool:
        """Play one action of nature or an agent, or a forced pass; return whether there was one."""
        state = self.state_now
        if state.player == CHANCE:
            self._apply(state.sample_chance(self._rng.randrange(2**63)))
            return True
        seat = self.seats[state.player]
        if seat.kind == AGENT:
            return await self._agent_acts(seat)
        if seat.kind == PERSON and list(state.action_names().values()) == [PASS]:
            self._apply(state.legal_actions()[0])
            return True
        return False

    async def _rest(self) -> bool:
        """Show the end of a round; return whether to go on by ourselves."""
        self.changed()
        if self.people:
            return False
        await asyncio.sleep(ROUND_SECONDS)
        self._continued = self.cursor
        return True

    async def _agent_acts(self, seat: Seat) -> bool:
        state = self.state_now
        player = state.player
        if not self.people:
            if self._steps:
                self._steps -= 1
            elif self.options.get("paused"):
                return False
            else:
                await asyncio.sleep(self.delay)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(SLOW_SECONDS, self._show_thinking, player)
        try:
            decision = await self._decide(seat, state)
        finally:
            timer.cancel()
            self.thinker = None
        value = decision.values.get(decision.action)
        self._apply(decision.action, None if value is None else float(value))
        return True

    async def _decide(self, seat: Seat, state: State) -> Decision:
        person = self.stored.owner
        number = state.player
        return await self.arena.thinking.decide(
            person, self._memory(number), seat.agent, state, self._rng.randrange(2**32)
        )

    def _show_thinking(self, player: int) -> None:
        self.thinker = player
        self.changed()
