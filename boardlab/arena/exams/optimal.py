"""Exams on single positions: how often the agent's action is one of the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from boardlab.arena.exams.exam import SHARE, Exam, ExamResult, Paper
from boardlab.arena.exams.opponents import IF_SMALL, SMALL, is_small
from boardlab.arena.exams.starts import met_at_random
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State
from boardlab.search.expression import agent as make_agent
from boardlab.search.side_by_side import act_all

STAGES_FILE = "connectfour_stages.txt"


def is_best(values: Mapping[int, float], action: int) -> bool:
    """Return whether no action is worth more, up to rounding."""
    best = max(values.values())
    return values[action] >= best - 1e-9 * max(1.0, abs(best))


def _optimal(paper: Paper) -> ExamResult:
    """Ask about positions in which some actions are worth less than others."""
    solved = make_agent(f"solved(max_states={SMALL})", paper.game)
    states, known = [], []
    for state in met_at_random(paper.game, 3 * paper.games, paper.seed):
        values = solved.act(state).values
        if max(values.values()) - min(values.values()) > 1e-9:
            states.append(state)
            known.append(values)
        if len(states) == paper.games:
            break
    actions = act_all(paper.agent, paper.game, states, paper.seed, paper.progress)
    right = [is_best(values, action) for values, action in zip(known, actions, strict=True)]
    return paper.share(right or [True], {}, "positions", states or [None])


@dataclass(frozen=True)
class StagePosition:
    """A Connect Four position of known value."""

    stage: str
    state: State
    values: dict[int, float]
    """Value of each legal column for the side to move: 1, 0, -1."""


def stage_positions(game: Game) -> list[StagePosition]:
    """Read the positions of the exam `stages`.

    The head of the file describes how they were made.
    """
    text = resources.files("boardlab.arena.exams").joinpath(STAGES_FILE).read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        stage, columns, signs = line.split()
        state = game.initial_state()
        for column in columns.strip("-"):
            state.apply(int(column) - 1)
        values = {c: float("-=+".index(sign) - 1) for c, sign in enumerate(signs) if sign != "."}
        found.append(StagePosition(stage, state, values))
    return found


def _stages(paper: Paper) -> ExamResult:
    stages: dict[str, list[StagePosition]] = {}
    for position in stage_positions(paper.game):
        stages.setdefault(position.stage, []).append(position)
    each = max(1, paper.games // len(stages))
    asked = [position for found in stages.values() for position in found[:each]]
    actions = act_all(paper.agent, paper.game, [p.state for p in asked], paper.seed, paper.progress)
    right = [is_best(position.values, action) for position, action in zip(asked, actions, strict=True)]
    details = {}
    for name in stages:
        answers = [answer for answer, position in zip(right, asked, strict=True) if position.stage == name]
        details[f"{name} errors"] = 1 - sum(answers) / len(answers)
    return paper.share(right, details, "positions", [position.state for position in asked])


OPTIMAL = (
    Exam(
        "optimal",
        "share of best actions in positions of random games where the choice matters",
        is_small,
        _optimal,
        "1",
        values=SHARE,
        needs=f"games of several players without hidden parts, {IF_SMALL}",
    ),
    Exam(
        "stages",
        "share of actions that keep the exact result, in stored Connect Four positions by stage and distance "
        "from the end (like AlphaZero.jl's error rates)",
        lambda game: game.rules == ConnectFour(),
        _stages,
        "1",
        values=SHARE,
    ),
)
