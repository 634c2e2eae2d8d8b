"""The evaluator ntuple(...): what its numbers mean, and that searches work over it."""

import math

import numpy as np
import pytest

import boardlab as bl
from boardlab.games.game import CHANCE


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    made = {}
    for name, parameters, settings in [
        ("tictactoe", {}, {}),
        ("nim", {"players": 3, "heaps": (3, 4, 5)}, {}),
        ("2048", {"size": 2}, {"coherence": "id", "gamma": 0.9}),
        ("rubiks", {"twists": 3}, {"tuples": 10}),
        ("connectfour", {"rows": 4, "cols": 5, "connect": 3}, {"windows": "3x3"}),
    ]:
        game = bl.game(name, **parameters)
        made[name] = bl.train(game, episodes=3000, out=folder / name, seed=1, **settings)
    return made


def weights_of(run):
    from boardlab.evaluators.ntuple import build_network
    from boardlab.runs import RunFolder

    folder = RunFolder(run.path)
    description = folder.read_agent()["network"]
    network = build_network(run.game, description, coherent=False, memory_gb=1)
    network.weights[:] = folder.read_arrays("weights.npz", {"weights": ("<f4", network.entries)})["weights"]
    return network, description


def after_state_value(run, state, player):
    network, description = weights_of(run)
    total = sum(float(network.weights[i]) for i in network.indices(state.core, player))
    return math.tanh(total) if description["sigma"] == "tanh" else total


@pytest.mark.parametrize("name", ["tictactoe", "nim", "2048", "rubiks", "connectfour"])
def test_action_values_are_paid_plus_step_plus_value_of_the_after_state(runs, name):
    run = runs[name]
    evaluator = bl.evaluator(f"ntuple('{run.path}')", run.game)
    state = run.game.initial_state(2)
    for ply in range(6):
        while state.player == CHANCE:
            state.apply(state.sample_chance(ply))
        if state.is_terminal:
            break
        values = evaluator.action_values(state)
        for action, after in state.children():
            to_come = 0.0 if after.is_terminal else after_state_value(run, after, state.player)
            expected = float(after.scores[state.player]) + run.game.core.step_reward
            expected += run.settings.gamma * to_come
            assert values[action] == pytest.approx(expected, abs=1e-4, rel=1e-5)
        assert sum(evaluator.priors(state).values()) == pytest.approx(1)
        state.apply(max(values, key=lambda action: values[action]))


def test_two_players_get_opposite_values(runs):
    run = runs["tictactoe"]
    state = run.game.initial_state()
    state.apply(4)
    value = bl.evaluator(f"ntuple('{run.path}')", run.game).value(state)
    assert value[0] == pytest.approx(after_state_value(run, state, 0), abs=1e-5)
    assert value[0] == -value[1]


def test_before_the_first_action_the_mover_gets_its_best_action_value(runs):
    run = runs["tictactoe"]
    evaluator = bl.evaluator(f"ntuple('{run.path}')", run.game)
    state = run.game.initial_state()
    assert evaluator.value(state)[0] == pytest.approx(max(evaluator.action_values(state).values()))


@pytest.mark.parametrize("taken", [0, 1, 4, 10, 11])
def test_three_players_get_the_value_of_their_own_next_turn(runs, taken):
    """The creator's table knows this position; the others' know what they will make of it, all playing greedily."""
    run = runs["nim"]
    evaluator = bl.evaluator(f"ntuple('{run.path}')", run.game)
    state = run.game.initial_state()
    for _ in range(taken):  # of twelve
        state.apply(state.legal_actions()[0])
    value, known = evaluator.value(state), {}
    if state.last_player >= 0:
        known[state.last_player] = after_state_value(run, state, state.last_player)
    ahead = state.copy()
    while len(known) < 3 and not ahead.is_terminal:
        values = evaluator.action_values(ahead)
        best = max(values, key=lambda action: values[action])
        known.setdefault(ahead.player, values[best])
        ahead.apply(best)
    for player in range(3):
        assert value[player] == pytest.approx(known.get(player, float(ahead.scores[player])), abs=1e-5)


def test_a_chance_node_is_judged_as_an_after_state(runs):
    run = runs["2048"]
    state = run.game.initial_state(1)
    while state.player == CHANCE:
        state.apply(state.sample_chance(3))
    state.apply(state.legal_actions()[0])
    assert state.player == CHANCE
    value = bl.evaluator(f"ntuple('{run.path}')", run.game).value(state)
    assert value[0] == pytest.approx(float(state.scores[0]) + after_state_value(run, state, 0), rel=1e-5)


@pytest.mark.parametrize(
    ("name", "search"),
    [
        ("tictactoe", "greedy(NET)"),
        ("tictactoe", "mcts(NET, iterations=50)"),
        ("tictactoe", "alphabeta(NET, depth=2)"),
        ("tictactoe", "maxn(NET, depth=2)"),
        ("nim", "maxn(NET, depth=2)"),
        ("nim", "mcts(NET, iterations=50)"),
        ("2048", "expectimax(NET, depth=2)"),
        ("2048", "mcts(NET, iterations=50)"),
        ("rubiks", "mcts(NET, iterations=50)"),
        ("connectfour", "policy(NET)"),
    ],
)
def test_searches_work_over_it(runs, name, search):
    run = runs[name]
    agent = bl.agent(search.replace("NET", f"ntuple('{run.path}')"), run.game, seed=1)
    state = run.game.initial_state(1)
    while state.player == CHANCE:
        state.apply(state.sample_chance(1))
    decision = agent.act(state)
    assert decision.action in state.legal_actions()
    assert not np.isnan(list(decision.policy.values())).any()


def test_tictactoe_is_not_lost_from_any_opening(runs):
    run = bl.train(runs["tictactoe"].game, out=runs["tictactoe"].path.parent / "strong", seed=2)
    for opening in (0, 1):
        result = bl.match(run.game, [run.agent(), "maxn(depth=9)"], games=200, seed=3, random_actions=opening)
        assert result.mean_scores[0] == 0.0


def test_nim_is_not_lost_where_bouton_wins(tmp_path):
    """Two seats, normal play: whoever has a won position keeps it against a perfect player."""
    game = bl.game("nim", heaps=(5, 5, 5))
    run = bl.train(game, out=tmp_path / "nim", seed=1)
    result = bl.match(game, [run.agent(), "maxn(depth=30)"], games=60, seed=1)
    # The first player wins 5,5,5 under perfect play, so each side wins the games that it begins.
    assert result.mean_scores[0] == 0.0
