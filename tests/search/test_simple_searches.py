"""random, greedy, policy and flat Monte Carlo."""

import math
from collections import Counter

import numpy as np
import pytest
from oracles.judges import action_values, score_judge, solver_judge
from oracles.positions import CUBE, random_position

import boardlab as bl


def test_random_chooses_every_legal_action_equally_often() -> None:
    game = bl.game("connectfour")
    state = random_position(game, 3, 20)
    agent = bl.agent("random", game, seed=1)
    draws = 7000
    counts = Counter(agent.act(state).action for _ in range(draws))
    legal = state.legal_actions()
    assert set(counts) == set(legal)
    expected = draws / len(legal)
    chi_square = sum((counts[a] - expected) ** 2 / expected for a in legal)
    assert chi_square < 25  # 6 degrees of freedom: one seed in 3000 would exceed it
    decision = agent.act(state)
    assert decision.policy == {a: pytest.approx(1 / len(legal)) for a in legal}
    assert decision.values == {} and all(math.isnan(v) for v in decision.scores)


@pytest.mark.parametrize(
    ("game", "evaluator", "judge", "outcome"),
    [(CUBE, "solver", solver_judge, "score"),
     (bl.game("othello"), 'score(outcome="discs")', score_judge("discs"), "discs"),
     (bl.game("2048"), "score", score_judge(), "score"),
     (bl.game("nim", players=3, heaps=(1, 2, 1)), "score", score_judge(), "score")],
)  # fmt: skip
def test_greedy_plays_the_best_action_value(game, evaluator, judge, outcome) -> None:  # type: ignore[no-untyped-def]
    for seed in range(8):
        state = random_position(game, seed, 3)
        wanted = action_values(state, judge, outcome)
        decision = bl.agent(f"greedy({evaluator})", game, seed=seed).act(state)
        assert decision.values == pytest.approx(wanted)
        best = [a for a, v in decision.values.items() if v == max(decision.values.values())]
        assert decision.action in best
        assert decision.policy == {a: 1 / len(best) if a in best else 0 for a in wanted}
        assert decision.scores[state.player] == max(decision.values.values())
        priors = bl.evaluator(evaluator, game).priors(state)
        policy = bl.agent(f"policy({evaluator})", game).act(state)
        assert policy.policy == priors
        assert policy.policy[policy.action] == max(priors.values())


def test_greedy_breaks_ties_at_random() -> None:
    game = bl.game("tictactoe")
    chosen = Counter(bl.agent("greedy(score)", game, seed=s).act(game.initial_state()).action
                     for s in range(300))  # fmt: skip
    assert len(chosen) == 9 and min(chosen.values()) > 10


def test_greedy_does_not_go_back_in_a_puzzle() -> None:
    """`score` finds all twists of an unsolved cube equal: without a memory chance would soon turn one back."""
    game = bl.game("rubiks", twists=11)
    never = 41
    for memory in (0, 1, 5, 1000):
        nearest = never  # so many actions ago it was where it is now
        for seed in range(5):
            state = game.initial_state(seed)
            agent = bl.agent(f"greedy(score, memory={memory})", game, seed=seed)
            seen = [state.copy()]
            for _ in range(40):
                decision = agent.act(state)
                assert decision.policy[decision.action] > 0
                state.apply(decision.action)
                if state.is_terminal:
                    break
                nearest = min([nearest, *(i for i, earlier in enumerate(seen[::-1], 1) if earlier == state)])
                seen.append(state.copy())
        assert nearest > memory + 1 or nearest == never
        assert memory > 0 or nearest == 2  # the test would notice


def test_greedy_tells_the_value_of_the_action_that_it_plays() -> None:
    """Which its memory may make another one than the best."""

    @bl.register_evaluator("first_cells", inputs="cells", priors=False)
    def first_cells(game):  # type: ignore[no-untyped-def]
        return lambda cells, legal: np.asarray(cells)[:, :2] @ [0.1, 0.01]

    game = bl.game("rubiks", twists=11)
    agent = bl.agent("greedy(first_cells)", game, seed=1)
    state = game.initial_state(5)
    not_the_best = 0
    for _ in range(20):
        decision = agent.act(state)
        assert decision.scores[0] == decision.values[decision.action]
        not_the_best += decision.scores[0] < max(decision.values.values())
        state.apply(decision.action)
    assert not_the_best > 0


def test_greedy_forgets_another_game() -> None:
    game = bl.game("rubiks", twists=2)
    agent = bl.agent("greedy(solver)", game)
    state = game.initial_state(3)
    for _ in range(3):  # the same question has the same answer
        first = agent.act(state)
        assert first.policy == bl.agent("greedy(solver)", game).act(state).policy


def test_flat_monte_carlo_shares_its_evaluations_equally() -> None:
    """A deterministic evaluator makes the mean its value; a random one approaches the true expectation."""
    game = bl.game("othello")
    state = random_position(game, 2, 30)
    judge = 'score(outcome="discs")'
    decision = bl.agent(f"mc({judge}, iterations=100)", game).act(state)
    assert decision.values == pytest.approx(action_values(state, score_judge("discs"), "discs"))
    assert decision.info["iterations"] == 100
    few = bl.agent("mc(rollout, iterations=1)", game).act(state)
    assert few.info["iterations"] == len(state.legal_actions())  # each action once at least


def test_flat_monte_carlo_estimates_the_expectation_of_random_play() -> None:
    """Nim with heaps 1 and 1 left after the action: random play loses for certain; worked by hand."""
    game = bl.game("nim", heaps=(2, 1), max_take=2)
    decision = bl.agent("mc(rollout, iterations=30000)", game, seed=1).act(game.initial_state())
    # A1 leaves 1+1: the others take one, I take the last: +1. A2 leaves 1: -1. B1 leaves 2: they take
    # both (-1) or one (+1) with equal chance: 0.
    assert decision.values == {0: 1, 1: -1, 2: pytest.approx(0, abs=0.05)}
    assert decision.action == 0
    assert list(decision.scores) == [1, -1]  # of the action played, not the mean over all that were tried


def test_flat_monte_carlo_expects_for_every_player_what_its_action_brings() -> None:
    game = bl.game("nim", players=3)
    state = random_position(game, 1, 4)
    decision = bl.agent("mc(rollout, iterations=500)", game, seed=1).act(state)
    assert decision.scores[state.player] == decision.values[decision.action] == max(decision.values.values())
    assert min(decision.values.values()) < max(decision.values.values())


def test_rollouts_pay_step_rewards_and_stop_at_their_depth() -> None:
    game = bl.game("rubiks", size=3, twists=15)
    state = game.initial_state(1)
    value = bl.evaluator("rollout(rollouts=3, depth=4)", game).value(state)[0]
    assert value == pytest.approx(-0.04 * 4)
    assert bl.evaluator("rollout(rollouts=2)", game).value(state)[0] == pytest.approx(-0.04 * 50)


def test_rollouts_estimate_the_mean_of_random_games() -> None:
    """X wins 58.5%, O 28.8% of random tictactoe games: 737 / 1260 and 121 / 420."""
    game = bl.game("tictactoe")
    mean = bl.evaluator("rollout(rollouts=200000)", game).value(game.initial_state(), seed=1)
    exact = 737 / 1260 - 121 / 420
    assert mean[0] == pytest.approx(exact, abs=5 * 0.95 / math.sqrt(200_000))
    assert mean[1] == -mean[0]
