"""Checkpoints leave out what never changed, and give back every bit of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardlab as bl
from boardlab.runs import RunFolder, sparse

KINDS = ("<f4", "<f8", "<u1", "<i2", "<u8")


@pytest.fixture
def small(monkeypatch):
    """Treat small arrays as tables, and read them in parts of 16 values."""
    monkeypatch.setattr(sparse, "SMALLEST", 1)
    monkeypatch.setattr(sparse, "READ_BYTES", 16)


def mostly(kind, usual, size, changed):
    array = np.full(size, usual, kind)
    for place, value in changed:
        array[place] = value
    return array


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    usual=st.integers(0, 3),
    size=st.integers(0, 200),
    places=st.sets(st.integers(0, 199), max_size=20),
)
def test_every_bit_comes_back(tmp_path_factory, kind, usual, size, places):
    array = mostly(kind, usual, size, [(place, place + 1) for place in places if place < size])
    folder, found = RunFolder(tmp_path_factory.mktemp("arrays")), np.empty(size, kind)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sparse, "SMALLEST", 1)
        patched.setattr(sparse, "READ_BYTES", 16)
        folder.write_arrays("a.npz", {"a": array}, sparse=True)
        folder.read_into("a.npz", {"a": found})
    assert found.tobytes() == array.tobytes()


def test_only_the_values_that_changed_are_stored(tmp_path, small):
    folder = RunFolder(tmp_path)
    weights = mostly("<f4", 0, 1000, [(3, 1.5), (500, -0.0), (999, 2.5)])
    counters = mostly("<f4", 1e-3, 1000, [(3, 7)])
    folder.write_arrays(
        "a.npz", {"weights": weights, "counters": counters, "dense": weights + np.arange(1000)}, sparse=True
    )
    with np.load(tmp_path / "a.npz") as stored:
        assert set(stored.files) == {
            *(
                f"{name}@{part}"
                for name in ("weights", "counters")
                for part in ("usual", "changed", "values")
            ),
            "dense",
        }
        assert stored["weights@values"].tobytes() == np.array([1.5, -0.0, 2.5], "<f4").tobytes()
        assert stored["counters@usual"] == np.float32(1e-3) and stored["counters@values"].tolist() == [7]
    table = np.ones((1000, 2), "<f4")  # counters lie beside each other
    folder.read_into("a.npz", {"weights": table[:, 0], "counters": table[:, 1]})
    assert table[:, 0].tobytes() == weights.tobytes() and table[:, 1].tobytes() == counters.tobytes()


def test_a_resumed_run_learns_the_same_from_a_whole_and_from_a_sparse_checkpoint(tmp_path, monkeypatch):
    game = bl.game("connectfour", rows=4, cols=5, connect=3)
    given = {"episodes": 300, "seed": 3, "coherence": "exp", "lambda_": 0.5, "exams": []}
    monkeypatch.setattr(sparse, "SMALLEST", 1 << 60)  # as earlier versions wrote it
    bl.train(game, out=tmp_path / "old", **given)
    with np.load(tmp_path / "old" / "checkpoint.npz") as stored:
        assert "weights" in stored
    monkeypatch.setattr(sparse, "SMALLEST", 1)
    bl.train(game, out=tmp_path / "new", **given)
    with np.load(tmp_path / "new" / "checkpoint.npz") as stored:
        assert "weights" not in stored and "weights@values" in stored
    sizes = [(tmp_path / name / "checkpoint.npz").stat().st_size for name in ("new", "old")]
    assert sizes[0] < sizes[1] / 2
    for name in ("old", "new"):
        bl.resume(tmp_path / name, episodes=600)
    for file in ("checkpoint.npz", "weights.npz"):
        found = []
        for name in ("old", "new"):
            with np.load(tmp_path / name / file) as stored:
                found.append({key: stored[key].tobytes() for key in stored.files if "seconds" not in key})
        assert found[0] == found[1]


def other(key, change):
    def write(arrays):
        arrays[key] = change(arrays[key])

    return write


@pytest.mark.parametrize(
    "damage",
    [
        other("a@changed", lambda marks: marks[:-1]),
        other("a@changed", lambda marks: np.append(marks, np.uint8(0))),
        other("a@changed", lambda marks: marks | np.uint8(1)),
        other("a@changed", lambda marks: marks & np.uint8(0)),
        other("a@changed", lambda marks: marks.astype("<u2")),
        other("a@values", lambda values: values[:-1]),
        other("a@values", lambda values: np.append(values, values)),
        other("a@values", lambda values: values.astype("<f8")),
        other("a@values", lambda values: values.reshape(1, -1)),
        other("a@values", lambda values: values * np.float32(np.inf)),
        other("a@usual", lambda usual: np.append(usual, usual)),
        other("a@usual", lambda usual: usual.astype("<i4")),
        lambda arrays: arrays.pop("a@values"),
        lambda arrays: arrays.pop("a@usual"),
    ],
)
def test_sparse_arrays_that_contradict_themselves_are_refused(tmp_path, small, damage):
    folder = RunFolder(tmp_path)
    folder.write_arrays("a.npz", {"a": mostly("<f4", 0, 100, [(3, 1.5), (70, 2.5)])}, sparse=True)
    with np.load(tmp_path / "a.npz") as stored:
        arrays = {key: stored[key] for key in stored.files}
    damage(arrays)
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(bl.BoardLabError, match=r"a\.npz is damaged"):
        folder.read_into("a.npz", {"a": np.empty(100, "<f4")})


def test_a_flipped_bit_in_a_sparse_array_is_noticed(tmp_path, small):
    folder = RunFolder(tmp_path)
    array = mostly("<f4", 0, 400, [(i, i) for i in range(1, 50)])
    folder.write_arrays("a.npz", {"a": array}, sparse=True)
    good = (tmp_path / "a.npz").read_bytes()
    for value in (np.float32(7), np.float32(49)):
        bad = bytearray(good)
        bad[good.index(value.tobytes())] ^= 1
        (tmp_path / "a.npz").write_bytes(bytes(bad))
        with pytest.raises(bl.BoardLabError, match="damaged"):
            folder.read_into("a.npz", {"a": np.empty(400, "<f4")})


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path, small, monkeypatch):
    folder, array = RunFolder(tmp_path), mostly("<f4", 0, 400, [(i, i) for i in range(1, 50)])
    folder.write_arrays("a.npz", {"a": array}, sparse=True)
    before = (tmp_path / "a.npz").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array_header_1_0", full)
    with pytest.raises(bl.BoardLabError, match="cannot be written: No space left on device"):
        folder.write_arrays("a.npz", {"a": array + 1}, sparse=True)
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]
    assert (tmp_path / "a.npz").read_bytes() == before
