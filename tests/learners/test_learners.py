"""What every learner's runs have in common: exams, early stop, several runs, going on, looking inside."""

import csv
import math
import re
import sys
import tomllib
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.evaluators.ntuple import PER_ACTION
from boardlab.learners import LEARNERS, train_many
from boardlab.learners.again import train_command
from boardlab.learners.alphazero.gate import GateResult
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.learner import Learner, LearnerSettings
from boardlab.learners.presets import preset
from boardlab.options import Not, check_options, option, options_of

TICTACTOE, CUBE, KUHN = bl.game("tictactoe"), bl.game("rubiks", twists=2), bl.game("kuhnpoker")
SMALL = {
    "alphazero": {
        "games": 100,
        "parallel": 100,
        "simulations": 4,
        "blocks": 0,
        "channels": 8,
        "play_simulations": 4,
        "threads": 1,
        "device": "cpu",
    },
    "davi": {},
    "davi-net": {"walks": 100, "first": 16, "width": 16, "exam_width": 2, "threads": 1, "device": "cpu"},
}
SMALL["random-walk"] = SMALL["davi-net"]

PUZZLE_NETS = ("davi-net", "random-walk")


def small(learner):
    """Settings that make a learner quick."""
    if "device" in SMALL.get(learner, {}):
        pytest.importorskip("torch")
    return SMALL.get(learner, {})


def game_of(learner):
    return KUHN if learner == "cfr" else CUBE if learner in ("davi", *PUZZLE_NETS) else TICTACTOE


def train(learner, path, episodes=400, **more):
    return bl.train(game_of(learner), learner, episodes=episodes, out=path, seed=7, exam_games=20, **more)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_exams_and_stops_early(learner, tmp_path):
    usual = {CUBE: ("twists20", "twists50"), KUHN: ("exploitability", "random")}
    exam, passed = usual.get(game_of(learner), ("perfect", "random"))
    run = train(learner, tmp_path, 4000, exams=[exam], stop_exam=passed, stop_at=-1.0, exam_every=100,
                **small(learner))  # fmt: skip
    assert run.episodes == 300 and not run.is_finished
    said = bl.evaluate(run.agent(), run.game, exam, games=20, seed=7)
    assert float(run.log[-1][exam]) == pytest.approx(said.value, abs=1e-5)
    opened = bl.open_run(tmp_path)
    assert (opened.settings, opened.episodes, opened.log) == (run.settings, 300, run.log)
    assert bl.resume(tmp_path, episodes=4000).episodes == 600


@pytest.mark.parametrize(
    "learner",
    # Each starts two processes: one learner of the engine and one of PyTorch stand for all.
    [
        pytest.param(name, marks=() if name in ("td-ntuple", "alphazero") else pytest.mark.slow)
        for name in LEARNERS
    ],
)
def test_several_runs_are_those_of_the_learner_in_one_process_and_in_two(learner, tmp_path):
    game = game_of(learner)
    exam = "twists20" if game is CUBE else "random"
    settings = {"learner": learner, "episodes": 200, **small(learner)}
    settings |= {"exams": [exam], "exam_games": 10, "exam_every": 0}
    one = train_many(game, 2, out=tmp_path / "one", **settings)
    two = train_many(game, 2, out=tmp_path / "two", jobs=2, **settings)
    for a, b in zip(one.runs, two.runs, strict=True):
        assert type(a.settings) is type(b.settings) is LEARNERS[learner]
        with np.load(a.path / "weights.npz") as mine, np.load(b.path / "weights.npz") as other:
            assert any(mine[name].any() for name in mine.files)
            for name in mine.files:
                np.testing.assert_array_equal(mine[name], other[name])
    with (one.path / "multi.csv").open() as file:
        assert [row["seed"] for row in csv.DictReader(file)] == ["1", "2"]


@pytest.mark.parametrize("learner", ["td-ntuple", "sarsa-ntuple", "q-ntuple", "td-features", "q-table", "qm"])
def test_epsilon_stays_where_it_is_after_its_episodes(learner, tmp_path):
    settings = {"epsilon": 0.8, "epsilon_final": 0.2, "epsilon_episodes": 50}
    run = train(learner, tmp_path, 100, exams=["random"], exam_every=25, **settings)
    assert [row["epsilon"] for row in run.log] == [0.5, 0.2, 0.2, 0.2]
    assert bl.resume(tmp_path, episodes=150).log[-1]["epsilon"] == 0.2


def test_epsilon_may_fall_along_a_cosine(tmp_path):
    settings = {"epsilon": 0.5, "epsilon_final": 0.0, "epsilon_episodes": 80, "epsilon_shape": "cosine"}
    run = train("q-table", tmp_path, 100, exams=["random"], exam_every=20, **settings)
    assert [row["epsilon"] for row in run.log] == pytest.approx(
        [0.5 * math.cos(math.pi * share / 2) for share in (0.25, 0.5, 0.75, 1, 1)], abs=1e-6
    )
    assert run.log[-1]["epsilon"] == 0


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "cfr"])
def test_what_was_learned_plays_other_starts_and_says_which_file_is_wrong(learner, tmp_path):
    run = bl.train(CUBE, learner, episodes=100, out=tmp_path, seed=7, **small(learner))
    assert bl.match(bl.game("rubiks", twists=1), [run.expression], games=2, seed=1).errors == 0
    file = tmp_path / "agent.toml"
    right = file.read_text()
    file.write_text(right.replace('name = "rubiks"', 'name = "rubik"'))
    with pytest.raises(BoardLabError, match=r'agent.toml: unknown game "rubik"; did you mean "rubiks"'):
        bl.agent(run.expression, CUBE)
    file.write_text(right.replace("[network", "[other"))
    with pytest.raises(BoardLabError, match=r"agent.toml does not describe its network"):
        bl.agent(run.expression, CUBE)


def test_another_learner_does_not_go_on_with_a_run(tmp_path):
    train("sarsa-ntuple", tmp_path, 10)
    with pytest.raises(bl.BoardLabError, match="is a run of 'sarsa-ntuple', not of q-ntuple"):
        train("q-ntuple", tmp_path, 10, go_on=True)


@pytest.mark.parametrize("learner", PER_ACTION)
def test_a_layout_is_read_from_a_file_and_left_in_the_run(learner, tmp_path):
    (tmp_path / "mine.txt").write_text("{{0,1,2},{3,4,5,8}}")
    run = train(learner, tmp_path / "run", 10, cells=f"@{tmp_path / 'mine.txt'}")
    assert (run.path / "layout.txt").read_text() == "0,1,2\n3,4,5,8\n"
    assert run.inspect().layout == [[0, 1, 2], [3, 4, 5, 8]]


def test_features_have_no_tuples_to_look_at(tmp_path):
    train("sarsa-ntuple", tmp_path, 10)
    run = train("td-features", tmp_path, 10, force=True)
    assert not (tmp_path / "layout.txt").exists()
    with pytest.raises(bl.BoardLabError, match="is a run of td-features, which has no tuples"):
        run.inspect()
    with pytest.raises(bl.BoardLabError, match="cells"):
        train("td-features", tmp_path, 10, force=True, cells="0,1,2")


@pytest.mark.parametrize(
    ("learner", "given", "sentence"),
    [
        ("td-ntuple", {"replay_batch": 1}, "replay_batch does nothing with replay=0; give replay another"),
        ("td-ntuple", {"target_depth": 3}, "target_depth does nothing with target=network"),
        ("td-ntuple", {"search": "off", "search_cpuct": 2.0}, "search_cpuct does nothing with search=off"),
        ("td-ntuple", {"search_paper": True}, "search_paper does nothing with search=off"),
        ("td-ntuple", {"tc_beta": 1.0, "coherence": "id"}, "tc_beta does nothing with coherence=id"),
        ("td-ntuple", {"lambda_": 0.5, "gamma": 0.0, "traces": "reset"}, "traces does nothing with gamma=0"),
        ("td-ntuple", {"lambda_": 1.0, "horizon_cut": 0.5}, "horizon_cut does nothing with lambda=1.0; give"),
        ("td-features", {"epsilon_episodes": 9}, "epsilon_episodes does nothing without epsilon_final"),
        ("sarsa-ntuple", {"traces": "reset"}, "traces does nothing with lambda=0.0; give lambda another"),
        ("alphazero", {"gate_games": 4}, "gate_games does nothing without gate; give gate too"),
        ("alphazero", {"warm_iterations": 3}, "warm_iterations does nothing with warm_start=off"),
        (
            "alphazero",
            {"warm_iterations": 3, "warm_start": "rave", "switch": "adaptive"},
            "warm_iterations does nothing with switch=adaptive",
        ),
        ("alphazero", {"warm_start": "rave", "warm_weight": 0.5}, "warm_weight does nothing with warm_start"),
        (
            "alphazero",
            {"warm_start": "rhea", "warm_policy": "visits"},
            "warm_policy does nothing with warm_s",
        ),
        ("alphazero", {"warm_start": "wro", "rave_of": "all"}, "rave_of does nothing with warm_start=wro"),
        (
            "alphazero",
            {"window": 4, "window_positions": 99},
            "window does nothing with window_positions=99; leave it out, or set window_positions to None",
        ),
        ("alphazero", {"blocks": 2, "net": "wang"}, "blocks does nothing with net=wang"),
        ("alphazero", {"head_filters": 2, "net": "mlp"}, "head_filters does nothing with net=mlp"),
        ("alphazero", {"noise": 0.1, "gumbel": 4}, "noise does nothing with gumbel=4"),
        ("alphazero", {"noise_fraction": 0.1, "gumbel": 4}, "noise_fraction does nothing with gumbel=4"),
        (
            "alphazero",
            {"temperature_moves": 3, "gumbel": 4, "warm_start": "rhea"},
            "temperature_moves does nothing with gumbel=4",
        ),
        ("alphazero", {"window": 2, "window_first": 9}, "window_first must be at most window=2, not 9"),
        ("alphazero", {"window_first": 21}, "window_first must be at most window=20, not 21"),
        (
            "alphazero",
            {"full_share": 0.5, "fast_simulations": 100, "simulations": 8},
            "with full_share=0.5 fast_simulations must be less than 8, the simulations of the other moves, not",
        ),
        (
            "alphazero",
            {"full_share": 0.5, "simulations": 16},
            "with full_share=0.5 fast_simulations must be less than 16, the simulations of the other moves, not",
        ),
    ],
)
def test_a_setting_whose_switch_is_off_is_refused(learner, given, sentence, tmp_path, monkeypatch):
    monkeypatch.delattr(sys.modules["boardlab.learners.train"], "Training")  # nothing is begun
    with pytest.raises(BoardLabError, match=f"^{learner}: {sentence}"):
        bl.train(TICTACTOE, learner, out=tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("learner", [name for name in LEARNERS if not LEARNERS[name].learns_hidden])
@pytest.mark.parametrize("game", ["kuhnpoker", "poker"])
def test_games_with_hidden_cards_are_refused_and_who_plays_them_is_named(game, learner, tmp_path):
    sentence = (
        f"^{learner} learns games in which nothing is hidden, not {game}; cfr learns it, and the search"
    )
    for attempt in (bl.learners.preset, partial(bl.train, out=tmp_path / "run")):
        with pytest.raises(BoardLabError, match=sentence):
            attempt(bl.game(game), learner=learner)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("game", "given", "sentence"),
    [
        (TICTACTOE, {"staged": True}, "staged does nothing in tictactoe, which has one stage; leave it out"),
        (TICTACTOE, {"symmetries": 9}, "symmetries must be at most 8, as many as tictactoe has, not 9"),
        (bl.game("blackjack"), {"symmetries": 2}, "symmetries must be at most 1, as many as blackjack has"),
    ],
)
@pytest.mark.parametrize("learner", ["td-ntuple", "q-ntuple"])
def test_a_setting_that_asks_for_more_than_the_game_has_is_refused(game, given, sentence, learner, tmp_path):
    with pytest.raises(BoardLabError, match=f"^{learner}: {sentence}"):
        bl.train(game, learner, episodes=10, out=tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("game", "given"),
    [(TICTACTOE, {"staged": False, "symmetries": 8}), (bl.game("othello", size=4), {"staged": True})],
)
def test_what_the_game_has_may_be_asked_for(game, given, tmp_path):
    run = bl.train(game, episodes=2, out=tmp_path / "run", layout="walk", tuples=2, length=2, **given)
    assert run.is_finished


@pytest.mark.parametrize(
    ("name", "learner", "given"),
    [
        ("tictactoe", "td-ntuple", {}),
        ("tictactoe", "sarsa-ntuple", {"cells": "0,1,2 / 4", "coherence": "id"}),
        ("connectfour", "td-ntuple", {"coherence": "exp"}),
        ("connectfour", "q-ntuple", {"compact": False, "length": 3}),
        ("othello", "td-ntuple", {"staged": True, "feature_tables": True, "length": 4}),
        ("nim", "td-ntuple", {"tables": "shared"}),
        ("rubiks", "davi", {"length": 4}),
    ],
)
def test_memory_is_known_before_it_is_taken(name, learner, given):
    game = bl.game(name)
    usual = preset(game, learner=learner)
    usual.pop("episodes")
    wanted = LEARNERS[learner].merged(usual, given)
    trainee = wanted.build(game, wanted.describe(game, 3), 10, 3)
    arrays = [trainee.weights["weights"], *trainee.counters.values()]
    assert wanted.table_bytes(game, 3) == sum(4 * array.size for array in arrays)


def test_memory_beyond_all_bounds_is_told_and_not_taken():
    wanted = LEARNERS["td-ntuple"].checked({"tuples": 10, "length": 60, "coherence": "id"})
    assert wanted.table_bytes(bl.game("othello"), 0) == 10 * 4**60 * 2 * 12


@pytest.mark.parametrize("name", ["connectfour", "ewn", "hex", "othello", "pathwayz", "sim", "tictactoe"])
@pytest.mark.parametrize("learner", ["td-ntuple", "q-ntuple"])
def test_shared_tables_are_refused_where_cells_have_owners(name, learner, tmp_path):
    sentence = f"^{learner}: tables=shared is for one player and for impartial games, as nim; .* {name} need"
    with pytest.raises(BoardLabError, match=sentence):
        bl.train(bl.game(name), learner, out=tmp_path / "run", episodes=5, tables="shared", cells="0,1")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("game", [bl.game("nim"), bl.game("nim", players=3), bl.game("2048", size=2), CUBE])
def test_tables_are_shared_where_the_same_cells_are_worth_the_same_to_everyone(game, tmp_path):
    bl.train(game, episodes=5, out=tmp_path, tables="shared", cells="0,1", compact=False)
    first, second, *_ = game.core.cell_values()
    assert np.load(tmp_path / "weights.npz")["weights"].size == first * second


def test_tables_are_shared_by_players_who_each_see_their_own_cells(monkeypatch):
    """As a game of one's own may show them: own stones are 1, the other's 2, whoever looks."""
    wanted = LEARNERS["td-ntuple"].checked({"tables": "shared"})
    plain = bl.State.board_vector
    monkeypatch.setattr(bl.State, "board_vector", lambda s, p=0: (plain(s) * (1 + p)) % 3)
    wanted.check_game(TICTACTOE)


def test_shared_tables_learn_nim(tmp_path):
    run = bl.train(bl.game("nim"), episodes=3000, out=tmp_path, seed=1, tables="shared")
    played = bl.match(
        run.game, [run.expression, "bouton"], games=20
    )  # who begins wins, half of the games each
    assert played.mean_scores[0] == 0


def test_a_run_with_shared_tables_of_an_earlier_version_goes_on_and_plays(tmp_path, monkeypatch):
    def train(episodes):
        return bl.train(TICTACTOE, episodes=episodes, out=tmp_path, tables="shared", go_on=True)

    with monkeypatch.context() as earlier:
        earlier.setattr(LEARNERS["td-ntuple"], "check_game", lambda *_: None)
        train(20)
    assert train(20).episodes == 20
    assert bl.resume(tmp_path, episodes=40).episodes == 40
    played = bl.match(TICTACTOE, [f'greedy(ntuple("{tmp_path}"))', "random"], games=2)
    assert played.games == 2


@pytest.mark.parametrize(
    "more",
    [
        {"warm_start": "wro"},
        {"one_hot": True},
        {"gumbel": None},
        {"warm_start": "rhea", "switch": "adaptive"},
    ],
)
def test_a_setting_waits_until_all_its_switches_are_off(more):
    settings = AlphaZero.checked({"temperature_moves": 3, "gumbel": 4, **more})
    assert not settings.idle(["temperature_moves"])


def test_a_preset_may_set_what_waits_for_its_switch(tmp_path):
    othello = {"start_actions": 4, "choose_start": 0.7}
    kind = LEARNERS["td-ntuple"]
    assert kind.merged(othello, {"choose_start": 0.0}).start_actions == 4
    assert kind.merged(othello, {"start_actions": 2}).start_actions == 2
    assert LEARNERS["qm"].merged({}, {"search_iterations": 5}).search_iterations == 5  # has no such switch
    assert LEARNERS["alphazero"].merged({}, {"warm_weight": None}).warm_start.weight is None  # is not given


def test_a_run_that_has_an_idle_setting_goes_on_and_is_trained_again_without_it(tmp_path, monkeypatch):
    """It was begun before such settings were refused."""
    settings = {"episodes": 40, "out": tmp_path / "run", "replay_batch": 2, "staged": True, "symmetries": 9}
    settings |= {"stop_exam": "perfect", "stop_at": 5.0, "exam_games": 2}
    with monkeypatch.context() as before:
        for check in ("check_needs", "check_game"):
            before.setattr(LEARNERS["td-ntuple"], check, lambda *_: None)
        before.setattr(sys.modules["boardlab.learners.train"], "check_stop", lambda *_: None)
        bl.train(TICTACTOE, progress=lambda _: True, **settings)
    assert bl.train(TICTACTOE, go_on=True, **settings).is_finished
    agent = tomllib.loads((tmp_path / "run/agent.toml").read_text())
    command = train_command(agent, "again")
    assert not [word for word in ("--replay-batch", "staged", "--stop") if word in command]
    assert "--symmetries 8" in command


def test_a_run_of_alphazero_whose_settings_cut_each_other_goes_on(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    settings = {"blocks": 1, "channels": 8, "games": 2, "simulations": 4, "threads": 1, "device": "cpu"}
    settings |= {"full_share": 0.5, "window": 2, "window_first": 9}
    settings |= {"simulations_first": 6, "lr": 0.001, "lr_final": 0.01}
    with monkeypatch.context() as before:
        before.setattr(AlphaZero, "check_given", lambda *_: None)
        bl.train(TICTACTOE, "alphazero", episodes=4, out=tmp_path, progress=lambda _: True, **settings)
    assert bl.resume(tmp_path).is_finished
    command = train_command(tomllib.loads((tmp_path / "agent.toml").read_text()), "again")
    assert "--window 2 --window-first 2" in command
    assert "--simulations-first 4" in command and "--lr-final 0.001" in command


def test_a_run_of_alphazero_from_before_a_setting_plays_and_goes_on_as_it_did(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    settings = {"blocks": 1, "channels": 8, "games": 2, "simulations": 4, "threads": 1, "device": "cpu"}
    settings |= {"play_solver": True, "gate_games": 2, "episodes": 4, "out": tmp_path, "preset": "wang"}
    settings |= {"net": "res", "hidden": 8, "cpuct": 3.0, "play_cpuct": 1.0}
    bl.train(TICTACTOE, "alphazero", progress=lambda _: True, **settings)
    file = tmp_path / "agent.toml"
    file.write_text(
        re.sub("(?m)^(play_solver|play_cpuct|play_batch|play_leaf_visits) = .*\n", "", file.read_text())
    )
    assert not re.search("play_solver|play_cpuct|play_batch|play_leaf_visits", file.read_text())
    as_before = '"), iterations=4, batch=8, leaf_visits=0)'
    assert bl.open_run(tmp_path).expression.endswith(as_before)
    with pytest.raises(BoardLabError, match=r"differs in its settings \(there play_batch=8"):
        bl.train(TICTACTOE, "alphazero", go_on=True, play_batch=2, **settings)
    seen = []
    monkeypatch.setattr(
        "boardlab.learners.alphazero.learner.gate_match",
        lambda *_, **options: seen.append(options) or GateResult(0.5, 2, 2),
    )
    run = bl.train(TICTACTOE, "alphazero", go_on=True, **settings)  # preset wang has one leaf now
    assert run.is_finished and run.expression.endswith(as_before)
    assert seen[0]["tree"].batch == 8 and seen[0]["tree"].leaf_visits == 0
    command = train_command(tomllib.loads(file.read_text()), "again")
    leaves = "--play-batch 8 --play-leaf-visits 0"
    assert "--preset wang" in command and f" --play-cpuct 1.0 --play-solver {leaves} --device" in command


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_a_setting_needs_is_a_setting_that_can_be_on_and_off(learner):
    kind = LEARNERS[learner]
    known = {option.name: option for option in options_of(kind)}
    needs = {name: option.needs for name, option in known.items()} | dict(kind.needs)
    assert set(needs) <= set(known)
    for switch, on in (pair for every in needs.values() for need in every for pair in need.items()):
        named = on.values if isinstance(on, Not) else tuple(on)
        assert all(check_options("", kind, {switch: value})[switch] == value for value in named)
        assert all((value in on) != isinstance(on, Not) for value in named)


@dataclass(frozen=True)
class Favourite(LearnerSettings):
    """As CONTRIBUTING.md says how to add one: learns which first action wins most often at random."""

    epsilon: float = option(0.5, "of no account, but a setting", low=0, high=1)

    name = "favourite"

    def expression(self, path):
        """A toy's run plays at random."""
        return "random"

    def describe(self, game, seed):
        """As many numbers as there are actions."""
        return {"actions": game.action_count}

    def build(self, game, description, episodes, seed):
        """Knows nothing yet."""
        return _Counting(game, np.zeros(description["actions"]), seed)


class _Counting(Learner):
    """Plays and learns."""

    alpha = epsilon = 0.0

    def __init__(self, game, wins, seed):
        self.game, self.wins = game, wins
        self.weights, self.counters = {"wins": wins}, {}
        self.episodes_done = self.actions_done = 0
        self.random_state = seed

    def train(self, episodes):
        """Random games, of which the winner's first action is counted."""
        result = bl.match(self.game, ["random", "random"], games=episodes, seed=self.random_state)
        for record in result.records:
            self.wins[record.actions[0]] += record.scores[0] > 0
            self.actions_done += len(record.actions)
        self.random_state += 1
        self.episodes_done += episodes
        return episodes

    def evaluator(self):
        """A toy judges by random playouts."""
        return bl.evaluator("rollout", self.game).core


def test_a_learner_is_added_by_a_class_and_a_line(monkeypatch, tmp_path):
    monkeypatch.setitem(LEARNERS, Favourite.name, Favourite)
    assert preset(TICTACTOE, learner="favourite") == {"episodes": 100_000}
    with pytest.raises(
        BoardLabError,
        match="favourite has no preset paper for tictactoe, only default; it is a preset of td-ntuple",
    ):
        bl.train(TICTACTOE, "favourite", preset="paper", out=tmp_path / "run")
    run = bl.train(TICTACTOE, "favourite", episodes=200, out=tmp_path / "run", epsilon=0.25, exams=["random"])
    assert (run.episodes, run.settings) == (200, Favourite(epsilon=0.25))
    assert bl.resume(run, episodes=300).episodes == 300
    with np.load(run.path / "weights.npz") as stored:
        assert stored["wins"][4] == stored["wins"].max() > 0  # the centre
    assert bl.match(TICTACTOE, [run, "random"], games=2).games == 2
