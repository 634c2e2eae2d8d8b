"""Table 2: the enhancements against default MCTS, over nets that have learned nothing.

This is the arena of the first iteration of self-play: the weight is 1/2 and T' = 0, so that both players take
their best action. 100 games a pair.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate, mean_of, of_games
from boardlab.experiments.experiment import Budget, Cell, Experiment, Plan
from boardlab.experiments.figures import grouped_bars
from boardlab.experiments.forms import BRACKETS, beside
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021 import CHOICES, ENHANCEMENTS, GAMES, PAPER, default_mcts, model

_TABLE = {
    "Connect Four": (64, 27.5, 76, 82, 82.5),
    "Othello": (93, 53, 98, 96, 99),
    "Gobang": (65, 43, 70, 57, 62),
}
PUBLISHED = {
    (name, game): percent / 100
    for game, row in _TABLE.items()
    for name, percent in zip(ENHANCEMENTS, row, strict=True)
}
GAMES_A_NET = 2
"""One from each seat: nets differ more than games over one net do."""


def run(game: str) -> str:
    """The name of a game's net."""
    return game.lower().replace(" ", "")


def plan(budget: Budget) -> Plan:
    """A new net with each seed; every enhancement plays default MCTS over it."""
    trainings = {run(game): model(board, 0, budget["channels"]) for game, board in GAMES.items()}
    cells = []
    for game, board in GAMES.items():
        for name, enhancement in ENHANCEMENTS.items():
            enhanced = f'{enhancement}_mcts(net("{{{run(game)}}}"), iterations={budget["searches"]})'
            agents = (enhanced, default_mcts(run(game), budget["searches"]))
            cells.append(Cell((name, game), Match(board, agents, GAMES_A_NET)))
    return Plan(trainings, cells)


def score(results: Results, name: str, game: str) -> Estimate:
    """The share of points: a draw counts half."""
    wins, draws = results.numbers("wins", name, game), results.numbers("draws", name, game)
    points = [(win + draw / 2) / GAMES_A_NET for win, draw in zip(wins, draws, strict=True)]
    return mean_of(points, 0.0, 1.0, GAMES_A_NET * len(points))


def show(results: Results) -> Display:
    """Win rates of the row against default MCTS."""
    rows = []
    for name in ENHANCEMENTS:
        rows.append(
            [name] + [beside(score(results, name, game).percent(), PUBLISHED[name, game]) for game in GAMES]
        )

    def draw(figure: object) -> None:
        ours = {game: {name: score(results, name, game) for name in ENHANCEMENTS} for game in GAMES}
        theirs = {
            game: {name: of_games(PUBLISHED[name, game], 100) for name in ENHANCEMENTS} for game in GAMES
        }
        grouped_bars(figure, ours, theirs, "win rate against default MCTS")

    notes = [f"Win rate in percent, draws counting half. {BRACKETS} ± is the 95% interval over nets."]
    return Display(["", *GAMES], rows, notes, draw, (8.0, 3.6))


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Table 2",
    title="The enhancements against default MCTS over untrained nets.",
    keys=("enhancement", "game"),
    plan=plan,
    show=show,
    published=PUBLISHED,
    source="Table 2; win rates of the row in percent, 100 repetitions",
    choices=(*CHOICES, "A new net for every two games; the paper does not say how many nets it played."),
    extras=("az",),
    quick=Budget(
        10,
        1,
        "16 instead of 512 channels, 10 nets and 20 games a pair.",
        {"channels": 16, "searches": 100},
    ),
    full=Budget(
        50,
        2,
        "64 instead of 512 channels, 50 nets and 100 games a pair.",
        {"channels": 64, "searches": 100},
    ),
)
