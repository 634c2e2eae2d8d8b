"""Run folders: killed runs resume to the same bits, and what cannot be read is refused in one sentence."""

import errno
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import boardlab as bl
from boardlab.evaluators.ntuple import load_network
from boardlab.runs import RunFolder, check_writable, write_file
from boardlab.runs.files import replacing
from boardlab.runs.toml import to_toml

SETTINGS = {"coherence": "exp", "lambda_": 0.5, "learn_from_random": True}


def tables(path):
    with np.load(path / "checkpoint.npz") as stored:
        return {name: stored[name].tobytes() for name in stored.files if not name.endswith("seconds")}


def train(game, path, episodes=400, **more):
    return bl.train(game, "td-ntuple", episodes=episodes, out=path, seed=7, **{**SETTINGS, **more})


def test_an_interrupted_run_ends_where_an_unbroken_one_does(tmp_path):
    game = bl.game("connectfour", rows=4, cols=5, connect=3)
    train(game, tmp_path / "whole")

    def stop(standing):
        if 0 < standing.episodes < standing.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(game, tmp_path / "broken", progress=stop)
    done = np.load(tmp_path / "broken" / "checkpoint.npz")["progress"][0]
    assert 0 < done < 400
    run = bl.resume(tmp_path / "broken")
    assert run.episodes == 400
    assert tables(tmp_path / "whole") == tables(tmp_path / "broken")
    assert (tmp_path / "whole" / "weights.npz").read_bytes() == (
        tmp_path / "broken" / "weights.npz"
    ).read_bytes()


def test_a_second_ctrl_c_does_not_spoil_what_the_first_one_saves(tmp_path, monkeypatch):
    game, write = bl.game("tictactoe"), RunFolder.write_arrays
    stopped = []

    def pressed_again(self, name, arrays, **more):
        if stopped:
            signal.raise_signal(signal.SIGINT)
        write(self, name, arrays, **more)

    def stop(standing):
        stopped.append(standing.episodes)
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "write_arrays", pressed_again)
    with pytest.raises(KeyboardInterrupt):
        train(game, tmp_path / "run", progress=stop)
    assert bl.open_run(tmp_path / "run").episodes == stopped[0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("damage", ["cut", "None", "more", "no number"])
def test_a_row_of_the_log_that_is_not_whole_is_left_out(tmp_path, damage):
    arguments = {"exams": ["random"], "exam_every": 100, "exam_games": 4}
    path = train(bl.game("tictactoe"), tmp_path / "run", **arguments).path
    file = path / "log.csv"
    *rows, last = file.read_text().splitlines()
    words = last.split(",")
    broken = {
        "cut": words[:-2],
        "None": [*words[:-1], "None"],  # what a version before wrote of a cut one
        "more": [*words, "1"],
        "no number": ["4OO", *words[1:]],
    }
    file.write_text("\n".join([*rows, ",".join(broken[damage])]))
    assert [row["episodes"] for row in bl.open_run(path).log] == [100, 200, 300]
    bl.resume(path)
    assert file.read_text().splitlines() == [*rows, last]


def test_ctrl_c_while_a_file_is_written_leaves_the_old_one_and_no_other(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path)
    folder.write_text("layout.txt", "old")

    def stop(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        folder.write_text("layout.txt", "new")
    assert [file.name for file in tmp_path.iterdir()] == ["layout.txt"]
    assert (tmp_path / "layout.txt").read_text() == "old"


def test_a_killed_run_ends_where_an_unbroken_one_does(tmp_path):
    """Killed without warning, time and again: the timer's signal ends a process as kill -9 does."""
    script = (
        "import signal, sys, boardlab as bl, boardlab.learners.training as t\n"
        "t.CHECKPOINT_SECONDS, t.CHUNK_SECONDS = 0.0, 0.005\n"
        "path, seconds = sys.argv[1], float(sys.argv[2])\n"
        "signal.setitimer(signal.ITIMER_PROF, seconds)\n"
        "bl.train(bl.game('nim', players=3), episodes=20000, out=path, seed=7, go_on=True)\n"
    )
    path = tmp_path / "killed"
    killed = 0
    while True:
        seconds = (0.02, 0.1, *range(1, 100))[killed]  # short at first: a fast machine is killed twice too
        child = subprocess.run([sys.executable, "-c", script, str(path), str(seconds)], capture_output=True)
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGPROF, child.stderr.decode()
        killed += 1
    assert killed >= 2
    bl.train(bl.game("nim", players=3), episodes=20000, out=tmp_path / "whole", seed=7)
    assert tables(tmp_path / "whole") == tables(path)


def test_the_last_checkpoint_is_about_a_minute_old_at_most(tmp_path, monkeypatch):
    looks = itertools.count(step=10)  # at the clock, so many seconds apart: an episode takes as many
    clock = SimpleNamespace(monotonic=lambda: float(next(looks)), process_time=lambda: 0.0)
    monkeypatch.setattr("boardlab.learners.training.time", clock)
    ages = []

    def look(standing):
        with np.load(tmp_path / "checkpoint.npz") as stored:
            ages.append(standing.seconds - float(stored["seconds"][0]))

    bl.train(bl.game("nim"), "q-table", episodes=12, out=tmp_path, exams=(), progress=look)
    assert len(ages) > 12 and 0 < max(ages) <= 70


class KilledError(BaseException):
    """Stands for kill -9: nothing catches it, so nothing is tidied up."""


CUBE = bl.game("rubiks", twists=3)
TINY = {"net": "mlp", "blocks": 0, "channels": 4, "hidden": 4, "games": 2, "parallel": 2, "simulations": 2}
TINY_CUBE_NET = {"first": 8, "width": 4, "blocks": 0, "walks": 2, "threads": 1, "device": "cpu"}


@pytest.mark.parametrize(
    ("learner", "game", "episodes", "settings"),
    [
        ("td-ntuple", bl.game("tictactoe"), 20, SETTINGS),
        ("sarsa-ntuple", bl.game("tictactoe"), 20, {}),
        ("q-ntuple", bl.game("tictactoe"), 20, {}),
        ("td-features", bl.game("tictactoe"), 20, {}),
        ("q-table", bl.game("tictactoe"), 20, {"memory_mb": 0.1}),
        ("qm", bl.game("tictactoe"), 20, {"search_iterations": 5, "memory_mb": 0.1}),
        ("davi", CUBE, 20, {"tuples": 3, "length": 3}),
        ("alphazero", bl.game("tictactoe"), 2, {**TINY, "threads": 1, "device": "cpu"}),
        ("random-walk", CUBE, 4, TINY_CUBE_NET),
        ("davi-net", CUBE, 4, TINY_CUBE_NET),
    ],
    ids=lambda value: value if isinstance(value, str) else " ",
)
def test_a_run_killed_in_its_first_save_goes_on(tmp_path, monkeypatch, learner, game, episodes, settings):
    """Killed while the first, second ... file is written; the same call again, or resume, goes on."""
    if learner in ("alphazero", "random-walk", "davi-net"):
        pytest.importorskip("torch")

    def run(path, **more):
        return bl.train(game, learner, episodes=episodes, out=path, seed=7, **settings, **more)

    run(tmp_path / "whole")
    real, written = os.fsync, []

    def kill(file):
        written.append(file)
        if len(written) == last:
            raise KilledError
        real(file)

    for last in range(1, 6):
        for go_on in (lambda path: run(path, go_on=True), bl.resume):
            path = tmp_path / f"{last}-{go_on.__name__}"
            written.clear()
            with monkeypatch.context() as patched, pytest.raises(KilledError):
                patched.setattr(os, "fsync", kill)
                run(path)
            if go_on is bl.resume and not (path / "agent.toml").exists():
                continue  # nothing says yet what run it is
            assert go_on(path).is_finished
            assert not list(path.rglob(".*.new"))
            assert tables(path) == tables(tmp_path / "whole")


def test_arrays_are_read_in_parts_and_refused_where_they_do_not_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("boardlab.runs.arrays.READ_BYTES", 32)
    folder, numbers = RunFolder(tmp_path), np.arange(11, dtype="<f8")
    folder.write_arrays("whole.npz", {"a": numbers, "b": numbers[:0]})
    table = np.zeros((11, 2))  # as counters lie, every second number
    folder.read_into("whole.npz", {"a": table[:, 1], "b": np.empty(0)})
    assert table[:, 1].tolist() == numbers.tolist() and not table[:, 0].any()
    np.savez_compressed(tmp_path / "small.npz", a=numbers)
    assert folder.read_arrays("small.npz", {"a": ("<f8", 11)})["a"].tolist() == numbers.tolist()
    for kind, length in (("<f8", 10), ("<f8", 12), ("<i8", 11)):
        with pytest.raises(bl.BoardLabError, match="does not fit its run: a has 11 values"):
            folder.read_arrays("whole.npz", {"a": (kind, length)})
    with pytest.raises(bl.BoardLabError, match="is damaged"):
        folder.read_arrays("whole.npz", {"c": ("<f8", 11)})
    folder.write_arrays("odd.npz", {"a": np.where(numbers == 9, np.inf, numbers)})
    with pytest.raises(bl.BoardLabError, match="a holds a value that is not a number"):
        folder.read_arrays("odd.npz", {"a": ("<f8", 11)})


@pytest.mark.parametrize("change", [-10, -1, 1])
def test_an_array_that_is_shorter_or_longer_than_it_says_is_refused(tmp_path, change):
    folder, numbers = RunFolder(tmp_path), np.arange(11, dtype="<f8")
    folder.write_arrays("whole.npz", {"a": numbers})
    with zipfile.ZipFile(tmp_path / "whole.npz") as stored:
        data = stored.read("a.npy")
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as other:
        other.writestr("a.npy", data[: 8 * change] if change < 0 else data + b"more")
    with pytest.raises(
        bl.BoardLabError, match=r"is damaged: a claims 11 values|does not fit its run: it has"
    ):
        folder.read_arrays("other.npz", {"a": ("<f8", 11)})


def test_a_network_is_read_without_a_copy_of_its_table(copy, monkeypatch):
    monkeypatch.setattr(RunFolder, "read_arrays", None)
    with np.load(copy / "weights.npz") as stored:
        assert (load_network(copy)[0].weights == stored["weights"]).all()


def test_a_run_that_lost_its_checkpoint_does_not_begin_again(copy):
    (copy / "checkpoint.npz").unlink()
    before = (copy / "weights.npz").read_bytes()
    with pytest.raises(bl.BoardLabError, match=r"has no checkpoint\.npz"):
        bl.resume(copy)
    assert (copy / "weights.npz").read_bytes() == before


def progress_of(path):
    try:
        with np.load(path / "checkpoint.npz") as stored:
            return int(stored["progress"][0])
    except (OSError, ValueError, KeyError):
        return 0


def test_how_a_run_is_cut_into_exams_does_not_matter(tmp_path):
    game = bl.game("tictactoe")
    train(game, tmp_path / "plain")
    run = train(game, tmp_path / "exams", exams=["random"], exam_every=130, exam_games=10)
    assert tables(tmp_path / "plain") == tables(tmp_path / "exams")
    assert [row["episodes"] for row in run.log] == [130, 260, 390, 400]
    assert all(-1 <= row["random"] <= 1 for row in run.log)


def test_a_longer_run_goes_on_from_a_finished_one(tmp_path):
    game = bl.game("tictactoe")
    train(game, tmp_path / "run", episodes=100)
    run = bl.resume(tmp_path / "run", episodes=300)
    assert run.episodes == run.total == 300
    assert bl.resume(tmp_path / "run").episodes == 300
    with pytest.raises(bl.BoardLabError, match="already played 300"):
        bl.resume(tmp_path / "run", episodes=200)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "ttt"
    train(bl.game("tictactoe"), path, episodes=200)
    return path


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "copy")


def refused(path, words):
    for attempt in (
        lambda: bl.resume(path),
        lambda: bl.agent(f"greedy(ntuple('{path}'))", bl.game("tictactoe")),
    ):
        with pytest.raises(bl.BoardLabError, match=words) as error:
            attempt()
        assert "\n" not in str(error.value)


def test_a_folder_with_a_run_is_not_overwritten(copy):
    with pytest.raises(bl.BoardLabError, match="already holds a run"):
        train(bl.game("tictactoe"), copy)
    train(bl.game("tictactoe"), copy, episodes=10, force=True)
    assert progress_of(copy) == 10


def test_force_removes_what_the_old_run_wrote_and_nothing_else(tmp_path):
    pytest.importorskip("torch")
    game, more = bl.game("tictactoe"), {"tensorboard": importlib.util.find_spec("tensorboard") is not None}
    options = {**TINY, **more, "threads": 1, "device": "cpu", "exams": ["random"], "exam_games": 2}
    bl.train(game, "alphazero", episodes=4, out=tmp_path / "forced", seed=7, **options)
    wrote = {file.name for file in (tmp_path / "forced").iterdir()}
    assert {"generations.jsonl", "replay"} <= wrote
    train(game, tmp_path / "forced", episodes=10, force=True)
    train(game, tmp_path / "fresh", episodes=10)
    fresh = {file.name for file in (tmp_path / "fresh").iterdir()}
    assert {file.name for file in (tmp_path / "forced").iterdir()} == fresh

    mine = [
        "notes.txt",
        "replay/best.npz",
        "replay/000001-mine.npz",
        "tensorboard/mine",
        "weights.npz.backup",
    ]
    for name in mine:
        (tmp_path / "forced" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "forced" / name).write_text("precious")
    train(game, tmp_path / "forced", episodes=10, force=True)
    assert all((tmp_path / "forced" / name).read_text() == "precious" for name in mine)


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(bl.BoardLabError, match="not empty"):
        train(bl.game("tictactoe"), tmp_path, force=True)


def test_bad_settings_leave_no_folder(tmp_path):
    for settings, words in [
        ({"alpha": -1}, "alpha must be"),
        ({"epsilon": 1.5}, "epsilon must be"),
        ({"gamma": float("nan")}, "gamma must be"),
        ({"alhpa": 1}, "did you mean"),
        ({"layout": "walk", "length": 10}, "at most 9"),
        ({"layout": "cells", "cells": "0,1,9"}, "cell 9"),
        ({"layout": "cells", "cells": "0,1,1"}, "twice"),
        ({"layout": "cells", "cells": "a,b"}, "cell numbers"),
        ({"layout": "windows", "windows": "4x4"}, "windows"),
        (
            {"memory_gb": 0.001, "layout": "cells", "cells": "0,1,2,3,4,5,6,7,8 / 8,7,6,5,4,3,2,1,0 / 0,1,2"},
            None,
        ),
        ({"reward": "discs"}, "outcome"),
        ({"feature_tables": True}, "feature"),
        ({"neighbourhood": 5, "layout": "walk"}, "4 or 8"),
    ]:
        if words is None:
            train(bl.game("tictactoe"), tmp_path / "fits", episodes=1, **settings)
            continue
        with pytest.raises(bl.BoardLabError, match=words):
            train(bl.game("tictactoe"), tmp_path / "bad", **settings)
        assert not (tmp_path / "bad").exists()
    with pytest.raises(bl.BoardLabError, match=r"would take .* the limit is 8 GiB"):
        bl.train(bl.game("othello"), out=tmp_path / "bad", preset="paper", length=20)
    with pytest.raises(bl.BoardLabError, match="unknown preset"):
        bl.train(bl.game("othello"), out=tmp_path / "bad", preset="papre")
    assert not (tmp_path / "bad").exists()


def test_a_newer_run_is_refused(copy):
    text = (copy / "agent.toml").read_text()
    (copy / "agent.toml").write_text(text.replace("format = 1", "format = 2"))
    refused(copy, "newer BoardLab")


def test_another_kind_of_run_is_refused(copy):
    text = (copy / "agent.toml").read_text()
    (copy / "agent.toml").write_text(text.replace('kind = "td-ntuple"', 'kind = "alphazero"'))
    refused(copy, "alphazero")


def test_another_game_is_refused(finished):
    with pytest.raises(bl.BoardLabError, match="was trained on"):
        bl.agent(f"greedy(ntuple('{finished}'))", bl.game("connectfour"))


def test_no_run_at_all_is_refused(tmp_path):
    refused(tmp_path, "not a run")


@pytest.mark.parametrize("name", ["checkpoint.npz", "weights.npz"])
def test_damaged_files_are_refused(copy, name):
    good = (copy / name).read_bytes()
    attempt = (
        (lambda: bl.resume(copy))
        if name == "checkpoint.npz"
        else (lambda: bl.agent(f"greedy(ntuple('{copy}'))", bl.game("tictactoe")))
    )

    def flipped(place, bits):
        changed = bytearray(good)
        changed[place] ^= bits
        return bytes(changed)

    bad_ones = [b"", b"PK", good[:1000], good[:-1], b"\0" * len(good), flipped(len(good) // 2, 1)]
    bad_ones.append(flipped(good.index(b", }") + 2, 64))  # numpy reads its headers as Python
    bad_ones.append(flipped(good.index(b"PK\1\2") + 8, 1))  # "encrypted"
    for bad in bad_ones:
        (copy / name).write_bytes(bad)
        with pytest.raises(bl.BoardLabError):
            attempt()
    (copy / name).unlink()
    with pytest.raises(bl.BoardLabError, match="has no"):
        attempt()


@pytest.mark.parametrize("name", ["checkpoint.npz", "weights.npz"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(copy, name, monkeypatch):
    def refuse(file, *more):
        if Path(file).name == name:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(file, *more)

    opened = os.open
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(bl.BoardLabError, match=rf"{name} cannot be read: Permission denied$"):
        RunFolder(copy).read_arrays(name, {})


def test_weights_that_are_damaged_or_missing_have_no_fingerprint(copy):
    folder, weights = RunFolder(copy), copy / "weights.npz"
    good = weights.read_bytes()
    assert len(folder.fingerprint()) == 32
    for bad in (good[:5000], b"", good[: len(good) // 2] + b"?" + good[len(good) // 2 + 1 :]):
        weights.write_bytes(bad)
        with pytest.raises(bl.BoardLabError, match=r"weights.npz is damaged"):
            folder.fingerprint()
    weights.unlink()
    with pytest.raises(bl.BoardLabError, match=r"has no weights.npz"):
        folder.fingerprint()
    with pytest.raises(bl.BoardLabError, match=r"has no weights.npz"):
        bl.store(copy.parent / "x.db").add_agent(bl.game("tictactoe"), f"greedy(ntuple('{copy}'))")
    weights.mkdir()
    with pytest.raises(bl.BoardLabError, match=r"weights.npz cannot be read: it is a folder"):
        folder.fingerprint()


def test_weights_that_are_not_numbers_are_refused(copy):
    with np.load(copy / "weights.npz") as stored:
        weights = stored["weights"]
    weights[3] = np.nan
    np.savez(copy / "weights.npz", weights=weights)
    with pytest.raises(bl.BoardLabError, match="not a number"):
        bl.agent(f"greedy(ntuple('{copy}'))", bl.game("tictactoe"))


@pytest.mark.parametrize(
    "text", ["", "format", "format = 'x'", "format = 1", "format = 1\nkind = 'td-ntuple'", "\0"]
)
def test_damaged_descriptions_are_refused(copy, text):
    (copy / "agent.toml").write_text(text)
    refused(copy, ".")


def test_toml_round_trips():
    import tomllib

    table = {
        "a": 1,
        "b": 1.5,
        "c": 1e-20,
        "d": True,
        "e": 'x "y"\n\\z é \x7f',
        "t": {"l": [[1, 2], []], "s": ["a"]},
    }
    assert tomllib.loads(to_toml(table)) == table


def test_nothing_is_left_aside_when_the_disk_is_full(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path)

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    folder.write_arrays("weights.npz", {"weights": np.zeros(3, np.float32)})
    before = (tmp_path / "weights.npz").read_bytes()
    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(bl.BoardLabError, match="No space left"):
        folder.write_arrays("weights.npz", {"weights": np.ones(3, np.float32)})
    assert [file.name for file in tmp_path.iterdir()] == ["weights.npz"]
    assert (tmp_path / "weights.npz").read_bytes() == before


def test_only_the_arrays_are_stored_and_tell_one_run_from_another(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_arrays("weights.npz", {"weights": np.zeros(3, np.float32)})
    with np.load(tmp_path / "weights.npz") as stored:
        assert stored.files == ["weights"]
    mark = folder.fingerprint()
    with zipfile.ZipFile(tmp_path / "weights.npz", "a") as stored:  # as earlier versions did with numpy 1.26
        stored.writestr("allow_pickle.npy", b"False")
    assert folder.fingerprint() == mark
    folder.write_arrays("weights.npz", {"weights": np.ones(3, np.float32)})
    assert folder.fingerprint() != mark


@pytest.fixture
def dead():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_killed_processes_left_aside_is_removed(copy, dead):
    (copy / "replay").mkdir()
    for process in (dead, os.getpid(), os.getppid()):
        for name in ("checkpoint.npz", "replay/000003.npz"):
            (copy / name).with_name(f".{name.split('/')[-1]}.{process}.new").write_bytes(b"half")
    (copy / ".mine.new").write_text("precious")
    bl.resume(copy, episodes=210)
    left = {file.relative_to(copy).as_posix() for file in copy.rglob(".*")}
    # The parent process lives, and so may still be writing.
    assert left == {".mine.new"} | {
        f"{name}.{os.getppid()}.new" for name in (".checkpoint.npz", "replay/.000003.npz")
    }


def test_a_written_file_replaces_what_killed_processes_left_of_it(tmp_path, dead):
    folder = RunFolder(tmp_path)
    for name in (f".a[1].txt.{dead}.new", f".b.txt.{dead}.new", f".a[1].txt.{os.getppid()}.new"):
        (tmp_path / name).write_text("half")
    folder.write_text("a[1].txt", "whole")
    assert {file.name for file in tmp_path.iterdir()} == {
        "a[1].txt",
        f".b.txt.{dead}.new",  # of another file, which may be anybody's
        f".a[1].txt.{os.getppid()}.new",
    }


def test_what_breaks_off_a_file_leaves_the_old_one_and_nothing_aside(tmp_path):
    file = tmp_path / "a.txt"
    write_file(file, "old")
    with pytest.raises(KeyboardInterrupt), replacing(file) as out:
        out.write(b"ne")
        raise KeyboardInterrupt
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.txt", "old")]


def test_a_file_is_not_written_through_a_link_that_somebody_laid(tmp_path):
    file, precious = tmp_path / "games.pgn", tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / f".games.pgn.{os.getpid()}.new").symlink_to(precious)
    check_writable(file)
    (tmp_path / f".games.pgn.{os.getpid()}.new").symlink_to(precious)
    write_file(file, "games")
    assert precious.read_text() == "mine" and file.read_text() == "games" and not file.is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(bl.BoardLabError, match=r'pipe" is a device, not a file'):
        check_writable(tmp_path / "pipe")


def test_weights_that_grow_without_end_are_not_saved(tmp_path):
    wild = {"sigma": "identity", "coherence": "off", "seed": 1}
    game = bl.game("nim")
    with pytest.raises(bl.BoardLabError, match="grew beyond all bounds within 2,000 episodes"):
        bl.train(game, episodes=2000, out=tmp_path / "wild", alpha=5.0, **wild)
    assert bl.open_run(tmp_path / "wild").episodes == 0
    bl.train(game, episodes=2000, out=tmp_path / "tame", alpha=0.1, **wild)


def test_a_run_is_taken_wherever_an_agent_or_its_folder_is_asked_for(tmp_path):
    game = bl.game("tictactoe")
    run = bl.train(game, episodes=200, out=tmp_path / "run")
    store = bl.store(tmp_path / "store.db")
    assert bl.agent(run, game).expression == run.agent().expression
    match = bl.match(game, [run, "random"], games=4)
    assert match == bl.match(game, [run.expression, "random"], games=4)
    assert bl.evaluate(run, game, "perfect", games=20) == bl.evaluate(
        run.expression, game, "perfect", games=20
    )
    against = bl.evaluate("random", game, games=4, against=run)
    assert against.exam == f"against {run.expression}"
    assert bl.balance(game, run, games=4).agents == (run.expression,)
    assert run.agent().expression in bl.tournament(game, [run, "random"], games=2, store=store).agents
    best = store.fame()[0]
    assert bl.match(game, [best, best], games=2).agents == (best.expression, best.expression)
    assert bl.open_run(run) == run == bl.resume(run)
    assert os.fspath(run) == str(tmp_path / "run")


def test_an_evaluator_is_no_agent_and_is_told_so():
    game = bl.game("tictactoe")
    with pytest.raises(bl.BoardLabError, match="is an evaluator; put a search over it"):
        bl.match(game, [bl.evaluator("rollout", game), "random"])
