"""Agents by games: every agent plays every game that it can.

The promise of GBG: an agent that is written once plays all games. A number is the mean score against copies
of one opponent, MCTS, in all other seats; games of one player count their own score.
"""

from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.konen2022 import PAPER
from boardlab.experiments.measuring import Cubes, Exam, Measure, Versus
from boardlab.experiments.results import Results

TWO_AND_MORE = {
    "TicTacToe": Board("tictactoe"),
    "ConnectFour": Board("connectfour"),
    "Othello 6x6": Board("othello", {"size": 6}),
    "Hex 5x5": Board("hex", {"size": 5}),
    "Nim": Board("nim"),
    "Nim3P": Board("nim", {"players": 3}),
    "Sim K6": Board("sim"),
    "Yavalath 4": Board("yavalath", {"side": 4}),
    "EWN 3x3": Board("ewn", {"size": 3}),
}
ONE = {
    "2048": Board("2048"),
    "2x2x2 Rubik's": Board("rubiks", {"size": 2, "twists": 8}),
}
GAMES = {**TWO_AND_MORE, **ONE}
OPPONENT = "mcts(rollout, iterations=100)"
AGENTS = {
    "Random": "random",
    "MC": "mc(iterations=100)",
    "MCTS": "mcts(rollout, iterations=1000)",
    "MaxN, expectimax": "maxn(depth=3)",
    "TD-n-tuple": 'greedy(ntuple("{td}"))',
    "Sarsa-n-tuple": 'greedy(ntuple("{sarsa}"))',
    "TD-n-tuple, wrapped": 'mcts(ntuple("{td}"), iterations=100)',
}
LEARNERS = {"td": "td-ntuple", "sarsa": "sarsa-ntuple"}


def run(kind: str, game: str) -> str:
    """The name of a training."""
    return f"{kind}_{list(GAMES).index(game)}"


def measure(game: str, agent: str, games: int) -> Measure:
    """How an agent is measured in a game."""
    board = GAMES[game]
    if board.name == "rubiks":
        return Cubes(board, agent, (4, 6, 8), games)
    if game in ONE:
        return Exam(board, agent, "score", max(2, games // 5))  # its games are long
    return Versus(board, agent, OPPONENT, games)


def plan(budget: Budget) -> Plan:
    """All agents in all games."""
    trainings, cells = {}, []
    for game, board in GAMES.items():
        for kind, learner in LEARNERS.items():
            episodes = budget["episodes"] // (20 if board.name == "2048" else 1)
            trainings[run(kind, game)] = Training(board, learner, {"episodes": episodes})
        for name, expression in AGENTS.items():
            expression = expression.replace("{td}", f"{{{run('td', game)}}}")
            expression = expression.replace("{sarsa}", f"{{{run('sarsa', game)}}}")
            if board.game.has_chance and name.startswith("MaxN"):
                expression = "expectimax(depth=2)"
            cells.append(Cell((name, game), measure(game, expression, budget["games"])))
    return Plan(trainings, cells)


def show(results: Results) -> Display:
    """The matrix."""
    rows = []
    for agent in AGENTS:
        row = [agent]
        for game in GAMES:
            if GAMES[game].name == "rubiks":
                row.append(results.share("solved", agent, game, of="cubes").percent(0))
            else:
                row.append(results.mean("value", agent, game).text(2))
        rows.append(row)
    notes = [
        f"Mean score against {OPPONENT} in all other seats, in every seat, from varied openings; 2048: "
        "score; cube: percent solved within 20 steps after 4, 6 and 8 twists.",
        "± is the 95% interval over seeds.",
    ]
    return Display(["agent", *GAMES], rows, notes)


EXPERIMENT = Experiment(
    paper=PAPER,
    item="Agents by games",
    title="Every agent in every game: mean scores against MCTS.",
    keys=("agent", "game"),
    plan=plan,
    show=show,
    source="none: the tutorial lists agents and games without results",
    choices=(
        "Learners have the default preset with fewer episodes; their Q twin (q-ntuple) is left out for time.",
    ),
    quick=Budget(
        2,
        3,
        "10,000 episodes a game: that everything plays everything.",
        {"episodes": 10_000, "games": 20},
    ),
    full=Budget(5, 30, "100,000 episodes a game.", {"episodes": 100_000, "games": 100}),
)
