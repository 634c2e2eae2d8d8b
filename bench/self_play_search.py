"""What search inside self-play is worth to TD learning, on a solvable game.

python bench/self_play_search.py [VARIANT ...] --seeds 10 --jobs 2

Scheiermann and Konen (2022), Section IV-E. Trains agents for the same number of episodes with and without search
inside self-play. Two measures over positions after random actions: how often the greedy agent plays an action that
does not keep the exact value, and the mean error of the network's value of the position. Prints means over seeds with
95% intervals, and the CPU time of a training.
"""

import argparse
import random
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

from common import mean, table

import boardlab as bl
from boardlab import _engine
from boardlab.learners import LEARNERS
from boardlab.search import Agent

NETWORK = {"layout": "windows", "windows": "4x4 2x5 3x3", "coherence": "exp", "learn_from_random": True}
SELF_PLAY = {"alpha": 3.7, "epsilon": 0.2}
MCTS = {"search": "mcts", "search_iterations": 50}
VARIANTS: dict[str, dict] = {
    "none": {},
    "mcts, most visited": MCTS,
    "mcts, in proportion to visits": {**MCTS, "search_choice": "proportional"},
    "mcts, as published": {**MCTS, "search_paper": True},
    "targets by alpha-beta, 2 ahead": {"target": "alphabeta", "target_depth": 2},
    "exact targets at the end (8 left)": {"solve_below": 8},
    "exact targets and mcts": {**MCTS, "solve_below": 8},
    "none, 50 times the episodes": {},
}


@cache
def positions(rows: int, cols: int, connect: int, count: int) -> list[tuple[bl.State, dict[int, float]]]:
    """Positions after 2 to 13 random actions with the exact value of every action."""
    game = bl.game("connectfour", rows=rows, cols=cols, connect=connect)
    rng = random.Random(7)
    solver = bl.agent("alphabeta(score, depth=20, exact=True)", game, seed=0)
    found: list[tuple[bl.State, dict[int, float]]] = []
    while len(found) < count:
        state = game.initial_state()
        for _ in range(rng.randrange(2, 14)):
            if not state.is_terminal:
                state.apply(rng.choice(state.legal_actions()))
        if state.is_terminal:
            continue
        values = solver.act(state).values
        if len(set(values.values())) > 1:  # otherwise no action is wrong
            found.append((state, values))
    return found


def measure(
    variant: str, parameters: dict, episodes: int, count: int, seed: int
) -> tuple[float, float, float]:
    """Proportion of wrong actions, mean error of values, CPU seconds of the training."""
    game = bl.game("connectfour", **parameters)
    if "50 times" in variant:
        episodes *= 50  # about as much computing time as MCTS takes
    settings = LEARNERS["td-ntuple"].checked({**NETWORK, **SELF_PLAY, **VARIANTS[variant]})
    trainee = settings.build(game, settings.describe(game, seed), episodes, seed)
    begin = time.process_time()
    trainee.core.train(episodes)
    seconds = time.process_time() - begin
    evaluator = trainee.evaluator()

    def greedy(_: bl.Game, agent_seed: int) -> _engine.Search:
        return _engine.greedy_search(evaluator, agent_seed)

    agent = Agent(game, greedy(game, seed), "learner", greedy)
    wrong = error = 0.0
    for state, exact in positions(count=count, **parameters):
        decision = agent.act(state)
        best = max(exact.values())
        wrong += exact[decision.action] < best
        error += abs(max(decision.values.values()) - best)
    return wrong / count, error / count, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="VARIANT", default=[], help="; ".join(VARIANTS))
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--cols", type=int, default=5)
    parser.add_argument("--connect", type=int, default=4)
    parser.add_argument("--episodes", type=int, default=3000)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    for variant in chosen.variants:
        if variant not in VARIANTS:
            parser.error(f'unknown variant "{variant}"; there are {"; ".join(VARIANTS)}')
    parameters = {name: getattr(chosen, name) for name in ("rows", "cols", "connect")}
    rows = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for variant in chosen.variants or VARIANTS:
            one = partial(measure, variant, parameters, chosen.episodes, chosen.positions)
            wrong, error, seconds = zip(*pool.map(one, range(1, chosen.seeds + 1)), strict=True)
            rows.append(
                [variant, mean(list(wrong)), mean(list(error)), f"{sum(seconds) / len(seconds):.2f} s"]
            )
    table(
        f"connectfour {chosen.rows}x{chosen.cols}, connect {chosen.connect}, td-ntuple after {chosen.episodes:,} "
        f"episodes, {chosen.seeds} seeds, {chosen.positions} positions",
        ["search inside self-play", "wrong actions", "error of the value", "training"],
        rows,
        how="CPU time",
    )


if __name__ == "__main__":
    main()
