"""multiTrain.csv: several training runs, a row an exam, in the columns of GBG's file of that name."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boardlab.learners.exams import exam_names

if TYPE_CHECKING:
    from boardlab.learners.run import Run

COLUMNS = ("run", "gameNum", "evalQ", "evalT", "actionNum", "trnMoves", "totalTrainSec", "movesSecond")


def multi_train(runs: "Sequence[Run]") -> str:
    """The text of a multiTrain.csv: the game, where the runs are, a head line, and a row for every exam of
    every run.

    `run` counts from 0; `gameNum` is the number of episodes; `evalQ` and `evalT` are the run's first and
    second exam (`nan` where it takes none), whose names are on the third line; `actionNum` and `trnMoves` are
    the actions of training, which we count alike; then seconds of training and actions a second. The two
    columns for the user's own values are 0, as in GBG.
    """
    first = runs[0]
    exams = list(dict.fromkeys(name for run in runs for name in exam_names(run.log)))
    quick, train = (*exams, "", "")[:2]
    lines = [f"{first.game!r}", f"from: {first.path.parent}", f"evalQ: {quick}, evalT: {train}"]
    lines.append("; ".join([*COLUMNS, "userValue1", "userValue2"]))
    for number, run in enumerate(runs):
        for row in run.log:
            seconds, actions = float(row["seconds"]), row["actions"]
            speed = actions / seconds if seconds > 0 else 0.0
            marks = [row.get(name, "nan") for name in (quick, train)]
            words = [number, row["episodes"], *marks, actions, actions, seconds, f"{speed:.1f}", "0.0", "0.0"]
            lines.append("; ".join(map(str, words)))
    return "\n".join(lines) + "\n"
