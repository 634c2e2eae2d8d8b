"""Counterfactual regret minimisation: against slow versions, OpenSpiel, and values that are known."""

import csv
import random
from dataclasses import dataclass

import numpy as np
import pytest
from oracles.cfr import SlowCfr, SlowSampling, best_response, nash_conv

import boardlab as bl
from boardlab import _engine
from boardlab.arena.exams.exploitability import set_states
from boardlab.evaluators.regret import bucket_bounds
from boardlab.games.registry import GAMES
from boardlab.learners.cfr import Cfr
from boardlab.options import options_of, read_option

KUHN, LEDUC = bl.game("kuhnpoker"), bl.game("leducpoker")
NO_BOUNDS = np.zeros(0)
SETTINGS = {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}


@dataclass(frozen=True)
class Peek(bl.PythonGame):
    """A coin lies hidden; player 0 sees it and says a side, player 1 guesses, and may not be told the truth."""

    name = "peek"
    action_count, outcome_count, horizon = 2, 2, 2

    def initial_state(self, rng):
        return (0, 0, 0)  # the coin, what was said, what was guessed: 0 not yet, else 1 or 2

    def player(self, position):
        coin, said, guessed = position
        return bl.CHANCE if not coin else 0 if not said else 1 if not guessed else bl.TERMINAL

    def chance(self, position):
        return [(0, 0.75), (1, 0.25)]

    def legal(self, position):
        return [0, 1]

    def apply(self, position, action):
        coin, said, _ = position
        if not coin:
            return (action + 1, 0, 0)
        return (coin, action + 1, 0) if not said else (coin, said, action + 1)

    def scores(self, position):
        coin, _, guessed = position
        won = 0 if not guessed else 1 if coin == guessed else -1
        return [-won, won]

    def conceal(self, position, player):
        coin, said, guessed = position
        return (3 if player == 1 and coin and not guessed else coin, said, guessed)

    def determinize(self, position, player, rng):
        coin, said, guessed = position
        if coin == 3:
            coin = 1 if rng.random() < 0.75 else 2
        return (coin, said, guessed)


PEEK = bl.Game(Peek())
"""The guesser cannot trust anything: it says heads, which is worth 1/2."""


def tree_of(game):
    return _engine.GameTree(game.core, 100_000)


def trained(tree, variant, iterations):
    table = _engine.RegretTable(2**30)
    _engine.tree_cfr(tree, table, variant, 1.5, 0.0, 2.0, 0).train(iterations)
    return table


def rows(game, tree, strategy):
    """A strategy of the tree by player and observation, as the slow versions have it."""
    found = {}
    for number, state in enumerate(set_states(game, tree)):
        _, first, count, _ = tree.set(number)
        actions = state.legal_actions()
        assert len(actions) == count
        key = state.player, state.observe(state.player)
        found[key] = dict(zip(actions, strategy[first : first + count].tolist(), strict=True))
    return found


def random_strategy(tree, rng):
    strategy = np.array([rng.random() for _ in range(tree.strategy_size)])
    for number in range(tree.sets):
        _, first, count, _ = tree.set(number)
        strategy[first : first + count] /= strategy[first : first + count].sum()
    return strategy


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for key, policy in ours.items():
        assert policy == pytest.approx(theirs[key], abs=1e-9)


@pytest.mark.parametrize("game", [KUHN, PEEK], ids=["kuhnpoker", "python"])
@pytest.mark.parametrize(
    ("variant", "slow"),
    [("vanilla", {}), ("plus", {"plus": True}), ("discounted", {"discounts": (1.5, 0.0, 2.0)})],
)
def test_the_average_strategy_is_that_of_a_slow_version(game, variant, slow):
    tree, oracle = tree_of(game), SlowCfr(game, **slow)
    for _ in range(12):
        oracle.iterate()
    assert_same(rows(game, tree, trained(tree, variant, 12).strategy(tree)), oracle.average())


def test_external_sampling_draws_what_a_slow_version_draws():
    tree, table = tree_of(KUHN), _engine.RegretTable(2**30)
    learner = _engine.sampled_cfr(
        KUHN.core, [], NO_BOUNDS, table, "vanilla", 1.5, 0.0, 2.0, 1000, 1, "score", 7
    )
    oracle = SlowSampling(KUHN, 7)
    for _ in range(60):
        oracle.iterate()
    assert learner.train(60) == 60
    average = oracle.average()
    assert len(average) == table.sets == 12
    assert_same(rows(KUHN, tree, table.strategy(tree)), average)


@pytest.mark.parametrize("game", [KUHN, PEEK], ids=["kuhnpoker", "python"])
def test_best_responses_and_nashconv_are_those_of_a_slow_walk(game):
    tree, rng = tree_of(game), random.Random(1)
    for _ in range(4):
        strategy = random_strategy(tree, rng)
        slow = rows(game, tree, strategy)
        for player in (0, 1):
            assert tree.best_response(player, strategy) == pytest.approx(best_response(game, player, slow))
        assert tree.nash_conv(strategy) == pytest.approx(nash_conv(game, slow))


@pytest.mark.slow
def test_nashconv_of_leduc_poker_is_that_of_a_slow_walk():
    tree, rng = tree_of(LEDUC), random.Random(1)
    strategy = random_strategy(tree, rng)
    assert tree.nash_conv(strategy) == pytest.approx(nash_conv(LEDUC, rows(LEDUC, tree, strategy)))


@pytest.mark.parametrize(
    ("game", "variant", "iterations", "value", "most"),
    [
        (KUHN, "vanilla", 2000, -1 / 18, 0.002),
        (KUHN, "plus", 1000, -1 / 18, 0.0005),
        (KUHN, "discounted", 1000, -1 / 18, 0.0005),
        (LEDUC, "plus", 400, -0.085606424, 0.01),
        (LEDUC, "discounted", 400, -0.085606424, 0.01),
        (PEEK, "discounted", 500, -0.5, 0.001),
    ],
)
def test_the_average_strategy_approaches_the_known_value(game, variant, iterations, value, most):
    tree = tree_of(game)
    strategy = trained(tree, variant, iterations).strategy(tree)
    assert tree.nash_conv(strategy) < most
    assert tree.values(strategy)[0] == pytest.approx(value, abs=most)


def test_kuhns_family_is_found():
    """A first player of an equilibrium bets a king three times as often as a jack, and never a queen."""
    tree = tree_of(KUHN)
    strategy = rows(KUHN, tree, trained(tree, "discounted", 3000).strategy(tree))
    bets = {}
    for cards in ((0, 1), (1, 2), (2, 0)):
        state = KUHN.initial_state()
        for card in cards:
            state.apply(card)
        bets[cards[0]] = strategy[0, state.observe(0)][1]
    assert 0 <= bets[0] <= 1 / 3 + 0.01
    assert bets[2] == pytest.approx(3 * bets[0], abs=0.02)
    assert bets[1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("variant", ["vanilla", "plus", "discounted"])
@pytest.mark.parametrize("threads", [1, 2])
def test_external_sampling_approaches_an_equilibrium(variant, threads):
    table = _engine.RegretTable(2**30)
    learner = _engine.sampled_cfr(
        KUHN.core, [], NO_BOUNDS, table, variant, 1.5, 0.0, 2.0, 200, threads, "score", 1
    )
    assert learner.train(100_000) == 100_000
    tree = tree_of(KUHN)
    assert tree.nash_conv(table.strategy(tree)) < 0.03


# ---- OpenSpiel ----


@pytest.mark.parametrize(("game", "theirs"), [(KUHN, "kuhn_poker"), (LEDUC, "leduc_poker")])
@pytest.mark.parametrize(("variant", "solver"), [("vanilla", "CFRSolver"), ("plus", "CFRPlusSolver")])
def test_openspiel_finds_the_same_strategy_and_the_same_nashconv(game, theirs, variant, solver):
    pyspiel = pytest.importorskip("pyspiel")
    their_game = pyspiel.load_game(theirs)
    solving = getattr(pyspiel, solver)(their_game)
    for _ in range(10):
        solving.evaluate_and_update_policy()
    policy = solving.average_policy()
    tree = tree_of(game)
    strategy = trained(tree, variant, 10).strategy(tree)
    for number, state in enumerate(set_states(game, tree)):
        _, first, count, path = tree.set(number)
        other = their_game.new_initial_state()
        for action in path:
            other.apply_action(action)
        probabilities = [policy.action_probabilities(other)[a] for a in state.legal_actions()]
        assert strategy[first : first + count].tolist() == pytest.approx(probabilities, abs=1e-9)
    assert tree.nash_conv(strategy) == pytest.approx(pyspiel.nash_conv(their_game, policy))


# ---- trees ----


@dataclass(frozen=True)
class Forgetful(Peek):
    """The first player says something twice, and forgets what it said first."""

    name = "forgetful"
    horizon = 3

    def initial_state(self, rng):
        return (0, 0, 0, 0)

    def player(self, position):
        return bl.CHANCE if not position[0] else (0, 0, 1, bl.TERMINAL)[sum(map(bool, position[1:]))]

    def apply(self, position, action):
        place = sum(map(bool, position))
        return (*position[:place], action + 1, *position[place + 1 :])

    def scores(self, position):
        return [0, 0]

    def conceal(self, position, player):
        return (3, 3, *position[2:]) if position[0] else position

    def determinize(self, position, player, rng):
        return tuple(1 if part == 3 else part for part in position)


@dataclass(frozen=True)
class Shuffled(Peek):
    """The coin is thrown before the game begins."""

    name = "shuffled"

    def initial_state(self, rng):
        return (rng.choice((1, 2)), 0, 0)


def test_trees_that_are_none_are_refused():
    with pytest.raises(bl.BoardLabError, match="more than 1000 nodes"):
        _engine.GameTree(LEDUC.core, 1000)
    with pytest.raises(bl.BoardLabError, match=r'player 0 forgets what it did.*sampling="external"'):
        tree_of(bl.Game(Forgetful()))
    with pytest.raises(bl.BoardLabError, match=r'drawn at random.*sampling="external"'):
        tree_of(bl.Game(Shuffled()))


def test_a_game_without_a_tree_is_sampled(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "shuffled", Shuffled)
    run = bl.train(
        bl.Game(Shuffled()), "cfr", episodes=3000, sampling="external", out=tmp_path / "run", exams=[]
    )
    state = bl.Game(Shuffled()).from_fields([1, 1, 0, 0])
    policy = run.agent().act(state).policy
    assert set(policy) == {0, 1}


def test_a_game_without_a_tree_is_sampled_by_default_and_never_walked(tmp_path):
    game = bl.Game(Forgetful())
    assert bl.learners.preset(game, learner="cfr")["sampling"] == "external"
    with pytest.raises(bl.BoardLabError, match="player 0 forgets what it did"):
        bl.train(game, "cfr", out=tmp_path / "run", sampling="none", exams=[])
    assert not (tmp_path / "run").exists()


def test_the_size_of_a_tree_is_estimated():
    assert _engine.estimate_nodes(KUHN.core, 1e9, 0) == pytest.approx(58, rel=0.1)
    assert _engine.estimate_nodes(LEDUC.core, 1e9, 0) == pytest.approx(9457, rel=0.2)
    assert _engine.estimate_nodes(bl.game("poker").core, 1e9, 0) > 1e9


# ---- runs ----


def test_a_run_learns_shows_its_nashconv_and_plays(tmp_path):
    run = bl.train(LEDUC, out=tmp_path / "run", episodes=600, exam_every=200, exams=["exploitability"])
    assert run.settings.name == "cfr" and run.settings.sampling == "none"
    with (tmp_path / "run" / "log.csv").open() as file:
        log = list(csv.DictReader(file))
    nashconv = [float(row["nashconv"]) for row in log]
    assert len(nashconv) == 3 and nashconv == sorted(nashconv, reverse=True) and nashconv[-1] < 0.01
    assert float(log[-1]["exploitability"]) == pytest.approx(-nashconv[-1] / 2, rel=1e-4)
    assert log[-1]["information sets"] == "936"
    agent = run.agent()
    assert agent.expression == f'regret(run="{tmp_path / "run"}")'
    assert bl.match(LEDUC, [agent, "random"], games=2000, seed=1).mean_scores[0] > 0.4


@pytest.mark.parametrize("sampling", ["none", "external"])
def test_the_regret_bound_is_above_nashconv_and_falls(sampling, tmp_path):
    run = bl.train(
        KUHN, out=tmp_path / "run", episodes=4000, exam_every=1000, exams=["random"], exam_games=2,
        variant="vanilla", sampling=sampling,
    )  # fmt: skip
    bounds = [float(row["regret bound"]) for row in run.log]
    assert len(bounds) == 4 and bounds[-1] < bounds[0]
    if sampling == "none":  # else it is an estimate
        assert all(float(row["nashconv"]) <= bound for row, bound in zip(run.log, bounds, strict=True))


def test_the_agent_draws_from_the_average_strategy(tmp_path):
    run = bl.train(KUHN, out=tmp_path / "run", episodes=2000, exams=[])
    state = KUHN.initial_state()
    for action in (1, 0, 0, 1):  # a queen faces a bet after its check: it calls with alpha + 1/3
        state.apply(action)
    agent = run.agent()
    policy = agent.act(state).policy
    assert 1 / 3 - 0.01 <= policy[1] <= 2 / 3 + 0.01
    calls = 0
    for seed in range(400):
        agent.reset(seed)
        calls += agent.act(state).action
    assert calls / 400 == pytest.approx(policy[1], abs=0.1)
    judge = bl.evaluator(f'regret("{tmp_path / "run"}")', KUHN)
    assert judge.priors(state) == pytest.approx(policy)
    values = [judge.value(KUHN.initial_state(), seed)[0] for seed in range(4000)]
    assert np.mean(values) == pytest.approx(-1 / 18, abs=0.08)


def test_rounds_are_played_alike_whoever_begins(tmp_path):
    game = bl.game("kuhnpoker", rounds=3)
    run = bl.train(game, out=tmp_path / "run", episodes=1000, exams=[])
    policies = []
    for before in ((), (0, 1, 1, 0)):  # the second round is begun by the other player
        state = game.initial_state()
        for action in (*before, 2, 0):
            state.apply(action)
        policies.append(run.agent().act(state).policy)
    assert policies[0] == policies[1] != {0: 0.5, 1: 0.5}
    assert bl.evaluate(run.agent(), game, "exploitability").value > -0.001


def test_hands_of_poker_are_put_into_buckets_and_played_in_longer_games(tmp_path, monkeypatch):
    """Every new flop takes .06 s: few are met."""
    monkeypatch.setattr("boardlab.learners.cfr.HANDS", 10)
    monkeypatch.setattr("boardlab.learners.cfr.FEW_HANDS", 2)
    monkeypatch.setattr("boardlab._engine.estimate_sets", lambda *given: (1000.0, 3.0))
    game = bl.game("poker", rounds=1)
    run = bl.train(game, out=tmp_path / "run", episodes=10, exams=[], buckets=(4, 2), seed=1)
    assert run.settings.sampling == "external" and run.settings.buckets == (4, 2)
    longer = bl.game("poker", rounds=6)
    result = bl.match(longer, [f'regret("{run.path}")', "random"], games=2, seed=1)
    assert result.errors == 0
    # Nobody has a raise left against an all-in of fewer chips: what was learned for it goes to the call.
    state = longer.initial_state()
    for action in (0, 20, 1, 21, 4, 0):  # player 0 raises and wins the blind
        state.apply(action)
    for card in (30, 31, 32, 33):
        state.apply(card)
    state.apply(5)
    decision = bl.agent(run.expression, longer).act(state)
    assert set(decision.policy) == set(state.legal_actions()) == {0, 3}
    assert sum(decision.policy.values()) == pytest.approx(1)


def test_buckets_divide_hands_evenly():
    game = bl.game("poker", rounds=1)
    bounds = bucket_bounds(game, [4, 2], 16, 1).reshape(4, 7)
    assert (np.diff(bounds[:, :3], axis=1) >= 0).all()
    strengths = _engine.sample_hands(game.core, 16, 1)[0][:, 0]
    groups = np.searchsorted(bounds[0, :3], strengths, side="right")
    assert np.bincount(groups, minlength=4).tolist() == pytest.approx([4] * 4, abs=1)


@pytest.mark.parametrize("given", [{"sampling": "none"}, {"sampling": "external"}])
def test_a_resumed_run_ends_as_an_unbroken_one(given, tmp_path):
    def train(name, episodes):
        return bl.train(LEDUC, "cfr", out=tmp_path / name, episodes=episodes, seed=3, exams=[], **given)

    train("whole", 120)
    train("broken", 50)
    bl.resume(tmp_path / "broken", episodes=120)
    files = [np.load(tmp_path / name / "checkpoint.npz") for name in ("whole", "broken")]
    assert files[0]["sizes"].tolist()[0] > 100
    for name in ("keys", "counts", "actions", "sums", "regrets", "bounds", "random", "progress"):
        assert (files[0][name] == files[1][name]).all()


def test_damaged_tables_are_refused(tmp_path):
    run = bl.train(KUHN, out=tmp_path / "run", episodes=10, exams=[])
    good = dict(np.load(tmp_path / "run" / "weights.npz"))

    def refused(match, **changes):
        np.savez(tmp_path / "run" / "weights.npz", **{**good, **changes})
        with pytest.raises(bl.BoardLabError, match=match):
            bl.agent(run.expression, KUHN)

    refused("two information sets have one key", keys=np.zeros(12, np.uint64))
    refused("no action", counts=np.zeros(12, np.int32))
    refused("another number of actions", counts=np.ones(12, np.int32))
    refused("does not fit its run", sizes=np.array([13, 24, 0]))
    refused("sizes", sizes=np.array([12, -24, 0]))


@pytest.mark.parametrize(
    ("game", "given", "sentence"),
    [
        ("tictactoe", {}, "cfr learns games with hidden cards, and in tictactoe nothing is hidden"),
        ("leducpoker", {"buckets": (3,)}, "describes a hand by 0 features, so buckets must be left out"),
        ("leducpoker", {"sampling": "none", "threads": 2}, "threads does nothing with sampling=none"),
        ("leducpoker", {"variant": "plus", "alpha": 1.0}, "alpha does nothing with variant=plus"),
        ("leducpoker", {"memory_gb": 0.0001}, "memory_gb"),
        ("poker", {"sampling": "none"}, "poker: the whole tree would take about .* the limit is 8 GiB"),
    ],
)
def test_what_cannot_be_learned_is_refused_with_the_reason(game, given, sentence, tmp_path):
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.train(bl.game(game), "cfr", out=tmp_path / "run", exams=[], **given)
    assert not (tmp_path / "run").exists()


def test_a_table_does_not_outgrow_its_memory():
    table = _engine.RegretTable(int(_engine.RegretTable.bytes_for(100, 3)))
    learner = _engine.sampled_cfr(
        LEDUC.core, [], NO_BOUNDS, table, "vanilla", 1.5, 0.0, 2.0, 1000, 1, "score", 1
    )
    with pytest.raises(bl.BoardLabError, match="information sets is full"):
        learner.train(10_000)
    assert 50 < table.sets <= 120


def test_the_text_none_is_a_way_to_sample_and_none_is_no_choice(tmp_path):
    sampling = next(known for known in options_of(Cfr) if known.name == "sampling")
    assert read_option("cfr", sampling, "none") == "none" and read_option("cfr", sampling, "None") is None
    run = bl.train(KUHN, out=tmp_path / "run", episodes=20, exams=[], sampling=None)
    assert run.settings.sampling == "none"  # what suits the game


@pytest.mark.parametrize(
    ("game", "worst", "best"),
    [("kuhnpoker", 1e-3, 3e-4), pytest.param("leducpoker", 1e-3, 1e-4, marks=pytest.mark.slow)],
)
def test_the_default_curve_shows_the_learning(game, worst, best, tmp_path):
    log = bl.train(bl.game(game), out=tmp_path / "run").log
    nashconv = [float(row["nashconv"]) for row in log]
    assert len(log) == 20 and nashconv[0] > worst and nashconv[-1] < best


def test_settings_by_size():
    for game, sampling in ((KUHN, "none"), (LEDUC, "none"), (PEEK, "none")):
        assert bl.learners.preset(game, learner="cfr")["sampling"] == sampling
    assert Cfr().sampling is None
