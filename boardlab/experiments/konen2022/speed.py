"""Moves per second of TD n-tuple agents in training, on one core.

GBG's tutorial gives 10,000 to 90,000 moves per second for TD agents. The numbers by game were measured with
GBG itself, on one core of a 2.8 GHz Xeon.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, mean_of
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan
from boardlab.experiments.figures import paired_bars
from boardlab.experiments.konen2022 import PAPER
from boardlab.experiments.measuring import EpisodeTime
from boardlab.experiments.results import Results

GAMES = {
    "TicTacToe": Board("tictactoe"),
    "2048": Board("2048"),
    "2x2x2 Rubik's": Board("rubiks", {"size": 2, "twists": 13}),
    "ConnectFour": Board("connectfour"),
    "Hex 6x6": Board("hex", {"size": 6}),
    "Othello": Board("othello"),
}
PUBLISHED = {
    "TicTacToe": 90_700,
    "2048": 72_900,
    "2x2x2 Rubik's": 18_000,
    "ConnectFour": 10_700,
    "Hex 6x6": 10_200,
    "Othello": 1_141,
}


def plan(budget: Budget) -> Plan:
    """Time training in every game."""
    cells = []
    for name, board in GAMES.items():
        episodes = max(1, int(budget["moves"] / MOVES[name]))
        cells.append(Cell((name,), EpisodeTime(board, {}, episodes, before=max(1, episodes // 10))))
    return Plan({}, cells)


MOVES = {"TicTacToe": 8, "2048": 500, "2x2x2 Rubik's": 10, "ConnectFour": 30, "Hex 6x6": 30, "Othello": 60}
"""Rough lengths of episodes, so that every game takes its share of the time."""


def speed(results: Results, game: str) -> Estimate:
    """Moves per second: the mean over seeds."""
    seconds, actions = results.numbers("seconds", game), results.numbers("actions", game)
    return mean_of([n / s for n, s in zip(actions, seconds, strict=True)])


def show(results: Results) -> Display:
    """Moves per second, and how many times GBG's."""
    rows = []
    for game, published in PUBLISHED.items():
        ours = speed(results, game)
        factor = f"{ours.value / published:.0f}" if ours.is_known else "-"
        rows.append([game, ours.text(), f"{published:,}", factor])

    def draw(figure: object) -> None:
        found = {game: speed(results, game) for game in GAMES}
        theirs = {game: Estimate(float(number)) for game, number in PUBLISHED.items()}
        paired_bars(figure, found, theirs, "moves per second of training", log=True)

    notes = ["Moves per CPU second of training, preset paper; ± is the 95% interval over repetitions."]
    return Display(["game", "moves per second", "GBG", "times"], rows, notes, draw, (8.0, 4.0))


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Moves per second",
    title="Moves per second of TD n-tuple agents in training, on one core.",
    keys=("game",),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="GBG on one core of a 2.8 GHz Xeon; Konen (2022) gives 10,000 to 90,000 for TD agents",
    choices=("GBG's 2048 had a smaller network than the preset paper.",),
    quick=Budget(3, 1, "300,000 moves a game, three times.", {"moves": 300_000}),
    full=Budget(5, 6, "two million moves a game, five times.", {"moves": 2_000_000}),
)
