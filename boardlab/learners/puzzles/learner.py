"""Learns distances to the goal from random walks, or by value iteration."""

import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from boardlab import _engine
from boardlab.evaluators.net import distance_evaluator
from boardlab.games.game import Game
from boardlab.interrupts import postponing_ctrl_c
from boardlab.learners.learner import Learner
from boardlab.learners.moments import fill_moments, moments
from boardlab.learners.puzzles.settings import DaviNet, RandomWalk, goal_of
from boardlab.learners.pytorch import cosine, seeded, threaded
from boardlab.nets.device import choose_device
from boardlab.nets.distance import Distances, distance_layers
from boardlab.nets.distance_net import DistanceNet, gpu_distances
from boardlab.nets.inference import net_distances
from boardlab.nets.torch_net import from_arrays, to_arrays
from boardlab.search.agent import Agent


class DistanceLearner(Learner):
    """Learns from a batch of fresh walks in every step.

    The walks of a step come from the seed and its number, so that a resumed run ends where an unbroken one
    does (on one CPU; a GPU's sums differ in their last bits). While a step is learned, a thread walks for the
    next one.
    """

    def __init__(
        self, game: Game, settings: RandomWalk, description: Mapping[str, Any], episodes: int, seed: int
    ) -> None:
        self.game, self.settings, self.total, self.seed = game, settings, episodes, seed
        self.length = int(description["length"])
        self.threads = settings.threads or os.cpu_count() or 1
        self.device = choose_device(settings.device)
        self.walker = _engine.RandomWalks(goal_of(settings.name, game).core, min(self.threads, 16))
        layers = distance_layers(game, description)
        with seeded(seed, self.device):
            self.net = DistanceNet(layers)
            self.judging = DistanceNet(layers) if settings.iterates else self.net
        with torch.no_grad():
            self.net.head.bias.fill_(self.length / 2)  # the mean of the targets
        self.net.to(self.device)
        if settings.iterates:
            self.judging.to(self.device)
            self._renew()
        self.parameters = list(self.net.parameters())
        self.optimiser = torch.optim.AdamW(
            self.parameters, lr=settings.lr, weight_decay=settings.weight_decay, fused=self.device == "cuda"
        )
        self.steps_ahead = torch.arange(1, self.length + 1, dtype=torch.float32).repeat(settings.walks)
        self.steps_ahead = self.steps_ahead.to(self.device)
        self.ahead: tuple[int, Future[tuple[Tensor, ...]]] | None = None
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="walks")
        self.episodes_done = 0
        self.actions_done = 0
        self.random_state = 0
        self.weights = {name: array.copy() for name, array in to_arrays(self.net).items()}
        self.counters = {name: array.copy() for name, array in self._counters().items()}

    @property
    def alpha(self) -> float:
        """The learning rate of the next step."""
        done = self.episodes_done
        share = self.pace.share(done) if self.pace else done / max(self.total, 1)
        return cosine(self.settings.lr, self.settings.lr_final, share)

    @property
    def epsilon(self) -> float:
        """All actions are random."""
        return 1.0

    # ---- learning ----

    def train(self, episodes: int) -> int:
        """Learn from that many walks, in whole steps, one at least."""
        steps = max(1, episodes // self.settings.walks)
        with threaded(self.threads):
            self._learn(steps)
        return steps * self.settings.walks

    def _learn(self, steps: int) -> None:
        self.net.train()
        begun = self.episodes_done, self.actions_done
        try:
            for _ in range(steps):
                self._step()
            with postponing_ctrl_c():
                self._keep()
                begun = self.episodes_done, self.actions_done
        except BaseException:  # Ctrl-C in the middle of a step: back to what the arrays hold
            self.episodes_done, self.actions_done = begun
            self.restore()
            raise
        finally:
            self.net.eval()

    def _step(self) -> None:
        number = self.episodes_done // self.settings.walks
        if self.settings.iterates and number % self._target_every == 0:
            self._renew()
        for group in self.optimiser.param_groups:
            group["lr"] = self.alpha
        loss = self._error(number)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self.episodes_done += self.settings.walks
        self.actions_done += len(self.steps_ahead)

    def _error(self, number: int) -> Tensor:
        """The net's error on the walks of that step."""
        cells, *others = (part.to(self.device, non_blocking=True) for part in self._walks(number))
        target = self._targets(*others) if self.settings.iterates else self.steps_ahead
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.device == "cuda"):
            return functional.mse_loss(self.net(cells), target)

    def columns(self) -> dict[str, Any]:
        """The loss on walks that are not learned yet."""
        return {"loss": f"{self._loss():.6g}"}

    def _loss(self) -> float:
        """The loss on the next step's walks: the same in an interrupted and a whole run."""
        with torch.no_grad(), threaded(self.threads):
            return float(self._error(self.episodes_done // self.settings.walks))

    def _walks(self, number: int) -> tuple[Tensor, ...]:
        """The walks of that step; start those of the next one."""
        if self.ahead is None or self.ahead[0] != number:
            self.ahead = (number, self.pool.submit(self._walk, number))
        walks = self.ahead[1].result()
        self.ahead = (number + 1, self.pool.submit(self._walk, number + 1))
        return walks

    def _walk(self, number: int) -> tuple[Tensor, ...]:
        seed = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64).item()
        arrays = self.walker.walk(self.settings.walks, self.length, seed, self.settings.iterates)
        tensors = tuple(torch.from_numpy(array) for array in arrays if array is not None)
        return tuple(tensor.pin_memory() for tensor in tensors) if self.device == "cuda" else tensors

    @torch.no_grad()
    def _targets(self, successors: Tensor, solved: Tensor) -> Tensor:
        """1 + the least distance of the next positions, as the net saw it some steps ago."""
        flat = successors.reshape(-1, successors.shape[-1])
        distances = torch.cat([self._judged(part) for part in torch.split(flat, 1 << 16)]).reshape(
            solved.shape
        )
        target = 1 + distances.clamp_min(0).masked_fill(solved.bool(), 0).amin(dim=1)
        assert isinstance(self.settings, DaviNet)
        return torch.minimum(target, self.steps_ahead) if self.settings.bounded else target

    def _judged(self, cells: Tensor) -> Tensor:
        """Distances by the net of some steps ago; on a CPU the engine computes them."""
        if self.device == "cpu":
            return torch.from_numpy(self.judge(cells.numpy()))
        with torch.autocast("cuda", dtype=torch.bfloat16):
            distances: Tensor = self.judging(cells)
            return distances

    @property
    def _target_every(self) -> int:
        assert isinstance(self.settings, DaviNet)
        return self.settings.target_every

    def _renew(self) -> None:
        self.judging.load_state_dict(self.net.state_dict())
        self._ask_judging()

    def _ask_judging(self) -> None:
        """Rebuild the judge after its weights have changed."""
        self.judging.eval()
        self.judge = self._distances(self.judging)

    # ---- playing ----

    def _distances(self, net: DistanceNet) -> Distances:
        """A judge with the present weights of a net."""
        if self.device == "cuda":
            return gpu_distances(net)
        return net_distances(net.layers, to_arrays(net), "cpu", self.threads)

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the present net."""
        return distance_evaluator(self.game, self._distances(self.net))

    def agent(self, seed: int) -> Agent:
        """Beam search over the present net."""
        evaluator = self.evaluator()

        def beam(_: Game, seed: int) -> _engine.Search:
            return _engine.beam_search(evaluator, self.settings.exam_width, 0, 1, seed)

        return Agent(self.game, beam(self.game, seed), "learner", beam)

    # ---- checkpoints ----

    def _counters(self) -> dict[str, NDArray[Any]]:
        """The optimiser's memory, and the judging net where it is a second one."""
        kept: dict[str, NDArray[Any]] = {}
        if self.judging is not self.net:
            kept |= {f"judging.{name}": array for name, array in to_arrays(self.judging).items()}
        return kept | moments(self.optimiser, self.parameters)

    def _keep(self) -> None:
        """Copy nets and optimiser into the arrays that a checkpoint writes."""
        for kept, now in ((self.weights, to_arrays(self.net)), (self.counters, self._counters())):
            for name, array in now.items():
                kept[name][:] = array

    def restore(self) -> None:
        """Copy the arrays, read from a checkpoint, into nets and optimiser."""
        from_arrays(self.net, self.weights)
        if self.judging is not self.net:
            from_arrays(self.judging, self.counters, "judging.")
            self._ask_judging()
        fill_moments(self.optimiser, self.parameters, self.counters)
