"""Every game in which nothing is hidden can be learned, for one, two and three players, with chance and without."""

import json

import numpy as np
import pytest

import boardlab as bl
from boardlab import _engine
from boardlab.errors import BoardLabError

torch = pytest.importorskip("torch")

from boardlab.learners.alphazero.self_play import play_games  # noqa: E402
from boardlab.learners.alphazero.settings import AlphaZero  # noqa: E402
from boardlab.nets.stored import load_net, net_description  # noqa: E402
from boardlab.runs import RunFolder  # noqa: E402
from tests.nets.dense import policies  # noqa: E402

GAMES = {
    "tictactoe": [{}],
    "connectfour": [{"rows": 4, "cols": 5, "connect": 3}],
    "othello": [{"size": 4}],
    "gobang": [{"rows": 4, "cols": 4, "k": 3}],
    "nim": [{"heaps": (2, 3)}, {"heaps": (2, 3), "players": 3}],
    "sim": [{"nodes": 5}, {"nodes": 5, "players": 3}],
    "hex": [{"size": 3}],
    "yavalath": [{"side": 3}, {"side": 3, "players": 3}],
    "ewn": [{"size": 3}, {"size": 6, "players": 3}],
    "2048": [{"size": 2}],
    "blackjack": [{}],
    "rubiks": [{"size": 2, "twists": 2}],
    "morpion": [{}],
    "pathwayz": [{"rows": 3, "cols": 4}],
}
HIDDEN = ("kuhnpoker", "leducpoker", "poker")
CASES = [
    pytest.param(
        name,
        parameters,
        id=f"{name}{parameters.get('players', '')}",
        marks=pytest.mark.slow if name == "morpion" else (),  # a head with millions of weights
    )
    for name, variants in GAMES.items()
    for parameters in variants
]


def test_no_game_is_forgotten():
    assert {*GAMES, *HIDDEN} == set(bl.games())


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_a_generation_of_every_game(tmp_path, name, parameters):
    game = bl.game(name, **parameters)
    small = {"blocks": 1, "channels": 4, "head_filters": 2, "hidden": 8, "games": 3, "parallel": 3}
    if name == "morpion":  # thousands of actions
        small |= {"head_filters": 1, "games": 1, "parallel": 1}
    run = bl.train(
        game,
        "alphazero",
        episodes=small["games"],
        out=tmp_path / "run",
        simulations=2,
        batch=8,
        threads=1,
        device="cpu",
        **small,
    )
    (told,) = [json.loads(line) for line in (run.path / "generations.jsonl").read_text().splitlines()]
    assert np.isfinite([told["policy_loss"], told["value_loss"]]).all()
    folder = RunFolder(run.path)
    net, (low, high) = load_net(folder, folder.read_agent("alphazero"))
    assert low < high
    state = game.initial_state(1)
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(1))
    values, logits = net.eval()(torch.from_numpy(state.planes(state.player))[None])
    assert values.shape == (1, 1 if game.players == 2 else game.players)
    assert logits.shape == (1, game.action_count)
    assert run.agent().act(state).action in state.legal_actions()


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_cards_are_refused(tmp_path, name):
    with pytest.raises(BoardLabError, match=f"nothing is hidden, not {name}"):
        bl.train(bl.game(name), "alphazero", out=tmp_path / "run")


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_targets_have_the_signs_of_their_seats(name, parameters):
    """Values of a known judge and results of known games, for whoever is to move."""
    game = bl.game(name, **parameters)
    values = net_description(game, AlphaZero().net)["values"]

    def judge(planes, legal):
        return np.zeros((len(planes), values), np.float32), np.zeros(legal.shape, np.float32)

    settings = AlphaZero.flat(games=6, parallel=2, simulations=4, temperature_moves=10**6)
    if name == "morpion":
        settings = AlphaZero.flat(games=2, parallel=2, simulations=2, temperature_moves=10**6)
    examples, counts = play_games(
        game, judge, settings.self_play, settings.self_play.simulations, values, seed=7, threads=1
    )
    low, high = game.score_range
    assert len(examples) == counts.moves == len(examples.z) == len(examples.actions)
    low += game.core.step_reward * game.horizon
    assert (examples.z >= low).all() and (examples.z <= high).all()
    seats = set()
    for fields, policy, z in zip(examples.fields, policies(examples, game), examples.z, strict=True):
        state = game.from_fields(fields.tolist())
        seats.add(state.player)
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert set(np.flatnonzero(policy)) <= set(state.legal_actions())  # nothing illegal is learned
        # Where every action ends the game with the same scores, they are the target, the mover's first.
        ends = [child for _, child in state.children()] if not game.has_chance else []
        if ends and all(child.is_terminal for child in ends):
            vectors = {tuple(child.scores) for child in ends}
            if len(vectors) == 1:
                scores = vectors.pop()
                turned = [scores[(state.player + k) % game.players] for k in range(values)]
                turned[0] += game.core.step_reward
                assert z.tolist() == pytest.approx(turned)
    assert seats == set(range(game.players))


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_turned_positions_keep_legal_actions_and_their_shares(name, parameters):
    """What learning sees of a turned position: planes of the turned state, and the policy's shares on its actions."""
    game = bl.game(name, **parameters)
    state = game.initial_state(3)
    rng = np.random.default_rng(2)
    for _ in range(2):
        while state.player == bl.CHANCE:
            state.apply(state.sample_chance(int(rng.integers(2**62))))
        if state.is_terminal:
            state = game.initial_state(3)
            continue
        state.apply(int(rng.choice(state.legal_actions())))
    while state.player == bl.CHANCE:
        state.apply(state.sample_chance(int(rng.integers(2**62))))
    if state.is_terminal:
        pytest.skip("over after two actions")
    count = min(game.symmetries, 48)
    fields = np.tile(np.array(state.fields, np.int32), (count, 1))
    planes, legal, images = _engine.encode(game.core, fields, np.arange(count, dtype=np.uint64), "planes")
    for g in range(count):
        turned = state.symmetry(g)
        assert np.array_equal(planes[g], turned.planes(turned.player))
        assert np.flatnonzero(legal[g]).tolist() == sorted(turned.legal_actions())
        assert sorted(images[g, state.legal_actions()].tolist()) == sorted(turned.legal_actions())


def test_what_actions_cost_is_part_of_the_target():
    """Cubes one after the other: solved, the last position expects its score and one twist, those before more.

    A cube that is given up counts as what its last search expected, and not as a fixed number.
    """
    game = bl.game("rubiks", twists=2)
    settings = AlphaZero.flat(games=30, parallel=1, simulations=4, temperature_moves=9, episode_limit=5)

    def judge(planes, legal):
        return np.full((len(planes), 1), 0.7, np.float32), np.zeros(legal.shape, np.float32)

    examples, counts = play_games(game, judge, settings.self_play, 4, 1, seed=2, threads=1)
    cost, at = game.core.step_reward, 0
    z, q = examples.z[:, 0], examples.q[:, 0]
    assert cost < 0 and set(counts.scores) == {0.0, 1.0}
    for score in counts.scores:
        length = 5
        if score == 1:
            length = next(n for n in range(1, 6) if z[at + n - 1] == pytest.approx(1 + cost))
        last = 1 + cost if score == 1 else q[at + length - 1]
        wanted = [last + cost * n for n in range(length - 1, -1, -1)]
        assert z[at : at + length].tolist() == pytest.approx(wanted)
        at += length
    assert at == len(z)


def test_a_game_that_is_cut_counts_as_its_last_search_expected():
    game = bl.game("connectfour")
    settings = AlphaZero.flat(games=4, parallel=2, simulations=4, episode_limit=4, noise_fraction=0)

    def judge(planes, legal):
        return np.full((len(planes), 1), 0.9, np.float32), np.zeros(legal.shape, np.float32)

    examples, counts = play_games(game, judge, settings.self_play, 4, 1, seed=1, threads=1)
    assert counts.scores == [0.0] * 4 and len(examples) == 16
    # The player of the last search, and of every second position before it, expects the same; the other the opposite.
    last = float(examples.q[-1, 0])
    assert last != 0 and sorted(set(np.round(examples.z[:, 0], 5).tolist())) == pytest.approx(
        sorted({-last, last})
    )


def test_with_rounds_the_target_is_what_the_rest_of_the_round_brings():
    game = bl.game("blackjack", rounds=12)
    settings = AlphaZero.flat(games=3, parallel=1, simulations=8, temperature_moves=99)

    def judge(planes, legal):
        return np.zeros((len(planes), 1), np.float32), np.zeros(legal.shape, np.float32)

    examples, counts = play_games(game, judge, settings.self_play, 8, 1, seed=2, threads=1)
    states = [game.from_fields(row) for row in examples.fields.tolist()]
    ends = [(state.fields[0], state.scores[0] + z) for state, z in zip(states, examples.z[:, 0], strict=True)]
    followed = several = 0
    for (number, end), (after, next_end), next_state in zip(ends, ends[1:], states[1:], strict=False):
        if after == number:  # all positions of a round lead to the same score
            assert end == next_end
            several += 1
        if after == number + 1:  # with which the next one begins
            assert end == next_state.scores[0]
            followed += 1
    assert several > 5 and followed > 20
    last = [here for here, after in zip(ends, [*ends[1:], (0, 0)], strict=True) if after[0] < here[0]]
    assert len(last) == 3 and any(number == 11 for number, _ in last)
    assert all(number < 11 or end == score for (number, end), score in zip(last, counts.scores, strict=True))
    assert (
        np.abs(examples.q).max() < 3 and np.unique(examples.q).size > 5
    )  # the search, too, looks at the round
