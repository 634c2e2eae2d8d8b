"""Random games: ours beside OpenSpiel, in C++ and in Python, and a tight loop.

python bench/playouts.py [GAME ...]

C++     ours: the engine's playouts; OpenSpiel: `evaluate_bots` with uniformly random bots
Python  the same loop in Python over either library's states
tight   a hand-written C++ loop over the same rules: the limit

Breakthrough is examples/python_game.py: its rules are Python, OpenSpiel's are C++.
"""

import argparse
import ctypes
import random
import runpy
import shutil
import subprocess
import tempfile
from pathlib import Path

from common import best, console, rate, table

import boardlab as bl
from boardlab import _engine

try:
    import pyspiel
except ImportError:
    pyspiel = None

PEERS = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four",
    "othello": "othello",
    "nim": "nim",
    "2048": "2048",
    "hex": "hex(board_size=11)",
    "ewn": "einstein_wurfelt_nicht",
    "morpion": "morpion_solitaire",
    "kuhnpoker": "kuhn_poker",
    "breakthrough": "breakthrough(rows=5,columns=5)",
}
VARIANTS = {"morpion": {"variant": "4D"}, "ewn": {"start": "random"}}
GAMES = {
    "tictactoe": 20_000,
    "connectfour": 20_000,
    "othello": 4_000,
    "nim": 20_000,
    "2048": 200,
    "hex": 2_000,
    "ewn": 20_000,
    "morpion": 1_000,
    "kuhnpoker": 50_000,
    "breakthrough": 20,
}


def tight_loops() -> ctypes.CDLL | None:
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return None
    library = Path(tempfile.mkdtemp()) / "tight.so"
    source = Path(__file__).with_name("tight.cpp")
    subprocess.run(
        [compiler, "-std=c++20", "-O3", "-shared", "-fPIC", str(source), "-o", str(library)], check=True
    )
    loops = ctypes.CDLL(str(library))
    for name in ("connectfour", "othello"):
        function = getattr(loops, name)
        function.restype, function.argtypes = ctypes.c_long, (ctypes.c_long, ctypes.c_uint64)
    return loops


def our_game(game: bl.Game, rng: random.Random) -> int:
    """One random game, looped in Python over our states."""
    state = game.initial_state(rng.randrange(2**31))
    while not state.is_terminal:
        if state.player == bl.CHANCE:
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply(rng.choices(outcomes, weights)[0])
        else:
            state.apply(rng.choice(state.legal_actions()))
    return 1


def bots_game(game, bots, rng: random.Random) -> int:
    """One random game, looped in C++ by OpenSpiel."""
    pyspiel.evaluate_bots(game.new_initial_state(), bots, rng.randrange(2**31))
    return 1


def openspiel_game(game, rng: random.Random) -> int:
    """The same loop as `our_game` over OpenSpiel's states."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return 1


def beside(found: dict[str, float], ours: str, peer: str) -> list[str]:
    """The peer's figure, and the ratio of ours to it."""
    return [f"{found[peer]:,.0f}", f"{short(found[ours] / found[peer])}x"] if peer in found else ["", ""]


def short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help=", ".join(GAMES))
    chosen = parser.parse_args().games
    if unknown := next((name for name in chosen if name not in GAMES), None):
        parser.error(f'unknown game "{unknown}"; there are {", ".join(GAMES)}')
    loops = tight_loops()
    runpy.run_path(str(Path(__file__).parents[1] / "examples" / "python_game.py"))
    rng = random.Random(1)
    rows = []
    for name, games in GAMES.items():
        if chosen and name not in chosen:
            continue
        game = bl.game(name, **VARIANTS.get(name, {}))
        core = game.core
        actions_per_game = _engine.random_games(core, games, 1)[0] / games

        def ours(core=core, games=games):
            return rate(lambda: (_engine.random_games(core, games, 1), games)[1])

        measures = {"ours": ours}
        if loops is not None and hasattr(loops, name):
            loop = getattr(loops, name)
            tight_actions = loop(games, 1) / games
            if abs(tight_actions / actions_per_game - 1) > 0.02:
                raise SystemExit(f"{name}: the tight loop plays other games: {tight_actions} actions")
            measures["tight"] = lambda loop=loop, games=games: rate(lambda: (loop(games, 1), games)[1])
        if pyspiel is not None:
            peer = pyspiel.load_game(PEERS[name])
            bots = [pyspiel.make_uniform_random_bot(p, p) for p in range(peer.num_players())]
            measures["peer"] = lambda peer=peer, bots=bots: rate(lambda: bots_game(peer, bots, rng))
            measures["peer, Python"] = lambda peer=peer: rate(lambda: openspiel_game(peer, rng))
            measures["ours, Python"] = lambda game=game: rate(lambda: our_game(game, rng))
        found = best(measures)
        rows.append(
            [
                name,
                f"{found['ours']:,.0f}",
                f"{short(found['ours'] * actions_per_game / 1e6)} M",
                f"{found['ours'] / found['tight']:.2f}" if "tight" in found else "",
                *beside(found, "ours", "peer"),
                f"{found['ours, Python']:,.0f}" if "ours, Python" in found else "",
                *beside(found, "ours, Python", "peer, Python"),
            ]
        )
    table(
        "Random games a second",
        [
            "game",
            "ours, C++",
            "actions/s",
            "of tight",
            "OpenSpiel, C++",
            "ratio",
            "ours, Python",
            "OpenSpiel, Python",
            "ratio",
        ],
        rows,
    )
    if pyspiel is None:
        console.print("OpenSpiel is missing: make bench installs it")


if __name__ == "__main__":
    main()
