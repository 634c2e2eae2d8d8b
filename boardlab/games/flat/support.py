"""What compiled rules call; imported by the modules that `source` writes, and only with numba.

It has no annotations, which numba would compare. A change here must change compiled code that is cached:
`compiler` hashes this file.
"""

import numpy as np
from numba import carray, cfunc, from_dtype, njit, types
from numba.extending import intrinsic, overload, overload_method

from boardlab.games.flat.abi import CHANGE, FAILED, SIGNATURES

__all__ = ["FAILED", "below", "carray", "compiled", "fill", "keep_", "kept_", "native", "unit"]

OPTIONS = {"boundscheck": True, "error_model": "python"}
"""No index may leave its array, and dividing by zero is an error: rules must never harm the process."""

compiled = njit(**OPTIONS)
"""Compile a function of the rules. It is compiled into its callers, which are cached."""

POINTERS = {
    "R": types.CPointer(types.uint64),
    "I": types.CPointer(types.int32),
    "D": types.CPointer(types.float64),
    "U": types.CPointer(types.uint8),
    "F": types.CPointer(types.float32),
    "C": types.CPointer(from_dtype(np.dtype(CHANGE, align=True))),
}


def native(dtype):
    """Return the decorator that compiles a function for the engine, by its name."""
    kinds = {"i": types.int32, "g": types.uint64, "S": types.CPointer(from_dtype(dtype)), **POINTERS}

    def compile_function(name):
        signature = types.int32(*(kinds[letter] for letter in SIGNATURES[name]))
        return cfunc(signature, cache=True, **OPTIONS)

    return compile_function


# ---- answers, written to memory ----


@njit(inline="always")
def keep_(states, p, n, state, chance):
    """Write the n-th completion with its probability, where there is room."""
    if n < len(states):
        states[n] = state
        p[n] = chance
    return n + 1


def fill(out, values):
    """Write a list of answers of fixed length; returns 0, or FAILED for another length."""
    raise NotImplementedError


@overload(fill, jit_options=OPTIONS)
def _fill(out, values):
    if isinstance(values, types.Optional):
        return lambda out, values: fill(out, _certain(values))
    if isinstance(values, types.BaseTuple):
        lines = [f"    out[{i}] = values[{i}]" for i in range(len(values))]
        length = [f"    if len(out) != {len(values)}: return FAILED"]
        made = {"FAILED": FAILED}
        exec("\n".join(["def unrolled(out, values):", *length, *lines, "    return 0"]), made)
        return made["unrolled"]
    if isinstance(values, types.Array) and values.ndim > 1:
        return lambda out, values: fill(out, values.ravel())

    def looped(out, values):
        if len(out) != len(values):
            return FAILED
        for i in range(len(values)):
            out[i] = values[i]
        return 0

    return looped


@njit(inline="always")
def kept_(out, n):
    """Return 0 if exactly all places of `out` were written, else FAILED."""
    return 0 if n == len(out) else FAILED


@intrinsic
def _certain(context, value):
    """Return an optional value that is not None, with its own type."""

    def lower(context, builder, signature, arguments):
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return value.type(value), lower


# ---- functions of Python that numba lacks ----


@overload(all, jit_options=OPTIONS)
def _all(values):
    def every(values):
        for value in values:  # noqa: SIM110 (numba compiles no generator)
            if not value:
                return False
        return True

    return every


@overload(any, jit_options=OPTIONS)
def _any(values):
    def some(values):
        for value in values:  # noqa: SIM110 (numba compiles no generator)
            if value:
                return True
        return False

    return some


@overload(reversed, jit_options=OPTIONS)
def _reversed(values):
    if isinstance(values, types.RangeType):
        return lambda values: range(
            values.start + (len(values) - 1) * values.step, values.start - values.step, -values.step
        )
    if isinstance(values, (types.Array, types.List)):
        return lambda values: values[::-1]
    return None


# ---- random numbers, as in rng.py ----


@njit(inline="always")
def _next(rng):
    word = rng[0] + np.uint64(0x9E3779B97F4A7C15)
    rng[0] = word
    z = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(inline="always")
def below(rng, n):
    """Draw from 0 .. n-1."""
    return np.intp(((_next(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(inline="always")
def unit(rng):
    """Draw from 0 to below 1."""
    return np.float64(_next(rng) >> np.uint64(11)) * 2.0**-53


@overload_method(types.Array, "randrange", jit_options=OPTIONS)
def _randrange(rng, start, stop=None):
    def draw(rng, start, stop=None):
        if stop is None:
            low, high = 0, start
        else:
            low, high = start, stop
        if high <= low:
            raise ValueError("randrange needs a range of 1 to 4294967295 numbers")
        return low + below(rng, high - low)

    return draw


@overload_method(types.Array, "randint", jit_options=OPTIONS)
def _randint(rng, low, high):
    return lambda rng, low, high: rng.randrange(low, high + 1)


@overload_method(types.Array, "random", jit_options=OPTIONS)
def _random(rng):
    return lambda rng: unit(rng)


@overload_method(types.Array, "shuffle", jit_options=OPTIONS)
def _shuffle(rng, items):
    def shuffle(rng, items):
        for i in range(len(items) - 1, 0, -1):
            j = below(rng, i + 1)
            items[i], items[j] = items[j], items[i]

    return shuffle
