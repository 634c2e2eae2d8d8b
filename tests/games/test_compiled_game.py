"""Rules compiled with numba: the same answers, the same messages, no crash, and a cache."""

import os
import subprocess
import sys
from pathlib import Path

import flat_games
import numpy as np
import pytest
from test_flat_game import TRAPS, spring

import boardlab as bl
from boardlab.apart import CheckFailedError, check_apart
from boardlab.games.flat import _asked, source_of
from boardlab.games.flat.compiler import Compiled, _reason
from boardlab.games.flat.rng import Rng
from boardlab.testing import check_game

numba = pytest.importorskip("numba")


def compiled(kind, **parameters):
    bl.register_game(compiled=True)(kind)
    return bl.game(kind.name, **parameters)


@pytest.fixture
def wide():
    return compiled(flat_games.Wide)


def test_compiled_rules_pass_the_kit_and_play(wide):
    check_game(wide, games=5, perft={1: 4, 2: 12})
    assert bl.match(wide, ["mcts(iterations=50)", "random"], games=4, threads=2).games == 4


@pytest.mark.parametrize("trap", TRAPS)
def test_a_fault_that_acceptance_missed_is_explained(wide, trap, capfd):
    """The traps lie where no random game comes: the compiled code itself must notice them."""
    says, asked = TRAPS[trap]
    with pytest.raises(bl.BoardLabError) as error:
        spring(wide, trap, asked)
    assert says in str(error.value) and f"trap={trap}" in str(error.value)
    assert "ignored" not in capfd.readouterr().err


@pytest.mark.parametrize("trap", (2, 3, 4, 5, 6))
def test_a_fault_in_a_playout_names_the_position(wide, trap, capfd):
    state = wide.from_fields([0] * 4 + [trap, 0, -1])
    with pytest.raises(bl.BoardLabError, match=f"(legal|apply).*trap={trap}"):
        bl.agent("mc(iterations=4)", wide).act(state)
    assert "ignored" not in capfd.readouterr().err


def test_compiled_rules_that_do_not_return_are_stopped_by_the_kit(wide):
    """Python cannot stop them: the kit asks them in a process of its own."""
    looping = wide.from_fields([0] * 4 + [10, 0, -1])
    with pytest.raises(CheckFailedError, match=r"the function legal does not return within 0\.3 seconds"):
        check_apart(wide, lambda game: game.from_fields(looping.fields).legal_actions(), patience=0.3)


def test_playouts_are_those_of_the_uncompiled_rules(wide):
    asked, _ = _asked(wide.rules)
    for seed in range(20):
        state = wide.initial_state()
        record = asked.layout.read(state.core.to_bytes())
        count = state.core.playout(seed, 4)
        assert asked.playout(record, Rng(_derived(seed, 3)), 4) == count
        assert record._to_bytes() == state.core.to_bytes()


def _derived(seed, index):
    """derive_seed of engine/core/rng.h."""
    mix = Rng(seed ^ 0x5851F42D4C957F2D)
    return Rng(mix._next() + index * 0xD1342543DE82EF95)._next()


def test_compiled_code_is_found_again(wide):
    code = Compiled(wide.name, source_of(wide.rules))
    assert code.is_accepted
    module = code.load()
    assert module.native_apply.cache_hits == 1


@pytest.mark.slow
def test_damaged_code_is_compiled_again(wide):
    code = Compiled(wide.name, source_of(wide.rules))
    for file in code.file.parent.glob(f"__pycache__/{code.file.stem}.*.nbc"):
        file.write_bytes(b"junk")
    assert code.load().native_apply.cache_hits == 0
    assert code.load().native_apply.cache_hits == 1


def test_the_cache_knows_all_that_the_rules_call(wide, monkeypatch):
    def file():
        return Compiled("wide", source_of(wide.rules)).file

    before = file()
    assert file() == before
    monkeypatch.setattr(flat_games.Line, "weights", (1, 3))  # a constant
    assert file() != before
    monkeypatch.undo()
    monkeypatch.setattr(flat_games, "turned", lambda_free)  # a function of the module
    assert file() != before
    monkeypatch.undo()
    assert Compiled("wide", source_of(bl.game("wide", length=4).rules)).file == before
    assert file() == before


def lambda_free(value, by=1):
    return by + value


def changed(monkeypatch, name, function):
    monkeypatch.setattr(flat_games.Wide, name, function, raising=False)
    with pytest.raises(bl.BoardLabError) as error:
        compiled(flat_games.Wide)
    return str(error.value)


class Switches(bl.PythonGame):
    """Switch on lamps; a field of True and False, and functions that numba lacks."""

    name = "switches"
    state = (("on", "b1", (3,)), ("count", "i1"))
    action_count = horizon = 3

    def initial_state(self, s):
        s.count = 0

    def player(self, s):
        return bl.TERMINAL if all(s.on) else s.count % 2

    def legal(self, s):
        for lamp in reversed(range(3)):
            if not any([s.on[lamp], False]):
                yield lamp

    def apply(self, s, action):
        s.on[action] = True
        s.count += 1

    def scores(self, s):
        return (1, -1) if all(lamp for lamp in reversed(s.on)) else (0, 0)

    def pieces(self, s):
        return s.on


def test_fields_of_truth_values_and_functions_that_numba_lacks():
    state = compiled(Switches).initial_state()
    for lamp in (2, 0, 1):
        assert lamp in state.legal_actions()
        state.apply(lamp)
    assert state.is_terminal and state.scores.tolist() == [1, -1]


TABLE = {"a": 1}


def deeper(n):
    return deeper(n - 1) + 1 if n else 0


def test_functions_that_numpy_writes_in_python_are_those_of_numba(monkeypatch):
    def board_vector(self, s, player):
        kept = np.full(self.length, 1) + np.ones(self.length, np.int64) - 2
        for cell in range(self.length):
            yield kept[cell]

    monkeypatch.setattr(flat_games.Wide, "board_vector", board_vector)
    text = source_of(flat_games.Wide()).text
    assert "kept = np.full(self_length" in text.replace("const_", "") and "+ np.ones(" in text
    assert "return kept_(out_, answers_)" in text  # the name of a variable hides no function


def test_numba_s_reason_is_never_a_line_of_the_rules():
    said = """Failed in nopython mode pipeline (step: nopython frontend)
Invalid use of BoundFunction(array.item for readonly array(int64, 1d, C)) with parameters (int64)

During: typing of call at rules.py (90)

File "rules.py", line 90:
def rules_apply(s, action):
    <source elided>
        elif s.moves == 2:
            s.moves = TABLE.item(s.moves)
            ^
"""
    assert _reason(said) == "array.item takes no arguments of the types (int64)"


def test_what_cannot_be_compiled_is_named_with_its_line(monkeypatch):
    def uses_a_dictionary(self, s):
        return TABLE["a"]

    def uses_self(self, s):
        return hash(self) % 2

    def changes_self(self, s):
        self.length = 3
        return 0

    def misspelt(self, s):
        return self.lenght if s.moves > 99 else 0

    def calls_itself(self, s):
        return deeper(s.moves)

    def indexes_flat(self, s):
        return s.cells.flat[s.moves]

    for function, says in (
        (calls_itself, "compiled functions cannot call themselves, as deeper does"),
        (indexes_flat, "compiled rules do not index .flat, which numba does not check"),
        (uses_a_dictionary, "TABLE is a dict: compiled rules use numbers, tuples, arrays and functions"),
        (uses_self, "compiled rules use self only as in self.NAME"),
        (changes_self, "cannot assign to field 'length'"),
        (misspelt, "Wide has neither a parameter nor a function lenght"),
    ):
        monkeypatch.setattr(flat_games.Wide, "player", function)
        with pytest.raises(bl.BoardLabError) as error:
            source_of(flat_games.Wide())
        assert says in str(error.value) and "test_compiled_game.py, line " in str(error.value)


def test_a_mistake_that_python_does_not_reach_is_named_with_its_line(monkeypatch):
    def written(self, s):
        s.moves = 0
        if s.trap == 99:
            s.mover = 1

    says = changed(monkeypatch, "initial_state", written)
    assert says.startswith("wide cannot be compiled: ") and "test_compiled_game.py, line " in says


@pytest.mark.slow
def test_rules_that_differ_when_compiled_are_not_accepted(monkeypatch):
    """Numbers of Python have no end, those of compiled rules have 64 bits."""

    def overflowing(self, s):
        return 1 if 2**62 * (4 + 4 * s.moves) else 0

    says = changed(monkeypatch, "moves_left", overflowing)
    assert "was not accepted: moves_left gives 0.0 compiled and 1.0 in Python" in says


def test_broken_rules_are_found_before_they_are_compiled(monkeypatch):
    def unturned(self, g, s, action):
        return action

    monkeypatch.setattr(Compiled, "load", lambda self: pytest.fail("compiled"))
    says = changed(monkeypatch, "symmetry_action", unturned)
    assert "was not accepted" in says and "symmetry 1" in says and "fields:" in says


@pytest.mark.slow
def test_a_game_that_uses_every_function_is_compiled():
    game = compiled(flat_games.Everything)
    check_game(game, games=30, perft={1: 3, 2: 9, 3: 45, 4: 180})
    agents = ["ismcts(iterations=20)", "mcts(iterations=20)"]
    found = bl.match(game, agents, games=10, seed=3)
    bl.register_game(compiled=True, debug=True)(flat_games.Everything)
    assert bl.match(bl.game("everything"), agents, games=10, seed=3).records == found.records


TRAINED = """
import sys
sys.path.insert(0, {here!r})
import flat_games
import boardlab as bl
bl.register_game(compiled=True)(flat_games.Line)
"""


@pytest.mark.slow
def test_worker_processes_rebuild_the_game(tmp_path):
    plugin = tmp_path / "plugin.py"
    plugin.write_text(TRAINED.format(here=str(Path(flat_games.__file__).parent)))
    command = [sys.executable, "-m", "boardlab", "--plugin", str(plugin), "train", "line"]
    words = ["--episodes", "200", "--runs", "2", "--jobs", "2", "--out", str(tmp_path / "run")]
    done = subprocess.run([*command, *words], env=dict(os.environ), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("run*/**/agent.toml"))) == 2
