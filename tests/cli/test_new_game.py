"""`boardlab new-game`: a game to start from, which passes its own test at once."""

import importlib
import shutil
import sys

import pytest
from commands import output, run

import boardlab as bl

COMPILER = shutil.which("cc")


@pytest.mark.parametrize("form", ["compiled", "plain", "c"])
def test_a_new_game_passes_its_test_at_once(tmp_path, monkeypatch, form):
    if form == "c" and not COMPILER:
        pytest.skip("needs a C compiler")
    name = f"own_{form}"
    said = output("new-game", name, f"--{form}", "--out", tmp_path / "new")
    files = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert files == sorted([f"{name}.py", f"test_{name}.py", *([f"{name}.c"] if form == "c" else [])])
    assert f"boardlab --plugin {tmp_path}/new/{name}.py play {name}" in said
    monkeypatch.syspath_prepend(tmp_path / "new")
    try:
        test = importlib.import_module(f"test_{name}")
        test.test_the_rules_keep_what_they_promise({})
        test.test_three_in_a_row_win()
        test.test_its_class_is_the_registered_one()
        if form != "compiled":  # every set of parameters is compiled
            test.test_the_rules_keep_what_they_promise({"rows": 3, "cols": 4})
    finally:
        for module in (name, f"test_{name}"):
            sys.modules.pop(module, None)
    game = bl.game(name)
    assert (
        bl.perft(game, 3) == 504 and bl.describe(name).splitlines()[0] == f"{name}: Three stones in a row win"
    )
    assert "X to move" in str(game.initial_state()) and "<svg" in game.initial_state().to_svg()


def test_the_default_is_compiled(tmp_path):
    output("new-game", "one", "--out", tmp_path)
    assert "register_game(compiled=True)" in (tmp_path / "one.py").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("One",), "the name of a game is a small letter, then small letters, digits and _"),
        (("class",), "the name of a game is a small letter"),
        (("../one",), "the name of a game is a small letter"),
        (("othello",), 'there is a game "othello" already'),
        (("random",), "there is a Python module random, which random.py would hide"),
        (("numpy",), "there is a Python module numpy"),
        (("one", "--plain", "--c"), "give one of --compiled, --plain and --c, not --plain and --c"),
        (("two",), "test_two.py is already there; choose another name, or --out FOLDER"),
        (("one", "--out", "file"), "cannot be written"),
    ],
)
def test_mistakes_write_nothing(tmp_path, words, said):
    (tmp_path / "test_two.py").write_text("mine")
    (tmp_path / "file").write_text("mine")
    done = run("new-game", *words, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "test_two.py"]
