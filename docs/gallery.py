"""Take a picture of every page of the arena: on a phone and wide, in light and in dark.

make gallery          # writes docs/gallery/; about two minutes on two cores

Needs the extra `browser` and an installed Chromium or Chrome.
"""

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

from real_arena import Server, launch_browser  # noqa: E402

WIDTHS = {"phone": 390, "wide": 1280}
HEIGHTS = {"phone": 844, "wide": 860}
TALLEST = {"phone": 2500, "wide": 1700}
"""A picture ends there, however long the page is."""
THEMES = ("light", "dark")
PASSWORD = "a long sentence"
DEEP = "mcts(rollout, iterations=4000)"

INTRODUCTION = """\
# Gallery

Every page of the [browser arena](../serve.md), on a phone and wide, in light and in dark. `make
gallery` takes the pictures again."""


@dataclass(frozen=True)
class Shot:
    """A page of the gallery."""

    name: str
    title: str
    path: str
    ready: str
    """Selector of what shows that the page is complete."""
    act: Callable[[Page], None] = lambda page: None
    """What to do before the picture."""


class Owner:
    """The visitor whose games, trainings and tournaments are shown."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.context, self.server = context, server
        self.context.request.get(f"{server.url}/")

    def post(self, path: str, body: Any) -> Any:
        """Ask the server for something."""
        answer = self.context.request.post(f"{self.server.url}/api{path}", data=body)
        assert answer.ok, f"{path}: {answer.text()}"
        return answer.json()

    def table(self, game: str, actions: list[int], seats: list[Any] | None = None) -> str:
        """Begin a game from a position; return its page."""
        seats = seats or ["you", {"agent": "mcts(rollout, iterations=600)", "name": "Hard"}]
        made = self.post("/tables", {"game": {"name": game}, "seats": seats, "actions": actions})
        return f"/play/{made['id']}"

    def desk(self, game: str, actions: list[int], agents: list[str], at: int | None = None) -> str:
        """Put a game on a desk; return its page."""
        order = {"game": {"name": game}, "actions": actions, "agents": agents, "at": at}
        return f"/analyse/{self.post('/desks', order)['id']}"

    def train(self, name: str, order: dict[str, Any]) -> str:
        """Train to the end; return the page of the run."""
        self.post("/trainings", {**order, "name": name})
        page = self.context.new_page()
        page.goto(f"{self.server.url}/train/{name}")
        page.get_by_text("finished", exact=True).first.wait_for(timeout=300_000)
        page.close()
        return f"/train/{name}"

    def tournament(self, order: dict[str, Any]) -> str:
        """Hold a tournament to its end; return its page."""
        path = f"/compete/{self.post('/tournaments', order)['number']}"
        page = self.context.new_page()
        page.goto(f"{self.server.url}{path}")
        page.get_by_text("finished", exact=True).first.wait_for(timeout=300_000)
        page.close()
        return path


def shots(owner: Owner) -> Iterator[Shot]:
    """Prepare the pages one by one."""
    four = [3, 3, 3, 3, 2, 4, 2, 2, 4, 5, 4]
    yield Shot("home", "Home", "/", ".board svg")
    hex_path = owner.table("hex", [60, 49, 61, 50, 72, 38])
    yield Shot("connectfour", "A hint", owner.table("connectfour", four[:6]), ".board svg", hint)
    yield Shot("hex", "Hex", hex_path, ".board svg")
    yield Shot("games", "All games", "/play", ".thumb", settle)
    yield Shot("setup", "A new game", "/play?game=poker", ".seat-choice")
    yield Shot("ewn", "Dice", owner.table("ewn", []), ".board.live", settle)
    yield Shot("2048", "A puzzle", owner.table("2048", [], ["you"]), ".board.live", settle)
    poker = owner.table("poker", [], ["you", {"agent": "random", "name": "Easy"}])
    yield Shot("poker", "Hidden cards", poker, ".board svg", settle)
    agents = ["mcts(rollout, iterations=200)", "mcts(rollout, iterations=200)"]
    yield Shot("watch", "Agents among themselves", owner.table("othello", [], agents), ".pace", pause)
    yield Shot("analyse", "Analyse", "/analyse", "textarea")
    yield Shot(
        "review", "Where a game was lost", owner.desk("connectfour", four, [DEEP], 6), ".board", review
    )
    two = owner.desk("othello", [], [DEEP, "mcts(rollout, iterations=300)"])
    yield Shot("side-by-side", "Two agents think", two, ".boards.several .board svg", settle)
    order = {"game": {"name": "connectfour"}, "options": {"episodes": 30_000, "exam_every": 3_000}}
    run = owner.train("connectfour-a", order)
    owner.train("connectfour-b", {**order, "options": {**order["options"], "seed": 1}})
    yield Shot("train", "Train", "/train", ".run", settle)
    yield Shot("run", "A training's curve", f"{run}?with=connectfour-b", ".plot svg", settle)
    tuples = owner.desk("connectfour", four[:4], ['greedy(ntuple("runs/connectfour-a"))'])
    yield Shot("tuples", "Which tuples speak", tuples, ".opinion", speak)
    cup = owner.tournament(
        {
            "game": {"name": "connectfour"},
            "agents": [
                {"agent": 'greedy(ntuple("runs/connectfour-a"))', "name": "trained"},
                {"agent": "mcts(rollout, iterations=15)", "name": "Easy"},
                {"agent": "mcts(rollout, iterations=100)", "name": "Medium"},
                {"agent": "random"},
            ],
            "games": 20,
            "random_actions": 2,
            "name": "First cup",
        }
    )
    yield Shot("compete", "Compete", "/compete", ".entrant", settle)
    yield Shot("tournament", "A tournament", cup, ".cross", settle)
    yield Shot("fame", "Hall of fame", "/compete/fame", "table")
    yield Shot("library", "Library", "/library", ".part", settle)


def settle(page: Page) -> None:
    """Wait until nothing moves."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(700)


def hint(page: Page) -> None:
    """Ask for a hint."""
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Play it").wait_for()


def pause(page: Page) -> None:
    """Let agents play a few actions."""
    page.locator(".log li").nth(4).wait_for()
    if page.get_by_role("button", name="Pause").is_visible():
        page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()


def review(page: Page) -> None:
    """Review the game."""
    settle(page)  # until then a reviewed game reads "Review the game" too
    again = page.get_by_role("button", name="Review again")
    if not again.is_visible():
        page.get_by_role("button", name="Review the game").click()
    again.wait_for(timeout=60_000)
    settle(page)


def speak(page: Page) -> None:
    """Ask which tuples speak."""
    page.get_by_role("button", name="Which tuples speak?").click()
    page.locator(".tuples figure").first.wait_for()


@contextmanager
def opened(browser: Any, **options: Any) -> Iterator[BrowserContext]:
    """Open a context, and close it."""
    context = browser.new_context(**options)
    try:
        yield context
    finally:
        context.close()


@contextmanager
def running(folder: Path, *options: str, **environment: str) -> Iterator[Server]:
    """Start a server, and stop it."""
    server = Server(folder, *options, **environment)
    try:
        yield server
    finally:
        server.stop()


def take(browser: Any, server: Server, shot: Shot, state: Any, folder: Path) -> None:
    """Write the four pictures of a page."""
    for width, pixels in WIDTHS.items():
        viewport = {"width": pixels, "height": HEIGHTS[width]}
        touch = {"is_mobile": True, "has_touch": True} if width == "phone" else {}
        with opened(browser, base_url=server.url, viewport=viewport, storage_state=state, **touch) as context:
            page = context.new_page()
            for theme in THEMES:
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                if theme == THEMES[0]:
                    page.goto(shot.path)
                    page.locator(shot.ready).first.wait_for(timeout=60_000)
                    shot.act(page)
                page.evaluate("scrollTo(0, 0)")
                page.wait_for_timeout(150)
                image = Image.open(io.BytesIO(page.screenshot(full_page=True)))
                image = image.convert("RGB").crop((0, 0, image.width, min(image.height, TALLEST[width])))
                image.save(folder / picture(shot, width, theme), quality=60, method=6)


def index(taken: list[Shot]) -> str:
    """Return the page that shows all pictures."""
    parts = [INTRODUCTION]
    for shot in taken:
        shown = [
            f"![{shot.title}, {width}, {theme}]({picture(shot, width, theme)})"
            for theme in THEMES
            for width in WIDTHS
        ]
        parts += [f"## {shot.title}", "\n".join(shown)]
    return "\n\n".join(parts) + "\n"


def picture(shot: Shot, width: str, theme: str) -> str:
    """Return the name of a picture's file."""
    return f"{shot.name}-{width}-{theme}.webp"


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="pages to renew; all if none is named")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "gallery")
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    taken = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_browser(playwright)
        if browser is None:
            sys.exit("no Chromium or Chrome is installed")
        with running(Path(folder)) as server, opened(browser) as context:
            owner = Owner(context, server)
            for shot in shots(owner):
                taken.append(shot)
                if not words.names or shot.name in words.names:
                    take(browser, server, shot, context.storage_state(), words.out)
                    print(shot.name, flush=True)
        login = Shot("login", "Password", "/login", "form")
        if not words.names or login.name in words.names:
            with running(Path(folder), "--host", "0.0.0.0", BOARDLAB_PASSWORD=PASSWORD) as server:
                take(browser, server, login, None, words.out)
        taken.append(login)
        browser.close()
    if not words.names:
        (words.out / "README.md").write_text(index(taken), encoding="utf-8")
    print(f"{len(taken)} pages in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
