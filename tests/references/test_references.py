import random

import pytest
from oracles.positions import random_position

import boardlab as bl
from boardlab import _engine
from boardlab.references.connectfour import _bitbully, solver


def test_bouton_wins_every_won_position():
    game = bl.game("nim")
    assert bl.match(game, ["bouton", "random"], games=40, seatings=[[0, 1]]).wins[0] == 40


def test_bouton_refuses_other_games():
    for game in (bl.game("tictactoe"), bl.game("nim", misere=True), bl.game("nim", players=3)):
        with pytest.raises(bl.BoardLabError, match="bouton plays nim"):
            bl.agent("bouton", game)


def test_perfect_connect_four_refuses_large_boards_and_other_games():
    with pytest.raises(bl.BoardLabError, match="boards of up to"):
        bl.agent("abdl", bl.game("connectfour", rows=8, cols=9))
    with pytest.raises(bl.BoardLabError, match="plays connectfour"):
        bl.agent("ab", bl.game("tictactoe"))


def plain_scores(state, cells):
    """Negamax over all games: stones left to the winner, positive for the side to move."""

    def best(state, stones):
        return max(score(child, stones + 1) for _, child in state.children())

    def score(child, stones):
        if child.is_terminal:
            return (cells + 2 - stones) // 2 if child.scores[0] != child.scores[1] else 0
        return -best(child, stones)

    stones = sum(1 for cell in state.fields[:cells] if cell)
    return {action: score(child, stones + 1) for action, child in state.children()}


@pytest.mark.parametrize(
    ("rows", "cols", "connect"), [(4, 4, 4), (3, 5, 3), (5, 3, 3), (4, 4, 2), (4, 5, 4), (5, 5, 5), (2, 6, 3)]
)
def test_scores_of_small_boards_are_those_of_plain_negamax(rows, cols, connect):
    game = bl.game("connectfour", rows=rows, cols=cols, connect=connect)
    exact, rng = solver(game), random.Random(5)
    for _ in range(12):
        state = game.initial_state()
        for _ in range(max(0, rows * cols - 7)):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            assert exact(state) == plain_scores(state, rows * cols)


def test_values_of_whole_small_boards():
    """Connect Four 4x5 and 4x6: the first column loses by one stone; 5x5 is a draw whatever is played first."""
    for rows, cols, known in ((4, 5, [-1, 0, 0, 0, -1]), (4, 6, [-1] * 6)):
        game = bl.game("connectfour", rows=rows, cols=cols)
        assert list(solver(game)(game.initial_state()).values()) == known


def test_the_solver_refuses_what_does_not_fit():
    for wrong in ((9, 9, 4, 1), (0, 7, 4, 1), (6, 7, 1, 1), (6, 7, 4, 0)):
        with pytest.raises(ValueError):
            _engine.ConnectFourSolver(*wrong)
    with pytest.raises(ValueError):
        _engine.ConnectFourSolver(4, 4, 4, 1).scores([0] * 42)


def test_abdl_plays_small_boards_and_reports_what_it_thinks():
    game = bl.game("connectfour", rows=4, cols=4, connect=3)
    decision = bl.agent("abdl", game).act(game.initial_state())
    assert sum(decision.policy.values()) == pytest.approx(1)
    assert decision.values[decision.action] == max(decision.values.values()) == 1
    assert bl.match(game, ["abdl", "random"], games=6, seatings=[[0, 1]]).wins[0] == 6


def test_missing_package_is_said_clearly(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *rest, **named):
        if name == "bitbully":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    _bitbully.cache_clear()  # another test may have loaded it
    with pytest.raises(bl.BoardLabError, match="pip install"):
        bl.agent("ab", bl.game("connectfour"))


class TestPerfectConnectFour:
    @pytest.fixture(autouse=True)
    def needs_bitbully(self):
        pytest.importorskip("bitbully")

    def test_first_move_scores_are_the_published_ones(self):
        game = bl.game("connectfour")
        state = game.initial_state()
        scores = solver(game)
        assert scores(state) == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
        state.apply(3)
        assert scores(state) == {0: -4, 1: -2, 2: -2, 3: -1, 4: -2, 5: -2, 6: -4}

    def test_our_own_solver_agrees(self):
        game = bl.game("connectfour")
        scores, rng = solver(game), random.Random(1)
        own = _engine.ConnectFourSolver(6, 7, 4, 16)
        compared = 0
        while compared < 60:
            state = game.initial_state()
            for _ in range(rng.randint(16, 36)):
                if not state.is_terminal:
                    state.apply(rng.choice(state.legal_actions()))
            if not state.is_terminal:
                known = scores(state)
                assert own.scores(state.fields[:42]) == [known.get(column, -1000) for column in range(7)]
                compared += 1

    def test_the_first_player_always_wins(self):
        game = bl.game("connectfour")
        result = bl.match(game, ["abdl", "ab"], games=4, seatings=[[0, 1]], seed=2)
        assert result.wins == (4, 0)
        longest = bl.match(game, ["abdl", "abdl"], games=1)
        assert len(longest.records[0].actions) == 41


def test_a_calibrated_abdl_errs_only_where_it_does_not_win():
    game = bl.game("connectfour", rows=4, cols=5)
    perfect, erring = (bl.agent(f"abdl(error={error})", game, seed=1) for error in (0, 1))
    lost = won = 0
    for seed in range(60):
        state = random_position(game, seed, 12)
        right, other = perfect.act(state), erring.act(state)
        if max(right.values.values()) > 0:
            assert other.policy == right.policy
            won += 1
        else:
            assert set(other.policy) == set(state.legal_actions())
            lost += 1
    assert won > 5 and lost > 5
