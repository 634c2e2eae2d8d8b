"""95% intervals of shares, and of means over rounds that share an opening."""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable

NORMAL_95 = 1.959964
STUDENT_95 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""The 97.5% quantiles of Student's t for 1, 2 ... degrees of freedom."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson 1927)."""
    z2 = NORMAL_95**2
    middle = (successes + z2 / 2) / (trials + z2)
    half = math.sqrt(z2 * (successes * (trials - successes) / trials + z2 / 4)) / (trials + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def fresh_share(samples: Iterable[Hashable]) -> float:
    """Return the effective share of independent samples; 1 if none repeats.

    A sample that occurs m times is one observation of weight m. By Kish (1965) the mean of n such samples is
    as certain as that of n²/sum(m²) different ones: 40 games that are 2 games, 20 times each, count as 2.
    """
    counts = Counter(samples).values()
    return sum(counts) / sum(count**2 for count in counts) if counts else 1.0


def standard_error(scores: list[float], round_size: int = 1, fresh: float = 1.0) -> float:
    """Return the standard error of the mean over rounds.

    It is 0 if all rounds ended alike and NaN for fewer than two. `fresh` is the effective share of the games,
    from `fresh_share`.
    """
    return _spread_of_parts([_samples(scores, round_size)], fresh)[0]


def interval(
    scores: list[float], score_range: tuple[float, float], round_size: int = 1, fresh: float = 1.0
) -> float:
    """Return the half width of the 95% interval of the mean: Student's t over rounds.

    `fresh` is the effective share of the games, from `fresh_share`: repetitions add nothing.

    Near the best and the worst score rounds hardly vary, and unseen outcomes matter more: games that were all
    won may hide a share of losses (`hidden_share`), and so may games with only a loss or two. No interval
    reaches beyond the most extreme possible score. Fewer than two rounds give NaN.
    """
    return _interval_of_parts([_samples(scores, round_size)], score_range, round_size, fresh)


def hidden_share(count: float) -> float:
    """Return the largest plausible share (97.5%) of an outcome unseen so far.

    This is the posterior Beta(1, count + 1) from a uniform prior. It uses 97.5% and not 95% because it is one
    side of an interval; Wilson's interval of a share is nearly the same.
    """
    return -math.expm1(math.log(0.025) / (count + 1))


def interval_of_parts(
    parts: Collection[list[float]], score_range: tuple[float, float], round_size: int
) -> float:
    """Return the half width of the 95% interval over several pairings.

    Differences between opponents are not chance, so rounds are compared within their own pairing. Only if no
    pairing has two rounds are they compared with all others.
    """
    samples = [rounds for part in parts if (rounds := _samples(part, round_size))]
    if all(len(part) == 1 for part in samples):
        samples = [[part[0] for part in samples]]
    return _interval_of_parts(samples, score_range, round_size)


def above(samples: list[float], level: float, round_size: int = 1, fresh: float = 1.0) -> float:
    """Return the likelihood that the samples' true mean exceeds `level`.

    By Student's t; if all samples are alike, by the posterior Beta(n + 1, 1) of a share that never failed, as
    in `interval`: rounds that were all won or all lost count game by game.
    """
    mean, error = sum(samples) / max(1, len(samples)), standard_error(samples, fresh=fresh)
    count = len(samples) * fresh
    if not samples or mean == level:
        return 0.5
    if error > 0:
        return _student_below((mean - level) / error, max(1, int(count - 1 + 1e-9)))
    sure = 1 - math.pow(0.5, count * (round_size if mean in (0, 1) else 1) + 1)
    return sure if mean > level else 1 - sure


def likely_above(mean: float, level: float, error: float, degrees: int) -> float:
    """Return the likelihood that a true mean exceeds `level`, by Student's t."""
    return _student_below((mean - level) / error, max(1, degrees))


def _samples(scores: list[float], round_size: int) -> list[float]:
    """Average the games of each round, which count as one sample."""
    whole = len(scores) // round_size
    return [sum(scores[i * round_size : (i + 1) * round_size]) / round_size for i in range(whole)]


def _spread_of_parts(parts: list[list[float]], fresh: float = 1.0) -> tuple[float, float]:
    """Return the standard error of the overall mean, and its degrees of freedom.

    Every part has its own variance (Welch 1947, Satterthwaite 1946); a part of one sample is assumed to
    spread like the others. Only the share `fresh` of the samples counts.
    """
    count, rest = sum(map(len, parts)), sum(len(part) * fresh - 1 for part in parts)
    if rest < 1 - 1e-9:
        return math.nan, 0.0
    largest = max(abs(sample) for part in parts for sample in part)
    squares = []
    for part in parts:
        mean = sum(part) / len(part)
        # Means of equal rounds differ by rounding: 1/3 is not a float.
        alike = max(part) - min(part) <= 1e-12 * largest
        squares.append(0.0 if alike else sum((sample - mean) ** 2 for sample in part))
    usual = sum(squares) / rest
    shares, doubts = 0.0, 0.0
    for part, square in zip(parts, squares, strict=True):
        free = len(part) * fresh - 1
        share = len(part) * (square / free if free else usual)
        shares += share
        doubts += share**2 / free if free else 0.0
    return math.sqrt(shares) / count, min(shares**2 / doubts, rest) if doubts else float(rest)


def _interval_of_parts(
    parts: list[list[float]], score_range: tuple[float, float], round_size: int, fresh: float = 1.0
) -> float:
    low, high = score_range
    error, degrees = _spread_of_parts(parts, fresh)
    if math.isnan(error):
        return math.nan
    mean = sum(map(sum, parts)) / sum(map(len, parts))
    farthest = max(mean - low, high - mean)
    if error == 0:
        return min(_hidden(parts, score_range, round_size, fresh), farthest)
    half = _student(max(1, int(degrees + 1e-9))) * error
    variance = (mean - low) * (high - mean)  # of a game that ends with the worst or the best score
    if 0 < variance < math.inf:
        # The number of such games that would have this error. This interval is the wider one while fewer
        # than about four of them were lost.
        half = max(half, (high - low) * hidden_share(variance / error**2))
    return min(half, farthest)


def _hidden(
    parts: list[list[float]], score_range: tuple[float, float], round_size: int, fresh: float
) -> float:
    """Return the half width when all samples of every part are alike.

    Games that were all won or all lost count one by one, since nothing suggests that the games of a round
    depend on each other. In other rounds seats or openings decide, so the round is the sample.
    """
    low, high = score_range
    counts: dict[float, int] = {}
    for part in parts:
        counts[part[0]] = counts.get(part[0], 0) + len(part)
    halves = []
    for score, count in counts.items():
        is_edge = min(score - low, high - score) <= 1e-12 * (high - low)
        games = count * fresh * (round_size if is_edge else 1)
        farthest = max(score - low, high - score)
        halves.append(count / sum(counts.values()) * farthest * hidden_share(games))
    return math.hypot(*halves)


def _student(degrees: int) -> float:
    """Return the 97.5% quantile of Student's t (Cornish-Fisher above 10: 0.1%)."""
    if degrees <= len(STUDENT_95):
        return STUDENT_95[degrees - 1]
    z, n = NORMAL_95, degrees
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def _student_below(t: float, degrees: int) -> float:
    """Return P(Student's t < `t`) (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    if degrees > 1000:
        return 0.5 * math.erfc(-t / math.sqrt(2))
    angle = math.atan(t / math.sqrt(degrees))
    cosine, odd = math.cos(angle), degrees % 2
    term, total = 1.0, 1.0
    for k in range(2 + odd, degrees, 2):
        term *= cosine**2 * (k - 1) / k
        total += term
    if odd:
        total = 2 / math.pi * (angle + (math.sin(angle) * cosine * total if degrees > 1 else 0.0))
    else:
        total *= math.sin(angle)
    return (1 + total) / 2
