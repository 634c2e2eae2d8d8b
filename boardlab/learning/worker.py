"""Processes of ours: another Python that imports what this one would."""

import sys


def worker_command(code: str) -> list[str]:
    """The command of a process that runs `code`.

    It looks for modules where this one does, and not in the present folder: a queue.py there would be taken
    for Python's own.
    """
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"]
