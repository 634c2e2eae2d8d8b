"""Run folders: what a training run leaves behind, and how it is read back."""

from boardlab.runs.files import changing, check_writable, write_file
from boardlab.runs.folder import FORMAT, RunFolder, runs_in

__all__ = ["FORMAT", "RunFolder", "changing", "check_writable", "runs_in", "write_file"]
