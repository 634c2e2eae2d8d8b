import itertools
from collections import defaultdict

import pytest

import boardlab as bl

JACK, QUEEN, KING = range(3)
PASS, BET = 0, 1
VALUE = -1 / 18


@pytest.fixture(scope="module")
def game():
    return bl.game("kuhnpoker")


def after(game, cards, actions=""):
    """The position after this deal and betting: after(game, (KING, JACK), "pb")."""
    state = game.initial_state()
    for card in cards:
        state.apply(card)
    for action in actions:
        state.apply("pb".index(action))
    return state


def situation(game, card, betting):
    """What the player to move there observes."""
    other = (card + 1) % 3
    cards = (card, other) if len(betting) % 2 == 0 else (other, card)
    state = after(game, cards, betting)
    return state.observe(state.player)


def expected_score(state, strategies):
    """Of player 0, when each player bets with the probability that its strategy gives for what it observes."""
    if state.is_terminal:
        return state.scores[0]
    if state.player == bl.CHANCE:
        weights = dict(state.chance_outcomes())
    else:
        bet = strategies[state.player][state.observe(state.player)]
        weights = {PASS: 1 - bet, BET: bet}
    return sum(weights[a] * expected_score(child, strategies) for a, child in state.children() if weights[a])


def best_response(game, player, strategy):
    """The most that `player` can score against the strategy of the other: all 64 pure strategies."""
    bettings = ("", "pb") if player == 0 else ("p", "b")
    situations = [situation(game, card, betting) for card in range(3) for betting in bettings]
    best = float("-inf")
    for bets in itertools.product((0, 1), repeat=len(situations)):
        mine = dict(zip(situations, bets, strict=True))
        score = expected_score(game.initial_state(), (mine, strategy) if player == 0 else (strategy, mine))
        best = max(best, score if player == 0 else -score)
    return best


def first_player(game, alpha, king=None):
    """Kuhn's family of strategies for the first player."""
    bets = {
        (JACK, ""): alpha, (QUEEN, ""): 0, (KING, ""): 3 * alpha if king is None else king,
        (JACK, "pb"): 0, (QUEEN, "pb"): alpha + 1 / 3, (KING, "pb"): 1,
    }  # fmt: skip
    return {situation(game, *where): bet for where, bet in bets.items()}


def second_player(game):
    """Kuhn's only strategy for the second player."""
    bets = {
        (JACK, "p"): 1 / 3, (QUEEN, "p"): 0, (KING, "p"): 1,
        (JACK, "b"): 0, (QUEEN, "b"): 1 / 3, (KING, "b"): 1,
    }  # fmt: skip
    return {situation(game, *where): bet for where, bet in bets.items()}


@pytest.mark.parametrize("alpha", [0, 0.1, 1 / 6, 1 / 3])
def test_kuhns_family_cannot_be_exploited(game, alpha):
    assert best_response(game, 1, first_player(game, alpha)) == pytest.approx(-VALUE, abs=1e-12)


def test_second_players_strategy_gives_the_value(game):
    """With the test above this proves it: neither side can do better than -1/18 and 1/18."""
    assert best_response(game, 0, second_player(game)) == pytest.approx(VALUE, abs=1e-12)


@pytest.mark.parametrize(("alpha", "king"), [(0.2, 0.9), (0.3, 0.3), (0, 1), (0.5, 1)])
def test_strategies_outside_the_family_can_be_exploited(game, alpha, king):
    assert best_response(game, 1, first_player(game, alpha, king)) > -VALUE + 0.005


def test_regret_minimisation_finds_the_value(game):
    """CFR (Zinkevich et al. 2007) with no knowledge of the game but its states and observations."""
    regret, total = defaultdict(lambda: [0.0, 0.0]), defaultdict(lambda: [0.0, 0.0])

    def tree(state):
        if state.is_terminal:
            return state.scores[0]
        chances = dict(state.chance_outcomes()) if state.player == bl.CHANCE else {}
        who = None if chances else (state.player, state.observe(state.player))
        return who, [(chances.get(a), tree(child)) for a, child in state.children()]

    def matched(who):
        positive = [max(r, 0) for r in regret[who]]
        return [r / sum(positive) for r in positive] if sum(positive) else [0.5, 0.5]

    def visit(node, reach):
        if not isinstance(node, tuple):
            return node
        who, children = node
        if who is None:
            return sum(p * visit(child, [reach[0] * p, reach[1] * p]) for p, child in children)
        player, sign = who[0], 1 - 2 * who[0]
        policy = matched(who)
        values = []
        for probability, (_, child) in zip(policy, children, strict=True):
            below = list(reach)
            below[player] *= probability
            values.append(visit(child, below))
        mean = sum(p * v for p, v in zip(policy, values, strict=True))
        for a, value in enumerate(values):
            regret[who][a] += reach[1 - player] * sign * (value - mean)
            total[who][a] += reach[player] * policy[a]
        return mean

    root = tree(game.initial_state())
    for _ in range(3000):
        visit(root, [1.0, 1.0])
    average = {key: bets / (passes + bets) for (_, key), (passes, bets) in total.items()}
    low = -best_response(game, 1, average)
    high = best_response(game, 0, average)
    assert low <= VALUE <= high  # whatever was found, the value lies between
    assert high - low < 0.02


@pytest.mark.parametrize("cards", list(itertools.permutations(range(3), 2)))
@pytest.mark.parametrize(
    ("betting", "stake"), [("pp", 1), ("bp", None), ("bb", 2), ("pbp", None), ("pbb", 2)]
)
def test_payments_by_hand(game, cards, betting, stake):
    state = after(game, cards, betting)
    higher = 1 if cards[0] > cards[1] else -1
    expected = {"bp": 1, "pbp": -1}.get(betting) or higher * stake
    assert state.is_terminal and tuple(state.scores) == (expected, -expected)


def test_histories_look_alike_if_and_only_if_the_player_cannot_tell_them_apart(game):
    """All positions of the game against what the rules let each player know."""

    def positions(state):
        yield state
        for _, child in state.children():
            yield from positions(child)

    def knowledge(state, player):
        fields = state.fields
        cards, betting = fields[3:5], fields[6 : 6 + fields[5]]
        shown = state.is_terminal and betting[-1] == betting[-2]
        other = cards[1 - player] if shown else bool(cards[1 - player])
        return cards[player], other, tuple(betting)

    everything = list(positions(game.initial_state()))
    assert len(everything) == 1 + 3 + 6 * (1 + 9 - 1)
    for player in (0, 1):
        keys, facts = defaultdict(set), defaultdict(set)
        for state in everything:
            key, fact = state.observe(player), knowledge(state, player)
            keys[key].add(fact)
            facts[fact].add(key)
        assert all(len(found) == 1 for found in keys.values())
        assert all(len(found) == 1 for found in facts.values())


def test_completions_are_the_other_cards_with_equal_weight(game):
    state = after(game, (QUEEN, JACK), "b")
    found = {tuple(s.fields[3:5]): p for s, p in state.seen_by(1).completions(1)}
    assert found == {(QUEEN + 1, JACK + 1): 0.5, (KING + 1, JACK + 1): 0.5}
    undealt = game.initial_state()
    undealt.apply(KING)
    assert [p for _, p in undealt.completions(1)] == pytest.approx([1 / 3] * 3)
    assert len(after(game, (QUEEN, JACK), "bb").completions(1)) == 1  # shown


def test_rounds_alternate_and_add_up():
    game = bl.game("kuhnpoker", rounds=2)
    state = after(game, (KING, JACK), "bb")
    assert state.round_over and not state.is_terminal and tuple(state.scores) == (2, -2)
    state.apply(QUEEN)  # to player 1, who begins now
    state.apply(JACK)
    assert state.player == 1 and state.fields[3:5] == [JACK + 1, QUEEN + 1]
    for action in (BET, PASS):
        state.apply(action)
    assert state.is_terminal and tuple(state.scores) == (1, -1)


def test_text_shows_a_hidden_card_as_a_question_mark_and_refuses_to_read_it(game):
    state = after(game, (KING, JACK), "b")
    text = state.seen_by(1).to_text()
    assert "cards: ? J" in text and [state.action_text(a) for a in (PASS, BET)] == ["fold", "call"]
    with pytest.raises(bl.BoardLabError, match="hidden card cannot be read back"):
        game.from_text(text)
    for wrong, why in [
        ("round 1 of 1, player 0 has won 0\ncards: K K\nbetting: none", "two different"),
        ("round 1 of 1, player 0 has won 0\ncards: K Q\nbetting: call", '"call" cannot follow'),
        ("round 1 of 1, player 0 has won 1\ncards: K Q\nbetting: none", "possible in these rounds"),
        ("K Q", "expected"),
    ]:
        with pytest.raises(bl.BoardLabError, match=why):
            game.from_text(wrong)


@pytest.mark.parametrize("agent", ["mcts(iterations=200)", "mc(iterations=200)"])
def test_searches_never_fold_a_king_or_pay_for_a_jack(game, agent):
    player = bl.agent(agent, game, seed=1)
    for betting in ("b", "pb"):
        for mine, right in ((KING, BET), (JACK, PASS)):
            cards = (mine, QUEEN) if betting == "pb" else (QUEEN, mine)
            assert player.act(after(game, cards, betting)).action == right


@pytest.mark.parametrize(
    "agent", ["mcts(iterations=100)", "ismcts(iterations=100)", "mc(iterations=100)", "greedy(rollout)"]
)
def test_searches_beat_random_play(game, agent):
    """A game varies by 1.3 chips: the standard error of 4,000 is .02."""
    assert bl.match(game, [agent, "random"], games=4000, seed=2).mean_scores[0] > 0.15


@pytest.mark.parametrize("agent", ["maxn", "alphabeta"])
def test_full_width_searches_refuse_hidden_cards(game, agent):
    with pytest.raises(bl.BoardLabError, match=r"hidden cards.*use (is)?mcts"):
        bl.agent(agent, game)
