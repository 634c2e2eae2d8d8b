"""Searches with hidden cards: NashConv in Kuhn poker, matches in both pokers.

python bench/hidden_cards.py --games 2000 --poker-games 4000 --seed 1
python bench/hidden_cards.py --weigh
"""

import argparse
import itertools

from common import table

import boardlab as bl

AGENTS = [
    "mc(iterations=2000)",
    "mcts(iterations=2000)",
    "expectimax(depth=3)",
    'ismcts(iterations=2000, start="position")',
    "ismcts(iterations=2000)",
    "ismcts(iterations=20000)",
    "ismcts(iterations=200000)",
]


def score(state: bl.State, strategies: list[dict[bytes, float]]) -> float:
    """Score of player 0 when each bets with the probability of its strategy."""
    if state.is_terminal:
        return float(state.scores[0])
    if state.player == bl.CHANCE:
        weights = dict(state.chance_outcomes())
    else:
        bet = strategies[state.player][state.observe(state.player)]
        weights = {0: 1 - bet, 1: bet}
    return sum(weights[a] * score(child, strategies) for a, child in state.children() if weights[a])


def decisions(game: bl.Game) -> list[dict[bytes, bl.State]]:
    """One position for every observation at which a player decides."""
    found: list[dict[bytes, bl.State]] = [{}, {}]
    stack = [game.initial_state()]
    while stack:
        state = stack.pop()
        if state.player >= 0:
            found[state.player][state.observe(state.player)] = state
        stack.extend(child for _, child in state.children())
    return found


def nash_conv(game: bl.Game, agent: str, seeds: int) -> float:
    """What best responses win beyond the value of the game, both seats together."""
    positions = decisions(game)
    strategies: list[dict[bytes, float]] = [
        {
            key: sum(bl.agent(agent, game, seed=s).act(state).policy[1] for s in range(seeds)) / seeds
            for key, state in positions[player].items()
        }
        for player in (0, 1)
    ]
    gain = 0.0
    for player in (0, 1):
        best = float("-inf")
        for bets in itertools.product((0.0, 1.0), repeat=len(positions[player])):
            both = list(strategies)
            both[player] = dict(zip(positions[player], bets, strict=True))
            best = max(best, (1 - 2 * player) * score(game.initial_state(), both))
        gain += best
    return gain


def weighing() -> None:
    """What drawing worlds by what was bet changes in Kuhn poker, from the position."""
    kuhn, rows = bl.game("kuhnpoker"), []
    for iterations in (500, 2000, 20000):
        agents = [f'ismcts(iterations={iterations}, start="position", weigh={w})' for w in (True, False)]
        rows.append([f"{iterations:,}", *(f"{nash_conv(kuhn, agent, 5):.3f}" for agent in agents)])
    table(
        "NashConv in Kuhn poker, mean policy of 5 seeds",
        ["iterations", "weighed", "not"],
        rows,
        "seeds 0 to 4",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--weigh", action="store_true", help="only what weighing changes in Kuhn poker")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--poker-games", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.weigh:
        return weighing()
    kuhn = bl.game("kuhnpoker")
    rows = []
    for agent in AGENTS:
        played = bl.match(
            kuhn, [agent, "random"], games=given.games if "00000" not in agent else 200, seed=given.seed
        )
        rows.append(
            [
                agent,
                f"{nash_conv(kuhn, agent, given.seeds):.3f}",
                f"{played.mean_scores[0]:+.3f} ± {played.intervals[0]:.3f}",
            ]
        )
    table("Kuhn poker", ["agent", "NashConv", "chips a game against random"], rows)
    poker = bl.game("poker", players=2)
    rows = []
    for one, other in (
        ("ismcts(iterations=500)", "random"),
        ("mcts(iterations=500)", "random"),
        ("mc(iterations=500)", "random"),
        ("expectimax(rollout, depth=1, worlds=500)", "random"),
        ("ismcts(iterations=500)", "mcts(iterations=500)"),
        ("ismcts(iterations=500)", "mc(iterations=500)"),
        ("ismcts(iterations=500)", "tight"),
        ('ismcts(iterations=500, choose="sample")', "mcts(iterations=500)"),
        ('ismcts(iterations=500, choose="sample")', "mc(iterations=500)"),
    ):
        played = bl.match(poker, [one, other], games=given.poker_games, seed=given.seed)
        rows.append(
            [
                one,
                other,
                f"{played.mean_scores[0]:+.3f} ± {played.intervals[0]:.3f}",
                f"{played.wins[0]}/{played.games}",
            ]
        )
    table(f"Poker, two players, {given.poker_games} games", ["agent", "against", "mean score", "wins"], rows)


if __name__ == "__main__":
    main()
