"""Play in a real browser: clicks, keys, undo and redo, hints, links, and what survives."""

import re

import pytest
from browser.conftest import PHONE, WIDE, acted, place, start_table
from playwright.sync_api import expect

import boardlab as bl


def test_a_newcomer_plays_a_whole_game_of_connect_four_by_clicking(page):
    page.get_by_role("button", name="Connect Four").click()
    page.get_by_role("button", name="Beginner").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("h1")).to_have_text("Connect Four")
    for _ in range(21):
        expect(page.locator(".banner .over").or_(page.locator(".board.live"))).to_be_visible()
        if page.locator(".banner .over").is_visible():
            break
        count = acted(page)
        best = page.locator(".board.live [data-action]")
        best.nth(count // 2 % best.count()).click()
        expect(page.locator("ol.log li b").nth(count)).to_be_visible()
    over = page.locator(".banner .over")
    expect(over).to_contain_text(re.compile("won|wins|draw"))
    expect(over.get_by_role("link", name="Review it")).to_have_attribute("href", re.compile("^/analyse/"))
    page.get_by_role("button", name="Play again", exact=True).click()
    expect(page.locator("ol.log .none")).to_be_visible()


def test_undo_redo_hint_and_looking_back(page, server):
    start_table(page, server, "connectfour", ["you", "random"])
    place(page, 3).click()
    expect(page.locator("ol.log b")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("ol.log li.undone")).to_have_count(2)
    page.get_by_role("button", name="Redo").click()
    expect(page.locator("ol.log li.undone")).to_have_count(0)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".banner")).to_contain_text("would play")
    expect(page.locator(".board .opinion").first).to_be_visible()
    page.get_by_role("button", name="Play it").click()
    expect(page.locator("ol.log b")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".banner")).to_contain_text("after 3 of 4 actions")
    expect(page).to_have_url(re.compile(r"\?at=3$"))
    page.reload()
    expect(page.locator(".banner")).to_contain_text("after 3 of 4 actions")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("at="))


def test_the_keyboard_alone_plays_a_game(page):
    page.get_by_role("button", name="Connect Four").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Play", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Connect Four")
    expect(page.locator(".board.live")).to_be_visible()
    for _ in range(30):  # Tab leads to the board
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.action !== undefined"):
            break
    first = int(page.evaluate("document.activeElement.dataset.action"))
    page.keyboard.press("ArrowRight")
    assert int(page.evaluate("document.activeElement.dataset.action")) == first + 1
    page.keyboard.press("Enter")
    expect(page.locator("ol.log b")).to_have_count(2)
    expect(page.locator("ol.log b").first).to_have_text(str(first + 1))
    expect(page.locator(".board.live")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.action !== undefined"), "the focus left the board"
    page.keyboard.press("Enter")
    expect(page.locator("ol.log b")).to_have_count(4)
    page.keyboard.press("u")
    expect(page.locator("ol.log li.undone")).to_have_count(2)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("arrow keys")
    page.keyboard.press("Escape")
    page.get_by_role("textbox", name="Type an action").fill("6")
    page.keyboard.press("Enter")
    expect(page.locator("ol.log li:not(.undone) b").nth(2)).to_have_text("6")


def test_the_keyboard_stays_on_the_board_while_an_agent_thinks(page, server):
    start_table(page, server, "connectfour", ["you", "mcts(rollout, seconds=0.4)"])
    place(page, 2).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".board")).not_to_have_class(re.compile("live"))
    expect(page.locator(".board.live")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.action") == "2"


def to_decide(page, game):
    """A place of the board to click. Some rounds of blackjack are over as soon as they are dealt."""
    target = page.locator(".board.live [data-action]").first
    next_round = page.get_by_role("button", name="Next round")
    expect(target.or_(next_round).first, game).to_be_visible()
    while next_round.is_visible():
        count = acted(page)
        next_round.click()
        expect(page.locator("ol.log li b").nth(count), game).to_be_attached()
        expect(target.or_(next_round).first, game).to_be_visible()
    return target


@pytest.mark.parametrize("viewport", [PHONE, WIDE], ids=["phone", "wide"])
def test_every_game_opens_and_takes_an_action(visit, server, viewport):
    page = visit(server, viewport=viewport)
    for game in bl.games():
        page.goto(f"/play?game={game}")
        page.get_by_role("button", name="Start").click()
        expect(page).to_have_url(re.compile("/play/"))
        target = to_decide(page, game)
        count = acted(page)
        target.click(force=True)
        expect(page.locator("ol.log li b").nth(count), game).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= viewport["width"], f"{game} is {width} pixels wide"


def test_a_game_starts_only_when_its_seats_are_known(visit, server):
    page = visit(server)
    page.route("**/preview", lambda route: None)  # no answer comes
    with page.expect_request("**/preview"):
        page.goto("/play?game=hex")
    start = page.get_by_role("button", name="Start")
    expect(start).to_be_disabled()
    page.unroute("**/preview")
    page.reload()
    expect(start).to_be_enabled()


def test_two_browsers_meet_by_a_link(visit, server):
    ann = visit(server)
    start_table(ann, server, "tictactoe", ["you", "open"])
    expect(ann.locator(".banner")).to_contain_text("Send the link")
    bob = visit(server, ann.url.removeprefix(server.url))
    bob.get_by_role("button", name="Sit down and play").click()
    expect(bob.locator(".seat", has_text="you")).to_be_visible()
    place(ann, 4).click()
    place(bob, 0).click()
    expect(ann.locator("ol.log b")).to_have_count(2)
    ann.get_by_role("button", name="Undo").click()
    expect(bob.locator(".banner")).to_contain_text("asks to take an action back")
    bob.get_by_role("button", name="Decline").click()
    expect(ann.locator(".banner")).not_to_contain_text("You asked")
    place(ann, 8).click()
    expect(bob.locator("ol.log b")).to_have_count(3)
    looker = visit(server, ann.url.removeprefix(server.url))
    expect(looker.locator("ol.log b")).to_have_count(3)
    expect(looker.locator(".board.live")).to_have_count(0)


def test_agents_play_each_other_with_pause_step_and_pace(page, server):
    start_table(page, server, "othello", ["random", "mcts(rollout, iterations=20)"])
    expect(page.locator("ol.log b").nth(1)).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    count = acted(page)
    page.get_by_role("button", name="Step").click()
    expect(page.locator("ol.log b")).to_have_count(count + 1)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".banner .over")).to_be_visible()


def test_a_seat_is_taken_over_and_given_to_an_agent(page, server):
    start_table(page, server, "tictactoe", ["you", "random"])
    place(page, 0).click()
    expect(page.locator("ol.log b")).to_have_count(2)
    page.get_by_role("button", name="Change").nth(1).click()
    page.get_by_role("dialog").locator("select").select_option("you")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".seat", has_text="you")).to_have_count(2)
    place(page, 8).or_(place(page, 7)).first.click()
    expect(page.locator("ol.log b")).to_have_count(3)
    expect(page.locator(".board.live")).to_be_visible()
    page.get_by_role("button", name="Change").first.click()
    page.get_by_role("dialog").locator("select").select_option("random")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".seat", has_text="you")).to_have_count(1)
    page.get_by_role("button", name="Swap seats").click()
    expect(page.locator(".seat").first).to_contain_text("you")


def test_a_variant_and_a_position_are_in_the_address(page):
    page.goto("/play?game=connectfour")
    page.get_by_label("rows").fill("5")
    expect(page).to_have_url(re.compile("rows=5"))
    page.goto("/play?game=connectfour&rows=5&actions=3.3.2")
    expect(page.get_by_label("rows")).to_have_value("5")
    page.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/play/"))
    expect(page.locator("ol.log b").nth(2)).to_have_text("2")


def test_a_board_is_tapped(visit, server):
    page = visit(server, viewport=PHONE, has_touch=True, is_mobile=True)
    start_table(page, server, "2048", ["you"])
    count = acted(page)
    place(page, 0).tap(force=True)
    expect(page.locator("ol.log b").nth(count)).to_be_visible()


def test_a_phone_stays_at_the_board_while_one_plays(visit, server):
    page = visit(server, viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    start_table(page, server, "othello", ["you", "random"])
    for count in (2, 4):
        expect(page.locator(".board.live")).to_be_visible()
        page.locator(".board.live [data-action]").first.tap(force=True)
        expect(page.locator("ol.log b").nth(count - 1)).to_be_attached()
    assert page.evaluate("scrollY") == 0, "the list of actions has pulled the page down"
    tapped = "document.activeElement.matches('[data-action]:focus-visible')"
    assert not page.evaluate(tapped), "a tap leaves the ring of the keyboard"


def test_a_stone_is_dragged(page, server):
    start_table(page, server, "ewn", ["you", "random"])
    arrow = page.locator(".board.live [data-action]").first.bounding_box()
    count = acted(page)
    x, y = arrow["x"] + arrow["width"] / 2, arrow["y"] + arrow["height"] / 2
    page.mouse.move(x - 60, y - 5)
    page.mouse.down()
    page.mouse.move(x, y, steps=5)
    page.mouse.up()
    expect(page.locator("ol.log b").nth(count)).to_be_visible()
