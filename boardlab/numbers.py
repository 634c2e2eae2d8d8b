"""Numbers formatted for people."""

import math


def counted(number: int, units: str) -> str:
    """Write a count with its unit: 1 game, 2 games, 1,000 games."""
    return f"{number:,} {units.removesuffix('s') if number == 1 else units}"


WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip


def in_words(number: int) -> str:
    """Write a number up to twelve as a word: four, but 13."""
    return WORDS[number] if 0 <= number < len(WORDS) else f"{number:,}"


def memory(size: float) -> str:
    """Write a number of bytes for people: 512 bytes, 1.5 MiB."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{plain(size / unit)} {name}"
    return counted(int(size), "bytes")


def plain(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """Write a number with this many digits, but never with an exponent or as -0.

    Digits before the point are all kept: 0.3333, 1,796, 141,242.
    """
    places = 0
    if math.isfinite(value) and value:
        rounded = f"{value:.{digits - 1}e}"  # 9.9996 has four places, 10.00 two
        places = min(max(digits - 1 - int(rounded.partition("e")[2]), 0), 9)
    text = f"{value:{'+' * sign}z,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def with_interval(value: float, width: float) -> str:
    """Format a mean with the half width of its interval: 0.25 ± 0.1."""
    return plain(value) if math.isnan(width) else f"{plain(value)} ± {plain(width, 2)}"


def duration(seconds: float) -> str:
    """Format a duration for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{plain(seconds / size, 3)} {unit}"
    return f"{seconds * 1e9:.0f} ns"
