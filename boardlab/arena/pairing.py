"""Pairings: round robin, gauntlet and Swiss, for any number of players per game."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from boardlab.arena.matching import pair_all

Group = tuple[int, ...]
"""Entrants that meet in one game."""

FORMATS = ("round-robin", "gauntlet", "swiss")
SEATS = ("single", "double", "all")
MOST_MATCHED = 500
"""Most entrants of a Swiss round that are paired by matching if the quick way fails."""


def round_robin(entrants: int, players: int) -> list[Group]:
    """Return all groups of `players` entrants."""
    return list(itertools.combinations(range(entrants), players))


def gauntlet(entrants: int, players: int) -> list[Group]:
    """Return the groups in which the first entrant meets all others."""
    return [(0, *others) for others in itertools.combinations(range(1, entrants), players - 1)]


def seat_orders(group: Group, seats: str, turn: int) -> list[Group]:
    """Return the seatings of a group that share an opening.

    "single" is one rotation, another each turn, so that all begin equally often over time; "double" is every
    rotation, so that each sits in each seat once; "all" is every rotation, with another order around the
    table each turn until all were played. For two players the last two are the same.
    """
    if seats == "all":
        group = _around_the_table(group, turn)
    rotations = [group[i:] + group[:i] for i in range(len(group))]
    if seats == "single":
        # In a single turn the sum of the numbers decides who begins, as in Berger's tables.
        return [rotations[(turn + sum(group) + 1) % len(group)]]
    return rotations


def turn_count(players: int, seats: str) -> int:
    """Return the number of turns after which the seatings repeat."""
    return {"single": players, "double": 1, "all": math.factorial(players - 1)}[seats]


def _around_the_table(group: Group, turn: int) -> Group:
    """Reorder the group, except the first, in another way each turn.

    Turns step through the sorted orders by about the golden ratio, which spreads a few turns over all orders;
    in sorted order the second player would follow the first for many turns.
    """
    count = turn_count(len(group), "all")
    step = next(s for s in itertools.count(round(0.618 * count)) if math.gcd(s, count) == 1)
    number, others, order = turn * step % count, list(group[1:]), [group[0]]
    while others:
        place, number = divmod(number, math.factorial(len(others) - 1))
        order.append(others.pop(place))
    return tuple(order)


def first_turns(groups: Sequence[Group], earlier: Iterable[Group]) -> list[int]:
    """Return for each group its first turn of "single" seats, after earlier games.

    The entrant furthest behind its share of beginning begins; among equals the one that began less often in
    this group.
    """
    due: Counter[int] = Counter()
    begun: Counter[tuple[int, frozenset[int]]] = Counter()
    for seats in earlier:
        due.update(seats)
        due[seats[0]] -= len(seats)  # began once: a balance of 0 is a fair share
        begun[seats[0], frozenset(seats)] += 1

    def first_turn(group: Group) -> int:
        first = [seat_orders(group, "single", turn)[0][0] for turn in range(len(group))]
        return min(range(len(group)), key=lambda t: (-due[first[t]], begun[first[t], frozenset(group)]))

    return [first_turn(group) for group in groups]


def order_count(players: int, seats: str) -> int:
    """Return how many games a group plays on one opening (a turn)."""
    return 1 if seats == "single" else players


def swiss_round(
    points: Sequence[float], met: Sequence[Sequence[int]], byes: Sequence[int], players: int
) -> tuple[list[Group], list[int]]:
    """Return the groups of the next Swiss round, and the entrants with a bye.

    Entrants are sorted by points, the earlier listed first among equals. If they do not divide into groups,
    the last ones with the fewest byes get a bye. Then each, from the top, meets the nearest ones it met least
    often: `met[i][j]` counts the meetings of i and j.
    """
    order = sorted(range(len(points)), key=lambda i: (-points[i], i))
    out: list[int] = []
    for _ in range(len(order) % players):
        fewest = min(byes[i] for i in order if i not in out)
        out.append(next(i for i in reversed(order) if i not in out and byes[i] == fewest))
    left = [i for i in order if i not in out]
    # Allow as few repeated meetings as necessary. The number of steps is bounded to keep large fields quick;
    # pairs not found in time are found by matching, which is slower.
    for repeats in range(len(points) + 1):
        groups = _divide(left, met, players, repeats, 20_000 + len(left))
        if groups is None and players == 2 and len(left) <= MOST_MATCHED:
            allowed = [[j for j, b in enumerate(left) if a != b and met[a][b] <= repeats] for a in left]
            pairs = pair_all(allowed)
            groups = None if pairs is None else [(left[i], left[j]) for i, j in pairs]
        if groups is not None:
            return groups, out
    return [tuple(left[i : i + players]) for i in range(0, len(left), players)], out


def _divide(
    left: list[int], met: Sequence[Sequence[int]], players: int, repeats: int, steps: int
) -> list[Group] | None:
    """Form groups from the top by backtracking.

    No two may have met more than `repeats` times.
    """
    groups: list[Group] = []
    # Entrants left before each group, and its untried choices; recursion would fail at a thousand groups.
    tried = [(left, itertools.combinations(left[1:], players - 1))]
    while left:
        left, choices = tried[-1]
        for others in choices:
            steps -= 1
            if steps < 0:
                return None
            group = (left[0], *others)
            if all(met[i][j] <= repeats for i, j in itertools.combinations(group, 2)):
                groups.append(group)
                left = [i for i in left[1:] if i not in others]
                tried.append((left, itertools.combinations(left[1:], players - 1)))
                break
        else:
            tried.pop()
            if not tried:
                return None
            groups.pop()
    return groups
