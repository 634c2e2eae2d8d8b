"""Train in a real browser: start, pause, resume and stop a training, and watch its curve grow."""

import re

from browser.conftest import PHONE
from playwright.sync_api import expect


def points(page):
    """Exams on the first curve."""
    return page.locator(".plot").first.locator("g.line.c0 circle.point")


def test_a_training_is_started_paused_resumed_and_stopped(visit, start_server):
    page = visit(start_server(), "/train?game=tictactoe")
    form = page.locator("form")
    form.get_by_label("name").fill("mine")
    form.get_by_role("button", name="other").click()
    form.get_by_label("episodes", exact=True).fill("8000000")
    form.get_by_text("Seed, exams and snapshots").click()
    form.get_by_label("exam every").fill("50000")
    expect(form.locator(".about")).to_contain_text("8,000,000 episodes")
    form.get_by_role("button", name="Start training").click()
    expect(page).to_have_url(re.compile("/train/mine"))
    tag = page.locator(".tag").first
    expect(tag).to_have_text("running")
    expect(points(page).nth(1)).to_be_visible()
    count = points(page).count()
    expect(points(page).nth(count)).to_be_visible()  # it grows
    page.get_by_role("button", name="Pause").click()
    expect(tag).to_have_text("paused")
    count = points(page).count()
    page.reload()  # the page changes nothing
    expect(points(page)).to_have_count(count)
    page.get_by_role("button", name="Resume").click()
    expect(tag).to_have_text("running")
    expect(points(page).nth(count)).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(tag).to_have_text("stopped")
    expect(page.locator(".plot path.bar").first).to_be_attached()  # an interval
    page.get_by_role("button", name="Play against it").click()
    expect(page).to_have_url(re.compile("/play/"))
    expect(page.locator(".seats")).to_contain_text("mine")
    page.locator(".board.live [data-action]").first.click()
    expect(page.locator("ol.log b")).to_have_count(2)


def test_runs_are_laid_over_each_other(visit, start_server, learned):
    server = start_server()
    for name in ("first", "second"):
        learned(server.folder / "runs" / name, exams=["random"], exam_every=100)
    page = visit(server, "/train", viewport=PHONE)
    page.get_by_role("link", name="first").click()
    expect(page.locator(".plot g.line")).to_have_count(1)
    page.get_by_label("second").check()
    expect(page.locator(".plot g.line")).to_have_count(2)
    expect(page.locator(".legend .key")).to_have_text(["first", "second"])
    page.reload()
    expect(page.locator(".plot g.line")).to_have_count(2)
    page.get_by_label("second").uncheck()
    expect(page.locator(".plot g.line")).to_have_count(1)


def test_a_mistake_in_a_setting_is_shown_before_the_start(visit, server):
    page = visit(server, "/train?game=tictactoe", expected=["400", "403"])
    page.get_by_text(re.compile("^Settings of")).click()
    page.get_by_label("alpha", exact=True).fill("-1")
    expect(page.get_by_role("alert")).to_contain_text("alpha")
    expect(page.get_by_role("button", name="Start training")).to_be_disabled()
    page.get_by_label("alpha", exact=True).fill("0.1")
    expect(page.get_by_role("button", name="Start training")).to_be_enabled()
