"""Speed of TD n-tuple training with the published settings.

    python bench/training.py [--seconds 5] [--levels] [--threads N] [CASE ...]

Actions a second of CPU time on one core, warm, the best of five stretches (a busy machine slows the others). There is no
peer: the authors' system is a Java program. With --threads a learner of N threads is measured in turn with the first:
`ratio` is its actions a CPU second, of all threads together, over those of one thread.
"""

import argparse
import time

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.ntuple import build_network
from boardlab.learners import TdNTuple
from boardlab.learners.presets import preset

CASES = {
    "connectfour, 70 8-tuples, TC-EXP": ("connectfour", {}, {}),
    "othello, 100 7-tuples, 8 symmetries, lambda .5": ("othello", {}, {}),
    "rubiks 2x2x2 HTM, 60 7-tuples": ("rubiks", {"twists": 13}, {}),
    "2048, four 6-tuples, 8 symmetries, TCL": ("2048", {}, {}),
    "hex 6x6, 25 6-tuples": ("hex", {"size": 6}, {}),
    "sim, 50 6-tuples, 24 symmetries, TC-EXP": ("sim", {}, {"preset": "default"}),
}


class Measured:
    """A learner and its best stretch."""

    def __init__(self, name: str, parameters: dict, extra: dict, level: str, threads: int) -> None:
        game = bl.game(name, **parameters)
        chosen = {**preset(game, extra.get("preset", "paper")), **extra}
        chosen.pop("preset", None)
        episodes = chosen.pop("episodes")
        td = TdNTuple.checked(chosen)
        fields = ("compact", "tables", "staged", "feature_tables", "sigma", "reward", "gamma")
        description = {
            "tuples": td.tuple_lists(game, 1),
            "symmetries": td.symmetry_list(game, 1),
            **{field: getattr(td, field) for field in fields},
        }
        self.network = build_network(
            game, description, coherent=td.coherence != "off", memory_gb=td.memory_gb
        )
        self.network.kernels = level
        self.learner = _engine.TdLearner(self.network, td.engine_settings(episodes), td.reward, 1, threads)
        self.best = 0.0

    def run(self, limit: float) -> float:
        """Actions a CPU second, over about `limit` seconds."""
        before, begin = self.learner.actions_done, time.process_time()
        chunk = 1
        while (spent := time.process_time() - begin) < limit:
            self.learner.train(chunk)
            if time.process_time() - begin - spent < limit / 20:
                chunk *= 2
        return (self.learner.actions_done - before) / spent


def measure(
    name: str, parameters: dict, extra: dict, seconds: float, level: str, warm: float, threads: int
) -> tuple[list[float], int]:
    """Actions a CPU second in the best stretch, by threads; bytes of the tables."""
    counts = [1, threads] if threads > 1 else [1]
    measured = [Measured(name, parameters, extra, level, count) for count in counts]
    for one in measured:
        one.run(warm)
    for _ in range(5):
        for one in measured:
            one.best = max(one.best, one.run(seconds / 5))
    return [one.best for one in measured], measured[0].network.bytes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", help="parts of the names of cases")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds a case")
    parser.add_argument(
        "--warm", type=float, default=5.0, help="CPU seconds of training before the clock starts"
    )
    parser.add_argument(
        "--levels", action="store_true", help="every level of vector instructions, not only the best"
    )
    parser.add_argument("--threads", type=int, default=1, help="also measure this number of threads")
    options = parser.parse_args()
    if not 1 <= options.threads <= 1024:
        parser.error("--threads must be from 1 to 1024")
    levels = _engine.kernel_levels() if options.levels else _engine.kernel_levels()[-1:]
    print(
        f"{'training, paper settings':<48} {'level':<9} {'actions/s':>10} {'MiB':>6}"
        + (f" {'threads':>8} {'ratio':>6}" if options.threads > 1 else "")
    )
    for title, (name, parameters, extra) in CASES.items():
        if options.cases and not any(part in title for part in options.cases):
            continue
        if name not in bl.games():
            continue
        for level in levels:
            speeds, size = measure(
                name, parameters, extra, options.seconds, level, options.warm, options.threads
            )
            several = "".join(f" {speed:>8,.0f} {speed / speeds[0]:>6.2f}" for speed in speeds[1:])
            print(
                f"{title:<48} {level:<9} {speeds[0]:>10,.0f} {size >> 20:>6}{several}",
                flush=True,
            )


if __name__ == "__main__":
    main()
