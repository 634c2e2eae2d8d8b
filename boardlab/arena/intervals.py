"""How sure a mean is: 95% intervals of shares and of means over rounds that share an opening."""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable

NORMAL_95 = 1.959964
STUDENT_95 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""The 97.5% quantiles of Student's t for 1, 2 ... degrees of freedom."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    z2 = NORMAL_95**2
    middle = (successes + z2 / 2) / (trials + z2)
    half = math.sqrt(z2 * (successes * (trials - successes) / trials + z2 / 4)) / (trials + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def fresh_share(samples: Iterable[Hashable]) -> float:
    """The effective share of independent samples where some repeat: 1 where none does.

    A sample that occurs m times is one observation of weight m. By Kish (1965) the mean of n such samples is
    as sure as that of n²/sum(m²) different ones: 40 games that are 2 games, 20 times each, count as 2.
    """
    counts = Counter(samples).values()
    return sum(counts) / sum(count**2 for count in counts) if counts else 1.0


def standard_error(scores: list[float], round_size: int = 1, fresh: float = 1.0) -> float:
    """Of the mean, over rounds; 0 where they all ended alike, NaN where there are no two.

    `fresh` is the share of the games that count, as `fresh_share` finds it.
    """
    return _spread_of_parts([_samples(scores, round_size)], fresh)[0]


def interval(
    scores: list[float], score_range: tuple[float, float], round_size: int = 1, fresh: float = 1.0
) -> float:
    """Half width of the 95% interval of the mean: Student's t over rounds.

    `fresh` is the share of the games that count, as `fresh_share` finds it: repetitions add nothing.

    Near the best and the worst score rounds hardly spread, and what they did not show counts for more: games
    that were all won may hide a share of lost ones (`hidden_share`), and as many with a loss or two among
    them hide no less. No interval reaches further than the farthest score that can occur. Fewer than two
    rounds say nothing about chance: NaN.
    """
    return _interval_of_parts([_samples(scores, round_size)], score_range, round_size, fresh)


def hidden_share(count: float) -> float:
    """What share of all games, with 97.5%, has an end that none of so many showed.

    By the posterior Beta(1, count + 1) of a share that starts as likely as any other. With 97.5% and not 95%,
    for it is one side of an interval; that of Wilson for a share is nearly the same.
    """
    return -math.expm1(math.log(0.025) / (count + 1))


def interval_of_parts(
    parts: Collection[list[float]], score_range: tuple[float, float], round_size: int
) -> float:
    """The same of the mean over all games of several pairings, as far as chance goes.

    That one opponent is weaker than another is no chance: rounds are compared with those of their own
    pairing. Only where no pairing has two rounds they are compared with all others.
    """
    samples = [rounds for part in parts if (rounds := _samples(part, round_size))]
    if all(len(part) == 1 for part in samples):
        samples = [[part[0] for part in samples]]
    return _interval_of_parts(samples, score_range, round_size)


def above(samples: list[float], level: float, round_size: int = 1, fresh: float = 1.0) -> float:
    """The likelihood that the mean behind these independent samples, shares of points, is above the level.

    By Student's t; where all are alike, by the posterior Beta(n + 1, 1) of a share that was never missed,
    which is also that of `interval`: rounds that were all won or all lost count game by game.
    """
    mean, error = sum(samples) / max(1, len(samples)), standard_error(samples, fresh=fresh)
    count = len(samples) * fresh
    if not samples or mean == level:
        return 0.5
    if error > 0:
        return _student_below((mean - level) / error, max(1, int(count - 1 + 1e-9)))
    sure = 1 - math.pow(0.5, count * (round_size if mean in (0, 1) else 1) + 1)
    return sure if mean > level else 1 - sure


def _samples(scores: list[float], round_size: int) -> list[float]:
    """The games of one round share an opening, so a round counts as one sample."""
    whole = len(scores) // round_size
    return [sum(scores[i * round_size : (i + 1) * round_size]) / round_size for i in range(whole)]


def _spread_of_parts(parts: list[list[float]], fresh: float = 1.0) -> tuple[float, float]:
    """The standard error of the mean of all samples, and the degrees of freedom it is known with.

    Every part has a variance of its own (Welch 1947, Satterthwaite 1946); a part of one sample is taken to
    spread as the others do. Only a share of `fresh` of the samples counts.
    """
    count, rest = sum(map(len, parts)), sum(len(part) * fresh - 1 for part in parts)
    if rest < 1 - 1e-9:
        return math.nan, 0.0
    largest = max(abs(sample) for part in parts for sample in part)
    squares = []
    for part in parts:
        mean = sum(part) / len(part)
        # The means of equal rounds differ by rounding, and so does their mean: 1/3 is none of its neighbours.
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
        # So many games of that kind would leave the same error. It is the wider one of the two where
        # fewer than about four of them were lost.
        half = max(half, (high - low) * hidden_share(variance / error**2))
    return min(half, farthest)


def _hidden(
    parts: list[list[float]], score_range: tuple[float, float], round_size: int, fresh: float
) -> float:
    """What may hide where the samples of every part are alike: the mean is as far from its true value.

    Games that were all won or all lost count one by one, as their share does: nothing says that those of a
    round depend on each other. In other rounds seats or openings decide, and the round is what was repeated.
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
    """The 97.5% quantile of Student's t: tabulated, from 11 degrees on by Cornish-Fisher (within 0.1%)."""
    if degrees <= len(STUDENT_95):
        return STUDENT_95[degrees - 1]
    z, n = NORMAL_95, degrees
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def _student_below(t: float, degrees: int) -> float:
    """The probability that Student's t is below `t` (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
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
