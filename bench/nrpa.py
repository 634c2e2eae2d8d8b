"""How far NRPA gets in a puzzle: search from the start until time is up.

python bench/nrpa.py morpion --variant 5D --minutes 10
python bench/nrpa.py rubiks --twists 6 --level 2 --minutes 1 --code ply

Prints every search, and at the end the best score, the mean and the speed, all in CPU time of one core. The best
sequence is saved as text, an action a line.
"""

import argparse
import math
import time
from pathlib import Path

from common import console, machine, mean

import boardlab as bl
from boardlab.runs import RunFolder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--variant", help="of morpion: 5D, 5T, 4D, 4T (default 5D)")
    parser.add_argument("--twists", type=int, help="of rubiks: scramble twists (default 6)")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--code", choices=("action", "ply"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the best sequence (default GAME-nrpa.txt)")
    chosen = parser.parse_args()
    parameters = {}
    if chosen.game == "morpion":
        parameters["variant"] = chosen.variant or "5D"
    if chosen.game == "rubiks":
        parameters["twists"] = chosen.twists or 6
    game = bl.game(chosen.game, **parameters)
    code = f', code="{chosen.code}"' if chosen.code else ""
    settings = f"level={chosen.level}, iterations={chosen.iterations}, alpha={chosen.alpha}{code}"
    start = game.initial_state(seed=chosen.seed)
    out = chosen.out or Path(f"{chosen.game}-nrpa.txt")
    console.print(
        f"nrpa({settings}) on {game!r}, seed {chosen.seed}, {chosen.minutes:g} minutes\n{machine('one core, CPU time')}\n"
    )

    begin, playouts, longest, scores = time.process_time(), 0.0, 0.0, []
    seed = chosen.seed
    # Only whole searches, so that a seed's result does not depend on the machine; stops when the next would not fit.
    while not scores or time.process_time() - begin + longest <= 60 * chosen.minutes:
        started = time.process_time()
        agent = bl.agent(f"nrpa({settings})", game, seed=seed)
        info = agent.act(start).info
        longest = max(longest, time.process_time() - started)
        playouts += info["playouts"]
        scores.append(info["score"])
        console.print(f"{time.process_time() - begin:8.1f} s  seed {seed:<4}  {info['score']:g}")
        if scores[-1] > max(scores[:-1], default=-math.inf):
            RunFolder(out.parent).write_text(out.name, follow(agent, start))
        seed += 1
    spent = time.process_time() - begin
    console.print(
        f"\nbest {max(scores):g} of {len(scores)} searches, kept in {out}; mean {mean(scores)} (95%)"
    )
    console.print(f"{playouts:,.0f} playouts in {spent:.1f} s: {1e6 * spent / playouts:.1f} us each")


def follow(agent: bl.Agent, start: bl.State) -> str:
    """The planned game as text, played by the rules."""
    state, lines = start.copy(), []
    while not state.is_terminal:
        action = agent.act(state).action
        lines.append(state.action_text(action))
        state.apply(action)
    return "".join(line + "\n" for line in [f"# {state.game!r}, score {state.scores[0]:g}", *lines])


if __name__ == "__main__":
    main()
