"""Rules over a flat state, run as Python: asked, checked, and as functions for the engine.

The engine calls them where the rules are not compiled. Where they are, they explain what went wrong: a
function that failed or gave a wrong answer is asked again here, for an error that names the line, the
function and the position.
"""

import ctypes
import inspect
import itertools
import math
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from boardlab import _engine
from boardlab.checks import is_number
from boardlab.errors import BoardLabError, described, shown
from boardlab.games.flat.abi import CHANGE, FAILED, SIGNATURES, function_type
from boardlab.games.flat.layout import Layout, Record
from boardlab.games.flat.rng import Rng

if TYPE_CHECKING:
    from boardlab.games.python import PythonGame

CHANGES = ("initial_state", "training_start", "apply", "conceal", "determinize", "symmetry")
"""Functions that change the state in place and return nothing."""
MAY_CHANGE = (*CHANGES, "apply_changes", "completions")
LISTS = (
    *("legal", "scores", "solve", "chance", "reward", "features", "observe", "board_vector", "completions"),
    *("feature_indices", "symmetry_cells", "apply_changes"),
)
"""Functions that yield several answers, or return them in a list, tuple or array."""
DRAWS = ("initial_state", "training_start", "sample_chance", "determinize")
"""Functions that get random numbers as their last argument."""
FREE_TO_IGNORE_RNG = ("initial_state", "training_start")
"""Those of them that may leave the argument out."""
MOST = 1 << 24
"""Answers after which a function that yields is stopped."""


class Uncompiled:
    """The rules of a game, asked in Python."""

    def __init__(self, rules: "PythonGame", layout: Layout, has: Collection[str]) -> None:
        self.rules, self.layout, self.name, self.has = rules, layout, rules.name, has
        self.players, self.actions, self.outcomes = rules.players, rules.action_count, rules.outcome_count
        self.lengths: dict[str, int] = {"scores": self.players, "reward": self.players, "solve": self.players}
        self.cell_values: Sequence[int] = ()
        self.plane_shape: tuple[int, ...] = (0, 0, 0)
        self._raised = threading.local()
        self._kept: list[Any] = []

    # ---- asking ----

    def ask(self, function: str, record: Record | None, *given: Any) -> Any:
        """Call a function of the rules; `given` are the numbers after the state."""
        call = getattr(self.rules, function)
        if function in DRAWS:
            *numbers, rng = given
            given = (*numbers, rng if isinstance(rng, Rng) else Rng(rng))
            if function in FREE_TO_IGNORE_RNG and takes(call) == 1:
                given = ()
        with np.errstate(over="ignore"):  # u8 wraps around, as in compiled rules
            if function == "symmetry_cells":
                answer = call(*given)
            elif function in ("symmetry", "symmetry_action", "reward"):
                answer = call(given[0], record, *given[1:])
            elif function == "completions":
                assert record is not None
                return [(record._to_bytes(), p) for p in itertools.islice(call(record, *given), MOST)]
            else:
                answer = call(record, *given)
            if isinstance(answer, np.ndarray) and function in LISTS:
                answer = answer.ravel().tolist()
            elif function in LISTS and answer is not None:
                answer = list(itertools.islice(answer, MOST))
        return answer

    def checked(self, function: str, record: Record | None, *given: Any) -> Any:
        """Call a function and check its answer; errors name the function and the position."""
        before = None if record is None or function in FREE_TO_IGNORE_RNG else record._copy()
        try:
            answer = self.ask(function, record, *given)
        except (Exception, SystemExit) as error:
            raise self._error(f"{_call(function, given)} failed: {described(error)}", before) from error
        wanted = self._wanted(function, before, answer)
        if wanted:
            said = "yield" if function in LISTS else "return"
            raise self._error(f"{_call(function, given)} must {said} {wanted}, not {_plain(answer)}", before)
        if function not in MAY_CHANGE and before is not None and record != before:
            raise self._error(f"{_call(function, given)} must not change the state", before)
        if function in (*CHANGES, "apply_changes") and function != "conceal":
            assert record is not None
            after = self.checked("player", record)
            if before is not None and not function.startswith("apply") and after != before._mover:
                raise self._error(f"{_call(function, given)} must not change who moves", before)
        return answer

    def _error(self, what: str, before: Record | None) -> BoardLabError:
        where = f", in the position {before!r}" if before is not None else ""
        return BoardLabError(f"{self.name}: {what}{where}")

    def _wanted(self, function: str, record: Record | None, answer: Any) -> str:
        """Say what the answer should have been; "" if it is right."""
        if function in CHANGES:
            return "" if answer is None else "nothing: it changes the state in place"
        if function in ("player", "sample_chance", "symmetry_action", "stage"):
            return self._wanted_number(function, answer)
        if function == "round_over":
            return "" if isinstance(answer, (bool, np.bool_, int)) else "True or False"
        if function == "moves_left":
            good = is_number(answer) and math.isfinite(answer) and answer >= 0
            return "" if good else "a number of at least 0"
        if function == "planes":
            good = np.shape(answer) == self.plane_shape and bool(np.isfinite(answer).all())
            return "" if good else f"an array of the shape {list(self.plane_shape)}"
        if function == "solve" and answer is None:
            return ""
        return self._wanted_list(function, record, answer)

    def _wanted_number(self, function: str, answer: Any) -> str:
        most = {
            "player": self.players,
            "sample_chance": self.outcomes,
            "symmetry_action": self.actions,
            "stage": self.rules.stages,
        }[function]
        also = {}
        if function == "player":
            also = {_engine.TERMINAL: " or boardlab.TERMINAL"}
            if self.outcomes:
                also = {_engine.CHANCE: ", boardlab.CHANCE", **also}
        if _is_whole(answer) and (0 <= answer < most or answer in also):
            return ""
        return f"a number from 0 to {most - 1}{''.join(also.values())}"

    def _wanted_list(self, function: str, record: Record | None, answer: list[Any] | None) -> str:
        if answer is None:  # also a function that neither yields nor returns
            answer = []
        if function == "legal":
            good = _all_whole(answer, 0, self.actions) and len(set(answer)) == len(answer) >= 1
            return (
                "" if good else f"the legal actions, at least one, each from 0 to {self.actions - 1} and once"
            )
        if function in ("chance", "completions"):
            return self._wanted_chances(function, answer)
        if function == "apply_changes":
            good = len(answer) <= len(self.cell_values) and all(map(self._is_change, answer))
            return "" if good else "(cell, value before, value after) for each cell that changes"
        if function == "observe":
            good = _all_whole(answer, 0, 256) and len(answer) <= self.rules.observation_size
            return "" if good else f"at most {self.rules.observation_size} numbers from 0 to 255"
        length = self.lengths[function]
        if function in ("board_vector", "symmetry_cells", "feature_indices"):
            limits = {
                "board_vector": self.cell_values,
                "symmetry_cells": [length] * length,
                "feature_indices": self.rules.feature_table_sizes,
            }[function]
            good = len(answer) == length and all(
                _is_whole(a) and 0 <= a < most for a, most in zip(answer, limits, strict=True)
            )
            return "" if good else f"{length} whole numbers, each from 0 to below its limit"
        if len(answer) != length or not all(is_number(a) and math.isfinite(a) for a in answer):
            return f"{length} finite numbers"
        if function == "scores" and record is not None and record._mover == _engine.TERMINAL:
            low, high = self.rules.score_range
            if not all(low - 1e-9 <= a <= high + 1e-9 for a in answer):
                return "numbers within score_range"
            if self.rules.is_zero_sum and self.players > 1 and abs(sum(answer)) > 1e-9:
                return "numbers that add up to 0 (or is_zero_sum is False)"
        return ""

    def _is_change(self, change: Any) -> bool:
        if not isinstance(change, tuple) or len(change) != 3 or not _all_whole(change, 0, 1 << 31):
            return False
        cell, *values = change
        return cell < len(self.cell_values) and all(value < self.cell_values[cell] for value in values)

    def _wanted_chances(self, function: str, answer: list[Any]) -> str:
        try:
            names, chances = zip(*answer, strict=True)
            good = all(p > 0 for p in chances) and abs(sum(chances) - 1) <= 1e-9
        except (TypeError, ValueError):
            good, names = False, ()
        if function == "completions":
            return "" if good else "the probabilities of the completions, which add up to 1"
        good = good and _all_whole(names, 0, self.outcomes) and len(set(names)) == len(names)
        most = self.outcomes - 1
        return (
            ""
            if good
            else f"pairs of an outcome from 0 to {most}, each once, and its probability, which add up to 1"
        )

    def playout(self, record: Record, rng: Rng, most: int, cut: bool = False) -> int:
        """Play random actions as compiled rules do; return their number."""
        who, count, cut = record._mover, 0, cut and "round_over" in self.has
        while count < most and who != _engine.TERMINAL:
            if cut and self.checked("round_over", record):
                break
            if who == _engine.CHANCE:
                action = self._draw(record, rng)
            else:
                actions = self.checked("legal", record)
                action = actions[rng.randrange(len(actions))]
                count += 1
            self.checked("apply", record, action)
            who = self.ask("player", record)
            record._settle(who)
        return count

    def _draw(self, record: Record, rng: Rng) -> int:
        if "sample_chance" in self.has:
            return int(self.checked("sample_chance", record, rng))
        outcomes, u = self.checked("chance", record), rng.random()
        for outcome, p in outcomes[:-1]:
            u -= p
            if u < 0:
                return int(outcome)
        return int(outcomes[-1][0])

    # ---- what the engine calls ----

    def explain(self, function: str, state: bytes | None, *given: Any) -> NoReturn:
        """Raise the error about a function that failed or gave a wrong answer."""
        raised, self._raised.error = getattr(self._raised, "error", None), None
        if raised is not None and not isinstance(raised, (Exception, SystemExit)):
            raise raised
        record = self.layout.empty() if state is None else self.layout.read(state)
        if function == "playout":
            word, most, cut = given
            self.playout(record, Rng(word), most, cut)
        else:
            self.checked(function, None if function == "symmetry_cells" else record, *given)
        if raised is not None:
            raise self._error(f"{function} failed: {described(raised)}", None) from raised
        before = None if state is None else self.layout.read(state)
        raise self._error(f"{_call(function, given)} fails compiled, but not in Python", before)

    def check(self, state: bytes) -> str | None:
        """Return what is impossible about a position, as the rules say."""
        return self.rules.check(self.layout.read(state))

    def keep(self, thing: Any) -> None:
        """Keep something alive as long as the game."""
        self._kept.append(thing)

    def functions(self, names: Collection[str]) -> dict[str, int]:
        """Return the addresses of functions that call the rules."""
        found = {}
        for name in names:
            made = function_type(name)(self._native(name))
            self.keep(made)
            found[name] = ctypes.cast(made, ctypes.c_void_p).value or 0
        return found

    def _native(self, name: str) -> Callable[..., int]:
        letters = SIGNATURES[name]

        def call(*raw: int) -> int:
            try:
                inputs, outputs, word = self._decoded(letters, raw)
                before = None if name in MAY_CHANGE or inputs[0] is None else inputs[0]._to_bytes()
                answer = self.ask(name, *inputs)
                if before is not None and inputs[0]._to_bytes() != before:
                    ctypes.memmove(raw[0], before, len(before))  # explain says so
                    return FAILED
                if word is not None:
                    rng = inputs[-1]
                    word.value = rng.word
                return self._write(name, inputs[0], answer, outputs)
            except BaseException as error:  # explain raises it
                self._raised.error = error
                return FAILED

        return call

    def _decoded(self, letters: str, raw: Sequence[int]) -> tuple[list[Any], list[int], Any]:
        """Read the arguments of a call: the inputs, the addresses of outputs, the word of random numbers."""
        inputs: list[Any] = []
        outputs: list[int] = []
        word = None
        for letter, value in zip(letters, raw, strict=True):
            if letter == "S" and not inputs:
                inputs.append(self.layout.at(value))
            elif letter == "R":
                word = ctypes.c_uint64.from_address(value)
                inputs.append(Rng(word.value))
            elif letter in "ig":
                inputs.append(value)
            else:
                outputs.append(value)
        if letters[0] != "S":
            inputs.insert(0, None)
        if letters == SIGNATURES["completions"]:
            outputs.insert(0, inputs.pop())  # the capacity
        return inputs, outputs, word

    def _write(self, name: str, record: Any, answer: Any, outputs: list[int]) -> int:
        """Write the answer to memory and return the function's number."""
        if name in CHANGES:
            if answer is not None:
                return FAILED
            return int(self.ask("player", record)) if name == "apply" else 0
        if name in ("player", "sample_chance", "symmetry_action", "stage", "round_over"):
            return int(answer)
        if name == "moves_left":
            ctypes.c_double.from_address(outputs[0]).value = answer
        elif name == "planes":
            planes = np.ascontiguousarray(answer, np.float32)
            if planes.shape != self.plane_shape:
                return FAILED
            ctypes.memmove(outputs[0], planes.ctypes.data, planes.nbytes)
        elif name == "solve":
            return 0 if answer is None else self._fill(name, answer, outputs[0]) or 1
        elif name == "completions":
            return self._write_completions(answer, outputs)
        elif name == "apply_changes":
            if len(answer) > len(self.cell_values):
                return FAILED
            changes = np.array(answer, np.dtype(CHANGE, align=True))
            ctypes.memmove(outputs[0], changes.ctypes.data, changes.nbytes)
            ctypes.c_int32.from_address(outputs[1]).value = self.ask("player", record)
            return len(answer)
        elif name == "chance":
            if len(answer) <= self.outcomes:
                (ctypes.c_int32 * len(answer)).from_address(outputs[0])[:] = [int(o) for o, _ in answer]
                (ctypes.c_double * len(answer)).from_address(outputs[1])[:] = [float(p) for _, p in answer]
            return len(answer)
        elif name in ("legal", "observe"):
            item, most = (
                (ctypes.c_int32, self.actions)
                if name == "legal"
                else (ctypes.c_uint8, self.rules.observation_size)
            )
            if len(answer) <= most:
                (item * len(answer)).from_address(outputs[0])[:] = _wholes(answer)
            return len(answer)
        else:
            return self._fill(name, answer, outputs[0])
        return 0

    def _fill(self, name: str, answer: list[Any], address: int) -> int:
        """Write a list of fixed length."""
        kinds: dict[str, Any] = {
            "board_vector": ctypes.c_uint8,
            "feature_indices": ctypes.c_int32,
            "symmetry_cells": ctypes.c_int32,
        }
        kind = kinds.get(name, ctypes.c_double)
        if len(answer) != self.lengths[name]:
            return FAILED
        if kind is ctypes.c_uint8 and not _all_whole(answer, 0, 256):
            return FAILED
        numbers = answer if kind is ctypes.c_double else _wholes(answer)
        (kind * len(answer)).from_address(address)[:] = numbers
        return 0

    def _write_completions(self, answer: list[tuple[bytes, float]], outputs: list[int]) -> int:
        capacity, states, p = outputs
        if len(answer) <= capacity:
            joined = b"".join(state for state, _ in answer)
            ctypes.memmove(states, joined, len(joined))
            (ctypes.c_double * len(answer)).from_address(p)[:] = [chance for _, chance in answer]
        return len(answer)


ARGUMENTS = {
    "apply": ("action",),
    "apply_changes": ("action", "player"),
    "symmetry": ("g",),
    "symmetry_cells": ("g",),
    "symmetry_action": ("g", "action"),
    "reward": ("reward",),
} | dict.fromkeys(
    (
        *("board_vector", "planes", "features", "feature_indices"),
        *("conceal", "determinize", "observe", "completions"),
    ),
    ("player",),
)
"""The names of the numbers that functions get; random numbers are not among them."""


def _call(function: str, given: Sequence[Any]) -> str:
    """Return a call as messages show it: apply(action=3)."""
    numbers = zip(ARGUMENTS.get(function, ()), given, strict=False)
    shown = ", ".join(f"{name}={number}" for name, number in numbers)
    return f"{function}({shown})" if shown else function


def _plain(answer: Any) -> str:
    """Return an answer as messages show it, without numpy's types."""
    if isinstance(answer, (list, tuple)):
        answer = [item.item() if isinstance(item, np.generic) else item for item in answer]
    return shown(answer.item() if isinstance(answer, np.generic) else answer)


def takes(call: Callable[..., Any]) -> int:
    """Return how many arguments a function takes."""
    return len(inspect.signature(call).parameters)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _all_whole(values: Sequence[Any], low: int, below: int) -> bool:
    return all((_is_whole(v) or isinstance(v, (bool, np.bool_))) and low <= v < below for v in values)


def _wholes(values: Sequence[Any]) -> list[int]:
    """Return the values as whole numbers; numbers with a fraction raise a TypeError."""
    return [v.__index__() if not isinstance(v, np.bool_) else int(v) for v in values]
