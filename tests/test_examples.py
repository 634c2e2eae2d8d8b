"""The examples: their rules against independent truths, and each at a small budget."""

import random
import re
import runpy
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.testing import check_game

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
GAMES = {
    "breakthrough": "breakthrough",
    "dots_and_boxes": "dots",
    "pig": "pig",
    "hex_reversi": "hexreversi",
    "goofspiel": "goofspiel",
}
"""Compiled games: file and name."""


def load(file, **parameters):
    """The rules of an example, run as Python: compiling each would take seconds."""
    found = runpy.run_path(str(EXAMPLES / f"{file}.py"))
    name = GAMES[file]
    bl.register_game(compiled=True, debug=True)(
        next(kind for kind in found.values() if getattr(kind, "name", "") == name)
    )
    return bl.game(name, **parameters)


SMALL = {
    "breakthrough": {"size": 4},
    "dots_and_boxes": {"rows": 1, "cols": 2, "players": 3},
    "pig": {"goal": 8, "players": 3},
    "hex_reversi": {"side": 2},
    "goofspiel": {"size": 3},
}


@pytest.mark.parametrize("file", GAMES)
def test_the_rules_pass_the_kit(file):
    check_game(load(file, **SMALL[file]), games=1)


@pytest.mark.slow
@pytest.mark.parametrize("file", [*GAMES, "own_learner", "c_game/chomp"])
def test_an_example_trains_and_measures(file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = runpy.run_path(str(EXAMPLES / f"{file}.py"))
    found["measure"](episodes=50, games=4)
    assert capsys.readouterr().out.count("\n") >= 3


def test_a_game_in_c_and_a_learner_train_and_measure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / "c_game" / "chomp.py"))["measure"](episodes=50_000, games=200)
    *_, agent, _ = capsys.readouterr().out.splitlines()
    assert float(re.search(r"optimal: ([\d.]+)", agent)[1]) > 0.7
    runpy.run_path(str(EXAMPLES / "own_learner.py"))["measure"](episodes=50, games=4)
    assert "td-net" in capsys.readouterr().out


# ---- rules ----


def test_breakthrough_has_the_perft_counts_of_openspiel():
    """More of them, compiled: test_tutorial.py. On less than six rows OpenSpiel has fewer pieces."""
    assert perft(load("breakthrough", size=6).initial_state(), 2) == 256


def perft(state, depth):
    if depth == 0 or state.is_terminal:
        return depth == 0
    return sum(perft(child, depth - 1) for _, child in state.children())


def test_dots_and_boxes_agrees_with_plain_rules():
    for rows, cols, players in ((1, 1, 2), (2, 3, 2), (2, 2, 3)):
        game = load("dots_and_boxes", rows=rows, cols=cols, players=players)
        for seed in range(2):
            rng, state = random.Random(seed), game.initial_state()
            drawn, boxes, mover = set(), [0] * players, 0
            squares = [
                {("h", r, c), ("h", r + 1, c), ("v", r, c), ("v", r, c + 1)}
                for r in range(rows)
                for c in range(cols)
            ]
            lines = [("h", r, c) for r in range(rows + 1) for c in range(cols)]
            lines += [("v", r, c) for r in range(rows) for c in range(cols + 1)]
            while not state.is_terminal:
                assert state.player == mover
                assert state.legal_actions() == [i for i, line in enumerate(lines) if line not in drawn]
                action = rng.choice(state.legal_actions())
                state.apply(action)
                drawn.add(lines[action])
                closed = sum(lines[action] in square and square <= drawn for square in squares)
                boxes[mover] += closed
                mover = mover if closed else (mover + 1) % players
            assert len(drawn) == len(lines) and sum(boxes) == rows * cols
            best = [player for player in range(players) if boxes[player] == max(boxes)]
            pay = [players / len(best) - 1 if player in best else -1 for player in range(players)]
            assert state.scores == pytest.approx(pay)


def test_pig_is_worth_what_value_iteration_finds():
    """With two points to win, by hand: a roll wins with 5/6; else the other is in the same place: x = 5/6 + (1-x)/6."""
    state = load("pig", goal=2).initial_state()
    assert bl.agent("expectimax(depth=9)", state.game).act(state).values[0] == pytest.approx(
        2 * (6 / 7) - 1, abs=1e-3
    )


def test_hex_reversi_agrees_with_plain_rules():
    steps = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)]
    for side in (2, 3):
        game, reach = load("hex_reversi", side=side), range(1 - side, side)
        places = [(r, c) for r in reach for c in reach if abs(r + c) < side]
        rng, state = random.Random(side), game.initial_state()
        discs = {step: i % 3 for i, step in enumerate(steps)}
        for turn in range(len(places) - 6):
            own = turn % 3
            turned = {place: captured(discs, place, own, steps) for place in places if place not in discs}
            best = [place for place, taken in turned.items() if taken]
            if not best:
                best = [(r, c) for r, c in turned if any((r + a, c + b) in discs for a, b in steps)]
            assert state.player == own and [places[a] for a in state.legal_actions()] == sorted(best)
            action = rng.choice(state.legal_actions())
            state.apply(action)
            discs |= dict.fromkeys([places[action], *turned[places[action]]], own)
            assert state.fields[: len(places)] == [discs.get(place, -1) + 1 for place in places]
        counts = [list(discs.values()).count(player) for player in range(3)]
        best = [player for player in range(3) if counts[player] == max(counts)]
        assert state.is_terminal
        assert list(state.scores) == [3 / len(best) - 1 if p in best else -1 for p in range(3)]


def captured(discs, place, own, steps):
    """The discs that turn over, walking outwards from the new one."""
    found = []
    for a, b in steps:
        line, (r, c) = [], (place[0] + a, place[1] + b)
        while discs.get((r, c), own) != own:
            line.append((r, c))
            r, c = r + a, c + b
        found += line if (r, c) in discs else []
    return found


def test_random_goofspiel_is_as_exploitable_as_openspiel_says():
    assert bl.evaluate("random", load("goofspiel", size=3), "exploitability").value == pytest.approx(-2 / 3)


def test_chomp_is_lost_where_it_is_known_to_be(tmp_path):
    """Two rows are lost for whoever must move if the lower is one shorter (Gale 1974)."""
    pytest.importorskip("ctypes")
    runpy.run_path(str(EXAMPLES / "c_game" / "chomp.py"))
    game = bl.game("chomp", rows=2, cols=5)
    check_game(game, games=2)
    agent = bl.agent("alphabeta(depth=10)", game)
    for top in range(2, 6):
        for below in range(top + 1):
            state = game.from_fields([top, below, 0, 0])
            assert (max(agent.act(state).values.values()) < 0) == (below == top - 1)
    with pytest.raises(bl.BoardLabError, match="a bar of one piece is no game"):
        bl.game("chomp", rows=1, cols=1)


# ---- beside OpenSpiel ----


@pytest.mark.parametrize(
    ("file", "parameters", "theirs"),
    [
        ("breakthrough", {"size": 6}, "breakthrough(rows=6,columns=6)"),
        ("dots_and_boxes", {"rows": 2, "cols": 3}, "dots_and_boxes(num_rows=2,num_cols=3)"),
        ("pig", {"goal": 20}, "pig(winscore=20)"),
        ("pig", {"goal": 15, "players": 3}, "pig(winscore=15,players=3)"),
        (
            "goofspiel",
            {},
            "turn_based_simultaneous_game(game=goofspiel(num_cards=4,points_order=random,returns_type=win_loss))",
        ),
    ],
)
def test_random_games_agree_with_openspiel(file, parameters, theirs):
    pyspiel = pytest.importorskip("pyspiel")
    game, other_game = load(file, **parameters), pyspiel.load_game(theirs)
    for seed in range(5):
        rng, ours, other = random.Random(seed), game.initial_state(), other_game.new_initial_state()
        while not other.is_terminal():
            assert not ours.is_terminal
            if other.is_chance_node():
                assert ours.player == bl.CHANCE
                assert dict(ours.chance_outcomes()) == pytest.approx(dict(other.chance_outcomes()))
                outcome = rng.choice(other.chance_outcomes())[0]
                ours.apply(outcome)
                other.apply_action(outcome)
                continue
            assert ours.player == other.current_player()
            names = {spelled(file, other, a): a for a in other.legal_actions()}
            assert {spelled(file, ours, a) for a in ours.legal_actions()} == names.keys()
            action = rng.choice(ours.legal_actions())
            name = spelled(file, ours, action)
            ours.apply(action)
            other.apply_action(names[name])
        while not ours.is_terminal:  # Goofspiel's last round is forced, and theirs skips it
            (action,) = ours.legal_actions()
            ours.apply(action)
        assert ours.scores == pytest.approx(other.returns())


def spelled(file, state, action):
    if file != "breakthrough":
        return action
    if isinstance(state, bl.State):
        return state.action_text(action)
    return state.action_to_string(action).replace("*", "").translate(str.maketrans("123456", "654321"))


# ---- the files ----


def test_every_example_is_short_and_on_the_page():
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    files = [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("c_game/*.py"), *EXAMPLES.glob("c_game/*.c")]
    for file in files:
        assert f"(../examples/{file.relative_to(EXAMPLES).as_posix()})" in page, file
    short = [file for file in files if file.stem != "ppo_connectfour"]
    assert [file.name for file in short if len(file.read_text(encoding="utf-8").splitlines()) >= 150] == []
