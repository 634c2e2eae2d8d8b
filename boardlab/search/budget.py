"""Search budgets per decision: report them and make them equal."""

import dataclasses
import functools
from collections.abc import Sequence

from boardlab.errors import BoardLabError
from boardlab.games.game import as_integer
from boardlab.search.agent import Agent
from boardlab.search.entrants import Entrant, EntrantsLike, as_entrants
from boardlab.search.expression import format_spec, parse


def budget_of(expression: str) -> str:
    """The agent's budget per decision, in words; empty if it does not search."""
    try:
        return parse(expression).budget
    except BoardLabError:  # an agent made in Python has a name, not an expression
        return ""


def budgets(agents: Sequence[str]) -> list[str]:
    """One line with the budgets of all searches; no line if nobody searches.

    Players are numbered from 1.
    """
    players: dict[str, list[int]] = {}
    for number, agent in enumerate(agents, 1):
        if budget := budget_of(agent):
            players.setdefault(budget, []).append(number)
    if not players:
        return []
    if len(players) == 1:
        return [f"budget of every search: {next(iter(players))} per decision"]
    parts = (f"{budget} ({', '.join(map(str, numbers))})" for budget, numbers in players.items())
    return [f"budgets per decision differ: {', '.join(parts)}; --iterations N makes simulations equal"]


def with_iterations(agents: EntrantsLike, iterations: int | None, *, each: bool = False) -> list[Entrant]:
    """Give every agent that counts simulations the same number per decision.

    None leaves the agents unchanged. `each` makes every run of a folder an entrant of its own.
    """
    listed = as_entrants(agents, each=each)
    if iterations is None:
        return listed
    number = as_integer("iterations", iterations, 1, 4 * 10**9)
    return [entrant.changed(functools.partial(_equalised, number)) for entrant in listed]


def _equalised(iterations: int, agent: str | Agent) -> str | Agent:
    if isinstance(agent, Agent) and agent.seed is None:  # not made from an expression
        return agent
    spec = parse(agent if isinstance(agent, str) else agent.expression)
    if not spec.counts_simulations:
        return agent
    no_time = {"seconds": None} if hasattr(spec, "seconds") else {}
    return format_spec(dataclasses.replace(spec, iterations=iterations, **no_time))  # type: ignore[call-arg]
