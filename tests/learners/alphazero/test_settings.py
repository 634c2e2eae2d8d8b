"""AlphaZero's settings: groups with flat names, and runs that were written under earlier names."""

import re
import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import boardlab as bl
from boardlab.cli import app
from boardlab.errors import BoardLabError
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.warm_start import WARM_STARTS, WarmStart, WarmStartOptions
from boardlab.options import options_of, values_of
from boardlab.search.tree_options import TreeOptions

OLD_SETTINGS = """
net = "res"
blocks = 1
channels = 4
head_filters = 2
hidden = 4
dropout = 0.0
games = 8
parallel = 4
simulations = 8
simulations_first = 8
full_share = 0.5
fast_simulations = 4
cpuct = 2.0
noise = 0.3
dirichlet = 0.4
random_actions = 2
temperature_moves = 12
one_hot = false
resign_played_out = 0.1
reuse = true
cache_mb = 64
warm_start = "wrora"
switch = "adaptive"
warm_iterations = 5
warm_decay = "inverse"
warm_policy = "visits"
equivalence = 300.0
rave_of = "all"
ranked_window = 250
window = 20
window_first = 4
epochs = 3.0
batch = 256
optimiser = "adamw"
lr = 0.002
lr_final = 0.0002
weight_decay = 0.0001
value_target = "mean"
value_weight = 1.0
symmetries = true
gate = 0.55
gate_games = 20
from = ""
freeze = "none"
exam_simulations = 30
exam_cpuct = 1.5
exam_solver = false
leaves = 4
leaf_visits = 16
device = "cpu"
tensorboard = false
threads = 1
lanes = 1
processes = 1
"""
"""As version 0.1.0 wrote them, before the tree's options were declared once."""

OLD_NAMES = {
    "noise_fraction": "noise",
    "noise": "dirichlet",
    "play_simulations": "exam_simulations",
    "play_cpuct": "exam_cpuct",
    "play_solver": "exam_solver",
    "play_batch": "leaves",
    "play_leaf_visits": "leaf_visits",
}
SMALL = {"games": 4, "parallel": 4, "simulations": 4, "blocks": 1, "channels": 4, "head_filters": 2}
SMALL |= {"hidden": 4, "device": "cpu", "threads": 1, "seed": 3, "exams": []}


def test_flat_names_are_different_and_name_every_value():
    names = [option.name for option in options_of(AlphaZero)]
    assert len(set(names)) == len(names)
    assert names == list(values_of(AlphaZero()))


def test_an_option_of_the_tree_is_one_of_self_play_and_of_play():
    known = {option.name: option for option in options_of(AlphaZero)}
    for option in options_of(TreeOptions):
        if option.name in ("select", "explore"):
            continue  # a net has priors, so it is always PUCT
        assert known[f"play_{option.name}"].high == option.high
        if option.name not in ("batch", "leaf_visits"):  # self-play waits for one leaf of each tree
            assert known[option.name].doc == option.doc


def test_settings_of_an_old_run_are_read_by_their_old_names():
    old = AlphaZero.of_run(tomllib.loads(OLD_SETTINGS))
    tree, play = old.self_play.tree, old.play
    assert (tree.noise, tree.noise_fraction, tree.cpuct, tree.solver) == (0.4, 0.3, 2.0, False)
    assert (tree.equivalence, tree.rave_of, tree.max_nodes) == (300.0, "all", 1 << 20)
    assert (play.simulations, play.tree) == (
        30,
        TreeOptions(cpuct=1.5, solver=False, batch=4, leaf_visits=16),
    )
    assert (old.gate.share, old.gate.games, old.warm_start.switch) == (0.55, 20, "adaptive")
    assert old.expression("R") == (
        'mcts(net("R"), iterations=30, cpuct=1.5, solver=False, batch=4, leaf_visits=16)'
    )
    assert AlphaZero.of_run(old.as_dict()) == old


def test_an_old_run_goes_on_to_the_same_bits(tmp_path):
    pytest.importorskip("torch")
    game = bl.game("tictactoe")
    given = {**SMALL, "noise": 0.5, "noise_fraction": 0.4, "play_cpuct": 2.0}
    for name in ("now", "old"):
        bl.train(game, "alphazero", episodes=4, out=tmp_path / name, **given)
    file = tmp_path / "old/agent.toml"
    text = re.sub(r"(?m)^([a-z_]+)(?= = )", lambda name: OLD_NAMES.get(name[1], name[1]), file.read_text())
    new = set(values_of(AlphaZero())) - set(tomllib.loads(OLD_SETTINGS)) - {"from_"}
    file.write_text("".join(line for line in text.splitlines(True) if line.split(" = ")[0] not in new))
    assert "dirichlet = 0.5" in file.read_text() and "play_" not in file.read_text()
    again = bl.train(game, "alphazero", episodes=4, out=tmp_path / "old", go_on=True, **given)
    assert again.is_finished
    for name in ("now", "old"):
        bl.resume(tmp_path / name, episodes=12)
    with np.load(tmp_path / "now/checkpoint.npz") as now, np.load(tmp_path / "old/checkpoint.npz") as old:
        for key in now.files:
            assert key.endswith("seconds") or np.array_equal(now[key], old[key]), key


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"policy": "rave"}, 'alphazero: the policy "rave" needs rave=True'),
        ({"gumbel_interior": True}, "alphazero: gumbel_interior needs gumbel"),
        ({"play_policy": "improved"}, 'alphazero: play: the policy "improved" needs gumbel'),
        ({"play_gumbel": 4, "play_noise": 1.0}, "alphazero: play: gumbel brings its own noise; leave noise"),
    ],
)
def test_trees_that_cannot_be_are_refused_before_the_run_begins(given, sentence, tmp_path):
    pytest.importorskip("torch")
    with pytest.raises(BoardLabError, match=f"^{sentence}"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", **{**SMALL, **given})
    assert not (tmp_path / "run").exists()


def test_every_warm_start_has_trees_whatever_self_plays_are():
    """Gumbel's policy and root, and RAVE's policy, give way to those of the enhancement."""
    for tree in (
        TreeOptions(gumbel=4, policy="improved", gumbel_interior=True),
        TreeOptions(rave=True, policy="rave"),
    ):
        for name in WARM_STARTS:
            warm = WarmStart(WarmStartOptions(name)).generation(1)
            warm.enhanced(tree).check(name)


def test_no_noise_is_kept_by_the_runs_file():
    settings = AlphaZero.flat(noise=None)
    assert settings.as_dict()["noise"] == "none"
    assert AlphaZero.of_run(settings.as_dict()) == settings == AlphaZero.flat(noise="none")
    assert "resign" not in settings.as_dict()  # None is the default


@pytest.mark.parametrize("old", AlphaZero.renamed)
def test_an_earlier_name_is_refused_with_todays(old, tmp_path):
    now = AlphaZero.renamed[old]
    with pytest.raises(BoardLabError, match=f"^alphazero: {old} is now called {now}"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", **{old: 1})
    word = "--" + old.replace("_", "-")
    words = ["train", "tictactoe", "--learner", "alphazero", word, "1", "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code and f"{old} is now called {now}" in str(result.exception)


def test_groups_are_flat_on_the_command_line(tmp_path):
    pytest.importorskip("torch")
    words = ["train", "tictactoe", "--learner", "alphazero", "--out", str(tmp_path / "run"), "--settings"]
    words += ["--cpuct", "3", "--play-cpuct", "2", "--no-play-solver", "--noise", "none", "--gate", "0.6"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    shown = dict(line.split()[:2] for line in result.output.splitlines() if len(line.split()) > 1)
    assert (shown["cpuct"], shown["play_cpuct"], shown["play_solver"], shown["gate"]) == (
        "3.0",
        "2.0",
        "False",
        "0.6",
    )
