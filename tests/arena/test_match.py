"""Matches: seats, seeds, counts, error bars, and agents that misbehave."""

import dataclasses
import gc
import itertools
import json
import math
import random
import statistics
import threading
import weakref
from collections import Counter
from collections.abc import Callable

import pytest

import boardlab as bl
from boardlab import Agent, BoardLabError, Game, State, _engine
from boardlab.arena.arena import Adjudication, Arena, GameRecord
from boardlab.arena.intervals import (
    above,
    hidden_share,
    interval,
    interval_of_parts,
    standard_error,
    wilson,
)
from boardlab.arena.match_result import MatchResult, summarise
from boardlab.arena.played import game_points, replay
from boardlab.evaluators import EVALUATORS
from boardlab.search.agent import python_agent
from boardlab.search.expression import AGENTS
from boardlab.search.spec import SearchSpec

FOUR = bl.game("connectfour")
TICTACTOE = bl.game("tictactoe")
NIM3 = bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3)


def scripted(game: Game, choose: Callable[[State], object], name: str = "scripted") -> Agent:
    return python_agent(game, choose, name)  # type: ignore[arg-type]


def first_action(state: State) -> int:
    return state.legal_actions()[0]


# ---- seats and seeds ----


def test_both_seat_orders_take_turns() -> None:
    result = bl.match(FOUR, ["random", "mcts(iterations=20)"], games=10)
    assert [r.seats for r in result.records] == [(0, 1), (1, 0)] * 5


def test_three_players_sit_in_every_order_equally_often() -> None:
    result = bl.match(NIM3, ["random", "random", "maxn(depth=2)"], games=24)
    assert Counter(r.seats for r in result.records) == dict.fromkeys(itertools.permutations(range(3)), 4)
    assert result.mean_scores == pytest.approx(
        [sum(r.scores[r.seats.index(a)] for r in result.records) / 24 for a in range(3)]
    )
    assert sum(result.wins) + result.draws == 24


@pytest.mark.parametrize(
    ("seats", "orders", "deals"),
    [
        ("single", [(0, 1, 2)] * 12, 12),
        ("double", [(0, 1, 2), (1, 2, 0), (2, 0, 1)] * 4, 4),
        ("all", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)] * 2, 4),
    ],
)
def test_seats_are_single_double_or_all(seats: str, orders: list[tuple[int, ...]], deals: int) -> None:
    result = bl.match(NIM3, ["A=random", "B=random", "C=random"], games=12, seats=seats)
    assert [r.seats for r in result.records] == orders
    assert len({r.seed for r in result.records}) == deals  # games of a rotation share theirs
    assert ("A began every game" in str(result)) == (seats == "single")


def test_one_seat_order_is_the_same_as_that_seating_in_any_number_of_processes() -> None:
    given = bl.match(FOUR, ["random", "greedy"], games=6, seatings=[[0, 1]])
    for jobs in (1, 2):
        assert bl.match(FOUR, ["random", "greedy"], games=6, seats="single", jobs=jobs) == given
    double = bl.match(FOUR, ["random", "greedy"], games=6, seats="double")
    assert double == bl.match(FOUR, ["random", "greedy"], games=6, seats="all")


def test_a_test_between_agents_in_one_seat_order_counts_single_games() -> None:
    result = bl.match(TICTACTOE, ["solved", "random"], games=200, seats="single", sprt=(0, 200))
    assert result.sprt is not None and result.sprt.accepted == "H1"
    assert len(result.rounds) == 3 and result.games < 200


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_everybody_takes_every_seat_in_turn(players: int) -> None:
    game = bl.game("poker", players=players, rounds=1)
    orders = math.factorial(players)
    games = min(orders, 100)
    records = bl.match(game, ["random"] * players, games=games, seed=1).records
    for first in range(0, games // players * players, players):
        turn = records[first : first + players]
        assert all(set(seats) == set(range(players)) for seats in zip(*(r.seats for r in turn), strict=True))
        assert len({r.seed for r in turn}) == 1
    assert len({r.seed for r in records}) == math.ceil(games / players)
    assert len({r.seats for r in records}) == games  # all orders come before one comes again
    # Who is on the left of the first one is spread over few turns, too.
    left = Counter(r.seats[1] for r in records if r.seats[0] == 0)
    assert len(left) == players - 1 and max(left.values()) <= 2 * min(left.values())


def test_intervals_of_six_equal_players_hold_the_truth() -> None:
    """All are worth the same, whatever is dealt. 95% of 40 matches, less three standard deviations."""
    game = bl.game("poker", players=6)
    held = 0
    for seed in range(40):
        result = bl.match(game, ["random"] * 6, games=60, seed=seed)
        held += abs(result.mean_scores[0]) <= result.intervals[0]
    assert held >= 34


def test_less_than_two_rounds_have_no_interval() -> None:
    """The games of a round share a deal: however many they are, they are one sample."""
    game = bl.game("poker", players=6)
    few = bl.match(game, ["random"] * 6, games=11)
    assert all(map(math.isnan, (*few.intervals, *few.point_intervals, *few.score_errors)))
    assert "too few for a ±" in str(few)
    assert not any(map(math.isnan, bl.match(game, ["random"] * 6, games=12).intervals))
    assert math.isnan(bl.evaluate("random", game, games=11).interval)
    assert math.isnan(interval([1.0, 0.0, 1.0], (0.0, 1.0), 2))
    assert math.isnan(interval_of_parts([[1.0, 0.0, 1.0], [1.0]], (0.0, 1.0), 2))


def test_one_player_games_have_scores_and_no_wins() -> None:
    result = bl.match(bl.game("2048", size=3), ["random"], games=20)
    assert result.wins == (0,) and result.draws == 0
    assert result.mean_scores[0] == pytest.approx(statistics.fmean(r.scores[0] for r in result.records))
    assert "wins" not in str(result)
    alone = bl.match(bl.game("rubiks", twists=2), "expectimax(depth=2, table_mb=1)", games=10)
    assert alone.mean_scores == (1,)


def test_a_game_is_cut_after_as_many_actions_as_the_horizon_says() -> None:
    game = bl.game("rubiks", twists=9)
    result = bl.match(game, "random", games=4)
    assert {len(record.actions) for record in result.records} == {game.horizon}


def test_the_same_seed_gives_the_same_match_and_another_seed_another() -> None:
    agents = ["mcts(rollout, iterations=30)", "random"]
    first = bl.match(FOUR, agents, games=6, seed=5)
    assert first == bl.match(FOUR, agents, games=6, seed=5)
    assert first.records != bl.match(FOUR, agents, games=6, seed=6).records


def test_more_games_begin_with_the_same_games() -> None:
    few = bl.match(FOUR, ["random", "random"], games=6, seed=1)
    many = bl.match(FOUR, ["random", "random"], games=20, seed=1)
    assert many.records[:6] == few.records


@pytest.mark.parametrize("game", [FOUR, NIM3, bl.game("2048", size=3)], ids=repr)
def test_any_number_of_threads_gives_the_same_result(game: Game) -> None:
    agents = ["mcts(rollout, iterations=20)", "random", "greedy(rollout)"][: game.players]
    one = bl.match(game, agents, games=13, seed=3)
    for threads in (2, 5, 64):
        assert bl.match(game, agents, games=13, seed=3, threads=threads) == one


@pytest.mark.parametrize(
    "agent",
    [
        "mcts(endgame(rollout, below=14, nodes=300), iterations=40)",
        "mcts(mix(rollout, endgame(rollout, below=14, nodes=300), weight=0.5), iterations=40)",
        "greedy(endgame(rollout, below=14, nodes=300))",
    ],
)
def test_what_a_solver_remembers_does_not_reach_the_next_game(agent: str) -> None:
    """With few nodes a solver that remembers earlier games proves more than one that does not."""
    game = bl.game("connectfour", rows=5, cols=5)
    agents = [agent, "mcts(rollout, iterations=40)"]
    one = bl.match(game, agents, games=30, seed=3, random_actions=4)
    assert bl.match(game, agents, games=30, seed=3, random_actions=4, threads=3) == one


def test_what_a_judge_remembers_does_not_reach_the_next_game() -> None:
    """A judge that remembers earlier games proves sooner who wins."""
    game = bl.game("connectfour", rows=5, cols=5)
    judge = bl.Adjudication("endgame(score, below=20, nodes=300)", 0.9, 1)
    judged = bl.match(game, ["random", "random"], games=200, seed=3, adjudicate=judge)
    assert judged.adjudicated > 100
    assert bl.match(game, ["random", "random"], games=200, seed=3, adjudicate=judge, threads=3) == judged


def test_a_game_does_not_depend_on_what_an_agent_did_before() -> None:
    used = bl.agent("mcts(rollout, iterations=30)", FOUR, seed=9)
    used.act(FOUR.initial_state())
    fresh = bl.match(FOUR, ["mcts(rollout, iterations=30)", "random"], games=4, seed=2)
    assert bl.match(FOUR, [used, "random"], games=4, seed=2) == fresh


def test_one_round_of_seat_orders_shares_opening_and_chance() -> None:
    result = bl.match(FOUR, ["random", "random"], games=8, seed=1, random_actions=6)
    for pair in range(4):
        first, second = result.records[2 * pair : 2 * pair + 2]
        assert first.seed == second.seed
        assert first.actions[:6] == second.actions[:6]
    assert len({r.actions[:6] for r in result.records}) > 1
    cubes = bl.match(bl.game("rubiks"), ["random"], games=5)
    assert len({r.seed for r in cubes.records}) == 5


def test_openings_that_end_all_games_are_known_before_they_are_played() -> None:
    refused = 0
    for seed in range(30):
        arena = Arena(TICTACTOE, ["greedy(rollout)", "random"], seed, random_actions=8)
        records: list[GameRecord] = []
        arena.play([[0, 1], [1, 0]], 4, records.extend)
        if any(any(record.decisions) for record in records):
            arena.check_openings(2)
        else:
            refused += 1
            with pytest.raises(BoardLabError, match="every game of tictactoe is over after 8 random actions"):
                arena.check_openings(2)
    assert 5 < refused < 25


def test_agents_that_begin_are_seated_fairly() -> None:
    """Two equal agents: with both seat orders, wins differ only by luck (three standard deviations)."""
    result = bl.match(TICTACTOE, ["random", "random"], games=4000, seed=1)
    assert abs(result.wins[0] - result.wins[1]) < 3 * math.sqrt(4000 * 0.87)
    begins = sum(r.scores[0] for r in result.records) / 4000
    assert begins == pytest.approx(737 / 1260 - 121 / 420, abs=0.06)


# ---- what is counted ----


def test_wins_draws_and_means_are_those_of_the_records() -> None:
    result = bl.match(TICTACTOE, ["random", "mcts(iterations=10)"], games=60, seed=1)
    wins, draws = [0, 0], 0
    for record in result.records:
        if record.scores[0] == record.scores[1]:
            draws += 1
        else:
            wins[record.seats[record.scores.index(max(record.scores))]] += 1
    assert (list(result.wins), result.draws) == (wins, draws)
    assert result.games == 60 and result.errors == 0
    for agent in (0, 1):
        scores = [r.scores[r.seats.index(agent)] for r in result.records]
        assert result.mean_scores[agent] == pytest.approx(statistics.fmean(scores))


def test_distinct_counts_different_games() -> None:
    """Two deterministic agents play one game in each seat order, however often."""
    stubborn = scripted(FOUR, first_action, "first")
    other = scripted(FOUR, lambda state: state.legal_actions()[-1], "last")
    assert bl.match(FOUR, [stubborn, other], games=40).distinct == 2
    assert bl.match(FOUR, [stubborn, stubborn], games=40).distinct == 1
    assert bl.match(FOUR, ["random", "random"], games=40).distinct == 40


def test_the_same_actions_from_another_start_are_another_game() -> None:
    cube = bl.game("rubiks")
    same = scripted(cube, first_action)
    result = bl.match(cube, [same], games=12)
    assert len({r.actions for r in result.records}) < 12
    starts = {replay(cube, r)[0].to_text() for r in result.records}
    assert result.distinct == len(starts) > 1


def record(seats: tuple[int, ...], scores: tuple[float, ...]) -> GameRecord:
    """One of its own: no other has these actions."""
    return GameRecord(seats=seats, actions=(next(_numbers),), scores=scores, seed=0, error="")


_numbers = itertools.count()


def test_error_bars_by_hand() -> None:
    """Pairs share an opening and count as one sample: agent 0 gets 0, 1 and -1 a pair."""
    scores = [(1, -1), (1, -1), (1, -1), (-1, 1), (-1, 1), (1, -1)]
    records = tuple(record((i % 2, 1 - i % 2), s) for i, s in enumerate(scores))
    mine = [s[r.seats.index(0)] for r, s in zip(records, scores, strict=True)]
    assert mine == [1, -1, 1, 1, -1, -1]
    result = summarise(TICTACTOE, ("a", "b"), records, 2)
    assert result.mean_scores == (0, 0)
    # pair means 0, 1, -1: variance 1, over three samples
    assert result.score_errors == pytest.approx([math.sqrt(1 / 3)] * 2)
    single = summarise(bl.game("2048"), ("a",), tuple(record((0,), (s,)) for s in (1.0, 2.0, 6.0)), 1)
    assert single.mean_scores == (3,)
    assert single.score_errors[0] == pytest.approx(math.sqrt(7 / 3))
    one = summarise(bl.game("2048"), ("a",), (record((0,), (5.0,)),), 1)
    assert math.isnan(one.score_errors[0])


def test_error_bars_cover_the_truth_as_often_as_they_say() -> None:
    """Matches between random players, whose expectation over both seats is exactly 0: 95% intervals."""
    covered, matches = 0, 400
    for seed in range(matches):
        result = bl.match(TICTACTOE, ["random", "random"], games=60, seed=seed)
        covered += abs(result.mean_scores[0]) <= 1.96 * result.score_errors[0]
    # 95% of 400 with a standard deviation of 4.4; 30 samples make the normal interval 1% short
    assert 0.90 < covered / matches < 0.98


def test_error_bars_of_correlated_pairs() -> None:
    """If the opening decides the game for its seat, pairs cancel, and the error of the difference is 0."""
    chooser = random.Random(1)
    records = []
    for _ in range(50):
        first = chooser.choice((1.0, -1.0))
        records += [record((0, 1), (first, -first)), record((1, 0), (first, -first))]
    result = summarise(TICTACTOE, ("a", "b"), tuple(records), 2)
    assert result.mean_scores == (0, 0) and result.score_errors == (0, 0)


# ---- agents that misbehave ----


class BrokenError(Exception):
    """Cannot even say what is wrong."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def dies(error: BaseException) -> Callable[[State], int]:
    def choose(state: State) -> int:
        raise error

    return choose


GARBAGE: list[object] = [
    None, "3", 2.5, -1, 7, 10**30, -(10**30), [], object(), True, b"0", float("nan"), (1,), 3 + 0j,
]  # fmt: skip


@pytest.mark.parametrize("wrong", GARBAGE, ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_legal_action_loses_the_game(wrong: object) -> None:
    result = bl.match(FOUR, [scripted(FOUR, lambda state: wrong), "random"], games=4)
    assert result.errors == 4 and result.wins == (0, 4)
    for game_record in result.records:
        assert game_record.error
        faulty = game_record.seats.index(0)
        assert game_record.scores[faulty] == -1 and game_record.scores[1 - faulty] == 1
        assert len(game_record.actions) == faulty  # it lost at its first action


@pytest.mark.parametrize(
    ("error", "words"),
    [(ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"), (BrokenError(), "BrokenError"),
     (BoardLabError("too far"), "too far"), (BoardLabError("\ud800"), "?"), (StopIteration(), "StopIteration"),
     (MemoryError(), "MemoryError"), (RecursionError("deep"), "RecursionError: deep")],
)  # fmt: skip
def test_an_agent_that_raises_loses_the_game(error: Exception, words: str) -> None:
    result = bl.match(FOUR, ["random", scripted(FOUR, dies(error))], games=4)
    assert result.errors == 4 and result.wins == (4, 0)
    place = f"{__file__}, line {dies.__code__.co_firstlineno + 2}"
    assert all(r.error == f"scripted: {place}: {words}" for r in result.records)
    assert "4 ended by an agent's error" in str(result)


def test_the_place_of_an_error_is_in_the_users_code_not_in_a_library() -> None:
    result = bl.match(FOUR, [scripted(FOUR, lambda state: json.loads("x")), "random"], games=2)
    assert f"scripted: {__file__}, line " in result.records[0].error
    assert "JSONDecodeError: Expecting value" in result.records[0].error


def test_an_illegal_action_is_told_with_who_chose_it() -> None:
    result = bl.match(FOUR, [scripted(FOUR, lambda state: 99), "random"], games=2)
    assert result.records[0].error == "scripted: it chose the illegal action 99"


def test_only_the_games_that_went_wrong_are_lost() -> None:
    def sometimes(state: State) -> int:
        if sum(map(bool, state.fields)) == 7:
            raise ValueError("seven stones are too many")
        return state.legal_actions()[0]

    result = bl.match(FOUR, [scripted(FOUR, sometimes), "random"], games=40, seed=1)
    assert 0 < result.errors < 40
    for game_record in result.records:
        assert bool(game_record.error) == (
            len(game_record.actions) == 7 and game_record.seats[1] == 0 and bool(game_record.error)
        )


def test_an_agent_that_fails_in_reset_loses_the_game() -> None:
    def reset(seed: int) -> None:
        raise OSError("no disk")

    broken = python_agent(FOUR, first_action, "broken", reset)
    result = bl.match(FOUR, [broken, "random"], games=2)
    assert result.errors == 2 and result.wins == (0, 2)
    place = f"{__file__}, line {reset.__code__.co_firstlineno + 1}"
    assert result.records[0].error == f"broken: {place}: OSError: no disk"
    with pytest.raises(OSError, match="no disk"):
        broken.reset(1)


def test_a_faulty_agent_among_three_and_alone() -> None:
    result = bl.match(NIM3, ["random", scripted(NIM3, dies(ValueError("x"))), "random"], games=6)
    assert result.errors == 6 and result.wins == (6, 0, 6) and result.draws == 0
    assert {r.scores[r.seats.index(1)] for r in result.records} == {0}
    game = bl.game("2048", size=2)
    alone = bl.match(game, [scripted(game, dies(ValueError("x")))], games=3)
    assert alone.errors == 3 and alone.mean_scores == (0,)


@pytest.mark.parametrize(
    ("name", "parameters", "seat", "scores"),
    [("sim", {"nodes": 6, "players": 3, "coalition": True}, 0, (-1, 1, 1)),
     ("sim", {"nodes": 6, "players": 3, "coalition": True}, 1, (1, -1, -1)),
     ("sim", {"nodes": 6, "players": 3}, 1, (0, -1, 0)),
     ("yavalath", {"side": 3, "players": 3}, 2, (0, 0, -1)),
     ("ewn", {"size": 6, "players": 3}, 1, (-1, -1, 1)),
     ("ewn", {"size": 6, "players": 3}, 2, (1, 1, -1)),
     ("ewn", {"size": 4, "players": 4}, 3, (1, -1, 1, -1))],
)  # fmt: skip
def test_partners_lose_with_a_faulty_agent(name: str, parameters, seat: int, scores) -> None:
    game = bl.game(name, **parameters)
    agents = ["random" if p != seat else scripted(game, dies(ValueError("x"))) for p in range(game.players)]
    result = bl.match(game, agents, games=2, seatings=[list(range(game.players))])
    assert [r.scores for r in result.records] == [scores] * 2


def test_the_others_keep_what_they_were_paid_when_an_agent_fails() -> None:
    game = bl.game("poker", players=3)

    def later(state: State) -> int:
        if any(state.scores):
            raise ValueError("it costs money")
        return state.legal_actions()[-1]

    agents = [scripted(game, later), "random", "random"]
    result = bl.match(game, agents, games=20, seed=1, seatings=[[0, 1, 2]])
    failed = [r.scores for r in result.records if r.error]
    assert failed and all(scores[0] == game.score_range[0] for scores in failed)
    assert any(scores[1] < 0 for scores in failed) and any(scores[1] > 0 for scores in failed)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_stops_the_program_goes_through(stop: type[BaseException]) -> None:
    with pytest.raises(stop):
        bl.match(FOUR, [scripted(FOUR, dies(stop())), "random"], games=2)
    with pytest.raises(stop):
        scripted(FOUR, dies(stop())).act(FOUR.initial_state())


def test_asked_directly_an_agent_raises_its_own_error() -> None:
    with pytest.raises(ZeroDivisionError):
        scripted(FOUR, dies(ZeroDivisionError("by zero"))).act(FOUR.initial_state())
    with pytest.raises(BoardLabError, match="whole number"):
        scripted(FOUR, lambda state: "3").act(FOUR.initial_state())


def test_progress_is_told_and_may_stop_the_match() -> None:
    told: list[int] = []
    bl.match(FOUR, ["random", "random"], games=10, progress=told.append)
    assert told[-1] == 10

    def stop(done: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        bl.match(FOUR, ["random", "random"], games=10, progress=stop)


# ---- records ----


@pytest.mark.parametrize(
    "game",
    [FOUR, NIM3, bl.game("2048", size=3), bl.game("rubiks", twists=3), bl.game("othello", size=6)],
    ids=repr,
)
def test_replay_reproduces_the_game(game: Game) -> None:
    agents = ["mcts(rollout, iterations=10)", "random", "random"][: game.players]
    for game_record in bl.match(game, agents, games=7, seed=4, random_actions=2).records:
        states = replay(game, game_record)
        assert len(states) == len(game_record.actions) + 1
        assert tuple(states[-1].scores) == game_record.scores
        assert states[-1].is_terminal or game.name == "rubiks"


def test_an_agent_may_meet_itself() -> None:
    """A tree search that met itself with one tree for both seats would know the other's thoughts."""
    agent = bl.agent("mcts(rollout, iterations=40)", FOUR, seed=1)
    result = bl.match(FOUR, [agent, agent], games=8, seed=1)
    spelled = bl.match(FOUR, ["mcts(rollout, iterations=40)"] * 2, games=8, seed=1)
    assert result == spelled
    python = scripted(FOUR, first_action, "first")
    assert bl.match(FOUR, [python, python], games=4).games == 4


def test_an_agent_of_an_equal_game_may_play() -> None:
    other = bl.agent("mcts(rollout, iterations=20)", bl.game("connectfour"), seed=1)
    python = scripted(bl.game("connectfour"), first_action, "first")
    assert bl.match(FOUR, [other, python], games=4).errors == 0


# ---- what is refused ----


def test_a_match_refuses_what_it_cannot_play() -> None:
    def refused(words: str, *args: object, **more: object) -> None:
        with pytest.raises(BoardLabError, match=words):
            bl.match(*args, **more)  # type: ignore[arg-type]

    two = ["random", "random"]
    refused("needs 2 agents, not 1", FOUR, ["random"])
    refused("needs 2 agents, not 3", FOUR, ["random"] * 3)
    refused("games must be", FOUR, two, games=0)
    refused("games must be", FOUR, two, games=10**18)
    refused("games must be", FOUR, two, games=2.5)
    refused("threads must be", FOUR, two, threads=0)
    refused("threads must be", FOUR, two, threads=10**6)
    refused("random_actions must be", FOUR, two, random_actions=-1)
    refused("seed must be", FOUR, two, seed=-1)
    refused("seed must be", FOUR, two, seed=2**64)
    refused("agents must be", FOUR, None)
    refused("agents must be", FOUR, 3)
    refused("an agent expression must be text", FOUR, [None, None])
    refused("a game is made with", "connectfour", two)
    refused("a seating of connectfour must name each", FOUR, two, seatings=[[0, 0]])
    refused("a seating of connectfour must name each", FOUR, two, seatings=[3])
    refused("a seating of connectfour must name each", FOUR, two, seatings=[[None, "x"]])
    refused('unknown seats of a match "both"', FOUR, two, seats="both")
    refused("unknown seats of a match", FOUR, two, seats=2)
    refused("as seats or as seatings, not as both", FOUR, two, seats="single", seatings=[[1, 0]])
    refused("starts must be", FOUR, two, starts=[None])
    refused("starts must be", FOUR, two, starts=3.5)
    refused("a state needs 42 fields", FOUR, two, starts=[TICTACTOE.initial_state()])
    refused("progress must be", FOUR, two, progress=3)
    refused("was made for", FOUR, [bl.agent("random", TICTACTOE), "random"])
    refused("one thread only", FOUR, [scripted(FOUR, first_action), "random"], threads=2)


def test_replay_refuses_what_is_no_record() -> None:
    result: MatchResult = bl.match(FOUR, ["random", "random"], games=1)
    with pytest.raises(BoardLabError):
        replay(FOUR, None)  # type: ignore[arg-type]
    with pytest.raises(BoardLabError):
        replay(TICTACTOE, result.records[0])


def test_an_agent_in_a_circle_of_references_is_collected() -> None:
    """An object that holds the agent whose choice is its own method, as a player class would."""

    class Player:
        def __init__(self) -> None:
            self.agent = python_agent(FOUR, self.choose, "player")

        def choose(self, state: State) -> int:
            return first_action(state)

    player = Player()
    assert bl.match(FOUR, [player.agent, "random"], games=2).errors == 0
    gone = weakref.ref(player)
    del player
    gc.collect()
    assert gone() is None


# ---- points, pairs, time, judges ----


def test_points_by_hand() -> None:
    assert game_points((1, -1)) == (1, 0) and game_points((0, 0)) == (0.5, 0.5)
    assert game_points((3, 1, 2)) == (1, 0, 0.5)
    assert game_points((1, 1, 0)) == (0.75, 0.75, 0) and game_points((5, 5, 5, 5)) == (0.5,) * 4
    assert game_points((7,)) == (0,)


def test_pentanomial_counts_by_hand() -> None:
    """Pairs for agent 0: two wins, a win and a draw, a win and a loss, two draws, two losses."""
    mine = [(1, 1), (1, 0), (1, -1), (0, 0), (-1, -1)]
    records = tuple(
        record(seats, (s, -s) if seats == (0, 1) else (-s, s))
        for pair in mine
        for seats, s in zip(((0, 1), (1, 0)), pair, strict=True)
    )
    result = summarise(TICTACTOE, ("a", "b"), records, 2)
    assert result.rounds == (1, 0, 2, 1, 1)
    assert result.points == (0.55, 0.45)
    assert result.elo[0] == pytest.approx(400 * math.log10(0.55 / 0.45))
    assert result.elo[1] < result.elo[0] < result.elo[2]
    assert 0.5 < result.superiority < 1


def test_one_game_says_nothing_about_strength() -> None:
    text = str(bl.match(TICTACTOE, ["random", "random"], games=1))
    assert "1 game," in text and "Elo" not in text


def test_wilson_by_hand() -> None:
    """Wilson's interval for 8 of 10 is 49.0% to 94.3%."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10)[0] == 0 and wilson(10, 10)[1] == 1


def test_thinking_time_is_recorded_and_not_compared() -> None:
    result = bl.match(FOUR, ["mcts(rollout, iterations=200)", "random"], games=6, seed=1, random_actions=3)
    assert min(result.seconds_per_decision) > 0
    for r in result.records:
        assert sum(r.decisions) == len(r.actions) - 3 and len(r.seconds) == 2
        assert abs(r.decisions[0] - r.decisions[1]) <= 1
    assert result == bl.match(
        FOUR, ["mcts(rollout, iterations=200)", "random"], games=6, seed=1, random_actions=3
    )


def test_values_are_kept_when_asked_for() -> None:
    agents = ["mcts(rollout, iterations=50)", "random"]
    result = bl.match(FOUR, agents, games=2, seed=1, random_actions=2, values=True)
    for r in result.records:
        assert len(r.values) == len(r.actions)
        assert math.isnan(r.values[0]) and math.isnan(r.values[1])
        thought = [v for i, v in enumerate(r.values) if i >= 2 and r.seats[i % 2] == 0]
        assert thought and all(-1 <= v <= 1 for v in thought)
    assert bl.match(FOUR, agents, games=2, seed=1, random_actions=2).records[0].values == ()


def test_a_judge_ends_clear_games_for_the_side_that_leads() -> None:
    """Most of many rollouts won, twice in a row: the winner is who would have won, mostly."""
    judge = Adjudication("rollout(rollouts=60)", threshold=0.5, patience=2)
    agents = ["mcts(rollout, iterations=60)", "random"]
    played = bl.match(FOUR, agents, games=40, seed=1)
    judged = bl.match(FOUR, agents, games=40, seed=1, adjudicate=judge)
    assert judged.adjudicated > 10 and f"{judged.adjudicated} adjudicated" in str(judged)
    assert played.adjudicated == 0
    agree = 0
    for full, cut in zip(played.records, judged.records, strict=True):
        assert full.actions[: len(cut.actions)] == cut.actions
        assert cut.adjudicated == (len(cut.actions) < len(full.actions))
        agree += full.scores == cut.scores
    assert agree >= 36
    assert judged == bl.match(FOUR, agents, games=40, seed=1, adjudicate=judge, threads=3)


@pytest.mark.parametrize("random_actions", [0, 4])
@pytest.mark.parametrize("game", ["ewn", "othello"])
def test_a_judge_counts_what_the_agents_chose(game: str, random_actions: int) -> None:
    """Neither dice nor the random opening are among the four actions in a row."""

    def first_leads(states: list[State], legal: object) -> list[float]:
        return [1.0 if state.player == 0 else -1.0 for state in states]

    plan = {"games": 2, "random_actions": random_actions, "adjudicate": "first-leads"}
    bl.register_evaluator("first-leads", inputs="states", priors=False)(lambda game: first_leads)
    try:
        result = bl.match(bl.game(game), ["random"] * 2, **plan)  # type: ignore[arg-type]
    finally:
        del EVALUATORS["first-leads"]
    assert [record.decisions for record in result.records] == [(2, 2)] * 2
    assert all(r.adjudicated and r.scores == (1, -1) for r in result.records)


def test_judges_that_cannot_judge_are_refused() -> None:
    two = ["random", "random"]
    with pytest.raises(BoardLabError, match="two-player zero-sum"):
        bl.match(NIM3, ["random"] * 3, games=1, adjudicate="rollout")
    with pytest.raises(BoardLabError, match="estimate the score"):
        bl.match(bl.game("othello"), two, games=1, adjudicate="rollout(outcome='discs')")
    with pytest.raises(BoardLabError, match="no exact solver"):
        bl.match(FOUR, two, games=1, adjudicate="solver")
    with pytest.raises(BoardLabError, match="threshold"):
        bl.match(FOUR, two, games=1, adjudicate=Adjudication("rollout", threshold=0))
    with pytest.raises(BoardLabError, match="patience"):
        bl.match(FOUR, two, games=1, adjudicate=Adjudication("rollout", patience=0))
    with pytest.raises(BoardLabError, match="adjudicate must name"):
        bl.match(FOUR, two, games=1, adjudicate=3)  # type: ignore[arg-type]


def test_reference_players_written_in_python_play_on_several_threads() -> None:
    """Each thread gets one of its own; an agent that somebody holds stays on one thread."""
    nim = bl.game("nim", heaps=(3, 4, 5), max_take=3)
    one = bl.match(nim, ["bouton", "mcts(rollout, iterations=20)"], games=20, seed=1, random_actions=1)
    assert one == bl.match(
        nim, ["bouton", "mcts(rollout, iterations=20)"], games=20, seed=1, random_actions=1, threads=4
    )
    with pytest.raises(BoardLabError, match="one thread only"):
        bl.match(nim, [bl.agent("bouton", nim), "random"], threads=2)


def test_what_stops_the_program_goes_through_from_any_thread() -> None:
    calls = []

    def choose(state: State) -> int:
        calls.append(threading.get_ident())
        raise KeyboardInterrupt

    name = "stops"

    class Stops(SearchSpec):
        def build(self, game: Game, seed: int) -> _engine.Search:
            return python_agent(game, choose, name).core

    Stops.name = name
    AGENTS[name] = Stops
    try:
        with pytest.raises(KeyboardInterrupt):
            bl.match(FOUR, [name, "random"], games=8, threads=3)
    finally:
        del AGENTS[name]
    assert calls


def test_ctrl_c_in_an_agent_written_in_python_keeps_the_games_before() -> None:
    moves = []

    def choose(state: State) -> int:
        moves.append(state.actions_played)
        if len(moves) == 40:
            raise KeyboardInterrupt
        return state.legal_actions()[0]

    with pytest.raises(bl.arena.StoppedMatch) as stop:
        bl.match(TICTACTOE, [scripted(TICTACTOE, choose), "random"], games=100)
    finished = stop.value.result.games
    assert finished >= 7 and sum(r.decisions[r.seats.index(0)] for r in stop.value.result.records) <= 40


def test_games_that_end_after_a_test_has_decided_do_not_count() -> None:
    agents = ["mcts(rollout, iterations=1000)", "random"]
    one = bl.match(TICTACTOE, agents, games=10_000, sprt=(0, 400))
    assert one.games < 1000
    assert bl.match(TICTACTOE, agents, games=10_000, sprt=(0, 400), threads=4) == one


def test_rounds_that_all_ended_alike_have_the_interval_of_what_they_may_hide() -> None:
    """Also where the score of a round is no binary fraction, so that sums are rounded."""
    for rounds in range(2, 200):
        hidden = hidden_share(rounds)
        assert (1 - hidden) ** (rounds + 1) == pytest.approx(0.025)  # the posterior Beta(1, rounds + 1)
        for scores in ([1.0, 0.0, 0.0], [0.1, 0.2, -0.3], [1e6, 2e6, 1e6 / 3]):
            assert standard_error(scores * rounds, 3) == 0
        assert interval([1.0, 0.0, 0.0] * rounds, (0.0, 1.0), 3) == pytest.approx(2 / 3 * hidden)
        assert interval([0.2] * rounds, (0.0, 1.0)) == pytest.approx(0.8 * hidden)
        for low, high in ((0.0, 0.1), (-0.1, 0.0), (-0.1, 0.1)):  # games that were all won count one by one
            half = (high - low) * hidden_share(3 * rounds)
            assert interval([high] * 3 * rounds, (low, high), 3) == pytest.approx(half)
            assert interval([low] * 3 * rounds, (low, high), 3) == pytest.approx(half)
    assert interval([0.2] * 99 + [0.2 + 1e-9], (0.0, 1.0)) < 1e-9  # a difference is one, however small
    result = bl.match(bl.game("nim", players=3), ["solved"] * 3, games=198)
    assert result.intervals == pytest.approx([2 / 3 * hidden_share(66 * share) for share in result.fresh])
    assert result.score_errors == (0, 0, 0)
    # All won against one and all lost against another: what may hide in either.
    parts = [[1.0] * 10, [0.0] * 30, [1.0] * 10]
    half = math.hypot(20 * hidden_share(20), 30 * hidden_share(30)) / 50
    assert interval_of_parts(parts, (0.0, 1.0), 2) == pytest.approx(half)


@pytest.mark.parametrize("games", [10, 20, 100, 400])
def test_who_wins_every_game_is_bounded_as_well_as_who_loses_one(games: int) -> None:
    """And as by Wilson's interval of the wins, and by who is stronger."""
    for round_size in (1, 2):
        halves = [
            interval([0.0, 1.0] * lost + [1.0] * (games - 2 * lost), (0.0, 1.0), round_size)
            for lost in range(4)
        ]
        assert halves[0] <= halves[1] <= 1.1 * halves[0]
        ends = [1 - lost / games - half for lost, half in enumerate(halves)]
        assert ends == sorted(ends, reverse=True)
        assert ends[0] == pytest.approx(wilson(games, games)[0], abs=0.01)
    for rounds in range(2, 30):
        is_stronger = 1 - interval([1.0] * 2 * rounds, (0.0, 1.0), 2) > 0.5
        assert is_stronger == (above([1.0] * rounds, 0.5, 2) > 0.975)


@pytest.mark.parametrize(("games", "least"), [(10, 0.93), (20, 0.91), (100, 0.89)])
def test_the_interval_of_a_share_holds_it_from_the_middle_to_the_edge(games: int, least: float) -> None:
    """Exactly, by the binomial distribution."""
    halves = [interval([1.0] * won + [0.0] * (games - won), (0.0, 1.0)) for won in range(games + 1)]

    def held(share: float) -> float:
        return sum(
            math.comb(games, won) * share**won * (1 - share) ** (games - won)
            for won, half in enumerate(halves)
            if abs(won / games - share) <= half + 1e-12
        )

    shares = [i / 1000 for i in range(500, 1000)]
    assert min(map(held, shares)) > least and statistics.mean(map(held, shares)) > 0.948
    assert all(held(share) > 0.93 for share in (0.5, 0.9, 0.99))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("seat", [0.0, 0.9])
def test_the_interval_of_pairs_of_games_holds_the_truth(share: float, seat: float) -> None:
    """In pairs whose first game is easier than the second, by a part of what is possible, or is not."""
    rng = random.Random(1)
    for games in (10, 20, 100):
        held = 0
        for _ in range(400):
            chances = [share + seat * (1 - share), share - seat * (1 - share)] * (games // 2)
            scores = [float(rng.random() < chance) for chance in chances]
            held += abs(statistics.fmean(scores) - share) <= interval(scores, (0.0, 1.0), 2)
        assert held / 400 > 0.925  # 95% with a standard deviation of 1.1%


def test_the_interval_of_few_rounds_covers_95_percent() -> None:
    """The t distribution itself, integrated by Simpson's rule with x = sqrt(n) tan(u), is the judge."""

    def below(quantile: float, degrees: int) -> float:
        end, steps = math.atan(quantile / math.sqrt(degrees)), 2000
        weights = [1, *(4 if i % 2 else 2 for i in range(1, steps)), 1]
        area = sum(w * math.cos(i * end / steps) ** (degrees - 1) for i, w in enumerate(weights)) * end
        scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
        return 0.5 + scale * area / steps / 3

    for degrees in (*range(1, 31), 50, 100, 1000):
        scores = [float(i) for i in range(degrees + 1)]
        quantile = interval(scores, (0.0, 1e9)) / standard_error(scores)
        assert below(quantile * 1.001, degrees) > 0.975 > below(quantile * 0.999, degrees)


def test_who_is_stronger_by_the_t_distribution_or_by_wins_in_a_row() -> None:
    """Student's t with one degree of freedom is Cauchy's; n wins in a row leave equals 2^-(n + 1)."""
    for t in (-3.0, 0.5, 7.0):
        samples = [0.5 + t - 1, 0.5 + t + 1]  # mean 0.5 + t, standard error 1
        assert above(samples, 0.5) == pytest.approx(0.5 + math.atan(t) / math.pi)
    assert above([2.0, 2.0 + 6.0, 2.0 + 3.0], 2.0) == pytest.approx(  # two degrees
        0.5 + 3**0.5 / (2 * math.sqrt(2 + 3)), abs=1e-12
    )
    many = [float(i % 2) for i in range(400)] + [1.0] * 12
    few = [float(i % 2) for i in range(40)] + [1.0] * 4
    for samples in (many, few):  # numbers in which t is nearly normal
        z = (statistics.mean(samples) - 0.5) / standard_error(samples)
        assert above(samples, 0.5) == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=0.004)
    assert above([1.0] * 3, 0.5) == 1 - 1 / 16 and above([0.0] * 3, 0.5) == 1 / 16
    assert above([0.5] * 9, 0.5) == 0.5 == above([], 0.5)


def test_that_one_opponent_is_weaker_is_no_chance() -> None:
    """Two pairings with the same spread of their own, one lost and one won: the interval is that of the spread."""
    lost, won = [0.0, 0.0, 0.0, 0.5] * 5, [1.0, 1.0, 1.0, 0.5] * 5
    both = interval_of_parts([lost, won], (0.0, 1.0), 1)
    error = math.sqrt((standard_error(lost) ** 2 + standard_error(won) ** 2) / 4)
    assert both == pytest.approx(2.0244 * error, rel=1e-3)  # Student's t with 38 degrees of freedom
    assert both < 0.6 * interval(lost + won, (0.0, 1.0))
    assert interval_of_parts([lost], (0.0, 1.0), 2) == interval(lost, (0.0, 1.0), 2)
    # Pairings of one round each say nothing about chance alone.
    singles = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    assert interval_of_parts(singles, (0.0, 1.0), 2) == interval(
        [0.0, 1.0, 1.0, 1.0, 0.0, 0.0], (0.0, 1.0), 2
    )
    # One round beside two of another pairing spreads as those do; half a round does not count.
    mixed = interval_of_parts([[0.0, 0.0, 1.0, 1.0], [1.0, 1.0], [0.0]], (0.0, 10.0), 2)
    assert mixed == pytest.approx(12.7062 * math.sqrt(3 * 0.5) / 3, rel=1e-4)
    assert math.isnan(interval_of_parts([], (0.0, 1.0), 2)) and math.isnan(
        interval_of_parts([[1.0]], (0, 1), 2)
    )


@pytest.mark.parametrize("shares", [(0.99, 0.5, 0.01), (0.5, 0.98, 0.98, 0.98, 0.98), (0.5, 0.5, 0.5)])
def test_intervals_of_a_tournament_hold_whatever_the_opponents(shares: tuple[float, ...]) -> None:
    """Five rounds with each: 95 of 100 intervals hold the truth, 93 at least beside the error of 2,000 trials."""
    rng = random.Random(1)
    truth, held = statistics.mean(shares), 0
    for _ in range(2000):
        parts = [[float(rng.random() < share) for _ in range(10)] for share in shares]
        mean = statistics.mean(score for part in parts for score in part)
        held += abs(mean - truth) <= interval_of_parts(parts, (0.0, 1.0), 2)
    assert held / 2000 > 0.93


def test_no_interval_reaches_further_than_what_can_happen():
    assert interval([1.0, -1.0], (-1.0, 1.0)) == 1.0
    assert interval([1.0, -1.0, 1.0], (-1.0, 1.0)) == pytest.approx(4 / 3)  # from 1/3 down to -1
    assert interval([1.0, -1.0] * 50, (-1.0, 1.0)) == pytest.approx(1.984 * (100 / 99 / 100) ** 0.5, rel=1e-3)


def test_an_interval_that_reaches_both_ends_bounds_no_elo():
    """Points of 1/3: less their half width is not quite 0."""
    result = bl.match(bl.game("tictactoe"), ["random", "random"], 6)
    for points in (1 / 3, 0.1 + 0.2, 2 / 3):
        uncertain = dataclasses.replace(
            result, points=(points, 1 - points), point_intervals=(max(points, 1 - points) - 1e-16,) * 2
        )
        assert uncertain.elo[1:] == (-math.inf, math.inf) and "too few games for an Elo" in str(uncertain)
