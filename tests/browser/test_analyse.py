"""Analyse in a real browser: what agents think, where a game was lost, and what to do about it."""

import re

import pytest
from browser.conftest import PHONE, WIDE, place, start_table
from playwright.sync_api import expect

import boardlab as bl

QUICK = "mcts(rollout, iterations=300)"
BLUNDER = [3, 0, 3, 0, 3, 1, 3]
"""A game of Connect Four whose second player lets a column of three grow to four with action 6."""


def iterations(page):
    """How far the first agent has searched."""
    caption = page.locator(".boards figcaption").first
    expect(caption).to_contain_text(re.compile(r"[1-9][\d,]* iterations"))
    return int(re.search(r"([\d,]+) iterations", caption.inner_text())[1].replace(",", ""))


def test_a_game_is_reviewed_and_tried_again_where_it_was_lost(page, server):
    start_table(page, server, "connectfour", ["you", "you"], actions=BLUNDER[:-1])
    place(page, BLUNDER[-1]).click()
    expect(page.locator(".banner .over")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Analyse").click()
    expect(page.locator(".actions .at")).to_have_text("7 of 7")
    page.get_by_label("by", exact=True).fill(QUICK)
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("button", name="Review again")).to_be_visible()
    worst = page.locator(".moments li").first
    expect(worst).to_contain_text("Action 6")
    expect(worst).to_contain_text("better was 3")
    expect(page.locator("ol.log li .mark")).not_to_have_count(0)
    page.locator(".plot circle.mark").first.click()  # the curve leads to the position
    expect(page.locator(".actions .at")).to_have_text("5 of 7")
    page.get_by_role("button", name="Last position").click()
    expect(page.locator(".actions .at")).to_have_text("7 of 7")
    worst.get_by_role("button").click()  # and so does the list
    expect(page.locator(".actions .at")).to_have_text("5 of 7")
    place(page, 3).click()
    expect(page.locator(".banner")).to_contain_text("A variation from action 6")
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".actions .at")).to_have_text("5 of 7")
    page.get_by_role("button", name="Try again from here").click()
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/play/"))
    expect(page.locator("ol.log li b")).to_have_text([str(action) for action in BLUNDER[:5]])


def test_values_on_the_board_deepen_and_several_agents_think(page):
    page.goto(f"/analyse?game=connectfour&actions={'.'.join(map(str, BLUNDER[:5]))}&agent=mcts(rollout)")
    expect(page.locator(".board .opinion").first).to_be_visible()
    expect(page.locator(".board.live")).to_have_css("animation-name", "none")
    best = page.locator(".opinion tr.best").first
    expect(best).to_contain_text("3")
    before = iterations(page)
    expect(page.locator(".boards figcaption").first).not_to_contain_text(f"{before:,} iterations")
    assert iterations(page) > before
    page.get_by_label("another agent").fill(QUICK)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".boards.several .board svg")).to_have_count(2)
    expect(page.locator("section.opinion")).to_have_count(2)
    page.get_by_role("button", name="remove mcts(rollout)", exact=True).click()
    expect(page.locator(".boards .board svg")).to_have_count(1)
    place(page, 3).click()
    expect(page.locator(".actions .at")).to_have_text("6 of 6")
    page.keyboard.press("Home")
    expect(page.locator(".actions .at")).to_have_text("0 of 6")


def test_a_growing_table_keeps_clicks_focus_and_scrolling(page):
    page.goto("/analyse?game=hex&agent=mcts(rollout)")
    count = iterations(page)

    def until_it_grows():
        nonlocal count
        expect(page.locator(".boards figcaption").first).not_to_contain_text(f"{count:,} iterations")
        count = iterations(page)

    row = page.locator(".opinion td button").nth(40)
    row.focus()
    scrolled = page.evaluate("document.querySelector('.few').scrollTop")
    assert scrolled > 0
    for _ in range(2):
        until_it_grows()
    expect(row).to_be_focused()
    assert page.evaluate("document.querySelector('.few').scrollTop") == scrolled
    page.evaluate("scrollTo(0, 0)")
    middle = """() => {
      const box = document.querySelector(".board [data-action='60']").getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    page.mouse.move(*page.evaluate(middle))
    page.mouse.down()
    for _ in range(2):
        until_it_grows()
    page.mouse.up()
    expect(page.locator(".actions .at")).to_have_text("1 of 1")


def test_a_position_is_edited(visit, server):
    page = visit(server, "/analyse?game=tictactoe&actions=4.0&agent=random", expected=["400"])
    page.get_by_text("Edit the position").click()
    text = page.get_by_label("the position as text")
    state = bl.game("tictactoe").initial_state()
    state.apply(4)
    state.apply(0)
    expect(text).to_have_value(str(state))
    text.fill("nonsense")
    page.get_by_role("button", name="Analyse this").click()
    expect(page.get_by_role("alert")).to_be_visible()
    state.apply(8)
    text.fill(str(state))
    before = page.url
    page.get_by_role("button", name="Analyse this").click()
    expect(page).not_to_have_url(before)
    expect(page.locator(".actions .at")).to_have_text("0 of 0")
    assert page.locator(".board [data-action]").count() == 6


def test_the_tuples_that_speak_are_drawn(visit, start_server, learned):
    server = start_server()
    learned(server.folder / "runs" / "small", episodes=2000)
    page = visit(server, '/analyse?game=tictactoe&actions=0&agent=greedy(ntuple("runs/small"))')
    page.get_by_role("button", name="Which tuples speak?").click()
    voices = page.locator(".voices")
    expect(voices.locator("figure svg").first).to_be_visible()
    first = voices.get_by_role("heading").inner_text()
    voices.get_by_role("button", pressed=False).nth(1).click()
    expect(voices.get_by_role("heading")).not_to_have_text(first)


@pytest.mark.parametrize("viewport", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize("path", ["/analyse", "/train", "/compete", "/compete/fame", "/library", "/play"])
def test_no_page_is_wider_than_its_window(visit, server, path, viewport):
    page = visit(server, path, viewport=viewport)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
