"""`boardlab inspect`: show an agent's opinion, or what a network has learned."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from boardlab.cli.common import agent_from, board, console, game_from, read_position
from boardlab.cli.completion import GameArgument, complete_agent
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State
from boardlab.learners import open_run
from boardlab.learners.ntuple.inspection import ActionView, Inspection
from boardlab.learners.ntuple.settings import NTupleSettings
from boardlab.numbers import counted, duration, plain
from boardlab.runs import check_writable, write_file
from boardlab.runs.folder import OtherGameError
from boardlab.search.agent import Decision
from boardlab.search.expression import agent as make_agent


def inspect(
    context: typer.Context,
    game: GameArgument,
    agent: Annotated[
        str | None,
        typer.Argument(
            help='An agent, as in "mcts(rollout, iterations=10000)"; omit it with --run.',
            autocompletion=complete_agent,
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="Look inside this run: its n-tuple network, or the opinion of any other learner's agent."
        ),
    ] = None,
    position: Annotated[
        str | None, typer.Option(help="The position as text or @FILE; default: the start.")
    ] = None,
    actions: Annotated[str | None, typer.Option(help='Actions played from there, as in "d3 c5".')] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the agent, the set-up and chance.")] = 0,
    layout: Annotated[bool, typer.Option("--layout", help="With --run: draw all tuples.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option(help="Draw the opinion into this SVG file; with --run, the tuples of its network."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="With --run: write the tuples into this file, for train --cells @FILE."),
    ] = None,
) -> None:
    """Show an agent's opinion, or what a run has learned."""
    if agent is not None and agent.startswith("--"):  # the game's first parameter, parsed as the agent
        context.args, agent = [agent, *context.args], None
    if run is not None:
        if agent is not None:
            raise BoardLabError("give an agent or --run, not both")
        opened = open_run(run)
        if not isinstance(opened.settings, NTupleSettings):
            if layout or export:
                raise BoardLabError(f"{run} is a {opened.settings.name} run, which has no tuples to draw")
            console.print(f"{opened.expression}\n", markup=False, soft_wrap=True)
            trained_on = _game_of_run(run, game, context)
            _show_opinion(opened.expression, read_position(trained_on, position, actions, seed), seed, svg)
            return
        _inspect_run(run, _game_of_run(run, game, context), position, actions, seed, layout, svg, export)
        return
    if agent is None:
        raise BoardLabError('inspect needs an agent, as in "mcts(iterations=1000)", or --run FOLDER')
    if layout or export:
        raise BoardLabError("--layout and --export need a network; add --run FOLDER")
    state = read_position(game_from(game, context), position, actions, seed)
    _show_opinion(agent_from(agent), state, seed, svg)


def _show_opinion(agent: str, state: State, seed: int, svg: Path | None) -> None:
    """Print the board and what the agent thinks of every action; draw it too."""
    if svg is not None:
        check_writable(svg)
    console.print(board(state))
    if state.is_terminal:
        raise BoardLabError("the game is over in this position, so there is nothing to decide")
    thinker = make_agent(agent, state.game, seed=seed)
    start = time.perf_counter()
    decision = thinker.act(state)
    seconds = time.perf_counter() - start
    names = state.action_names()
    console.print()
    console.print(opinion(decision, names))
    facts = ", ".join(f"{name} {plain(value)}" for name, value in decision.info.items())
    known = [plain(value, 3, sign=True) for value in decision.scores if value == value]
    outlook = f"expects {', '.join(known)}; " if len(known) == state.game.players else ""
    console.print(
        f"\nplays {names[decision.action]}; {outlook}{facts + '; ' if facts else ''}{duration(seconds)}",
        markup=False,
    )
    if len(decision.line) > 1:
        console.print(f"line of play: {line_text(state, decision.line)}", markup=False)
    if svg is not None:
        write_file(svg, decision.to_svg())
        console.print(f"opinion drawn: {svg}", markup=False, soft_wrap=True)


def line_text(state: State, line: Sequence[int]) -> str:
    """Write the actions as players do.

    Stop at an illegal one, which a user's agent may report.
    """
    position, words = state.copy(), []
    for action in line:
        if action not in position.legal_actions():
            break
        words.append(position.action_text(action))
        position.apply(action)
    return ", ".join(words)


def _game_of_run(run: Path, name: str, context: typer.Context) -> Game:
    """Return the run's game.

    A game given must agree with it, but its parameters may be omitted.
    """
    trained_on = open_run(run).game
    if context.args or name != trained_on.name:
        given = game_from(name, context)
        if given != trained_on:
            raise OtherGameError(run, trained_on, given)
    return trained_on


def _inspect_run(
    run: Path,
    game: Game,
    position: str | None,
    actions: str | None,
    seed: int,
    layout: bool,
    svg: Path | None,
    export: Path | None,
) -> None:
    for file in (svg, export):
        if file is not None:
            check_writable(file)
    state = read_position(game, position, actions, seed)
    inspection = Inspection(run)
    if not state.is_terminal or position or actions:
        console.print(board(state))
        console.print()
        views = inspection.position(state)
        names = state.action_names()
        console.print(_action_table(views, names))
        console.print()
        _print_voices(inspection, views[0], names[views[0].action])
        console.print()
    console.print(str(inspection), markup=False, soft_wrap=True)
    if layout:
        console.print(f"\n{counted(len(inspection.layout), 'tuples')}; ■ is a cell that the tuple reads\n")
        console.print(inspection.drawn_layout(width=console.width), markup=False, soft_wrap=True)
    if svg is not None:
        write_file(svg, inspection.layout_svg())
        console.print(f"tuples drawn: {svg}", markup=False, soft_wrap=True)
    if export is not None:
        write_file(export, inspection.layout_text())
        console.print(f"tuples written: {export}", markup=False, soft_wrap=True)


def _action_table(views: list[ActionView], names: dict[int, str], most: int = 20) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("action", "value", "sum of weights", ""):
        table.add_column(column, justify="right" if column in ("value", "sum of weights") else "left")
    shown = _shown(len(views), most)
    for view in views[:shown]:
        weights = "" if view.is_final else plain(view.sum, sign=True)
        note = "ends the game: its value is known" if view.is_final else ""
        table.add_row(
            names[view.action],
            plain(view.value, sign=True),
            weights,
            note,
            style="bold" if view is views[0] else None,
        )
    if len(views) > shown:
        table.add_row(f"… {len(views) - shown} more", "", "", "")
    return table


def _print_voices(inspection: Inspection, best: ActionView, name: str) -> None:
    """Print which tuples speak for and against the best action."""
    loudest = best.loudest()
    if best.is_final:
        console.print(f"{name} ends the game or the round, so no tuple evaluates it.", markup=False)
        return
    if not loudest:
        console.print(f"No tuple has learned anything about {name} yet: all its weights are 0.", markup=False)
        return
    tuples = len(inspection.layout)
    others = float(np.abs(best.contributions).sum()) - sum(abs(voice) for _, voice in loudest)
    count, tables = len(loudest), len(best.contributions)
    which = f"the {count} loudest of {tables} tables, and what each adds"
    if count == 1:
        which = (
            "the only table" if tables == 1 else f"the loudest of {tables} tables"
        ) + ", and what it adds"
    console.print(
        f"{name}: {which} to the sum {plain(best.sum, sign=True)} (a tuple counts once for all its symmetric "
        "boards):",
        markup=False,
        soft_wrap=True,
    )
    table = Table(box=None, show_header=False, pad_edge=False)
    longest = max(abs(voice) for _, voice in loudest)
    for number, voice in loudest:
        bar = ("+" if voice > 0 else "-") * max(1, round(24 * abs(voice) / longest))
        table.add_row(plain(voice, sign=True), bar, inspection.table_name(number).partition(":")[0])
    console.print(table)
    if others > 1e-9:
        rest = best.sum - sum(v for _, v in loudest)
        console.print(f"the others add {plain(rest, sign=True)}", markup=False)
    drawn = [number for number, _ in loudest if number < tuples]
    console.print()
    console.print(inspection.drawn_layout(drawn, console.width), markup=False, soft_wrap=True)


def opinion(decision: Decision, names: dict[int, str], most: int = 20) -> Table:
    """Tabulate the actions by falling probability, with a bar each."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    has_policy = any(decision.policy.values())  # some agents report only their action
    for column in ("action", *(("policy", "") if has_policy else ()), "value"):
        table.add_column(column, justify="right" if column in ("policy", "value") else "left")
    value = decision.values
    ranked = [action for action in decision.ranking() if action in decision.policy]
    shown = _shown(len(ranked), most)
    for action in ranked[:shown]:
        share = decision.policy[action]
        table.add_row(
            names[action],
            *((f"{share:.1%}", "█" * round(24 * share)) if has_policy else ()),
            plain(value[action], sign=True) if action in value else "",
            style="bold" if action == decision.action else None,
        )
    if len(ranked) > shown:
        table.add_row(f"… {len(ranked) - shown} more")
    return table


def _shown(count: int, most: int) -> int:
    """Return how many rows to show.

    Never end with a line "1 more", which the row itself could fill.
    """
    return count if count <= most + 1 else most
