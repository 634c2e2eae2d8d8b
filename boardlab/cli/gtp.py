"""`boardlab gtp`: offer an agent as a GTP engine to other programs."""

import sys
from typing import Annotated

import typer

from boardlab.bridges.gtp import GtpServer
from boardlab.cli.common import agent_from, game_from
from boardlab.cli.completion import GameOption, complete_agent
from boardlab.search.expression import agent as make_agent


def gtp(
    context: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            help='An agent, as in "mcts(rollout, iterations=1000)".', autocompletion=complete_agent
        ),
    ],
    game: GameOption = "othello",
    seed: Annotated[int, typer.Option(help="Random seed of the agent.")] = 0,
) -> None:
    """Play through the Go Text Protocol (GTP)."""
    server = GtpServer(make_agent(agent_from(agent), game_from(game, context), seed))
    server.serve(sys.stdin, sys.stdout)
