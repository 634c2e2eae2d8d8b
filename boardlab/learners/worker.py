"""Processes of ours: another Python that imports what this one would."""

import sys


def worker_command(code: str) -> list[str]:
    """The command of a process that runs `code`.

    It looks for modules where this one does, and in the present folder last, if at all: a queue.py there
    would be taken for Python's own.
    """
    folders = [folder for folder in sys.path if isinstance(folder, str)]  # Python passes over all others
    folders.sort(key=lambda folder: folder == "")
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {folders!r}\n{code}"]
