"""One function of the rules, rewritten for numba line by line.

Compiled functions have no `self`: parameters and facts become constants, methods become functions. What a
function yields is written to memory instead, which is several times as fast as a generator. Each line keeps
its place, so that errors can name it.
"""

import ast
import builtins
import inspect
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError

Place = tuple[str, int]
"""A file and a line."""

Line = tuple[str, Place | None]


@dataclass(frozen=True)
class Edit:
    """Replace the text between two places of a function; lines from 1, columns in bytes."""

    line: int
    start: int
    end_line: int
    end: int
    text: str


class Written:
    """A function's source text: its tree, and its lines with their places."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function, self.file = function, function.__code__.co_filename
        try:
            lines, self.first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise BoardLabError(
                f"the text of {function.__qualname__} was not found: compiled rules must be in a file or a "
                "notebook"
            ) from None
        # Indented as it is: removing blanks would shift the columns.
        self.shift = 1 if lines[0][:1].isspace() else 0
        self.lines = [*(["if True:\n"] if self.shift else []), *lines]
        try:
            tree = ast.parse("".join(self.lines))
        except SyntaxError:
            raise self.error("only functions written with def can be compiled", 0) from None
        body = tree.body[0].body if self.shift and isinstance(tree.body[0], ast.If) else tree.body
        if not body or not isinstance(body[0], ast.FunctionDef):
            raise self.error("only functions written with def can be compiled", 0)
        self.tree: ast.FunctionDef = body[0]

    def place(self, line: int) -> Place:
        """Return the file and line of a line of `lines`, from 1."""
        return self.file, self.first + line - 1 - self.shift

    def error(self, what: str, line: int) -> BoardLabError:
        """Make an error that names a line."""
        file, number = self.place(line or 1 + self.shift)
        return BoardLabError(f"{what} ({file}, line {number})")

    def body(self, edits: Sequence[Edit]) -> list[Line]:
        """Return the lines of the body after the edits."""
        lines = [line.encode() for line in self.lines]
        for edit in sorted(edits, key=lambda edit: (edit.line, edit.start), reverse=True):
            first, last = edit.line - 1, edit.end_line - 1
            tail = lines[last][edit.end :]
            lines[first] = lines[first][: edit.start] + edit.text.encode() + tail
            for between in range(first + 1, last + 1):
                lines[between] = b""
        start = self.tree.body[0]
        text = [line.decode() for line in lines]
        if start.lineno == self.tree.lineno:  # def player(self, s): return s.mover
            head = "    " + lines[start.lineno - 1][start.col_offset :].decode()
            text[start.lineno - 1] = head
        end = self.tree.end_lineno or len(text)
        return [
            (text[line - 1].rstrip("\n"), self.place(line))
            for line in range(start.lineno, end + 1)
            if text[line - 1]
        ]

    @property
    def indent(self) -> str:
        """The blanks before the first statement."""
        start = self.tree.body[0]
        if start.lineno == self.tree.lineno:
            return "    "
        line = self.lines[start.lineno - 1]
        return line[: len(line) - len(line.lstrip())]


@dataclass(frozen=True)
class Output:
    """How a function's answers are written instead of yielded."""

    arguments: str
    """The arrays, before the function's own arguments."""
    put: str
    """The statement that writes an answer; {} stands for it, {state} for the name of the state."""
    result: str
    """What is returned at the end."""


N = "answers_"
# Written out, and not a call: that lets LLVM unroll loops, and makes them up to fifty times as fast.
PUT = f"out_[{N}] = ({{}}); {N} += 1"
LISTED = Output("out_", PUT, N)
"""Returns the number of answers; one too many is an index out of bounds."""
FIXED = Output("out_", PUT, f"kept_(out_, {N})")
"""Returns whether there are as many answers as places."""
OUTPUTS = {
    "legal": LISTED,
    "observe": LISTED,
    "chance": Output("outcomes_, chances_", f"outcomes_[{N}], chances_[{N}] = ({{}}); {N} += 1", N),
    "apply_changes": Output(
        "out_", f"change_ = out_[{N}]; change_.cell, change_.before, change_.after = ({{}}); {N} += 1", N
    ),
    "completions": Output("states_, chances_", f"{N} = keep_(states_, chances_, {N}, {{state}}, ({{}}))", N),
}
"""Of functions with a varying number of answers."""


class Rewriter(ast.NodeVisitor):
    """Finds the edits of one function."""

    def __init__(
        self,
        written: Written,
        self_name: str | None,
        attribute: Callable[[str, int], str],
        parent: Callable[[str, int], str],
        bind: Callable[[str, Any, int], str],
        output: Output | None,
        has_flat: bool = False,
    ) -> None:
        self.written, self.self_name = written, self_name
        self.has_flat = has_flat
        """Whether the state has a field of the name flat."""
        self.attribute, self.parent, self.bind, self.output = attribute, parent, bind, output
        self.edits: list[Edit] = []
        tree = written.tree
        self.local = {
            *(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)),
            *(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _is_read(node)),
            *(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node is not tree),
        }
        self.depth = 0
        for statement in tree.body:
            self.visit(statement)

    def _edit(self, node: Any, text: str) -> None:
        self.edits.append(Edit(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text))

    def visit_Name(self, node: ast.Name) -> None:
        """Bind a global name; refuse `self` alone."""
        if node.id == self.self_name:
            raise self.written.error(f"compiled rules use {node.id} only as in {node.id}.NAME", node.lineno)
        if _is_read(node) and node.id not in self.local:
            found = self._global(node.id)
            if found is not _MISSING:
                self._edit(node, self.bind(node.id, found, node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Replace self.NAME, super().NAME and MODULE.NAME."""
        base = node.value
        if isinstance(base, ast.Name) and base.id == self.self_name:
            if not _is_read(node):
                raise self.written.error(
                    f"compiled rules cannot change {base.id}.{node.attr}, which is a constant", node.lineno
                )
            return self._edit(node, self.attribute(node.attr, node.lineno))
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
            return self._edit(node, self.parent(node.attr, node.lineno))
        found = self._chain(node)
        if found is not _MISSING:
            return self._edit(node, self.bind(node.attr, found, node.lineno))
        self.generic_visit(node)

    def _chain(self, node: ast.Attribute) -> Any:
        """Return what np.int8, bl.TERMINAL or Piece.KING is; _MISSING for attributes of local values."""
        base: Any = _MISSING
        if isinstance(node.value, ast.Attribute):
            base = self._chain(node.value)
        elif isinstance(node.value, ast.Name) and node.value.id not in {*self.local, self.self_name}:
            base = self._global(node.value.id)
        if not isinstance(base, (types.ModuleType, type)):
            return _MISSING
        if not hasattr(base, node.attr):
            raise self.written.error(f"{base.__name__} has no {node.attr}", node.lineno)
        return getattr(base, node.attr)

    def _global(self, name: str) -> Any:
        """Return what a global name means; _MISSING for functions of Python itself."""
        function = self.written.function
        if name in function.__code__.co_freevars and function.__closure__:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            return getattr(cell, "cell_contents", _MISSING)
        found = function.__globals__.get(name, _MISSING)
        return _MISSING if found is getattr(builtins, name, _MISSING) else found

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Refuse ARRAY.flat[i], the one index that numba never checks."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "flat" and not self.has_flat:
            raise self.written.error(
                "compiled rules do not index .flat, which numba does not check; write array[row, col]",
                node.lineno,
            )
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Visit a function inside of the function, whose yields are its own."""
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        """Make a list of it: all(... for ...) becomes all([... for ...])."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        self.edits.append(Edit(node.lineno, node.col_offset, node.lineno, node.col_offset + 1, "(["))
        self.edits.append(
            Edit(node.end_lineno, node.end_col_offset - 1, node.end_lineno, node.end_col_offset, "])")
        )
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Skip the annotation, which has no effect."""
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Write what is yielded to memory."""
        if self.output is not None and not self.depth and isinstance(node.value, (ast.Yield, ast.YieldFrom)):
            self._put(node.value)
        else:
            self.generic_visit(node)

    def _put(self, node: ast.Yield | ast.YieldFrom) -> None:
        assert self.output is not None
        line = self.written.lines[node.lineno - 1].encode()
        keyword = re.match(rb"yield\s+from|yield", line[node.col_offset :])
        if node.value is None or keyword is None:
            raise self.written.error("yield needs a value", node.lineno)
        end = node.col_offset + keyword.end()
        arguments = self.written.tree.args.args
        state = arguments[1 if self.self_name else 0].arg if arguments else ""
        put = self.output.put.replace("{state}", state)
        before, after = put.split("{}")
        if isinstance(node, ast.YieldFrom):
            if line[: node.col_offset].strip():
                raise self.written.error("yield from needs a line of its own", node.lineno)
            before, after = "for item_ in (", f"): {put.format('item_')}"
        self.edits.append(Edit(node.lineno, node.col_offset, node.lineno, end, before))
        assert node.end_lineno is not None and node.end_col_offset is not None
        self.edits.append(
            Edit(node.end_lineno, node.end_col_offset, node.end_lineno, node.end_col_offset, after)
        )
        self.visit(node.value)

    def visit_Yield(self, node: ast.Yield) -> None:
        """Refuse `x = yield y`."""
        if self.output is not None and not self.depth:
            raise self.written.error("yield must be a statement of its own", node.lineno)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Return the number of answers."""
        if self.output is not None and not self.depth:
            if node.value is not None:
                raise self.written.error("a function that yields returns nothing", node.lineno)
            self._edit(node, f"return {self.output.result}")
        self.generic_visit(node)


def yields(tree: ast.FunctionDef) -> bool:
    """Return whether a function yields itself, not one inside of it."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _is_read(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


_MISSING = object()
