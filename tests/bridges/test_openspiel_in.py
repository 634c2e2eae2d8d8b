"""OpenSpiel's games played as games of BoardLab, step by step beside OpenSpiel."""

import pickle
import random
import sys

import numpy as np
import pytest
from commands import output

import boardlab as bl
from boardlab.errors import MissingPackageError
from boardlab.games import openspiel
from boardlab.testing import check_game

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("open_spiel.python.games")

KINDS = {kind.short_name: kind for kind in pyspiel.registered_games()}
SEQUENTIAL = [
    name
    for name, kind in KINDS.items()
    if kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    and kind.default_loadable
    and not name.startswith("boardlab_")
]
REFUSED = {
    "bridge_uncontested_bidding": "draws its chance events itself",
    "negotiation": "draws its chance events itself",
    "stones_and_gems": "draws its chance events itself",
    "tarok": "draws its chance events itself",
    "crossword": "needs 1 to 8 players and an action",
}
# Their declared facts are wrong by default.
BROKEN = ("chat_game",)
SMALL = (
    "tic_tac_toe",
    "breakthrough(rows=4,columns=4)",
    "clobber(rows=3,columns=4)",
    "dots_and_boxes",
    "mancala",
    "pig(winscore=10)",
    "catch",
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "phantom_ttt",
    "lewis_signaling",
)


@pytest.fixture(autouse=True)
def _states_are_forgotten():
    yield
    openspiel.rules._MADE.clear()


def test_most_sequential_games_load_by_default() -> None:
    assert len(SEQUENTIAL) >= 85


def walk(name: str, steps: int) -> None:
    """Play a random game on both sides, and compare every position."""
    game, spiel = bl.game(f"openspiel:{name}"), pyspiel.load_game(name)
    rng = random.Random(1)
    ours, theirs = game.initial_state(), spiel.new_initial_state()
    for _ in range(steps):
        assert ours.is_terminal == theirs.is_terminal()
        assert ours.scores.tolist() == pytest.approx(theirs.returns())
        if theirs.is_terminal():
            break
        if theirs.is_chance_node():
            assert ours.player == bl.CHANCE
            chances = dict(ours.chance_outcomes())
            assert chances.keys() == {o for o, p in theirs.chance_outcomes() if p > 0}
            action = rng.choices(list(chances), list(chances.values()))[0]
        else:
            assert ours.player == theirs.current_player()
            assert ours.legal_actions() == sorted(theirs.legal_actions())
            action = rng.choice(ours.legal_actions())
            if KINDS[name].provides_observation_tensor:
                seen = np.asarray(theirs.observation_tensor(ours.player), np.float32)
                assert np.array_equal(ours.planes(ours.player).ravel()[: seen.size], seen)
        ours.apply(action)
        theirs.apply_action(action)
    assert game.from_fields(ours.fields) == ours
    for player in range(game.players):
        seen = ours.seen_by(player)
        if ours.player == player:
            assert seen.legal_actions() == ours.legal_actions()
        if game.core.plane_shape[0]:
            assert np.array_equal(seen.planes(player), ours.planes(player))


@pytest.mark.bridge
@pytest.mark.parametrize("name", [name for name in SEQUENTIAL if name not in (*REFUSED, *BROKEN)])
def test_every_game_is_played_move_by_move_as_by_openspiel(name: str) -> None:
    walk(name, 60)


@pytest.mark.parametrize("name", ["connect_four", "backgammon", "leduc_poker", "2048"])
def test_games_are_played_move_by_move_as_by_openspiel(name: str) -> None:
    walk(name, 60)


@pytest.mark.parametrize("name", SMALL)
def test_small_games_pass_the_conformance_kit(name: str) -> None:
    check_game(bl.game(f"openspiel:{name}"), games=3)


@pytest.mark.bridge
@pytest.mark.parametrize("name", ["hearts", "crazy_eights", "dark_hex", "battleship", "hanabi", "skat"])
def test_what_is_hidden_is_drawn_to_fit_what_was_seen(name: str) -> None:
    game = bl.game(f"openspiel:{name}")
    rng = random.Random(2)
    state = game.initial_state()
    acted = 0
    while acted < 8:
        if state.player != bl.CHANCE:
            acted += 1
        state.apply(rng.choice(state.legal_actions()))
    while state.player == bl.CHANCE:
        state.apply(state.legal_actions()[0])
    player = state.player
    seen = state.seen_by(player)
    drawn = [seen.determinize(player, seed) for seed in range(4)]
    assert all(full.seen_by(player) == seen for full in drawn)
    assert len({full.core.to_bytes() for full in drawn}) > 1


def test_drawn_histories_keep_to_the_rules() -> None:
    """What hearts itself draws often does not."""
    game = bl.game("openspiel:hearts")
    rng = random.Random(2)
    state = game.initial_state()
    for _ in range(80):
        state.apply(rng.choice(state.legal_actions()))
    for seed in range(6):
        fields = state.seen_by(state.player).determinize(state.player, seed).fields
        replayed = pyspiel.load_game("hearts").new_initial_state()
        for action in type(game.rules).histories.actions(tuple(fields)):
            assert action in replayed.legal_actions()
            replayed.apply_action(action)


def test_a_long_search_does_not_lose_the_view_it_began_with() -> None:
    game = bl.game("openspiel:leduc_poker")
    type(game.rules).views._most = 1
    state = game.initial_state()
    state.apply(0)
    state.apply(2)
    seen = state.seen_by(0)
    for seed in range(10):
        child = seen.determinize(0, seed)
        child.apply(1)
        child.seen_by(seed % 2)


@pytest.mark.parametrize(("name", "why"), REFUSED.items())
def test_a_game_that_cannot_be_carried_says_why(name: str, why: str) -> None:
    with pytest.raises(bl.BoardLabError, match=why):
        bl.game(f"openspiel:{name}")


def test_wrong_names_are_refused_in_a_sentence() -> None:
    for name, message in (
        ("brakthrough", 'unknown game of OpenSpiel "brakthrough"; did you mean "breakthrough"?'),
        ("breakthrough(row=6)", 'unknown parameter of OpenSpiel\'s breakthrough "row"; did you mean "rows"?'),
        ("goofspiel", "its players act at the same time"),
        ("breakthrough(rows=6", "a bracket is missing in"),
        ("breakthrough(rows=6)7", "nothing may follow the last bracket of"),
        ("hex(board_size=-3)", "OpenSpiel cannot make"),
        ("breakthrough(rows=99999999999)", "OpenSpiel cannot make"),
        ("misere()", "OpenSpiel cannot make"),
        ("misere(game=brakthrough())", 'unknown game of OpenSpiel "brakthrough"; did you mean'),
        ("misere(game=hex(size=5))", 'unknown parameter of OpenSpiel\'s hex "size"'),
        ("misere(game=goofspiel())", "its players act at the same time"),
        ("mfg_crowd_modelling", "its players act at the same time or as a crowd"),
        ("", "unknown game of OpenSpiel"),
    ):
        with pytest.raises(bl.BoardLabError) as told:
            bl.game(f"openspiel:{name}")
        assert message in str(told.value)
    with pytest.raises(bl.BoardLabError, match="rows"):
        bl.game("openspiel:breakthrough", rows=6)


@pytest.mark.parametrize(
    "name",
    [
        "turn_based_simultaneous_game(game=goofspiel(num_cards=4))",
        "turn_based_simultaneous_game(game=python_iterated_prisoners_dilemma(max_game_length=5))",
        "misere(game=tic_tac_toe())",
        "start_at(game=tic_tac_toe(),history=0;1)",
        "restricted_nash_response(game=kuhn_poker())",
    ],
)
def test_games_made_of_other_games_are_played(name: str) -> None:
    game = bl.game(f"openspiel:{name}")
    check_game(game, games=2)
    openspiel.rules._MADE.clear()
    assert bl.game(game.name).name == game.name


def test_one_game_has_one_name_and_travels_as_it() -> None:
    short, full = (
        bl.game("openspiel:breakthrough(columns=6,rows=6)"),
        bl.game("openspiel:breakthrough(rows=6,columns=6)"),
    )
    assert short == full and hash(short) == hash(full) and short.name == full.name
    assert pickle.loads(pickle.dumps(short)) == short
    state = short.initial_state()
    state.apply(state.legal_actions()[0])
    assert pickle.loads(pickle.dumps(state)) == state


def test_hostile_fields_are_refused() -> None:
    game = bl.game("openspiel:tic_tac_toe")
    size = game.core.field_count
    start = game.initial_state().fields
    for fields in (
        [-1] + [0] * (size - 1),
        [99] + [0] * (size - 1),
        [2, 0, *start[2:]],  # the same cell twice
        [0, 1, *start[2:]],
        [1, -5, *start[2:]],
    ):
        with pytest.raises(bl.BoardLabError):
            game.from_fields(fields)


def test_one_hot_planes_are_cells() -> None:
    game = bl.game("openspiel:tic_tac_toe")
    state = game.initial_state()
    for action in (4, 0, 8):
        state.apply(action)
    assert game.core.cells == 9 and len(set(state.board_vector())) == 3
    assert state.board_vector()[4] == state.board_vector()[8] != state.board_vector()[0]
    assert len(game.core.adjacency()[4]) == 8
    kuhn = bl.game("openspiel:kuhn_poker").core
    assert kuhn.cells < 7  # bits of which one is set are one cell


def test_one_hot_rows_are_cells() -> None:
    game = bl.game("openspiel:pig(winscore=30)")
    assert game.core.cell_values() == [32, 32, 32, 3]  # turn total and scores from 0 to 30; who acts


def test_a_cell_tells_who_acts_where_players_do_not_take_turns() -> None:
    pig = bl.game("openspiel:pig(winscore=30)")
    state, other = pig.initial_state(), pig.initial_state()
    state.apply(0)  # roll: nature is next
    other.apply(1)  # stop: the opponent is
    assert [state.board_vector()[-1], other.board_vector()[-1]] == [2, 1]
    boxes = bl.game("openspiel:dots_and_boxes").core
    assert boxes.cells == 28 and set(boxes.adjacency()[27]) == set(range(27))
    assert bl.game("openspiel:breakthrough(rows=6,columns=6)").core.cells == 36
    assert bl.game("openspiel:mancala").core.cells == 16  # its tensor tells who acts


def test_agents_search_and_learn(tmp_path) -> None:
    game = bl.game("openspiel:breakthrough(rows=4,columns=4)")
    run = bl.train(game, episodes=150, out=tmp_path / "run", seed=1, exams=[])
    result = bl.match(game, [run.expression, "random"], games=40, seed=1)
    assert result.wins[0] >= 28
    assert bl.match(game, ["mcts(rollout, iterations=40)", "random"], games=10, seed=1).wins[0] >= 8
    poker = bl.game("openspiel:leduc_poker")
    assert bl.match(poker, ["ismcts(iterations=20)", "random"], games=4, seed=1).games == 4


def test_records_and_the_command_line_take_them(tmp_path) -> None:
    name = "openspiel:tic_tac_toe"
    output("match", name, "alphabeta(depth=9)", "random", "--games", "4", "--save", tmp_path / "g.pgn")
    records = bl.read_records(tmp_path / "g.pgn")
    assert len(records) == 4 and records[0].game.name == name
    assert "Tic Tac Toe, from OpenSpiel" in output("games", name)


def test_a_missing_package_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingPackageError, match=r"boardlab\[openspiel\]"):
        bl.game("openspiel:go")
