"""Final adaptation on and off: the extra update at the end of an episode (FARL).

Without it the players who did not move last never learn how the game ended. GBG's tutorial cites Konen and
Bagheri (2020), whose numbers stand here.
"""

from dataclasses import dataclass, field
from typing import Any

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import beside
from boardlab.experiments.konen2022 import PAPER
from boardlab.experiments.measuring import Exam, Measure, Versus
from boardlab.experiments.results import Results

AGENT = 'greedy(ntuple("{%s}"))'


@dataclass(frozen=True)
class Game:
    """A game of the comparison, and how its agents are measured."""

    board: Board
    opponent: str
    """An agent, or the exam "score" for one player."""
    on: float
    off: float
    """The published means."""
    moves_first: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    """What differs from the paper's preset."""

    def measure(self, run: str, games: int) -> Measure:
        """The mean score of the agent."""
        agent = AGENT % run
        if self.opponent == "score":
            return Exam(self.board, agent, "score", games)
        return Versus(self.board, agent, self.opponent, games, moves_first=self.moves_first)


GAMES = {
    "TicTacToe": Game(Board("tictactoe"), "solved", -0.015, -0.63),
    "Nim": Game(Board("nim"), "solved", -0.01, -0.83),
    "Nim3P": Game(Board("nim", {"players": 3}), "solved", 0.325, 0.026),
    "Hex6": Game(Board("hex", {"size": 6}), "mcts(rollout, iterations=1000)", 0.98, -1.0, moves_first=True),
    "ConnectFour": Game(Board("connectfour"), "ab", 0.97, -0.84, moves_first=True),
    "2048": Game(Board("2048"), "score", 144_100, 123_600),
}
ARMS: dict[str, dict[str, bool]] = {"on": {}, "off": {"adapt_others": False, "adapt_last": False}}


def run(game: str, arm: str) -> str:
    """The name of a training."""
    return f"{game.lower()}_{arm}"


def plan(budget: Budget) -> Plan:
    """Every game with and without final adaptation."""
    trainings, cells = {}, []
    for name, game in GAMES.items():
        for arm, settings in ARMS.items():
            chosen = {"preset": "paper", "episodes": budget["episodes"][name], **game.settings, **settings}
            trainings[run(name, arm)] = Training(game.board, "td-ntuple", chosen)
            games = budget["games_2048"] if name == "2048" else budget["games"]
            cells.append(Cell((name, arm), game.measure(run(name, arm), games)))
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """A row for each game."""
    rows = []
    for name, game in GAMES.items():
        opponent = "" if game.opponent == "score" else game.opponent
        row = [name, opponent]
        for arm, published in (("on", game.on), ("off", game.off)):
            row.append(beside(results.mean("value", name, arm).text(), published, percent=False))
        rows.append(row)
    notes = ["Mean score, published in brackets; ± is the 95% interval over seeds."]
    return Display(["game", "opponent", "final adaptation on", "off"], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Final adaptation",
    title="The score of TD n-tuple agents with and without final adaptation.",
    keys=("game", "adaptation"),
    plan=plan,
    show=show,
    published={name: (game.on, game.off) for name, game in GAMES.items()},
    source="Konen and Bagheri (2020), which Section 3.5 of Konen (2022) refers to",
    choices=(
        "Off leaves out both parts: of the other players and of the player who moved last.",
        "Opponents: perfect play (solved) in all seats from varied openings; AB and MCTS with the agent "
        "moving first.",
        "Hex: the published opponent is MCTS with an unknown number of iterations; ours has 1,000.",
        "Connect Four's 70 tuples are a list of our own; the paper's agents read another.",
    ),
    extras=("references",),
    quick=Budget(
        seeds=3,
        cpu_minutes=3,
        shows="the paper's training for TicTacToe and Nim, shorter ones for the others: the direction.",
        settings={
            "episodes": {
                "TicTacToe": 10_000,
                "Nim": 20_000,
                "Nim3P": 30_000,
                "Hex6": 30_000,
                "ConnectFour": 300_000,
                "2048": 1_000,
            },
            "games": 50,
            "games_2048": 20,
        },
    ),
    full=Budget(
        seeds=3,
        cpu_minutes=35,
        shows="the paper's training, but 3 of 6 million episodes of Connect Four and half of 2048's 200,000.",
        settings={
            "episodes": {
                "TicTacToe": 10_000,
                "Nim": 20_000,
                "Nim3P": 300_000,
                "Hex6": 300_000,
                "ConnectFour": 3_000_000,
                "2048": 100_000,
            },
            "games": 200,
            "games_2048": 100,
        },
    ),
)
