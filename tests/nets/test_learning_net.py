"""A net that learns with the engine's convolutions: its answers and gradients are those of PyTorch."""

import copy

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine

torch = pytest.importorskip("torch")

from boardlab.nets.cpu_training import LearningNet  # noqa: E402
from boardlab.nets.layers import NetOptions, NetShape, net_layers  # noqa: E402
from boardlab.nets.torch_net import Net  # noqa: E402


def shaken(kind, rows, cols, *, planes=3, blocks=2, channels=16, head_filters=8, dropout=0.0):
    torch.manual_seed(rows * 100 + cols)
    options = NetOptions(kind, blocks, channels, head_filters, hidden=8, dropout=dropout)
    net = Net(net_layers(NetShape(planes, rows, cols, actions=5, values=2), options))
    for parameter in net.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return net.train()


def batch(net, n, rows, cols, planes=3):
    generator = torch.Generator().manual_seed(n)
    x = (torch.rand((n, planes, rows, cols), generator=generator) < 0.4).float()
    weights = [torch.randn((n, k), generator=generator) for k in (2, 5)]
    return x, weights


def learned(answer, net, x, weights):
    """Answers and gradients of a loss in which each answer has a weight of its own."""
    net.zero_grad()
    answers = answer(x)
    (answers[0] * weights[0].to(x)).sum().add((answers[1] * weights[1].to(x)).sum()).backward()
    gradients = {name: parameter.grad.clone() for name, parameter in net.named_parameters()}
    return [*(a.detach() for a in answers)], gradients


def error(found, expected):
    return float((found - expected).norm() / expected.norm().clamp(min=0.1))


SHAPES = [
    ("res", 6, 7, {"channels": 32}),
    ("res", 3, 3, {"channels": 5, "head_filters": 3}),
    ("res", 8, 8, {"channels": 48, "blocks": 1}),
    ("res", 1, 5, {"channels": 20}),
    ("res", 2, 9, {"blocks": 0, "channels": 17, "head_filters": 33}),
    ("conv", 5, 4, {"channels": 16, "planes": 18}),
    ("wang", 6, 6, {"channels": 16}),
    ("wang", 7, 5, {"channels": 24}),
    ("wang", 3, 4, {"channels": 8}),
]


@pytest.mark.parametrize("level", _engine.kernel_levels())
@pytest.mark.parametrize(("kind", "rows", "cols", "more"), SHAPES)
def test_answers_gradients_and_statistics_are_those_of_pytorch(level, kind, rows, cols, more):
    net = shaken(kind, rows, cols, **more)
    exact = copy.deepcopy(net).double()
    fast = LearningNet(net, (more.get("planes", 3), rows, cols), 2, level)
    assert fast.units
    errors = []
    for n in (7, 40, 3):  # another number of boards each time
        x, weights = batch(net, n, rows, cols, more.get("planes", 3))
        answers, gradients = learned(fast, net, x, weights)
        expected_answers, expected = learned(exact, exact, x.double(), weights)
        assert max(map(error, answers, expected_answers)) < 2e-5
        errors.append(max(error(gradients[name], expected[name]) for name in expected))
    # Now and then rounding decides about a ReLU, which is all or nothing.
    assert sorted(errors)[1] < 1e-4
    assert max(errors) < 0.05
    state = exact.state_dict()
    assert all(
        error(tensor, state[name].to(tensor)) < 1e-5
        for name, tensor in net.state_dict().items()
        if tensor.ndim
    )
    assert net.body[1].num_batches_tracked == 3


def test_the_heads_are_part_of_it_where_the_body_ends_before_them():
    assert LearningNet(shaken("res", 4, 4), (3, 4, 4), 1).is_with_heads
    assert not LearningNet(shaken("wang", 6, 6), (3, 6, 6), 1).is_with_heads


@pytest.mark.parametrize("kind", ["res", "wang"])
def test_the_number_of_threads_does_not_change_a_bit(kind):
    found = []
    for threads in (1, 3):
        net = shaken(kind, 6, 7, channels=32)
        fast = LearningNet(net, (3, 6, 7), threads)
        found.append(learned(fast, net, *batch(net, 150, 6, 7)))
    (one, of_one), (three, of_three) = found
    assert all(torch.equal(a, b) for a, b in zip(one, three, strict=True))
    assert all(torch.equal(of_one[name], of_three[name]) for name in of_one)


@pytest.mark.parametrize("kind", ["pool", "mlp"])
def test_other_nets_are_pytorchs(kind):
    net = shaken(kind, 4, 4)
    fast, x = LearningNet(net, (3, 4, 4), 1), batch(net, 6, 4, 4)[0]
    assert not fast.units
    for mine, right in zip(fast(x), net(x), strict=True):
        assert torch.equal(mine, right)


def test_frozen_layers_stay_with_pytorch():
    net = shaken("res", 4, 4)
    for parameter in net.body.parameters():
        parameter.requires_grad = False
    net.body.eval()
    fast, x = LearningNet(net, (3, 4, 4), 1), batch(net, 6, 4, 4)[0]
    assert not fast.units
    before = net.body[1].running_mean.clone()
    sum(answer.sum() for answer in fast(x)).backward()
    assert torch.equal(net.body[1].running_mean, before)
    assert net.body[0].weight.grad is None
    assert net.policy[0].weight.grad is not None


def test_dropout_is_drawn_as_by_pytorch():
    net = shaken("res", 4, 4, dropout=0.5)
    fast, x = LearningNet(net, (3, 4, 4), 1), batch(net, 20, 4, 4)[0]
    torch.manual_seed(5)
    mine = fast(x)
    torch.manual_seed(5)
    for found, right in zip(mine, net(x), strict=True):
        assert error(found.detach(), right.detach()) < 1e-5


@pytest.mark.parametrize(
    ("name", "learner", "more"),
    [
        ("tictactoe", "alphazero", {"channels": 4, "games": 2, "simulations": 2, "gumbel": 2}),
        ("rubiks", "random-walk", {"first": 8, "width": 8, "walks": 2}),
        ("rubiks", "davi-net", {"first": 8, "width": 8, "walks": 2}),
    ],
)
def test_training_leaves_pytorch_as_it_was(tmp_path, name, learner, more):
    """With the threads that it had, and the random numbers that were to come."""
    threads = torch.get_num_threads() + 1
    torch.set_num_threads(threads)
    try:
        before = torch.get_rng_state()
        settings = {"blocks": 1, "threads": 1, "device": "cpu", **more}
        bl.train(bl.game(name), learner, episodes=2, out=tmp_path, exams=[], **settings)
        assert torch.get_num_threads() == threads
        assert torch.equal(torch.get_rng_state(), before)
    finally:
        torch.set_num_threads(threads - 1)


def arrays(*shapes):
    return [np.ones(shape, np.float32) for shape in shapes]


def small_units(**more):
    units = _engine.LearningUnits(2, 3, 3, **more)
    units.finish([units.add(0, 4, "3x3")])
    return units


def answer(units, n=2, *, weights=(4, 2, 3, 3), gains=4, answers=None):
    return units.forward(
        *arrays((n, 2, 3, 3)),
        arrays(weights),
        arrays(gains),
        arrays(4),
        1e-5,
        arrays(4),
        arrays(4),
        arrays(answers or (n, 3, 3, 4)),
    )


def gradient(units, number=1, n=2):
    units.backward(number, arrays((n, 3, 3, 4)), arrays((4, 2, 3, 3)), arrays(4), arrays(4))


def test_a_gradient_is_of_the_last_answer_once():
    units = small_units()

    def refused(*words):
        with pytest.raises(ValueError, match="of the last answer, with as many boards, and only once"):
            gradient(units, *words)

    refused()
    assert (answer(units), answer(units)) == (1, 2)
    for number, n in [(1, 2), (2, 3), (3, 2)]:
        refused(number, n)
    gradient(units, 2)
    refused(2)


def test_an_answer_in_between_is_noticed():
    net = shaken("res", 4, 4)
    fast, x = LearningNet(net, (3, 4, 4), 1), batch(net, 6, 4, 4)[0]
    first = fast(x)[0].sum()
    with torch.no_grad():
        fast(x)
    with pytest.raises(ValueError, match="of the last answer"):
        first.backward()


def test_one_number_a_channel_is_refused():
    net = shaken("wang", 5, 5, channels=8)
    before = net.body[1].running_mean.clone()
    with pytest.raises(ValueError, match="more than one number a channel"):
        LearningNet(net, (3, 5, 5), 1)(batch(net, 1, 5, 5)[0])
    assert torch.equal(net.body[1].running_mean, before)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"weights": (4, 2, 1, 1)}, "4 x 2 x 3 x 3"),
        ({"weights": (4, 3, 3, 3)}, "4 x 2 x 3 x 3"),
        ({"gains": 5}, "unit 0 has 4 channels"),
        ({"answers": (2, 3, 3, 5)}, "2 x 3 x 3 x 4"),
        ({"answers": (3, 3, 3, 4)}, "2 x 3 x 3 x 4"),
        ({"n": 0}, "at least one board"),
    ],
)
def test_arrays_must_fit(wrong, said):
    units = small_units()
    with pytest.raises(ValueError, match=said):
        answer(units, **wrong)
    answer(units)


def test_units_must_fit():
    with pytest.raises(ValueError, match="threads"):
        small_units(threads=0)
    with pytest.raises(ValueError, match="no level"):
        small_units(level="mmx")
    units = _engine.LearningUnits(2, 2, 3)
    for call, said in [
        (lambda: units.add(1, 4, "3x3"), "no value 1"),
        (lambda: units.add(0, 4, "3x3 unpadded"), "three rows"),
        (lambda: units.add(0, 4, "5x5"), "1x1, 3x3 or 3x3 unpadded"),
        (lambda: units.add(0, 0, "3x3"), "outputs"),
        (lambda: units.add(0, 2, "3x3", 0), "that of a unit"),
        (lambda: units.add(0, 1 << 24, "3x3"), "too large"),
        (lambda: units.finish([]), "at least one output"),
        (lambda: units.finish([0]), "no unit reads"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()
    first = units.add(0, 4, "3x3")
    second = units.add(first, 4, "1x1", first)
    for call, said in [
        (lambda: units.add(second, 5, "1x1", second), "same shape"),
        (lambda: units.add(first, 4, "1x1"), "already been added"),
        (lambda: units.finish([first]), "already been added"),
        (lambda: units.finish([second, second]), "no unit reads"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()
    third = units.add(second, 4, "1x1")
    units.add(second, 4, "1x1")
    with pytest.raises(ValueError, match="nothing reads value 4"):
        units.finish([third])
    units.finish([third, 4])
    with pytest.raises(ValueError, match="finished"):
        units.add(third, 4, "1x1")
