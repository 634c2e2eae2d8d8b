"""Exhaustive solutions against what is known and against searches to the end."""

import random

import pytest

import boardlab as bl


def value(game, state=None):
    return bl.agent("solved", game).act(state or game.initial_state()).scores.tolist()


@pytest.mark.parametrize(
    ("game", "truth", "positions"),
    [
        (bl.game("tictactoe"), 0, 5478),
        (bl.game("gobang", rows=3, cols=4, k=3), 1, None),
        (bl.game("connectfour", rows=4, cols=4), 0, 161029),
        (bl.game("sim", nodes=5), 0, None),
        (bl.game("othello", size=4), -1, None),
        (bl.game("yavalath", side=2), 0, None),
    ],
)
def test_known_values(game, truth, positions):
    decision = bl.agent("solved", game).act(game.initial_state())
    assert decision.scores.tolist() == [truth, -truth]
    assert positions in (None, decision.info["positions"])


def test_the_winning_openings_of_hex():
    game = bl.game("hex", size=3)
    decision = bl.agent("solved", game).act(game.initial_state())
    winning = {action for action, v in decision.values.items() if v == 1}
    assert winning == {3 * row + col for row, col in ((0, 2), (1, 0), (1, 1), (1, 2), (2, 0))}


@pytest.mark.parametrize(
    ("game", "search"),
    [
        (bl.game("tictactoe"), "alphabeta(depth=9, exact=True)"),
        (bl.game("nim", heaps=(3, 2, 2), max_take=2, players=3), "maxn(depth=20)"),
        (bl.game("nim", heaps=(3, 2, 2), misere=True), "alphabeta(depth=20, exact=True)"),
        (bl.game("ewn", size=3), "expectimax(depth=100)"),
        (bl.game("2048", size=2), "expectimax(depth=200)"),
    ],
)
def test_values_are_those_of_a_search_to_the_end(game, search):
    solved, searched = bl.agent("solved", game), bl.agent(search, game)
    rng = random.Random(3)
    state = game.initial_state()
    while not state.is_terminal:
        if state.player >= 0:
            assert solved.act(state).values == pytest.approx(searched.act(state).values)
            state.apply(rng.choice(state.legal_actions()))
        else:
            state.apply(state.sample_chance(rng.randrange(2**32)))


def test_wins_come_soon_and_losses_late():
    game = bl.game("tictactoe")
    agent = bl.agent("solved", game)
    state = game.initial_state()
    for action in (0, 3, 1, 4):  # X wins at once with 2; O would win with 5
        state.apply(action)
    decision = agent.act(state)
    assert decision.action == 2 and decision.info["length"] == 1
    state.undo()
    state.apply(8)  # O gave the win away: X must still take it at once
    assert agent.act(state).action == 2


def test_what_cannot_be_solved_is_refused_with_a_sentence():
    for game, message in (
        (bl.game("kuhnpoker"), "are hidden"),
        (bl.game("rubiks", twists=1), "repeat"),
    ):
        with pytest.raises(bl.BoardLabError, match=message):
            bl.agent("solved", game)
    with pytest.raises(bl.BoardLabError, match="more than 100 positions"):
        bl.agent("solved(max_states=100)", bl.game("tictactoe"))
    assert bl.agent("solved(max_states=5478)", bl.game("tictactoe"))


def test_a_game_whose_positions_take_too_much_memory_is_refused():
    with pytest.raises(bl.BoardLabError, match=r"more than [12]\d{3} positions here; raise table_mb"):
        bl.agent("solved(table_mb=8)", bl.game("morpion"))  # a position has some 3,000 bytes
    assert bl.agent("solved(table_mb=1)", bl.game("tictactoe"))
    with pytest.raises(bl.BoardLabError, match="table_mb"):
        bl.agent("solved(table_mb=0)", bl.game("tictactoe"))


def test_a_start_from_elsewhere_is_solved_too():
    game = (
        bl.game("ewn", size=3, start="random")
        if "start" in str(bl.describe("ewn"))
        else bl.game("ewn", size=3)
    )
    result = bl.match(game, ["solved", "random"], games=20, seed=4)
    assert result.errors == 0 and result.wins[0] > 12


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("connectfour", "abdl"),
        ("nim", "bouton"),
        ("kuhnpoker", "nash"),
        ("blackjack", "basic"),
        ("rubiks", "exact"),
        ("tictactoe", "solved"),
    ],
)
def test_perfect_is_the_exact_player_of_the_game(game, player):
    from boardlab.references.solved import perfect_player

    assert perfect_player(bl.game(game)).name == player
    if game != "connectfour":
        assert bl.agent("perfect", bl.game(game))


def test_clones_play_as_the_original():
    game = bl.game("tictactoe")
    one = bl.match(game, ["solved", "random"], games=20, seed=1, threads=1)
    two = bl.match(game, ["solved", "random"], games=20, seed=1, threads=2)
    assert [r.actions for r in one.records] == [r.actions for r in two.records]
