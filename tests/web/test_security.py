"""Strangers at the door: hosts, origins, passwords, rates, sizes, and hostile requests."""

import asyncio
import json
import time
from collections import Counter
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from web.conftest import HOST, Visitor

import boardlab as bl
from boardlab.web import limits, security
from boardlab.web.app import create_app
from boardlab.web.errors import TooMuch
from boardlab.web.limits import network_of
from boardlab.web.policy import MOST, Policy, memory_of_machine, room_for_searches
from boardlab.web.settings import Settings

server = pytest.importorskip("uvicorn.server")

from boardlab.web import connections  # noqa: E402  # needs uvicorn

SOCKET = HOST.replace("http", "ws") + "/ws"


def closed_with(client, **headers):
    """The code with which a WebSocket is refused."""
    with pytest.raises(WebSocketDisconnect) as refusal, client.websocket_connect(SOCKET, headers=headers):
        pass
    return refusal.value.code


def test_a_foreign_host_is_refused(client):
    """A name that an attacker's DNS leads to this machine."""
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""):
        assert client.get("/api/site", headers={"host": host}).status_code == 421, host
    for host in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST"):
        assert client.get("/api/site", headers={"host": host}).status_code == 200, host


def test_a_foreign_origin_changes_nothing_and_gets_no_socket(client, ann):
    body = {"game": {"name": "nim"}, "seats": ["you", "random"]}
    for origin in ("http://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8000", "x://["):
        headers = {"origin": origin, "cookie": ann.cookie}
        assert client.post("/api/tables", json=body, headers=headers).status_code == 403, origin
        assert closed_with(client, **headers) == 4403, origin
    own = {"origin": HOST, "cookie": ann.cookie}
    assert client.post("/api/tables", json=body, headers=own).status_code == 200
    with client.websocket_connect(SOCKET, headers=own):
        pass


def test_a_form_of_another_site_cannot_speak_json(ann):
    answer = ann._send("POST", "/api/tables", content=b"{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 403


def test_without_a_cookie_there_is_no_person(client):
    client.cookies.clear()
    assert client.get("/api/tables").status_code == 403
    assert closed_with(client) == 4403
    assert closed_with(client, cookie="boardlab-person-8000=guess") == 4403


def test_pages_allow_no_code_but_their_own(ann):
    headers = ann.shell.headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    cookie = Visitor(ann.client).shell.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    for name in ("app.js", "style.css", "pages/play.js", "pictures.css", "index.html"):
        got = ann.get_page(f"/static/{name}")
        assert got.status_code == 200 and got.headers["content-security-policy"] == policy, name
    text = ann.shell.text
    assert "<script>" not in text and " style=" not in text and "onclick" not in text


def test_no_path_leads_out_of_the_static_files(ann):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert ann.get_page(path).status_code == 404, path


@pytest.fixture
def guarded(serve):
    return serve(host="0.0.0.0", password="correct horse")


def test_a_password_stands_before_everything(guarded):
    assert guarded.get("/", follow_redirects=False).headers["location"] == "/login"
    for path in ("/api/site", "/api/games"):
        assert guarded.get(path).status_code == 401
    assert guarded.post("/api/tables", json={}).status_code == 401
    assert closed_with(guarded) == 4401
    for path in ("/static/app.js", "/play", "/static/pages/play.js"):
        assert guarded.get(path, follow_redirects=False).status_code == 303
    assert "password" in guarded.get("/login").text


def test_the_right_password_opens_the_door_until_it_expires(guarded, monkeypatch):
    for wrong in ("", "correct hors", "correct horse ", None, 5, ["correct horse"]):
        assert guarded.post("/login", json={"password": wrong}).status_code in (403, 429)
    monkeypatch.setattr(security.Visits, "may_guess", lambda *args: True)
    answer = guarded.post("/login", json={"password": "correct horse"})
    assert answer.status_code == 200 and "HttpOnly" in answer.headers["set-cookie"]
    assert guarded.get("/api/site").json()["has_password"]
    guarded.get("/")
    with guarded.websocket_connect(SOCKET, headers={"origin": HOST}):
        pass
    now = time.time()
    monkeypatch.setattr(security.time, "time", lambda: now + security.SESSION_SECONDS + 1)
    assert guarded.get("/api/site").status_code == 401


def test_an_open_page_does_not_outlive_its_visit(guarded, monkeypatch):
    guarded.post("/login", json={"password": "correct horse"})
    guarded.get("/")
    monkeypatch.setattr(security.Visits, "seconds_left", lambda *args: 0.05)
    with guarded.websocket_connect(SOCKET, headers={"origin": HOST}) as socket:
        assert socket.receive()["type"] == "websocket.close"


def test_one_person_opens_no_end_of_pages(ann, monkeypatch):
    monkeypatch.setattr("boardlab.web.hub.MOST_PAGES", 2)
    with ann.page(), ann.page(), pytest.raises(WebSocketDisconnect), ann.page():
        pass
    with ann.page() as page:
        assert "error" in page.ask("look", topic="table:none")


def test_logging_out_closes_the_door(guarded):
    guarded.post("/login", json={"password": "correct horse"})
    assert guarded.get("/api/site").status_code == 200
    guarded.post("/logout", headers={"origin": HOST}, follow_redirects=False)
    assert guarded.get("/api/site").status_code == 401


def test_guessing_passwords_is_slow(guarded):
    answers = [guarded.post("/login", json={"password": f"guess {n}"}).status_code for n in range(9)]
    assert answers[0] == 403 and answers[-1] == 429
    assert guarded.post("/login", json={"password": "correct horse"}).status_code == 429


def test_nothing_large_is_taken_before_the_password(guarded):
    assert guarded.post("/login", content=b"x" * 5000).status_code == 413
    assert guarded.post("/login", content=iter([b"x" * 3000] * 3)).status_code == 403


def test_logging_out_closes_all_pages(guarded):
    visitor = Visitor(guarded)
    visitor._send("POST", "/login", json={"password": "correct horse"})
    visitor.get_page("/")
    with visitor.page() as page:
        assert "error" in page.ask("look", topic="table:none")
        visitor._send("POST", "/logout", headers={"origin": HOST})
        with pytest.raises(WebSocketDisconnect):
            page.ask("look", topic="table:none")


def test_the_addresses_of_one_network_count_as_one():
    assert network_of("2001:db8:1:2:3::4") == network_of("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert network_of("2001:db8:1:3::4") != network_of("2001:db8:1:2::4")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") == "192.0.2.1"
    assert network_of("fe80::1%eth0") == "fe80::/64"
    assert network_of("testclient") == "testclient"


def test_who_asks_for_what_takes_long_waits_and_others_do_not(ann, bob, monkeypatch):
    monkeypatch.setattr(limits.Attention, "FREE", -1.1)  # every request counts as one of more than a second
    assert ann.get("/games")
    assert "wait a moment" in ann.get("/games", status=429)["error"]
    with ann.page() as page:
        assert "wait a moment" in page.ask("look", topic=f"table:{bob.table()}")["error"]


def test_time_is_counted_without_waiting():
    async def work():
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="stopped"):
            await never
        return 42

    async def main():
        timed = limits.Timed(work())
        asyncio.get_running_loop().call_soon(never.set_exception, ValueError("stopped"))
        assert await timed == 42
        assert 0 < timed.seconds < 5

    loop = asyncio.new_event_loop()
    never = loop.create_future()
    loop.run_until_complete(main())
    loop.close()


def test_files_on_their_way_have_limited_places():
    places = limits.Places(1, 2)
    with places.taken("ann"), places.taken("bob"):
        for person in ("ann", "cid"):
            with pytest.raises(TooMuch, match="files"):
                places.take(person)
    with places.taken("ann"):
        places.take("cid")


class Loop:
    """An event loop whose timers go off when a test says so."""

    def __init__(self):
        self.timers = []

    def call_later(self, seconds, do, *arguments):
        self.timers.append(do)
        return SimpleNamespace(cancel=lambda: self.timers.remove(do))


class Transport:
    def __init__(self, address):
        self.address, self.is_aborted = address, False

    def get_extra_info(self, name):
        return (self.address, 1) if name == "peername" else None

    def abort(self):
        self.is_aborted = True


@pytest.fixture
def connect():
    """Opens connections of a server."""
    config = server.Config(lambda *call: None)
    config.load()
    state = server.ServerState()

    def open_one(address="192.0.2.1"):
        connection = connections.HurriedConnection(config, state, {}, _loop=Loop())
        transport = Transport(address)
        connection.connection_made(transport)
        return connection, transport

    return open_one


def test_a_request_that_does_not_come_ends_its_connection(connect):
    connection, transport = connect()
    connection.data_received(b"POST / HTTP/1.1\r\nhost: here\r\n")
    assert len(connection.loop.timers) == 1
    connection.loop.timers[0]()
    assert transport.is_aborted


def test_an_address_has_a_share_of_the_connections(connect, monkeypatch):
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 3)
    monkeypatch.setattr(connections.HurriedConnection, "open_of", Counter())
    opened = [connect() for _ in range(3)]
    assert not any(transport.is_aborted for _, transport in opened)
    assert connect()[1].is_aborted
    assert not connect("192.0.2.2")[1].is_aborted
    opened[0][0].connection_lost(OSError("gone"))
    assert not connect()[1].is_aborted


def test_the_database_holds_no_secrets(guarded):
    guarded.post("/login", json={"password": "correct horse"})
    visitor = Visitor(guarded)
    data = "".join(str(row) for row in guarded.app.state.arena.database.read("SELECT * FROM visits"))
    assert "correct horse" not in data
    assert data and not any(value in data for value in [*guarded.cookies.values(), *visitor.cookies.values()])


def test_requests_of_one_address_are_limited(client, monkeypatch):
    monkeypatch.setattr(security, "BURST", 5.0)
    monkeypatch.setattr(security, "REQUESTS_A_SECOND", 0.001)
    with TestClient(create_app(client.app.state.arena.settings), base_url=HOST) as other:
        answers = [other.get("/api/site").status_code for _ in range(8)]
    assert answers[:5] == [200] * 5 and answers[-1] == 429


def test_messages_of_one_page_are_limited(ann):
    with ann.page() as page:
        answers = [page.ask("look", topic="table:none") for _ in range(150)]
    assert any("too many requests" in answer["error"] for answer in answers)


def test_a_body_has_a_limit(client, ann, serve):
    assert "KiB" in ann.post("/tables", {"game": "x" * (300 << 10)}, status=400)["error"]
    small = Visitor(serve(upload_mb=0.01))
    assert small._send("POST", "/api/tables", content=b" " * 20_000).status_code == 413


def hostile_messages():
    yield from (
        "",
        "{",
        "[]",
        "5",
        '"x"',
        "null",
        "[" * 5000,
        '{"id": 1}',
        '{"id": "1", "topic": "x", "do": "y"}',
    )
    for topic in ("table:", "table:../../etc", "unheard:x", ":", "table:" + "x" * 500, "nothing:here"):
        for do in ("watch", "play", "__init__", "state", "ask"):
            yield json.dumps({"id": 1, "topic": topic, "do": do})


def test_hostile_messages_get_a_sentence(ann):
    table = f"table:{ann.table()}"
    with ann.page() as page:
        for text in hostile_messages():
            page.socket.send_text(text)
            assert page.socket.receive_json()["error"], text
    with ann.page(table) as page:
        for do in ("__init__", "changed", "_apply", "nothing", "", "do_play"):
            assert "nothing is called" in page.ask(do)["error"], do
        for junk in (None, True, -1, 1e9, "x", [], {}, 2**70):
            for do in ("play", "look", "sit", "seat", "pace", "answer", "type", "actions"):
                content = dict.fromkeys(
                    ("action", "ply", "seat", "who", "delay", "paused", "step", "text"), junk
                )
                page.ask(do, **content)
        assert page.ask("undo") and not page.state["problem"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        5,
        {"game": {}},
        {"game": {"name": "otello"}},
        {"game": {"name": 5}},
        {"game": {"name": "nim", "heaps": [1] * 10**4}, "seats": ["you", "random"]},
        {"game": {"name": "nim", "nonsense": 1}, "seats": ["you", "random"]},
        {"game": {"name": "othello", "size": 7}, "seats": ["you", "random"]},
        {"game": {"name": "nim"}, "seats": ["you"]},
        {"game": {"name": "nim"}, "seats": "you"},
        {"game": {"name": "nim"}, "seats": ["you", "human"]},
        {"game": {"name": "nim"}, "seats": ["you", None]},
        {"game": {"name": "nim"}, "seats": ["you", {"agent": ["random"]}]},
        {"game": {"name": "nim"}, "seats": ["you", "x" * 5000]},
        {"game": {"name": "nim"}, "seats": ["you", "random"], "actions": "0"},
        {"game": {"name": "nim"}, "seats": ["you", "random"], "actions": [True]},
        {"game": {"name": "nim"}, "seats": ["you", "random"], "position": {"a": 1}},
        {"game": {"name": "nim"}, "seats": ["you", "random"], "seed": -1},
        {"game": {"name": "poker"}, "seats": ["you", "random"], "actions": [0]},
        {"game": {"name": "openspiel:chess"}, "seats": ["you", "random"]},
        {"game": {"name": "x", "path": "/tmp/evil.so"}, "seats": ["you", "random"]},
    ],
)
def test_bad_tables_are_refused_in_a_sentence(ann, body):
    answer = ann._send("POST", "/api/tables", json=body)
    assert answer.status_code in (400, 403) and len(answer.json()["error"]) > 10, answer.text


# ---- expressions of strangers ----


@pytest.fixture
def policy(tmp_path):
    return Policy(tmp_path / "runs")


@pytest.mark.parametrize(
    "expression",
    [
        'engine("rm -rf /")',
        'edax(path="/bin/sh")',
        'maxn(engine("sh"), depth=1)',
        "mcts(mix(rollout, edax(level=1)))",
        'greedy(ntuple("/etc"))',
        'greedy(ntuple("../secret"))',
        'greedy(ntuple("runs/../../secret"))',
        'mcts(net("~/run"))',
        'regret("/root/run")',
        'greedy(mix(ntuple("/etc"), rollout))',
        "mcts(rollout, iterations=4000000000)",
        "mcts(rollout, max_nodes=1000000000)",
        "mcts(rollout, seconds=100000)",
        "mcts(rollout, threads=1000)",
        "alphabeta(score, table_mb=60000)",
        "maxn(maxn(maxn(maxn(maxn(score)))))",
        "beam(score, width=60000000)",
        "alphabeta(score, mpc=1.5)",
        "vote(mcts(rollout), agents=1000)",
        "vote(vote(vote(random, agents=60), agents=60), agents=60)",
        "vote(mcts(rollout, max_nodes=1000000), agents=9)",
        "solved(max_states=900000000)",
        "rhea(population=1000000)",
        "rhea(length=100000)",
        "human",
    ],
)
def test_a_hostile_expression_is_refused(policy, expression):
    with pytest.raises(bl.BoardLabError):
        policy.agent(expression)


def test_a_link_out_of_the_runs_is_no_way_out(policy, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(bl.BoardLabError, match="not in the folder of runs"):
        policy.run(str(tmp_path / "runs" / "link"))
    assert policy.run(str(tmp_path / "runs" / "mine"))


def test_every_default_agent_is_allowed(policy):
    """Limits are for what visitors set, never for our own defaults."""
    from boardlab.references import REFERENCES
    from boardlab.search.registry import SEARCHES

    for name, spec in {**SEARCHES, **{one.name: one for one in REFERENCES}}.items():
        if spec.program is spec.__mro__[-2].program:
            assert policy.agent(name)


def test_an_agent_without_limits_gets_some(policy):
    limited = policy.limited("mcts(rollout, iterations=50)")
    assert f"max_nodes={int(MOST['max_nodes'])}" in limited
    assert f"max_nodes={int(MOST['max_nodes']) // 9})" in policy.limited("vote(mcts(rollout), agents=9)")
    assert policy.agent("mcts(rollout, iterations=50)") == "mcts(rollout, iterations=50)"
    assert Policy(policy.runs, trust=True).limited("mcts(rollout)") == "mcts(rollout)"


def test_all_agents_together_leave_half_of_the_memory():
    for gib, searches in ((1, 2), (4, 8), (8, 16), (64, 32)):
        assert room_for_searches(gib << 30) == searches
    assert memory_of_machine() > 0


def test_an_owner_may_trust_visitors(tmp_path):
    trusting = Policy(tmp_path, trust=True)
    for expression in (
        'engine(command="sh")',
        "mcts(rollout, threads=64)",
        'greedy(ntuple(run="/some/run"))',
    ):
        assert trusting.agent(expression) == expression


# ---- kinds of servers ----


def test_a_server_that_only_shows_changes_nothing(serve):
    ann = Visitor(serve())
    table = ann.table(seats=["you", "you"])
    watching = Visitor(serve(read_only=True))
    watching.cookies = dict(ann.cookies)
    assert "only shows" in watching.post("/tables", {}, status=403)["error"]
    assert watching.post("/preview", {"game": {"name": "connectfour"}})["picture"]  # for the first page
    with watching.page(f"table:{table}") as page:
        assert not page.state["turn"] and not page.state["can"]["control"]
        for request in ("play", "undo", "sit", "seat", "new", "hint", "pace"):
            assert "only shows" in page.ask(request, action=0, seat=0, who="you")["error"], request
        assert page.ask("look", ply=0)["ok"]["picture"] and page.ask("log")["ok"]["log"] == []


def test_settings_know_who_can_reach_the_server():
    assert Settings().is_loopback and Settings(host="::1").is_loopback
    assert not Settings(host="0.0.0.0").is_loopback
    assert not Settings(proxy=True).is_loopback  # which needs a password, then
