"""A desk: one game, agents that think about its position, and a value curve over all of it."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, described
from boardlab.games.game import CHANCE, State, game_table
from boardlab.search.agent import Decision
from boardlab.web.analysis.review import moments, number, point_of
from boardlab.web.analysis.stored import Desks, StoredDesk
from boardlab.web.analysis.voices import Networks, network_of
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.forms import game_title
from boardlab.web.hub import Topic
from boardlab.web.people import Person
from boardlab.web.pool import StopWorkError

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

MOST_AGENTS = 4
THINK_SECONDS = 60.0
"""How long a search deepens at one position."""
NEWS_SECONDS = 0.25
"""Pages hear of a deeper search after this time."""
MOST_KNOWN = 400
"""Opinions that a desk remembers, so that going back shows them at once."""
MOST_PATH = 20_000
MOST_ROWS = 60
MOST_OUTCOMES = 200
REVIEWED_SECONDS = 1.0
"""Pages hear of the growing curve after this time."""


@dataclass
class Thought:
    """What an agent thinks of a position, so far."""

    iterations: int
    decision: Decision
    picture: str


class Desk(Topic):
    """An analysis that pages watch."""

    looking = frozenset({"log", "curve", "text", "link", "voices"})

    def __init__(self, arena: "Arena", desks: Desks, stored: StoredDesk, networks: Networks) -> None:
        super().__init__(arena, f"desk:{stored.id}")
        self.desks, self.stored, self.networks = desks, stored, networks
        self.game = stored.game
        self.known: OrderedDict[tuple[str, tuple[int, ...]], Thought] = OrderedDict()
        self.problems: dict[str, str] = {}
        self.review_problem = ""
        self.busy: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._review: asyncio.Task[None] | None = None
        self._names: list[list[Any]] = []
        self._named: list[int] = []
        """The actions that have their names."""
        self._version = 0
        """Of the path; the page asks for the names of actions when it changes."""
        self._curve_version = 0
        self.state_now = self._replay()

    # ---- the position ----

    def _replay(self) -> State:
        """Return the position on the board; names of all actions are kept."""
        position = self.stored.start.copy()
        for action in self.stored.path[: self.stored.at]:
            position.apply(action)
        self._version += 1
        if self._named != self.stored.path:  # names take long, and going to and fro changes none
            self._name_all()
        return position

    def _name_all(self) -> None:
        state, self._names = self.stored.start.copy(), []
        for place, action in enumerate(self.stored.path):
            self._names.append([place, state.player, state.action_text(action)])
            state.apply(action)
        self._named = list(self.stored.path)

    @property
    def _place(self) -> tuple[int, ...]:
        return tuple(self.stored.path[: self.stored.at])

    @property
    def branch(self) -> int | None:
        """Where the path leaves the game; None if it follows it."""
        stored = self.stored
        if stored.is_free or stored.path == stored.main:
            return None
        pairs = zip(stored.path, stored.main, strict=False)
        return next((n for n, (one, other) in enumerate(pairs) if one != other), len(stored.main))

    # ---- what a page sees ----

    def state(self, person: Person) -> dict[str, Any]:
        """Return the position and what the agents think of it."""
        stored, state, rules = self.stored, self.state_now, self.game.rules
        labels = [rules.player_name(seat) for seat in range(self.game.players)]
        return {
            "id": stored.id,
            "game": game_table(self.game),
            "title": game_title(self.game.name),
            "summary": rules.variant_summary(),
            "labels": labels,
            "range": list(self.game.score_range),
            "players": stored.players,
            "source": stored.source,
            "own": stored.owner == person.id and person.may_change,
            "may": person.may_change,
            "hidden": self.game.is_hidden,
            "free": stored.is_free,
            "at": stored.at,
            "total": len(stored.path),
            "main_total": len(stored.main),
            "branch": self.branch,
            "player": state.player,
            "status": rules.status_text(state),
            "over": state.is_terminal,
            "picture": state.to_svg(theme="page"),
            "outcomes": self._outcomes(),
            "thinks": stored.thinks,
            "agents": [self._agent(expression) for expression in stored.agents],
            "review": self._reviewed(),
            "version": self._version,
            "curve_version": self._curve_version,
        }

    def _outcomes(self) -> list[list[Any]]:
        if self.state_now.player != CHANCE:
            return []
        names = self.state_now.action_names()
        return [[action, name] for action, name in list(names.items())[:MOST_OUTCOMES]]

    def _agent(self, expression: str) -> dict[str, Any]:
        thought = self.known.get((expression, self._place))
        shown: dict[str, Any] = {
            "agent": expression,
            "problem": self.problems.get(expression, ""),
            "busy": expression in self.busy,
            "network": network_of(expression),
        }
        if thought is None:
            return {**shown, "picture": "", "rows": [], "iterations": 0, "line": "", "facts": {}}
        decision, state = thought.decision, self.state_now
        names = state.action_names()
        ranking = [action for action in decision.ranking() if action in names][:MOST_ROWS]
        return {
            **shown,
            "picture": thought.picture,
            "iterations": thought.iterations,
            "rows": [
                {
                    "action": action,
                    "name": names[action],
                    "value": number(decision.values.get(action)),
                    "share": number(decision.policy.get(action)),
                    "best": action == decision.action,
                }
                for action in ranking
            ],
            "count": len(names),
            "line": _line(state, decision),
            "facts": {
                name: value for name, value in decision.info.items() if name in ("depth", "nodes", "solved")
            },
        }

    def _reviewed(self) -> dict[str, Any]:
        curve = self.stored.curve or {}
        return {
            "agent": curve.get("agent", ""),
            "running": self._review is not None and not self._review.done(),
            "done": curve.get("done", 0),
            "total": len(self.stored.main or self.stored.path),
            "problem": self.review_problem,
            "stale": bool(curve) and curve.get("actions") != (self.stored.main or self.stored.path),
        }

    # ---- requests ----

    def _need_owner(self, person: Person) -> None:
        if self.stored.owner != person.id:
            raise Forbidden("this analysis belongs to another visitor; take a copy of it")

    def do_log(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return number, player and name of the actions on the desk."""
        return {"log": self._names, "version": self._version}

    def do_curve(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return the value curve and the moments where most was lost."""
        return {"curve": self.stored.curve, "version": self._curve_version}

    def do_text(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return the position as text."""
        return {"text": self.state_now.to_text()}

    def do_link(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return what leads to this position: a first position, None if it is the usual one, and actions."""
        if self.game.is_hidden:
            raise Forbidden("a game with hidden cards begins at its beginning")
        start = self.stored.start
        is_usual = not self.game.rules.starts and start == self.game.initial_state(0)
        return {"position": None if is_usual else start.to_text(), "actions": list(self._place)}

    def do_go(self, person: Person, message: dict[str, Any]) -> None:
        """Go to another position of the path, {"ply": ...}; {"main": true} goes back to the game."""
        self._need_owner(person)
        stored = self.stored
        if message.get("main") and not stored.is_free:
            common = self.branch
            stored.path = list(stored.main)
            stored.at = min(stored.at, len(stored.path) if common is None else common)
        ply = message.get("ply", stored.at)
        if isinstance(ply, bool) or not isinstance(ply, int) or not 0 <= ply <= len(stored.path):
            raise Refusal(f"this game has the positions 0 to {len(stored.path)}")
        stored.at = ply
        self._moved()

    def do_play(self, person: Person, message: dict[str, Any]) -> None:
        """Play an action, {"action": ...}, or let chance decide with {"chance": true}."""
        self._need_owner(person)
        action, state = message.get("action"), self.state_now
        if message.get("chance") and state.player == CHANCE:
            action = state.sample_chance(time.time_ns())
        if isinstance(action, bool) or not isinstance(action, int):
            raise Refusal("an action is a whole number")
        self._play(action)

    def do_type(self, person: Person, message: dict[str, Any]) -> None:
        """Play an action as players write it, {"text": ...}."""
        self._need_owner(person)
        text = message.get("text")
        if not isinstance(text, str) or len(text) > 200:
            raise Refusal("an action is written in at most 200 characters")
        self._play(self.state_now.parse_action(text.strip()))

    def _play(self, action: int) -> None:
        stored = self.stored
        if self.state_now.is_terminal:
            raise Refusal("the game is over in this position")
        if action not in self.state_now.legal_actions():
            raise Refusal(f"action {action} is not legal here")
        if stored.at >= MOST_PATH:
            raise Refusal(f"an analysis has at most {MOST_PATH:,} actions")
        if stored.at >= len(stored.path) or stored.path[stored.at] != action:
            stored.path[stored.at :] = [action]
        stored.at += 1
        self._moved()

    async def do_agents(self, person: Person, message: dict[str, Any]) -> None:
        """Choose the agents, {"agents": [...]}; each is made once, so that a mistake is known now."""
        self._need_owner(person)
        given = message.get("agents")
        if not isinstance(given, list) or not 1 <= len(given) <= MOST_AGENTS:
            raise Refusal(f"1 to {MOST_AGENTS} agents think side by side")
        checked = [await self.arena.thinking.try_out(person.id, one, self.game) for one in given]
        self.stored.agents = list(dict.fromkeys(checked))
        self.problems.clear()
        self.desks.keep(self.stored)
        self._think()
        self.changed()

    def do_think(self, person: Person, message: dict[str, Any]) -> None:
        """Let the agents think, or not, {"on": ...}."""
        self._need_owner(person)
        self.stored.thinks = bool(message.get("on"))
        self.problems.clear()
        self.desks.keep(self.stored)
        self._think()
        self.changed()

    async def do_review(self, person: Person, message: dict[str, Any]) -> None:
        """Begin the value curve anew with {"agent": ...}, or stop it with {"stop": true}."""
        self._need_owner(person)
        if message.get("stop"):
            self._stop_review()
            self.changed()
            return
        actions = self.stored.main or self.stored.path
        if not actions:
            raise Refusal("there is no game to review yet; play some actions first")
        named = self.arena.policy.agent(message.get("agent"))
        agent = await self.arena.thinking.try_out(person.id, named, self.game)
        self._stop_review()
        self.stored.curve = {"agent": agent, "actions": list(actions), "points": [], "moments": [], "done": 0}
        self.review_problem = ""
        self.desks.keep(self.stored)
        self._go_on_reviewing()
        self.changed()

    async def do_voices(self, person: Person, message: dict[str, Any]) -> dict[str, Any]:
        """Return which tuples of an agent's network speak, {"agent": place, "action": ... or null}."""
        place, action = message.get("agent"), message.get("action")
        if not isinstance(place, int) or not 0 <= place < len(self.stored.agents):
            raise Refusal("there is no such agent on this desk")
        run, state = network_of(self.stored.agents[place]), self.state_now.copy()
        if not run:
            raise Refusal("this agent asks no n-tuple network")
        if action is not None and action not in state.legal_actions():
            raise Refusal(f"action {action} is not legal here")
        return await self.arena.pool.run(person.id, lambda stopper: self.networks.voices(run, state, action))

    # ---- changes ----

    def _moved(self) -> None:
        self.state_now = self._replay()
        self.problems.clear()
        self.desks.keep(self.stored)
        self._think()
        self.changed()

    def woken(self) -> None:
        """Go on thinking when somebody looks again."""
        self._think()
        self._go_on_reviewing()

    def abandoned(self) -> None:
        """Stop all searches."""
        self._stop_thinking()
        self._stop_review()

    @property
    def may_be_dropped(self) -> bool:
        """Whether nothing is under way."""
        return self._review is None or self._review.done()

    # ---- thinking ----

    def _stop_thinking(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []
        self.busy.clear()

    def _think(self) -> None:
        """Let every agent think about the position on the board."""
        self._stop_thinking()
        if not self.stored.thinks or self.arena.settings.read_only or self.state_now.player < 0:
            return
        if not self.watchers:
            return
        for expression in self.stored.agents:
            self.busy.add(expression)
            self._tasks.append(asyncio.create_task(self._think_with(expression)))

    async def _think_with(self, expression: str) -> None:
        place, state = self._place, self.state_now.copy()
        last, told = None, 0.0
        try:
            slices = self.arena.thinking.slices(
                self.stored.owner, self.name, expression, state, THINK_SECONDS
            )
            async for iterations, decision in slices:
                last = iterations, decision
                if time.monotonic() - told >= NEWS_SECONDS:
                    self._learn(expression, place, state, *last)
                    told = time.monotonic()
                    self.changed()
                if not self.watchers:
                    break
            if last is not None:
                self._learn(expression, place, state, *last)
        except BoardLabError as error:
            self.problems[expression] = str(error)
        except (StopWorkError, asyncio.CancelledError):
            return
        except Exception as error:
            self.problems[expression] = f"the agent failed: {described(error)}"
        if place == self._place:
            self.busy.discard(expression)
        self.changed()

    def _learn(
        self, expression: str, place: tuple[int, ...], state: State, iterations: int, decision: Decision
    ) -> None:
        before = self.known.get((expression, place))
        if before is not None and before.iterations > iterations:
            return
        picture = state.to_svg(decision, theme="page")
        self.known[expression, place] = Thought(iterations, decision, picture)
        self.known.move_to_end((expression, place))
        while len(self.known) > MOST_KNOWN:
            self.known.popitem(last=False)

    # ---- the value curve ----

    def _stop_review(self) -> None:
        if self._review is not None:
            self._review.cancel()
            self._review = None

    def _go_on_reviewing(self) -> None:
        curve = self.stored.curve
        is_done = curve is None or curve["done"] >= len(curve["actions"])
        if is_done or self.review_problem or self.arena.settings.read_only:
            return
        if self._review is None or self._review.done():
            self._review = asyncio.create_task(self._review_all())

    async def _review_all(self) -> None:
        curve = self.stored.curve
        assert curve is not None
        state, told = self.stored.start.copy(), time.monotonic()
        try:
            for place, action in enumerate(curve["actions"]):
                if place >= curve["done"]:
                    if state.player >= 0:
                        decision = await self.arena.thinking.decide(
                            self.stored.owner, f"{self.name} review", curve["agent"], state
                        )
                        curve["points"].append(point_of(place, state, action, decision).as_json())
                    curve["done"] = place + 1
                    if time.monotonic() - told >= REVIEWED_SECONDS:
                        told = time.monotonic()
                        self._curve_grew(None)
                state.apply(action)
            self._curve_grew([number(score) for score in state.scores] if state.is_terminal else None)
        except BoardLabError as error:
            self.review_problem = str(error)
        except StopWorkError:
            pass
        except Exception as error:
            self.review_problem = f"the review failed: {described(error)}"
        self._review = None
        self.arena.thinking.forget(f"{self.name} review")
        self.changed()

    def _curve_grew(self, end: Any) -> None:
        curve = self.stored.curve
        assert curve is not None
        curve["end"] = end
        curve["moments"] = moments(self.game, curve["points"], end)
        self._curve_version += 1
        self.desks.keep(self.stored)
        self.changed()


def _line(state: State, decision: Decision) -> str:
    """Write the expected line; an agent of a user's own may report illegal actions."""
    walk, words = state.copy(), []
    if state.game.is_hidden:
        return ""
    for action in decision.line[:12]:
        if walk.is_terminal or action not in walk.legal_actions():
            break
        words.append(walk.action_text(action))
        walk.apply(action)
    return " ".join(words) if len(words) > 1 else ""
