"""Tournaments in the browser: held by a process, kept in the store, replayed, and on the hall of fame."""

import pytest
from web.conftest import Visitor

import boardlab as bl
from boardlab.web.works.work import Work

GAME = {"name": "tictactoe"}
AGENTS = [{"agent": "random", "name": "Chance"}, {"agent": "mcts(rollout, iterations=20)"}]


@pytest.fixture(autouse=True)
def ended(tmp_path):
    """No process outlives its test."""
    yield
    for folder in (tmp_path / "runs" / ".web").glob("*"):
        if (work := Work.open(folder)) is not None:
            work.end("stop")


@pytest.fixture
def ann(serve, tmp_path):
    return Visitor(serve(store=tmp_path / "store.db"))


def test_a_tournament_is_held_replayed_and_remembered(ann, tmp_path):
    order = {"game": GAME, "agents": AGENTS, "games": 10, "random_actions": 1, "name": "Cup"}
    number = ann.post("/tournaments", order)["number"]
    with ann.page(f"tournament:{number}") as page:
        state = page.until(lambda state: state.get("finished"))
    assert state["name"] == "Cup" and state["played"] == 10 and state["state"] == "finished"
    best, other = state["rows"]
    assert best["agent"] == "mcts(rollout, iterations=20)" and other["name"] == "Chance"
    assert best["rating"] > other["rating"] and best["half"] > 0
    assert state["cross"][0][1] == pytest.approx(1 - state["cross"][1][0])
    with bl.store(tmp_path / "store.db") as store:  # the same as on the command line
        assert store.tournament(number).is_finished

    games = ann.get(f"/tournaments/{number}/games")
    assert len(games) == 10
    table = ann.post(f"/tournaments/{number}/replay", {"pairing": 0, "number": 3})["id"]
    with ann.page(f"table:{table}") as page:
        assert page.state["over"] and page.state["ply"] == games[3]["actions"]
        assert page.state["scores"] == games[3]["scores"]

    (fame,) = ann.get("/fame")["lists"]
    assert [line["label"] for line in fame["lines"]] == ["mcts(rollout, iterations=20)", "Chance"]


def test_the_tournaments_of_the_command_line_are_listed(ann, tmp_path):
    bl.tournament(bl.game("tictactoe"), ["random", "greedy"], games=2, store=tmp_path / "store.db")
    with ann.page("tournaments:all") as page:
        (listed,) = page.until(lambda state: not state.get("waits"))["tournaments"]
    assert listed["finished"] and listed["agents"] == ["random", "greedy(rollout)"] and not listed["may"]


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"agents": AGENTS[:1]}, "at least 2 agents"),
        ({"agents": ["random", "greedy"]}, "must be a list"),
        ({"agents": [*AGENTS, {"agent": 'engine("rm")'}]}, "starts a program"),
        ({"agents": [*AGENTS, {"agent": "nonsense"}]}, "unknown agent"),
        ({"agents": [*AGENTS, {"agent": 'greedy(ntuple("/etc"))'}]}, "not in the folder of runs"),
        ({"games": 100_000}, "visitors may play 5,000"),
        ({"games": "many"}, "games"),
        ({"starts": "/etc/passwd"}, "starts are"),
        ({"format": "knockout"}, "format"),
        ({"name": "x" * 100}, "60 characters"),
        ({"agents": [AGENTS[0], AGENTS[0]]}, "two players are called"),
    ],
)
def test_what_a_visitor_may_not_hold_is_refused(ann, change, sentence):
    answer = ann._send("POST", "/api/tournaments", json={"game": GAME, "agents": AGENTS, **change})
    assert answer.status_code in (400, 403) and sentence in answer.json()["error"]


@pytest.mark.parametrize("rest", ["0", "-1", "x", "9999", "1/2"])
def test_unknown_tournaments_are_missing(ann, rest):
    with ann.page() as page:
        answer = page.ask("watch", topic=f"tournament:{rest}")
        if "ok" in answer:
            page.topic = f"tournament:{rest}"
            while page.topic not in page.states:
                page._hear()
            assert page.until(lambda state: not state.get("waits"))["error"]


def test_results_are_shown_and_nothing_else(ann, tmp_path):
    folder = tmp_path / "runs" / "sweeps" / "one"
    folder.mkdir(parents=True)
    (folder / "table.md").write_text("# A sweep\n\n| a | b |\n|---|---|\n| 1 | <script> |\n")
    (folder / "figure.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
    (folder / "secret.txt").write_text("secret")
    (listed,) = ann.get("/results")
    assert listed["path"] == "runs/sweeps/one" and listed["picture"] == "figure.svg"
    assert "<script>" in ann.get("/results/runs/sweeps/one/table")["table"]  # text, never markup
    figure = ann.get_page("/api/results/runs/sweeps/one/figure.svg")
    assert figure.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in figure.headers["content-security-policy"]
    for path in ("runs/sweeps/one/secret.txt", "runs/../../etc/table", "runs/%2e%2e/table", "x/y/table"):
        assert ann._send("GET", f"/api/results/{path}").status_code == 404
