"""C text, compiled and loaded: the second door for fast games."""

import pytest
from test_testing import COMPILER, SOURCE

import boardlab as bl
from boardlab.games import c_source
from boardlab.testing import check_game

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def test_c_text_becomes_a_game_and_is_compiled_once(monkeypatch):
    game = bl.c_game(SOURCE.read_text(), name="textual")
    check_game(game, games=2, perft={1: 3, 2: 9})
    monkeypatch.setattr(c_source, "_compile", lambda *given: pytest.fail("compiled again"))
    assert bl.c_game(SOURCE.read_text(), name="textual") == game


def test_c_text_that_does_not_compile_names_the_line(tmp_path):
    with pytest.raises(bl.BoardLabError, match=r"the C text of wrong cannot be compiled: .*wrong.c:1.*error"):
        bl.c_game("int boardlab_game(", name="wrong")
    with pytest.raises(bl.BoardLabError, match=r"defines boardlab_game\(\), not 'int x;'"):
        bl.c_game("int x;")


def test_a_missing_compiler_is_named(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(bl.BoardLabError, match="no-such-compiler cannot be run"):
        bl.c_game(SOURCE.read_text() + "/* another */")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(bl.BoardLabError, match="there is no C compiler"):
        bl.c_game(SOURCE.read_text())
