"""Nets as ONNX files, against the engine."""

import json
import sys

import numpy as np
import pytest
from commands import output, refused

import boardlab as bl
from boardlab.nets.distance import distance_layers
from boardlab.nets.inference import net_distances, net_judge
from boardlab.nets.layers import NetOptions, NetShape, StoredNet, net_layers, shapes_of

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from boardlab.bridges import onnx as bridge
from boardlab.nets.onnx_graph import distance_graph, net_graph

SMALL = {"games": 8, "parallel": 8, "simulations": 4, "threads": 1, "device": "cpu", "exams": []}


def drawn(shapes: dict[str, tuple[int, ...]], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Random weights; variances are positive."""
    made = {}
    for name, shape in shapes.items():
        values = rng.normal(0, 0.15, max(1, int(np.prod(shape)))).astype(np.float32)
        made[name] = np.abs(values) + 0.5 if name.endswith("running_var") else values
    return made


def answers(model, **given):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, given)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((np.abs(a - b) <= 1e-5 * np.maximum(1, np.abs(a))).all())


@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
@pytest.mark.parametrize("rows", [4, 6])
def test_every_net_answers_as_in_the_engine(kind: str, rows: int) -> None:
    rng = np.random.default_rng(1)
    layers = net_layers(
        NetShape(3, rows, 7, 9, 2), NetOptions(kind, 3, 8, 4, 16, 0.25 if kind in ("mlp", "wang") else 0.0)
    )
    shapes = {
        **shapes_of(layers.body, "body"),
        **shapes_of(layers.policy, "policy"),
        **shapes_of(layers.value, "value"),
    }
    net = StoredNet(layers, drawn(shapes, rng))
    planes = rng.normal(size=(20, 3, rows, 7)).astype(np.float32)
    ours = net_judge(net, "cpu", -3.0, 5.0)(planes, np.ones((20, 9), bool))
    theirs = answers(net_graph(net, -3.0, 5.0), planes=planes)
    assert all(map(close, ours, theirs))


def test_a_distance_net_answers_as_in_the_engine() -> None:
    game = bl.game("rubiks")
    cells = game.core.cells
    groups = [[i, (i + 3) % cells] for i in range(0, cells, 2)]
    layers = distance_layers(game, {"groups": groups, "first": 32, "width": 16, "blocks": 2})
    shapes = {k: v for name, layer in layers.named for k, v in shapes_of(layer, name).items()}
    rng = np.random.default_rng(1)
    arrays = drawn(shapes, rng)
    vectors = np.stack([game.training_start(seed).board_vector() for seed in range(40)])
    ours = net_distances(layers, arrays, "cpu", threads=1)(vectors)
    theirs = answers(distance_graph(layers, arrays), cells=vectors)[0]
    assert close(ours, theirs[:, 0]) and len(set(ours.tolist())) > 10


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    pytest.importorskip("torch")
    out = tmp_path_factory.mktemp("onnx") / "run"
    game = bl.game("connectfour", rows=4, cols=5)
    bl.train(game, "alphazero", episodes=16, out=out, blocks=1, channels=8, head_filters=4, **SMALL)
    return out


def test_a_run_is_exported_checked_and_described(run, tmp_path) -> None:
    target = tmp_path / "model.onnx"
    said = output("export", run, target)
    assert "planes [n, 2, 4, 5] -> values [n, 1], logits [n, 5]" in said.replace("\n", " ")
    session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])
    known = session.get_modelmeta().custom_metadata_map
    assert json.loads(known["game"]) == {"name": "connectfour", "rows": 4, "cols": 5, "connect": 4}
    state = bl.game("connectfour", rows=4, cols=5).initial_state()
    values, logits = session.run(None, {"planes": state.planes(0)[None]})
    agent = bl.agent(f'policy(net("{run}"))', state.game)
    chances = np.exp(logits[0]) / np.exp(logits[0]).sum()
    assert list(agent.act(state).policy.values()) == pytest.approx(chances, abs=1e-5)
    assert -1 <= values[0, 0] <= 1


def test_nothing_is_written_if_the_answers_differ(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bridge, "TOLERANCE", -1.0)
    with pytest.raises(bl.BoardLabError, match=r"differs from the engine's by .*; nothing was written"):
        bridge.export(run, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_mistakes_are_told_in_a_sentence(run, tmp_path, monkeypatch) -> None:
    bl.train(bl.game("tictactoe"), episodes=20, out=tmp_path / "table", exams=[])
    assert "is a run of td-ntuple, which has no neural net" in refused(
        "export", tmp_path / "table", tmp_path / "a.onnx"
    )
    assert "must end in .onnx" in refused("export", run, tmp_path / "model.pt")
    assert "is not a run" in refused("export", tmp_path / "nothing", tmp_path / "a.onnx")
    assert "folder does not exist" in refused("export", run, tmp_path / "none" / "a.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "boardlab.bridges.onnx")
    assert "ONNX export needs the package onnxruntime" in refused("export", run, tmp_path / "a.onnx")
