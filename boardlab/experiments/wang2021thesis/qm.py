"""Algorithms 8 and 9: QM-learning beside Q-learning.

QM-learning asks a Monte Carlo Search in states that its table does not know. A match is learned against
random players; epsilon decays from one half as .5 cos(pi m / 2l), as in the authors' public program.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.estimates import Estimate
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import lines
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results
from boardlab.experiments.wang2021thesis import PAPER

GAMES = {
    "TicTacToe": Board("tictactoe"),
    "Hex 3x3": Board("hex", {"size": 3}),
    "Connect Four 4x4": Board("connectfour", {"rows": 4, "cols": 4}),
}
RUNS = {"TicTacToe": "tictactoe", "Hex 3x3": "hex", "Connect Four 4x4": "connectfour"}
LEARNERS = {"Q": "q-table", "QM": "qm"}
POINTS = 10
"""Measurements over a training."""


def run(game: str, learner: str) -> str:
    """The name of a training."""
    return f"{learner.lower()}_{RUNS[game]}"


def plan(budget: Budget) -> Plan:
    """Both learners in every game; the greedy agent plays random players after each tenth."""
    trainings, cells = {}, []
    matches, step = budget["matches"], budget["matches"] // POINTS
    for game, board in GAMES.items():
        for learner, kind in LEARNERS.items():
            trainings[run(game, learner)] = Training(
                board,
                kind,
                {
                    "preset": "paper",
                    "episodes": matches,
                    "epsilon_shape": "cosine",
                    "snapshot_every": step,
                },
            )
            for point in range(1, POINTS + 1):
                after = run(game, learner) + (f"@{point * step}" if point < POINTS else "")
                agent = f'greedy(qtable("{{{after}}}"))'
                match = Match(board, (agent, "random"), budget["games"])
                cells.append(Cell((game, learner, str(point * step)), match))
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """Win rates over matches, a curve for each game and learner."""
    curves = {f"{game}, {learner}": (game, learner) for game in GAMES for learner in LEARNERS}

    def ours(name: str, matches: int) -> Estimate:
        return results.share("wins", *curves[name], str(matches))

    step = results.budget["matches"] // POINTS
    xs = [point * step for point in range(1, POINTS + 1)]
    return lines(
        ours,
        {},
        names=tuple(curves),
        xs=xs,
        x="matches",
        y="win rate of the greedy agent against random players, moving first and second in turn",
    )


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Algorithms 8 and 9",
    title="Q-learning and QM-learning: win rates against random players over training matches.",
    keys=("game", "learner", "matches"),
    plan=plan,
    show=show,
    source="none in the appendix; the authors (Wang, Emmerich and Plaat 2018) report that QM-learning "
    "converges faster",
    choices=(
        "A Monte Carlo Search has 50 playouts; the listing limits it by time.",
        "alpha = .1, gamma = .9; the appendix names the symbols only.",
    ),
    quick=Budget(3, 1, "5,000 matches, three runs.", {"matches": 5_000, "games": 200}),
    full=Budget(10, 2, "50,000 matches, ten runs.", {"matches": 50_000, "games": 500}),
)
