"""AlphaZero: targets, masks and signs, runs that resume, a net that learns."""

import gc
import json
import shlex
import signal
import tomllib
import tracemalloc

import numpy as np
import pytest
from typer.testing import CliRunner

import boardlab as bl
from boardlab import TreeOptions, _engine
from boardlab.cli import app
from boardlab.errors import BoardLabError
from boardlab.learners.again import train_command

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero import presets  # noqa: E402
from boardlab.learners.alphazero.learner import AlphaZeroLearner  # noqa: E402
from boardlab.learners.alphazero.replay import action_type  # noqa: E402
from boardlab.learners.alphazero.searchers import TreeSearcher, by_shares, search  # noqa: E402
from boardlab.learners.alphazero.self_play import play_games  # noqa: E402
from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.learners.alphazero.warm_start import WarmStart  # noqa: E402
from boardlab.learners.exams import ExamPlan  # noqa: E402
from boardlab.learners.presets import preset  # noqa: E402
from boardlab.learners.usual_exams import usual_plan  # noqa: E402
from boardlab.nets.stored import build_net, net_description  # noqa: E402
from boardlab.runs import RunFolder  # noqa: E402
from tests.nets.dense import policies  # noqa: E402

SMALL = {
    "blocks": 1,
    "channels": 16,
    "head_filters": 4,
    "hidden": 16,
    "games": 16,
    "parallel": 8,
    "threads": 1,
}
SMALL |= {"simulations": 16, "temperature_moves": 4, "device": "cpu"}


def even(planes, legal):
    """Knows nothing: every action is as good as the other."""
    return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)


@pytest.mark.parametrize("kind", ["res", "conv", "pool", "wang", "mlp"])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("tictactoe", {}),
        ("connectfour", {}),
        ("othello", {"size": 6}),
        ("nim", {"players": 3}),
        ("ewn", {}),
        ("2048", {}),
    ],
)
def test_every_net_fits_every_kind_of_game(kind, name, parameters):
    game = bl.game(name, **parameters)
    description = net_description(game, AlphaZero.flat(net=kind, blocks=1, channels=8).net)
    state = game.initial_state()
    net = build_net(description).eval()
    values, logits = net(torch.zeros(3, description["planes"], description["rows"], description["cols"]))
    assert values.shape == (3, 1 if game.players == 2 else game.players)
    assert logits.shape == (3, game.action_count)
    assert (values.abs() <= 1).all()
    assert state is not None


def test_targets_are_those_of_the_player_to_move():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=100, parallel=30, simulations=8, noise_fraction=0.0, temperature_moves=9)
    examples, counts = play_games(game, even, settings.self_play, 8, 1, seed=3, threads=1)
    assert counts.moves == len(examples)
    games = []
    for fields, policy, z in zip(examples.fields, policies(examples, game), examples.z, strict=True):
        state = game.from_fields(fields.tolist())
        assert policy.sum() == pytest.approx(1)
        assert set(np.flatnonzero(policy)) <= set(state.legal_actions())
        games.append((state, z[0]))
    assert sum(state == game.initial_state() for state, _ in games) == 100
    forced = [(state, z) for state, z in games if len(state.legal_actions()) == 1]
    assert len({z for _, z in forced}) > 1  # wins of the last move, and draws
    for state, z in forced:
        mover = state.player
        state.apply(state.legal_actions()[0])
        assert z == state.scores[mover]


def test_three_players_have_their_own_results_in_their_own_order():
    game = bl.game("nim", players=3, heaps=(2, 2))

    def judge(planes, legal):
        return np.zeros((len(planes), 3), np.float32), np.zeros(legal.shape, np.float32)

    settings = AlphaZero.flat(games=12, parallel=4, simulations=8, temperature_moves=9)
    examples, _ = play_games(game, judge, settings.self_play, 8, 3, seed=1, threads=1)
    last = [
        i
        for i, fields in enumerate(examples.fields)
        if len(game.from_fields(fields.tolist()).legal_actions()) == 1
    ]
    assert last
    for i in last:  # one action is left: the result is certain, first that of the player to move
        state = game.from_fields(examples.fields[i].tolist())
        mover = state.player
        state.apply(state.legal_actions()[0])
        if state.is_terminal:
            expected = [state.scores[(mover + k) % 3] for k in range(3)]
            assert examples.z[i].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "othello", "hex"])
def test_turned_positions_have_turned_actions(name):
    game = bl.game(name)
    state = game.initial_state()
    rng = np.random.default_rng(1)
    for _ in range(5):
        state.apply(int(rng.choice(state.legal_actions())))
    fields = np.tile(np.array(state.fields, np.int32), (game.symmetries, 1))
    planes, legal, images = _engine.encode(
        game.core, fields, np.arange(game.symmetries, dtype=np.uint64), "planes"
    )
    for g in range(game.symmetries):
        turned = state.symmetry(g)
        assert np.array_equal(planes[g], turned.planes(turned.player))
        assert sorted(np.flatnonzero(legal[g])) == sorted(turned.legal_actions())
        for action in state.legal_actions():
            after, image = state.copy(), turned.copy()
            after.apply(action)
            image.apply(int(images[g, action]))
            assert after.symmetry(g) == image


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    game = bl.game("tictactoe")
    whole = bl.train(
        game, "alphazero", episodes=64, out=tmp_path / "whole", seed=5, gate=0.5, gate_games=4, **SMALL
    )
    stops = iter([False, True])
    bl.train(
        game,
        "alphazero",
        episodes=64,
        out=tmp_path / "broken",
        seed=5,
        gate=0.5,
        gate_games=4,
        progress=lambda _: next(stops, True),
        **SMALL,
    )
    resumed = bl.resume(tmp_path / "broken")
    assert resumed.episodes == whole.episodes == 64
    for file in ("weights.npz", "checkpoint.npz"):
        with np.load(tmp_path / "whole" / file) as one, np.load(tmp_path / "broken" / file) as other:
            assert set(one.files) == set(other.files)
            for key in one.files:
                if not key.endswith("seconds"):
                    assert np.array_equal(one[key], other[key]), key


def test_a_ctrl_c_while_a_generation_is_kept_waits(tmp_path, monkeypatch):
    """Weights and the count of episodes change together, or the resumed run is another one."""
    game, found = bl.game("tictactoe"), {}
    keep, kept = AlphaZeroLearner._keep, []

    def keep_and_interrupt(self):
        keep(self)
        kept.append(self)
        if len(kept) == 3:  # the first is that of the untrained net
            signal.raise_signal(signal.SIGINT)

    for name in ("whole", "broken"):
        out = tmp_path / name
        if name == "broken":
            monkeypatch.setattr(AlphaZeroLearner, "_keep", keep_and_interrupt)
            with pytest.raises(KeyboardInterrupt):
                bl.train(game, "alphazero", episodes=64, out=out, seed=5, **SMALL)
            monkeypatch.setattr(AlphaZeroLearner, "_keep", keep)
            assert bl.resume(out).is_finished
        else:
            bl.train(game, "alphazero", episodes=64, out=out, seed=5, **SMALL)
        with np.load(out / "weights.npz") as file:
            found[name] = {key: file[key] for key in file.files}
    assert len(kept) == 3
    for key, array in found["whole"].items():
        assert np.array_equal(array, found["broken"][key]), key


def test_a_generation_without_positions_is_kept_as_the_others_are():
    """Random openings may be all there is: the types are those of the game's actions all the same."""
    game = bl.game("hex", size=12)
    settings = AlphaZero.flat(games=1, parallel=1, simulations=2, random_actions=143)
    for seed in range(20):
        examples, _ = play_games(game, even, settings.self_play, 2, 1, seed=seed, threads=1)
        if not len(examples):
            assert examples.actions.dtype == action_type(game.action_count)
            return
    pytest.fail("every one of the openings left something to play")


def test_the_agent_of_a_run_plays_and_belongs_to_its_game(tmp_path):
    game = bl.game("tictactoe")
    run = bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", **SMALL)
    assert run.expression == f'mcts(net("{(tmp_path / "run").as_posix()}"), iterations=50, batch=8)'
    for player in ("mcts({}, iterations=10)", "policy({})", "greedy({})", "alphabeta({}, depth=2)"):
        agent = player.format(f'net("{(tmp_path / "run").as_posix()}")')
        assert bl.match(game, [agent, "random"], games=2).errors == 0
    with pytest.raises(BoardLabError, match="was trained on"):
        bl.agent(run.expression, bl.game("connectfour"))


def test_what_cannot_be_learned_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(BoardLabError, match="nothing is hidden, not kuhnpoker"):
        bl.train(bl.game("kuhnpoker"), "alphazero", out=tmp_path / "run")
    with pytest.raises(BoardLabError, match="simulations must be"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", simulations=0)
    with pytest.raises(BoardLabError, match="preset of alphazero"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", preset="papier")
    assert not (tmp_path / "run").exists()


def test_a_missing_or_damaged_shard_is_said(tmp_path):
    game = bl.game("tictactoe")
    bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", **SMALL)
    shard = tmp_path / "run" / "replay" / "000001.npz"
    shard.write_bytes(shard.read_bytes()[:100])
    with pytest.raises(BoardLabError, match="damaged"):
        bl.resume(tmp_path / "run", episodes=32)
    shard.unlink()
    with pytest.raises(BoardLabError, match="missing"):
        bl.resume(tmp_path / "run", episodes=32)


def test_a_net_of_a_time_when_the_game_had_other_planes_is_refused(tmp_path):
    game = bl.game("ewn", size=4, players=4)
    bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", **SMALL)
    toml = tmp_path / "run" / "agent.toml"
    toml.write_text(toml.read_text().replace("planes = 19", "planes = 15"))
    with pytest.raises(BoardLabError, match=r"run looks at 15 planes, but .*ewn.* has 19 now: train"):
        bl.agent(f'policy(net("{tmp_path / "run"}"))', game)
    with pytest.raises(BoardLabError, match="the net of the run looks at 15 planes"):
        bl.resume(tmp_path / "run", episodes=32)


def test_memory_does_not_grow_with_the_games(tmp_path):
    game = bl.game("tictactoe")
    bl.train(game, "alphazero", episodes=16 * 9, out=tmp_path / "run", window=2, window_first=1, **SMALL)
    shards = list((tmp_path / "run" / "replay").glob("*.npz"))
    assert len(shards) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 2])
def test_no_python_object_grows_with_the_games(tmp_path, lanes):
    """Objects that are counted, and the memory of all of them, those in lists and arrays among them."""
    objects, memory = [], []

    def count(_):
        gc.collect()
        objects.append(len(gc.get_objects()))
        memory.append(tracemalloc.get_traced_memory()[0])

    settings = {**SMALL, "window": 2, "window_first": 2, "lanes": lanes}
    tracemalloc.start()
    try:
        bl.train(
            bl.game("tictactoe"),
            "alphazero",
            episodes=16 * 12,
            out=tmp_path / "run",
            progress=count,
            **settings,
        )
    finally:
        tracemalloc.stop()
    assert len(objects) >= 12
    # 16 games are about 130 positions: kept as objects, eight generations of them would be a thousand.
    assert objects[11] - objects[3] < 100
    # Kept as fields, policies and results they would be 100 bytes each. Windows differ by a game or two.
    assert memory[11] - memory[3] < 8 * 130 * 50


def test_tictactoe_is_learned_to_perfection(tmp_path):
    game = bl.game("tictactoe")
    run = bl.train(
        game,
        "alphazero",
        episodes=64 * 20,
        out=tmp_path / "run",
        seed=1,
        games=64,
        parallel=64,
        simulations=32,
        blocks=1,
        channels=32,
        epochs=4.0,
        lr_final=2e-4,
        temperature_moves=9,
        threads=1,
        device="cpu",
    )
    network = f'net("{run.path.as_posix()}")'
    result = bl.evaluate(f"mcts({network}, iterations=50, solver=False)", game, "perfect", 100)
    assert result.value == 0.0


def test_gumbel_learns_from_its_improved_policy():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=8, parallel=8, simulations=8, gumbel=4)
    examples, _ = play_games(game, even, settings.self_play, 8, 1, seed=2, threads=1)
    assert policies(examples, game).sum(axis=1) == pytest.approx(np.ones(len(examples)), abs=1e-5)
    # The improved policy has a share for every legal action, not only for those that were visited.
    for fields, policy in zip(examples.fields, policies(examples, game), strict=True):
        assert set(np.flatnonzero(policy)) == set(game.from_fields(fields.tolist()).legal_actions())


def test_gumbels_one_hot_target_is_the_best_action_whatever_its_noise_plays():
    """The action that is played explores."""

    class Found:
        def policy(self):
            return np.array([[0.2, 0.7, 0.1], [0.2, 0.7, 0.1]])

        def choices(self):
            return np.array([0, 0])

    target, actions = TreeSearcher(Found(), TreeOptions(gumbel=4)).decide(np.array([True, False]), True, None)
    assert actions.tolist() == [0, 0]
    assert target == pytest.approx(np.array([[0.2, 0.7, 0.1], [0, 1, 0]]))


def test_gumbels_target_turns_one_hot_too():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=8, parallel=8, simulations=8, gumbel=4, one_hot=True, temperature_moves=2)
    examples, _ = play_games(game, even, settings.self_play, 8, 1, seed=2, threads=1)
    for fields, policy in zip(examples.fields, policies(examples, game), strict=True):
        state = game.from_fields(fields.tolist())
        shares = len(state.legal_actions())
        assert np.count_nonzero(policy) == (shares if shares > 7 else 1)


@pytest.mark.parametrize("more", [{}, {"episode_limit": 40}])
@pytest.mark.parametrize("target", ["mean", "q"])
def test_a_net_without_knowledge_does_not_expect_half_of_two_million(more, target):
    """What the first searches of 2048 expect, and games that are cut, is within what its games bring."""
    game = bl.game("2048")
    settings = AlphaZero.flat(**{**SMALL, "games": 4, "simulations": 4, "value_target": target, **more})
    trainee = settings.build(game, settings.describe(game, 1), 8, 1)
    trainee.begin()
    for _ in range(2):
        trainee.train(4)
        examples = trainee.replay.parts[trainee.generation]
        assert examples.q.min() >= 0 and examples.q.max() < 20_000
        assert examples.z.min() > 0 and examples.z.max() < 20_000
        values = trainee._batch(examples, np.arange(len(examples)), np.random.default_rng(0))[2]
        assert values.min() >= -1 and values.max() <= 1
        assert trainee.last["value_loss"] < 2


def test_actions_are_drawn_by_visits_and_then_the_best():
    visits = np.tile(np.array([1.0, 3.0, 0.0]), (4000, 1))
    drawn = np.arange(4000) < 2000
    target, actions = by_shares(visits, drawn, True, np.random.default_rng(0))
    assert (actions[2000:] == 1).all()
    assert np.mean(actions[:2000] == 1) == pytest.approx(0.75, abs=0.04)
    assert not (actions == 2).any()
    assert target[0].tolist() == [0.25, 0.75, 0.0]
    assert target[-1].tolist() == [0.0, 1.0, 0.0]


def test_of_equal_actions_the_one_that_is_played_is_the_target():
    visits = np.tile(np.array([5.0, 5.0, 0.0]), (50, 1))
    target, actions = by_shares(visits, np.zeros(50, np.bool_), True, np.random.default_rng(0))
    assert np.array_equal(target, np.eye(3)[actions]) and set(actions) == {0, 1}
    target, _ = by_shares(visits, np.zeros(50, np.bool_), False, np.random.default_rng(0))
    assert np.array_equal(target, visits / 10)


def test_the_default_preset_fits_the_device(monkeypatch):
    game = bl.game("connectfour")
    here = preset(game, "default", "alphazero", {"device": "cpu"})
    monkeypatch.setattr(presets, "uses_gpu", lambda wanted: wanted != "cpu")
    gpu = preset(game, "default", "alphazero")
    assert gpu["parallel"] >= 1024
    assert gpu["lanes"] > 1
    assert preset(game, "default", "alphazero", {"device": "cpu"}) == here
    assert preset(game, "church", "alphazero") == preset(game, "church", "alphazero", {"device": "cpu"})
    for chosen in (here, gpu):
        AlphaZero.checked({name: value for name, value in chosen.items() if name != "episodes"})
        assert chosen["episodes"] % chosen.get("games", AlphaZero().self_play.games) == 0


def test_the_rate_falls_and_simulations_grow_to_what_was_given():
    game = bl.game("connectfour")

    def chosen(**given):
        usual = preset(game, "default", "alphazero", {"device": "cpu", **given})
        usual.pop("episodes")
        merged = AlphaZero.merged(usual, {"device": "cpu", **given})
        learning, played = merged.learning, merged.self_play
        return learning.lr, learning.lr_final, played.simulations_first, played.simulations

    assert chosen() == (2e-3, 2e-4, 16, 32)
    assert chosen(lr=1e-4, simulations=8) == (1e-4, 1e-4, 8, 8)
    assert chosen(lr=1e-2, simulations=64) == (1e-2, 2e-4, 16, 64)
    assert chosen(lr=1e-4, lr_final=1e-3, simulations=8, simulations_first=9) == (1e-4, 1e-3, 9, 8)
    ranked = preset(bl.game("morpion"), "ranked", "alphazero", {"lr": 1e-5})
    assert ranked["lr_final"] == 1e-5


def test_what_the_preset_sets_can_be_left_out_and_trained_again(tmp_path):
    game = bl.game("connectfour", rows=4, cols=4)
    settings = {**SMALL, "games": 4, "simulations": 2, "gumbel": None}
    run = bl.train(game, "alphazero", episodes=4, out=tmp_path / "run", **settings)
    assert run.settings.self_play.tree.gumbel is None
    with (tmp_path / "run/agent.toml").open("rb") as file:
        command = train_command(tomllib.load(file), str(tmp_path / "again"))
    assert "--gumbel None" in command
    assert CliRunner().invoke(app, [*shlex.split(command)[1:], "--exam", "none"]).exit_code == 0
    with np.load(run.path / "weights.npz") as one, np.load(tmp_path / "again/weights.npz") as other:
        assert all(np.array_equal(one[name], other[name]) for name in one.files)


def test_a_gate_needs_two_players_and_wangs_preset_leaves_it_out_with_one(tmp_path):
    game = bl.game("2048", size=2)
    with pytest.raises(BoardLabError, match="gate is for games of two and more players"):
        bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", gate=0.5, **SMALL)
    assert preset(bl.game("tictactoe"), "wang", "alphazero")["gate"] == 0.6
    for name in presets.ALPHAZERO_PRESETS:
        chosen = preset(game, name, "alphazero")
        assert "gate" not in chosen
    of_other_nets = ("blocks", "head_filters", "hidden")
    small = {name: value for name, value in SMALL.items() if name not in of_other_nets}
    small |= {"epochs": 0.1, "channels": 8}
    run = bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", preset="wang", **small)
    assert run.is_finished


def test_a_new_total_is_rounded_to_whole_generations_and_examined_at_the_end(tmp_path):
    game = bl.game("tictactoe")
    once = {"exams": ["random"], "exam_games": 2, "exam_every": 0}
    bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", **once, **SMALL)
    run = bl.resume(tmp_path / "run", episodes=40)
    assert (run.episodes, run.total, bl.open_run(tmp_path / "run").total) == (48, 48, 48)
    assert [row["episodes"] for row in run.log] == [16, 48]
    # A run that was resumed so before has a total of its own.
    agent = RunFolder(tmp_path / "run").read_agent("alphazero")
    del agent["format"]
    RunFolder(tmp_path / "run").write_agent({**agent, "episodes": 60})
    assert bl.resume(tmp_path / "run").log[-1]["episodes"] == 64


def test_random_openings_are_played_and_not_learned_from():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(games=300, parallel=100, simulations=4, random_actions=3)
    examples, counts = play_games(game, even, settings.self_play, 4, 1, seed=3, threads=1)
    assert len(counts.scores) == 300 and counts.moves == len(examples)
    stones = [sum(cell != 0 for cell in fields[:9]) for fields in examples.fields.tolist()]
    # An opening has 0, 1, 2 or 3 actions, each as often.
    found = [stones.count(n) / 300 for n in range(4)]
    assert found == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=0.1) and found[3] == 1


def test_actions_are_drawn_from_the_end_of_a_random_opening_on(monkeypatch):
    """With one such move a game, whatever its opening: its first move that was searched."""
    drawn, decide = [], TreeSearcher.decide

    def watched(searcher, draws, one_hot, rng):
        drawn.append(bool(draws[0]))
        return decide(searcher, draws, one_hot, rng)

    monkeypatch.setattr(TreeSearcher, "decide", watched)
    settings = AlphaZero.flat(games=20, parallel=1, simulations=4, random_actions=4, temperature_moves=1)
    play_games(bl.game("tictactoe"), even, settings.self_play, 4, 1, seed=3, threads=1)
    assert drawn.count(True) == 20 < len(drawn)


def test_fast_moves_of_the_playout_cap_have_no_noise(monkeypatch):
    noisy = []

    def watched(searcher, judge, iterations, noise):
        noisy.extend(zip(iterations.tolist(), noise.tolist(), strict=True))
        return search(searcher, judge, iterations, noise)

    monkeypatch.setattr("boardlab.learners.alphazero.self_play.search", watched)
    settings = AlphaZero.flat(games=10, parallel=5, simulations=8, full_share=0.5, fast_simulations=2)
    play_games(bl.game("tictactoe"), even, settings.self_play, 8, 1, seed=3, threads=1)
    assert {pair for pair in noisy if pair[0]} == {(8, True), (2, False)}


@pytest.mark.parametrize(
    ("game", "more"),
    [
        (bl.game("tictactoe"), {"random_actions": 8}),  # some games are nothing but opening
        (bl.game("connectfour"), {"resign": -0.5, "gumbel": 4}),
        (bl.game("ewn", size=3), {"full_share": 0.5}),
        (bl.game("nim", players=3, heaps=(5, 6)), {}),
        (bl.game("2048", size=2), {}),
        (bl.game("rubiks", twists=3), {"episode_limit": 9}),
        (bl.game("connectfour"), {"warm_start": "wrora"}),
    ],
    ids=str,
)
def test_random_openings_suit_every_game(game, more):
    settings = AlphaZero.flat(**({"games": 12, "parallel": 5, "simulations": 4, "random_actions": 4} | more))
    values = 1 if game.players == 2 else game.players
    warm = WarmStart(settings.warm_start).generation(1)

    def judge(planes, legal):
        return np.zeros((len(planes), values), np.float32), np.zeros(legal.shape, np.float32)

    examples, counts = play_games(game, judge, settings.self_play, 4, values, seed=3, threads=1, warm=warm)
    again, _ = play_games(game, judge, settings.self_play, 4, values, seed=3, threads=2, warm=warm)
    assert len(counts.scores) == 12 and np.isfinite(examples.z).all() and np.isfinite(examples.q).all()
    assert np.array_equal(examples.fields, again.fields) and np.array_equal(examples.z, again.z)


def test_an_opening_decides_nothing_where_the_enhancement_meets_the_net():
    game = bl.game("tictactoe")
    settings = AlphaZero.flat(
        games=20, parallel=20, simulations=4, random_actions=8, warm_start="rollout", switch="adaptive"
    )
    warm = WarmStart(settings.warm_start).generation(1)
    examples, _ = play_games(game, even, settings.self_play, 4, 1, seed=3, threads=1, warm=warm)
    assert sum(not any(fields[:9]) for fields in examples.fields.tolist()) == 20  # all begin at the beginning


def test_random_openings_that_leave_nothing_to_play_are_refused(tmp_path):
    with pytest.raises(BoardLabError, match="random_actions must be less than 9, the most actions of a game"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", random_actions=9)
    with pytest.raises(BoardLabError, match="random_actions must be less than 5"):
        bl.train(bl.game("rubiks"), "alphazero", out=tmp_path / "run", random_actions=5, episode_limit=5)
    with pytest.raises(BoardLabError, match="half-random games would be ranked"):
        bl.train(bl.game("2048"), "alphazero", out=tmp_path / "run", random_actions=5, ranked_reward=0.7)
    small, whole = (preset(bl.game("connectfour", rows=n, cols=n), "default", "alphazero") for n in (4, 8))
    assert (small["random_actions"], whole["random_actions"]) == (4, 12)


def test_a_run_without_named_exams_meets_somebody_worth_meeting(tmp_path):
    game = bl.game("connectfour")
    options = {**SMALL, "gumbel": None, "exams": None, "exam_games": 2}
    run = bl.train(game, "alphazero", episodes=16, out=tmp_path / "run", **options)
    assert "stages" in run.log[-1] and "abdl" not in run.log[-1]  # the cheapest: it is a short run
    for name, exam in {
        "tictactoe": "perfect",
        "2048": "score",
        "hex": "mcts(rollout, iterations=200)",
    }.items():
        assert usual_plan(bl.game(name), 25_600, AlphaZero.flat(device="cpu").exam_cost).names == (exam,)


def test_weights_beyond_all_bounds_are_told_with_a_gate_too(tmp_path, monkeypatch):
    learn = AlphaZeroLearner._learn

    def overflowing(learner, *arguments):
        facts = learn(learner, *arguments)
        next(learner.net.parameters()).data.fill_(float("inf"))
        return facts

    monkeypatch.setattr(AlphaZeroLearner, "_learn", overflowing)
    with pytest.raises(BoardLabError, match="grew beyond all bounds"):
        bl.train(bl.game("tictactoe"), "alphazero", episodes=32, out=tmp_path / "run", gate=0.5, **SMALL)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"simulations": 8, "simulations_first": 16}, "simulations_first must be at most simulations=8"),
     ({"lr": 1e-4, "lr_final": 1e-2}, "lr_final must be at most lr=0.0001"),
     ({"window_positions": 1}, "window_positions must be")],
)  # fmt: skip
def test_schedules_the_wrong_way_round_and_windows_of_nothing_are_refused(tmp_path, settings, said):
    with pytest.raises(BoardLabError, match=said):
        bl.train(
            bl.game("tictactoe"), "alphazero", episodes=32, out=tmp_path / "run", **{**SMALL, **settings}
        )
    assert not (tmp_path / "run").exists()


def test_the_rate_in_the_log_is_the_one_that_was_used(tmp_path):
    options = {**SMALL, "lr": 0.01, "lr_final": 0.001, "exams": ["random"], "exam_every": 16, "exam_games": 2}
    run = bl.train(bl.game("tictactoe"), "alphazero", episodes=48, out=tmp_path / "run", **options)
    rates = [json.loads(line)["lr"] for line in (run.path / "generations.jsonl").read_text().splitlines()]
    assert [float(row["alpha"]) for row in run.log] == pytest.approx(rates, rel=1e-5)
    assert rates == pytest.approx([0.01, 0.0055, 0.001])


def test_the_log_has_no_holes_where_an_exam_was_broken_off(tmp_path, monkeypatch):
    options = {**SMALL, "exams": ["random"], "exam_every": 16, "exam_games": 2, "episodes": 48}
    whole = bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "whole", **options)
    take, taken = ExamPlan.take, []

    def broken_off(*arguments, **more):
        taken.append(1)
        if len(taken) == 2:
            raise KeyboardInterrupt
        return take(*arguments, **more)

    monkeypatch.setattr(ExamPlan, "take", broken_off)
    with pytest.raises(KeyboardInterrupt):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", **options)
    again = bl.resume(tmp_path / "run")
    assert len(taken) > 3 and again.is_finished
    timeless = [{k: v for k, v in row.items() if "second" not in k} for row in again.log]
    assert timeless == [{k: v for k, v in row.items() if "second" not in k} for row in whole.log]


def test_morpion_needs_no_option():
    """The general head would have a quarter of a billion weights."""
    assert preset(bl.game("morpion"), "default", "alphazero") == preset(
        bl.game("morpion"), "ranked", "alphazero"
    )


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes", BoardLabError),
        ("CUDA out of memory", BoardLabError),
        ("expected a tensor", RuntimeError),
    ],
)
def test_torch_without_memory_is_a_sentence_and_its_other_errors_stay(tmp_path, monkeypatch, said, error):
    def build(*_):
        raise RuntimeError(said)

    monkeypatch.setattr(AlphaZero, "build", build)
    with pytest.raises(error, match="there is not enough memory" if error is BoardLabError else said):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()
