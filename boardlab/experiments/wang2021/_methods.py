"""The methods of Fig. 2 and of the thesis's Elo list: models with and without a warm start."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from boardlab.experiments import wang2021
from boardlab.experiments.experiment import Budget, Training
from boardlab.experiments.wang2021 import ENHANCEMENTS, default_mcts, model

GAMES = {name: wang2021.GAMES[name] for name in ("Connect Four", "Othello")}
FIXED = 5
"""I' of the fixed warm starts."""
METHODS: Mapping[str, dict[str, Any]] = {
    "Baseline": {},
    **{f"{n}, fixed": {"warm_start": e, "warm_iterations": FIXED} for n, e in ENHANCEMENTS.items()},
    **{f"{n}, adaptive": {"warm_start": e, "switch": "adaptive"} for n, e in ENHANCEMENTS.items()},
}


def pool(game: str, methods: Iterable[str], budget: Budget) -> tuple[dict[str, Training], dict[str, str]]:
    """Several runs of every method: their trainings, and the players by name."""
    trainings, players = {}, {}
    for repeat in range(budget["runs"]):
        for method in methods:
            run = f"{game}_{method}_{repeat}".lower().replace(" ", "").replace(",", "_")
            trained = model(GAMES[game], budget["iterations"], budget["channels"], **METHODS[method])
            trainings[run] = dataclasses.replace(trained, repeat=repeat)
            players[f"{method}, run {repeat + 1}"] = default_mcts(run, budget["searches"])
    return trainings, players


def method_of(player: str) -> str:
    """The method that a player is a run of."""
    return player.partition(", run")[0]
