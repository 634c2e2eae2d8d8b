"""Measure the share of a default run's time that its exams take.

python bench/exams.py [GAME ...] [--seconds 5]

Trains each game's default preset for some seconds of CPU time, then takes the run's usual exam. Both are scaled to
the length of the whole run; other work of a run (its folder, checkpoints, a picture) does not count.
`boardlab/learners/usual_exams.py` declares the costs so that the share stays below a tenth. A column shows the
episodes in the time of one game, beside the declared number.
"""

import argparse
import tempfile
import time
from pathlib import Path

from common import table

import boardlab as bl
from boardlab.learners.train import prepare
from boardlab.learners.training import Training
from boardlab.learners.usual_exams import OTHERS, USUAL
from boardlab.runs import RunFolder


def train_for(training: Training, seconds: float) -> float:
    """Train for some CPU seconds or to the end; return CPU seconds an episode."""
    learner, chunk = training.learner, 1
    learner.begin()
    begin = time.process_time()
    while time.process_time() - begin < seconds and learner.episodes_done < training.total:
        before = time.process_time()
        learner.train(min(chunk, training.total - learner.episodes_done))
        chunk *= 2 if time.process_time() - before < seconds / 20 else 1
    return (time.process_time() - begin) / learner.episodes_done


def measure(name: str, seconds: float) -> list[str]:
    """Return the row of a game."""
    game = bl.game(name)
    run = prepare(game, seed=1)
    plan = run.exams
    with tempfile.TemporaryDirectory() as folder:
        training = run.training(RunFolder(Path(folder) / "run"))
        episode = train_for(training, seconds)
        seconds_of = []
        for is_last in (False, False, True):  # the first exam may include preparations
            begin = time.process_time()
            results = plan.take(game, training.learner.agent(1), 1, is_last)
            seconds_of.append(time.process_time() - begin)
    number = -(-run.episodes // plan.every)
    first, usual, last = seconds_of
    spent = first + (number - 2) * usual + last
    whole = run.episodes * episode
    declared = {exam.name: exam.cost for exam in (*OTHERS, *USUAL.get(name, ()))}[plan.names[0]]
    result = results[plan.names[0]]
    return [
        name,
        f"{whole:.1f}",
        f"{spent:.2f}",
        f"{spent / whole:.1%}",
        f"{usual / plan.games / episode:.0f}",
        f"{declared:g}",
        str(result.games),
        str(result.distinct),
        str(plan),
    ]


def main() -> None:
    """Measure the named games, or all that can be learned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    names = options.games or [name for name in bl.games() if not bl.game(name).is_hidden]
    heads = ["game", "training s", "exams s", "share", "cost", "declared", "samples", "distinct", "exams"]
    rows = [measure(name, options.seconds) for name in names]
    table("exams of default runs", heads, rows, f"one core, CPU time, {options.seconds:g} s a game")


if __name__ == "__main__":
    main()
