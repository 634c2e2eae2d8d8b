"""Tournaments as pages see them: what the store holds, and the processes that play them."""

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardlab.arena.pairing import FORMATS
from boardlab.arena.standings import TournamentResult
from boardlab.arena.store import Store, StoredGame, Tournament
from boardlab.arena.tournament import stored_tournament
from boardlab.checks import as_integer
from boardlab.errors import BoardLabError, check_known
from boardlab.games.game import Game, game_table
from boardlab.games.registry import GAMES
from boardlab.learners.again import train_command
from boardlab.web.errors import Forbidden, Missing, Refusal
from boardlab.web.forms import game_title
from boardlab.web.people import Person
from boardlab.web.policy import Policy
from boardlab.web.settings import Settings
from boardlab.web.works.work import BROKEN, FINISHED, RUNNING, SAVING, Work

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

MOST_ENTRANTS, MOST_GAMES = 16, 5000
"""Of a tournament, unless the server trusts its visitors."""
MOST_LISTED = 100
LONGEST_NAME = 60
STARTS = re.compile(r"\d+(-\d+)?|random \d{1,3}|default")


def store_path(settings: Settings) -> Path:
    """Return the file of the server's store."""
    return Path(settings.store or os.environ.get("BOARDLAB_STORE") or "boardlab.db").absolute()


def read_tournament(policy: Policy, body: Mapping[str, Any]) -> tuple[Game, dict[str, Any]]:
    """Read and check what a form asks for; returns the game and the order of a process."""
    game = policy.game_of(body.get("game"))
    given = body.get("agents")
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Refusal("agents must be a list, each with an agent and perhaps a name")
    agents = [
        {
            "agent": policy.agent(one.get("agent")),
            "name": _name(one.get("name")),
        }
        for one in given
    ]
    if len(agents) < max(2, game.players):
        raise Refusal(f"a tournament of {game.name} needs at least {max(2, game.players)} agents")
    form = body.get("format") or "round-robin"
    check_known("format of a tournament", form, FORMATS)
    arguments: dict[str, Any] = {
        "format": form,
        "games": as_integer("games", body.get("games", 20), 1, 10_000_000),
        "seed": as_integer("seed", body.get("seed", 0), 0, 2**64 - 1),
        "random_actions": as_integer("random_actions", body.get("random_actions", 0), 0, 1000),
        "name": _name(body.get("name")),
    }
    if form == "swiss" and body.get("rounds") is not None:
        arguments["rounds"] = as_integer("rounds", body["rounds"], 1, 1000)
    starts = body.get("starts")
    if starts not in (None, "", "default"):
        if not isinstance(starts, str) or not (policy.trust or STARTS.fullmatch(starts)):
            raise Refusal('starts are a number of actions, as "2" or "0-1", or "random 4"')
        arguments["starts"] = starts
    if not policy.trust:
        pairs = len(agents) * (len(agents) - 1) // 2 if form == "round-robin" else len(agents)
        if len(agents) > MOST_ENTRANTS:
            raise Forbidden(f"visitors may enter {MOST_ENTRANTS} agents at most, not {len(agents)}")
        if pairs * arguments["games"] > MOST_GAMES:
            raise Forbidden(
                f"that would be about {pairs * arguments['games']:,} games; visitors may play {MOST_GAMES:,}"
            )
    return game, {"kind": "tournament", "game": game_table(game), "agents": agents, "arguments": arguments}


def _name(given: Any) -> str:
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > LONGEST_NAME or not given.isprintable():
        raise Refusal(f"a name has at most {LONGEST_NAME} characters")
    return given.strip()


class Tournaments:
    """Reads the tournaments of a server; use one from one thread at a time."""

    def __init__(self, arena: "Arena") -> None:
        self.path, self.works = store_path(arena.settings), arena.works
        self._kept: dict[int, tuple[Any, dict[str, Any]]] = {}

    def listed(self, person: Person) -> list[dict[str, Any]]:
        """Return all tournaments, newest first."""
        if not self.path.exists():
            return []
        works = self._works()
        with Store(self.path) as store:
            newest = store.tournaments()[::-1][:MOST_LISTED]
            return [self._about(one, works.get(one.number), person) for one in newest]

    def about(self, number: int, person: Person) -> dict[str, Any]:
        """Return a tournament with its tables."""
        if not self.path.exists():
            raise Missing("this server has no tournaments yet")
        with Store(self.path) as store:
            plan = store.tournament(number)
            found = self._about(plan, self._works().get(number), person)
            mark = found["played"], found["finished"], plan.name
            if self._kept.get(number, (None,))[0] != mark:
                self._kept = {number: (mark, _tables(stored_tournament(plan)))}
            return {**found, **self._kept[number][1]}

    def games(self, number: int, first: int | None = None, second: int | None = None) -> list[dict[str, Any]]:
        """Return the games of a tournament, of two entrants if they are given."""
        with Store(self.path) as store:
            plan = store.tournament(number)
            wanted = {one for one in (first, second) if one is not None}
            found = [one for one in plan.games() if wanted <= set(one.record.seats)]
            return [_game(plan, one) for one in found[:MOST_LISTED]]

    def game(self, number: int, pairing: int, place: int) -> tuple[Tournament, StoredGame]:
        """Return one game of a tournament."""
        with Store(self.path) as store:
            plan = store.tournament(number)
            for one in plan.games():
                if (one.pairing, one.number) == (pairing, place):
                    return plan, one
        raise Missing("this tournament has no such game")

    def fame(self) -> dict[str, Any]:
        """Return the hall of fame, a list for each game and group."""
        if not self.path.exists():
            return {"lists": []}
        with Store(self.path) as store:
            found = store.fame()
        lists = []
        for title, lines in found.lists():
            elo = lines[0].method == "bayeselo"
            lists.append(
                {
                    "title": title,
                    "game": lines[0].game,
                    "heading": game_title(lines[0].game) if lines[0].game in GAMES else lines[0].game,
                    "table": {**lines[0].parameters, "name": lines[0].game},
                    "digits": 0 if elo else 2,
                    "lines": [
                        {
                            "label": line.label,
                            "agent": line.expression,
                            "rating": line.rating,
                            "low": _finite(line.low),
                            "high": _finite(line.high),
                            "games": line.games,
                            "tournaments": list(line.tournaments),
                            "again": [_again(run.description, run.folder) for run in line.runs],
                        }
                        for line in lines[:20]
                    ],
                }
            )
        return {"lists": lists}

    def _works(self) -> dict[int, Work]:
        works: dict[int, Work] = {}
        for work in self.works.all("tournament"):
            number = work.status.get("number")
            if isinstance(number, int):
                works.setdefault(number, work)
        return works

    def _about(self, plan: Tournament, work: Work | None, person: Person) -> dict[str, Any]:
        pairings = plan.pairings()
        played, games = sum(p.played for p in pairings), sum(p.games for p in pairings)
        finished = plan.is_finished
        status = {} if work is None else work.status
        state = FINISHED if finished else BROKEN if work is None else work.state
        may = work is not None and self.works.may_change(person, work)
        return {
            "number": plan.number,
            "name": plan.name,
            "game": plan.game_name,
            "table": plan.table,
            "title": game_title(plan.game_name) if plan.game_name in GAMES else plan.game_name,
            "format": plan.format,
            "agents": list(plan.names),
            "played": played,
            "games": max(games, int(status.get("games", 0))),
            "finished": finished,
            "state": state,
            "error": work.error if work is not None and not finished else "",
            "work": work.id if work is not None else "",
            "may": may,
            "can_resume": may and state not in (RUNNING, SAVING, FINISHED),
            "created": plan.created,
        }


def _tables(result: TournamentResult) -> dict[str, Any]:
    """Return the ranking with ratings, and the cross table in that order."""
    rated = result.rated()
    rows = []
    for i in result.ranking:
        standing = result.standings[i]
        rating = rated[i] if rated else None
        rows.append(
            {
                "entrant": i,
                "name": result.names[i],
                "agent": result.agents[i],
                "rating": _finite(rating[0]) if rating else None,
                "half": _finite(rating[1]) if rating else None,
                "games": standing.games,
                "points": _finite(standing.share),
                "points_half": _finite(standing.point_interval),
                "wins": standing.wins,
                "draws": standing.draws,
                "losses": standing.losses,
                "score": _finite(standing.mean_score),
                "score_half": _finite(standing.score_interval),
                "seconds": _finite(standing.seconds_per_decision),
            }
        )
    order = result.ranking
    return {
        "rows": rows,
        "cross": [[None if i == j else _finite(float(result.cross[i, j])) for j in order] for i in order],
        "unit": "Elo" if result.game.players == 2 else "skill",
        "players": result.game.players,
        "notes": [note.partition("; --")[0] for note in result.notes()],  # options are the command's
    }


def _game(plan: Tournament, stored: StoredGame) -> dict[str, Any]:
    record = stored.record
    return {
        "pairing": stored.pairing,
        "number": stored.number,
        "players": [plan.names[seat] for seat in record.seats],
        "scores": list(record.scores),
        "actions": len(record.actions),
        "error": record.error,
    }


def _again(description: dict[str, Any], folder: str) -> str:
    """Return the command that trains a run again."""
    try:
        return train_command(description, folder)
    except (BoardLabError, KeyError, TypeError):
        return ""


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
