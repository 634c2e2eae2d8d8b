"""Kinds of job for the tests; workers import this module, too."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from boardlab.errors import BoardLabError, MissingPackageError
from boardlab.jobs import kind


@kind("square")
def square(job, context):
    context.tell({"half": job.settings["x"]})
    return job.settings["x"] ** 2


@kind("arrays")
def arrays(job, context):
    array = job.settings["array"]
    return {"twice": array * 2, "type": str(array.dtype), "nested": [job.settings["nested"]["a"] + 1]}


@kind("fail")
def fail(job, context):
    if job.settings["how"] == "sentence":
        raise BoardLabError("x must be small, not 7")
    if job.settings["how"] == "missing":
        raise MissingPackageError("this needs a package")
    raise ZeroDivisionError("by zero")


@kind("die")
def die(job, context):
    """Die until it was started so often: a file counts."""
    file = Path(job.settings["file"])
    with file.open("a") as out:
        out.write("x")
    if file.stat().st_size < job.settings["lives"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return file.stat().st_size


@kind("game")
def play(job, context):
    return repr(context.game(job))


@kind("log")
def log(job, context):
    """Write a line, then work for a while."""
    with Path(job.settings["file"]).open("a") as out:
        out.write(f"{job.seed}\n")
    time.sleep(job.settings["seconds"])
    return np.random.default_rng(job.seed).random()


@kind("wait", saves=True)
def wait(job, context):
    """Wait for Ctrl-C and save then."""
    try:
        context.tell({"waits": True})
        time.sleep(600)
    except KeyboardInterrupt:
        Path(job.settings["file"]).write_text("saved")
        raise


@kind("sum")
def total(job, context):
    """The sum of the shared weights, and the keys of all shared values here; dies as `die` does."""
    if "file" in job.settings:
        die(job, context)
    return [float(context.shared(job, "weights").sum()), sorted(context.values)]


@kind("halves")
def halves(job, context):
    """Report a part as finished, which a resumed job begins with."""
    for share in job.settings["shares"]:
        context.tell({"share": share})
