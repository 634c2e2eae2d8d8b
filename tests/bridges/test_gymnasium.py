"""Games as Gymnasium environments, one by one and as vectors."""

import warnings

import numpy as np
import pytest

import boardlab as bl

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env

import boardlab.bridges.gymnasium as bridge

GAMES = bl.games()


def against(name: str) -> dict[str, str]:
    return {} if bl.game(name).players == 1 else {"against": "random", "seat": "random"}


def legal(info: dict, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_passes_check_env(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about bounds of the planes, which are not known
        check_env(bridge.env(name, **against(name)), skip_render_check=True)


def test_rendering_passes_check_env() -> None:
    pytest.importorskip("resvg_py")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make("boardlab/tictactoe-v0", against="random", render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", GAMES)
def test_rewards_add_up_to_the_score_of_the_seat(name: str) -> None:
    env = bridge.env(name, **against(name))
    rng = np.random.default_rng(2)
    for game in range(3):
        _, info = env.reset(seed=game)
        paid, steps, ended = 0.0, 0, False
        while not ended and steps < 500:
            _, reward, over, cut, info = env.step(legal(info, rng))
            paid, steps, ended = paid + reward, steps + 1, over or cut
        state = env.episode.state
        assert paid == pytest.approx(state.scores[env.seat] + steps * env.game.core.step_reward)
        if ended:
            with pytest.raises(bl.BoardLabError, match="the game is over: call reset first"):
                env.step(0)


def test_an_illegal_action_costs_and_changes_nothing() -> None:
    env = bridge.env("connectfour", against="random", illegal_reward=-0.25)
    env.reset(seed=1)
    while env.episode.mask(0)[3]:
        seen, *_ = env.step(3)
    before = env.episode.state.copy()
    for illegal in (3, 7, -1):
        again, reward, over, cut, info = env.step(illegal)
        assert np.array_equal(seen, again) and (reward, over, cut) == (-0.25, False, False)
        assert info["illegal"] and info["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1]
    assert env.episode.state == before
    for _ in range(38):
        _, _, _, cut, _ = env.step(3)
        assert not cut
    assert env.step(3)[3]  # as many as the game's horizon: a learner that finds no legal action ends


def test_the_learner_sits_where_it_is_told() -> None:
    env = bridge.env("connectfour", against="random", seat=1)
    seen, info = env.reset(seed=1)
    assert info["seat"] == 1 and seen.sum() == 1 and seen[1].sum() == 1  # the opponent has begun
    random = bridge.env("connectfour", against="random", seat="random")
    assert {random.reset(seed=s)[1]["seat"] for s in range(20)} == {0, 1}
    poker = bridge.env("poker", against="random", seat=2, players=3)
    assert poker.reset(seed=1)[1]["seat"] == 2


def test_agents_of_the_house_are_opponents() -> None:
    env = bridge.env("tictactoe", against="alphabeta(depth=9)")
    rng = np.random.default_rng(1)
    results = []
    for game in range(20):
        _, info = env.reset(seed=game)
        over = False
        while not over:
            _, reward, over, _, info = env.step(legal(info, rng))
        results.append(reward)
    assert max(results) == 0 and min(results) == -1  # nobody beats a perfect player


def test_wrong_arguments_are_refused_in_a_sentence() -> None:
    with pytest.raises(
        bl.BoardLabError, match='othello is for 2 players: name an opponent, as in against="random"'
    ):
        bridge.env("othello")
    with pytest.raises(bl.BoardLabError, match="2048 is for one player: leave out against"):
        bridge.env("2048", against="random")
    with pytest.raises(bl.BoardLabError, match="seat must be a whole number from 0 to 1"):
        bridge.env("othello", against="random", seat=2)
    with pytest.raises(bl.BoardLabError, match='seat must be a player or "random"'):
        bridge.env("othello", against="random", seat="first")
    with pytest.raises(bl.BoardLabError, match="illegal_reward must be a number"):
        bridge.env("2048", illegal_reward="much")
    with pytest.raises(bl.BoardLabError, match='did you mean "random"'):
        bridge.env("othello", against="randum")
    env = bridge.env("2048")
    env.reset()
    with pytest.raises(bl.BoardLabError, match="an action must be a whole number"):
        env.step(1.5)


def test_a_step_before_reset_is_refused() -> None:
    for env, action in ((bridge.env("2048"), 0), (bridge.vector_env("2048", 2), [0, 0])):
        with pytest.raises(bl.BoardLabError, match="no game has begun: call reset first"):
            env.step(action)


# ---- vectors ----


def test_the_registry_makes_environments_and_vectors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gymnasium.make("boardlab/hex-v0", size=7, against="random").action_space.n == 49
        vector = gymnasium.make_vec("boardlab/2048-v0", num_envs=5, vectorization_mode="vector_entry_point")
    assert vector.num_envs == 5 and vector.action_space.shape == (5,)


@pytest.mark.parametrize("name", GAMES)
def test_every_row_of_a_vector_pays_the_seat_that_acted(name: str) -> None:
    env = bridge.vector_env(name, 8)
    seen, info = env.reset(seed=1)
    assert env.observation_space.contains(seen) and len(seen) == 8
    batch = bl.BatchEnv(bl.game(name), 8)
    batch.reset(int(np.random.default_rng(1).integers(2**63)))
    for _ in range(60):
        assert np.array_equal(seen, batch.observe()) and np.array_equal(info["action_mask"], batch.mask)
        actors, actions = batch.players.copy(), batch.random_actions()
        batch.step(actions)
        seen, rewards, over, cut, info = env.step(actions)
        assert np.array_equal(rewards, batch.rewards[range(8), actors])
        assert np.array_equal(over | cut, batch.done) and np.array_equal(cut, batch.truncated)
        assert ("final_obs" in info) == batch.done.any()


@pytest.mark.parametrize(
    ("name", "parameters"), [("connectfour", {}), ("poker", {"players": 3}), ("nim", {})]
)
def test_vectors_against_an_agent_play_whole_games(name: str, parameters: dict) -> None:
    env = bridge.vector_env(name, 16, against="random", seat="random", **parameters)
    rng = np.random.default_rng(1)
    game = bl.game(name, **parameters)
    _, info = env.reset(seed=1)
    finished = []
    for _ in range(120):
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in info["action_mask"]]
        seats = info["seat"].copy()
        seen, rewards, over, cut, info = env.step(actions)
        for row in np.flatnonzero(over):
            assert info["_final_obs"][row]
            finished.append((rewards[row], info["final_obs"][row], seats[row]))
        assert (env.batch.players == info["seat"]).all() and not cut.any()
        assert np.array_equal(seen, env.batch.observe())
    assert len(finished) > 20 and {seat for *_, seat in finished} == set(range(game.players))
    if name == "connectfour":  # the last position shows the winner's four, from the learner's side
        for reward, last, _ in finished:
            own, other = last.sum(axis=(1, 2))
            assert reward != 0 or own + other == 42
            assert abs(own - other) <= 1 and (own - other) * reward >= 0  # the winner has moved last
        assert {reward for reward, *_ in finished} >= {-1.0, 1.0}


def test_illegal_actions_of_a_vector_cost_and_leave_their_games_alone() -> None:
    env = bridge.vector_env("connectfour", 4, illegal_reward=-2)
    env.reset(seed=1)
    for column in (3, 3, 3, 3, 3, 3):
        env.step([column, 0, 1, column])
    before = [env.batch.state(i) for i in range(4)]
    _, rewards, _, _, info = env.step([3, 6, -4, 99])
    assert rewards.tolist() == [-2, 0, -2, -2] and info["illegal"].tolist() == [True, False, True, True]
    assert [env.batch.state(i) == before[i] for i in range(4)] == [True, False, True, True]
    with pytest.raises(bl.BoardLabError, match="actions must be 4 whole numbers"):
        env.step([1, 2, 3])


def test_the_same_seed_gives_the_same_vector_games() -> None:
    envs = [bridge.vector_env("ewn", 6, against="mcts(iterations=5)", seat="random") for _ in range(2)]
    rng = np.random.default_rng(1)
    infos = [env.reset(seed=7)[1] for env in envs]
    for _ in range(30):
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in infos[0]["action_mask"]]
        a, b = (env.step(actions) for env in envs)
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4], strict=True))
        infos = [a[4], b[4]]
