"""Reports on generations: generations.jsonl, losses.png, TensorBoard.

TensorBoard only on request.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError, MissingPackageError, install
from boardlab.learners.exams import exam_names
from boardlab.paths import read_file
from boardlab.plots import figure_bytes, has_matplotlib, new_figure
from boardlab.runs import RunFolder
from boardlab.runs.folder import LARGEST_LOG

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

LINES = "generations.jsonl"
PICTURE = "losses.png"
EVENTS = "tensorboard"


def require_tensorboard() -> None:
    """Raise an error that says what to install if TensorBoard is missing."""
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        raise MissingPackageError(f"tensorboard is not installed: {install('tensorboard')}") from None


class Reports:
    """Reports every generation; a resumed run drops the lines after its checkpoint.

    The lines are in the file alone: memory does not grow with the run.
    """

    def __init__(self, tensorboard: bool) -> None:
        self.tensorboard = tensorboard
        self.folder: RunFolder | None = None
        self.writer: SummaryWriter | None = None

    def place(self, folder: RunFolder, generation: int) -> dict[str, Any]:
        """Set the run folder, which has `generation` generations.

        Return the line of the last one.
        """
        self.folder = folder
        rows = _lines(folder.path / LINES, generation)
        folder.write_text(LINES, "".join(json.dumps(row) + "\n" for row in rows))
        events = folder.path / EVENTS
        if generation == 0:  # of an earlier run in this folder
            (folder.path / PICTURE).unlink(missing_ok=True)
            for old in events.glob("events.out.tfevents.*"):
                old.unlink()
        if self.tensorboard:
            require_tensorboard()
            from torch.utils.tensorboard import SummaryWriter

            # purge_step hides the events after the checkpoint.
            self.writer = SummaryWriter(str(events), purge_step=generation + 1)
        return rows[-1] if rows and rows[-1]["generation"] == generation else {}

    def add(self, facts: Mapping[str, Any]) -> None:
        """Report a finished generation."""
        if self.folder is not None:
            self.folder.append_text(LINES, json.dumps(facts) + "\n")
        self._write(facts, facts["generation"])

    def examined(self, row: Mapping[str, Any], generation: int) -> None:
        """Write the exams in a row of the log to TensorBoard."""
        self._write({f"exam/{name}": float(row[name]) for name in exam_names([row])}, generation)

    def _write(self, facts: Mapping[str, Any], generation: int) -> None:
        if self.writer is None:
            return
        for name, value in facts.items():
            if name != "generation" and isinstance(value, (int, float)):
                self.writer.add_scalar(name, float(value), generation)
        self.writer.flush()

    def draw(self) -> dict[str, bytes]:
        """The pictures of the run, by file name."""
        lines = _lines(self.folder.path / LINES) if self.folder else []
        picture = draw_losses(lines)
        return {} if picture is None else {PICTURE: picture}


def _lines(path: Path, generation: float = math.inf) -> list[dict[str, Any]]:
    """The lines up to this generation, without one that a crash cut off."""
    try:
        text = read_file(path, LARGEST_LOG).decode(errors="replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BoardLabError(f"{path} cannot be read: {error.strerror}") from None
    rows: dict[int, dict[str, Any]] = {}
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        number = row.get("generation") if isinstance(row, dict) else None
        if isinstance(number, int) and 1 <= number <= generation:
            rows[number] = row
    return [rows[number] for number in sorted(rows)]


def draw_losses(rows: Sequence[Mapping[str, Any]]) -> bytes | None:
    """Draw the losses of policy and value and their sum as a PNG.

    As in figure 3 of Church (2019). None if there is nothing to draw or matplotlib is not installed.
    """
    if not has_matplotlib():
        return None
    from matplotlib.ticker import MaxNLocator

    losses = ("policy_loss", "value_loss")
    found = [row for row in rows if all(isinstance(row.get(name), (int, float)) for name in losses)]
    if not found:
        return None
    figure = new_figure(7, 3.5)
    axes = figure.add_subplot()
    generations = [row["generation"] for row in found]
    policy, value = ([float(row[name]) for row in found] for name in losses)
    both = [p + v for p, v in zip(policy, value, strict=True)]
    for label, curve in (("both", both), ("policy: cross-entropy", policy), ("value: squared error", value)):
        axes.plot(generations, curve, marker="o", markersize=3, label=label)
    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("loss")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    return figure_bytes(figure)
