"""Every command and every program of docs/records.md runs."""

import re
import shlex
import sys
from pathlib import Path

import boardlab as bl
from boardlab.cli import main

PAGE = (Path(__file__).parents[1] / "docs" / "records.md").read_text(encoding="utf-8")


def test_what_the_page_shows_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOARDLAB_STORE", raising=False)
    for kind, block in re.findall(r"```(sh|python)\n(.*?)```", PAGE, re.DOTALL):
        if kind == "python":
            exec(block, {})  # our own page
            continue
        for line in block.splitlines():
            monkeypatch.setattr(sys, "argv", shlex.split(line))
            try:
                main()
            except SystemExit as end:
                assert not end.code, line
    assert bl.read_records("games.pgn") and Path("drawings").is_dir()
    assert len(bl.store().tournaments("tictactoe")[0].games()) == 20
