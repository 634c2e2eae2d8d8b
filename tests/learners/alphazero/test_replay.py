"""What is learned from: windows by generations and by positions, samples and epochs, the papers' presets."""

from types import SimpleNamespace

import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.learners.alphazero.replay import Examples, Replay, Window, concatenate, draw_rows, sparse
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.presets import preset
from boardlab.options import values_of
from boardlab.runs import RunFolder

SHAPES = {
    "fields": ("<i4", 1),
    "actions": ("<i4", 10**6),
    "shares": ("<f4", 10**6),
    "z": ("<f4", 1),
    "q": ("<f4", 1),
}


def examples(first, count):
    """Positions that carry their number."""
    numbers = np.arange(first, first + count, dtype=np.int32)[:, None]
    one = numbers.astype(np.float32)
    return Examples(numbers, numbers, one, one, one)


def rows(replay, window):
    return replay.everything(window).fields[:, 0].tolist()


def test_churchs_window_grows_from_4_to_35_every_two_iterations():
    settings = AlphaZero.flat(window_first=4, window=35)
    sizes = [settings.learning.window_at(number).generations for number in range(1, 101)]
    assert sizes[:6] == [4, 4, 5, 5, 6, 6]
    assert sizes[61:64] == [34, 35, 35]
    assert sizes[-1] == 35


@pytest.mark.parametrize("resumed", [False, True])
def test_a_window_of_positions_has_so_many_of_the_last_generations(tmp_path, resumed):
    """Generations of 3, 1, 4, 1, 5, 9, 2 positions; of the oldest that it reaches always the same are drawn."""
    window, played, seen = Window(1, positions=6), [], {}
    replay = Replay()
    replay.folder = RunFolder(tmp_path)
    for generation, count in enumerate([3, 1, 4, 1, 5, 9, 2], 1):
        replay.add(generation, examples(sum(map(len, played)), count), window)
        played.append(range(sum(map(len, played)), sum(map(len, played)) + count))
        if resumed:
            replay = Replay()
            replay.folder = RunFolder(tmp_path)
            replay.load(generation, window, SHAPES)
        found, whole = rows(replay, window), []
        for number, numbers in reversed(list(enumerate(played))):
            if len(whole) + len(numbers) > 6:
                drawn = set(found) - set(whole)
                assert len(drawn) == 6 - len(whole) and drawn <= set(numbers)
                assert drawn <= seen.setdefault(number, drawn)
                break
            whole = [*numbers, *whole]
        assert found[len(found) - len(whole) :] == whole and len(found) == min(6, sum(map(len, played)))
        assert sum(len(part) for part in replay.parts.values()) < 6 + 9


def test_a_window_of_positions_knows_openings_as_well_as_endings():
    """Self-play leaves the first moves of all games first: of 1,000 positions the last 200 are ends of games."""
    replay, window = Replay(), Window(1, positions=200)
    replay.add(1, examples(0, 1000), window)
    found = rows(replay, window)
    assert len(set(found)) == 200
    assert np.histogram(found, 5, (0, 1000))[0].min() > 20  # 40 on average, give or take 5


def test_what_the_last_checkpoint_needs_is_still_on_disk(tmp_path):
    """After a kill between the replay and the checkpoint the generation before is the last one."""
    for window in (Window(2), Window(1, positions=6)):
        replay, played = Replay(), 0
        replay.folder = RunFolder(tmp_path / repr(window))
        replay.folder.path.mkdir()
        for generation, count in enumerate([3, 1, 4, 1, 20, 1, 2], 1):
            before = rows(replay, window) if replay.parts else []
            replay.add(generation, examples(played, count), window)
            played += count
            again = Replay()
            again.folder = replay.folder
            again.load(generation - 1, window, SHAPES)
            assert (rows(again, window) if generation > 1 else []) == before
        assert len(list(replay.folder.path.glob("*.npz"))) <= 4


def test_a_run_with_a_window_of_positions_resumes_exactly(tmp_path):
    pytest.importorskip("torch")
    options = {"games": 8, "parallel": 8, "simulations": 8, "threads": 1, "device": "cpu", "blocks": 1}
    options |= {"channels": 8, "window_positions": 100, "samples": 64, "batch": 16, "episodes": 32}
    game = bl.game("tictactoe")
    bl.train(game, "alphazero", out=tmp_path / "whole", **options)
    bl.train(game, "alphazero", out=tmp_path / "broken", progress=lambda _: True, **options)
    bl.resume(tmp_path / "broken")
    assert RunFolder(tmp_path / "whole").fingerprint() == RunFolder(tmp_path / "broken").fingerprint()


def test_samples_are_drawn_once_and_seen_once_an_epoch():
    drawn = draw_rows(10_000, 500, 4096, 2.0, 64, np.random.default_rng(0))
    assert [len(step) for step in drawn] == [
        64
    ] * 128  # Church (2019): 4,096 samples, batches of 64, two epochs
    seen = np.concatenate(drawn)
    first, second = seen[:4096], seen[4096:]
    assert len(set(first.tolist())) == 4096
    assert sorted(first) == sorted(second)
    assert first.tolist() != second.tolist()
    assert first.min() < 1_000 and 9_000 < first.max() < 10_000  # from the whole window


def test_a_window_smaller_than_the_samples_is_learned_whole():
    drawn = draw_rows(100, 20, 4096, 3.0, 32, np.random.default_rng(0))
    assert [len(step) for step in drawn] == [32] * 10
    assert np.bincount(np.concatenate(drawn), minlength=100).min() >= 3
    assert draw_rows(128, 20, 4096, 1.0, 32, np.random.default_rng(0)).shape == (4, 32)
    assert draw_rows(100, 20, 4096, 0.1, 32, np.random.default_rng(0)).shape == (1, 32)
    assert [len(step) for step in draw_rows(5, 5, 4096, 1.0, 64, np.random.default_rng(0))] == [5]


def test_without_samples_an_epoch_is_as_many_positions_as_the_generation_brought():
    drawn = draw_rows(10_000, 640, None, 1.5, 64, np.random.default_rng(0))
    assert [len(step) for step in drawn] == [64] * 15
    assert np.concatenate(drawn).max() > 9_000  # of the whole window


def flat_names(settings):
    """The settings as users write them."""
    return SimpleNamespace(**values_of(settings))


def test_the_papers_nets_judge_one_leaf_at_a_time():
    for name in ("church", "wang"):
        chosen = preset(bl.game("connectfour"), name, "alphazero")
        chosen.pop("episodes")
        assert AlphaZero.checked(chosen).expression("R").endswith("iterations=100, solver=False)")


def test_churchs_preset_is_the_papers_list_of_defaults():
    """Church (2019), V-A and IV-G, for AZ-Res; 50 iterations of 100 episodes."""
    chosen = preset(bl.game("connectfour"), "church", "alphazero")
    church = flat_names(AlphaZero.checked({k: v for k, v in chosen.items() if k != "episodes"}))
    assert (church.net, church.blocks, church.head_filters, church.dropout) == ("res", 2, 2, 0.3)
    assert (church.optimiser, church.lr, church.batch, church.epochs) == ("adam", 0.01, 64, 2)
    assert (church.samples, church.games, church.simulations, church.cpuct) == (4096, 100, 100, 1)
    assert (church.noise, church.temperature_moves, church.one_hot) == (1.0, 18, True)
    assert (church.window_first, church.window, church.gate) == (4, 35, None)
    assert church.noise_fraction == 1 - 0.25  # its epsilon is the share of the priors
    assert (church.value_target, church.value_weight) == ("z", 1)
    assert preset(bl.game("connectfour"), "church", "alphazero")["episodes"] == 50 * 100
    pathwayz = preset(bl.game("pathwayz"), "church", "alphazero")
    assert (pathwayz["simulations"], pathwayz["noise"]) == (200, 0.3)
    assert not church.symmetries and not church.play_solver
    assert (church.play_simulations, pathwayz["play_simulations"]) == (100, 200)


def test_churchs_six_players_have_presets():
    """Church (2019), V-B; what differs from AZ-Res."""
    game = bl.game("connectfour")
    res = preset(game, "az-res", "alphazero")
    assert res == preset(game, "church", "alphazero")
    differs = {
        "az-conv": {"net": "conv"},
        "az-res6": {"blocks": 6},
        "az-resc": {"cpuct": 3.0, "play_cpuct": 3.0},
        "az-resdiff": {"dropout": 0.5, "batch": 128},
        "az-res32": {"head_filters": 32},
    }
    for name, changed in differs.items():
        chosen = preset(game, name, "alphazero")
        assert {key: value for key, value in chosen.items() if res.get(key) != value} == changed
    assert preset(bl.game("pathwayz"), "az-conv", "alphazero")["simulations"] == 200


def test_wangs_preset_is_their_table_1():
    chosen = preset(bl.game("connectfour", rows=6, cols=6), "wang", "alphazero")
    wang = flat_names(AlphaZero.checked({k: v for k, v in chosen.items() if k != "episodes"}))
    assert chosen["episodes"] == 100 * 50  # I, E
    assert (wang.games, wang.temperature_moves, wang.window, wang.epochs) == (50, 15, 20, 10)  # E, T', rs, ep
    assert wang.play_simulations == 100 and not wang.play_solver  # at the gate: "default MCTS"
    assert (wang.batch, wang.lr, wang.dropout, wang.simulations, wang.cpuct) == (64, 0.005, 0.3, 100, 1)
    assert (wang.gate_games, wang.gate, wang.noise_fraction, wang.value_target) == (40, 0.6, 0, "z")
    assert wang.one_hot  # alpha-zero-general's temperature of 0 is in what is learned, too
    assert wang.window_first == 20
    assert wang.samples >= 10**8  # an epoch is the whole buffer D


@pytest.mark.parametrize("name", ["church", "wang"])
def test_the_papers_have_one_number_of_searches_for_self_play_and_matches(name):
    """Table 3 of Wang et al. (2021) has m = 200 for Gobang, the gate included."""
    game = bl.game("gobang")
    for given, expected in (
        ({"simulations": 200}, 200),
        ({"simulations": 200, "play_simulations": 70}, 70),
        ({"play_simulations": 70}, 70),
    ):
        own = preset(game, name, "alphazero", given)
        own.pop("episodes")
        assert AlphaZero.merged(own, given).play.simulations == expected
    assert "play_simulations" not in preset(game, "default", "alphazero", {"simulations": 200})


@pytest.mark.parametrize("name", ["default", "church", "wang"])
def test_another_cpuct_than_the_presets_is_the_players_too(name):
    """Table 2 of Church (2019) varies C; the defaults explore more in self-play than where they play."""
    game = bl.game("connectfour")
    usual = preset(game, name, "alphazero").get("cpuct", AlphaZero().self_play.tree.cpuct)
    for given, expected in (
        ({"cpuct": 3.0}, 3),
        ({"cpuct": 3.0, "play_cpuct": 2.0}, 2),
        ({"cpuct": usual}, 1),
    ):
        own = preset(game, name, "alphazero", given)
        own.pop("episodes")
        assert AlphaZero.merged(own, given).play.tree.cpuct == expected


def test_a_policy_is_kept_without_its_zeros():
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((20, 9)) < 0.3, rng.random((20, 9)), 0).astype(np.float32)
    dense[4] = 0
    parts = [
        Examples(np.zeros((len(part), 1), np.int32), *sparse(part), *np.zeros((2, len(part), 1), np.float32))
        for part in (dense[:5], dense[5:5], dense[5:6], dense[6:])
    ]
    assert len({part.actions.shape[1] for part in parts}) > 1  # as wide as its fullest row
    whole = concatenate(parts)
    assert whole.actions.shape == whole.shares.shape == (20, np.count_nonzero(dense, axis=1).max())
    for row, actions, shares in zip(dense, whole.actions, whole.shares, strict=True):
        assert actions[actions >= 0].tolist() == np.flatnonzero(row).tolist()
        assert shares[actions >= 0].tolist() == row[row > 0].tolist() and (shares[actions < 0] == 0).all()


def test_a_file_with_actions_that_the_game_does_not_have_is_refused(tmp_path):
    replay = Replay()
    replay.folder = RunFolder(tmp_path)
    replay.add(1, examples(7, 3), Window(1))
    with pytest.raises(BoardLabError, match="actions are from -1 to 8"):
        replay.load(1, Window(1), {**SHAPES, "actions": ("<i4", 9), "shares": ("<f4", 9)})


def test_a_file_of_the_first_versions_is_read(tmp_path):
    policy = np.array([[0.25, 0, 0.75], [0, 0, 1]], np.float32)
    one = np.ones((2, 1), np.float32)
    RunFolder(tmp_path).write_arrays(
        "000001.npz", {"fields": one.astype(np.int32), "policy": policy, "z": one, "q": -one}
    )
    replay = Replay()
    replay.folder = RunFolder(tmp_path)
    shapes = {**SHAPES, "actions": ("|i1", 3), "shares": ("<f4", 3)}
    replay.load(1, Window(1), shapes)
    found = replay.everything(Window(1))
    assert found.actions.tolist() == [[0, 2], [2, -1]] and found.shares.tolist() == [[0.25, 0.75], [1, 0]]
    policy[0, 0] = np.nan
    RunFolder(tmp_path).write_arrays(
        "000001.npz", {"fields": one.astype(np.int32), "policy": policy, "z": one, "q": -one}
    )
    with pytest.raises(BoardLabError, match="is damaged: a share of an action is no number"):
        replay.load(1, Window(1), shapes)
