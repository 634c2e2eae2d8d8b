"""What tests of commands share."""

import sys

import pytest

from boardlab import cli


@pytest.fixture
def boardlab(monkeypatch, capsys):
    """Runs a command in this process: its status and what it printed."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["boardlab", *map(str, words)])
        status = 0
        try:
            cli.main()
        except SystemExit as end:
            status = end.code or 0
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
