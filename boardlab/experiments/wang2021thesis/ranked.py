"""Ranked reward on Morpion Solitaire: AlphaZero that learns by beating its own recent scores.

A game counts as won above the tau-quantile of the last L scores (Eq. 7.1). The authors' public program has
L = 200 and tau = .75.
"""

from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.measuring import Exam
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021thesis import PAPER

VARIANT = "4D"
BOARD = Board("morpion", {"variant": VARIANT})
ARMS: dict[str, dict[str, Any]] = {
    "ranked reward": {"ranked_reward": 0.75, "ranked_window": 200},
    "plain score": {"ranked_reward": None},
}
RUNS = {"ranked reward": "ranked", "plain score": "plain"}
BEST = 35
"""The proven maximum of 4D."""


def training(arm: str, budget: Budget) -> Training:
    """AlphaZero on Morpion with or without ranked reward."""
    settings = {
        "preset": "ranked",
        "episodes": budget["episodes"],
        "games": budget["games"],
        "parallel": budget["games"],
        "simulations": budget["simulations"],
        "channels": 16,
        "device": "cpu",
        "threads": 1,
    }
    return Training(BOARD, "alphazero", {**settings, **ARMS[arm]})


def plan(budget: Budget) -> Plan:
    """Both arms, their searches without a net, and a random player."""
    trainings = {RUNS[arm]: training(arm, budget) for arm in ARMS}
    n = budget["simulations"]
    agents = {arm: f'mcts(net("{{{RUNS[arm]}}}"), iterations={n})' for arm in ARMS}
    agents |= {"MCTS": f"mcts(rollout, iterations={n})", "random": "random"}
    return Plan(
        trainings,
        [Cell((name,), Exam(BOARD, agent, "score", budget["exam"])) for name, agent in agents.items()],
    )


def show(results: Results) -> Display:
    """Mean scores."""
    rows = [[name, results.mean("value", name).text()] for name in (*ARMS, "MCTS", "random")]
    notes = [f"Mean score on Morpion {VARIANT}, whose maximum is {BEST}; ± is the 95% interval over seeds."]
    return Display(["agent", "score"], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Ranked reward",
    title="AlphaZero with and without ranked reward on Morpion Solitaire 4D.",
    keys=("agent",),
    plan=plan,
    show=show,
    source="cited in the appendix without a number of its own",
    choices=(
        "The variant is 4D; the authors play 5D, whose games are twice as long.",
        "Nets of 16 channels: Morpion has 16,384 actions.",
    ),
    extras=("az",),
    quick=Budget(
        1,
        1,
        "two generations of 16 games with 16 searches: that it runs.",
        {"episodes": 32, "games": 16, "simulations": 16, "exam": 4},
    ),
    full=Budget(
        2,
        45,
        "30 generations of 64 games with 32 searches, two runs: a small part of the authors' training.",
        {"episodes": 1_920, "games": 64, "simulations": 32, "exam": 20},
    ),
)
