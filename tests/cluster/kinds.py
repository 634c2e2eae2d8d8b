"""Kinds of job that the tests of clusters run on other nodes."""

import os
import signal
import time
from pathlib import Path

from boardlab.errors import BoardLabError
from boardlab.jobs import kind
from boardlab.paths import as_path


@kind("seed")
def seed(job, context):
    return job.seed


@kind("gate")
def gate(job, context):
    """Wait for a file; return the process that runs this and its parent."""
    context.tell({"share": 0.0})
    while not Path(job.settings["file"]).exists():
        time.sleep(0.02)
    return [job.seed, os.getpid(), os.getppid()]


@kind("once")
def once(job, context):
    """Fall into the trap named in the settings the first time, and only then."""
    mark = Path(job.settings["folder"]) / str(job.seed)
    if job.seed in job.settings["trapped"] and not mark.exists():
        mark.touch()
        context.tell({"share": 0.1})
        if job.settings["trap"] == "kill worker":
            os.kill(os.getpid(), signal.SIGKILL)
        if job.settings["trap"] == "kill actor":
            os.kill(os.getppid(), signal.SIGKILL)
        if job.settings["trap"] == "raise":
            raise BoardLabError("x must be small, not 7")
        time.sleep(600)
    return job.seed


@kind("end")
def end(job, context):
    os.kill(os.getpid(), signal.SIGKILL)


@kind("look")
def look(job, context):
    """Where this module and a folder of the job lie here, and what is in a file of it."""
    place = as_path("a folder", job.settings["folder"])
    return {"code": __file__, "folder": str(place), "text": (place / "text").read_text()}


@kind("weigh")
def total(job, context):
    return float(context.shared(job, "weights").sum())
