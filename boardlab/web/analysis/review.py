"""The value curve of a game: what an agent expects at every decision, and where most was lost."""

import math
from dataclasses import dataclass
from typing import Any

from boardlab.games.game import Game, State
from boardlab.search.agent import Decision

MOST_MOMENTS = 6
LEAST_LOSS = 0.05
"""A moment's least loss, as a share of the range of scores."""


@dataclass(frozen=True)
class Point:
    """What the agent thinks of one decision of the game."""

    ply: int
    player: int
    played: str
    best: str
    is_best: bool
    """The agent would have played the same."""
    value: float | None
    """Of its own choice, for the player to move."""
    played_value: float | None
    scores: list[float | None]
    """Expected outcome of every player."""

    def as_json(self) -> dict[str, Any]:
        """Return what the page and the database get."""
        return dict(vars(self))


def point_of(ply: int, state: State, action: int, decision: Decision) -> Point:
    """Return the point of a decision where `action` was played."""
    value = decision.values.get(decision.action)
    return Point(
        ply,
        state.player,
        state.action_text(action),
        state.action_text(decision.action),
        decision.action == action,
        number(value),
        number(decision.values.get(action)),
        scores_of(state, decision),
    )


def scores_of(state: State, decision: Decision) -> list[float | None]:
    """Return the expected outcome of every player, where the agent says or implies it."""
    game = state.game
    scores = [number(score) for score in decision.scores]
    if len(scores) == game.players and None not in scores:
        return scores
    value = number(decision.values.get(decision.action))
    found: list[float | None] = [None] * game.players
    found[state.player] = value
    if game.players == 2 and game.is_zero_sum and value is not None:
        found[1 - state.player] = sum(game.score_range) - value
    return found


def moments(game: Game, points: list[dict[str, Any]], end: list[float] | None) -> list[dict[str, Any]]:
    """Return the decisions that lost most, the worst first: ply, loss, and what was better.

    The loss is what the player could expect before, less what there was to expect at the next decision, if
    nothing but this action lies between; otherwise less what the agent thinks of the action itself.
    """
    known = [score for point in points for score in point["scores"] if score is not None]
    if not known:
        return []
    low, high = game.score_range
    width = high - low if high - low <= 2 else max(known) - min(known)
    following = {point["ply"]: point["scores"] for point in points}
    if end is not None and points:
        following.setdefault(points[-1]["ply"] + 1, end)
    found = []
    for point in points:
        loss = _loss(point, following.get(point["ply"] + 1))
        if loss is not None and loss > LEAST_LOSS * width and loss > 0:
            found.append({**point, "loss": loss})
    return sorted(found, key=lambda moment: -moment["loss"])[:MOST_MOMENTS]


def _loss(point: dict[str, Any], after: list[float | None] | None) -> float | None:
    if point["is_best"]:
        return None
    before, later = point["scores"][point["player"]], after[point["player"]] if after else None
    if later is None:
        before, later = point["value"], point["played_value"]
    return None if before is None or later is None else before - later


def number(value: Any) -> float | None:
    """Return a finite number that JSON can carry; None for others."""
    return float(f"{value:.5g}") if value is not None and math.isfinite(value) else None
