"""Nothing is lost: the network is cut, pages are reloaded, the server is killed."""

import re

from browser.conftest import place, start_table
from browser.wire import Wire
from playwright.sync_api import expect

LOST = ["WebSocket", "ERR_", "Failed to load"]
"""What a browser itself says when it cannot reach a server."""


def test_a_cut_network_loses_no_game(visit, server):
    wire = Wire(server.port)
    page = visit(wire, expected=LOST)
    start_table(page, wire, "tictactoe", ["you", "you"])
    place(page, 4).click()
    expect(page.locator("ol.log b")).to_have_count(1)
    wire.cut()
    expect(page.locator(".offline")).to_be_visible()
    place(page, 0).click()
    expect(page.locator(".toast")).to_contain_text("no connection")
    wire.mend()
    expect(page.locator(".offline")).to_be_hidden()
    expect(page.locator("ol.log b")).to_have_count(1)
    place(page, 0).click()
    expect(page.locator("ol.log b")).to_have_count(2)
    wire.cut()


def test_a_killed_server_finds_every_game_where_it_was(visit, start_server):
    server = start_server()
    ann = visit(server, expected=LOST)
    bob = visit(server, expected=LOST)
    start_table(ann, server, "connectfour", ["you", "random"])
    start_table(bob, server, "othello", ["you", "you"])
    place(ann, 3).click()
    expect(ann.locator("ol.log b")).to_have_count(2)
    bob.locator(".board.live [data-action]").first.click()
    expect(bob.locator("ol.log b")).to_have_count(1)
    before = ann.locator("ol.log").inner_text(), bob.locator("ol.log").inner_text()
    server.kill()
    expect(ann.locator(".offline")).to_be_visible()
    server.start()
    for page, log in zip((ann, bob), before, strict=True):
        expect(page.locator(".offline")).to_be_hidden()
        assert page.locator("ol.log").inner_text() == log
    place(ann, 2).click()  # without a reload
    expect(ann.locator("ol.log b")).to_have_count(4)
    bob.reload()
    expect(bob.locator("ol.log b")).to_have_text([before[1].split()[-1]])
    bob.get_by_role("button", name="Undo").click()
    expect(bob.locator("ol.log li.undone")).to_have_count(1)


def test_a_training_outlives_its_page_and_its_server(visit, start_server):
    server = start_server()
    page = visit(server, "/train?game=connectfour", expected=LOST)
    page.get_by_label("name").fill("long")
    page.get_by_role("button", name="Start training").click()
    expect(page).to_have_url(re.compile("/train/long"))
    expect(page.locator(".tag").first).to_have_text("running")
    server.kill()
    server.start()
    expect(page.locator(".offline")).to_be_hidden()
    expect(page.locator(".tag").first).to_have_text("running")
    expect(page.locator(".plot circle.point").nth(1)).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".tag").first).to_have_text("stopped")
    expect(page.get_by_role("button", name="Play against it")).to_be_visible()


def test_another_tab_shows_the_same_game(visit, server):
    first = visit(server)
    start_table(first, server, "tictactoe", ["you", "you"])
    second = visit(server, first.url.removeprefix(server.url), context=first.context)
    place(second, 4).click()
    expect(first.locator("ol.log b")).to_have_count(1)
    place(first, 0).click()
    expect(second.locator("ol.log b")).to_have_count(2)
    second.close()
    first.reload()
    expect(first.locator("ol.log b")).to_have_count(2)


def test_a_failed_agent_shows_its_error_and_another_goes_on(visit, start_server, learned):
    server = start_server()
    learned(server.folder / "runs" / "gone")
    page = visit(server, expected=LOST)
    start_table(page, server, "tictactoe", ["you", {"agent": 'greedy(ntuple("runs/gone"))', "name": "Gone"}])
    place(page, 4).click()
    expect(page.locator("ol.log b")).to_have_count(2)
    server.kill()
    for file in (server.folder / "runs" / "gone").iterdir():
        file.unlink()
    server.start()
    expect(page.locator(".offline")).to_be_hidden()
    page.locator(".board.live [data-action]").first.click()
    expect(page.locator(".banner .bad")).to_be_visible()
    page.get_by_role("button", name="Another agent").click()
    page.get_by_role("dialog").locator("select").select_option("random")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("ol.log b")).to_have_count(4)
    expect(page.locator(".banner .bad")).to_have_count(0)
