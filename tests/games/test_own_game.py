"""A game of one's own in a library: no file ever loads one."""

import sqlite3
import subprocess
import sys
from unittest import mock

import pytest
from test_testing import COMPILER, build

import boardlab as bl
from boardlab.games.library import LOADED

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


@pytest.fixture(autouse=True)
def nothing_from_other_tests():
    with not_loaded():
        yield


@pytest.fixture
def game(tmp_path):
    return build(tmp_path)


def not_loaded():
    """As in a process that has loaded nothing."""
    return mock.patch.dict(LOADED, clear=True)


def spy(folder):
    """A library that was never loaded here, and the file that appears as soon as its code runs."""
    mark = folder / "its code ran"
    startup = f"""
#include <stdio.h>
__attribute__((constructor)) static void startup(void) {{ fclose(fopen("{mark}", "w")); }}
"""
    with mock.patch.object(bl, "load_game", lambda path: path):
        return build(folder, ("#include <string.h>", "#include <string.h>" + startup), name="spy"), mark


def test_the_spy_would_be_noticed(tmp_path):
    library, mark = spy(tmp_path)
    assert not mark.exists()
    subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r})"], check=True)
    assert mark.exists()


def test_listing_a_store_runs_no_code_that_it_names(tmp_path, game):
    store = bl.store(tmp_path / "store.db")
    for played in (game, bl.game("nim")):
        bl.tournament(played, ["random", "mcts(iterations=5)"], games=2, store=store)
    library, mark = spy(tmp_path)
    with sqlite3.connect(store.path) as db:
        for table in ("tournaments", "games", "agents"):
            db.execute(
                f"UPDATE {table} SET game = 'spy', parameters = ? WHERE game = 'countdown'",
                (f'{{"path": "{library}"}}',),
            )
    db.close()
    listed, other = store.tournaments()
    assert repr(listed) == "<Tournament 1: round-robin of 2 agents at spy>" and other.game == bl.game("nim")
    assert listed.agents == ("random", "mcts(rollout, iterations=5)") and listed.is_finished
    assert len(listed.pairings()) == 1 and len(listed.ratings("bayeselo")) == 2
    for ask in (lambda: listed.game, listed.games):
        with pytest.raises(bl.BoardLabError, match=rf'the library {library}, which .*boardlab.load_game\("'):
            ask()
    assert {line.game for line in store.fame()} == {"nim", "spy"} and len(store.fame("spy")) == 2
    assert not mark.exists()
    bl.load_game(library)
    assert mark.exists() and len(store.tournament(1).games()) == 2
