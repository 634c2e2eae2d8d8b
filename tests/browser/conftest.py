"""Real servers and a real browser: Chromium or Chrome of this machine, driven by Playwright."""

import contextlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="these tests need Playwright: make test-browser installs it")

from playwright.sync_api import expect, sync_playwright

sys.path.append(str(Path(__file__).parents[2] / "tools"))

from real_arena import Server, launch_browser

import boardlab as bl

WAIT = 20_000  # milliseconds; other work may share the machine
expect.set_options(timeout=WAIT)

PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 800}


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        if browser is None:
            pytest.skip("no Chromium or Chrome is installed")
        yield browser
        browser.close()


@pytest.fixture
def start_server(tmp_path):
    with contextlib.ExitStack() as stack:

        def start(*options, **environment):
            server = Server(tmp_path, *options, **environment)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    """The server that most tests share; every test is another visitor of it."""
    shared = Server(tmp_path_factory.mktemp("arena"))
    yield shared
    shared.stop()


@pytest.fixture
def visit(chromium, start_server):  # whose servers outlive the pages
    """Open a page as a new visitor. What its console says against it fails the test.

    A test that provokes errors lists what it expects: `visit(server, expected=["401"])`.
    """
    seen = []
    with contextlib.ExitStack() as stack:

        def open_page(server, path="/", *, expected=(), context=None, viewport=WIDE, **options):
            if context is None:
                context = chromium.new_context(base_url=server.url, viewport=viewport, **options)
                context.set_default_timeout(WAIT)
                stack.callback(context.close)
            page = context.new_page()

            def complain(text):
                if not any(part in text for part in expected):
                    seen.append(f"{page.url}: {text}")

            page.on("console", lambda said: said.type in ("error", "warning") and complain(said.text))
            page.on("pageerror", lambda error: complain(str(error)))
            page.on("dialog", lambda dialog: dialog.accept())
            page.goto(path)
            return page

        yield open_page
    assert not seen, "\n".join(seen)


@pytest.fixture
def page(visit, server):
    return visit(server)


def start_table(page, server, game, seats, **more):
    """Begin a game as the page's visitor, and show it."""
    body = {"game": {"name": game} if isinstance(game, str) else game, "seats": seats, **more}
    answer = page.context.request.post(f"{server.url}/api/tables", data=body)
    assert answer.ok, answer.text()
    page.goto(f"/play/{answer.json()['id']}")
    expect(page.locator("h1")).to_be_visible()
    return answer.json()["id"]


def place(page, action):
    """A place of the board that plays this action."""
    return page.locator(f'.board.live [data-action="{action}"]').first


def acted(page):
    """How many actions have been played."""
    expect(page.locator("ol.log li").first).to_be_attached()
    return page.locator("ol.log li b").count()


@pytest.fixture
def learned():
    """Train a small run at a folder."""

    def train(folder, game="tictactoe", episodes=200, exams=(), **more):
        folder.parent.mkdir(parents=True, exist_ok=True)
        bl.train(bl.game(game), episodes=episodes, exams=list(exams), out=folder, progress=False, **more)

    return train
