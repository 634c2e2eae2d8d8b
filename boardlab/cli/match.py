"""`boardlab match`: agents meet."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.arena.match import match as play_match
from boardlab.arena.records import check_format
from boardlab.cli.common import console, game_bar, game_from


def match(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game; its parameters follow as --NAME VALUE.")],
    agents: Annotated[
        list[str],
        typer.Argument(
            help='One a player, as in random "mcts(rollout)"; the game\'s parameters follow them.'
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-n", help="Number of games.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same match.")] = 0,
    random_actions: Annotated[
        int, typer.Option(help="Random actions before the agents take over, the same in all seat orders.")
    ] = 0,
    threads: Annotated[int, typer.Option(help="Games played at once.")] = 1,
    save: Annotated[
        Path | None, typer.Option(help="Write the games into this file: .pgn; othello .ggf.", metavar="FILE")
    ] = None,
) -> None:
    """Let agents play each other in all seat orders, and say how sure the result is."""
    # What follows the agents with two dashes belongs to the game.
    words = [*agents, *context.args]
    first = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    context.args = words[first:]
    arena_game = game_from(game, context)
    if save is not None:
        check_format(save, arena_game)
    with game_bar("playing", games) as tell:
        result = play_match(
            arena_game,
            words[:first],
            games,
            seed,
            random_actions=random_actions,
            threads=threads,
            progress=tell,
        )
    console.print(str(result), markup=False, soft_wrap=True)
    if save is not None:
        result.save(save)
        console.print(f"saved: {save}", markup=False, soft_wrap=True)
    for record in [r for r in result.records if r.error][:3]:
        console.print(f"error: {record.error}", style="red", markup=False)
