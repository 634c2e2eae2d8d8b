"""A small experiment for the tests; other processes import it, too."""

import os
import signal
import sys

from boardlab.experiments import Budget, Cell, Experiment, Plan, Training, reproduce
from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Paper
from boardlab.experiments.measuring import Match

BOARD = Board("tictactoe")
LEARNED = 'greedy(ntuple("{learned}"))'


def plan(budget):
    pairs = {"learned": LEARNED, "early": 'greedy(ntuple("{learned@200}"))', "mc": "mc(iterations=9)"}
    cells = [
        Cell((name,), Match(BOARD, (agent, "random"), budget["games"]), once=name == "mc")
        for name, agent in pairs.items()
    ]
    settings = {"preset": "paper", "episodes": 400, "snapshot_every": 200}
    return Plan({"learned": Training(BOARD, "td-ntuple", settings)}, cells)


def show(results):
    rows = [[name, results.share("wins", name).percent()] for name in ("learned", "early", "mc")]
    return Display(["agent", "wins"], rows, ["± is the 95% interval."])


def tiny(games=20, **more):
    return Experiment(
        paper=Paper("nobody2026", "Nobody (2026)"),
        item="Table 0",
        title="Wins against a random player.",
        keys=("agent",),
        plan=plan,
        show=show,
        quick=Budget(2, 0.1, "that it works.", {"games": games}),
        full=Budget(3, 0.2, "the same.", {"games": games}),
        name="nobody2026-table0",
        **more,
    )


if __name__ == "__main__":  # dies after so many jobs

    def die(standing):
        if standing.done >= int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)

    reproduce(tiny(), out=sys.argv[1], progress=die)
