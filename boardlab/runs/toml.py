"""Run files as TOML: tables of a few types of values."""

import json
import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

MOST_PARTS = 16
"""Parts of a dotted key: tomllib takes minutes for ten thousand."""

TOKEN = re.compile(
    r"""(?P<part>[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?)|(?P<blank>[ \t]++)|(?P<dot>\.)|[\s\S]"""
)
"""A part of a key (or a value like one), blanks, a dot, anything else; all within a line."""


def from_toml(text: str) -> dict[str, Any]:
    """Parse a text, which may be a stranger's; ValueError says what is wrong with it."""
    dots, was_part = 0, False
    for token in TOKEN.finditer(text):
        if token.lastgroup == "blank":
            continue
        is_part = token.lastgroup == "part"
        if is_part == was_part or not (is_part or token.lastgroup == "dot"):
            dots = 0
        dots, was_part = dots + (not is_part), is_part
        if dots > MOST_PARTS:
            raise ValueError(f"a key has more than {MOST_PARTS} parts")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    except (MemoryError, OverflowError) as error:
        raise ValueError(f"its values are too large: {error}") from None
    values: list[Any] = [table]
    for value in values:
        if isinstance(value, (dict, list)):
            values += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int) and not -(2**63) <= value < 2**64:  # the largest seed
            raise ValueError("one of its numbers is larger than any setting")
    return table


def to_toml(table: Mapping[str, Any]) -> str:
    """A table of values and of tables one level deep."""
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, Mapping)]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{key}]", *(f"{name} = {_value(item)}" for name, item in value.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a run file has no infinite numbers")
        text = repr(value)
        return text if any(mark in text for mark in ".e") else text + ".0"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the delete character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"a run file cannot hold {type(value).__name__}")
