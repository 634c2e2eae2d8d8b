"""Ranked reward: quantiles worked by hand, ranks inside the trees, runs that resume."""

import json

import numpy as np
import pytest
from oracles.positions import ends_of, near_the_end
from oracles.ranked import RankedTree
from oracles.tree import derive_seed

import boardlab as bl
from boardlab import Forest
from boardlab.errors import BoardLabError
from boardlab.learners.alphazero.ranked import RankedReward, Ranking, quantile
from boardlab.learners.alphazero.self_play import play_games
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.warm_start import WarmStart
from boardlab.learners.presets import preset

SMALL = {"net": "mlp", "blocks": 1, "channels": 16, "hidden": 8, "games": 6, "parallel": 4}
SMALL |= {"simulations": 6, "temperature_moves": 30, "device": "cpu", "threads": 1}


def even(planes, legal):
    """Knows nothing."""
    return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)


# ---- the quantile ----


def test_the_quantile_is_a_score_that_was_reached():
    """By hand: three quarters of 10, 20, 30, 40 do not exceed 30; half of 1, 2, 3 needs the second."""
    assert quantile(np.array([40.0, 10, 30, 20]), 0.75) == 30
    assert quantile(np.array([3.0, 1, 2]), 0.5) == 2
    assert quantile(np.array([7.0]), 0.75) == 7
    assert quantile(np.array([1.0, 2, 3, 4]), 1.0) == 4
    assert quantile(np.array([1.0, 2, 3, 4]), 0.0) == 1


def test_a_game_is_won_above_the_quantile_lost_below_it_and_a_coin_decides_at_it():
    ranking = Ranking(0.75, 30.0)
    z = np.array([[10.0], [31], [30], [30]])
    assert ranking.rank(z, np.array([1.0, -1, -1, 1]), z).tolist() == [[-1], [1], [-1], [1]]


def test_until_the_window_is_full_the_quantile_is_that_of_what_is_there():
    reward = RankedReward(0.75, 5)
    assert np.isnan(reward.ranking().threshold)
    reward.add([10, 20])
    assert reward.ranking().threshold == 20
    assert reward.range == (10, 20)
    reward.add([40, 30])
    assert reward.ranking().threshold == 30  # of 10 20 30 40
    reward.add([50, 60])  # 10 falls out
    assert reward.scores.tolist() == [20, 40, 30, 50, 60]
    assert reward.ranking().threshold == 50
    reward.add([1, 2, 3, 4, 5, 6, 7])
    assert reward.scores.tolist() == [3, 4, 5, 6, 7]


def test_the_first_generation_is_ranked_in_itself():
    z = np.array([[5.0], [9], [1], [9]])
    ranks = Ranking(0.5, float("nan")).rank(z, np.array([1.0, 1, 1, -1]), np.array([5.0, 9, 1, 9]))
    assert ranks.tolist() == [[1], [1], [-1], [1]]


# ---- inside the trees ----


def net(planes, legal):
    sums = np.asarray(planes).reshape(len(planes), -1).sum(axis=1)
    return np.sin(sums) / 2, np.cos(np.arange(16384) + sums[:, None]) * 0.5


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_ranked_in_the_tree_as_in_the_slow_version(seed):
    state = near_the_end(seed)
    game, ends = state.game, ends_of(state)
    ties = 0
    for threshold in (*sorted(ends), float("nan")):
        forest = Forest(game, 1, seed=3, ranked=threshold)
        forest.set_state(0, state)
        forest.search(net, 80)
        tree = RankedTree(state, net, threshold, derive_seed(3, 0))
        for _ in range(80):
            tree.iterate()
        visits, values = forest.visits()[0], forest.values()[0]
        assert {a: visits[a] for a in tree.root["n"]} == tree.root["n"]
        for action, n in tree.root["n"].items():
            if n:
                assert values[action] == pytest.approx(tree.root["w"][action] / n, abs=1e-5)
        ties += tree.ties if threshold in ends else 0
    assert ties


def test_rollouts_are_ranked_too():
    """In 2048 on 2x2 every game pays more than 0 and less than 10,000: rollouts win or lose all."""
    game = bl.game("2048", size=2)
    for threshold, value in ((0.0, 1), (1e4, -1)):
        forest = Forest(game, 2, rollout_weight=1.0, ranked=threshold)
        forest.search(even, 30)
        assert (forest.root_values() == value).all()
    chance = Forest(game, 2, ranked=1e4)
    chance.search(even, 300)
    assert (chance.root_values() < 0).all() and (chance.root_values() >= -1).all()


# ---- self-play and runs ----


@pytest.mark.parametrize("warm_start", ["off", "rollout", "rhea"])
def test_a_game_has_one_coin_and_the_trees_speak_of_ranks(warm_start):
    game = bl.game("2048", size=2)
    settings = AlphaZero.flat(
        games=20, parallel=8, simulations=6, warm_start=warm_start, temperature_moves=50
    )
    warm = WarmStart(settings.warm_start).generation(1)
    for threshold in (float("nan"), 40.0, -1.0):
        ranking = Ranking(0.75, threshold)
        examples, counts = play_games(
            game, even, settings.self_play, 6, 1, seed=4, threads=1, warm=warm, ranking=ranking
        )
        assert len(counts.scores) == 20 and len(set(counts.scores)) > 1
        assert set(examples.z.ravel().tolist()) == set(counts.scores)
        assert np.isnan(examples.q).all() if warm_start == "rhea" else np.abs(examples.q).max() <= 1
        assert len(counts.coins) == len(examples) and set(counts.coins) == {-1, 1}
        ranks = ranking.rank(examples.z, np.array(counts.coins), np.array(counts.scores))
        assert ranks.shape == examples.z.shape and set(ranks.ravel()) <= {-1, 1}
        assert threshold != -1 or (ranks == 1).all()
        # A score that only one game has: all of its positions have the same coin.
        for score in counts.scores:
            if counts.scores.count(score) == 1:
                assert len(set(np.array(counts.coins)[examples.z[:, 0] == score])) == 1


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    pytest.importorskip("torch")
    game = bl.game("2048", size=2)
    arguments = {"episodes": 6 * 4, "seed": 3, "ranked_reward": 0.75, "ranked_window": 10, "lanes": 2}
    bl.train(game, "alphazero", out=tmp_path / "whole", **arguments, **SMALL)
    bl.train(
        game,
        "alphazero",
        out=tmp_path / "broken",
        progress=lambda standing: standing.episodes >= 12,
        **arguments,
        **SMALL,
    )
    bl.resume(tmp_path / "broken")
    for file in ("weights.npz", "checkpoint.npz"):
        with np.load(tmp_path / "whole" / file) as one, np.load(tmp_path / "broken" / file) as other:
            assert set(one.files) == set(other.files)
            for key in one.files:
                if not key.endswith("seconds"):
                    assert np.array_equal(one[key], other[key]), key
    with np.load(tmp_path / "whole" / "checkpoint.npz") as stored:
        scores, scale = stored["ranked.scores"], stored["scale"]
        assert stored["ranked.count"].tolist() == [10]
    assert len(scores) == 10 and scores.all()
    assert scale.tolist() == [scores.min(), max(scores.max(), scores.min() + 1e-6)]
    lines = [json.loads(line) for line in (tmp_path / "whole" / "generations.jsonl").read_text().splitlines()]
    assert "threshold" not in lines[0] and all("threshold" in line for line in lines[1:])
    # Outside of training the net speaks of scores: its values lie between the worst and the best of the window.
    evaluator = bl.evaluator(f'net("{(tmp_path / "whole").as_posix()}")', game)
    state = Forest(game, 1).state(0)
    assert scale[0] <= evaluator.value(state)[0] <= scale[1]
    assert (
        bl.match(game, [f'mcts(net("{(tmp_path / "whole").as_posix()}"), iterations=5)'], games=2).errors == 0
    )


@pytest.mark.parametrize(
    "settings", [{}, {"ranked_reward": 0.75, "ranked_window": 10}], ids=["score", "ranked"]
)
def test_ctrl_c_in_the_midst_of_a_generation_leaves_no_trace(tmp_path, monkeypatch, settings):
    """The range of values and the window change only with the weights that were learned with them."""
    pytest.importorskip("torch")
    from boardlab.learners.alphazero import learner

    game = bl.game("2048", size=2)
    for seed in range(20):  # until the second generation has a better game than the first
        arguments = {"episodes": 6 * 3, "seed": seed, **settings}
        bl.train(game, "alphazero", out=tmp_path / "whole", force=True, **arguments, **SMALL)
        lines = [
            json.loads(line) for line in (tmp_path / "whole" / "generations.jsonl").read_text().splitlines()
        ]
        if lines[1]["best_score"] > lines[0]["best_score"]:
            break
    calls = []

    def draw_rows(*given):
        calls.append(0)
        if len(calls) == 2:  # the second generation is played, and about to be learned from
            raise KeyboardInterrupt
        return real(*given)

    real = learner.draw_rows
    monkeypatch.setattr(learner, "draw_rows", draw_rows)
    with pytest.raises(KeyboardInterrupt):
        bl.train(game, "alphazero", out=tmp_path / "broken", **arguments, **SMALL)
    bl.resume(tmp_path / "broken")
    whole, broken = (tmp_path / name / "checkpoint.npz" for name in ("whole", "broken"))
    with np.load(whole) as one, np.load(broken) as other:
        for key in one.files:
            if not key.endswith("seconds"):
                assert np.array_equal(one[key], other[key]), key


def test_the_preset_is_for_one_player(tmp_path):
    pytest.importorskip("torch")
    values = preset(bl.game("morpion"), "ranked", "alphazero")
    values.pop("episodes")
    assert AlphaZero.checked(values).ranked.reward == 0.75
    with pytest.raises(BoardLabError, match="ranked_reward is for one player"):
        bl.train(bl.game("tictactoe"), "alphazero", preset="ranked", out=tmp_path / "run")


def test_what_cannot_be_ranked_is_refused_with_a_sentence(tmp_path):
    pytest.importorskip("torch")
    for game, settings, message in (
        ("tictactoe", {"ranked_reward": 0.75}, "ranked_reward is for one player .* tictactoe is for 2"),
        ("rubiks", {"ranked_reward": 0.75}, "rubiks pays by the step"),
        (
            "blackjack",
            {"ranked_reward": 0.75},
            "compares whole games, and a net of blackjack judges one round",
        ),
        ("morpion", {"ranked_reward": 1.5}, "ranked_reward must be a number from 0 to 1"),
        ("morpion", {"ranked_reward": 0.5, "ranked_window": 0}, "ranked_window must be a whole number"),
    ):
        with pytest.raises(BoardLabError, match=message):
            bl.train(bl.game(game), "alphazero", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()
