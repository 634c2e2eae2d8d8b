"""Evaluators and agents of a user that lie, raise, re-enter and sleep, under every search.

What comes back is a legal action, a BoardLabError, or what the user's code raised. (Games that lie are in
`lying_games`.)
"""

import contextlib
import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from fuzz.junk import JUNK, near
from fuzz.patience import TookTooLongError, at_most

import boardlab as bl
from boardlab.evaluators import EVALUATORS

SECONDS = 4.0
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("tictactoe", {}), ("connectfour", {"rows": 4, "cols": 5}), ("othello", {"size": 4}), ("2048", {"size": 2}),
    ("nim", {"heaps": (3, 2), "players": 3}), ("ewn", {"size": 3}), ("kuhnpoker", {}), ("poker", {"rounds": 1}),
    ("rubiks", {"twists": 3}), ("sim", {"nodes": 5, "players": 3}), ("hex", {"size": 3, "swap": True}),
]  # fmt: skip
SEARCHES = [
    "mcts(X, iterations=30)", "mcts(X, iterations=40, batch=8)", "mcts(X, iterations=40, threads=2)", "greedy(X)",
    "policy(X)", "mcts(X, iterations=30, gumbel=4)", "alphabeta(X, depth=3)", "maxn(X, depth=2)", "mc(X, iterations=20)",
    "expectimax(X, depth=1)", "ismcts(X, iterations=30)", "mcts(mix(X, rollout), iterations=20)", "beam(X, width=3)",
    "rhea(X, iterations=10)", "greedy(endgame(X, empty=4))", "forest",
]  # fmt: skip


class OwnError(Exception):
    """What the user's code raises."""


@dataclass(frozen=True)
class Case:
    game: str
    parameters: dict[str, Any]
    role: str
    search: str
    deed: str
    inputs: str
    priors: bool
    seed: int


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        game, parameters = rng.choice(GAMES)
        yield Case(
            game, parameters, rng.choice(["evaluator", "evaluator", "agent"]), rng.choice(SEARCHES),
            rng.choice(["lie", "lie", "lie", "raise", "re-enter", "sleep", "thread", "scribble", "keep"]),
            rng.choice(["planes", "cells", "states"]), rng.random() < 0.7, rng.randrange(2**32),
        )  # fmt: skip


class Culprit:
    """The user's code: honest at first, then does its deed."""

    def __init__(self, case: Case, game: bl.Game) -> None:
        self.case, self.game, self.rng = case, game, random.Random(case.seed)
        self.calls, self.patience = 0, self.rng.choice([0, 0, 1, 3, 10])
        self.again: Callable[[], object] = lambda: None
        self.kept: list[Any] = []
        self.lock = threading.Lock()

    def turn(self) -> str:
        """What to do in this call."""
        with self.lock:
            self.calls += 1
            return self.case.deed if self.calls > self.patience and self.rng.random() < 0.7 else "be honest"

    def do(self, deed: str, shown: Any) -> None:
        match deed:
            case "raise":
                raise self.rng.choice([OwnError("mine"), OwnError(), MemoryError(), RecursionError("mine")])
            case "re-enter":
                self.again()
            case "sleep":
                time.sleep(0.001)
            case "thread":
                other = threading.Thread(target=self.guarded)
                other.start()
                other.join(2)
            case "scribble":
                if isinstance(shown, np.ndarray) and shown.flags.writeable:
                    shown[...] = 7
                elif isinstance(shown, bl.State):
                    while not shown.is_terminal and shown.actions_played < 100:
                        shown.apply(shown.legal_actions()[0])
            case "keep":
                self.kept.append(shown)

    def guarded(self) -> None:
        with contextlib.suppress(Exception):
            self.again()

    # ---- as an evaluator ----

    def judge(self, shown: Any, legal: Any) -> Any:
        rows, players = len(legal), self.game.players
        values = np.zeros(rows) if players <= 2 else np.zeros((rows, players))
        answer: Any = (values, np.zeros(np.shape(legal))) if self.case.priors else values
        deed = self.turn()
        self.do(deed, shown)
        if deed != "lie":
            return answer
        lies = [
            lambda: self.rng.choice(JUNK), lambda: near(values, self.rng), lambda: (near(values, self.rng), answer[-1]),
            lambda: (values, near(np.zeros(np.shape(legal)), self.rng)), lambda: (values,), lambda: (values, None, None),
            lambda: np.full(values.shape, self.rng.choice([math.nan, math.inf, -math.inf, 1e300, -7.0])),
            lambda: (values, np.full(np.shape(legal), self.rng.choice([math.nan, math.inf, -math.inf]))),
            lambda: (values, self.rng.choice(JUNK)),
        ]  # fmt: skip
        return self.rng.choice(lies)()

    # ---- as an agent ----

    def act(self, state: bl.State) -> Any:
        honest = self.rng.choice(state.legal_actions())
        deed = self.turn()
        self.do(deed, state)
        if deed != "lie":
            return honest
        return self.rng.choice(
            [near(honest, self.rng), self.rng.choice(JUNK), -1, self.game.action_count, np.int64(honest)]
        )


def run(case: Case) -> None:
    known = dict(EVALUATORS)
    game = bl.game(case.game, **case.parameters)
    culprit = Culprit(case, game)
    try:
        with at_most(SECONDS):
            (judged if case.role == "evaluator" else played)(case, game, culprit)
    except (bl.BoardLabError, OwnError, TookTooLongError, MemoryError, RecursionError, TypeError):
        pass
    finally:
        EVALUATORS.clear()
        EVALUATORS.update(known)


def judged(case: Case, game: bl.Game, culprit: Culprit) -> None:
    if case.search == "forest":
        forest = bl.Forest(game, 3, inputs=case.inputs if case.inputs != "states" else "planes")
        culprit.again = lambda: forest.search(culprit.judge, 3)
        for _ in range(3):
            forest.search(culprit.judge, 12)
            visits = forest.visits()
            if any(forest.state(i).is_terminal for i in range(3)):
                break
            forest.play(visits.argmax(axis=1))
        return
    bl.register_evaluator("own", inputs=case.inputs, priors=case.priors)(lambda game: culprit.judge)
    agent = bl.agent(case.search.replace("X", "own"), game, seed=case.seed % 1000)
    state = game.initial_state(case.seed % 100)
    culprit.again = lambda: agent.act(state)
    while not state.is_terminal:
        if state.player == bl.CHANCE:
            state.apply(state.sample_chance(1))
            continue
        action = agent.act(state.seen_by(state.player) if game.is_hidden else state).action
        assert action in state.legal_actions()
        state.apply(action)


def played(case: Case, game: bl.Game, culprit: Culprit) -> None:
    agent = bl.python_agent(game, culprit.act, "own")
    others = ["random"] * (game.players - 1)
    culprit.again = lambda: bl.match(game, [agent, *others], games=1)
    result = bl.match(game, [agent, *others], games=3)
    assert len(result.records) == result.games
