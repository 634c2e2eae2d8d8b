"""UCT and PUCT against the slow tree of tests/oracles, iteration by iteration, and what a tree promises."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from oracles.judges import Judge, score_judge, softmax_priors, solver_judge
from oracles.positions import CUBE, random_position
from oracles.tree import SplitMix, Tree

import boardlab as bl
from boardlab import Decision, Game, State


def draw_tile(state: State, rng: SplitMix) -> int:
    """How 2048 draws a tile: an empty cell, then a four in one of ten cases."""
    size = state.game.rules.size  # type: ignore[attr-defined]
    empty = [cell for cell in range(size**2) if state.fields[cell] == 0]
    cell = empty[rng.below(len(empty))]
    return 2 * cell + (rng.below(10) == 0)


@dataclass(frozen=True)
class Case:
    game: Game
    actions: int
    evaluator: str = "score"
    judge: Judge = field(default_factory=score_judge)
    outcome: str = "score"
    draw: Callable[[State, SplitMix], int] | None = None
    depth: int | None = None

    def __str__(self) -> str:
        return f"{self.game!r}-{self.evaluator}-{self.depth}"


CASES = [
    Case(bl.game("tictactoe"), 5),
    Case(bl.game("tictactoe"), 2, depth=2),
    Case(bl.game("connectfour", rows=4, cols=4, connect=3), 6),
    Case(bl.game("connectfour"), 25),
    Case(bl.game("nim", heaps=(2, 3), max_take=2), 1),
    Case(bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3), 3),
    Case(bl.game("nim", heaps=(3, 3), players=3, extra_rule=True), 2),
    Case(bl.game("othello", size=4), 8),
    Case(bl.game("othello", size=4), 9, 'score(outcome="discs")', score_judge("discs"), "discs"),
    Case(bl.game("othello", size=6), 25, 'score(outcome="discs")', score_judge("discs"), "discs"),
    Case(bl.game("rubiks", twists=2), 1),
    Case(CUBE, 1, "solver", solver_judge),
    Case(bl.game("rubiks", twists=3), 1, depth=3),
    Case(bl.game("2048", size=2), 6, draw=draw_tile),
    Case(bl.game("2048", size=2), 6, 'score(outcome="empty_tiles")', score_judge("empty_tiles"),
         "empty_tiles", draw_tile),
    Case(bl.game("2048", size=3), 10, draw=draw_tile, depth=2),
]  # fmt: skip


def reference_tree(case: Case, state: State, select: str, seed: int, c: float, **more: Any) -> Tree:
    rule = select if select in ("epsilon", "roulette") else ""
    return Tree(state, case.judge, puct=select == "puct", c=c, seed=seed, outcome=case.outcome,
                depth=case.depth, draw=case.draw, rule=rule, **more)  # fmt: skip


def expression(
    case: Case, select: str, c: float, iterations: int, more: str = "", solver: bool = False
) -> str:
    constant = f"cpuct={c}" if select == "puct" else f"c={c}"
    return (
        f'mcts({case.evaluator}, select="{select}", {constant}, depth={case.depth}, '
        f"iterations={iterations}, solver={solver}{more})"
    )


def visits(decision: Decision) -> dict[int, int]:
    """Root visits; a policy is visits over their sum, which is the number of iterations in a fresh tree."""
    total = decision.info["iterations"]
    counts = {a: p * total for a, p in decision.policy.items()}
    assert all(abs(n - round(n)) < 1e-6 for n in counts.values())
    return {a: round(n) for a, n in counts.items()}


def assert_same(decision: Decision, tree: Tree) -> None:
    assert visits(decision) == tree.visits
    assert decision.values == pytest.approx(tree.values, abs=1e-12)
    assert list(decision.scores) == pytest.approx(tree.scores, abs=1e-12)


def assert_line(decision: Decision, tree: Tree) -> None:
    """The action that is played, then what was visited most, down to where nothing was visited."""
    assert decision.line[0] == decision.action
    node = tree.root
    for action in decision.line:
        child = next(child for child in node.children if child.action == action)
        assert child.visits == max(other.visits for other in node.children)
        node = child
    assert not any(child.visits for child in node.children)


@pytest.mark.parametrize("select", ["uct", "puct", "epsilon", "roulette"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_iteration_is_that_of_the_reference(case: Case, select: str) -> None:
    for seed, c in ((1, 1.4), (2, 0.3)):
        state = random_position(case.game, seed, case.actions)
        tree = reference_tree(case, state, select, seed, c)
        for iterations in range(1, 41):
            tree.iterate()
            agent = bl.agent(expression(case, select, c, iterations), case.game, seed=seed)
            assert_same(agent.act(state), tree)


@pytest.mark.parametrize("select", ["uct", "puct"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_many_iterations_are_those_of_the_reference(case: Case, select: str) -> None:
    state = random_position(case.game, 7, case.actions)
    tree = reference_tree(case, state, select, 7, 1.0)
    for _ in range(400):
        tree.iterate()
    decision = bl.agent(expression(case, select, 1.0, 400), case.game, seed=7).act(state)
    assert_same(decision, tree)
    assert_line(decision, tree)


def test_priors_are_the_softmax_of_the_scaled_action_values() -> None:
    for game, name, judge, outcome in (
        (CUBE, "solver", solver_judge, "score"),
        (bl.game("othello"), 'score(outcome="discs")', score_judge("discs"), "discs"),
        (bl.game("tictactoe"), "score", score_judge(), "score"),
    ):
        for seed in range(5):
            state = random_position(game, seed, 5)
            priors = bl.evaluator(name, game).priors(state)
            assert priors == pytest.approx(softmax_priors(state, judge, outcome), abs=1e-6)
            assert sum(priors.values()) == pytest.approx(1)


def test_puct_first_visits_the_highest_prior_and_without_epsilon_the_first_action() -> None:
    """The tiny number under the root decides the first visit (Scheiermann and Konen 2022, below equation 2)."""
    game = CUBE
    moved = 0
    for seed in range(6):
        state = game.initial_state(seed)
        priors = bl.evaluator("solver", game).priors(state)
        one = bl.agent('mcts(solver, select="puct", iterations=1)', game).act(state)
        assert priors[one.action] == max(priors.values())
        none = bl.agent('mcts(solver, select="puct", iterations=1, epsilon=0)', game).act(state)
        assert none.action == state.legal_actions()[0]
        moved += one.action != none.action
    assert moved > 0


# ---- a bandit with known rewards ----


def nim_bandit() -> tuple[Game, State]:
    """One heap of three, and the taker of the last stone wins: taking 3 pays 1 at once."""
    game = bl.game("nim", heaps=(3,), max_take=3)
    return game, game.initial_state()


def test_ucb1_on_a_bandit_worked_by_hand() -> None:
    """Three arms, depth 1, so that nothing but the root learns: rewards 0, 0 and 1 become 0.5, 0.5 and 1."""
    game, state = nim_bandit()
    pulls, c = [1, 1, 1], 0.5
    for n in range(3, 60):
        decision = bl.agent(f"mcts(score, depth=1, c={c}, iterations={n}, solver=False)", game).act(state)
        assert sorted(visits(decision).values()) == sorted(pulls)
        assert visits(decision)[2] == pulls[2]
        means = [0.5, 0.5, 1.0]
        scores = [m + c * math.sqrt(math.log(n) / k) for m, k in zip(means, pulls, strict=True)]
        pulls[scores.index(max(scores))] += 1


def test_a_bandit_concentrates_on_the_best_arm() -> None:
    game, state = nim_bandit()
    for select in ("uct", "puct"):
        decision = bl.agent(f'mcts(score, select="{select}", iterations=3000, solver=False)', game).act(state)
        assert decision.action == 2
        assert decision.policy[2] > 0.9


# ---- the tree from one move to the next ----


KEPT = [
    Case(bl.game("connectfour", rows=4, cols=4, connect=3), 0),
    Case(bl.game("nim", heaps=(3, 3), max_take=1, players=3), 0),
    Case(bl.game("othello", size=6), 20, 'score(outcome="discs")', score_judge("discs"), "discs"),
    Case(CUBE, 0, "solver", solver_judge),
    Case(bl.game("2048", size=3), 12, draw=draw_tile),
]


@pytest.mark.parametrize("select", ["uct", "puct"])
@pytest.mark.parametrize("case", KEPT, ids=str)
def test_a_kept_tree_is_the_subtree_of_what_was_played(case: Case, select: str) -> None:
    """More iterations on the kept tree equal more iterations on the reference's subtree, move after move."""
    state = random_position(case.game, 1, case.actions)
    agent = bl.agent(expression(case, select, 1.0, 300), case.game, seed=3)
    tree = reference_tree(case, state, select, 3, 1.0)
    kept = 0
    for _ in range(3):
        for _ in range(300):
            tree.iterate()
        decision = agent.act(state)
        assert decision.info["iterations"] == 300
        total = sum(tree.visits.values())
        assert total == kept + 300
        assert decision.policy == pytest.approx({a: n / total for a, n in tree.visits.items()})
        assert decision.values == pytest.approx(tree.values)
        assert list(decision.scores) == pytest.approx(tree.scores)
        node = next(child for child in tree.root.children if child.action == decision.action)
        while node.state.player not in (tree.root.state.player, bl.TERMINAL) and node.children:
            node = max(node.children, key=lambda child: child.visits)
        if node.state.is_terminal or not node.children:
            break
        state = node.state.copy()
        tree.move_root(node)
        kept = sum(tree.visits.values())
    assert kept > 0


@pytest.mark.parametrize("reuse", [True, False])
def test_an_unexpected_reply_never_brings_a_wrong_subtree(reuse: bool) -> None:
    """Whatever the others played, root actions are the legal ones and values are sound."""
    for game in (bl.game("othello", size=6), bl.game("connectfour"), bl.game("2048", size=3),
                 bl.game("nim", players=3, heaps=(4, 4, 4)), bl.game("rubiks", twists=4)):  # fmt: skip
        agent = bl.agent(f"mcts(rollout, iterations=60, reuse={reuse})", game, seed=2)
        for seed in range(8):  # the same agent goes from game to game without being told
            state = random_position(game, seed, 12)
            for k in range(6):
                if state.is_terminal:
                    break
                if state.player != bl.CHANCE:
                    decision = agent.act(state)
                    assert list(decision.policy) == state.legal_actions()
                    assert sum(decision.policy.values()) == pytest.approx(1)
                    assert set(decision.values) <= set(state.legal_actions())
                legal = state.legal_actions()
                state.apply(legal[(7 * k + seed) % len(legal)])


def test_a_kept_tree_survives_chance() -> None:
    game = bl.game("2048", size=3)
    agent = bl.agent("mcts(score, iterations=400)", game, seed=4)
    state = random_position(game, 4, 6)
    fresh_nodes = agent.act(state).info["nodes"]
    decision = agent.act(state)  # the same position again: the whole tree is kept
    assert decision.info["nodes"] > fresh_nodes
    nodes = []
    for k in range(10):
        state.apply(decision.action)
        state.apply(state.sample_chance(k))
        if state.is_terminal:
            break
        decision = agent.act(state)
        assert list(decision.policy) == state.legal_actions()
        nodes.append(decision.info["nodes"])
    alone = bl.agent("mcts(score, iterations=400, reuse=False)", game, seed=4).act(state)
    assert max(nodes) > alone.info["nodes"]


def test_without_reuse_every_decision_is_a_fresh_one() -> None:
    game = bl.game("connectfour")
    state = random_position(game, 1, 8)
    agent = bl.agent("mcts(score, iterations=200, reuse=False)", game, seed=1)
    assert agent.act(state).info["nodes"] == agent.act(state).info["nodes"]
    both = bl.agent("mcts(score, iterations=200)", game, seed=1)
    assert both.act(state).info["nodes"] < both.act(state).info["nodes"]


def test_reset_forgets_the_tree() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    agent = bl.agent("mcts(rollout, iterations=200)", game, seed=1)
    first = agent.act(state)
    agent.reset(1)
    again = agent.act(state)
    assert first.policy == again.policy and first.info == again.info


# ---- limits ----


@pytest.mark.parametrize("select", ["uct", "puct"])
def test_a_full_tree_stops_growing_and_goes_on(select: str) -> None:
    for game in (bl.game("connectfour"), bl.game("2048")):
        state = random_position(game, 0, 3)
        agent = bl.agent(f'mcts(rollout, select="{select}", iterations=5000, max_nodes=1024)', game)
        for _ in range(3):
            decision = agent.act(state)
            assert decision.info["nodes"] <= 1024
            assert decision.info["iterations"] == 5000
            assert sum(decision.policy.values()) == pytest.approx(1)


def test_a_root_with_more_actions_than_the_pool_still_chooses() -> None:
    game = bl.game("nim", heaps=(255,) * 12, max_take=255)
    for select in ("uct", "puct"):
        spec = f'mcts(score, select="{select}", iterations=10, max_nodes=1024)'
        decision = bl.agent(spec, game).act(game.initial_state())
        assert sum(decision.policy.values()) == pytest.approx(1)
        assert decision.action in game.initial_state().legal_actions()


def test_the_depth_limit_bounds_every_descent() -> None:
    game = bl.game("connectfour")
    for select in ("uct", "puct"):
        for depth in (1, 2, 5):
            spec = f'mcts(score, select="{select}", iterations=3000, depth={depth})'
            assert bl.agent(spec, game).act(game.initial_state()).info["depth"] == depth


def test_memory_of_a_node() -> None:
    """A hundred bytes an expanded edge at most; a node is an edge here."""
    decision = bl.agent("mcts(rollout, iterations=20000)", bl.game("connectfour")).act(
        bl.game("connectfour").initial_state()
    )
    assert decision.info["nodes"] > 20000
    assert decision.info["bytes"] / decision.info["nodes"] <= 100


def test_a_time_limit_answers_and_iterations_are_a_limit_beside_it() -> None:
    game = bl.game("connectfour")
    decision = bl.agent("mcts(rollout, seconds=0.01)", game).act(game.initial_state())
    assert decision.info["iterations"] >= 1
    both = bl.agent("mcts(rollout, seconds=1000, iterations=50)", game).act(game.initial_state())
    assert both.info["iterations"] == 50
    slow = "mcts(rollout(rollouts=20000), seconds=0.001, iterations=1000000)"
    assert bl.agent(slow, game).act(game.initial_state()).info["iterations"] < 64


# ---- batches ----


@pytest.mark.parametrize("batch", [2, 7, 16])
@pytest.mark.parametrize("select", ["uct", "puct"])
def test_batches_add_up_and_find_the_same_action(select: str, batch: int) -> None:
    for game, evaluator, actions in (
        (bl.game("tictactoe"), "rollout", 3),
        (bl.game("connectfour", rows=4, cols=4, connect=3), "rollout", 4),
        (CUBE, "solver", 0),
        (bl.game("othello", size=4), 'rollout(outcome="discs")', 9),
    ):
        for seed in range(3):
            state = random_position(game, seed, actions)
            perfect = best_actions(state)
            spec = f'mcts({evaluator}, select="{select}", iterations=2001, batch={batch}, solver=False)'
            decision = bl.agent(spec, game, seed=seed).act(state)
            assert sum(visits(decision).values()) == 2001
            assert decision.action in perfect


def best_actions(state: State) -> set[int]:
    """The best actions by full search."""
    game = state.game
    if game is CUBE:
        exact = bl.evaluator("solver", game).action_values(state)
        return {a for a, v in exact.items() if v > max(exact.values()) - 1e-9}
    outcome = "discs" if game.name == "othello" else "score"
    depth = {"tictactoe": 9, "connectfour": 16, "othello": 14}[game.name]
    spec = f'maxn(score(outcome="{outcome}"), depth={depth}, table_mb=4)'
    values = bl.agent(spec, game).act(state).values
    return {a for a, v in values.items() if v > max(values.values()) - 1e-9}


def test_the_range_of_a_loose_game_holds_no_virtual_losses() -> None:
    """A first batch over large scores once put means of 'score and seven zeros' into the range."""
    game = bl.game("2048", size=3)
    fields = random_position(game, 3, 20).fields
    fields[9] += 1_000_000  # as if a long game lay behind
    state = game.from_fields(fields)
    one = bl.agent("mcts(rollout, iterations=4000)", game, seed=1).act(state)
    many = bl.agent("mcts(rollout, iterations=4000, batch=8, leaf_visits=0)", game, seed=1).act(state)
    spread = [max(d.policy.values()) - min(d.policy.values()) for d in (one, many)]
    assert many.action == one.action
    assert spread[1] > spread[0] / 2


# ---- the choice, the seed ----


def test_choose_by_value_plays_the_best_mean() -> None:
    game = bl.game("connectfour")
    differ = 0
    for seed in range(30):
        state = random_position(game, seed, 15)
        by_value = bl.agent('mcts(rollout, iterations=40, choose="value")', game, seed=seed)
        decision = by_value.act(state)
        assert decision.values[decision.action] == max(decision.values.values())
        by_visits = bl.agent("mcts(rollout, iterations=40)", game, seed=seed).act(state)
        assert by_visits.policy == decision.policy
        assert by_visits.policy[by_visits.action] == max(by_visits.policy.values())
        differ += by_visits.action != decision.action
    assert differ > 0


AGENTS = ["random", "greedy(rollout)", "policy(rollout)", "mc(rollout, iterations=50)",
          "mcts(rollout, iterations=100)", 'mcts(rollout, select="puct", iterations=50)',
          "mcts(rollout, iterations=100, batch=8, leaf_visits=0)"]  # fmt: skip


@pytest.mark.parametrize("spec", AGENTS)
def test_the_same_seed_gives_the_same_decision_and_another_seed_another(spec: str) -> None:
    game = bl.game("othello")
    state = random_position(game, 3, 20)

    def outcome(seed: int) -> tuple[int, dict[int, float], dict[int, float]]:
        decision = bl.agent(spec, game, seed=seed).act(state)
        return decision.action, decision.policy, decision.values

    assert outcome(11) == outcome(11)
    assert len({str(outcome(seed)) for seed in range(8)}) > 1


def test_act_leaves_the_state_alone() -> None:
    for game in (bl.game("othello"), bl.game("2048"), bl.game("rubiks")):
        state = random_position(game, 1, 5)
        before = (state.fields, state.actions_played)
        for spec in ("mcts(iterations=50)", "expectimax(depth=2)", "mc(iterations=20)"):
            bl.agent(spec, game).act(state)
        assert (state.fields, state.actions_played) == before
