"""examples/ppo_connectfour.py: another learner on our games, and its net among our agents."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "ppo_connectfour.py"


@pytest.mark.bridge
def test_ppo_trains_saves_and_enters_a_tournament(monkeypatch, tmp_path, capsys) -> None:
    pytest.importorskip("torch")
    net = str(tmp_path / "ppo.pt")
    monkeypatch.setattr(sys, "argv", ["ppo", "--minutes", "0.01", "--games", "2", "--out", net])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    first = capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["ppo", "--play", net, "--games", "2"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    again = capsys.readouterr().out
    assert "ppo" in first and "mcts(rollout, iterations=50)" in again
