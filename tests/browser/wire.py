"""A wire between a browser and a server, which can be cut."""

import contextlib
import socket
import threading


class Wire:
    """Passes bytes on to a server; `cut` drops all connections and takes no new ones until `mend`."""

    def __init__(self, port):
        self.server_port = port
        self.listener = None
        self.ends = set()
        self.port = 0
        self.mend()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        _close(self.listener)
        for end in list(self.ends):
            _close(end)

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.server_port))
            except OSError:
                return
            self.ends |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            _close(end)
            self.ends.discard(end)


def _close(end):
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
