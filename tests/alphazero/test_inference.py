"""Asking a net quickly gives the answers that the net gives."""

import numpy as np
import pytest

import boardlab as bl

torch = pytest.importorskip("torch")

from boardlab.evaluators.inference import CHUNK, CpuJudge, folded, net_judge  # noqa: E402
from boardlab.evaluators.net import build_net, net_description  # noqa: E402
from boardlab.learning.alphazero.settings import AlphaZero  # noqa: E402


def trained(kind, game, seed=1):
    """A net whose batch normalisations have seen something, and their weights changed."""
    torch.manual_seed(seed)
    net = build_net(net_description(game, AlphaZero(net=kind, blocks=2, channels=16, dropout=0.3)))
    for parameter in net.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    net.train()
    for _ in range(5):
        net(torch.randn(32, *game.initial_state().planes().shape))
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


def test_torch_has_its_threads_back_after_an_answer():
    game = bl.game("tictactoe")
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        CpuJudge(trained("res", game), -1, 1)(*positions(game, 3))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


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
        build_net(net_description(game, AlphaZero(net=kind, blocks=1, channels=16, dropout=share)))
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
