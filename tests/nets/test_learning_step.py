"""One step of learning: the value's target, the schedule, the optimisers, which symmetric image has which share."""

import json

import numpy as np
import pytest

import boardlab as bl

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero.learner import AlphaZeroLearner  # noqa: E402
from boardlab.learners.alphazero.replay import Examples  # noqa: E402
from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.learners.moments import fill_moments, moments  # noqa: E402

SMALL = {
    "blocks": 0,
    "channels": 4,
    "head_filters": 2,
    "hidden": 4,
    "games": 2,
    "threads": 1,
    "device": "cpu",
}


def learner(game, episodes=20, frozen=(), **more):
    settings = AlphaZero.flat(**{**SMALL, **more})
    description = {**settings.describe(game, 0), "frozen": frozen}
    return AlphaZeroLearner(game, settings, description, episodes, 0)


def one_position(game, z, q):
    state = game.initial_state()
    fields, action = np.array([state.fields], np.int32), np.zeros((1, 1), np.int32)
    share = np.ones((1, 1), np.float32)
    return Examples(fields, action, share, np.array([z], np.float32), np.array([q], np.float32))


@pytest.mark.parametrize(("target", "expected"), [("z", 1.0), ("q", -0.5), ("mean", 0.25)])
def test_the_values_target(target, expected):
    game = bl.game("tictactoe")
    found = learner(game, value_target=target)._batch(
        one_position(game, [1.0], [-0.5]), np.array([0]), np.random.default_rng(0)
    )
    assert found[2].tolist() == [[expected]]


def test_three_players_have_three_values_on_the_scale_of_the_game():
    game = bl.game("nim", players=3, heaps=(2, 3))
    low, high = game.score_range
    found = learner(game, value_target="z")._batch(
        one_position(game, [high, low, (low + high) / 2], [0, 0, 0]), np.array([0]), np.random.default_rng(0)
    )
    assert found[2].tolist() == [[1.0, -1.0, 0.0]]


def test_in_a_game_with_rounds_values_are_on_the_scale_of_a_round():
    found = learner(bl.game("blackjack", rounds=1000))
    found.begin()
    low, high = found.scale
    assert -8.5 <= low <= -1 and 1 <= high <= 8  # random players lose hundreds in a game


def test_every_symmetry_moves_the_policy_with_the_board():
    game = bl.game("tictactoe")
    example = one_position(game, [0.0], [0.0])  # all on the corner a1
    seen = set()
    for seed in range(40):
        _, policy, _ = learner(game)._batch(example, np.array([0]), np.random.default_rng(seed))
        assert policy.sum() == 1
        seen.add(int(policy.argmax()))
    assert seen == {0, 2, 6, 8}  # the four corners, never another cell
    _, policy, _ = learner(game, symmetries=False)._batch(example, np.array([0]), np.random.default_rng(1))
    assert policy.argmax() == 0


def test_batches_made_at_once_are_those_made_one_by_one(monkeypatch):
    game = bl.game("connectfour")
    state, fields = game.initial_state(), []
    for action in (3, 3, 2, 4, 5, 0):
        fields.append(state.fields)
        state.apply(action)
    examples = Examples(
        np.array(fields, np.int32),
        np.arange(6, dtype=np.int8).reshape(6, 1),
        np.ones((6, 1), np.float32),
        np.linspace(-1, 1, 6, dtype=np.float32).reshape(6, 1),
        np.zeros((6, 1), np.float32),
    )
    made = learner(game, symmetries=False, value_target="z")
    rows = np.random.default_rng(1).integers(0, 6, (7, 4))
    for floats in (1, 3 * 4 * 91, 1 << 20):  # a step at a time, three, all: 91 numbers a row
        monkeypatch.setattr("boardlab.learners.alphazero.learner.BATCHES_FLOATS", floats)
        batches = list(made._batches(examples, rows, np.random.default_rng(2)))
        assert len(batches) == 7
        for found, chosen in zip(batches, rows, strict=True):
            expected = made._batch(examples, chosen, np.random.default_rng(3))
            assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))
    several = list(learner(game)._batches(examples, rows, np.random.default_rng(2)))
    assert any(not torch.equal(a[0], b[0]) for a, b in zip(several, batches, strict=True))  # mirrored


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_batches_on_a_gpu_are_those_of_a_cpu():
    game = bl.game("connectfour")
    example = one_position(game, [1.0], [0.0])
    rows = np.zeros((5, 8), np.int64)
    found, expected = (
        list(learner(game, device=device)._batches(example, rows, np.random.default_rng(1)))
        for device in ("cuda", "cpu")
    )
    for mine, theirs in zip(found, expected, strict=True):
        assert all(a.is_cuda and torch.equal(a.cpu(), b) for a, b in zip(mine, theirs, strict=True))


def test_the_learning_rate_follows_a_cosine():
    made = learner(bl.game("tictactoe"), episodes=2 * 11, lr=0.1, lr_final=0.01)
    assert made.generations == 11
    assert [made._lr(n) for n in (1, 6, 11)] == pytest.approx([0.1, 0.055, 0.01])
    assert made._lr(4) == pytest.approx(0.055 + 0.045 * np.cos(0.3 * np.pi))
    rates = [made._lr(n) for n in range(1, 12)]
    assert rates == sorted(rates, reverse=True)
    assert {learner(bl.game("tictactoe"), lr=0.1)._lr(n) for n in (1, 5, 10)} == {0.1}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)],
)
def test_the_optimisers(name, kind):
    made = learner(bl.game("tictactoe"), optimiser=name, lr=0.03, weight_decay=0.02)
    assert type(made.optimiser) is kind
    (group,) = made.optimiser.param_groups
    assert (group["lr"], group["weight_decay"]) == (0.03, 0.02)
    assert group.get("momentum", 0.9) == 0.9


def test_progressive_simulations_grow_linearly():
    made = learner(bl.game("tictactoe"), episodes=2 * 5, simulations_first=10, simulations=50)
    assert [made._simulations(n) for n in range(1, 6)] == [10, 20, 30, 40, 50]


@pytest.mark.parametrize(
    ("name", "parameters", "more"),
    [("tictactoe", {}, {}), ("2048", {"size": 2}, {}), ("2048", {"size": 2}, {"ranked_reward": 0.75})],
)
def test_a_generation_without_positions_is_passed_over(tmp_path, name, parameters, more):
    small = {"blocks": 1, "channels": 8, "games": 1, "simulations": 4, "threads": 1, "device": "cpu"}
    small |= {"full_share": 0.01, "fast_simulations": 2, "window": 1, "window_first": 1} | more
    run = bl.train(bl.game(name, **parameters), "alphazero", episodes=4, out=tmp_path / "run", **small)
    lines = (run.path / "generations.jsonl").read_text().splitlines()
    assert run.is_finished and not any("NaN" in line for line in lines)
    told = [json.loads(line) for line in lines]
    assert len(told) == 4 and any(row["positions"] == 0 for row in told)
    assert all(("policy_loss" in row) == (row["positions"] >= 2) for row in told)


def test_moments_from_before_the_first_step_forget_later_ones():
    weight = torch.nn.Parameter(torch.ones(3))
    optimiser = torch.optim.Adam([weight])
    before = moments(optimiser, [weight])
    weight.sum().backward()
    optimiser.step()
    fill_moments(optimiser, [weight], before)
    assert not optimiser.state.get(weight)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("frozen", [(), ("body.0", "body.1")])
@pytest.mark.parametrize(("optimiser", "dropout"), [("adamw", 0.0), ("sgd", 0.3)])
def test_a_recorded_step_is_the_step(optimiser, dropout, frozen, monkeypatch):
    """Batch by batch, from the same weights and random numbers: what comes without a graph."""
    small = {"blocks": 2, "channels": 16, "hidden": 32, "dropout": dropout, "device": "cuda", "batch": 64}
    small |= {"optimiser": optimiser, "lr": 0.01, "frozen": frozen}
    mine, plain, other = (learner(bl.game("connectfour"), **small) for _ in range(3))
    monkeypatch.setattr(plain.gradients, "_record", lambda batch: None)
    for one in (mine, plain):
        one.net.train()
        for layer in one.frozen:
            layer.eval()
    rng = np.random.default_rng(1)
    for number, rows in enumerate((20, 64, 64, 20, 64, 64, 64)):
        batch = (
            torch.from_numpy(rng.random((rows, 2, 6, 7), np.float32)),
            torch.softmax(torch.from_numpy(3 * rng.random((rows, 7), np.float32)), 1),
            torch.from_numpy(2 * rng.random((rows, 1), np.float32) - 1),
        )
        if number == 5:  # a gate that stays closed puts other weights into the same place
            mine.net.load_state_dict(other.net.state_dict())
        plain.net.load_state_dict(mine.net.state_dict())
        for one in (plain, mine):
            torch.cuda.manual_seed(number)
            one.gradients.sums.zero_()
            one.gradients(*batch)
        assert plain.gradients._graph is None and (mine.gradients._graph is not None) == (number > 0)
        assert mine.gradients.sums.tolist() == pytest.approx(plain.gradients.sums.tolist(), rel=1e-3)
        for (name, found), expected in zip(mine.net.named_parameters(), plain.net.parameters(), strict=True):
            is_frozen = name.rpartition(".")[0] in frozen
            assert (found.grad is None) == (expected.grad is None) == is_frozen, name
            if not is_frozen:
                size = float(expected.grad.norm())
                assert size > 0 and float((found.grad - expected.grad).norm()) <= 0.01 * size, (number, name)
        for (name, found), expected in zip(mine.net.named_buffers(), plain.net.buffers(), strict=True):
            assert torch.allclose(found.float(), expected.float(), rtol=1e-3, atol=1e-5), (number, name)
        mine.optimiser.step()
