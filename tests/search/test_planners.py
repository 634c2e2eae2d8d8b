"""RHEA, NRPA and flat Monte Carlo with a time limit."""

import math
import random
from collections import Counter

import pytest
from oracles.nrpa import Nrpa as SlowNrpa

import boardlab as bl
from boardlab.evaluators import EVALUATORS
from boardlab.references.rubiks import distance


def play_out(agent: bl.Agent, state: bl.State) -> bl.State:
    state = state.copy()
    while not state.is_terminal:
        state.apply(agent.act(state).action)
    return state


# ---- mc ----


def test_mc_with_seconds_tries_every_action_and_stops() -> None:
    game = bl.game("connectfour")
    decision = bl.agent("mc(seconds=0.001)", game, seed=1).act(game.initial_state())
    assert len(decision.values) == 7
    assert decision.info["iterations"] >= 7


def test_mc_takes_whichever_limit_comes_first() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    limited = bl.agent("mc(iterations=700, seconds=1000)", game, seed=1).act(state)
    assert limited.info["iterations"] == 700
    assert limited.values == bl.agent("mc(iterations=700)", game, seed=1).act(state).values
    assert bl.agent("mc", game, seed=1).act(state).info["iterations"] == 1000


# ---- rhea ----


def test_rhea_finds_the_shortest_solution_of_a_cube() -> None:
    """Two twists away: the best sequence begins with a twist that brings the cube nearer."""
    game = bl.game("rubiks", twists=2)
    for seed in range(5):
        state = game.initial_state(seed=seed)
        agent = bl.agent("rhea(solver, length=3, iterations=300, repetitions=1)", game, seed=seed)
        assert play_out(agent, state).scores[0] == 1
        exact = bl.evaluator("solver", game).action_values(state)
        assert exact[agent.act(state).action] == max(exact.values())


def test_rhea_reports_the_first_action_of_the_best_sequence_as_its_policy() -> None:
    game = bl.game("connectfour")
    decision = bl.agent("rhea(iterations=200)", game, seed=3).act(game.initial_state())
    assert decision.policy == {a: float(a == decision.action) for a in range(7)}
    assert decision.action in decision.values
    assert decision.scores[0] == -decision.scores[1]
    assert decision.info["iterations"] == 200


def test_rhea_prefers_the_early_win() -> None:
    """x wins at once with c1; every other action can only win later."""
    game = bl.game("tictactoe")
    state = game.initial_state()
    for name in ("a1", "a2", "b1", "b2"):
        state.apply(state.parse_action(name))
    for seed in range(10):
        agent = bl.agent("rhea(iterations=400, repetitions=4)", game, seed=seed)
        assert state.action_text(agent.act(state).action) == "c1"


@pytest.mark.parametrize(
    "game",
    [bl.game("nim", players=3), bl.game("2048"), bl.game("kuhnpoker"), bl.game("blackjack"), bl.game("ewn"),
     bl.game("morpion", variant="4D"), bl.game("poker"), bl.game("othello", size=4)],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("others", ["random", "planned"])
def test_rhea_plays_every_kind_of_game(game: bl.Game, others: str) -> None:
    agent = bl.agent(f'rhea(iterations=20, length=4, others="{others}")', game, seed=1)
    state = game.initial_state(seed=1)
    rng = random.Random(1)
    for _ in range(12):
        while state.player == bl.CHANCE:
            state.apply(rng.choice([a for a, _ in state.chance_outcomes()]))
        if state.is_terminal:
            break
        decision = agent.act(state)
        assert decision.action in state.legal_actions()
        assert all(math.isfinite(score) for score in decision.scores)
        state.apply(decision.action)


def test_rhea_plans_for_others_where_it_is_told_to() -> None:
    """x has one stone: a plan in which o does not stand in the way wins always, against random replies not."""
    game = bl.game("tictactoe")
    state = game.initial_state()
    for name in ("a1", "b2"):
        state.apply(state.parse_action(name))
    for others, length in (("planned", 3), ("random", 2)):
        spec = f'rhea(score, length={length}, iterations=400, repetitions=50, others="{others}")'
        score = bl.agent(spec, game, seed=1).act(state).scores[0]
        assert (score == 1) == (others == "planned")


def test_rhea_counts_the_steps_of_its_sequence() -> None:
    game = bl.game("rubiks", twists=2, step_reward=-0.1)
    state = next(s for s in map(game.initial_state, range(99)) if distance(s) == 2)
    decision = bl.agent("rhea(score, length=3, iterations=2000, repetitions=1)", game, seed=1).act(state)
    assert decision.scores[0] == pytest.approx(0.8)  # solved by two twists


def test_rhea_deals_the_hidden_cards_anew() -> None:
    """The queen calls a bet: she wins two against the jack and loses two against the king."""
    state = bl.game("kuhnpoker").initial_state()
    for action in (1, 0, 0, 1):  # queen and jack; pass, bet
        state.apply(action)
    values = bl.agent("rhea(iterations=400)", state.game, seed=1).act(state).values
    assert [state.action_text(action) for action in values] == ["fold", "call"]
    assert values[0] == -1 and -1 < values[1] < 1


def test_rhea_beats_random_players() -> None:
    result = bl.match(bl.game("connectfour"), ["rhea(iterations=200)", "random"], games=40, seed=1)
    assert result.wins[0] >= 34


def test_rhea_is_the_same_for_the_same_seed_and_stops_in_time() -> None:
    game = bl.game("othello")
    state = game.initial_state()
    first, second = (bl.agent("rhea(iterations=100)", game, seed=5).act(state) for _ in range(2))
    assert first.values == second.values and first.action == second.action
    assert bl.agent("rhea(seconds=0.001)", game, seed=5).act(state).info["iterations"] >= 1


def test_rhea_stops_within_one_sequence() -> None:
    """There must be an answer: the first sequence counts however often it was played."""
    asked = 0

    @bl.register_evaluator("counted", inputs="states", priors=False)
    def counted(game: bl.Game):
        def judge(states, legal):
            nonlocal asked
            asked += len(states)
            return [1.0] * len(states)

        return judge

    try:
        game = bl.game("connectfour")
        agent = bl.agent("rhea(counted, length=1, repetitions=100000, seconds=0.001)", game)
        decision = agent.act(game.initial_state())
        assert 1 <= asked < 100000
        assert decision.info["iterations"] == 1 and list(decision.values) == [decision.action]
    finally:
        EVALUATORS.pop("counted")


# ---- nrpa ----


@pytest.mark.parametrize("code", ["action", "ply"])
def test_nrpa_agrees_with_the_plain_version(code: str) -> None:
    """The same random numbers, so the same playouts, policies and sequences."""
    game = bl.game("morpion", variant="4D")
    for seed, alpha in enumerate((1.0, 0.4, 2.0)):
        wanted = SlowNrpa(game.initial_state(), iterations=6, alpha=alpha, by_ply=code == "ply", seed=seed)
        score, sequence = wanted.search(2)
        agent = bl.agent(f'nrpa(level=2, iterations=6, alpha={alpha}, code="{code}")', game, seed=seed)
        state, played = game.initial_state(), []
        first = agent.act(state)
        assert first.info["score"] == score and first.info["playouts"] == 36
        while not state.is_terminal:
            played.append(agent.act(state).action)
            state.apply(played[-1])
        assert played == wanted.overall[1]
        assert len(sequence) == len(played)


def longest_game(state: bl.State, known: dict[str, int]) -> int:
    """By trying everything."""
    text = state.to_text()
    if text not in known:
        known[text] = int(state.scores[0])
        for action in state.legal_actions():
            child = state.copy()
            child.apply(action)
            known[text] = max(known[text], longest_game(child, known))
    return known[text]


def test_nrpa_finds_the_longest_end_of_a_game_of_morpion() -> None:
    game = bl.game("morpion", variant="4D")
    rng = random.Random(2)
    tried = 0
    while tried < 6:
        state = game.initial_state()
        while len(state.legal_actions()) > 6:
            state.apply(rng.choice(state.legal_actions()))
        if state.is_terminal:
            continue
        tried += 1
        agent = bl.agent("nrpa(level=2, iterations=30)", game, seed=tried)
        assert agent.act(state).info["score"] == longest_game(state, {})


def test_nrpa_finds_the_longest_game_of_morpion_4d() -> None:
    """35 is the proved maximum; of 24 searches like this one found it, the others 34 or 33."""
    game = bl.game("morpion", variant="4D")
    agent = bl.agent("nrpa(level=2)", game, seed=14)
    decision = agent.act(game.initial_state())
    assert decision.info["score"] == decision.scores[0] == 35
    assert play_out(agent, game.initial_state()).scores[0] == 35


def test_nrpa_solves_cubes_in_the_fewest_twists() -> None:
    game = bl.game("rubiks", twists=3)
    for seed in range(4):
        state = game.initial_state(seed=seed)
        best = bl.evaluator("solver", game).value(state)[0]
        agent = bl.agent("nrpa(level=3, iterations=20, depth=8)", game, seed=seed)
        assert agent.act(state).scores[0] == pytest.approx(best)
        assert play_out(agent, state).scores[0] == 1
        # What is still to come, not what the plan cost so far.
        while not state.is_terminal:
            decision = agent.act(state)
            assert decision.scores == pytest.approx(bl.evaluator("solver", game).value(state))
            state.apply(decision.action)


def test_nrpa_follows_its_plan_and_plans_anew_where_the_game_left_it() -> None:
    game = bl.game("morpion", variant="4D")
    agent = bl.agent("nrpa(level=2, iterations=10)", game, seed=1)
    state = game.initial_state()
    first = agent.act(state)
    state.apply(first.action)
    second = agent.act(state)
    assert second.info == first.info  # the same plan
    assert agent.act(game.initial_state()).action == first.action  # asked again: still the same
    assert agent.act(state).action == second.action
    state.apply(next(a for a in state.legal_actions() if a != second.action))
    third = agent.act(state)
    assert third.action in state.legal_actions() and third.info["playouts"] == 100


def test_nrpa_with_seconds_searches_until_they_are_over() -> None:
    game = bl.game("morpion", variant="4D")
    info = bl.agent("nrpa(level=1, iterations=2, seconds=0.05)", game, seed=1).act(game.initial_state()).info
    assert info["searches"] > 1
    one = bl.agent("nrpa(level=1, iterations=2, seconds=100, restart=False)", game, seed=1)
    assert one.act(game.initial_state()).info["playouts"] == 2
    short = bl.agent("nrpa(level=9, seconds=0.01)", game, seed=1).act(game.initial_state())
    assert short.info["searches"] == 0 and short.info["score"] >= 16  # the shortest game


@pytest.mark.parametrize(
    ("name", "why"), [("tictactoe", "more players"), ("2048", "chance"), ("nim", "players")]
)
def test_nrpa_refuses_what_it_cannot_plan(name: str, why: str) -> None:
    with pytest.raises(bl.BoardLabError, match=why):
        bl.agent("nrpa", bl.game(name))


def test_nrpa_without_steps_draws_uniformly() -> None:
    """alpha 0 leaves the policy uniform: every first action comes up equally often."""
    game = bl.game("morpion", variant="4D")
    start = game.initial_state()
    draws = 1500
    agents = (bl.agent("nrpa(level=1, iterations=1, alpha=0)", game, seed=s) for s in range(draws))
    counts = Counter(agent.act(start).action for agent in agents)
    expected = draws / len(start.legal_actions())
    assert set(counts) == set(start.legal_actions())
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < 60
