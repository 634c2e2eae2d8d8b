"""Games whose value is known: with enough budget every search must find it."""

import random

import pytest
from oracles.full_width import expectimax_n
from oracles.judges import after, score_judge
from oracles.positions import CUBE, random_position, scrambled

import boardlab as bl
from boardlab import BoardLabError, Game

TICTACTOE = bl.game("tictactoe")
SMALL_FOUR = bl.game("connectfour", rows=4, cols=4, connect=3)
SOLVERS = ["alphabeta(depth=16, table_mb=4)", "alphabeta(depth=16, exact=True, table_mb=4)",
           "maxn(depth=16, table_mb=4)", "expectimax(depth=16, table_mb=4)"]  # fmt: skip
TREES = ["mcts(rollout, iterations=20000)", 'mcts(rollout(rollouts=10), select="puct", iterations=4000)',
         "mcts(rollout, iterations=20000, batch=4)"]  # fmt: skip


@pytest.mark.parametrize("spec", SOLVERS)
def test_tictactoe_is_a_draw(spec: str) -> None:
    decision = bl.agent(spec, TICTACTOE).act(TICTACTOE.initial_state())
    assert list(decision.scores) == [0, 0]


@pytest.mark.parametrize("spec", SOLVERS)
def test_the_first_player_wins_connect_three(spec: str) -> None:
    """X wins on 4x4, and does so against twenty opponents who play anything."""
    state = SMALL_FOUR.initial_state()
    decision = bl.agent(spec, SMALL_FOUR).act(state)
    assert list(decision.scores) == [1, -1]
    state.apply(decision.action)
    chooser = random.Random(0)
    for _ in range(20):
        line = state.copy()
        while not line.is_terminal:
            if line.player == 0:
                line.apply(bl.agent(spec, SMALL_FOUR).act(line).action)
            else:
                line.apply(chooser.choice(line.legal_actions()))
        assert list(line.scores) == [1, -1]


def perfect_play(game: Game, spec: str, opponents: int, opens: bool) -> list[float]:
    """Scores of an agent against every kind of random opponent."""
    scores = []
    for seed in range(opponents):
        chooser, agent = random.Random(seed), bl.agent(spec, game, seed=seed)
        state = game.initial_state()
        me = 0 if opens else 1
        while not state.is_terminal:
            mine = state.player == me
            state.apply(agent.act(state).action if mine else chooser.choice(state.legal_actions()))
        scores.append(float(state.scores[me]))
    return scores


@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("spec", ["alphabeta(depth=9, table_mb=1)", "maxn(depth=9, table_mb=1)",
                                  "mcts(rollout, iterations=3000)"])  # fmt: skip
def test_nobody_beats_a_search_at_tictactoe(spec: str, opens: bool) -> None:
    assert min(perfect_play(TICTACTOE, spec, 25, opens)) >= 0


@pytest.mark.parametrize("spec", TREES)
def test_trees_draw_against_perfect_tictactoe(spec: str) -> None:
    result = bl.match(TICTACTOE, [spec, "alphabeta(depth=9, table_mb=1)"], games=6)
    assert result.draws == 6


def bouton(heaps: list[int], max_take: int) -> int:
    """The nim-sum of heaps modulo max_take + 1; zero is lost for the side to move."""
    total = 0
    for heap in heaps:
        total ^= heap % (max_take + 1)
    return total


@pytest.mark.parametrize("spec", ["alphabeta(depth=12, exact=True)", "maxn(depth=12)", *TREES])
def test_nim_is_played_as_bouton_says(spec: str) -> None:
    """On won positions the chosen action leaves nim-sum zero; exact searches know every value."""
    game = bl.game("nim", heaps=(3, 4, 5), max_take=3)
    chooser = random.Random(1)
    agent = bl.agent(spec.replace("4000", "1000").replace("20000", "4000"), game, seed=1)
    for _ in range(12):
        heaps = [chooser.randint(0, most) for most in (3, 4, 5)]
        if not any(heaps):
            continue
        state = game.from_fields([*heaps, chooser.randint(0, 1)])
        decision = agent.act(state)
        if bouton(heaps, 3):
            assert bouton(after(state, decision.action).fields[:-1], 3) == 0
        if "mcts" not in spec:
            assert decision.values == {
                a: -1.0 if bouton(after(state, a).fields[:-1], 3) else 1.0 for a in state.legal_actions()
            }


def test_three_player_nim_by_recursion() -> None:
    game = bl.game("nim", heaps=(2, 2, 3), max_take=3, players=3)
    state = game.initial_state()
    exact = expectimax_n(state, 20, score_judge())
    assert bl.agent("maxn(depth=20)", game).act(state).scores[0] == exact[0]


def test_three_player_nim_worked_by_hand() -> None:
    """Three stones, at most two at once; the player after the last taker wins.

    Taking two leaves one stone: the next player must take it and the third wins. Taking one leaves two: the
    next player cannot win and takes one (then the first player wins) or two (then the third).
    """
    game = bl.game("nim", heaps=(3,), max_take=2, players=3)
    state = game.initial_state()
    for select in ("uct", "puct"):
        decision = bl.agent(f'mcts(rollout, select="{select}", iterations=4000)', game).act(state)
        assert decision.action == 0
        assert decision.values[1] == 0
        assert 0 < decision.values[0] < 1
        assert decision.scores[1] == 0 and decision.scores.sum() == pytest.approx(1)


def test_2048_of_two_by_two_is_averaged_exactly() -> None:
    """Ten player actions ahead on the smallest board: the tree's estimate meets the exact expectation."""
    game = bl.game("2048", size=2)
    state = game.from_fields([1, 0, 0, 1, 0, 0, 0, 1])
    exact = expectimax_n(state, 3, score_judge())[0]
    assert bl.agent("expectimax(depth=3)", game).act(state).scores[0] == pytest.approx(exact)
    tree = bl.agent("mcts(score, iterations=200000, depth=3)", game).act(state)
    assert max(tree.values.values()) == pytest.approx(exact, rel=0.02)


def twists_home(state: bl.State) -> int:
    """The distance of a cube near home, by trying all ways of each length."""
    frontier, seen, distance = [state], {state}, 0
    while not any(cube.is_terminal for cube in frontier):
        frontier = [child for cube in frontier for _, child in cube.children() if child not in seen]
        seen.update(frontier)
        distance += 1
    return distance


@pytest.mark.parametrize(
    "spec",
    ["expectimax(depth=4)", "maxn(depth=4)", "mcts(rollout(depth=3), iterations=8000)",
     'mcts(score, select="puct", iterations=20000, depth=5)',
     'mcts(solver, select="puct", iterations=50)'],
)  # fmt: skip
def test_scrambled_cubes_are_solved_by_the_shortest_way(spec: str) -> None:
    for seed in range(6):
        state = scrambled(4, seed)
        wanted = twists_home(state)
        agent = bl.agent(spec, CUBE, seed=seed)
        twists = 0
        while not state.is_terminal and twists < 10:
            state.apply(agent.act(state).action)
            twists += 1
        assert state.is_terminal
        if spec.startswith(("expectimax", "maxn")):
            assert twists == wanted


def test_the_solver_knows_the_value_of_every_twist() -> None:
    state = scrambled(3, 2)
    decision = bl.agent("greedy(solver)", CUBE).act(state)
    for action, value in decision.values.items():
        child = after(state, action)
        assert value == pytest.approx(-0.04 + 1 - 0.04 * twists_home(child))


def test_a_tree_converges_to_the_exact_value() -> None:
    """UCT's mean of the best action approaches the game's value, here a win."""
    state = SMALL_FOUR.initial_state()
    exact = bl.agent("maxn(depth=16, table_mb=4)", SMALL_FOUR).act(state).values
    errors = []
    for iterations in (300, 3000, 100_000):
        decision = bl.agent(f"mcts(rollout, iterations={iterations}, solver=False)", SMALL_FOUR).act(state)
        errors.append(1 - decision.values[decision.action])
    assert exact[decision.action] == 1
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < errors[0] / 3


FILLING_UP = [
    (TICTACTOE, 4, 9, "score"),
    (SMALL_FOUR, 8, 9, "score"),
    (bl.game("connectfour", rows=4, cols=5), 12, 10, "score"),
    (bl.game("hex", size=3), 4, 9, "score"),
    (bl.game("gobang", rows=4, cols=4, k=3), 8, 9, "score"),
    (bl.game("othello", size=4), 6, 8, "discs"),
    (bl.game("othello", size=6), 31, 7, "discs"),
]


@pytest.mark.parametrize("case", FILLING_UP, ids=lambda case: repr(case[0]))
def test_the_end_of_a_game_is_solved_exactly(case: tuple[Game, int, int, str]) -> None:
    """By alphabeta's own end and by the evaluator `endgame`, as full-width search to the end finds it."""
    game, actions, below, outcome = case
    judge = f'score(outcome="{outcome}")'
    plain = bl.agent(f"maxn({judge}, depth=60)", game)
    solving = bl.agent(f"alphabeta({judge}, depth=1, solve_below={below})", game)
    every = bl.agent(f"alphabeta({judge}, depth=1, solve_below={below}, exact=True)", game)
    evaluator = bl.evaluator(f"endgame({judge}, below={below})", game)
    solved = 0
    for seed in range(80):
        state = random_position(game, seed, actions)
        if state.moves_left > below:
            continue
        solved += 1
        wanted = plain.act(state)
        for agent in (solving, every):
            decision = agent.act(state)
            assert decision.info["proven"] == 1
            assert list(decision.scores) == list(wanted.scores)
            assert wanted.values[decision.action] == decision.values[decision.action]
        assert decision.values == wanted.values
        assert list(evaluator.value(state)) == list(wanted.scores)
        assert evaluator.action_values(state) == wanted.values
    assert solved >= 5


def test_solving_is_given_up_at_its_node_limit() -> None:
    game = bl.game("connectfour", rows=5, cols=5)
    state = game.initial_state()
    decision = bl.agent("alphabeta(depth=3, solve_below=25, solve_nodes=500)", game).act(state)
    assert decision.info["depth"] == 3 and decision.info["proven"] == 0
    evaluator = bl.evaluator("endgame(below=25, nodes=500)", game)
    assert list(evaluator.value(state)) == [0, 0]


def test_win_loss_and_draw_near_the_end_decide_the_action() -> None:
    game = bl.game("othello", size=6)
    agent = bl.agent('alphabeta(score(outcome="discs"), depth=1, wld_below=10)', game)
    seen = set()
    for seed in range(40):
        state = random_position(game, seed, 31)
        exact = state.solve() if state.moves_left <= 10 else None
        if exact is None:
            continue
        mover = state.player
        seen.add(exact[mover])
        reached = after(state, agent.act(state).action).solve()
        assert reached is not None and reached[mover] == exact[mover]
    assert {-1, 1} <= seen


@pytest.mark.parametrize("spec", ["greedy(endgame(rollout, below=9))",
                                  "mcts(endgame(rollout, below=5), iterations=500)"])  # fmt: skip
def test_nobody_beats_tictactoe_with_a_solved_end(spec: str) -> None:
    assert min(perfect_play(TICTACTOE, spec, 10, False)) >= 0


def test_only_games_of_two_that_fill_up_are_solved() -> None:
    with pytest.raises(BoardLabError, match="reports how many actions are left"):
        bl.agent("alphabeta(solve_below=5)", bl.game("nim"))
    with pytest.raises(BoardLabError, match="reports how many actions are left"):
        bl.evaluator("endgame(below=5)", bl.game("2048"))
    with pytest.raises(BoardLabError, match="exact solving is for two-player zero-sum games"):
        bl.evaluator("endgame(below=5)", bl.game("sim", players=3))


def test_connect_four_on_small_boards_has_its_known_value() -> None:
    """Tromp's table: of the boards up to 5x5 all are drawn with perfect play."""
    for rows, cols in ((4, 4), (4, 5), (5, 4)):
        game = bl.game("connectfour", rows=rows, cols=cols)
        agent = bl.agent(f"alphabeta(solve_below={rows * cols})", game)
        decision = agent.act(game.initial_state())
        assert decision.info["proven"] == 1
        assert list(decision.scores) == [0, 0]
