"""Prove the value of Othello on 6x6 from the first position: a minute.

    python bench/othello6.py [--empties 32] [--without 0] [--lessons 100000] [--table-mb 2048]

Two null windows prove it: the first player can reach -4 discs, and no more. Any other value would be found just so.
Feinstein (1993) found that the second player wins by 20 to 16. --empties 26 times a position of a game that goes on
with the best guesses until 26 cells are empty. --without leaves out savings of the search, as a check: the sum of
1 (learned order), 2 (looking up after-states), 4 (stable discs) and 8 (parity).
"""

import argparse
import time

from common import console, table

import boardlab as bl
from boardlab import _engine

GAME = bl.game("othello", size=6)
CELLS = 36


def boards(state: bl.State) -> tuple[int, int]:
    """Bitboards of the side to move and of the other."""
    discs = [sum(1 << cell for cell in range(CELLS) if state.fields[cell] == side) for side in (1, 2)]
    return (discs[0], discs[1]) if state.fields[CELLS] == 0 else (discs[1], discs[0])


def position(engine: _engine.OthelloProof, empties: int) -> bl.State:
    """The position in which the game of the best guesses has that number of empty cells."""

    def promise(action: int) -> int:
        after = state.copy()
        after.apply(action)
        return -engine.guess(*boards(after), 5)

    state = GAME.initial_state()
    while list(state.fields[:CELLS]).count(0) > empties:
        state.apply(max(state.legal_actions(), key=promise))
    return state


def prove(engine: _engine.OthelloProof, state: bl.State, first: int = -4) -> int:
    """The final disc difference for the side to move, by null windows from a first guess on (MTD(f))."""
    lower, upper, least = -CELLS, CELLS, first
    while lower < upper:
        before, begin = engine.nodes, time.process_time()
        value = engine.bound(*boards(state), least)
        if value >= least:
            verdict, lower, least = f"at least {value:+d}", value, value + 1
        else:
            verdict, upper, least = f"at most {value:+d}", value, value
        cost = f"{engine.nodes - before:,} positions, {time.process_time() - begin:.1f} CPU s"
        console.print(f"{verdict} for the side to move: {cost}")
    return lower


def main() -> None:
    """Print the bounds as they are proven, then one row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--empties", type=int, default=32)
    parser.add_argument("--without", type=int, default=0)
    parser.add_argument("--lessons", type=int, default=100_000)
    parser.add_argument("--table-mb", type=int, default=2048)
    chosen = parser.parse_args()
    begin = time.process_time()
    engine = _engine.OthelloProof(table_mb=chosen.table_mb, lessons=chosen.lessons, without=chosen.without)
    engine.guess(*boards(GAME.initial_state()), 0)  # what is asked first makes it learn
    learned = time.process_time()
    console.print(f"order of actions learned from {chosen.lessons:,} games: {learned - begin:.1f} CPU s")
    state = position(engine, chosen.empties)
    value = prove(engine, state)
    seconds = time.process_time() - begin
    columns = ["empty", "discs for the side to move", "positions", "CPU s, learning included"]
    table("Othello 6x6, perfect play", columns,
          [[str(chosen.empties), f"{value:+d}", f"{engine.nodes:,}", f"{seconds:.1f}"]], "one core")  # fmt: skip


if __name__ == "__main__":
    main()
