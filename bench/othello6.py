"""Solve Othello on 6x6 from the first position, exactly.

    python bench/othello6.py [--empties 32]

Prints the result under perfect play, the first action, the positions visited and the time. Feinstein (1993) found that
the second player wins by 20 to 16. Takes hours and 1.5 GiB for the table. With fewer --empties the game first goes on
with alphabeta(depth=8) until so few are left, which shows how the time grows.
"""

import argparse
import time

from common import table

import boardlab as bl

SOLVER = 'alphabeta(score(outcome="discs"), solve_below=40, solve_nodes=4000000000000000)'


def main() -> None:
    """Print one row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--empties", type=int, default=32)
    chosen = parser.parse_args()
    game = bl.game("othello", size=6)
    state = game.initial_state()
    quick = bl.agent("alphabeta(score, depth=8)", game, seed=0)
    while list(state.fields[:36]).count(0) > chosen.empties:
        state.apply(quick.act(state).action)
    begin, cpu = time.perf_counter(), time.process_time()
    found = bl.agent(SOLVER, game, seed=0).act(state)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    score = found.values[found.action]
    table(
        "Othello 6x6, perfect play",
        ["empty", "discs for the mover", "action", "positions", "seconds", "CPU s"],
        [[str(chosen.empties), f"{score:+g}", state.action_text(found.action), f"{found.info['nodes']:,.0f}",
          f"{seconds:.1f}", f"{cpu:.1f}"]],
        "one core",
    )  # fmt: skip


if __name__ == "__main__":
    main()
