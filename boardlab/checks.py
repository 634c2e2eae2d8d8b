"""Checks of arguments: the value in its proper type, or one sentence that says why not."""

import math
import operator
from typing import Any

import numpy as np

from boardlab.errors import BoardLabError, shown


def as_integer(what: str, value: Any, low: int, high: int) -> int:
    """`value` as a whole number from `low` to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BoardLabError(f"{what} must be a whole number, not {shown(value)}") from None
    if isinstance(value, bool) or not low <= number <= high:
        raise BoardLabError(f"{what} must be a whole number from {low} to {high}, not {shown(value)}")
    return number


def as_seed(seed: Any) -> int:
    """A seed: any whole number from 0 to 2**64 - 1."""
    return as_integer("seed", seed, 0, 2**64 - 1)


def is_number(value: object) -> bool:
    """Whether `value` is a finite number."""
    numbers = (int, float, np.integer, np.floating)
    if not isinstance(value, numbers) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
