"""Nets that learn distances: random walks, targets of value iteration, runs that resume, agents."""

import math
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.arena.exams import Paper, solved_by_twists
from boardlab.errors import BoardLabError
from boardlab.learners.puzzles.settings import DaviNet, RandomWalk, goal_of
from boardlab.nets.inference import DISTANCES_CHUNK, net_distances
from boardlab.nets.program import distance_program
from boardlab.references.rubiks import distance

torch = pytest.importorskip("torch")

from boardlab.learners.puzzles.learner import DistanceLearner  # noqa: E402
from boardlab.nets.distance_net import DistanceNet  # noqa: E402
from boardlab.nets.torch_net import to_arrays  # noqa: E402

SMALL = {"first": 64, "width": 32, "walks": 50, "length": 6, "threads": 1, "device": "cpu"}


def near_states(game: bl.Game) -> dict[bytes, bl.State]:
    """All positions one and two twists from the goal, by their cells; made with the public rules alone."""
    once = bl.game("rubiks", size=game.rules.size, metric=game.rules.metric, twists=1)
    known = {}
    for seed in range(400):
        state = game.from_fields(once.initial_state(seed=seed).fields)
        known[state.board_vector(0).tobytes()] = state
    for state in list(known.values()):
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            known[child.board_vector(0).tobytes()] = child
    return known


@pytest.mark.parametrize(("size", "metric"), [(2, "htm"), (2, "qtm"), (3, "htm"), (3, "qtm")])
def test_walks_are_walks(size, metric):
    game = bl.game("rubiks", size=size, metric=metric)
    goal = goal_of("random-walk", game)
    walker = _engine.RandomWalks(goal.core, 2)
    cells, after, solved = walker.walk(60, 5, 7, True)
    cells = cells.reshape(60, 5, -1)
    after = after.reshape(60, 5, game.action_count, -1)
    known = near_states(game)
    home = goal.board_vector(0)
    for walk, ways in zip(cells, after, strict=True):
        first = known[walk[0].tobytes()]
        for action in first.legal_actions():
            child = first.copy()
            child.apply(action)
            assert np.array_equal(ways[0, action], child.board_vector(0))
        assert walk[1].tobytes() in known
        for i in range(4):
            assert (ways[i] == walk[i + 1]).all(axis=1).any()
        for i in range(3):  # no two twists that one or none replaces
            assert not (ways[i] == walk[i + 2]).all(axis=1).any()
            assert not (walk[i] == walk[i + 2]).all()
    assert np.array_equal(solved.reshape(60, 5, -1), (after == home).all(axis=-1))
    assert (solved.reshape(60, 5, -1)[:, 0].sum(axis=1) == 1).all()
    assert len({walk.tobytes() for walk in cells}) > 50


def test_a_walk_depends_on_its_seed_and_number_alone():
    goal = goal_of("random-walk", bl.game("rubiks", size=3)).core
    one, _, _ = _engine.RandomWalks(goal, 1).walk(20, 8, 5)
    other, _, _ = _engine.RandomWalks(goal, 3).walk(30, 8, 5)
    assert np.array_equal(one, other[: len(one)])
    assert not np.array_equal(one, _engine.RandomWalks(goal, 1).walk(20, 8, 6)[0])


@pytest.mark.parametrize("arguments", [(0, 5), (5, 0), (1 << 24, 100_000), (-1, 5), (2**70, 5)])
def test_walks_that_cannot_be_are_refused(arguments):
    walker = _engine.RandomWalks(goal_of("random-walk", bl.game("rubiks")).core, 1)
    with pytest.raises((ValueError, TypeError)):
        walker.walk(*arguments, 1)


def test_walks_start_from_a_goal_of_a_twisty_puzzle():
    game = bl.game("rubiks")
    with pytest.raises(BoardLabError, match="start from a goal"):
        _engine.RandomWalks(game.initial_state().core, 1)
    state = bl.game("tictactoe").from_text("X X X\nO O .\n. . .")
    with pytest.raises(BoardLabError, match="not a one-player puzzle"):
        _engine.RandomWalks(state.core, 1)


def learner_of(settings: RandomWalk, game: bl.Game, episodes: int = 1000, seed: int = 1) -> DistanceLearner:
    return DistanceLearner(game, settings, settings.describe(game, seed), episodes, seed)


@pytest.mark.parametrize("bounded", [True, False])
def test_targets_of_value_iteration_are_those_of_a_slow_version(bounded):
    game = bl.game("rubiks", size=3)
    learner = learner_of(DaviNet(**SMALL, bounded=bounded), game)
    learner.train(500)
    learner._renew()
    cells, after, solved = learner._walk(3)
    targets = learner._targets(after, solved).numpy()
    home = goal_of("davi-net", game).board_vector(0)
    for i in range(0, len(cells), 7):
        slow = []
        for way in after[i]:
            if np.array_equal(way.numpy(), home):
                slow.append(1.0)
            else:
                with torch.inference_mode():
                    slow.append(1 + max(0.0, float(learner.judging(way[None]))))
        wanted = min(slow)
        if bounded:
            wanted = min(wanted, 1 + i % learner.length)
        assert targets[i] == pytest.approx(wanted, abs=1e-4)


def test_no_distance_of_a_judge_is_below_0():
    learner = learner_of(DaviNet(**SMALL), bl.game("rubiks"))
    with torch.no_grad():
        learner.net.head.weight.zero_()
        learner.net.head.bias.fill_(-3.0)
    learner._renew()
    _, after, solved = learner._walk(0)
    assert (learner._targets(after, solved) == 1).all()


def test_the_judge_is_the_net_of_the_last_multiple_of_target_every():
    learner = learner_of(DaviNet(**SMALL, target_every=3), bl.game("rubiks"))
    begun = []
    for number in range(7):
        begun.append(learner.net.head.bias.item())
        learner.train(SMALL["walks"])
        assert learner.judging.head.bias.item() == begun[number // 3 * 3]
    assert len(set(begun)) == 7


def test_the_learning_rate_falls_as_half_a_cosine():
    """By hand: cos(pi / 4) = .7071, so that .8536 of the way is left after a quarter of the run."""
    learner = learner_of(RandomWalk(**SMALL, lr=0.01, lr_final=0.002), bl.game("rubiks"), episodes=1000)
    for done, rate in (
        (0, 0.01),
        (250, 0.0088284),
        (500, 0.006),
        (750, 0.0031716),
        (1000, 0.002),
        (1200, 0.002),
    ):
        learner.episodes_done = done
        assert learner.alpha == pytest.approx(rate, abs=1e-7)
    learner.episodes_done = 250
    learner.train(SMALL["walks"])
    assert learner.optimiser.param_groups[0]["lr"] == pytest.approx(0.0088284, abs=1e-7)


def test_weight_decay_makes_weights_smaller():
    """AdamW's decay is apart from its gradient: one step takes lr * decay of every weight."""
    found = {}
    for decay in (0.0, 0.5):
        learner = learner_of(RandomWalk(**SMALL, lr=0.01, weight_decay=decay), bl.game("rubiks"))
        before = learner.net.head.weight.detach().clone()
        learner.train(SMALL["walks"])
        found[decay] = learner.net.head.weight.detach()
    assert torch.allclose(found[0.0] - found[0.5], 0.01 * 0.5 * before, atol=1e-6)


def test_the_net_reads_a_cubie_and_its_turn_as_one_input():
    game = bl.game("rubiks", size=3)
    net = learner_of(RandomWalk(**SMALL), game).net
    assert net.layers.embedding.inputs == 8 * 8 * 3 + 12 * 12 * 2
    cells = game.initial_state(seed=3).board_vector(0)
    index = [24 * i + 3 * int(cells[i]) + int(cells[8 + i]) for i in range(8)]
    index += [192 + 24 * i + 2 * int(cells[16 + i]) + int(cells[28 + i]) for i in range(12)]
    assert net.rows(torch.from_numpy(cells)[None])[0].tolist() == index


def test_a_gpu_multiplies_what_a_cpu_adds_up():
    """Both ways through the first layer, with their gradients."""
    net = learner_of(RandomWalk(**SMALL), bl.game("rubiks", size=3)).net
    walker = _engine.RandomWalks(goal_of("random-walk", bl.game("rubiks", size=3)).core, 1)
    index = net.rows(torch.from_numpy(walker.walk(10, 5, 1)[0]))
    weight, grads = net.embedding.weight, []
    assert torch.allclose(net.product(index), net.embedding(index), atol=1e-5)
    for way in (net.product, net.embedding):
        weight.grad = None
        way(index).square().sum().backward()
        grads.append(weight.grad.clone())
    assert torch.allclose(grads[0], grads[1], atol=1e-4)


def learned_net(size: int, first: int, width: int, blocks: int) -> DistanceNet:
    """A net whose statistics and weights are no longer those that it began with."""
    settings = RandomWalk(**{**SMALL, "first": first, "width": width, "blocks": blocks, "lr": 0.1})
    learner = learner_of(settings, bl.game("rubiks", size=size))
    learner.train(500)
    return learner.net


@pytest.mark.parametrize("level", _engine.kernel_levels())
@pytest.mark.parametrize(
    ("size", "first", "width", "blocks"), [(2, 64, 32, 1), (3, 37, 19, 2), (3, 16, 1, 0)]
)
def test_the_engine_tells_the_distances_that_pytorch_tells(size, first, width, blocks, level):
    """In double precision there; the same bits whatever the batch."""
    net = learned_net(size, first, width, blocks)
    goal = goal_of("random-walk", bl.game("rubiks", size=size))
    cells = _engine.RandomWalks(goal.core, 1).walk(30, 7, 1)[0]
    program = distance_program(net.layers, to_arrays(net), level)
    (told,) = program.run(cells.astype(np.float32)[:, :, None, None])
    net.double()
    with torch.inference_mode():  # as the net's own way, whose last step is in single precision
        rows = net.embedding(net.rows(torch.from_numpy(cells)))
        wanted = torch.nn.functional.linear(net.body(rows), net.head.weight, net.head.bias).numpy()
    assert np.std(wanted) > 0.1
    assert told == pytest.approx(wanted, abs=2e-4)
    alone = [program.run(cells[i : i + 1].astype(np.float32)[:, :, None, None])[0] for i in range(0, 210, 30)]
    assert np.array_equal(np.concatenate(alone), told[::30])


def test_distances_do_not_depend_on_the_number_of_threads():
    net = learned_net(2, 64, 32, 1)
    cells = _engine.RandomWalks(goal_of("random-walk", bl.game("rubiks")).core, 1).walk(100, 7, 1)[0]
    assert len(cells) > 3 * DISTANCES_CHUNK
    one, three = (net_distances(net.layers, to_arrays(net), "cpu", threads)(cells) for threads in (1, 3))
    assert one.shape == (700,) and np.array_equal(one, three)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import boardlab as bl
game = bl.game("rubiks", twists=4)
net = f'net("{sys.argv[1]}")'
state = game.initial_state(seed=1)
print(bl.evaluator(net, game).value(state)[0])
print(bl.match(game, [f"beam({net}, width=20)"], 5, 1).mean_scores[0])
assert not [name for name in sys.modules if name.startswith("torch.")]
"""


def test_a_puzzles_net_plays_where_there_is_no_torch(tmp_path):
    game = bl.game("rubiks", twists=4)
    run = bl.train(game, "random-walk", episodes=20_000, out=tmp_path / "run", seed=1, **SMALL)
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, run.path.as_posix()], capture_output=True, text=True, check=True
    ).stdout.split()
    state = game.initial_state(seed=1)
    assert float(told[0]) == bl.evaluator(f'net("{run.path.as_posix()}", device="cpu")', game).value(state)[0]
    assert float(told[1]) > 0.5  # solved, each twist costs .1


@pytest.mark.parametrize(
    ("name", "value"),
    [("first", "64.5"), ("first", "0"), ("width", '"a"'), ("blocks", "-1"), ("groups", "[]"), ("groups", "[[]]"),
     ("groups", "[[99]]"), ("groups", "[[-1]]"), ("groups", "3"), ("groups", "[[0.5]]")],
)  # fmt: skip
def test_a_description_that_is_no_puzzles_net_is_told_in_a_sentence(tmp_path, name, value):
    game = bl.game("rubiks")
    run = bl.train(game, "random-walk", episodes=100, out=tmp_path / "run", seed=1, **SMALL)
    text = (run.path / "agent.toml").read_text()
    head, described = text.split("[network]")
    changed = re.sub(rf"(?ms)^{name} = .*?(?=^\w+ = |^\[\w|\Z)", f"{name} = {value}\n", described)
    assert changed != described
    (run.path / "agent.toml").write_text(f"{head}[network]{changed}")
    with pytest.raises(BoardLabError, match="does not describe a net: "):
        bl.evaluator(f'net("{run.path}")', game)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("learner", ["random-walk", "davi-net"])
def test_a_gpu_learns_what_a_cpu_learns(tmp_path, learner):
    game = bl.game("rubiks", twists=4)
    options = {**SMALL, "device": "cuda"}
    run = bl.train(
        game, learner, episodes=5_000, out=tmp_path / "run", seed=1, progress=lambda _: True, **options
    )
    bl.resume(run.path)
    state = game.initial_state(seed=1)
    one, other = (
        bl.evaluator(f'net("{run.path}", device="{d}")', game).value(state)[0] for d in ("cpu", "cuda")
    )
    assert one == pytest.approx(other, abs=0.01)
    agent = bl.agent(f'beam(net("{run.path}"), width=20)', game)
    assert solved_by_twists(Paper("near", agent, game, 50, 1, 1), range(1, 5), distance).value == 1


@pytest.mark.parametrize("learner", ["random-walk", "davi-net"])
def test_a_resumed_run_ends_with_the_same_bits(tmp_path, learner):
    game = bl.game("rubiks", twists=4)
    options = {**SMALL, **({"target_every": 7} if learner == "davi-net" else {})}
    whole = bl.train(game, learner, episodes=2000, out=tmp_path / "whole", seed=2, **options)
    # Seven steps are 350 walks: broken off where the judge is neither the first one nor about to be renewed.
    parts = bl.train(
        game, learner, episodes=2000, out=tmp_path / "parts", seed=2,
        progress=lambda now: now.episodes > 350 and now.episodes % 350 > 0, **options,
    )  # fmt: skip
    assert 350 < parts.episodes < 2000
    assert bl.resume(tmp_path / "parts").episodes == 2000
    with np.load(whole.path / "checkpoint.npz") as one, np.load(parts.path / "checkpoint.npz") as other:
        names = [name for name in one if "seconds" not in name]
        assert sorted(names) == sorted(name for name in other if "seconds" not in name)
        for name in names:
            assert np.array_equal(one[name], other[name]), name
    losses = [[row["loss"] for row in bl.open_run(run.path).log] for run in (whole, parts)]
    assert losses[0] == losses[1] != []


@pytest.mark.parametrize(("learner", "episodes"), [("random-walk", 20_000), ("davi-net", 10_000)])
def test_near_cubes_are_solved_in_as_few_twists_as_possible(tmp_path, learner, episodes):
    game = bl.game("rubiks", twists=4)
    run = bl.train(game, learner, episodes=episodes, out=tmp_path / "run", seed=1, **SMALL)
    assert run.expression.startswith("beam(net(")
    agent = bl.agent(f'beam(net("{run.path}", device="cpu"), width=20)', game)
    result = solved_by_twists(Paper("near", agent, game, 50, 1, 1), range(1, 5), distance)
    assert result.value == 1
    for search in ("greedy", "policy", "mcts"):
        state = game.initial_state(seed=1)
        assert bl.agent(f'{search}(net("{run.path}"))', game).act(state).action in range(9)


def test_values_are_the_score_less_a_step_for_every_action_of_the_distance(tmp_path):
    game = bl.game("rubiks", twists=4, step_reward=-0.1)
    run = bl.train(game, "davi-net", episodes=10_000, out=tmp_path / "run", seed=1, **SMALL)
    evaluator = bl.evaluator(f'net("{run.path}")', game)
    errors = []
    for seed in range(30):
        state = game.initial_state(seed=seed)
        errors.append(abs((1 - evaluator.value(state)[0]) / 0.1 - distance(state)))
    assert np.mean(errors) < 0.5
    with pytest.raises(BoardLabError, match="was trained on"):
        bl.evaluator(f'net("{run.path}")', bl.game("rubiks"))
    farther = bl.game("rubiks", twists=9, step_reward=-0.1)  # the same positions, other starts
    same = farther.from_fields(state.fields)
    assert bl.evaluator(f'net("{run.path}")', farther).value(same)[0] == evaluator.value(state)[0]


def test_ctrl_c_in_the_middle_of_a_step_leaves_the_last_whole_chunk(monkeypatch):
    learner = learner_of(RandomWalk(**SMALL), bl.game("rubiks"))
    learner.train(200)
    kept = {name: array.copy() for name, array in (learner.weights | learner.counters).items()}
    whole, steps = learner.optimiser.step, []

    def interrupted():
        whole()
        steps.append(1)
        if len(steps) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(learner.optimiser, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.train(500)
    assert learner.episodes_done == 200 and learner.actions_done == 200 * 6
    learner._keep()
    for name, array in kept.items():
        assert np.array_equal(array, (learner.weights | learner.counters)[name]), name


def test_ctrl_c_while_the_arrays_are_copied_waits_until_all_are(monkeypatch, tmp_path):
    game = bl.game("rubiks")
    whole = bl.train(game, "random-walk", episodes=400, out=tmp_path / "whole", seed=1, **SMALL)
    copied, kept = [], DistanceLearner._counters

    class Late(dict):
        """Is copied when the weights have been."""

        def items(self):
            copied.append(1)
            if len(copied) == 3:
                signal.raise_signal(signal.SIGINT)
            return super().items()

    def interrupted(learner):
        return Late(kept(learner))

    monkeypatch.setattr(DistanceLearner, "_counters", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bl.train(game, "random-walk", episodes=400, out=tmp_path / "broken", seed=1, **SMALL)
    monkeypatch.undo()
    assert 0 < bl.open_run(tmp_path / "broken").episodes < 400
    bl.resume(tmp_path / "broken")
    assert (whole.path / "weights.npz").read_bytes() == (tmp_path / "broken" / "weights.npz").read_bytes()


def test_exams_and_the_loss_are_in_the_log(tmp_path):
    game = bl.game("rubiks", twists=4)
    run = bl.train(
        game, "random-walk", episodes=2000, out=tmp_path / "run", exams=["twists50"], exam_every=1000,
        exam_games=5, **SMALL,
    )  # fmt: skip
    assert [row["episodes"] for row in run.log] == [1000, 2000]
    assert all(0 <= float(row["twists50"]) <= 1 and math.isfinite(float(row["loss"])) for row in run.log)
    assert float(run.log[1]["alpha"]) < float(run.log[0]["alpha"])


def test_a_run_that_was_tampered_with_is_refused(tmp_path):
    game = bl.game("rubiks", twists=4)
    run = bl.train(game, "random-walk", episodes=100, out=tmp_path / "run", **SMALL)
    file = run.path / "agent.toml"
    text = file.read_text()
    file.write_text(text.replace("groups = [[0, 7]", "groups = [[0, 99]"))
    with pytest.raises(BoardLabError, match="does not describe a net"):
        bl.evaluator(f'net("{run.path}")', game)
    file.write_text(text.replace("blocks = 1", "blocks = 2"))
    with pytest.raises(BoardLabError):
        bl.evaluator(f'net("{run.path}")', game)
