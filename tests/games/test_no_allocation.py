"""No game allocates in apply or legal: malloc is counted while games are played, in a process of its own."""

import os
import shutil
import subprocess
import sys

import pytest

COUNTER = """
#include <stddef.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static long count;
long allocations(void) { return count; }
void *malloc(size_t n) { ++count; return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { ++count; return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { ++count; return __libc_realloc(p, n); }
"""
PROGRAM = """
import ctypes
import boardlab as bl
from boardlab import _engine
from boardlab.games.registry import GAMES

allocations = ctypes.CDLL(None).allocations
allocations.restype = ctypes.c_long

def counted(work):
    work()
    before = allocations()
    work()
    return allocations() - before

for name, rules in GAMES.items():
    for variant in rules.variants:
        core = bl.game(name, **variant).core
        # Ten times the games, and many more positions, must cost the same allocations: those of the call itself.
        few, many = (counted(lambda n=n: _engine.random_games(core, n, 1)) for n in (2, 20))
        state = core.initial_state(1)
        shallow, deep = (counted(lambda d=d: _engine.perft(state, d)) for d in (1, 2))
        print(name, variant, few, many, shallow, deep, sep=";")
"""


def test_playing_allocates_nothing(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux") or "LD_PRELOAD" in os.environ:
        pytest.skip("needs a C compiler, glibc, and nothing else in front of malloc")
    source, library = tmp_path / "count.c", tmp_path / "count.so"
    source.write_text(COUNTER)
    if subprocess.run([compiler, "-O1", "-shared", "-fPIC", str(source), "-o", str(library)]).returncode:
        pytest.skip("this C library hides its malloc")
    environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONMALLOC": "pymalloc"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    lines = [line.split(";") for line in run.stdout.splitlines()]
    assert len(lines) > 40
    for name, variant, few, many, shallow, deep in lines:
        assert few == many, f"{name} {variant}: random games allocate"
        # One more level of perft is one more frame: its state and its list of actions.
        assert int(deep) - int(shallow) <= 4, f"{name} {variant}: apply or legal allocates"
