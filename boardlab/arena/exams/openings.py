"""The exam `openings`: does an agent keep the exact result of random openings?

Self-play soon repeats its favourite lines, and exams from the start position follow them. Random openings
show what an agent knows off those lines.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from boardlab.arena.exams.exam import SHARE, Exam, ExamResult, Paper
from boardlab.arena.exams.opponents import IF_SMALL, SMALL, is_small
from boardlab.arena.exams.optimal import is_best
from boardlab.errors import BoardLabError
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import CHANCE, Game, State
from boardlab.search.expression import agent as make_agent
from boardlab.search.side_by_side import act_all

FEWEST, MOST = 2, 10
"""Fewest and most random actions before the position."""
GROUPS = ((2, 4), (5, 7), (8, 10))
"""Ranges of random actions that the result reports separately."""
OWN_CELLS = 25
"""Largest Connect Four besides 6x7: our own solver needs about 20 ms per opening on 5x5."""

Values = Callable[[State], Mapping[int, float]]
"""Returns the exact value of every legal action, for the player to move."""


@dataclass(frozen=True)
class Opening:
    """A position after random actions in which the choice of action matters."""

    state: State
    actions: int
    """Number of random actions before it."""
    values: Mapping[int, float]


def exact_values(game: Game) -> Values:
    """Return the game's exact solver; raise an error if its package is missing."""
    expression = "abdl" if _is_solved_connectfour(game) else f"solved(max_states={SMALL})"
    solver = make_agent(expression, game)
    return lambda state: solver.act(state).values


def random_openings(game: Game, count: int, seed: int) -> list[Opening]:
    """Draw at most `count` different openings; fewer if the game has few."""
    values_of, rng = exact_values(game), random.Random(f"openings {seed}")
    found: list[Opening] = []
    seen: set[bytes] = set()
    for _ in range(200 + 20 * count):
        if len(found) == count:
            break
        actions = rng.randint(FEWEST, MOST)
        state = _after_random_actions(game, actions, rng)
        if state is None or state.core.to_bytes() in seen:
            continue
        seen.add(state.core.to_bytes())
        values = values_of(state)
        if max(values.values()) - min(values.values()) > 1e-9:
            found.append(Opening(state, actions, values))
    return found


def _after_random_actions(game: Game, actions: int, rng: random.Random) -> State | None:
    """Draw a position with a player to move; None if the game ended before."""
    state = game.initial_state(rng.randrange(2**63))
    while actions > 0 or state.player == CHANCE:
        if state.is_terminal:
            return None
        if state.player == CHANCE:
            state.apply(state.sample_chance(rng.randrange(2**63)))
        else:
            state.apply(rng.choice(state.legal_actions()))
            actions -= 1
    return None if state.is_terminal else state


def take_openings(paper: Paper) -> ExamResult:
    """Take the exam."""
    asked = random_openings(paper.game, paper.games, paper.seed)
    if not asked:
        raise BoardLabError(
            f"{paper.game!r} has no opening of {FEWEST} to {MOST} actions in which the choice matters"
        )
    chosen = act_all(paper.agent, paper.game, [o.state for o in asked], paper.seed, paper.progress)
    right = [is_best(opening.values, action) for opening, action in zip(asked, chosen, strict=True)]
    details = {}
    for low, high in GROUPS:
        answers = [answer for answer, o in zip(right, asked, strict=True) if low <= o.actions <= high]
        if answers:
            details[f"errors after {low}-{high} actions"] = 1 - sum(answers) / len(answers)
    return paper.share(right, details, "positions", [opening.state for opening in asked])


def _is_solved_connectfour(game: Game) -> bool:
    rules = game.rules
    return isinstance(rules, ConnectFour) and (rules == ConnectFour() or rules.rows * rules.cols <= OWN_CELLS)


OPENINGS = (
    Exam(
        "openings",
        f"share of actions that keep the exact result, in positions after {FEWEST} to {MOST} random actions "
        "where the choice matters",
        lambda game: _is_solved_connectfour(game) or is_small(game),
        take_openings,
        "1",
        values=SHARE,
        needs=f"connectfour on 6x7 or at most {OWN_CELLS} cells, and games of several players without hidden "
        f"parts, {IF_SMALL}",
    ),
)
