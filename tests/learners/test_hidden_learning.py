"""TD, SARSA, Q-learning and tables learn hidden cards by what a player sees, and by nothing else."""

import random
from dataclasses import dataclass

import numpy as np
import pytest

import boardlab as bl
from boardlab.games.registry import GAMES
from boardlab.learners import LEARNERS
from tests.games.test_hidden import another_world, reachable_decisions

LEARNS = [name for name in LEARNERS if LEARNERS[name].learns_hidden and name != "cfr"]
SMALL = {
    "td-ntuple": {"layout": "points", "tuples": 2, "length": 2, "lambda_": 0.5, "sigma": "identity"},
    "sarsa-ntuple": {"layout": "points", "tuples": 2, "length": 2, "sigma": "identity"},
    "q-ntuple": {"layout": "points", "tuples": 2, "length": 2, "sigma": "identity"},
    "td-features": {"hidden": 3, "sigma": "identity"},
    "q-table": {"memory_mb": 1},
    "qm": {"memory_mb": 1, "search_iterations": 4},
}


@dataclass(frozen=True)
class Shells(bl.PythonGame):
    """A pea lies under one of three shells; player 0 saw it and may bet, player 1 points at a shell."""

    name = "shells"
    action_count, outcome_count, horizon = 3, 3, 2
    score_range = (-2.0, 2.0)
    cell_values = (5, 4, 4)

    def initial_state(self, rng):
        return (0, 0, 0)  # the pea, the bet, the shell: 0 not yet

    def player(self, position):
        pea, bet, shell = position
        return bl.CHANCE if not pea else 0 if not bet else 1 if not shell else bl.TERMINAL

    def chance(self, position):
        return [(0, 0.5), (1, 0.25), (2, 0.25)]

    def legal(self, position):
        return [0, 1] if self.player(position) == 0 else [0, 1, 2]

    def apply(self, position, action):
        place = sum(map(bool, position))
        return (*position[:place], action + 1, *position[place + 1 :])

    def scores(self, position):
        pea, bet, shell = position
        won = 0 if not shell else bet * (1 if pea == shell else -1)
        return [-won, won]

    def conceal(self, position, player):
        pea, bet, shell = position
        return (4 if player == 1 and pea and not shell else pea, bet, shell)

    def determinize(self, position, player, rng):
        pea, bet, shell = position
        return (rng.choice((1, 1, 2, 3)) if pea == 4 else pea, bet, shell)

    def board_vector(self, position, player):
        return self.conceal(position, player)


@dataclass(frozen=True)
class OpenShells(Shells):
    """The same, but its board vector and its features tell all that the position holds."""

    name = "openshells"

    def board_vector(self, position, player):
        return position


@pytest.fixture
def shells(monkeypatch):
    for kind in (Shells, OpenShells):
        monkeypatch.setitem(GAMES, kind.name, kind)
    return bl.game("shells"), bl.game("openshells")


def trained(game, learner, path, episodes=300):
    return bl.train(game, learner, episodes=episodes, out=path, seed=4, exams=[], **SMALL[learner])


@pytest.mark.parametrize("learner", LEARNS)
def test_no_weight_depends_on_a_hidden_card(learner, shells, tmp_path):
    """A game whose board vector would tell the hidden card learns the same weights, to the bit."""
    arrays = []
    for game in shells:
        run = trained(game, learner, tmp_path / game.name)
        with np.load(run.path / "weights.npz") as file:
            arrays.append({name: file[name].copy() for name in file.files})
    assert any(array.any() for array in arrays[0].values())
    for name, array in arrays[0].items():
        assert (array == arrays[1][name]).all()


@pytest.mark.parametrize("learner", LEARNS)
def test_a_trained_agent_decides_the_same_in_worlds_that_look_alike(learner, tmp_path):
    game, rng = bl.game("leducpoker"), random.Random(1)
    agent = trained(game, learner, tmp_path / "run").agent()
    for state in reachable_decisions(game, rng, 20):
        decisions = []
        for world in (state, another_world(state, rng)):
            agent.reset(seed=7)
            decisions.append(agent.act(world))
        assert decisions[0].action == decisions[1].action
        assert str(decisions[0].values) == str(decisions[1].values)


@pytest.mark.parametrize("learner", LEARNS)
def test_every_learner_beats_random_play_in_kuhn_poker(learner, tmp_path):
    game = bl.game("kuhnpoker")
    run = bl.train(game, learner, episodes=20_000, out=tmp_path / "run", seed=1, exams=[])
    assert bl.match(game, [run, "random"], games=4000, seed=1).mean_scores[0] > 0.1


def test_an_action_that_ends_the_round_is_worth_its_mean_over_the_worlds(tmp_path):
    """A jack that calls a bet always loses 2, a king wins 2, a queen wins or loses: whatever is hidden."""
    game = bl.game("kuhnpoker")
    run = trained(game, "td-ntuple", tmp_path / "run", episodes=10)
    judge = bl.evaluator(f'ntuple("{run.path}")', game)
    for card, call in ((0, -2.0), (2, 2.0)):
        state = game.initial_state()
        for action in (1, card, 1):  # the other has a queen and bets
            state.apply(action)
        assert judge.action_values(state) == {0: -1.0, 1: call}
    state = game.initial_state()
    for action in (0, 1, 1):
        state.apply(action)
    values = [judge.action_values(state, seed)[1] for seed in range(40)]
    assert len(set(values)) > 3 and abs(np.mean(values)) < 0.4


def test_search_inside_self_play_is_refused(tmp_path):
    with pytest.raises(bl.BoardLabError, match="search inside self-play would see the hidden cards"):
        bl.train(bl.game("kuhnpoker"), "td-ntuple", search="mcts", out=tmp_path / "run", exams=[])
    assert not (tmp_path / "run").exists()
