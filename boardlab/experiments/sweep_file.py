"""A sweep in a file (GBG's batch mode): the options of the command line as TOML.

game = "connectfour"
alpha = [1, 2, 4]
epsilon = [0.1, 0.2]
exam = "abdl"
seeds = 3
"""

from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.paths import read_text
from boardlab.runs.files import write_file
from boardlab.runs.toml import from_toml, to_toml

LARGEST = 1 << 20


def read_sweep(path: Path) -> dict[str, Any]:
    """The options in a file, with underscores in their names."""
    try:
        table = from_toml(read_text("the grid of a sweep", path, LARGEST))
    except BoardLabError:
        raise
    except ValueError as error:
        raise BoardLabError(f"{path} cannot be read: {error}") from None
    for name, value in table.items():
        if isinstance(value, dict):
            raise BoardLabError(
                f"{path}: [{name}] is a table; a grid has options alone, as alpha = [1, 2, 4]"
            )
    return {name.replace("-", "_"): value for name, value in table.items()}


def write_sweep(path: Path, table: dict[str, Any]) -> None:
    """Write a sweep so that `--grid` repeats it."""
    write_file(path, to_toml(table))
