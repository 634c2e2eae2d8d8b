"""The hall of fame: the agents of rated tournaments, on one scale for each game.

Elo of two tournaments do not compare: each has its own zero. So all games of the rated tournaments of a
two-player game are rated together. Other games have scores, which compare as they are, or skills.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.arena.ratings import Result, bayes_elo

Read = Callable[[str, Sequence[Any]], list[Any]]
"""Asks the store's file."""


@dataclass(frozen=True)
class StoredRun:
    """A training run behind an agent: what it cost and all that is needed to do it again."""

    folder: str
    learner: str
    preset: str
    version: str
    episodes: int | None
    actions: int | None
    seconds: float | None
    """Of learning, exams not counted."""
    cpu_seconds: float | None
    """The same in processor time, of all threads; unknown for runs of earlier versions."""
    seed: int
    description: dict[str, Any]
    """What agent.toml says."""


@dataclass(frozen=True)
class Fame:
    """A line of the hall of fame."""

    game: str
    parameters: dict[str, Any]
    """Of the game."""
    expression: str
    fingerprint: str
    """Of what it had learned; empty where it learned nothing."""
    rating: float
    low: float
    high: float
    """The 95% interval."""
    games: int
    """Behind the rating."""
    method: str
    """bayeselo: Elo over all rated tournaments; openskill: skill, and score: mean score in the last one."""
    tournaments: tuple[int, ...]
    """In which it was rated."""
    group: int
    """Only ratings of one group compare: its agents met, directly or through others."""
    runs: tuple[StoredRun, ...]
    """What was trained for it."""


def hall_of_fame(read: Read, game: str | None, parameters: str | None) -> list[Fame]:
    """All lines, game by game, group by group, the strongest first."""
    lines: list[Fame] = []
    boards = read(
        "SELECT DISTINCT game, parameters FROM ratings JOIN tournaments ON id = tournament "
        "WHERE (? IS NULL OR game = ?) AND (? IS NULL OR parameters = ?) ORDER BY game, parameters",
        (game, game, parameters, parameters),
    )
    for board in boards:
        rated = _rated_together(read, board) + _last_ratings(read, board)
        for agent, method, rating, low, high, games, group in rated:
            expression, mark = read("SELECT expression, fingerprint FROM agents WHERE id = ?", (agent,))[0]
            where = read("SELECT DISTINCT tournament FROM ratings WHERE agent = ? ORDER BY 1", (agent,))
            facts = (expression, mark, rating, low, high, games, method)
            tournaments = tuple(number for (number,) in where)
            lines.append(Fame(board[0], json.loads(board[1]), *facts, tournaments, group, _runs(read, agent)))
    return lines


Line = tuple[int, str, float, float, float, int, int]
"""Agent, method, rating, low, high, games, group."""


def _rated_together(read: Read, board: Sequence[str]) -> list[Line]:
    """Bayesian Elo of all games of the tournaments that were rated by it."""
    seats = read(
        "SELECT s.played, s.agent, s.score FROM games g JOIN seats s ON s.played = g.id WHERE g.game = ? "
        "AND g.parameters = ? AND g.tournament IN (SELECT tournament FROM ratings WHERE method = 'bayeselo') "
        "ORDER BY s.played, s.seat",
        board,
    )
    played: dict[int, list[tuple[int, float]]] = {}
    for number, agent, score in seats:
        played.setdefault(number, []).append((agent, score))
    results = [
        Result(tuple(str(agent) for agent, _ in game), tuple(score for _, score in game))
        for game in played.values()
        if len(game) == 2
    ]
    if not results:
        return []
    rated = bayes_elo(results)
    group = {name: i for i, names in enumerate(rated.groups) for name in names}
    lines: list[Line] = [
        (int(r.name), "bayeselo", r.elo, r.elo - r.minus, r.elo + r.plus, r.games, group.get(r.name, 0))
        for r in rated.ratings
    ]
    return sorted(lines, key=lambda line: (line[-1], -line[2]))


def _last_ratings(read: Read, board: Sequence[str]) -> list[Line]:
    """What other systems said in the last tournament of each agent."""
    found = read(
        "SELECT r.agent, r.method, r.rating, r.low, r.high, r.games, 0 FROM ratings r "
        "JOIN agents a ON a.id = r.agent WHERE a.game = ? AND a.parameters = ? AND r.method <> 'bayeselo' "
        "AND r.tournament = (SELECT max(l.tournament) FROM ratings l WHERE l.agent = r.agent "
        "AND l.method = r.method) ORDER BY r.method, r.rating DESC",
        board,
    )
    return [(*row,) for row in found]


def _runs(read: Read, agent: int) -> tuple[StoredRun, ...]:
    columns = "folder, learner, preset, version, episodes, actions, seconds, cpu_seconds, seed, description"
    found = read(
        f"SELECT {columns} FROM runs JOIN agent_runs ON run = id WHERE agent = ? ORDER BY id", (agent,)
    )
    return tuple(
        StoredRun(**{**row, "seed": int(row["seed"]), "description": json.loads(row["description"])})
        for row in (dict(zip(columns.split(", "), values, strict=True)) for values in found)
    )
