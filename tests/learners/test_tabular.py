"""Tabular Q-learning and QM-learning."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.tabular import SlowQ

import boardlab as bl
from boardlab import _engine
from boardlab.games.game import State
from boardlab.learners.tabular import QM, QTableSettings


def learner_of(
    game: bl.Game, kind: type[QTableSettings] = QTableSettings, seed: int = 1, **settings: Any
) -> Any:
    chosen = kind.checked({"memory_mb": 1, **settings})
    return chosen.build(game, chosen.describe(game, seed), 1000, seed)


def test_a_match_worked_by_hand() -> None:
    """Nim with one heap of 2: take 2 and win, or take 1 and let the other take the last and win."""
    game = bl.game("nim", heaps=(2,), max_take=2)
    start = game.initial_state()
    one, two = start.legal_actions()
    left = start.copy()
    left.apply(one)
    trainee = learner_of(game, alpha=0.5, gamma=0.9, epsilon=1.0)
    table = trainee.core.table
    wins, losses = 0, 0
    for _ in range(12):
        _, steps = trainee.core.recorded_episode()
        if len(steps) == 1:
            wins += 1
        else:
            losses += 1
        # Each win moves its value half of the way to 1; the loser's action stays at 0, the worst goal.
        assert table.value(start.core_for(game), two) == (1 - 0.5**wins if wins else None)
        assert table.value(start.core_for(game), one) == (0 if losses else None)
        assert table.value(left.core_for(game), left.legal_actions()[0]) == (
            1 - 0.5**losses if losses else None
        )
    assert wins and losses
    assert table.count == 3


def test_the_first_match_is_learned_back_to_its_first_action() -> None:
    """alpha 1: the winner's last action is worth 1, the one before it gamma, and so on."""
    game = bl.game("tictactoe")
    trainee = learner_of(game, alpha=1.0, gamma=0.5, epsilon=1.0, seed=4)
    start, steps = trainee.core.recorded_episode()
    state, decisions = State(game, start), []
    for action, _, _ in steps:
        decisions.append((state.copy(), action))
        state.apply(action)
    for player in range(2):
        goal = (state.scores[player] + 1) / 2
        own = [d for d in decisions if d[0].player == player]
        for k, (before, action) in enumerate(reversed(own)):
            assert trainee.core.table.value(before.core_for(game), action) == goal * 0.5**k


@pytest.mark.parametrize("kind", [QTableSettings, QM])
@pytest.mark.parametrize("opponents", ["self", "random"])
@pytest.mark.parametrize(
    ("game", "limit"),
    [
        (bl.game("tictactoe"), None),
        (bl.game("tictactoe"), 6),
        (bl.game("tictactoe"), 7),
        (bl.game("rubiks", twists=2), 6),  # pays by the step
    ],
    ids=str,
)
def test_learning_agrees_with_the_plain_version(
    kind: type[QTableSettings], opponents: str, game: bl.Game, limit: int | None
) -> None:
    settings: dict[str, Any] = {"opponents": opponents, "episode_limit": limit}
    trainee = learner_of(game, kind, alpha=0.3, gamma=0.9, epsilon=0.2, **settings)
    low, high = game.score_range
    slow = SlowQ(low, high, 0.3, 0.9, game.core.step_reward / (high - low))
    asked = 0
    for number in range(150):
        start, steps = trainee.core.recorded_episode()
        players = list(range(game.players)) if opponents == "self" else [number % game.players]
        before = dict(slow.q)
        for state, action, is_random in slow.learn(State(game, start), steps, players):
            values = {a: before.get((state.to_text(), a)) for a in state.legal_actions()}
            if is_random:
                continue
            if any(value is not None for value in values.values()):
                assert (values[action] or 0.0) == max(value or 0.0 for value in values.values())
            else:
                asked += 1
    assert asked > 20
    assert trainee.core.table.count == len(slow.q)
    for (text, action), value in slow.q.items():
        found = trainee.core.table.value(game.from_text(text).core_for(game), action)
        assert found == pytest.approx(value, abs=1e-12)


def test_of_equal_actions_each_is_as_likely() -> None:
    """Gamma 0: no first action of Nim wins at once, so that all of them stay worth 0."""
    game = bl.game("nim", heaps=(7,), max_take=3)
    trainee = learner_of(game, alpha=0.5, gamma=0.0, epsilon=0.0)
    counts = dict.fromkeys(game.initial_state().legal_actions(), 0)
    for _ in range(300):
        _, steps = trainee.core.recorded_episode()
        counts[steps[0][0]] += 1
    assert min(counts.values()) > 70


def test_qm_plays_unknown_states_better_than_at_random() -> None:
    game = bl.game("tictactoe")
    wins = {}
    for kind in (QTableSettings, QM):
        trainee = learner_of(game, kind, epsilon=0.0, alpha=1e-9, opponents="random", memory_mb=2)
        wins[kind.name] = 0
        for number in range(200):
            start, steps = trainee.core.recorded_episode()
            state = State(game, start)
            for action, _, _ in steps:
                state.apply(action)
            wins[kind.name] += state.scores[number % 2] == 1
    assert wins["qm"] > wins["q-table"] + 30


def test_a_trained_qm_rolls_out_where_it_knows_nothing(tmp_path: Path) -> None:
    game = bl.game("tictactoe")
    state = game.initial_state()
    for action in (0, 3, 1, 4):
        state.apply(action)
    found = {}
    for learner in ("q-table", "qm"):
        run = bl.train(game, learner, episodes=1, out=tmp_path / learner, seed=1)
        found[learner] = bl.evaluator(f'qtable("{run.path.as_posix()}")', game).action_values(state)
    assert set(found["q-table"].values()) == {-1}
    assert found["qm"][2] == 1 and all(v < 1 for a, v in found["qm"].items() if a != 2)


@pytest.mark.parametrize("learner", ["q-table", "qm"])
def test_a_trained_table_plays_tictactoe_well(tmp_path: Path, learner: str) -> None:
    game = bl.game("tictactoe")
    run = bl.train(game, learner, out=tmp_path / "run", seed=1)
    assert run.expression == f'greedy(qtable("{(tmp_path / "run").as_posix()}"))'
    result = bl.match(game, [run.agent(), "maxn(depth=9)"], games=40, seed=1)
    assert result.wins[1] == 0
    state = game.initial_state()
    values = bl.evaluator(f'qtable("{run.path.as_posix()}")', game).action_values(state)
    assert all(-1 <= value <= 1 for value in values.values())


@pytest.mark.parametrize("learner", ["q-table", "qm"])
def test_a_resumed_run_ends_like_an_unbroken_one(tmp_path: Path, learner: str) -> None:
    game = bl.game("tictactoe")
    settings: dict[str, Any] = {"episodes": 400, "seed": 3, "opponents": "random"}
    whole = bl.train(game, learner, out=tmp_path / "whole", **settings)
    broken = bl.train(game, learner, out=tmp_path / "broken", progress=lambda p: p.episodes > 0, **settings)
    assert 0 < broken.episodes < 400
    resumed = bl.resume(tmp_path / "broken")
    assert resumed.episodes == whole.episodes == 400
    for name in ("keys", "values"):
        arrays = [np.load(tmp_path / run / "weights.npz")[name] for run in ("whole", "broken")]
        assert np.array_equal(*arrays)


@pytest.mark.parametrize("limit", [None, 6])
def test_rewards_on_the_way_are_differences_of_the_score(limit: int | None) -> None:
    """2048's score counts up: with gamma 1 and alpha 1 a first match is worth what was still paid in it."""
    game = bl.game("2048", size=2)
    trainee = learner_of(game, alpha=1.0, gamma=1.0, epsilon=1.0, seed=2, episode_limit=limit)
    start, steps = trainee.core.recorded_episode()
    state, decisions = State(game, start), []
    for action, is_chance, _ in steps:
        if not is_chance:
            decisions.append((state.copy(), action))
        state.apply(action)
    seen = set()
    for before, action in reversed(decisions):
        if before.to_text() in seen:
            break  # a state that came twice was learned twice
        seen.add(before.to_text())
        expected = state.scores[0] - before.scores[0]
        assert trainee.core.table.value(before.core_for(game), action) == expected


def test_the_best_of_bad_actions_is_bad() -> None:
    """Every twist costs 1, which is all that the goal pays: where all are known, none is worth more than 0."""
    game = bl.game("rubiks", twists=2, step_reward=-1)
    trainee = learner_of(game, alpha=0.5, gamma=1.0, epsilon=1.0, episode_limit=4)
    slow = SlowQ(0, 1, 0.5, 1.0, -1)
    for _ in range(500):
        start, steps = trainee.core.recorded_episode()
        slow.learn(State(game, start), steps, [0])
    for (text, action), value in slow.q.items():
        found = trainee.core.table.value(game.from_text(text).core_for(game), action)
        assert found == pytest.approx(value, abs=1e-12)
    assert min(slow.q.values()) < -1  # one twist and what the best of the next ones costs


def ten_and_six(game: bl.Game) -> list[_engine.State]:
    """Ten and six against a nine, in the first round of blackjack and in the third with three stakes lost."""
    state = game.initial_state()
    for outcome in (9, 8, 5):
        state.apply(outcome)
    return [state.core_for(game), game.from_fields([2, -6, *state.fields[2:]]).core_for(game)]


def test_what_is_learned_in_one_round_serves_in_all() -> None:
    game = bl.game("blackjack", rounds=3)
    trainee = learner_of(game, epsilon=1.0)
    trainee.core.train(5000)
    first, third = ten_and_six(game)
    for action in first.legal_actions():
        learned = trainee.core.table.value(first, action)
        assert learned is not None and learned == trainee.core.table.value(third, action)
    values, later = (trainee.evaluator().action_values(state, 1) for state in (first, third))
    assert np.allclose(later, values - 3)


def test_blackjack_is_learned(tmp_path: Path) -> None:
    run = bl.train(
        bl.game("blackjack"), "q-table", episodes=20_000, out=tmp_path / "run", seed=1, memory_mb=1
    )
    score = bl.evaluate(run.agent(), run.game, "score", games=500, seed=1)
    assert score.value > -2  # at random -4.2; best play about 0


def test_tables_without_rounds_and_of_earlier_versions_are_looked_up_by_the_state(tmp_path: Path) -> None:
    nim = bl.game("nim", heaps=(2,), max_take=2)
    run = bl.train(nim, "q-table", episodes=50, out=tmp_path / "run", seed=1, memory_mb=1)
    keys = np.load(run.path / "weights.npz")["keys"]
    assert sorted(keys[keys > 0].tolist()) == [877726503216746556, 3660344952612482315, 16950789161860097714]

    game = bl.game("blackjack", rounds=3)
    settings = QTableSettings.checked({"memory_mb": 1})
    description = settings.describe(game, 1)
    assert description.pop("key") == "cells"
    trainee = settings.build(game, description, 1000, 1)
    trainee.core.train(5000)
    first, third = ten_and_six(game)
    assert trainee.core.table.value(first, 1) is not None and trainee.core.table.value(third, 1) is None
    with pytest.raises(bl.BoardLabError, match="key of the table must be state or cells, not 'hand'"):
        settings.build(game, {**description, "key": "hand"}, 1000, 1)


def test_a_full_table_says_so_and_what_was_learned_is_kept(tmp_path: Path) -> None:
    game = bl.game("connectfour")
    with pytest.raises(bl.BoardLabError, match=r"the table is full.*memory_mb"):
        bl.train(game, "q-table", episodes=1000, out=tmp_path / "run", memory_mb=0.01)
    run = bl.open_run(tmp_path / "run")
    assert 0 < run.episodes < 1000
    assert bl.match(game, [run.expression, "random"], games=2).errors == 0


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [("tictactoe", {"lambda_": 0.5}, "lambda"),
     ("tictactoe", {"alpha": 2}, "alpha must be"), ("tictactoe", {"opponents": "me"}, "opponents must be"),
     ("tictactoe", {"search_iterations": 5}, "search_iterations")],
)  # fmt: skip
def test_what_cannot_be_is_refused(tmp_path: Path, game: str, settings: Any, sentence: str) -> None:
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.train(bl.game(game), "q-table", episodes=10, out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    game = bl.game("tictactoe")
    run = bl.train(game, "q-table", episodes=10, out=tmp_path / "run", memory_mb=0.01)
    arrays = dict(np.load(run.path / "weights.npz"))
    arrays["keys"][:] = 1  # no empty slot left: looking up would never end
    np.savez(run.path / "weights.npz", **arrays)
    with pytest.raises(bl.BoardLabError, match="damaged"):
        run.agent()
    with pytest.raises(bl.BoardLabError, match="not on"):
        bl.agent(f'greedy(qtable("{run.path.as_posix()}"))', bl.game("connectfour"))


def test_the_engine_checks_its_arguments() -> None:
    game = bl.game("tictactoe")
    table = _engine.QTable(game.core, "score", 1 << 16)
    other = bl.game("nim").initial_state()
    with pytest.raises(ValueError, match="another game"):
        table.value(other.core_for(other.game), 0)
    with pytest.raises(ValueError):
        _engine.QTable(game.core, "score", -1)
