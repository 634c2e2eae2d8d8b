"""Numbers as a person reads them."""

import math


def counted(number: int, units: str) -> str:
    """So many games, but 1 game; 1,000 games."""
    return f"{number:,} {units.removesuffix('s') if number == 1 else units}"


WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip


def in_words(number: int) -> str:
    """A small number as a sentence has it: four, but 13."""
    return WORDS[number] if 0 <= number < len(WORDS) else f"{number:,}"


def memory(size: float) -> str:
    """Bytes as people say them: 512 bytes, 1.5 MiB."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{plain(size / unit)} {name}"
    return counted(int(size), "bytes")


def plain(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """So many digits, and all that stand before the point: 0.3333, 1,796, 141,242. Never 1e+05, never -0."""
    places = 0
    if math.isfinite(value) and value:
        rounded = f"{value:.{digits - 1}e}"  # 9.9996 has four places, 10.00 two
        places = min(max(digits - 1 - int(rounded.partition("e")[2]), 0), 9)
    text = f"{value:{'+' * sign}z,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text
