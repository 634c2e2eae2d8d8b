"""The checks that compiled rules pass once, before they are used.

First the uncompiled rules go through the kit, so that mistakes show as errors of Python; then the compiled
ones; then both play the same games and must answer alike.
"""

import random
import warnings
from typing import TYPE_CHECKING, Any

from boardlab import _engine
from boardlab.errors import BoardLabError, BoardLabWarning, shown
from boardlab.games.flat.uncompiled import Uncompiled

if TYPE_CHECKING:
    from boardlab.games.python import PythonGame

GAMES = 6
"""Random games of the kit."""
COMPARED = 4
"""Games that compiled and uncompiled rules both play."""
LONGEST = 120
"""Actions of such a game that are compared."""
PATIENCE = 10
"""Seconds that uncompiled rules may take for one position."""


def accept(
    rules: "PythonGame",
    core: _engine.Game,
    other: _engine.Game | None = None,
    asked: Uncompiled | None = None,
) -> None:
    """Check rules with the kit; with `other`, also that both answer alike."""
    from boardlab.games.game import Game
    from boardlab.testing import ConformanceError, check_here

    game = Game.of_core(rules, core)
    try:
        with warnings.catch_warnings():
            if other is not None:
                warnings.simplefilter("ignore", BoardLabWarning)  # the uncompiled rules have said it
            check_here(game, GAMES, patience=PATIENCE)
    except ConformanceError as error:
        raise BoardLabError(f"{rules.name} was not accepted: {error}") from error
    if other is not None and asked is not None:
        for seed in range(COMPARED):
            _compare(rules.name, core, other, asked, seed)


def _compare(name: str, compiled: _engine.Game, python: _engine.Game, asked: Uncompiled, seed: int) -> None:
    """Play a random game with both, and compare what they say of each position."""
    rng = random.Random(seed)
    one, other = (
        core.training_start(seed) if seed % 2 else core.initial_state(seed) for core in (compiled, python)
    )
    for _ in range(LONGEST):
        number = rng.getrandbits(32)
        said, expected = _said(one, number), _said(other, number)
        for function, answer in said.items():
            if answer != expected[function]:
                position = asked.layout.read(other.to_bytes())
                raise BoardLabError(
                    f"{name} was not accepted: {function} gives {_shown(answer)} compiled and "
                    f"{_shown(expected[function])} in Python, in the position {position!r}; does a number "
                    "overflow, or is a part of an array copied onto itself?"
                )
        if one.is_terminal:
            break
        action = rng.choice(one.legal_actions())
        one.apply(action)
        other.apply(action)


def _said(state: _engine.State, seed: int) -> dict[str, Any]:
    """Return all that the rules say of a position."""
    game = state.game
    said: dict[str, Any] = {
        "the position": state.to_bytes(),
        "player": state.player,
        "legal": state.legal_actions(),
        "round_over": state.round_over,
        "moves_left": state.moves_left,
        "stage": state.stage,
    }
    for outcome in game.outcomes:
        said["scores" if outcome == "score" else f"reward {outcome}"] = state.outcome(outcome).tolist()
    if state.player == _engine.CHANCE:
        said["chance"] = state.chance_outcomes()
        said["sample_chance"] = state.sample_chance(seed)
    for player in range(game.players):
        for name, is_there in (
            ("board_vector", game.cells),
            ("planes", any(game.plane_shape)),
            ("features", game.feature_count),
            ("feature_indices", game.feature_table_sizes),
        ):
            if is_there:
                said[f"{name} of player {player}"] = getattr(state, name)(player).tolist()
        if game.is_hidden:
            said[f"conceal of player {player}"] = state.seen_by(player).to_bytes()
            said[f"observe of player {player}"] = state.observe(player)
            said[f"determinize of player {player}"] = state.determinize(player, seed).to_bytes()
            said[f"completions of player {player}"] = [
                (full.to_bytes(), p) for full, p in state.completions(player)
            ]
    if game.symmetries > 1:
        g = seed % game.symmetries
        said[f"symmetry {g}"] = state.symmetry(g).to_bytes()
        if state.player >= 0:
            said[f"symmetry_action {g}"] = [state.symmetry_action(g, a) for a in state.legal_actions()]
    if game.has_solver and state.player >= 0:
        solved = state.solve(1, "score")
        said["solve"] = solved and solved[0].tolist()
    return said


def _shown(answer: Any) -> str:
    return "other bytes" if isinstance(answer, bytes) else shown(answer)
