"""Asking a net quickly gives the answers that the net gives."""

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.nets import layers  # noqa: E402
from boardlab.nets.gpu import folded  # noqa: E402
from boardlab.nets.inference import CHUNK, CpuJudge, net_judge  # noqa: E402
from boardlab.nets.layers import NetOptions, NetShape, StoredNet, net_layers  # noqa: E402
from boardlab.nets.program import Builder, net_program  # noqa: E402
from boardlab.nets.stored import build_net, net_description  # noqa: E402
from boardlab.nets.torch_net import Net  # noqa: E402


def trained(kind, game, seed=1):
    """A net whose batch normalisations have seen something, and their weights changed."""
    torch.manual_seed(seed)
    net = build_net(net_description(game, AlphaZero.flat(net=kind, blocks=2, channels=16, dropout=0.3).net))
    return shaken(net, game.initial_state().planes().shape)


def shaken(net, shape):
    for parameter in net.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    net.train()
    for _ in range(5):
        net(torch.randn(32, *shape))
    return net


def positions(game, count, seed=2):
    rng = np.random.default_rng(seed)
    shape = game.initial_state().planes().shape
    planes = (rng.random((count, *shape)) < 0.3).astype(np.float32)
    return planes, np.ones((count, game.action_count), bool)


@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
def test_a_folded_net_answers_as_the_net_itself(kind):
    game = bl.game("connectfour")
    net = trained(kind, game)
    fast = folded(net)
    assert net.training  # the original is left as it was
    assert not any("BatchNorm" in type(module).__name__ for module in fast.modules())
    planes = torch.from_numpy(positions(game, 50)[0])
    with torch.no_grad():
        for plain, quick in zip(net.eval()(planes), fast(planes), strict=True):
            assert torch.allclose(plain, quick, atol=2e-5)


def test_answers_do_not_depend_on_the_number_of_threads():
    game = bl.game("connectfour")
    net = trained("res", game)
    planes, legal = positions(game, 3 * CHUNK + 5)
    alone = CpuJudge(net, -1, 1)(planes, legal)
    together = CpuJudge(net, -1, 1, threads=3)(planes, legal)
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("level", _engine.kernel_levels())
@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
@pytest.mark.parametrize("shape", [(3, 3), (6, 7), (4, 5), (8, 11), (2, 9)])
def test_the_engine_answers_as_torch_on_every_board_and_level(kind, shape, level):
    torch.manual_seed(1)
    net = shaken(
        Net(net_layers(NetShape(3, *shape, 5, 2), NetOptions(net=kind, blocks=3, channels=24))), (3, *shape)
    )
    planes = np.random.default_rng(1).random((70, 3, *shape), np.float32)
    values, logits = net_program(net, level).run(planes)
    with torch.no_grad():
        wanted = net.eval()(torch.from_numpy(planes))
    assert np.tanh(values) == pytest.approx(wanted[0].numpy(), abs=2e-5)
    assert logits == pytest.approx(wanted[1].numpy(), abs=5e-5)
    assert logits.std(0).min() > 1e-3  # they do depend on the position


@pytest.mark.parametrize("channels", [5, 16, 48, 70])
def test_any_number_of_channels_will_do(channels):
    game = bl.game("connectfour")
    torch.manual_seed(1)
    net = shaken(
        build_net(net_description(game, AlphaZero.flat(net="res", blocks=1, channels=channels).net)),
        (2, 6, 7),
    )
    planes, legal = positions(game, 30)
    with torch.no_grad():
        wanted = net.eval()(torch.from_numpy(planes))[1].numpy()
    assert CpuJudge(net, -1, 1)(planes, legal)[1] == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize("level", _engine.kernel_levels())
def test_an_answer_does_not_depend_on_what_is_asked_with_it(level):
    game = bl.game("connectfour")
    net = trained("res", game)
    program = net_program(net, level)
    planes, _ = positions(game, 150)
    together = program.run(planes)
    for first, count in ((0, 1), (3, 5), (17, 64), (149, 1)):
        for whole, part in zip(together, program.run(planes[first : first + count]), strict=True):
            assert np.array_equal(whole[first : first + count], part)
    assert [answer.shape for answer in program.run(planes[:0])] == [(0, 1), (0, 7)]


@pytest.mark.skipif("avx512" not in _engine.kernel_levels(), reason="needs AVX-512")
@pytest.mark.parametrize("kind", ["res", "pool", "mlp"])
def test_avx2_and_avx512_give_the_same_bits(kind):
    game = bl.game("connectfour")
    net = trained(kind, game)
    planes, _ = positions(game, 70)
    answers = [net_program(net, level).run(planes) for level in ("avx2", "avx512")]
    for one, other in zip(*answers, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("level", _engine.kernel_levels())
def test_a_net_that_is_no_number_any_more_says_so(level):
    game = bl.game("connectfour")
    net = trained("res", game)
    next(net.parameters()).data[0, 0, 1, 1] = float("nan")
    for answer in net_program(net, level).run(positions(game, 3)[0]):
        assert np.isnan(answer).all()


def test_a_program_refuses_what_does_not_fit():
    def numbers(*shape):
        return np.zeros(shape, np.float32)

    program, wide = _engine.NetProgram(2, 6, 7), _engine.NetProgram(1, 1 << 12, 1 << 12)
    cells = _engine.NetProgram(5, 1, 1)
    for call, said in (
        (lambda: _engine.NetProgram(0, 6, 7), "planes"),
        (lambda: _engine.NetProgram(65536, 4096, 4096), "at most 16777216"),
        (lambda: _engine.NetProgram(2, 6, 7, level="mmx"), 'no level "mmx"'),
        (lambda: program.relu(5), "no value 5"),
        (lambda: program.convolution(0, numbers(8, 3, 3, 3), numbers(8), True), "outputs x 18"),
        (lambda: program.convolution(0, numbers(0, 2, 3, 3), numbers(0), True), "outputs x 18"),
        (
            lambda: program.convolution(0, numbers(4, 2, 3, 3), numbers(4), True, added=0),
            "the shape of the layer's value",
        ),
        (lambda: program.pointwise(0, numbers(8, 3), numbers(8)), "outputs x 2"),
        (lambda: program.linear(0, numbers(8, 3), numbers(8)), "outputs x 84"),
        (lambda: wide.pointwise(0, numbers(1 << 16), numbers(1 << 16)), "too large for 16777216 cells"),
        (lambda: program.norm(0, numbers(2), numbers(2), 1e-5), "needs a vector, not a board"),
        (lambda: program.spread(0, 0), "the shape of the layer's value"),
        (
            lambda: program.embedding([[0]], [[3]], numbers(3, 8), numbers(8)),
            "needs a vector of cells, not a board",
        ),
        (lambda: cells.embedding([[5]], [[3]], numbers(3, 8), numbers(8)), "no cell 5 in an input of 5"),
        (
            lambda: cells.embedding([[0, 1]], [[3]], numbers(3, 8), numbers(8)),
            "a number of values for each cell",
        ),
        (lambda: cells.embedding([[]], [[]], numbers(1, 8), numbers(8)), "at least one cell"),
        (
            lambda: cells.embedding([[0]], [], numbers(1, 8), numbers(8)),
            "as many lists of values as of cells",
        ),
        (lambda: cells.embedding([[0]], [[0]], numbers(1, 8), numbers(8)), "or a cell has none"),
        (lambda: cells.embedding([[0, 1]], [[2**40] * 2], numbers(1, 8), numbers(8)), "too many values"),
        (lambda: cells.embedding([[0]] * 4, [[2**29]] * 4, numbers(1, 8), numbers(8)), "too many values"),
        (lambda: cells.embedding([[0, 1]], [[3, 2]], numbers(5, 8), numbers(8)), "outputs x 6"),
        (lambda: program.finish([0]), "must be a vector"),
        (lambda: program.run(numbers(1, 2, 6, 7)), "not finished"),
    ):
        with pytest.raises(bl.BoardLabError, match=said):
            call()
    small = _engine.NetProgram(1, 2, 5)
    with pytest.raises(bl.BoardLabError, match="three rows"):
        small.convolution(0, numbers(4, 1, 3, 3), numbers(4), False)
    program.finish([program.linear(0, numbers(3, 84), numbers(3))])
    for call, said in (
        (lambda: program.relu(0), "no more layers"),
        (lambda: program.finish([1]), "no more layers"),
        (lambda: program.run(numbers(1, 2, 7, 6)), "n x 2 x 6 x 7"),
    ):
        with pytest.raises(bl.BoardLabError, match=said):
            call()
    with pytest.raises(TypeError):
        program.run(np.zeros((1, 2, 6, 7)))  # not 32-bit numbers
    cells.finish([cells.embedding([[0, 4], [2]], [[3, 2], [4]], numbers(10, 8), numbers(8))])
    for cell, value in ((0, 3), (4, 2), (2, -1), (2, np.nan), (0, np.inf), (4, 1e30)):
        wrong = numbers(2, 5, 1, 1)
        wrong[1, cell] = value
        with pytest.raises(bl.BoardLabError, match=f"cell {cell} must have a value from 0 to "):
            cells.run(wrong)
    assert np.array_equal(cells.run(numbers(2, 5, 1, 1))[0], numbers(2, 8))  # and goes on


def test_blocks_that_the_engine_cannot_end_are_refused():
    builder = Builder(_engine.NetProgram(2, 6, 7), {})
    convolution = layers.Convolution(2, 2)
    for inner in ((), (convolution, layers.Relu())):
        with pytest.raises(NotImplementedError, match="must end with"):
            builder.add(("body", layers.Residual(inner)), 0)
    for layer in (layers.Convolution(2, 2, size=5), layers.Convolution(2, 2, padding=2)):
        with pytest.raises(NotImplementedError, match="no layer for"):
            builder.add(("body", layer), 0)


@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
def test_the_layers_know_the_arrays_of_a_net_by_name(kind):
    made = net_layers(NetShape(3, 6, 7, 5, 2), NetOptions(net=kind, blocks=3, channels=8, dropout=0.1))
    state = Net(made).state_dict()
    assert made.arrays() == {
        name: ("<f4" if tensor.is_floating_point() else "<i8", tensor.numel())
        for name, tensor in state.items()
    }


@pytest.mark.parametrize("threads", [1, 3])
def test_no_rows_and_rows_in_another_order_are_answered(threads):
    game = bl.game("connectfour")
    judge = CpuJudge(trained("res", game), -1, 1, threads)
    planes, legal = positions(game, 2 * CHUNK)
    assert [answer.shape for answer in judge(planes[:0], legal[:0])] == [(0, 1), (0, 7)]
    for other in (planes.astype(np.float64), np.asfortranarray(planes)):
        for one, same in zip(judge(planes, legal), judge(other, legal), strict=True):
            assert np.array_equal(one, same)


def test_a_judge_takes_new_weights_and_a_new_scale_in():
    game = bl.game("tictactoe")
    judge = net_judge(trained("res", game, 1), "cpu", -1, 1)
    fresh = trained("res", game, 2)
    planes, legal = positions(game, 20)
    judge.load(fresh, 0, 10)
    with torch.no_grad():
        values, logits = fresh.eval()(torch.from_numpy(planes))
    found = judge(planes, legal)
    assert found[0] == pytest.approx(values.numpy() * 5 + 5, abs=1e-4)
    assert found[1] == pytest.approx(logits.numpy(), abs=1e-4)


@pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")),
    ],
)
def test_a_net_in_a_file_is_judged_as_the_one_in_torch(device):
    game = bl.game("connectfour")
    net = trained("res", game)
    stored = StoredNet(net.layers, {name: array.copy() for name, array in net.arrays().items()})
    planes, legal = positions(game, 20)
    answers = [net_judge(kind, device, -1, 1)(planes, legal) for kind in (net, stored)]
    for one, other in zip(*answers, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_same_answers_by_graph_and_without():
    game = bl.game("connectfour")
    net = trained("res", game).to("cuda")
    planes, legal = positions(game, 300)
    judge = net_judge(net, "cuda", -1, 1)
    plain = judge(planes, legal)
    judge.prepare(2, 256, planes.shape[1:])
    with torch.no_grad():
        exact = [answer.cpu().numpy() for answer in net.eval()(torch.from_numpy(planes).to("cuda"))]
    for rows in (1, 7, 64, 200, 256, 300):
        for quick, eager, full in zip(judge(planes[:rows], legal[:rows]), plain, exact, strict=True):
            assert quick == pytest.approx(eager[:rows], abs=0.05)
            assert quick == pytest.approx(full[:rows], abs=0.15)  # bfloat16 has three digits
    fresh = trained("res", game, 2).to("cuda")
    judge.load(fresh, -1, 1)
    with torch.no_grad():
        exact = fresh.eval()(torch.from_numpy(planes[:200]).to("cuda"))[1].cpu().numpy()
    assert judge(planes[:200], legal[:200])[1] == pytest.approx(exact, abs=0.15)


@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
def test_dropout_is_there_while_learning_and_does_not_rename_layers(kind):
    game = bl.game("connectfour")
    plain, dropped = (
        build_net(net_description(game, AlphaZero.flat(net=kind, blocks=1, channels=16, dropout=share).net))
        for share in (0.0, 0.5)
    )
    assert plain.state_dict().keys() == dropped.state_dict().keys()
    planes = torch.from_numpy(positions(game, 64)[0])
    with torch.no_grad():
        for answer, again in zip(dropped.eval()(planes), dropped(planes), strict=True):
            assert torch.equal(answer, again)
        torch.manual_seed(1)
        dropped.train()
        assert not torch.equal(dropped(planes)[1], dropped(planes)[1])
