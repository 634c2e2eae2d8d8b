"""Compete in a real browser: tournaments, replays, the hall of fame, and the new against the old."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def enter():
    """Fill the form of tournaments with agents."""

    def fill(page, agents):
        rows = page.locator(".entrant")
        expect(rows.first).to_be_visible()
        while rows.count() > len(agents):
            page.get_by_role("button", name=re.compile("^remove agent")).last.click()
        while rows.count() < len(agents):
            page.get_by_role("button", name="Add an agent").click()
        for number, (agent, name) in enumerate(agents, 1):
            page.get_by_label(f"agent {number}", exact=True).fill(agent)
            page.get_by_label(f"name of agent {number}", exact=True).fill(name)

    return fill


def test_a_tournament_grows_and_its_games_are_replayed(visit, start_server, learned, enter):
    server = start_server()
    learned(server.folder / "runs" / "champion", episodes=3000)
    page = visit(server, "/compete?game=tictactoe")
    agents = [
        ('greedy(ntuple("runs/champion"))', "Champion"),
        ("mcts(rollout, iterations=400)", "Slow"),
        ("random", "Chance"),
    ]
    enter(page, agents)
    page.get_by_label("title").fill("First cup")
    page.get_by_label("games", exact=True).fill("60")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("First cup")
    tag = page.locator(".tag").first
    cells = page.locator(".cross td button")
    expect(cells.first).to_be_visible()  # live: the table stands before the last game
    expect(page.get_by_text(re.compile(r"^Tic Tac Toe.* \d+ of 180 games"))).to_be_visible()
    expect(tag).to_have_text("finished")
    expect(cells).to_have_count(6)
    rows = page.locator("section", has=page.get_by_role("heading", name="Ranking")).locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.last).to_contain_text("Chance")
    expect(rows.first).to_contain_text("±")
    page.get_by_role("button", name=re.compile("^Champion against Chance")).click()
    expect(page.get_by_role("heading", name="Champion against Chance")).to_be_visible()
    games = page.locator(".tall tbody tr")
    expect(games).to_have_count(60)
    games.nth(3).get_by_role("button", name="Replay").click()
    expect(page).to_have_url(re.compile("/analyse/"))
    assert page.evaluate("scrollY") == 0
    expect(page.locator(".board .opinion").first).to_be_attached()  # an agent's opinion beside it
    expect(page.locator("section.opinion tbody tr").first).to_be_visible()
    page.get_by_role("button", name="Forward").click()
    expect(page.locator(".actions .at")).to_have_text(re.compile("^1 of"))

    page.goto("/compete/fame")
    hall = page.locator("section", has=page.get_by_role("heading", name="Tic Tac Toe"))
    expect(hall.locator("tbody tr")).to_have_count(3)
    hall.get_by_text("train it again").click()
    expect(hall.get_by_text(re.compile("^boardlab train tictactoe"))).to_be_visible()
    hall.locator("tbody tr", has_text="Champion").get_by_role("button", name="Play").click()
    expect(page).to_have_url(re.compile("/play/"))
    expect(page.locator(".seats")).to_contain_text("Champion")


def test_the_new_agent_meets_the_old(visit, start_server, learned):
    server = start_server()
    learned(server.folder / "runs" / "old", episodes=20)
    learned(server.folder / "runs" / "new", episodes=3000)
    page = visit(server, "/train/new")
    page.get_by_role("link", name="Compare in a match").click()
    expect(page.locator(".entrant")).to_have_count(2)
    expect(page.get_by_label("name of agent 1")).to_have_value("new")
    expect(page.get_by_label("name of agent 2")).to_have_value("old")
    page.get_by_label("games", exact=True).fill("100")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".tag").first).to_have_text("finished")
    expect(page.locator("td.who").first).to_contain_text("new")


def test_a_first_agent_meets_the_level_that_its_trainer_plays(visit, start_server, learned):
    server = start_server()
    learned(server.folder / "runs" / "first", episodes=20)
    page = visit(server)
    page.get_by_role("button", name="Medium").click()
    page.goto("/train/first")
    page.get_by_role("link", name="Compare in a match").click()
    expect(page.get_by_label("name of agent 2")).to_have_value("Medium")


def test_a_tournament_is_paused_and_resumed(visit, start_server, enter):
    page = visit(start_server(), "/compete?game=connectfour")
    enter(page, [("mcts(rollout, iterations=500)", "one"), ("mcts(rollout, iterations=501)", "two")])
    page.get_by_label("games", exact=True).fill("1000")
    page.get_by_role("button", name="Start").click()
    tag = page.locator(".tag").first
    expect(page.locator(".cross td button").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(tag).to_have_text("paused")
    page.get_by_role("button", name="Resume").click()
    expect(tag).to_have_text("running")
    page.get_by_role("button", name="Stop").click()
    expect(tag).not_to_have_text("running")


def test_results_are_shown(visit, start_server):
    server = start_server()
    folder = server.folder / "results" / "figure"
    folder.mkdir(parents=True)
    (folder / "table.md").write_text("# A figure\n\n| run | score |\n| --- | --- |\n| <b>a</b> | 7 |\n")
    page = visit(server, "/compete/results")
    page.get_by_role("link", name="figure").click()
    expect(page.get_by_role("cell", name="<b>a</b>")).to_be_visible()
