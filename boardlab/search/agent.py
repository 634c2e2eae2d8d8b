"""An agent: a search with an evaluator, for one game."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boardlab import _engine, html
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import CHANCE, RECENT, TERMINAL, Game, State, as_game, as_integer, as_seed
from boardlab.numbers import plain


def _unknown() -> NDArray[np.float64]:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Decision:
    """An agent's action and its evaluation of the position.

    A Python agent may leave out everything but the action.
    """

    action: int
    policy: dict[int, float] = field(default_factory=dict)
    """Probability of each legal action."""
    values: dict[int, float] = field(default_factory=dict)
    """Value for the player to move of each action that the search evaluated."""
    scores: NDArray[np.float64] = field(default_factory=_unknown)
    """Expected outcome for every player; NaN where unknown."""
    info: dict[str, float] = field(default_factory=dict)
    """Statistics of the search: iterations, nodes, depth and others."""
    line: tuple[int, ...] = ()
    """The principal variation: this action and the expected continuation, chance outcomes included."""
    state: State | None = field(default=None, repr=False, compare=False)
    """The position as its player saw it, for the picture in notebooks; copies to other processes lack it."""

    def ranking(self) -> list[int]:
        """List the actions, the most probable first, then by value."""

        def rank(action: int) -> tuple[float, float, bool]:
            value = self.values.get(action, -math.inf)
            return -self.policy.get(action, 0.0), -value, action != self.action

        return sorted({**self.policy, **self.values}, key=rank)

    def to_svg(self, **options: Any) -> str:
        """Draw the decision over its position; the options are those of `State.to_svg`."""
        if self.state is None:
            raise BoardLabError("this decision does not know its position: use state.to_svg(decision)")
        return self.state.to_svg(self, **options)

    def _repr_html_(self) -> str | None:
        """Show the board and the actions in a notebook."""
        if self.state is None:
            return None
        return html.beside(self.to_svg(), self._table(self.state.action_names()))

    def _table(self, names: dict[int, str], most: int = 20) -> html.Html:
        ranking = [action for action in self.ranking() if action in names]
        rows = [
            [
                names[action],
                plain(self.values[action], sign=True) if action in self.values else "",
                f"{self.policy.get(action, 0.0):.1%}",
                html.bar(self.policy.get(action, 0.0)),
            ]
            for action in ranking[:most]
        ]
        if len(ranking) > most:
            rows.append([f"… {len(ranking) - most} more", "", "", ""])
        facts = ", ".join(f"{name} {plain(value)}" for name, value in self.info.items())
        chosen = ranking.index(self.action) if self.action in ranking[:most] else None
        return html.below(
            html.table(["action", "value", "policy", ""], rows, left=(0, 3), bold=chosen),
            html.paragraph(f"plays {names.get(self.action, self.action)}" + f"; {facts}" * bool(facts)),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the position, which may have hidden parts."""
        return {name: value for name, value in vars(self).items() if name != "state"}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decision):
            return NotImplemented
        return self._plain == other._plain and np.array_equal(self.scores, other.scores, equal_nan=True)

    @property
    def _plain(self) -> tuple[Any, ...]:
        """Every field but the array, for which == is ambiguous."""
        return self.action, self.policy, self.values, self.info, self.line


class Agent:
    """A player of one game, made by `boardlab.agent(expression, game, seed=...)`."""

    __slots__ = ("core", "expression", "game", "rebuild", "seed")

    def __init__(
        self,
        game: Game,
        core: _engine.Search,
        expression: str,
        rebuild: Callable[[Game, int], _engine.Search],
        seed: int | None = None,
    ) -> None:
        self.game, self.core, self.expression = game, core, expression
        self.rebuild = rebuild
        self.seed = seed
        """Seed of the random stream; None if the agent was not made from an expression."""

    def twin(self, game: Game, seed: int = 0) -> "Agent":
        """Return an agent of the same kind with its own memory and random stream."""
        if as_game(game) != self.game:
            raise BoardLabError(f"this agent plays {self.game!r}, not {game!r}")
        seed = as_seed(seed)
        known = None if self.seed is None else seed
        return Agent(game, self.rebuild(game, seed), self.expression, self.rebuild, known)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as expression, game and seed.

        A copy is a twin: it has no memory of the game played so far.
        """
        if self.seed is None:
            raise BoardLabError(
                f"the agent {self.expression} was not made from an expression, so it cannot be copied or "
                "pickled; make another one, or register it with boardlab.register_agent"
            )
        from boardlab.search.expression import agent

        return agent, (self.expression, self.game, self.seed)

    def act(self, state: State) -> Decision:
        """Choose an action. The agent sees only what its player may see."""
        if not isinstance(state, State):
            raise BoardLabError(f"act takes a state, not {shown(state)}")
        if state.game != self.game:
            raise BoardLabError(f"this agent plays {self.game!r}; the state belongs to another game")
        if state.player in (CHANCE, TERMINAL):
            over = state.player == TERMINAL
            raise BoardLabError(
                "the game is over: there is nothing to decide"
                if over
                else "nature moves here, not a player; apply a chance outcome first"
            )
        core = state.core_for(self.game)
        seen = core.seen_by(state.player) if self.game.is_hidden else core
        action, actions, policy, values, scores, info, line = self.core.act(seen)
        return Decision(
            action=action,
            policy=dict(zip(actions, policy.tolist(), strict=True)),
            values={a: v for a, v in zip(actions, values.tolist(), strict=True) if not math.isnan(v)},
            scores=scores,
            info=info,
            line=tuple(line),
            state=State(self.game, seen.recent(RECENT)),
        )

    def reset(self, seed: int = 0) -> None:
        """Forget the game played so far and start a new random stream."""
        seed = as_seed(seed)
        self.core.reset(seed)
        if self.seed is not None:
            self.seed = seed

    def __repr__(self) -> str:
        return f"<Agent {self.expression} for {self.game.name}>"


class Playable(Protocol):
    """An object with an agent expression: a training run, a row of the hall of fame."""

    @property
    def expression(self) -> str:
        """The agent expression."""


AgentLike: TypeAlias = str | Agent | Playable
"""An agent, its expression, or an object that has one."""


def as_agent(given: Any) -> Any:
    """Return an agent or its expression.

    Anything else is returned unchanged, for the caller to reject.
    """
    expression = None if isinstance(given, (str, Agent)) else getattr(given, "expression", None)
    return expression if isinstance(expression, str) else given


def as_agents(given: AgentLike | Sequence[AgentLike]) -> list[str | Agent]:
    """Return a list of agents or expressions; a single one becomes a list of one."""
    if isinstance(one := as_agent(given), (str, Agent)):
        return [one]
    if not isinstance(given, Sequence):
        raise BoardLabError(f"agents must be a list of agents, not {shown(given)}")
    return [as_agent(agent) for agent in given]


Choose = Callable[[State], int | Decision]
"""A Python agent: takes a state as its player sees it and returns an action or a Decision."""


def python_agent(
    game: Game,
    choose: Choose,
    name: str,
    reset: Callable[[int], None] | None = None,
    *,
    with_history: bool = False,
) -> Agent:
    """Make an agent from a Python function of the state, as its player sees it.

        first = python_agent(game, lambda state: state.legal_actions()[0], "first")
        print(bl.match(game, [first, "random"]))

    Results show `name`; `reset(seed)` is called before every game. To use an agent by name in expressions
    and on the command line, register it with `boardlab.register_agent`. With `with_history` the function can
    undo the state to the beginning of the game, which costs time in long games.
    """
    as_game(game)
    if not callable(choose):
        raise BoardLabError(f"an agent in Python is a function of the state, not {shown(choose)}")
    if not isinstance(name, str) or not name:
        raise BoardLabError(f"the name of an agent must be text, not {shown(name)}")
    if reset is not None and not callable(reset):
        raise BoardLabError(f"reset must be a function of the seed, not {shown(reset)}")

    def rebuild(game: Game, seed: int) -> _engine.Search:
        def choose_core(core: _engine.State) -> Any:
            return _engine_decision(choose(State(game, core)), core)

        return _engine.python_search(game.core, choose_core, reset, with_history)

    return Agent(game, rebuild(game, 0), name, rebuild)


def _engine_decision(chosen: Any, core: _engine.State) -> Any:
    """Check a function's choice and convert it for the engine."""
    decision = chosen if isinstance(chosen, Decision) else Decision(chosen)
    action = as_integer("what an agent returns", decision.action, -(2**31), 2**31 - 1)
    if decision is not chosen:
        return action
    for name in ("policy", "values", "info"):
        given = getattr(decision, name)
        if not isinstance(given, Mapping):
            raise BoardLabError(f"the {name} of a Decision must be a dict, not {shown(given)}")
    try:
        line = list(decision.line)
    except TypeError:
        raise BoardLabError(
            f"the line of a Decision must be a list of actions, not {shown(decision.line)}"
        ) from None
    legal = core.legal_actions()
    return (
        action,
        [decision.policy.get(action, 0.0) for action in legal],
        [decision.values.get(action, math.nan) for action in legal],
        np.asarray(decision.scores).tolist(),
        line,
        list(decision.info.items()),
    )
