"""Write the positions of the exam `stages` with their exact values.

    python tools/connectfour_positions.py OUT [--each N] [--seed N]

Six sets as in AlphaZero.jl's tutorial and its source, Pascal Pons's test sets: by the number of stones on the
board (begin: at most 12, middle: 14 to 27, end: from 28 on) and the distance of the end under best play
(easy: fewer than 14 plies, medium: 14 to 27, hard: 28 and more). Positions come from unfinished random games,
with a number of stones drawn uniformly in its range; each is kept once. The signs come from bitbully: a
column that wins, draws, loses, or is full.
"""

import argparse
import random
from pathlib import Path

import boardlab as bl
from boardlab.references.connectfour import solver

STONES = {"begin": (0, 12), "middle": (14, 27), "end": (28, 40)}
LEFT = {"easy": (0, 13), "medium": (14, 27), "hard": (28, 42)}
SETS = ("begin-hard", "begin-medium", "begin-easy", "middle-medium", "middle-easy", "end-easy")


def plies_left(scores: dict[int, int], stones: int) -> int:
    """Return the plies until the end if the winner hurries and the loser delays."""
    best = max(scores.values())
    if best == 0:
        return 42 - stones
    winner = stones % 2 if best > 0 else 1 - stones % 2
    return (44 if winner else 43) - 2 * abs(best) - stones


def _sign(score: int) -> str:
    return "+" if score > 0 else "-" if score < 0 else "="


def main() -> None:
    """Draw, solve and write the positions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = bl.game("connectfour")
    scores_of = solver(game)
    rng = random.Random(options.seed)
    lines = [
        f"# Made by tools/connectfour_positions.py --each {options.each} --seed {options.seed}; see there.",
        "# The set, the columns played, what each is worth to the mover: + win, = draw, - loss, . full",
    ]
    for name in SETS:
        stage, hardness = name.split("-")
        seen: set[bytes] = set()
        while len(seen) < options.each:
            state, columns = game.initial_state(), ""
            for _ in range(rng.randint(*STONES[stage])):
                if not state.is_terminal:
                    action = rng.choice(state.legal_actions())
                    columns += str(action + 1)
                    state.apply(action)
            if state.is_terminal or state.core.to_bytes() in seen:
                continue
            scores = scores_of(state)
            low, high = LEFT[hardness]
            if not low <= plies_left(scores, len(columns)) <= high:
                continue
            seen.add(state.core.to_bytes())
            signs = "".join(_sign(scores[c]) if c in scores else "." for c in range(7))
            lines.append(f"{name} {columns or '-'} {signs}")
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
