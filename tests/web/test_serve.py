"""`boardlab serve`: what is typed wrong gets a sentence, and the real server answers and ends."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

import boardlab as bl
from boardlab.web.serving import listen
from boardlab.web.settings import Settings


def serve(*words, **environment):
    """A command that does not come to serving."""
    import os

    env = {**os.environ, **environment}
    env = {name: value for name, value in env.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-m", "boardlab", "serve", *words],
        capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip


def test_others_are_let_in_with_a_password_only(tmp_path):
    runs = ("--runs", str(tmp_path))
    refused = serve("--host", "0.0.0.0", *runs, BOARDLAB_PASSWORD=None)
    assert refused.returncode == 2 and "needs a password: set BOARDLAB_PASSWORD" in refused.stderr
    short = serve("--host", "0.0.0.0", *runs, BOARDLAB_PASSWORD="1234")
    assert short.returncode == 2 and "at least 8 characters, not 4" in short.stderr


@pytest.mark.parametrize("port", [-1, 70000])
def test_a_port_that_cannot_be_is_refused(port, monkeypatch):
    from boardlab.cli.serve import serve as command

    with pytest.raises(bl.BoardLabError, match="from 0 to 65535"):
        command(port=port)


def test_an_address_that_cannot_be_had_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(bl.BoardLabError, match=f"cannot listen on 127.0.0.1, port {port}: .*--port"):
            listen(Settings(port=port))
    with pytest.raises(bl.BoardLabError, match="is no address of this machine"):
        listen(Settings(host="no such host"))


def test_the_server_answers_and_ends_when_asked(tmp_path):
    command = [sys.executable, "-m", "boardlab", "serve", "--port", "0", "--runs", str(tmp_path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert b"BoardLab" in answer.read() and "boardlab-person" in answer.headers["set-cookie"]
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
        assert errors == ""
    finally:
        server.kill()
        server.wait()
    assert (tmp_path / "web.db").exists()
