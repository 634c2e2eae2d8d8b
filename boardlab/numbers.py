"""Numbers as a person reads them."""

import math


def plain(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """So many digits, and all that stand before the point: 0.3333, 1,796, 141,242. Never 1e+05, never -0."""
    if not math.isfinite(value) or value == 0:
        places = 0
    else:
        rounded = float(f"{value:.{digits - 1}e}")
        places = min(max(digits - 1 - math.floor(math.log10(abs(rounded))), 0), 9)
    text = f"{value:{'+' * sign}z,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text
