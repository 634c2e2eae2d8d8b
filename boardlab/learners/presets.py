"""Settings that learn well, by game and name, as data.

"default" is what `boardlab train GAME` uses. "paper" is what the authors of papers 000 and 002 found best for
their system; where they used a hand-made list of tuples that is not ours to copy, the nearest thing is said.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from boardlab.errors import BoardLabError, check_known
from boardlab.games.ewn import Ewn
from boardlab.games.game import Game, is_number
from boardlab.games.rubiks import Rubiks
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.features import TdFeatures
from boardlab.learners.ntuple.layouts import LAYOUTS_OF
from boardlab.learners.ntuple.settings import QNTuple, SarsaNTuple, TdNTuple, tanh_reaches
from boardlab.learners.tabular import QM, TABULAR, TABULAR_PRESETS, QTableSettings
from boardlab.nets.device import uses_gpu

GENERAL: dict[str, Any] = {
    "episodes": 100_000,
    "tuples": 50,
    "length": 6,
    "alpha": 1.0,
    "epsilon": 0.1,
    "learn_from_random": True,
    "coherence": "exp",
}
"""For a game without a default of its own."""

MOST_ENTRIES = 20_000_000
"""Of the tables of a game without a default of its own."""

MOST_SYMMETRIES = 24
"""That are read where the preset says nothing: the time grows with each, and a graph of n nodes has n!."""

_OTHELLO = {
    "episodes": 250_000,
    "tuples": 100,
    "length": 7,
    "neighbourhood": 8,
    "alpha": 0.2,
    "epsilon": 0.2,
    "epsilon_final": 0.1,
    "lambda_": 0.5,
    "horizon_cut": 0.1,
    "learn_from_random": True,
    "choose_start": 0.7,
    "start_actions": 4,
    "coherence": "exp",
}
# Classic shapes with tables for every stage, trained on the disc difference with exact ends.
_OTHELLO_SHAPES = {
    **{key: value for key, value in _OTHELLO.items() if key not in LAYOUTS_OF},
    "episodes": 500_000,
    "layout": "cells",
    "cells": "",  # `_othello_shapes`: they depend on the size
    "staged": True,
    "feature_tables": True,
    "reward": "discs",
    "alpha": 3.0,
    "alpha_final": 0.5,
    "epsilon": 0.1,
    "epsilon_final": 0.05,
    "traces": "reset",
    "choose_start": 0.9,
    "start_actions": 8,
    "solve_below": 9,
}
_CUBE = {
    "episodes": 3_000_000,
    "tuples": 60,
    "length": 7,
    "symmetries": 1,
    "sigma": "identity",
    "alpha": 0.25,
    "epsilon": 0.0,
    "episode_limit": 16,
    "skip_reversal": True,
    "coherence": "id",
}
_2048 = {
    "episodes": 200_000,
    "layout": "cells",
    "cells": "0,4,8,1,5,9 / 1,5,9,2,6,10 / 2,6,9,10,13,14 / 3,7,10,11,14,15",
    "sigma": "identity",
    "alpha": 1.0,
    "epsilon": 0.0,
    "coherence": "id",
}
_TICTACTOE = {
    "episodes": 10_000,
    "layout": "cells",
    "cells": "0,1,2,3,4,5,6,7,8",
    "alpha": 1.0,
    "alpha_final": 0.5,
    "epsilon": 0.1,
    "epsilon_final": 0.0,
    "learn_from_random": True,
}
_NIM = {
    "episodes": 20_000,
    "layout": "points",
    "tuples": 1,
    "alpha": 0.5,
    "epsilon": 0.1,
    "epsilon_final": 0.0,
    "lambda_": 0.5,
    "learn_from_random": True,
    "coherence": "id",
}

_HEX = {
    "episodes": 300_000,
    "tuples": 25,
    "length": 6,
    "alpha": 1.0,
    "alpha_final": 0.5,
    "epsilon": 0.2,
    "learn_from_random": True,
    "choose_start": 0.5,
    "coherence": "id",
}
_SIM = {
    "episodes": 200_000,
    "layout": "cells",
    "cells": "",  # `_cliques`: they depend on the number of nodes
    "symmetries": 1,
    "alpha": 1.0,
    "epsilon": 0.3,
    "epsilon_final": 0.0,
    "lambda_": 0.5,
    "horizon_cut": 0.01,
    "traces": "reset",
}
_BLACKJACK = {
    "episodes": 1_000_000,
    "layout": "points",
    "tuples": 1,
    "length": 6,  # the whole board vector
    "sigma": "identity",
    "alpha": 0.1,
    "alpha_final": 0.01,
    "epsilon": 0.5,
    "epsilon_final": 0.1,
}

PRESETS: dict[str, dict[str, Mapping[str, Any]]] = {
    "tictactoe": {
        "paper": _TICTACTOE,
        # All 0/1-ply starts are to be played perfectly, so all are trained and exploration stays on. Then the
        # last steps must be small: with .5, as in the paper, a late blunder left 5 runs of 300 imperfect;
        # now none of 1,000 is (boardlab train tictactoe --runs 1000 --exam perfect --exam-games 200).
        "default": {
            **_TICTACTOE,
            "episodes": 30_000,
            "alpha_final": 0.05,
            "epsilon": 0.3,
            "epsilon_final": 0.1,
            "choose_start": 0.5,
        },
    },
    "connectfour": {
        # The published agents read a fixed list of 70; 8-neighbourhood walks are the nearest thing.
        "paper": {
            "episodes": 6_000_000,
            "tuples": 70,
            "length": 8,
            "neighbourhood": 8,
            "alpha": 3.7,
            "epsilon": 0.1,
            "epsilon_final": 0.0,
            "learn_from_random": True,
            "coherence": "exp",
        },
        "default": {
            "episodes": 4_000_000,
            "layout": "windows",
            "windows": "4x4 6x2 1x7",
            "alpha": 3.7,
            "epsilon": 0.1,
            "epsilon_final": 0.03,
            "learn_from_random": True,
            # Self-play hardly leaves its main lines: with one start the raw network errs in 17% of random
            # openings. More random starts cost strength on the main lines (docs/learning.md).
            "choose_start": 0.25,
            "start_actions": 10,
            "start_actions_min": 1,
            "coherence": "exp",
        },
    },
    "othello": {"paper": _OTHELLO, "default": _OTHELLO_SHAPES},
    "nim": {"paper": _NIM, "default": {**_NIM, "epsilon_final": 0.1, "choose_start": 0.5}},
    "2048": {"paper": _2048, "default": {**_2048, "episodes": 100_000}},
    # Four times the published rate: far more cubes are solved after as many episodes (bench/learning.py).
    "rubiks": {"paper": _CUBE, "default": {**_CUBE, "alpha": 1.0}},
    "hex": {"paper": _HEX, "default": _HEX},
    "sim": {"paper": _SIM},
    # The published agents read fixed lists; walks are the nearest thing.
    "ewn": {
        "paper": {
            "episodes": 100_000,
            "tuples": 50,
            "length": 6,
            "alpha": 0.2,
            "epsilon": 0.0,
            "coherence": "exp",
        },
    },
    "yavalath": {
        "paper": {
            "episodes": 1_000_000,
            "tuples": 100,
            "length": 7,
            "alpha": 1.0,
            "alpha_final": 0.2,
            "epsilon": 0.3,
            "epsilon_final": 0.005,
        },
    },
    # SARSA learns far more: the board vector of an after-state does not tell a hit from a double.
    "blackjack": {"default": {**_BLACKJACK, "episodes": 200_000, "learn_from_random": True}},
}

_AFTER_STATES_ONLY = ("adapt_last", "skip_reversal", "learn_from_random")

PAIR_PRESETS: dict[str, dict[str, Mapping[str, Any]]] = {
    "blackjack": {"paper": _BLACKJACK, "default": _BLACKJACK},
    # A set of staged tables for every action would take gigabytes.
    "othello": {
        "default": {**{k: v for k, v in _OTHELLO.items() if k not in _AFTER_STATES_ONLY}, "episodes": 100_000}
    },
}
"""For SARSA and Q-learning, where TD's do not serve as the start."""

FEATURES: dict[str, Any] = {
    "episodes": 100_000,
    "hidden": 30,
    "alpha": 0.01,
    "alpha_final": 0.001,
    "epsilon": 0.3,
    "choose_start": 0.5,
}
"""For learning on features, whatever the game. A gradient step moves all weights of the hidden layer at once:
with a rate of .05 it overshoots; and without random openings the network knows nothing but its own."""


_ALPHAZERO: dict[str, Any] = {"episodes": 25_600, "lr_final": 2e-4}
"""For AlphaZero on any game; the settings' own defaults do the rest."""

_ALPHAZERO_GPU: dict[str, Any] = {
    "episodes": 163_840,
    "blocks": 5,
    "games": 2048,
    "parallel": 2048,
    "lanes": 4,
    "batch": 512,
}
"""The same with a GPU, which wants thousands of positions at once: more games, and a larger net."""

# A CPU minute of Gumbel's selection is worth one of noise and visits with twice the simulations, or more.
# With its own openings alone a good net soon plays the same games again and again, and errs in all others.
_C4 = {"simulations_first": 16, "gumbel": 16, "random_actions": 12}
_ALPHAZERO_GAMES: dict[str, dict[bool, Mapping[str, Any]]] = {
    "connectfour": {
        False: {**_C4, "channels": 32, "simulations": 32, "epochs": 3.0},
        True: {**_C4, "simulations": 64, "epochs": 4.0},
    },
}
"""What is better for a game, without and with a GPU."""

_WANG = {
    "episodes": 5_000,
    "samples": 10**9,  # an epoch is the whole window
    "net": "wang",
    "channels": 512,
    "dropout": 0.3,
    "games": 50,
    "parallel": 50,
    "simulations": 100,
    "cpuct": 1.0,
    "temperature_moves": 15,
    "one_hot": True,  # as in the authors' framework, alpha-zero-general; the papers' text does not say
    "noise_fraction": 0.0,
    "window": 20,
    "window_first": 20,
    "epochs": 10.0,
    "batch": 64,
    "optimiser": "adam",
    "lr": 0.005,
    "weight_decay": 0.0,
    "value_target": "z",
    "gate": 0.6,
    "gate_games": 40,
    "play_solver": False,
    "play_batch": 1,
}
_CHURCH = {
    "episodes": 5_000,
    "net": "res",
    "blocks": 2,
    "channels": 256,
    "head_filters": 2,
    "dropout": 0.3,
    "games": 100,
    "parallel": 100,
    "simulations": 100,
    "cpuct": 1.0,
    # Its epsilon of .25 is the share of the priors: "a high epsilon value meaning little noise".
    "noise_fraction": 0.75,
    "noise": 1.0,
    "temperature_moves": 18,
    "one_hot": True,
    "window": 35,
    "window_first": 4,
    "samples": 4096,
    "epochs": 2.0,
    "batch": 64,
    "optimiser": "adam",
    "lr": 0.01,
    "weight_decay": 0.0,
    "value_target": "z",
    "symmetries": False,
    "play_solver": False,
    "play_batch": 1,
}
_RANKED = {
    "episodes": 6_400,
    "ranked_reward": 0.75,
    "ranked_window": 250,
    "blocks": 2,
    "channels": 32,
    "head_filters": 1,  # Morpion has 16,384 actions: each filter costs 16 million weights
    "games": 64,
    "parallel": 64,
    "temperature_moves": 30,
    "noise": 0.3,
    "window": 4,
    "batch": 128,
    "lr_final": 2e-4,
}
ALPHAZERO_PRESETS: dict[str, Mapping[str, Any]] = {
    "default": _ALPHAZERO,
    "church": _CHURCH,
    "wang": _WANG,
    "ranked": _RANKED,
}
"""Paper 001's and paper 004's settings by name; ranked reward for games with one player."""


PUZZLE_PRESETS: dict[str, Mapping[str, Any]] = {
    # Without TCL, whose rates shrink too early here; some random steps bring more positions (bench/cube.py).
    "davi": {
        "episodes": 1_000_000,
        "tuples": 60,
        "length": 7,
        "symmetries": 1,
        "alpha": 0.5,
        "epsilon": 0.1,
    },
    "davi-net": {"episodes": 200_000, "first": 256, "width": 128},
    "random-walk": {"episodes": 400_000, "first": 256, "width": 128},
}
"""For puzzles, by learner: minutes of a core for a 2x2x2."""

_PUZZLE_GPU: dict[str, Mapping[str, Any]] = {
    "davi-net": {"episodes": 2_000_000, "walks": 1000},
    "random-walk": {"episodes": 20_000_000, "walks": 1000},
}
"""The same on a GPU, with the settings' own net."""


def preset(
    game: Game, name: str = "default", learner: str = "td-ntuple", given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The settings of that name for the game, `episodes` among them; "default" exists for every game.

    `given` are the settings that the user gave: the default of nets is another one on a GPU, that of sigma
    depends on the reward, AlphaZero's lr_final and simulations_first are at most lr and simulations,
    play_cpuct is another cpuct than the preset's, and in the papers' presets play_simulations is simulations.
    """
    if game.is_hidden:
        raise BoardLabError(
            f"{learner} learns games in which nothing is hidden, not {game.name}; the search ismcts plays it "
            'without learning, as in "ismcts(iterations=1000)"'
        )
    given = given or {}
    if learner == AlphaZero.name:
        return _alphazero_preset(game, name, given)
    if learner in PUZZLE_PRESETS:
        check_known(f"preset of {learner}", name, ["default"])
        return _puzzle_preset(game, learner, given)
    if learner not in _OWN:  # its settings' own defaults are all it needs
        check_known(f"preset of {learner}", name, ["default"])
        return {"episodes": GENERAL["episodes"]}
    known = _known(game, learner)
    is_name = isinstance(name, str)
    others = [
        other for other, of in _OWN.items() if other != learner and is_name and name in of.get(game.name, {})
    ]
    if others and name not in known:
        raise BoardLabError(
            f"{learner} has no preset {name} for {game.name}; the papers give it for {', '.join(others)}"
        )
    check_known(f"preset for {game.name}", name, sorted(known))
    chosen = dict(known[name])
    if learner not in (TdNTuple.name, SarsaNTuple.name, QNTuple.name):
        return chosen
    _make_room(chosen, given)
    reward = given.get("reward", chosen.get("reward", "score"))
    if reward in game.outcomes and not tanh_reaches(game, reward):
        chosen["sigma"] = "identity"
    if name == "paper":
        chosen |= _paper_variant(game)
    return _fitted(game, chosen)


_OWN = {
    "td-ntuple": PRESETS,
    "sarsa-ntuple": PAIR_PRESETS,
    "q-ntuple": PAIR_PRESETS,
    "td-features": {},
    "q-table": TABULAR_PRESETS,
    "qm": TABULAR_PRESETS,
}
"""The presets that are a game's own, of each learner that has settings for any game besides."""


def _known(game: Game, learner: str) -> dict[str, Mapping[str, Any]]:
    """The presets of a learner for the game, by name: the game's own, and a default in any case."""
    own = _OWN[learner].get(game.name, {})
    if learner == TdFeatures.name:
        return {"default": FEATURES, **own}
    if learner in (QTableSettings.name, QM.name):
        return {"default": TABULAR, **own}
    usual = PRESETS.get(game.name, {}).get("default", GENERAL)
    if learner != TdNTuple.name:
        usual = {key: value for key, value in usual.items() if key not in _AFTER_STATES_ONLY}
    return {"default": usual, **own}


def _alphazero_preset(game: Game, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    check_known("preset of alphazero", name, sorted(ALPHAZERO_PRESETS))
    if game.name == "morpion" and name == "default":
        name = "ranked"  # its scores are hard to tell apart otherwise, and a larger head has gigabytes
    chosen = dict(ALPHAZERO_PRESETS[name])
    if name == "default":
        on_gpu = uses_gpu(str(given.get("device", "auto")))
        chosen |= _ALPHAZERO_GPU if on_gpu else {}
        chosen |= _ALPHAZERO_GAMES.get(game.name, {}).get(on_gpu, {})
        if "random_actions" in chosen:  # on a small board they would be half the game
            chosen["random_actions"] = min(chosen["random_actions"], 2 * game.horizon // 7)
    if name == "church" and game.name == "pathwayz":
        chosen |= {"simulations": 200, "noise": 0.3}
    wanted = given.get("cpuct")
    if is_number(wanted) and wanted != chosen.get("cpuct", AlphaZero().self_play.tree.cpuct):
        chosen["play_cpuct"] = wanted  # who varies C means the player
    if name in ("church", "wang"):  # one number in the papers: of self-play, the gate and the matches
        wanted = given.get("simulations")
        chosen["play_simulations"] = wanted if is_number(wanted) else chosen["simulations"]
    if game.players == 1:
        chosen.pop("gate", None)  # there is nobody to meet
    # The learning rate falls and simulations grow, whatever the user gives for one end of it.
    for most, least in (("lr", "lr_final"), ("simulations", "simulations_first")):
        if least in chosen and is_number(wanted := given.get(most)):
            chosen[least] = min(chosen[least], wanted)
    return chosen


def _make_room(chosen: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Drops what the preset of an n-tuple learner sets and the `given` settings exclude."""
    if "reward" not in given and given.get("sigma") == "tanh":
        chosen.pop("reward", None)  # tanh learns the score
    threads, replay = given.get("threads", 1), given.get("replay", 0)
    if (is_number(threads) and threads > 1) or (is_number(replay) and replay > 0):
        chosen.pop("solve_below", None)  # exact targets need one thread and no replay buffer


def _paper_variant(game: Game) -> dict[str, Any]:
    """What the authors set otherwise for a variant of the game.

    A preset cannot change the game's parameters: where it is for some of them only, they are required.
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
    if isinstance(rules, Ewn) and rules.stones == 3:  # 3x3; 5x5 is as it stands
        return {"epsilon": 0.1, "epsilon_final": 0.0, "coherence": "off"}
    return {}


def _puzzle_preset(game: Game, learner: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if learner in _PUZZLE_GPU and uses_gpu(str(given.get("device", "auto"))):
        return dict(_PUZZLE_GPU[learner])
    chosen = dict(PUZZLE_PRESETS[learner])
    if learner == "davi":
        return _fitted(game, chosen)
    if getattr(game.rules, "size", 2) == 3:
        chosen |= {"episodes": 4 * chosen["episodes"], "first": 512}
    return chosen


def _fitted(game: Game, chosen: dict[str, Any]) -> dict[str, Any]:
    """Adjusts what depends on the game's parameters."""
    cells = game.core.cells
    rules = game.rules
    if game.name == "nim":
        chosen["length"] = cells
        if game.players == 3:
            chosen |= {"episodes": 300_000, "alpha": 0.2, "epsilon": 0.15, "epsilon_final": 0.15}
            chosen |= {"horizon_cut": 0.01, "traces": "reset"}
    if game.name == "rubiks":
        size, metric = getattr(rules, "size", 2), getattr(rules, "metric", "htm")
        chosen["episode_limit"] = {(2, "htm"): 16, (2, "qtm"): 20, (3, "htm"): 13, (3, "qtm"): 16}[
            size, metric
        ]
        chosen["tuples"] = 60 if size == 2 else 120
    if game.name == "sim" and chosen.get("layout") == "cells":
        chosen["cells"] = _cliques(getattr(rules, "nodes", 6))
    if game.name == "othello" and chosen.get("layout") == "cells":
        size = getattr(rules, "size", 8)
        chosen["cells"] = _othello_shapes(size)
        # Openings and exact ends are the same part of the game as on 8x8, but ends of 9 actions are the most.
        share = (cells - 4) / 60
        chosen["start_actions"] = round(share * chosen["start_actions"])
        if "solve_below" in chosen:
            chosen["solve_below"] = round(min(1, share) * chosen["solve_below"])
    if game.name == "2048" and cells != 16 and "cells" in chosen:
        chosen.pop("cells")
        chosen |= {"layout": "windows", "windows": "2x2" if cells == 4 else "2x3 3x2"}
    if game.name == "connectfour" and chosen.get("layout") == "windows":
        rows, cols = getattr(rules, "rows", 6), getattr(rules, "cols", 7)
        shapes = [(4, 4), (6, 2), (1, 7)]
        chosen["windows"] = " ".join(f"{min(r, rows)}x{min(c, cols)}" for r, c in shapes)
        chosen["start_actions"] = max(1, min(chosen["start_actions"], 2 * cells // 7))
    if game.symmetries > MOST_SYMMETRIES:
        chosen.setdefault("symmetries", MOST_SYMMETRIES)
    if "default" not in PRESETS.get(game.name, {}) and "tuples" in chosen and cells:
        # Cells with many values need short tuples, or the tables would take gigabytes.
        entries = chosen["tuples"] * game.players
        while (
            chosen["length"] > 1 and entries * max(game.core.cell_values()) ** chosen["length"] > MOST_ENTRIES
        ):
            chosen["length"] -= 1
    walks = chosen.get("layout", "walk") == "walk" and not chosen.get("neighbourhood")
    if walks and cells and not game.core.adjacency():  # there is nowhere to walk
        chosen["layout"] = "points"
    # Random layouts must fit the board, and there must be as many different ones as are asked for.
    if chosen.get("layout", "walk") in ("walk", "points") and cells:
        chosen["length"] = min(chosen.get("length", 6), cells)
        if chosen["length"] == cells:
            chosen["tuples"] = 1
        elif cells <= 12:
            chosen["tuples"] = min(chosen["tuples"], cells)
    return chosen


def _cliques(nodes: int) -> str:
    """The edges of all triangles and all complete graphs of four nodes, as `layout_from_text` reads them."""
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
    """Rows, long diagonals and corners, one of each symmetric set, as `layout_from_text` reads them."""
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
