"""Commands of `boardlab`, run in the test's own process: a new one would cost most of a CPU second."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import boardlab
from boardlab import cli

ROOT = str(Path(boardlab.__file__).parents[1])


class Finished(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*words, given=None, cwd=None, **environment):
    """Run a command and return its status and output.

    A command with a plugin runs in a new process: what it registers would stay.
    """
    if "--plugin" in words:
        return _in_new_process(words, given, cwd, environment)
    out, err, status = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["boardlab", *map(str, words)]),
        mock.patch.object(sys, "stdin", io.StringIO(given or "")),
        mock.patch.dict(os.environ, environment),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as end:
            status = end.code or 0
    return Finished(status, out.getvalue(), err.getvalue())


def _in_new_process(words, given, cwd, environment):
    command = [sys.executable, "-m", "boardlab", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": ROOT, **environment}
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, cwd=cwd, env=env)
    return Finished(done.returncode, done.stdout, done.stderr)


def output(*words, **more):
    """What a command prints that succeeds."""
    result = run(*words, **more)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(*words, **more):
    """The sentence of a command that is refused."""
    result = run(*words, **more)
    assert result.returncode == 2 and "Traceback" not in result.stderr, result
    return result.stderr
