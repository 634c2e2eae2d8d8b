"""BoardLab's games and agents inside OpenSpiel."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import boardlab as bl

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, mcts
from open_spiel.python.tests import games_sim_test

import boardlab.bridges.openspiel as bridge

GAMES = bl.games()


@pytest.mark.parametrize("name", GAMES)
def test_every_game_passes_random_sim_test(name: str) -> None:
    bridge.register_games()
    game = pyspiel.load_game(f"boardlab_{name}")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["leducpoker", "nim", "ewn"])
def test_games_and_states_can_be_pickled(name: str) -> None:
    """Its own test of simulations pickles, too."""
    game = bridge.spiel_game(name)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[-1])
    again = pickle.loads(pickle.dumps(state))
    assert str(again) == str(state) and again.history() == state.history()
    games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.bridge
def test_a_pickle_opens_in_a_process_that_has_registered_nothing() -> None:
    state = bridge.spiel_game("hex", size=4).new_initial_state()
    state.apply_action(5)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).history())"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True)
    assert (done.returncode, done.stdout.strip()) == (0, b"[5]"), done.stderr


def test_parameters_are_those_of_the_game() -> None:
    bridge.register_games()
    assert pyspiel.load_game("boardlab_hex(size=5)").num_distinct_actions() == 25
    assert pyspiel.load_game("boardlab_nim(heaps=3x2,players=3)").num_players() == 3
    one_heap = bridge.spiel_game("nim", heaps=(7,), max_take=2)
    pyspiel.random_sim_test(one_heap, num_sims=1, serialize=True, verbose=False)
    assert bridge.spiel_game("connectfour", rows=4, cols=5).observation_tensor_shape() == [2, 4, 5]
    assert bridge.spiel_game(bl.game("hex", size=4)).num_distinct_actions() == 16
    assert str(bridge.spiel_game("openspiel:tic_tac_toe")) == "tic_tac_toe()"
    a, b = (str(bridge.spiel_game("rubiks", seed=seed).new_initial_state()) for seed in (1, 2))
    assert a != b
    for seed in (-1, 2**31, "x"):
        with pytest.raises(bl.BoardLabError, match="seed must be a whole number"):
            bridge.spiel_game("rubiks", seed=seed)
    with pytest.raises(bl.BoardLabError, match="leave out size"):
        bridge.spiel_game(bl.game("hex"), size=5)


def test_positions_are_ours() -> None:
    game = bridge.spiel_game("othello")
    state, own = game.new_initial_state(), bl.game("othello").initial_state()
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        assert state.legal_actions() == own.legal_actions() and state.current_player() == own.player
        seen = np.asarray(state.observation_tensor(own.player)).reshape(3, 8, 8)
        assert np.array_equal(seen, own.planes(own.player))
        action = int(rng.choice(own.legal_actions()))
        assert state.action_to_string(own.player, action) == own.action_text(action)
        copy = state.clone()
        state.apply_action(action)
        own.apply(action)
        assert copy.legal_actions() != state.legal_actions() or str(copy) != str(state)
    assert state.returns() == own.scores.tolist() and str(state) == own.game.rules.board_text(own)


def test_cfr_finds_the_equilibrium_of_our_kuhn_poker() -> None:
    """The value of the game is -1/18 for who begins; the same iterations as on OpenSpiel's own game."""
    found = []
    for game in (bridge.spiel_game("kuhnpoker"), pyspiel.load_game("kuhn_poker")):
        solver = cfr.CFRSolver(game)
        for _ in range(60):
            solver.evaluate_and_update_policy()
        policy = solver.average_policy()
        found.append(exploitability.nash_conv(game, policy))
        value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        assert value[0] == pytest.approx(-1 / 18, abs=0.01)
    assert found[0] == pytest.approx(found[1]) and found[0] < 0.05


def test_its_mcts_plays_our_games_and_our_agents_are_its_bots() -> None:
    game = bridge.spiel_game("tictactoe")
    rng = np.random.RandomState(1)
    theirs = mcts.MCTSBot(game, 2.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    ours = bridge.bot("alphabeta(depth=9)", game, 1)
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action((theirs, ours)[state.current_player()].step(state))
        assert state.returns()[0] <= 0  # nobody beats a perfect player
    policy, action = ours.step_with_policy(game.new_initial_state())
    assert action in dict(policy) and sum(dict(policy).values()) == pytest.approx(1)


def test_our_agents_play_its_games_in_its_loop() -> None:
    game = pyspiel.load_game("connect_four")
    won = 0.0
    for seed in range(5):
        bots = [
            bridge.bot("mcts(rollout, iterations=30)", game, 0, seed=seed),
            pyspiel.make_uniform_random_bot(1, seed),
        ]
        won += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0]
    assert won >= 3
    with pytest.raises(bl.BoardLabError, match=r"this bot plays connect_four.*, not tic_tac_toe\(\)"):
        bridge.bot("random", game, 0).step(pyspiel.load_game("tic_tac_toe").new_initial_state())
    with pytest.raises(bl.BoardLabError, match="player must be from 0 to 1, not 2"):
        bridge.bot("random", game, 2)
    with pytest.raises(bl.BoardLabError, match="a bot plays a game of OpenSpiel"):
        bridge.bot("random", bl.game("hex"), 0)


def test_a_process_that_registered_games_ends_well() -> None:
    code = "import boardlab.bridges.openspiel as o, pyspiel; o.register_games(); pyspiel.load_game('boardlab_hex')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
