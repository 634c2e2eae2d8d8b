"""OpenSpiel's games through the bridge: random games and learning.

python bench/openspiel.py speed [GAME ...]          random games a second, beside OpenSpiel's own states
python bench/openspiel.py train GAME LEARNER ...    train and measure one agent; appends a line to --out
python bench/openspiel.py report                    the table of bench/results/openspiel.jsonl
"""

import argparse
import itertools
import json
import random
import tempfile
import time
from pathlib import Path

from common import best, console, machine, percent, rate, table, tell

import boardlab as bl
from boardlab import _engine

RESULTS = Path(__file__).parent / "results" / "openspiel.jsonl"
GAMES = (
    "breakthrough(rows=6,columns=6)",
    "clobber",
    "mancala",
    "dots_and_boxes",
    "pig(winscore=30)",
    "backgammon",
    "kuhn_poker",
    "leduc_poker",
)
TRAINED = GAMES[:5]
OPPONENTS = ("random", "mcts(rollout, iterations=50)")


def own_game(spiel, rng: random.Random) -> int:
    """One random game over OpenSpiel's own states."""
    state = spiel.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return 1


def speed(names: list[str]) -> None:
    import pyspiel

    rows = []
    for name in names or GAMES:
        core, spiel, rng = bl.game(f"openspiel:{name}").core, pyspiel.load_game(name), random.Random(1)
        seeds = itertools.count()  # new games each time: the bridge remembers positions
        found = best(
            {
                "ours": lambda core=core, seeds=seeds: rate(
                    lambda: (_engine.random_games(core, 20, next(seeds)), 20)[1]
                ),
                "peer": lambda spiel=spiel, rng=rng: rate(lambda: own_game(spiel, rng)),
            }
        )
        rows.append(
            [name, f"{found['ours']:,.0f}", f"{found['peer']:,.0f}", f"{found['ours'] / found['peer']:.2f}"]
        )
    table("Random games a second", ["game", "through the bridge", "OpenSpiel in Python", "ratio"], rows)


def train(given: argparse.Namespace) -> None:
    game = bl.game(f"openspiel:{given.game}")
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        run = bl.train(
            game, given.learner, episodes=given.episodes, out=f"{folder}/run", seed=given.seed, exams=[],
            **json.loads(given.settings),
        )  # fmt: skip
        seconds = time.process_time() - start
        for opponent in OPPONENTS:
            agent = (
                run.expression
                if given.learner == "td-ntuple"
                else f'mcts(net("{folder}/run"), iterations=50)'
            )
            result = bl.match(game, [agent, opponent], games=given.games, seed=given.seed)
            tell(
                {
                    "game": given.game,
                    "learner": given.learner,
                    "episodes": given.episodes,
                    "settings": json.loads(given.settings),
                    "seed": given.seed,
                    "cpu_seconds": round(seconds),
                    "opponent": opponent,
                    "games": given.games,
                    "wins": result.wins[0],
                    "draws": result.draws,
                    "machine": machine("two shared cores"),
                },
                given.out,
            )


def report() -> None:
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    rows = []
    for line in lines:
        points = line["wins"] + line["draws"] / 2
        rows.append(
            [
                line["game"],
                line["learner"],
                f"{line['episodes']:,}",
                f"{line['cpu_seconds']}",
                line["opponent"],
                f"{percent(points, line['games'])}",
            ]
        )
    table(
        "Learned through the bridge: points in %, a draw is half a point",
        ["game", "learner", "episodes", "CPU s", "opponent", "points"],
        rows,
        "two shared cores",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("speed").add_argument("games", nargs="*", metavar="GAME")
    training = commands.add_parser("train")
    training.add_argument("game", metavar="GAME")
    training.add_argument("learner", choices=("td-ntuple", "alphazero"))
    training.add_argument("--episodes", type=int, required=True)
    training.add_argument("--settings", default="{}", help="more settings of the learner, as JSON")
    training.add_argument("--games", type=int, default=200)
    training.add_argument("--seed", type=int, default=1)
    training.add_argument("--out", type=Path, help="append the results to this file")
    commands.add_parser("report")
    given = parser.parse_args()
    if given.command == "speed":
        speed(given.games)
    elif given.command == "train":
        train(given)
    else:
        report()
    console.print()


if __name__ == "__main__":
    main()
