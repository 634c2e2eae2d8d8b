"""Values that no caller should give, and values that are nearly right."""

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np


class BadIndex:
    def __index__(self) -> int:
        raise TypeError("not today")


class BadRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no text for you")

    def __str__(self) -> str:
        raise RuntimeError("no text for you")


class Text(str):
    pass


# Valid numbers are small, so that what is accepted is done at once; the others are far out of every range.
JUNK: list[Any] = [
    None, True, False, 0, 1, 2, 3, -1, -2, -(2**31), 2**63, -(2**63), 2**64, 2**64 - 1, 10**30, 10**5000,
    0.0, 1.0, 0.5, -1.5, 1e300, math.nan, math.inf, -math.inf, 1j, "", "0", "a1", "score", "discs", "random",
    "mcts(iterations=5)", "nim", "\x00", "\ud800", "x" * 10_000, Text("score"), b"", b"\x00" * 64,
    bytearray(8), [], [0], [None], (0, 1), [[0, 1]], {}, {"rows": 3}, {0}, range(3), object(), int, len,
    BadRepr(), BadIndex(), np.int64(1), np.uint64(2**64 - 1), np.float32(1), np.bool_(True), np.array(1),
    np.zeros(0),
    np.zeros(20, np.int32), np.zeros((4, 5), np.int32), np.zeros(20, np.float64), np.zeros(40, np.int32)[::2],
    np.full(21, 2**31 - 1, np.int32), np.array([None]), np.array(["x"]), memoryview(b"12345678"),
    lambda *args: 0, lambda *args: None,
]  # fmt: skip


def near(value: Any, rng: random.Random) -> Any:
    """Something close to a good value: a number one off, an array of another shape, a list with a hole."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice(
            [value + 1, value - 1, -value, 2 * value, 0, 2**31, 2**32, 2**62, value ^ 1 << rng.randrange(40)]
        )
    if isinstance(value, float):
        return rng.choice([value * 2, -value, value / 3, 0.0, math.nan, math.inf, 1e300, 1e-300])
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return rng.choice([value[:at], value + "x", value[:at] + "\x00" + value[at:], value.upper(), ""])
    if isinstance(value, bytes):
        changed = bytearray(value)
        for _ in range(rng.randint(1, 3)):
            if changed:
                changed[rng.randrange(len(changed))] = rng.randrange(256)
        return rng.choice([bytes(changed), value[:-1], value + b"\x00"])
    if isinstance(value, np.ndarray):
        return near_array(value, rng)
    if isinstance(value, dict):
        changed = dict(value)
        for key in rng.sample(list(changed), min(len(changed), 1)):
            changed[key] = near(changed[key], rng)
        return changed
    if isinstance(value, Sequence):
        return near_sequence(value, rng)
    return rng.choice(JUNK)


def near_sequence(value: Sequence[Any], rng: random.Random) -> Any:
    items = list(value)
    match rng.randrange(5):
        case 0:
            items = items[:-1]
        case 1:
            items = items + items
        case 2:
            items.append(rng.choice(JUNK))
        case 3 if items:
            items[rng.randrange(len(items))] = rng.choice(JUNK)
        case 4 if items:
            at = rng.randrange(len(items))
            items[at] = near(items[at], rng)
    return tuple(items) if isinstance(value, tuple) else items


def near_array(value: np.ndarray, rng: random.Random) -> Any:
    if value.dtype.kind not in "biuf":  # text and objects do not become numbers
        return rng.choice(JUNK)
    with np.errstate(all="ignore"):
        match rng.randrange(7):
            case 0:
                return value[:-1] if value.ndim else value
            case 1:
                return value.reshape(-1)[: rng.randint(0, max(value.size, 1))]
            case 2:
                return value.astype(
                    rng.choice([np.int8, np.int32, np.int64, np.float32, np.float64, np.uint8, bool])
                )
            case 3:
                return np.concatenate([value, value])[::2] if value.ndim else value
            case 4:
                changed = value.copy()
                if changed.size and changed.dtype.kind in "iuf":
                    most = [math.nan, math.inf, -1e30] if changed.dtype.kind == "f" else [-1, 127, 0]
                    flat = changed.reshape(-1)
                    at = rng.randrange(changed.size)
                    flat[at] = np.array(rng.choice(most)).astype(changed.dtype)
                return changed
            case 5:
                frozen = value.copy()
                frozen.setflags(write=False)
                return frozen
            case _:
                return np.expand_dims(value, 0)
