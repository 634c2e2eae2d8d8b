"""Games as OpenSpiel's Python games, and agents as its bots.

register_games()    then `pyspiel.load_game("boardlab_hex(size=7)")` works for all games
spiel_game(game)    a game of BoardLab for OpenSpiel's algorithms
bot(agent, ...)     an agent of BoardLab as an OpenSpiel bot

Do not run OpenSpiel's bots in C++ (`pyspiel.MCTSBot`) on games in Python, which these are: that ends the
process. Its algorithms in Python are safe.
"""

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.bridges.needing import needing
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import CHANCE, TERMINAL, Game, State, as_game, as_seed
from boardlab.games.openspiel import PREFIX, openspiel_rules
from boardlab.games.registry import GAMES, games, rules_of
from boardlab.games.registry import game as make_game
from boardlab.games.rules import Rules
from boardlab.options import option_text, options_of, read_option
from boardlab.search.agent import Agent, AgentLike, as_agent
from boardlab.search.expression import agent as make_agent

with needing("the bridge to OpenSpiel", "openspiel"):
    import pyspiel

SHORT = "boardlab_"
PROBED_GAMES = 20
MOST_INTEGER = 2**31 - 1
"""The highest whole number that OpenSpiel takes as a parameter."""

_REGISTERED: dict[str, type[Rules]] = {}


def register_games() -> list[str]:
    """Register all games with OpenSpiel; return their names there: boardlab_hex."""
    return [_register(name) for name in games()]


def spiel_game(game: Game | str, *, seed: int = 0, **parameters: Any) -> Any:
    """Return a game as OpenSpiel's, by name with its parameters or as it is.

    `seed` decides a random set-up, such as the scramble of a cube.
    """
    if isinstance(game, Game) and parameters:
        raise BoardLabError(f"{game!r} already has its parameters; leave out {', '.join(parameters)}")
    rules = (make_game(game, **parameters) if isinstance(game, str) else as_game(game)).rules
    if rules.name.startswith(PREFIX):
        return pyspiel.load_game(rules.name.removeprefix(PREFIX))
    given = {option.name: _told(getattr(rules, option.name)) for option in options_of(type(rules))}
    return pyspiel.load_game(
        _register(rules.name), given | {"seed": as_integer("seed", seed, 0, MOST_INTEGER)}
    )


def _register(name: str) -> str:
    rules, short = rules_of(name), SHORT + name.replace("-", "_")
    if name not in GAMES:
        raise BoardLabError(f"{name} is in a library; register a game in Python or use a built-in one")
    if _REGISTERED.get(short) is not rules:
        kind = _game_type(make_game(name), short)
        # A class of its own, as OpenSpiel's own games have: what it keeps until the process ends must not be
        # freed then, when Python is gone, and a class never is.
        pyspiel.register_game(kind, type(short, (SpielGame,), {"name": name, "short": short}))
        _REGISTERED[short] = rules
    return short


def _told(value: Any) -> Any:
    """Return a parameter as OpenSpiel takes it: tuples and None as text.

    Brackets keep a tuple of one number from being read as a number.
    """
    if isinstance(value, tuple) and len(value) == 1:
        return f"[{value[0]}]"
    return value if isinstance(value, (bool, int, float, str)) else option_text(value).replace(",", "x")


def _game_type(game: Game, short: str) -> Any:
    kind = pyspiel.GameType
    counts = type(game.rules).player_counts()
    return kind(
        short_name=short,
        long_name=f"BoardLab: {game.name}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if game.is_hidden
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if game.is_zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.REWARDS if _pays_early(game) else kind.RewardModel.TERMINAL,
        max_num_players=max([*counts, game.players]),
        min_num_players=min([*counts, game.players]),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=game.core.plane_shape[0] > 0,
        parameter_specification={
            **{option.name: _told(option.default) for option in options_of(type(game.rules))},
            "seed": 0,
        },
    )


def _pays_early(game: Game) -> bool:
    """Return whether scores change before the end, as random games show."""
    if game.core.step_reward:
        return True
    rng = random.Random(1)
    for _ in range(PROBED_GAMES):
        state = game.initial_state(rng.randrange(2**32))
        while not state.is_terminal and state.actions_played < 100:
            if state.scores.any():
                return True
            state.apply(
                state.sample_chance(rng.randrange(2**32))
                if state.player == CHANCE
                else rng.choice(state.legal_actions())
            )
    return False


class SpielGame(pyspiel.Game):
    """A game of BoardLab as OpenSpiel sees it; a registered game is a subclass with its name."""

    name: str
    short: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        known = {option.name: option for option in options_of(rules_of(self.name))}
        self.seed = as_seed(given.get("seed", 0))
        self.game = game = make_game(
            self.name,
            **{
                key: read_option(self.name, known[key], value) if isinstance(value, str) else value
                for key, value in given.items()
                if key != "seed"
            },
        )
        low, high = game.score_range
        paid = game.core.step_reward * game.horizon * (1 + 1e-9)  # sums of it are rounded
        super().__init__(
            _game_type(game, self.short),
            pyspiel.GameInfo(
                num_distinct_actions=game.action_count,
                max_chance_outcomes=game.core.outcome_count,
                num_players=game.players,
                min_utility=low + min(paid, 0.0),
                max_utility=high + max(paid, 0.0),
                utility_sum=0.0 if game.is_zero_sum else None,
                max_game_length=game.horizon,
            ),
            given,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.name, str(self))

    def new_initial_state(self) -> "SpielState":
        """Return the position before the first action."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """Return what writes observations."""
        if params:
            raise BoardLabError(f"observations have no parameters, not {shown(params)}")
        return Observer(self.game, iig_obs_type)


def _loaded(name: str, text: str) -> Any:
    """Load a game from a pickle; in another process it may not be registered yet."""
    _register(name)
    return pyspiel.load_game(text)


def _deserialized(name: str, text: str) -> Any:
    """Read a state from a pickle."""
    _register(name)
    return pyspiel.deserialize_game_and_state(text)[1]


class SpielState(pyspiel.State):
    """A position of BoardLab as OpenSpiel sees it.

    A game that reaches its horizon is over, with the scores so far.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.state: State = game.game.initial_state(game.seed)
        self.actions_left = game.game.horizon
        self.paid = np.zeros(game.game.players)
        """Step rewards so far, which are not part of the scores."""
        self.before = self.paid + self.state.scores
        """Returns before the last action of a player: what nature pays after it counts for it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _deserialized, (self.state.game.name, pyspiel.serialize_game_and_state(self.get_game(), self))

    def current_player(self) -> int:
        """Return who acts."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.state.player == CHANCE else self.state.player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.state.player == TERMINAL or self.actions_left <= 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return nature's choices with their probabilities."""
        return self.state.chance_outcomes()

    def returns(self) -> list[float]:
        """Return the sum of rewards of each player."""
        found: list[float] = (self.state.scores + self.paid).tolist()
        return found

    def rewards(self) -> list[float]:
        """Return what the last action paid."""
        found: list[float] = (self.state.scores + self.paid - self.before).tolist()
        return found

    def _legal_actions(self, player: int) -> list[int]:
        return self.state.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.state.player >= 0:
            self.before = self.state.scores + self.paid
            self.paid = self.paid.copy()
            self.paid[self.state.player] += self.state.game.core.step_reward
            self.actions_left -= 1
        self.state.apply(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.state.action_text(int(action))

    def __str__(self) -> str:
        return self.state.game.rules.board_text(self.state)


class Observer:
    """Writes what a player sees: planes, text, and with perfect recall a key of all it knows."""

    def __init__(self, game: Game, kind: Any) -> None:
        self.game = game
        self.remembers = bool(kind is not None and kind.perfect_recall)
        shape = game.core.plane_shape
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if shape[0] and not self.remembers:
            self.tensor = np.zeros(math.prod(shape), np.float32)
            self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the planes of a player."""
        if self.tensor is not None:
            self.dict["observation"][:] = state.state.seen_by(player).planes(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the text of what a player sees, or the key of all that it knows."""
        if self.remembers:
            return f"{player}:{state.current_player()}:{state.state.observe(player).hex()}"
        return self.game.rules.board_text(state.state.seen_by(player))


class AgentBot(pyspiel.Bot):
    """An agent of BoardLab that plays in OpenSpiel."""

    def __init__(self, agent: Agent, spiel: Any, player: int) -> None:
        super().__init__()
        self.agent, self.spiel, self.player = agent, str(spiel), player

    def player_id(self) -> int:
        """Return the seat."""
        return self.player

    def restart_at(self, state: Any) -> None:
        """Forget the game played so far."""
        self.agent.reset()

    def restart(self) -> None:
        """Forget the game played so far."""
        self.agent.reset()

    def provides_policy(self) -> bool:
        """Return that `step_with_policy` works."""
        return True

    def step(self, state: Any) -> int:
        """Choose an action."""
        return self.agent.act(self._own(state)).action

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return the probabilities with which the agent would choose."""
        return self.step_with_policy(state)[0]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Choose an action; return the probabilities, too."""
        decision = self.agent.act(self._own(state))
        policy = decision.policy or {decision.action: 1.0}
        return list(policy.items()), decision.action

    def _own(self, state: Any) -> State:
        """Return BoardLab's state of OpenSpiel's."""
        if isinstance(state, SpielState):
            return state.state
        if (other := str(state.get_game())) != self.spiel:
            raise BoardLabError(f"this bot plays {self.spiel}, not {other}")
        own = self.agent.game.initial_state()
        for action in state.history():
            own.apply(int(action))
        return own


def bot(agent: AgentLike, game: Any, player: int, *, seed: int = 0) -> AgentBot:
    """Make an OpenSpiel bot of an agent, for an OpenSpiel game of either library.

    spiel = pyspiel.load_game("connect_four")
    bots = [bot("mcts(rollout, iterations=100)", spiel, 0), pyspiel.make_uniform_random_bot(1, 1)]
    pyspiel.evaluate_bots(spiel.new_initial_state(), bots, 1)
    """
    if isinstance(game, SpielGame):
        own = game.game
    elif isinstance(game, pyspiel.Game):
        own = make_game(openspiel_rules(PREFIX + str(game)).name)
    else:
        raise BoardLabError(
            f'a bot plays a game of OpenSpiel, as in pyspiel.load_game("go"), not {shown(game)}'
        )
    if isinstance(player, bool) or not isinstance(player, int) or not 0 <= player < own.players:
        raise BoardLabError(f"player must be from 0 to {own.players - 1}, not {shown(player)}")
    return AgentBot(make_agent(as_agent(agent), own, seed), game, player)
