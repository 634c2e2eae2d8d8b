"""Games whose rules contradict themselves, for every search and learner: an error is allowed, a crash is not.

    for case in itertools.islice(lying_games.cases(random.Random(1)), 1000):
        lying_games.run(case)           # raises what must not happen
    python tests/fuzz/lying_games.py --seed 1 --cases 1000

Every answer of these rules is a right one for some position: the border to Python lets it through. But now and
then (`rate`) a function answers as if it had been asked about another position, so that nothing the engine
remembers of an earlier answer need fit the next one. Run it under AddressSanitizer (tools/sanitize.sh builds
such an engine): without it a write to the wrong place may go unnoticed.
"""

import argparse
import importlib.util
import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import boardlab as bl
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.search.forest import Forest

CELLS, ACTIONS, LENGTH = 6, 12, 8


class LieError(Exception):
    """What rules that fail raise."""


class Honest(bl.PythonGame):
    """Marks in a row of cells: action a sets cell a % 6 to 1 + a // 6. Position: actions so far, then the cells."""

    name = "honest"
    action_count = ACTIONS
    horizon = 24
    cell_values = 4

    def initial_state(self, rng):
        return (0,) * (1 + CELLS)

    def player(self, position):
        if position[0] >= LENGTH:
            return bl.TERMINAL
        if self.outcome_count and position[0] % 3 == 2:
            return bl.CHANCE
        return position[0] % self.players

    def legal(self, position):
        return [a for a in range(ACTIONS) if (a + sum(position)) % 3]

    def apply(self, position, action):
        done, *cells = position
        if self.player(position) == bl.CHANCE:
            cells[action % CELLS] = 3
        else:
            cells[action % CELLS] = 1 + action // CELLS
        return (done + 1, *cells)

    def scores(self, position):
        won = sum(position[1:]) % 3 - 1 if position[0] >= LENGTH else 0
        if self.players == 1:
            return [won]
        return [won, -won, *[0] * (self.players - 2)]

    def chance(self, position):
        return [(0, 0.5), (1, 0.25), (2, 0.25)]

    def board_vector(self, position, player):
        return [max(value, 0) for value in position[1:]]

    def adjacency(self, cell):
        return [other for other in (cell - 1, cell + 1) if 0 <= other < CELLS]

    def moves_left(self, position):
        return max(LENGTH - position[0], 0)

    def training_start(self, rng):
        return (rng.randrange(3), *[rng.randrange(3) for _ in range(CELLS)])

    def features(self, position, player):
        return [float(value) for value in position]

    def planes(self, position, player):
        return np.reshape(position[1:], (1, 2, 3)) == player + 1


class Turned(Honest):
    """The same with a symmetry."""

    name = "turned"
    symmetries = 2

    def symmetry(self, g, position):
        return (position[0], *position[:0:-1]) if g else position

    def symmetry_action(self, g, position, action):
        return action // CELLS * CELLS + CELLS - 1 - action % CELLS if g else action

    def symmetry_cells(self, g):
        return list(range(CELLS))[:: -1 if g else 1]


class Puzzle(Turned):
    """For one player."""

    name = "puzzle"
    players = 1
    is_zero_sum = False
    step_reward = -0.01


class Dice(Honest):
    """With chance."""

    name = "dice"
    outcome_count = 3


class Three(Dice):
    """For three players, with chance."""

    name = "three"
    players = 3


class Rounds(Dice):
    """Of two rounds."""

    name = "rounds"

    def round_over(self, position):
        return position[0] == LENGTH // 2


class Hidden(Honest):
    """Nobody sees the last cell."""

    name = "hidden"
    outcome_count = 3

    def legal(self, position):
        return super().legal(position[:-1])

    def conceal(self, position, player):
        return (*position[:-1], -1)

    def determinize(self, position, player, rng):
        return (*position[:-1], rng.randrange(4)) if position[-1] < 0 else position


SHAPES = (Honest, Turned, Puzzle, Dice, Three, Rounds, Hidden)

LIES: dict[str, Callable[[bl.PythonGame, Random, tuple], object]] = {
    "initial_state": lambda rules, rng, _: some_position(rng),
    "training_start": lambda rules, rng, _: some_position(rng),
    "player": lambda rules, rng, _: rng.choice(
        [*range(rules.players), bl.TERMINAL, *[bl.CHANCE] * (rules.outcome_count > 0)]
    ),
    "legal": lambda rules, rng, _: rng.sample(range(ACTIONS), rng.choice([1, 2, ACTIONS])),
    "apply": lambda rules, rng, _: some_position(rng),
    "scores": lambda rules, rng, _: some_scores(rules, rng),
    "chance": lambda rules, rng, _: [
        (o, 1 / n) for n in [rng.randint(1, 3)] for o in rng.sample(range(3), n)
    ],
    "round_over": lambda rules, rng, _: rng.random() < 0.5,
    "moves_left": lambda rules, rng, _: rng.randrange(20),
    "conceal": lambda rules, rng, given: (given[0][0], *some_position(rng)[1:]),
    "determinize": lambda rules, rng, given: (given[0][0], *some_position(rng)[1:]),
    "board_vector": lambda rules, rng, _: [rng.randrange(4) for _ in range(CELLS)],
    "adjacency": lambda rules, rng, _: rng.sample(range(CELLS), rng.randrange(CELLS)),
    "symmetry": lambda rules, rng, given: (given[1][0], *some_position(rng)[1:]),
    "symmetry_action": lambda rules, rng, _: rng.randrange(ACTIONS),
    "symmetry_cells": lambda rules, rng, _: rng.sample(range(CELLS), CELLS),
    "planes": lambda rules, rng, _: np.array([rng.random() for _ in range(CELLS)]).reshape(1, 2, 3),
    "features": lambda rules, rng, _: [rng.random() for _ in range(1 + CELLS)],
}
"""What a function answers when it lies, given its arguments: right in form, and for some position right at all."""


def some_position(rng: Random) -> tuple[int, ...]:
    return (rng.randrange(LENGTH + 1), *[rng.randrange(4) for _ in range(CELLS)])


def some_scores(rules: bl.PythonGame, rng: Random) -> list[float]:
    won = rng.uniform(-1, 1)
    return [won] if rules.players == 1 else [won, -won, *[0.0] * (rules.players - 2)]


def lying(
    shape: type[bl.PythonGame], functions: Sequence[str], rate: float, seed: int, fails: bool = False
) -> Game:
    """A game of that shape in which these functions lie (or fail, with `fails`) with a probability of `rate`."""
    rng = Random(seed)

    def liar(name: str, honest: Callable) -> Callable:
        def answer(self, *given):
            if rng.random() >= rate:
                return honest(self, *given)
            if fails:
                raise LieError(name)
            return LIES[name](self, rng, given)

        return answer

    body = {name: liar(name, getattr(shape, name)) for name in functions}
    rules = type(f"Lying{shape.__name__}", (shape,), {"name": f"lying-{shape.name}", **body})
    for _ in range(50):  # the engine looks at a game before it takes it, and so may meet a failure
        try:
            return bl.game(bl.register_game(rules).name)
        except LieError:
            continue
    raise LieError("a game that always fails")


def shape_of(game: Game) -> type[bl.PythonGame]:
    return next(shape for shape in SHAPES if game.name == f"lying-{shape.name}")


def functions_of(shape: type[bl.PythonGame]) -> list[str]:
    return [name for name in LIES if getattr(shape, name) is not getattr(bl.PythonGame, name)]


# ---- what asks them ----

AGENTS = (
    "greedy(rollout)",
    "policy(rollout)",
    "mc(rollout, iterations=20)",
    "mcts(rollout, iterations=40)",
    "mcts(rollout, iterations=40, select='puct', noise=0.5, batch=4)",
    "mcts(rollout, iterations=40, select='puct', depth=2, max_nodes=1024)",
    "mcts(rollout, iterations=40, rave=True, rave_rollouts=True, policy='rave')",
    "mcts(rollout, iterations=40, select='puct', gumbel=4, gumbel_interior=True, policy='improved')",
    "mcts(mix(rollout, score, weight=0.5), iterations=40, select='puct', threads=2)",
    "ismcts(rollout, iterations=40, start='position')",
    "ismcts(rollout, iterations=40)",
    "maxn(score, depth=2)",
    "expectimax(rollout, depth=2, worlds=4)",
    "alphabeta(score, depth=3, table_mb=1)",
    "alphabeta(score, depth=2, exact=True, table_mb=1)",
    "alphabeta(score, depth=2, solve_below=3, wld_below=6, solve_nodes=200, table_mb=1)",
    "mcts(endgame(rollout, below=4, nodes=200), iterations=30)",
    "rhea(rollout, iterations=20, length=5)",
    "nrpa(level=2, iterations=5)",
    "beam(rollout, width=10, threads=2)",
    "beam(score, width=10)",
)

LEARNERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("td-ntuple", {"layout": "points", "tuples": 4, "length": 3}),
    ("td-ntuple", {"layout": "points", "tuples": 4, "length": 3, "threads": 2}),
    ("sarsa-ntuple", {"layout": "points", "tuples": 4, "length": 3}),
    ("q-ntuple", {"layout": "points", "tuples": 4, "length": 3}),
    (
        "td-ntuple",
        {"tuples": 4, "length": 3, "search": "mcts", "search_iterations": 10, "skip_reversal": True},
    ),
    ("td-ntuple", {"tuples": 4, "length": 3, "target": "alphabeta", "solve_below": 3}),
    ("td-ntuple", {"tuples": 4, "length": 3, "replay": 50}),
    ("td-ntuple", {"tuples": 4, "length": 3, "coherence": "exp", "choose_start": 0.5}),
    ("davi", {"tuples": 4, "length": 3}),
    ("td-features", {}),
    ("q-table", {"memory_mb": 1}),
    ("qm", {"memory_mb": 1, "search_iterations": 20}),
)
if importlib.util.find_spec("torch"):
    SMALL_NET = {"blocks": 1, "channels": 4, "device": "cpu", "threads": 1}
    LEARNERS += (
        ("alphazero", {"games": 4, "parallel": 2, "simulations": 8, "warm_start": "wrora", **SMALL_NET}),
        ("alphazero", {"games": 4, "parallel": 2, "simulations": 8, "gumbel": 4, **SMALL_NET}),
    )

ALLOWED = (BoardLabError, LieError)


@cache
def players_of(shape: type[bl.PythonGame]) -> list[str]:
    """The agents that play games of this shape."""

    def plays(agent: str) -> bool:
        try:
            return bool(bl.agent(agent, lying(shape, (), 0, 0)))
        except BoardLabError:
            return False

    return [agent for agent in AGENTS if plays(agent)]


def some_state(game: Game, rng: Random) -> bl.State:
    state = game.initial_state(seed=rng.getrandbits(16))
    for _ in range(rng.randrange(6)):
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions()))
    while state.player == bl.CHANCE:
        state.apply(rng.choice(state.legal_actions()))
    return state


def ask_agent(game: Game, rng: Random, agents: Sequence[str] = ()) -> None:
    """One agent plays on through a game, so that it meets what it remembers."""
    agent = bl.agent(rng.choice(agents or players_of(shape_of(game))), game, seed=rng.getrandbits(16))
    state = some_state(game, rng)
    for _ in range(4):
        while state.player == bl.CHANCE:
            state.apply(rng.choice(state.legal_actions()))
        if state.is_terminal:
            return
        decision = agent.act(state.seen_by(state.player) if game.core.is_hidden else state)
        assert abs(sum(decision.policy.values()) - 1) < 1e-6 or decision.action not in decision.policy
        state.apply(decision.action)


def ask_match(game: Game, rng: Random) -> None:
    agents = [rng.choice(players_of(shape_of(game))) for _ in range(game.players)]
    bl.match(game, agents, games=2, seed=rng.getrandbits(16), threads=rng.choice([1, 2]))


def ask_forest(game: Game, rng: Random) -> None:
    options = rng.choice(
        [{}, {"gumbel": 4}, {"rave": True, "policy": "rave"}, {"cpuct": 2.0}, {"noise": 0.5}]
    )
    forest = Forest(
        game,
        3,
        seed=rng.getrandbits(16),
        inputs=rng.choice(["cells", "planes", "features"]),
        tree=bl.TreeOptions(
            solver=False,
            batch=rng.choice([1, 4]),
            max_nodes=rng.choice([1024, 1 << 20]),
            depth=rng.choice([None, 2]),
            **options,
        ),
        rollout_weight=rng.choice([0.0, 0.0, 0.5]),
        cache_mb=rng.choice([0, 0.01]),
        threads=rng.choice([1, 2]),
    )

    def judge(inputs, legal):
        values = np.full((len(inputs), game.players), 0.1, np.float32)
        return values, np.zeros(legal.shape, np.float32)

    for _ in range(8):
        try:
            forest.search(judge, 30)
            forest.visits(), forest.policy(), forest.values(), forest.root_values(), forest.info
            forest.play(forest.choices())
        except ALLOWED:
            continue
        over = np.flatnonzero(forest.players < 0)
        if len(over):
            forest.restart(over, training_start=rng.random() < 0.5)


def ask_learner(game: Game, rng: Random) -> None:
    learner, settings = rng.choice([known for known in LEARNERS if known[0] != "davi" or game.players == 1])
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        bl.train(
            game,
            learner,
            episodes=8 if learner == "alphazero" else 20,
            out=run,
            seed=rng.getrandbits(16),
            **settings,
        )
        kinds = {"td-features": "features", "q-table": "qtable", "qm": "qtable", "alphazero": "net"}
        kind = kinds.get(learner, "ntuple")
        ask_agent(game, rng, [f"mcts({kind}('{run}'), iterations=30)", f"greedy({kind}('{run}'))"])


def ask_state(game: Game, rng: Random) -> None:
    """The state's own functions, and those over games."""
    state = some_state(game, rng)
    bl.perft(game, 2)
    game.core.training_start(rng.getrandbits(16))
    for call in (
        lambda: state.core.playout(rng.getrandbits(16), 20),
        lambda: state.core.apply_changes(state.legal_actions()[0], 0),
        lambda: state.core.planes(0),
        lambda: state.core.features(0),
        lambda: state.core.symmetry(game.core.symmetries - 1),
        lambda: state.core.observe(0),
        lambda: state.core.completions(0, 8),
        lambda: state.core.moves_left,
    ):
        before = state.actions_played, state.core.to_bytes()
        try:
            call()
        except (*ALLOWED, IndexError):
            assert (state.actions_played, state.core.to_bytes()) == before


ASKERS = (ask_agent, ask_agent, ask_agent, ask_match, ask_forest, ask_learner, ask_state)


@dataclass(frozen=True)
class Case:
    """Who asks which game."""

    shape: str
    functions: tuple[str, ...]
    rate: float
    fails: bool
    ask: str
    seed: int


def cases(rng: Random) -> Iterator[Case]:
    """Cases for ever: games of every shape that lie in one function or in several, seldom or often."""
    while True:
        for shape in SHAPES:
            known = functions_of(shape)
            functions = rng.sample(known, 1 if rng.random() < 0.7 else rng.randint(2, len(known)))
            asks = [ask for ask in ASKERS if shape is not Hidden or ask not in (ask_forest, ask_learner)]
            for ask in rng.sample(asks, 3):
                rate, fails = rng.choice([0.02, 0.2, 0.5]), rng.random() < 0.1
                yield Case(shape.name, tuple(functions), rate, fails, ask.__name__, rng.getrandbits(32))


def run(case: Case) -> str:
    """What became of it: "answered" or the kind of error. Raises what must not happen."""
    (shape,) = (shape for shape in SHAPES if shape.name == case.shape)
    (ask, *_) = (ask for ask in ASKERS if ask.__name__ == case.ask)
    try:
        ask(lying(shape, case.functions, case.rate, case.seed, case.fails), Random(case.seed))
    except ALLOWED as error:
        return type(error).__name__
    return "answered"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--verbose", action="store_true", help="name every case before it begins")
    args = parser.parse_args()
    found: Counter[str] = Counter()
    for number, case in enumerate(itertools.islice(cases(Random(args.seed)), args.cases)):
        if args.verbose:
            print(number, case, flush=True)
        found[run(case)] += 1
    print(", ".join(f"{count} {what}" for what, count in found.most_common()))


if __name__ == "__main__":
    main()
