"""The commands of the pages on learning, run in order as they stand there."""

import re
import shlex
from pathlib import Path

from commands import run

from boardlab.learners import LEARNERS

DOCS = Path(__file__).parents[1] / "docs"
PAGE = "\n".join(
    (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for name in ("learning", "learning_settings", "tables", "self_play_search", "cfr")
)


def test_every_learner_is_named_in_the_table():
    table = " ".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert all(f"`{name}`" in table for name in LEARNERS)


def test_the_commands_work_as_written(tmp_path):
    blocks = re.findall(r"<!-- run -->\n((?:    .*\n)+)", PAGE)
    commands = [line.strip() for block in blocks for line in block.splitlines()]
    assert len(commands) >= 12
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "boardlab"
        result = run(*words[1:], cwd=tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"


def test_the_python_blocks_work_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    for code in blocks:
        exec(code, {})
