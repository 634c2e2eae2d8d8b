"""Budgets: what a player may spend on a decision is said, and can be made equal."""

import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.search.budget import budget_of, budgets, with_iterations


@pytest.mark.parametrize(
    ("expression", "budget"),
    [
        ("mcts", "1,000 iterations"),
        ("mcts(rollout, iterations=1)", "1 iteration"),
        ("mcts(seconds=0.5)", "0.5 s"),
        ("mc", "1,000 iterations"),
        ("rhea", "500 iterations"),
        ("uct", "200 iterations"),
        ("alphabeta", "depth 4"),
        ("alphabeta(depth=9)", "depth 9"),
        ("alphabeta(seconds=2)", "2 s"),
        ("random", ""),
        ("greedy(rollout)", ""),
        ("somebody's own", ""),
    ],
)
def test_budget_in_words(expression: str, budget: str) -> None:
    assert budget_of(expression) == budget


def test_budgets_that_differ_are_named_with_their_players() -> None:
    assert budgets(["random", "mcts(iterations=20)", "mcts(iterations=100)", "uct(iterations=20)"]) == [
        "budgets per decision differ: 20 iterations (2, 4), 100 iterations (3); --iterations N makes simulations equal"
    ]
    assert budgets(["mcts(iterations=20)", "random"]) == [
        "budget of every search: 20 iterations per decision"
    ]
    assert budgets(["random", "greedy(rollout)"]) == []


def test_iterations_make_tree_searches_equal_and_leave_others_alone() -> None:
    game = bl.game("tictactoe")
    given = [
        "mcts(iterations=100, c=2)",
        bl.agent("mcts(seconds=1)", game),
        "uct",
        "alphabeta(depth=2)",
        "random",
    ]
    assert [entrant.agent for entrant in with_iterations(given, 7)] == [
        "mcts(rollout, iterations=7, c=2.0)",
        "mcts(rollout, iterations=7)",
        "uct(iterations=7)",
        "alphabeta(depth=2)",
        "random",
    ]
    assert [entrant.agent for entrant in with_iterations(given, None)] == given
    for wrong in (0, -1, 1.5, "many"):
        with pytest.raises(BoardLabError, match="iterations must be a whole number"):
            with_iterations(given, wrong)  # type: ignore[arg-type]
    result = bl.match(game, ["mcts(iterations=100)", "uct"], games=2, iterations=5)
    assert result.agents == ("mcts(rollout, iterations=5)", "uct(iterations=5)")
