"""copy, deepcopy and pickle of games, of states, and of what holds them."""

import copy
import pickle
import random

import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.games.game import Game, State
from boardlab.games.registry import GAMES
from boardlab.games.rules import Rules


def played(game: Game, actions: int) -> State:
    state, rng = game.initial_state(1), random.Random(1)
    while state.actions_played < actions and not state.is_terminal:
        chance = state.player == bl.CHANCE
        state.apply(state.sample_chance(rng.getrandbits(32)) if chance else rng.choice(state.legal_actions()))
    return state


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_of_a_state_is_independent_and_can_be_undone(name, copied):
    state = played(bl.game(name, **GAMES[name].variants[-1]), 20)
    twin, original = copied(state), state.copy()
    assert twin == state and twin.game == state.game and twin.actions_played == state.actions_played > 0
    while original.actions_played:
        original.undo()
        twin.undo()
        assert twin == original
    assert state.actions_played > 0


def test_a_game_is_its_own_copy_and_its_pickle_is_its_name_and_parameters():
    for name, rules in GAMES.items():
        for variant in rules.variants:
            game = bl.game(name, **variant)
            assert copy.copy(game) is game and copy.deepcopy(game) is game
            assert pickled(game) == game
    assert b"rows" in pickle.dumps(bl.game("connectfour", rows=5))


def test_what_holds_games_and_states_is_copied_and_pickled(tmp_path):
    game = bl.game("connectfour")
    start = played(game, 4)
    result = bl.match(game, ["random", "mc(iterations=5)"], games=4, starts=[start])
    result.save(tmp_path / "games.pgn")
    run = bl.train(bl.game("tictactoe"), "q-table", episodes=5, out=tmp_path / "run", exams=())
    for value in (
        result,
        bl.read_records(tmp_path / "games.pgn"),
        bl.tournament(game, ["random", "mc(iterations=5)"], games=4, store=tmp_path / "store.db"),
        run,
    ):
        assert pickled(value) == copy.deepcopy(value) == value


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_of_an_evaluator_a_store_or_an_inspection_is_its_own(copied, tmp_path):
    game = bl.game("tictactoe")
    judge = bl.evaluator("mix(score, rollout(rollouts=4), weight=0.5)", game)
    twin = copied(judge)
    assert twin.core is not judge.core and (twin.expression, twin.game) == (judge.expression, judge.game)
    assert (twin.value(game.initial_state(), 3) == judge.value(game.initial_state(), 3)).all()
    store = bl.store(tmp_path / "store.db")
    store.add_agent(game, "random")
    other = copied(store)
    other.add_agent(game, "greedy")
    assert other._db is not store._db and store.agents(game) == ["random", "greedy(rollout)"]
    inspection = bl.train(game, episodes=20, out=tmp_path / "run").inspect()
    network = copied(inspection).network
    assert network is not inspection.network and (network.weights == inspection.network.weights).all()
    assert str(copied(inspection)) == str(inspection)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_forest_is_not_copied(copied):
    with pytest.raises(bl.BoardLabError, match="a forest cannot be copied or pickled; make another one"):
        copied(bl.Forest(bl.game("tictactoe"), 2))


def test_what_a_player_sees_is_copied_but_not_pickled():
    state = played(bl.game("kuhnpoker"), 2).seen_by(0)
    assert copy.copy(state) == copy.deepcopy(state) == state
    with pytest.raises(bl.BoardLabError, match="a hidden card cannot be read back"):
        pickle.dumps(state)


def test_rules_that_have_no_name_elsewhere_are_not_pickled():
    class Mine(Rules):
        name, summary = "mine", "a game of this file alone"

        def make_core(self) -> _engine.Game:
            return bl.game("tictactoe").core

    with pytest.raises(
        bl.BoardLabError, match=r'game\("mine"\) cannot be pickled: its rules are neither built in'
    ):
        pickle.dumps(Game(Mine()))
