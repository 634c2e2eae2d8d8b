"""Majority votes of an agent's copies, and flat Monte Carlo on several threads."""

from collections import Counter

import pytest
from oracles.tree import derive_seed

import boardlab as bl
from boardlab import BoardLabError
from boardlab.evaluators import EVALUATORS

MC = "mc(rollout, iterations=40)"


def middle_game() -> bl.State:
    state = bl.game("connectfour").initial_state()
    for action in (3, 2, 3, 4, 0, 3):
        state.apply(action)
    return state


def test_the_vote_is_that_of_the_copies_alone() -> None:
    """As many agents with the seeds of the copies, asked one by one and counted."""
    state = middle_game()
    for seed in range(6):
        decision = bl.agent(f"vote({MC}, agents=7)", state.game, seed=seed).act(state)
        copies = []
        for i in range(7):
            copy = bl.agent(MC, state.game, seed=0)
            copy.reset(derive_seed(seed, i + 1))
            copies.append(copy.act(state))
        votes = Counter(copy.action for copy in copies)
        assert decision.policy == {a: pytest.approx(votes[a] / 7) for a in state.legal_actions()}
        assert votes[decision.action] == max(votes.values())
        assert decision.info["certainty"] == pytest.approx(max(votes.values()) / 7)
        for action, value in decision.values.items():
            assert value == pytest.approx(sum(copy.values[action] for copy in copies) / 7)
        won = [copy for copy in copies if copy.action == decision.action]
        assert decision.scores[0] == pytest.approx(sum(copy.scores[0] for copy in won) / len(won))


def test_threads_do_not_change_a_vote() -> None:
    state = middle_game()
    for spec in (MC, "mcts(rollout, iterations=30)"):
        made = [
            bl.agent(f"vote({spec}, agents=5, threads={n})", state.game, seed=3).act(state) for n in (1, 2, 8)
        ]
        assert made[0].policy == made[1].policy == made[2].policy
        assert made[0].values == made[1].values == made[2].values


def test_ties_are_broken_at_random_and_one_agent_is_certain() -> None:
    game = bl.game("tictactoe")
    first = game.initial_state()
    chosen = {bl.agent("vote(random, agents=2)", game, seed=s).act(first).action for s in range(100)}
    assert chosen == set(range(9))
    alone = bl.agent("vote(mc, agents=1)", game, seed=1).act(first)
    assert alone.info["certainty"] == 1 and alone.policy[alone.action] == 1


def test_more_copies_are_more_often_right() -> None:
    """A win that a small search finds sometimes: the majority finds it more often."""
    state = middle_game()
    best = bl.agent("mc(rollout, iterations=20000)", state.game, seed=1).act(state).action

    def hits(spec: str) -> int:
        return sum(bl.agent(spec, state.game, seed=s).act(state).action == best for s in range(60))

    assert hits("vote(mc(rollout, iterations=35), agents=15)") > hits("mc(rollout, iterations=35)")


def test_votes_are_played_and_nested_and_know_several_positions() -> None:
    result = bl.match(bl.game("tictactoe"), [f"vote({MC}, agents=3)", "random"], games=10, seed=1)
    assert result.errors == 0 and result.points[0] > 0.7
    game = bl.game("kuhnpoker")
    assert bl.match(game, ["vote(ismcts(iterations=50), agents=3)", "random"], games=4, seed=1).errors == 0
    assert bl.agent("mcts(vote(random, agents=3), iterations=20)", bl.game("tictactoe"))


def test_what_cannot_vote_is_refused() -> None:
    game = bl.game("tictactoe")
    with pytest.raises(BoardLabError, match=r"vote takes an agent, as in .*, not the evaluator rollout"):
        bl.agent("vote(rollout)", game)
    with pytest.raises(BoardLabError, match="agents must be a whole number from 1 to 1024"):
        bl.agent("vote(mc, agents=0)", game)


def test_flat_monte_carlo_on_threads_is_repeatable_and_spends_the_same() -> None:
    state = middle_game()
    for threads in (1, 2, 3):
        spec = f"mc(rollout, iterations=1000, threads={threads})"
        one, two = (bl.agent(spec, state.game, seed=4).act(state) for _ in range(2))
        assert one.values == two.values and one.info["iterations"] == 1000
    few = bl.agent("mc(rollout, iterations=1, threads=3)", state.game, seed=4).act(state)
    assert few.info["iterations"] == 3 * len(state.legal_actions())  # each thread tries every action
    timed = bl.agent("mc(rollout, seconds=0.02, threads=2)", state.game, seed=4).act(state)
    assert len(timed.values) == len(state.legal_actions())


def test_flat_monte_carlo_on_threads_estimates_the_same_values() -> None:
    state = middle_game()
    one, four = (
        bl.agent(f"mc(rollout, iterations=28000, threads={n})", state.game, seed=1).act(state) for n in (1, 4)
    )
    for action, value in one.values.items():
        assert four.values[action] == pytest.approx(value, abs=0.1)


def test_an_error_on_a_thread_is_passed_on() -> None:
    def judge(planes: object, legal: object) -> object:
        raise ValueError("no idea")

    bl.register_evaluator("clueless", priors=False)(lambda game: judge)
    game = bl.game("tictactoe")
    try:
        for spec in (
            "mc(clueless, iterations=100, threads=3)",
            "vote(greedy(clueless), agents=4, threads=2)",
        ):
            with pytest.raises(Exception, match="no idea"):
                bl.agent(spec, game).act(game.initial_state())
    finally:
        EVALUATORS.pop("clueless")
