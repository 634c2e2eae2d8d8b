"""Messages between a process and its workers.

JSON followed by the data of numpy arrays. Nothing is pickled.
"""

import json
import os
import struct
from typing import IO, Any

import numpy as np

_HEAD = struct.Struct("<QQ")  # the length of the JSON text, and of the arrays
_ARRAY = "\0array"


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write a message of plain values; tuples arrive as lists, paths as text."""
    arrays: list[np.ndarray[Any, Any]] = []
    text = json.dumps(message, default=lambda value: _put(value, arrays)).encode()
    stream.write(_HEAD.pack(len(text), sum(array.nbytes for array in arrays)))
    stream.write(text)
    for array in arrays:
        stream.write(array.data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """The next message; None once the other end is gone."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, size = _HEAD.unpack(head)
    text, data = stream.read(length), memoryview(bytearray(stream.read(size)))
    if len(text) < length or len(data) < size:
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


def _put(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        raise TypeError(f"a job's values are text, numbers, lists, tables and arrays, not {type(value)}")
    arrays.append(np.ascontiguousarray(value))
    return {_ARRAY: (value.dtype.str, value.shape)}
