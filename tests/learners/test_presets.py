"""Which settings a game gets by name, and that they are ones that can work."""

import math
from itertools import pairwise

import numpy as np
import pytest

import boardlab as bl
from boardlab.learners import LEARNERS, preset
from boardlab.learners.again import train_command
from boardlab.learners.ntuple import layouts
from boardlab.learners.ntuple.settings import TdNTuple
from boardlab.runs import RunFolder


@pytest.mark.parametrize(
    ("name", "given", "sigma"),
    [
        ("morpion", {}, "identity"),
        ("blackjack", {}, "identity"),
        ("2048", {"reward": "empty_tiles"}, "identity"),
        ("othello", {"reward": "discs"}, "identity"),
        ("othello", {"reward": "score"}, "tanh"),
        ("nim", {}, "tanh"),
    ],
)
@pytest.mark.parametrize("learner", ["td-ntuple", "sarsa-ntuple"])
def test_sigma_reaches_every_outcome(name, given, sigma, learner):
    assert preset(bl.game(name), "default", learner, given).get("sigma", "tanh") == sigma


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("morpion", {}, "td-ntuple: sigma tanh stays between -1 and 1, but the score of morpion goes from 0 to 485"),
        ("othello", {"reward": "discs"}, "the discs of othello goes from -64 to 64; use sigma identity"),
    ],
)  # fmt: skip
def test_a_tanh_that_cannot_reach_the_outcome_is_refused(tmp_path, name, given, words):
    with pytest.raises(bl.BoardLabError, match=words):
        bl.train(bl.game(name), out=tmp_path / "run", episodes=1, sigma="tanh", **given)
    assert not (tmp_path / "run").exists()


def test_a_run_of_an_earlier_version_with_such_a_tanh_goes_on(tmp_path):
    run = bl.train(bl.game("2048", size=2), episodes=20, out=tmp_path / "run")
    file = run.path / "agent.toml"
    file.write_text(file.read_text().replace('sigma = "identity"', 'sigma = "tanh"'))
    resumed = bl.resume(run.path, episodes=30)
    assert (resumed.episodes, resumed.settings.sigma) == (30, "tanh")


@pytest.mark.parametrize(
    ("parameters", "count"), [({"nodes": 4}, 24), ({}, 24), ({"nodes": 8}, 24), ({"nodes": 20}, 24)]
)
def test_a_game_with_many_symmetries_learns_with_some(tmp_path, parameters, count):
    run = bl.train(bl.game("sim", **parameters), episodes=1, out=tmp_path / "run")
    symmetries = RunFolder(run.path).read_agent("td-ntuple")["network"]["symmetries"]
    assert symmetries[0] == 0 and len(set(symmetries)) == count


def test_three_player_nim_is_learned_to_perfection(tmp_path):
    """With the extra rule equal actions are rare, so that perfect play is one: .4 for every seat."""
    game = bl.game("nim", players=3, extra_rule=True)
    run = bl.train(game, out=tmp_path / "run", seed=5, exams=[])
    for players in ([run.agent(), "solved", "solved"], [run.agent(), run.agent(), "solved"]):
        result = bl.match(game, players, games=60, seed=1)
        assert result.mean_scores == pytest.approx([0.4, 0.4, 0.4])


@pytest.mark.parametrize("nodes", [4, 5, 6])
def test_the_papers_tuples_of_sim_are_all_triangles_and_cliques_of_four(nodes):
    game = bl.game("sim", nodes=nodes)
    tuples = layouts.layout_from_text(preset(game, "paper")["cells"])
    assert sorted(map(len, tuples)) == [3] * math.comb(nodes, 3) + [6] * math.comb(nodes, 4)
    edge = game.initial_state().action_text
    for cells in tuples:
        assert len(set("".join(edge(cell) for cell in cells))) == {3: 3, 6: 4}[len(cells)]
    assert len({frozenset(cells) for cells in tuples}) == len(tuples)


@pytest.mark.parametrize(
    ("name", "parameters", "values"),
    [
        ("sim", {}, {"episodes": 200_000, "alpha": 1.0, "epsilon": 0.3, "epsilon_final": 0.0, "lambda_": 0.5, "horizon_cut": 0.01, "traces": "reset"}),
        ("ewn", {"size": 3}, {"episodes": 100_000, "alpha": 0.2, "epsilon": 0.1, "epsilon_final": 0.0, "coherence": "off"}),
        ("ewn", {"size": 5}, {"episodes": 100_000, "alpha": 0.2, "epsilon": 0.0, "coherence": "exp"}),
        ("yavalath", {}, {"episodes": 1_000_000, "tuples": 100, "length": 7, "alpha": 1.0, "alpha_final": 0.2, "epsilon": 0.3, "epsilon_final": 0.005}),
    ],
)  # fmt: skip
def test_the_authors_settings(name, parameters, values):
    chosen = preset(bl.game(name, **parameters), "paper")
    assert {key: chosen[key] for key in values} == values


@pytest.mark.parametrize("name", ["ewn", "yavalath"])
def test_a_game_may_have_a_paper_preset_and_the_general_default(name):
    assert preset(bl.game(name))["alpha"] == 1.0
    assert preset(bl.game(name))["coherence"] == "exp"
    assert preset(bl.game(name))["episodes"] == 100_000


@pytest.mark.parametrize(
    ("name", "learner", "words"),
    [
        ("blackjack", "td-ntuple", "no preset paper for blackjack, only default; it is a preset of sarsa-ntuple, q-ntuple"),
        ("tictactoe", "sarsa-ntuple", "no preset paper for tictactoe, only default; it is a preset of td-ntuple"),
        ("morpion", "td-ntuple", 'unknown preset of td-ntuple for morpion "paper"; there are default'),
    ],
)  # fmt: skip
def test_a_preset_of_another_learner_is_told(name, learner, words):
    with pytest.raises(bl.BoardLabError, match=words):
        preset(bl.game(name), "paper", learner)


@pytest.mark.parametrize(
    ("parameters", "twists", "step_reward", "limit"),
    [
        ({}, 13, -0.04, 16),
        ({"metric": "qtm"}, 16, -0.04, 20),
        ({"size": 3}, 9, -0.1, 13),
        ({"size": 3, "metric": "qtm"}, 13, -0.1, 16),
    ],
)
def test_the_papers_preset_is_for_the_papers_cube(parameters, twists, step_reward, limit):
    with pytest.raises(bl.BoardLabError, match=f"--twists {twists} --step-reward {step_reward}"):
        preset(bl.game("rubiks", twists=11, **parameters), "paper")
    game = bl.game("rubiks", twists=twists, step_reward=step_reward, **parameters)
    assert preset(game, "paper")["episode_limit"] == limit
    assert preset(bl.game("rubiks", **parameters))["episode_limit"] == limit


def test_a_run_whose_preset_is_no_longer_for_its_game_can_be_trained_again(tmp_path):
    run = bl.train(bl.game("rubiks"), episodes=2, out=tmp_path / "run", alpha=0.25)
    agent = RunFolder(run.path).read_agent("td-ntuple") | {"preset": "paper"}
    command = train_command(agent)
    assert "--preset" not in command and "--alpha 0.25" in command


# ---- othello by shapes ----


def _places(size, cells):
    return {divmod(cell, size) for cell in cells}


def _images(size, places):
    """The eight images of a set of places on a square board."""
    found = []
    for flipped in (False, True):
        turned = {(row, size - 1 - col) for row, col in places} if flipped else set(places)
        for _ in range(4):
            turned = {(col, size - 1 - row) for row, col in turned}
            found.append(frozenset(turned))
    return found


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_the_shapes_of_othello_fit_every_board(size):
    shapes = layouts.layout_from_text(preset(bl.game("othello", size=size))["cells"])
    places = [_places(size, cells) for cells in shapes]
    for shape, cells in zip(places, shapes, strict=True):
        assert len(shape) == len(cells) <= 10
        assert all(0 <= row < size and 0 <= col < size for row, col in shape)
    assert len({frozenset(_images(size, shape)) for shape in places}) == len(shapes)  # none twice
    read = {place for shape in places for image in _images(size, shape) for place in image}
    assert len(read) == size * size  # every square


def test_the_shapes_of_othello_on_8x8():
    shapes = layouts.layout_from_text(preset(bl.game("othello"))["cells"])
    assert shapes[:4] == [list(range(8 * row, 8 * row + 8)) for row in range(4)]
    assert [len(shape) for shape in shapes[4:9]] == [8, 7, 6, 5, 4]
    assert all(b - a == 9 for shape in shapes[4:9] for a, b in pairwise(shape))
    corner, edge, block = map(set, shapes[9:])
    assert corner == {0, 1, 2, 8, 9, 10, 16, 17, 18}
    assert edge == {*range(8), 9, 14}
    assert block == {0, 1, 2, 3, 4, 8, 9, 10, 11, 12}


@pytest.mark.parametrize(
    "given",
    [
        {"sigma": "tanh"},
        {"reward": "score"},
        {"replay": 100},
        {"threads": 2},
        {"staged": False, "feature_tables": False},
        {"tuples": 3, "length": 4},
        {"cells": "0,1,2"},
        {"windows": "2x2"},
        {"choose_start": 0.0},
        {"start_actions": 1},
        {"coherence": "off", "lambda_": 0.0},
        {"target": "alphabeta"},
        {"search": "mcts", "search_iterations": 5},
    ],
    ids=lambda given: " ".join(given) or "none",
)
def test_the_default_of_othello_takes_any_setting_on_top(tmp_path, given):
    board = bl.game("othello", size=4)
    run = bl.train(board, out=tmp_path / "run", episodes=2, **given)
    assert run.is_finished
    assert all(getattr(run.settings, name) == value for name, value in given.items())
    for size in (6, 8, 10):
        game = bl.game("othello", size=size)
        chosen = preset(game, given=given)
        chosen.pop("episodes")
        TdNTuple.merged(chosen, given).describe(game, 1)


def test_a_tanh_learns_the_score_of_othello():
    game = bl.game("othello")
    assert preset(game)["reward"] == "discs"
    assert "reward" not in preset(game, given={"sigma": "tanh"})


@pytest.mark.parametrize("learner", ["sarsa-ntuple", "q-ntuple"])
def test_tables_for_every_action_of_othello_stay_small(learner):
    game = bl.game("othello")
    chosen = preset(game, learner=learner)
    assert chosen.pop("episodes") == 100_000
    assert LEARNERS[learner].merged(chosen, {}).table_bytes(game, 0) < 3 * 2**30


def test_the_papers_network_of_othello_is_a_preset():
    chosen = preset(bl.game("othello"), "paper")
    values = {"episodes": 250_000, "tuples": 100, "length": 7, "alpha": 0.2, "start_actions": 4}
    assert {key: chosen[key] for key in values} == values
    assert not {"reward", "sigma", "staged", "cells", "solve_below"} & set(chosen)


def test_connect_four_starts_from_openings_that_fit_the_board():
    for parameters, most in (
        ({}, 10),
        ({"rows": 4, "cols": 5}, 5),
        ({"rows": 2, "cols": 2, "connect": 2}, 1),
    ):
        chosen = preset(bl.game("connectfour", **parameters))
        assert (chosen["choose_start"], chosen["start_actions"], chosen["start_actions_min"]) == (
            0.25,
            most,
            1,
        )
    assert "choose_start" not in preset(bl.game("connectfour"), "paper")


def test_the_papers_network_of_connect_four_reads_70_tuples_of_8_cells():
    tuples = layouts.layout_from_text(preset(bl.game("connectfour"), "paper")["cells"])
    assert len(tuples) == len({frozenset(cells) for cells in tuples}) == 70
    assert all(len(set(cells)) == 8 and set(cells) <= set(range(42)) for cells in tuples)


def test_on_another_board_the_papers_network_of_connect_four_walks():
    chosen = preset(bl.game("connectfour", rows=5), "paper")
    assert not {"layout", "cells"} & set(chosen)
    assert (chosen["tuples"], chosen["length"], chosen["neighbourhood"]) == (70, 8, 8)


@pytest.mark.parametrize("name", [np.zeros((2, 3)), ["default"], None, 7])
def test_a_preset_that_is_no_name_is_refused(name, tmp_path):
    for learner in ("td-ntuple", "sarsa-ntuple", "alphazero", "q-table"):
        with pytest.raises(bl.BoardLabError, match="unknown preset"):
            preset(bl.game("rubiks", twists=3), name, learner)
        with pytest.raises(bl.BoardLabError, match="preset must be text, not"):
            bl.train(bl.game("rubiks", twists=3), learner, preset=name, out=tmp_path / "run", episodes=1)
