"""The browser arena under load: 50 people, 100 clicks a second, Othello against 500 iterations.

    python bench/web.py                      # starts the real server on a free port of this machine
    python bench/web.py --seconds 30 --train # and a training beside it

Prints the time from a click to the agent's answer (p50, p95, p99), the processor seconds of the server for
each click, the time to the first board, the memory of an idle server, and the load of the machine meanwhile.
Every click is that of a page: over a WebSocket of its own, with the whole state and its picture as the answer.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from http.cookies import SimpleCookie
from pathlib import Path

import websockets

AGENT = "mcts(rollout, iterations=500)"
ACTION = re.compile(r'data-action="(\d+)"')


class Server:
    """The real server, in a process of its own."""

    def __init__(self, runs):
        command = [sys.executable, "-m", "boardlab", "serve", "--port", "0", "--runs", str(runs)]
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.seconds = time.perf_counter() - self.begun
        self.url = re.search(r"http://\S+", line)[0].rstrip("/")
        self.host = self.url.removeprefix("http://")

    def cpu_seconds(self):
        """Of the server, all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self):
        """Resident memory."""
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1024

    def end(self):
        """Stop it."""
        self.process.terminate()
        self.process.wait(20)


class Person:
    """A visitor with one page."""

    def __init__(self, server, seed):
        self.server, self.rng = server, random.Random(seed)
        with urllib.request.urlopen(f"{server.url}/") as answer:
            cookie = SimpleCookie(answer.headers["set-cookie"])
        self.cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in cookie.items())
        self.answers = []
        self.lost = 0

    def post(self, path, body):
        """Send JSON."""
        request = urllib.request.Request(
            f"{self.server.url}/api{path}",
            json.dumps(body).encode(),
            {"cookie": self.cookie, "content-type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def new_table(self):
        """Begin a game."""
        return self.post("/tables", {"game": {"name": "othello"}, "seats": ["you", AGENT]})["id"]

    async def play(self, until, rate):
        """Play game after game, clicking `rate` times a second on average."""
        url = self.server.url.replace("http", "ws") + "/ws"
        while time.perf_counter() < until:
            table = await asyncio.to_thread(self.new_table)
            async with websockets.connect(
                url, additional_headers={"cookie": self.cookie}, origin=self.server.url, max_size=None
            ) as socket:
                await socket.send(json.dumps({"id": 0, "topic": f"table:{table}", "do": "watch"}))
                await self._one_game(socket, f"table:{table}", until, rate)

    async def _one_game(self, socket, topic, until, rate):
        state = await self._turn(socket)
        number = 0
        while state is not None and time.perf_counter() < until:
            await asyncio.sleep(self.rng.expovariate(rate))
            number += 1
            action = int(self.rng.choice(ACTION.findall(state["picture"])))
            begun = time.perf_counter()
            await socket.send(
                json.dumps(
                    {"id": number, "topic": topic, "do": "play", "action": action, "ply": state["ply"]}
                )
            )
            state = await self._turn(socket, state["ply"])
            self.answers.append(time.perf_counter() - begun)

    async def _turn(self, socket, after=-1):
        """Return the next state in which it is the person's turn; None at the end of the game."""
        while True:
            message = json.loads(await socket.recv())
            if "error" in message:
                raise SystemExit(f"the server refused: {message['error']}")
            state = message.get("state")
            if state and state["ply"] > after:
                if state["problem"]:
                    raise SystemExit(f"the agent failed: {state['problem']}")
                if state["over"]:
                    return None
                if state["turn"]:
                    return state


def quantiles(seconds):
    """p50, p95, p99 and the largest, in ms."""
    ordered = sorted(seconds)
    return [1000 * ordered[min(len(ordered) - 1, int(q * len(ordered)))] for q in (0.5, 0.95, 0.99, 1.0)]


async def load(server, people, clicks, seconds, seed):
    """Let people play; return their answers."""
    persons = await asyncio.gather(*(asyncio.to_thread(Person, server, seed + n) for n in range(people)))
    await asyncio.gather(*(asyncio.to_thread(one.new_table) for one in persons[:4]))  # warm up
    before, begun, own = server.cpu_seconds(), time.perf_counter(), time.process_time()
    until = begun + seconds
    await asyncio.gather(*(one.play(until, clicks / people) for one in persons))
    passed = time.perf_counter() - begun
    answers = [answer for one in persons for answer in one.answers]
    return answers, passed, server.cpu_seconds() - before, time.process_time() - own


def first_board(server):
    """Seconds from nothing to the picture of a board, through the requests that a page makes."""
    begun = time.perf_counter()
    person = Person(server, 0)
    for path in ("style.css", "pictures.css", "theme.js", "app.js", "api.js", "dom.js", "connection.js",
                 "board.js", "form.js", "pages/home.js", "play/games.js"):  # fmt: skip
        urllib.request.urlopen(
            urllib.request.Request(f"{server.url}/static/{path}", headers={"cookie": person.cookie})
        ).read()
    for path in ("site", "games"):
        urllib.request.urlopen(
            urllib.request.Request(f"{server.url}/api/{path}", headers={"cookie": person.cookie})
        ).read()
    person.post("/preview", {"game": {"name": "connectfour"}})
    return time.perf_counter() - begun


def report(name, answers, passed, cpu, own, server):
    """Print one run."""
    p50, p95, p99, most = quantiles(answers)
    print(
        f"{name}: {len(answers)} clicks, {len(answers) / passed:.0f}/s; p50 {p50:.1f} ms, p95 {p95:.1f} ms, "
        f"p99 {p99:.1f} ms, most {most:.0f} ms; {1000 * cpu / len(answers):.2f} ms of the server's processor "
        f"time a click, {1000 * own / len(answers):.2f} ms of the pages'; "
        f"server {server.memory_mb():.0f} MB; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        flush=True,
    )
    return p95


def training(folder):
    """A training in a process of its own, at a lower priority, as the page starts it."""
    command = [sys.executable, "-m", "boardlab", "train", "othello", "--out", str(folder), "--seed", "1"]
    return subprocess.Popen(
        ["nice", "-n", "10", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--clicks", type=float, default=100.0, help="a second, of all together")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--train", action="store_true", help="then again with a training beside it")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "runs")
        try:
            time.sleep(1.0)
            print(f"server: answers {server.seconds:.2f} s after its start, {server.memory_mb():.0f} MB idle")
            boards = sorted(first_board(server) for _ in range(7))
            print(f"first board: median {1000 * boards[3]:.0f} ms of 7, all requests one after another")
            once = asyncio.run(load(server, options.people, options.clicks, options.seconds, options.seed))
            alone = report("alone", *once, server)
            if options.train:
                beside = training(Path(folder) / "runs" / "beside")
                try:
                    time.sleep(5)
                    more = asyncio.run(load(server, options.people, options.clicks, options.seconds, 1000))
                    busy = report("beside a training", *more, server)
                finally:
                    beside.terminate()
                    beside.wait(60)
                print(f"p95 beside a training / alone: {busy / alone:.2f}")
        finally:
            server.end()


if __name__ == "__main__":
    main()
