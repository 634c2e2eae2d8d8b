"""The gate's games: seats, openings and scores against games played one by one."""

import json

import numpy as np
import pytest

import boardlab as bl
from boardlab import Forest, TreeOptions
from boardlab.learners.alphazero.gate import OPENING, GateResult, gate_match
from boardlab.search.mcts import Mcts


def liking(sign):
    """Knows nothing of values and likes actions with high (1) or low (-1) numbers."""

    def judge(inputs, legal):
        order = sign * 100.0 * np.arange(legal.shape[1], dtype=np.float32)
        return np.zeros((len(inputs), 1), np.float32), np.tile(order, (len(inputs), 1))

    return judge


def three(sign):
    return lambda inputs, legal: (np.zeros((len(inputs), 3), np.float32), liking(sign)(inputs, legal)[1])


def one_by_one(game, games, seed):
    """With one simulation a search is its first choice: the new net's is the last action, the old one's the first."""
    total = 0.0
    for number in range(games):
        state, move = game.initial_state(), 0
        while not state.is_terminal:
            actions = state.legal_actions()
            if move < OPENING:
                drawn = np.random.default_rng([seed, number // game.players, move]).random(game.action_count)
                action = max(actions, key=lambda a: drawn[a])
            else:
                action = max(actions) if state.player == number % game.players else min(actions)
            state.apply(action)
            move += 1
        seat = number % game.players
        others = [score for p, score in enumerate(state.scores) if p != seat]
        total += sum((state.scores[seat] > s) + (state.scores[seat] == s) / 2 for s in others) / len(others)
    return total / games


@pytest.mark.parametrize(
    ("game", "judges"),
    [
        (bl.game("tictactoe"), liking),
        (bl.game("connectfour"), liking),
        (bl.game("nim", players=3, heaps=(5, 6, 7)), three),
    ],
)
def test_games_are_those_played_one_by_one(game, judges, monkeypatch):
    expected = one_by_one(game, -(-50 // game.players) * game.players, 7)  # openings are whole
    assert 0 < expected < 1
    assert gate_match(game, judges(1), judges(-1), 50, 1, 7).score == pytest.approx(expected)
    monkeypatch.setattr("boardlab.learners.alphazero.gate.MOST_TREES", 7)
    assert gate_match(game, judges(1), judges(-1), 50, 1, 7, threads=2).score == pytest.approx(expected)


def test_repeated_games_are_counted():
    """Nets that never vary play one game an opening, whoever sits where; tictactoe has 72 openings."""
    for games in (20, 400):
        result = gate_match(bl.game("tictactoe"), liking(1), liking(1), games, 1, 7)
        assert result.games == games and result.distinct <= min(games // 2, 72)


def test_nobody_is_better_than_oneself():
    game = bl.game("connectfour")
    assert gate_match(game, liking(1), liking(1), 20, 16, 3).score == 0.5


@pytest.mark.parametrize("most", [1024, 24])
def test_several_leaves_at_once_are_asked_about_together(monkeypatch, most):
    """The tree then asks less often, about more positions, never about more than a GPU is prepared for."""
    monkeypatch.setattr("boardlab.learners.alphazero.gate.MOST_TREES", most)
    asked = {}

    def counting(leaves):
        def judge(inputs, legal):
            asked.setdefault(leaves, []).append(len(inputs))
            return np.zeros((len(inputs), 1), np.float32), np.zeros(legal.shape, np.float32)

        return judge

    for leaves in (1, 8):
        judge = counting(leaves)
        result = gate_match(
            bl.game("connectfour"), judge, judge, 20, 32, 3, tree=TreeOptions(batch=leaves, leaf_visits=0)
        )
        assert result.score == 0.5
    if most == 1024:
        assert 4 * len(asked[8]) < len(asked[1]) and max(asked[1]) <= 10 < max(asked[8]) <= 80
    else:
        assert max(asked[8]) <= 24


@pytest.mark.parametrize(
    ("more", "other", "said"),
    [
        ({"play_batch": 1}, {}, ""),  # what mcts has anyway
        (
            {"cpuct": 3, "play_solver": False, "play_batch": 4},
            {"cpuct": 3.0, "solver": False, "batch": 4},
            ", cpuct=3.0, solver=False, batch=4",
        ),
        (
            {"cpuct": 3, "play_cpuct": 2, "play_batch": 4, "play_leaf_visits": 7},
            {"cpuct": 2.0, "batch": 4, "leaf_visits": 7},
            ", cpuct=2.0, batch=4, leaf_visits=7",
        ),
    ],
)
def test_the_learner_lets_its_nets_meet_as_the_agent_plays(tmp_path, monkeypatch, more, other, said):
    pytest.importorskip("torch")
    seen = []
    monkeypatch.setattr(
        "boardlab.learners.alphazero.learner.gate_match",
        lambda *arguments, **options: seen.append((arguments[3:5], options)) or GateResult(0.5, 2, 2),
    )
    specs = []
    monkeypatch.setattr(
        "boardlab.learners.alphazero.learner.Mcts",
        lambda *_, **options: specs.append(Mcts(**options)) or Mcts(*_, **options),
    )
    small = {"blocks": 0, "channels": 4, "games": 2, "simulations": 4, "threads": 1, "device": "cpu"}
    small |= {"gate": 0.6, "gate_games": 6, "exams": ["random"], "exam_games": 2, "exam_every": 0, **more}
    run = bl.train(bl.game("tictactoe"), "alphazero", episodes=4, out=tmp_path, **small)
    tree = {"cpuct": 1.0, "solver": True, "batch": 1, "leaf_visits": Mcts.leaf_visits, **other}
    assert seen == [((6, 50), {"tree": TreeOptions(**tree)})] * 2
    assert specs == [Mcts(iterations=50, **tree)]
    assert run.expression.endswith(f'"), iterations=50{said})')
    assert run.agent().expression.endswith(f'"), iterations=50{said})')


def test_the_gates_trees_search_as_they_are_told(monkeypatch):
    seen = []

    class Watched(Forest):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            seen.append(options["tree"])

    monkeypatch.setattr("boardlab.learners.alphazero.gate.Forest", Watched)
    game = bl.game("tictactoe")
    tree = TreeOptions(cpuct=3.0, solver=False, batch=2, leaf_visits=5)
    gate_match(game, liking(1), liking(1), 2, 4, 3, tree=tree)
    assert seen and all(options == tree for options in seen)


@pytest.mark.parametrize(("score", "accepted"), [(0.59, False), (0.6, True)])
def test_a_score_at_the_gate_is_enough(tmp_path, monkeypatch, score, accepted):
    pytest.importorskip("torch")
    monkeypatch.setattr(
        "boardlab.learners.alphazero.learner.gate_match", lambda *_, **__: GateResult(score, 2, 2)
    )
    small = {"blocks": 0, "channels": 4, "games": 2, "simulations": 4, "threads": 1, "device": "cpu"}
    bl.train(bl.game("tictactoe"), "alphazero", episodes=2, out=tmp_path, gate=0.6, exams=(), **small)
    (generation,) = (tmp_path / "generations.jsonl").read_text().splitlines()
    assert json.loads(generation)["accepted"] is accepted


@pytest.mark.parametrize("score", [0.59, 0.6])
def test_who_is_refused_at_the_gate_is_forgotten_and_who_passes_plays(tmp_path, monkeypatch, score):
    pytest.importorskip("torch")
    from boardlab.learners.alphazero.learner import AlphaZeroLearner

    monkeypatch.setattr(
        "boardlab.learners.alphazero.learner.gate_match", lambda *_, **__: GateResult(score, 2, 2)
    )
    passing, seen = AlphaZeroLearner._pass_gate, []

    def watched(learner, seed):
        def weights():
            return [net.arrays()["policy.5.weight"].copy() for net in (learner.net, learner.best)]

        before = weights()
        facts = passing(learner, seed)
        seen.append((before, weights()))
        return facts

    monkeypatch.setattr(AlphaZeroLearner, "_pass_gate", watched)
    small = {"blocks": 0, "channels": 4, "games": 2, "simulations": 4, "threads": 1, "device": "cpu"}
    bl.train(bl.game("tictactoe"), "alphazero", episodes=4, out=tmp_path, gate=0.6, exams=(), **small)
    assert len(seen) == 2
    for (new, old), after in seen:
        assert not np.array_equal(new, old)
        for now in after:
            assert np.array_equal(now, new if score == 0.6 else old)
    with np.load(tmp_path / "weights.npz") as played:
        assert np.array_equal(played["policy.5.weight"].reshape(-1), seen[-1][1][1])


@pytest.mark.parametrize("games", [2, 30, 40])
def test_equal_nets_share_the_points_of_three_players(games):
    """Every opening is played from each seat, so that alike nets win a third of the games, which is half the points."""
    game = bl.game("nim", players=3, heaps=(5, 6, 7))
    assert gate_match(game, three(1), three(1), games, 1, 3).score == 0.5


@pytest.mark.parametrize("name", ["sim", "yavalath"])
def test_two_seats_of_the_old_net_do_not_share_a_tree(name):
    """What one of them searched would be there for the next, and equal nets would not be equal."""

    def judge(inputs, legal):  # values that depend on the position
        sums = (inputs.reshape(len(inputs), -1) * np.arange(inputs[0].size)).sum(axis=1)
        values = np.sin(sums[:, None] + np.arange(3)).astype(np.float32)
        return values, np.zeros(legal.shape, np.float32)

    game = bl.game(name, players=3)
    assert gate_match(game, judge, judge, 18, 32, 3).score == 0.5


def test_nature_moves_alike_in_both_copies_of_a_game_and_from_both_seats(monkeypatch):
    """Nets that are alike: what one wins in the first seat the other wins from there too."""
    game, forests = bl.game("ewn", size=3), []

    class Watched(Forest):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.seen = []
            forests.append(self)

        def play(self, actions):
            super().play(actions)
            self.seen.append(self.fields().tolist())

    monkeypatch.setattr("boardlab.learners.alphazero.gate.Forest", Watched)
    assert gate_match(game, liking(1), liking(1), 40, 8, 5).score == 0.5
    mine, theirs, seat_two, _ = forests
    assert mine.seen == theirs.seen == seat_two.seen and len(mine) == 20
    assert len({str(fields) for fields in mine.seen[0]}) > 5
