"""Full-width searches and exact solving, in CPU time on one core unless a table says otherwise.

    python bench/full_width.py [--run RUN] [--episodes 200000] [--games 100] [PART ...]

alphabeta    over a staged n-tuple network of othello: RUN, or one trained here in about a minute and a half
mpc          what Multi-ProbCut gives away (two minutes)
match        what the depth it gains is worth at the same time (four minutes)
endgame      othello
ffo          the hard published endgames
connectfour  small boards solved
threads      two threads beside one (two minutes; needs two idle cores)
expectimax   2048
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from common import console, table

import boardlab as bl

# Classic shapes: rows, diagonals, a block in the corner; one of each set of symmetric ones.
SHAPES = [
    *([8 * row + col for col in range(8)] for row in range(4)),
    *([9 * i + 8 * (8 - n) for i in range(n)] for n in range(8, 3, -1)),
    [0, 1, 2, 3, 8, 9, 10, 11],
    [0, 1, 2, 8, 9, 10, 16, 17],
]
FFO = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------", "X", 38),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O-", "X", 0),
    42: ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO--", "X", 6),
    43: ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX-", "O", -12),
    44: ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX--", "O", -14),
    45: ("---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO--", "X", 6),
}


def milliseconds(work: Callable[[bl.State], object], states: Sequence[bl.State], repeats: int = 3) -> float:
    """Mean CPU time of a state, each the best of several repeats."""
    total = 0.0
    for state in states:
        times = []
        for _ in range(repeats):
            begin = time.thread_time()
            work(state)
            times.append(time.thread_time() - begin)
        total += min(times)
    return 1000 * total / len(states)


def othello_run(folder: Path, episodes: int) -> str:
    """Train a small staged network by self-play on the disc difference."""
    begin = time.process_time()
    bl.train(
        bl.game("othello"),
        "td-ntuple",
        episodes=episodes,
        out=folder,
        seed=1,
        exams=[],
        cells=" / ".join(",".join(map(str, cells)) for cells in SHAPES),
        staged=True,
        feature_tables=True,
        sigma="identity",
        reward="discs",
        alpha=1.0,
        epsilon=0.1,
        epsilon_final=0.05,
    )
    console.print(f"trained {episodes:,} episodes in {time.process_time() - begin:.0f} s of CPU time\n")
    return str(folder)


def played_positions(run: str, empties: int, count: int) -> list[bl.State]:
    """Positions from games of the network against itself after eight random actions."""
    game = bl.game("othello")
    agent = bl.agent(f"greedy(ntuple({run!r}))", game, seed=1)
    chooser = random.Random(empties)
    found: list[bl.State] = []
    while len(found) < count:
        state = game.initial_state()
        while not state.is_terminal and state.moves_left > empties:
            early = state.moves_left > 52
            state.apply(chooser.choice(state.legal_actions()) if early else agent.act(state).action)
        if not state.is_terminal and state.moves_left == empties:
            found.append(state)
    return found


def alphabeta(run: str) -> None:
    game = bl.game("othello")
    states = played_positions(run, 36, 12)
    rows = []
    for options, wanted in (
        ("depth=6", ""), ("depth=8", "20 ms"), ("depth=8, mpc=1.5", ""), ("depth=10, mpc=1.5", ""),
        ("depth=12, mpc=1.5", ""), ("depth=12, mpc=1.2", ""), ("depth=12, mpc=1", "35 ms"),
    ):  # fmt: skip
        agent = bl.agent(f"alphabeta(ntuple({run!r}), {options})", game, seed=1)
        agent.act(states[0])  # warm up
        nodes, begin = 0.0, time.thread_time()
        for state in states[1:]:  # once each: the results for one do not help with the next
            nodes += agent.act(state).info["nodes"]
        spent = time.thread_time() - begin
        count = len(states) - 1
        rows.append(
            [
                options,
                f"{1e3 * spent / count:.1f} ms",
                wanted,
                f"{nodes / count:,.0f}",
                f"{1e6 * spent / nodes:.2f} us",
            ]
        )
    table(
        "Alpha-beta over a staged n-tuple network, 11 othello positions with 36 empty squares",
        ["options", "a decision", "wanted", "nodes", "a node"],
        rows,
        "one core, CPU time, once",
    )


def mpc(run: str) -> None:
    game = bl.game("othello")
    positions = [state for empties in (28, 32, 38, 44) for state in played_positions(run, empties, 20)]

    def choices(options: str) -> list[int]:
        agent = bl.agent(f"alphabeta(ntuple({run!r}), {options})", game, seed=1)
        return [agent.act(state).action for state in positions]

    wanted = choices("depth=10")
    rows = []
    for options in ("depth=10, mpc=1.5", "depth=10, mpc=1", "depth=8"):
        same = sum(a == b for a, b in zip(choices(options), wanted, strict=True))
        rows.append([options, f"{same} of {len(wanted)}"])
    table(
        "The action of full width, depth 10: 80 othello positions with 28 to 44 empty squares",
        ["options", "the same"],
        rows,
        "",
    )


def equal_time(run: str, games: int) -> None:
    rows = []
    for options in ("depth=10, mpc=1", "depth=12, mpc=1"):
        agents = [f"alphabeta(ntuple({run!r}), {o})" for o in (options, "depth=8")]
        result = bl.match(bl.game("othello"), agents, games=games, seed=1, random_actions=8)
        points, half = result.points[0], result.point_intervals[0]
        seconds = [f"{1000 * s:.1f} ms" for s in result.seconds_per_decision]
        rows.append([options, f"{points:.3f} ± {half:.3f}", *seconds])
    table(
        f"Multi-ProbCut against full width, depth 8, {games} othello games from random openings",
        ["options", "points a game, 95%", "a decision", "of depth 8"],
        rows,
        "wall clock a decision, whole games",
    )


def endgame(run: str) -> None:
    rows = []
    for empties in (8, 10, 12, 14, 16, 18):
        states = played_positions(run, empties, 12)
        row = [str(empties)]
        for outcome in ("score", "discs"):
            solutions = [state.core.solve(2**60, outcome) for state in states]
            nodes = sum(solution[2] for solution in solutions) / len(states)
            spent = milliseconds(lambda s, outcome=outcome: s.core.solve(2**60, outcome), states, 2)
            row += [f"{spent:.3g} ms", f"{nodes:,.0f}"]
        rows.append(row)
    table(
        "Othello endgames, 12 positions each",
        ["empty squares", "win/loss/draw", "nodes", "exact", "nodes"],
        rows,
        "one core, CPU time, best of 2",
    )


def ffo(numbers: Sequence[int]) -> None:
    rows = []
    for number in numbers:
        board, side, wanted = FFO[number]
        fields = [*("-XO".index(cell) for cell in board), "XO".index(side)]
        state = bl.game("othello").from_fields(fields)
        begin = time.thread_time()
        scores, action, nodes = state.core.solve(2**60, "discs")
        spent = time.thread_time() - begin
        value = int(scores[state.player])
        rows.append(
            [
                f"#{number}",
                str(int(state.moves_left)),
                f"{value:+} {state.action_text(action)}",
                "right" if value == wanted else f"WRONG, {wanted:+}",
                f"{nodes / 1e6:.1f} M",
                f"{spent:.2f} s",
                f"{nodes / spent / 1e6:.1f} M",
            ]
        )
    table(
        "FFO endgames solved exactly (wanted: #40 under 2 s)",
        ["", "empty", "found", "", "nodes", "time", "nodes/s"],
        rows,
        "one core, CPU time, once",
    )


def connectfour() -> None:
    rows = []
    for height, width in ((4, 4), (4, 5), (5, 4), (5, 5), (4, 6), (6, 4), (5, 6), (6, 5), (4, 7)):
        game = bl.game("connectfour", rows=height, cols=width)
        agent = bl.agent(
            f"alphabeta(solve_below={height * width}, solve_nodes=60_000_000, table_mb=256)", game
        )
        begin = time.thread_time()
        decision = agent.act(game.initial_state())
        spent = time.thread_time() - begin
        proven = decision.info["proven"] == 1
        value = {1: "won", 0: "drawn", -1: "lost"}[round(decision.scores[0])] if proven else "given up"
        rows.append([f"{height} rows x {width}", value, f"{decision.info['nodes']:,.0f}", f"{spent:.2f} s"])
    table(
        "Connect Four solved from the start by the generic solver (at most 60 M nodes)",
        ["board", "first player", "nodes", "time"],
        rows,
        "one core, CPU time, once",
    )


def threads() -> None:
    rows = []
    for name, judge, depth in (("othello", "heur", 13), ("connectfour", "score", 21)):
        game = bl.game(name)
        spent: dict[int, tuple[float, float, float]] = {}
        for count in (1, 2):
            wall = cpu = nodes = 0.0
            for seed in range(6):
                state = game.initial_state()
                for _ in range(6):
                    state.apply(random.Random(f"{seed} {state.to_text()}").choice(state.legal_actions()))
                agent = bl.agent(f"alphabeta({judge}, depth={depth}, threads={count})", game, seed=0)
                begin, begin_cpu = time.perf_counter(), time.process_time()
                nodes += agent.act(state).info["nodes"]
                wall += time.perf_counter() - begin
                cpu += time.process_time() - begin_cpu
            spent[count] = (wall, cpu, nodes)
        for count, (wall, cpu, nodes) in spent.items():
            speedup = f"{spent[1][0] / wall:.2f}x"
            rows.append(
                [
                    f"{name}, depth {depth}",
                    str(count),
                    f"{nodes / 1e6:.1f} M",
                    f"{cpu:.1f} s",
                    f"{wall:.1f} s",
                    speedup,
                ]
            )
    table(
        "Threads of alpha-beta to equal depth, 6 positions after 6 random actions",
        ["", "threads", "nodes", "CPU", "wall clock", "speedup"],
        rows,
        "once",
    )


def expectimax(folder: Path) -> None:
    game = bl.game("2048")
    bl.train(game, "td-ntuple", episodes=1000, out=folder, seed=1)
    rows = []
    for depth in (1, 2, 3):
        agent = bl.agent(f"expectimax(ntuple({str(folder)!r}), depth={depth})", game, seed=1)
        state, chooser, decisions, nodes = game.initial_state(1), random.Random(1), 0, 0.0
        begin = time.thread_time()
        while not state.is_terminal and time.thread_time() - begin < 3:
            if state.player == bl.CHANCE:
                rolls, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply(chooser.choices(rolls, weights)[0])
                continue
            decision = agent.act(state)
            state.apply(decision.action)
            decisions += 1
            nodes += decision.info["nodes"]
        spent = time.thread_time() - begin
        rows.append([str(depth), f"{decisions / spent:,.0f}", f"{1e6 * spent / nodes:.2f} us"])
    table(
        "Expectimax over the paper's n-tuples of 2048 (trained for 1000 episodes), Python loop included",
        ["depth", "decisions/s", "a node"],
        rows,
        "one core, CPU time, once",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = ["alphabeta", "endgame", "connectfour", "expectimax"]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"by default {', '.join(usual)}")
    parser.add_argument("--run", help="a run folder of a staged n-tuple network of othello")
    parser.add_argument("--episodes", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=100, help="games of the part match")
    options = parser.parse_args()
    options.parts = options.parts or usual
    if unknown := set(options.parts) - {*usual, "mpc", "match", "ffo", "threads"}:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        run = options.run
        if run is None and {"alphabeta", "mpc", "match", "endgame"} & set(options.parts):
            run = othello_run(Path(folder) / "othello", options.episodes)
        if "alphabeta" in options.parts:
            alphabeta(run)
        if "mpc" in options.parts:
            mpc(run)
        if "match" in options.parts:
            equal_time(run, options.games)
        if "endgame" in options.parts:
            ffo([40])
            endgame(run)
        if "ffo" in options.parts:
            ffo(list(FFO))
        if "connectfour" in options.parts:
            connectfour()
        if "threads" in options.parts:
            threads()
        if "expectimax" in options.parts:
            expectimax(Path(folder) / "2048")


if __name__ == "__main__":
    main()
