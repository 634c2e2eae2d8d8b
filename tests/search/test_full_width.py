"""maxn, expectimax and alphabeta against textbook recursion, value for value."""

import math
import statistics
from pathlib import Path
from typing import Any

import pytest
from oracles.full_width import action_vector, minimax
from oracles.judges import Judge, after, score_judge, solver_judge
from oracles.positions import CUBE, random_position

import boardlab as bl
from boardlab import BoardLabError, Game
from boardlab.evaluators.ntuple import load_network
from boardlab.references.rubiks import distance

ZERO_SUM = [
    (bl.game("tictactoe"), "score", 5, 4),
    (bl.game("connectfour", rows=4, cols=4, connect=3), "score", 6, 4),
    (bl.game("connectfour"), "score", 30, 3),
    (bl.game("othello", size=4), "discs", 10, 4),
    (bl.game("othello", size=6), "discs", 28, 3),
    (bl.game("othello"), "score", 58, 2),
    (bl.game("nim", heaps=(3, 4, 2), max_take=3), "score", 3, 4),
    (bl.game("nim", heaps=(3, 3), misere=True), "score", 2, 6),
]
OTHERS = [
    (bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3), "score", 3, 5),
    (bl.game("nim", heaps=(3, 3), players=3, extra_rule=True), "score", 2, 6),
    (bl.game("rubiks", twists=2), "score", 1, 3),
    (bl.game("rubiks", twists=3, metric="qtm", step_reward=-0.1), "score", 1, 2),
    (bl.game("2048", size=2), "score", 6, 2),
    (bl.game("2048", size=2), "empty_tiles", 6, 2),
    (bl.game("2048", size=3), "score", 20, 1),
]


def label(case: tuple[Game, str, int, int]) -> str:
    return f"{case[0]!r}-{case[1]}-depth{case[3]}"


@pytest.mark.parametrize("case", ZERO_SUM + OTHERS, ids=label)
def test_full_width_values_are_those_of_plain_recursion(case: tuple[Game, str, int, int]) -> None:
    game, outcome, actions, depth = case
    search = "expectimax" if game.has_chance else "maxn"
    agent = bl.agent(f'{search}(score(outcome="{outcome}"), depth={depth}, table_mb=1)', game)
    judge = score_judge(outcome)
    for seed in range(15):
        state = random_position(game, seed, actions)
        decision = agent.act(state)
        wanted = {a: action_vector(state, a, depth, judge, outcome) for a in state.legal_actions()}
        assert decision.values == pytest.approx({a: v[state.player] for a, v in wanted.items()}, abs=1e-12)
        best = max(decision.values.values())
        assert decision.values[decision.action] == best
        assert list(decision.scores) == pytest.approx(wanted[decision.action], abs=1e-12)
        equals = [a for a, v in decision.values.items() if v == best]
        assert decision.policy == {a: 1 / len(equals) if a in equals else 0 for a in state.legal_actions()}


@pytest.mark.parametrize("case", ZERO_SUM, ids=label)
def test_alphabeta_values_are_those_of_plain_minimax(case: tuple[Game, str, int, int]) -> None:
    game, outcome, actions, depth = case
    judge = f'score(outcome="{outcome}")'
    exact = bl.agent(f"alphabeta({judge}, depth={depth}, exact=True, table_mb=1)", game)
    quick = bl.agent(f"alphabeta({judge}, depth={depth}, table_mb=1)", game)
    maxn = bl.agent(f"maxn({judge}, depth={depth})", game)
    for seed in range(15):
        state = random_position(game, seed, actions)
        sign = 1 if state.player == 0 else -1
        wanted = {
            a: sign * minimax(after(state, a), depth - 1, score_judge(outcome), outcome)
            for a in state.legal_actions()
        }
        decision = exact.act(state)
        assert decision.values == wanted
        assert decision.values == maxn.act(state).values
        assert decision.info["depth"] == depth
        best = max(wanted.values())
        for d in (decision, quick.act(state)):
            assert wanted[d.action] == d.values[d.action] == best
            assert list(d.scores) == [sign * best, -sign * best]
            assert d.policy == {a: float(a == d.action) for a in wanted}


def test_full_width_asks_any_evaluator_at_the_end() -> None:
    state = CUBE.initial_state(3)
    decision = bl.agent("maxn(solver, depth=2)", CUBE).act(state)
    assert decision.values == pytest.approx(
        {a: action_vector(state, a, 2, solver_judge)[0] for a in state.legal_actions()}
    )


def test_a_table_that_is_far_too_small_changes_nothing() -> None:
    game = bl.game("connectfour")
    state = random_position(game, 5, 10)
    small = bl.agent("maxn(depth=11, table_mb=1)", game).act(state)
    large = bl.agent("maxn(depth=11, table_mb=256)", game).act(state)
    assert small.values == large.values
    assert small.info["nodes"] > large.info["nodes"]
    deep = [bl.agent(f"alphabeta(depth=9, exact=True, table_mb={mb})", game).act(state) for mb in (1, 256)]
    assert deep[0].values == deep[1].values


def test_values_do_not_depend_on_what_was_searched_before() -> None:
    game = bl.game("othello", size=6)
    judge = 'score(outcome="discs")'
    for expression in (f"alphabeta({judge}, depth=4, exact=True)", f"maxn({judge}, depth=4)"):
        used = bl.agent(expression, game)
        for seed in range(5):
            state = random_position(game, seed, 25)
            assert used.act(state).values == bl.agent(expression, game).act(state).values


def test_equal_actions_stay_equal_with_step_rewards() -> None:
    """A table of floats once made the third decimal of a sum decide between equal twists."""
    game = bl.game("rubiks", twists=2)
    for seed in range(5):
        state = game.initial_state(seed)
        decision = bl.agent("maxn(depth=4)", game).act(state)
        wanted = {a: action_vector(state, a, 4, score_judge())[0] for a in state.legal_actions()}
        assert decision.values == wanted


@pytest.mark.parametrize("seed", range(4))
def test_alphabeta_with_a_time_limit_answers(seed: int) -> None:
    game = bl.game("othello")
    state = random_position(game, seed, 20)
    decision = bl.agent("alphabeta(depth=60, seconds=0.02, table_mb=1)", game).act(state)
    assert decision.action in state.legal_actions()
    assert 1 <= decision.info["depth"] < 60
    reached = int(decision.info["depth"])
    judge: Judge = score_judge()
    if reached <= 2:
        value = minimax(after(state, decision.action), reached - 1, judge)
        assert decision.values[decision.action] == (value if state.player == 0 else -value)


def test_alphabeta_with_time_and_no_depth_deepens_until_the_time_is_up_or_the_game_is_solved() -> None:
    state = bl.game("tictactoe").initial_state()
    solved = bl.agent("alphabeta(seconds=1000)", state.game).act(state)
    assert solved.info["proven"] and 4 < solved.info["depth"] <= 9
    assert bl.agent("alphabeta", state.game).act(state).info["depth"] == 4
    assert bl.agent("alphabeta(depth=2, seconds=1000)", state.game).act(state).info["depth"] == 2


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (bl.game("hex", size=6), "solve_below=36"),
        (bl.game("hex", size=6), "solve_below=36, exact=True"),
        (bl.game("hex", size=6), "wld_below=36"),
        (bl.game("othello"), "solve_below=60"),  # by its own solver
        (bl.game("othello"), "wld_below=60"),
    ],
    ids=str,
)
def test_solving_is_part_of_the_time_and_of_the_nodes(game: Game, options: str) -> None:
    """Both look at the clock every 1,024 positions; the search of one action that comes after has at most 36."""
    state = random_position(game, 1, 2)
    decision = bl.agent(f"alphabeta(depth=1, seconds=0.001, {options})", game).act(state)
    assert decision.action in state.legal_actions() and decision.info["depth"] == 1
    assert 1024 <= decision.info["nodes"] < 1_000_000 and not decision.info["proven"]


def test_what_was_spent_on_no_solution_is_counted() -> None:
    game = bl.game("hex", size=6)
    state = random_position(game, 1, 2)
    plain = bl.agent("alphabeta(depth=2)", game).act(state)
    for options, limits in (("solve_below=36", 1), ("wld_below=36", 1), ("solve_below=36, wld_below=36", 2)):
        tried = bl.agent(f"alphabeta(depth=2, {options}, solve_nodes=500)", game).act(state)
        assert tried.info["nodes"] == plain.info["nodes"] + limits * 501
        assert (tried.action, tried.values, tried.line) == (plain.action, plain.values, plain.line)


@pytest.mark.parametrize("search", ["maxn", "expectimax"])
@pytest.mark.parametrize("depth", [3, 5])
def test_a_puzzle_whose_actions_cost_nothing_is_solved_soonest(search: str, depth: int) -> None:
    """All twists are worth 1 as long as the way back to the solution is within the depth."""
    game = bl.game("rubiks", twists=3, step_reward=0.0)
    agent = bl.agent(f"{search}(depth={depth})", game)
    for seed in range(5):
        state = game.initial_state(seed)
        for far in range(distance(state), 0, -1):
            decision = agent.act(state)
            nearer = [a for a in state.legal_actions() if distance(after(state, a)) == far - 1]
            assert decision.policy == {
                a: 1 / len(nearer) if a in nearer else 0 for a in state.legal_actions()
            }
            assert decision.values == {
                a: float(distance(after(state, a)) < depth) for a in state.legal_actions()
            }
            state.apply(decision.action)
        assert state.is_terminal


class Thrown(bl.PythonGame):
    """Six steps to go; after every action a die without a meaning, whose six sixths are not quite 1."""

    name = "thrown"
    players = 1
    action_count = 3
    outcome_count = 6
    score_range = (0.0, 1.0)
    is_zero_sum = False

    def initial_state(self, rng: Any) -> tuple[int, int]:
        return (6, 0)

    def player(self, position: tuple[int, int]) -> int:
        return bl.CHANCE if position[1] else bl.TERMINAL if position[0] == 0 else 0

    def legal(self, position: tuple[int, int]) -> range:
        return range(3)

    def chance(self, position: tuple[int, int]) -> list[tuple[int, float]]:
        return [(side, 1 / 6) for side in range(6)]

    def apply(self, position: tuple[int, int], action: int) -> tuple[int, int]:
        return (position[0], 0) if position[1] else (max(0, min(9, position[0] + action - 1)), 1)

    def scores(self, position: tuple[int, int]) -> list[float]:
        return [float(position == (0, 0))]


def test_a_solution_beyond_dice_is_not_put_off_either() -> None:
    game = Game(Thrown())
    agent, state = bl.agent("expectimax(depth=8)", game, seed=1), game.initial_state()
    for _ in range(6):
        decision = agent.act(state)
        assert decision.policy == {0: 1, 1: 0, 2: 0} and decision.values[0] == 1
        state.apply(0)
        state.apply(0)
    assert state.is_terminal


class DeadEnd(bl.PythonGame):
    """A puzzle without a solution in sight: 0 ends it at once, the other actions go on."""

    name = "dead_end"
    players = 1
    action_count = 3
    score_range = (0.0, 1.0)
    is_zero_sum = False

    def initial_state(self, rng: Any) -> tuple[int]:
        return (0,)

    def player(self, position: tuple[int]) -> int:
        return bl.TERMINAL if position[0] < 0 else 0

    def legal(self, position: tuple[int]) -> range:
        return range(3)

    def apply(self, position: tuple[int], action: int) -> tuple[int]:
        return (position[0] + action if action else -1,)

    def scores(self, position: tuple[int]) -> list[float]:
        return [0]


def test_a_proven_end_is_not_preferred_where_there_is_hope() -> None:
    game = Game(DeadEnd())
    decision = bl.agent("maxn(depth=3)", game).act(game.initial_state())
    assert decision.values == {0: 0, 1: 0, 2: 0}
    assert decision.policy == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


class LastCoin(bl.PythonGame):
    """Two ways, of one and of two actions, to a position before a coin that ends the game."""

    START, DETOUR, BEFORE, COIN, TAILS = range(5)

    name = "last_coin"
    players = 2
    action_count = 2
    outcome_count = 2

    def initial_state(self, rng: Any) -> tuple[int]:
        return (self.START,)

    def player(self, position: tuple[int]) -> int:
        return bl.CHANCE if position[0] == self.COIN else bl.TERMINAL if position[0] > self.COIN else 0

    def legal(self, position: tuple[int]) -> range:
        return range(2 if position[0] == self.START else 1)

    def chance(self, position: tuple[int]) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def apply(self, position: tuple[int], action: int) -> tuple[int]:
        if position[0] == self.START:
            return (self.DETOUR if action else self.BEFORE,)
        return (position[0] + 1 + (action if position[0] == self.COIN else 0),)

    def scores(self, position: tuple[int]) -> list[float]:
        score = {self.COIN: 0.5, self.TAILS: -1, self.TAILS + 1: 1}.get(position[0], 0)
        return [score, -score][: self.players]


class LastCoinAlone(LastCoin):
    """For one player, whom another search serves."""

    name = "last_coin_alone"
    players = 1
    is_zero_sum = False


@pytest.mark.parametrize("rules", [LastCoin, LastCoinAlone])
def test_nature_at_the_end_of_the_search_is_judged_whatever_was_searched_before(
    rules: type[LastCoin],
) -> None:
    """At depth 3 the coin is thrown after the short way and judged, at .5, after the long one."""
    game = Game(rules())
    agent = bl.agent("expectimax(depth=3)", game)
    assert agent.act(game.initial_state()).values == {0: 0, 1: 0.5}


def test_alphabeta_refuses_what_it_cannot_play() -> None:
    for game in (bl.game("2048"), bl.game("nim", players=3), bl.game("rubiks")):
        with pytest.raises(BoardLabError, match="alphabeta plays two-player zero-sum games"):
            bl.agent("alphabeta", game)
    with pytest.raises(BoardLabError, match="use expectimax"):
        bl.agent("maxn", bl.game("2048"))


def test_alphabeta_chooses_among_equals_at_random() -> None:
    game = bl.game("tictactoe")
    chosen = {bl.agent("alphabeta(depth=2)", game, seed=s).act(game.initial_state()).action
              for s in range(60)}  # fmt: skip
    assert len(chosen) == 9


def test_alphabeta_visits_fewer_nodes_than_maxn() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    nodes = {e: bl.agent(e, game).act(state).info["nodes"] for e in
             ("alphabeta(depth=8)", "maxn(depth=8)")}  # fmt: skip
    assert nodes["alphabeta(depth=8)"] < nodes["maxn(depth=8)"]
    assert not math.isnan(nodes["maxn(depth=8)"])


def test_exact_solving_looks_for_wins_and_refutations_at_every_depth() -> None:
    """It takes a ninth of the positions of a search that deepens to the end; half when only the root looks for them."""
    game = bl.game("hex", size=4)
    for_all = []
    for agent in ("alphabeta(score, depth=1, solve_below=16)", "alphabeta(score, depth=16)"):
        decisions = [bl.agent(agent, game).act(random_position(game, seed, 4)) for seed in range(8)]
        for_all.append(([d.scores[0] for d in decisions], [d.info["nodes"] for d in decisions]))
    (values, nodes), (wanted, more) = for_all
    assert values == wanted
    assert statistics.geometric_mean(nodes) < statistics.geometric_mean(more) / 5


def test_solving_every_action_counts_a_position_once() -> None:
    """An action that ends the game takes none: once it counted those of the action before it a second time."""
    game = bl.game("gobang", rows=4, cols=5)
    state = game.from_fields([0, 0, 2, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 2, 2, 2, 2, 0, 0])
    spec = "alphabeta(score, depth=1, exact=True, solve_below=20"
    whole = bl.agent(f"{spec})", game).act(state)
    assert whole.info["proven"] and any(after(state, a).is_terminal for a in state.legal_actions())
    enough = bl.agent(f"{spec}, solve_nodes={int(whole.info['nodes'])})", game).act(state)
    assert enough.values == whole.values and enough.info == whole.info
    one_by_one = 0.0
    for action in state.legal_actions():
        if not (child := after(state, action)).is_terminal:
            one_by_one += bl.agent("alphabeta(score, depth=1, solve_below=20)", game).act(child).info["nodes"]
    assert whole.info["nodes"] <= one_by_one  # which begin with an empty table


def test_a_solver_with_a_small_table_keeps_what_was_deepest() -> None:
    """It takes an eighth more positions than with a large one; a third more where the latest two stay."""
    game = bl.game("connectfour", rows=4, cols=5)
    small, large = (
        bl.agent(f"alphabeta(score, depth=1, solve_below=20, table_mb={mb})", game).act(game.initial_state())
        for mb in (1, 64)
    )
    assert small.scores[0] == large.scores[0] == 0
    assert small.info["nodes"] < 1.2 * large.info["nodes"]


LEARNED = {
    "tictactoe": (bl.game("tictactoe"), {"tuples": 4, "length": 5}, 5, 4),
    "connectfour": (bl.game("connectfour", rows=5, cols=5), {"tuples": 6, "length": 5}, 15, 4),
    "othello": (bl.game("othello", size=6), {"tuples": 6, "length": 5, "staged": True}, 25, 4),
    "hex": (bl.game("hex", size=4), {"tuples": 6, "length": 4}, 9, 3),
}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Evaluators with an opinion of their own about every position."""
    folder: Path = tmp_path_factory.mktemp("learned")
    for name, (game, settings, _, _) in LEARNED.items():
        bl.train(game, "td-ntuple", episodes=300, out=folder / name, seed=1, layout="walk", **settings)
    return {name: f"ntuple({str(folder / name)!r})" for name in LEARNED}


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize("options", ["", ", exact=True", ", mpc=1e9", ", table_mb=1", ", solve_below=2"])
def test_alphabeta_over_a_learned_evaluator_is_plain_minimax(
    learned: dict[str, str], name: str, options: str
) -> None:
    game, _, actions, depth = LEARNED[name]
    evaluator = bl.evaluator(learned[name], game)
    agent = bl.agent(f"alphabeta({learned[name]}, depth={depth}{options})", game)

    def judge(state: bl.State) -> tuple[float, ...]:
        return tuple(evaluator.value(state))

    for seed in range(6):
        state = random_position(game, seed, actions)
        sign = 1 if state.player == 0 else -1
        wanted = {a: sign * minimax(after(state, a), depth - 1, judge) for a in state.legal_actions()}
        decision = agent.act(state)
        if "solve_below" in options and state.moves_left <= 2:
            continue  # deeper than the reference
        best = max(wanted.values())
        assert decision.values[decision.action] == best == wanted[decision.action]
        if "exact" in options:
            assert decision.values == wanted


@pytest.mark.slow
def test_multi_probcut_saves_nodes_and_infinite_width_changes_nothing(learned: dict[str, str]) -> None:
    game = LEARNED["othello"][0]
    spec = f"alphabeta({learned['othello']}, depth=8"
    full, never, often = (bl.agent(spec + options, game) for options in (")", ", mpc=1e9)", ", mpc=1)"))
    nodes = cut_nodes = 0.0
    for seed in range(8):
        state = random_position(game, seed, 12)
        wanted = full.act(state)
        same = never.act(state)
        assert list(same.scores) == list(wanted.scores)
        cut = often.act(state)
        assert cut.action in state.legal_actions()
        nodes += wanted.info["nodes"]
        cut_nodes += cut.info["nodes"]
    assert cut_nodes < 0.8 * nodes


def test_multi_probcut_is_learned_the_same_way_from_the_same_seed(learned: dict[str, str]) -> None:
    game = LEARNED["othello"][0]
    state = random_position(game, 3, 12)
    first, second = (
        bl.agent(f"alphabeta({learned['othello']}, depth=7, mpc=1.5)", game, seed=4).act(state)
        for _ in range(2)
    )
    assert first.info == second.info
    assert list(first.scores) == list(second.scores)


def test_multi_probcut_leaves_solving_alone(learned: dict[str, str]) -> None:
    game = LEARNED["othello"][0]
    agent = bl.agent(f"alphabeta({learned['othello']}, depth=6, mpc=0.1, solve_below=9)", game)
    for seed in range(5):
        state = random_position(game, seed, 31)
        if state.moves_left > 9:
            continue
        exact = state.solve()
        assert exact is not None
        assert list(agent.act(state).scores) == list(exact)


def test_symmetric_tuples_read_once_say_the_same(tmp_path: Path) -> None:
    """Rows, diagonals, a corner that its diagonal mirrors, and a tuple that no symmetry maps onto itself."""
    game = bl.game("othello", size=6)
    cells = "0,1,2,3,4,5 / 6,7,8,9,10,11 / 0,7,14,21,28,35 / 1,8,15,22,29 / 0,1,2,6,7,12 / 0,1,2,3,6,13"
    bl.train(
        game, "td-ntuple", preset="paper", episodes=200, out=tmp_path / "run", seed=1, cells=cells, staged=True,
        feature_tables=True,
    )  # fmt: skip
    network, description, _ = load_network(tmp_path / "run", game)
    whole = network.evaluator(description["reward"], description["gamma"])
    folded = network.evaluator(description["reward"], description["gamma"], learns=False)
    for seed in range(40):
        state = random_position(game, seed, seed % 28)
        if state.is_terminal:
            continue
        values = whole.value(state.core)
        assert folded.value(state.core) == pytest.approx(values, abs=1e-5)
        assert folded.action_values(state.core) == pytest.approx(whole.action_values(state.core), abs=1e-5)
        # By hand, entry by entry.
        if (creator := state.last_player) >= 0:
            by_hand = math.tanh(sum(network.weights[i] for i in network.indices(state.core, creator)))
            assert values[creator] == pytest.approx(by_hand, abs=1e-5)
