"""Folders of runs as players: their runs share the games, and intervals are those between runs."""

import collections
import math
import random
import sqlite3
import statistics

import pytest

import boardlab as bl
from boardlab.arena.arena import GameRecord
from boardlab.arena.between_runs import points_of, run_scores, score_of, spread, spread_of, wider
from boardlab.arena.field import Field
from boardlab.arena.intervals import STUDENT_95, interval
from boardlab.arena.tournament import stored_tournament
from boardlab.search.entrants import Entrant

TICTACTOE = bl.game("tictactoe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs")
    for name, runs in (("three", 3), ("two", 2)):
        bl.train_many(TICTACTOE, runs, out=path / name, episodes=40, exams=[], progress=False)
    return path


def greedy(folder, name):
    return f'greedy(ntuple("{folder}/{name}"))'


def folders(*sizes):
    """Entrants with so many runs each; 1 is an agent."""
    return [
        Entrant(
            "random",
            f"e{i}",
            tuple(f"seed-{run}" for run in range(size)) if size > 1 else (),
            ("random",) * size if size > 1 else (),
        )
        for i, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("sizes", [(3, 1), (1, 4), (3, 2), (3, 3), (2, 4), (2, 3, 1)])
def test_games_are_dealt_to_all_runs_evenly_and_to_all_pairs_of_runs(sizes):
    field = Field(folders(*sizes))
    everyone = range(len(sizes))
    rounds = field.whole_rounds(1, 2) * math.prod(sizes)
    dealt = [tuple(field.seated(everyone, number)) for number in range(rounds)]
    flat = collections.Counter(agent for seats in dealt for agent in seats)
    first = 0
    for size in sizes:
        assert {flat[first + run] for run in range(size)} == {rounds // size}
        first += size
    pairs = {seats[:2] for seats in dealt}
    assert len(pairs) == sizes[0] * sizes[1]
    assert [field.whole_rounds(n, 2) % math.lcm(*sizes) for n in (1, 5, 7)] == [0, 0, 0]


def test_every_run_meets_every_opening():
    """Eight openings and two runs: without a shift a run would meet four of them."""
    field = Field(folders(2, 1))
    met = {(field.seated((0, 1), number, 8)[0], number % 8) for number in range(16)}
    assert len(met) == 16


def record(seats, runs, scores):
    return GameRecord(seats, (), scores, 0, "", runs=runs)


def test_the_spread_between_runs_by_hand():
    entrants = folders(3, 1)
    records = []
    for run, results in enumerate(((1, 1), (1, -1), (0, 1))):
        for game, score in enumerate(results):
            seats = (0, 1) if game == 0 else (1, 0)
            scores = (score, -score) if game == 0 else (-score, score)
            records.append(record(seats, (run, 0) if game == 0 else (0, run), scores))
    found = run_scores(entrants, records)
    assert [(s.run, s.games, s.wins, s.draws, s.losses, s.mean_score, s.points) for s in found[0]] == [
        ("seed-0", 2, 2, 0, 0, 1.0, 1.0),
        ("seed-1", 2, 1, 0, 1, 0.0, 0.5),
        ("seed-2", 2, 1, 1, 0, 0.5, 0.75),
    ]
    assert found[1] == ()
    error = statistics.stdev([1.0, 0.0, 0.5]) / math.sqrt(3)
    for of in (0, 1):  # the opponent's score is as uncertain
        between = spread(entrants, records, of, score_of)
        assert between.error == pytest.approx(error) and between.degrees == 2
        assert between.half == pytest.approx(STUDENT_95[1] * error)
    assert spread(entrants, records, 1, score_of, own=True) is None
    assert spread(entrants, records, 0, points_of).error == pytest.approx(error / 2)
    assert spread(folders(1, 1), records, 0, score_of) is None


def test_two_folders_add_their_spreads():
    entrants = folders(2, 2)
    scores = {(0, 0): 1.0, (0, 1): 0.0, (1, 0): 0.0, (1, 1): -1.0}
    records = [record((0, 1), runs, (score, -score)) for runs, score in scores.items()]
    one = spread_of([0.5, -0.5])
    both = spread(entrants, records, 0, score_of)
    assert both.error == pytest.approx(math.sqrt(2) * one.error)
    assert both.half == pytest.approx(math.sqrt(2) * one.half)


@pytest.mark.parametrize("sizes", [(4, 1), (4, 3)])
def test_intervals_cover_what_other_seeds_would_give(sizes):
    """Runs of one method differ; an interval of their games alone would miss its mean most of the time."""
    rng, entrants = random.Random(7), folders(*sizes)
    field, repeats, covered, too_narrow = Field(entrants), 300, 0, 0
    for _ in range(repeats):
        skills = [[rng.gauss(0, 0.12 if size > 1 else 0) for _ in range(size)] for size in sizes]
        records = []
        for number in range(60):
            first, second = field.seated((0, 1), number)
            runs = (first, second - sizes[0])
            chance = 0.5 + skills[0][runs[0]] - skills[1][runs[1]]
            score = 1.0 if rng.random() < chance else -1.0
            records.append(record((0, 1), runs, (score, -score)))
        scores = [r.scores[0] for r in records]
        mean, games = statistics.mean(scores), interval(scores, (-1, 1))
        covered += abs(mean) <= wider(games, spread(entrants, records, 0, score_of), mean, (-1, 1))
        too_narrow += abs(mean) > games
    assert covered / repeats > 0.93 and too_narrow / repeats > 0.1


def test_an_interval_is_never_narrower_than_its_games_make_it():
    apart, alike = spread_of([0.1, 0.2, 0.6]), spread_of([0.3, 0.3, 0.3])
    assert wider(0.01, apart, 0.3, (-1, 1)) == apart.half and wider(0.9, apart, 0.3, (-1, 1)) == 0.9
    assert wider(0.2, alike, 0.3, (-1, 1)) == 0.2 and wider(0.2, None, 0.3, (-1, 1)) == 0.2
    assert wider(math.nan, apart, 0.3, (-1, 1)) == apart.half
    assert wider(0.2, spread_of([0.0, 1.0]), 0.5, (0, 1)) == 0.5  # no further than scores go


def test_a_match_takes_all_runs_and_gives_the_spread_between_them(folder):
    agents = {"T": greedy(folder, "three"), "R": "random"}
    result = bl.match(TICTACTOE, agents, games=20, seed=3)
    assert result.games == 24 and result.names == ("T", "R")
    assert result.agents == (f'greedy(ntuple(run="{folder}/three"))', "random")
    means = [score.mean_score for score in result.runs[0]]
    assert [score.games for score in result.runs[0]] == [8, 8, 8]
    assert result.mean_scores[0] == pytest.approx(statistics.mean(means))
    assert result.intervals[0] >= spread_of(means).half or result.intervals[0] == pytest.approx(
        1 + abs(result.mean_scores[0])
    )
    for run in range(3):  # a run's games are those of its agent
        alone = bl.match(TICTACTOE, [f'greedy(ntuple("{folder}/three/seed-{run + 1}"))', "random"], 20, 3)
        for number in (2 * run, 2 * run + 1):
            assert result.records[number].runs[result.records[number].seats.index(0)] == run
            if run == 0:
                assert result.records[number].actions == alone.records[number].actions
    text = str(result)
    assert "± is the wider 95% interval, of games or between runs)" in text and "  seed-2  wins " in text
    assert f'T = greedy(ntuple(run="{folder}/three"))' in text and "3 runs, from " in text


def test_threads_and_jobs_change_nothing(folder):
    agents = [greedy(folder, "three"), f"B={greedy(folder, 'two')}"]
    one = bl.match(TICTACTOE, agents, games=24, seed=1, random_actions=1)
    assert bl.match(TICTACTOE, agents, games=24, seed=1, random_actions=1, threads=2) == one
    assert bl.match(TICTACTOE, agents, games=24, seed=1, random_actions=1, jobs=2) == one
    assert {r.runs for r in one.records} == {(i, j) for i in range(3) for j in range(2)} | {
        (j, i) for i in range(3) for j in range(2)
    }


def test_what_makes_no_sense_with_folders_is_refused(folder):
    with pytest.raises(bl.BoardLabError, match="not between folders of runs"):
        bl.match(TICTACTOE, [greedy(folder, "three"), "random"], sprt=(0, 10))
    with pytest.raises(bl.BoardLabError, match="games with a folder of runs must be at most 1,000,000"):
        bl.match(TICTACTOE, [greedy(folder, "three"), "random"], games=10**7)


def test_names_stand_in_files_of_games_with_the_agent_beside_them(folder, tmp_path):
    agents = {"T": f'mcts(ntuple("{folder}/three"), iterations=9)', "R": "random"}
    bl.match(TICTACTOE, agents, games=6, seed=3).save(tmp_path / "games.pgn")
    records = bl.read_records(tmp_path / "games.pgn")
    assert {record.players for record in records} == {("T", "R"), ("R", "T")}
    assert records[2].tags["WhiteAgent"] == f'mcts(ntuple(run="{folder}/three/seed-2"), iterations=9)'
    assert records[2].tags["BlackAgent"] == "random"
    bl.write_records(tmp_path / "again.pgn", records)
    assert (tmp_path / "again.pgn").read_text() == (tmp_path / "games.pgn").read_text()
    assert [rating.name for rating in bl.rate(tmp_path / "games.pgn").ratings] == ["T", "R"]
    bl.match(TICTACTOE, ["mcts(iterations=5)", "random"], games=2).save(tmp_path / "plain.pgn")
    assert "Agent" not in (tmp_path / "plain.pgn").read_text()


def test_every_run_takes_an_exam_and_the_result_is_their_mean(folder):
    heard = []
    result = bl.evaluate(f"T={greedy(folder, 'three')}", TICTACTOE, "random", 20, 5, progress=heard.append)
    alone = [
        bl.evaluate(f'greedy(ntuple("{folder}/three/seed-{i}"))', TICTACTOE, "random", 20, 5)
        for i in (1, 2, 3)
    ]
    assert result.runs == {f"seed-{i + 1}": one for i, one in enumerate(alone)}
    values = [one.value for one in alone]
    assert result.value == pytest.approx(statistics.mean(values)) and result.games == 60
    assert result.wins == sum(one.wins for one in alone) and sum(result.outcomes) == 60
    assert result.interval >= spread_of(values).half
    assert heard[-1] == 60 and heard == sorted(heard)
    assert "(95% between 3 runs)" in str(result) and "  seed-3  " in str(result)
    shares = bl.evaluate(greedy(folder, "two"), TICTACTOE, "optimal", 10)
    assert shares.outcomes is None and len(shares.runs) == 2


def test_an_opponent_may_be_a_folder(folder):
    three = bl.game("nim", players=3)
    bl.train_many(three, 2, out=folder / "nim", episodes=5, exams=[], progress=False)
    result = bl.evaluate("random", three, against=f"N={greedy(folder, 'nim')}", games=12)
    assert result.exam == "against N" and result.games == 12
    run = bl.train(
        TICTACTOE, episodes=20, out=folder / "x", exams=[greedy(folder, "two")], exam_games=8, seed=1
    )
    assert run.log[-1][f"{greedy(folder, 'two')} games"] == 8


def test_a_tournament_takes_a_folder_as_one_player_and_goes_on_after_a_kill(folder, tmp_path):
    agents = [f"T={greedy(folder, 'three')}", "random", greedy(folder, "two")]
    given = {"games": 5, "seed": 2, "random_actions": 1}
    whole = bl.tournament(TICTACTOE, agents, store=tmp_path / "whole.db", **given)
    assert len(whole.records) == 3 * 12 and whole.names[:2] == ("T", "random")
    assert [score.games for score in whole.runs[0]] == [8, 8, 8] and whole.runs[1] == ()

    bl.tournament(TICTACTOE, agents, store=tmp_path / "broken.db", **given)
    with sqlite3.connect(tmp_path / "broken.db") as db:  # as kill -9 leaves it
        db.execute("DELETE FROM seats WHERE played IN (SELECT id FROM games WHERE number > 4)")
        db.execute("DELETE FROM games WHERE number > 4")
        db.execute("DELETE FROM ratings")
        db.execute("UPDATE tournaments SET finished = NULL")
    db.close()
    again = bl.tournament(TICTACTOE, agents, store=tmp_path / "broken.db", jobs=2, **given)
    assert again.fresh == 3 * 7 and again.records == whole.records and again == whole
    assert stored_tournament(bl.store(tmp_path / "broken.db").tournament(1)) == whole
    assert "T: points in percent of 3 runs, from " in str(whole)
    assert whole.standings[0].point_interval > 0
    swiss = bl.tournament(TICTACTOE, agents, "swiss", store=tmp_path / "whole.db", **given)
    assert sum(score.games for score in swiss.runs[0]) == swiss.standings[0].games


def test_each_run_of_a_folder_may_be_a_player(folder, tmp_path):
    agents = {"T": greedy(folder, "three"), "R": "random"}
    result = bl.tournament(TICTACTOE, agents, games=2, store=tmp_path / "s.db", each=True)
    assert result.names == ("T seed-1", "T seed-2", "T seed-3", "R") and not any(result.runs)
    assert len(result.records) == 12


def test_a_run_that_learns_on_makes_another_player(folder, tmp_path):
    path = tmp_path / "multi"
    bl.train_many(TICTACTOE, 2, out=path, episodes=5, exams=[], progress=False)
    agents = [f'greedy(ntuple("{path}"))', "random"]
    first = bl.tournament(TICTACTOE, agents, games=4, store=tmp_path / "s.db")
    assert bl.tournament(TICTACTOE, agents, games=4, store=tmp_path / "s.db").fresh == 0
    bl.resume(path / "seed-2", episodes=200)
    bl.resume(path / "seed-1", episodes=200)
    other = bl.tournament(TICTACTOE, agents, games=4, store=tmp_path / "s.db")
    assert (first.number, other.number) == (1, 2)
    lines = bl.store(tmp_path / "s.db").fame()
    assert [len(line.runs) for line in lines if "ntuple" in line.expression] == [2, 2]


def test_compare_plays_with_all_runs(folder):
    found = bl.compare(folder / "three", folder / "two", match_games=12)
    assert [len(scores) for scores in found.result.runs] == [3, 2]
