"""Presets by game, name and learner. The data stand in each learner's folder."""

from collections.abc import Mapping
from typing import Any

from boardlab.errors import BoardLabError, check_known
from boardlab.games.game import Game
from boardlab.learners.ntuple.presets import PRESETS
from boardlab.learners.registry import LEARNERS, known_learner

__all__ = ["PRESETS", "preset"]


def preset(
    game: Game, name: str = "default", learner: str = "td-ntuple", given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The settings of that name for the game, `episodes` among them.

    The preset "default" exists for every game. `given` are the settings that the user gave, on
    which some of the others depend.
    """
    kind = known_learner(learner)
    kind.check_plays(game)
    known = kind.presets(game)
    others = [other for other in LEARNERS if isinstance(name, str) and name in LEARNERS[other].presets(game)]
    if others and learner not in others:
        there = ", ".join(sorted(known))
        raise BoardLabError(
            f"{learner} has no preset {name} for {game.name}, only {there}; it is a preset of "
            f"{', '.join(others)}"
        )
    check_known(f"preset of {learner} for {game.name}", name, sorted(known))
    return kind.fit_preset(game, name, dict(known[name]), given or {})
