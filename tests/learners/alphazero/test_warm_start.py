"""Warm start: every enhancement against its slow version, the switch of Algorithm 2, runs that resume across it."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from oracles.positions import random_position
from oracles.tree import derive_seed
from oracles.warm_start import ALGORITHMS, WarmTree

import boardlab as bl
from boardlab import Forest, TreeOptions
from boardlab.errors import BoardLabError
from boardlab.learners.alphazero.searchers import ArenaSearcher, RheaSearcher, TreeSearcher, by_shares, search
from boardlab.learners.alphazero.self_play import make_searcher, play_games
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.warm_start import WARM_STARTS, WarmStart
from boardlab.learners.presets import preset
from boardlab.options import replaced
from boardlab.search.forest import VISITS_ALONE
from tests.nets.dense import policies

GAMES = [bl.game("tictactoe"), bl.game("connectfour", rows=4, cols=4, connect=3)]
WITH_OWN_PLAYOUTS = [bl.game("othello", size=4), bl.game("hex", size=3)]
"""Their rollouts draw in a way of their own, so that the slow version fits where the path is wanted."""
SMALL = {"blocks": 1, "channels": 8, "head_filters": 2, "hidden": 8, "games": 6, "parallel": 4, "threads": 1}
SMALL |= {"simulations": 8, "temperature_moves": 3, "device": "cpu"}


def net_of(game):
    """A small random net, a pure function of each position."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(int(np.prod(game.core.plane_shape)), 1 + game.action_count)) / 4

    def net(planes, legal):
        answers = np.array([np.tanh(row.ravel() @ weights) for row in planes])
        return answers[:, 0], 2 * answers[:, 1:]

    return net


def forest_of(game, trees, warm, tree=VISITS_ALONE, **options):
    """The trees of a warm generation."""
    return Forest(game, trees, tree=warm.enhanced(tree), rollout_weight=warm.rollout_weight, **options)


def even(planes, legal):
    """Knows nothing."""
    return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)


# ---- the enhancements ----


@pytest.mark.parametrize("of", ["own", "all"])
@pytest.mark.parametrize("options", [{}, {"cache_mb": 1, "threads": 2}], ids=["plain", "cache and threads"])
@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in GAMES for name in ALGORITHMS]
    + [(game, name) for game in WITH_OWN_PLAYOUTS for name in ("rave", "wrora")],
    ids=str,
)
def test_every_enhancement_is_that_of_its_algorithm(game, name, options, of):
    """Visits, values and the policy of every tree, whatever searches beside it."""
    settings = AlphaZero.flat(
        warm_start=name, simulations=70, equivalence=40, rave_of=of, warm_policy="values"
    )
    trees = 4
    warm = WarmStart(settings.warm_start).generation(3)
    tree = TreeOptions(solver=False, equivalence=40, rave_of=of)
    net = net_of(game)
    forest = forest_of(game, trees, warm, tree, seed=5, **options)
    for i in range(trees):
        forest.set_state(i, random_position(game, i, 3))
    forest.search(net, 70)
    visits, values, policy = forest.visits(), forest.values(), forest.policy()
    for i in range(trees):
        tree = WarmTree(
            name,
            forest.state(i),
            net,
            weight=1 / 3,
            c=1.0,
            equivalence=40,
            of_all=of == "all",
            seed=derive_seed(5, i),
        )
        for _ in range(70):
            tree.iterate()
        root = tree.root
        assert {a: visits[i, a] for a in root.n} == root.n
        assert {a: values[i, a] for a in root.n if root.n[a]} == pytest.approx(
            {a: root.w[a] / n for a, n in root.n.items() if n}, abs=1e-6
        )
        assert {a: policy[i, a] for a in root.n} == pytest.approx(tree.policy, abs=1e-6)
        assert policy[i].sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_policy_is_made_of_values_or_of_visits(name):
    game, trees = bl.game("connectfour", rows=4, cols=4, connect=3), 3
    found = {}
    for kind in ("values", "visits"):
        settings = AlphaZero.flat(warm_start=name, simulations=40, warm_policy=kind)
        warm = WarmStart(settings.warm_start).generation(2)
        searcher = make_searcher(game, settings.self_play, 40, trees, 1, 1, warm, None)
        search(searcher, net_of(game), np.full(trees, 40), np.zeros(trees, bool))
        target, actions = searcher.decide(np.zeros(trees, bool), False, np.random.default_rng(1))
        visits = searcher.forest.visits()
        found[kind] = visits, target
        best = visits.max(axis=1) if kind == "visits" else target.max(axis=1)
        assert ((visits if kind == "visits" else target)[np.arange(trees), actions] == best).all()
    (visits, by_values), (again, by_visits) = found["values"], found["visits"]
    assert np.array_equal(visits, again)  # the search is the same
    assert by_visits == pytest.approx(visits / visits.sum(axis=1, keepdims=True))
    assert not np.allclose(by_values, by_visits, atol=0.01)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("game", [bl.game("rubiks"), bl.game("2048", size=3)], ids=lambda game: game.name)
def test_no_share_is_negative_where_the_range_is_what_was_seen(game, name):
    """RAVE's values come from the whole tree, and may be beyond those of the root's own children."""
    settings = AlphaZero.flat(
        warm_start=name, simulations=12, games=4, parallel=4, episode_limit=8, warm_policy="values"
    )
    warm = WarmStart(settings.warm_start).generation(1)
    examples, _ = play_games(game, net_of(game), settings.self_play, 12, 1, seed=1, threads=1, warm=warm)
    assert (examples.shares >= 0).all()
    assert examples.shares.sum(axis=1) == pytest.approx(np.ones(len(examples)), abs=1e-5)


@pytest.mark.parametrize("name", ["default", "wang"])
def test_presets_learn_from_visits_and_the_listings_values_are_an_option(name):
    """With values RoRa and WRoRa come out far below Table 2 of Wang et al. (2021): docs/results."""
    board = bl.game("connectfour", rows=6, cols=6)
    values = {key: value for key, value in preset(board, name, "alphazero").items() if key != "episodes"}
    settings = AlphaZero.checked({**values, "warm_start": "rora"})
    assert settings.warm_start.policy == "visits"
    assert "policy" not in WarmStart(settings.warm_start).generation(1).changes
    settings = AlphaZero.checked({**values, "warm_start": "rora", "warm_policy": "values"})
    assert WarmStart(settings.warm_start).generation(1).changes["policy"] == "rave"


@pytest.mark.parametrize("policy", ["visits", "values"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_warm_start_searches_as_the_agent_of_that_name(name, policy):
    game, net = (
        bl.game("connectfour", rows=4, cols=4, connect=3),
        net_of(bl.game("connectfour", rows=4, cols=4)),
    )
    bl.register_evaluator("warm-net")(lambda game: net)
    settings = AlphaZero.flat(
        warm_start=name, warm_policy=policy, warm_weight=0.3 if name in ("wro", "wrora") else None
    )
    forest = forest_of(game, 3, WarmStart(settings.warm_start).generation(2), seed=2)
    for i in range(3):
        forest.set_state(i, random_position(game, i, 2))
    forest.search(net, 60)
    weight = ", weight=0.3" if name in ("wro", "wrora") else ""
    for i in range(3):
        spec = f'{name}_mcts(warm-net, iterations=60, policy="{policy}"{weight})'
        decision = bl.agent(spec, game, seed=derive_seed(2, i)).act(forest.state(i))
        wanted = forest.policy()[i]
        assert decision.policy == pytest.approx({a: wanted[a] for a in decision.policy}, abs=1e-12)
        assert (forest.root_values()[i] == decision.scores).all()
        assert decision.policy[decision.action] == max(decision.policy.values())


def test_an_enhanced_tree_is_that_of_an_agent():
    """With chance and three players too: the same numbers as mcts(mix(net, rollout))."""
    from boardlab.evaluators import EVALUATORS

    for game in (
        bl.game("2048", size=2),
        bl.game("ewn", size=3),
        bl.game("nim", players=3),
        bl.game("connectfour"),
    ):

        def net(planes, legal, columns=1 if game.players <= 2 else game.players):
            rows = planes.reshape(len(planes), -1)
            return np.tanh(rows[:, :columns] - 0.2), np.sin(legal * 3.0 + np.arange(legal.shape[1]))

        bl.register_evaluator("warm-net")(lambda game, net=net: net)
        try:
            for batch in (1, 3):
                tree = TreeOptions(solver=False, rave=True, rave_rollouts=True, batch=batch)
                forest = Forest(game, 3, seed=2, rollout_weight=0.4, tree=tree)
                forest.search(net, 50)
                for i in range(3):
                    agent = bl.agent(
                        "mcts(mix(warm-net, rollout, weight=0.4), rave=True, rave_rollouts=True, iterations=50, "
                        f"batch={batch}, solver=False)",
                        game,
                        seed=derive_seed(2, i),
                    )
                    decision = agent.act(forest.state(i))
                    visits = forest.visits()[i]
                    assert {a: visits[a] / 50 for a in decision.policy} == decision.policy
                    assert (forest.root_values()[i] == decision.scores).all()
        finally:
            EVALUATORS.pop("warm-net")


def test_rollouts_know_more_than_an_ignorant_net():
    """A won game that only rollouts can see: the value of the root."""
    game = bl.game("nim", heaps=(1, 1, 1))  # three single tokens: who begins takes the last one
    forest = Forest(game, 2, rollout_weight=1.0, tree=TreeOptions(solver=False, policy="value"))
    forest.search(even, 3)
    assert (forest.root_values()[:, 0] == 1).all()
    assert forest.policy().sum(axis=1) == pytest.approx(1)


def test_an_action_is_drawn_by_its_value_and_of_the_best_the_most_visited_is_played():
    policy = np.tile([0.4, 0.4, 0.2, 0.0], (4000, 1))
    visits = np.tile([3.0, 9.0, 50.0, 0.0], (4000, 1))
    drawn = np.arange(4000) < 2000
    target, actions = by_shares(policy, drawn, False, np.random.default_rng(0), visits)
    assert (actions[2000:] == 1).all()
    assert np.bincount(actions[:2000], minlength=4) / 2000 == pytest.approx([0.4, 0.4, 0.2, 0], abs=0.04)
    assert target == pytest.approx(policy, abs=1e-6)


def test_rheas_policy_is_its_first_action_alone():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=6, parallel=3, simulations=30, warm_start="rhea", temperature_moves=9)
    warm = WarmStart(settings.warm_start).generation(1)
    asked = []

    def judge(planes, legal):
        asked.append(len(planes))
        return even(planes, legal)

    examples, counts = play_games(game, judge, settings.self_play, 30, 1, seed=3, threads=1, warm=warm)
    again, _ = play_games(game, judge, settings.self_play, 30, 1, seed=3, threads=2, warm=warm)
    assert not asked and counts.evaluations == 0 and len(counts.scores) == 6
    assert (policies(examples, game).max(axis=1) == 1).all() and (
        policies(examples, game).sum(axis=1) == 1
    ).all()
    assert np.array_equal(policies(examples, game), policies(again, game))  # on any number of threads
    for fields, policy in zip(examples.fields, policies(examples, game), strict=True):
        assert policy.argmax() in game.from_fields(fields.tolist()).legal_actions()


def test_rhea_expects_nothing():
    """Its best sequence is the luckiest one: nobody gives up for it, and a game that is cut is as it stands."""
    game = bl.game("connectfour")
    settings = AlphaZero.flat(
        games=6, parallel=3, simulations=20, warm_start="rhea", resign=0.0, episode_limit=5
    )
    warm = WarmStart(settings.warm_start).generation(1)
    examples, counts = play_games(game, even, settings.self_play, 20, 1, seed=3, threads=1, warm=warm)
    assert np.isnan(examples.q).all() and len(examples) == 6 * 5
    assert (examples.z == 0).all() and counts.scores == [0.0] * 6 and counts.resign.resigned == 0
    # In an arena the net's side does expect something, and a game that is cut has the last of it.
    settings = replaced(settings, {"switch": "adaptive", "resign": None})
    warm = WarmStart(settings.warm_start).generation(1)
    examples, _ = play_games(game, net_of(game), settings.self_play, 20, 1, seed=3, threads=1, warm=warm)
    assert np.isnan(examples.q).sum() == 3 * 3 + 3 * 2
    assert np.isfinite(examples.z).all() and (examples.z != 0).all()


@pytest.mark.parametrize("target", ["q", "mean"])
@pytest.mark.parametrize(("name", "more"), [("tictactoe", {}), ("2048", {"ranked_reward": 0.75})])
def test_of_rhea_what_came_of_it_is_learned(name, more, target):
    game = bl.game(name) if name == "tictactoe" else bl.game(name, size=2)
    settings = AlphaZero.flat(**SMALL, warm_start="rhea", warm_iterations=1, value_target=target, **more)
    core = settings.build(game, settings.describe(game, 1), 12, 1)
    core.train(6)
    examples = core.replay.parts[1]
    assert np.array_equal(examples.q, examples.z) and examples.q.dtype == np.float32
    assert set(np.unique(examples.z)) <= {-1, 0, 1}
    core.train(6)
    assert not np.array_equal(core.replay.parts[2].q, core.replay.parts[2].z)


def test_rhea_has_no_playout_cap_and_asks_before_every_move():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=4, parallel=2, simulations=20, warm_start="rhea", full_share=0.01)
    asked = []
    warm = WarmStart(settings.warm_start).generation(1)
    examples, counts = play_games(
        game, None, settings.self_play, 20, 1, 3, 1, warm=warm, poll=lambda: asked.append(None)
    )
    assert len(examples) == counts.moves and counts.simulations == 20 * counts.moves
    assert len(asked) >= counts.moves / 2

    def stop():
        raise KeyError("stopped")

    with pytest.raises(KeyError, match="stopped"):
        play_games(game, None, settings.self_play, 20, 1, 3, 1, warm=warm, poll=stop)


def test_the_forest_refuses_what_does_not_fit():
    game = bl.game("connectfour")
    for options, message in (
        ({"rollout_weight": 2}, "rollout_weight must be a number from 0 to 1"),
        ({"tree": TreeOptions(equivalence=0, rave=True)}, "equivalence must be"),
        ({"tree": TreeOptions(rave_of="none")}, 'rave_of must be one of "own", "all"'),
        ({"tree": TreeOptions(policy="rave")}, "needs rave=True"),
        ({"tree": TreeOptions(policy="improved")}, "needs gumbel"),
        ({"ranked": 3.0}, "games for one player"),
    ):
        with pytest.raises(BoardLabError, match=message):
            Forest(game, 2, **options)
    with pytest.raises(BoardLabError, match="pay by their score, not in rubiks"):
        Forest(bl.game("rubiks"), 2, ranked=0.5)
    with pytest.raises(BoardLabError, match="ranked must be a score"):
        Forest(bl.game("morpion"), 2, ranked="best")


# ---- when a generation is warm ----


def test_the_weight_is_one_over_the_generation():
    warm = WarmStart(AlphaZero.flat(warm_start="wro", warm_iterations=4).warm_start)
    assert [warm.generation(i).rollout_weight for i in (1, 2, 4)] == [1, 1 / 2, 1 / 4]
    assert warm.generation(5) is None
    assert (
        WarmStart(AlphaZero.flat(warm_start="wrora", warm_weight=0.5).warm_start).generation(3).rollout_weight
        == 0.5
    )
    linear = WarmStart(AlphaZero.flat(warm_start="wro", warm_iterations=4, warm_decay="linear").warm_start)
    assert [linear.generation(i).rollout_weight for i in (1, 2, 3, 4)] == [1, 3 / 4, 1 / 2, 1 / 4]
    assert linear.generation(5) is None
    assert WarmStart(AlphaZero().warm_start).generation(1) is None
    rora = WarmStart(AlphaZero.flat(warm_start="rora", equivalence=60, rave_of="all").warm_start).generation(
        2
    )
    assert rora.rollout_weight == 1
    grown = rora.enhanced(AlphaZero.flat(equivalence=60, rave_of="all").self_play.tree)
    assert (grown.equivalence, grown.rave_of, grown.rave) == (60, "all", True)


def test_the_switch_falls_as_algorithm_2_says():
    """Worked by hand. Rewards of default MCTS a generation: -10, 0 (not more than 50%), 3, then it stays."""
    settings = AlphaZero.flat(warm_start="rave", switch="adaptive", warm_iterations=1)
    warm = WarmStart(settings.warm_start)
    trace = []
    for number, reward in enumerate([-10, 0, 3, -20, 8], 1):
        generation = warm.generation(number)
        trace.append(generation is not None and generation.is_arena)
        if generation:
            warm.close(number, reward)
    assert trace == [True, True, True, False, False]
    assert warm.switched[0] == 3
    # A resumed run finds the switch in its checkpoint.
    other = WarmStart(settings.warm_start)
    other.arrays["warm.switched"][:] = warm.switched
    assert other.generation(4) is None


def test_the_reward_of_the_net_is_wins_less_losses_whatever_the_margins():
    """By hand: lost by 10, won by 2, won by 4 and a draw."""
    arena = SimpleNamespace(
        forest=SimpleNamespace(scores=np.array([[5.0, -5], [-1, 1], [2, -2], [0, 0]])),
        seat=np.array([0, 0, 1, 1]),
    )
    assert ArenaSearcher.arena_reward(arena, np.arange(4)) == 1
    assert ArenaSearcher.arena_reward(arena, np.array([0, 3])) == -1


def test_each_side_moves_where_it_should_and_the_reward_is_that_of_the_net():
    """A hand-made arena of five episodes: two begun by the enhancement, three by default MCTS."""
    game = bl.game("tictactoe")

    class First:
        """Plays the first or the last legal action."""

        def __init__(self, last):
            self.forest, self.last, self.moved = Forest(game, 5), last, []

        def restart(self, games):
            self.forest.restart(games)

        def start(self, iterations, noise):
            self.moved.append(iterations > 0)
            return 0

        def decide(self, drawn, one_hot, rng):
            legal = self.forest.roots()[1]
            actions = np.where(
                legal.any(axis=1),
                8 - legal[:, ::-1].argmax(axis=1) if self.last else legal.argmax(axis=1),
                -1,
            )
            return np.eye(9, dtype=np.float32)[actions], actions

        def root_values(self):
            return np.full((5, 2), float(self.last))

        def play(self, actions):
            self.forest.play(actions)

    enhanced, plain = First(last=False), First(last=True)
    arena = ArenaSearcher(enhanced, plain, 5)
    arena.restart(np.arange(5))
    assert arena.seat.tolist() == [0, 0, 1, 1, 1]
    rng = np.random.default_rng(0)
    move = 0
    while (arena.forest.players >= 0).any():
        search(arena, even, np.full(5, 10), np.zeros(5, bool))
        mine = arena.is_enhanced.tolist()
        assert mine == [move % 2 == 0] * 2 + [move % 2 == 1] * 3
        assert enhanced.moved[-1].tolist() == mine and (plain.moved[-1] == ~enhanced.moved[-1]).all()
        target, actions = arena.decide(np.zeros(5, bool), False, rng)
        assert (target.argmax(axis=1) == actions).all()
        assert (arena.root_values()[:, 0] == ~arena.is_enhanced).all()
        arena.play(actions)
        assert all(enhanced.forest.state(i) == plain.forest.state(i) for i in range(5))
        move += 1
    # Fields 0, 1, 2 against 8, 7, 6: who begins has three in a row first.
    assert arena.forest.scores[:, 0].tolist() == [1] * 5
    assert arena.arena_reward(np.arange(5)) == -2 + 3
    assert arena.arena_reward(np.array([0])) == -1


@pytest.mark.parametrize("name", WARM_STARTS)
def test_arena_games_are_learned_from_and_their_rewards_add_up(name):
    game = bl.game("connectfour", rows=4, cols=4, connect=3)
    settings = AlphaZero.flat(
        games=7, parallel=3, simulations=12, warm_start=name, switch="adaptive", temperature_moves=2
    )
    warm = WarmStart(settings.warm_start).generation(2)
    searcher = make_searcher(game, settings.self_play, 12, 3, 1, 1, warm, None)
    assert isinstance(searcher, ArenaSearcher)
    assert isinstance(searcher.sides[0], RheaSearcher if name == "rhea" else TreeSearcher)
    examples, counts = play_games(game, net_of(game), settings.self_play, 12, 1, seed=1, threads=1, warm=warm)
    again, _ = play_games(game, net_of(game), settings.self_play, 12, 1, seed=1, threads=2, warm=warm)
    assert np.array_equal(policies(examples, game), policies(again, game)) and np.array_equal(
        examples.fields, again.fields
    )
    assert len(counts.scores) == 7 and len(examples) == counts.moves
    assert abs(counts.arena_reward) <= 7
    assert (counts.arena_reward - sum(counts.scores)) % 2 == 0  # every game counts for one side or the other
    assert policies(examples, game).sum(axis=1) == pytest.approx(np.ones(len(examples)), abs=1e-5)


def test_shares_of_a_generation_have_the_halves_of_the_whole():
    """Five shares with a game each: the enhancement begins in two games, as it would in one share of five."""
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=1, parallel=1, simulations=4, warm_start="rhea", switch="adaptive")
    warm = WarmStart(settings.warm_start).generation(1)
    asked, begun = [], []

    def judge(planes, legal):
        asked.append(planes[:, :2].sum())  # stones on the board
        return even(planes, legal)

    for first in range(5):
        asked.clear()
        play_games(
            game, judge, settings.self_play, 4, 1, seed=first, threads=1, warm=warm, first=first, episodes=5
        )
        begun.append(asked[0] > 0)  # the net was not asked about the empty board: RHEA began
    assert begun == [True, True, False, False, False]


def test_with_gumbel_both_sides_of_an_arena_explore_alike():
    """An enhancement without weight is the net alone: the same noise, the same decisions."""
    game = bl.game("connectfour")
    settings = AlphaZero.flat(
        games=6, parallel=6, simulations=12, gumbel=4, warm_start="wro", warm_weight=0.0
    )
    settings = replaced(settings, {"warm_policy": "visits", "switch": "adaptive"})
    warm = WarmStart(settings.warm_start).generation(1)
    arena = make_searcher(game, settings.self_play, 12, 6, 1, 1, warm, None)
    arena.restart(np.arange(6))
    drawn, found = np.arange(6) < 3, []
    for side in arena.sides:
        search(side, net_of(game), np.full(6, 12), np.ones(6, bool))
        found.append(side.decide(drawn, False, np.random.default_rng(0)))
    assert np.array_equal(found[0][0], found[1][0]) and np.array_equal(found[0][1], found[1][1])
    # Without an arena the net's own search is Gumbel's.
    assert make_searcher(game, settings.self_play, 12, 6, 1, 1, None, None).gumbel


@pytest.mark.parametrize(
    ("more", "noise"),
    [
        ({}, [0.25, 0.25]),
        ({"gumbel": 4}, [0, 0]),
        ({"warm_start": "rhea", "warm_iterations": 1}, [0, 0.25]),
        ({"gumbel": 4, "warm_start": "rollout", "warm_iterations": 1}, [0.25, 0]),
        ({"gumbel": 4, "warm_start": "rhea", "switch": "adaptive"}, [0.25, 0]),
    ],
)
def test_the_log_tells_the_noise_of_the_trees(more, noise):
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(**SMALL, **more)
    core = settings.build(game, settings.describe(game, 1), 12, 1)
    core.warm.close = lambda number, reward: core.warm.switched.fill(1)  # the net won at once
    for wanted in noise:
        core.train(6)
        assert core.epsilon == wanted


# ---- whole runs ----


def same_files(one, other):
    for file in ("weights.npz", "checkpoint.npz"):
        with np.load(one / file) as a, np.load(other / file) as b:
            assert set(a.files) == set(b.files)
            for key in a.files:
                if not key.endswith("seconds"):
                    assert np.array_equal(a[key], b[key]), key


def told(path):
    return [json.loads(line) for line in (path / "generations.jsonl").read_text().splitlines()]


def test_a_run_that_is_resumed_across_the_switch_equals_an_unbroken_one(tmp_path):
    pytest.importorskip("torch")
    game = bl.game("tictactoe")
    arguments = {
        "episodes": 6 * 6,
        "warm_start": "rollout",
        "switch": "adaptive",
        "exams": ["random"],
        "exam_every": 6,
        "exam_games": 2,
    }
    switch = 0
    for seed in range(3, 13):  # until both sides of the switch are in the run
        whole = bl.train(
            game, "alphazero", out=tmp_path / "whole", seed=seed, force=True, **arguments, **SMALL
        )
        lines = told(tmp_path / "whole")
        switch = next((line["generation"] for line in lines if line.get("switched")), 0)
        if 1 < switch < 6:
            break
    assert 1 < switch < 6
    assert [line.get("warm_start") for line in lines] == ["rollout"] * switch + [None] * (6 - switch)
    assert all((line["arena_reward"] > 0) == line["switched"] for line in lines[:switch])
    assert "arena_reward" not in lines[-1]
    assert [row.get("switch") for row in whole.log] == [None] * (switch - 1) + [switch] * (7 - switch)
    assert whole.log[0]["arena_reward"] == pytest.approx(lines[0]["arena_reward"], rel=1e-5)
    for stop in (switch - 1, switch):  # just before the switch, and when it has just fallen
        broken = tmp_path / f"broken{stop}"
        bl.train(
            game,
            "alphazero",
            out=broken,
            seed=seed,
            progress=lambda standing, stop=stop: standing.episodes >= 6 * stop,
            **arguments,
            **SMALL,
        )
        bl.resume(broken)
        same_files(tmp_path / "whole", broken)


def test_a_fixed_warm_start_is_resumed_too(tmp_path):
    pytest.importorskip("torch")
    game = bl.game("tictactoe")
    arguments = {"episodes": 6 * 4, "seed": 1, "warm_start": "wrora", "warm_iterations": 3}
    bl.train(game, "alphazero", out=tmp_path / "whole", **arguments, **SMALL)
    lines = told(tmp_path / "whole")
    assert [line.get("warm_weight") for line in lines] == [1, 1 / 2, 1 / 3, None]
    bl.train(
        game,
        "alphazero",
        out=tmp_path / "broken",
        progress=lambda standing: standing.episodes >= 12,
        **arguments,
        **SMALL,
    )
    bl.resume(tmp_path / "broken")
    same_files(tmp_path / "whole", tmp_path / "broken")


@pytest.mark.parametrize("name", WARM_STARTS)
@pytest.mark.parametrize(
    ("game", "parameters"),
    [("connectfour", {"rows": 6, "cols": 6}), ("othello", {"size": 6}), ("gobang", {})],
)
def test_wangs_variants_are_an_option_away(game, parameters, name):
    board = bl.game(game, **parameters)
    values = {key: value for key, value in preset(board, "wang", "alphazero").items() if key != "episodes"}
    for switch in ("fixed", "adaptive"):
        settings = AlphaZero.checked({**values, "warm_start": name, "switch": switch})
        settings.warm_start.check_game(board)
        assert settings.warm_start.iterations == 5 and settings.self_play.simulations == 100
        warm = WarmStart(settings.warm_start).generation(1)
        few = replace(settings.self_play, games=2, parallel=2, simulations=4)
        examples, _ = play_games(board, even, few, 4, 1, seed=0, threads=1, warm=warm)
        assert len(examples) > 4


def test_what_does_not_fit_is_refused_with_a_sentence(tmp_path):
    pytest.importorskip("torch")
    for game, settings, message in (
        ("tictactoe", {"warm_start": "rolout"}, 'warm_start must be one of "off", "rollout"'),
        ("tictactoe", {"switch": "adaptive"}, "switch does nothing with warm_start=off"),
        ("morpion", {"warm_start": "rollout", "switch": "adaptive"}, "morpion is for 1; use switch=fixed"),
        ("tictactoe", {"warm_start": "wro", "warm_weight": 2}, "warm_weight must be a number from 0 to 1"),
        (
            "tictactoe",
            {"warm_start": "rave", "warm_decay": "linear"},
            "warm_decay does nothing with warm_start",
        ),
        (
            "tictactoe",
            {"warm_start": "wro", "switch": "adaptive", "warm_decay": "linear"},
            "warm_decay does nothing with switch=adaptive",
        ),
        (
            "tictactoe",
            {"warm_start": "wro", "warm_weight": 0.5, "warm_decay": "linear"},
            "warm_decay does nothing with warm_weight=0.5",
        ),
        ("tictactoe", {"warm_start": "wro", "warm_iterations": 0}, "warm_iterations must be a whole number"),
    ):
        with pytest.raises(BoardLabError, match=message):
            bl.train(bl.game(game), "alphazero", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()
