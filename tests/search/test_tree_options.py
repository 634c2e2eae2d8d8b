"""Options of mcts: the solver, first-play urgency, noise, the choice, the reported policy, the paper's algorithm."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from oracles.algorithm1 import Approximator, TreeNode, expand, mcts_iteration
from oracles.full_width import expectimax_n, minimax
from oracles.judges import after, minmax_priors, score_judge, softmax_priors
from oracles.positions import CUBE, random_position
from test_tree import CASES, Case, assert_same, expression, reference_tree, visits

import boardlab as bl
from boardlab import BoardLabError, Game, State, TreeOptions, _engine
from boardlab.arena.exams.starts import met_at_random
from boardlab.evaluators import EVALUATORS
from boardlab.evaluators.ntuple import load_network
from boardlab.options import options_of
from boardlab.search.mcts import Mcts

SMALL = [
    (bl.game("tictactoe"), 4, "score"),
    (bl.game("connectfour", rows=4, cols=4, connect=3), 6, "score"),
    (bl.game("nim", heaps=(2, 3), max_take=2), 1, "score"),
    (bl.game("othello", size=4), 6, "score"),
    (bl.game("othello", size=4), 9, "discs"),
    (bl.game("hex", size=3), 4, "score"),
]


def position_after(game: Game, seed: int, actions: int) -> State:
    """A position after exactly so many random actions."""
    chooser = random.Random(seed)
    while True:
        state = game.initial_state(seed)
        for _ in range(actions):
            if not state.is_terminal:
                state.apply(chooser.choice(state.legal_actions()))
        if not state.is_terminal:
            return state


# ---- MCTS-Solver ----


def solved_cases() -> list[Case]:
    return [c for c in CASES if c.game.players == 2 and c.game.core.step_reward == 0 and c.draw is None]


@pytest.mark.parametrize("select", ["uct", "puct", "epsilon", "roulette"])
@pytest.mark.parametrize("case", solved_cases(), ids=str)
def test_the_solver_is_that_of_the_reference(case: Case, select: str) -> None:
    for seed in (1, 2, 3):
        state = random_position(case.game, seed, case.actions)
        tree = reference_tree(case, state, select, seed, 1.0, solver=True)
        for iterations in range(1, 61):
            if tree.root.exact:
                break
            tree.iterate()
            spec = expression(case, select, 1.0, iterations, solver=True)
            decision = bl.agent(spec, case.game, seed=seed).act(state)
            assert decision.info["iterations"] == iterations
            assert decision.info.get("proven", 0) == (tree.root.exact is not None)
            assert decision.values == pytest.approx(tree.values, abs=1e-12)
            assert list(decision.scores) == pytest.approx(tree.scores, abs=1e-12)


@pytest.mark.parametrize("more", ['select="uct"', 'select="puct"', 'select="uct", batch=8',
                                  'select="uct", batch=8, leaf_visits=0', 'select="puct", batch=5, leaf_visits=0',
                                  'select="puct", fpu="parent", fpu_value=0.3', 'select="puct", noise=0.5',
                                  'select="epsilon"', 'select="uct", max_nodes=1024', 'select="puct", rave=True',
                                  'select="uct", rave=True, rave_rollouts=True', 'select="puct", gumbel=8'])  # fmt: skip
@pytest.mark.parametrize(("game", "actions", "outcome"), SMALL, ids=str)
def test_small_games_are_proven_exactly(game: Game, actions: int, outcome: str, more: str) -> None:
    """Whatever the options: what is said to be proven is the minimax value, and so is the action's."""
    proven = 0
    for seed in range(4):
        state = position_after(game, seed, actions)
        spec = f'mcts(rollout(outcome="{outcome}"), iterations=20000, {more})'
        decision = bl.agent(spec, game, seed=seed).act(state)
        if "proven" not in decision.info:
            continue
        proven += 1
        exact = minimax(state, 99, score_judge(outcome), outcome)
        assert list(decision.scores) == [exact, -exact]
        best = minimax(after(state, decision.action), 99, score_judge(outcome), outcome)
        assert best == exact
        chosen = [a for a, p in decision.policy.items() if p > 0]
        assert all(minimax(after(state, a), 99, score_judge(outcome), outcome) == exact for a in chosen)
    assert proven >= 3


def test_a_win_in_one_ends_the_search_at_once() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    for action in (3, 0, 3, 0, 3, 1):
        state.apply(action)
    decision = bl.agent("mcts(rollout, iterations=1000000)", game, seed=1).act(state)
    assert decision.action == 3 and decision.policy[3] == 1
    assert decision.info["proven"] == 1 and decision.info["iterations"] < 1000
    assert list(decision.scores) == [1, -1]


def test_a_proven_tree_is_kept_and_played_to_its_end() -> None:
    """The proof goes along from move to move, whoever's turn it was when it was found."""
    game = bl.game("connectfour", rows=4, cols=4, connect=3)
    for seed in range(10):
        agent, chooser = bl.agent("mcts(rollout, iterations=30000)", game, seed=seed), random.Random(seed)
        state = game.initial_state()
        decision = agent.act(state)
        assert decision.info["proven"] == 1 and list(decision.scores) == [1, -1]
        while not state.is_terminal:
            decision = agent.act(state)
            assert decision.scores[0] == 1
            state.apply(decision.action)
            if not state.is_terminal:
                state.apply(chooser.choice(state.legal_actions()))
        assert list(state.scores) == [1, -1]


def test_a_proof_that_made_room_is_found_again() -> None:
    """A full tree drops the replies below what is proven; the position that remains must be searched anew."""
    game = bl.game("connectfour", rows=4, cols=4, connect=3)
    exact = bl.agent("alphabeta(depth=16, exact=True, table_mb=1)", game)
    for seed in range(10):
        agent = bl.agent("mcts(rollout, iterations=30000, max_nodes=1024)", game, seed=seed)
        state, chooser = game.initial_state(), random.Random(seed)
        while not state.is_terminal:
            decision = agent.act(state)
            if state.player == 0 and decision.scores[0] == 1:
                assert exact.act(state).values[decision.action] == 1
            state.apply(decision.action)
            if not state.is_terminal:
                state.apply(chooser.choice(state.legal_actions()))


def wins_against_everybody(state: State, player: int) -> bool:
    """Whether the player can force a win, whatever all the others do."""
    if state.is_terminal:
        return bool(state.scores[player] == 1)
    replies = [wins_against_everybody(after(state, a), player) for a in state.legal_actions()]
    return any(replies) if state.player == player else all(replies)


@pytest.mark.parametrize(
    "more", ['select="uct"', 'select="puct"', 'select="uct", rave=True', 'select="puct", gumbel=16']
)
def test_three_players_agree_with_exhaustive_search(more: str) -> None:
    """Where a player can force a win, MaxN and the tree find it, and the others' values are what is left."""
    game = bl.game("nim", heaps=(2, 2, 3), max_take=2, players=3)
    found = 0
    for seed in range(30):
        state = random_position(game, seed, 5)
        player = state.player
        winning = {a for a in state.legal_actions() if wins_against_everybody(after(state, a), player)}
        if not winning or len(winning) == len(state.legal_actions()):
            continue
        found += 1
        exact = expectimax_n(state, 99, score_judge())
        assert exact[player] == 1
        decision = bl.agent(f"mcts(rollout, iterations=2000, {more})", game, seed=seed).act(state)
        assert decision.action in winning
        assert decision.values[decision.action] == pytest.approx(1, abs=0.1)
        assert decision.scores.sum() == pytest.approx(sum(exact))
    assert found >= 5


def test_games_for_which_proofs_are_unsound_have_none() -> None:
    for game in (bl.game("2048", size=2), bl.game("nim", heaps=(2, 2), players=3), bl.game("kuhnpoker"),
                 bl.game("rubiks", twists=1)):  # fmt: skip
        state = random_position(game, 1, 0)
        decision = bl.agent("mcts(rollout(depth=3), iterations=500)", game).act(state)
        assert "proven" not in decision.info and decision.info["iterations"] == 500


# ---- first-play urgency ----


@pytest.mark.parametrize(
    ("fpu", "value"), [("absolute", -1.0), ("absolute", 0.4), ("parent", 0.0), ("parent", 0.25)]
)
@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_first_play_urgency_is_that_of_the_reference(case: Case, fpu: str, value: float) -> None:
    state = random_position(case.game, 5, case.actions)
    tree = reference_tree(case, state, "puct", 5, 1.0, fpu=value, fpu_from_parent=fpu == "parent")
    for iterations in range(1, 200):
        tree.iterate()
        if iterations % 20:
            continue
        spec = expression(case, "puct", 1.0, iterations, f', fpu="{fpu}", fpu_value={value}')
        assert_same(bl.agent(spec, case.game, seed=5).act(state), tree)


# ---- priors from values ----


@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_minmax_priors_are_those_of_the_reference(case: Case) -> None:
    state = random_position(case.game, 5, case.actions)
    tree = reference_tree(case, state, "puct", 5, 1.0, priors=minmax_priors)
    for iterations in range(1, 200):
        tree.iterate()
        if iterations % 20:
            continue
        spec = expression(case, "puct", 1.0, iterations, ', priors="minmax"')
        assert_same(bl.agent(spec, case.game, seed=5).act(state), tree)


@pytest.fixture
def own_evaluators() -> Iterator[None]:
    known = dict(EVALUATORS)
    yield
    EVALUATORS.clear()
    EVALUATORS.update(known)


@pytest.mark.parametrize("paper", [False, True])
def test_minmax_priors_by_hand(own_evaluators: None, paper: bool) -> None:
    """Values .5, 0, -.5 and -1 of the range from -1 to 1 are priors .75, .5, .25 and 0.

    With a great cpuct nothing else counts: PUCT takes the highest P / (1 + n).
    """
    game = bl.game("connectfour", rows=4, cols=4)

    def judge(states: list[State], legal: object) -> np.ndarray:
        columns = [state.fields.index(1) % 4 if 1 in state.fields else 1 for state in states]
        return np.array([[-(0.5 - column / 2), 0.5 - column / 2] for column in columns])

    bl.register_evaluator("columns", inputs="states", priors=False)(lambda game: judge)
    spec = f'mcts(columns, priors="minmax", cpuct=1e6, solver=False, depth=1, iterations=60, paper={paper})'
    decision = bl.agent(spec, game).act(game.initial_state())
    assert visits(decision) == {0: 30, 1: 20, 2: 10, 3: 0}


def test_how_priors_are_made_does_not_change_what_the_other_players_are_worth(tmp_path: Path) -> None:
    """Three players: they are judged after the best action, which min-max clips away below the range."""
    game = bl.game("nim", heaps=(3, 3, 3), players=3)
    plain = {"sigma": "identity", "alpha": 1.5, "alpha_final": 1.5, "coherence": "off", "exams": []}
    bl.train(game, "td-ntuple", episodes=300, seed=1, out=tmp_path / "run", **plain)
    spec = f'mcts(ntuple("{(tmp_path / "run").as_posix()}"), iterations=1, priors='
    softmax, minmax = (bl.agent(f'{spec}"{kind}")', game, seed=1) for kind in ("softmax", "minmax"))
    alike = 0
    for state in met_at_random(game, 1500, 0):
        for agent in (softmax, minmax):
            agent.reset(1)
        one, other = softmax.act(state), minmax.act(state)
        if one.policy == other.policy:
            alike += 1
            assert one.scores == pytest.approx(other.scores)
    assert alike > 100


def test_minmax_is_refused_where_priors_are_not_made_of_values(own_evaluators: None) -> None:
    bl.register_evaluator("own")(lambda game: lambda planes, legal: (np.zeros(len(legal)), legal * 1.0))
    with pytest.raises(BoardLabError, match="has a policy of its own"):
        bl.agent('mcts(own, priors="minmax")', bl.game("tictactoe"))


# ---- Dirichlet noise ----


def noisy_priors(game: Game, state: State, alpha: float, fraction: float, seeds: int) -> np.ndarray:
    """Visits at a great c are as the priors; a row a seed."""
    spec = (
        f'mcts(score, select="puct", cpuct=1e6, iterations=1000, depth=1, solver=False, '
        f"noise={alpha}, noise_fraction={fraction})"
    )
    agent, rows = bl.agent(spec, game), []
    for seed in range(seeds):
        agent.reset(seed)
        rows.append(list(agent.act(state).policy.values()))
    return np.array(rows)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 5.0])
def test_noise_is_dirichlet(alpha: float) -> None:
    """Mean and variance of each share and the covariance of two, as the textbook says."""
    game = bl.game("connectfour")
    n, seeds = 7, 400
    shares = noisy_priors(game, game.initial_state(), alpha, 1.0, seeds)
    variance = (1 / n) * (1 - 1 / n) / (n * alpha + 1)
    assert shares.mean(axis=0) == pytest.approx(np.full(n, 1 / n), abs=5 * math.sqrt(variance / seeds))
    assert shares.var() == pytest.approx(variance, rel=0.15)
    off_diagonal = np.cov(shares.T)[~np.eye(n, dtype=bool)]
    assert off_diagonal.mean() == pytest.approx(-variance / (n - 1), rel=0.3)


def test_noise_has_the_share_that_was_asked_for() -> None:
    game = CUBE
    state = game.initial_state(3)
    priors = np.array(list(softmax_priors(state, score_judge()).values()))
    for fraction in (0.25, 0.75):
        shares = noisy_priors(game, state, 1.0, fraction, 200)
        uniform = np.full(len(priors), 1 / len(priors))
        assert shares.mean(axis=0) == pytest.approx((1 - fraction) * priors + fraction * uniform, abs=0.03)
        assert (shares > (1 - fraction) * priors - 3e-3).all()
    assert noisy_priors(game, state, 1.0, 0.0, 3) == pytest.approx(noisy_priors(game, state, 9.0, 0.0, 3))


def test_noise_is_new_for_every_decision_and_does_not_pile_up() -> None:
    """Asked again and again about one position, the priors are the clean ones with one portion of noise."""

    def judge(planes: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.zeros(legal.shape)
        logits[:, 3] = math.log(54)  # the prior of the middle is .9
        return np.zeros(len(planes)), logits

    bl.register_evaluator("peaked")(lambda game: judge)
    game = bl.game("connectfour")
    spec = 'mcts(peaked, select="puct", cpuct=1e6, iterations=20, depth=1, noise=0.3, noise_fraction=0.1)'
    agent = bl.agent(spec, game, seed=1)
    state, counts, favourites = game.initial_state(), np.zeros(7), set()
    for number in range(1, 101):
        before, counts = counts, 20 * number * np.array(list(agent.act(state).policy.values()))
        growth = counts - before
        growth[3] = 0
        favourites.add(int(growth.argmax()))
    assert favourites == {0, 1, 2, 4, 5, 6}
    # One portion leaves the middle a prior of .81 at least. Noise added to noise would leave it a seventh.
    assert counts[3] / 2000 > 0.5


# ---- choice and policy ----


def test_the_policy_of_values_is_the_scaled_means_over_their_sum() -> None:
    game = bl.game("connectfour")
    for seed in range(5):
        state = random_position(game, seed, 12)
        spec = 'mcts(rollout, iterations=60, policy="value", choose="policy", solver=False)'
        decision = bl.agent(spec, game, seed=seed).act(state)
        units = {a: (v + 1) / 2 for a, v in decision.values.items()}
        total = sum(units.values())
        wanted = {a: units.get(a, 0) / total for a in state.legal_actions()}
        assert decision.policy == pytest.approx(wanted)
        assert decision.policy[decision.action] == max(decision.policy.values())


def test_a_policy_of_nothing_but_losses_is_even() -> None:
    """Every value at the bottom of the range gives zeros, which no sum can divide."""
    game = bl.game("nim", heaps=(4,), max_take=3)
    spec = 'mcts(score, select="uct", iterations=400, policy="value", solver=False)'
    decision = bl.agent(spec, game).act(game.from_fields([4, 0]))
    assert sum(decision.policy.values()) == pytest.approx(1)
    lost = bl.agent("mcts(rollout, iterations=400)", game).act(game.from_fields([4, 0]))
    assert list(lost.scores) == [-1, 1] and sum(lost.policy.values()) == pytest.approx(1)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_sampled_actions_follow_the_policy_and_the_temperature(temperature: float) -> None:
    game = bl.game("tictactoe")
    state = game.initial_state()
    spec = (
        f'mcts(score, iterations=40, choose="sample", temperature={temperature}, select="puct", solver=False)'
    )
    counts: dict[int, int] = dict.fromkeys(range(9), 0)
    games = 600
    agent = bl.agent(spec, game)
    for seed in range(games):
        agent.reset(seed)
        decision = agent.act(state)
        counts[decision.action] += 1
    weights = {a: p ** (1 / temperature) for a, p in decision.policy.items()}
    total = sum(weights.values())
    for action, count in counts.items():
        p = weights[action] / total
        assert count == pytest.approx(games * p, abs=5 * math.sqrt(games * p * (1 - p)) + 1)


def test_a_low_temperature_plays_the_most_visited_action() -> None:
    game = bl.game("connectfour")
    for seed in range(10):
        state = random_position(game, seed, 10)
        spec = 'mcts(rollout, iterations=200, choose="sample", temperature=0.001)'
        decision = bl.agent(spec, game, seed=seed).act(state)
        assert decision.policy[decision.action] == max(decision.policy.values())


# ---- the paper's algorithm ----


def approximator(game: Game, name: str, best: bool) -> Approximator:
    """f(s) of the wrapper: softmax of the raw action values; the value is the judge's or the best of them."""
    evaluator = bl.evaluator(name, game)

    def f(state: State) -> tuple[float, dict[int, float]]:
        values = evaluator.action_values(state)
        top = max(values.values())
        weights = {a: math.exp(v - top) for a, v in values.items()}
        total = sum(weights.values())
        value = top if best else float(evaluator.value(state)[state.player])
        return value, {a: float(np.float32(w / total)) for a, w in weights.items()}

    return f


def assert_algorithm_1(
    game: Game, state: State, name: str, best: bool, cpuct: float, iterations: int
) -> None:
    f = approximator(game, name, best)
    root = TreeNode(state.copy())
    expand(root, f)  # not an iteration
    for done in range(1, iterations + 1):
        mcts_iteration(root, f, cpuct)
        if done % 15 and done != iterations:
            continue
        spec = f"mcts({name}, paper=True, cpuct={cpuct}, iterations={done})"
        decision = bl.agent(spec, game, seed=1).act(state)
        assert visits(decision) == root.n
        wanted = {a: root.w[a] / n for a, n in root.n.items() if n}
        assert decision.values == pytest.approx(wanted, abs=1e-9)
        assert root.n[decision.action] == max(root.n.values())


@pytest.mark.parametrize(("game", "actions", "name"), [
    (bl.game("tictactoe"), 4, "score"), (bl.game("connectfour", rows=4, cols=4, connect=3), 5, "score"),
    (bl.game("othello", size=4), 8, "score"), (bl.game("nim", heaps=(3, 4, 2)), 0, "score"),
    (CUBE, 0, "solver"), (bl.game("rubiks", twists=3), 0, "score")], ids=str)  # fmt: skip
def test_paper_is_algorithm_1_to_the_letter(game: Game, actions: int, name: str) -> None:
    for seed, cpuct in ((1, 1.0), (2, 3.0)):
        assert_algorithm_1(game, random_position(game, seed, actions), name, False, cpuct, 150)


def test_paper_is_algorithm_1_over_a_trained_network(tmp_path: Path) -> None:
    """TCL-wrap: the leaf's value is the best action value."""
    for game, actions, settings in (
        (bl.game("connectfour", rows=4, cols=5, connect=3), 4, {"windows": "3x3"}),
        (bl.game("rubiks", twists=4), 0, {"tuples": 10}),
    ):
        run = bl.train(game, episodes=1000, out=tmp_path / game.name, seed=1, **settings)
        for seed in (1, 2):
            state = random_position(game, seed, actions)
            assert_algorithm_1(game, state, f"ntuple('{run.path}')", True, 1.0, 120)


def test_weights_learned_between_decisions_count(tmp_path: Path) -> None:
    """Values of a puzzle's positions are remembered within a decision, not from one to the next."""
    game = bl.game("rubiks", twists=5)
    run = bl.train(game, episodes=2000, out=tmp_path / "cube", seed=1, tuples=10)
    network, description, _ = load_network(run.path, game)
    evaluator = network.evaluator(description["reward"], 1.0)
    state = game.initial_state(4).core

    def searched(search: _engine.Search) -> list[float]:
        return np.nan_to_num(search.act(state)[3], nan=-9.0).tolist()  # actions that were not tried

    tree = _engine.TreeOptions()
    tree.puct, tree.reuse = True, False
    kept = _engine.mcts_search(evaluator, 1, tree, iterations=60)
    before = searched(kept)
    assert searched(kept) == before
    network.weights[:] *= -0.5
    fresh = searched(_engine.mcts_search(evaluator, 1, tree, iterations=60))
    assert searched(kept) == fresh != before


def test_what_only_puct_knows_is_refused_with_uct() -> None:
    game = bl.game("tictactoe")
    for more in ("noise=1.0", 'fpu="parent"', "fpu_value=0.5", "paper=True", 'priors="minmax"'):
        with pytest.raises(BoardLabError, match='belongs to select="puct"'):
            bl.agent(f'mcts(rollout, select="uct", {more})', game)
        bl.agent(f"mcts(rollout, {more})", game)


# ---- one declaration ----

OWNERS = {"puct", "paper"}
"""Fields of the engine's struct that the search sets, not its options."""


def names_of(kind: type) -> list[str]:
    return [option.name for option in options_of(kind)]


def test_the_engine_has_the_trees_options_and_no_others() -> None:
    engine = {name for name, kind in vars(_engine.TreeOptions).items() if isinstance(kind, property)}
    assert engine - OWNERS == set(names_of(TreeOptions))


def test_every_option_of_the_tree_reaches_the_engine() -> None:
    """A value other than the default arrives; None leaves the engine's default, which is "off"."""
    usual = TreeOptions().engine_tree("tree")
    for option in options_of(TreeOptions):
        if option.default is not None and option.name != "leaf_visits":  # mcts judges few leaves at once
            assert getattr(usual, option.name) == option.default, option.name
        others = option.choices or (
            [not option.default] if option.type is bool else [option.low, option.high]
        )
        for other in others:
            tree = TreeOptions(**{option.name: other}).engine_tree("tree")
            if option.name == "select" and other in ("uct", "puct"):
                other = "formula"  # the search decides which one
            assert getattr(tree, option.name) == other, option.name


def test_mcts_has_the_options_of_the_tree() -> None:
    assert set(names_of(TreeOptions)) < set(names_of(Mcts))
    assert names_of(Mcts)[0] == "evaluator"
    assert {o.name: o for o in options_of(Mcts) if o.name in names_of(TreeOptions)} == {
        o.name: o for o in options_of(TreeOptions)
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("cpuct", math.nan), ("epsilon", -1.0), ("equivalence", 0.0), ("batch", 0), ("max_nodes", 3),
     ("max_nodes", 1 << 40), ("gumbel", -1), ("depth", -1), ("policy", "all"), ("fpu", "")],
)  # fmt: skip
def test_the_engine_refuses_what_would_break_it(name: str, value: object) -> None:
    tree = _engine.TreeOptions()
    with pytest.raises(BoardLabError, match=f"{name} must be"):
        setattr(tree, name, value)


# ---- epsilon-greedy and the roulette wheel ----


def test_epsilon_explores_as_often_as_it_should() -> None:
    """In Nim with one heap of three, taking all wins."""
    game = bl.game("nim", heaps=(3,), max_take=3)
    state = game.initial_state()
    for explore, share in ((0.0, 1.0), (0.3, 1 - 0.3 * 2 / 3), (1.0, 1 / 3)):
        spec = f'mcts(score, select="epsilon", explore={explore}, iterations=3000, solver=False)'
        policy = bl.agent(spec, game, seed=2).act(state).policy
        win = max(state.legal_actions())
        assert policy[win] == pytest.approx(share, abs=0.04)


def test_the_roulette_wheel_visits_in_proportion_to_the_means() -> None:
    game = bl.game("nim", heaps=(3,), max_take=3)
    decision = bl.agent('mcts(score, select="roulette", iterations=3000, solver=False)', game, seed=2).act(
        game.initial_state()
    )
    units = {a: (v + 1) / 2 for a, v in decision.values.items()}
    for action, share in decision.policy.items():
        assert share == pytest.approx(units[action] / sum(units.values()), abs=0.1)


@pytest.mark.parametrize("select", ["epsilon", "roulette"])
def test_they_work_with_hidden_cards_chance_batches_threads_and_in_a_forest(select: str) -> None:
    for name in ("kuhnpoker", "2048", "connectfour"):
        game = bl.game(name)
        state = game.initial_state(1)
        while state.player == bl.CHANCE:
            state.apply(state.sample_chance(1))
        for more in ("", ", batch=4, leaf_visits=0", ", threads=2", ", max_nodes=1024"):
            spec = f'mcts(rollout, select="{select}", iterations=300{more})'
            assert bl.agent(spec, game, seed=1).act(state).action in state.legal_actions()
    forest = bl.Forest(bl.game("connectfour"), 3, tree=TreeOptions(solver=False, select=select), seed=1)
    other = bl.Forest(bl.game("connectfour"), 3, tree=TreeOptions(solver=False), seed=1)
    for trees in (forest, other):
        trees.search(lambda inputs, legal: (np.zeros(len(inputs)), np.zeros(legal.shape)), 50)
    assert forest.visits().sum(1).tolist() == other.visits().sum(1).tolist()
    assert (forest.visits() != other.visits()).any()


def test_what_does_not_go_with_them_is_refused() -> None:
    game = bl.game("tictactoe")
    for more, why in (
        ('select="epsilon", rave=True', 'rave, gumbel and noise belong to select="uct" and "puct"'),
        ('select="roulette", gumbel=4', 'gumbel belongs to select="puct", not to "roulette"'),
        ('select="epsilon", explore=1.5', "explore must be a number from 0 to 1"),
        ('select="greedy"', 'one of "uct", "puct", "epsilon", "roulette"'),
    ):
        with pytest.raises(BoardLabError, match=why):
            bl.agent(f"mcts(rollout, {more})", game)
    with pytest.raises(BoardLabError, match="must be puct, epsilon or roulette, not uct"):
        bl.Forest(game, 1, tree=TreeOptions(select="uct"))
