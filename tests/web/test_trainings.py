"""Trainings: started, watched, paused, found again, and kept within limits."""

import pytest
from web.conftest import Visitor

import boardlab as bl
from boardlab.web.works.work import RUN, Work

GAME = {"name": "tictactoe"}


@pytest.fixture(autouse=True)
def ended(tmp_path):
    """No process outlives its test."""
    yield
    for folder in (tmp_path / "runs" / ".web").glob("*"):
        if (work := Work.open(folder)) is not None:
            work.end("stop")
            if work.process is not None:
                work.process.wait()


def until(visitor, name, holds):
    """The state of a run, from its page, for which this holds."""
    with visitor.page(f"run:{name}") as page:
        return page.until(lambda state: not state.get("waits") and holds(state))


def test_a_training_is_started_watched_and_played_against(ann):
    order = {
        "game": GAME,
        "options": {"episodes": 600, "exams": "perfect", "exam_every": 200},
        "name": "mine",
    }
    assert ann.post("/trainings/check", order)["length"] == "600 episodes"
    assert ann.post("/trainings", order) == {"name": "mine"}
    state = until(ann, "mine", lambda state: state["state"] == "finished")
    (curve,) = state["exams"]
    assert curve["name"] == "perfect" and [point[0] for point in curve["points"]] == [200, 400, 600]
    assert all(low is None or low <= value <= high for _, value, low, high in curve["points"])
    assert state["episodes"] == 600 and not state["error"]
    table = ann.table("tictactoe", ["you", state["agent"]])
    with ann.page(f"table:{table}") as page:
        page.until(lambda state: state["turn"])
        page.play(4)
        page.until(lambda state: state["problem"] or (state["turn"] and state["ply"] == 2))
        assert not page.state["problem"]


def test_pause_keeps_the_run_and_resume_goes_on(serve, tmp_path):
    ann = Visitor(serve())
    ann.post(
        "/trainings", {"game": GAME, "options": {"episodes": 10_000_000, "exams": "none"}, "name": "long"}
    )
    until(ann, "long", lambda state: state["state"] == "running" and state["episodes"] > 100)
    ann.post("/trainings/pause", {"run": "long"})
    paused = until(ann, "long", lambda state: state["state"] == "paused")
    assert paused["episodes"] > 100 and paused["can_resume"]
    assert bl.open_run(tmp_path / "runs" / "long").episodes == paused["episodes"]
    ann.post("/trainings/resume", {"run": "long"})
    until(ann, "long", lambda state: state["state"] == "running" and state["episodes"] > paused["episodes"])
    assert len(ann.post("/trainings", {"game": GAME, "options": {"minutes": 4}})["name"])
    refused = ann.post("/trainings", {"game": GAME}, status=429)["error"]
    assert "pause or stop one" in refused
    # Another server finds the processes of the first one.
    again = Visitor(serve())
    assert until(again, "long", lambda state: True)["state"] == "running"
    again.post("/trainings/stop", {"run": "long"})
    assert until(again, "long", lambda state: state["state"] == "stopped")["agent"]


def test_what_ran_when_the_machine_stopped_goes_on(serve, tmp_path):
    bl.train(bl.game("tictactoe"), episodes=50, exams=[], out=tmp_path / "runs" / "old", progress=False)
    work = Work.make(
        tmp_path / "runs",
        {"kind": "training", "run": "old", "owner": "x", "episodes": 120, "limits": {}},
    )
    work.want(RUN)
    work.note({"state": "running"})
    ann = Visitor(serve())
    assert until(ann, "old", lambda state: state["state"] == "finished")["episodes"] == 120


@pytest.mark.parametrize(
    "order, sentence",
    [
        ({"settings": {"alpha": -1}}, "alpha must be"),
        ({"settings": {"threads": 64}}, "threads to 2 at most"),
        ({"settings": {"out": "/tmp/x"}}, "not a setting"),
        ({"learner": "alphazero", "settings": {"from": "/etc"}}, "not in the folder of runs"),
        ({"settings": {"tuples": 100_000}}, "tuples to 2,000 at most"),
        (
            {"game": {"name": "othello"}, "settings": {"tuples": 2000, "length": 8, "layout": "walk"}},
            "of tables",
        ),
        ({"options": {"episodes": 10**11}}, "episodes to 10,000,000 at most"),
        ({"options": {"exams": 'engine("rm")'}}, "starts a program"),
        ({"options": {"exams": "random", "exam_every": 1}}, "number of exams"),
        ({"options": {"folder": "x"}}, "not an option"),
        ({"preset": "nonsense"}, "unknown preset"),
        ({"learner": "nonsense"}, "unknown learner"),
    ],
)
def test_what_a_visitor_may_not_order_is_refused(ann, tmp_path, order, sentence):
    refused = ann._send("POST", "/api/trainings", json={"game": GAME, **order})
    assert refused.status_code in (400, 403) and sentence in refused.json()["error"]
    assert not list((tmp_path / "runs").glob("tictactoe*"))


@pytest.mark.parametrize("name", ["../x", "a/b", ".web", "-x", "x" * 61, "x\n", 7])
def test_the_name_of_a_run_is_checked(ann, name):
    refused = ann.post("/trainings", {"game": GAME, "name": name}, status=400)["error"]
    assert "the name of a run" in refused


@pytest.mark.parametrize("name", ["../../etc", ".web/x", "..", "/etc", "a//b"])
def test_only_runs_below_the_folder_are_shown(ann, name):
    with ann.page() as page:
        assert "error" in page.ask("watch", topic=f"run:{name}")


def test_others_may_not_stop_a_training(serve, tmp_path):
    client = serve(host="0.0.0.0", names=("127.0.0.1",))
    bl.train(bl.game("tictactoe"), episodes=20, exams=[], out=tmp_path / "runs" / "hers", progress=False)
    Work.make(tmp_path / "runs", {"kind": "training", "run": "hers", "owner": "ann", "limits": {}}).note(
        {"state": "finished"}
    )
    bob = Visitor(client)
    for word in ("pause", "stop", "resume", "remove"):
        assert "only" in bob.post(f"/trainings/{word}", {"run": "hers"}, status=403)["error"]


def test_every_learner_of_every_game_has_a_form(ann):
    for game in bl.games():
        forms = ann.post("/trainings/forms", {"game": {"name": game}})
        assert forms["learner"] in [one["name"] for one in forms["learners"]]
        assert "default" in forms["presets"] and forms["settings"]
        kinds = {one["name"]: one["kind"] for one in forms["options"]}
        assert kinds["exams"] == "text" and kinds["seed"] == "whole"


def test_a_server_that_only_shows_starts_nothing(serve):
    visitor = Visitor(serve(read_only=True))
    assert "only shows" in visitor.post("/trainings", {"game": GAME}, status=403)["error"]
