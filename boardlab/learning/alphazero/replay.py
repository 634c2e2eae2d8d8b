"""What self-play leaves to learn from: positions as fields, the search's visits, results.

A generation is one file in the run's folder `replay/`, so that memory is bounded by the window and a resumed
run finds exactly what it had.
"""

from dataclasses import dataclass
from pathlib import Path
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
    policy: NDArray[np.float32]
    """[n, actions]: where the search went."""
    z: NDArray[np.float32]
    """[n, values]: what the game brought, the player to move first."""
    q: NDArray[np.float32]
    """[n, values]: what the search expected."""

    def __len__(self) -> int:
        return len(self.fields)


def concatenate(parts: list[Examples]) -> Examples:
    """All rows of all parts."""
    return Examples(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("fields", "policy", "z", "q"))
    )


class Replay:
    """The last generations, in memory and, once a folder is known, on disk."""

    def __init__(self) -> None:
        self.parts: dict[int, Examples] = {}
        self.folder: RunFolder | None = None

    def add(self, generation: int, examples: Examples, window: int) -> None:
        """Takes a generation in, and lets go of what has left the window."""
        self.parts[generation] = examples
        self.parts = {number: part for number, part in self.parts.items() if number > generation - window}
        if self.folder is None:
            return
        self.folder.write_arrays(
            _file(generation), {name: getattr(examples, name) for name in ("fields", "policy", "z", "q")}
        )
        for old in self.folder.path.glob("*.npz"):
            if old.stem.isdigit() and int(old.stem) <= generation - 2 * window:
                old.unlink(missing_ok=True)

    def load(self, generation: int, window: int, shapes: dict[str, tuple[str, int]]) -> None:
        """Reads the window that ends with `generation` from the folder."""
        assert self.folder is not None
        self.parts = {
            number: _read(self.folder.path / _file(number), shapes)
            for number in range(max(1, generation - window + 1), generation + 1)
        }

    def everything(self) -> Examples:
        """All positions of the window."""
        return concatenate(list(self.parts.values()))


def _file(generation: int) -> str:
    return f"{generation:06d}.npz"


def _read(file: Path, shapes: dict[str, tuple[str, int]]) -> Examples:
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in shapes}
    except FileNotFoundError:
        raise BoardLabError(f"{file} is missing: without it the run cannot be resumed") from None
    except Exception as error:  # a damaged zip fails in many ways
        raise BoardLabError(f"{file} is damaged: {error}") from None
    rows = {len(array) if array.ndim == 2 else -1 for array in arrays.values()}
    for name, (kind, width) in shapes.items():
        array = arrays[name]
        if array.dtype != np.dtype(kind) or array.ndim != 2 or array.shape[1] != width or len(rows) != 1:
            raise BoardLabError(f"{file} does not fit its run: {name} has the shape {list(array.shape)}")
    return Examples(**arrays)
