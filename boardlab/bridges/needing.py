"""Imports of optional packages: a missing one names the extra that has it."""

import contextlib
from collections.abc import Iterator

from boardlab.errors import MissingPackageError, install


@contextlib.contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Turn a missing package inside the block into the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("boardlab"):
            raise
        raise MissingPackageError(f"{what} needs the package {error.name}: {install(extra)}") from None
