"""`boardlab play`: a person against agents, in the terminal."""

import random
from typing import Annotated

import typer

from boardlab.cli.common import board, console, game_from, read_position, settle_chance
from boardlab.cli.inspect import opinion
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State, as_integer
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

HELP = "u takes back, h shows what the agent would play, l lists the actions, q stops"


def play(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game; its parameters follow as --NAME VALUE.")],
    against: Annotated[
        str, typer.Option(help="Plays the other seats and gives hints.")
    ] = "mcts(rollout, seconds=0.5)",
    seat: Annotated[int, typer.Option(help="Your seat; seat 0 begins.")] = 0,
    position: Annotated[str | None, typer.Option(help="Start from this position, as text or @FILE.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the agents, the set-up and chance.")] = None,
) -> None:
    """Play against an agent."""
    chosen = game_from(game, context)
    as_integer("the seat", seat, 0, chosen.players - 1)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    opponents = {
        other: make_agent(against, chosen, seed=seed + other)
        for other in range(chosen.players)
        if other != seat
    }
    hinter = make_agent(against, chosen, seed=seed + seat)
    state = read_position(chosen, position, None, seed)
    console.print(f"{chosen.name}: {chosen.rules.summary}.", style="bold", markup=False)
    console.print(f"You are {chosen.rules.player_name(seat)}. {HELP}.\n", markup=False)
    try:
        _play(chosen, state, seat, opponents, hinter, random.Random(seed))
    except (EOFError, KeyboardInterrupt):
        console.print("\nstopped")


def _play(
    game: Game, state: State, seat: int, opponents: dict[int, Agent], hinter: Agent, rng: random.Random
) -> None:
    while not state.is_terminal:
        if state.round_over:
            console.print(board(state.seen_by(seat)))
            console.print(f"The round is over; your score so far: {state.scores[seat]:+g}\n", style="bold")
        told = settle_chance(state, rng)
        if told and not game.is_hidden:
            console.print(f"chance: {' '.join(told)}", style="dim", markup=False)
        if state.is_terminal:
            break
        if state.player == seat:
            console.print(board(state.seen_by(seat)))
            if not _your_turn(state, seat, hinter):
                return
            continue
        decision = opponents[state.player].act(state)
        name = game.rules.player_name(state.player)
        console.print(f"{name} plays {state.action_text(decision.action)}\n", style="bold", markup=False)
        state.apply(decision.action)
    console.print(board(state.seen_by(seat)))
    _farewell(state, seat)


def _your_turn(state: State, seat: int, hinter: Agent) -> bool:
    """Asks until an action is played or taken back; False when the person has had enough."""
    while True:
        answer = input(f"{state.game.rules.player_name(seat)}: ").strip()
        if answer == "q":
            return False
        if answer == "u":
            if take_back(state, seat):
                return True
            console.print("there is nothing to take back")
        elif answer in ("l", "?", ""):
            names = state.action_names().values()
            console.print(f"{HELP}\n{', '.join(names)}", markup=False, soft_wrap=True)
        elif answer == "h":
            decision = hinter.act(state)
            console.print(opinion(decision, state.action_names(), most=6))
        else:
            try:
                state.apply(state.parse_action(answer))
            except BoardLabError as error:
                console.print(str(error), style="red", markup=False)
                continue
            return True


def take_back(state: State, seat: int) -> bool:
    """Back to the person's previous decision; False when there is none."""
    earlier = state.copy()
    while earlier.actions_played:
        earlier.undo()
        if earlier.player == seat:
            while state.actions_played > earlier.actions_played:
                state.undo()
            return True
    return False


def _farewell(state: State, seat: int) -> None:
    scores = state.scores
    if len(scores) == 1:
        console.print(f"Your score: {scores[0]:g}")
        return
    best = max(scores)
    winners = [p for p, score in enumerate(scores) if score == best]
    if len(winners) == len(scores):
        console.print("Nobody wins.")
        return
    names = " and ".join(state.game.rules.player_name(winner) for winner in winners)
    verb = "win" if len(winners) > 1 else "wins"
    console.print("You win!" if seat in winners else f"{names} {verb}.", style="bold", markup=False)
