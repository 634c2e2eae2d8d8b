"""The kit itself must catch games that break the rules; each broken game is a C library with one fault."""

import shutil
import subprocess
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.testing import ConformanceError, check_game

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "c_game" / "countdown.c"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def build(folder, *edits, name="countdown"):
    """The example game with some lines replaced, compiled and loaded."""
    text = SOURCE.read_text()
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(text)
    command = [
        COMPILER,
        "-O1",
        "-shared",
        "-fPIC",
        "-I",
        str(ROOT / "engine"),
        str(source),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True)
    return bl.load_game(str(library))


def test_a_game_in_c_is_a_game_like_any_other(tmp_path):
    game = build(tmp_path)
    check_game(game, perft={1: 3, 2: 9})
    decision = bl.agent("alphabeta(depth=21)", game).act(game.initial_state())
    assert decision.action == 0 and decision.scores[0] == 1  # leave a multiple of four
    result = bl.match(game, ["mcts(iterations=300)", "random"], games=40)
    assert result.wins[0] > 35
    assert bl.match(game, ["mcts(iterations=50)", "mc"], games=6, threads=2).games == 6


FAULTS = {
    "legal out of range": ("actions[count] = count,", "actions[count] = count + 1,"),
    "legal not ascending": ("actions[count] = count,", "actions[count] = 2 - count,"),
    "terminal with actions": (
        "? ((const state *)s)->to_move : BL_TERMINAL",
        "? ((const state *)s)->to_move : 0",
    ),
    "no such player": ("((state *)s)->to_move ^= 1", "((state *)s)->to_move = 5"),
    "not zero-sum": ("out[1] = -out[0]", "out[1] = out[0]"),
    "score outside its range": ("->to_move ? 1 : -1", "->to_move ? 7 : -7"),
    "text does not read back": ("(state){fields[0], fields[1]}", "(state){fields[0], 0}"),
    "wrong last player": ("1 - ((const state *)s)->to_move", "((const state *)s)->to_move"),
    "an action without effect": ("->left -= action + 1;", "->left -= 0; return;"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_kit_catches(tmp_path, fault):
    game = build(tmp_path, FAULTS[fault], name=f"fault{list(FAULTS).index(fault)}")
    with pytest.raises(ConformanceError):
        check_game(game)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (("abi_version = BL_GAME_ABI", "abi_version = 99"), "contract version 99"),
        (("players = 2", "players = 9"), "players must be from 1 to 8"),
        (("table.legal = legal;", ""), "missing"),
        (("state_size = sizeof(state)", "state_size = 0"), "state_size"),
        (("max_score = 1", "max_score = -1"), "min_score"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(tmp_path, edit, says):
    with pytest.raises(bl.BoardLabError, match=says):
        build(tmp_path, edit, name=f"bad{abs(hash(edit)) % 10**6}")


def test_a_library_that_is_none_is_refused(tmp_path):
    with pytest.raises(bl.BoardLabError, match="no game library"):
        bl.load_game(str(tmp_path / "nothing.so"))
    (tmp_path / "text.so").write_text("not a library")
    with pytest.raises(bl.BoardLabError, match="cannot be loaded"):
        bl.load_game(str(tmp_path / "text.so"))


def test_wrong_perft_is_reported():
    with pytest.raises(ConformanceError, match=r"perft\(2\) is 72, not 73"):
        check_game(bl.game("tictactoe"), games=1, perft={2: 73})
