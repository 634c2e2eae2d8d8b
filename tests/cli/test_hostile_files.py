"""Strangers' files are refused with a sentence, or read; no test here takes a stranger's word for a size."""

import itertools
import random
import re
import resource
import sys
from pathlib import Path

import pytest

import boardlab as bl
from tests.fuzz import hostile_files as hostile

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return hostile.good_run(tmp_path_factory.mktemp("good") / "run")


@pytest.fixture
def little_memory():
    """A gigabyte more than there is now."""
    with Path("/proc/self/statm").open(encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def read(attempts):
    """The sentences of those that were refused."""
    said = []
    for attempt in attempts:
        try:
            attempt()
        except bl.BoardLabError as error:
            assert not CONTROL.search(str(error))
            assert "\n" not in str(error)
            assert len(str(error)) < 2000
            said.append(str(error))
    return said


RUNS = [
    (file, name, write)
    for file, kinds in hostile.RUN_FILES.items()
    for name, write in (*kinds, *hostile.NO_FILES)
]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(("file", "name", "write"), RUNS, ids=[f"{file}: {name}" for file, name, _ in RUNS])
def test_runs(good, tmp_path, little_memory, file, name, write):
    run = hostile.copy_of(good, tmp_path / "run")
    write(run / file)
    said = read(hostile.attempts(run))
    harmless = {"another order", "a link to nothing", "big-endian numbers"}
    assert said or file == "log.csv" or name in harmless


@pytest.mark.parametrize(
    "file", ["agent.toml", *bl.runs.folder.RUN_FILES[:3], "weights.npz", "checkpoint.npz", ".lock"]
)
def test_a_link_in_a_run_does_not_lead_to_a_file_that_is_overwritten(good, tmp_path, file):
    run, precious = hostile.copy_of(good, tmp_path / "run"), tmp_path / "precious"
    if (run / file).exists():
        precious.write_bytes((run / file).read_bytes())
        (run / file).unlink()
    else:
        precious.write_text("precious")
    (run / file).symlink_to(precious)
    before = precious.read_bytes()
    read(
        [
            lambda: bl.resume(run, episodes=20),
            lambda: bl.train(bl.game("tictactoe"), episodes=5, out=run, force=True),
        ]
    )
    assert precious.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(("name", "write"), hostile.BOMBS)
@pytest.mark.parametrize("file", ["weights.npz", "checkpoint.npz"])
def test_bombs(good, tmp_path, little_memory, file, name, write):
    run = hostile.copy_of(good, tmp_path / "run")
    write(run / file)
    assert any("more than 100 times its size" in said for said in read(hostile.attempts(run)))


@pytest.mark.parametrize(("name", "write"), [*hostile.GAMES, *hostile.NO_FILES])
def test_games(tmp_path, boardlab, name, write):
    file = tmp_path / "games.pgn"
    write(file)
    read([lambda: bl.read_records(file), lambda: bl.arena.rate(file)])
    for words in (("replay", file, "--list"), ("rate", file)):
        status, out, err = boardlab(*words)
        assert status in (0, 1, 2)
        assert not CONTROL.search(out + err)


@pytest.mark.parametrize(("name", "write"), [*hostile.STORES, *hostile.NO_FILES])
def test_stores(tmp_path, name, write):
    file = tmp_path / "boardlab.db"
    write(file)
    assert read([lambda: bl.store(file).tournaments(), lambda: bl.store(file).fame()])


@pytest.mark.parametrize(("name", "write"), hostile.NO_FILES)
def test_positions_openings_layouts_and_plugins(tmp_path, boardlab, name, write):
    file = tmp_path / "file.txt"
    write(file)
    for words in (
        ("inspect", "tictactoe", "random", "--position", f"@{file}"),
        ("match", "tictactoe", "random", "random", "-n", 2, "--starts", file),
        ("train", "tictactoe", "--layout", file, "--out", tmp_path / "run"),
        ("--plugin", file, "games"),
    ):
        status, _, err = boardlab(*words)
        assert status == 2
        assert len(err.splitlines()) == 1


def test_some_at_random():
    for case in itertools.islice(hostile.cases(random.Random(0)), 12):
        hostile.run(case)


# ---- the terminal ----


def test_what_an_engine_says_reaches_no_terminal_as_it_is(boardlab, tmp_path):
    program = tmp_path / "engine.sh"
    program.write_text('#!/bin/sh\nwhile read line; do printf "? \\033[2J\\302\\233 no\\n\\n"; done\n')
    program.chmod(0o755)
    status, out, err = boardlab("match", "othello", f'engine("{program}")', "random", "-n", 2)
    assert status == 2
    assert "[2J" in err
    assert not CONTROL.search(out + err)


def test_the_names_of_a_file_reach_no_terminal_as_they_are(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text('[White "\x1b[2Ja"]\n[Black "b\u202e"]\n[Result "1-0"]\n\n1-0\n' * 2)
    status, out, err = boardlab("rate", file)
    assert (status, err) == (0, "")
    assert "\ufffd[2Ja" in out
    assert not CONTROL.search(out)


# ---- a store that goes away ----


@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_removed_meanwhile_is_not_written_to(boardlab, tmp_path, replaced):
    file = tmp_path / "boardlab.db"
    seen = []

    def choose(state):
        seen.append(1)
        if len(seen) == 30:
            file.unlink()
            if replaced:
                bl.store(file).add_agent(bl.game("tictactoe"), "random")
        return state.legal_actions()[0]

    bl.register_agent("remover", lambda game, seed: bl.python_agent(game, choose, "remover"))
    status, _, err = boardlab("tournament", "tictactoe", "remover", "random", "-n", 40, "--store", file)
    assert status == 2
    assert "was removed or replaced by another file" in err
