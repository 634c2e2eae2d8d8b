"""HTTP connections that cannot be held open to keep others out."""

import asyncio
from collections import Counter
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from boardlab.web.limits import network_of

REQUEST_SECONDS = 60.0
"""Longest time for a whole request, its body included."""
MOST_OF_ADDRESS = 1000
"""Most connections of one address."""


class HurriedConnection(H11Protocol):
    """Closes a connection whose request does not come, and those beyond an address's share."""

    open_of: ClassVar[Counter[str]] = Counter()
    """Connections of each address; WebSockets are counted by the hub."""
    _address: str | None = None
    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        address = network_of(self.client[0]) if self.client else ""
        if self.open_of[address] >= MOST_OF_ADDRESS:
            transport.abort()
            return
        self._address = address
        self.open_of[address] += 1
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Hear more of a request."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._wait()
        else:
            self._rest()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Become a WebSocket, which may be silent."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._leave()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._hurry is None:
            self._hurry = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _rest(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _leave(self) -> None:
        self._rest()
        if self._address is not None:
            self.open_of[self._address] -= 1
            if not self.open_of[self._address]:
                del self.open_of[self._address]
            self._address = None
