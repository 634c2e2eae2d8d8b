"""Compile the text of rules, or load what was compiled before.

Compiled code lies in a folder of the user, named by a hash of everything that it was made from. Nobody else
may write there: loading compiled code runs it.
"""

import contextlib
import hashlib
import importlib.util
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from boardlab.errors import BoardLabError, BoardLabWarning
from boardlab.games.flat.rewriting import Place
from boardlab.games.flat.source import Source
from boardlab.paths import private_cache

FOLDER = "compiled"
UNUSED_DAYS = 90
"""Days without use after which compiled code is deleted."""


class Compiled:
    """A compiled module, and the file that marks it as accepted."""

    def __init__(self, name: str, source: Source) -> None:
        import llvmlite
        import numba
        import numpy as np

        versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, _support())
        digest = hashlib.sha256("\0".join((source.text, *versions)).encode()).hexdigest()[:24]
        safe = re.sub(r"\W", "_", name)
        self.name, self.source = name, source
        self.file = private_cache(FOLDER) / f"{safe}_{digest}.py"
        self._mark = self.file.with_suffix(".accepted")

    @property
    def is_accepted(self) -> bool:
        """Whether this code has passed its checks."""
        return self._mark.is_file()

    def accept(self) -> None:
        """Remember that this code has passed its checks, and when it was used."""
        with contextlib.suppress(OSError):
            self._mark.touch()
            _forget_unused(self.file.parent)

    def load(self, again: bool = True) -> ModuleType:
        """Import the module, which compiles what is not in the cache.

        A damaged cache is emptied, and the module is imported `again`.
        """
        from numba.core.errors import NumbaError

        if not self.file.is_file():
            # Written elsewhere first: another process must not read half of it.
            with tempfile.NamedTemporaryFile(
                "w", dir=self.file.parent, suffix=".tmp", delete=False, encoding="utf-8"
            ) as file:
                file.write(self.source.text)
            Path(file.name).replace(self.file)
        spec = importlib.util.spec_from_file_location(f"boardlab_compiled.{self.file.stem}", self.file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # numba looks the module up
        try:
            with warnings.catch_warnings(record=True) as doubts:
                warnings.simplefilter("always")
                spec.loader.exec_module(module)
        except Exception as error:  # also failures of numba itself
            if again and not isinstance(error, (NumbaError, KeyError)):
                self._forget_code()
                return self.load(again=False)
            refused = self._refused(error)
            self.file.unlink(missing_ok=True)
            raise refused from None
        if any("Cannot cache" in str(doubt.message) for doubt in doubts):
            warnings.warn(
                f"{self.name} is compiled again by every process, because its rules use a table of more than "
                "1 MB, or a function as a value",
                BoardLabWarning,
                stacklevel=2,
            )
        return module

    def _forget_code(self) -> None:
        """Delete the module and its compiled code."""
        for file in (self.file, *self.file.parent.glob(f"__pycache__/{self.file.stem}.*")):
            file.unlink(missing_ok=True)

    def addresses(self, module: ModuleType) -> dict[str, int]:
        """Return the addresses of the functions for the engine."""
        prefix = "native_"
        return {
            name.removeprefix(prefix): function.address
            for name, function in vars(module).items()
            if name.startswith(prefix)
        }

    def _refused(self, error: Exception) -> BoardLabError:
        """Say what cannot be compiled, and where in the author's file."""
        from numba.core.errors import NumbaError

        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
            name = error.args[0]
            return self._error(f"the state has no field {name}", self._line_with(rf"\.{name}\b"))
        if unknown := re.search(r"NameError: name '(\w+)' is not defined", text):
            return self._error(f"{unknown[1]} is not defined", self._line_with(rf"\b{unknown[1]}\b"))
        if not isinstance(error, NumbaError):
            what = f"numba fails ({type(error).__name__}: {error}); write it in a simpler way"
            return self._error(what, self._function_of(error))
        lines = [int(n) for n in re.findall(rf'File "[^"]*{re.escape(self.file.name)}", line (\d+)', text)]
        lines += [int(n) for n in re.findall(rf"{re.escape(self.file.name)} \((\d+)\)", text)]
        places = self.source.places
        known = (places[n - 1] for n in lines if n <= len(places))
        return self._error(_reason(text), next((place for place in known if place), None))

    def _error(self, what: str, place: Place | str | None) -> BoardLabError:
        where = (
            f" ({place[0]}, line {place[1]})" if isinstance(place, tuple) else f" in {place}" if place else ""
        )
        return BoardLabError(f"{self.name} cannot be compiled: {what}{where}")

    def _line_with(self, pattern: str) -> Place | None:
        """Return the place of the first line of the rules that matches."""
        lines = zip(self.source.text.splitlines(), self.source.places, strict=True)
        return next((place for text, place in lines if place and re.search(pattern, text)), None)

    def _function_of(self, error: Exception) -> str | None:
        """Return the function that numba was compiling when it failed."""
        frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename == str(self.file)]
        found = re.search(r"_native\('(\w+)'\)", frames[0].line or "") if frames else None
        return found[1] if found else None


def _forget_unused(folder: Path) -> None:
    """Delete code that was not used for a long time."""
    for mark in folder.glob("*.accepted"):
        if time.time() - mark.stat().st_mtime > UNUSED_DAYS * 86400:
            for file in (*folder.glob(f"{mark.stem}.*"), *folder.glob(f"__pycache__/{mark.stem}.*")):
                file.unlink(missing_ok=True)


NOISE = re.compile(
    r"^(Failed in nopython|During:|File |This error|\[\d+\]|-+$|\^|There are \d+ candidate|- Of which|"
    r"Overload |.*Rejected as|Invalid use of .* with parameters|Use of unsupported|<source|def |@|"
    r"return |\w+ =)"
)
"""Lines of numba's messages that name its own parts."""
EXCERPT = re.compile(r'^File "[^"]*", line \d+:.*?^ *\^', re.M | re.S)
"""Lines of the text, which end with a mark below the place."""
CALL = re.compile(r"Invalid use of (?:\w+\()?(?:<[\w -]+? )?([\w.]+).*? with parameters (\(.*\))")


def _reason(text: str) -> str:
    """Return the reason of numba's message in one sentence, in the author's words."""
    lines = [line.strip() for line in EXCERPT.sub("", text).splitlines() if line.strip()]
    chosen = next((line for line in lines if not NOISE.match(line)), "numba gives no reason")
    if chosen == "numba gives no reason" and (call := CALL.search(text)):
        chosen = f"{call[1]} takes no arguments of the types {call[2]}"
    chosen = re.sub(r",? defined at \S+ \(\d+\)", "", chosen)
    chosen = re.sub(r"Literal\[(\w+)\]\(.*?\)", r"\1", chosen)
    chosen = re.sub(r"Record\(.*\)(?=[ ,.;]|$)", "the state", chosen)
    chosen = re.sub(r"Cannot unify (.+) and (.+) for '\$.*'", r"a value is of two types, \1 and \2", chosen)
    chosen = re.sub(r"Cannot unify (.+) and (.+) for '(\w+)[.\d]*'", r"\3 is of two types, \1 and \2", chosen)
    return chosen.rstrip(":. ")


def _support() -> str:
    """Hash the files that become part of compiled code."""
    digest = hashlib.sha256()
    for name in ("abi", "support"):
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()
