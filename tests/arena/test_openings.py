"""Openings: balanced sets and files."""

from pathlib import Path

import numpy as np
import pytest

import boardlab as bl
from boardlab import BoardLabError
from boardlab.arena.openings import all_positions, read_openings, read_starts, shuffled_starts

FOUR = bl.game("connectfour")
TICTACTOE = bl.game("tictactoe")


@pytest.mark.parametrize(("plies", "count"), [(0, 1), (1, 9), (2, 72), (3, 252), (5, 1140)])
def test_all_positions_of_tictactoe(plies: int, count: int) -> None:
    """Positions with so many stones, 9 choose the crosses times the rest choose the noughts; after five plies 120 of
    1,260 have been won."""
    found = all_positions(TICTACTOE, plies)
    assert len(found) == len(set(found)) == count
    assert all(sum(map(bool, s.fields)) == plies for s in found if plies)


def test_every_opening_is_played_in_all_seat_orders() -> None:
    starts = all_positions(FOUR, 1)
    result = bl.match(FOUR, ["random", "mcts(rollout, iterations=5)"], games=14, starts=starts)
    assert [r.start for r in result.records] == [s for s in starts for _ in (0, 1)]
    assert [r.seats for r in result.records] == [(0, 1), (1, 0)] * 7


def test_a_file_of_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# the centre\n3 3\n3, 2  # a comment\n\n-\n")
    found = read_openings(FOUR, file)
    assert [s.actions_played for s in found] == [2, 2, 0]
    assert found[0].player == 0 and found[2] == FOUR.initial_state()


def test_starts_that_are_named_come_in_an_order_of_the_seed() -> None:
    one, same, other = (shuffled_starts(FOUR, words, seed)[0] for words, seed in (("2", 1), (2, 1), ("2", 2)))
    assert one == same != other and set(one) == set(other) == set(all_positions(FOUR, 2))


def test_a_match_and_a_tournament_take_starts_as_exams_do(tmp_path: Path) -> None:
    agents = ["random", "mc(iterations=3)"]
    result = bl.match(FOUR, agents, games=14, starts=1)
    assert {r.start for r in result.records} == set(all_positions(FOUR, 1))
    assert result == bl.match(FOUR, agents, games=14, starts="1")
    both = bl.match(FOUR, agents, games=16, starts="0-1")
    assert {r.start for r in both.records} == {FOUR.initial_state(), *all_positions(FOUR, 1)}
    drawn = bl.match(FOUR, agents, games=4, starts="random 3")
    assert drawn == bl.match(FOUR, agents, games=4, random_actions=3)
    (tmp_path / "openings.txt").write_text("3 3\n")
    read = bl.match(FOUR, agents, games=2, starts=tmp_path / "openings.txt")
    assert [r.start for r in read.records] == read_openings(FOUR, tmp_path / "openings.txt") * 2
    played = bl.tournament(FOUR, agents, games=14, starts=1, store=tmp_path / "store.db")
    assert {r.start for r in played.records} == set(all_positions(FOUR, 1))
    given = {"games": 40, "against": "random"}
    assert bl.evaluate("mc", FOUR, starts=1, **given) == bl.evaluate("mc", FOUR, starts="1", **given)
    with pytest.raises(BoardLabError, match="give random actions only once"):
        bl.match(FOUR, agents, starts="random 3", random_actions=2)


def test_openings_that_make_no_sense_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(words: str, text: str) -> None:
        (tmp_path / "x").write_text(text)
        with pytest.raises(BoardLabError, match=words):
            read_openings(FOUR, tmp_path / "x")

    refused("no opening", "# nothing\n\n")
    refused("line 2: .* not a legal action", "3\nz\n")
    refused("line 1: the game is over", "0 1 0 1 0 1 0")
    with pytest.raises(BoardLabError, match="there is no file"):
        bl.match(FOUR, ["random", "random"], starts=str(tmp_path / "missing"))
    with pytest.raises(BoardLabError, match="has chance events"):
        all_positions(bl.game("2048"), 2)
    with pytest.raises(BoardLabError, match="is over after 9"):
        all_positions(TICTACTOE, 9)
    monkeypatch.setattr("boardlab.arena.openings.MOST_POSITIONS", 300)
    with pytest.raises(BoardLabError, match="more than 300 positions"):
        all_positions(FOUR, 4)


def test_a_path_is_a_file_and_a_number_is_one_whatever_it_looks_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = bl.game("tictactoe")
    Path("2").write_text("a1 b1 c1\n")
    named = bl.match(game, ["random", "random"], 2, starts=Path("2")).records
    assert {record.start.to_text() for record in named} == {read_openings(game, "2")[0].to_text()}
    for two in (2, "2", np.int64(2)):
        assert len(read_starts(game, two)[0]) == len(all_positions(game, 2))
    with pytest.raises(BoardLabError, match="starts must be"):
        bl.match(game, ["random", "random"], 2, starts=True)
