"""The declared state of a game in Python, and a position of it as the rules see it."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardlab.errors import BoardLabError, shown

KINDS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "b1")
"""Types of a field: whole numbers, whole numbers from 0 on, floating point, True or False."""

MOST_BYTES = 1 << 16

MOVER, LAST = "mover_", "last_"
"""Names of the two bytes behind the declared fields: who moves, who moved last. The engine keeps them."""

LONGEST = 400
"""Characters of a position in a message."""


class Cells(np.ndarray[Any, Any]):
    """A field with several items; a whole number read from it is an int of Python.

    So `cells[i] + 100` does not overflow at 127, as in compiled rules. Only u8 keeps its type, because
    compiled rules do not mix it with other whole numbers either.
    """

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return found if isinstance(found, np.ndarray) else _plain(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.dtype.kind in "iub" and np.asarray(value).dtype.kind not in "iub":
            raise TypeError(f"a field of whole numbers cannot hold {shown(value)}")
        if self.dtype.kind == "b" and not np.isin(value, (0, 1)).all():
            raise TypeError(f"a field of True and False cannot hold {shown(value)}")
        super().__setitem__(index, value)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


def _plain(number: Any) -> Any:
    return number if number.dtype == np.uint64 else number.item()


class Record:
    """A position: the declared fields as attributes.

    Functions of the rules change it in place. Numbers that do not fit their field are refused. Names of its
    own begin with _, so that none hides a field.
    """

    __slots__ = ("_whole",)
    _layout: "Layout"

    def __init__(self, buffer: Any) -> None:
        self._whole = np.ndarray((), self._layout.dtype, buffer)

    def __getattr__(self, name: str) -> Any:
        if name not in self._layout.fields:
            raise AttributeError(f"the state has no field {name}; it has {', '.join(self._layout.fields)}")
        found = self._whole[name]
        return found.view(Cells) if found.ndim else _plain(found[()])

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_whole":
            return super().__setattr__(name, value)
        kept = self.__getattr__(name)
        if isinstance(kept, Cells):
            raise AttributeError(f"{name} has several items; write {name}[:] = ... to change all of them")
        kind = self._layout.fields[name].base
        if kind.kind in "iub" and not isinstance(value, np.bool_):
            try:
                value = operator.index(value)
            except TypeError:
                raise TypeError(f"{name} is a whole number ({kind.str[1:]}), not {shown(value)}") from None
        try:
            self._whole[name] = value
        except OverflowError:
            raise OverflowError(f"{name} ({kind.str[1:]}) cannot hold {value}") from None

    def __repr__(self) -> str:
        parts = (f"{name}={np.asarray(self._whole[name]).tolist()!r}" for name in self._layout.fields)
        text = ", ".join(parts).replace("'", "")
        return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._to_bytes() == other._to_bytes()

    __hash__ = None  # type: ignore[assignment]  # it changes in place

    def __iter__(self) -> Iterator[Any]:
        """Yield all numbers, field by field."""
        for name in self._layout.fields:
            yield from np.atleast_1d(self._whole[name]).ravel().tolist()

    def _to_bytes(self) -> bytes:
        """Return the bytes of the position."""
        return self._whole.tobytes()

    def _copy(self) -> "Record":
        """Return an independent copy."""
        return type(self)(bytearray(self._to_bytes()))

    @property
    def _mover(self) -> int:
        """Who moves, as the engine keeps it."""
        return int(self._whole[MOVER])

    def _settle(self, mover: int) -> None:
        """Keep who moves after an action, and who moved last."""
        if self._mover >= 0:
            self._whole[LAST] = self._mover
        self._whole[MOVER] = mover


@dataclass(frozen=True)
class Layout:
    """The fields of a state by name, and the bytes of all."""

    fields: dict[str, np.dtype[Any]]
    dtype: np.dtype[Any]
    """With the two bytes of the engine, padded like a C struct."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "record", type("Record", (Record,), {"__slots__": (), "_layout": self}))

    record: type[Record] = Record

    def empty(self) -> Record:
        """Return a position with all numbers 0."""
        return self.record(bytearray(self.dtype.itemsize))

    def read(self, state: bytes) -> Record:
        """Return the position with these bytes."""
        return self.record(bytearray(state))

    def at(self, address: int) -> Record:
        """Return the position at this address."""
        import ctypes

        return self.record((ctypes.c_char * self.dtype.itemsize).from_address(address))

    def facts(self) -> dict[str, Any]:
        """Return what the engine needs to know."""
        places = self.dtype.fields
        assert places is not None
        fields = [
            (name, places[name][1], kind.base.kind, kind.base.itemsize, int(np.prod(kind.shape, dtype=int)))
            for name, kind in self.fields.items()
        ]
        return {"size": self.dtype.itemsize, "mover_at": places[MOVER][1], "fields": fields}


def layout_of(name: str, declared: Any) -> Layout:
    """Read a declared state, a list of (name, type) and (name, type, shape)."""
    fields = {}
    try:
        for field, kind, *shape in declared:
            if kind not in KINDS or len(shape) > 1 or field in fields:
                raise ValueError
            if not isinstance(field, str) or not field.isidentifier() or {field[0], field[-1]} & {"_"}:
                raise ValueError
            fields[field] = np.dtype((kind, _shape(*shape)))
    except (TypeError, ValueError):
        fields = {}
    if not fields:
        raise BoardLabError(
            f'{name}: state must be a list of fields, as in [("cells", "i1", (42,)), ("count", "i4")], each '
            f"with a name of its own and one of the types {', '.join(KINDS)}, not {shown(declared)}"
        )
    whole = np.dtype([*fields.items(), (MOVER, "i1"), (LAST, "i1")], align=True)
    if whole.itemsize > MOST_BYTES:
        raise BoardLabError(
            f"{name}: the state has {whole.itemsize} bytes; at most {MOST_BYTES} are possible"
        )
    return Layout(fields, whole)


def _shape(shape: Any = ()) -> tuple[int, ...]:
    sizes = tuple(operator.index(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if any(n < 1 for n in sizes):
        raise ValueError
    return sizes
