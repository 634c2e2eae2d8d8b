import pytest

import boardlab as bl


def test_bouton_wins_every_won_position():
    game = bl.game("nim")
    assert bl.match(game, ["bouton", "random"], games=40, seatings=[[0, 1]]).wins[0] == 40


def test_bouton_refuses_other_games():
    for game in (bl.game("tictactoe"), bl.game("nim", misere=True), bl.game("nim", players=3)):
        with pytest.raises(bl.BoardLabError, match="bouton plays nim"):
            bl.agent("bouton", game)


def test_perfect_connect_four_refuses_other_boards():
    with pytest.raises(bl.BoardLabError, match="6 rows, 7 columns"):
        bl.agent("abdl", bl.game("connectfour", rows=5))


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
        from boardlab.references.connectfour import _solver, action_scores

        game = bl.game("connectfour")
        state = game.initial_state()
        solver = _solver(game)
        assert action_scores(solver, state) == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
        state.apply(3)
        assert action_scores(solver, state) == {0: -4, 1: -2, 2: -2, 3: -1, 4: -2, 5: -2, 6: -4}

    def test_the_first_player_always_wins(self):
        game = bl.game("connectfour")
        result = bl.match(game, ["abdl", "ab"], games=4, seatings=[[0, 1]], seed=2)
        assert result.wins == (4, 0)
        longest = bl.match(game, ["abdl", "abdl"], games=1)
        assert len(longest.records[0].actions) == 41
