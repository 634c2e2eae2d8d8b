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
    "iterations": {name: 50 if name in ("AZ-Res", "AZ-Res32") else 10 for name in PLAYERS},
    "channels": 256,
    "default": 25_600,
}
FULL_SHOWS = (
    "256 channels, one run each; AZ-Res and AZ-Res32 for the paper's 50 iterations, the others for ten: do "
    "not compare those with the published numbers."
)
