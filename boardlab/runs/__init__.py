"""Run folders: what a training run leaves behind, and how it is read back."""

from boardlab.runs.folder import FORMAT, RunFolder, check_writable

__all__ = ["FORMAT", "RunFolder", "check_writable"]
