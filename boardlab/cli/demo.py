"""`boardlab demo`: a tour of what works, in under a minute."""

import time

from rich.rule import Rule

import boardlab as bl
from boardlab.cli.common import board, console
from boardlab.cli.inspect import opinion


def demo() -> None:
    """Watch agents play: a match, a mind at work, a cube solved, tiles merged."""
    start = time.perf_counter()
    _match()
    _othello()
    _cube()
    _tiles()
    console.print(Rule(style="dim"))
    console.print(f"That took {time.perf_counter() - start:.0f} s. Your turn: boardlab play connectfour")


def _title(words: str) -> None:
    console.print(Rule(words, align="left", style="dim"))


def _match() -> None:
    _title("Connect Four: how much does looking ahead help?")
    game = bl.game("connectfour")
    for one, other in (
        ("mc(iterations=500)", "random"),
        ("mcts(iterations=500)", "mc(iterations=500)"),
        ("mcts(iterations=4000)", "mcts(iterations=500)"),
    ):
        console.print(str(bl.match(game, [one, other], games=40, seed=1)), markup=False)
        console.print()


def _othello() -> None:
    _title("Othello: the last eleven squares, played out to the end")
    game = bl.game("othello")
    state = game.initial_state()
    state.core.playout(8, 49)
    console.print(board(state))
    agent = bl.agent('alphabeta(score(outcome="discs"), depth=30, exact=True)', game)
    begin = time.perf_counter()
    decision = agent.act(state)
    names = state.action_names()
    console.print(opinion(decision, names))
    nodes = decision.info["nodes"]
    console.print(f"the exact difference in discs after each action: {nodes:,.0f} positions in ", end="")
    console.print(f"{time.perf_counter() - begin:.2f} s\n")


def _cube() -> None:
    _title("Rubik's cube 2x2x2: a shortest way home")
    game = bl.game("rubiks", twists=12)
    state = game.initial_state(seed=5)
    console.print(board(state))
    agent = bl.agent("greedy(solver)", game)
    twists = []
    while not state.is_terminal:
        action = agent.act(state).action
        twists.append(state.action_text(action))
        state.apply(action)
    console.print(f"{len(twists)} twists: {' '.join(twists)}\n")


def _tiles() -> None:
    _title("2048: looking ahead with random playouts")
    game = bl.game("2048")
    for agent in ("random", "mc(iterations=100)"):
        result = bl.match(game, [agent], games=20 if agent == "random" else 2, seed=3)
        console.print(str(result), markup=False)
    state = bl.game("2048").initial_state()
    for action in result.records[0].actions:
        state.apply(action)
    console.print(board(state))
