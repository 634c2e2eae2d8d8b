"""What a page shows of a table: everything that its person may see, and nothing else."""

from typing import TYPE_CHECKING, Any

from boardlab.games.game import game_table
from boardlab.games.registry import GAMES
from boardlab.web.forms import game_title
from boardlab.web.people import Person
from boardlab.web.tables.seats import AGENT, OPEN, PERSON

if TYPE_CHECKING:
    from boardlab.web.tables.table import Table

LOGGED = 120
"""Actions whose names a message carries; pages ask for earlier ones."""


def table_state(table: "Table", person: Person) -> dict[str, Any]:
    """Return what a page of this person shows."""
    state, rules = table.state_now, table.game.rules
    own, may = table.own_seats(person), person.may_change
    controls = may and table.controls(person)
    shown = table.seen(person)
    return {
        "id": table.id,
        "game": game_table(table.game),
        "title": game_title(table.game.name),
        "summary": rules.variant_summary(),
        "notation": rules.notation,
        "hidden": table.game.is_hidden,
        "chance": table.game.has_chance,
        "seats": [_seat(table, number, person) for number in range(len(table.seats))],
        "own": own,
        "picture": table.picture(person),
        "turn": table.is_turn(person),
        "player": state.player,
        "status": table.status(shown),
        "over": table.is_over,
        "scores": state.scores.tolist() if shown is not None or table.is_over else None,
        "ply": table.cursor,
        "total": len(table.actions),
        "log": readable_log(table, person, max(0, len(table.actions) - LOGGED)),
        "logged_from": max(0, len(table.actions) - LOGGED),
        "thinking": table.thinker,
        "problem": table.problem,
        "waits": table.waits and bool(table.people),
        "paused": bool(table.options.get("paused")),
        "delay": table.delay,
        "watching": not table.people,
        "offer": _offer(table, own),
        "next": table.options.get("next", ""),
        "can": {
            "undo": controls and table.undone(own) is not None,
            "redo": controls and table.cursor < len(table.actions),
            "hint": table.is_turn(person),
            "resign": bool(own) and may and not table.is_over and table.cursor > 0,
            "control": controls,
            "sit": may and any(table.may_sit(person, n) for n in range(len(table.seats))),
            "swap": controls and table.may_swap,
            "share": not table.game.is_hidden,
        },
        "visitors": len({connection.person.id for connection in table.watchers}),
    }


def readable_log(table: "Table", person: Person, first: int) -> list[list[Any]]:
    """Return number, player and name of the actions that this person may read."""
    named = list(enumerate(table.names[: len(table.actions)]))[first:]
    if not table.game.is_hidden or table.viewer(person) is None:
        return [[number, player, name] for number, (player, name) in named]
    # Bets are public, cards are not. What is public in a user's own game we do not know.
    own, is_ours = table.own_seats(person), table.game.name in GAMES and not table.game.rules.own_code
    return [
        [number, player, name]
        for number, (player, name) in named
        if player in own or (is_ours and player >= 0)
    ]


def _seat(table: "Table", number: int, person: Person) -> dict[str, Any]:
    seat = table.seats[number]
    is_yours = seat.kind == PERSON and seat.person == person.id
    label = seat.name or (seat.agent if seat.kind == AGENT else "")
    if seat.kind == PERSON:
        label = "you" if is_yours else seat.name or "a guest"
    elif seat.kind == OPEN:
        label = "free seat"
    return {
        "number": number,
        "player": table.game.rules.player_name(number),
        "kind": seat.kind,
        "label": label,
        "agent": seat.agent,
        "yours": is_yours,
        "sit": person.may_change and table.may_sit(person, number),
    }


def _offer(table: "Table", own: list[int]) -> dict[str, Any] | None:
    offer = table.options.get("offer")
    if not isinstance(offer, dict):
        return None
    return {"what": offer["what"], "by": offer["by"], "yours": offer["by"] in own, "answer": bool(own)}
