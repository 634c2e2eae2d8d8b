"""The worker process: runs the jobs it receives, one at a time.

It ends when its parent does.
"""

import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from boardlab.errors import BoardLabError
from boardlab.interrupts import ended_by_signals
from boardlab.jobs.job import Context, Job, perform
from boardlab.jobs.messages import read_message, write_message
from boardlab.paths import MOVED
from boardlab.plugins import plugin_failure

CODE = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n"  # until there is something to save
    # A parent may block it, and its children inherit that: those of Ray do.
    "signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])\n"
    "from boardlab.jobs.worker import work; work()"
)


def worker_command(code: str = CODE) -> list[str]:
    """The command of a process that runs `code` with this one's module path.

    The current folder comes last, if at all: a queue.py there would be taken for Python's own.
    """
    folders = [folder for folder in sys.path if isinstance(folder, str)]  # Python skips all others
    folders.sort(key=lambda folder: folder == "")
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {folders!r}\n{code}"]


def work() -> NoReturn:
    """Run jobs until the parent closes the pipe or interrupts this process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of plugins must not mix with the answers
    sys.stdout = sys.stderr
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    kept: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    with ended_by_signals() as ending:
        try:
            while True:
                write_message(answers, _answer(tasks.get(), answers, kept, shared))
        except KeyboardInterrupt:
            os._exit(ending.status)  # what the job saves, it has saved
        except BrokenPipeError:
            os._exit(1)


def _listen(tasks: "queue.SimpleQueue[Any]") -> None:
    """Queue the parent's messages; interrupt this process when the parent is gone.

    The interrupt has the effect of Ctrl-C, also in the middle of a job.
    """
    while (message := read_message(sys.stdin.buffer)) is not None:
        tasks.put(message)
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


def _answer(
    task: Mapping[str, Any], answers: Any, kept: dict[str, Any], shared: dict[str, Any]
) -> dict[str, Any]:
    """The result of a job, or the sentence that says why there is none.

    A task brings the shared values that this process lacks, and names those that nobody needs any more.
    """
    for key in task.get("forget", ()):
        shared.pop(key, None)
    shared |= task.get("share", {})
    MOVED.clear()
    MOVED.update(task.get("moved", {}))
    sys.path.extend(folder for folder in task.get("code", ()) if folder not in sys.path)

    def tell(progress: Mapping[str, Any]) -> None:
        try:
            write_message(answers, {"progress": progress})
        except BrokenPipeError:  # the parent is gone: save and end
            raise KeyboardInterrupt from None

    try:
        job = Job(**task["job"])
        return {"result": perform(job, task["module"], Context(tell, kept, shared))}
    except Exception as error:
        return {"error": sentence(error), "type": type(error).__name__}


def sentence(error: Exception) -> str:
    """Describe an error in one line; add its type unless it is a BoardLabError."""
    if (failure := plugin_failure(error)) is not None:
        return failure
    text = str(error).partition("\n")[0]
    return text if isinstance(error, BoardLabError) else f"{type(error).__name__}: {text}"
