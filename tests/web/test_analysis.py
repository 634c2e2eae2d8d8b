"""The analysis: opinions while agents think, variations, the value curve, and what is refused."""

import pytest

import boardlab as bl

THINKER = "mcts(rollout, iterations=20)"


def desk(person, game="connectfour", agents=("random",), **more):
    game = {"name": game} if isinstance(game, str) else game
    return "desk:" + person.post("/desks", {"game": game, "agents": list(agents), **more})["id"]


def test_the_values_of_actions_grow_while_the_search_deepens(ann):
    with ann.page(
        desk(ann, agents=["mcts(rollout)", "mcts(rollout, iterations=300)"], actions=[3, 3])
    ) as page:
        first = page.until(lambda state: all(one["rows"] for one in state["agents"]))
        deeper = page.until(lambda s: s["agents"][0]["iterations"] > first["agents"][0]["iterations"])
        rows = deeper["agents"][0]["rows"]
        assert {row["action"] for row in rows} == set(range(7)) and sum(row["best"] for row in rows) == 1
        assert abs(sum(row["share"] for row in rows) - 1) < 0.01
        assert 'class="opinion"' in deeper["agents"][0]["picture"]
        page.ask("think", on=False)
        page.until(lambda state: not any(one["busy"] for one in state["agents"]))


def test_actions_are_played_and_a_variation_leads_back_to_the_game(ann):
    table = ann.table("connectfour", ["you", "you"], actions=[3, 3, 2, 2])
    name = "desk:" + ann.post("/desks", {"table": table})["id"]
    assert name == "desk:" + ann.post("/desks", {"table": table})["id"]  # the same desk again
    with ann.page(name) as page:
        assert page.state["at"] == page.state["total"] == 4 and page.state["branch"] is None
        page.ask("go", ply=2)
        page.ask("play", action=6)
        page.ask("type", text="5")
        state = page.until(lambda state: state["at"] == 4)
        assert state["branch"] == 2 and state["total"] == 4
        assert [name for _, _, name in page.ask("log")["ok"]["log"]] == ["3", "3", "6", "5"]
        page.ask("go", main=True)
        state = page.until(lambda state: state["branch"] is None)
        assert state["at"] == 2 and state["total"] == 4
        assert "not legal" in page.ask("play", action=9)["error"]
        assert "positions 0 to 4" in page.ask("go", ply=5)["error"]
    with ann.page(name) as page:  # it was kept
        assert page.state["at"] == 2


def test_the_value_curve_finds_the_blunder(ann):
    """X completes a row on the next action; O looks elsewhere."""
    actions = [3, 0, 3, 0, 3, 6, 3]
    with ann.page(desk(ann, actions=actions)) as page:
        page.ask("think", on=False)
        page.ask("review", agent="mcts(rollout, iterations=800)")
        page.until(lambda state: state["review"]["done"] == 7 and not state["review"]["running"])
        curve = page.ask("curve")["ok"]["curve"]
        assert [point["ply"] for point in curve["points"]] == list(range(7)) and curve["end"] == [1, -1]
        worst = curve["moments"][0]
        assert (worst["ply"], worst["played"], worst["best"]) == (5, "6", "3") and worst["loss"] > 0.3
        assert "no game to review" in ask_empty(ann)


def ask_empty(person):
    with person.page(desk(person)) as page:
        return page.ask("review", agent="random")["error"]


def test_a_position_is_edited_as_text(ann):
    state = bl.game("tictactoe").initial_state()
    state.apply(4)
    with ann.page(desk(ann, "tictactoe", position=state.to_text())) as page:
        assert page.ask("text")["ok"]["text"] == state.to_text()
        page.ask("play", action=0)
        page.until(lambda state: state["at"] == 1)
        found = page.ask("link")["ok"]
        assert found["actions"] == [0] and found["position"] == state.to_text()
    refused = ann.post("/desks", {"game": {"name": "tictactoe"}, "position": "X ? O"}, status=400)
    assert "tictactoe" in refused["error"]


def test_chance_is_chosen_or_drawn(ann):
    with ann.page(desk(ann, "2048")) as page:
        assert len(page.state["outcomes"]) == 32 and not page.state["agents"][0]["rows"]
        page.ask("play", chance=True)
        page.ask("play", action=page.state["outcomes"][0][0])
        page.until(lambda state: state["at"] >= 1)


def test_only_the_owner_changes_an_analysis(ann, bob):
    name = desk(ann)
    with bob.page(name) as page:
        assert not page.state["own"]
        for request in ("go", "play", "type", "agents", "think", "review"):
            assert "another visitor" in page.ask(request, agents=["random"], action=3)["error"]
    copied = bob.post("/desks", {"desk": name.partition(":")[2]})["id"]
    with bob.page(f"desk:{copied}") as page:
        assert page.state["own"]


def test_hidden_cards_are_analysed_when_the_game_is_over(ann, bob):
    table = ann.table("kuhnpoker", ["you", "open"])
    for person in (ann, bob):
        refused = person.post("/desks", {"table": table}, status=403)
        assert "when it is over" in refused["error"]


@pytest.mark.parametrize(
    ("agents", "sentence"),
    [
        (["mcts(rollout"], "agents?"),
        (["engine('sh -c true')"], "starts a program"),
        (["mcts(rollout, max_nodes=100000000)"], "1,000,000 at most"),
        (["random"] * 5, "1 to 4 agents"),
        ([], "1 to 4 agents"),
    ],
)
def test_bad_agents_get_a_sentence(ann, agents, sentence):
    with ann.page(desk(ann)) as page:
        answer = page.ask("agents", agents=agents)
        assert "error" in answer and (sentence == "agents?" or sentence in answer["error"])


def test_an_analysis_is_downloaded_as_a_file(ann, tmp_path):
    name = desk(ann, actions=[3, 3, 2]).partition(":")[2]
    answer = ann.get_page(f"/api/desks/{name}/record.pgn")
    assert "attachment" in answer.headers["content-disposition"]
    file = tmp_path / "game.pgn"
    file.write_text(answer.text)
    (record,) = bl.read_records(file)
    assert record.actions == (3, 3, 2)
    assert "use pgn" in ann.get(f"/desks/{name}/record.ggf", status=400)["error"]
    ann.get("/desks/nothing/record.pgn", status=404)


def test_tuples_speak_for_an_action(serve, tmp_path):
    from web.conftest import Visitor

    from boardlab.web.analysis.voices import network_of

    run = tmp_path / "runs" / "ttt"
    bl.train(bl.game("tictactoe"), episodes=300, seed=1, out=run)
    agent = f'greedy(ntuple("{run.as_posix()}"))'
    assert network_of(agent) == run.as_posix() and network_of("mcts(rollout)") == ""
    ann = Visitor(serve())
    with ann.page(desk(ann, "tictactoe", agents=[agent, "random"])) as page:
        page.until(lambda state: state["agents"][0]["rows"])
        found = page.ask("voices", agent=0, action=4)["ok"]
        assert found["action"] == 4 and found["voices"]
        told = sum(voice["adds"] for voice in found["voices"]) + found["rest"]
        assert told == pytest.approx(found["sum"])
        assert all(voice["picture"].startswith("<svg") for voice in found["voices"])
        assert "no n-tuple network" in page.ask("voices", agent=1)["error"]


def test_a_game_that_was_analysed_is_there_after_a_restart(serve):
    from web.conftest import Visitor

    first = Visitor(serve())
    name = desk(first, actions=[3, 2])
    second = Visitor(serve())
    second.cookies = dict(first.cookies)
    with second.page(name) as page:
        assert page.state["at"] == 2 and page.state["own"]
