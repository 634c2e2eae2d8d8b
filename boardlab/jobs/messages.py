"""Messages between a process and its workers.

JSON followed by the data of numpy arrays. Nothing is pickled.
"""

import hashlib
import io
import json
import os
import struct
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_HEAD = struct.Struct("<QQ")  # the length of the JSON text, and of the arrays
_ARRAY = "\0array"


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write a message of plain values; tuples arrive as lists, paths as text."""
    text, arrays = _parts(message)
    stream.write(_HEAD.pack(len(text), sum(array.nbytes for array in arrays)) + text)
    for array in arrays:
        stream.write(array.data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """The next message; None once the other end is gone."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, size = _HEAD.unpack(head)
    text, data = stream.read(length), bytearray(size)
    if len(text) < length or stream.readinto(data) < size:  # type: ignore[attr-defined]
        return None
    at = 0

    def take(table: dict[str, Any]) -> Any:
        nonlocal at
        if _ARRAY not in table:
            return table
        kind, shape = table[_ARRAY]
        array = np.frombuffer(data, kind, count=int(np.prod(shape)), offset=at).reshape(shape)
        at += array.nbytes
        return array

    return json.loads(text, object_hook=take)


def encoded(message: Any) -> NDArray[np.uint8]:
    """A message as an array of bytes."""
    stream = io.BytesIO()
    write_message(stream, message)
    return np.frombuffer(stream.getbuffer(), np.uint8)


def decoded(content: NDArray[np.uint8]) -> Any:
    """The message in an array of bytes; its arrays can be written."""
    return read_message(io.BytesIO(content.data))


def digest(message: Any) -> str:
    """A digest of plain values and of the data of their arrays."""
    text, arrays = _parts(message)
    found = hashlib.sha256(text)
    for array in arrays:
        found.update(array.data)
    return found.hexdigest()[:32]


def _parts(message: Any) -> tuple[bytes, list[NDArray[Any]]]:
    """The text of a message, and the arrays that follow it."""
    arrays: list[NDArray[Any]] = []

    def put(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if not isinstance(value, np.ndarray) or value.dtype.hasobject:
            raise TypeError(f"a job's values are text, numbers, lists, tables and arrays, not {type(value)}")
        arrays.append(np.ascontiguousarray(value))
        return {_ARRAY: (value.dtype.str, value.shape)}

    return json.dumps(message, default=put).encode(), arrays
