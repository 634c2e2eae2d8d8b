"""Steps of a batch of games a second: BatchEnv beside pgx in one run.

python bench/batch_env.py [GAME ...] [--games 1024]        (pip install pgx jax, for the peer)

One step plays a random legal action in each of the games, starts new games where old ones ended, and writes
the planes, the mask, the rewards and the ends of all rows. Both sides do all of it, on one core:

ours  env.step(env.random_actions()), looped in Python
pgx   jit(vmap(auto_reset(step))) over actions drawn from the mask, looped in XLA (lax.fori_loop)
"""

import argparse
import os
from collections.abc import Callable

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

from common import best, console, rate, table

import boardlab as bl

try:
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset
except ImportError:
    jax = None

PEERS = {
    "connectfour": "connect_four",
    "othello": "othello",
    "tictactoe": "tic_tac_toe",
    "hex": "hex",
    "2048": "2048",
    "kuhnpoker": "kuhn_poker",
}
STEPS = 100


def ours(name: str, games: int) -> Callable[[], float]:
    env = bl.BatchEnv(bl.game(name), games, seed=1)

    def work() -> float:
        for _ in range(STEPS):
            env.step(env.random_actions())
        return STEPS * games

    return lambda: rate(work)


def peer(name: str, games: int) -> Callable[[], float]:
    env = pgx.make(PEERS[name])
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def one_step(_, carry):
        state, key = carry
        key, choosing, nature = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choosing, logits, axis=-1)
        return step(state, actions, jax.random.split(nature, games)), key

    steps = jax.jit(lambda carry: jax.lax.fori_loop(0, STEPS, one_step, carry))
    first, key = jax.random.split(jax.random.PRNGKey(1))
    now = [(jax.jit(init)(jax.random.split(first, games)), key)]

    def work() -> float:
        now[0] = jax.block_until_ready(steps(now[0]))
        return STEPS * games

    return lambda: rate(work)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="GAME", help="by default those that both have")
    parser.add_argument("--games", type=int, default=1024)
    given = parser.parse_args()
    if unknown := next((name for name in given.names if name not in bl.games()), None):
        parser.error(f'unknown game "{unknown}"; there are {", ".join(bl.games())}')
    rows = []
    for name in given.names or PEERS:
        measures = {"ours": ours(name, given.games)}
        if jax is not None and name in PEERS:
            measures["pgx"] = peer(name, given.games)
        found = best(measures)
        row = [name, f"{found['ours'] / 1e6:.2f} M"]
        if "pgx" in found:
            row += [f"{found['pgx'] / 1e6:.2f} M", f"{found['ours'] / found['pgx']:.1f}x"]
        rows.append([*row, *[""] * (4 - len(row))])
    table(f"Steps a second, {given.games} games side by side", ["game", "ours", "pgx", "ratio"], rows)
    if jax is None:
        console.print("pgx is missing: pip install pgx jax")


if __name__ == "__main__":
    main()
