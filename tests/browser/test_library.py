"""The library in a real browser: games, positions and runs come in and go out."""

import re

from browser.conftest import place, start_table
from playwright.sync_api import expect

import boardlab as bl


def download(page, link):
    """Click a link and return what came."""
    with page.expect_download() as started:
        link.click()
    return started.value


def test_a_transcript_of_othello_becomes_ggf_and_pgn_and_comes_back(page):
    page.goto("/library")
    page.get_by_label("Rules").select_option("othello")
    page.get_by_text("or paste text").click()
    page.get_by_label("games as text").fill("f5d6c3d3c4f4")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("Othello")
    taken = {}
    for kind in ("PGN", "GGF", "TXT"):
        taken[kind] = download(page, page.get_by_role("link", name=f"Download {kind}")).path().read_text()
    assert taken["GGF"].startswith("(;GM[Othello]") and "f5d6c3d3c4f4" in taken["TXT"]
    for kind, text in taken.items():
        page.goto("/library")
        page.get_by_label("Rules").select_option("othello")
        page.locator("input[type=file]").first.set_input_files(
            {"name": f"again.{kind.lower()}", "mimeType": "text/plain", "buffer": text.encode()}
        )
        expect(page.get_by_role("heading", level=1)).to_contain_text("again")
        page.get_by_role("button", name="analyse game 1").click()
        expect(page.locator("ol.log li b")).to_have_text(["f5", "d6", "c3", "d3", "c4", "f4"])


def test_the_games_one_played_are_one_file(page, server):
    start_table(page, server, "connectfour", ["you", "you"])
    for count, column in enumerate([3, 2, 3, 2, 3, 2, 3], 1):
        place(page, column).click()
        expect(page.locator("ol.log b")).to_have_count(count)
    page.goto("/library")
    text = download(page, page.get_by_role("link", name="Download all games I played")).path().read_text()
    assert '[Game "connectfour"]' in text and "1-0" in text
    page.goto("/analyse")
    page.get_by_role("main").get_by_role("link", name="Connect Four").click()
    expect(page.locator("ol.log li b")).to_have_count(7)
    text = download(page, page.get_by_role("link", name="Download PGN")).path().read_text()
    assert '[Game "connectfour"]' in text


def test_a_position_comes_in_as_text(page):
    state = bl.game("connectfour").initial_state()
    for action in (3, 3, 2):
        state.apply(action)
    page.goto("/analyse")
    page.get_by_label("Position, as text").fill(str(state))
    page.get_by_role("main").get_by_role("button", name="Analyse").click()
    expect(page.locator(".actions .at")).to_have_text("0 of 0")
    page.get_by_text("Edit the position").click()
    expect(page.get_by_label("the position as text")).to_have_value(str(state))


def test_a_run_goes_out_and_comes_in(visit, start_server, learned, tmp_path):
    server = start_server()
    learned(server.folder / "runs" / "small")
    page = visit(server, "/library")
    packed = download(page, page.locator("li", has_text="small").get_by_role("link", name="Download"))
    packed.save_as(tmp_path / "packed.zip")
    page.get_by_label("name of the run").fill("back")
    page.locator("input[type=file]").last.set_input_files(tmp_path / "packed.zip")
    row = page.locator("li", has_text="back")
    expect(row).to_contain_text("200 episodes")
    row.get_by_role("link", name="Analyse with it").click()
    expect(page).to_have_url(re.compile("/analyse/"))
    expect(page.locator("section.opinion tbody tr").first).to_be_visible()
