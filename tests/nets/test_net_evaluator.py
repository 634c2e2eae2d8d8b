"""The engine's evaluator over a net, beside the judge in Python that asks the same net."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab import _engine

torch = pytest.importorskip("torch")

from boardlab.evaluators.evaluator import Evaluator  # noqa: E402
from boardlab.evaluators.net import distance_evaluator, net_evaluator, puzzle_evaluator  # noqa: E402
from boardlab.evaluators.python import python_evaluator  # noqa: E402
from boardlab.learners.puzzles.settings import RandomWalk  # noqa: E402
from boardlab.nets.distance import distance_layers  # noqa: E402
from boardlab.nets.distance_net import DistanceNet  # noqa: E402
from boardlab.nets.inference import net_distances, net_judge  # noqa: E402
from boardlab.nets.layers import NetOptions, StoredNet  # noqa: E402
from boardlab.nets.stored import build_net, net_description  # noqa: E402
from boardlab.nets.torch_net import to_arrays  # noqa: E402

GAMES = [
    bl.game("connectfour"),
    bl.game("sim", players=3),
    bl.game("2048", size=3),
    bl.game("ewn"),
    bl.game("kuhnpoker"),
    bl.game("blackjack"),
]
LOW, HIGH = -3.0, 5.0


def stored(game, net="mlp", seed=1):
    """A small net with weights at random, as it stands in a file."""
    torch.manual_seed(seed)
    made = build_net(net_description(game, NetOptions(net=net, blocks=1, channels=8, hidden=8)))
    for parameter in made.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return StoredNet(made.layers, {name: array.copy() for name, array in made.arrays().items()})


def both(game, net):
    """The engine's evaluator, and the one over the judge in Python."""
    judge = net_judge(net, "cpu", LOW, HIGH)
    return net_evaluator(game, net, "cpu", LOW, HIGH), python_evaluator(game, judge)


def positions(game, count=30):
    return [random_position(game, seed, seed % 12) for seed in range(count)]


def full(game, states):
    """Positions that an evaluator may be asked about."""
    return [state for state in states if not state.is_terminal and state.player >= 0]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_values_and_priors_are_those_of_the_judge_in_python(game):
    for name in ("mlp", "res"):
        native, python = (Evaluator(game, core, "net") for core in both(game, stored(game, name)))
        asked = full(game, positions(game))
        assert native.core.has_priors
        assert native.values(asked) == pytest.approx(python.values(asked), abs=1e-6)
        for state in asked[:8]:
            assert native.value(state) == pytest.approx(python.value(state), abs=1e-6)
            assert native.priors(state) == pytest.approx(python.priors(state), abs=1e-6)
            assert native.action_values(state) == pytest.approx(python.action_values(state), abs=1e-6)


@pytest.mark.parametrize("game", GAMES, ids=repr)
@pytest.mark.parametrize("batch", [1, 4])
def test_a_search_over_it_finds_what_it_finds_over_the_judge(game, batch):
    native, python = both(game, stored(game))
    for state in full(game, positions(game, 6)):
        seen = state.core.seen_by(state.player) if game.is_hidden else state.core
        found = [searched(game, core, batch, seen) for core in (native, python)]
        assert found[0][0] == found[1][0]
        assert found[0][2] == pytest.approx(found[1][2])


def searched(game, core, batch, seen):
    """What a tree of 60 iterations finds."""
    from boardlab.search.mcts import Mcts

    class Given(bl.evaluators.EvaluatorSpec):
        name = "given"

        def build(self, game):
            return core

    return Mcts(Given(), iterations=60, batch=batch).build(game, 3).act(seen)


def test_threads_and_forked_processes_ask_one_net():
    game = bl.game("connectfour")
    core = net_evaluator(game, stored(game, "res"), "cpu", -1, 1)
    asked = full(game, positions(game))
    native = Evaluator(game, core, "net")
    wanted = native.values(asked)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: native.values(asked), range(20)):
            assert np.array_equal(found, wanted)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(native.values(asked), wanted) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_answer_that_is_no_number_is_an_error():
    game = bl.game("connectfour")
    net = stored(game)
    for name, message in (
        ("value.2.bias", "value of position 0 of the batch is nan"),
        ("policy.bias", "logit of"),
    ):
        broken = StoredNet(net.layers, dict(net.stored))
        broken.stored[name] = np.full_like(net.stored[name], np.nan)
        for core in both(game, broken):
            with pytest.raises(ValueError, match=f"the evaluator's {message}"):
                core.priors(game.initial_state().core)


def test_a_net_of_another_game_is_refused():
    net, game = stored(bl.game("tictactoe")), bl.game("connectfour")
    with pytest.raises(
        ValueError, match="the net looks at 2 x 3 x 3 numbers, but a position of the game has 2 x 6 x 7"
    ):
        net_evaluator(game, net, "cpu", -1, 1)
    unfinished = _engine.NetProgram(2, 6, 7)
    with pytest.raises(ValueError, match="the net is not finished yet"):
        _engine.net_evaluator(game.core, unfinished, "planes", squashes=True, factor=1, offset=0)


def test_a_puzzles_net_judges_as_in_python_whatever_the_size_of_the_batch():
    game = bl.game("rubiks", twists=9)
    torch.manual_seed(1)
    settings = RandomWalk(first=16, width=16, blocks=1)
    made = DistanceNet(distance_layers(game, settings.describe(game, 1))).eval()
    arrays = {name: array.copy() for name, array in to_arrays(made).items()}
    native = Evaluator(game, puzzle_evaluator(game, made.layers, arrays, "cpu"), "net")
    python = Evaluator(game, distance_evaluator(game, net_distances(made.layers, arrays, "cpu")), "net")
    asked = full(game, positions(game, 600))
    assert len(asked) > 256  # large enough for several threads
    assert np.array_equal(native.values(asked), python.values(asked))
    assert native.priors(asked[0]) == python.priors(asked[0])
    assert not native.core.has_priors
