"""The six players of Section V-B, and what their trainings cost."""

from typing import Any

from boardlab.experiments.church2019._players import Player

PLAYERS = {
    "AZ-Res": Player("az-res"),
    "AZ-Conv": Player("az-conv"),
    "AZ-Res6": Player("az-res6"),
    "AZ-ResC": Player("az-resc", cpuct=3.0),
    "AZ-ResDiff": Player("az-resdiff"),
    "AZ-Res32": Player("az-res32"),
}
QUICK: dict[str, Any] = {
    "iterations": dict.fromkeys(PLAYERS, 2),
    "channels": 32,
    "default": 512,
}
FULL: dict[str, Any] = {
    "iterations": dict.fromkeys(PLAYERS, 50),
    "channels": 64,
    "default": 25_600,
}
FULL_SHOWS = "64 channels, the paper's 50 iterations, one run each."
