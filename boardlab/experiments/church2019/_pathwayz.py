"""The six players of Section V-C, with 200 searches in training, and what their trainings cost."""

from typing import Any

from boardlab.experiments.church2019._players import Player

PLAYERS = {
    "AZ-Res": Player("az-res"),
    "AZ-Conv": Player("az-conv"),
    "AZ-Res6": Player("az-res6"),
    "AZ-ResC": Player("az-resc", cpuct=3.0),
    "AZ-ResDirichlet1": Player("az-res", settings={"noise": 1.0}),
    "AZ-ResDirichlet003": Player("az-res", settings={"noise": 0.03}),
}
QUICK: dict[str, Any] = {
    "iterations": dict.fromkeys(PLAYERS, 1),
    "channels": 32,
    "default": 256,
}
FULL: dict[str, Any] = {
    "iterations": dict.fromkeys(PLAYERS, 50),
    "channels": 64,
    "default": 25_600,
}
FULL_SHOWS = "64 channels, the paper's 50 iterations, one run each."
