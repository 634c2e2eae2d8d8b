"""The replay buffer of self-play positions, search policies and results.

A generation is one file in the run's folder `replay/`, so that the window bounds the memory and a resumed
run finds exactly what it had.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.errors import BoardLabError
from boardlab.runs import RunFolder


@dataclass(frozen=True)
class Examples:
    """Positions of one generation, row by row."""

    fields: NDArray[np.int32]
    """[n, fields] of the state."""
    actions: NDArray[np.signedinteger[Any]]
    """[n, k]: the actions of the policy; -1 fills up a row."""
    shares: NDArray[np.float32]
    """[n, k]: their probabilities in the policy; all other actions have 0."""
    z: NDArray[np.float32]
    """[n, values]: the result of the game, the player to move first."""
    q: NDArray[np.float32]
    """[n, values]: the values that the search expected."""

    def __len__(self) -> int:
        return len(self.fields)

    def taken(self, rows: NDArray[np.int64]) -> "Examples":
        """The examples in these rows."""
        return Examples(*(getattr(self, name)[rows] for name in NAMES))


NAMES = tuple(field.name for field in dataclasses.fields(Examples))


def action_type(actions: int) -> np.dtype[Any]:
    """The smallest integer type for the numbers of `actions` actions and -1."""
    return np.min_scalar_type(-actions)


def sparse(policy: NDArray[np.float32]) -> tuple[NDArray[np.signedinteger[Any]], NDArray[np.float32]]:
    """The actions and probabilities of policies, as wide as the fullest row.

    Morpion has 16,384 actions, of which some 30 are legal at a time.
    """
    row, action = np.nonzero(policy)
    counts = np.bincount(row, minlength=len(policy))
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    actions = np.full((len(policy), counts.max(initial=1)), -1, action_type(policy.shape[1]))
    shares = np.zeros(actions.shape, np.float32)
    actions[row, place], shares[row, place] = action, policy[row, action]
    return actions, shares


def joined(arrays: Sequence[NDArray[Any]], empty: int) -> NDArray[Any]:
    """Stack arrays; `empty` fills up the rows of the narrower ones."""
    width = max(array.shape[1] for array in arrays)
    found = np.full((sum(map(len, arrays)), width), empty, np.result_type(*arrays))
    at = 0
    for array in arrays:
        found[at : at + len(array), : array.shape[1]] = array
        at += len(array)
    return found


def concatenate(parts: Sequence[Examples]) -> Examples:
    """All rows of all parts."""
    columns = {name: [getattr(part, name) for part in parts] for name in NAMES}
    sparse_ones = {"actions": joined(columns.pop("actions"), -1), "shares": joined(columns.pop("shares"), 0)}
    return Examples(**{name: np.concatenate(arrays) for name, arrays in columns.items()}, **sparse_ones)


@dataclass(frozen=True)
class Window:
    """The last generations, or the last positions of any generations, to learn from."""

    generations: int
    positions: int | None = None

    def kept(self, sizes: dict[int, int], generation: int) -> list[int]:
        """The generations up to `generation` in the window, always with the last."""
        if self.positions is None:
            return [number for number in sizes if generation - self.generations < number <= generation]
        kept: list[int] = []
        for number in sorted((n for n in sizes if n <= generation), reverse=True):
            if kept and sum(sizes[n] for n in kept) >= self.positions:
                break
            kept.insert(0, number)
        return kept


class Replay:
    """The last generations, in memory and, once there is a folder, on disk."""

    def __init__(self) -> None:
        self.parts: dict[int, Examples] = {}
        self.folder: RunFolder | None = None

    def add(self, generation: int, examples: Examples, window: Window) -> None:
        """Add a generation and drop those that left the window."""
        before = min(self.parts, default=generation)
        self.parts[generation] = examples
        sizes = {number: len(part) for number, part in self.parts.items()}
        self.parts = {number: self.parts[number] for number in window.kept(sizes, generation)}
        if self.folder is None:
            return
        self.folder.write_arrays(_file(generation), {name: getattr(examples, name) for name in NAMES})
        # The checkpoint is still that of the generation before, whose window must stay until the next one.
        for old in self.folder.path.glob("*.npz"):
            if old.stem.isdigit() and int(old.stem) < before:
                old.unlink(missing_ok=True)

    def load(self, generation: int, window: Window, shapes: dict[str, tuple[str, int]]) -> None:
        """Read the window that ends with `generation` from the folder."""
        assert self.folder is not None
        parts: dict[int, Examples] = {}
        for number in range(generation, 0, -1):
            sizes = {n: len(part) for n, part in parts.items()} | {number: 0}
            if number not in window.kept(sizes, generation):
                break
            parts[number] = _read(self.folder, _file(number), shapes)
        self.parts = dict(sorted(parts.items()))

    def everything(self, window: Window) -> Examples:
        """All positions of the window.

        A generation that is only partly in it contributes random positions, always the same: its last rows
        would be the ends of its games.
        """
        parts = dict(self.parts)
        oldest = min(parts)
        if window.positions is not None:
            left = window.positions - sum(len(part) for number, part in parts.items() if number != oldest)
            drawn = np.random.default_rng(oldest).permutation(len(parts[oldest]))[:left]
            parts[oldest] = parts[oldest].taken(np.sort(drawn))
        return concatenate(list(parts.values()))


def draw_rows(
    count: int, fresh: int, samples: int | None, epochs: float, batch: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """[steps, batch]: the rows of every step of learning from `count` positions.

    Without `samples` every step draws its own positions, and an epoch has as many positions as the last
    generation, `fresh`. With `samples`, that many are drawn once without repetition, and an epoch is a pass
    over them in a new order (Church 2019); the last batch is filled up from the next pass.
    """
    if samples is None:
        steps = max(1, round(epochs * fresh / batch))
        return rng.integers(0, count, (steps, min(batch, count)))
    chosen = rng.permutation(count)[:samples]
    batch = min(batch, len(chosen))
    steps = math.ceil(epochs * len(chosen) / batch - 1e-9)
    passes = [rng.permutation(chosen) for _ in range(-(-steps * batch // len(chosen)))]
    return np.concatenate(passes)[: steps * batch].reshape(steps, batch)


def _file(generation: int) -> str:
    return f"{generation:06d}.npz"


def _read(folder: RunFolder, name: str, shapes: dict[str, tuple[str, int]]) -> Examples:
    """Read the examples of one file and check them.

    `shapes` has the type and the columns of each array. The sparse policies, `actions` and `shares`, may have
    fewer columns.
    """
    file = folder.path / name
    if not file.exists():
        raise BoardLabError(f"{file} is missing: without it the run cannot be resumed")
    arrays: dict[str, NDArray[Any]] = {}
    with folder.stored_arrays(name) as stored:
        if "policy" in stored:  # the format of the first versions, with zeros
            arrays["actions"], arrays["shares"] = sparse(stored["policy"])
        arrays |= {name: stored[name] for name in NAMES if name not in arrays}
    rows = {len(array) if array.ndim == 2 else -1 for array in arrays.values()}
    for name, (kind, width) in shapes.items():
        array = arrays[name]
        fits = array.dtype == np.dtype(kind) and array.ndim == 2 and len(rows) == 1
        if fits and name in ("actions", "shares"):
            fits = 1 <= array.shape[1] <= width and array.shape == arrays["actions"].shape
        elif fits:
            fits = array.shape[1] == width
        if not fits:
            what = f"{name} has the type {array.dtype} and the shape {list(array.shape)}"
            raise BoardLabError(f"{file} does not fit its run: {what}")
    actions, count = arrays["actions"], shapes["actions"][1]
    if actions.size and not (actions.min() >= -1 and actions.max() < count):
        raise BoardLabError(f"{file} does not fit its run: actions are from -1 to {count - 1}")
    if not (np.isfinite(arrays["shares"]).all() and (arrays["shares"] >= 0).all()):
        raise BoardLabError(f"{file} is damaged: a share of an action is no number from 0 on")
    return Examples(**arrays)
