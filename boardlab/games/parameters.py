"""Parameters of a game as a library gets them: the structs at the end of contract.h."""

import ctypes
from collections.abc import Mapping
from typing import Any

ABI = 2
"""BL_GAME_ABI of contract.h."""

TABLE_ROOM = 1 << 13
"""Bytes for a table, which is far shorter."""

INTEGER, REAL, TEXT, INTEGERS = 1, 2, 3, 4
ASKED = {INTEGER: "bl_integer", REAL: "bl_real", TEXT: "bl_text", INTEGERS: "bl_integers"}


class Parameter(ctypes.Structure):
    """bl_parameter."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("is_asked", ctypes.c_int32),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("integers", ctypes.POINTER(ctypes.c_int64)),
        ("count", ctypes.c_int32),
    )


class Parameters(ctypes.Structure):
    """bl_parameters."""

    _fields_ = (
        ("abi_version", ctypes.c_uint32),
        ("item_size", ctypes.c_uint32),
        ("items", ctypes.POINTER(Parameter)),
        ("count", ctypes.c_int32),
    )


def as_parameters(values: Mapping[str, Any]) -> tuple[Parameters, Any]:
    """Return the parameters as a library reads them, and what must live as long.

    A parameter that is None is left out, so that the library uses its own default.
    """
    given = {name: value for name, value in values.items() if value is not None}
    items = (Parameter * max(1, len(given)))()
    kept: list[Any] = [items]
    for item, (name, value) in zip(items, given.items(), strict=False):
        item.name = name.rstrip("_").encode()
        if isinstance(value, int):
            item.kind, item.integer = INTEGER, value
        elif isinstance(value, float):
            item.kind, item.real = REAL, value
        elif isinstance(value, str):
            item.kind, item.text = TEXT, value.encode()
        else:
            numbers = (ctypes.c_int64 * len(value))(*value)
            kept.append(numbers)
            item.kind, item.integers = INTEGERS, ctypes.cast(numbers, ctypes.POINTER(ctypes.c_int64))
            item.count = len(value)
    return Parameters(ABI, ctypes.sizeof(Parameter), items, len(given)), kept


def unasked(given: Parameters) -> str:
    """Name the parameters that the library has not asked for; "" if there are none."""
    names = [
        f'the parameter "{item.name.decode()}" ({ASKED[item.kind]})'
        for item in given.items[: given.count]
        if not item.is_asked
    ]
    return " and ".join(names)
