"""Strength of learners: train over seeds, take exams, compare with others.

    python bench/learning.py [NAME ...] [--seeds 5] [--jobs 2] [--games 100] [--out FILE.jsonl] [--keep FOLDER]

NAME is a figure of the table below or the beginning of some; without one all are measured, which takes hours of CPU
time. Every (figure, seed) is its own process, the longest first. Its line is appended to the file as soon as it is
done, and lines already in the file are not measured again. `±` is the standard error of the mean between seeds.
With --keep the trained networks stay in FOLDER/NAME-SEED, an interrupted run resumes there, and
`bench/strength.py --runs FOLDER` plays them.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import console, table, tell

import boardlab as bl
from boardlab.arena.exams import ExamResult, Paper, evaluate, solved_by_twists
from boardlab.arena.intervals import standard_error
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.runs import RunFolder


@dataclass(frozen=True)
class Learned:
    """A trained agent, played greedily."""

    game: Game
    path: Path

    def agent(self, memory: int = 1000) -> str:
        """The agent; in puzzles it does not return to its last `memory` positions."""
        return f'greedy(ntuple("{self.path.as_posix()}"), memory={memory})'


Exam = Callable[[Learned, int, int], ExamResult]
"""A function of the trained agent, the number of games and the seed."""


def named(name: str, times: int = 1) -> Exam:
    """One of the arena's exams, with `times` as many games."""
    return lambda learned, games, seed: evaluate(learned.agent(), learned.game, name, times * games, seed)


def openings(search: str) -> Exam:
    """Four times as many random openings as games; `search` has a place for the network."""

    def take(learned: Learned, games: int, seed: int) -> ExamResult:
        agent = search.format(f'ntuple("{learned.path.as_posix()}")')
        return evaluate(agent, learned.game, "openings", 4 * games, seed)

    return take


def twists(number: int, steps: int, memory: int = 1000) -> Exam:
    """Cubes of `number` scramble twists, ten times as many as games."""
    return lambda learned, games, seed: solved_by_twists(
        Paper("twists", learned.agent(memory), learned.game, 10 * games, seed), (number,), steps
    )


def first_against(opponent: str) -> Exam:
    """Games in which the agent moves first."""
    return lambda learned, games, seed: Paper("first", learned.agent(), learned.game, games, seed).play(
        opponent, best=1.0, seatings=[[0, 1]]
    )


@dataclass(frozen=True)
class Figure:
    """What to train, its exams, and the numbers to compare with."""

    game: str
    exams: Mapping[str, Exam]
    beside: Mapping[str, str]
    preset: str = "paper"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1
    """Rough estimate in CPU seconds, so that the longest tasks start first."""


_PERFECT: dict[str, Exam] = {"AB": named("ab"), "AB-DL": named("abdl")}
_STARTS: dict[str, Exam] = {
    **_PERFECT,
    "openings": openings("greedy({})"),
    "openings, mcts 1,000": openings("mcts({}, iterations=1000)"),
}
_AS_DEFAULT = dict.fromkeys(_STARTS, "as connectfour")
_TICTACTOE: dict[str, Exam] = {"MaxN": named("perfect")}
_NIM: dict[str, Exam] = {"Bouton": named("bouton")}
_HEX: dict[str, Exam] = {"MCTS 10,000": first_against("mcts(rollout, iterations=10000)")}
# The papers' agent excludes only the inverse of the last twist; ours returns to no earlier position.
_CUBE: dict[str, Exam] = {
    "20 steps, memory 1": twists(13, 20, 1),
    "50 steps, memory 1": twists(13, 50, 1),
    "20 steps": twists(13, 20),
    "50 steps": twists(13, 50),
}
_CUBE_ASKED = {
    "20 steps, memory 1": "published .75",
    "50 steps, memory 1": "published .87",
    "20 steps": "asked .75",
    "50 steps": "asked .87",
}
CUBE3 = {"size": 3, "twists": 9, "step_reward": -0.1}
"""The 3x3x3 of the preset `paper`."""
_NO_FARL = {"adapt_others": False, "adapt_last": False}

FIGURES: dict[str, Figure] = {
    "tictactoe": Figure("tictactoe", _TICTACTOE, {"MaxN": "asked 0.0"}, preset="default"),
    "nim": Figure("nim", _NIM, {"Bouton": "asked: no loss, 0.0"}, preset="default"),
    "2048": Figure("2048", {"score": named("score", 10)}, {"score": "asked 135,000"}, cost=4000),
    "connectfour": Figure(
        "connectfour",
        _STARTS,
        {**dict.fromkeys(_STARTS, ""), "AB": "asked .95", "AB-DL": "asked .90"},
        preset="default",
        cost=120,
    ),
    "connectfour-one-start": Figure(
        "connectfour",
        _STARTS,
        _AS_DEFAULT,
        preset="default",
        settings={"choose_start": 0.0, "episodes": 2_000_000},
        cost=120,
    ),
    "connectfour-one-start-4M": Figure(
        "connectfour", _STARTS, _AS_DEFAULT, preset="default", settings={"choose_start": 0.0}, cost=120
    ),
    "connectfour-half-starts": Figure(
        "connectfour", _STARTS, _AS_DEFAULT, preset="default", settings={"choose_start": 0.5}, cost=120
    ),
    "connectfour-half-starts-2M": Figure(
        "connectfour",
        _STARTS,
        _AS_DEFAULT,
        preset="default",
        settings={"choose_start": 0.5, "episodes": 2_000_000},
        cost=120,
    ),
    "connectfour-more-starts": Figure(
        "connectfour",
        _STARTS,
        _AS_DEFAULT,
        preset="default",
        settings={"choose_start": 0.9, "start_actions": 12, "episodes": 2_000_000},
        cost=120,
    ),
    "connectfour-threads2": Figure(
        "connectfour",
        _PERFECT,
        {"AB": "as connectfour-one-start", "AB-DL": "as connectfour-one-start"},
        preset="default",
        settings={"threads": 2, "choose_start": 0.0, "episodes": 2_000_000},
        cost=120,
    ),
    "connectfour-paper-1M": Figure(
        "connectfour",
        _PERFECT,
        {"AB": "published .5", "AB-DL": "published .26"},
        settings={"episodes": 1_000_000},
        cost=150,
    ),
    "connectfour-paper-6M": Figure(
        "connectfour", _PERFECT, {"AB": "published .978", "AB-DL": "published .843"}, cost=700
    ),
    "rubiks": Figure("rubiks", _CUBE, _CUBE_ASKED, preset="default", parameters={"twists": 13}, cost=150),
    "rubiks-paper": Figure("rubiks", _CUBE, _CUBE_ASKED, parameters={"twists": 13}, cost=150),
    "rubiks3-paper": Figure(
        "rubiks",
        {f"{n} twists, 20 steps, memory 1": twists(n, 20, 1) for n in (7, 8, 9)},
        {"8 twists, 20 steps, memory 1": "published: .25 as the mean of 7 to 9"},
        parameters=CUBE3,
        cost=450,
    ),
    "farl-tictactoe-on": Figure("tictactoe", _TICTACTOE, {"MaxN": "published -.015"}),
    "farl-tictactoe-off": Figure("tictactoe", _TICTACTOE, {"MaxN": "published -.63"}, settings=_NO_FARL),
    "farl-nim-on": Figure("nim", _NIM, {"Bouton": "published -.01 (MaxN)"}),
    "farl-nim-off": Figure("nim", _NIM, {"Bouton": "published -.83 (MaxN)"}, settings=_NO_FARL),
    "farl-hex-on": Figure("hex", _HEX, {"MCTS 10,000": "published .98"}, parameters={"size": 6}, cost=100),
    "farl-hex-off": Figure(
        "hex",
        _HEX,
        {"MCTS 10,000": "published -1.0"},
        parameters={"size": 6},
        settings=_NO_FARL,
        cost=100,
    ),
}


def measure(name: str, seed: int, games: int, keep: Path | None) -> dict[str, Any]:
    """Train one agent and examine it; return the line of this figure and seed."""
    with tempfile.TemporaryDirectory() as scratch:
        return examine(name, seed, games, kept_run(keep or Path(scratch), name, seed))


def kept_run(folder: Path, name: str, seed: int) -> Path:
    """The folder of the run of a figure and a seed."""
    return folder / f"{name}-{seed}"


def examine(name: str, seed: int, games: int, path: Path) -> dict[str, Any]:
    """Return the line of one figure and seed, whose run is or will be at `path`."""
    figure = FIGURES[name]
    game = bl.game(figure.game, **figure.parameters)
    run = bl.train(game, preset=figure.preset, out=path, seed=seed, go_on=True, exams=[], **figure.settings)
    learned = Learned(game, path)
    results = {}
    for exam, take in figure.exams.items():
        result = take(learned, games, seed)
        results[exam] = {
            "value": result.value,
            "error": result.error,
            "games": result.games,
            "best": result.best if result.best != float("inf") else None,
            "details": result.details,
        }
    return {
        "figure": name,
        "seed": seed,
        "episodes": run.episodes,
        "actions": run.actions,
        "train_cpu_s": round(RunFolder(path).cpu_seconds() or 0.0, 2),
        "exams": results,
    }


def show(lines: Sequence[Mapping[str, Any]]) -> None:
    """Print the table: one row an exam, with the details of all games."""
    rows = []
    for name, figure in FIGURES.items():
        mine = [line for line in lines if line["figure"] == name]
        if not mine:
            continue
        seconds = sum(line["train_cpu_s"] for line in mine) / len(mine)
        for exam, beside in figure.beside.items():
            values = [line["exams"][exam]["value"] for line in mine]
            rows.append(
                [
                    name,
                    exam,
                    spread(values),
                    f"{min(values):.4g} .. {max(values):.4g}",
                    str(len(values)),
                    str(sum(line["exams"][exam]["games"] for line in mine)),
                    beside,
                    f"{seconds:,.1f}",
                ]
            )
            for detail in dict.fromkeys(d for line in mine for d in line["exams"][exam]["details"]):
                if not detail.startswith("reached"):
                    continue
                shares = [line["exams"][exam]["details"].get(detail, 0.0) for line in mine]
                rows.append([name, detail, spread(shares), *[""] * 5])
    columns = ["figure", "exam", "mean ± s.e.", "from .. to", "seeds", "games", "beside", "training CPU s"]
    table("Learning, raw networks played greedily", columns, rows, "training CPU s a run")


def spread(values: Sequence[float]) -> str:
    """Mean and standard error between seeds."""
    mean, error = sum(values) / len(values), standard_error(values)
    digits = 0 if abs(mean) >= 1000 else 3
    return f"{mean:,.{digits}f}" + (f" ± {error:,.{digits}f}" if error == error else "")


def wanted(names: Sequence[str]) -> list[str]:
    """The named figures, or all."""
    for name in names:
        if not any(figure.startswith(name) for figure in FIGURES):
            sys.exit(f'unknown figure "{name}"; there are {", ".join(FIGURES)}')
    exact = {name for name in names if name in FIGURES}
    return [
        figure
        for figure in FIGURES
        if not names or figure in exact or any(figure.startswith(name) for name in names if name not in exact)
    ]


def main() -> None:
    """Measure what the file lacks and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FIGURES))
    parser.add_argument("--seeds", type=int, default=5, help="runs a figure, seeds 1, 2 ...")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--games", type=int, default=100, help="games an exam (2048 and cubes: ten times that)"
    )
    parser.add_argument("--out", type=Path, help="append a line of JSON for every figure and seed")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the trained networks in this folder"
    )
    options = parser.parse_args()
    if options.seeds < 1 or options.jobs < 1 or options.games < 2:
        parser.error("--seeds and --jobs must be at least 1, --games at least 2")
    names = wanted(options.names)
    lines: list[dict[str, Any]] = []
    if options.out and options.out.exists():
        lines = [json.loads(line) for line in options.out.read_text().splitlines() if line.strip()]
        lines = [line for line in lines if line["figure"] in names and line["seed"] <= options.seeds]
    done = {(line["figure"], line["seed"]) for line in lines}
    tasks = [
        (name, seed)
        for name in sorted(names, key=lambda name: -FIGURES[name].cost)
        for seed in range(1, options.seeds + 1)
        if (name, seed) not in done
    ]
    # A new process for each task frees gigabytes of tables at once, and its CPU time is that of the task.
    pool = ProcessPoolExecutor(
        options.jobs, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1
    )
    failed = False
    with pool:
        futures = {pool.submit(measure, *task, options.games, options.keep): task for task in tasks}
        try:
            for future in as_completed(futures):
                try:
                    line = future.result()
                except BoardLabError as error:
                    failed = True
                    console.print(f"{futures[future]}: {error}", markup=False)
                    continue
                lines.append(line)
                tell(line, options.out)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
    if lines:
        show(lines)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
