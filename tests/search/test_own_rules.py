"""Searches over rules that no game of ours has: legal actions that hidden cards decide, tolls, fractional scores."""

import numpy as np
import pytest

import boardlab as bl
from boardlab.games import Game


class Hand(bl.PythonGame):
    """Player 0 stops (0) or goes on (1); what player 1 may then play depends on a hidden card, and 2 hurts.

    With card 0 player 1 may play 0 or 1, with card 1 it may play 1 or 2: going on is worth -.25.
    """

    name = "hand"
    action_count = 3
    outcome_count = 2
    horizon = 10

    def initial_state(self, rng):
        return (-1, 0, 0)  # the card (-1: not dealt, -2: concealed), who moves (2: over), twice the score

    def player(self, position):
        card, phase, _ = position
        return bl.CHANCE if card == -1 else bl.TERMINAL if phase == 2 else phase

    def chance(self, position):
        return [(0, 0.5), (1, 0.5)]

    def legal(self, position):
        return [1, 2] if position[:2] == (1, 1) else [0, 1]

    def apply(self, position, action):
        card, phase, _ = position
        if card == -1:
            return (action, 0, 0)
        if phase == 0:
            return (card, 1 if action else 2, 0)
        return (card, 2, -2 if action == 2 else 1)

    def scores(self, position):
        return position[2] / 2, -position[2] / 2

    def conceal(self, position, player):
        return position if player == 1 or position[0] < 0 else (-2, *position[1:])

    def determinize(self, position, player, rng):
        return (rng.randrange(2), *position[1:]) if position[0] == -2 else position


@pytest.mark.parametrize(
    "agent",
    ["mcts(rollout, {})", 'mcts(score, {}, select="puct")', "mcts(rollout, {}, rave=True)",
     "mcts(rollout, {}, batch=5)", "mcts(rollout, {}, threads=2)", 'mcts(score, {}, gumbel=2, gumbel_interior=True)',
     "mcts(rollout, {}, max_nodes=1024)"],
)  # fmt: skip
def test_actions_that_only_other_worlds_allow_are_tried_too(agent):
    game = Game(Hand())
    state = game.initial_state()
    state.apply(0)
    for seed in range(6):
        decision = bl.agent(agent.format("iterations=2000"), game, seed=seed).act(state)
        assert decision.action == 0
        # Player 1 tries everything now and then: somewhere between its best reply and its worst.
        assert -0.4 < decision.values[1] < -0.05, (seed, decision.values)


WAYS = {0: (2, [1, 4]), 1: (0, [2]), 2: (0, [3]), 3: (2, [4]), 4: (1, [5, 8]), 5: (0, [6]), 6: (0, [7])}
ENDS = {7: (0, 1, 0), 8: (0, 1, 1)}


class Cards(bl.PythonGame):
    """A hidden card out of 50 is the one reply that player 1 has; then it ends, worth the card."""

    name = "cards"
    action_count = 50
    outcome_count = 50
    horizon = 10
    score_range = (0.0, 1.0)
    is_zero_sum = False

    def initial_state(self, rng):
        return (-1, 0)

    def player(self, position):
        card, phase = position
        return bl.CHANCE if card == -1 else bl.TERMINAL if phase == 2 else phase

    def chance(self, position):
        return [(card, 0.02) for card in range(50)]

    def legal(self, position):
        return range(4) if position[1] == 0 else [position[0]]

    def apply(self, position, action):
        card, phase = position
        return (action, 0) if card == -1 else (card, phase + 1)

    def scores(self, position):
        return (position[0] / 49, 0.5) if position[1] == 2 else (0.0, 0.0)

    def conceal(self, position, player):
        return position if player == 1 or position[0] < 0 else (-2, position[1])

    def determinize(self, position, player, rng):
        return (rng.randrange(50), position[1]) if position[0] == -2 else position


@pytest.mark.parametrize("more", ["", ", batch=7", ", threads=2", ", max_nodes=1024", ", rave=True"])
def test_a_node_that_meets_many_worlds_grows_with_them_and_leaves_little_behind(more):
    game = Game(Cards())
    state = game.initial_state()
    state.apply(0)
    decision = bl.agent(f"mcts(rollout, iterations=4000{more})", game, seed=1).act(state)
    assert sum(decision.policy.values()) == pytest.approx(1)
    for value in decision.values.values():
        assert value == pytest.approx(0.5, abs=0.08)  # the mean card, whatever is played
    assert (
        decision.info["nodes"] < 4 * 4 * 50 + 100
    )  # four actions, fifty replies each; copies were thousands


class Equals(bl.PythonGame):
    """Three players: player 2 chooses a long way or a short one to X, where both of player 1's are worth 1 to it."""

    name = "equals"
    players = 3
    action_count = 2
    horizon = 20
    score_range = (0.0, 1.0)
    is_zero_sum = False

    def initial_state(self, rng):
        return (0,)

    def player(self, position):
        return WAYS[position[0]][0] if position[0] in WAYS else bl.TERMINAL

    def legal(self, position):
        return range(len(WAYS[position[0]][1]))

    def apply(self, position, action):
        return (WAYS[position[0]][1][action],)

    def scores(self, position):
        return ENDS.get(position[0], (0, 0, 0))


def test_what_a_short_way_proves_is_not_taken_for_a_deep_search_of_the_same_position():
    """By hand, five actions deep: the long way sees X's end at once (1 for player 2); the short way sees both of
    player 1's, of which it takes the first, which brings player 2 nothing."""
    game = Game(Equals())
    agent = bl.agent("maxn(depth=5)", game, seed=1)
    assert agent.act(game.initial_state()).values == {0: 1.0, 1: 0.0}


class Toll(bl.PythonGame):
    """Every action costs its player .1. Action 0: the other has to walk five steps; action 1: oneself three."""

    name = "toll"
    action_count = 2
    horizon = 50
    is_zero_sum = False
    score_range = (0.0, 0.5)
    step_reward = -0.1

    def initial_state(self, rng):
        return (-1, 0)  # who walks, and how far

    def player(self, position):
        walker, steps = position
        return 0 if walker < 0 else walker if steps else bl.TERMINAL

    def legal(self, position):
        return range(2 if position[0] < 0 else 1)

    def apply(self, position, action):
        walker, steps = position
        return (walker, steps - 1) if walker >= 0 else (0, 3) if action else (1, 5)

    def scores(self, position):
        return (0.0, 0.0)


@pytest.mark.parametrize(
    "agent", ["mc(iterations=20)", "greedy(rollout(rollouts=2))", "mcts(rollout, iterations=4)"]
)
def test_a_rollout_charges_steps_to_those_who_make_them(agent):
    game = Game(Toll())
    decision = bl.agent(agent, game, seed=1).act(game.initial_state())
    assert decision.action == 0
    assert decision.values == pytest.approx({0: -0.1, 1: -0.4})


def test_rave_learns_of_a_rollouts_actions_where_steps_are_charged():
    game = Game(Toll())
    decision = bl.agent(
        "mcts(rollout(rollouts=3), iterations=40, rave=True, rave_rollouts=True)", game, seed=1
    ).act(game.initial_state())
    assert decision.values == pytest.approx({0: -0.1, 1: -0.4})


class Lost(bl.PythonGame):
    """Action 0 is lost after three forced actions, action 1 a long way to a draw; scores are no round numbers."""

    name = "lost"
    action_count = 2
    horizon = 60
    score_range = (-0.7, 0.7)

    def initial_state(self, rng):
        return (0, 0, 0)  # 1 + the first action, actions so far, who moves

    def player(self, position):
        way, played, mover = position
        return bl.TERMINAL if played >= (3 if way == 1 else 40) else mover

    def legal(self, position):
        return range(1 if position[0] == 1 else 2)

    def apply(self, position, action):
        way, played, mover = position
        return (way or 1 + action, played + 1, 1 - mover)

    def scores(self, position):
        return (-0.7, 0.7) if position[:2] == (1, 3) else (0.0, 0.0)


def test_proofs_hold_where_scores_are_no_round_numbers():
    game = Game(Lost())
    for seed in range(20):
        decision = bl.agent('mcts(score, iterations=60, choose="sample")', game, seed=seed).act(
            game.initial_state()
        )
        assert decision.policy == {0: 0.0, 1: 1.0} and decision.action == 1
    state = game.initial_state()
    state.apply(0)
    decision = bl.agent("mcts(score, iterations=1000)", game, seed=1).act(state)
    assert decision.info["proven"] == 1 and decision.info["iterations"] < 10


class Arms(bl.PythonGame):
    """The first action is all that counts."""

    name = "arms"
    players = 1
    action_count = 8
    horizon = 50
    is_zero_sum = False
    score_range = (-1000.0, 1000.0)
    step_reward = -0.01

    def initial_state(self, rng):
        return (-1, 0)

    def player(self, position):
        return bl.TERMINAL if position[1] >= 30 else 0

    def legal(self, position):
        return range(8)

    def apply(self, position, action):
        first, played = position
        return (action if first < 0 else first, played + 1)

    def scores(self, position):
        return (0.0,)


@pytest.fixture
def hopeful():
    """A judge of Arms that expects 20 before the first action and some 10 after it."""

    @bl.register_evaluator("hopeful_arms", inputs="states")
    def hopeful_arms(game):
        def judge(states, legal):
            values = [20.0 if state.fields[0] < 0 else 10 + 0.1 * state.fields[0] for state in states]
            return np.array(values)[:, None], np.zeros((len(states), 8))

        return judge

    return "hopeful_arms"


def test_gumbels_policy_is_not_carried_away_by_a_judge_who_hopes_for_more_than_was_seen(hopeful):
    game = Game(Arms())
    decision = bl.agent(f"mcts({hopeful}, iterations=8, gumbel=4)", game, seed=1).act(game.initial_state())
    assert decision.policy[decision.action] == max(decision.policy.values())


def test_gumbels_schedule_is_not_written_out_beforehand(hopeful):
    """So many simulations would be sixteen gigabytes."""
    agent = bl.agent(f"mcts({hopeful}, iterations=4000000000, gumbel=4, seconds=0.01)", Game(Arms()), seed=1)
    assert agent.act(Game(Arms()).initial_state()).info["iterations"] >= 1


def test_a_policy_of_values_is_one_even_where_a_judge_goes_beyond_the_range():
    @bl.register_evaluator("beyond_range", inputs="states", priors=False)
    def beyond_range(game):
        def judge(states, legal):
            cells = [state.board_vector(0) for state in states]  # X in the middle is worth more than there is
            worth = np.array([1.25 if vector[4] == 1 else -1.25 for vector in cells])
            return np.where([state.player == 0 for state in states], worth, -worth)

        return judge

    game = bl.game("tictactoe")
    agent = bl.agent('mcts(beyond_range, iterations=40, policy="value", depth=1)', game, seed=1)
    policy = agent.act(game.initial_state()).policy
    assert sum(policy.values()) == pytest.approx(1) and min(policy.values()) >= 0
    assert policy[4] == max(policy.values())
