"""Beam search: every position once, the shortest way where the beam is wide enough, a plan that is followed."""

import numpy as np
import pytest
from oracles.positions import ends_of, near_the_end

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.references.rubiks import distance


def play_out(agent: bl.Agent, state: bl.State, most: int = 60) -> tuple[bl.State, int]:
    state, length = state.copy(), 0
    while not state.is_terminal and length < most:
        state.apply(agent.act(state).action)
        length += 1
    return state, length


def children(state: bl.State) -> list[bl.State]:
    made = []
    for action in state.legal_actions():
        child = state.copy()
        child.apply(action)
        made.append(child)
    return made


def far(game: bl.Game, least: int) -> bl.State:
    """A 2x2x2 of at least that distance."""
    return next(
        state for state in (game.initial_state(seed=seed) for seed in range(100)) if distance(state) >= least
    )


@pytest.mark.parametrize("twists", [1, 2, 3, 4, 5])
def test_without_any_knowledge_a_wide_beam_finds_the_shortest_way_of_a_3x3x3(twists):
    """The truth: no way of up to two twists less leads to where the scramble's own way would."""
    game = bl.game("rubiks", size=3, twists=twists)
    agent = bl.agent("beam(score, width=50000)", game)
    for seed in range(3):
        state = game.initial_state(seed=seed)
        # Breadth first, by hand: how near the cube really is, up to two twists.
        layer, near = [state], None
        for d in (1, 2):
            layer = [child for parent in layer for child in children(parent)]
            if any(child.is_terminal for child in layer):
                near = d
                break
            layer = [child for child in layer if not child.is_terminal]
        end, length = play_out(agent, state)
        assert end.is_terminal
        assert length == near if near is not None else 2 < length <= twists


def test_every_position_is_judged_once():
    """3x3x3 in half turns: 18, 243, 3240 and 43239 positions at distance 1 to 4; 2x2x2: 9, 54, 321, 1847."""
    game = bl.game("rubiks", size=3, twists=100)
    info = bl.agent("beam(score, width=100000, depth=4)", game).act(game.initial_state(seed=1)).info
    assert info["nodes"] == 18 + 243 + 3240 + 43239
    assert info["solved"] == 0 and info["length"] == 4
    game = bl.game("rubiks", twists=20)
    info = bl.agent("beam(score, width=100000, depth=4)", game).act(far(game, 6)).info
    assert info["nodes"] == 9 + 54 + 321 + 1847


def test_with_exact_values_a_beam_of_one_plays_optimally():
    game = bl.game("rubiks", twists=20)
    agent = bl.agent("beam(solver, width=1)", game)
    for seed in range(10):
        state = game.initial_state(seed=seed)
        decision = agent.act(state)
        assert decision.info["length"] == distance(state) and decision.info["solved"] == 1
        assert decision.scores[0] == pytest.approx(1 - 0.04 * distance(state))
        assert decision.policy[decision.action] == 1
        assert play_out(agent, state)[1] == distance(state)
        state.apply(decision.action)
        later = agent.act(state).scores[0]  # the plan goes on: what is still to come
        assert later == pytest.approx(1 - 0.04 * distance(state))


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_ends_is_kept_and_not_the_first(seed):
    """In Morpion a longer game is a better one: the shortest way to an end is the worst."""
    state = near_the_end(seed)
    agent = bl.agent("beam(score, width=10000)", state.game)
    best = max(ends_of(state))
    assert agent.act(state).scores[0] == best
    assert play_out(agent, state)[0].scores[0] == best


@pytest.mark.parametrize("evaluator", ["score", "rollout(depth=3)", "mix(score, rollout(depth=2))"])
def test_threads_change_nothing(evaluator):
    game = bl.game("rubiks", size=3, twists=100)
    state = game.initial_state(seed=4)
    plans = []
    for threads in (1, 2, 5):
        agent = bl.agent(f"beam({evaluator}, width=700, depth=6, threads={threads})", game, seed=3)
        end, follow = state.copy(), []
        nodes = agent.act(end).info["nodes"]
        for _ in range(6):
            follow.append(agent.act(end).action)
            end.apply(follow[-1])
        plans.append((nodes, follow))
    assert plans[0] == plans[1] == plans[2]


def test_a_plan_is_followed_and_made_anew_where_the_game_has_left_it():
    game = bl.game("rubiks", twists=20)
    asked = []

    @bl.register_evaluator("counted", inputs="states", priors=False)
    def counted(_):
        def judge(states, legal):
            asked.append(len(states))
            return np.array([1 - 0.04 * distance(state) for state in states])

        return judge

    agent = bl.agent("beam(counted, width=3)", game)
    state = far(game, 8)
    agent.act(state)
    planned = sum(asked)
    on_the_way = state.copy()
    for _ in range(4):
        on_the_way.apply(agent.act(on_the_way).action)
    assert sum(asked) == planned
    agent.act(state)  # somebody has gone back
    assert sum(asked) == planned
    plan = agent.act(on_the_way).action
    other = next(a for a in range(9) if a != plan)
    on_the_way.apply(other)
    agent.act(on_the_way)
    assert sum(asked) > planned


def test_a_beam_that_is_not_deep_enough_goes_on_from_where_it_came():
    game = bl.game("rubiks", twists=20)
    agent = bl.agent("beam(solver, width=2, depth=2)", game)
    state = far(game, 8)
    first = agent.act(state)
    assert first.info["solved"] == 0 and first.info["length"] == 2
    assert first.scores[0] == pytest.approx(1 - 0.04 * distance(state))
    assert play_out(agent, state)[1] == distance(state)


def test_evaluators_in_python_are_asked_in_batches():
    game = bl.game("rubiks", twists=20)
    rows = []

    @bl.register_evaluator("corners_home", inputs="cells", priors=False)
    def corners_home(_):
        def judge(cells, legal):
            assert legal.all() and legal.shape == (len(cells), 9)
            rows.append(len(cells))
            return (cells[:, :7] == np.arange(7)).sum(axis=1) / 7

        return judge

    info = bl.agent("beam(corners_home, width=500)", game).act(far(game, 7)).info
    assert info["solved"] == 1
    assert sum(rows) == info["nodes"]
    assert len(rows) < 30


def test_an_error_of_the_evaluator_comes_through():
    game = bl.game("rubiks", twists=20)

    @bl.register_evaluator("broken_beam", inputs="cells", priors=False)
    def broken_beam(_):
        return lambda cells, legal: np.full(len(cells), np.nan)

    with pytest.raises(BoardLabError, match="nan"):
        bl.agent("beam(broken_beam)", game).act(far(game, 5))


def test_a_game_without_a_goal_is_planned_to_its_best_end():
    game = bl.game("morpion", variant="4D")
    agent = bl.agent("beam(rollout, width=20)", game, seed=2)
    decision = agent.act(game.initial_state())
    end, length = play_out(agent, game.initial_state(), 1000)
    assert end.is_terminal
    assert end.scores[0] == decision.scores[0] == length == decision.info["length"]
    assert end.scores[0] > bl.match(game, ["random"], 20, 1).mean_scores[0]


def test_nowhere_to_go_is_no_error():
    """One position ahead, all others known: the plan still has an action."""
    game = bl.game("rubiks", twists=20)
    agent = bl.agent("beam(score, width=1, depth=50)", game)
    end, _ = play_out(agent, far(game, 8), 120)
    assert end is not None


@pytest.mark.parametrize(
    ("name", "spec", "words"),
    [
        ("connectfour", "beam", "connectfour has more players"),
        ("2048", "beam", "2048 has chance"),
        ("rubiks", "beam(width=0)", "width must be"),
        ("rubiks", "beam(depth=0)", "depth must be"),
        ("rubiks", "beam(threads=0)", "threads must be"),
        ("morpion", "beam(width=60000000)", "too wide"),
    ],
)
def test_what_it_cannot_do_is_refused(name, spec, words):
    with pytest.raises(BoardLabError, match=words):
        bl.agent(spec, bl.game(name))
