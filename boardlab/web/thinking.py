"""Agents that think in the pool, kept between actions so that their trees go on growing."""

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NamedTuple, TypeVar

from boardlab import _engine
from boardlab.bridges.gtp.thinking import SLICE, again, once, sliced_spec
from boardlab.errors import BoardLabError, described
from boardlab.games.game import Game, State
from boardlab.search.agent import Agent, Decision
from boardlab.search.expression import format_spec, parse
from boardlab.web.learned import Learned
from boardlab.web.policy import Policy, memory_mb
from boardlab.web.pool import Pool, Stopper, StopWorkError

T = TypeVar("T")
Known = tuple[str, str, Game]
"""Whose memory it is, the agent's expression, the game."""

KEPT_MB = 768.0
"""Memory of agents that are kept while they do not think, as their expressions allow it at most."""
LEAST_MB = 2.0
"""What an agent counts at least."""
MOST_KEPT = 256


class AgentError(BoardLabError):
    """An agent that failed; the message says how."""


class Thinking:
    """Makes agents and lets them think."""

    def __init__(self, pool: Pool, policy: Policy) -> None:
        self.pool, self.policy = pool, policy
        self._kept: OrderedDict[Known, _Kept] = OrderedDict()
        self._kept_mb = 0.0
        self._lock = threading.Lock()
        self._learned = Learned()

    async def decide(self, person: str, key: str, expression: str, state: State, seed: int = 0) -> Decision:
        """Return an agent's decision.

        `person` is for whom it thinks, `key` names what its memory belongs to: a seat of a table.
        """
        position = state.copy()

        def think(stopper: Stopper) -> Decision:
            return self._think(stopper, key, expression, position, seed)

        return await self._run(person, think, expression)

    async def slices(
        self, person: str, key: str, expression: str, state: State, seconds: float = 60.0
    ) -> AsyncIterator[tuple[int, Decision]]:
        """Yield the iterations so far and the decision, again and again while the search deepens.

        Every slice is a piece of work of its own, so that others have their turn in between. An agent that
        cannot go on answers once.
        """
        position = state.copy()
        source: list[Iterator[tuple[int, Decision]]] = []
        agents: list[Agent] = []

        def step(stopper: Stopper) -> tuple[int, Decision] | None:
            if not source:  # made here, so that what was learned is shared
                sliced = _sliced(expression)
                agents.append(self._make(sliced or expression, position.game, 0))
                source.append((once if sliced is None else again)(agents[0], position))
            with _reported(expression), stopper.calling(agents[0].core.stop):
                return next(source[0], None)

        until = time.monotonic() + min(seconds, self.policy.seconds or seconds)
        while time.monotonic() < until:
            found = await self._run(person, step, expression)
            if found is None:
                return
            yield found

    def forget(self, key: str) -> None:
        """Forget the agents whose memory belongs to this key."""
        with self._lock:
            for known in [known for known in self._kept if known[0] == key]:
                self._kept_mb -= self._kept.pop(known).mb

    async def try_out(self, person: str, expression: str, game: Game) -> str:
        """Make the agent once, so that a mistake is known before the game begins."""
        checked = self.policy.agent(expression)

        def make(stopper: Stopper) -> None:
            self._make(checked, game, 0)

        await self._run(person, make, checked)
        return checked

    async def _run(self, person: str, do: Callable[[Stopper], T], expression: str) -> T:
        seconds = self.policy.seconds
        try:
            return await self.pool.run(person, do, seconds)
        except TimeoutError:
            raise AgentError(f"{expression} took longer than {seconds:g} s and was stopped") from None

    def _think(self, stopper: Stopper, key: str, expression: str, state: State, seed: int) -> Decision:
        known = (key, expression, state.game)
        kept = self._take(known)
        if kept is None:
            agent = self._make(expression, state.game, seed)
            kept = _Kept(agent, memory_mb(agent.expression))
        with _reported(expression), stopper.calling(kept.agent.core.stop):
            decision = kept.agent.act(state)
        self._keep(known, kept._replace(mb=_used_mb(kept, decision)))
        return decision

    def _make(self, expression: str, game: Game, seed: int) -> Agent:
        with _reported(expression):
            limited, game = self.policy.limited(expression), self._learned.game(game)
            spec = self._learned.sharing(parse(limited))
            return Agent(game, spec.build(game, seed), limited, spec.build, seed)

    def _take(self, known: Known) -> "_Kept | None":
        with self._lock:
            kept = self._kept.pop(known, None)
            self._kept_mb -= kept.mb if kept else 0.0
        return kept

    def _keep(self, known: Known, kept: "_Kept") -> None:
        dropped = []
        with self._lock:
            self._kept[known] = kept
            self._kept_mb += kept.mb
            while len(self._kept) > MOST_KEPT or self._kept_mb > KEPT_MB:
                _, oldest = self._kept.popitem(last=False)
                self._kept_mb -= oldest.mb
                dropped.append(oldest)  # freeing a tree takes time: not while others wait


def _sliced(expression: str) -> str | None:
    """Return the agent that thinks for a slice of time and goes on; None if it cannot go on."""
    sliced = sliced_spec(parse(expression), iterations=None, seconds=SLICE)
    return None if sliced is None else format_spec(sliced)


class _Kept(NamedTuple):
    agent: Agent
    mb: float
    """Memory that it may take at most."""


def _used_mb(kept: _Kept, decision: Decision) -> float:
    """Return what an agent keeps in memory, in MiB: what it reports, or what it may take at most."""
    used = decision.info.get("bytes")
    return max(LEAST_MB, memory_mb(kept.agent.expression) if used is None else used / 2**20)


@contextlib.contextmanager
def _reported(expression: str) -> Iterator[None]:
    """Turn whatever an agent raises into a sentence for the page."""
    try:
        yield
    except StopWorkError:
        raise
    except _engine.StoppedError:
        raise StopWorkError from None
    except AgentError:
        raise
    except BoardLabError as error:
        raise AgentError(f"{expression}: {error}") from None
    except MemoryError:
        raise AgentError(f"{expression}: there is not enough memory") from None
    except Exception as error:
        raise AgentError(f"{expression} failed: {described(error)}") from None
