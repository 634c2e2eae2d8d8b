"""`boardlab agents`: list searches, evaluators, and the learners that train them."""

from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table

from boardlab.cli.common import console, known_players, table_of
from boardlab.cli.completion import complete_part
from boardlab.errors import OF_YOUR_OWN, unknown
from boardlab.evaluators import EVALUATORS
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.learners import LEARNERS, LearnerSettings
from boardlab.options import options_of
from boardlab.search.expression import AGENTS, format_spec


def agents(
    name: Annotated[
        str | None,
        typer.Argument(help="Describe this search, evaluator or learner.", autocompletion=complete_part),
    ] = None,
) -> None:
    """List the searches and evaluators of agents, and the learners."""
    if name is not None:
        kinds = (AGENTS, EVALUATORS, LEARNERS)
        if not any(name in group for group in kinds):
            known = dict.fromkeys(key for group in kinds for key in group.names())
            raise unknown("search, evaluator or learner", name, known, OF_YOUR_OWN)
        for group in kinds:  # some names are several: heur is an agent and an evaluator
            if name in group:
                console.print(_describe(name, group[name]))
        return
    console.print('An agent is a search, usually over an evaluator: "mcts(rollout, iterations=1000)".\n')
    for title, group in (("searches", AGENTS), ("evaluators", EVALUATORS), ("learners", LEARNERS)):
        group.load_installed()
        table = Table(box=None, header_style="bold", pad_edge=False)
        table.add_column(title)
        table.add_column("")
        for key, spec in group.items():
            table.add_row(key, _sentence(spec))
        console.print(table)
        console.print()
    if named := known_players():
        rows = [(player, named.given(player)) for player in named]
        console.print(table_of((f"players in {named.path}", ""), rows))
        console.print()
    console.print("Show the parameters of one of them: boardlab agents NAME", style="dim")


def _sentence(spec: type) -> str:
    return (spec.__doc__ or "").strip().splitlines()[0]


def _describe(name: str, spec: type) -> Group:
    rows = []
    for option in options_of(spec):
        evaluator = isinstance(option.default, EvaluatorSpec)
        default: Any = format_spec(option.default) if evaluator else option.default
        allowed = "an evaluator" if evaluator else option.allowed
        rows.append((option.shown_name, str(default), option.doc, allowed))
    if not rows:
        return Group(f"{name}: {_sentence(spec)}", "It has no parameters.")
    head = ("setting" if issubclass(spec, LearnerSettings) else "parameter", "default", "", "allowed")
    return Group(f"{name}: {_sentence(spec)}", "", table_of(head, rows))
