import random

import pytest

import boardlab as bl
from boardlab.references.connectfour import searched_scores, solver


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


def test_scores_of_small_boards_are_those_of_plain_negamax():
    game = bl.game("connectfour", rows=4, cols=4)
    rng = random.Random(5)
    for _ in range(12):
        state = game.initial_state()
        for _ in range(8):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            assert searched_scores(state) == plain_scores(state, 16)


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

    def test_our_own_search_agrees_late_in_the_game(self):
        game = bl.game("connectfour")
        scores, rng = solver(game), random.Random(1)
        compared = 0
        while compared < 6:
            state = game.initial_state()
            for _ in range(32):
                if not state.is_terminal:
                    state.apply(rng.choice(state.legal_actions()))
            if not state.is_terminal:
                assert searched_scores(state) == scores(state)
                compared += 1

    def test_the_first_player_always_wins(self):
        game = bl.game("connectfour")
        result = bl.match(game, ["abdl", "ab"], games=4, seatings=[[0, 1]], seed=2)
        assert result.wins == (4, 0)
        longest = bl.match(game, ["abdl", "abdl"], games=1)
        assert len(longest.records[0].actions) == 41
