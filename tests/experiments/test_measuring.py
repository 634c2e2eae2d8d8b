"""Measures: what they count, against games counted by hand."""

import json

import pytest

import boardlab as bl
from boardlab.experiments.experiment import Board, Cell
from boardlab.experiments.measuring import (
    MEASURES,
    Cubes,
    EpisodeTime,
    Match,
    MoveTime,
    Pair,
    Switch,
    Versus,
    Weights,
)
from boardlab.experiments.measuring.jobs import measure_job, take_measure
from boardlab.experiments.pool import pool_cells, pool_ratings, pool_results
from boardlab.jobs import Context

NIM = Board("nim", {"heaps": (3, 3)})
"""The second player wins."""


def test_a_match_counts_for_its_first_agent_and_a_pair_counts_by_seat():
    agents = ("solved", "random")
    first = Match(NIM, agents, 20, moves_first=True).take(1)
    assert (first["games"], first["wins"] + first["losses"]) == (20, 20)
    pair = Pair(NIM, agents, 40).take(1)
    assert sum(pair.values()) == 40
    assert pair["second_wins"] == 20 and pair["second_losses"] == 0  # perfect play wins from there
    assert pair["first_losses"] > 0


def test_an_agent_that_fails_ends_the_measure():
    with pytest.raises(bl.BoardLabError, match="unknown agent"):
        Match(NIM, ("nobody", "random"), 2).take(1)


def test_versus_fills_all_other_seats_with_the_opponent():
    three = Board("nim", {"heaps": (2, 2), "players": 3})
    assert Versus(three, "random", "random", 30).take(1)["games"] == 30
    assert Versus(NIM, "solved", "random", 10, moves_first=True).take(1)["games"] == 10


def test_cubes_are_solved_within_the_steps():
    cube = Board("rubiks", {"size": 2, "twists": 3})
    assert Cubes(cube, "exact", (1, 2), 5, steps=20).take(1) == {"solved": 10, "cubes": 10}
    assert Cubes(cube, "exact", (2,), 20, steps=1).take(1)["solved"] < 20


def test_times_are_of_decisions_and_of_episodes():
    board = Board("tictactoe")
    moves = MoveTime(board, "mcts(rollout, iterations=20)", 2, limit=3).take(1)
    assert moves["decisions"] == 6 and moves["milliseconds"] > 0
    plain = EpisodeTime(board, {}, 50, before=10).take(1)
    assert plain["seconds"] > 0 and 5 <= plain["actions"] <= 9
    searched = {"search": "mcts", "search_iterations": 20}
    assert EpisodeTime(board, searched, 5, before=10).take(1)["seconds"] > plain["seconds"]


def test_the_runs_of_trainings_stand_where_a_measure_mentions_them(tmp_path):
    cell = Cell(("a",), Match(NIM, ('greedy(ntuple("{a}"))', 'greedy(ntuple("{b@50}"))'), 2))
    assert cell.trainings == ["a", "b"]
    runs = {"a": tmp_path / 'quoted "a"', "b": tmp_path / "b"}
    arguments = measure_job(cell, 1, runs).settings["arguments"]
    assert arguments["agents"][0] == f'greedy(ntuple("{tmp_path.as_posix()}/quoted \\"a\\""))'
    assert arguments["agents"][1].endswith('/b/snapshots/50"))')
    assert measure_job(Cell(("w",), Weights("{a}")), 1, runs).settings["arguments"]["run"] == str(runs["a"])


def test_a_switch_that_never_fell_counts_as_one_generation_more(tmp_path):
    lines = [{"generation": 1}, {"generation": 2, "switched": True}, {"generation": 3}]
    file = tmp_path / "generations.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert Switch(str(tmp_path)).take(1) == {"switch": 2, "generations": 3}
    file.write_text(json.dumps(lines[0]) + "\n")
    assert Switch(str(tmp_path)).take(1) == {"switch": 2, "generations": 1}


def test_a_pool_is_rated_by_the_games_of_all_its_pairs():
    players = {"perfect": "solved", "random, run 1": "random", "random, run 2": "random"}
    rows = []
    for cell in pool_cells("nim", NIM, players, 10, random_actions=0):
        numbers = take_measure(measure_job(cell, 1, {}), Context())["numbers"]
        rows.append(dict(zip(("pool", "one", "other"), cell.keys, strict=True)) | numbers)
    assert len(pool_results(rows, "nim")) == 30 and not pool_results(rows, "hex")
    rated = pool_ratings(pool_results(rows, "nim"))
    assert rated.ratings[0].name == "perfect" and rated.ratings[0].games == 20
    together = pool_results(rows, "nim", lambda player: player.partition(",")[0])
    assert len(together) == 20  # games of a player with itself do not count
    assert pool_ratings([]) is None


def test_every_measure_is_listed_by_its_name():
    assert all(kind.name == name and kind.values for name, kind in MEASURES.items())
