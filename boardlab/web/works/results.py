"""Folders of results: the tables and figures of `reproduce` and of sweeps."""

import os
from pathlib import Path
from typing import Any

from boardlab.web.errors import Missing
from boardlab.web.settings import Settings
from boardlab.web.works.work import FOLDER

TABLE = "table.md"
PICTURES = {"figure.svg": "image/svg+xml", "figure.png": "image/png"}
LARGEST = 4 << 20
MOST_FOLDERS, DEEPEST = 200, 4


def _roots(settings: Settings) -> dict[str, Path]:
    """Return the folders in which results are looked for: that of runs, and results beside it."""
    return {"runs": settings.runs, "results": settings.runs.parent / "results"}


def list_results(settings: Settings) -> list[dict[str, Any]]:
    """Return the folders that hold a table, those changed last first."""
    found = []
    for root, folder in _roots(settings).items():
        for path, folders, files in os.walk(folder):
            here = Path(path)
            folders[:] = sorted(name for name in folders if name != FOLDER and not (here / name).is_symlink())
            if "agent.toml" in files or len(here.relative_to(folder).parts) >= DEEPEST:
                folders.clear()
            if TABLE in files:
                found.append(
                    {
                        "path": f"{root}/{here.relative_to(folder).as_posix()}",
                        "kind": "sweep" if "sweep.toml" in files else "experiment",
                        "changed": (here / TABLE).stat().st_mtime,
                        "picture": next((name for name in PICTURES if name in files), ""),
                    }
                )
    found.sort(key=lambda one: -float(one["changed"]))
    return found[:MOST_FOLDERS]


def read_result(settings: Settings, name: str, file: str) -> bytes:
    """Return a file of a folder of results."""
    root, _, rest = name.partition("/")
    folder = _roots(settings).get(root)
    parts = rest.split("/")
    if folder is None or file not in (TABLE, *PICTURES) or any(part in ("", "..", FOLDER) for part in parts):
        raise Missing("there are no such results on this server")
    path = folder.joinpath(*parts, file)
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or path.stat().st_size > LARGEST:
            raise Missing("there are no such results on this server")
        return path.read_bytes()
    except OSError:
        raise Missing("there are no such results on this server") from None
