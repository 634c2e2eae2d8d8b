"""bl.BatchEnv against games played one by one with State."""

import copy
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import boardlab as bl

ROWS = 6


def variants():
    """Each game with its default and its last parameters, which often have more players."""
    for name in bl.games():
        rules = type(bl.game(name).rules)
        for parameters in (rules.variants[0], rules.variants[-1]):
            yield pytest.param(name, parameters, id=f"{name}-{len(parameters)}")


def positions_after(state: bl.State, most: int = 200) -> list[bl.State] | None:
    """The positions of players that nature can make of this one; None if there are too many."""
    found, open_ = [], [state]
    while open_:
        now = open_.pop()
        if now.player == bl.CHANCE:
            open_ += [child for _, child in now.children()]
        else:
            found.append(now)
        if len(found) + len(open_) > most:
            return None
    return found


def copies(env: bl.BatchEnv) -> list[np.ndarray]:
    return [a.copy() for a in (env.observe(), env.mask, env.rewards, env.done, env.truncated, env.players)]


@pytest.mark.parametrize(("name", "parameters"), list(variants()))
def test_every_row_is_a_game_played_by_the_rules(name: str, parameters: dict) -> None:
    game = bl.game(name, **parameters)
    env = bl.BatchEnv(game, ROWS, seed=3, max_actions=60)
    paid = np.array([env.state(i).scores for i in range(ROWS)])
    for _ in range(80):
        before = [env.state(i) for i in range(ROWS)]
        actions, movers = env.random_actions(), env.players.copy()
        env.step(actions)
        rewards = env.rewards.copy()
        rewards[range(ROWS), movers] -= game.core.step_reward
        last = iter(env.observe_finished())
        for i in range(ROWS):
            now = env.state(i)
            assert env.players[i] == now.player >= 0
            assert np.flatnonzero(env.mask[i]).tolist() == now.legal_actions()
            assert np.array_equal(env.observe()[i], now.planes(now.player))
            before[i].apply(int(actions[i]))
            followers = positions_after(before[i])
            paid[i] += rewards[i]
            if env.done[i]:
                ends = [f for f in followers or [] if f.is_terminal != env.truncated[i]]
                views = [(f, movers[i] if f.is_terminal else f.player) for f in ends]
                final = next(last)
                assert followers is None or any(
                    np.allclose(f.scores, paid[i], atol=1e-9) and np.array_equal(final, f.planes(p))
                    for f, p in views
                )
                paid[i] = now.scores
            else:
                assert np.allclose(paid[i], now.scores, atol=1e-9)
                assert followers is None or now in followers


def test_a_row_plays_the_same_games_among_any_number_and_on_any_threads() -> None:
    for name in ("connectfour", "ewn", "poker"):
        envs = [bl.BatchEnv(bl.game(name), n, seed=5, threads=t) for n, t in ((3, 1), (40, 1), (40, 3))]
        for _ in range(100):
            for env in envs:
                env.step(env.random_actions())
            for a, b, c in zip(*map(copies, envs), strict=True):
                assert np.array_equal(a, b[:3]) and np.array_equal(b, c)


def test_reset_with_the_seed_repeats_the_games_and_without_it_goes_on() -> None:
    env = bl.BatchEnv(bl.game("2048"), 20, seed=9)
    first = copies(env)
    env.step(env.random_actions())
    again = env.reset(9)
    assert again is env.observe() and all(map(np.array_equal, first, copies(env)))
    env.reset()
    assert not np.array_equal(first[0], env.observe())
    assert not env.rewards.any() and not env.done.any()


def test_arrays_are_the_engines_memory() -> None:
    env = bl.BatchEnv(bl.game("othello"), 4)
    seen, mask = env.observe(), env.mask
    before = seen.copy()
    result = env.step(env.random_actions())
    assert result[0] is seen and result[1] is env.rewards and result[2] is env.done
    assert env.mask is mask and not np.array_equal(before, seen)
    env.mask[:] = True  # writing into the view does not make an action legal
    with pytest.raises(bl.BoardLabError, match="row 0: action 0 is not legal"):
        env.step(np.zeros(4, int))


@pytest.mark.parametrize("action", [7, -1, 2**40, 3])
def test_an_illegal_action_is_refused_with_its_row_and_nothing_changes(action: int) -> None:
    env = bl.BatchEnv(bl.game("connectfour"), 5, seed=1)
    for _ in range(6):  # column 3 is full in row 2
        actions = env.random_actions().copy()
        actions[2] = 3
        env.step(actions)
    before, states = copies(env), [env.state(i) for i in range(5)]
    actions = env.random_actions().copy()
    actions[2] = action
    with pytest.raises(
        bl.BoardLabError, match=rf"^row 2: action {action} is not legal; legal are 0, 1, 2, 4, 5, 6$"
    ):
        env.step(actions)
    assert all(map(np.array_equal, before, copies(env))) and states == [env.state(i) for i in range(5)]
    env.random_actions()


def test_games_without_a_flag_wait() -> None:
    env = bl.BatchEnv(bl.game("ewn"), 6, seed=1)
    env.step(env.random_actions())
    before, states = copies(env), [env.state(i) for i in range(6)]
    where = np.array([True, False, False, True, False, False])
    actions = np.where(where, env.random_actions(), -7)  # of games that wait nothing is asked
    env.step(actions, where=where)
    for array, earlier in zip((env.observe(), env.mask, env.players), (*before[:2], before[5]), strict=True):
        assert np.array_equal(array[~where], earlier[~where])
    assert [env.state(i) == states[i] for i in range(6)] == (~where).tolist()
    assert not env.rewards[~where].any() and not env.done[~where].any()


def test_passes_are_actions() -> None:
    env = bl.BatchEnv(bl.game("othello", size=4), 50, seed=1)
    passes = 0
    for _ in range(60):
        must_pass = env.mask[:, 16].copy()
        assert (env.mask[must_pass].sum(1) == 1).all()
        passes += must_pass.sum()
        env.step(env.random_actions())
    assert passes > 10


def test_a_game_is_cut_after_max_actions() -> None:
    env = bl.BatchEnv(bl.game("rubiks"), 3, seed=2, max_actions=4)
    for step in range(1, 9):
        env.step(env.random_actions())
        assert (env.truncated == (step % 4 == 0)).all() and (env.done == env.truncated).all()
    assert env.observe_finished().shape == env.observe().shape
    assert bl.BatchEnv(bl.game("rubiks"), 3).observe_finished().shape == (0, *env.observe().shape[1:])


def test_other_inputs_outcomes_and_starts() -> None:
    game = bl.game("othello")
    env = bl.BatchEnv(game, 3, inputs="cells", outcome="discs")
    totals = np.zeros((3, 2))
    while not env.done[0]:
        assert np.array_equal(env.observe()[1], env.state(1).board_vector(env.players[1]))
        env.step(env.random_actions())
        totals += env.rewards
    assert abs(totals[0, 0]) > 1 and totals[0].sum() == 0
    cube = bl.BatchEnv(bl.game("rubiks"), 200, training_starts=True, seed=1)
    ends = 0
    for _ in range(5):
        ends += cube.step(cube.random_actions())[2].sum()
    assert ends > 0  # some starts are one twist away from the goal


def test_observe_shows_a_players_own_view_of_hidden_cards() -> None:
    env = bl.BatchEnv(bl.game("poker"), 30, seed=4)
    env.step(env.random_actions())
    for player in range(env.game.players):
        seen = env.observe(player)
        for i in range(30):
            assert np.array_equal(seen[i], env.state(i).planes(player))
            assert np.array_equal(seen[i], env.state(i).determinize(player, seed=i).planes(player))


class Fragile(bl.PythonGame):
    """Counts to ten; the rules fail at a chosen moment."""

    name = "fragile"
    action_count = 2
    players = 1
    score_range = (0, 1)
    fails = ""

    def initial_state(self, rng):
        return (0,)

    def player(self, position):
        return bl.TERMINAL if position[0] >= 10 else 0

    def legal(self, position):
        return [0, 1]

    def apply(self, position, action):
        return self._checked("apply", (position[0] + action,))

    def scores(self, position):
        return [1.0 * (position[0] >= 10)]

    def planes(self, position, player):
        return self._checked("planes", np.full((1, 1, 2), position[0], np.float32))

    def _checked(self, function, answer):
        if Fragile.fails == function and (np.asarray(answer).max() == 3):
            raise RuntimeError("the rules failed")
        return answer


@pytest.mark.parametrize(("function", "threads"), list(itertools.product(("apply", "planes"), (1, 2))))
def test_rules_in_python_that_fail_change_no_row(function: str, threads: int) -> None:
    bl.register_game(Fragile)
    Fragile.fails = ""
    env = bl.BatchEnv(bl.game("fragile"), 4, threads=threads)
    for actions in ([1, 1, 1, 1], [0, 0, 1, 1]):
        env.step(actions)
    before = copies(env)
    Fragile.fails = function
    with pytest.raises(RuntimeError, match="the rules failed"):
        env.step([1, 1, 1, 1])
    Fragile.fails = ""
    assert all(map(np.array_equal, before, copies(env)))
    env.step([1, 1, 1, 1])
    assert env.observe()[:, 0, 0, 0].tolist() == [2, 2, 3, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: bl.BatchEnv("othello", 4), "a game is made with"),
        (lambda g: bl.BatchEnv(g, 0), "games must be a whole number from 1 to 1048576"),
        (lambda g: bl.BatchEnv(g, 4, seed=-1), "seed"),
        (lambda g: bl.BatchEnv(g, 4, inputs="pixels"), "inputs"),
        (lambda g: bl.BatchEnv(bl.game("gobang"), 4, inputs="features"), "gobang has no features"),
        (lambda g: bl.BatchEnv(g, 4, outcome="discs"), "discs"),
        (lambda g: bl.BatchEnv(g, 4, max_actions=0), "max_actions"),
        (lambda g: bl.BatchEnv(g, 4).step([1, 2, 3]), r"shape \(4,\), not \(3,\)"),
        (lambda g: bl.BatchEnv(g, 4).step([1.0, 2.0, 3.0, 4.0]), "whole numbers, not float64"),
        (lambda g: bl.BatchEnv(g, 4).step([[1], [2, 3]]), "actions must be an array"),
        (lambda g: bl.BatchEnv(g, 4).step([1] * 4, where=[1] * 4), "where must be flags, not int64"),
        (lambda g: bl.BatchEnv(g, 4).step([1] * 4, where=[True]), r"where .* shape \(4,\), not \(1,\)"),
        (lambda g: bl.BatchEnv(g, 4).observe(2), "a player"),
        (lambda g: bl.BatchEnv(g, 4).observe_finished(2), "a player"),
        (lambda g: bl.BatchEnv(g, 4).state(4), "a row"),
        (lambda g: copy.copy(bl.BatchEnv(g, 4)), "cannot be copied"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(call, message: str) -> None:
    with pytest.raises(bl.BoardLabError, match=message):
        call(bl.game("connectfour"))


def test_a_game_without_board_and_planes_says_so() -> None:
    class Bare(Fragile):
        name = "bare"
        planes = bl.PythonGame.planes

    bl.register_game(Bare)
    with pytest.raises(bl.BoardLabError, match="bare has neither planes nor a board vector"):
        bl.BatchEnv(bl.game("bare"), 2)


def test_the_page_works_as_written(capsys) -> None:
    page = (Path(__file__).parents[2] / "docs/batch_env.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "batch_env.md", "exec"), {})
    first, second = map(float, capsys.readouterr().out.strip(" []\n").split())
    assert first == -second > 0  # who begins wins more random games
