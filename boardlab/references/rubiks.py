"""Cubes: exact distances of the 2x2x2, Kociemba's algorithm for the 3x3x3."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardlab import _engine
from boardlab.errors import BoardLabError, MissingPackageError, install
from boardlab.games.game import Game, State
from boardlab.games.rubiks import FACES, TURNING, Rubiks
from boardlab.search.agent import Decision, python_agent
from boardlab.search.spec import SearchSpec

KOCIEMBA_FACES = "URFDLB"
"""The order of faces in the package; ours is FACES."""


@dataclass(frozen=True)
class Exact(SearchSpec):
    """Solves the 2x2x2 cube in the fewest twists, by a table of all distances."""

    name = "exact"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        if not isinstance(game.rules, Rubiks) or game.rules.size != 2:
            raise BoardLabError(f"exact solves the 2x2x2 cube, not {game!r}")
        if game.rules.step_reward == 0:
            return _exact_where_twists_are_free(game, game.rules, seed)
        return _engine.greedy_search(_engine.solver_evaluator(game.core, "score"), seed)


def _exact_where_twists_are_free(game: Game, rules: Rubiks, seed: int) -> _engine.Search:
    """Build a player that goes by distance: with free twists all values are 1."""
    costly = _where_twists_cost(rules)
    solver = _engine.greedy_search(_engine.solver_evaluator(costly.core, "score"), seed)

    def choose(state: State) -> Decision:
        action, actions, policy, *_ = solver.act(_same_cube(costly, state).core)
        shares = dict(zip(actions, policy.tolist(), strict=True))
        return Decision(action, shares, dict.fromkeys(actions, 1.0), np.ones(1))

    return python_agent(game, choose, Exact.name, solver.reset).core


def _where_twists_cost(rules: Rubiks) -> Game:
    """Return the same cube with a step reward, so that values count twists."""
    return Game(Rubiks(size=2, metric=rules.metric))


def _same_cube(game: Game, state: State) -> State:
    """Return the position of a 2x2x2 in another game; a last twist is left out."""
    return game.from_fields(state.fields[:24])


def distance(state: State) -> int:
    """Return the fewest twists that solve a 2x2x2 cube."""
    rules = state.game.rules
    if not isinstance(rules, Rubiks) or rules.size != 2:
        raise BoardLabError(f"exact distances are known for the 2x2x2 cube, not for {state.game!r}")
    if state.is_terminal:
        return 0
    if rules.step_reward == 0:
        state = _same_cube(_where_twists_cost(rules), state)
        rules = state.game.rules
        assert isinstance(rules, Rubiks)
    solved = state.solve()
    assert solved is not None
    return round((float(solved[0]) - 1) / rules.step_reward)


def twists_of(solution: str, metric: str) -> list[int]:
    """Translate Singmaster's notation; in qtm a half turn is two quarter turns."""
    actions = []
    for word in solution.split():
        face, kind = TURNING.index(word[0]), word[1:]
        if metric == "htm":
            actions.append(3 * face + ("", "2", "'").index(kind))
        else:
            actions += [2 * face] * 2 if kind == "2" else [2 * face + ("", "'").index(kind)]
    return actions


@dataclass(frozen=True)
class Kociemba(SearchSpec):
    """Solves the 3x3x3 cube in about 21 twists (htm) by Kociemba's algorithm."""

    name = "kociemba"

    def build(self, game: Game, seed: int) -> _engine.Search:
        """Make the engine's search for this game."""
        rules = game.rules
        if not isinstance(rules, Rubiks) or rules.size != 3:
            raise BoardLabError(f"kociemba solves the 3x3x3 cube, not {game!r}")
        try:
            import kociemba
        except ImportError:
            raise MissingPackageError(
                f"kociemba needs the package kociemba: {install('references')}"
            ) from None
        plan: dict[bytes, int] = {}

        def choose(state: State) -> int:
            key = state.core.to_bytes()
            if key not in plan:
                plan.clear()
                follow = state.copy()
                for action in twists_of(kociemba.solve(_facelets(state.fields)), rules.metric):
                    plan[follow.core.to_bytes()] = action
                    follow.apply(action)
            return plan[key]

        return python_agent(game, choose, self.name, lambda seed: plan.clear()).core


def _facelets(fields: Sequence[int]) -> str:
    """Write the cube for the package: 54 letters, the faces in its order."""
    letters = [FACES[value] for value in fields[:54]]  # a last twist may follow
    return "".join("".join(letters[9 * FACES.index(f) : 9 * FACES.index(f) + 9]) for f in KOCIEMBA_FACES)
