"""Training speed of TD n-tuple learning with the papers' settings: actions per second of thread CPU time.

    python bench/training.py [--seconds 5] [--levels] [CASE ...]

One core, warm, the best of five stretches (a busy machine slows the others). `reference` is the authors' Java system on this kind of machine; `wanted` is our own mark.
"""

import argparse
import time

import boardlab as bl
from boardlab import _engine
from boardlab.evaluators.ntuple import build_network
from boardlab.learning.presets import preset
from boardlab.learning.settings import settings_from

CASES = {
    "connectfour, 70 8-tuples, TC-EXP": ("connectfour", {}, {}, 10_700, 320_000),
    "othello, 100 7-tuples, 8 symmetries, lambda .5": ("othello", {}, {}, 1_141, 18_000),
    "rubiks 2x2x2 HTM, 60 7-tuples": ("rubiks", {"twists": 13}, {}, 18_500, 450_000),
    "2048, four 6-tuples, 8 symmetries, TCL": ("2048", {}, {}, 1_140_000, 900_000),
    "hex 6x6, 25 6-tuples": ("hex", {"size": 6}, {}, 10_200, 300_000),
}


def measure(
    name: str, parameters: dict, extra: dict, seconds: float, level: str, warm: float
) -> tuple[float, int]:
    """Actions per CPU second in the best stretch, bytes of the tables."""
    game = bl.game(name, **parameters)
    chosen = {**preset(game, "paper"), **extra}
    episodes = chosen.pop("episodes")
    td = settings_from(chosen)
    fields = ("compact", "tables", "staged", "feature_tables", "sigma", "reward", "gamma")
    description = {
        "tuples": td.tuple_lists(game, 1),
        "symmetries": td.symmetry_list(game, 1),
        **{field: getattr(td, field) for field in fields},
    }
    network = build_network(game, description, coherent=td.coherence != "off", memory_gb=td.memory_gb)
    network.kernels = level
    learner = _engine.TdLearner(network, td.engine_settings(episodes), td.reward, 1)

    def run(limit: float) -> float:
        before, begin = learner.actions_done, time.thread_time()
        chunk = 1
        while (spent := time.thread_time() - begin) < limit:
            learner.train(chunk)
            if time.thread_time() - begin - spent < limit / 20:
                chunk *= 2
        return (learner.actions_done - before) / spent

    run(warm)
    return max(run(seconds / 5) for _ in range(5)), network.bytes


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
    options = parser.parse_args()
    levels = _engine.kernel_levels() if options.levels else _engine.kernel_levels()[-1:]
    print(
        f"{'training, paper settings':<48} {'level':<9} {'reference':>10} {'wanted':>10}"
        f" {'actions/s':>10} {'MiB':>6}"
    )
    for title, (name, parameters, extra, reference, wanted) in CASES.items():
        if options.cases and not any(part in title for part in options.cases):
            continue
        if name not in bl.games():
            continue
        for level in levels:
            speed, size = measure(name, parameters, extra, options.seconds, level, options.warm)
            print(
                f"{title:<48} {level:<9} {reference:>10,} {wanted:>10,} {speed:>10,.0f} {size >> 20:>6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
