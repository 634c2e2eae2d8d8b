"""Speed and statistics of the arena.

python bench/arena.py               # games a second, two threads beside one, rating 23,520 games of 49 players
python bench/arena.py statistics    # how often 95% intervals cover the truth, error rates of the SPRT
"""

import argparse
import itertools
import random
import tempfile
import time
from pathlib import Path

from common import best, rate, table

import boardlab as bl
from boardlab.arena.ratings import Result, bayes_elo, glicko2, openskill, read_pgn_results
from boardlab.arena.sprt import RunningSprt, Sprt, expected_points

try:
    import openskill.models as peer_models
except ImportError:
    peer_models = None

GAMES = 10_000


def records() -> None:
    """Write games as PGN, read, replay and store them, a thousand at a time."""
    rows = []
    for name in ("connectfour", "othello", "2048"):
        game = bl.game(name)
        result = bl.match(game, ["random"] * game.players, 1000)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "games.pgn"

            def write(result=result, file=file) -> int:
                result.save(file)
                return result.games

            def store(result=result, game=game, file=file) -> int:
                return bl.store(file.with_suffix(".db")).add_games(game, result.agents, result.records)

            found = best(
                {
                    "written": lambda write=write: rate(write),
                    "read": lambda file=file: rate(lambda: len(bl.read_records(file))),
                    "stored": lambda store=store: rate(store),
                }
            )
        rows.append([name, *(f"{found[column]:,.0f}" for column in ("written", "read", "stored"))])
    table("Records of random games, games a second of one core", ["game", "written", "read", "stored"], rows)


def matches() -> None:
    """Random players: the cost of a match beside the agents' thinking."""
    rows = []
    for name in ("tictactoe", "connectfour", "othello"):
        game = bl.game(name)
        found = best({"games": lambda game=game: rate(lambda: bl.match(game, ["random"] * 2, GAMES).games)})
        rows.append([name, f"{found['games']:,.0f}"])
    table("Matches of two random players, records in memory, games a second", ["game", "games/s"], rows)


def threads() -> None:
    """One thread beside two.

    Others may use the machine, so what two threads could save is measured by how evenly the work was spread: CPU time of
    one thread / the larger share of two.
    """
    game = bl.game("connectfour")
    agents = ["mcts(rollout, iterations=200)", "mcts(rollout, iterations=100)"]
    rows = []
    for _ in range(3):
        cpu, wall = [], []
        for number in (1, 2):
            started, used, mine = time.perf_counter(), time.process_time(), time.thread_time()
            bl.match(game, agents, games=400, seed=1, threads=number)
            mine, used = time.thread_time() - mine, time.process_time() - used
            wall.append(time.perf_counter() - started)
            cpu.append(max(mine, used - mine))
        rows.append(
            [f"{wall[0]:.2f}", f"{wall[1]:.2f}", f"{wall[0] / wall[1]:.2f}", f"{cpu[0] / cpu[1]:.2f}"]
        )
    table(
        "A match on one and two threads", ["wall 1, s", "wall 2, s", "speed-up", "on an idle machine"], rows
    )


def ladder(players: int, games_a_pair: int) -> str:
    """A round robin as in Fig. A.2 of Wang (2021)."""
    rng = random.Random(1)
    elo = [rng.gauss(0, 60) for _ in range(players - 1)] + [-1000.0]
    games = []
    for i in range(players):
        for j in range(i + 1, players):
            for k in range(games_a_pair):
                first, second = (i, j) if k % 2 else (j, i)
                won = rng.random() < 1 / (1 + 10 ** ((elo[second] - elo[first]) / 400))
                games.append(
                    f'[Event "arena.pgn"]\n[Iteration "{len(games)}"]\n[Site "here"]\n[Round "{k}"]\n'
                    f'[White "run{first}"]\n[Black "run{second}"]\n[Result "{"1-0" if won else "0-1"}"]\n'
                    f'Here are detailed game moves for [Iteration "{len(games)}, round{k}"]\n\n'
                )
    return "".join(games)


def ratings() -> None:
    """Rate as many games as Table A.3 of Wang (2021): 49 players, 20 games a pair."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.pgn"
        path.write_text(ladder(49, 20))
        started = time.process_time()
        results = read_pgn_results(path)
        read = time.process_time() - started
    rows = [["read the PGN file", f"{len(results):,}", f"{read:.2f}"]]
    for name, work in (
        ("Bayesian Elo with error bars and superiority", lambda: bayes_elo(results).superiority),
        ("Bayesian Elo, exact opponents", lambda: bayes_elo(results, bounds="exact-opponents")),
        ("Glicko-2", lambda: glicko2(results)),
        ("openskill, ours", lambda: openskill(results)),
        ("openskill, the package", lambda: _peer(results)),
    ):
        if peer_models is None and "package" in name:
            continue
        started = time.process_time()
        work()
        rows.append([name, f"{len(results):,}", f"{time.process_time() - started:.2f}"])
    table("Rating 49 players", ["what", "games", "CPU s"], rows)


def _peer(results) -> None:
    model = peer_models.PlackettLuce(tau=0.0)
    rated = {}
    for result in results:
        teams = [[rated.get(name) or model.rating()] for name in result.players]
        teams = model.rate(teams, scores=list(result.scores))
        rated.update({name: team[0] for name, team in zip(result.players, teams, strict=True)})


def coverage(tournaments: int = 500) -> None:
    """Draw ladders of six with draws and a first-move advantage from the model; rate them."""
    rng = random.Random(1)
    truth = dict(zip("abcdef", (220, 100, 30, -20, -110, -220), strict=True))
    rows = []
    for rounds in (2, 8, 30):
        covered = {"covariance": 0, "exact-opponents": 0}
        for _ in range(tournaments):
            results = []
            for first, second in list(itertools.permutations(truth, 2)) * rounds:
                x, chance = truth[first] - truth[second] + 50, rng.random()
                win, loss = expected_points(x - 80), expected_points(-x - 80)
                scores = (1.0, 0.0) if chance < win else (0.0, 1.0) if chance < win + loss else (0.5, 0.5)
                results.append(Result((first, second), scores))
            for bounds in covered:
                rated = bayes_elo(results, bounds=bounds)
                for r in rated.ratings:
                    covered[bounds] += r.elo - r.minus <= rated.scale * truth[r.name] <= r.elo + r.plus
        rows.append([f"{10 * rounds}", *(f"{n / tournaments / 6:.1%}" for n in covered.values())])
    table(
        f"Bayesian Elo: how often 95% intervals cover the truth, {tournaments} tournaments of six",
        ["games a player", "covariance", "exact opponents"],
        rows,
    )


def error_rates(tests: int = 1000) -> None:
    """SPRT of 0 against 40 Elo: pairs of games on lopsided openings, 40% draws."""
    rng = random.Random(1)
    test = Sprt(0, 40, 0.05, 0.05)
    rows = []
    for elo in (0, 20, 40):
        accepted, pairs = 0, 0
        for _ in range(tests):
            running, decided = RunningSprt(test, 5), False
            while not decided:
                bias, half_points = rng.choice((-0.15, 0.15)), 0
                for side in (1, -1):
                    win, chance = expected_points(elo) - 0.2 + side * bias, rng.random()
                    half_points += 2 if chance < win else 1 if chance < win + 0.4 else 0
                decided = running.add(half_points)
                pairs += 1
            accepted += running.result.accepted == "H1"
        rows.append([f"{elo}", f"{accepted / tests:.1%}", f"{2 * pairs / tests:.0f}"])
    table(
        f"SPRT 0 against 40 Elo, alpha = beta = 5%, {tests} tests",
        ["true Elo", "H1 accepted", "games on average"],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", default="speed", choices=("speed", "statistics"))
    if parser.parse_args().part == "statistics":
        coverage()
        error_rates()
    else:
        matches()
        records()
        threads()
        ratings()


if __name__ == "__main__":
    main()
