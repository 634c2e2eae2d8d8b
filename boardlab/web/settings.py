"""What a server offers, to whom, and within which limits."""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """The choices made when the server was started."""

    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    """Further host names under which browsers reach the server, as behind a proxy."""
    proxy: bool = False
    """A proxy on this machine passes requests on and says whose they are."""
    password: str = ""
    """What visitors must type first; empty: none, for loopback only."""
    read_only: bool = False
    """Visitors look, and change nothing."""
    play_only: bool = False
    """Visitors play, and neither train nor hold tournaments."""
    trust: bool = False
    """Visitors may do what the owner may: programs, files, any size of search."""
    runs: Path = Path("runs")
    """The folder of runs; the server writes nowhere else but into the store."""
    store: Path | None = None
    """The file of tournaments and ratings; None: ./boardlab.db or $BOARDLAB_STORE."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Searches that compute at once."""
    upload_mb: float = 8.0
    """Largest body of a request, in MiB."""

    @property
    def database(self) -> Path:
        """The file of people, games and what else the server remembers."""
        return self.runs / "web.db"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK and not self.proxy

    def with_password(self, password: str) -> "Settings":
        """Return the settings with a password."""
        return replace(self, password=password)

    def on_port(self, port: int) -> "Settings":
        """Return the settings with the port that the system chose."""
        return replace(self, port=port)
