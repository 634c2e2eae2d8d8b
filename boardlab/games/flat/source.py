"""Compiled rules as the text of a module: all that the rules call, and the functions for the engine.

The text holds every function and every constant that the rules use, so that its hash names the compiled code.
"""

import inspect
import math
import types
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from boardlab.errors import BoardLabError, shown
from boardlab.games.flat.layout import LAST, MOVER, Layout
from boardlab.games.flat.natives import NATIVES
from boardlab.games.flat.rewriting import FIXED, OUTPUTS, Line, N, Output, Place, Rewriter, Written, yields
from boardlab.games.flat.uncompiled import CHANGES, FREE_TO_IGNORE_RNG, LISTS, takes

if TYPE_CHECKING:
    from boardlab.games.python import PythonGame

KNOWN = (np, math)
"""Modules whose functions numba compiles itself."""


class Source:
    """The text of the module, and where each of its lines comes from."""

    def __init__(
        self, rules: "PythonGame", layout: Layout, has: Collection[str], sizes: Mapping[str, int]
    ) -> None:
        self.rules, self.has, self._has_flat = rules, has, "flat" in layout.fields
        self._constants: list[str] = []
        self._functions: list[Line] = []
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self._alive: list[Any] = []  # names are kept by the ids of objects
        self._open: list[Any] = []
        """The functions that are being written, each called by the one before."""
        for name in has:
            if name in LISTS and name != "solve":
                self._into(name)
            else:
                self._method(name)
        head = ["import math", "import numpy as np", "from boardlab.games.flat.support import *"]
        head += [f"{name} = {value}" for name, value in sizes.items()]
        declared = [(name, _in_records(kind), kind.shape) for name, kind in layout.fields.items()]
        head.append(f"STATE = np.dtype({[*declared, (MOVER, 'i1'), (LAST, 'i1')]!r}, align=True)")
        head.append("_native = native(STATE)")
        lines: list[Line] = [(text, None) for text in [*head, *self._constants]]
        lines += self._functions
        for name in (*has, "playout"):
            lines += [(text, None) for text in self._native(name).splitlines()]
        self.text = "\n".join(text for text, _ in lines) + "\n"
        self.places: list[Place | None] = [place for _, place in lines]

    # ---- functions ----

    def _method(self, name: str, caller: tuple[Written, int] | None = None) -> str:
        """Write a method of the rules as a function; return its name."""
        found = self._find(name, type(self.rules).__mro__)
        return self._function(found, f"rules_{name}", is_method=True, caller=caller)

    def _find(self, name: str, classes: Collection[type]) -> Any:
        for owner in classes:
            if name in vars(owner):
                return vars(owner)[name]
        return None

    def _function(
        self,
        found: Any,
        name: str,
        *,
        is_method: bool = False,
        output: Output | None = None,
        caller: tuple[Written, int] | None = None,
    ) -> str:
        """Write a function, once, and return its name in the module."""
        if isinstance(found, staticmethod):
            found, is_method = found.__func__, False
        found = getattr(found, "py_func", found)  # compiled by the author with numba
        if not isinstance(found, types.FunctionType):
            raise BoardLabError(f"{shown(found)} is not a function")
        if caller is not None and found in self._open:
            # numba cannot load such code from its cache, and too deep a call would end the process.
            written, line = caller
            raise written.error(f"compiled functions cannot call themselves, as {found.__name__} does", line)
        key = (found, output is not None)
        if key in self._names:
            return self._names[key]
        self._names[key] = chosen = self._unique(name)
        written = Written(found)
        arguments = self._arguments(written, is_method)
        self_name = written.tree.args.args[0].arg if is_method and written.tree.args.args else None

        def attribute(attribute: str, line: int) -> str:
            return self._attribute(attribute, written, line)

        def parent(attribute: str, line: int) -> str:
            return self._parent(attribute, found, written, line)

        def bind(name: str, value: Any, line: int) -> str:
            return self._bind(name, value, written, line)

        self._open.append(found)
        rewriter = Rewriter(written, self_name, attribute, parent, bind, output, self._has_flat)
        body = written.body(rewriter.edits)
        self._open.pop()
        start = written.place(written.tree.lineno)
        if output is not None:
            arguments = [output.arguments, *arguments]
            body = [
                (f"{written.indent}{N} = 0", start),
                *body,
                (f"{written.indent}return {output.result}", start),
            ]
        head = [("@compiled", start), (f"def {chosen}({', '.join(arguments)}):", start)]
        self._functions += [*head, *body]
        return chosen

    def _arguments(self, written: Written, is_method: bool) -> list[str]:
        given = written.tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs:
            raise written.error("compiled functions take plain arguments only", written.tree.lineno)
        names = [argument.arg for argument in given.args]
        defaults = written.function.__defaults__ or ()
        first = len(names) - len(defaults)
        for i, value in enumerate(defaults):
            names[first + i] += f"={self._literal(value, 'a default', written, written.tree.lineno)}"
        return names[1:] if is_method else names

    def _into(self, name: str) -> None:
        """Write a function whose answers go to memory: NAME_into(arrays, arguments)."""
        found = self._find(name, type(self.rules).__mro__)
        function: Any = found.__func__ if isinstance(found, staticmethod) else found
        output = OUTPUTS.get(name, FIXED)
        if yields(Written(function).tree):
            made = self._function(found, f"{name}_into", is_method=True, output=output)
            if made != f"{name}_into":
                self._functions.append((f"{name}_into = {made}", None))
            return
        if name == "completions":
            raise BoardLabError("completions must yield the probability of each completion")
        plain = self._method(name)
        arguments = ", ".join(f"a{i}" for i in range(takes(getattr(self.rules, name))))
        head = f"@compiled\ndef {name}_into({output.arguments}, {arguments}):"
        if name in OUTPUTS:
            put = output.put.format("item_")
            lines = f"    {N} = 0\n    for item_ in {plain}({arguments}):\n        {put}\n    return {N}"
        else:
            lines = f"    return fill(out_, {plain}({arguments}))"
        self._functions += [(text, None) for text in f"{head}\n{lines}".splitlines()]

    def _native(self, name: str) -> str:
        text = NATIVES[name]
        if name in FREE_TO_IGNORE_RNG and takes(getattr(self.rules, name)) == 1:
            text = text.replace(", carray(rng, 1))", ")")
        if name == "playout":
            parts = {"rounds": "round_over", "drawing": "sample_chance", "listing": "chance"}
            chosen = {part for part, function in parts.items() if function in self.has}
            chosen -= {"listing"} if "drawing" in chosen else set()
            kept = [
                line for line in text.splitlines() if "#" not in line or line.rpartition("# ")[2] in chosen
            ]
            text = "\n".join(line.partition("  #")[0] for line in kept)
        return text

    # ---- names ----

    def _unique(self, name: str) -> str:
        chosen, number = name, 1
        while chosen in self._used:
            number += 1
            chosen = f"{name}_{number}"
        self._used.add(chosen)
        return chosen

    def _attribute(self, name: str, written: Written, line: int) -> str:
        """Return what self.NAME becomes: a function or a constant."""
        found = self._find(name, type(self.rules).__mro__)
        if isinstance(found, (types.FunctionType, staticmethod)) or hasattr(found, "py_func"):
            return self._method(name, (written, line))
        try:
            value = getattr(self.rules, name)
        except AttributeError:
            kind = type(self.rules).__name__
            raise written.error(f"{kind} has neither a parameter nor a function {name}", line) from None
        return self._bind(f"self_{name}", value, written, line)

    def _parent(self, name: str, function: types.FunctionType, written: Written, line: int) -> str:
        """Return what super().NAME becomes in a function."""
        classes = type(self.rules).__mro__
        owner = next((i for i, kind in enumerate(classes) if function in vars(kind).values()), len(classes))
        found = self._find(name, classes[owner + 1 :])
        if found is None:
            raise written.error(f"no class above has a function {name}", line)
        return self._function(found, f"above_{name}", is_method=True, caller=(written, line))

    def _bind(self, name: str, value: Any, written: Written, line: int) -> str:
        """Return the module's name for a value that a function uses."""
        if (known := _known(value)) is not None:  # also functions that numpy writes in Python, as np.full
            return known
        if isinstance(value, types.FunctionType) or hasattr(value, "py_func"):
            return self._function(value, f"of_{name}", caller=(written, line))
        if isinstance(value, types.ModuleType):
            if value not in KNOWN:
                raise written.error(f"{name} is a module; compiled rules name what they use of it", line)
            return value.__name__.replace("numpy", "np")
        key = (name, id(value))
        if key not in self._names:
            text = self._literal(value, name, written, line)
            self._names[key] = chosen = self._unique(f"const_{name}")
            self._alive.append(value)
            self._constants.append(f"{chosen} = {text}")
        return self._names[key]

    def _literal(self, value: Any, name: str, written: Written, line: int) -> str:
        """Return a constant as text."""
        if isinstance(value, (bool, int, float, str)) or value is None:
            plain = int(value) if isinstance(value, int) and not isinstance(value, bool) else value
            return (
                f"float({str(plain)!r})"
                if isinstance(plain, float) and not math.isfinite(plain)
                else repr(plain)
            )
        if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "iufb":
            array = np.ascontiguousarray(value)
            made = f"np.frombuffer(bytes.fromhex({array.tobytes().hex()!r}), {array.dtype.str!r})"
            return f"{made}[0]" if isinstance(value, np.generic) else f"{made}.reshape({value.shape!r})"
        if isinstance(value, (tuple, list)):
            return "(" + "".join(f"{self._literal(item, name, written, line)}, " for item in value) + ")"
        if isinstance(value, range):
            return repr(value)
        raise written.error(
            f"{name.removeprefix('self_')} is {_kind(value)}: compiled rules use numbers, tuples, arrays and "
            "functions",
            line,
        )


def _in_records(kind: np.dtype[Any]) -> str:
    """Return a field's type for numba, which has no records with arrays of True and False."""
    return "i1" if kind.shape and kind.base.kind == "b" else kind.base.str[1:]


def _known(value: Any) -> str | None:
    """Return the text for what numba knows itself: np.uint64, math.sqrt, np.zeros."""
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    for module in KNOWN:
        if getattr(module, name, None) is value:
            return f"{module.__name__.replace('numpy', 'np')}.{name}"
    return name if value in (int, float, bool, abs, min, max, len, range) else None


def _kind(value: Any) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" if inspect.isclass(type(value)) else kind


assert set(CHANGES) <= set(NATIVES)
