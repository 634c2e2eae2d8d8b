"""Every game as a PettingZoo environment."""

import warnings
from collections import Counter

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import MissingPackageError

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

import boardlab.bridges.pettingzoo as bridge
from boardlab.bridges.episode import Episode

GAMES = bl.games()
HIDDEN = [name for name in GAMES if bl.game(name).is_hidden]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_passes_api_test_and_seed_test(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # about dictionaries of an observation and a mask, PettingZoo's own form
        api_test(bridge.env(name), num_cycles=60)
    seed_test(lambda: bridge.env(name), num_cycles=60)


@pytest.mark.parametrize("name", GAMES)
def test_rewards_of_all_agents_add_up_to_the_scores(name: str) -> None:
    env = bridge.env(name)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    paid = Counter()
    steps = Counter()
    for agent in env.agent_iter(2000):
        seen, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        assert {a for a in env.possible_agents if env.observe(a)["action_mask"].any()} == {agent}
        env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        steps[agent] += 1
    episode = env.unwrapped.episode
    if not env.agents:
        expected = episode.state.scores + [
            episode.game.core.step_reward * steps[a] for a in env.possible_agents
        ]
        assert np.allclose([paid[a] for a in env.possible_agents], expected)
    else:  # 2048 takes longer
        assert sum(steps.values()) == 2000


def test_parameters_of_the_game_and_games_themselves() -> None:
    env = bridge.env("hex", size=7)
    assert env.action_space("player_0").n == 49 and env.metadata["name"] == "boardlab_hex_v0"
    assert len(bridge.raw_env(bl.game("poker", players=4)).possible_agents) == 4
    assert bridge.raw_env(bl.game("hex", size=5)).state_space.shape == (6, 5, 5)
    with pytest.raises(bl.BoardLabError, match="already has its parameters; leave out size"):
        bridge.env(bl.game("hex"), size=7)
    with pytest.raises(bl.BoardLabError, match='did you mean "hex"'):
        bridge.env("hexx")


def test_an_illegal_action_ends_the_game_as_in_the_classic_environments() -> None:
    env = bridge.env("connectfour")
    env.reset(seed=0)
    for _ in range(6):
        env.step(3)
    env.step(3)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1.0, "player_1": 0.0}
    raw = bridge.raw_env("connectfour")
    with pytest.raises(bl.BoardLabError, match="no game is being played: call reset first"):
        raw.step(3)
    raw.reset()
    for _ in range(6):
        raw.step(3)
    with pytest.raises(bl.BoardLabError, match="action 3 is not legal here; legal are 0, 1, 2, 4, 5, 6"):
        raw.step(3)
    with pytest.raises(bl.BoardLabError, match="an action must be a whole number, not None"):
        raw.step(None)
    assert raw.agent_selection == "player_0" and not any(raw.terminations.values())


def test_endless_games_are_truncated_at_their_horizon() -> None:
    env = bridge.env("rubiks")
    env.reset(seed=0)
    for _ in range(50):
        env.step(0)
    assert env.truncations["player_0"] and not env.terminations["player_0"]
    assert not env.observe("player_0")["action_mask"].any()


def test_render_shows_text_and_pixels() -> None:
    env = bridge.env("tictactoe", render_mode="ansi")
    env.reset()
    env.step(4)
    assert env.render() == env.unwrapped.game.rules.board_text(env.unwrapped.episode.state)
    assert "X" in env.render() and bridge.raw_env("tictactoe").render() is None
    pytest.importorskip("resvg_py")
    picture = bridge.env("tictactoe", render_mode="rgb_array")
    picture.reset()
    empty = picture.render()
    picture.step(4)
    assert empty.dtype == np.uint8 and empty.ndim == 3 and empty.shape[2] == 3
    assert (empty != picture.render()).any()
    with pytest.raises(bl.BoardLabError, match='unknown render_mode "human"'):
        bridge.env("tictactoe", render_mode="human")


def test_pixels_without_the_package_name_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(MissingPackageError, match=r"rgb_array.*resvg_py.*boardlab\[pettingzoo\]"):
        bridge.env("tictactoe", render_mode="rgb_array")


# ---- hidden cards ----


@pytest.mark.parametrize("name", HIDDEN)
def test_an_observation_is_the_same_whatever_is_hidden(name: str) -> None:
    rng = np.random.default_rng(1)
    episode = Episode(bl.game(name))
    for game in range(5):
        episode.start(rng)
        while not (episode.is_over or episode.is_cut):
            state = episode.state
            for player in range(episode.game.players):
                seen = episode.observe(player)
                for k in range(4):
                    other = state.determinize(player, seed=100 * game + k)
                    assert np.array_equal(seen, other.planes(player))
                    if state.player == player:
                        assert state.legal_actions() == other.legal_actions()
            episode.step(int(rng.choice(state.legal_actions())))


def guessed(name: str, features: str) -> float:
    """How often an attacker names the other player's first card from player 0's first observation.

    It remembers the card that was most frequent with each observation, and is tried on new deals.
    """
    env = bridge.env(name)
    counts: dict[bytes, Counter] = {}
    right = 0
    for deal in range(1200):
        env.reset(seed=deal)
        state = env.unwrapped.episode.state
        seen = {"observation": env.observe("player_0")["observation"], "state": env.unwrapped.state()}
        key, card = seen[features].tobytes(), state.planes(1)[0].tobytes()
        if deal < 1000:
            counts.setdefault(key, Counter())[card] += 1
        elif key in counts:
            right += counts[key].most_common(1)[0][0] == card
    return right / 200


def test_an_attacker_cannot_tell_the_hidden_card() -> None:
    """Of Kuhn poker: it has one of the two other cards. From all cards the attacker tells it every time."""
    assert guessed("kuhnpoker", "state") == 1.0
    assert abs(guessed("kuhnpoker", "observation") - 0.5) < 0.11  # three standard errors


class Careless(bl.PythonGame):
    """Each player has a coin that the other cannot see; the planes show all that the position has."""

    name = "careless"
    action_count = 1
    outcome_count = 4
    score_range = (-1, 1)

    def initial_state(self, rng):
        return (0, 0, 0)  # actions, coins: 0 not yet, 1 and 2, 3 hidden

    def player(self, position):
        return bl.CHANCE if position[1] == 0 else bl.TERMINAL if position[0] == 2 else position[0]

    def legal(self, position):
        return [0]

    def chance(self, position):
        return [(coins, 0.25) for coins in range(4)]

    def apply(self, position, action):
        if position[1] == 0:
            return (0, 1 + action % 2, 1 + action // 2)
        return (position[0] + 1, *position[1:])

    def scores(self, position):
        return [0.0, 0.0]

    def conceal(self, position, player):
        coins = [coin if coin == 0 or i == player else 3 for i, coin in enumerate(position[1:])]
        return (position[0], *coins)

    def determinize(self, position, player, rng):
        coins = [rng.choice((1, 2)) if i != player and c else c for i, c in enumerate(position[1:])]
        return (position[0], *coins)

    def planes(self, position, player):
        return np.array(position, np.float32).reshape(1, 1, 3)


def test_planes_of_a_careless_game_do_not_leak() -> None:
    bl.register_game(Careless)
    env = bridge.env("careless")
    env.reset(seed=1)
    assert env.observe("player_0")["observation"].tolist()[0][0][2] == 3
    assert env.observe("player_1")["observation"].tolist()[0][0][1] == 3
    batch = bl.BatchEnv(bl.game("careless"), 8, seed=1)
    assert (batch.observe()[:, 0, 0, 2] == 3).all() and (batch.observe(1)[:, 0, 0, 1] == 3).all()
