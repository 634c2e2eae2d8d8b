import math
import random

import pytest

import boardlab as bl
from boardlab.arena.exams import EXAMS, cubes, exams_for, starts_up_to
from boardlab.arena.exams.exploitability import exploitability, reported_strategy, set_states
from boardlab.arena.exams.optimal import stage_positions
from boardlab.arena.exams.starts import met_at_random
from boardlab.games.tree import small_tree
from boardlab.search.agent import python_agent


def test_a_perfect_player_reaches_the_best_possible_value():
    game = bl.game("tictactoe")
    result = bl.evaluate("alphabeta(depth=9)", game, "perfect", games=40)
    assert result.value == result.best == 0 and result.games == 40
    nim = bl.game("nim", heaps=(3, 2), max_take=3)
    assert bl.evaluate("bouton", nim, "bouton", games=40).value == bl.evaluate("bouton", nim, "bouton").best


def test_a_weak_player_does_not():
    assert bl.evaluate("random", bl.game("tictactoe"), "perfect", games=100).value < -0.5
    assert bl.evaluate("random", bl.game("nim"), "bouton", games=100).value < -0.5


def test_starts_are_all_running_positions_once():
    assert len(starts_up_to(bl.game("tictactoe"), 1)) == 10
    assert len(starts_up_to(bl.game("tictactoe"), 2)) == 1 + 9 + 72
    assert len(starts_up_to(bl.game("tictactoe"), 2, 2)) == 72
    assert len(starts_up_to(bl.game("nim", heaps=(1, 1)), 2)) == 3  # both empty is over
    assert len(starts_up_to(bl.game("othello"), 4, 4)) == 236  # van der Ree and Wiering (2013)
    with pytest.raises(bl.BoardLabError, match="has chance events"):
        starts_up_to(bl.game("2048"), 1)


def test_cubes_are_solved_by_the_solver_and_not_at_random():
    game = bl.game("rubiks")
    solved = bl.evaluate("exact", game, "twists20", games=10)
    assert solved.value == 1 and set(solved.details) == {"11 twists", "12 twists", "13 twists"}
    assert bl.evaluate("random", game, "twists20", games=10).value < 0.1
    minimal = bl.evaluate("exact", game, "minimal", games=4)
    assert minimal.value == minimal.best == 1 and next(iter(minimal.details)) == "1 twist"
    assert bl.evaluate("random", game, "minimal", games=4).value < 0.3


@pytest.mark.parametrize(
    ("parameters", "exam", "numbers"),
    [
        ({"size": 2, "metric": "qtm"}, "twists20", (14, 16)),
        ({"size": 3}, "twists20", (7, 9)),
        ({"size": 3, "metric": "qtm"}, "twists50", (11, 13)),
        ({"twists": 5}, "twists", (1, 11)),
        ({"twists": 13}, "every20", (1, 13)),
        ({"metric": "qtm"}, "twists", (1, 14)),
        ({"size": 3, "twists": 9}, "every20", (1, 9)),
        ({"size": 3, "twists": 1000}, "twists", (1, 26)),
        ({"size": 3, "twists": 0}, "twists", (1, 1)),
    ],
)
def test_cubes_are_scrambled_as_far_as_they_are_trained(parameters, exam, numbers):
    details = bl.evaluate("random", bl.game("rubiks", **parameters), exam, games=2).details
    assert [int(list(details)[i].split()[0]) for i in (0, -1)] == list(numbers)
    assert len(details) == numbers[1] - numbers[0] + 1


def test_every20_counts_no_more_than_20_twists(monkeypatch):
    asked = []
    monkeypatch.setattr(cubes, "solved_by_twists", lambda paper, twists, steps: asked.append((twists, steps)))
    for exam in ("twists", "every20", "every7", "twists30"):
        bl.evaluate("random", bl.game("rubiks", twists=13), exam)
    assert asked == [(range(1, 14), 50), (range(1, 14), 20), (range(1, 14), 7), ((11, 12, 13), 30)]


def test_a_cube_exam_allows_the_steps_that_its_name_says():
    game = bl.game("rubiks")
    shares = [bl.evaluate("exact", game, f"twists{steps}", games=20).value for steps in (1, 8, 9, 11)]
    assert shares == sorted(shares) and shares[0] < shares[1] < shares[2] < shares[3] == 1
    assert bl.evaluate("exact", game, "every50", games=2).value == 1
    solved = bl.evaluate("exact", game, "twists1", games=2)
    assert "share of far scrambled cubes solved within 1 twist\n" in str(solved)
    assert not {"twists30", "every50"} & set(exams_for(game))  # a list would be long
    for exam in ("twists0", "twists51", "every051"):
        with pytest.raises(bl.BoardLabError, match=f'unknown exam "{exam}"'):
            bl.evaluate("random", game, exam)
    with pytest.raises(bl.BoardLabError, match='has no exam "twists30"'):
        bl.evaluate("random", bl.game("othello"), "twists30")
    with pytest.raises(bl.BoardLabError, match='"every30" is a built-in exam'):
        bl.register_exam("every30", lambda paper: [0.0])


def test_a_run_may_take_a_cube_exam_with_other_steps(tmp_path):
    settings = {"tuples": 4, "length": 3, "episodes": 20, "exams": ["every3"], "exam_games": 2}
    run = bl.train(bl.game("rubiks", twists=2), out=tmp_path / "run", **settings)
    assert "every3" in run.log[-1]


def test_tiles_are_counted():
    result = bl.evaluate("mc(iterations=40)", bl.game("2048", size=3), "score", games=4)
    assert result.value > 0 and math.isinf(result.best)


def test_wrong_exams_get_a_sentence():
    with pytest.raises(bl.BoardLabError, match='did you mean "perfect"'):
        bl.evaluate("random", bl.game("tictactoe"), "perfct")
    with pytest.raises(bl.BoardLabError, match='has no exam "abdl"'):
        bl.evaluate("random", bl.game("connectfour", rows=4), "abdl")


def test_every_exam_says_what_it_does_and_what_is_best():
    assert all(exam.sentence and exam.best for exam in EXAMS.values())
    names = exams_for(bl.game("connectfour"))
    assert names[0] == "random" and {"ab", "abdl", "abdl01", "stages", "mcts"} <= set(names)


@pytest.mark.parametrize("name", bl.games())
def test_every_game_has_exams_that_can_be_taken(name):
    """The first exam and one that is not a plain match, by an agent that knows nothing."""
    game = bl.game(name)
    names = exams_for(game)
    assert len(names) >= 2 or game.players == 1
    result = bl.evaluate("random", game, games=2, seed=1)
    assert result.exam == names[0] and result.games >= 2
    assert result.value <= result.best + 1e-9


# ---- an opponent on the spot ----


def test_any_opponent_any_start_any_seat(tmp_path):
    game = bl.game("tictactoe")
    file = tmp_path / "openings.txt"
    file.write_text("b2 a1  # the centre and a corner\n")
    for starts, games in (("default", 20), ("0-1", 20), ("2", 144), ("random 2", 20), (str(file), 20)):
        result = bl.evaluate("solved", game, against="random", starts=starts, games=games, seed=3)
        assert result.games == games and result.value > 0.4 and result.exam == "against random"
    first = bl.evaluate("random", game, against="solved", moves_first=True, games=40)
    second = bl.evaluate("random", game, against="solved", games=40)
    assert first.value > second.value  # the second seat is harder


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"starts": "1"}, "name one with against"),
        ({"moves_first": True}, "name one with against"),
        ({"exam": "random", "against": "random"}, "not both"),
        ({"against": "random", "starts": "3-1"}, "expected a number of actions"),
        ({"against": "random", "starts": "no such file"}, "there is no file"),
        ({"against": "random", "starts": 3.5}, "a number of actions or text"),
        ({"against": "randm"}, 'did you mean "random"'),
    ],
)
def test_wrong_opponents_and_starts_get_a_sentence(wrong, message):
    with pytest.raises(bl.BoardLabError, match=message):
        bl.evaluate("random", bl.game("tictactoe"), games=4, **wrong)
    with pytest.raises(bl.BoardLabError, match="nobody to play against"):
        bl.evaluate("random", bl.game("2048"), against="random", games=4)


# ---- questions about positions ----


def test_perfect_players_give_only_best_answers():
    for name, agent in (("tictactoe", "alphabeta(depth=9)"), ("nim", "bouton"), ("ewn", "solved")):
        game = bl.game(name, size=3) if name == "ewn" else bl.game(name)
        result = bl.evaluate(agent, game, "optimal", games=40, seed=2)
        assert result.value == 1 and result.units == "positions" and result.games == 40
        assert bl.evaluate("random", game, "optimal", games=60, seed=2).value < 0.8


def test_an_agent_that_is_right_half_the_time_scores_one_half():
    game = bl.game("nim", heaps=(1, 2), max_take=2)  # from (1, 2) one action of three wins
    state = game.initial_state()
    best = bl.agent("solved", game).act(state).action
    wrong = next(a for a in state.legal_actions() if a != best)
    calls = []

    def choose(state):
        calls.append(state)
        if state == game.initial_state():
            return best if len(calls) % 2 else wrong
        return bl.agent("solved", game).act(state).action

    result = bl.evaluate(python_agent(game, choose, "half"), game, "optimal", games=40, seed=1)
    mistakes = sum(1 for i, asked in enumerate(calls) if asked == game.initial_state() and i % 2 == 1)
    assert result.value == pytest.approx(1 - mistakes / len(calls))


def test_random_positions_leave_a_choice():
    game = bl.game("blackjack")
    states = met_at_random(game, 30, seed=1)
    assert len(states) == 30 and all(len(s.legal_actions()) > 1 and s.player == 0 for s in states)
    assert states == met_at_random(game, 30, seed=1) and states != met_at_random(game, 30, seed=2)


def test_stages_of_connect_four():
    positions = stage_positions(bl.game("connectfour"))
    stages = dict.fromkeys(p.stage for p in positions)
    assert list(stages) == [
        "begin-hard", "begin-medium", "begin-easy", "middle-medium", "middle-easy", "end-easy",
    ]  # fmt: skip
    for position in positions:
        stones = sum(1 for cell in position.state.fields[:42] if cell)
        low, high = {"begin": (0, 12), "middle": (14, 27), "end": (28, 41)}[position.stage.split("-")[0]]
        assert low <= stones <= high and not position.state.is_terminal
        assert set(position.values) == set(position.state.legal_actions())
    weak = bl.evaluate("random", bl.game("connectfour"), "stages", games=120)
    better = bl.evaluate("alphabeta(depth=4)", bl.game("connectfour"), "stages", games=120)
    assert weak.games == better.games == 120 and better.value > weak.value + 0.05
    assert set(better.details) == {f"{stage} errors" for stage in stages}


def test_stored_signs_are_those_of_an_exhaustive_search():
    positions = [p for p in stage_positions(bl.game("connectfour")) if p.stage == "end-easy"]
    agent = bl.agent("alphabeta(depth=20, exact=True)", bl.game("connectfour"))
    few = [p for p in positions if sum(1 for cell in p.state.fields[:42] if cell) >= 31][:10]
    assert few
    for position in few:
        assert agent.act(position.state).values == position.values


@pytest.mark.slow
def test_stored_signs_are_those_of_the_solver():
    pytest.importorskip("bitbully")
    from boardlab.references.connectfour import solver

    game = bl.game("connectfour")
    scores_of = solver(game)
    for position in random.Random(1).sample(stage_positions(game), 60):
        signs = {c: float((s > 0) - (s < 0)) for c, s in scores_of(position.state).items()}
        assert signs == position.values


def test_abdl_makes_no_error_in_any_stage():
    pytest.importorskip("bitbully")
    result = bl.evaluate("abdl", bl.game("connectfour"), "stages", games=30)
    assert result.value == 1


# ---- cards ----


def test_nash_cannot_be_exploited_and_random_can():
    game = bl.game("kuhnpoker")
    for alpha in (0, 0.25):
        result = bl.evaluate(f"nash(alpha={alpha})", game, "exploitability")
        assert result.value == pytest.approx(result.best, abs=1e-12) and result.error == 0
    # OpenSpiel's figure for the uniform policy.
    assert bl.evaluate("random", game, "exploitability").value == pytest.approx(-11 / 24)
    assert bl.evaluate("nash", bl.game("kuhnpoker", rounds=3), "exploitability").value == pytest.approx(0)


def test_exploitability_asks_an_agent_about_every_information_set():
    game = bl.game("leducpoker")
    tree = small_tree(game)
    strategy = reported_strategy(bl.agent("random", game), tree, set_states(game, tree), 0)
    result = bl.evaluate("random", game, "exploitability", games=2)
    assert result.value == pytest.approx(-exploitability(tree, strategy))
    assert result.value == pytest.approx(-2.3736, abs=1e-4)  # OpenSpiel's figure for the uniform policy
    assert (result.games, result.distinct) == (2 * 936, 936)


def test_games_too_large_for_exploitability_say_so():
    with pytest.raises(
        bl.BoardLabError, match="games with hidden cards whose tree has at most 200,000 nodes"
    ):
        bl.evaluate("random", bl.game("poker"), "exploitability")


def test_basic_strategy_agrees_with_itself():
    game = bl.game("blackjack")
    right = bl.evaluate("basic", game, "basic", games=60)
    assert right.value == 1 and right.games == 60
    weak = bl.evaluate("random", game, "basic", games=200)
    assert weak.value < 0.6 and set(weak.details) == {"hard totals", "soft totals", "pairs", "insurance"}
    score = bl.evaluate("basic", bl.game("blackjack", rounds=100), "score", games=100)
    assert abs(score.value - score.best) < 4 * score.error


@pytest.mark.parametrize(
    ("name", "exam"), [("rubiks", "twists20"), ("kuhnpoker", "exploitability"), ("tictactoe", "optimal")]
)
def test_exams_take_every_seed(name, exam):
    """Those that are derived from it stay in the range of seeds, too."""
    for seed in (2**62, 2**64 - 1):
        assert bl.evaluate("random", bl.game(name), exam, games=2, seed=seed).games > 0


def test_an_exam_that_is_a_match_counts_wins_draws_and_losses():
    game = bl.game("tictactoe")
    result = bl.evaluate("random", game, "random", games=60, seed=3)
    again = bl.match(game, ["random", "random"], 60, 3)
    assert result.outcomes == (again.wins[0], again.draws, again.wins[1])
    assert result.value == pytest.approx((result.wins - result.losses) / 60)
    share = f"wins {result.wins} ({result.wins / 60:.1%}), draws {result.draws} "
    assert str(result).splitlines()[1].startswith(f"  {share}")
    three = bl.evaluate("random", bl.game("nim", players=3), "random", games=12, seed=3)
    assert sum(three.outcomes) == 12 and three.draws == 0
    for exam, name in (("optimal", "tictactoe"), ("score", "2048")):
        assert bl.evaluate("random", bl.game(name), exam, games=3).outcomes is None
