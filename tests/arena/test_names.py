"""Names of players in tournaments, ratings, the store and the hall of fame."""

import os
import sqlite3

import pytest

import boardlab as bl
from boardlab.arena.store import file as store_file
from boardlab.arena.store.migrations import MIGRATIONS

TICTACTOE = bl.game("tictactoe")
MCTS = "mcts(rollout, iterations=9)"


def played(store, agents, **more):
    return bl.tournament(TICTACTOE, agents, games=4, store=store, **more)


def test_tables_ratings_and_the_hall_of_fame_show_names(tmp_path):
    result = played(tmp_path / "s.db", {"Tree": MCTS, "R": "random"})
    assert result.names == ("Tree", "R") and result.agents == (MCTS, "random")
    assert {rating.name for rating in result.ratings.ratings} == {"Tree", "R"}
    lines = str(result).splitlines()
    assert f"Tree = {MCTS}" in lines and any(line.startswith("   1 Tree") for line in lines)
    store = bl.store(tmp_path / "s.db")
    assert store.tournament(1).names == ("Tree", "R")
    assert [rating.name for rating in bl.rate(store.tournament(1)).ratings] == ["Tree", "R"]
    fame = store.fame()
    assert [(line.label, line.expression) for line in fame] == [("Tree", MCTS), ("R", "random")]
    assert f"     is {MCTS}" in str(fame).splitlines()
    assert store.agents(TICTACTOE) == [MCTS, "random"]


def test_a_name_is_no_part_of_a_tournament_and_another_one_renames_it(tmp_path):
    played(tmp_path / "s.db", [MCTS, "random"])
    assert bl.store(tmp_path / "s.db").tournament(1).names == (MCTS, "random")
    named = played(tmp_path / "s.db", [f"A={MCTS}", "random"])
    assert named.fresh == 0 and named.names == ("A", "random")
    assert played(tmp_path / "s.db", [MCTS, "random"]).names == ("A", "random")  # a name stays
    assert played(tmp_path / "s.db", [MCTS, "A=random"]).names == (MCTS, "A")
    assert [line.label for line in bl.store(tmp_path / "s.db").fame()] == ["A", "A"]


def test_one_agent_under_two_names_is_listed_twice(tmp_path):
    with pytest.raises(bl.BoardLabError, match=r"random is listed twice \(A and B\)"):
        played(tmp_path / "s.db", ["A=random", "B=random"])
    with pytest.raises(bl.BoardLabError, match='two players are called "A"'):
        played(tmp_path / "s.db", ["A=random", f"A={MCTS}"])


def test_an_agent_object_and_its_errors_have_the_name(tmp_path):
    made = bl.python_agent(TICTACTOE, lambda state: 99, "wrong")
    result = bl.match(TICTACTOE, {"Mine": made, "R": "random"}, games=2)
    assert result.names == ("Mine", "R") and result.agents[0] == "wrong"
    assert result.records[0].error.startswith("Mine: ")
    assert bl.match(TICTACTOE, {"Mine": made, "R": "random"}, games=2) == result


def test_games_of_a_match_are_stored_with_the_names(tmp_path):
    result = bl.match(TICTACTOE, {"Tree": MCTS, "R": "random"}, games=2)
    store = bl.store(tmp_path / "s.db")
    store.add_games(TICTACTOE, result.entrants, result.records)
    found = store._read("SELECT expression, name FROM agents ORDER BY id")
    assert found == [(MCTS, "Tree"), ("random", "R")]
    assert store.games_between(TICTACTOE)[0][1].actions == result.records[0].actions


def old_store(path):
    """A store of the first version, with a finished tournament."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store_file, "MIGRATIONS", MIGRATIONS[:1])
        db = store_file.connect(path)
    db.close()
    played(path.with_name("new.db"), [MCTS, "random"])
    with sqlite3.connect(path.with_name("new.db")) as new:
        new.execute("ATTACH ? AS old", (str(path),))
        for table in ("agents", "tournaments", "entrants", "pairings", "games", "seats", "ratings"):
            columns = ", ".join(row[1] for row in new.execute(f"PRAGMA old.table_info({table})"))
            new.execute(f"INSERT INTO old.{table} ({columns}) SELECT {columns} FROM main.{table}")
    new.close()


def test_stores_of_the_first_version_open_and_go_on(tmp_path):
    old_store(tmp_path / "old.db")
    with sqlite3.connect(tmp_path / "old.db") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.close()
    assert played(tmp_path / "old.db", [MCTS, "random"]).fresh == 0
    named = played(tmp_path / "old.db", {"A": MCTS, "B": "random"})
    assert named.fresh == 0 and named.names == ("A", "B")
    assert bl.store(tmp_path / "old.db").fame()[0].name == "A"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_an_old_store_that_may_not_be_changed_is_read(tmp_path):
    check_old_store_is_read(tmp_path)


def test_an_old_store_that_is_said_to_be_read_only_is_read(tmp_path, monkeypatch):
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    check_old_store_is_read(tmp_path)


def check_old_store_is_read(tmp_path):
    old_store(tmp_path / "old.db")
    before = (tmp_path / "old.db").read_bytes()
    (tmp_path / "old.db").chmod(0o400)
    store = bl.store(tmp_path / "old.db")
    assert store.tournament(1).agents == (MCTS, "random") and len(store.tournament(1).games()) == 4
    with pytest.raises(bl.BoardLabError, match="cannot be written: it is read-only"):
        played(tmp_path / "old.db", [MCTS, "random"], seed=7)
    assert (tmp_path / "old.db").read_bytes() == before
