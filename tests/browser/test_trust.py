"""Whoever tries to break in, to see hidden cards or to exhaust the server fails, and reads why."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser.conftest import start_table
from playwright.sync_api import expect

PASSWORD = "a long sentence"


def test_hidden_cards_never_reach_another_browser(visit, server):
    ann = visit(server)
    start_table(ann, server, "kuhnpoker", ["you", "open"])
    bob, looker = visit(server), visit(server)
    heard = {bob: [], looker: []}
    for page, frames in heard.items():
        page.on(
            "websocket",
            lambda socket, frames=frames: socket.on("framereceived", lambda frame: frames.append(frame)),
        )
        page.goto(ann.url)
    bob.get_by_role("button", name="Sit down and play").click()

    def cards(page):
        return set(re.findall(r"^[JQK]$", "\n".join(page.locator(".board text").all_text_contents()), re.M))

    expect(ann.locator(".board.live")).to_be_visible()
    expect(bob.locator(".board svg")).to_be_visible()
    hers, his = cards(ann), cards(bob)
    assert len(hers) == len(his) == 1 and hers != his
    ann.get_by_role("textbox", name="Type an action").fill("check")
    ann.keyboard.press("Enter")
    expect(bob.locator(".board.live")).to_be_visible()
    bob.get_by_role("button", name="Hint").click()
    expect(bob.locator(".banner")).to_contain_text("would play")
    assert hers.isdisjoint(re.findall(r">([JQK])</text>", "".join(map(str, heard[bob]))))
    assert not re.findall(r">([JQK])</text>", "".join(map(str, heard[looker])))
    expect(looker.locator(".empty")).to_contain_text("hidden cards")
    assert cards(looker) == set() and cards(bob) == his
    assert bob.get_by_role("main").get_by_role("link", name="Analyse").is_hidden()


def test_two_people_at_one_screen_cover_their_cards(page, server):
    start_table(page, server, "kuhnpoker", ["you", "you"])
    expect(page.locator(".banner")).to_contain_text("are you alone")
    assert page.locator(".board text").count() == 0
    page.get_by_role("button", name="Show my cards").click()
    expect(page.locator(".board text", has_text=re.compile("^[JQK]$"))).to_have_count(1)


def test_a_password_stands_before_everything(visit, start_server):
    server = start_server("--host", "0.0.0.0", BOARDLAB_PASSWORD=PASSWORD)
    page = visit(server, "/train", expected=["403", "401", "429"])
    expect(page).to_have_url(re.compile("/login$"))
    field = page.get_by_label("Password of this server")
    for wrong in ("wrong", PASSWORD.upper(), PASSWORD + " "):
        field.fill(wrong)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("that is not the password")
        expect(field).to_be_focused()
    field.fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Board games")
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(re.compile("/login$"))
    for _ in range(6):
        page.get_by_label("Password of this server").fill("guess")
        with page.expect_response("**/login"):
            page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("too many attempts")
    page.goto("/play")
    expect(page).to_have_url(re.compile("/login$"))


@pytest.fixture
def foreign_site(server):
    """A site elsewhere, whose page attacks the server that its visitor is known to."""
    script = """
      const port = location.search.slice(1);
      const own = `127.0.0.1:${port}`;
      const results = {};
      const body = JSON.stringify({ game: { name: "nim" }, seats: ["you", "random"] });
      for (const type of ["text/plain", "application/json"])
        await fetch(`http://${own}/api/tables`, { method: "POST", credentials: "include", headers: { "content-type": type }, body })
          .then(answer => { results[type] = answer.status; }, () => { results[type] = "blocked"; });
      await fetch(`http://${own}/api/tables`, { credentials: "include" })
        .then(answer => answer.text()).then(text => { results.read = text; }, () => { results.read = "blocked"; });
      results.socket = await new Promise(done => {
        const socket = new WebSocket(`ws://${own}/ws`);
        socket.onopen = () => done("open");
        socket.onclose = event => done(event.code);
      });
      const frame = document.createElement("iframe");
      frame.src = `http://${own}/`;
      frame.onload = () => { document.title = JSON.stringify(results); };
      document.body.append(frame);
    """  # fmt: skip

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f"<body><script type=module>{script}</script></body>".encode())

        def log_message(self, *words):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://localhost:{site.server_port}/"
    site.shutdown()
    site.server_close()


def test_a_foreign_site_reads_and_changes_nothing(visit, server, foreign_site):
    page = visit(server)
    start_table(page, server, "tictactoe", ["you", "random"])
    enemy = visit(server, "about:blank", context=page.context, expected=[""])
    enemy.goto(f"{foreign_site}?{server.port}")
    expect(enemy).to_have_title(re.compile("socket"))
    results = json.loads(enemy.title())
    assert results["read"] == results["application/json"] == "blocked"
    assert results["text/plain"] in ("blocked", 403) and results["socket"] != "open"
    assert enemy.frames[1].evaluate("document.querySelector('main')") is None  # no page in a frame
    page.goto("/play")
    expect(page.locator(".mine h3")).to_have_text(["Tic Tac Toe"])


def test_pages_run_no_code_but_their_own(visit, server):
    page = visit(server, expected=["Content Security Policy", "404"])
    page.evaluate(
        """() => {
          window.hits = [];
          const box = document.createElement("div");
          box.innerHTML = "<img src=x onerror='hits.push(1)'><a href='javascript:hits.push(2)'>x</a>";
          document.body.append(box);
          const script = document.createElement("script");
          script.textContent = "hits.push(3)";
          document.body.append(script);
          box.querySelector("a").click();
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("hits") == []


def test_names_from_strangers_stay_text(page, server):
    name = "<img src=x onerror=alert(1)>"
    start_table(page, server, "nim", ["you", {"agent": "random", "name": name}])
    expect(page.locator(".seats")).to_contain_text(name)
    assert page.locator("main img").count() == 0


HOSTILE = {
    'engine("touch /tmp/was-here")': "programs",
    'edax(path="/bin/sh")': "",
    'greedy(ntuple("/etc"))': "folder of runs",
    'greedy(ntuple("../../secret"))': "folder of runs",
    "mcts(rollout, iterations=4000000000)": "iterations",
    "mcts(rollout, max_nodes=1000000000)": "max_nodes",
    "alphabeta(score, table_mb=60000)": "table_mb",
    "mcts(rollout, threads=1000)": "threads",
    "mcts(rollout": "",
    "maxn(" * 400: "",
}


def test_a_hostile_expression_is_answered_by_a_sentence(visit, server):
    page = visit(server, "/play?game=connectfour", expected=["400", "403"])
    page.get_by_role("combobox").nth(1).select_option("other")
    field = page.get_by_label("agent, as an expression").last
    for expression, word in HOSTILE.items():
        field.fill(expression)
        with page.expect_response("**/api/tables") as answer:
            page.locator("form.setup").evaluate("form => form.requestSubmit()")
        assert answer.value.status in (400, 403), expression
        sentence = page.get_by_role("alert")
        expect(sentence).to_contain_text(word)
        assert 10 < len(sentence.inner_text()) < 600, expression
    field.fill("mcts(rollout, iterations=20)")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/play/"))
    assert not Path("/tmp/was-here").exists()


def memory_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc"
)
def test_an_expression_that_would_take_all_memory_is_kept_small(visit, start_server):
    server = start_server()
    page = visit(server, "/analyse?game=othello", expected=["400"])
    expect(page.locator(".board svg")).to_be_visible()
    before = memory_mb(server.process.pid)
    greedy = ["mcts(rollout)", "mcts(rollout, cpuct=0.5)", "alphabeta(score)"]
    for expression in greedy:  # without a limit of their own
        page.get_by_label("another agent").fill(expression)
        page.get_by_role("button", name="Add").click()
        expect(page.locator(".agent code", has_text=expression).first).to_be_visible()
    page.wait_for_timeout(4000)
    assert memory_mb(server.process.pid) - before < 4 * 256
    other = visit(server)
    start_table(other, server, "tictactoe", ["you", "random"])  # others still play
    other.locator(".board.live [data-action]").first.click()
    expect(other.locator("ol.log b")).to_have_count(2)


def test_a_bad_upload_gets_a_sentence(visit, server, tmp_path):
    page = visit(server, "/library", expected=["400", "403", "413"])
    files = {
        "empty.pgn": b"",
        "bytes.pgn": bytes(range(256)),
        "large.pgn": b"1. a1 *\n" * (3 << 17),
        "wrong.txt": b"99999\n",
    }
    inputs = page.locator("input[type=file]")
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        inputs.nth(0).set_input_files(tmp_path / name)
        expect(page.get_by_role("alert")).to_be_visible()
        assert len(page.get_by_role("alert").inner_text()) > 10
        page.reload()
    for name, data in {"run.zip": b"PK\3\4 not a zip", "huge.zip": b"\0" * (9 << 20)}.items():
        (tmp_path / name).write_bytes(data)
        inputs.nth(1).set_input_files(tmp_path / name)
        expect(page.get_by_role("alert")).to_be_visible()
        page.reload()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()


def test_a_server_that_only_shows_or_only_plays(visit, start_server):
    showing = visit(start_server("--read-only"), "/")
    expect(showing.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    expect(showing.locator(".tag")).to_have_text("look only")
    playing = visit(start_server("--play-only"), "/")
    expect(playing.locator("nav a")).to_have_text(["Play", "Analyse", "Library"])
