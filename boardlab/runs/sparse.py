"""Arrays without the values that never changed: most entries of a table are never met.

Three members of the npz file take the place of an array NAME. NAME@usual is the value that most entries
have, NAME@changed has a bit for every entry (1: it differs; the first is the highest bit of a byte), and
NAME@values holds the entries that differ, in order. Bits are compared, not numbers: -0.0 is kept.
"""

import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.runs.arrays import READ_BYTES, StoredArrays

SMALLEST = 1 << 20
"""Bytes of an array below which leaving something out is not worth it."""
LARGEST_SHARE = 0.75
"""An array that would keep more of its bytes than this is written whole."""
SAMPLES = 1024
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Integers of the same size, by bytes."""


def is_sparse(stored: StoredArrays, key: str) -> bool:
    """Whether the file holds the array without its usual value."""
    return key not in stored and f"{key}@changed" in stored


def write_sparse(file: zipfile.ZipFile, key: str, array: NDArray[Any]) -> bool:
    """Write a flat array without its usual value; False if that would save too little."""
    if array.ndim != 1 or array.nbytes < SMALLEST or array.dtype.itemsize not in BITS:
        return False
    usual = _usual(array)
    marks, count = [], 0
    for part in _parts(array):
        differs = _bits(part) != _bits(usual)
        marks.append(np.packbits(differs))
        count += int(np.count_nonzero(differs))
    changed = np.concatenate(marks)
    if changed.nbytes + count * array.dtype.itemsize > LARGEST_SHARE * array.nbytes:
        return False
    write_array(file, f"{key}@usual", usual)
    write_array(file, f"{key}@changed", changed)
    form = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": (count,)}
    with file.open(f"{key}@values.npy", "w", force_zip64=True) as out:
        np.lib.format.write_array_header_1_0(out, form)
        for part in _parts(array):
            out.write(part[_bits(part) != _bits(usual)].tobytes())
    return True


def write_array(file: zipfile.ZipFile, key: str, array: NDArray[Any]) -> None:
    """Write a whole array."""
    with file.open(f"{key}.npy", "w", force_zip64=True) as out:
        np.lib.format.write_array(out, np.asanyarray(array), allow_pickle=False)


def read_sparse(stored: StoredArrays, key: str, array: NDArray[Any]) -> None:
    """Fill a flat array; ValueError if the file does not fit it."""
    names = [f"{key}@{part}" for part in ("usual", "changed", "values")]
    with (
        stored.opened(names[0]) as (_, *usual_form),
        stored.opened(names[1]) as (marks, *marks_form),
        stored.opened(names[2]) as (values, dtype, shape, _),
    ):
        if usual_form[:2] != [array.dtype, (1,)] or dtype != array.dtype or len(shape) != 1:
            raise ValueError(f"{key} does not have the type {array.dtype}")
        if marks_form[:2] != [np.uint8, (-(-array.size // 8),)]:
            raise ValueError(f"{key} does not have {array.size} values")
        usual, left = stored[names[0]], shape[0]
        for part in _parts(array):
            data = marks.read(-(-part.size // 8))
            changed = np.unpackbits(np.frombuffer(data, np.uint8), count=part.size).view(bool)
            count = int(np.count_nonzero(changed))
            left -= count
            if left < 0:
                raise ValueError(f"{key} marks more values than it has")
            part[:] = usual
            part[changed] = np.frombuffer(values.read(count * dtype.itemsize), dtype)
        if left:
            raise ValueError(f"{key} has values that nothing marks")
        for member in (marks, values):
            member.read(1)  # the checksum is looked at where the file ends


def _usual(array: NDArray[Any]) -> NDArray[Any]:
    """The value that most of a sample of entries have, as an array of one."""
    sample = np.ascontiguousarray(array[:: max(1, array.size // SAMPLES)])
    found, counts = np.unique(_bits(sample), return_counts=True)
    return found[counts.argmax() :][:1].view(array.dtype)


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array).view(BITS[array.dtype.itemsize])


def _parts(array: NDArray[Any]) -> list[NDArray[Any]]:
    """The array in parts of whole bytes of marks: a table may take half of the memory."""
    return [array[i : i + READ_BYTES] for i in range(0, max(array.size, 1), READ_BYTES)]
