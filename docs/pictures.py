"""Draw the picture of every game for docs/games: a seeded random position.

python docs/pictures.py            # all games
python docs/pictures.py hex ewn    # some
"""

import sys
from pathlib import Path

import boardlab as bl

ACTIONS = {
    "2048": 60, "othello": 22, "connectfour": 10, "tictactoe": 4, "nim": 2, "rubiks": 0,
    "kuhnpoker": 1, "leducpoker": 2, "blackjack": 3, "poker": 8,
    "sim": 9, "ewn": 6, "morpion": 45,
    "gobang": 14, "hex": 48,
}  # fmt: skip
PARAMETERS = {"poker": {"players": 4}}


def position(name: str) -> bl.State:
    """Return a position of a random game as the player to move sees it."""
    state = bl.game(name, **PARAMETERS.get(name, {})).initial_state(seed=2)
    state.core.playout(3, ACTIONS.get(name, 12))
    for outcome_seed in range(100):
        if state.player != bl.CHANCE:
            break
        state.apply(state.sample_chance(outcome_seed))
    return state.seen_by(state.player) if state.game.is_hidden else state


if __name__ == "__main__":
    for game in sys.argv[1:] or bl.games():
        path = Path(__file__).parent / "games" / f"{game}.svg"
        path.write_text(position(game).to_svg())
        print(path.name)
