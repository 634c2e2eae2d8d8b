"""One generation after the other: self-play, learning, gate."""

import dataclasses
import math
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from boardlab import _engine
from boardlab.arena.match import match
from boardlab.evaluators.evaluator import EvaluatorSpec
from boardlab.evaluators.net import PLAYING_ROWS
from boardlab.evaluators.python import python_evaluator
from boardlab.evaluators.simple import Rollout
from boardlab.games.game import Game
from boardlab.interrupts import postponing_ctrl_c
from boardlab.learners.alphazero.gate import gate_match
from boardlab.learners.alphazero.gradients import Batch, Gradients
from boardlab.learners.alphazero.ranked import RankedReward
from boardlab.learners.alphazero.replay import Examples, Replay, action_type, draw_rows
from boardlab.learners.alphazero.reports import Reports
from boardlab.learners.alphazero.settings import AlphaZero
from boardlab.learners.alphazero.shares import SelfPlay
from boardlab.learners.alphazero.transfer import freeze_layers, take_over
from boardlab.learners.alphazero.warm_start import WarmStart
from boardlab.learners.learner import Learner
from boardlab.learners.moments import fill_moments, moments
from boardlab.learners.pytorch import cosine, seeded, threaded
from boardlab.nets.cpu_training import LearningNet
from boardlab.nets.device import choose_device
from boardlab.nets.inference import NetJudge, net_judge
from boardlab.nets.stored import build_net
from boardlab.nets.torch_net import Net, from_arrays, to_arrays
from boardlab.runs import RunFolder
from boardlab.search.agent import Agent
from boardlab.search.mcts import Mcts
from boardlab.search.side_by_side import MOST_TREES

RANDOM_GAMES = 100
"""Random games that show what outcomes to expect where the rules do not say."""
BATCHES_FLOATS = 1 << 20
"""Numbers in the batches of several steps that are prepared together: 4 MiB."""


@dataclass(frozen=True)
class _Judging(EvaluatorSpec):
    """The net in training, for an agent that plays during the run."""

    core: _engine.Evaluator

    def build(self, game: Game) -> _engine.Evaluator:
        """The engine's evaluator."""
        return self.core


class AlphaZeroLearner(Learner):
    """Learns a generation at a time.

    The arrays, the replay and two counters decide the next one. The random numbers of a generation come from
    the seed and its number, so that nothing else needs to be saved: a resumed run ends where an unbroken one
    does (on one CPU; a GPU's sums differ in their last bits).
    """

    saves_each_chunk = True

    def __init__(
        self, game: Game, settings: AlphaZero, description: Mapping[str, Any], episodes: int, seed: int
    ) -> None:
        self.game, self.settings, self.description = game, settings, description
        self.total, self.seed = episodes, seed
        self.threads = settings.threads or os.cpu_count() or 1
        self.device = choose_device(settings.device)
        with seeded(seed, self.device):
            net = build_net(description).to(self.device)
            # Channels last: an eighth of the time of PyTorch's own step on a CPU.
            self.net: Net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
            self.best = self.net if settings.gate.share is None else build_net(description).to(self.device)
        self.best.load_state_dict(self.net.state_dict())
        self.frozen = freeze_layers(self.net, description)
        self.optimiser = self._make_optimiser()
        self.torch_threads, answer = self.threads, self.net
        if self.device == "cpu":
            answer = LearningNet(self.net, game.initial_state().planes().shape, self.threads)
            if answer.units:  # PyTorch's threads would wait beside the engine's, on the same cores
                self.torch_threads = 1
        self.gradients = Gradients(
            self.net, answer, settings.learning.value_weight, self.device, settings.learning.batch
        )
        self.replay = Replay()
        self.reports = Reports(settings.tensorboard)
        self.gate_judges: list[NetJudge] = []  # for the new and the old net, made once: a GPU records graphs
        self.self_play = SelfPlay(game, settings.self_play, dict(description), self.device, self.threads)
        low, high, self.is_loose = game.core.outcome_range("score")
        self.scale = np.array([low, high])  # of the net's values; of what was seen where that is loose
        self.warm = WarmStart(settings.warm_start)
        self.ranked: RankedReward | None = None
        if settings.ranked.reward is not None:
            self.ranked = RankedReward(settings.ranked.reward, settings.ranked.window)
        self.episodes_done = 0
        self.actions_done = 0
        self.random_state = 0
        self.last: dict[str, Any] = {}
        self.weights = {name: array.copy() for name, array in to_arrays(self.best).items()}
        self.weights["scale"] = self.scale.copy()
        self.counters = {name: np.zeros_like(array) for name, array in self._counters().items()}
        self.counters |= self.warm.arrays | (self.ranked.arrays if self.ranked else {})
        self._keep()

    @property
    def alpha(self) -> float:
        """The learning rate of the last generation."""
        return self._lr(max(1, self.generation))

    @property
    def epsilon(self) -> float:
        """The fraction of noise in the roots' priors in the last generation."""
        warm = self.warm.generation(max(1, self.generation))
        tree = self.settings.self_play.tree
        has_noise = warm.has_noise if warm else tree.gumbel is None
        return tree.noise_fraction if has_noise and tree.noise is not None else 0.0

    @property
    def generation(self) -> int:
        """Generations that are finished."""
        return self.episodes_done // self.settings.self_play.games

    @property
    def generations(self) -> int:
        """Generations of the whole run."""
        return -(-self.total // self.settings.self_play.games)

    # ---- one generation ----

    def train(self, episodes: int) -> int:
        """Play and learn one generation, whatever number of episodes is requested."""
        number = self.generation + 1
        seed = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64).item() >> 1
        with threaded(self.torch_threads), seeded(seed, self.device):
            self._one_generation(number, seed)
        return self.settings.self_play.games

    def _one_generation(self, number: int, seed: int) -> None:
        settings = self.settings
        begin = time.monotonic()
        simulations = self._simulations(number)
        warm = self.warm.generation(number)
        ranking = self.ranked.ranking() if self.ranked else None
        examples, counts = self.self_play.play(
            self.best, self._target_range(), simulations, seed, warm=warm, ranking=ranking
        )
        if ranking:
            ranks = ranking.rank(examples.z, np.array(counts.coins), np.array(counts.scores))
            examples = dataclasses.replace(examples, z=ranks.astype(np.float32))
        # A search without expectations (RHEA) leaves only the result to learn from.
        examples = dataclasses.replace(examples, q=np.where(np.isnan(examples.q), examples.z, examples.q))
        played = time.monotonic()
        self.replay.add(number, examples, settings.learning.window_at(number))
        losses = self._learn(len(examples), np.random.default_rng(seed))
        learned = time.monotonic()
        facts: dict[str, Any] = {
            "generation": number,
            "simulations": simulations,
            "positions": len(examples),
            "window": len(self.replay.parts),
            **losses,
            "lr": self._lr(number),
            "simulations_per_second": counts.simulations / max(played - begin, 1e-9),
            "evaluations": counts.evaluations,
            "self_play_seconds": played - begin,
            "learning_seconds": learned - played,
            **(warm.facts() if warm else {}),
        }
        if self.game.players == 1:
            facts |= {"mean_score": float(np.mean(counts.scores)), "best_score": max(counts.scores)}
        if settings.self_play.resign is not None:
            facts |= counts.resign.facts()
        if settings.gate.share is not None and self._is_finite():
            facts |= self._pass_gate(seed)
        # All that a checkpoint keeps changes here together: an interrupted generation leaves no trace.
        with postponing_ctrl_c():
            if warm and warm.is_arena:
                self.warm.close(number, counts.arena_reward)
                facts |= {"arena_reward": counts.arena_reward, "switched": bool(self.warm.switched[0])}
            if self.ranked and ranking:
                self.ranked.add(counts.scores)
                self.scale[:] = self.ranked.range
                if not math.isnan(ranking.threshold):
                    facts["threshold"] = ranking.threshold
            self.last = facts
            self._keep()
            self.episodes_done += settings.self_play.games
            self.actions_done += counts.moves
            self.reports.add(facts)

    def _simulations(self, number: int) -> int:
        last, first = self.settings.self_play.simulations, self.settings.self_play.simulations_first
        if first is None or (self.generations < 2 and not self.pace):
            return last
        return round(first + min(self._share(number), 1) * (last - first))

    def _lr(self, number: int) -> float:
        learning = self.settings.learning
        last = learning.lr if learning.lr_final is None else learning.lr_final
        return cosine(learning.lr, last, self._share(number))

    def _share(self, number: int) -> float:
        """How far the run is in a generation: from 0 in the first to 1 in the last."""
        if self.pace:
            return self.pace.share((number - 1) * self.settings.self_play.games)
        return (number - 1) / max(self.generations - 1, 1)

    def _learn(self, fresh: int, rng: np.random.Generator) -> dict[str, float]:
        settings, number = self.settings.learning, self.generation + 1
        examples = self.replay.everything(settings.window_at(number))
        if len(examples) < 2:  # a small full_share may leave nothing; batch normalisation needs two
            return {}
        if self.is_loose and not self.ranked:
            low = min(examples.z.min(), 0.0)
            self.scale[:] = low, max(examples.z.max(), low + 1e-6)
        for group in self.optimiser.param_groups:
            group["lr"] = self._lr(number)
        rows = draw_rows(len(examples), fresh, settings.samples, settings.epochs, settings.batch, rng)
        self.net.train()
        for layer in self.frozen:  # the statistics of a frozen batch normalisation stay as they are
            layer.eval()
        self.gradients.sums.zero_()
        for batch in self._batches(examples, rows, rng):
            self.gradients(*batch)
            self.optimiser.step()
        self.net.eval()
        policy_sum, value_sum = self.gradients.sums.tolist()
        return {"policy_loss": policy_sum / len(rows), "value_loss": value_sum / len(rows)}

    def _batches(
        self, examples: Examples, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Yield the batch of every step, for rows [steps, batch].

        Several steps are prepared and moved to the device together.
        """
        width = self.game.initial_state().planes().size + self.game.action_count
        steps = max(1, BATCHES_FLOATS // (rows.shape[1] * width))
        for first in range(0, len(rows), steps):
            part = rows[first : first + steps]
            made = self._batch(examples, part.reshape(-1), rng)
            if self.device == "cuda":  # pinned: the GPU goes on with the steps before
                made = _moved(made)
            for end in range(rows.shape[1], part.size + 1, rows.shape[1]):
                chosen = slice(end - rows.shape[1], end)
                yield made[0][chosen], made[1][chosen], made[2][chosen]

    def _batch(self, examples: Examples, rows: NDArray[np.int64], rng: np.random.Generator) -> Batch:
        """Return rows as the net sees them, each turned by a random symmetry.

        Illegal actions have probability 0.
        """
        count = self.game.core.symmetries if self.settings.learning.symmetries else 1
        turns = rng.integers(0, min(count, 2**62), len(rows)).astype(np.uint64)
        planes, _, images = _engine.encode(self.game.core, examples.fields[rows], turns, "planes")
        actions = examples.actions[rows]
        row, place = np.nonzero(actions >= 0)
        action = images[row, actions[row, place]]
        is_legal = action >= 0
        policy = np.zeros(images.shape, np.float32)
        policy[row[is_legal], action[is_legal]] = examples.shares[rows][row, place][is_legal]
        mix = {"z": 0.0, "q": 1.0, "mean": 0.5}[self.settings.learning.value_target]
        value = (1 - mix) * examples.z[rows] + mix * examples.q[rows]
        low, high = self._target_range()
        # A search may expect more than any game in the window brought.
        value = np.clip(2 * (value - low) / (high - low) - 1, -1, 1).astype(np.float32)
        return torch.from_numpy(planes), torch.from_numpy(policy), torch.from_numpy(value)

    def _is_finite(self) -> bool:
        """Whether the net can play; saving a run whose weights overflowed ends it."""
        return all(bool(torch.isfinite(parameter).all()) for parameter in self.net.parameters())

    def _pass_gate(self, seed: int) -> dict[str, Any]:
        """Replace the old net if the new one scores enough from varied openings."""
        gate, play, nets = self.settings.gate, self.settings.play, (self.net, self.best)
        if self.gate_judges:
            for judge, net in zip(self.gate_judges, nets, strict=True):
                judge.load(net, *self._scale())
        else:
            trees = -(-gate.games // self.game.players)
            self.gate_judges = [self.judge(net, play.tree.batch * trees) for net in nets]
        new, old = self.gate_judges
        result = gate_match(
            self.game,
            new,
            old,
            gate.games,
            play.simulations,
            seed,
            self.threads,
            tree=play.tree,
        )
        accepted = result.score >= (gate.share or 0)
        (self.best if accepted else self.net).load_state_dict(
            (self.net if accepted else self.best).state_dict()
        )
        return {"gate_score": result.score, "gate_distinct": result.distinct, "accepted": accepted}

    # ---- playing ----

    def judge(self, net: Net, rows: int = PLAYING_ROWS) -> NetJudge:
        """A judge that asks the net about up to `rows` positions at once."""
        judge = net_judge(net, self.device, *self._scale(), self.threads)
        judge.prepare(1, min(rows, MOST_TREES), self.game.initial_state().planes().shape)
        return judge

    def _scale(self) -> tuple[float, float]:
        """The outcomes that the net's values -1 and 1 stand for."""
        low, high = self.scale.tolist()
        return low, high

    def _target_range(self) -> tuple[float, float]:
        """The targets that the net's values -1 and 1 stand for: outcomes, or ranks."""
        return (-1.0, 1.0) if self.ranked else self._scale()

    def evaluator(self) -> _engine.Evaluator:
        """An evaluator over the present net."""
        return python_evaluator(self.game, self.judge(self.best))

    def agent(self, seed: int) -> Agent:
        """The agent that takes the exams."""
        judging = _Judging(self.evaluator())
        play = self.settings.play
        spec = Mcts(judging, iterations=play.simulations, **vars(play.tree))
        return Agent(self.game, spec.build(self.game, seed), "learner", spec.build)

    # ---- what is kept ----

    def begin(self) -> None:
        """Take over the layers of another run, or the range of outcomes of random games.

        An untrained net expects the middle of its range. Where the rules give a loose range (2048 allows two
        million points), that of random games, or rounds, is nearer to the truth.
        """
        if "parent" in self.description:
            low, high = take_over(self.net, self.description)
            self.best.load_state_dict(self.net.state_dict())
            if self.is_loose:
                self.scale[:] = low, high
        elif self.is_loose and not self.ranked and not self.game.core.step_reward:
            scores = self._random_scores()
            low = min(scores.min(), 0.0)
            self.scale[:] = low, max(scores.max(), low + 1e-6)
        self._keep()

    def _random_scores(self) -> NDArray[np.float64]:
        """The scores of random games; in a game with rounds, of their first rounds."""
        if not self.game.core.has_rounds:
            games = match(self.game, ["random"] * self.game.players, RANDOM_GAMES, self.seed).records
            return np.array([game.scores for game in games])
        rollout = Rollout().build(self.game)
        seeds = np.random.SeedSequence(self.seed).generate_state(RANDOM_GAMES, np.uint64) >> np.uint64(1)
        return np.array([rollout.value(self.game.initial_state(seed).core, seed) for seed in seeds.tolist()])

    def _make_optimiser(self) -> torch.optim.Optimizer:
        settings = self.settings.learning
        # Fused: one kernel instead of several for each parameter.
        options: dict[str, Any] = {"lr": settings.lr, "weight_decay": settings.weight_decay, "fused": True}
        if settings.optimiser == "sgd":
            return torch.optim.SGD(self._learned(), momentum=0.9, **options)
        kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
        return kind(self._learned(), **options)

    def _learned(self) -> list[torch.nn.Parameter]:
        """The weights that are not frozen."""
        return [parameter for parameter in self.net.parameters() if parameter.requires_grad]

    def _counters(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the learning net and of the optimiser.

        The learning net is included only where another net plays. The optimiser starts with zeros.
        """
        kept: dict[str, NDArray[Any]] = {}
        if self.best is not self.net:
            kept |= {f"net.{name}": array for name, array in to_arrays(self.net).items()}
        return kept | moments(self.optimiser, self._learned())

    def _keep(self) -> None:
        """Copy the nets and the optimiser's memory into the arrays of a checkpoint."""
        for name, array in to_arrays(self.best).items():
            self.weights[name][:] = array
        self.weights["scale"][:] = self.scale
        for name, array in self._counters().items():
            self.counters[name][:] = array

    def restore(self) -> None:
        """Copy arrays read from a file back into the nets and the optimiser."""
        from_arrays(self.best, self.weights)
        if self.best is not self.net:
            from_arrays(self.net, self.counters, "net.")
        self.scale[:] = self.weights["scale"]
        if self.scale[0] >= self.scale[1]:
            raise ValueError("its range of outcomes is empty")
        if self.ranked:
            self.ranked.check_arrays()
        fill_moments(self.optimiser, self._learned(), self.counters)

    def place(self, folder: RunFolder) -> None:
        """Take the run's folder; a resumed run reads its examples from there."""
        self.replay.folder = RunFolder(folder.path / "replay")
        self.replay.folder.path.mkdir(exist_ok=True)
        for old in self.replay.folder.path.glob("*.npz"):  # of an earlier run, or of a lost generation
            if old.stem.isdigit() and int(old.stem) > self.generation:
                old.unlink()
        self.last = self.reports.place(folder, self.generation)
        if not self.generation or self.replay.parts:
            return
        self.replay.load(
            self.generation,
            self.settings.learning.window_at(self.generation),
            {
                "fields": ("<i4", self.game.core.field_count),
                "actions": (action_type(self.game.action_count).str, self.game.action_count),
                "shares": ("<f4", self.game.action_count),
                "z": ("<f4", self.description["values"]),
                "q": ("<f4", self.description["values"]),
            },
        )

    def examined(self, row: Mapping[str, Any]) -> None:
        """Report the exams of the last generation."""
        self.reports.examined(row, self.generation)

    def pictures(self) -> dict[str, bytes]:
        """The losses of all generations."""
        return self.reports.draw()

    def columns(self) -> dict[str, Any]:
        """Facts of the last generation, for the log."""
        names = (
            "generation",
            "simulations",
            "policy_loss",
            "value_loss",
            "gate_score",
            "gate_distinct",
            "arena_reward",
            "resigned",
        )
        columns = {name: f"{self.last[name]:.6g}" for name in names if name in self.last}
        if self.warm.is_adaptive:
            columns["switch"] = str(self.warm.switched[0] or "")
        return columns


def _moved(batch: Batch) -> Batch:
    planes, policy, value = (tensor.pin_memory().to("cuda", non_blocking=True) for tensor in batch)
    return planes, policy, value
