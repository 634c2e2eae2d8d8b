"""A server in this process, and visitors with their pages."""

import contextlib
import itertools

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from boardlab.web.app import create_app
from boardlab.web.settings import Settings

HOST = "http://127.0.0.1:8000"


class Visitor:
    """A browser: it has cookies of its own."""

    def __init__(self, client):
        self.client = client
        self.cookies = {}
        self.shell = self.get_page("/")

    def _send(self, method, path, **options):
        self.client.cookies.clear()
        headers = {"cookie": self.cookie, **options.pop("headers", {})}
        answer = self.client.request(method, path, headers=headers, follow_redirects=False, **options)
        self.cookies.update(answer.cookies)
        return answer

    @property
    def cookie(self):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def get_page(self, path, **options):
        return self._send("GET", path, **options)

    def get(self, path, status=200):
        answer = self._send("GET", f"/api{path}")
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path, body=None, status=200, **options):
        answer = self._send("POST", f"/api{path}", json={} if body is None else body, **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def table(self, game="connectfour", seats=("you", "random"), **more):
        game = {"name": game} if isinstance(game, str) else game
        return self.post("/tables", {"game": game, "seats": list(seats), **more})["id"]

    @contextlib.contextmanager
    def page(self, topic=None):
        """An open page, watching a topic."""
        with self.client.websocket_connect(
            f"{HOST}/ws".replace("http", "ws"), headers={"cookie": self.cookie}
        ) as socket:
            page = Page(socket)
            if topic is not None:
                page.watch(topic)
            yield page


class Page:
    """What a page says over its socket, and what it has heard."""

    def __init__(self, socket):
        self.socket, self.ids = socket, itertools.count(1)
        self.states, self.numbers, self.topic = {}, {}, None
        self.heard = []

    def _hear(self):
        message = self.socket.receive_json()
        self.heard.append(message)
        if "topic" in message:
            self.states[message["topic"]] = message["state"]
            self.numbers[message["topic"]] = message["number"]
        return message

    def say(self, do, topic=None, **content):
        number = next(self.ids)
        self.socket.send_json({"id": number, "topic": topic or self.topic, "do": do, **content})
        return number

    def ask(self, do, topic=None, **content):
        """What the server answers: {"re": ..., "ok": ...} or {"re": ..., "error": ...}."""
        number = self.say(do, topic, **content)
        while (message := self._hear()).get("re") != number:
            pass
        return message

    def watch(self, topic):
        self.topic = topic
        answer = self.ask("watch")
        assert "ok" in answer, answer
        while topic not in self.states:
            self._hear()
        return self.states[topic]

    @property
    def state(self):
        return self.states[self.topic]

    def until(self, holds):
        """The first state, from now on, for which this holds."""
        while not holds(self.state):
            self._hear()
        return self.state

    def play(self, action):
        answer = self.ask("play", action=action)
        assert "ok" in answer, answer
        return answer


@pytest.fixture
def serve(tmp_path):
    """Starts servers, all on the same folder, so that a second one finds what the first one left."""
    with contextlib.ExitStack() as stack:

        def start(**settings):
            app = create_app(Settings(runs=tmp_path / "runs", **{"workers": 2, **settings}))
            return stack.enter_context(TestClient(app, base_url=HOST))

        yield start


@pytest.fixture
def client(serve):
    return serve()


@pytest.fixture
def ann(client):
    return Visitor(client)


@pytest.fixture
def bob(client):
    return Visitor(client)
