"""`boardlab inspect`: what an agent thinks of every action in a position."""

import time
from typing import Annotated

import typer
from rich.table import Table

from boardlab.cli.common import board, console, game_from, read_position
from boardlab.errors import BoardLabError
from boardlab.search.agent import Decision
from boardlab.search.expression import agent as make_agent


def inspect(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game; its parameters follow as --NAME VALUE.")],
    agent: Annotated[str, typer.Argument(help='An agent, as in "mcts(rollout, iterations=10000)".')],
    position: Annotated[
        str | None, typer.Option(help="The position as text, or @FILE; by default the start.")
    ] = None,
    actions: Annotated[str | None, typer.Option(help='Actions played from there, as in "d3 c5".')] = None,
    seed: Annotated[int, typer.Option(help="Of the agent, the set-up and chance.")] = 0,
) -> None:
    """Show what an agent thinks of every action in a position."""
    chosen = game_from(game, context)
    state = read_position(chosen, position, actions, seed)
    console.print(board(state))
    if state.is_terminal:
        raise BoardLabError("the game is over in this position: there is nothing to decide")
    thinker = make_agent(agent, chosen, seed=seed)
    start = time.perf_counter()
    decision = thinker.act(state)
    seconds = time.perf_counter() - start
    names = state.action_names()
    console.print()
    console.print(opinion(decision, names))
    facts = ", ".join(f"{name} {value:,.0f}" for name, value in decision.info.items())
    known = [f"{value:+.3g}" for value in decision.scores if value == value]
    outlook = f"expects {', '.join(known)}; " if len(known) == chosen.players else ""
    console.print(
        f"\nplays {names[decision.action]}; {outlook}{facts + '; ' if facts else ''}{seconds * 1000:.3g} ms",
        markup=False,
    )


def opinion(decision: Decision, names: dict[int, str], most: int = 20) -> Table:
    """The actions from the most to the least probable, with a bar each."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("action", "policy", "", "value"):
        table.add_column(column, justify="right" if column in ("policy", "value") else "left")
    value = decision.values
    ranked = sorted(decision.policy, key=lambda a: (-decision.policy[a], -value.get(a, float("-inf"))))
    for action in ranked[:most]:
        share = decision.policy[action]
        table.add_row(
            names[action],
            f"{share:.1%}",
            "█" * round(24 * share),
            f"{value[action]:+.4g}" if action in value else "",
            style="bold" if action == decision.action else None,
        )
    if len(ranked) > most:
        table.add_row(f"… {len(ranked) - most} more", "", "", "")
    return table
