"""Three and four players: TD learning with final adaptation where two or three others play.

Every player has tables of its own and learns from its own positions (N-player TD, Konen and Bagheri 2020).
The agent meets copies of an opponent in all other seats, and takes every seat.
"""

from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import beside
from boardlab.experiments.konen2022 import PAPER
from boardlab.experiments.measuring import Versus
from boardlab.experiments.results import Results

GAMES = {
    "Nim": Board("nim", {"players": 3}),
    "Nim, extra rule": Board("nim", {"players": 3, "extra_rule": True}),
    "Sim K5": Board("sim", {"players": 3, "nodes": 5}),
    "Sim K6": Board("sim", {"players": 3}),
    "Yavalath 4": Board("yavalath", {"players": 3, "side": 4, "swap": False}),
    "EWN 6x6": Board("ewn", {"players": 3, "size": 6}),
    "EWN 4x4, four": Board("ewn", {"players": 4, "size": 4}),
}
SOLVED = ("Nim", "Nim, extra rule", "Sim K5")
"""Games whose positions are few enough for an exhaustive solution (MaxN to the end)."""
OPPONENTS = {"perfect play": "solved", "MCTS": "mcts(rollout, iterations=200)", "random": "random"}
AGENTS = {
    "TD-n-tuple": 'greedy(ntuple("{%s}"))',
    "wrapped": 'mcts(ntuple("{%s}"), iterations=100)',
    "random": "random",
}
PUBLISHED = {("Nim", "TD-n-tuple", "perfect play"): 0.325}


def _run(game: str) -> str:
    """The name of the game's run."""
    return "".join(letter for letter in game.lower() if letter.isalnum())


def _settings(game: str, episodes: float) -> dict[str, Any]:
    """The published settings; where they are unreliable, the default's."""
    return {"preset": "default"} if game == "Nim, extra rule" else {"preset": "paper", "episodes": episodes}


def plan(budget: Budget) -> Plan:
    """The agent, raw and wrapped, and random play, against copies of every opponent."""
    trainings = {
        _run(game): Training(board, "td-ntuple", _settings(game, budget["episodes"]))
        for game, board in GAMES.items()
    }
    cells = [
        Cell(
            (game, agent, opponent),
            Versus(board, expression.replace("%s", _run(game)), played, budget["games"]),
        )
        for game, board in GAMES.items()
        for agent, expression in AGENTS.items()
        for opponent, played in OPPONENTS.items()
        if (game in SOLVED or opponent != "perfect play") and (agent, opponent) != ("random", "random")
    ]
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """Mean scores: a row for each game and agent."""
    rows = []
    for game, board in GAMES.items():
        low, high = board.game.score_range
        for agent in AGENTS:
            row = [game, agent]
            for opponent in OPPONENTS:
                mean = results.mean("value", game, agent, opponent).text()
                row.append(beside(mean, PUBLISHED.get((game, agent, opponent)), percent=False))
            rows.append([*row, f"{low:g} to {high:g}"])
    notes = [
        "Mean score, published in brackets; ± is the 95% interval over seeds.",
        "Nim without the extra rule has many equal actions: a player who cannot win decides who does. So "
        "perfect play is not unique, and an agent's share depends on how the others choose among equals.",
    ]
    return Display(["game", "agent", *OPPONENTS, "scores"], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Three players",
    title="TD n-tuple agents in games of three and four players.",
    keys=("game", "agent", "opponent"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Konen and Bagheri (2020): .325 in Nim, where three perfect players share 1 (with the extra rule "
    "1.2); Konen (2022) says of three-player Sim only that it nearly always ends in a tie",
    quick=Budget(
        2,
        1.2,
        "20,000 episodes a game; Nim with the extra rule its default.",
        {"episodes": 20_000, "games": 30},
    ),
    full=Budget(
        5,
        20,
        "300,000 episodes, as published for Nim; with the extra rule its default.",
        {"episodes": 300_000, "games": 150},
    ),
)
