"""Search inside self-play: actions by MCTS over the learning network, search values as targets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.ntuple import build_network
from boardlab.games.game import Game, State
from boardlab.learners import LEARNERS
from boardlab.learners.ntuple.settings import TdNTuple
from boardlab.search.full_width import Expectimax, MaxN
from boardlab.search.mcts import Mcts
from tests.oracles.sarsa import ReferenceSarsa
from tests.oracles.td import ReferenceTd
from tests.oracles.tree import SplitMix

WALK: dict[str, Any] = {"layout": "walk", "tuples": 6, "length": 4, "alpha": 2.0, "epsilon": 0.2}


def make(game: Game, seed: int = 3, episodes: int = 60, **settings: Any) -> tuple[TdNTuple, Any, Any]:
    td = TdNTuple.checked({**WALK, **settings})
    trainee = td.build(game, td.describe(game, seed), episodes, seed)
    return td, trainee, trainee.core


class Searching(ReferenceTd):
    """The slow learner, with minimax below the after-state as the target."""

    def to_come(self, after: State, keys: Any, player: int) -> float:
        left = after.core.moves_left
        if self.td.solve_below and left <= self.td.solve_below:
            depth = 1000  # to the end, however many passes are on the way
        elif self.td.target == "alphabeta":
            depth = self.td.target_depth
        else:
            return super().to_come(after, keys, player)
        return self.minimax(after, depth, player, player) - self.paid(after, player)

    def minimax(self, state: State, depth: int, creator: int, player: int) -> float:
        if state.is_terminal:
            return self.paid(state, player)
        if depth == 0:
            value = self.paid(state, creator) + self.value(self.keys(state, creator))
            return value if creator == player else -value
        values = []
        for action in state.legal_actions():
            child = self._after(state, action)
            values.append(self.minimax(child, depth - 1, state.player, player))
        return max(values) if state.player == player else min(values)


class Coins(bl.PythonGame):
    """Coins in a row, taken in turn from either end: what each player has taken counts at once."""

    name = "coins"
    action_count = 2
    is_zero_sum = True
    score_range = (-16.0, 16.0)
    cell_values = (7, 7, 2)
    row = (3, 1, 4, 1, 5, 2)

    def initial_state(self, rng: Any) -> tuple[int, ...]:
        return (0, 6, 0, 0)  # the rest of the row, who moves, by how much player 0 leads

    def player(self, position: tuple[int, ...]) -> int:
        return position[2] if position[0] < position[1] else bl.TERMINAL

    def legal(self, position: tuple[int, ...]) -> list[int]:
        return [0, 1]

    def apply(self, position: tuple[int, ...], action: int) -> tuple[int, ...]:
        begin, end, mover, lead = position
        coin = self.row[end - 1 if action else begin]
        return begin + 1 - action, end - action, 1 - mover, lead + (-coin if mover else coin)

    def scores(self, position: tuple[int, ...]) -> list[int]:
        return [position[3], -position[3]]

    def board_vector(self, position: tuple[int, ...], player: int) -> tuple[int, ...]:
        return position[:3]


@pytest.mark.parametrize(
    "settings",
    [{"target": "alphabeta", "target_depth": 1}, {"target": "alphabeta", "target_depth": 2},
     {"solve_below": 4}, {"target": "alphabeta", "target_depth": 2, "solve_below": 3, "coherence": "exp"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "coins", "othello"])
def test_targets_are_minimax_values(name: str, settings: dict[str, Any]) -> None:
    if name == "coins":
        bl.register_game(Coins)
        game = bl.game("coins")
        settings = {
            **settings,
            "layout": "points",
            "tuples": 2,
            "length": 2,
            "alpha": 0.5,
            "sigma": "identity",
        }
    else:
        small = {"connectfour": {"rows": 3, "cols": 4, "connect": 3}, "othello": {"size": 4}}
        game = bl.game(name, **small.get(name, {}))
    td, trainee, learner = make(game, episodes=25, **settings)
    slow = Searching(game, td, td.tuple_lists(game, 3), td.symmetry_list(game, 3), 25)
    for _ in range(25):
        start, steps = learner.recorded_episode()
        slow.replay(State(game, start), steps)
    network = learner.network
    start_state = game.initial_state()
    for action in start_state.legal_actions():
        after = start_state.copy()
        after.apply(action)
        entries = network.indices(after.core_for(game), 0)
        found = float(network.weights[entries].sum())
        assert found == pytest.approx(sum(slow.weights[key] for key in slow.keys(after, 0)), abs=2e-4)
    changed = int(np.count_nonzero(trainee.weights["weights"]))
    assert changed == sum(value != 0 for value in slow.weights.values())


class Fixed(EvaluatorSpec):
    """An evaluator that is already there."""

    name = "fixed"

    def __init__(self, core: _engine.Evaluator) -> None:
        object.__setattr__(self, "core", core)

    def build(self, game: Game) -> _engine.Evaluator:
        return self.core  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("choice", ["visits", "proportional"])
def test_actions_are_those_of_mcts_over_the_network(choice: str) -> None:
    """The first action of every episode, from the learner's own random state; without exploration."""
    game = bl.game("connectfour", rows=4, cols=4)
    _, trainee, learner = make(
        game, epsilon=0.0, search="mcts", search_iterations=40, search_choice=choice, learn_from_random=True
    )
    state = game.initial_state()
    differing = 0
    for _ in range(40):
        rng = SplitMix(learner.random_state)
        search = Mcts(Fixed(trainee.evaluator()), iterations=40, cpuct=1.0, reuse=False).build(
            game, rng.next()
        )
        action, actions, policy, *_ = search.act(state.core_for(game))
        if choice == "proportional":
            left, most = (rng.next() >> 11) * 2.0**-53, action
            for candidate, share in zip(actions, policy, strict=True):
                if share > 0:
                    action = candidate
                    left -= share
                    if left < 0:
                        break
            differing += action != most
        _, steps = learner.recorded_episode()
        assert steps[0] == (action, False, False)
    assert (differing > 3) == (choice == "proportional")


KINDS = ("td-ntuple", "sarsa-ntuple", "q-ntuple", "td-features")


@pytest.mark.parametrize("search", ["mcts", "maxn", "expectimax"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_learner_plays_what_the_search_says(kind: str, search: str) -> None:
    """The first action of every episode, from the learner's own random state; without exploration."""
    game = bl.game("tictactoe")
    asked: dict[str, Any] = {"search": search, "epsilon": 0.0, "alpha": 0.5}
    asked |= {"search_iterations": 30} if search == "mcts" else {"search_depth": 3}
    td = LEARNERS[kind].checked(asked)
    trainee = td.build(game, td.describe(game, 3), 60, 3)
    seen, weights = set(), trainee.weights["weights"]
    for episode in range(15):
        weights[:] = np.random.default_rng(episode).normal(0, 0.2, weights.size)
        evaluator = Fixed(trainee.evaluator())
        spec = {
            "mcts": Mcts(evaluator, iterations=30, cpuct=1.0, reuse=False),
            "maxn": MaxN(evaluator, depth=3),
            "expectimax": Expectimax(evaluator, depth=3),
        }[search]
        wanted = spec.build(game, SplitMix(trainee.random_state).next())
        action = wanted.act(game.initial_state().core_for(game))[0]
        _, steps = trainee.core.recorded_episode()
        assert steps[0] == (action, False, False)
        seen.add(action)
    assert len(seen) > 1, "the same action each time, so nothing was compared"


@pytest.mark.parametrize("traces", ["et", "rr"])
@pytest.mark.parametrize("search", ["mcts", "maxn"])
@pytest.mark.parametrize("kind", ["sarsa-ntuple", "q-ntuple"])
def test_pairs_learn_from_the_actions_of_a_search_as_the_slow_version_does(
    kind: str, search: str, traces: str
) -> None:
    game = bl.game("nim", players=3, heaps=(3, 4, 2))
    asked = {**WALK, "tuples": 2, "length": 2, "lambda_": 0.8, "traces": traces, "search": search}
    td = LEARNERS[kind].checked({**asked, "search_iterations": 8})
    description = td.describe(game, 3)
    network = build_network(game, description, coherent=False, memory_gb=1, per_action=True)
    learner = td.engine_learner(network, 40, 3)  # type: ignore[attr-defined]
    slow = ReferenceSarsa(game, td, description["tuples"], description["symmetries"], 40)
    slow.searched = True
    where: dict[Any, int] = {}
    plain = slow.pair_keys

    def remembered(state: State, action: int) -> Any:
        keys = plain(state, action)
        where.update(zip(keys, network.pair_indices(state.core, action), strict=True))
        return keys

    slow.pair_keys = remembered
    for _ in range(40):
        start, steps = learner.recorded_episode()
        slow.replay(State(game, start), steps)
    found = network.weights[[where[key] for key in slow.weights]]
    np.testing.assert_allclose(found, list(slow.weights.values()), rtol=2e-4, atol=1e-4)


def test_the_papers_search_keeps_its_tree_over_an_episode() -> None:
    """Algorithm 1 with tree reuse, asked along the episodes; alpha is so small that nothing is learned."""
    game = bl.game("connectfour", rows=4, cols=5, connect=3)
    _, trainee, learner = make(
        game, alpha=1e-9, epsilon=0.0, search="mcts", search_iterations=30, search_paper=True
    )
    weights = trainee.weights["weights"]
    asked: dict[str, dict[str, bool]] = {
        "paper": {"paper": True},
        "without reuse": {"paper": True, "reuse": False},
        "with the solver": {},
    }
    same = dict.fromkeys(asked, True)
    for episode in range(10):
        weights[:] = before = np.random.default_rng(episode).normal(0, 0.2, weights.size).astype("float32")
        seed = SplitMix(learner.random_state).next()
        evaluator = Fixed(trainee.evaluator())
        searches = {
            name: Mcts(evaluator, iterations=30, **more).build(game, seed) for name, more in asked.items()
        }
        start, steps = learner.recorded_episode()
        state = State(game, start)
        for action, _, is_random in steps:
            assert not is_random
            for name, search in searches.items():
                same[name] &= search.act(state.core_for(game))[0] == action
            state.apply(action)
        assert np.allclose(before, weights, rtol=0, atol=1e-8)
    assert same == {"paper": True, "without reuse": False, "with the solver": False}


@pytest.mark.parametrize("paper", [False, True])
def test_a_resumed_run_with_search_ends_like_an_unbroken_one(tmp_path: Path, paper: bool) -> None:
    game = bl.game("tictactoe")
    settings: dict[str, Any] = {
        "search": "mcts",
        "search_iterations": 10,
        "target": "alphabeta",
        "solve_below": 3,
        "search_paper": paper,
    }
    for name, stop in (("whole", lambda p: False), ("broken", lambda p: p.episodes > 0)):
        bl.train(game, episodes=60, out=tmp_path / name, seed=2, progress=stop, **settings)
    assert bl.open_run(tmp_path / "broken").episodes < 60
    bl.resume(tmp_path / "broken")
    weights = [np.load(tmp_path / name / "weights.npz")["weights"] for name in ("whole", "broken")]
    assert np.array_equal(*weights) and weights[0].any()


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [("2048", {"target": "alphabeta"}, "alphabeta plays two-player"),
     ("rubiks", {"solve_below": 3}, "exact solving is for two-player zero-sum"),
     ("tictactoe", {"search": "mcts", "threads": 2}, "single thread"),
     ("tictactoe", {"target": "alphabeta", "replay": 10}, "replay buffer"),
     ("tictactoe", {"search": "uct"}, "search must be"),
     ("2048", {"search": "maxn"}, "for 2048 use search expectimax"),
     ("kuhnpoker", {"search": "expectimax"}, "would see the hidden cards"),
     ("tictactoe", {"search": "maxn", "search_iterations": 9}, "search_iterations does nothing with search"),
     ("tictactoe", {"search": "mcts", "search_depth": 3}, "search_depth does nothing with search"),
     ("tictactoe", {"search_depth": 3}, "search_depth does nothing with search"),
     ("tictactoe", {"search": "maxn", "search_depth": 0}, "search_depth must be")],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, name: str, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(bl.BoardLabError, match=sentence):
        parameters = {"2048": {"size": 2}}.get(name, {})
        game = bl.game(name, **parameters)
        bl.train(game, "td-ntuple", episodes=5, out=tmp_path / "run", **settings)


def test_value_iteration_takes_no_search() -> None:
    game = bl.game("rubiks", twists=2)
    td = LEARNERS["davi"].checked({"tuples": 2, "length": 2})
    trainee = td.build(game, td.describe(game, 1), 5, 1)
    with pytest.raises(ValueError, match="does not search inside self-play"):
        trainee.core.search_with(iterations=0, depth=2, cpuct=1, proportional=False, paper=False)
    with pytest.raises(bl.BoardLabError, match="search"):
        LEARNERS["davi"].checked({"search": "maxn"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["2048", "nim", "ewn"])
def test_searches_inside_self_play_work_for_chance_and_any_number_of_players(
    name: str, kind: str, tmp_path: Path
) -> None:
    parameters = {"nim": {"players": 3}, "2048": {"size": 2}}.get(name, {})
    game = bl.game(name, **parameters)
    more = {} if kind == "td-features" else {"tuples": 2, "length": 2, "layout": "walk"}
    searches = [{"search": "mcts", "search_iterations": 5}, {"search": "expectimax", "search_depth": 1}]
    for number, search in enumerate(searches):
        run = bl.train(game, kind, episodes=3, out=tmp_path / f"{number}", sigma="identity", **search, **more)
        assert run.episodes == 3
    assert bl.resume(tmp_path / "1", episodes=4).episodes == 4
