"""What the shell completes: names of games, agents, learners, presets and exams."""

import sys

import pytest

import boardlab as bl
from boardlab import cli


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("train conn", ["connectfour"]),
        ("games ot", ["othello"]),
        ("agents mc", ["mcts", "mc"]),
        ("match connectfour ran", ["random"]),
        ("match connectfour random ran", ["random"]),
        ("play hex --against alphab", ["alphabeta"]),
        ("train connectfour --learner alp", ["alphazero"]),
        ("train connectfour --preset wa", ["wang"]),
        ("train connectfour --preset az-res3", ["az-res32"]),
        ("train connectfour --exam ab", ["ab", "abdl"]),
        ("evaluate random --game othello --exam bench", bl.arena.exams_for(bl.game("othello"))),
        ("resume conn", []),
    ],
)
def test_names_are_completed(capsys, monkeypatch, words, found):
    typed = ["boardlab", *words.split(" ")]
    monkeypatch.setenv("COMP_WORDS", " ".join(typed))
    monkeypatch.setenv("COMP_CWORD", str(len(typed) - 1))
    monkeypatch.setenv("_BOARDLAB_COMPLETE", "complete_bash")
    monkeypatch.setattr("sys.argv", ["boardlab"])
    monkeypatch.setattr(
        sys.modules["__main__"], "__package__", None
    )  # or the program were `python -m pytest`
    with pytest.raises(SystemExit):
        cli.main()
    said = capsys.readouterr().out.split()
    wanted = [name for name in found if name.startswith(typed[-1])]
    assert sorted(said) == sorted(wanted)
