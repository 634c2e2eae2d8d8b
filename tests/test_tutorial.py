"""The tutorial on a game of one's own, done as written."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "tutorial_own_game.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"<!-- (run|file|add to) ?(\S*) -->\n(?:```python\n(.*?)```|((?:    [^\n]*\n)+))", re.DOTALL
)


def test_the_steps_build_the_example():
    written = "".join(code for _, file, code, _ in STEP.findall(PAGE) if file == "breakthrough.py")
    assert written in (ROOT / "examples" / "breakthrough.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_step_works_and_the_agent_wins(tmp_path):
    pytest.importorskip("numba")
    said = ""
    steps = STEP.findall(PAGE)
    assert len(steps) == 8
    for kind, file, code, commands in steps:
        if kind == "run":
            for command in map(str.strip, commands.splitlines()):
                program, *words = shlex.split(command)
                if program == "boardlab":
                    done = run(*words, cwd=tmp_path)
                else:
                    assert program == "python"
                    done = subprocess.run(
                        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True
                    )
                assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
                said = done.stdout
        else:
            before = (tmp_path / file).read_text() if kind == "add to" else ""
            (tmp_path / file).write_text(before + code)
    wins = re.search(r"wins (\d+)", said)
    assert wins and int(wins[1]) >= 34
