"""What tests of commands share."""

import sys

import numpy as np
import pytest

import boardlab as bl
from boardlab import cli
from boardlab.evaluators import EVALUATORS


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


@pytest.fixture
def failing():
    """An evaluator that fails after its first answer, as a plugin's may."""
    calls = []

    @bl.register_evaluator("failing")
    def make(game):
        def judge(inputs, legal):
            calls.append(1)
            if len(calls) > 1:
                raise ZeroDivisionError("mine")
            return np.zeros(len(legal)), np.zeros(legal.shape)

        return judge

    yield calls
    del EVALUATORS["failing"]
