"""Hidden cards never leave the server."""

import boardlab as bl


def test_each_player_gets_the_picture_of_what_he_sees(client, ann, bob):
    name = f"table:{ann.table('poker', ['you', 'open'])}"
    with ann.page(name) as hers, bob.page(name) as his:
        his.ask("sit", seat=1)
        hers.until(lambda state: state["seats"][1]["kind"] == "person")
        for page, seat in ((hers, 0), (his, 1)):
            state = page.until(lambda state: state["own"] and state["player"] >= 0)
            whole = client.app.state.arena.hub.topics[name].state_now
            assert state["picture"] == whole.seen_by(seat).to_svg(legal=state["turn"], theme="page")
            assert state["picture"] != whole.to_svg(legal=state["turn"], theme="page")
            assert all(player >= 0 for _, player, _ in state["log"])


def test_deals_that_look_alike_make_the_same_message(client, ann):
    """What a player cannot tell apart, the messages cannot tell apart."""
    table = ann.table("kuhnpoker", ["you", "mcts(rollout, iterations=5)"])
    with ann.page(f"table:{table}") as page:
        page.until(lambda state: state["turn"])
        topic = client.app.state.arena.hub.topics[f"table:{table}"]
        alike = [state for state, _ in topic.state_now.completions(0)]
        assert len(alike) == 2
        for state in alike:
            assert state.seen_by(0).to_svg(legal=True, theme="page") == page.state["picture"]
        assert page.state["log"] == []  # the two cards that were dealt


def test_a_stranger_sees_no_cards_until_the_end(ann, bob):
    table = f"table:{ann.table('kuhnpoker', ['you', 'random'])}"
    with ann.page(table) as hers, bob.page(table) as his:
        hers.until(lambda state: state["turn"])
        his.until(lambda state: state["ply"] >= 2)
        assert his.state["picture"] == "" and his.state["log"] == []
        assert his.ask("look", ply=2)["ok"]["picture"] == ""
        for request in ("hint", "actions", "seat", "sit"):
            assert "error" in his.ask(request, ply=2, seat=1, who="you"), request


def test_nobody_changes_seats_to_look_at_cards(ann):
    table = f"table:{ann.table('kuhnpoker', ['you', 'random'])}"
    with ann.page(table) as page:
        page.until(lambda state: state["turn"])
        assert "error" in page.ask("sit", seat=1) and "error" in page.ask("swap")
        assert "error" in page.ask("seat", seat=1, who="you")
        assert "error" in page.ask("actions", ply=1)
        # Giving one's seat away does not open the table, either.
        page.ask("pace", paused=True)
        page.ask("seat", seat=0, who={"agent": "mcts(rollout, iterations=100000)"})
        state = page.until(lambda state: not state["own"])
        if not state["over"]:
            game = bl.game("kuhnpoker")
            assert game.is_hidden and state["picture"]
            assert all(player >= 0 for _, player, _ in state["log"])


def test_nobody_plays_on_with_cards_that_all_have_seen(ann):
    table = f"table:{ann.table('kuhnpoker', ['random', 'random'], delay=30)}"
    with ann.page(table) as page:
        page.until(lambda state: state["ply"] >= 2)
        assert page.state["picture"]
        for seat in (0, 1):
            for who in ("open", "you"):
                assert "error" in page.ask("seat", seat=seat, who=who), who
            assert "error" in page.ask("sit", seat=seat)


def test_nobody_moves_to_the_seat_of_an_opponent_to_come(ann, bob):
    table = f"table:{ann.table('kuhnpoker', ['you', 'open'])}"
    with ann.page(table) as hers, bob.page(table) as his:
        hers.until(lambda state: state["turn"])
        assert "ok" in hers.ask("seat", seat=0, who="open")
        assert "error" in hers.ask("sit", seat=1)
        assert "ok" in hers.ask("sit", seat=0)
        assert "ok" in his.ask("sit", seat=1)


def test_resigning_opens_no_cards(ann, bob):
    """Taking the resignation back would go on with open cards."""
    table = f"table:{ann.table('kuhnpoker', ['you', 'random'])}"
    with ann.page(table) as hers, bob.page(table) as his:
        hers.until(lambda state: state["turn"])
        hers.ask("resign")
        assert his.until(lambda state: state["over"])["picture"] == ""
        assert his.state["log"] == []
        hers.ask("undo")
        hers.until(lambda state: not state["over"])


def test_nobody_takes_back_what_showed_a_card(client, ann):
    table = ann.table("leducpoker", ["you", "you"])
    with ann.page(f"table:{table}") as page:
        topic = client.app.state.arena.hub.topics[f"table:{table}"]
        while not page.until(lambda state: state["turn"] or state["over"])["over"]:
            before = page.state["ply"]
            assert page.state["can"]["undo"] == (topic.names[before - 1][0] >= 0)
            page.play(topic.state_now.legal_actions()[-1])
            page.until(lambda state, before=before: state["ply"] > before)
        assert not page.state["can"]["undo"] and "error" in page.ask("undo")


def test_looking_back_shows_no_more_than_was_seen(client, ann):
    table = ann.table("poker", ["you", "random"])
    with ann.page(f"table:{table}") as page:
        page.until(lambda state: state["turn"])
        topic = client.app.state.arena.hub.topics[f"table:{table}"]
        for ply in range(page.state["ply"] + 1):
            state = topic.stored.start.copy()
            for action in topic.actions[:ply]:
                state.apply(action)
            assert page.ask("look", ply=ply)["ok"]["picture"] == state.seen_by(0).to_svg(theme="page")


def test_a_hint_knows_only_the_own_cards(client, ann):
    table = ann.table("kuhnpoker", ["you", "random"], hints="mcts(rollout, iterations=50)")
    with ann.page(f"table:{table}") as page:
        page.until(lambda state: state["turn"])
        picture = page.ask("hint")["ok"]["picture"]
        whole = client.app.state.arena.hub.topics[f"table:{table}"].state_now
        cards = {state.seen_by(1).to_svg(theme="page") for state, _ in whole.completions(0)}
        assert len(cards) == 2 and picture not in cards and "<svg" in picture
