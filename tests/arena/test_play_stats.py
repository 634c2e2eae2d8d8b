"""playStats.csv, by hand for a short game and against the records for 2048."""

from pathlib import Path

import pytest

import boardlab as bl
from boardlab import BoardLabError
from boardlab.arena import GameRecord
from boardlab.arena.play_stats import play_stats, write_play_stats


def test_a_short_game_by_hand() -> None:
    game = bl.game("tictactoe")
    record = GameRecord((0, 1), (0, 3, 1, 4, 2), (1.0, -1.0), 0, "")
    assert play_stats(game, ["x", "o"], [record]).splitlines() == [
        "P0: x",
        "P1: o",
        "run, moveNum, player, action, gameScore, nEmptyTile, cumEmptyTl, highestTile",
        "1, 0, 0, -1, +0.00, 0, 0, 0",
        "1, 1, 1, 0, +0.00, 0, 0, 0",
        "1, 2, 0, 3, +0.00, 0, 0, 0",
        "1, 3, 1, 1, +0.00, 0, 0, 0",
        "1, 4, 0, 4, +0.00, 0, 0, 0",
        "1, 5, 0, 2, +1.00, 0, 0, 0",
    ]


def test_tiles_of_2048(tmp_path: Path) -> None:
    game = bl.game("2048")
    result = bl.match(game, ["random"], games=2, seed=1)
    write_play_stats(tmp_path / "playStats.csv", game, result)
    lines = (tmp_path / "playStats.csv").read_text().splitlines()
    assert lines[0] == "P0: random"
    rows = [[float(word) for word in line.split(", ")] for line in lines[2:]]
    for run, record in enumerate(result.records, 1):
        mine = [row for row in rows if row[0] == run]
        assert [row[1] for row in mine] == list(range(len(mine)))  # moves are counted without the new tiles
        assert mine[0][5] == 14 and mine[0][7] in (2, 4)  # two tiles at the start
        assert mine[-1][4] == record.scores[0] and mine[-1][5] == 0
        assert mine[-1][6] == sum(row[5] for row in mine)
        assert [row[7] for row in mine] == sorted(row[7] for row in mine)
    with pytest.raises(BoardLabError, match="need the result of a match"):
        write_play_stats(tmp_path / "x.csv", game, None)  # type: ignore[arg-type]
    with pytest.raises(BoardLabError, match="cannot be written"):
        write_play_stats(tmp_path / "no" / "x.csv", game, result)
