import random

import pytest

import boardlab as bl
from boardlab import _engine


def naive_left(row):
    """One row slid to the left, and the sum of the merged tiles."""
    tiles, result, gained = [t for t in row if t], [], 0
    while tiles:
        if len(tiles) > 1 and tiles[0] == tiles[1]:
            result.append(tiles[0] + 1)
            gained += 2 ** (tiles[0] + 1)
            tiles = tiles[2:]
        else:
            result.append(tiles.pop(0))
    return result + [0] * (len(row) - len(result)), gained


def naive_push(cells, size, direction):
    """The whole board pushed (up, right, down, left), by turning it until that is left."""
    rows = [list(cells[r * size : (r + 1) * size]) for r in range(size)]
    turns = {3: 0, 0: 1, 1: 2, 2: 3}[direction]
    for _ in range(turns):
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]
    gained = 0
    for r, row in enumerate(rows):
        rows[r], more = naive_left(row)
        gained += more
    for _ in range(4 - turns if turns else 0):
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]
    return [tile for row in rows for tile in row], gained


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_slides_agree_with_a_plain_version(size):
    game = bl.game("2048", size=size)
    rng = random.Random(size)
    for _ in range(300):
        highest = rng.choice([2, 4, 15, min(17, size * size + 1)])
        cells = [rng.choice([0, rng.randint(1, min(highest, size * size + 1))]) for _ in range(size * size)]
        state = game.from_fields([*cells, 100, 5, 0, 1])
        expected = {d: naive_push(cells, size, d) for d in range(4)}
        legal = [d for d in range(4) if expected[d][0] != cells]
        assert state.legal_actions() == legal
        for action in legal:
            child = state.copy()
            child.apply(action)
            after, gained = expected[action]
            assert child.fields[: size * size] == after
            assert child.scores[0] == 100 + gained
            assert child.outcome("empty_tiles")[0] == 5 + after.count(0)
            assert child.player == bl.CHANCE


def test_random_play_lasts_118_moves():
    actions, means = _engine.random_games(bl.game("2048").core, 4000, 5)
    assert actions / 4000 == pytest.approx(118, abs=2)
    assert 1050 < means[0] < 1130


def test_a_game_starts_with_two_tiles_of_nature():
    state = bl.game("2048").initial_state()
    assert state.player == bl.CHANCE and len(state.chance_outcomes()) == 32
    state.apply(0)
    assert state.player == bl.CHANCE and len(state.chance_outcomes()) == 30
    state.apply(3)
    assert state.player == 0 and state.action_text(1) == "right"
    assert dict(bl.game("2048").initial_state().chance_outcomes())[0] == pytest.approx(0.9 / 16)


def test_a_65536_tile_can_be_made():
    state = bl.game("2048").from_fields([15, 15] + [0] * 14 + [0, 0, 0, 1])
    state.apply(3)
    assert state.fields[0] == 16 and state.scores[0] == 65536
    assert "65536" in state.to_text()


@pytest.mark.parametrize("text", ["2 4\n8 16", "3 . . .\n" * 4, "2 . . .\n" * 4 + "nonsense", "x" * 16])
def test_malformed_text_is_refused(text):
    with pytest.raises(bl.BoardLabError):
        bl.game("2048").from_text(text)
