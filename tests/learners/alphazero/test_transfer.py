"""Transfer: what a net takes over from a run on another board, what is frozen, what is refused."""

import shutil

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.learners.alphazero.transfer import kept_layers  # noqa: E402
from boardlab.nets.stored import load_net, net_description  # noqa: E402
from boardlab.runs import RunFolder  # noqa: E402

PLAY = {"games": 8, "parallel": 8, "simulations": 8, "threads": 1, "device": "cpu"}
NET = {"blocks": 1, "channels": 8, "head_filters": 4, "hidden": 8}
BODY = ["body.0", "body.1", "body.3.inner.0", "body.3.inner.1", "body.3.inner.3", "body.3.inner.4"]


def net(kind):
    """A small net of that kind: what its kind does not have is refused."""
    names = {"wang": ["channels"], "mlp": ["blocks", "channels", "hidden"]}.get(kind, NET)
    return {"net": kind, **{name: NET[name] for name in names}}


@pytest.fixture(scope="module")
def parents(tmp_path_factory):
    """A run on 4x5 for every kind of net, made when it is asked for."""
    made = {}

    def make(kind="res"):
        if kind not in made:
            out = tmp_path_factory.mktemp(kind) / "parent"
            game = bl.game("connectfour", rows=4, cols=5)
            bl.train(game, "alphazero", episodes=16, out=out, seed=1, **net(kind), **PLAY)
            made[kind] = out
        return made[kind]

    return make


def weights(run):
    folder = RunFolder(run)
    return load_net(folder, folder.read_agent("alphazero"))[0].state_dict()


def layer_of(name):
    return name.rpartition(".")[0]


def network(run):
    return RunFolder(run).read_agent("alphazero")["network"]


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("res", [*BODY, "policy.0", "policy.1", "value.0", "value.1", "value.8"]),
        (
            "conv",
            [
                *("body.0", "body.1", "body.3.0", "body.3.1", "body.3.3", "body.3.4"),
                *("policy.0", "policy.1", "value.0", "value.1", "value.8"),
            ],
        ),
        (
            "pool",
            [
                *("body.0", "body.1", "body.1.inner.1", "body.1.inner.3"),
                *("policy.0", "value.0", "value.7"),
            ],
        ),
        # Four convolutions, then two layers of which the first sees the whole board.
        ("wang", [*(f"body.{i}" for i in (0, 1, 3, 4, 6, 7, 9, 10, 14, 17, 18)), "value"]),
        ("mlp", ["body.3.inner.0", "body.3.inner.1", "body.3.inner.3", "value.0", "value.2"]),
    ],
)
def test_what_does_not_depend_on_the_board_is_taken_over(parents, tmp_path, kind, kept):
    larger = bl.game("connectfour", rows=6, cols=7)
    parent = parents(kind)
    stop = {"progress": lambda _: True, "episodes": 8}
    run = bl.train(larger, "alphazero", out=tmp_path / "child", from_=parent, freeze="kept", **stop, **PLAY)
    assert network(run.path)["kept"] == network(run.path)["frozen"] == kept
    old, new = weights(parent), weights(run.path)
    fresh = bl.train(larger, "alphazero", out=tmp_path / "fresh", **net(kind), **stop, **PLAY)
    other = weights(fresh.path)
    for name, tensor in new.items():
        # Frozen: not a bit of it changes, the statistics of batch normalisation included.
        assert (tensor.shape == old[name].shape and torch.equal(tensor, old[name])) == (
            layer_of(name) in kept
        ), name
        assert tensor.shape == other[name].shape


def test_only_what_is_frozen_stands_still(parents, tmp_path):
    game, parent = bl.game("connectfour", rows=5, cols=6), parents()
    for freeze, frozen in {
        "none": [],
        "body": BODY,
        "body.0,value": ["body.0", "value.0", "value.1"],
    }.items():
        run = bl.train(
            game, "alphazero", episodes=8, out=tmp_path / freeze, from_=str(parent), freeze=freeze, **PLAY
        )
        old, new = weights(parent), weights(run.path)
        still = {layer_of(name) for name in new if layer_of(name) in network(run.path)["kept"]}
        still -= {layer_of(n) for n in new if layer_of(n) in still and not torch.equal(old[n], new[n])}
        assert still == {*frozen, *(["value.8"] if "value" in freeze else [])}


def test_the_body_sees_the_larger_board_as_it_saw_the_smaller(parents, tmp_path):
    game = bl.game("connectfour", rows=6, cols=7)
    run = bl.train(
        game, "alphazero", episodes=8, out=tmp_path / "run", from_=parents(), freeze="body", **PLAY
    )
    nets = []
    for path in (parents(), run.path):
        folder = RunFolder(path)
        nets.append(load_net(folder, folder.read_agent("alphazero"))[0].eval())
    planes = torch.rand(3, 2, 6, 7, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        assert torch.equal(nets[0].body(planes), nets[1].body(planes))
        assert nets[1](planes)[1].shape == (3, 7)


def test_a_turned_board_has_layers_of_equal_shape_that_do_not_fit():
    options = AlphaZero.flat(**NET).net
    old = net_description(bl.game("connectfour", rows=4, cols=6), options)
    new = net_description(bl.game("connectfour", rows=6, cols=4), options)
    assert "value.5" not in kept_layers(old, new)  # 4 x 6 x 4 filters in both
    assert "value.5" in kept_layers(old, old)
    assert "policy.5" in kept_layers(old, old)


@pytest.mark.parametrize("more", [{}, {"gate": 0.5, "gate_games": 2, "optimiser": "sgd"}])
def test_a_resumed_transfer_equals_an_unbroken_one_and_needs_its_parent_no_more(parents, tmp_path, more):
    game = bl.game("connectfour", rows=5, cols=5)
    parent = tmp_path / "parent"
    shutil.copytree(parents(), parent)
    options = {"from_": parent, "freeze": "body", "episodes": 24, "seed": 3}
    options |= {"play_simulations": 4, **more, **PLAY}
    bl.train(game, "alphazero", out=tmp_path / "whole", **options)
    bl.train(game, "alphazero", out=tmp_path / "broken", progress=lambda _: True, **options)
    shutil.rmtree(parent)
    bl.resume(tmp_path / "broken")
    for file in ("weights.npz", "checkpoint.npz"):
        with np.load(tmp_path / "whole" / file) as one, np.load(tmp_path / "broken" / file) as other:
            assert set(one.files) == set(other.files)
            for key in one.files:
                if not key.endswith("seconds"):
                    assert np.array_equal(one[key], other[key]), key


def test_a_run_without_episodes_plays_with_what_it_took_over_and_can_learn_later(parents, tmp_path):
    """Church (2019), section V-D: what the body is worth without any fine-tuning."""
    game = bl.game("connectfour", rows=5, cols=5)
    options = {"from_": parents(), "freeze": "body", "seed": 3, "play_simulations": 4, **PLAY}
    examined = {"exams": ["random"], "exam_games": 2}
    run = bl.train(game, out=tmp_path / "run", episodes=0, **options, **examined)
    assert (run.episodes, run.total, run.is_finished) == (0, 0, True)
    assert [row["episodes"] for row in run.log] == [0] and "random" in run.log[0]
    assert bl.match(game, [run.expression, "random"], games=2).errors == 0
    with np.load(parents() / "weights.npz") as old, np.load(run.path / "weights.npz") as new:
        kept = [name for name in old.files if name.startswith("body.")]
        assert kept and all(np.array_equal(old[name], new[name]) for name in kept)
    assert bl.open_run(run.path).total == 0 and bl.resume(run.path).log == run.log
    assert bl.resume(run.path, episodes=0).total == 0
    bl.resume(run.path, episodes=8)
    whole = bl.train(game, out=tmp_path / "whole", episodes=8, **options)
    assert RunFolder(run.path).fingerprint() == RunFolder(whole.path).fingerprint()


def test_an_untrained_net_plays_and_its_seed_decides_it(tmp_path):
    """Wang et al. (2021), Table 2: searches over nets that have learned nothing."""
    game = bl.game("connectfour", rows=5, cols=5)
    runs = [
        bl.train(game, "alphazero", out=tmp_path / name, episodes=0, seed=seed, exams=[], **PLAY)
        for name, seed in (("a", 1), ("again", 1), ("b", 2))
    ]
    assert [run.total for run in runs] == [0, 0, 0]
    assert (
        bl.match(game, [f'rollout_mcts(net("{runs[0].path}"), iterations=4)', "random"], games=2).errors == 0
    )
    marks = [RunFolder(run.path).fingerprint() for run in runs]
    assert marks[0] == marks[1] != marks[2]


def test_a_run_cannot_have_fewer_than_no_episodes(tmp_path):
    game = bl.game("connectfour", rows=5, cols=5)
    with pytest.raises(BoardLabError, match="episodes must be a whole number from 0 "):
        bl.train(game, "alphazero", out=tmp_path / "run", episodes=-1, **PLAY)
    assert not (tmp_path / "run").exists()


def test_the_head_may_be_made_wider(parents, tmp_path):
    game = bl.game("connectfour", rows=4, cols=5)
    run = bl.train(
        game, "alphazero", episodes=8, out=tmp_path / "run", from_=parents(), head_filters=6, **PLAY
    )
    assert network(run.path)["head_filters"] == 6
    assert network(run.path)["channels"] == 8
    assert network(run.path)["kept"] == [*BODY, "value.8"]


def test_a_parent_says_where_a_run_comes_from(parents, tmp_path):
    game = bl.game("connectfour", rows=4, cols=5, connect=3)
    run = bl.train(game, "alphazero", episodes=8, out=tmp_path / "run", from_=parents(), **PLAY)
    said = network(run.path)
    assert said["parent"] == str(parents())
    assert said["parent_game"] == 'boardlab.game("connectfour", rows=4, cols=5)'
    assert said["parent_weights"] == RunFolder(parents()).fingerprint()
    assert "policy.5" in said["kept"]  # a variant on the same board: everything fits


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("connectfour", {"from_": "nowhere"}, "nowhere is not a run: it has no agent.toml"),
        ("connectfour", {"blocks": 2}, r"has blocks=1, not 2: leave blocks out, or train from scratch"),
        ("connectfour", {"net": "mlp"}, "has net=res, not mlp"),
        ("connectfour", {"channels": 16}, "has channels=8, not 16"),
        ("connectfour", {"freeze": "head"}, 'not "head"; the net has body.0, body.1'),
        ("connectfour", {"freeze": ""}, 'freeze must be none, body, kept or names of layers, not ""'),
        ("connectfour", {"freeze": "body.0,"}, 'not "body.0,"; the net has body.0, body.1'),
        ("tictactoe", {}, "was trained on connectfour, not on tictactoe"),
        ("connectfour", {"from_": 3}, "from must be text, not 3"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(parents, tmp_path, game, options, sentence):
    with pytest.raises(BoardLabError, match=sentence):
        bl.train(bl.game(game), "alphazero", out=tmp_path / "run", **{"from_": parents(), **options})
    assert not (tmp_path / "run").exists()


def test_freezing_needs_something_that_was_learned(parents, tmp_path):
    same = bl.game("connectfour", rows=4, cols=5)
    with pytest.raises(BoardLabError, match="freeze is about layers that come from another run"):
        bl.train(same, "alphazero", out=tmp_path / "run", freeze="body")
    with pytest.raises(BoardLabError, match="leaves nothing to learn"):
        bl.train(same, "alphazero", out=tmp_path / "run", from_=parents(), freeze="kept")


def test_another_learner_and_other_planes_are_no_parent(tmp_path):
    nim = bl.game("nim", heaps=(3, 4))
    bl.train(nim, "td-ntuple", episodes=10, out=tmp_path / "td")
    with pytest.raises(BoardLabError, match="is a run of 'td-ntuple', not of alphazero"):
        bl.train(nim, "alphazero", out=tmp_path / "run", from_=tmp_path / "td")
    two, three = bl.game("yavalath", side=3), bl.game("yavalath", side=3, players=3)
    bl.train(two, "alphazero", episodes=8, out=tmp_path / "parent", **NET, **PLAY)
    with pytest.raises(BoardLabError, match=r"looks at 4 planes, .*players=3.* has 7: nothing fits"):
        bl.train(three, "alphazero", out=tmp_path / "run", from_=tmp_path / "parent")


def test_the_command_line_transfers(parents, tmp_path, monkeypatch, capsys):
    import sys

    from boardlab import cli

    words = [
        "train",
        "connectfour",
        "--rows",
        "5",
        "--cols",
        "5",
        "--from",  # which only alphazero has
        str(parents()),
    ]
    words += ["--freeze", "body", "--episodes", "8", "--games", "8", "--simulations", "4", "--threads", "1"]
    words += ["--device", "cpu", "--exam", "none", "--out", str(tmp_path / "child")]
    monkeypatch.setattr(sys, "argv", ["boardlab", *words])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code in (0, None)
    assert "play it as mcts(net(" in capsys.readouterr().out
    assert network(tmp_path / "child")["frozen"] == BODY


@pytest.mark.parametrize("freeze", ["policy.5", "body.0,policy.5"])
def test_a_layer_that_is_new_cannot_be_frozen(parents, tmp_path, freeze):
    game = bl.game("connectfour", rows=5, cols=6)
    with pytest.raises(BoardLabError, match=r"policy\.5 is new here and has to learn"):
        bl.train(game, "alphazero", episodes=8, out=tmp_path / "run", from_=parents(), freeze=freeze, **PLAY)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_several_runs_at_a_time_begin_with_a_path(parents, tmp_path):
    game = bl.game("connectfour", rows=4, cols=6)
    many = bl.train_many(
        game, 2, jobs=2, out=tmp_path / "many", episodes=8, learner="alphazero", from_=parents(), **PLAY
    )
    assert [network(run.path)["parent"] for run in many.runs] == [str(parents())] * 2


def test_what_values_stand_for_is_taken_over_where_the_range_of_scores_is_loose(tmp_path):
    """2048's net was taught on the scores that its parent saw: a fresh guess would shift all its values."""
    game = bl.game("2048", size=2)
    options = {**NET, "games": 4, "parallel": 4, "simulations": 4, "threads": 1, "device": "cpu", "exams": ()}
    bl.train(game, "alphazero", episodes=4, out=tmp_path / "parent", seed=1, **options)
    child = bl.train(
        game, "alphazero", episodes=0, out=tmp_path / "child", from_=tmp_path / "parent", seed=2, **PLAY
    )
    scales = [np.load(path / "weights.npz")["scale"].tolist() for path in (tmp_path / "parent", child.path)]
    assert scales[0] == scales[1] and 0 < scales[0][1] < 2000
