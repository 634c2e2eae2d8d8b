"""Draw the picture of every game for docs/games, or a contact sheet of all games and variants.

python docs/pictures.py                    # all games
python docs/pictures.py hex ewn            # some
python docs/pictures.py opinion            # docs/pictures/opinion.svg
python docs/pictures.py --sheet FILE.html  # every variant: in the middle, at the end, with an opinion

A browser shows the sheet at any width, in the colour scheme of the system.
"""

import argparse
import html
import random
from pathlib import Path

import boardlab as bl

ACTIONS = {
    "2048": 90, "othello": 22, "connectfour": 10, "tictactoe": 4, "nim": 2, "rubiks": 1,
    "kuhnpoker": 3, "leducpoker": 5, "blackjack": 5, "poker": 12,
    "sim": 9, "ewn": 7, "morpion": 45,
    "gobang": 14, "hex": 48,
}  # fmt: skip
"""How many actions and chance events are played before the picture, 12 by default."""
PARAMETERS = {"poker": {"players": 4}}
STYLE = """
:root { color-scheme: light dark; }
body { font-family: sans-serif; margin: 12px; background: light-dark(#fff, #101216); }
h2 { margin: 24px 0 4px; }
div { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }
figure { margin: 0; max-width: 100%; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 12px; max-width: 300px; }
"""


def played(state: bl.State, actions: int, seed: int) -> bl.State:
    """Play random actions until a player is to move; stop at the end of the game."""
    rng = random.Random(seed)
    while not state.is_terminal and (actions > 0 or state.player == bl.CHANCE):
        chance = state.player == bl.CHANCE
        state.apply(
            state.sample_chance(rng.randrange(2**32)) if chance else rng.choice(state.legal_actions())
        )
        actions -= 1
    return state


def position(name: str) -> bl.State:
    """Return a position of a random game as the player to move sees it."""
    state = bl.game(name, **PARAMETERS.get(name, {})).initial_state(seed=2)
    played(state, ACTIONS.get(name, 12), seed=3)
    return state.seen_by(state.player) if state.game.is_hidden else state


def drawn(name: str) -> str:
    """Draw the picture for the page of a game, with the legal actions."""
    return position(name).to_svg(legal=True)


def figure(state: bl.State, words: str, decision: bl.Decision | None = None) -> str:
    """Return a position with its caption as HTML."""
    picture = state.to_svg(decision, legal=True)
    return f"<figure>{picture}<figcaption>{html.escape(words)}</figcaption></figure>"


def figures(game: bl.Game, words: str) -> list[str]:
    """Draw a game in the middle, with an opinion, and at the end."""
    middle = played(game.initial_state(seed=2), ACTIONS.get(game.name, 12), seed=3)
    if middle.is_terminal:
        middle = played(game.initial_state(seed=2), 2, seed=3)
    pictures = []
    if not middle.is_terminal:
        seen = middle.seen_by(middle.player)
        pictures.append(figure(seen, words))
        decision = bl.agent("mcts(rollout, iterations=200)", game, seed=1).act(middle)
        pictures.append(figure(seen, f"{words}: an opinion", decision))
    end = played(game.initial_state(seed=4), 3000, seed=5)
    return [*pictures, figure(end, f"{words}: the end" if end.is_terminal else f"{words}: later")]


def sheet() -> str:
    """Return the contact sheet as a page."""
    parts = [f"<!doctype html><meta charset=utf-8><title>Pictures</title><style>{STYLE}</style>"]
    for name in bl.games():
        parts.append(f"<h2>{name}</h2><div>")
        for variant in bl.game(name).rules.variants:
            words = " ".join([name, *(f"{key}={value}" for key, value in variant.items())])
            parts += figures(bl.game(name, **variant), words)
        parts.append("</div>")
    return "\n".join(parts)


def opinion() -> str:
    """Draw what a search thinks of a position of Connect Four, for docs/pictures.md."""
    game = bl.game("connectfour")
    state = game.from_text("334242")
    return bl.agent("mcts(rollout, iterations=2000)", game, seed=1).act(state).to_svg()


def main() -> None:
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", help="games to draw; default: all")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="write a contact sheet instead")
    arguments = parser.parse_args()
    if arguments.sheet:
        arguments.sheet.write_text(sheet(), encoding="utf-8")
        return
    docs = Path(__file__).parent
    for name in arguments.games or [*bl.games(), "opinion"]:
        path = docs / ("pictures" if name == "opinion" else "games") / f"{name}.svg"
        path.write_text(opinion() if name == "opinion" else drawn(name), encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
