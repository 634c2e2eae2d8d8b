"""The hall of fame: the agents of rated tournaments, on one scale per game.

Ratings of two tournaments cannot be compared, since each has its own zero. So all games of a game's rated
tournaments are rated together: Elo for two players, skill for more, the mean score for one.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from boardlab.arena.intervals import NORMAL_95, interval
from boardlab.arena.ratings import Result, bayes_elo, openskill
from boardlab.arena.ratings.results import groups_of, names_of
from boardlab.arena.store.file import typed, understanding
from boardlab.errors import BoardLabError
from boardlab.games.registry import GAMES, game_from_table
from boardlab.html import Html
from boardlab.numbers import counted, plain
from boardlab.options import option_text, options_of
from boardlab.reports import Report

if TYPE_CHECKING:
    from boardlab.arena.store.store import Store


@dataclass(frozen=True)
class StoredRun:
    """A training run behind an agent: its cost, and everything needed to repeat it."""

    folder: str
    learner: str
    preset: str
    version: str
    episodes: int | None
    actions: int | None
    seconds: float | None
    """Seconds of learning, without exams."""
    cpu_seconds: float | None
    """The same in processor time of all threads; unknown for runs of earlier versions."""
    seed: int
    description: dict[str, Any] = field(repr=False)
    """The contents of agent.toml."""


@dataclass(frozen=True)
class Fame:
    """A line of the hall of fame."""

    game: str
    parameters: dict[str, Any]
    """Parameters of the game."""
    expression: str
    fingerprint: str
    """Fingerprint of the learned weights; empty if nothing was learned."""
    rating: float
    low: float
    high: float
    """The 95% interval."""
    games: int
    """Games behind the rating."""
    method: str
    """bayeselo (Elo), openskill (skill) or score (mean score) over the games of all rated tournaments; a
    user's own method gives its rating in the agent's last tournament."""
    tournaments: tuple[int, ...]
    """Tournaments behind the rating."""
    group: int
    """Only ratings of one group can be compared: its agents are connected by games."""
    runs: tuple[StoredRun, ...]
    """Training runs of the agent."""
    name: str = ""
    """The name that a player with this agent was given last; else empty."""

    @property
    def label(self) -> str:
        """What the list shows: the name, or the expression."""
        return self.name or self.expression


class HallOfFame(Report, list[Fame]):
    """All lines; prints as `boardlab fame` without the training commands."""

    def __init__(self, lines: Iterable[Fame], tournaments: Mapping[int, str]) -> None:
        super().__init__(lines)
        self.tournaments = tournaments
        """Names of the tournaments by number."""

    def _headline(self) -> str:
        games = ", ".join(dict.fromkeys(map(_title, self)))
        return f"of {counted(len(self), 'agents')}: {games}" if self else "of no agents"

    def __str__(self) -> str:
        return "\n".join(text for text, _ in self.styled())

    def styled(
        self, top: int | None = None, again: Callable[[StoredRun], str] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Yield lines of text, each with its terminal style.

        At most `top` agents per list.

        `again` returns the command that trains a run again.
        """
        for number, (title, found) in enumerate(self.lists()):
            if number:
                yield "", "none"
            yield title, "bold"
            for rank, line in enumerate(found[:top], 1):
                yield from self._agent(rank, line, again)

    def lists(self) -> Iterator[tuple[str, list[Fame]]]:
        """Yield the lists whose ratings can be compared, each with its title."""
        lists = groupby(self, key=lambda line: (_title(line), line.method, line.group))
        for (title, method, group), found in lists:
            apart = ", agents that never met those above" if group else ""
            yield f"{title}: {MEANING.get(method, method)} with its 95% interval{apart}", list(found)

    def _page(self) -> Html:
        from boardlab.arena.pages import fame_page  # pages import results

        return fame_page(self)

    def _agent(
        self, rank: int, line: Fame, again: Callable[[StoredRun], str] | None
    ) -> Iterator[tuple[str, str]]:
        number = "{:+z.0f}".format if line.method == "bayeselo" else plain
        last = ", ".join(self.tournaments[tournament] for tournament in line.tournaments[-5:])
        where = f"tournament{'s' * (len(line.tournaments) > 1)} {last}"
        is_known = not math.isnan(line.low)  # a single game has no interval
        interval = f"({number(line.low)} to {number(line.high)})  " if is_known else ""
        yield f"{rank:>3}  {number(line.rating):>5} {interval}{line.label}", "none"
        details = [f"is {line.expression}"] if line.name else []
        details += [f"{counted(line.games, 'games')}, {where}"]
        for run in line.runs:
            details += [f"trained: {_cost(run)}", *([f"again: {again(run)}"] if again else [])]
        for words in details:
            yield f"     {words}", "dim"


MEANING = {"bayeselo": "Elo", "openskill": "skill", "score": "mean score"}


def _title(line: Fame) -> str:
    """Format the game with its non-default parameters."""
    if line.game not in GAMES:
        mark = line.parameters.get("fingerprint")  # a library's rules change with its file
        return f"{line.game} (fingerprint={mark[:8]})" if isinstance(mark, str) else line.game
    usual = {option.name: option.default for option in options_of(GAMES[line.game])}
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in line.parameters.items()}
    special = [f"{key}={option_text(value)}" for key, value in given.items() if usual.get(key) != value]
    return f"{line.game} ({', '.join(special)})" if special else line.game


def _cost(run: StoredRun) -> str:
    parts = [f"{run.learner}, preset {run.preset}" if run.preset else run.learner]
    if run.episodes is not None:
        parts.append(counted(run.episodes, "episodes"))
    if run.cpu_seconds is not None:
        parts.append(f"{_duration(run.cpu_seconds)} of processor time")
    elif run.seconds is not None:
        parts.append(_duration(run.seconds))
    parts.append(f"BoardLab {run.version}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Format a duration with about two digits: 4.2 s, 13 min, 2.1 h."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{plain(seconds / size, 2)} {unit}"
    return f"{plain(seconds, 2)} s"


def hall_of_fame(store: "Store", game: str | None, *parameters: str) -> HallOfFame:
    """Return all lines by game and group, strongest first.

    `parameters` selects variants.
    """
    lines: list[Fame] = []
    boards = store._read(
        "SELECT DISTINCT game, parameters FROM ratings JOIN tournaments ON id = tournament "
        "WHERE ? IS NULL OR game = ? ORDER BY game, parameters",
        (game, game),
    )
    for board in (board for board in boards if not parameters or board[1] in parameters):
        with understanding(store.path, "the game of a rated tournament"):
            of_game = dict(json.loads(typed(str, board[1])))
        together = [line for method in METHODS for line in _rated_together(store, board, method)]
        known = {line[:2] for line in together}
        alone = [line for line in _last_ratings(store, board) if line[:2] not in known]
        for agent, method, rating, low, high, games, group in together + alone:
            found = store._read("SELECT expression, fingerprint, name FROM agents WHERE id = ?", (agent,))
            with understanding(store.path, f"agent {agent}"):
                if not found:
                    raise ValueError("it is missing")
                expression, mark, name = (typed(str, value) for value in found[0])
            where = store._read(
                "SELECT DISTINCT tournament FROM ratings WHERE agent = ? AND method = ? "
                f"AND tournament IN ({LAST}) ORDER BY 1",
                (agent, method, method),
            )
            facts = (expression, mark, rating, low, high, games, method)
            tournaments = tuple(number for (number,) in where)
            if (agent, method) not in known:
                tournaments = tournaments[-1:]
            lines.append(Fame(board[0], of_game, *facts, tournaments, group, _runs(store, agent), name))
    named = {t.number: f'{t.number} "{t.name}"' if t.name else str(t.number) for t in store.tournaments(game)}
    return HallOfFame(lines, named)


LAST = (
    "SELECT max(t.id) FROM tournaments t WHERE EXISTS (SELECT 1 FROM ratings r WHERE r.tournament = t.id "
    "AND r.method = ?) GROUP BY t.plan"
)
"""Of tournaments that were repeated only the last one: their games may be the same."""

Line = tuple[int, str, float, float, float, int, int]
"""Agent, method, rating, low, high, games, group."""


def _rated_together(store: "Store", board: Sequence[str], method: str) -> list[Line]:
    """Rate all games of the tournaments that were rated by the method."""
    seats = store._read(
        "SELECT s.played, s.agent, s.score FROM games g JOIN seats s ON s.played = g.id WHERE g.game = ? "
        f"AND g.parameters = ? AND g.tournament IN ({LAST}) ORDER BY s.played, s.seat",
        (*board, method),
    )
    if not seats:
        return []
    with understanding(store.path, f"a game of {board[0]}"):
        played: dict[int, list[tuple[int, float]]] = {}
        for number, agent, score in seats:
            played.setdefault(number, []).append((typed(int, agent), typed(float, score)))
        results = [
            Result(tuple(str(agent) for agent, _ in game), tuple(score for _, score in game))
            for game in played.values()
        ]
        # Scores need no common opponents to compare.
        groups = [names_of(results)] if method == "score" else groups_of(results)
        group = {name: i for i, names in enumerate(groups) for name in names}
        lines: list[Line] = [
            (int(name), method, rating, low, high, games, group[name])
            for name, rating, low, high, games in METHODS[method](results, board)
        ]
    return sorted(lines, key=lambda line: (line[-1], -line[2]))


Rated = list[tuple[str, float, float, float, int]]
"""Name, rating, low, high, games."""


def _elo(results: Sequence[Result], board: Sequence[str]) -> Rated:
    pairs = [result for result in results if len(result.players) == 2]
    rated = bayes_elo(pairs).ratings if pairs else ()
    return [(r.name, r.elo, r.elo - r.minus, r.elo + r.plus, r.games) for r in rated]


def _skill(results: Sequence[Result], board: Sequence[str]) -> Rated:
    return [
        (name, s.mean, s.mean - NORMAL_95 * s.deviation, s.mean + NORMAL_95 * s.deviation, s.games)
        for name, s in openskill(results).items()
    ]


def _mean_score(results: Sequence[Result], board: Sequence[str]) -> Rated:
    scores: dict[str, list[float]] = {}
    for result in results:
        for name, score in zip(result.players, result.scores, strict=True):
            scores.setdefault(name, []).append(score)
    rated = []
    for name, values in scores.items():
        mean, half = sum(values) / len(values), interval(values, _score_range(board, values))
        rated.append((name, mean, mean - half, mean + half, len(values)))
    return rated


def _score_range(board: Sequence[str], scores: Sequence[float]) -> tuple[float, float]:
    """Return the game's score range, or the scores seen if its library is not loaded."""
    try:
        return game_from_table({**json.loads(board[1]), "name": board[0]}).score_range
    except BoardLabError:
        return min(scores), max(scores)


METHODS: dict[str, Callable[[Sequence[Result], Sequence[str]], Rated]] = {
    "bayeselo": _elo,
    "openskill": _skill,
    "score": _mean_score,
}
"""Rating methods of tournaments: for two players, for more, and for one."""


def _last_ratings(store: "Store", board: Sequence[str]) -> list[Line]:
    """Return ratings by users' methods, from each agent's last tournament."""
    found = store._read(
        "SELECT r.agent, r.method, r.rating, r.low, r.high, r.games FROM ratings r "
        "JOIN agents a ON a.id = r.agent WHERE a.game = ? AND a.parameters = ? AND r.method <> 'bayeselo' "
        "AND r.tournament = (SELECT max(l.tournament) FROM ratings l WHERE l.agent = r.agent "
        "AND l.method = r.method) ORDER BY r.method, r.rating DESC",
        board,
    )
    with understanding(store.path, f"a rating of {board[0]}"):
        return [
            (
                agent,
                typed(str, method),
                typed(float, rating),
                typed(float, low),
                typed(float, high),
                typed(int, games),
                0,
            )
            for agent, method, rating, low, high, games in found
        ]


RUN_COLUMNS: dict[str, type] = {
    "folder": str,
    "learner": str,
    "preset": str,
    "version": str,
    "episodes": int,
    "actions": int,
    "seconds": float,
    "cpu_seconds": float,
    "seed": str,
    "description": str,
}


def _runs(store: "Store", agent: int) -> tuple[StoredRun, ...]:
    found = store._read(
        f"SELECT {', '.join(RUN_COLUMNS)} FROM runs JOIN agent_runs ON run = id WHERE agent = ? ORDER BY id",
        (agent,),
    )
    runs = []
    with understanding(store.path, f"a run of agent {agent}"):
        for values in found:
            row: dict[str, Any] = {
                name: None if value is None else typed(kind, value)
                for (name, kind), value in zip(RUN_COLUMNS.items(), values, strict=True)
            }
            row |= {"seed": int(row["seed"]), "description": dict(json.loads(row["description"]))}
            runs.append(StoredRun(**row))
    return tuple(runs)
