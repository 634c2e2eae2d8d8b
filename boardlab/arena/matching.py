"""Perfect matching where some must not meet: Edmonds' blossoms (1965)."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def pair_all(allowed: Sequence[Sequence[int]]) -> list[tuple[int, int]] | None:
    """Pair 0 .. n-1, each with one of its (mutual) `allowed` partners.

    None if impossible.

    Each, in order, gets the earliest partner in its list that still leaves partners for all later ones.
    """
    partner = [-1] * len(allowed)
    for i in range(len(allowed)):
        if partner[i] < 0 and not _augment(allowed, partner, i, frozenset()):
            return None
    pairs, gone = [], set[int]()
    for i, wanted in enumerate(allowed):
        if i in gone:
            continue
        for j in wanted:
            if j == partner[i]:
                break
            if j in gone:
                continue
            # The two partners set free must be paired again, if need be by changing other pairs.
            left, trial = partner[i], partner.copy()
            trial[left] = trial[partner[j]] = -1
            trial[i], trial[j] = j, i
            if _augment(allowed, trial, left, gone | {i, j}):
                partner = trial
                break
        gone |= {i, partner[i]}
        pairs.append((i, partner[i]))
    return pairs


def _augment(allowed: Sequence[Sequence[int]], partner: list[int], root: int, gone: AbstractSet[int]) -> bool:
    """Find a partner for the unpaired `root`, changing other pairs.

    Return whether one exists.

    A tree of alternating paths grows from the root. `came_from` is the previous step of a vertex reached by
    an unpaired edge; a cycle of odd length, a blossom, shrinks to its `base`.
    """
    count = len(partner)
    came_from, base = [-1] * count, list(range(count))
    is_outer = [i == root for i in range(count)]
    queue = [root]

    def common_base(a: int, b: int) -> int:
        """Return where the paths from both to the root meet."""
        passed = set()
        while True:
            a = base[a]
            passed.add(a)
            if a == base[root]:
                break
            a = came_from[partner[a]]
        while base[b] not in passed:
            b = came_from[partner[base[b]]]
        return base[b]

    def shrink(a: int, top: int, beside: int, blossom: set[int]) -> None:
        """Shrink one side of a blossom; the other side begins at `beside`."""
        while base[a] != top:
            blossom |= {base[a], base[partner[a]]}
            came_from[a] = beside
            beside = partner[a]
            a = came_from[beside]

    for a in queue:  # the queue grows meanwhile
        for b in allowed[a]:
            if b in gone or base[a] == base[b] or partner[a] == b:
                continue
            if b == root or (partner[b] >= 0 and came_from[partner[b]] >= 0):
                top, blossom = common_base(a, b), set[int]()
                shrink(a, top, b, blossom)
                shrink(b, top, a, blossom)
                for i in range(count):
                    if base[i] in blossom:
                        base[i] = top
                        if not is_outer[i]:
                            is_outer[i] = True
                            queue.append(i)
            elif came_from[b] < 0:
                came_from[b] = a
                if partner[b] < 0:
                    while b >= 0:  # on the way back to the root every other edge becomes a pair
                        before = came_from[b]
                        after = partner[before]
                        partner[b], partner[before] = before, b
                        b = after
                    return True
                is_outer[partner[b]] = True
                queue.append(partner[b])
    return False
