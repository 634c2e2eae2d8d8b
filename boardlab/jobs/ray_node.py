"""The actor that runs jobs on a machine of a Ray cluster: a foreman that speaks Ray.

Ray sees only bytes: the messages are those between processes.
"""

import os
import queue
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from boardlab.jobs.foreman import Foreman, identity
from boardlab.jobs.messages import decoded, encoded
from boardlab.jobs.travel import Bytes


class Node:
    """Runs jobs on one machine, as many at a time as it has slots."""

    def __init__(self, slots: int, environment: Mapping[str, str | None]) -> None:
        self._foreman = Foreman(slots, environment)
        self._events: queue.SimpleQueue[Bytes] = queue.SimpleQueue()

    def about(self) -> dict[str, Any]:
        """The versions here, and where this is."""
        return {**identity(), "host": socket.gethostname(), "process": os.getpid()}

    def beat(self) -> bool:
        """Answer, to show that this process lives."""
        return True

    def events(self) -> Iterator[Bytes]:
        """What jobs tell, for ever."""
        while True:
            yield self._events.get()

    def submit(self, number: int, task: Bytes, supplies: Mapping[str, Any]) -> None:
        """Start a job; `supplies` has references to what was lacking."""
        import ray

        def hear(event: dict[str, Any]) -> None:
            self._events.put(encoded({"number": number, **event}))

        try:
            for key, reference in supplies.items():
                content = ray.get(reference)
                self._foreman.supply({key: content if key.startswith("file ") else decoded(content)})
            self._foreman.start(number, decoded(task), hear)
        except Exception as error:  # never let a job vanish
            hear({"error": f"{type(error).__name__}: {error}", "type": "BoardLabError"})

    def cancel(self, number: int, kill: bool) -> None:
        """End a job, which may save first unless it is killed."""
        self._foreman.cancel(number, kill)

    def close(self) -> None:
        """End all processes and remove all files."""
        self._foreman.close()
