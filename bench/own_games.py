"""Speed of compiled rules in Python beside the same game of the engine.

    python bench/own_games.py [--seconds 2] [PART ...]

Parts: random (random games), td (TD n-tuple training), mcts (MCTS over an n-tuple network), first (first and later use
in a new process), breakthrough (the game of the tutorial beside breakthrough.cpp, the same rules in C++). Connect Four
is written twice: `Plain` keeps the cells in a list, `Bits` uses bitboards, as an expert would. All learn and play with
the engine's tuples and cell values. CPU time on one core: the best of seven turns, and the median of the ratios with
their range.
"""

import argparse
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import rate, table

import boardlab as bl
from boardlab import _engine

TURNS = 7
PARTS = ("random", "td", "mcts", "first", "breakthrough")
U = np.uint64


@bl.register_game(compiled=True)
class Plain(bl.PythonGame):
    """Connect Four with its cells in a list, row by row from the top."""

    rows: int = bl.option(6, "height of the board", low=4, high=6)
    cols: int = bl.option(7, "width of the board", low=4, high=7)

    name = "plain"
    cell_values = 4
    symmetries = 2

    @property
    def state(self):
        return [("cells", "i1", (self.size,)), ("count", "i4"), ("winner", "i4")]

    @property
    def size(self):
        return self.rows * self.cols

    horizon = size

    @property
    def action_count(self):
        return self.cols

    def initial_state(self, s):
        s.winner = -1

    def player(self, s):
        return bl.TERMINAL if s.winner >= 0 or s.count == self.size else s.count % 2

    def legal(self, s):
        for col in range(self.cols):
            if s.cells[col] == 0:
                yield col

    def apply(self, s, col):
        mover = s.count % 2
        row = self.rows - 1
        while s.cells[row * self.cols + col]:
            row -= 1
        s.cells[row * self.cols + col] = 1 + mover
        s.count += 1
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                r, c = row + sign * dr, col + sign * dc
                while 0 <= r < self.rows and 0 <= c < self.cols and s.cells[r * self.cols + c] == 1 + mover:
                    run += 1
                    r += sign * dr
                    c += sign * dc
            if run >= 4:
                s.winner = mover

    def scores(self, s):
        return (0, 0) if s.winner < 0 else (1, -1) if s.winner == 0 else (-1, 1)

    # ---- the engine's coding: out of reach, player 0, player 1, playable next ----

    def board_vector(self, s, player):
        for cell in range(self.size):
            below = cell + self.cols
            is_open = s.cells[cell] == 0 and (below >= self.size or s.cells[below] != 0)
            yield 3 if is_open else s.cells[cell]

    def adjacency(self, cell):
        row, col = divmod(cell, self.cols)
        near = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return [r * self.cols + c for r, c in near if 0 <= r < self.rows and 0 <= c < self.cols]

    @property
    def joint_values(self):
        """The stacks: with h stones in a column, the cell above them is playable, the rest out of reach."""
        rows = self.rows
        stacks = [
            [1 + (colours >> i & 1) if i < height else 3 * (i == height) for i in range(rows)]
            for height in range(rows + 1)
            for colours in range(1 << height)
        ]
        return [([(rows - 1 - i) * self.cols + col for i in range(rows)], stacks) for col in range(self.cols)]

    def symmetry(self, g, s):
        for row in range(self.rows if g else 0):
            for col in range(self.cols // 2):
                a, b = row * self.cols + col, row * self.cols + self.cols - 1 - col
                s.cells[a], s.cells[b] = s.cells[b], s.cells[a]

    def symmetry_action(self, g, s, action):
        return self.cols - 1 - action if g else action

    def symmetry_cells(self, g):
        for cell in range(self.size):
            col = cell % self.cols
            yield cell - col + self.cols - 1 - col if g else cell


@bl.register_game(compiled=True)
class Bits(Plain):
    """Connect Four with a bitboard a player: bit 7 * column + height."""

    name = "bits"
    state = [("stones", "u8", (2,)), ("count", "i4"), ("winner", "i4")]  # noqa: RUF012

    def legal(self, s):
        full = s.stones[0] | s.stones[1]
        for col in range(7):
            if not (full >> U(col * 7 + 5)) & U(1):
                yield col

    def apply(self, s, col):
        mover = s.count % 2
        full = s.stones[0] | s.stones[1]
        stones = s.stones[mover] | ((full + (U(1) << U(col * 7))) & (U(0x3F) << U(col * 7)))
        s.stones[mover] = stones
        s.count += 1
        won = False
        for step in (1, 7, 6, 8):
            pairs = stones & (stones >> U(step))
            won |= (pairs & (pairs >> U(2 * step))) != 0
        if won:
            s.winner = mover

    def board_vector(self, s, player):
        one, two = s.stones[0], s.stones[1]
        playable = (one | two) + U(0x40810204081)
        for row in range(6):
            for col in range(7):
                bit = U(col * 7 + 5 - row)
                value = (one >> bit & U(1)) | (two >> bit & U(1)) << U(1)
                yield value | (playable >> bit & U(1)) * U(3)

    def apply_changes(self, s, col, player):
        """Play, and tell the cell of the stone and the one above it."""
        height = 0
        while (s.stones[0] | s.stones[1]) >> U(7 * col + height) & U(1):
            height += 1
        cell = (5 - height) * 7 + col
        yield cell, 3, 1 + s.count % 2
        if height < 5:
            yield cell - 7, 0, 3
        self.apply(s, col)

    def symmetry(self, g, s):
        for player in range(2 if g else 0):
            turned = U(0)
            for col in range(7):
                turned |= (s.stones[player] >> U(7 * col) & U(0x3F)) << U(7 * (6 - col))
            s.stones[player] = turned


def games() -> dict[str, bl.Game]:
    """The engine's game and the two in Python."""
    return {"built in": bl.game("connectfour"), "Plain": bl.game("plain"), "Bits": bl.game("bits")}


def random_games(seconds: float) -> None:
    def play(game: bl.Game) -> float:
        return rate(lambda: 2000 + 0 * _engine.random_games(game.core, 2000, 1)[0], seconds)

    report("Random games", "games a second", {n: lambda g=g: play(g) for n, g in games().items()})


def training(seconds: float) -> None:
    learners = {name: learner(game) for name, game in games().items()}

    def train(name: str) -> float:
        def some() -> float:
            before = learners[name].actions_done
            learners[name].train(500)
            return learners[name].actions_done - before

        return rate(some, seconds)

    measures = {name: lambda name=name: train(name) for name in learners}
    report("TD training, 70 tuples of 8 cells", "actions a second", measures)


def learner(game: bl.Game) -> _engine.TdLearner:
    """A learner with the settings that the engine's game has."""
    from boardlab.evaluators.ntuple import build_network
    from boardlab.learners import TdNTuple
    from boardlab.learners.presets import preset

    chosen = dict(preset(bl.game("connectfour"), "paper"))
    episodes = chosen.pop("episodes")
    td = TdNTuple.checked(chosen)
    fields = ("compact", "tables", "staged", "feature_tables", "sigma", "reward", "gamma")
    description = {
        "tuples": td.tuple_lists(bl.game("connectfour"), 1),
        "symmetries": td.symmetry_list(game, 1),
        **{field: getattr(td, field) for field in fields},
    }
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=td.memory_gb)
    return _engine.TdLearner(network, td.engine_settings(episodes), td.reward, 1, 1)


def search(seconds: float) -> None:
    agents = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, game in games().items():
            run = str(Path(folder) / game.name)
            settings = {"preset": "default", "layout": "walk", "tuples": 70, "length": 8}
            bl.train(game, episodes=2000, out=run, seed=1, exams=[], **settings)
            agents[name] = bl.agent(f'mcts(ntuple("{run}"), iterations=1000)', game, seed=1), game

        def decide(name: str) -> float:
            agent, game = agents[name]
            state = game.initial_state()

            def act() -> float:
                agent.reset(1)
                agent.act(state)
                return 1000

            return rate(act, seconds)

        measures = {name: lambda name=name: decide(name) for name in agents}
        report("MCTS over n-tuples, 70 tuples of 8 cells", "iterations a second", measures)


def breakthrough(seconds: float) -> None:
    """The tutorial's game beside the same rules in C++, compiled as CONTRIBUTING.md says."""
    here = Path(__file__).parent
    runpy.run_path(str(here.parent / "examples" / "breakthrough.py"))
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/libcpp.so"
        words = ["-std=c++20", "-O2", "-shared", "-fPIC", "-I", bl.include()]
        subprocess.run(["g++", *words, str(here / "breakthrough.cpp"), "-o", library], check=True)
        both = {"C++": bl.load_game(library), "Python": bl.game("breakthrough")}

    def play(game: bl.Game) -> float:
        return rate(lambda: 2000 + 0 * _engine.random_games(game.core, 2000, 1)[0], seconds)

    def train(game: bl.Game) -> float:
        """A whole run of the tutorial, with its checkpoints."""
        with tempfile.TemporaryDirectory() as run:
            start = time.process_time()
            bl.train(game, episodes=20_000, out=run, seed=1, exams=[])
            return 20_000 / (time.process_time() - start)

    report(
        "Random games", "games a second", {n: lambda g=g: play(g) for n, g in both.items()}, "Breakthrough"
    )
    report(
        "boardlab train",
        "episodes a second",
        {n: lambda g=g: train(g) for n, g in both.items()},
        "Breakthrough",
    )


def report(
    title: str, unit: str, measures: dict[str, Callable[[], float]], game: str = "Connect Four"
) -> None:
    """Measure all rules in turn; of the ratios to the first, the median and the range."""
    first = next(iter(measures))
    turns = [{name: measure() for name, measure in measures.items()} for _ in range(TURNS)]
    rows = []
    for name in measures:
        ratios = sorted(turn[name] / turn[first] for turn in turns)
        spread = f"{ratios[TURNS // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        rows.append([name, f"{max(turn[name] for turn in turns):,.0f}", spread])
    table(
        f"{title}, {game}",
        ["rules", unit, f"of {first}"],
        rows,
        f"one core, CPU time, {TURNS} turns",
    )


USE = """
import resource, sys
sys.path.insert(0, {here!r})
import boardlab as bl
before = resource.getrusage(resource.RUSAGE_SELF)
import own_games
game = bl.game({name!r})
game.initial_state().core.playout(1, 42)
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
"""


def first_use(_: float) -> None:
    """CPU seconds until a game can be played, in a new process with numba's import."""
    rows = []
    for name in ("plain", "bits"):
        with tempfile.TemporaryDirectory() as cache:
            code = USE.format(here=str(Path(__file__).parent), name=name)
            times = [
                float(
                    subprocess.run(
                        [sys.executable, "-c", code],
                        env=os.environ | {"BOARDLAB_CACHE": cache},
                        check=True,
                        capture_output=True,
                        text=True,
                    ).stdout
                )
                for _ in range(4)
            ]
        rows.append([name.capitalize(), f"{times[0]:.2f}", f"{min(times[1:]):.2f} to {max(times[1:]):.2f}"])
    table("CPU seconds to make a game", ["rules", "first use", "later uses"], rows, "with numba's import")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all without any")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of a turn")
    given = parser.parse_args()
    work = {"random": random_games, "td": training, "mcts": search, "first": first_use}
    work["breakthrough"] = breakthrough
    for part in given.parts or PARTS:
        work[part](given.seconds)


if __name__ == "__main__":
    main()
