"""Games on the server: played, taken back, watched, and there again after a restart."""

import pytest
from starlette.testclient import TestClient
from web.conftest import HOST, Visitor

import boardlab as bl
from boardlab.web.app import create_app
from boardlab.web.settings import Settings

ALL = list(bl.games())


def test_a_game_is_played_to_its_end(ann):
    with ann.page(f"table:{ann.table('tictactoe', ['you', 'random'])}") as page:
        while not page.state["over"]:
            page.until(lambda state: state["turn"] or state["over"])
            if page.state["over"]:
                break
            before = page.state["ply"]
            page.play(legal(page.state)[0])
            page.until(lambda state, before=before: state["ply"] > before)
        assert page.state["scores"] and not page.state["turn"]
        assert [number for number, _, _ in page.state["log"]] == list(range(page.state["ply"]))


def legal(state):
    """The actions that the picture offers."""
    import re

    return sorted({int(action) for action in re.findall(r'data-action="(\d+)"', state["picture"])})


@pytest.mark.parametrize("name", ALL)
def test_every_game_can_be_played_against_an_agent(ann, name):
    players = len(ann.post("/preview", {"game": {"name": name}})["players"])
    with ann.page(f"table:{ann.table(name, ['you'] + ['random'] * (players - 1))}") as page:
        for _ in range(3):
            page.until(lambda state: state["turn"] or state["over"] or state["waits"])
            before = page.state["ply"]
            if page.state["waits"]:
                page.ask("continue")  # the next round may end as soon as it is dealt
                page.until(lambda state, before=before: state["ply"] > before)
            elif page.state["turn"]:
                page.play(legal(page.state)[0])
                page.until(lambda state, before=before: state["ply"] > before)
        assert not page.state["problem"]


def test_undo_and_redo_go_from_choice_to_choice(ann):
    with ann.page(f"table:{ann.table()}") as page:
        for ply, action in ((0, 3), (2, 2)):
            page.until(lambda state, ply=ply: state["turn"] and state["ply"] == ply)
            page.play(action)
        page.until(lambda state: state["turn"] and state["ply"] == 4)
        names = [name for _, _, name in page.state["log"]]
        page.ask("undo")
        state = page.until(lambda state: state["ply"] == 2)
        assert state["total"] == 4 and state["can"]["redo"] and [n for _, _, n in state["log"]] == names
        page.ask("redo")
        page.until(lambda state: state["ply"] == 4)
        assert "error" in page.ask("redo")
        page.ask("undo")
        page.until(lambda state: state["ply"] == 2)
        page.play(6)  # forgets what was taken back
        state = page.until(lambda state: state["ply"] == 4)
        assert state["total"] == 4 and state["log"][2][2] == "6"


def test_an_earlier_position_can_be_looked_at(ann):
    with ann.page(f"table:{ann.table('tictactoe', ['you', 'you'])}") as page:
        page.play(4)
        page.play(0)
        page.until(lambda state: state["ply"] == 2)
        looked = page.ask("look", ply=1)["ok"]
        game = bl.game("tictactoe").initial_state()
        game.apply(4)
        assert looked["picture"] == game.to_svg(theme="page") and page.state["ply"] == 2
        assert "positions 0 to 2" in page.ask("look", ply=3)["error"]
        assert page.ask("actions", ply=2)["ok"] == {"actions": [4, 0], "position": None}


def test_a_hint_is_for_the_one_who_asks(ann):
    table = ann.table(seats=["you", "random"], hints="mcts(rollout, iterations=20)")
    with ann.page(f"table:{table}") as page:
        hint = page.ask("hint")["ok"]
        assert hint["action"] in range(7) and hint["agent"] == "mcts(rollout, iterations=20)"
        assert 'class="opinion"' in hint["picture"] or "<svg" in hint["picture"]


def test_resigning_ends_the_game_and_undo_takes_it_back(ann):
    with ann.page(f"table:{ann.table()}") as page:
        page.play(3)
        page.until(lambda state: state["turn"] and state["ply"] == 2)
        page.ask("resign")
        state = page.until(lambda state: state["over"])
        assert state["status"] == "X has resigned"
        assert page.ask("play", action=3)["error"] == "the game is over"
        page.ask("undo")
        page.until(lambda state: not state["over"] and state["turn"])


def test_a_new_game_keeps_the_players_and_swaps_them_on_request(ann):
    with ann.page(f"table:{ann.table()}") as page:
        made = page.ask("new", swap=True)["ok"]["id"]
        assert page.until(lambda state: state["next"])["next"] == made
        with ann.page(f"table:{made}") as other:
            assert [seat["kind"] for seat in other.state["seats"]] == ["agent", "person"]
            other.until(lambda state: state["turn"] and state["ply"] == 1)


def test_swapping_seats_lets_the_agent_go_on_for_you(ann):
    with ann.page(f"table:{ann.table()}") as page:
        page.play(3)
        page.until(lambda state: state["turn"] and state["ply"] == 2)
        page.ask("swap")
        state = page.until(lambda state: state["turn"] and state["ply"] == 3)
        assert state["own"] == [1]


def test_two_agents_play_pause_and_step(ann):
    table = ann.table(seats=["random", "random"], delay=0)
    with ann.page(f"table:{table}") as page:
        page.until(lambda state: state["over"])
        assert page.state["watching"] and not page.state["turn"]
    table = ann.table(seats=["random", "random"], delay=30)
    with ann.page(f"table:{table}") as page:
        page.ask("pace", paused=True)
        page.until(lambda state: state["paused"])
        for ply in (1, 2):
            page.ask("pace", step=True)
            page.until(lambda state, ply=ply: state["ply"] == ply)
        page.ask("pace", delay=0, paused=False)
        page.until(lambda state: state["over"])


def test_a_seat_is_taken_over_and_given_to_an_agent(ann):
    with ann.page(f"table:{ann.table()}") as page:
        page.ask("sit", seat=1)
        assert page.until(lambda state: state["own"] == [0, 1])
        page.play(0)
        page.play(0)
        page.until(lambda state: state["ply"] == 2)
        page.ask("seat", seat=1, who={"agent": "mcts(rollout, iterations=5)", "name": "Weak"})
        assert page.until(lambda state: state["own"] == [0])["seats"][1]["label"] == "Weak"
        assert "unknown agent" in page.ask("seat", seat=1, who={"agent": "otto"})["error"]


def test_two_people_meet_by_a_link(ann, bob):
    table = f"table:{ann.table(seats=['you', 'open'])}"
    with ann.page(table) as hers, bob.page(table) as his:
        assert his.state["seats"][1]["sit"] and not hers.state["seats"][0]["sit"]
        assert his.ask("play", action=0)["error"] == "it is not your turn"
        his.ask("sit", seat=1, name="Bob")
        assert hers.until(lambda state: state["seats"][1]["kind"] == "person")["seats"][1]["label"] == "Bob"
        hers.play(3)
        his.until(lambda state: state["turn"])
        his.play(4)
        assert hers.until(lambda state: state["ply"] == 2)["turn"]
        assert his.ask("play", action=0)["error"] == "it is not your turn"
        assert "another person" in his.ask("seat", seat=0, who="open")["error"]


def test_taking_back_needs_the_other_persons_word(ann, bob):
    table = f"table:{ann.table(seats=['you', 'open'])}"
    with ann.page(table) as hers, bob.page(table) as his:
        his.ask("sit", seat=1)
        hers.until(lambda state: state["seats"][1]["kind"] == "person")
        hers.play(3)
        assert not his.until(lambda state: state["turn"])["can"]["undo"]  # he has decided nothing yet
        hers.ask("undo")
        assert hers.until(lambda state: state["offer"])["ply"] == 1
        his.until(lambda state: state["offer"])
        his.ask("answer", yes=False)
        hers.until(lambda state: not state["offer"])
        hers.ask("undo")
        hers.ask("answer", yes=True)  # her own word does not count
        assert hers.until(lambda state: not state["offer"])["ply"] == 1
        hers.ask("undo")
        his.until(lambda state: state["offer"])
        his.ask("answer", yes=True)
        assert hers.until(lambda state: state["ply"] == 0)["total"] == 1


def test_strangers_watch_and_change_nothing(ann, bob):
    table = f"table:{ann.table()}"
    with bob.page(table) as his:
        for request in ("undo", "redo", "new", "swap", "pace", "continue", "resign", "retry", "hint"):
            assert "error" in his.ask(request), request
        assert "error" in his.ask("sit", seat=0) and "error" in his.ask("seat", seat=1, who="open")
        assert "error" in his.ask("play", action=0) and "error" in his.ask("type", text="3")
        assert not any(
            his.state["can"][what] for what in ("undo", "redo", "hint", "resign", "control", "sit")
        )


def test_every_game_is_where_it_was_after_a_restart(serve, tmp_path):
    """The first server is not closed: nothing that it would write at its end counts."""
    ann = Visitor(serve())
    table = ann.table("othello", ["you", "mcts(rollout, iterations=5)"])
    with ann.page(f"table:{table}") as page:
        page.play(19)
        page.until(lambda state: state["turn"] and state["ply"] == 2)
        page.play(legal(page.state)[0])
        page.until(lambda state: state["turn"] and state["ply"] == 4)
        page.ask("undo")
        before = page.until(lambda state: state["ply"] == 2)
    again = Visitor.__new__(Visitor)
    again.client, again.cookies = serve(), dict(ann.cookies)
    with again.page(f"table:{table}") as page:
        after = page.state
        for name in ("picture", "ply", "total", "log", "own", "seats", "turn"):
            assert after[name] == before[name], name
    assert [game["id"] for game in again.get("/tables")] == [table]


def test_a_game_starts_from_a_position(ann):
    table = ann.table(seats=["you", "you"], actions=[3, 3, 4])
    with ann.page(f"table:{table}") as page:
        assert page.state["ply"] == 3 and page.state["seats"][1]["yours"]
        assert [name for _, _, name in page.state["log"]] == ["3", "3", "4"]
    game = bl.game("othello")
    state = game.initial_state()
    state.apply(19)
    table = ann.table("othello", ["you", "you"], position=state.to_text())
    with ann.page(f"table:{table}") as page:
        assert page.state["player"] == 1 and page.state["ply"] == 0
        found = page.ask("actions", ply=0)["ok"]
        assert game.from_text(found["position"]) == state
    wrong = {"game": {"name": "connectfour"}, "seats": ["you", "you"]}
    assert "action 7" in ann.post("/tables", wrong | {"actions": [0] * 7}, status=400)["error"]
    assert "error" in ann.post("/tables", wrong | {"position": "nonsense"}, status=400)


def test_an_agent_that_fails_shows_its_error_and_another_goes_on(ann):
    bl.register_agent("stumbling", lambda game, seed: Stumbling())
    table = ann.table(seats=["you", "stumbling"])
    with ann.page(f"table:{table}") as page:
        page.play(3)
        assert "I stumbled" in page.until(lambda state: state["problem"])["problem"]
        page.ask("retry")
        page.until(lambda state: not state["problem"])
        page.until(lambda state: state["problem"])
        page.ask("seat", seat=1, who={"agent": "random"})
        page.until(lambda state: state["turn"] and state["ply"] == 2)


class Stumbling:
    def act(self, state):
        raise RuntimeError("I stumbled")


def test_an_old_click_is_refused(ann):
    with ann.page(f"table:{ann.table(seats=['you', 'you'])}") as page:
        page.play(0)
        assert "just changed" in page.ask("play", action=0, ply=0)["error"]
        assert "whole number" in page.ask("play", action="0")["error"]
        assert "not legal" in page.ask("play", action=99)["error"]


def test_one_may_remove_ones_own_games_alone(ann, bob):
    table = ann.table()
    assert "only the one who made" in bob.post(f"/tables/{table}/remove", status=403)["error"]
    ann.post(f"/tables/{table}/remove")
    assert ann.get("/tables") == []
    with ann.page() as page:
        assert page.ask("watch", topic=f"table:{table}")["missing"]


def test_lists_of_games_are_everybodys_own(ann, bob):
    mine = ann.table("tictactoe", ["you", {"agent": "random", "name": "Easy"}])
    assert bob.get("/tables") == []
    (listed,) = ann.get("/tables")
    assert listed["id"] == mine and listed["title"] == "Tic Tac Toe" and listed["seats"] == ["you", "Easy"]


def test_stale_games_are_swept_away(client, ann, monkeypatch):
    import time

    from boardlab.web.pages.play import tables_of
    from boardlab.web.tables import stored

    played, unplayed = ann.table(actions=[3]), ann.table()
    tables = tables_of(client.app.state.arena)
    tables.remove_stale(time.time())
    assert {game["id"] for game in ann.get("/tables")} == {played, unplayed}
    tables.remove_stale(time.time() + stored.UNPLAYED_SECONDS + 1)
    assert [game["id"] for game in ann.get("/tables")] == [played]
    newer = ann.table(actions=[3])
    monkeypatch.setattr(stored, "MOST_IN_ALL", 1)
    tables.remove_stale(time.time())
    assert [game["id"] for game in ann.get("/tables")] == [newer]


def test_a_second_server_refuses_a_foreign_database(tmp_path):
    (tmp_path / "web.db").write_text("not a database " * 100)
    with pytest.raises(bl.BoardLabError, match=r"web\.db is not a"):
        TestClient(create_app(Settings(runs=tmp_path)), base_url=HOST)
