"""What a newcomer tries on the command line, right or nearly right."""

import tomllib

import pytest


@pytest.mark.parametrize(
    ("words", "compact"),
    [
        (("--compact", "false"), False),
        (("--compact", "no"), False),
        (("--compact", "true"), True),
        (("--compact", "YES"), True),
        (("--compact",), True),
        (("--no-compact",), False),
        (("--compact=false",), False),
    ],
)
def test_a_switch_of_a_learner_takes_a_value(boardlab, tmp_path, words, compact):
    out = tmp_path / "run"
    status, _, error = boardlab(
        "train", "tictactoe", "--out", out, *words, "--episodes", "2", "--exam", "none"
    )
    assert (status, error) == (0, "")
    assert tomllib.loads((out / "agent.toml").read_text())["settings"]["compact"] is compact


@pytest.mark.parametrize(("word", "swap"), [("true", True), ("no", False)])
def test_a_switch_of_a_game_takes_a_value(boardlab, tmp_path, word, swap):
    file = tmp_path / "a.pgn"
    words = ("--size", "3", "--swap", word, "-n", "2", "--save", file)
    assert boardlab("match", "hex", "random", "random", *words)[0] == 0
    assert ("swap=True" in file.read_text()) is swap


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("play", "hex", "--size", "3", "--swap", "maybe"), 'hex: swap must be True or False, not "maybe"'),
        (("train", "tictactoe", "--compact", "x"), 'compact must be True or False, not "x"'),
    ],
)
def test_a_switch_is_true_or_false(boardlab, words, sentence):
    status, _, error = boardlab(*words)
    assert status == 2 and sentence in error
