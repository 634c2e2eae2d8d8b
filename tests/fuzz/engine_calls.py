"""Recorded calls of the engine, replayed with changed arguments.

A driver uses every search, learner, evaluator and the arena once, and every call that crosses into the engine on the way
is kept with its live arguments. A case is one of these calls with one to three arguments replaced by junk, by something
nearly right, or by an argument of another call. Any ordinary exception is fine: what is looked for is a crash, a hang
that Ctrl-C cannot end, and damage that shows later.
"""

import contextlib
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.junk import JUNK, near
from fuzz.patience import TookTooLongError, at_most

from boardlab import _engine

LIMIT_MB = 6000
KEPT = 12
"""Recorded calls of each function; later ones replace earlier ones at random."""
SECONDS = 1.0
"""A call that takes longer is interrupted, as by Ctrl-C."""
# Interpreters share these, or they take a minute for what no argument can change.
LEFT_OUT = {"solved_search", "make_solved"}


class Recorder:
    """Keeps calls of the engine's functions, methods and constructors while the driver runs."""

    def __init__(self) -> None:
        self.calls: dict[str, list[tuple[Callable[..., Any], list[Any], list[str]]]] = defaultdict(list)
        self.seen: dict[str, int] = defaultdict(int)
        self.rng = random.Random(0)

    def keep(
        self, name: str, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        self.seen[name] += 1
        kept, at = self.calls[name], self.seen[name] - 1
        if len(kept) == KEPT:
            at = self.rng.randrange(self.seen[name])
            if at >= KEPT:
                return
        call = (function, [copied(argument) for argument in (*given, *named.values())], list(named))
        kept[at : at + 1] = [call]

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.keep(name, function, given, named)
            return function(*given, **named)

        return call

    def stand_in(self, name: str, kind: type) -> type:
        """A class that records its calls, makes what the real one makes, and knows the real one's objects."""
        recorder = self

        class Meta(type):
            def __call__(cls, *given: Any, **named: Any) -> Any:
                recorder.keep(name, kind, given, named)
                return kind(*given, **named)

            def __instancecheck__(cls, value: Any) -> bool:
                return isinstance(value, kind)

            def __getattr__(cls, attribute: str) -> Any:
                return getattr(kind, attribute)

        return Meta(name, (), {})

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        undo: list[tuple[Any, str, Any]] = []
        for name, value in list(vars(_engine).items()):
            if isinstance(value, type):
                if issubclass(value, Exception):
                    continue
                for method, function in list(vars(value).items()):
                    if type(function).__name__ == "nb_method" and not method.startswith("_"):
                        undo.append((value, method, function))
                        setattr(value, method, self.wrapped(f"{name}.{method}", function))
                undo.append((_engine, name, value))
                setattr(_engine, name, self.stand_in(name, value))
            elif callable(value) and name not in LEFT_OUT:
                undo.append((_engine, name, value))
                setattr(_engine, name, self.wrapped(name, value))
        try:
            yield
        finally:
            for owner, name, value in reversed(undo):
                setattr(owner, name, value)


def copied(argument: Any) -> Any:
    """A state as it is now: the game goes on in the one that was given. Arrays are written into."""
    if type(argument).__name__ == "State" and hasattr(argument, "to_bytes"):
        return ORIGINAL_COPY(argument)
    if isinstance(argument, np.ndarray):
        return argument.copy()
    return argument


ORIGINAL_COPY = _engine.State.copy
NET_LEARNERS = ("alphazero", "davi-net", "random-walk")

AGENTS = [
    "random", "greedy(rollout(rollouts=2))", "mc(iterations=20)", "mcts(iterations=40)",
    "mcts(rollout, iterations=30, rave=True)", "mcts(score, iterations=40, threads=2)", "maxn(depth=2)",
    "alphabeta(depth=2)", "expectimax(depth=1)", "rhea(iterations=20)", "ismcts(iterations=20)", "nrpa(level=1)",
    "beam(width=4)", "policy(score)", "greedy(solver)", "perfect", "tiles", "bench",
]  # fmt: skip


def drive(nets: bool) -> None:
    """Use everything once, small. What a game or an agent refuses is left out: refusals are no calls.

    With `nets` also what learns by torch, whose import takes seconds.
    """
    import boardlab as bl
    from boardlab.learners import LEARNERS

    def attempt(action: Callable[[], object]) -> None:
        with contextlib.suppress(Exception):
            action()

    games = [
        bl.game("tictactoe"), bl.game("connectfour", rows=4, cols=5), bl.game("othello", size=4),
        bl.game("nim", heaps=(2, 2), players=3), bl.game("2048", size=2), bl.game("rubiks", twists=2),
        bl.game("kuhnpoker"), bl.game("blackjack", rounds=1), bl.game("poker", players=3, rounds=1),
        bl.game("ewn", size=3), bl.game("hex", size=3, swap=True), bl.game("sim", nodes=5, players=3),
    ]  # fmt: skip
    for game in games:
        state = game.initial_state(1)
        for name in ("planes", "board_vector", "completions", "children", "chance_outcomes", "symmetries"):
            if callable(member := getattr(state, name, None)):
                attempt(member)
        attempt(lambda state=state: state.core.features(0))
        attempt(lambda state=state: state.core.symmetry(1))
        attempt(lambda state=state: state.core.determinize(0, 1))
        attempt(lambda state=state: state.core.seen_by(0))
        attempt(lambda state=state: state.core.observe(0))
        attempt(lambda state=state: state.core.solve("score"))
        attempt(lambda state=state: [state.core.copy().playout(1, 5), state.core.copy().undo()])
        attempt(lambda state=state: state.core.copy().apply(state.legal_actions()[0]))
        attempt(lambda state=state: state.core.copy().apply_changes(state.legal_actions()[0], 0))
        attempt(lambda state=state: state.core.sample_chance(1))
        attempt(lambda state=state: state.core.with_history([state.core.copy()]))
        attempt(lambda game=game, state=state: game.core.adopt(state.core))
        attempt(lambda state=state: _engine.count_states([state.core], 2))
        attempt(lambda game=game: _engine.random_games(game.core, 3, 1))
        for name in ("rollout(rollouts=2)", "score", "mix(rollout, score)", "solver"):

            def ask(game: Any = game, state: Any = state, name: str = name) -> None:
                evaluator = bl.evaluator(name, game)
                evaluator.value(state)
                evaluator.action_values(state)
                evaluator.priors(state)

            attempt(ask)
        attempt(lambda game=game: bl.perft(game, 2))
        attempt(lambda game=game: game.from_fields(game.initial_state(2).fields))
        for agent in AGENTS:
            attempt(
                lambda game=game, agent=agent: bl.match(
                    game, [agent] + ["random"] * (game.players - 1), games=2
                )
            )

        def judge(inputs: Any, legal: Any, game: Any = game) -> Any:
            values = np.zeros(len(inputs)) if game.players <= 2 else np.zeros((len(inputs), game.players))
            return values, np.zeros(legal.shape)

        for options in ({}, {"inputs": "cells"}, {"batch": 4, "gumbel": 4}):

            def forest(game: Any = game, options: Any = options, judge: Any = judge) -> None:
                trees = bl.Forest(game, 3, **options)
                trees.search(judge, 10)
                trees.play(trees.visits().argmax(axis=1))
                trees.search(judge, 10)
                trees.values()

            attempt(forest)
    small = {
        "td-ntuple": {"tuples": 2, "length": 3}, "sarsa-ntuple": {"tuples": 2, "length": 3},
        "q-ntuple": {"tuples": 2, "length": 3}, "alphazero": {"games": 2, "iterations": 4, "channels": 4, "blocks": 1},
        "davi": {"tuples": 2, "length": 3}, "q-table": {"max_states": 1000}, "qm": {"max_states": 1000},
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for learner in LEARNERS:
            if learner in NET_LEARNERS and not nets:
                continue
            for game in (games[0], games[5]):
                options = small.get(learner, {})
                out = Path(folder, f"{learner}-{game.name}")
                attempt(
                    lambda game=game, learner=learner, out=out, options=options: bl.train(
                        game, learner, episodes=4, exams=[], out=out, **options
                    )
                )
                attempt(
                    lambda out=out, game=game: bl.match(game, [bl.open_run(out).agent(), "random"], games=1)
                )


@dataclass
class Case:
    """A call with its arguments, each by its recipe, so that it can be shown."""

    name: str
    function: Callable[..., Any]
    arguments: list[Any]
    keys: list[str]
    """Names of the last arguments."""
    changed: list[int]

    def __repr__(self) -> str:
        return f"{self.name} with {len(self.arguments)} arguments, of which {self.changed} are not the recorded ones"


def cases(rng: random.Random) -> Iterator[Case]:
    recorder = Recorder()
    with recorder.recording():
        drive(nets=rng.random() < 0.3)
    names = sorted(recorder.calls)
    pool = [
        argument for calls in recorder.calls.values() for _, arguments, _ in calls for argument in arguments
    ]
    objects = [value for value in pool if type(value).__module__.startswith("boardlab")]
    for name, function, target in members(objects):
        if name not in recorder.calls:
            names.append(name)
            recorder.calls[name] = [(function, [target, *rng.sample(JUNK, n)], []) for n in range(4)]
    while True:
        name = rng.choice(names)
        function, recorded, keys = rng.choice(recorder.calls[name])
        arguments = [copied(a) if rng.random() < 0.9 else a for a in recorded]
        changed = sorted(rng.sample(range(len(arguments)), min(len(arguments), rng.choice([1, 1, 1, 2, 3]))))
        for at in changed:
            arguments[at] = other(arguments[at], rng, pool, objects)
        if rng.random() < 0.03:
            arguments = arguments[:-1] if rng.random() < 0.5 else [*arguments, rng.choice(JUNK)]
        yield Case(name, function, arguments, keys, changed)


def members(objects: list[Any]) -> Iterator[tuple[str, Callable[..., Any], Any]]:
    """What the driver has not called: methods and properties of the objects' classes, each with one object."""
    seen = set()
    for target in objects:
        for kind in type(target).__mro__:
            if kind in seen or not kind.__module__.startswith("boardlab"):
                continue
            seen.add(kind)
            for name, member in vars(kind).items():
                if type(member).__name__ == "nb_method" and not name.startswith("_"):
                    yield f"{kind.__name__}.{name}", member, target
                elif isinstance(member, property) and member.fset:
                    yield f"{kind.__name__}.{name} =", member.fset, target


def other(value: Any, rng: random.Random, pool: list[Any], objects: list[Any]) -> Any:
    chance = rng.random()
    if chance < 0.35:
        return near(value, rng)
    if chance < 0.65:
        return rng.choice(JUNK)
    same = [candidate for candidate in rng.sample(pool, min(20, len(pool))) if type(candidate) is type(value)]
    if same and chance < 0.9:
        return rng.choice(same)
    return rng.choice(objects)


def run(case: Case) -> None:
    plain = max(len(case.arguments) - len(case.keys), 0)
    named = dict(zip(case.keys, case.arguments[plain:], strict=False))
    with contextlib.suppress(Exception, TookTooLongError), at_most(SECONDS):
        case.function(*case.arguments[:plain], **named)
    for argument in case.arguments:  # damage shows when it is used again
        if isinstance(argument, _engine.State):
            with contextlib.suppress(TypeError):  # one that nobody filled
                argument.legal_actions()
                argument.to_bytes()
