"""Fits the presets of n-tuple learners to a game's parameters."""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from boardlab.checks import is_number
from boardlab.errors import BoardLabError
from boardlab.games.ewn import Ewn
from boardlab.games.game import Game
from boardlab.games.nim import Nim
from boardlab.games.rubiks import Rubiks
from boardlab.learners.ntuple.presets import PRESETS

Settings = dict[str, Any]

MOST_ENTRIES = 20_000_000
"""Table entries in a game without a default of its own."""

MOST_SYMMETRIES = 24
"""Symmetries, where the preset sets none: time grows with each, and a graph of n nodes has n!."""


def make_room(chosen: Settings, given: Mapping[str, Any]) -> None:
    """Drop what the preset sets and the `given` settings exclude."""
    if "reward" not in given and given.get("sigma") == "tanh":
        chosen.pop("reward", None)  # tanh learns the score
    threads, replay = given.get("threads", 1), given.get("replay", 0)
    if (is_number(threads) and threads > 1) or (is_number(replay) and replay > 0):
        chosen.pop("solve_below", None)  # exact targets need one thread and no replay buffer


def paper_variant(game: Game) -> Settings:
    """Settings of the preset "paper" that differ in a variant of the game.

    A preset cannot change the game's parameters: where it fits only some of them, others are refused.
    """
    rules = game.rules
    if isinstance(rules, Rubiks):
        twists = {(2, "htm"): 13, (2, "qtm"): 16, (3, "htm"): 9, (3, "qtm"): 13}[rules.size, rules.metric]
        step_reward = -0.04 if rules.size == 2 else -0.1
        if (rules.twists, rules.step_reward) != (twists, step_reward):
            raise BoardLabError(
                f"the preset paper for this cube is for twists={twists} and step_reward={step_reward} "
                f"(--twists {twists} --step-reward {step_reward}), not for {rules.twists} and "
                f"{rules.step_reward:g}; the default takes any"
            )
    if isinstance(rules, Ewn) and rules.stones == 3:  # 3x3; the preset itself is for 5x5
        return {"epsilon": 0.1, "epsilon_final": 0.0, "coherence": "off"}
    if isinstance(rules, Nim) and rules.players == 3:
        return {
            "episodes": 300_000,
            "alpha": 0.2,
            "epsilon": 0.15,
            "epsilon_final": 0.15,
            "horizon_cut": 0.01,
            "traces": "reset",
        }
    return {}


def default_variant(game: Game) -> Settings:
    """Settings of the preset "default" that differ in a variant of the game."""
    rules = game.rules
    if isinstance(rules, Nim) and rules.players == 3:
        # Starts from all over the game, and no exploration at the end: with the extra rule these reach
        # perfect play in every run, the published ones do not (docs/results/konen2022.md).
        return {
            "episodes": 100_000,
            "alpha": 0.5,
            "alpha_final": 0.05,
            "epsilon": 0.3,
            "epsilon_final": 0.0,
            "lambda_": 0.0,
            "coherence": "off",
            "choose_start": 0.8,
            "start_actions": 9,
            "start_actions_min": 1,
            "learn_from_random": False,
        }
    return {}


def fitted(game: Game, chosen: Settings) -> Settings:
    """The preset `chosen`, fitted to the game."""
    if game.name in _GAMES:
        _GAMES[game.name](game, chosen)
    if game.symmetries > MOST_SYMMETRIES:
        chosen.setdefault("symmetries", MOST_SYMMETRIES)
    cells = game.core.cells
    if "default" not in PRESETS.get(game.name, {}) and "tuples" in chosen and cells:
        _limit_entries(game, chosen)
    walks = chosen.get("layout", "walk") == "walk" and not chosen.get("neighbourhood")
    if walks and cells and not game.core.adjacency():  # there is nowhere to walk
        chosen["layout"] = "points"
    if chosen.get("layout", "walk") in ("walk", "points") and cells:
        _limit_tuples(cells, chosen)
    return chosen


def _limit_entries(game: Game, chosen: Settings) -> None:
    """Shorten tuples whose tables would take gigabytes."""
    entries = chosen["tuples"] * game.players
    while chosen["length"] > 1 and entries * max(game.core.cell_values()) ** chosen["length"] > MOST_ENTRIES:
        chosen["length"] -= 1


def _limit_tuples(cells: int, chosen: Settings) -> None:
    """Fit the length and the number of random tuples to a small board."""
    chosen["length"] = min(chosen.get("length", 6), cells)
    if chosen["length"] == cells:
        chosen["tuples"] = 1
    elif cells <= 12:
        chosen["tuples"] = min(chosen["tuples"], cells)


# ---- single games ----


def _fit_nim(game: Game, chosen: Settings) -> None:
    chosen["length"] = game.core.cells


def _fit_rubiks(game: Game, chosen: Settings) -> None:
    size, metric = getattr(game.rules, "size", 2), getattr(game.rules, "metric", "htm")
    limits = {(2, "htm"): 16, (2, "qtm"): 20, (3, "htm"): 13, (3, "qtm"): 16}
    chosen["episode_limit"] = limits[size, metric]
    chosen["tuples"] = 60 if size == 2 else 120
    if takes_no_reversal(game):
        chosen.pop("skip_reversal", None)


def takes_no_reversal(game: Game) -> bool:
    """Whether no action leads back: the position before has another last twist."""
    return isinstance(game.rules, Rubiks) and game.rules.keeps_last


def _fit_sim(game: Game, chosen: Settings) -> None:
    if chosen.get("layout") == "cells":
        chosen["cells"] = _cliques(getattr(game.rules, "nodes", 6))


def _fit_othello(game: Game, chosen: Settings) -> None:
    if chosen.get("layout") != "cells":
        return
    chosen["cells"] = _othello_shapes(getattr(game.rules, "size", 8))
    # Openings and exact ends are the same part of the game as on 8x8, but ends of 9 actions are the most.
    share = (game.core.cells - 4) / 60
    chosen["start_actions"] = round(share * chosen["start_actions"])
    if "solve_below" in chosen:
        chosen["solve_below"] = round(min(1, share) * chosen["solve_below"])


def _fit_2048(game: Game, chosen: Settings) -> None:
    cells = game.core.cells
    if cells != 16 and "cells" in chosen:
        chosen.pop("cells")
        chosen |= {"layout": "windows", "windows": "2x2" if cells == 4 else "2x3 3x2"}


def _fit_connectfour(game: Game, chosen: Settings) -> None:
    rows, cols = getattr(game.rules, "rows", 6), getattr(game.rules, "cols", 7)
    if chosen.get("layout") == "cells" and (rows, cols) != (6, 7):  # the list is for 6x7
        del chosen["layout"], chosen["cells"]
        chosen |= {"tuples": 70, "length": 8, "neighbourhood": 8}
    if chosen.get("layout") != "windows":
        return
    shapes = [(4, 4), (6, 2), (1, 7)]
    chosen["windows"] = " ".join(f"{min(r, rows)}x{min(c, cols)}" for r, c in shapes)
    chosen["start_actions"] = max(1, min(chosen["start_actions"], 2 * game.core.cells // 7))


_GAMES: dict[str, Callable[[Game, Settings], None]] = {
    "nim": _fit_nim,
    "rubiks": _fit_rubiks,
    "sim": _fit_sim,
    "othello": _fit_othello,
    "2048": _fit_2048,
    "connectfour": _fit_connectfour,
}


def _cliques(nodes: int) -> str:
    """The edges of all triangles and complete graphs of four nodes, as a layout."""
    number = {edge: cell for cell, edge in enumerate(combinations(range(nodes), 2))}
    return " / ".join(
        ",".join(str(number[edge]) for edge in combinations(clique, 2))
        for size in (3, 4)
        for clique in combinations(range(nodes), size)
    )


LONGEST_LINE = 8
"""Cells of a shape's line. On 10x10 it starts at one end; its mirror image covers the other."""
SHORTEST_DIAGONAL = 4


def _othello_shapes(size: int) -> str:
    """Rows, long diagonals and corners, one of each symmetric set, as a layout."""
    line = min(size, LONGEST_LINE)
    cell = {(row, col): row * size + col for row in range(size) for col in range(size)}
    edge = [(0, col) for col in range(line)]
    shapes = [
        *([(row, col) for col in range(line)] for row in range(size // 2)),
        *(
            [(size - length + i, i) for i in range(min(length, line))]
            for length in range(size, SHORTEST_DIAGONAL - 1, -1)
        ),
        [(row, col) for row in range(3) for col in range(3)],
        edge + [(1, col) for col in (1, size - 2) if col < line],
        [(row, col) for row in range(2) for col in range(min(5, size))],
    ]
    return " / ".join(",".join(str(cell[place]) for place in shape) for shape in shapes)
