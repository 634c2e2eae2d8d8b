"""RAVE, the five enhancements and Gumbel selection against slow versions."""

import hashlib

import numpy as np
import pytest
from oracles.gumbel import GumbelTree, halving
from oracles.judges import Judge, score_judge, solver_judge
from oracles.positions import CUBE, random_position
from oracles.rave import RaveTree

import boardlab as bl
from boardlab import BoardLabError, Game, State
from boardlab.search import format_spec, parse

GAMES = [(bl.game("tictactoe"), 3), (bl.game("connectfour", rows=4, cols=4, connect=3), 4),
         (bl.game("othello", size=4), 5), (bl.game("hex", size=3), 2)]  # fmt: skip


def assert_rave(game: Game, state: State, spec: str, tree: RaveTree, iterations: int) -> None:
    for _ in range(iterations):
        tree.iterate()
    root = tree.root
    decision = bl.agent(spec, game, seed=3).act(state)
    total = decision.info["iterations"]
    assert {a: round(p * total) for a, p in decision.policy.items()} == dict(sorted(root.n.items()))
    wanted = {a: root.w[a] / n for a, n in root.n.items() if n}
    assert decision.values == pytest.approx(wanted, abs=1e-9)
    reported = bl.agent(spec.replace("rave=True", 'rave=True, policy="rave"'), game, seed=3).act(state).policy
    units = {a: (root.w_rave[a] / n + 1) / 2 if n else 0.0 for a, n in root.n_rave.items()}
    if sum(units.values()) > 0:
        assert reported == pytest.approx({a: u / sum(units.values()) for a, u in units.items()}, abs=1e-9)


@pytest.mark.parametrize("of", ["own", "all"])
@pytest.mark.parametrize("select", ["uct", "puct"])
@pytest.mark.parametrize(("game", "actions"), GAMES, ids=str)
def test_rave_over_a_judge_is_that_of_the_reference(game: Game, actions: int, select: str, of: str) -> None:
    """Rave (algorithm 11): the network's value, AMAF over the tree's own path."""
    for iterations in (3, 40, 150):
        state = random_position(game, 2, actions)
        tree = RaveTree(state, score_judge(), puct=select == "puct", c=0.8, equivalence=50, weight=0,
                        of_all=of == "all", rollouts=False, seed=3)  # fmt: skip
        spec = (f'mcts(score, select="{select}", c=0.8, cpuct=0.8, iterations={iterations}, solver=False, '
                f'rave=True, equivalence=50, rave_of="{of}")')  # fmt: skip
        assert_rave(game, state, spec, tree, iterations)


@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize(
    ("game", "actions", "rollouts"),
    [(*case, True) for case in GAMES]
    + [(*case, False) for case in GAMES[:2]],  # othello and hex draw in their own way
    ids=str,
)
def test_rave_with_rollouts_is_that_of_the_reference(
    game: Game, actions: int, rollouts: bool, weight: float
) -> None:
    """RoRa (12: weight 1) and WRoRa (14: the rollout's path counts too)."""
    state = random_position(game, 4, actions)
    tree = RaveTree(state, score_judge(), puct=True, c=1.0, equivalence=200, weight=weight, of_all=True,
                    rollouts=rollouts, seed=3)  # fmt: skip
    spec = (f'mcts(mix(score, rollout, weight={weight}), select="puct", iterations=120, solver=False, rave=True, '
            f'equivalence=200, rave_of="all", rave_rollouts={rollouts})')  # fmt: skip
    assert_rave(game, state, spec, tree, 120)


def test_rave_is_kept_with_the_tree_and_forgotten_with_it() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    agent = bl.agent("mcts(rollout, iterations=500, rave=True, rave_rollouts=True)", game, seed=1)
    while True:
        decision = agent.act(state)
        assert list(decision.policy) == state.legal_actions()
        state.apply(decision.action)
        if state.is_terminal:
            break
        state.apply(state.legal_actions()[0])
    small = bl.agent("mcts(rollout, iterations=5000, rave=True, max_nodes=1024)", game, seed=1)
    assert small.act(game.initial_state()).info["nodes"] <= 1024


def test_what_rave_has_learned_is_kept_with_the_tree() -> None:
    game = bl.game("tictactoe")
    state = game.initial_state()
    tree = RaveTree(state, score_judge(), puct=True, c=0.8, equivalence=50, weight=0, of_all=False,
                    rollouts=False, seed=3)  # fmt: skip
    spec = ('mcts(score, select="puct", cpuct=0.8, iterations=200, solver=False, rave=True, equivalence=50, '
            'rave_of="own", policy="rave")')  # fmt: skip
    agent = bl.agent(spec, game, seed=3)
    for _ in range(3):
        for _ in range(200):
            tree.iterate()
        decision, root = agent.act(state), tree.root
        units = {a: (root.w_rave[a] / n + 1) / 2 if n else 0.0 for a, n in root.n_rave.items()}
        wanted = {a: u / sum(units.values()) for a, u in units.items()}
        assert decision.policy == pytest.approx(wanted, abs=1e-9)
        assert decision.values == pytest.approx({a: root.w[a] / n for a, n in root.n.items() if n}, abs=1e-9)
        action = max(root.n, key=lambda a, root=root: root.n[a])
        state.apply(action)
        tree.root = root.children[action]


# ---- mix ----


def test_mix_weighs_the_values_and_takes_the_first_ones_priors() -> None:
    game = CUBE
    state = game.initial_state(2)
    for weight in (0.0, 0.3, 1.0):
        mixed = bl.evaluator(f"mix(solver, score, weight={weight})", game)
        one, two = bl.evaluator("solver", game), bl.evaluator("score", game)
        assert mixed.value(state)[0] == pytest.approx(
            (1 - weight) * one.value(state)[0] + weight * two.value(state)[0]
        )
        assert mixed.priors(state) == one.priors(state)
        values, others = one.action_values(state), two.action_values(state)
        wanted = {a: (1 - weight) * values[a] + weight * others[a] for a in values}
        assert mixed.action_values(state) == pytest.approx(wanted)


def test_mix_is_written_and_read_back() -> None:
    spec = parse("mcts(mix(ntuple('runs/x'), rollout(rollouts=2), weight=0.25), rave=True)")
    assert format_spec(spec) == 'mcts(mix(ntuple(run="runs/x"), rollout(rollouts=2), weight=0.25), rave=True)'
    assert parse(format_spec(spec)) == spec
    assert format_spec(parse("mcts(mix(second=score, first=rollout))")) == "mcts(mix(rollout, score))"


def test_mix_refuses_different_outcomes() -> None:
    with pytest.raises(BoardLabError, match="same outcome"):
        bl.evaluator('mix(score, rollout(outcome="discs"))', bl.game("othello"))


@pytest.mark.parametrize("spec", [
    'mcts(mix(score, rollout, weight=1.0), select="puct", policy="value", choose="policy", iterations=300)',
    'mcts(score, select="puct", rave=True, policy="rave", choose="policy", iterations=300)',
    'mcts(mix(score, rollout, weight=1.0), select="puct", rave=True, policy="rave", choose="policy", iterations=300)',
    'mcts(mix(score, rollout, weight=0.5), select="puct", policy="value", choose="policy", iterations=300)',
    'mcts(mix(score, rollout, weight=0.5), select="puct", rave=True, rave_rollouts=True, policy="value", '
    'choose="policy", iterations=300)'])  # fmt: skip
def test_the_five_enhancements_beat_a_random_player(spec: str) -> None:
    result = bl.match(bl.game("connectfour"), [spec, "random"], games=20, seed=1)
    assert result.wins[0] >= 15


# ---- Gumbel ----


def test_sequential_halving_shares_the_simulations_out() -> None:
    """Worked by hand: 16 over 4 actions are two phases of 8; 4 times 2 visits, then 2 times 4."""
    assert halving(4, 16) == [0] * 4 + [1] * 4 + [2] * 2 + [3] * 2 + [4] * 2 + [5] * 2
    assert halving(1, 3) == [0, 1, 2]
    assert halving(2, 5) == [0, 0, 1, 1, 2]


def marked_judge(state: State) -> tuple[float, float]:
    """Every position has a value of its own, and one player's is not the other's."""
    value = hashlib.sha256(str(state.fields).encode()).digest()[0] / 256 - 0.5
    return value, -value


@pytest.mark.parametrize(("game", "actions", "name", "judge"), [
    (bl.game("tictactoe"), 3, "score", score_judge()), (bl.game("connectfour"), 25, "score", score_judge()),
    (bl.game("othello", size=4), 8, "score", score_judge()), (CUBE, 0, "solver", solver_judge),
    (bl.game("tictactoe"), 3, "marked", marked_judge)],
    ids=lambda value: value.name if isinstance(value, Game) else "judge" if callable(value) else str(value))  # fmt: skip
@pytest.mark.parametrize("interior", [False, True])
def test_gumbel_is_that_of_the_reference(
    game: Game, actions: int, name: str, judge: Judge, interior: bool
) -> None:
    bl.register_evaluator("marked", inputs="states", priors=False)(
        lambda game: lambda states, legal: np.array([marked_judge(s)[s.player] for s in states])
    )
    for seed, (simulations, considered, scale) in enumerate(
        [(4, 16, 1.0), (16, 4, 1.0), (50, 16, 0.1), (33, 3, 1.0)]
    ):
        state = random_position(game, seed, actions)
        tree = GumbelTree(state, judge, simulations=simulations, considered=considered, c_visit=50, c_scale=scale,
                          c=1.0, seed=seed, interior=interior)  # fmt: skip
        for _ in range(simulations):
            tree.iterate()
        spec = f"mcts({name}, select='puct', iterations={simulations}, gumbel={considered}, c_scale={scale}, solver=False"
        spec += ", gumbel_interior=True" if interior else ""
        decision = bl.agent(spec + ")", game, seed=seed).act(state)
        assert decision.action == tree.choice
        assert decision.policy == pytest.approx(tree.improved_policy, abs=1e-6)
        counts = bl.agent(spec + ', policy="visits")', game, seed=seed).act(state).policy
        assert {a: round(p * simulations) for a, p in counts.items()} == tree.visits


def test_gumbel_keeps_the_tree_and_shares_out_as_many_new_visits() -> None:
    """The second decision about a position adds its own sixteen visits, four to each action or more."""
    game = bl.game("connectfour")
    state = random_position(game, 1, 6)
    spec = "mcts(score, iterations=16, gumbel=4, solver=False, policy='visits'"
    for more, total in ((")", 32), (", reuse=False)", 16)):
        agent = bl.agent(spec + more, game, seed=3)
        first, second = (agent.act(state) for _ in range(2))
        assert second.action in state.legal_actions()
        counts = {a: round(p * total) for a, p in second.policy.items()}
        assert sum(counts.values()) == total
        assert [p * total for p in second.policy.values()] == pytest.approx(list(counts.values()))
        if total == 32:
            fresh = [counts[a] - round(p * 16) for a, p in first.policy.items()]
            assert sorted(fresh)[-4:] == [2, 2, 6, 6] and sum(fresh) == 16


@pytest.mark.parametrize("game", [bl.game("ewn", size=3), bl.game("nim", players=3), CUBE], ids=repr)
def test_gumbel_expects_what_the_action_that_it_plays_is_worth(game: Game) -> None:
    """Half of the descents go to actions that sequential halving throws away; their mean is no expectation."""
    for seed in range(3):
        state = random_position(game, seed, 3)
        decision = bl.agent("mcts(iterations=64, gumbel=4, reuse=False)", game, seed=seed).act(state)
        assert decision.scores[state.player] == decision.values[decision.action]
        if game.is_zero_sum:
            assert decision.scores.sum() == 0


def test_gumbel_expects_the_same_of_a_tree_that_was_kept() -> None:
    def judge(states: list[State], legal: np.ndarray) -> np.ndarray:
        return np.array([0.25 if state.player == 0 else -0.25 for state in states])

    bl.register_evaluator("level", inputs="states", priors=False)(lambda game: judge)
    game = bl.game("connectfour")
    agent = bl.agent("mcts(level, select='puct', iterations=28, gumbel=7)", game, seed=3)
    for _ in range(3):
        assert agent.act(game.initial_state()).scores.tolist() == pytest.approx([0.25, -0.25])


def test_gumbel_samples_actions_as_the_priors_say() -> None:
    """One simulation and no scale: the action is the Gumbel maximum of the priors, which is a draw from them."""
    state = CUBE.initial_state(3)
    priors = bl.evaluator("solver", CUBE).priors(state)
    agent, counts, games = bl.agent("mcts(solver, iterations=1, gumbel=16, c_scale=0)", CUBE), {}, 2000
    for seed in range(games):
        agent.reset(seed)
        action = agent.act(state).action
        counts[action] = counts.get(action, 0) + 1
    for action, p in priors.items():
        assert counts.get(action, 0) == pytest.approx(games * p, abs=5 * (games * p * (1 - p)) ** 0.5 + 1)


def test_gumbel_finds_the_best_actions_of_solved_cubes_with_few_simulations() -> None:
    for seed in range(8):
        state = CUBE.initial_state(seed)
        exact = bl.evaluator("solver", CUBE).action_values(state)
        decision = bl.agent("mcts(solver, iterations=18, gumbel=9)", CUBE, seed=seed).act(state)
        assert exact[decision.action] == pytest.approx(max(exact.values()))


def test_gumbel_refuses_what_it_cannot_do() -> None:
    game = bl.game("tictactoe")
    for more, message in (
        ("seconds=1", "number of iterations"),
        ('select="uct"', "puct"),
        ("noise=1.0", "noise"),
    ):
        with pytest.raises(BoardLabError, match=message):
            bl.agent(f"mcts(rollout, gumbel=8, {more})", game)
    with pytest.raises(BoardLabError, match="needs gumbel"):
        bl.agent('mcts(rollout, policy="improved")', game)
    with pytest.raises(BoardLabError, match="needs rave"):
        bl.agent('mcts(rollout, policy="rave")', game)
