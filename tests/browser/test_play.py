"""Play in a real browser: clicks, keys, undo, hints, links."""

import re

from playwright.sync_api import expect


def place(page, action):
    """A place of the board that plays this action."""
    return page.locator(f'.board.live [data-action="{action}"]').first


def test_home(page):
    expect(page.get_by_role("heading", level=1)).to_contain_text("Board games")
    page.get_by_role("button", name="Connect Four").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).to_have_url(re.compile("/play/"))
    place(page, 3).click()
    expect(page.locator("ol.log b")).to_have_count(2)
