"""Search a list of n-tuples for Connect Four: shapes around lines of four, judged by short runs and varied.

    python tools/search_tuples.py OUT.jsonl [--steps 30] [--episodes 600000] [--seed 0]
    python tools/search_tuples.py OUT.jsonl --best FILE

A list takes some of the shapes below at every place of the board, and random walks for the rest. Every
step trains one list with the preset `paper` and appends a line to OUT.jsonl: its cells, its seed and its
mean score against AB and AB-DL (100 games each after 60, 70, ... 100% of the episodes). The same command
goes on where it stopped. A step starts a new list, varies one of the best, or judges one of the best again
with another seed, because one score says little: a single wrong opening action loses every game. Lists are
ranked by their mean, less two standard errors of a score.
"""

import argparse
import json
import math
import random
import statistics
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import boardlab as bl
from boardlab.learners.ntuple.layouts import layout_from_text, layout_to_text, random_walk

TUPLES, LENGTH, NEIGHBOURHOOD = 70, 8, 8
SPREAD = 0.15
"""Standard deviation of the scores of one list over seeds, roughly."""

ROWS, COLUMNS = 6, 7
SHAPES = {
    "two rows": [(r, c) for r in range(2) for c in range(4)],
    "two columns": [(r, c) for r in range(4) for c in range(2)],
    "columns apart": [(r, c) for r in range(4) for c in (0, 2)],
    "rows apart": [(r, c) for r in (0, 2) for c in range(4)],
    "diagonal, beside": [(i, i + d) for i in range(4) for d in (0, 1)],
    "diagonal, two beside": [(i, i + d) for i in range(4) for d in (0, 2)],
    "diagonal, above": [(i + d, i) for i in range(4) for d in (0, 1)],
    "diagonal, two above": [(i + d, i) for i in range(4) for d in (0, 2)],
    "cross": [(i, c) for i in range(4) for c in (i, 3 - i)],
}
"""Two lines of four cells each, as (row, column): what a player looks at."""

Cells = str
"""A list of tuples as `--cells` takes it."""


def judge(cells: Cells, episodes: int, seed: int) -> float:
    """The mean score against AB and AB-DL over the last part of a run."""
    with TemporaryDirectory() as folder:
        run = bl.train(
            bl.game("connectfour"),
            preset="paper",
            layout="cells",
            cells=cells,
            episodes=episodes,
            out=Path(folder) / "run",
            seed=seed,
            exams=["ab", "abdl"],
            exam_every=episodes // 10,
            exam_games=100,
        )
        late = [row for row in run.log if int(row["episodes"]) >= 0.6 * episodes]
        scores = [(float(row["ab"]) + float(row["abdl"])) / 2 for row in late]
    return statistics.mean(scores)


def walks(count: int, seed: int) -> list[list[int]]:
    """Random walks over the eight neighbours."""
    return random_walk(bl.game("connectfour"), count, LENGTH, seed, NEIGHBOURHOOD)


def places(shape: str) -> list[list[int]]:
    """The tuples of a shape: one of every pair of mirror images, because symmetries read the other."""
    offsets = SHAPES[shape]
    height, width = (1 + max(offset[axis] for offset in offsets) for axis in (0, 1))
    found: dict[frozenset[int], list[int]] = {}
    for row in range(ROWS - height + 1):
        for column in range(COLUMNS - width + 1):
            cells = [(row + r) * COLUMNS + column + c for r, c in offsets]
            mirrored = [cell + COLUMNS - 1 - 2 * (cell % COLUMNS) for cell in cells]
            if frozenset(mirrored) not in found:
                found[frozenset(cells)] = cells
    return list(found.values())


def drawn(rng: random.Random) -> Cells:
    """A list of four to seven shapes, filled up with walks."""
    chosen = rng.sample(sorted(SHAPES), rng.randint(4, 7))
    layout = [cells for shape in sorted(chosen) for cells in places(shape)][:TUPLES]
    return as_cells(layout + walks(TUPLES, rng.getrandbits(31))[: TUPLES - len(layout)])


def varied(cells: Cells, rng: random.Random) -> Cells:
    """The list with a tenth to a third of its tuples replaced by those of another shape and walks."""
    layout = layout_from_text(cells)
    known = {frozenset(tuple_) for tuple_ in layout}
    shape = rng.choice(sorted(SHAPES))
    fresh = walks(TUPLES // 2, rng.getrandbits(31)) + rng.sample(places(shape), len(places(shape)))
    fresh = [t for t in fresh if frozenset(t) not in known]
    for place in rng.sample(range(TUPLES), rng.randint(TUPLES // 10, TUPLES // 3)):
        layout[place] = fresh.pop()
    return as_cells(layout)


def as_cells(layout: list[list[int]]) -> Cells:
    """A layout on one line."""
    return layout_to_text(layout).strip().replace("\n", " / ")


def ranked(rows: list[dict[str, object]]) -> list[tuple[float, Cells, list[float]]]:
    """All lists with their scores, the best first."""
    scores: dict[Cells, list[float]] = defaultdict(list)
    for row in rows:
        scores[str(row["cells"])].append(float(str(row["score"])))
    judged = [
        (statistics.mean(found) - 2 * SPREAD / math.sqrt(len(found)), cells, found)
        for cells, found in scores.items()
    ]
    return sorted(judged, reverse=True)


def next_list(rows: list[dict[str, object]], step: int, seed: int, first: int) -> Cells:
    """The list that a step judges: it depends on the rows before and the seed alone."""
    rng = random.Random(f"{seed} {step}")
    if step < first:
        return drawn(rng)
    best = ranked(rows)[:4]
    if rng.random() < 0.5:
        return rng.choice(best)[1]
    return varied(rng.choice(best)[1], rng)


def main() -> None:
    """Search, or print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--first", type=int, default=10, help="new lists at the beginning")
    parser.add_argument("--episodes", type=int, default=600_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--best", type=Path, help="write the best list to this file and stop")
    chosen = parser.parse_args()
    rows = [json.loads(line) for line in chosen.out.read_text().splitlines()] if chosen.out.exists() else []
    if not chosen.best:
        for step in range(len(rows), chosen.steps):
            cells = next_list(rows, step, chosen.seed, chosen.first)
            score = judge(cells, chosen.episodes, 1000 * chosen.seed + step)
            rows.append({"step": step, "episodes": chosen.episodes, "score": round(score, 4), "cells": cells})
            with chosen.out.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
            _, _, found = ranked(rows)[0]
            print(
                f"step {step}: {score:+.3f}; best list {statistics.mean(found):+.3f} over {len(found)} runs"
            )
    _, cells, found = ranked(rows)[0]
    print(f"best of {len(rows)} runs: mean {statistics.mean(found):+.3f} over {len(found)} runs")
    if chosen.best:
        chosen.best.write_text(cells.replace(" / ", "\n") + "\n")


if __name__ == "__main__":
    main()
