"""MCTS beside OpenSpiel's MCTSBot, MCTS over n-tuples, threads, import time.

python bench/search.py [uct] [forest] [wrapper] [threads] [import] [--threads N] [--games N]
"""

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
from common import best, console, rate, table

import boardlab as bl

try:
    import pyspiel
except ImportError:
    pyspiel = None

PEERS = {"tictactoe": "tic_tac_toe", "connectfour": "connect_four", "othello": "othello"}
ITERATIONS = 1000


def openspiel_bot(name: str):
    game = pyspiel.load_game(PEERS[name])
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4142, ITERATIONS, 1000, False, 1, False)
    return bot, game.new_initial_state()


MIDDLE = {"tictactoe": 3, "connectfour": 16, "othello": 30}
"""Actions before a position of the middle game."""


def middle(name: str, seed: int = 5) -> list[int]:
    """Play random actions into the middle of a game; both libraries number them alike."""
    rng = random.Random(seed)
    while True:
        state, actions = bl.game(name).initial_state(), []
        while not state.is_terminal and len(actions) < MIDDLE[name]:
            actions.append(rng.choice(state.legal_actions()))
            state.apply(actions[-1])
        if not state.is_terminal:
            return actions


def uct() -> None:
    for where, options in (("from the start", ""), ("in the middle game, without solver", ", solver=False")):
        uct_table(where, options, {name: middle(name) if options else [] for name in PEERS})


def uct_table(where: str, options: str, positions: dict[str, list[int]]) -> None:
    rows = []
    for name, actions in positions.items():
        game = bl.game(name)
        agent = bl.agent(f"mcts(rollout, iterations={ITERATIONS}, reuse=False{options})", game, seed=1)
        state = game.initial_state()
        for action in actions:
            state.apply(action)
        measures = {"ours": lambda agent=agent, state=state: rate(lambda: (agent.act(state), 1)[1])}
        if pyspiel is not None:
            bot, start = openspiel_bot(name)
            for action in actions:
                start.apply_action(action)
            measures["peer"] = lambda bot=bot, start=start: rate(lambda: (bot.step(start), 1)[1])
        found = best(measures)
        info = agent.act(state).info
        rows.append(
            [
                name,
                f"{1000 / found['ours']:.2f} ms",
                f"{ITERATIONS * found['ours']:,.0f}",
                f"{1000 / found['peer']:.2f} ms" if "peer" in found else "not installed",
                f"{found['ours'] / found['peer']:.1f}x" if "peer" in found else "",
                f"{info['bytes'] / ITERATIONS:.0f}",
                f"{info['bytes'] / info['nodes']:.0f}",
            ]
        )
    table(
        f"A decision of UCT with {ITERATIONS} iterations, one rollout each, {where}",
        ["game", "ours", "iterations/s", "OpenSpiel C++", "ratio", "bytes an iteration", "bytes a node"],
        rows,
    )


def forest() -> None:
    """Many trees over a nearly free evaluator: the cost of the trees themselves."""
    game = bl.game("connectfour")
    values, logits = np.zeros(1 << 16, np.float32), np.zeros((1 << 16, game.action_count), np.float32)
    trees, iterations = 256, 400
    rows = []
    for title, options in {
        "plain": {},
        "cache of 64 MB": {"cache_mb": 64},
        "8 leaves of a tree at once": {"tree": bl.TreeOptions(solver=False, batch=8, leaf_visits=0)},
        "2 threads": {"threads": 2},
    }.items():
        found, wall = 1e9, 1e9
        for _ in range(3):
            grown = bl.Forest(game, trees, seed=1, **options)
            rng = np.random.default_rng(0)
            for _ in range(4):  # so that the games differ
                legal = grown.roots()[1]
                grown.play((rng.random(legal.shape) * legal).argmax(axis=1))
            start = time.process_time(), time.perf_counter()
            grown.search(lambda planes, legal: (values[: len(planes)], logits[: len(planes)]), iterations)
            found = min(found, time.process_time() - start[0])
            wall = min(wall, time.perf_counter() - start[1])
        done = trees * iterations / 1e6
        share = grown.info["shared"] / (grown.info["shared"] + grown.info["evaluations"])
        rows.append([title, f"{found / done:.2f} us", f"{wall / done:.2f} us", f"{share:.0%}"])
    table(
        f"An iteration in a forest of {trees} trees, connectfour, {iterations} iterations each",
        ["forest", "CPU time", "wall clock", "shared evaluations"],
        rows,
    )


# Shapes of the paper preset; a little training, because an empty network has no preferences.
WRAPPED = [("connectfour", 1000, 20_000), ("othello", 10_000, 500), ("rubiks", 1000, 50_000)]


def wrapper() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, iterations, episodes in WRAPPED:
            game = bl.game(name, **({"twists": 13} if name == "rubiks" else {}))
            run = bl.train(game, preset="paper", episodes=episodes, out=f"{folder}/{name}", seed=1, exams=[])
            agent = bl.agent(
                f"mcts(ntuple('{run.path}'), iterations={iterations}, reuse=False)", game, seed=1
            )
            starts = [game.initial_state(seed) for seed in range(8 if name == "rubiks" else 1)]
            milliseconds = sum(decision_time(agent, state) for state in starts) / len(starts)
            rows.append([name, f"{iterations:,}", f"{milliseconds:.2f} ms"])
    table(
        "A decision of mcts over an n-tuple network of the paper's shape, from the start",
        ["game", "iterations", "ours"],
        rows,
    )


def decision_time(agent: bl.Agent, state: bl.State) -> float:
    """Milliseconds of thread time: the best of at least ten decisions and half a second."""
    times: list[float] = []
    while len(times) < 10 or sum(times) < 0.5:
        start = time.thread_time()
        agent.act(state)
        times.append(time.thread_time() - start)
    return 1000 * min(times)


def threads(most: int, games: int) -> None:
    """Iterations a second by the wall clock (needs idle cores), and their gain in a match."""
    counts = [n for n in (1, 2, 4, 8, 16, 32) if n <= most]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        network = bl.train(
            bl.game("connectfour"), preset="paper", episodes=20_000, out=f"{folder}/run", seed=1, exams=[]
        ).path
        for name, evaluator, iterations in (
            ("connectfour", "rollout", 50_000),
            ("othello", "rollout", 20_000),
            ("connectfour", f"ntuple('{network}')", 50_000),
        ):
            game = bl.game(name)
            state = game.initial_state()
            agents = {
                n: bl.agent(
                    f"mcts({evaluator}, iterations={iterations}, reuse=False, solver=False, threads={n})",
                    game,
                    1,
                )
                for n in counts
            }
            wall = dict.fromkeys(counts, math.inf)
            cpu = dict.fromkeys(counts, math.inf)
            for _ in range(5):
                for n, agent in agents.items():
                    start = time.perf_counter(), time.process_time()
                    agent.act(state)
                    wall[n] = min(wall[n], time.perf_counter() - start[0])
                    cpu[n] = min(cpu[n], time.process_time() - start[1])
            rows += [
                [
                    f"{name}, {evaluator.split('(')[0]}",
                    str(n),
                    f"{iterations / wall[n]:,.0f}",
                    f"{wall[1] / wall[n]:.2f}x",
                    f"{cpu[n] / cpu[1]:.2f}x",
                ]
                for n in counts
            ]
    table(
        "mcts on several threads, from the start",
        ["game, evaluator", "threads", "iterations/s", "wall clock", "CPU time"],
        rows,
        f"wall clock, best of 5, load average {os.getloadavg()[0]:.1f}",
    )
    rows = []
    for name, iterations in (("connectfour", 4000), ("othello", 1000)):
        pair = [f"mcts(iterations={iterations}, threads={n})" for n in (most, 1)]
        result = bl.match(bl.game(name), pair, games, seed=1, random_actions=4)
        rows.append([name, *pair, f"{result.mean_scores[0]:+.3f} ± {result.intervals[0]:.3f}"])
    table(
        f"{most} threads against one with the same number of iterations, {games} games",
        ["game", "first", "second", "first's mean score, 95%"],
        rows,
    )


def import_time() -> None:
    """CPU seconds of the import in a fresh interpreter, less the interpreter's own start."""

    def seconds(code: str) -> float:
        timed = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True) for _ in range(5)
        ]
        return min(float(run.stdout.split()[-1]) for run in runs)

    console.print(f"import boardlab._engine, numpy included: {seconds('import boardlab._engine'):.3f} s")
    console.print(f"import numpy alone: {seconds('import numpy'):.3f} s")


def main() -> None:
    """Measure the named parts, or all."""
    parts = {"uct": uct, "forest": forest, "wrapper": wrapper, "threads": None, "import": import_time}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--threads", type=int, default=2, help="most threads in the part threads")
    parser.add_argument("--games", type=int, default=100, help="games of its match")
    options = parser.parse_args()
    for name in options.parts:
        if name not in parts:
            parser.error(f'unknown part "{name}"; there are {", ".join(parts)}')
    for name in options.parts or parts:
        measure = parts[name]
        if measure:
            measure()
        else:
            threads(options.threads, options.games)


if __name__ == "__main__":
    main()
