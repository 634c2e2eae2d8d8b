"""Every learner with every game: it learns, or says in a sentence why it cannot."""

import pytest

import boardlab as bl
from boardlab.learners import LEARNERS
from boardlab.learners.train import prepare

GAMES = {
    "tictactoe": [{}],
    "connectfour": [{}, {"rows": 4, "cols": 5, "connect": 3}],
    "othello": [{}, {"size": 4}],
    "gobang": [{}, {"rows": 4, "cols": 4, "k": 3}],
    "nim": [{}, {"heaps": (2, 3)}, {"heaps": (2, 3), "players": 3}],
    "sim": [{}, {"nodes": 4}, {"nodes": 5, "players": 3}],
    "hex": [{}, {"size": 2}],
    "yavalath": [{}, {"side": 2}, {"side": 3, "players": 3}],
    "ewn": [{}, {"size": 3}, {"size": 6, "players": 3}],
    "2048": [{}, {"size": 2}, {"size": 3}],
    "blackjack": [{}],
    "rubiks": [{}, {"size": 2, "twists": 2}, {"size": 3, "twists": 1}],
    "morpion": [{}],
    "pathwayz": [{}, {"rows": 3, "cols": 4}],
    "kuhnpoker": [{}],
    "leducpoker": [{}],
    "poker": [{}],
}
SMALL = {
    "alphazero": {"blocks": 1, "channels": 4, "head_filters": 1, "hidden": 8, "games": 1, "parallel": 1,
                  "simulations": 2, "batch": 4},
    "td-ntuple": {"tuples": 2, "length": 2},
    "sarsa-ntuple": {"tuples": 2, "length": 2},
    "q-ntuple": {"tuples": 2, "length": 2},
    "q-table": {"memory_mb": 1},
    "qm": {"memory_mb": 1},
    "davi": {"tuples": 2, "length": 2},
    "davi-net": {"first": 8, "width": 8, "blocks": 1},
    "random-walk": {"first": 8, "width": 8, "blocks": 1},
}  # fmt: skip
PAIRS = [(learner, name, given) for learner in LEARNERS for name in GAMES for given in GAMES[name]]


def test_no_game_is_forgotten():
    assert set(GAMES) == set(bl.games())


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_preset_of_every_game_fits_or_is_refused(learner):
    for name, variants in GAMES.items():
        for given in variants:
            game = bl.game(name, **given)
            for preset in ("default", "paper", "church", "wang", "ranked"):
                try:
                    prepared = prepare(game, learner, preset=preset, exam_games=2)
                    prepared.settings.check_game(game)
                    prepared.settings.table_bytes(game, 0)
                except bl.BoardLabError as error:
                    assert str(error)


def learn(folder, learner, name, given):
    game = bl.game(name, **given)
    try:
        run = bl.train(game, learner, episodes=1, out=folder, exams=[], **SMALL.get(learner, {}))
    except bl.BoardLabError as error:
        assert str(error)
        return False
    agent = run.agent()
    assert agent is not None
    return True


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "alphazero"])
def test_a_few_of_them_learn(tmp_path, learner):
    """The others are slow; AlphaZero's have tests of their own."""
    for name, given in (
        ("nim", {"heaps": (2, 3)}),
        ("2048", {"size": 2}),
        ("rubiks", {"size": 2, "twists": 2}),
    ):
        learn(tmp_path / name, learner, name, given)


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "name", "given"), PAIRS)
def test_all_of_them_learn_or_are_refused(tmp_path, learner, name, given):
    learn(tmp_path / "run", learner, name, given)


def test_a_small_2048_is_no_puzzle(tmp_path):
    with pytest.raises(bl.BoardLabError, match="davi"):
        bl.train(bl.game("2048", size=2), "davi", episodes=10, out=tmp_path / "run")
