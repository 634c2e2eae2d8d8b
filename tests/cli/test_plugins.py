"""Plugins that commands run: named in the environment, and with neighbours."""

import os
import subprocess
import sys

import pytest

GAME = """
import boardlab as bl
from brk import STONES

@bl.register_game
class Few(bl.PythonGame):
    name = "few"
    action_count = 1
    def initial_state(self, rng): return (STONES,)
    def player(self, position): return position[0] % 2 if position[0] else bl.TERMINAL
    def legal(self, position): return [0]
    def apply(self, position, action): return (position[0] - 1,)
    def scores(self, position): return (0, 0)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "few.py").write_text(GAME)
    (tmp_path / "brk.py").write_text("STONES = 3\n")
    return tmp_path


def boardlab(*words, **environment):
    command = [sys.executable, "-m", "boardlab", *words]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)


def test_a_plugin_imports_the_files_beside_it_and_is_named_in_the_environment(folder):
    done = boardlab("games", "few", BOARDLAB_PLUGINS=str(folder / "few.py"))
    assert done.returncode == 0 and "few" in done.stdout and not done.stderr


def test_a_named_plugin_that_fails_does_not_stop_other_commands(folder):
    (folder / "brk.py").write_text("STONES = 3 / 0\n")
    done = boardlab("games", "nim", BOARDLAB_PLUGINS=f"{folder / 'few.py'}{os.pathsep}{folder / 'gone.py'}")
    assert done.returncode == 0 and "nim" in done.stdout
    first, second = done.stderr.splitlines()
    assert "few.py failed in line 3: ZeroDivisionError" in first and "there is no file" in second
