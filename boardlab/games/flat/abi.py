"""The functions of a game with a flat state, as engine/bindings/flat_game.cpp calls them.

Each returns a 32-bit number: a count, an action, a player, or 0 where the answer is written to memory. FAILED
says that the rules raised an exception.
"""

import ctypes
from typing import Any

FAILED = -(2**31)

SIGNATURES = {
    "initial_state": "SR",
    "training_start": "SR",
    "player": "S",
    "round_over": "S",
    "stage": "S",
    "legal": "SI",
    "apply": "Si",
    "scores": "SD",
    "moves_left": "SD",
    "solve": "SD",
    "chance": "SID",
    "sample_chance": "SR",
    "reward": "SiD",
    "features": "SiD",
    "conceal": "Si",
    "symmetry": "Sg",
    "determinize": "SiR",
    "observe": "SiU",
    "board_vector": "SiU",
    "completions": "SiiSD",
    "feature_indices": "SiI",
    "planes": "SiF",
    "symmetry_action": "Sgi",
    "symmetry_cells": "gI",
    "apply_changes": "SiiCI",
    "playout": "SRiiIDI",
}
"""S a state (or several), R the word of the random numbers, i and g numbers of 32 and 64 bits; I, D, U and F
arrays of int32, float64, uint8 and float32, C of changed cells. `apply_changes` also writes who moves next.
`playout` exists compiled only: its arrays are room for actions and probabilities, then who moves and who
moved last."""

MUST = ("initial_state", "player", "legal", "apply", "scores")

CHANGE = [("cell", "i4"), ("before", "u1"), ("after", "u1")]
"""A changed cell of the board vector: bl_cell_change of contract.h, an aligned struct."""

OPTIONAL = tuple(name for name in SIGNATURES if name not in (*MUST, "playout"))

CTYPES: dict[str, Any] = {
    "i": ctypes.c_int32,
    "g": ctypes.c_uint64,
    **dict.fromkeys("SRIDUFC", ctypes.c_void_p),
}


def function_type(name: str) -> Any:
    """Return the ctypes type of a function."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *(CTYPES[letter] for letter in SIGNATURES[name]))
