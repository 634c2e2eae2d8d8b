"""A real server and a real browser, for tests/browser and docs/gallery.py."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # root, as in a container, has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_browser() -> str | None:
    """Return the path of this machine's browser."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch_browser(playwright: Any) -> Any:
    """Start this machine's browser without a window; None if there is none."""
    path = find_browser()
    return path and playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)


class Server:
    """`boardlab serve` as a process of its own, on a folder that outlives it."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder, self.options = folder, options
        self.environment = {**os.environ, "BOARDLAB_STORE": str(folder / "store.db"), **environment}
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        """Where browsers reach it."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start on the port it had before, as a restarted server does."""
        command = [sys.executable, "-m", "boardlab", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--runs", "runs", *self.options],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        found = re.search(r"http://[^ ]+:(\d+)/", self.process.stdout.readline())
        assert found, "the server did not start"
        self.port = int(found[1])

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self.process.terminate()
        self.process.communicate(timeout=60)
