"""Many trees side by side: each searches exactly as an agent of its own would, whatever the batch, cache and threads."""

import numpy as np
import pytest
from oracles.positions import random_position
from oracles.tree import derive_seed

import boardlab as bl
from boardlab import Forest, TreeOptions
from boardlab.evaluators import EVALUATORS


class Net:
    """A small random net: a pure function of the inputs, that counts what it is asked."""

    def __init__(self, game: bl.Game, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        size = int(np.prod(game.core.plane_shape))
        columns = 1 if game.players <= 2 else game.players
        self.weights = rng.normal(size=(size, columns + game.action_count)) / 4
        self.columns = columns
        self.rows: list[int] = []
        self.asked: list[bytes] = []

    def __call__(self, planes, legal):
        self.rows.append(len(planes))
        self.asked.extend(row.tobytes() for row in planes)
        # One row at a time: a matrix product may round otherwise in another batch.
        answers = np.array([np.tanh(row.ravel() @ self.weights) for row in planes])
        values = answers[:, : self.columns]
        return (values if self.columns > 1 else values[:, 0]), 2 * answers[:, self.columns :]


GAMES = [
    bl.game("connectfour", rows=4, cols=5),
    bl.game("tictactoe"),
    bl.game("othello", size=4),
    bl.game("2048", size=2),
    bl.game("ewn", size=3),
    bl.game("ewn", size=6, players=3),
    bl.game("sim", players=3),
    bl.game("rubiks", twists=3),
]


@pytest.fixture
def as_agent():
    """Makes the net known as the evaluator `forest-net`."""

    def register(net):
        bl.register_evaluator("forest-net")(lambda game: net)

    yield register
    EVALUATORS.pop("forest-net", None)


def grown(game, trees, *, seed=0, cache_mb=0, threads=1, inputs="planes", **tree):
    """A forest whose trees have these options."""
    options = TreeOptions(**{"solver": False, **tree})
    return Forest(game, trees, tree=options, seed=seed, cache_mb=cache_mb, threads=threads, inputs=inputs)


def searched(game, net, trees=5, seed=7, iterations=60, moves=0, **options):
    forest = grown(game, trees, seed=seed, **options)
    for i in range(trees):
        forest.set_state(i, random_position(game, i, 4))
    for move in range(moves + 1):
        if move:
            forest.play(forest.visits().argmax(axis=1))
        forest.search(net, iterations)
    return forest


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize(("batch", "leaf_visits"), [(1, 0), (4, 0), (4, 10)])
def test_every_tree_is_the_tree_of_an_agent(game, batch, leaf_visits, as_agent):
    net = Net(game)
    as_agent(net)
    forest = searched(game, net, batch=batch, leaf_visits=leaf_visits)
    leaves = f"batch={batch}, leaf_visits={leaf_visits}"
    for i in range(len(forest)):
        agent = bl.agent(
            f"mcts(forest-net, iterations=60, {leaves}, solver=False)", game, seed=derive_seed(7, i)
        )
        decision = agent.act(forest.state(i))
        visits, values = forest.visits()[i], forest.values()[i]
        assert visits.sum() == 60
        assert {a: visits[a] / 60 for a in decision.policy} == decision.policy
        assert {a: values[a] for a in decision.policy if visits[a]} == decision.values
        assert (forest.root_values()[i] == decision.scores).all()


def test_gumbel_is_that_of_an_agent(as_agent):
    game = bl.game("connectfour")
    net = Net(game)
    as_agent(net)
    for i in range(5):
        seed = derive_seed(7, i)
        fresh = searched(game, net, iterations=16, gumbel=4)
        agent = bl.agent("mcts(forest-net, iterations=16, gumbel=4, solver=False)", game, seed=seed)
        decision = agent.act(fresh.state(i))
        assert fresh.choices()[i] == decision.action
        policy = fresh.policy()[i]
        assert {a: policy[a] for a in decision.policy} == pytest.approx(decision.policy)
        assert policy.sum() == pytest.approx(1)
    # What is kept counts beside this decision's sixteen.
    for reuse in (True, False):
        forest = searched(game, net, iterations=16, moves=2, gumbel=4, reuse=reuse)
        visits = forest.visits().sum(axis=1)
        assert (visits > 16).all() if reuse else (visits == 16).all()


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize("options", [{"threads": 3}, {"cache_mb": 1}, {"cache_mb": 0.001, "threads": 2}])
def test_cache_and_threads_change_nothing(game, options):
    net = Net(game)
    plain = searched(game, net, moves=2)
    other = searched(game, net, moves=2, **options)
    assert (plain.visits() == other.visits()).all()
    np.testing.assert_array_equal(plain.values(), other.values())
    np.testing.assert_array_equal(plain.root_values(), other.root_values())
    assert [plain.state(i) for i in range(5)] == [other.state(i) for i in range(5)]


def test_the_cache_changes_nothing_where_rounds_have_paid():
    game = bl.game("blackjack")
    net = Net(game)
    plain, cached = (searched(game, net, moves=12, cache_mb=cache_mb) for cache_mb in (0, 1))
    assert len(np.unique(plain.scores)) > 1
    np.testing.assert_array_equal(plain.root_values(), cached.root_values())


def test_the_cache_asks_about_no_position_twice():
    game = bl.game("tictactoe")
    net, other = Net(game), Net(game)
    forest = Forest(game, 20, cache_mb=8)
    forest.search(net, 200)
    assert len(set(net.asked)) == len(net.asked) == forest.info["evaluations"]
    plain = Forest(game, 20)
    plain.search(other, 200)
    assert len(net.asked) + forest.info["shared"] == len(other.asked)
    assert set(net.asked) == set(other.asked)
    forest.forget()
    forest.search(net, 200)
    assert len(net.asked) == forest.info["evaluations"]  # everything was cached
    forest.clear_cache()
    forest.forget()
    forest.search(net, 200)
    assert len(net.asked) > len(set(net.asked))


@pytest.mark.parametrize("leaf_visits", [0, 5])
def test_trees_search_as_long_as_each_is_told(leaf_visits):
    game = bl.game("connectfour")
    forest = grown(game, 4, batch=3, leaf_visits=leaf_visits)
    forest.search(Net(game), np.array([0, 1, 10, 50]))
    assert forest.visits().sum(axis=1).tolist() == [0, 1, 10, 50]
    assert np.isnan(forest.root_values()[0]).all()
    forest.search(Net(game), 5)
    assert forest.visits().sum(axis=1).tolist() == [5, 6, 15, 55]


def test_batches_are_full():
    game = bl.game("connectfour")
    net = Net(game)
    grown(game, 16, batch=4, leaf_visits=0).search(net, 40)
    assert net.rows == [16] + [64] * 10


def leaves_by_turn(iterations, batch, leaf_visits, visits=1):
    """How many leaves wait together: one for every `leaf_visits` visits of the root, whose own is the first."""
    turns = []
    while iterations:
        turns.append(min(iterations, max(1, min(batch, visits // leaf_visits))))
        visits, iterations = visits + turns[-1], iterations - turns[-1]
    return turns


def test_leaves_grow_with_the_visits_of_the_root(as_agent):
    game = bl.game("connectfour")
    expected = leaves_by_turn(60, 4, 10)
    assert expected == [1] * 19 + [2] * 5 + [3] * 4 + [4] * 4 + [3]
    net = Net(game)
    forest = grown(game, 3, batch=4, leaf_visits=10)
    forest.search(net, 60)
    assert net.rows == [3 * leaves for leaves in [1, *expected]]
    forest.search(net, 20)  # with the visits that the tree has
    assert net.rows[1 + len(expected) :] == [3 * leaves for leaves in leaves_by_turn(20, 4, 10, 61)]
    alone = Net(game)
    as_agent(alone)
    bl.agent("mcts(forest-net, iterations=60, batch=4, leaf_visits=10)", game).act(game.initial_state())
    assert alone.rows == [1, *expected]


def test_a_batch_changes_nothing_while_the_tree_is_small(as_agent):
    game = bl.game("connectfour")
    as_agent(Net(game))
    one, many = (
        bl.agent(f"mcts(forest-net, iterations=200, batch={batch})", game, seed=1) for batch in (1, 8)
    )
    state = random_position(game, 1, 6)
    decisions = [agent.act(state) for agent in (one, many)]
    assert decisions[0].policy == decisions[1].policy and decisions[0].values == decisions[1].values


def test_noise_is_drawn_anew_for_every_search_where_it_is_wanted():
    game = bl.game("gobang")

    def judge(planes, legal):
        return np.zeros(len(planes)), np.zeros(legal.shape)

    forest = grown(game, 40, noise=0.1, noise_fraction=0.5, reuse=False)
    noisy = np.arange(40) < 20
    forest.search(judge, 30, noise=noisy)
    first = forest.visits()
    assert (first[20:].max(axis=1) == 1).all()  # even priors: every action once
    assert (first[:20].max(axis=1) > 2).all() and len({row.tobytes() for row in first[:20]}) == 20
    forest.search(judge, 30, noise=noisy)
    assert not (forest.visits()[:20] == first[:20]).all(axis=1).any()


def test_gumbels_choice_is_a_proven_win():
    """A net that sees wins everywhere but in the winning column: only the proof tells."""
    game = bl.game("connectfour")
    state = game.initial_state()
    for action in (3, 0, 3, 0, 3, 1):
        state.apply(action)

    def judge(planes, legal):
        first = planes[:, 0].sum((1, 2)) == planes[:, 1].sum((1, 2))
        logits = np.zeros(legal.shape, np.float32)
        logits[:, 3] = -3
        return np.where(first, 0.95, -0.95).astype(np.float32)[:, None], logits

    for seed in range(20):
        forest = grown(game, 1, seed=seed, solver=True, gumbel=7)
        forest.set_state(0, state)
        forest.search(judge, 50)
        assert forest.root_values()[0][0] == 1.0 and forest.choices()[0] == 3


def test_the_solver_ends_a_proven_search():
    game = bl.game("tictactoe")
    state = game.initial_state()
    for action in (0, 3, 1, 4):
        state.apply(action)
    forest = grown(game, 2, solver=True)
    forest.set_state(0, state)
    forest.search(Net(game), 5000)
    assert forest.visits()[0].sum() < 100 and forest.root_values()[0].tolist() == [1, -1]


def test_a_whole_generation_of_games():
    game = bl.game("tictactoe")
    forest = Forest(game, 30, seed=3, cache_mb=4)
    net = Net(game)
    rng = np.random.default_rng(1)
    while (forest.players != bl.TERMINAL).any():
        planes, legal = forest.roots()
        over = forest.players == bl.TERMINAL
        assert not planes[over].any() and not legal[over].any()
        for i in np.flatnonzero(~over):
            state = forest.state(i)
            assert (planes[i] == state.planes(state.player)).all()
            assert np.flatnonzero(legal[i]).tolist() == state.legal_actions()
        forest.search(net, 15)
        visits = forest.visits()
        most = np.where(visits == visits.max(axis=1, keepdims=True), forest.values(), -np.inf)
        best = np.where(np.isnan(most), -np.inf, most).argmax(axis=1)  # of the most visited the best
        assert (forest.choices()[~over] == best[~over]).all()
        assert (forest.choices()[over] == -1).all()
        assert forest.policy().sum(axis=1) == pytest.approx(1.0 * ~over)
        assert (visits.sum(axis=1)[~over] >= 15).all() and not visits[over].any() and not visits[~legal].any()
        forest.play([rng.choice(9, p=row / row.sum()) if row.any() else -1 for row in visits])
    assert (forest.scores.sum(axis=1) == 0).all()
    assert all(forest.state(i).is_terminal for i in range(30))
    forest.restart(np.flatnonzero(forest.scores[:, 0] >= 0))
    assert ((forest.players == 0) == ([forest.state(i) == game.initial_state() for i in range(30)])).all()


def test_finds_the_win():
    game = bl.game("connectfour")
    state = game.initial_state()
    for action in (3, 2, 3, 2, 3, 1):
        state.apply(action)
    forest = Forest(game, 3)
    for i in range(3):
        forest.set_state(i, state)
    forest.search(Net(game), 200)
    assert (forest.visits().argmax(axis=1) == 3).all() and (forest.root_values()[:, 0] > 0.5).all()


def test_nature_moves_on_in_the_games():
    game = bl.game("2048", size=3)
    forest = Forest(game, 50, seed=5)
    assert (forest.players == 0).all()
    assert len({forest.state(i).to_text() for i in range(50)}) > 10
    twin = Forest(game, 50, seed=5)
    assert all(forest.state(i) == twin.state(i) for i in range(50))
    cube = Forest(bl.game("rubiks"), 50, seed=5)
    cube.restart(range(50), training_start=True)
    assert len({cube.state(i).to_text() for i in range(50)}) > 10


def test_two_forests_take_turns():
    game = bl.game("connectfour")
    net = Net(game)
    alone = [Forest(game, 8, seed=seed) for seed in (1, 2)]
    for forest in alone:
        forest.search(net, 20)
    turns = [Forest(game, 8, seed=seed) for seed in (1, 2)]
    rows = [forest.start(20) for forest in turns]
    while any(rows):
        for i, forest in enumerate(turns):
            if rows[i]:
                rows[i] = forest.step(*net(forest.inputs[: rows[i]], forest.legal[: rows[i]]))
    for one, other in zip(alone, turns, strict=True):
        assert (one.visits() == other.visits()).all()


def test_a_search_that_was_given_up_leaves_nothing_behind():
    game = bl.game("connectfour")
    net = Net(game)
    forest, fresh = (grown(game, 4, batch=2, leaf_visits=0) for _ in range(2))
    rows = forest.start(20)
    forest.step(*net(forest.inputs[:rows], forest.legal[:rows]))
    with pytest.raises(ZeroDivisionError):
        forest.search(lambda planes, legal: 1 / 0, 20)
    with pytest.raises(bl.BoardLabError, match="value of position 0 of the batch is nan"):
        forest.search(lambda planes, legal: (np.full(len(legal), np.nan), np.zeros(legal.shape)), 20)
    assert not forest.visits().any()
    forest.search(net, 20)
    fresh.search(net, 20)
    assert (forest.visits() == fresh.visits()).all()


def test_what_is_refused():
    game = bl.game("connectfour")
    forest = Forest(game, 3)
    net = Net(game)
    refused = [
        (lambda: Forest(bl.game("kuhnpoker"), 3), "cannot search a game with hidden information such as kuhnpoker"),
        (lambda: Forest(game, 3, tree={"cpuct": 1.0}), r"tree must be boardlab.TreeOptions\(...\), not"),
        (lambda: grown(game, 3, gumbel=4, noise=1.0), "gumbel brings its own noise"),
        (lambda: Forest(game, 0), "trees must be a whole number from 1"),
        (lambda: Forest(game, 3, inputs="states"), 'inputs must be one of "planes"'),
        (lambda: Forest(game, 3, cache_mb=-1), "cache_mb must be a number from 0"),
        (lambda: grown(game, 3, cpuct=float("nan")), "cpuct must be a number from 0"),
        (lambda: Forest(game, 3, outcome="discs"), "unknown outcome"),
        (lambda: Forest("connectfour", 3), "a game is made with"),
        (lambda: forest.search(net, -1), "iterations must be from 0"),
        (lambda: forest.search(net, 1.5), "iterations must be a whole number or one a tree"),
        (lambda: forest.search(net, [1, 2]), r"one a tree \(3\)"),
        (lambda: forest.search(lambda p, legal: np.zeros(3), 1), r"returns \(values, logits\)"),
        (lambda: forest.search(lambda p, legal: (np.zeros(2), np.zeros((3, 7))), 1), "must have the shape"),
        (lambda: forest.search(net, 5, noise=[True]), r"noise must be True, False or one a tree"),
        (lambda: grown(game, 3, noise=-1), "tree: noise must be a number from 0.001"),
        (lambda: grown(game, 3, fpu="none"), 'fpu must be one of "absolute"'),
        (lambda: forest.play([1, 2]), "one action a tree"),
        (lambda: forest.play([1, 2, 7]), "action 7 is not legal in the game of tree 2"),
        (lambda: forest.play([1, 2, 2**40]), "is not legal in the game of tree 2"),
        (lambda: forest.restart([3]), "a tree must be from 0 to 2, not 3"),
        (lambda: forest.restart([[0]]), "needs the numbers of trees"),
        (lambda: forest.state(3), "a tree must be a whole number from 0 to 2"),
        (lambda: forest.set_state(0, 3), "from a state"),
        (lambda: forest.set_state(0, bl.game("tictactoe").initial_state()), "this is a state of"),
        (lambda: Forest(game, 3).step(np.zeros(3), np.zeros((3, 7))), r"must have the shape \[0, 2\]"),
    ]  # fmt: skip
    for call, message in refused:
        with pytest.raises(bl.BoardLabError, match=message):
            call()


def test_noise_of_a_game_that_is_over_does_not_reach_the_next_one():
    """The last root's clean priors are for that root alone, also when it had more actions than the next."""
    game = bl.game("othello", size=6)

    def even(planes, legal):
        return np.zeros(len(planes)), np.zeros(legal.shape)

    def peaked(planes, legal):
        return np.zeros(len(planes)), np.tile(np.linspace(0, 9, legal.shape[1]), (len(planes), 1))

    def second_search(forest):
        forest.restart(np.array([0]), training_start=False)
        forest.search(even, 16, noise=np.array([False]))
        forest.play(np.array([game.initial_state().legal_actions()[0]]))
        forest.search(even, 200, noise=np.array([False]))
        return forest.visits().tolist()

    used = grown(game, 1, noise=1.0, cpuct=3.0, seed=1)
    used.set_state(0, random_position(game, 5, 10))
    used.search(peaked, 50, noise=np.array([True]))
    assert second_search(used) == second_search(grown(game, 1, noise=1.0, cpuct=3.0, seed=1))


def test_games_do_not_change_under_a_search():
    game = bl.game("connectfour")
    forest = grown(game, 3, batch=4, leaf_visits=0)
    core = forest.core
    rows = core.start(np.full(3, 100), np.zeros(3, bool))
    for act in (
        lambda: forest.restart(np.array([0]), training_start=False),
        lambda: forest.play(np.array([3, 3, 3])),
        lambda: forest.set_state(0, game.initial_state()),
    ):
        with pytest.raises(ValueError, match="a search is under way"):
            act()
    while rows:
        rows = core.step(np.zeros((rows, 1), np.float32), np.zeros((rows, 7), np.float32))
    assert forest.visits().sum(axis=1).tolist() == [100, 100, 100]
