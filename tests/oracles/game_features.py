"""The features of games, slow and obvious: from fields and rules alone, in the order of the engine."""

import itertools
import math
from collections.abc import Callable, Iterable

from boardlab.games.game import Game, State

Numbers = list[float]


def steps(count: int, most: int) -> Numbers:
    """Whether there is at least one, at least two, ..., at least `most`."""
    return [float(count >= i) for i in range(1, most + 1)]


def lines_of(cells: Iterable[tuple[int, int]], directions: list[tuple[int, int]], length: int) -> list[list]:
    """All straight lines of so many cells."""
    places = set(cells)
    found = []
    for row, col in sorted(places):
        for down, right in directions:
            line = [(row + i * down, col + i * right) for i in range(length)]
            if places.issuperset(line):
                found.append(line)
    return found


EIGHT = [(0, 1), (1, 0), (1, 1), (1, -1)]


def tictactoe(state: State, player: int) -> Numbers:
    board = {divmod(i, 3): owner for i, owner in enumerate(state.fields)}
    lines = lines_of(board, EIGHT, 3)
    numbers: Numbers = []
    for side in (player, 1 - player):
        mine, other = 1 + side, 2 - side
        open_lines = [line for line in lines if all(board[c] != other for c in line)]
        stones = [sum(board[c] == mine for c in line) for line in open_lines]
        singles = [line for line, n in zip(open_lines, stones, strict=True) if n == 1]
        crossings = sum(
            owner == 0 and sum(cell in line for line in singles) > 1 for cell, owner in board.items()
        )
        corners = sum(board[c] == mine for c in itertools.product((0, 2), repeat=2))
        numbers += [*steps(stones.count(1), 4), *steps(stones.count(2), 2), *steps(crossings, 2)]
        numbers += [float(board[1, 1] == mine), corners / 4]
    return [*numbers, sum(owner > 0 for owner in board.values()) / 9]


def connectfour(state: State, player: int) -> Numbers:
    rows, cols, connect = (getattr(state.game.rules, name) for name in ("rows", "cols", "connect"))
    board = {divmod(i, cols): owner for i, owner in enumerate(state.fields)}
    lines = lines_of(board, EIGHT, connect)
    playable = {c for c in board if not board[c] and (c[0] + 1 == rows or board[c[0] + 1, c[1]])}
    numbers: Numbers = []
    for side in (player, 1 - player):
        mine, other = 1 + side, 2 - side
        open_lines = [line for line in lines if all(board[c] != other for c in line)]
        lacking = [[c for c in line if not board[c]] for line in open_lines]
        wins = {empty[0] for empty in lacking if len(empty) == 1}
        later = wins - playable
        odd = {c for c in later if (rows - 1 - c[0]) % 2 == 0}
        numbers += [*steps(len(wins & playable), 2), *steps(len(odd), 2), *steps(len(later - odd), 2)]
        numbers += [
            float(any((row - 1, col) in wins for row, col in wins)),
            float(any((row + 1, col) in playable for row, col in wins)),
            sum(len(empty) == 2 for empty in lacking) / 10,
            sum(len(empty) == 3 for empty in lacking) / 20,
            sum(board[r, c] == mine for r in range(rows) for c in {(cols - 1) // 2, cols // 2}) / rows,
        ]
    return [*numbers, sum(owner > 0 for owner in board.values()) / len(board)]


def hex_(state: State, player: int) -> Numbers:
    size = state.game.rules.size  # type: ignore[attr-defined]
    board = {divmod(i, size): owner for i, owner in enumerate(state.fields[: size * size])}
    around = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)]

    def neighbours(cell: tuple[int, int]) -> list[tuple[int, int]]:
        return [c for c in ((cell[0] + r, cell[1] + k) for r, k in around) if c in board]

    def joined(cell: tuple[int, int], bridges: bool) -> set[tuple[int, int]]:
        found = set(neighbours(cell))
        for other in board if bridges else ():
            shared = [c for c in neighbours(other) if c in neighbours(cell)]
            if (
                other != cell
                and other not in found
                and len(shared) == 2
                and not any(board[c] for c in shared)
            ):
                found.add(other)
        return found

    def touches(cell: tuple[int, int], axis: int, end: int, bridges: bool) -> bool:
        if cell[axis] == end:
            return True
        return bridges and sum(c[axis] == end and not board[c] for c in neighbours(cell)) == 2

    def lacking(side: int, end: int, bridges: bool) -> dict[tuple[int, int], int]:
        """By Bellman and Ford: the stones that are missing up to a cell, its own counted."""
        cost = {c: int(owner == 0) for c, owner in board.items() if owner != 2 - side}
        best = {c: cost[c] for c in cost if touches(c, side, end, bridges)}
        ways = {c: joined(c, bridges) for c in cost}
        changed = True
        while changed:
            changed = False
            for cell in list(best):
                for other in ways[cell]:
                    if other in cost and best[cell] + cost[other] < best.get(other, 10**6):
                        best[other] = best[cell] + cost[other]
                        changed = True
        return best

    def total(side: int, bridges: bool) -> int:
        ends = [n for c, n in lacking(side, 0, bridges).items() if touches(c, side, size - 1, bridges)]
        return min(ends, default=1000)

    numbers, fewest = [], {}
    for side in (player, 1 - player):
        all_of, fewest[side] = total(side, False), total(side, True)
        near, far = lacking(side, 0, False), lacking(side, size - 1, False)
        ways = sum(not board[c] and c in near and c in far and near[c] + far[c] == all_of + 1 for c in board)
        numbers += [min(all_of, size) / size, min(fewest[side], size) / size]
        numbers += [float(all_of <= n) for n in (1, 2)] + [float(fewest[side] <= n) for n in (0, 1, 2)]
        numbers.append(ways / len(board))
    lead = fewest[1 - player] - fewest[player]
    return [*numbers, *(float(lead >= n) for n in (-1, 0, 1, 2)), sum(map(bool, board.values())) / len(board)]


def nim(state: State, player: int) -> Numbers:
    rules = state.game.rules
    heaps, start = state.fields[:-1], state.game.initial_state().fields[:-1]
    ones = heaps.count(1)
    nim_sum = 0
    for heap in heaps:
        nim_sum ^= heap % (1 + (rules.max_take or max(start)))  # type: ignore[attr-defined]
    return [
        sum(heaps) / sum(start),
        sum(h > 0 for h in heaps) / len(heaps),
        ones / len(heaps),
        max(heaps) / max(start),
        ones % 2,
        *steps(sum(h > 1 for h in heaps), 3),
        *(float(nim_sum >> bit & 1) for bit in range(8)),
        float(nim_sum == 0),
        *(float(sum(heaps) == left) for left in range(1, 7)),
    ]


def twenty48(state: State, player: int) -> Numbers:
    size = state.game.rules.size  # type: ignore[attr-defined]
    cells = size * size
    rows = [state.fields[r * size : r * size + size] for r in range(size)]
    lines = rows + [list(col) for col in zip(*rows, strict=True)]
    pairs = [(a, b) for line in lines for a, b in itertools.pairwise(line)]
    tiles = [tile for row in rows for tile in row]
    disorder = 0
    for line in lines:
        changes = [b - a for a, b in itertools.pairwise(line)]
        disorder += min(sum(max(c, 0) for c in changes), sum(max(-c, 0) for c in changes))
    falls = max(
        sum(rows[r][c] * 2.0 ** -(abs(r - top) + abs(c - left)) for r in range(size) for c in range(size))
        for top in (0, size - 1)
        for left in (0, size - 1)
    )
    total = sum(2**tile for tile in tiles if tile)
    return [
        tiles.count(0) / cells,
        *steps(tiles.count(0), 2),
        max(tiles) / cells,
        float(max(tiles) > 0 and max(tiles) in (rows[0][0], rows[0][-1], rows[-1][0], rows[-1][-1])),
        sum(a == b > 0 for a, b in pairs) / cells,
        sum(abs(a - b) for a, b in pairs if a and b) / (4 * cells),
        disorder / (2 * cells),
        falls / cells,
        math.log2(total) / cells if total else 0,
        *steps(max(tiles) - 6, 9),
    ]


def othello(state: State, player: int) -> Numbers:
    size = state.game.rules.size  # type: ignore[attr-defined]
    cells = size * size
    board = {divmod(i, size): owner for i, owner in enumerate(state.fields[:-1])}

    def around(cell: tuple[int, int]) -> list[tuple[int, int]]:
        found = itertools.product((-1, 0, 1), repeat=2)
        return [c for c in ((cell[0] + r, cell[1] + k) for r, k in found) if c in board and c != cell]

    def edge(cell: tuple[int, int]) -> bool:
        return {0, size - 1} & set(cell) != set()

    corners = list(itertools.product((0, size - 1), repeat=2))
    beside = {c for corner in corners if not board[corner] for c in around(corner)}
    numbers: Numbers = []
    for side in (player, 1 - player):
        seen = state.game.from_fields([*board.values(), side])
        # The position does not say that a side must pass: then the other one has its legal actions.
        moves = [a for a in seen.legal_actions() if a < cells] if seen.player == side else []
        mine = {c for c in board if board[c] == 1 + side}
        numbers += [
            len(mine) / cells,
            len(moves) / 16,
            float(not moves),
            sum(c in mine for c in corners) / 4,
            sum(c in beside and not edge(c) for c in mine) / 4,
            sum(c in beside and edge(c) for c in mine) / 8,
            sum(map(edge, mine)) / (4 * (size - 1)),
            sum(any(not board[n] for n in around(c)) for c in mine) / cells,
        ]
    left = list(board.values()).count(0)
    return [*numbers, left / cells, left % 2, float(3 * left < cells)]


def sim(state: State, player: int) -> Numbers:
    players, nodes = state.game.players, state.game.rules.nodes  # type: ignore[attr-defined]
    edges = list(itertools.combinations(range(nodes), 2))
    owner = dict(zip(edges, state.fields, strict=True))
    free = [edge for edge in edges if not owner[edge]]

    def closes(p: int, edge: tuple[int, int]) -> bool:
        return any(
            all(owner[min(a, n), max(a, n)] == 1 + p for a in edge) for n in range(nodes) if n not in edge
        )

    numbers: Numbers = []
    for p in ((player + i) % players for i in range(players)):
        safe = sum(not closes(p, edge) for edge in free)
        lost = any(owner[edge] == 1 + p and closes(p, edge) for edge in edges)
        numbers += [safe / len(edges), (len(free) - safe) / len(edges), float(lost), *steps(safe, 3)]
    safe = sum(not any(closes(p, edge) for p in range(players)) for edge in free)
    return [*numbers, 1 - len(free) / len(edges), safe / len(edges), safe % 2]


def yavalath(state: State, player: int) -> Numbers:
    players, side = state.game.players, state.game.rules.side  # type: ignore[attr-defined]
    reach = side - 1
    places = [
        (r, c) for r in range(-reach, reach + 1) for c in range(-reach, reach + 1) if -reach <= r + c <= reach
    ]
    board = dict(zip(places, state.fields, strict=False))
    directions = [(0, 1), (1, 0), (1, -1)]
    fours, threes = lines_of(board, directions, 4), lines_of(board, directions, 3)
    free = [c for c in board if not board[c]]

    def makes(stones: set, cell: tuple[int, int], lines: list[list]) -> bool:
        return any(cell in line and stones.issuperset(c for c in line if c != cell) for line in lines)

    numbers: Numbers = []
    for p in ((player + i) % players for i in range(players)):
        stones = {c for c in board if board[c] == 1 + p}
        wins = {c for c in free if makes(stones, c, fours)}
        loses = {c for c in free if makes(stones, c, threes)} - wins
        found = []
        for cell in free:
            if cell not in wins and cell not in loses:
                more = stones | {cell}
                found.append(sum(makes(more, c, fours) for c in free if c != cell and c not in wins))
        numbers += [*steps(len(wins), 2), len(loses) / len(board)]
        numbers += [sum(n > 0 for n in found) / len(board), *steps(sum(n > 1 for n in found), 2)]
        numbers.append(sum(reach - (abs(r) + abs(c) + abs(r + c)) // 2 for r, c in stones) / len(board))
        out = any(stones.issuperset(line) for line in threes) and not any(
            stones.issuperset(line) for line in fours
        )
        numbers.append(float(out))
    return [*numbers, 1 - len(free) / len(board)]


def ewn(state: State, player: int) -> Numbers:
    """By the game's own actions: every side of the die in turn."""
    players, size = state.game.players, state.game.rules.size  # type: ignore[attr-defined]
    stones = 3 if size <= 4 else 6
    fields = state.fields
    team = (lambda p: p == 2) if players == 3 else (lambda p: p % 2)
    corner = {0: (size - 1, size - 1), 1: (0, 0), 2: (0, size - 1), 3: (size - 1, 0)}
    where = {fields[i] - 1: divmod(i, size) for i in range(size * size) if fields[i]}
    numbers: Numbers = []
    for p in ((player + i) % players for i in range(players)):
        goal = corner[p]
        steps_to = {
            stone: max(abs(cell[0] - goal[0]), abs(cell[1] - goal[1]))
            for stone, cell in ((s - p * stones, c) for s, c in where.items() if s // stones == p)
        }
        way = [(down, right) for down in (0, 1) for right in (0, 1) if (down, right) != (0, 0)]
        sign = (1 if goal[0] else -1, 1 if goal[1] else -1)

        def attacks(stone: int, p: int = p, way: list = way, sign: tuple = sign) -> bool:
            row, col = where[p * stones + stone]
            targets = {(row + d * sign[0], col + r * sign[1]) for d, r in way}
            return any(cell in targets and team(s // stones) != team(p) for s, cell in where.items())

        total, arrives, takes = 0, 0, 0
        for side in range(stones):
            lower, higher = ([s for s in steps_to if s < side], [s for s in steps_to if s > side])
            movable = [side] if side in steps_to else [*sorted(lower)[-1:], *sorted(higher)[:1]]
            best = min((steps_to[s] for s in movable), default=size)
            total += best
            arrives += best == 1
            takes += any(map(attacks, movable))
        nearest = min(steps_to.values(), default=size)
        numbers += [len(steps_to) / stones, nearest / size, total / (size * stones)]
        numbers += [arrives / stones, takes / stones]
    return numbers


SLOW: dict[str, Callable[[State, int], Numbers]] = {
    "tictactoe": tictactoe,
    "connectfour": connectfour,
    "hex": hex_,
    "nim": nim,
    "2048": twenty48,
    "othello": othello,
    "sim": sim,
    "yavalath": yavalath,
    "ewn": ewn,
}


def slow_features(game: Game, state: State, player: int) -> Numbers:
    """The features of the position for the player."""
    return [float(number) for number in SLOW[game.name](state, player)]
