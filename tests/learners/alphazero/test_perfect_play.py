"""From nothing to perfect play in seconds: Connect 3 on a 4x4 board (tictactoe is in test_alphazero.py)."""

import pytest

import boardlab as bl

pytest.importorskip("torch")

NET = {"blocks": 1, "channels": 32, "threads": 1, "device": "cpu"}


def perfection(game, run):
    """The mean score against perfect play from all starts, with 50 iterations a move and no proofs."""
    agent = f'mcts(net("{run.path.as_posix()}"), iterations=50, solver=False)'
    return bl.evaluate(agent, game, "perfect", 60).value


def test_connect_3_is_learned_to_perfection(tmp_path):
    game = bl.game("connectfour", rows=4, cols=4, connect=3)
    little = {"episodes": 1, "games": 1, "parallel": 1, "simulations": 2}
    ignorant = bl.train(game, "alphazero", out=tmp_path / "ignorant", **little, **NET)
    assert perfection(game, ignorant) < 0  # it is the learning, not the search
    options = {"games": 64, "parallel": 64, "simulations": 32, "epochs": 4.0}
    run = bl.train(game, "alphazero", episodes=64 * 24, out=tmp_path / "run", seed=1, **options, **NET)
    assert perfection(game, run) == 0
