"""Measures: what is done with trained agents to get the numbers of a cell.

A measure is a plain value, and `take(seed)` returns its numbers by name. Its texts may mention the runs of
trainings as {NAME}; the runner puts their folders there. The kind of job "measure" takes one.
"""

import dataclasses
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from boardlab.arena.exams import EXAMS, Paper, solved_by_twists
from boardlab.arena.match import match as play_match
from boardlab.arena.match_result import MatchResult
from boardlab.errors import BoardLabError
from boardlab.experiments.experiment import RUN, Board, Cell
from boardlab.jobs import Context, Job, kind
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import escaped

Numbers = dict[str, float]


@dataclass(frozen=True)
class Measure:
    """The base of all measures."""

    name: ClassVar[str]
    values: ClassVar[tuple[str, ...]]
    """The names of the numbers that `take` returns."""

    def take(self, seed: int) -> Numbers:
        """Measure."""
        raise NotImplementedError

    def __str__(self) -> str:
        fields = ((f.name, getattr(self, f.name), f.default) for f in dataclasses.fields(self))
        words = (f"{name}={_word(value)}" for name, value, default in fields if value != default)
        return f"{self.name}({', '.join(words)})"


def _word(value: Any) -> str:
    return str(value) if isinstance(value, Board) else repr(value)


@dataclass(frozen=True)
class Match(Measure):
    """Games of two agents. Numbers are those of the first."""

    board: Board
    agents: Sequence[str]
    games: int
    moves_first: bool = False
    """Whether the first agent begins in every game."""
    random_actions: int = 0

    name = "match"
    values = ("wins", "draws", "losses", "games", "distinct")

    def take(self, seed: int) -> Numbers:
        """Play the match."""
        result = played(self, seed, [[0, 1]] if self.moves_first else None)
        return {
            "wins": result.wins[0],
            "draws": result.draws,
            "losses": result.wins[1],
            "games": result.games,
            "distinct": result.distinct,
        }


def played(match: Match, seed: int, seatings: Sequence[Sequence[int]] | None = None) -> MatchResult:
    """The result of a match; an agent that fails ends the experiment."""
    result = play_match(
        match.board.game,
        list(match.agents),
        match.games,
        seed,
        random_actions=match.random_actions,
        seatings=seatings,
    )
    problem = next((record.error for record in result.records if record.failed), "")
    if problem:
        raise BoardLabError(f"an agent failed: {problem}")
    return result


@dataclass(frozen=True)
class Exam(Measure):
    """An exam of an agent."""

    board: Board
    agent: str
    exam: str
    games: int

    name = "exam"
    values = ("value", "games")

    def take(self, seed: int) -> Numbers:
        """Take the exam."""
        result = EXAMS[self.exam].take(Paper(self.exam, self.agent, self.board.game, self.games, seed))
        if result.problem:
            raise BoardLabError(f"an agent failed: {result.problem}")
        return {"value": result.value, "games": result.games}


@dataclass(frozen=True)
class Cubes(Measure):
    """The cubes that an agent solves within a number of steps."""

    board: Board
    agent: str
    twists: Sequence[int]
    cubes: int
    """Cubes for each number of scramble twists."""
    steps: int = 20

    name = "cubes"
    values = ("solved", "cubes")

    def take(self, seed: int) -> Numbers:
        """Scramble and solve."""
        paper = Paper("solved", self.agent, self.board.game, self.cubes, seed)
        result = solved_by_twists(paper, self.twists, self.steps)
        return {"solved": round(result.value * result.games), "cubes": result.games}


@dataclass(frozen=True)
class Weights(Measure):
    """The size of an n-tuple network, and how much of it learning has changed."""

    run: str

    name = "weights"
    values = ("tuples", "length", "weights", "active")

    def take(self, seed: int) -> Numbers:
        """Count the weights as the paper does: all joint values of cells, possible or not."""
        from boardlab.learners.ntuple.inspection import Inspection

        network = Inspection(self.run)
        found = network.weights()
        sets = network.network.entries // network.network.set_size
        return {
            "tuples": sets * len(network.layout),
            "length": max(len(cells) for cells in network.layout),
            "weights": found.uncompressed,
            "active": found.active_share_uncompressed,
        }


@dataclass(frozen=True)
class MoveTime(Measure):
    """The CPU time of an agent's decisions, in milliseconds, in games against itself."""

    board: Board
    agent: str
    games: int
    limit: int = 0
    """Most decisions of a game; 0: until it ends."""

    name = "move time"
    values = ("milliseconds", "deviation", "decisions")

    def take(self, seed: int) -> Numbers:
        """Play and time every decision."""
        game = self.board.game
        agent = make_agent(self.agent, game, seed)
        spent = []
        for number in range(self.games):
            agent.reset(seed * 1_000_003 + number)
            state = game.initial_state(seed * 1_000_003 + number)
            for _ in range(self.limit or game.horizon):
                if state.is_terminal:
                    break
                begin = time.thread_time()
                action = agent.act(state).action
                spent.append(1000 * (time.thread_time() - begin))
                state.apply(action)
        return {
            "milliseconds": statistics.mean(spent),
            "deviation": statistics.pstdev(spent),
            "decisions": len(spent),
        }


@dataclass(frozen=True)
class EpisodeTime(Measure):
    """The CPU time of an episode of TD training with the paper's settings."""

    board: Board
    settings: Mapping[str, Any]
    """What differs from the preset."""
    episodes: int
    before: int = 1_000
    """Episodes without search before the clock starts."""

    name = "episode time"
    values = ("seconds", "actions")

    def take(self, seed: int) -> Numbers:
        """Train a little, then time the episodes."""
        from boardlab.learners import LEARNERS, preset

        game = self.board.game
        chosen = preset(game, "paper", "td-ntuple")
        chosen.pop("episodes")
        kind = LEARNERS["td-ntuple"]
        total = self.before + self.episodes
        plain = kind.checked(chosen)
        description = plain.describe(game, seed)
        learner = plain.build(game, description, total, seed)
        learner.train(self.before)
        if self.settings:
            timed = kind.checked({**chosen, **self.settings}).build(game, description, total, seed)
            for name, weights in learner.weights.items():
                timed.weights[name][...] = weights
            learner = timed
        begin, actions = time.process_time(), learner.actions_done
        learner.train(self.episodes)
        spent = time.process_time() - begin
        return {"seconds": spent / self.episodes, "actions": (learner.actions_done - actions) / self.episodes}


MEASURES: dict[str, type[Measure]] = {
    measure.name: measure for measure in (Match, Exam, Cubes, Weights, MoveTime, EpisodeTime)
}


def measure_job(cell: Cell, seed: int, runs: Mapping[str, Path]) -> Job:
    """The job of a cell, with the folders of the runs in place of their names."""
    arguments = _filled(dataclasses.asdict(cell.measure), runs)
    return Job("measure", {"measure": cell.measure.name, "arguments": arguments}, seed, name=cell.name)


def _filled(value: Any, runs: Mapping[str, Path]) -> Any:
    if isinstance(value, str):
        whole = RUN.fullmatch(value)
        path = {name: run.as_posix() for name, run in runs.items()}
        if whole:
            return _folder(path[whole[1]], whole[2])
        return RUN.sub(lambda found: escaped(_folder(path[found[1]], found[2])), value)
    if isinstance(value, Mapping):
        return {name: _filled(item, runs) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(item, runs) for item in value]
    return value


def _folder(run: str, episodes: str | None) -> str:
    return f"{run}/snapshots/{episodes}" if episodes else run


@kind("measure")
def take_measure(job: Job, context: Context) -> dict[str, Any]:
    """Take the measure that the settings describe; returns its numbers and its CPU seconds."""
    begin = time.process_time()
    arguments = dict(job.settings["arguments"])
    if "board" in arguments:
        arguments["board"] = Board(**arguments["board"])
    numbers = MEASURES[job.settings["measure"]](**arguments).take(job.seed)
    return {"numbers": numbers, "cpu_seconds": time.process_time() - begin}
