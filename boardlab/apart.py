"""Check a compiled library in a process of its own: its crash, or endless loop, is a report and not our end.

The functions of the library are guarded there (engine/core/guard.h), so that a write beyond what a function
is given is noticed. The process notes the position and the function in memory that it shares with this one.
"""

import contextlib
import faulthandler
import json
import mmap
import os
import select
import signal
import struct
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from boardlab import _engine
from boardlab.errors import BoardLabError, described
from boardlab.games.game import Game

NOTE = 64
"""Bytes for the guard's note: calls (8), function (4), argument (4)."""
ROOM = 1 << 16
"""Bytes for the note, the length of the position's text, and the text."""

ARGUMENTS = {
    "action": ("apply", "apply_changes", "symmetry_action"),
    "player": ("conceal", "observe", "determinize", "completions", "board_vector", "planes", "features"),
    "symmetry": ("symmetry", "symmetry_cells"),
    "cell": ("cell_values", "adjacency"),
}
"""What the argument of a function is, where it says something."""

WAYS = {
    signal.SIGSEGV: "it used memory that is not its own (SIGSEGV)",
    signal.SIGBUS: "it used memory that is not its own (SIGBUS)",
    signal.SIGFPE: "it divided by zero (SIGFPE)",
    signal.SIGABRT: "it aborted, or has damaged the heap (SIGABRT)",
    signal.SIGILL: "it reached an instruction that is none (SIGILL)",
    signal.SIGKILL: "it was killed, maybe for its memory (SIGKILL)",
}


class CheckFailedError(Exception):
    """What the check found, in words."""


@dataclass
class _Memory:
    """What the two processes share."""

    map: mmap.mmap

    @property
    def note(self) -> Any:
        return np.frombuffer(self.map, np.uint8, NOTE)

    @property
    def calls(self) -> int:
        return int(struct.unpack_from("<Q", self.map, 0)[0])

    @property
    def function(self) -> str:
        """The function that runs, with its argument; "" between two calls."""
        index, argument = struct.unpack_from("<ii", self.map, 8)
        names = _engine.guarded_functions()
        if not self.calls or not 0 <= index < len(names):
            return ""
        what = next((word for word, known in ARGUMENTS.items() if names[index] in known), "")
        return f"{names[index]} of {what} {argument}" if what else str(names[index])

    def see(self, text: str) -> None:
        """Keep the text of a position."""
        content = text.encode(errors="replace")[: ROOM - NOTE - 4]
        self.map[NOTE + 4 : NOTE + 4 + len(content)] = content
        struct.pack_into("<I", self.map, NOTE, len(content))

    @property
    def text(self) -> str:
        (length,) = struct.unpack_from("<I", self.map, NOTE)
        return self.map[NOTE + 4 : NOTE + 4 + length].decode(errors="replace")

    @property
    def where(self) -> str:
        return f", in\n{self.text}" if self.text else ""


def check_apart(game: Game, check: Callable[[Game], None], patience: float) -> None:
    """Run a check on the game with guarded functions, in another process where the system can fork.

    Raises `CheckFailedError` for what it finds; warnings of the check are given here. `seen_apart` tells it
    the positions.
    """
    memory = _Memory(mmap.mmap(-1, ROOM))
    if not hasattr(os, "fork"):
        with _told(memory):
            check(_guarded(game, memory))
        return
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads: the child does not need them
        child = os.fork()
    if child == 0:
        _be_the_child(game, check, memory, writing)
    os.close(writing)
    try:
        answer = _answer(reading, child, memory, patience)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    _, status = os.waitpid(child, 0)
    if not answer:
        raise CheckFailedError(f"{_end_of(status, memory)}{memory.where}")
    found = json.loads(answer)
    for text in found["warnings"]:
        warnings.warn(text, stacklevel=4)
    if found["error"]:
        raise CheckFailedError(found["error"])


_MEMORY: list[_Memory] = []
"""In the process of a check: the memory that it shares."""


def seen_apart(text: Callable[[], str]) -> None:
    """Keep a position for the report, if this is the process of a check."""
    if _MEMORY:
        with contextlib.suppress(BoardLabError):  # the check itself will meet it
            _MEMORY[-1].see(text())


@contextlib.contextmanager
def _told(memory: _Memory) -> Iterator[None]:
    _MEMORY.append(memory)
    try:
        yield
    finally:
        _MEMORY.pop()


def _guarded(game: Game, memory: _Memory) -> Game:
    return Game.of_core(game.rules, _engine.guarded_game(game.core, memory.note))


def _be_the_child(game: Game, check: Callable[[Game], None], memory: _Memory, writing: int) -> NoReturn:
    """Check, send what was found, and end without the clean-up of the process that this one is a copy of."""
    status = 1
    try:
        faulthandler.disable()
        _engine.end_without_clean_up()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
        found: dict[str, Any] = {"error": ""}
        with warnings.catch_warnings(record=True) as warned, _told(memory):
            warnings.simplefilter("always")
            try:
                check(_guarded(game, memory))
            except BaseException as error:
                found["error"] = _said(error, game, memory)
        found["warnings"] = [str(warning.message) for warning in warned]
        content = json.dumps(found).encode()
        while content:
            content = content[os.write(writing, content) :]
        status = 0
    finally:
        os._exit(status)


def _said(error: BaseException, game: Game, memory: _Memory) -> str:
    """Describe what a check raised, with the position."""
    if isinstance(error, AssertionError):  # of the kit, which has named the position
        return str(error)
    text = str(error).removeprefix(f"{game.name}: ") if isinstance(error, BoardLabError) else described(error)
    return f"{text}{memory.where}"


def _answer(reading: int, child: int, memory: _Memory, patience: float) -> bytes:
    """Read until the process ends; end it when a function does not return."""
    content, calls, since = b"", -1, time.monotonic()
    while True:
        ready, _, _ = select.select([reading], [], [], min(0.2, patience))
        if ready:
            part = os.read(reading, 1 << 16)
            if not part:
                return content
            content += part
        if memory.calls != calls:
            calls, since = memory.calls, time.monotonic()
        elif time.monotonic() - since > patience and (function := memory.function):
            raise CheckFailedError(
                f"the function {function} does not return within {patience:g} seconds{memory.where}"
            )


def _end_of(status: int, memory: _Memory) -> str:
    """Say how the process ended that sent no answer."""
    function = memory.function
    who = f"the function {function} ended the process" if function else "the library ended the process"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"{who}: {WAYS.get(signal.Signals(number), signal.Signals(number).name)}"
    return f"{who}: it called exit"
