"""Inside a network: contributions add up to what the evaluator says, statistics to what the tables hold."""

import math
import re

import numpy as np
import pytest

import boardlab as bl
from boardlab import cli
from boardlab.learners.ntuple.inspection import Inspection
from boardlab.learners.ntuple.layouts import layout_from_text

CASES = {
    "tictactoe": {"layout": "windows", "windows": "2x2 1x3"},
    "connectfour": {"rows": 4, "cols": 5, "connect": 3},
    "nim": {"players": 3},
    "2048": {"size": 3, "layout": "windows", "windows": "2x2"},
    "rubiks": {},
    "hex": {"size": 3},
}
LEARNER = ("layout", "windows")
RUNS = [(name, "td-ntuple") for name in CASES] + [
    (name, learner)
    for name in ("tictactoe", "connectfour", "2048")
    for learner in ("sarsa-ntuple", "q-ntuple")
]


@pytest.fixture(scope="module", params=RUNS, ids=" ".join)
def inspection(request, tmp_path_factory):
    name, learner = request.param
    options = CASES[name]
    game = bl.game(name, **{k: v for k, v in options.items() if k not in LEARNER})
    settings = {k: v for k, v in options.items() if k in LEARNER}
    path = tmp_path_factory.mktemp("inspect") / "run"
    return bl.train(game, learner, episodes=300, out=path, seed=3, **settings).inspect()


def positions(game, count=12):
    for seed in range(count):
        state = game.initial_state(seed)
        state.core.playout(seed, seed % 7)
        while state.player == bl.CHANCE:
            state.apply(state.sample_chance(seed))
        if not state.is_terminal:
            yield state


def test_contributions_add_up_to_the_value(inspection):
    evaluator = bl.evaluator(f"ntuple('{inspection.path}')", inspection.game)
    sigma = math.tanh if inspection.description["sigma"] == "tanh" else float
    heard = 0.0
    for state in positions(inspection.game):
        expected = evaluator.action_values(state)
        views = inspection.position(state)
        assert {view.action: view.value for view in views} == expected
        assert [view.value for view in views] == sorted(expected.values(), reverse=True)
        for view in views:
            paid = state.scores[state.player]  # Q(s, a) counts from before the action
            if not inspection.network.per_action:
                after = state.copy()
                after.apply(view.action)
                paid = after.scores[state.player] + inspection.game.core.step_reward
            to_come = 0.0 if view.is_final else sigma(view.sum)
            assert view.value == pytest.approx(paid + to_come, abs=1e-4, rel=1e-4)
            assert not (view.is_final and view.contributions.any())
            heard += abs(view.contributions).sum()
    assert heard > 0


def test_every_tuple_has_its_own_share(inspection):
    """Without a tuple's table the sum changes by exactly what was said to be its share."""
    state = next(positions(inspection.game))
    view = next(view for view in inspection.position(state) if not view.is_final)
    silenced = Inspection(inspection.path)
    sets = silenced.network.weights.reshape(-1, silenced.network.set_size)
    start, size = silenced._tables()[0]
    sets[:, start : start + size] = 0
    quiet = next(v for v in silenced.position(state) if v.action == view.action)
    assert quiet.sum == pytest.approx(view.sum - view.contributions[0], abs=1e-5, rel=1e-5)


def test_the_loudest_come_first(inspection):
    state = next(positions(inspection.game))
    for view in inspection.position(state):
        loud = [abs(voice) for _, voice in view.loudest(3)]
        assert loud == sorted(loud, reverse=True) and len(loud) <= 3
        if loud:
            assert loud[0] == abs(view.contributions).max()


def test_statistics_are_those_of_the_stored_weights(inspection):
    stored = np.load(inspection.path / "weights.npz")["weights"]
    found = inspection.weights()
    assert found.weights == stored.size <= found.uncompressed
    assert found.active == np.count_nonzero(stored) > 0
    assert found.active_share == pytest.approx(np.mean(stored != 0))
    assert found.active_share_uncompressed == pytest.approx(np.sum(stored != 0) / found.uncompressed)
    assert found.highest == stored.max() or stored.max() == 0


def test_weights_are_counted_as_the_paper_does(tmp_path):
    run = bl.train(bl.game("connectfour"), episodes=1, out=tmp_path, preset="paper")
    assert run.inspect().weights().uncompressed == 9_175_040


def test_the_layout_is_drawn_and_read_back(inspection):
    assert layout_from_text(inspection.layout_text()) == inspection.layout
    drawn = inspection.drawn_layout()
    assert drawn.count("■") == sum(len(cells) for cells in inspection.layout)
    assert drawn.count("tuple ") == len(inspection.layout)
    svg = inspection.layout_svg()
    assert svg.startswith("<svg") and svg.count("tuple ") == len(inspection.layout)
    assert len(re.findall("<rect", svg)) == 1 + inspection.game.core.cells * len(inspection.layout)


def test_what_cannot_be_looked_at_is_refused(inspection):
    with pytest.raises(bl.BoardLabError, match="judges positions of"):
        inspection.position(bl.game("othello").initial_state())
    with pytest.raises(bl.BoardLabError, match="judges positions of"):
        inspection.position(3)


def test_an_inspection_prints_what_the_command_line_says(tmp_path, capsys, monkeypatch):
    run = bl.train(bl.game("tictactoe"), episodes=300, out=tmp_path / "run", seed=3)
    lines = str(run.inspect()).splitlines()
    assert lines[0].startswith("network: ") and lines[-1].startswith("active weights: mean ")
    monkeypatch.setattr("sys.argv", ["boardlab", "inspect", "tictactoe", "--run", str(run.path)])
    with pytest.raises(SystemExit):
        cli.main()
    assert "\n".join(lines) in capsys.readouterr().out
