"""Measures of runs: what they hold, and what they wrote while they learned."""

import json
from dataclasses import dataclass
from typing import Any

from boardlab.experiments.measuring.measure import Measure, Numbers
from boardlab.paths import as_path


@dataclass(frozen=True)
class Weights(Measure):
    """The size of an n-tuple network, and how much of it learning has changed."""

    run: str

    name = "weights"
    values = ("tuples", "length", "weights", "active")

    def take(self, seed: int) -> Numbers:
        """Count the weights as the paper does: all joint values of cells, possible or not."""
        from boardlab.learners.ntuple.inspection import Inspection

        network = Inspection(self.run)
        found = network.weights()
        sets = network.network.entries // network.network.set_size
        return {
            "tuples": sets * len(network.layout),
            "length": max(len(cells) for cells in network.layout),
            "weights": found.uncompressed,
            "active": found.active_share_uncompressed,
        }


@dataclass(frozen=True)
class Generation(Measure):
    """The losses of a generation of AlphaZero."""

    run: str
    generation: int

    name = "generation"
    values = ("policy_loss", "value_loss")

    def take(self, seed: int) -> Numbers:
        """Read the run's own record."""
        line = generations(self.run)[self.generation - 1]
        return {name: float(line[name]) for name in self.values}


def generations(run: str) -> list[dict[str, Any]]:
    """What AlphaZero wrote about its generations."""
    text = (as_path("a run", run) / "generations.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@dataclass(frozen=True)
class Switch(Measure):
    """The generation in which an adaptive warm start ended."""

    run: str

    name = "switch"
    values = ("switch", "generations")

    def take(self, seed: int) -> Numbers:
        """Read the run's own record; a run that never switched counts as one generation more."""
        lines = generations(self.run)
        late = len(lines) + 1
        switched = next((line["generation"] for line in lines if line.get("switched")), late)
        return {"switch": switched, "generations": len(lines)}
