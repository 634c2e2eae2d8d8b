"""Arrays in an npz file, an uncompressed zip whose checksums reveal damage.

The file may be a stranger's. Its claims are compared with its bytes before any memory is taken, and nothing
in it is run: headers are matched by a pattern, nothing is unpickled.
"""

import contextlib
import hashlib
import math
import os
import re
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from boardlab.numbers import memory

MOST_ARRAYS = 10_000
MOST_TIMES = 100
"""How much larger than a compressed file its arrays may be; BoardLab writes them uncompressed."""
ANY_SIZE = 1 << 26
"""Bytes that are allowed in any case."""
LONGEST_HEADER = 10_000
READ_BYTES = 1 << 22
"""Bytes read at a time."""
STRAY = "allow_pickle.npy"
"""A member that numpy before 2.2 added: it took an option of savez for an array."""
HEADER = re.compile(
    rb"\{'descr': '([<>|][biuf]\d{1,2})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,15}, )*(?:\d{1,15},?)?)\), \} *\n"
)


class StoredArrays:
    """The arrays of an open file."""

    def __init__(self, file: BinaryIO) -> None:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no npz file")
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        if len(members) > MOST_ARRAYS or len(self._members) < len(members):
            raise ValueError("it has too many arrays, or two of one name")
        known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if any(member.compress_type not in known or member.flag_bits & 1 for member in members):
            raise ValueError("it is packed in a way that numpy does not use")
        there = os.fstat(file.fileno()).st_size
        self.size = sum(member.file_size for member in members)
        """Bytes of all arrays."""
        if sum(member.compress_size for member in members) > there:
            raise ValueError("its arrays claim more bytes than the file has")
        if self.size > max(MOST_TIMES * there, ANY_SIZE):
            raise ValueError(
                f"unpacked it would have {memory(self.size)}, more than {MOST_TIMES} times its size"
            )

    def __contains__(self, key: str) -> bool:
        return f"{key}.npy" in self._members

    def __getitem__(self, key: str) -> NDArray[Any]:
        """The array, whatever its shape: it is not larger than the file."""
        with self.opened(key) as (part, dtype, shape, order):
            flat = np.empty(math.prod(shape), dtype)
            self.fill(part, key, flat)
        return flat.reshape(shape, order=order)

    @contextlib.contextmanager
    def opened(self, key: str) -> Iterator[tuple[IO[bytes], np.dtype[Any], tuple[int, ...], Any]]:
        """The array's bytes, type, shape, and order: "C" or "F"."""
        if key not in self:
            raise ValueError(f"there is no {key} in it")
        member = self._members[f"{key}.npy"]
        with self._zip.open(member) as part:
            dtype, shape, order = _header(part)
            if math.prod(shape) * dtype.itemsize != member.file_size - part.tell():
                raise ValueError(f"{key} claims {math.prod(shape)} values, which is not what it holds")
            yield part, dtype, shape, order

    @staticmethod
    def fill(part: IO[bytes], key: str, array: NDArray[Any]) -> None:
        """Read a flat array in parts: a table may take half of the memory."""
        numbers = READ_BYTES // array.dtype.itemsize
        for begin in range(0, array.size, numbers):
            block = array[begin : begin + numbers]
            data = part.read(block.nbytes)
            if len(data) < block.nbytes:
                raise EOFError(f"{key} ends too early")
            block[:] = np.frombuffer(data, array.dtype)
        part.read(1)  # the checksum is looked at where the file ends

    def digest(self, digest: "hashlib._Hash") -> None:
        """Hash names and contents; the zip itself contains the time of writing."""
        for name in sorted(self._members.keys() - {STRAY}):
            digest.update(name.encode(errors="replace"))
            with self._zip.open(name) as part:
                while block := part.read(READ_BYTES):
                    digest.update(block)


def _header(file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...], str]:
    """Type, shape and order of an array, from the header of its npy file."""
    magic = file.read(8)
    sizes = {b"\x93NUMPY\x01\x00": "<H", b"\x93NUMPY\x02\x00": "<I"}
    if magic not in sizes:
        raise ValueError("one of its arrays is not in numpy's format, version 1 or 2")
    kind = sizes[magic]
    (length,) = struct.unpack(kind, file.read(struct.calcsize(kind)))
    found = HEADER.fullmatch(file.read(length)) if length <= LONGEST_HEADER else None
    if found is None:
        raise ValueError("the header of one of its arrays is not what numpy writes for numbers")
    shape = tuple(int(number) for number in found[3].replace(b",", b" ").split())
    return np.dtype(found[1].decode()), shape, "F" if found[2] == b"True" else "C"
