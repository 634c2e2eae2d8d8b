"""No agent can read what its player may not see."""

import random

import pytest

import boardlab as bl
from boardlab.search.agent import python_agent

GAMES = [
    ("kuhnpoker", {"rounds": 3}),
    ("leducpoker", {"rounds": 2}),
    ("poker", {"rounds": 2}),
    ("poker", {"players": 4, "chips": 60, "rounds": 2}),
]
AGENTS = ["random", "greedy(rollout)", "mc(iterations=40)", "mcts(iterations=40)"]


def reachable_decisions(game, rng, count):
    """Random positions of random games in which a player moves."""
    found = []
    while len(found) < count:
        state = game.initial_state(rng.randrange(2**32))
        while not state.is_terminal:
            if state.player >= 0 and rng.random() < 0.3:
                found.append(state.copy())
            if state.player == bl.CHANCE:
                state.apply(state.sample_chance(rng.randrange(2**32)))
            else:
                state.apply(rng.choice(state.legal_actions()))
    return found[:count]


def another_world(state, rng):
    """A different state that looks the same to the player to move."""
    while True:
        other = state.determinize(state.player, rng.randrange(2**32))
        if other != state:
            return other


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_agents_decide_the_same_in_worlds_that_look_alike(name, parameters):
    game, rng = bl.game(name, **parameters), random.Random(1)
    agents = {text: bl.agent(text, game) for text in AGENTS}
    for state in reachable_decisions(game, rng, 40):
        player, other = state.player, another_world(state, rng)
        assert other.observe(player) == state.observe(player)
        assert other.seen_by(player).core.to_bytes() == state.seen_by(player).core.to_bytes()
        for agent in agents.values():
            decisions = []
            for world in (state, other):
                agent.reset(seed=7)
                decisions.append(agent.act(world))
            assert decisions[0].action == decisions[1].action
            assert decisions[0].policy == decisions[1].policy
            assert str(decisions[0].values) == str(decisions[1].values)


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_what_a_player_is_shown_is_the_same_in_worlds_that_look_alike(name, parameters):
    game, rng = bl.game(name, **parameters), random.Random(2)
    for state in reachable_decisions(game, rng, 60):
        player, other = state.player, another_world(state, rng)
        one, two = state.seen_by(player), other.seen_by(player)
        assert one.fields == two.fields and one.to_text() == two.to_text() and one.to_svg() == two.to_svg()
        assert one.legal_actions() == state.legal_actions() == two.legal_actions()
        for view in (one, state):  # even of a full state learners read only what the player sees
            assert (view.board_vector(player) == two.board_vector(player)).all()
            assert (view.planes(player) == two.planes(player)).all()


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_a_view_cannot_be_played_on_or_turned_into_another(name, parameters):
    game, rng = bl.game(name, **parameters), random.Random(3)
    state = reachable_decisions(game, rng, 1)[0]
    seen, others = state.seen_by(state.player), (state.player + 1) % game.players
    with pytest.raises(bl.BoardLabError, match="only what player"):
        seen.apply(seen.legal_actions()[0])
    for question in (seen.seen_by, seen.observe, seen.completions, lambda p: seen.determinize(p, 1)):
        with pytest.raises(bl.BoardLabError, match="only what player"):
            question(others)
    with pytest.raises(bl.BoardLabError, match="full state"):
        bl.perft(seen, 1)
    with pytest.raises(bl.BoardLabError, match="hidden card cannot be read back"):
        game.from_text(seen.to_text())


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_an_agent_of_an_equal_game_may_be_shown_a_view(name, parameters):
    game, twin = bl.game(name, **parameters), bl.game(name, **parameters)
    state = reachable_decisions(game, random.Random(4), 1)[0]
    agents = [bl.agent("mcts(iterations=40)", g, seed=5) for g in (game, twin)]
    decisions = [agent.act(state.seen_by(state.player)) for agent in agents]
    assert decisions[0].policy == decisions[1].policy


def test_a_python_agent_sees_no_more_than_its_player():
    game = bl.game("kuhnpoker")
    shown = []

    def choose(state):
        shown.append(state.to_text())
        return 1

    bl.match(game, [python_agent(game, choose, "spy"), "random"], games=50)
    assert shown and all("?" in text for text in shown)


def test_a_python_agent_that_wants_the_history_is_shown_none_of_hidden_cards():
    seen = {"kuhnpoker": [], "tictactoe": []}
    for name, lengths in seen.items():
        game = bl.game(name)

        def choose(state, lengths=lengths):
            lengths.append(state.core.actions_played)
            return state.legal_actions()[0]

        spy = python_agent(game, choose, "spy", with_history=True)
        bl.match(game, [spy, "random"], games=4)
    assert set(seen["kuhnpoker"]) == {0}
    assert max(seen["tictactoe"]) > 3
