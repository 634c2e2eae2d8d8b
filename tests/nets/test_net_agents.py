"""The evaluator `net("run")` under every search, against the net itself; exams that search side by side."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

import boardlab as bl
from boardlab.arena.exams.optimal import is_best, stage_positions
from boardlab.arena.exams.starts import met_at_random
from boardlab.errors import BoardLabError, install
from boardlab.search import side_by_side
from boardlab.search.side_by_side import act_all

torch = pytest.importorskip("torch")

from boardlab.nets.stored import load_net  # noqa: E402
from boardlab.runs import RunFolder  # noqa: E402

GAME = bl.game("connectfour")
SMALL = {"games": 16, "parallel": 16, "simulations": 16, "threads": 1, "device": "cpu"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("net") / "run"
    bl.train(GAME, "alphazero", episodes=32, out=out, blocks=1, channels=16, head_filters=4, **SMALL)
    return out


@pytest.fixture(scope="module")
def net(run):
    folder = RunFolder(run)
    return load_net(folder, folder.read_agent("alphazero"))[0].eval()


def ask(net, state):
    """(value for the player to move, logits) from torch alone."""
    with torch.inference_mode():
        values, logits = net(torch.from_numpy(state.planes(state.player))[None])
    return float(values[0, 0]), logits[0].numpy()


def value(net, state, player):
    """What a position is worth to a player: its score, or the net's opinion."""
    if state.is_terminal:
        return state.scores[player]
    return ask(net, state)[0] * (1 if state.player == player else -1)


def minimax(net, state, depth, player):
    if depth == 0 or state.is_terminal:
        return value(net, state, player)
    children = [minimax(net, child, depth - 1, player) for _, child in state.children()]
    return max(children) if state.player == player else min(children)


def states(count=25, seed=3):
    return met_at_random(GAME, count, seed)


def test_policy_plays_the_raw_net(run, net):
    agent = bl.agent(f'policy(net("{run.as_posix()}", device="cpu"))', GAME)
    for state in states():
        logits = ask(net, state)[1]
        legal = state.legal_actions()
        priors = np.exp(logits[legal]) / np.exp(logits[legal]).sum()
        decision = agent.act(state)
        assert decision.action == legal[int(np.argmax(priors))]
        assert [decision.policy[a] for a in legal] == pytest.approx(priors.tolist(), abs=1e-4)


WITHOUT_TORCH = """
import json, sys
sys.modules["torch"] = None
import boardlab as bl
game = bl.game("connectfour")
raw = bl.agent(f'policy(net("{sys.argv[1]}"))', game)
print(json.dumps(raw.act(game.initial_state()).policy))
played = bl.match(game, [f'mcts(net("{sys.argv[1]}"), iterations=8)', "random"], 2, 1)
print(sum(len(record.actions) for record in played.records))
try:
    bl.agent(f'policy(net("{sys.argv[1]}", device="cuda"))', game)
except bl.BoardLabError as error:
    print(error)
import boardlab.learners.alphazero.shares  # what a process of self-play runs
assert not [name for name in sys.modules if name.startswith("torch.")]
"""


def test_a_trained_net_plays_where_there_is_no_torch_as_processes_of_self_play_do(run, net):
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, run.as_posix()], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    logits = ask(net, GAME.initial_state())[1]
    wanted = np.exp(logits) / np.exp(logits).sum()
    assert list(json.loads(told[0]).values()) == pytest.approx(wanted.tolist(), abs=1e-4)
    assert int(told[1]) >= 14
    assert told[2] == f"a net on a GPU needs PyTorch: {install('az')}"


@pytest.mark.parametrize(
    ("name", "value"),
    [("channels", "16.0"), ("channels", "-16"), ("hidden", "8.0"), ("rows", "3.7"), ("rows", "inf"),
     ("blocks", "-1"), ("blocks", "2000000"), ("dropout", "nan"), ("net", '"foo"'), ("net", "[1]")],
)  # fmt: skip
def test_a_description_that_is_no_nets_is_told_in_a_sentence(run, tmp_path, name, value):
    shutil.copytree(run, tmp_path / "run")
    head, described = (tmp_path / "run" / "agent.toml").read_text().split("[network]")
    described = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", described)
    (tmp_path / "run" / "agent.toml").write_text(f"{head}[network]{described}")
    with pytest.raises(BoardLabError, match="does not describe a net: "):
        bl.agent(f'policy(net("{(tmp_path / "run").as_posix()}"))', GAME)
    with pytest.raises(BoardLabError, match="does not describe a net: "):
        bl.train(GAME, "alphazero", episodes=16, out=tmp_path / "new", from_=tmp_path / "run", **SMALL)


def test_many_states_get_the_answers_of_one_at_a_time(run, net):
    evaluator = bl.evaluator(f'net("{run.as_posix()}", device="cpu")', GAME)
    found = evaluator.values(states())
    assert found.tolist() == [evaluator.value(state).tolist() for state in states()]
    assert found[:, 0].tolist() == pytest.approx([value(net, state, 0) for state in states()], abs=1e-4)


def test_greedy_plays_the_best_child(run, net):
    agent = bl.agent(f'greedy(net("{run.as_posix()}", device="cpu"))', GAME)
    for state in states():
        worth = {a: value(net, child, state.player) for a, child in state.children()}
        decision = agent.act(state)
        assert decision.values == pytest.approx(worth, abs=1e-4)
        assert worth[decision.action] == pytest.approx(max(worth.values()), abs=1e-4)


@pytest.mark.parametrize("depth", [1, 2])
def test_alphabeta_is_minimax_over_the_net(run, net, depth):
    agent = bl.agent(f'alphabeta(net("{run.as_posix()}", device="cpu"), depth={depth})', GAME)
    for state in states(8):
        worth = {a: minimax(net, child, depth - 1, state.player) for a, child in state.children()}
        action = agent.act(state).action
        assert worth[action] == pytest.approx(max(worth.values()), abs=1e-4)


def test_mcts_first_follows_the_nets_priors(run, net):
    agent = bl.agent(f'mcts(net("{run.as_posix()}", device="cpu"), iterations=1, solver=False)', GAME)
    raw = bl.agent(f'policy(net("{run.as_posix()}", device="cpu"))', GAME)
    for state in states():
        agent.reset(0)
        assert agent.act(state).action == raw.act(state).action


@pytest.mark.parametrize(
    "more", ["", ", solver=False", ", batch=4", ", cpuct=2.5, fpu='parent', fpu_value=0.2", ", gumbel=4"]
)
def test_positions_side_by_side_get_the_answers_of_one_at_a_time(run, more):
    expression = f'mcts(net("{run.as_posix()}", device="cpu"), iterations=50{more})'
    asked = [position.state for position in stage_positions(GAME)][::12]
    together = act_all(expression, GAME, asked)
    alone = act_all(bl.agent(expression, GAME), GAME, asked)
    assert together == alone


@pytest.mark.parametrize(
    "search", ["mcts({}, iterations=20)", "policy({})", "greedy({})", "alphabeta({}, depth=2)"]
)
def test_error_rates_by_stage(run, search):
    """As AlphaZero.jl counts: an action is an error if its exact result is not the best one."""
    agent = search.format(f'net("{run.as_posix()}", device="cpu")')
    result = bl.evaluate(agent, GAME, "stages", games=60)
    assert result.games == 60 and len(result.details) == 6
    player = bl.agent(agent, GAME)
    first = [p for p in stage_positions(GAME) if p.stage == "begin-hard"][:10]
    wrong = 0
    for position in first:
        player.reset(0)
        wrong += not is_best(position.values, player.act(position.state).action)
    assert result.details["begin-hard errors"] == pytest.approx(wrong / 10)


def test_the_exam_of_best_actions_takes_a_net(tmp_path):
    game = bl.game("tictactoe")
    path = bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", blocks=1, channels=8, **SMALL).path
    result = bl.evaluate(f'mcts(net("{path.as_posix()}"), iterations=200)', game, "optimal", games=40)
    assert result.games == 40 and result.value > 0.8


def test_trees_side_by_side_stay_within_memory_and_obey_the_search(run, monkeypatch):
    made = []

    class Told(side_by_side.Forest):
        def __init__(self, game, trees, **options):
            made.append((trees, options["tree"].max_nodes))
            super().__init__(game, trees, **options)

    monkeypatch.setattr(side_by_side, "Forest", Told)
    monkeypatch.setattr(side_by_side, "MOST_NODES", 700)
    expression = f'mcts(net("{run.as_posix()}", device="cpu"), iterations=20, max_nodes=2048)'
    asked = states(12)
    together = act_all(expression, GAME, asked)
    assert made == [(5, 2048)]  # 20 iterations x 7 actions
    assert together == act_all(bl.agent(expression, GAME), GAME, asked)


def test_no_position_and_no_net_are_said_plainly(run):
    assert act_all(f'mcts(net("{run.as_posix()}", device="cpu"), iterations=20)', GAME, []) == []
    with pytest.raises(BoardLabError, match="net needs the folder of a run"):
        act_all("mcts(net, iterations=20)", GAME, states(2))


def test_a_net_that_was_trained_on_is_another_agent_in_the_store(tmp_path):
    game, out, store = bl.game("tictactoe"), tmp_path / "run", bl.store(tmp_path / "store.db")
    small = SMALL | {"net": "mlp", "blocks": 0, "channels": 8, "hidden": 8, "simulations": 4}
    bl.train(game, "alphazero", episodes=16, out=out, seed=1, **small)

    def held():
        return bl.tournament(
            game, [f'policy(net("{out.as_posix()}"))', "random"], games=2, store=store
        ).number

    first = held()
    assert held() == first
    bl.train(game, "alphazero", episodes=16, out=out, seed=2, force=True, **small)
    assert held() == first + 1
    trained = [line for line in store.fame("tictactoe") if line.expression != "random"]
    assert len({line.fingerprint for line in trained}) == 2 and all(line.fingerprint for line in trained)
    assert [line.runs[0].learner for line in trained] == ["alphazero", "alphazero"]


def test_an_agent_in_a_store_of_an_older_version_is_read(tmp_path, run):
    """Nets were written net(path="...") once; games that were stored so are found and can be played again."""
    new, old = (f'policy(net({name}="{run.as_posix()}"))' for name in ("run", "path"))
    agent = bl.agent(old, GAME)
    assert agent.expression == bl.agent(f'policy(net("{run.as_posix()}"))', GAME).expression == new
    store = bl.store(tmp_path / "store.db")
    store.add_games(GAME, [new, "random"], bl.match(GAME, [agent, "random"], games=2).records)
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE agents SET expression = ?, fingerprint = '' WHERE expression = ?", (old, new))
    db.close()
    assert len(store.games_between(GAME, [new, "random"])) == 2
