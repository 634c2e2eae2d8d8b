"""Exams that ask about positions: how often the agent's action is one of the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from boardlab.arena.exams.exam import Exam, ExamResult, Paper
from boardlab.arena.exams.opponents import SMALL, is_small
from boardlab.arena.exams.starts import met_at_random
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game, State
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent

STAGES_FILE = "connectfour_stages.txt"


def ask(agent: Agent, state: State, number: int) -> int:
    """The agent's action in a position that has nothing to do with the one before."""
    agent.reset(number)
    return agent.act(state).action


def is_best(values: Mapping[int, float], action: int) -> bool:
    """Whether no action is worth more; rounding does not count."""
    best = max(values.values())
    return values[action] >= best - 1e-9 * max(1.0, abs(best))


def _optimal(paper: Paper) -> ExamResult:
    """Positions in which it matters what is played: some actions are worth less than others."""
    solved = make_agent(f"solved(max_states={SMALL})", paper.game)
    agent = paper.make_agent()
    right = []
    states = met_at_random(paper.game, 3 * paper.games, paper.seed)
    for number, state in enumerate(states):
        values = solved.act(state).values
        if max(values.values()) - min(values.values()) > 1e-9:
            right.append(is_best(values, ask(agent, state, number)))
        if paper.progress:
            paper.progress(len(right))
        if len(right) == paper.games:
            break
    return paper.share(right or [True], {}, "positions")


@dataclass(frozen=True)
class StagePosition:
    """A Connect Four position of known value."""

    stage: str
    state: State
    values: dict[int, float]
    """Of each legal column, for the side to move: 1, 0, -1."""


def stage_positions(game: Game) -> list[StagePosition]:
    """The positions of the exam `stages`; how they were made is said at the head of the file."""
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
    agent = paper.make_agent()
    positions = stage_positions(paper.game)
    names = list(dict.fromkeys(position.stage for position in positions))
    each = max(1, paper.games // len(names))
    right: list[bool] = []
    details = {}
    for name in names:
        answers = [
            is_best(position.values, ask(agent, position.state, paper.seed + number))
            for number, position in enumerate([p for p in positions if p.stage == name][:each])
        ]
        right += answers
        details[f"{name} errors"] = 1 - sum(answers) / len(answers)
        if paper.progress:
            paper.progress(len(right))
    return paper.share(right, details, "positions")


OPTIMAL = (
    Exam(
        "optimal",
        "share of best actions in positions of random games where it matters what is played",
        is_small,
        _optimal,
        "1",
    ),
    Exam(
        "stages",
        "share of actions that keep the exact result, in stored Connect Four positions by stage and distance "
        "of the end (as AlphaZero.jl's error rates)",
        lambda game: game.rules == ConnectFour(),
        _stages,
        "1",
    ),
)
