"""ISMCTS and ExpectimaxN with hidden cards: Kuhn poker's known answers, and slow, obvious versions."""

import math
import random
import sys
from pathlib import Path

import pytest

import boardlab as bl

sys.path.append(str(Path(__file__).parents[1] / "games"))
from test_kuhnpoker import after, best_response, expected_score, situation

VALUE = -1 / 18
JACK, QUEEN, KING = range(3)


@pytest.fixture(scope="module")
def game():
    return bl.game("kuhnpoker")


def reported(game, expression, seeds=(0,)):
    """The strategies of both players, as an agent reports them in its policies: the probability to bet."""
    strategies = ({}, {})
    for card in range(3):
        for betting in ("", "pb", "p", "b"):
            other = (card + 1) % 3
            player = len(betting) % 2
            state = after(game, (card, other) if player == 0 else (other, card), betting)
            policies = [bl.agent(expression, game, seed=seed).act(state).policy for seed in seeds]
            strategies[player][situation(game, card, betting)] = sum(p[1] for p in policies) / len(policies)
    return strategies


def exploitability(game, strategies):
    """What best responses win on top of the value, both seats together: 0 is an equilibrium."""
    return best_response(game, 1, strategies[0]) + best_response(game, 0, strategies[1])


def test_ismcts_approaches_the_equilibrium_of_kuhn_poker(game):
    strategies = reported(game, "ismcts(iterations=50000)")
    assert expected_score(game.initial_state(), strategies) == pytest.approx(VALUE, abs=0.01)
    assert exploitability(game, strategies) < 0.06
    # A search that fills in the cards anew at every decision takes every bet at face value.
    position = reported(game, 'ismcts(iterations=5000, start="position")')
    assert exploitability(game, position) > 0.25


def test_more_iterations_are_nearer_to_it(game):
    gaps = [
        exploitability(game, reported(game, f"ismcts(iterations={n})", seeds=range(3))) for n in (300, 30000)
    ]
    assert gaps[1] < gaps[0] / 2


def test_the_values_are_those_of_the_equilibrium(game):
    """With a king, the second player wins 2 against a bet that it calls; with a jack it folds and loses 1."""
    for card, bet_value in ((KING, 2.0), (JACK, -2.0)):
        state = after(game, (QUEEN, card), "b")
        decision = bl.agent("ismcts(iterations=20000)", game, seed=1).act(state)
        assert decision.values[1] == pytest.approx(bet_value) and decision.values[0] == pytest.approx(-1)
        assert decision.scores[0] == pytest.approx(-decision.scores[1])
        assert decision.info["from_deal"] == 1


def test_from_the_position_the_others_know_their_cards_and_ours(game):
    """A jack that bets is called by a queen and by a king, whatever it pretends."""
    state = after(game, (JACK, KING))
    decision = bl.agent('ismcts(iterations=20000, start="position", weigh=False)', game, seed=1).act(state)
    assert -2 <= decision.values[1] < -1.6  # the others' first tries are among its few visits
    assert decision.values[0] == pytest.approx(-1, abs=0.05) and decision.policy[0] > 0.99
    assert decision.info["from_deal"] == 0


# ---- worlds weighed by what the others did ----


def test_a_bet_tells_of_a_king(game):
    """With a queen after a bet: a jack and a king are as likely by the deal, and a king bets more often."""
    state = after(game, (KING, QUEEN), "b")
    spec = 'ismcts(iterations=4000, start="position", weigh={})'
    taken, weighed = (
        [bl.agent(spec.format(w), game, seed=s).act(state) for s in (1, 2, 3)] for w in (False, True)
    )
    # A call wins 2 from a jack and loses 2 to a king.
    assert all(abs(d.values[1]) < 0.15 for d in taken) and all(d.action == 1 for d in taken)
    assert all(d.values[1] < -1 for d in weighed) and all(d.action == 0 for d in weighed)
    assert all(1 < d.info["worlds"] < 1000 for d in weighed) and all("worlds" not in d.info for d in taken)


def test_the_weight_of_a_world_is_how_often_the_tree_does_what_was_done(game):
    """The value of a call is set by the weights alone: 2 from a jack, -2 to a king.

    So the weights can be read off it, and are those of the slow version: what the visits of a tree for the first
    player say who holds either card, knows no other, and meets all hands.
    """
    state = after(game, (KING, QUEEN), "b")
    called = [
        bl.agent('ismcts(iterations=20000, start="position")', game, seed=s).act(state).values[1]
        for s in range(4)
    ]
    shares = {}
    for card in (JACK, KING):
        bets = [first_bets(game, card, random.Random(s)) for s in range(4)]
        shares[card] = sum(bets) / len(bets)
    slow = 2 * (shares[JACK] - shares[KING]) / (shares[JACK] + shares[KING])
    assert sum(called) / len(called) == pytest.approx(slow, abs=0.12)


def first_bets(game, mine, rng, iterations=1700, c=0.5):
    """How often a tree bets first with this card, the others' hands drawn anew; plain dicts of statistics."""
    sets = {}

    def play(cards, betting):
        state = after(game, cards, betting)
        if state.is_terminal:
            return state.scores[0]
        player = state.player
        sign = 1 - 2 * player
        visits, totals = sets.setdefault((player, cards[player], betting), ([0, 0], [0.0, 0.0]))
        untried = [a for a in (0, 1) if not visits[a]]
        if untried:
            action = rng.choice(untried)
            value = rollout(cards, betting + "pb"[action])
        else:
            n = sum(visits)
            q = [(totals[a] / visits[a] + 2) / 4 for a in (0, 1)]
            action = max((0, 1), key=lambda a: q[a] + c * math.sqrt(math.log(n) / visits[a]))
            value = play(cards, betting + "pb"[action])
        visits[action] += 1
        totals[action] += sign * value
        return value

    def rollout(cards, betting):
        state = after(game, cards, betting)
        while not state.is_terminal:
            state.apply(rng.randrange(2))
        return state.scores[0]

    others = [card for card in (JACK, QUEEN, KING) if card != mine]
    for _ in range(iterations):
        play((mine, rng.choice(others)), "")
    visits = sets[0, mine, ""][0]
    return (visits[1] + 1) / (sum(visits) + 2)


@pytest.mark.parametrize(
    ("name", "options"),
    [("kuhnpoker", {"rounds": 4}), ("leducpoker", {"rounds": 3}), ("poker", {"players": 2, "rounds": 3}),
     ("poker", {"players": 4, "rounds": 3})],
)  # fmt: skip
def test_play_is_retraced_to_the_start_of_the_round(name, options):
    game, rng = bl.game(name, **options), random.Random(1)
    for _ in range(20):
        state = game.initial_state()
        in_round = 0  # actions of players
        while not state.is_terminal:
            start, played = state.core.retrace()
            replayed = bl.State(game, start)
            movers = []
            for action in played:
                movers.append(replayed.player)
                replayed.apply(action)
            assert replayed == state and len(movers) - movers.count(bl.CHANCE) == in_round
            if state.player == bl.CHANCE:
                in_round *= not state.core.round_over
                state.apply(state.sample_chance(rng.randrange(10**6)))
            else:
                in_round += 1
                state.apply(rng.choice(state.legal_actions()))


def test_weighing_with_several_players_rounds_and_buckets():
    game = bl.game("poker", players=3, rounds=2)
    assert bl.match(game, ["ismcts(iterations=100)", "random", "tight"], games=3, seed=1).errors == 0


def test_what_weighing_and_buckets_refuse(game):
    with pytest.raises(bl.BoardLabError, match="kuhnpoker has no features of hands"):
        bl.agent("ismcts(buckets=(3, 2))", game)
    with pytest.raises(bl.BoardLabError, match="has 2 hand features"):
        bl.agent("ismcts(buckets=(3,))", bl.game("poker"))
    with pytest.raises(bl.BoardLabError, match="cannot be retraced"):
        after(game, (KING, QUEEN), "b").seen_by(0).core.retrace()


def test_choices(game):
    state = after(game, (KING, JACK), "pb")
    assert bl.agent('ismcts(choose="visits")', game, seed=1).act(state).action == 1
    assert bl.agent('ismcts(choose="value")', game, seed=1).act(state).action == 1
    position = [
        bl.agent('ismcts(iterations=300, start="position")', game, seed=seed).act(after(game, (QUEEN, KING)))
        for seed in range(20)
    ]
    assert all(decision.policy[decision.action] >= 0.5 for decision in position)
    bets = [
        bl.agent("ismcts(iterations=3000)", game, seed=seed).act(after(game, (JACK, KING)))
        for seed in range(100)
    ]
    mean = sum(decision.policy[1] for decision in bets) / 100
    assert sum(decision.action for decision in bets) / 100 == pytest.approx(mean, abs=0.15)


def test_the_same_seed_thinks_the_same():
    game = bl.game("poker", players=3)
    state = game.initial_state()
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(5))
    one, two = (bl.agent("ismcts(iterations=500)", game, seed=3).act(state) for _ in range(2))
    assert one.policy == two.policy and one.values == two.values and one.action == two.action
    assert one.info["from_deal"] == 0  # 1,326 hands: too seldom the own one


def test_several_rounds_of_kuhn_poker():
    result = bl.match(bl.game("kuhnpoker", rounds=5), ["ismcts(iterations=200)", "random"], games=100, seed=1)
    assert result.errors == 0 and result.mean_scores[0] > 0


def in_round_two(expression, card, betting, seed):
    """The decision of an agent that also decided in round one, which was a king's two passes; seats change."""
    game = bl.game("kuhnpoker", rounds=3)
    starter, me = 1, (1 + len(betting)) % 2
    agent = bl.agent(expression, game, seed=seed)
    state = after(game, (KING, JACK), "p" * me)
    assert state.player == me
    agent.act(state)
    for _ in range(2 - me):
        state.apply(0)
    hands = {me: card, 1 - me: (card + 1) % 3}
    for seat in (starter, 1 - starter):  # who begins is dealt first
        state.apply(hands[seat])
    for action in betting:
        state.apply("pb".index(action))
    assert state.player == me and state.fields[0] == 1 and state.fields[3 + me] == card + 1
    return agent.act(state)


def test_a_later_round_is_searched_from_its_own_deal(game):
    """As near to the equilibrium as the first round, and far nearer than from the position."""

    def strategies(expression):
        found = ({}, {})
        for card in range(3):
            for betting in ("", "pb", "p", "b"):
                made = [in_round_two(expression, card, betting, seed) for seed in range(3)]
                assert all(d.info["from_deal"] == ("position" not in expression) for d in made)
                found[len(betting) % 2][situation(game, card, betting)] = sum(d.policy[1] for d in made) / 3
        return found

    assert exploitability(game, strategies("ismcts(iterations=30000)")) < 0.06
    assert exploitability(game, strategies('ismcts(iterations=3000, start="position")')) > 0.25


def test_a_second_decision_of_a_later_round_begins_at_the_same_deal():
    """From a deal that is not the round's own, start="deal" would never come here, and say so."""
    game = bl.game("kuhnpoker", rounds=6)
    agents = [bl.agent('ismcts(iterations=2000, start="deal")', game, seed=seed) for seed in (1, 2)]
    seen = []
    state = game.initial_state()
    while not state.is_terminal:
        if state.player == bl.CHANCE:
            state.apply(state.sample_chance(len(seen)))
            continue
        last = state.copy()
        decision = agents[state.player].act(state)
        seen.append(decision.info["from_deal"])
        # First a pass and then, if that was answered by a bet, a call: two decisions in one round.
        state.apply(1 if state.fields[5] == 2 else state.fields[5] % 2)
    assert len(seen) == 18 and all(seen)
    with pytest.raises(bl.BoardLabError, match="never came from the deal"):
        bl.agent('ismcts(iterations=2000, start="deal")', game).act(last)


def test_the_deal_of_an_earlier_game_is_left():
    """One agent in round two of a game, and then in round one of another: with a king it wins 2."""
    game = bl.game("kuhnpoker", rounds=3)
    agent = bl.agent("ismcts(iterations=2000)", game, seed=1)
    state = after(game, (KING, JACK))
    for action in (0, 0, QUEEN, JACK, 0):  # both pass; player 1 is dealt first, and passes
        if state.player == 0:
            agent.act(state)
        state.apply(action)
    assert state.player == 0 and agent.act(state).info["from_deal"] == 1
    decision = agent.act(after(game, (KING, QUEEN), "pb"))
    assert decision.info["from_deal"] == 1
    assert decision.values == pytest.approx({0: -1.0, 1: 2.0})


def test_poker_is_won_against_random_players():
    game = bl.game("poker", players=2)
    for agent in ("ismcts(iterations=200)", "expectimax(rollout, depth=1, worlds=50)"):
        result = bl.match(game, [agent, "random"], games=10, seed=1)
        assert result.errors == 0 and result.mean_scores[0] > result.mean_scores[1]


# ---- expectimax over completions ----


def open_cards(state, player, depth):
    """Everybody sees everything, the obvious way."""
    if state.is_terminal or depth == 0:
        return state.scores
    if state.player == bl.CHANCE:
        chances = dict(state.chance_outcomes())
        return sum(chances[a] * open_cards(child, player, depth) for a, child in state.children())
    return max(
        (open_cards(child, player, depth - 1) for _, child in state.children()), key=lambda v: v[state.player]
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("betting", ["", "p", "b", "pb"])
@pytest.mark.parametrize("card", range(3))
def test_expectimax_averages_over_all_completions(game, card, betting, depth):
    player = len(betting) % 2
    cards = (card, (card + 1) % 3) if player == 0 else ((card + 1) % 3, card)
    state = after(game, cards, betting)
    expected = dict.fromkeys((0, 1), 0.0)
    worlds = state.completions(player)
    assert len(worlds) == 2
    for world, probability in worlds:
        for action, child in world.children():
            expected[action] += probability * open_cards(child, player, depth - 1)[player]
    decision = bl.agent(f"expectimax(depth={depth})", game).act(state)
    assert decision.values == pytest.approx(expected)
    assert decision.info["completions"] == 2 and decision.info["sampled"] == 0
    assert decision.values[decision.action] == max(decision.values.values())


def test_too_many_completions_are_drawn_and_said_to_be():
    game = bl.game("poker", players=3)
    state = game.initial_state()
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(5))
    info = bl.agent("expectimax(rollout, depth=2, worlds=20)", game).act(state).info
    assert info["sampled"] == 1 and info["completions"] == 20


def test_what_is_refused(game):
    with pytest.raises(bl.BoardLabError, match="ismcts is for games with hidden cards; for othello use mcts"):
        bl.agent("ismcts", bl.game("othello"))
    with pytest.raises(bl.BoardLabError, match=r"hidden cards.*use ismcts"):
        bl.agent("maxn", game)
    state = bl.game("poker").initial_state()
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(5))
    with pytest.raises(bl.BoardLabError, match="never came from the deal to this position in 10 iterations"):
        bl.agent('ismcts(iterations=10, start="deal")', state.game).act(state)
