"""Rules over a declared state, run as Python: checked, and explained in the author's words."""

import importlib.util
import pickle

import flat_games
import numpy as np
import pytest

import boardlab as bl
from boardlab.errors import BoardLabWarning
from boardlab.games.flat import record_of
from boardlab.games.flat.layout import layout_of
from boardlab.games.flat.rng import Rng
from boardlab.testing import ConformanceError, check_game


def debugged(kind, **parameters):
    bl.register_game(compiled=True, debug=True)(kind)
    return bl.game(kind.name, **parameters)


@pytest.fixture
def everything():
    return debugged(flat_games.Everything)


@pytest.fixture
def line():
    return debugged(flat_games.Line)


def test_a_game_that_uses_every_function_passes(everything):
    check_game(everything, perft={1: 3, 2: 9, 3: 45, 4: 180})
    assert everything.outcomes == ["score", "ends"] and everything.core.stages == 2
    assert everything.core.feature_table_sizes == [5] and everything.core.feature_count == 2


def test_it_plays_as_the_same_game_in_c(everything):
    """The last card against one that is 1 as often as 2 and 3 together: 3 - 1.75, as in test_testing."""
    state = everything.initial_state()
    for outcome in (2, 0, 1):
        state.apply(outcome)
    assert set(bl.agent("expectimax(depth=4)", everything).act(state).values.values()) == {1.25}
    assert [p for _, p in state.seen_by(0).completions(0)] == [0.5, 0.25, 0.25]
    assert state.solve() is not None and state.solve()[0] == 2


def test_fields_of_every_type_read_back(everything):
    state = everything.initial_state(seed=5)
    for outcome in (2, 0, 1):
        state.apply(outcome)
    state.apply(4)
    assert everything.from_text(state.to_text()) == state
    assert pickle.loads(pickle.dumps(state)) == state
    record = record_of(everything.rules, state)
    assert record.played == 0.5 and record.odd is True and record.card.tolist() == [3, 1]
    assert isinstance(record.seed, np.uint64) and isinstance(record.card[0], int)
    with pytest.raises(bl.BoardLabError, match=r"card\[1\] must be from -128 to 127, not 300"):
        everything.from_fields([1, 300, *state.fields[2:]])
    with pytest.raises(bl.BoardLabError, match="no game leads there"):
        everything.from_fields([1, 2, 9, *state.fields[3:]])


def test_text_and_names_get_the_state(everything):
    state = everything.initial_state()
    assert state.to_text().startswith("..... cards 0 0") and state.action_text(1) == "b"


TRAPS = {
    1: ("player must return a number from 0 to 1 or boardlab.TERMINAL, not 5", None),
    2: ("legal must yield the legal actions, at least one, each from 0 to 3 and once, not [4]", "legal"),
    3: ("legal must yield the legal actions", "legal"),
    4: ("apply(action=1) failed: ", "apply"),
    5: ("ZeroDivisionError", "apply"),
    6: ("ValueError: a trap", "apply"),
    7: ("scores must yield 2 finite numbers, not [nan, nan]", "scores"),
    8: ("board_vector(player=0) must yield 4 whole numbers", "board_vector"),
    9: ("symmetry_action(g=1, action=1) must return a number from 0 to 3, not -1", "symmetry"),
}
"""By the value of `trap`: what the message says, and the function to ask."""


def spring(game, trap, asked):
    state = game.from_fields([0] * 4 + [trap, 0, -1])
    if asked == "legal":
        state.legal_actions()
    elif asked == "apply":
        state.apply(1)
    elif asked == "scores":
        _ = game.from_fields([1, 2, 1, 2, trap, 4, 1]).scores
    elif asked == "board_vector":
        state.board_vector()
    elif asked == "symmetry":
        state.core.symmetry_action(1, 1)


@pytest.mark.parametrize("trap", TRAPS)
def test_a_wrong_answer_names_function_and_position(line, trap):
    says, asked = TRAPS[trap]
    with pytest.raises(bl.BoardLabError) as error:
        spring(line, trap, asked)
    assert str(error.value).startswith(f"line: {says.partition('failed')[0]}") or says in str(error.value)
    assert f"trap={trap}" in str(error.value) and "cells=[[" in str(error.value)
    if asked == "apply":
        assert "flat_games.py, line " in str(error.value)


def test_a_state_that_failed_is_unchanged(line):
    state = line.from_fields([0] * 4 + [6, 0, -1])
    before = state.fields
    with pytest.raises(bl.BoardLabError):
        state.apply(0)
    assert state.fields == before


def leave(self, s, action):
    raise SystemExit("enough")


def marked(self, s):
    s.moves += 1
    return [0]


@pytest.mark.parametrize(
    ("name", "function", "says"),
    (
        (
            "scores",
            lambda self, s: None,
            "scores must yield 2 finite numbers, not None, in the position cells=",
        ),
        ("legal", marked, "legal must not change the state, in the position cells=[[0], [0], [0], [0]], "),
        ("apply", leave, "line 9: SystemExit: enough, in the position cells="),
        (
            "symmetry_action",
            lambda self, g, s, action: action,
            "in\ncells=[[0], [0], [0], [0]], trap=0, moves=0",
        ),
    ),
)
def test_a_mistake_is_shown_with_the_names_of_the_fields(line, monkeypatch, name, function, says):
    monkeypatch.setattr(flat_games.Line, name, function)
    with pytest.raises((bl.BoardLabError, ConformanceError)) as error:
        check_game(bl.game("line"))
    assert says.replace("line 9", f"line {leave.__code__.co_firstlineno + 1}") in str(error.value)


def test_ctrl_c_in_the_rules_passes_through(line, monkeypatch):
    def interrupted(self, s, action):
        raise KeyboardInterrupt

    monkeypatch.setattr(flat_games.Line, "apply", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bl.match(bl.game("line"), ["random", "mcts(iterations=5)"], games=2)


def test_numbers_that_do_not_fit_are_refused():
    record = layout_of("g", [("small", "i1"), ("cells", "u1", 3), ("share", "f4")]).empty()
    with pytest.raises(OverflowError, match=r"small \(i1\) cannot hold 200"):
        record.small = 200
    with pytest.raises(TypeError, match="small is a whole number"):
        record.small = 0.5
    with pytest.raises(OverflowError):
        record.cells[0] = -1
    with pytest.raises(TypeError, match=r"whole numbers cannot hold 0\.5"):
        record.cells[0] = 0.5
    with pytest.raises(IndexError):
        record.cells[3] = 1
    with pytest.raises(AttributeError, match=r"cells\[:\] ="):
        record.cells = 1
    with pytest.raises(AttributeError, match="no field sell; it has small, cells, share"):
        record.sell = 1
    record.cells[:] = 250
    assert record.cells[0] + 10 == 260 and repr(record) == "small=0, cells=[250, 250, 250], share=0.0"


def test_a_field_of_truth_values_holds_nothing_else():
    record = layout_of("g", [("on", "b1", 2)]).empty()
    record.on[:] = [1, 0]
    record.on[1] = True
    assert list(record.on) == [True, True]
    with pytest.raises(TypeError, match="a field of True and False cannot hold 2"):
        record.on[0] = 2


def test_properties_are_computed_once(line, monkeypatch):
    calls = []

    class Counted(flat_games.Line):
        """A line."""

        name = "counted"

        @property
        def steps(self):
            calls.append(1)
            return np.arange(2 * self.length)

    state = debugged(Counted).initial_state()
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert len(calls) == 1
    assert bl.game("counted", length=3).rules.steps.size == 6 and len(calls) == 2


def test_no_name_of_a_position_hides_a_field():
    names = ("mover", "copy", "settle", "to_bytes", "fields", "record")
    record = layout_of("g", [(name, "i4") for name in names]).empty()
    for number, name in enumerate(names):
        setattr(record, name, number + 1)
    assert [getattr(record, name) for name in names] == [1, 2, 3, 4, 5, 6] and record._mover == 0


@pytest.mark.parametrize(
    "state",
    [
        5,
        [],
        [("cells",)],
        [("cells", "i3")],
        [("a b", "i1")],
        [("a", "i1"), ("a", "i1")],
        [("a", "i1", (0,))],
    ],
)
def test_a_wrong_declaration_is_refused(state):
    with pytest.raises(bl.BoardLabError, match="state must be a list of fields"):
        layout_of("g", state)


def test_returning_a_new_state_is_refused(line, monkeypatch):
    monkeypatch.setattr(flat_games.Line, "apply", lambda self, s, action: s)
    with pytest.raises(bl.BoardLabError, match=r"apply.* must return nothing: it changes the state in place"):
        bl.game("line").initial_state().apply(0)


def test_rules_that_never_return_are_stopped(monkeypatch):
    def stuck(self, s):
        while s.moves >= 1:
            pass
        return super(flat_games.Wide, self).player(s)

    monkeypatch.setattr(flat_games.Wide, "player", stuck)
    game = debugged(flat_games.Wide)
    with pytest.raises(ConformanceError, match=r"test_flat_game.py, line \d+: the rules do not return"):
        check_game(game, patience=0.1)


def test_without_numba_rules_run_uncompiled_and_say_so(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "numba" else found(name))
    bl.register_game(compiled=True)(flat_games.Line)
    with pytest.warns(BoardLabWarning, match=r"runs uncompiled.* pip install 'boardlab\[numba\]'"):
        game = bl.game("line")
    check_game(game, games=2)


def test_compiled_rules_need_a_state():
    class Stateless(bl.PythonGame):
        name = "stateless"
        initial_state = player = legal = apply = scores = flat_games.Line.player

    with pytest.raises(bl.BoardLabError, match="compiled rules need a declared state"):
        bl.register_game(compiled=True)(Stateless)


def test_random_numbers_are_those_of_the_contract():
    """splitmix64 from 0: the first outputs of the reference implementation."""
    rng = Rng(0)
    assert [rng._next() for _ in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert all(3 <= rng.randint(3, 5) <= 5 and 0 <= rng.random() < 1 for _ in range(100))
