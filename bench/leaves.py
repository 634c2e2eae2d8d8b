"""Cost and gain of evaluating several leaves of a tree together.

python bench/leaves.py RUN --iterations 20 50 100 200 800 --ways 8:0 8:256 --games 300 --out leaves.jsonl

Elo on connectfour. A way is batch:leaf_visits of `mcts`; 8:0 always has eight leaves. Every way plays against
`batch=1` over the same net without MCTS-Solver, with the same iterations or, with --equal time, with as many as take
the time of one leaf. Time is CPU time a move on one thread in positions of random games, with the net of RUN or an
untrained one of --time-net's size.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import table, tell

import boardlab as bl
from boardlab.search.agent import Agent

POSITIONS, REPEATS = 20, 3


def agent(net: str, iterations: int, way: str) -> str:
    """The search without its solver, because a proven root would end it early."""
    batch, visits = way.split(":")
    return f'mcts(net("{net}"), iterations={iterations}, solver=False, batch={batch}, leaf_visits={visits})'


def positions(game: bl.Game, seed: int) -> list[bl.State]:
    """Positions of random games."""
    chooser, found = np.random.default_rng(seed), list[bl.State]()
    while len(found) < POSITIONS:
        state = game.initial_state()
        for _ in range(int(chooser.integers(4, 24))):
            if not state.is_terminal:
                state.apply(int(chooser.choice(state.legal_actions())))
        if not state.is_terminal:
            found.append(state)
    return found


def milliseconds(searches: dict[str, Agent], states: list[bl.State]) -> dict[str, float]:
    """CPU time per move of each way: the minimum of several repeats, because a busy machine only slows down."""
    least = dict.fromkeys(searches, np.inf)
    for _ in range(REPEATS):
        for way, search in searches.items():
            begin = time.process_time()
            for number, state in enumerate(states):
                search.reset(number)
                search.act(state)
            least[way] = min(least[way], 1000 * (time.process_time() - begin) / len(states))
    return least


def untrained(size: str, folder: Path) -> str:
    """A run with an untrained net of blocks x channels."""
    blocks, channels = map(int, size.split("x"))
    settings: dict[str, Any] = {"games": 2, "parallel": 2, "simulations": 2, "device": "cpu", "threads": 1}
    settings |= {"simulations_first": None, "gumbel": None, "blocks": blocks, "channels": channels}
    return str(bl.train(bl.game("connectfour"), "alphazero", episodes=2, out=folder / size, **settings).path)


def main() -> None:
    """Measure times, play and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run")
    parser.add_argument("--iterations", type=int, nargs="+", default=[20, 50, 100, 200, 800])
    parser.add_argument("--ways", nargs="+", default=["8:0", "8:256"], help="batch:leaf_visits")
    parser.add_argument("--equal", nargs="+", choices=("iterations", "time"), default=["iterations"])
    parser.add_argument("--games", type=int, default=300, help="games a match; 0: times only")
    parser.add_argument("--random-actions", type=int, default=6)
    parser.add_argument("--time-net", help="blocks x channels, as in 5x64")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="append matches as lines of JSON")
    given = parser.parse_args()
    game, rows = bl.game("connectfour"), []
    with tempfile.TemporaryDirectory() as folder:
        timed = untrained(given.time_net, Path(folder)) if given.time_net else given.run
        for iterations in given.iterations:
            ways = ["1:0", *given.ways]
            searches = {way: bl.agent(agent(timed, iterations, way), game) for way in ways}
            spent = milliseconds(searches, positions(game, given.seed))
            for way in given.ways:
                found = _meet(given, game, iterations, way, spent)
                rows.append([str(iterations), way, f"{spent['1:0'] / spent[way]:.2f}", *found])
    columns = ["iterations", "way", "speed", *(f"Elo, equal {what}" for what in given.equal)]
    table("Against one leaf at a time, connectfour 6x7", columns, rows, "one thread")


def _meet(
    given: argparse.Namespace, game: bl.Game, iterations: int, way: str, spent: dict[str, float]
) -> list[str]:
    """The Elo of the way in a match at equal iterations or equal time."""
    text = []
    for equal in given.equal if given.games else []:
        ours = iterations if equal == "iterations" else round(iterations * spent["1:0"] / spent[way])
        pair = [agent(given.run, ours, way), agent(given.run, iterations, "1:0")]
        result = bl.match(game, pair, given.games, given.seed, threads=1, random_actions=given.random_actions)
        elo, low, high = (round(number) for number in result.elo)
        tell(
            {
                "iterations": [ours, iterations],
                "way": way,
                "equal": equal,
                "games": result.games,
                "distinct": result.distinct,
                "wins": result.wins[0],
                "draws": result.draws,
                "losses": result.wins[1],
                "elo": [elo, low, high],
                "ms": [round(spent[way], 3), round(spent["1:0"], 3)],
                "time_net": given.time_net or "run",
            },
            given.out,
        )
        text.append(f"{elo:+d} ({low:+d} to {high:+d})")
    return text


if __name__ == "__main__":
    main()
