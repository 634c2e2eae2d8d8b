"""Numbers that change when behaviour changes. Change them only on purpose, and say in the commit why.

Root visits of fixed searches from fixed positions and seeds, in the order of the legal actions; nodes of
Multi-ProbCut.
"""

from dataclasses import dataclass

import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.search.agent import Agent
from boardlab.search.full_width import AlphaBeta

VISITS = {
    ("tictactoe", 2, "mcts(rollout, iterations=500)"): [66, 30, 53, 48, 101, 40, 70, 47, 45],
    ("connectfour", 8, "mcts(rollout, iterations=1000)"): [104, 143, 234, 110, 176, 92, 141],
    ("connectfour", 8, 'mcts(rollout, select="puct", iterations=300)'): [10, 6, 2, 238, 30, 2, 12],
    ("connectfour", 8, "mcts(rollout, iterations=1000, batch=8, leaf_visits=0)"): [
        103, 125, 204, 183, 128, 161, 96,
    ],
    ("connectfour", 8, "mcts(rollout, iterations=400, noise=1.0)"): [4, 265, 27, 13, 55, 1, 35],
    ("connectfour", 8, 'mcts(rollout, iterations=400, fpu="parent", fpu_value=0.2)'): [2, 47, 4, 9, 263, 2, 73],
    ("connectfour", 8, "mcts(rollout, iterations=1000, rave=True, rave_rollouts=True)"): [
        104, 130, 164, 219, 160, 109, 114,
    ],
    ("connectfour", 8, 'mcts(mix(score, rollout), select="puct", iterations=300, rave=True)'): [
        2, 8, 4, 57, 182, 4, 43,
    ],
    ("connectfour", 8, "mcts(rollout, iterations=20000, max_nodes=1024)"): [
        938, 2608, 3843, 4932, 5921, 824, 934,
    ],
    ("othello", 20, 'mcts(rollout, iterations=64, gumbel=4, policy="visits")'): [8, 0, 24, 24, 0, 8],
    ("othello", 20, 'mcts(rollout(outcome="discs"), iterations=500)'): [82, 93, 95, 65, 83, 82],
    ("nim", 2, "mcts(rollout, iterations=500, c=0.5)"): [
        13, 15, 26, 60, 38, 48, 34, 26, 28, 28, 6, 15, 36, 36, 91,
    ],
    ("nim", 2, "mcts(rollout, iterations=500, c=0.5, solver=False)"): [
        16, 29, 34, 3, 79, 49, 43, 61, 16, 40, 41, 8, 42, 21, 18,
    ],
    ("2048", 10, "mcts(rollout(depth=20), iterations=500)"): [132, 111, 121, 136],
    ("rubiks", 0, "mcts(rollout(depth=5), iterations=500)"): [56, 56, 55, 56, 56, 55, 55, 56, 55],
}  # fmt: skip


@pytest.mark.parametrize(("game", "actions", "spec"), VISITS, ids=str)
def test_root_visits_are_the_recorded_ones(game: str, actions: int, spec: str) -> None:
    state = random_position(bl.game(game), 1, actions)
    decision = bl.agent(spec, bl.game(game), seed=1).act(state)
    visits = [round(p * decision.info["iterations"]) for p in decision.policy.values()]
    assert visits == VISITS[game, actions, spec]


@dataclass(frozen=True)
class Weights(EvaluatorSpec):
    """Squares of othello on 4x4, weighed so that shallow and deep searches often disagree."""

    def build(self, game: bl.Game) -> _engine.Evaluator:
        weights = [9, -4, 3, 7, -2, 1, 1, -3, 5, 1, 1, -6, 8, -1, -5, 6]
        return _engine.cell_weights_evaluator(game.core, [float(weight) for weight in weights])


def test_multi_probcut_searches_the_recorded_number_of_positions() -> None:
    """Deeper than predictions were measured (8), and with cuts on both sides of the window."""
    game = bl.game("othello", size=4)
    spec = AlphaBeta(Weights(), depth=11, mpc=1.0)
    agent = Agent(game, spec.build(game, seed=1), "weights", spec.build)
    nodes = [agent.act(random_position(game, seed, 1)).info["nodes"] for seed in range(3)]
    assert nodes == [1816, 1137, 692]
