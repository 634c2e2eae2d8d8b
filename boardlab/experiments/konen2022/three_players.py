"""Three players: TD learning with final adaptation where two others play.

Every player has tables of its own and learns from its own positions (N-player TD, Konen and Bagheri 2020).
The agent meets two copies of an opponent and takes every seat.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import beside
from boardlab.experiments.konen2022 import PAPER
from boardlab.experiments.measuring import Versus
from boardlab.experiments.results import Results

GAMES = {
    "Nim": Board("nim", {"players": 3}),
    "Sim K6": Board("sim", {"players": 3}),
    "Yavalath 4": Board("yavalath", {"players": 3, "side": 4, "swap": False}),
    "EWN 6x6": Board("ewn", {"players": 3, "size": 6}),
}
RUNS = {"Nim": "nim", "Sim K6": "sim", "Yavalath 4": "yavalath", "EWN 6x6": "ewn"}
OPPONENTS = {"perfect play": "solved", "MCTS": "mcts(rollout, iterations=200)", "random": "random"}
AGENTS = {"TD-n-tuple": 'greedy(ntuple("{%s}"))', "wrapped": 'mcts(ntuple("{%s}"), iterations=100)'}
PUBLISHED = {("Nim", "TD-n-tuple", "perfect play"): 0.325}


def plan(budget: Budget) -> Plan:
    """The agent, raw and wrapped, against two copies of every opponent."""
    trainings = {
        RUNS[game]: Training(board, "td-ntuple", {"preset": "paper", "episodes": budget["episodes"]})
        for game, board in GAMES.items()
    }
    cells = [
        Cell((game, agent, opponent), Versus(board, expression % RUNS[game], played, budget["games"]))
        for game, board in GAMES.items()
        for agent, expression in AGENTS.items()
        for opponent, played in OPPONENTS.items()
        if game == "Nim" or opponent != "perfect play"
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
    notes = ["Mean score, published in brackets; ± is the 95% interval over seeds."]
    return Display(["game", "agent", *OPPONENTS, "scores"], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Three players",
    title="TD n-tuple agents in games of three players.",
    keys=("game", "agent", "opponent"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Konen and Bagheri (2020): .325 in Nim, where three perfect players share 1; Konen (2022) says of "
    "three-player Sim only that it nearly always ends in a tie",
    quick=Budget(
        2,
        1,
        "20,000 episodes a game.",
        {"episodes": 20_000, "games": 30},
    ),
    full=Budget(5, 20, "300,000 episodes, as published for Nim.", {"episodes": 300_000, "games": 150}),
)
