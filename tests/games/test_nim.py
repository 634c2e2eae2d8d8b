import functools
import itertools

import pytest

import boardlab as bl


def solve(heaps, max_take, mover, players, terminal):
    """Exact scores by exhaustion over multisets of heaps; each player maximises its own score."""

    @functools.cache
    def value(heaps, mover):
        if not any(heaps):
            return terminal(mover)
        options = []
        for i, heap in enumerate(heaps):
            for take in range(1, min(heap, max_take) + 1):
                rest = (*heaps[:i], heap - take, *heaps[i + 1 :])
                options.append(value(rest, (mover + 1) % players))
        return max(options, key=lambda scores: scores[mover])

    return value(tuple(heaps), mover)


def test_lost_positions_are_boutons():
    heaps, max_take = (4, 5, 3), 3
    game = bl.game("nim", heaps=heaps, max_take=max_take)
    agent = bl.agent("alphabeta(depth=12)", game)
    for position in itertools.product(*(range(heap + 1) for heap in heaps)):
        if not any(position):
            continue
        xor = functools.reduce(lambda a, b: a ^ b, (heap % (max_take + 1) for heap in position))
        state = game.from_text(" ".join(map(str, (*position, 0))))
        assert agent.act(state).scores[0] == (-1 if xor == 0 else 1)


@pytest.mark.parametrize("heaps", [(1,), (2, 2), (3, 4), (1, 2, 3), (2, 3, 3)])
def test_misere_agrees_with_exhaustion(heaps):
    game = bl.game("nim", heaps=heaps, max_take=3, misere=True)
    exact = solve(heaps, 3, 0, 2, lambda mover: (1, -1) if mover == 0 else (-1, 1))
    agent = bl.agent("alphabeta(depth=12)", game)
    assert tuple(agent.act(game.initial_state()).scores) == exact


@pytest.mark.parametrize("extra_rule", [False, True])
@pytest.mark.parametrize("heaps", [(2,), (1, 2), (2, 3), (1, 2, 2)])
def test_three_players_agree_with_exhaustion(heaps, extra_rule):
    """The player after the last taker wins 1; with the extra rule the one after the winner gets .2.

    With ties a MaxN value is not unique, so the test compares what the player to move can get.
    """

    def terminal(after):
        scores = [0.0] * 3
        scores[after] = 1.0
        if extra_rule:
            scores[(after + 1) % 3] = 0.2
        return tuple(scores)

    game = bl.game("nim", heaps=heaps, max_take=2, players=3, extra_rule=extra_rule)
    exact = solve(heaps, 2, 0, 3, terminal)
    decision = bl.agent("maxn(depth=12)", game).act(game.initial_state())
    assert decision.scores[0] == pytest.approx(exact[0])


def test_last_taker_wins():
    game = bl.game("nim", heaps=(3,), max_take=3)
    state = game.initial_state()
    state.apply(state.parse_action("A3"))
    assert state.is_terminal and state.scores.tolist() == [1, -1]


def test_rules_for_the_wrong_number_of_players_are_refused():
    with pytest.raises(bl.BoardLabError, match="two players"):
        bl.game("nim", players=3, misere=True)
    with pytest.raises(bl.BoardLabError, match="three players"):
        bl.game("nim", extra_rule=True)
    with pytest.raises(bl.BoardLabError, match="from 1 to 255"):
        bl.game("nim", heaps=(0, 3))
    with pytest.raises(bl.BoardLabError, match="1 to 12"):
        bl.game("nim", heaps=(1,) * 13)


def test_a_finished_game_says_who_has_won_before_whose_turn_it_would_be():
    game = bl.game("nim", heaps=(1, 1))
    state = game.initial_state()
    for _ in range(2):
        state.apply(state.legal_actions()[0])
    text = "heap A:  0\nheap B:  0\n"
    assert state.to_text() == f"{text}player 1 has won, player 0 next"
    assert game.from_text(state.to_text()) == state
    for earlier in ("player 0 to move, game over", "game over, player 0 next"):  # as files have it
        assert game.from_text(text + earlier) == state
