"""Searches and rollouts stop at the end of a round; what it paid counts under every search over a judge."""

import numpy as np
import pytest

import boardlab as bl
from boardlab.evaluators import EVALUATORS


@pytest.fixture(autouse=True)
def flat():
    """A judge who expects nothing more of any round: then only what was paid counts."""
    bl.register_evaluator("flat")(
        lambda game: (
            lambda planes, legal: (
                np.zeros((len(planes), game.players), np.float32),
                np.zeros(legal.shape, np.float32),
            )
        )
    )
    yield
    del EVALUATORS["flat"]


def kuhn_after(rounds, *actions):
    state = bl.game("kuhnpoker", rounds=rounds).initial_state()
    for action in (2, 0, *actions):  # king and jack
        state.apply(action)
    return state


def test_a_rollout_ends_with_the_round_unless_the_whole_game_is_wanted():
    state = kuhn_after(40, 1)  # player 1 folds (1) or calls (2): no more can be won in this round
    one_round = bl.evaluator("rollout", state.game)
    assert {one_round.value(state, seed)[0] for seed in range(50)} == {1, 2}
    whole = bl.evaluator("rollout(whole_game=True)", state.game)
    assert len({whole.value(state, seed)[0] for seed in range(50)}) > 5


def test_a_tree_does_not_grow_into_the_next_round():
    state = kuhn_after(5)
    decision = bl.agent("mcts(iterations=500)", state.game, seed=1).act(state)
    assert decision.info["depth"] <= 3  # the most actions of a round
    assert all(-2 <= value <= 2 for value in decision.values.values())


def test_expectimax_judges_a_round_as_if_it_were_the_last():
    values = []
    for rounds in (1, 3):
        game = bl.game("blackjack", rounds=rounds, split=False)
        state = game.initial_state()
        for card in (10, 6, 4):
            state.apply(card - 1)
        values.append(bl.agent("expectimax(depth=3)", game).act(state).values)
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_a_search_of_all_hidden_cards_ends_with_the_round():
    nodes = [
        bl.agent("expectimax(depth=6)", state.game).act(state).info["nodes"]
        for state in (kuhn_after(1), kuhn_after(5))
    ]
    assert nodes[0] == nodes[1]


SEARCHES = (
    "greedy(flat)",
    "mcts(flat, iterations=50)",
    "mcts(flat, iterations=50, batch=8, leaf_visits=0)",
    "ismcts(flat, iterations=50)",
    "expectimax(flat, depth=2)",
    "mc(flat, iterations=20)",
    "rhea(flat, iterations=100)",
)


@pytest.mark.parametrize("rounds", [1, 5])
@pytest.mark.parametrize("search", SEARCHES)
def test_a_judges_search_sees_what_the_round_paid(search, rounds):
    state = kuhn_after(rounds, 1)  # the jack loses 1 if it folds and 2 if it calls
    decision = bl.agent(search, state.game, seed=1).act(state)
    assert state.action_text(decision.action) == "fold"
    assert [decision.values[action] for action in (0, 1)] == pytest.approx([-1, -2])


@pytest.mark.parametrize("search", SEARCHES)
def test_what_earlier_rounds_paid_counts_as_well(search):
    state = kuhn_after(5, 1, 1)  # player 0 has won 2
    for action in (2, 0, 1):  # now player 1 begins: she has the king and bets
        state.apply(action)
    assert state.player == 0 and tuple(state.scores) == (2, -2)
    decision = bl.agent(search, state.game, seed=1).act(state)
    assert [decision.values[action] for action in (0, 1)] == pytest.approx([1, 0])


def twenty_against_six(rounds):
    """The second round of blackjack, where there is one: the first was won."""
    state = bl.game("blackjack", rounds=rounds).initial_state()
    cards = (10, 6, 10)
    if rounds > 1:
        for card in cards:
            state.apply(card - 1)
        state.apply(next(a for a in state.legal_actions() if state.action_text(a) == "stand"))
        while not state.round_over:
            state.apply(9)
        assert state.scores[0] == 1
    for card in cards:
        state.apply(card - 1)
    return state


def test_a_judge_speaks_of_the_rest_of_the_round():
    def judge(planes, legal):
        return np.full(len(planes), 0.25, np.float32), np.zeros(legal.shape, np.float32)

    for rounds, paid in ((1, 0), (3, 1)):
        state = twenty_against_six(rounds)
        evaluator = bl.evaluators.python_evaluator(state.game, judge)
        assert evaluator.value(state.core, 1).tolist() == [paid + 0.25]
        state.apply(next(a for a in state.legal_actions() if state.action_text(a) == "surrender"))
        while not state.round_over:  # the dealer's cards
            state.apply(state.chance_outcomes()[0][0])
        assert evaluator.value(state.core, 1).tolist() == [paid - 0.5]


@pytest.mark.parametrize("learner", ["sarsa-ntuple", "q-ntuple", "q-table", "qm"])
def test_learned_action_values_do_not_deal_the_next_round(learner, tmp_path):
    state = twenty_against_six(3)
    run = bl.train(state.game, learner, episodes=2000, out=tmp_path / "run", seed=1, exams=[])
    evaluator = bl.evaluator(run.expression.removeprefix("greedy(").removesuffix(")"), state.game)
    state.apply(next(a for a in state.legal_actions() if state.action_text(a) == "stand"))
    assert state.player == bl.CHANCE and not state.round_over  # the dealer draws: won, lost or neither
    assert len({evaluator.value(state, seed)[0] for seed in range(20)}) > 1
    while not state.round_over:
        state.apply(9)
    assert {evaluator.value(state, seed)[0] for seed in range(20)} == {state.scores[0]}


def test_a_forest_judges_a_round_as_the_search_does():
    def judge(planes, legal):
        return np.zeros(len(planes), np.float32), np.zeros(legal.shape, np.float32)

    def values(rounds):
        state = twenty_against_six(rounds)
        forest = bl.Forest(state.game, 1, seed=1, cache_mb=1)
        forest.set_state(0, state)
        forest.search(judge, 2000)
        paid = state.scores[0]
        actions = state.legal_actions()
        searched = bl.agent("mcts(flat, iterations=2000)", state.game, seed=1).act(state)
        return [
            {state.action_text(a): found[a] - paid for a in actions}
            for found in (forest.values()[0], searched.values)
        ]

    for found in (*values(1), *values(10)):  # what basic strategy is made of: standing wins .70
        assert found["stand"] == pytest.approx(0.7, abs=0.1)
        assert found["surrender"] == pytest.approx(-0.5)
        assert found["hit"] < -0.5 and found["double"] < -1


def test_a_forest_adds_what_earlier_rounds_paid_to_every_leaf():
    def judge(planes, legal):
        return np.full(len(planes), 0.25, np.float32), np.zeros(legal.shape, np.float32)

    state = twenty_against_six(3)
    state.apply(next(a for a in state.legal_actions() if state.action_text(a) == "stand"))
    while not state.round_over:
        state.apply(9)
    for card in (2, 6, 3):  # no card is too many
        state.apply(card - 1)
    assert state.scores[0] == 2
    forest = bl.Forest(state.game, 1, seed=1)
    forest.set_state(0, state)
    forest.search(judge, len(state.legal_actions()))
    hit = next(a for a in state.legal_actions() if state.action_text(a) == "hit")
    assert forest.values()[0][hit] == 2.25


def test_a_forest_tells_what_the_round_of_the_last_action_brought():
    game = bl.game("blackjack", rounds=10)
    forest = bl.Forest(game, 8, seed=3)
    assert bl.Forest(bl.game("tictactoe"), 1).round_ends().tolist() == [
        [pytest.approx(np.nan, nan_ok=True)] * 2
    ]
    before = forest.scores[:, 0]
    surrender = 4
    ended = np.array([surrender in forest.state(i).legal_actions() for i in range(8)])
    forest.play(np.where(ended, surrender, -1))
    ends = forest.round_ends()[:, 0]
    assert ended.any() and (ends[ended] == before[ended] - 0.5).all()
