"""Q-learning beside QM-learning (Wang 2021, algorithms 8 and 9).

python bench/qm.py                                   # tictactoe, ten seeds
python bench/qm.py connectfour --rows 4 --cols 4 --matches 20000 --seeds 5 --jobs 4

Prints two win rates against random players at each number of matches: while learning (the matches since the last
line, with exploration), and of the greedy agent learned so far, moving first and second in turn. The authors (Wang,
Emmerich and Plaat 2018) report that Q-learning converges slowly and that Monte Carlo Search in unknown states
improves it. The appendix of Wang (2021) prints no win rates.
"""

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from common import console, mean, table

import boardlab as bl
from boardlab import _engine
from boardlab.games.game import State
from boardlab.learners import LEARNERS, preset
from boardlab.search import Agent


def curve(learner: str, name: str, parameters: dict, matches: int, lines: int, games: int, seed: int) -> list:
    """(win rate while learning, of the greedy agent, pairs in the table) after each part."""
    game = bl.game(name, **parameters)
    chosen = preset(game, "paper" if name == "tictactoe" else "default", learner)
    chosen |= {"opponents": "random", "epsilon": 0.5, "epsilon_final": 0.0}
    chosen.pop("episodes")
    settings = LEARNERS[learner].checked(chosen)
    trainee = settings.build(game, settings.describe(game, seed), matches, seed)

    def greedy(_: bl.Game, agent_seed: int) -> _engine.Search:
        return _engine.greedy_search(trainee.evaluator(), agent_seed)

    points = []
    for line in range(lines + 1):
        wins = played = 0
        if line > 0:
            part = matches // lines
            looked_at = min(part, 2000)  # all matches are learned; only the last ones of a part are counted
            trainee.core.train(part - looked_at)
            for _ in range(looked_at):
                learns = trainee.core.episodes_done % game.players
                start, steps = trainee.core.recorded_episode()
                state = State(game, start)
                for action, _, _ in steps:
                    state.apply(action)
                wins += state.scores[learns] > 0
                played += 1
        agent = Agent(game, greedy(game, seed), learner, greedy)
        result = bl.match(game, [agent, "random"], games=games, seed=seed)
        points.append(
            (wins / played if played else math.nan, result.wins[0] / games, trainee.core.table.count)
        )
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", nargs="?", default="tictactoe")
    for name in ("rows", "cols", "connect", "size"):
        parser.add_argument(f"--{name}", type=int, help="parameter of the game")
    parser.add_argument("--matches", type=int, default=50_000)
    parser.add_argument("--lines", type=int, default=10)
    parser.add_argument(
        "--games", type=int, default=500, help="games of the greedy agent against random players"
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    parameters = {
        name: value
        for name in ("rows", "cols", "connect", "size")
        if (value := getattr(chosen, name)) is not None
    }
    curves = {}
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for learner in ("q-table", "qm"):
            one = partial(curve, learner, chosen.game, parameters, chosen.matches, chosen.lines, chosen.games)
            curves[learner] = list(pool.map(one, range(1, chosen.seeds + 1)))
    rows = []
    for line in range(chosen.lines + 1):
        row = [f"{line * (chosen.matches // chosen.lines):,}"]
        for learner in curves:
            for part in (0, 1):
                row.append(mean([points[line][part] for points in curves[learner]]))
        rows.append([*row, *(f"{curves[learner][0][line][2]:,}" for learner in curves)])
    table(
        f"{bl.game(chosen.game, **parameters)!r}: win rate against random, {chosen.seeds} seeds, 95% intervals",
        ["matches", "Q while learning", "Q greedy", "QM while learning", "QM greedy", "Q pairs", "QM pairs"],
        rows,
        how="CPU time",
    )
    game = bl.game(chosen.game, **parameters)
    result = bl.match(game, ["random", "random"], games=2000, seed=1)
    console.print(f"random against random: {result.wins[0] / 2000:.3f}")


if __name__ == "__main__":
    main()
