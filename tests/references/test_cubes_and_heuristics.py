"""Optimal cubes, Kociemba's solutions, and hand-made judgements."""

import random

import pytest

import boardlab as bl
from boardlab.references.othello import BENCH, HEUR
from boardlab.references.rubiks import distance, twists_of


@pytest.mark.parametrize(("metric", "known"), [("htm", [1, 9, 54, 321]), ("qtm", [1, 6, 27, 120])])
def test_distances_are_those_of_a_breadth_first_search(metric, known):
    game = bl.game("rubiks", metric=metric, step_reward=0.0)
    fields = bl.game("rubiks", metric=metric, twists=0).initial_state().fields
    frontier = {game.from_fields(fields)}
    seen = set(frontier)
    # A solved cube is terminal: its neighbours are those cubes that a twist solves.
    scrambled = {bl.game("rubiks", metric=metric, twists=1).initial_state(seed) for seed in range(300)}
    assert len(scrambled) == known[1] and {distance(s) for s in scrambled} == {1}
    frontier = {game.from_fields(s.fields) for s in scrambled}
    for far, count in enumerate(known[1:], 1):
        assert len(frontier) == count
        assert {distance(state) for state in frontier} == {far}
        seen |= frontier
        frontier = {child for state in frontier for _, child in state.children()} - seen


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("step_reward", [-0.04, 0.0])
@pytest.mark.parametrize("name", ["exact", "perfect"])
def test_exact_takes_as_many_twists_as_the_distance(metric, step_reward, name):
    game = bl.game("rubiks", metric=metric, twists=20, step_reward=step_reward)
    agent = bl.agent(name, game)
    for seed in range(5):
        state = game.initial_state(seed)
        far = distance(state)
        for left in range(far, 0, -1):
            decision = agent.act(state)
            assert decision.scores == pytest.approx([1 + step_reward * left])
            assert decision.scores[0] == decision.values[decision.action] == max(decision.values.values())
            assert sum(decision.policy.values()) == pytest.approx(1) and decision.policy[decision.action] > 0
            state.apply(decision.action)
        assert state.is_terminal


def test_exact_where_twists_are_free_chooses_among_equals_by_its_seed():
    game = bl.game("rubiks", twists=20, step_reward=0.0)
    state = next(s for s in map(game.initial_state, range(50)) if distance(s) >= 9)
    agent = bl.agent("exact", game)
    chosen = []
    for seed in range(30):
        agent.reset(seed)
        chosen.append(agent.act(state).action)
        assert bl.agent("exact", game, seed=seed).act(state).action == chosen[-1]
    shares = agent.act(state).policy
    assert set(chosen) == {action for action, share in shares.items() if share > 0} and len(set(chosen)) > 1


def test_cube_solvers_refuse_other_cubes():
    for name, game in (("exact", bl.game("rubiks", size=3)), ("kociemba", bl.game("rubiks"))):
        with pytest.raises(bl.BoardLabError, match="solves the"):
            bl.agent(name, game)
    with pytest.raises(bl.BoardLabError, match="try kociemba"):
        bl.agent("perfect", bl.game("rubiks", size=3))


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_kociemba_solves_far_scrambled_cubes(metric):
    pytest.importorskip("kociemba")
    game = bl.game("rubiks", size=3, metric=metric, twists=40)
    result = bl.match(game, ["kociemba"], games=2, seed=2)
    assert result.errors == 0
    assert all(r.scores[0] == 1 and len(r.actions) <= (24 if metric == "htm" else 40) for r in result.records)


def test_a_missing_kociemba_is_said_clearly(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "kociemba", None)
    with pytest.raises(bl.BoardLabError, match="pip install"):
        bl.agent("kociemba", bl.game("rubiks", size=3))


def test_half_turns_become_two_quarter_turns():
    assert twists_of("U U2 U' B'", "htm") == [0, 1, 2, 17]
    assert twists_of("U U2 U' B'", "qtm") == [0, 0, 0, 1, 11]


@pytest.mark.parametrize(("name", "weights"), [("heur", HEUR), ("bench", BENCH)])
def test_othello_by_weighted_squares(name, weights):
    game = bl.game("othello")
    agent = bl.agent(name, game)
    evaluator = bl.evaluator(name, game)
    rng = random.Random(4)
    state = game.initial_state()
    total = sum(map(abs, weights))

    def by_hand(position, player):
        *cells, _ = position.fields
        mine = sum(w * ((c == player + 1) - (c == 2 - player)) for c, w in zip(cells, weights, strict=True))
        return mine / total if not position.is_terminal else float(position.scores[player])

    while not state.is_terminal:
        assert evaluator.value(state)[0] == pytest.approx(by_hand(state, 0))
        values = {a: by_hand(child, state.player) for a, child in state.children()}
        assert values[agent.act(state).action] == pytest.approx(max(values.values()))
        state.apply(rng.choice(state.legal_actions()))
    assert bl.match(game, [name, "random"], games=20, seed=1).wins[0] >= 13
    with pytest.raises(bl.BoardLabError, match="8x8"):
        bl.agent(name, bl.game("othello", size=6))
    assert (
        bl.match(game, [f"alphabeta({name}, depth=2)", name], games=4, seed=1, random_actions=4).errors == 0
    )


def test_heur_is_the_same_from_all_sides():
    game = bl.game("othello")
    state = game.initial_state()
    rng = random.Random(2)
    for _ in range(20):
        state.apply(rng.choice(state.legal_actions()))
    evaluator = bl.evaluator("heur", game)
    values = {round(float(evaluator.value(state.symmetry(g))[0]), 12) for g in range(game.symmetries)}
    assert len(values) == 1


def test_tiles_plays_2048_far_better_than_chance():
    game = bl.game("2048")
    result = bl.match(game, ["tiles"], games=3, seed=1)
    assert result.mean_scores[0] > 8000  # random play ends at about 1,100
    with pytest.raises(bl.BoardLabError, match="plays 2048"):
        bl.agent("tiles", bl.game("othello"))


def test_tiles_prefers_order_and_space():
    game = bl.game("2048")
    evaluator = bl.evaluator("tiles", game)

    def value(text):
        return float(evaluator.value(game.from_text(text))[0])

    tidy = value("1024 512 256 128\n. . . .\n. . . .\n2 . . .")
    messy = value("128 1024 256 512\n. . . .\n. . . .\n2 . . .")
    full = value("1024 512 256 128\n2 4 2 4\n4 2 4 2\n2 . . .")
    assert tidy > messy and tidy > full


def test_the_ladder_searches_to_its_level_and_solves_the_end():
    othello = bl.game("othello")
    result = bl.match(othello, ["ladder(level=4)", "ladder(level=1)"], games=4, seed=1, random_actions=8)
    assert result.mean_scores[0] > 0
    state = othello.initial_state()
    rng = random.Random(5)
    while 64 - sum(cell != 0 for cell in state.fields[:64]) > 6:
        state.apply(rng.choice(state.legal_actions()))
    exact = bl.agent("alphabeta(score, depth=20, exact=True)", othello).act(state)
    assert exact.values[bl.agent("ladder(level=3)", othello).act(state).action] == max(exact.values.values())
    with pytest.raises(bl.BoardLabError, match="ladder plays othello on 8x8"):
        bl.agent("ladder", bl.game("othello", size=6))
