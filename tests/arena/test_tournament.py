"""Tournaments: who meets whom, on which seats, what is counted, and that nothing is lost when one is killed."""

import importlib.util
import itertools
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardlab as bl
from boardlab import BoardLabError
from boardlab.arena.intervals import hidden_share, interval
from boardlab.arena.matching import pair_all
from boardlab.arena.pairing import (
    first_turns,
    gauntlet,
    order_count,
    round_robin,
    seat_orders,
    swiss_round,
)
from boardlab.arena.ratings import BayesElo
from boardlab.arena.standings import tally
from boardlab.arena.tournament import stored_tournament
from boardlab.plots import wrapped

FOUR = bl.game("connectfour")
TICTACTOE = bl.game("tictactoe")
NIM3 = bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3)
FIELD = ["random", "mcts(rollout, iterations=5)", "mcts(rollout, iterations=20)", "greedy(rollout)"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


# ---- who meets whom ----


def test_round_robin_and_gauntlet_by_hand() -> None:
    assert round_robin(4, 2) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert round_robin(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert gauntlet(4, 2) == [(0, 1), (0, 2), (0, 3)]
    assert gauntlet(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3)]
    assert round_robin(3, 1) == [(0,), (1,), (2,)]


def test_seat_orders_by_hand() -> None:
    assert seat_orders((3, 7), "all", 0) == seat_orders((3, 7), "double", 0) == [(3, 7), (7, 3)]
    assert seat_orders((1, 2, 3), "double", 5) == [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    assert seat_orders((1, 2, 3), "all", 0) == seat_orders((1, 2, 3), "double", 0)
    assert seat_orders((1, 2, 3), "all", 1) == [(1, 3, 2), (3, 2, 1), (2, 1, 3)]
    assert seat_orders((1, 2, 3), "all", 2) == seat_orders((1, 2, 3), "all", 0)
    assert [order_count(3, s) for s in ("single", "double", "all")] == [1, 3, 3]
    for players in range(1, 7):
        group = tuple(range(players))
        circles = [tuple(seat_orders(group, "all", turn)) for turn in range(math.factorial(players - 1))]
        assert len({order for circle in circles for order in circle}) == math.factorial(players)
    turns = [seat_orders((1, 2, 3), "single", turn)[0] for turn in range(3)]
    assert sorted(turns) == sorted(seat_orders((1, 2, 3), "double", 0))


@pytest.mark.parametrize("entrants", [4, 5, 8])
def test_in_a_single_round_robin_all_begin_about_equally_often(entrants: int) -> None:
    begins = Counter(seat_orders(pair, "single", 0)[0][0] for pair in round_robin(entrants, 2))
    assert max(begins.values()) - min(begins.values()) <= 1


def test_who_has_begun_less_begins_the_next_single_meeting() -> None:
    assert first_turns([(0, 1), (2, 3)], []) == [0, 0]

    def begins(group: tuple[int, ...], earlier: list[tuple[int, ...]]) -> int:
        return seat_orders(group, "single", first_turns([group], earlier)[0])[0][0]

    assert begins((0, 1), [(0, 1)]) == begins((1, 0), [(0, 1)]) == 1
    assert begins((0, 1), [(0, 2), (1, 2), (1, 3)]) == 0
    # 0 began one of two games, 1 its only one
    assert begins((0, 1), [(0, 2), (2, 0), (1, 3)]) == 0
    # equal in all, so it is the other one's turn in this pair
    assert begins((0, 1), [(0, 1), (1, 2), (2, 0)]) == begins((1, 0), [(0, 1), (1, 2), (2, 0)]) == 1
    assert begins((0, 1, 2), [(0, 1, 2), (1, 2, 0)]) == 2


def test_a_swiss_round_pairs_equals_that_have_not_met() -> None:
    none = [[0] * 4 for _ in range(4)]
    assert swiss_round([0, 0, 0, 0], none, [0] * 4, 2) == ([(0, 1), (2, 3)], [])
    met = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    # 0 and 2 won: they meet, and so do the losers
    assert swiss_round([2, 0, 2, 0], met, [0] * 4, 2) == ([(0, 2), (1, 3)], [])
    # 0 and 1 lead and have met: each meets the nearest it has not
    assert swiss_round([2, 2, 0, 0], met, [0] * 4, 2) == ([(0, 2), (1, 3)], [])


def test_swiss_byes_go_to_the_last_that_had_none() -> None:
    none = [[0] * 5 for _ in range(5)]
    groups, out = swiss_round([4, 3, 2, 1, 0], none, [0, 0, 0, 0, 1], 2)
    assert out == [3] and groups == [(0, 1), (2, 4)]
    groups, out = swiss_round([4, 3, 2, 1, 0], none, [0] * 5, 3)
    assert sorted(out) == [3, 4] and groups == [(0, 1, 2)]


def test_a_whole_swiss_tournament_repeats_no_meeting_while_it_can() -> None:
    """Eight entrants, the lower number always wins: seven rounds are a round robin."""
    met = [[0] * 8 for _ in range(8)]
    points = [0.0] * 8
    for _ in range(7):
        groups, out = swiss_round(points, met, [0] * 8, 2)
        assert not out and sorted(itertools.chain(*groups)) == list(range(8))
        for i, j in groups:
            met[i][j] += 1
            met[j][i] += 1
            points[min(i, j)] += 1
    assert max(itertools.chain(*met)) == 1 and sum(itertools.chain(*met)) == 56
    groups, _ = swiss_round(points, met, [0] * 8, 2)  # nobody is left to meet: then again
    assert len(groups) == 4


def test_a_long_swiss_of_a_large_field_repeats_no_meeting() -> None:
    """Who has met less than half of the others leaves a pairing of all (Dirac): 20 rounds of 40 entrants."""
    n, rng = 40, random.Random(1)
    strength = [rng.gauss(0, 1) for _ in range(n)]
    points, met = [0.0] * n, [[0] * n for _ in range(n)]
    for _ in range(20):
        for i, j in swiss_round(points, met, [0] * n, 2)[0]:
            met[i][j] += 1
            met[j][i] += 1
            points[i if strength[i] > strength[j] else j] += 1
    assert max(itertools.chain(*met)) == 1


def test_pairings_of_all_are_the_first_that_trying_all_finds() -> None:
    def first(left: list[int], allowed: list[list[int]]) -> list[tuple[int, int]] | None:
        if not left:
            return []
        for j in allowed[left[0]]:
            if j in left and (rest := first([k for k in left[1:] if k != j], allowed)) is not None:
                return [(left[0], j), *rest]
        return None

    rng, found = random.Random(1), 0
    for _ in range(400):
        n, share = rng.choice((2, 6, 8, 10)), rng.choice((0.3, 0.4, 0.6))
        edges = {pair for pair in itertools.combinations(range(n), 2) if rng.random() < share}
        allowed = [[j for j in range(n) if (min(i, j), max(i, j)) in edges] for i in range(n)]
        expected = first(list(range(n)), allowed)
        assert pair_all(allowed) == expected
        found += expected is not None
    assert 100 < found < 300


def test_a_round_of_a_swiss_that_was_begun_stays_as_it_is(db: Path) -> None:
    """Whoever paired it: here not the nearest ones."""
    options = {"games": 2, "seats": "all", "random_actions": 0, "rounds": 2}
    plan = bl.store(db).start_tournament(TICTACTOE, FIELD, "swiss", options=options)
    plan.add_pairings([((0, 3), 2), ((1, 2), 2)])
    result = bl.tournament(TICTACTOE, FIELD, "swiss", games=2, rounds=2, store=db)
    assert result.number == plan.number
    assert [r.seats for r in result.records[:4]] == [(0, 3), (3, 0), (1, 2), (2, 1)]
    assert not {(0, 3), (1, 2)} & {p.entrants for p in plan.pairings()[2:]}


def test_a_swiss_round_of_thousands() -> None:
    n = 2600
    met = [[0] * n for _ in range(n)]
    groups, out = swiss_round([0.0] * n, met, [0] * n, 2)
    assert groups == [(i, i + 1) for i in range(0, n, 2)] and out == []
    for i, j in groups:
        met[i][j] = met[j][i] = 1
    again, _ = swiss_round([0.0] * n, met, [0] * n, 2)
    assert sorted(i for group in again for i in group) == list(range(n)) and not set(again) & set(groups)


def test_swiss_backtracks_where_the_nearest_leave_no_way() -> None:
    """0 has met all but 3 and 1; with 1, the two that are left would have met: so 0 meets 3."""
    met = [[0] * 4 for _ in range(4)]
    for i, j in ((0, 2), (2, 3)):
        met[i][j] = met[j][i] = 1
    assert swiss_round([3, 2, 1, 0], met, [0] * 4, 2) == ([(0, 3), (1, 2)], [])


def test_swiss_rounds_of_any_field_seat_everybody_once_or_give_a_bye() -> None:
    rng = random.Random(1)
    for _ in range(60):
        players, entrants = rng.choice((2, 3, 4)), rng.randint(4, 14)
        met = [[0] * entrants for _ in range(entrants)]
        byes, points = [0] * entrants, [0.0] * entrants
        for _ in range(rng.randint(1, 6)):
            groups, out = swiss_round(points, met, byes, players)
            assert sorted([*out, *itertools.chain(*groups)]) == list(range(entrants))
            assert all(len(group) == players for group in groups) and len(out) == entrants % players
            for group in groups:
                for i, j in itertools.permutations(group, 2):
                    met[i][j] += 1
                for i in group:
                    points[i] += rng.choice((0, 0.5, 1))
            for i in out:
                byes[i] += 1
                points[i] += 1
        if out:
            assert max(byes) - min(byes) <= 1


# ---- what is played and counted ----


def test_a_round_robin_plays_every_pair_on_every_seat(db: Path) -> None:
    result = bl.tournament(TICTACTOE, FIELD, games=4, seed=1, store=db)
    assert result.is_finished and len(result.records) == 6 * 4
    assert Counter(r.seats for r in result.records) == dict.fromkeys(itertools.permutations(range(4), 2), 2)
    for i, standing in enumerate(result.standings):
        mine = [r for r in result.records if i in r.seats]
        assert standing.games == len(mine) == 12
        assert standing.wins == sum(r.scores[r.seats.index(i)] == 1 for r in mine)
        assert standing.draws == sum(r.scores == (0, 0) for r in mine)
        assert standing.wins + standing.draws + standing.losses == 12
        assert standing.points == standing.wins + standing.draws / 2
        assert standing.seconds_per_decision > 0
    for i, j in itertools.combinations(range(4), 2):
        assert result.cross[i, j] + result.cross[j, i] == pytest.approx(1)
        assert result.first[i, j].sum() == result.first[j, i].sum() == 2
    assert np.isnan(np.diag(result.cross)).all()


def test_all_pairings_of_a_turn_play_the_same_opening(db: Path) -> None:
    result = bl.tournament(FOUR, FIELD, games=4, seed=1, random_actions=3, store=db)
    openings = Counter(r.actions[:3] for r in result.records)
    assert sorted(openings.values()) == [12, 12] or list(openings.values()) == [24]
    starts = [child for _, child in FOUR.initial_state().children()]
    result = bl.tournament(FOUR, FIELD, games=4, seed=1, starts=starts, store=db)
    assert [r.start for r in result.records[:4]] == [starts[0]] * 2 + [starts[1]] * 2


def test_the_list_the_cross_table_and_the_ratings_agree(db: Path) -> None:
    result = bl.tournament(TICTACTOE, FIELD, games=40, seed=1, store=db)
    assert isinstance(result.ratings, BayesElo)
    assert [result.agents[i] for i in result.ranking] == [r.name for r in result.ratings.ratings]
    text = str(result)
    assert "Elo ± 95%" in text and "Points in percent" in text and "time/move" in text
    for standing, name in zip(result.standings, result.agents, strict=True):
        assert result.ratings[name].games == standing.games == 120
        assert result.ratings[name].score == pytest.approx(standing.share)
        assert name in text
    table = result.first_seat_table()
    assert f"/{result.first[0, 1, 1]}/" in table
    if importlib.util.find_spec("matplotlib"):
        assert result.heat_map().startswith(b"\x89PNG")
    shades = result.heat_text().splitlines()
    assert len(shades) == 5 and len(set(map(len, shades))) == 1
    best, worst = result.ranking[0], result.ranking[-1]
    assert ("█" in shades[1]) == any(result.cross[best, j] >= 0.8 for j in range(4) if j != best)
    assert "█" not in shades[4] or result.cross[worst].max() >= 0.8
    stored = bl.store(db).tournament(result.number)
    for rating in stored.ratings("bayeselo"):
        line = result.ratings[result.agents[rating.entrant]]
        assert (rating.rating, rating.high) == pytest.approx((line.elo, line.elo + line.plus))
    for source in (result, stored):
        rated = bl.rate(source)
        assert isinstance(rated, BayesElo) and rated.ratings == result.ratings.ratings


def test_three_players_rotate_over_the_seats_and_get_skill_ratings(db: Path) -> None:
    agents = [*FIELD[:3], "maxn(depth=2)"]
    result = bl.tournament(NIM3, agents, games=3, seats="double", seed=1, store=db)
    assert len(result.records) == 4 * 3
    for group in itertools.combinations(range(4), 3):
        orders = [r.seats for r in result.records if set(r.seats) == set(group)]
        assert all(sorted(seats) == list(group) for seats in zip(*orders, strict=True))
    assert isinstance(result.ratings, dict) and set(result.ratings) == set(result.agents)
    assert "skill ± 95%" in str(result)
    assert sum(s.points for s in result.standings) == pytest.approx(12 * 1.5)
    every = bl.tournament(NIM3, agents[:3], games=4, seats="all", seed=1, store=db)
    assert Counter(r.seats for r in every.records) == dict.fromkeys(itertools.permutations(range(3)), 1)
    assert len({r.seed for r in every.records}) == 2


def test_rounds_of_a_swiss_tournament_of_three_sit_in_all_orders(db: Path) -> None:
    """Seven turns a meeting: every meeting begins with the circle of the group, though seven is odd."""
    result = bl.tournament(NIM3, FIELD[:3], "swiss", games=21, rounds=2, store=db)
    orders = [r.seats for r in result.records]
    groups = [p.entrants for p in bl.store(db).tournament(result.number).pairings()]
    for group, played in zip(groups, (orders[:21], orders[21:]), strict=True):
        turns = [seat_orders(group, "all", turn) for turn in (0, 1)]
        assert played == [*turns[0], *turns[1]] * 3 + turns[0]
    assert len({r.seed for r in result.records}) == 14


def test_three_player_tournaments_of_earlier_versions_are_shown_and_do_not_go_on(db: Path) -> None:
    """They played all six orders on one opening."""
    agents = FIELD[:3]
    plan = bl.store(db).start_tournament(
        NIM3, agents, "round-robin", options={"games": 24, "seats": "all", "random_actions": 0}
    )
    plan.add_pairings([((0, 1, 2), 24)])
    records = bl.match(NIM3, agents, games=24, seatings=list(itertools.permutations(range(3)))).records
    plan.add_games(0, records[:7], first=0)
    with pytest.raises(BoardLabError, match="was started by an earlier version, with all 6 seat orders"):
        bl.tournament(NIM3, agents, games=20, store=db)
    plan.add_games(0, records[7:], first=7)
    plan.finish()
    shown = bl.tournament(NIM3, agents, games=20, store=db)
    assert shown.number == plan.number and shown.records == records
    scores = [record.scores[record.seats.index(0)] for record in records]
    assert shown.standings[0].score_interval == interval(scores, NIM3.score_range, 6)
    anew = bl.tournament(NIM3, agents, games=20, store=db, again=True)
    assert anew.number != plan.number and len(anew.records) == 21
    assert bl.tournament(NIM3, agents, games=20, store=db).number == anew.number


def test_one_player_games_are_ranked_by_score(db: Path) -> None:
    game = bl.game("2048", size=3)
    result = bl.tournament(game, ["random", "greedy(rollout(rollouts=5))"], games=15, store=db)
    assert result.ranking == [1, 0] and result.ratings is None
    assert [r.seed for r in result.records[:15]] == [r.seed for r in result.records[15:]]
    assert "mean score" in str(result) and "Points" not in str(result)
    stored = bl.store(db).tournament(result.number).ratings("score")
    assert [r.entrant for r in stored] == [1, 0]


def test_a_gauntlet_and_a_single_round(db: Path) -> None:
    result = bl.tournament(TICTACTOE, FIELD, "gauntlet", games=2, store=db)
    assert len(result.records) == 6 and all(0 in r.seats for r in result.records)
    assert math.isnan(result.cross[1, 2])
    single = bl.tournament(TICTACTOE, FIELD, games=3, seats="single", store=db)
    assert len(single.records) == 18
    for pair in itertools.combinations(range(4), 2):
        first = [r.seats[0] for r in single.records if set(r.seats) == set(pair)]
        assert first[0] == first[2] != first[1]


def test_swiss_meets_are_told_by_the_results(db: Path) -> None:
    agents = [*FIELD, "mcts(rollout, iterations=40)"]
    result = bl.tournament(TICTACTOE, agents, "swiss", games=2, rounds=3, seed=2, store=db)
    assert len(result.records) == 3 * 2 * 2
    plan = bl.store(db).tournament(result.number)
    rounds = [[p.entrants for p in plan.pairings() if p.round == r] for r in range(3)]
    assert all(len(set(itertools.chain(*groups))) == 4 for groups in rounds)  # one has a bye
    meetings = Counter(frozenset(pair) for groups in rounds for pair in groups)
    assert max(meetings.values()) == 1
    assert bl.tournament(TICTACTOE, agents, "swiss", games=2, rounds=3, seed=2, store=db) == result


def test_who_begins_changes_from_meeting_to_meeting_in_a_single_swiss(db: Path) -> None:
    """In Nim with a single heap who begins wins: so equal players stay equal."""
    nim = bl.game("nim", heaps=(2,), max_take=2)
    agents = ["perfect", "alphabeta(depth=3)"]
    result = bl.tournament(nim, agents, "swiss", rounds=6, games=1, seats="single", store=db)
    assert [record.seats for record in result.records] == [(0, 1), (1, 0)] * 3
    assert [standing.points for standing in result.standings] == [3, 3]


def test_in_a_single_swiss_all_begin_about_equally_often(db: Path) -> None:
    agents = [*FIELD, "mc(iterations=3)"]
    result = bl.tournament(TICTACTOE, agents, "swiss", rounds=6, games=3, seats="single", store=db)
    begun = Counter(record.seats[0] for record in result.records)
    assert all(abs(begun[i] - s.games / 2) <= 1 for i, s in enumerate(result.standings))


def test_swiss_of_three_players_a_game(db: Path) -> None:
    agents = [f"mcts(rollout, iterations={n})" for n in (2, 4, 8, 16, 32, 64, 128)]
    result = bl.tournament(NIM3, agents, "swiss", games=3, seats="double", rounds=3, store=db)
    assert len(result.records) == 3 * 2 * 3
    assert sum(s.games for s in result.standings) == 3 * 18
    assert {s.games for s in result.standings} <= {6, 9}  # one has a bye in each round


def test_a_pairing_that_is_broken_off_in_a_round_shifts_no_other_ones() -> None:
    """Who begins always wins, so that every whole round is a tie and only the odd game is not."""

    def record(first: int, second: int) -> bl.arena.GameRecord:
        return bl.arena.GameRecord((first, second), (), (1.0, -1.0), 0, "")

    others = [record(0, 2), record(2, 0)] * 6
    for pairings in ([[record(0, 1)], others], [[record(0, 1), record(1, 0), record(0, 1)], others]):
        standing = tally(1, TICTACTOE, ("a", "b", "c"), "round-robin", False, pairings, 2).standings[0]
        rounds = sum(len(played) // 2 for played in pairings)
        assert standing.point_interval == pytest.approx(hidden_share(rounds) / 2)
        assert standing.score_interval == pytest.approx(hidden_share(rounds))
        assert standing.games == sum(map(len, pairings))
        assert standing.points == standing.games / 2 + 0.5
    # Less than two whole rounds say nothing about chance.
    single = [[record(0, 1)], [record(0, 2)], [record(3, 0)], [record(0, 4)]]
    few = tally(1, TICTACTOE, tuple("abcde"), "round-robin", False, single, 2)
    assert math.isnan(few.standings[0].point_interval) and "nan" not in str(few)


def test_tally_by_hand() -> None:
    """Two pairings of one turn each."""

    def game(seats: tuple[int, int], score: int) -> bl.arena.GameRecord:
        return bl.arena.GameRecord(seats, (), (score, -score), 0, "")

    pairings = [[game((0, 1), 1), game((1, 0), 0)], [game((0, 2), -1), game((2, 0), 1)]]
    result = tally(1, TICTACTOE, ("a", "b", "c"), "gauntlet", True, pairings, 2)
    assert [s.points for s in result.standings] == [1.5, 0.5, 2]
    assert result.cross[0, 1] == 0.75 and result.cross[2, 0] == 1 and math.isnan(result.cross[1, 2])
    assert result.first[0, 1].tolist() == [1, 0, 0] and result.first[1, 0].tolist() == [0, 1, 0]
    assert result.ranking == [2, 0, 1]
    # a: pairs with 3/4 and 0 points a game, from which Student's t over two would make more than all points;
    # from 3/8 the farthest is 1
    assert 12.706 * np.std([0.75, 0], ddof=1) / math.sqrt(2) > 1
    assert result.standings[0].point_interval == 0.625


# ---- stop and continue ----


@pytest.mark.parametrize("format", ["round-robin", "swiss"])
@pytest.mark.parametrize("seats", ["all", "single"])
def test_a_tournament_that_was_stopped_goes_on_as_though_nothing_had_happened(
    tmp_path: Path, format: str, seats: str
) -> None:
    class StopError(Exception):
        pass

    plan = {"format": format, "games": 4, "seats": seats, "seed": 3, "random_actions": 1}
    whole = bl.tournament(TICTACTOE, FIELD, **plan, store=tmp_path / "whole.db")  # type: ignore[arg-type]
    told: list[tuple[int, int]] = []
    stops = 0
    for attempt in range(100):

        def stop(done: int, games: int, attempt: int = attempt) -> None:
            told.append((done, games))
            if done > 3 * attempt + 2 and done < games:
                raise StopError

        try:
            result = bl.tournament(
                TICTACTOE,
                FIELD,
                **plan,
                store=tmp_path / "parts.db",
                progress=stop,  # type: ignore[arg-type]
            )
            break
        except StopError:
            stops += 1
            partial = stored_tournament(bl.store(tmp_path / "parts.db").tournament(1))
            assert not partial.is_finished and "so far" in str(partial)
    assert result == whole and result.records == whole.records
    assert told[-1] == (len(whole.records),) * 2


def test_a_tournament_that_another_process_finished_is_finished(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(plan: Any) -> Any:
        result = stored_tournament(plan)
        plan.finish()  # the other one was quicker
        return result

    monkeypatch.setattr(sys.modules["boardlab.arena.tournament"], "stored_tournament", slow)
    result = bl.tournament(TICTACTOE, FIELD[:2], games=2, store=db)
    assert result.is_finished and "so far" not in str(result)


def test_games_that_a_crash_left_behind_are_kept(tmp_path: Path) -> None:
    """The games of one batch are stored a pairing at a time: a crash in between leaves one pairing ahead."""
    db = tmp_path / "parts.db"
    whole = bl.tournament(TICTACTOE, FIELD, games=6, seed=3, store=tmp_path / "whole.db")
    plan = bl.store(db).start_tournament(
        TICTACTOE,
        FIELD,
        "round-robin",
        seed=3,
        options={"games": 6, "seats": "all", "random_actions": 0},
    )
    plan.add_pairings([(group, 6) for group in round_robin(4, 2)])
    plan.add_games(0, whole.records[:4], first=0)
    plan.add_games(2, whole.records[12:13], first=0)
    result = bl.tournament(TICTACTOE, FIELD, games=6, seed=3, store=db)
    assert result.number == plan.number and result.records == whole.records


def test_killed_tournaments_resume(tmp_path: Path) -> None:
    """kill -9, twice; the third attempt ends with the games of an undisturbed one."""
    db = tmp_path / "store.db"
    words = [
        sys.executable, "-m", "boardlab", "tournament", "connectfour", "mcts(rollout, iterations=150)",
        "mcts(rollout, iterations=100)", "random", "-n", "20", "--seed", "4", "--store", str(db),
    ]  # fmt: skip
    reached = 0
    for _ in range(2):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None:
            if db.exists():
                try:
                    tournaments = bl.store(db).tournaments()
                    done = len(tournaments[0].games()) if tournaments else 0
                except BoardLabError:
                    done = 0
                if done > reached:
                    reached = done
                    break
            time.sleep(0.02)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
    final = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert final.returncode == 0, final.stderr
    assert "round-robin of 3 agents, 60 games (tournament 1 of the store)" in final.stdout
    agents = ["mcts(rollout, iterations=150)", "mcts(rollout, iterations=100)", "random"]
    whole = bl.tournament(FOUR, agents, games=20, seed=4, store=tmp_path / "whole.db")
    assert stored_tournament(bl.store(db).tournament(1)).records == whole.records
    again = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert again.stdout.splitlines()[2:-1] == final.stdout.splitlines()[2:-1]
    assert len(bl.store(db).tournaments()) == 1


def test_any_number_of_threads_gives_the_same_tournament(tmp_path: Path) -> None:
    one = bl.tournament(TICTACTOE, FIELD, games=10, seed=3, store=tmp_path / "1.db")
    assert bl.tournament(TICTACTOE, FIELD, games=10, seed=3, threads=3, store=tmp_path / "3.db") == one


def test_again_starts_another_one(db: Path) -> None:
    first = bl.tournament(TICTACTOE, FIELD, games=2, store=db)
    assert bl.tournament(TICTACTOE, FIELD, games=2, store=db).number == first.number
    assert bl.tournament(TICTACTOE, FIELD, games=2, store=db, again=True).number != first.number
    assert bl.tournament(TICTACTOE, FIELD, games=4, store=db).number > first.number


# ---- what is refused ----


def test_tournaments_that_make_no_sense_are_refused(db: Path) -> None:
    def refused(words: str, *args: object, **more: object) -> None:
        with pytest.raises(BoardLabError, match=words):
            bl.tournament(*args, store=db, **more)  # type: ignore[arg-type]

    refused("at least 2 agents, not 1", TICTACTOE, ["random"])
    refused("at least 3 agents, not 2", NIM3, ["random", "maxn(depth=2)"])
    refused("list of agents", TICTACTOE, "random")
    refused("list of agents", TICTACTOE, None)
    refused("listed twice", TICTACTOE, ["random", "random"])
    refused('did you mean "swiss"', TICTACTOE, FIELD, "swis")
    refused('did you mean "double"', TICTACTOE, FIELD, seats="duble")
    refused("games must be", TICTACTOE, FIELD, games=0)
    refused("rounds must be", TICTACTOE, FIELD, "swiss", rounds=0)
    refused("rounds are for", TICTACTOE, FIELD, rounds=3)
    refused("progress must be", TICTACTOE, FIELD, progress=3)
    refused("nobody meets", bl.game("2048"), ["random", "greedy(rollout)"], "swiss")
    refused("a game is made with", "tictactoe", FIELD)
    with pytest.raises(BoardLabError, match='did you mean "glicko2"'):
        bl.rate([], "glicko")
    with pytest.raises(BoardLabError, match="ratings need"):
        bl.rate(3)  # type: ignore[arg-type]
    with pytest.raises(BoardLabError, match=r"bayeselo: .*colour"):
        bl.rate(bl.match(TICTACTOE, FIELD[:2], games=2), colour=1)


def test_a_heat_map_tells_agents_with_long_names_apart() -> None:
    one, other = (f'mcts(net("runs/{"a" * 12}/{n}"), iterations=100, batch=8)' for n in (1, 2))
    assert wrapped(one).split() == one.split() and wrapped(one) != wrapped(other)
    assert max(map(len, wrapped(one).splitlines())) <= 40
    longest = "b" * 500 + "x"
    lines = wrapped("a" + longest).splitlines()
    assert len(lines) == 3 and lines[0][0] == "a" and lines[-1][-1] == "x" and "..." in lines[1]


@pytest.mark.parametrize("width", [24, 40, 80])
def test_tables_fit_a_terminal(width: int, tmp_path: Path) -> None:
    """Where names are too long their ranks stand for them, and all of every name is told below."""
    agents = ["random", *(f"mcts(rollout, iterations={n}, cpuct=1.25, solver=False)" for n in (1, 2, 3))]
    three = bl.game("nim", players=3, heaps=(3, 3, 3))  # the widest of all lists
    for game in (TICTACTOE, three):
        result = bl.tournament(game, agents, games=4, store=tmp_path / "store.db")
        text, names = result.text(width), result.agents
        legend = [f"{rank:>4} {names[i]}" for rank, i in enumerate(result.ranking, 1)]
        assert [line for line in text.splitlines() if line in legend] == legend
        tables = [line for line in text.splitlines() if re.match(r"Rank| +\d", line) and line not in legend]
        assert max(map(len, tables)) <= width
        assert all(word in text for word in ("points ± 95%", "losses", "time/move", "(row against column)"))
        assert str(result) == result.text() and f"   1 {names[result.ranking[0]]}  " in str(result)
        if game.players == 2:
            assert max(map(len, result.first_seat_table(width).splitlines())) <= width
        assert max(map(len, result.heat_text(width).splitlines())) <= width


def test_a_table_that_fits_is_left_alone(tmp_path: Path) -> None:
    result = bl.tournament(TICTACTOE, ["random", "greedy(score)"], games=2, store=tmp_path / "store.db")
    assert result.text(100) == result.text() == str(result)
