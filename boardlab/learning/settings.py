"""The settings of TD n-tuple learning: one frozen dataclass, a sentence a field."""

import dataclasses
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardlab import _engine
from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.learning import layouts
from boardlab.options import check_options, option


@dataclass(frozen=True)
class TdNTuple:
    """TD(lambda) with final adaptation on an n-tuple network (papers 000 and 002).

    Names and defaults follow the papers; `boardlab.learning.presets` has the settings that fit each game.
    """

    # ---- the network ----
    layout: str = option(
        "walk",
        "walk: random walks over neighbours; points: any cells; windows: all rectangles; cells: as given",
        choices=("walk", "points", "windows", "cells"),
    )
    tuples: int = option(50, "number of tuples (walk, points)", low=1, high=100_000)
    length: int = option(6, "cells a tuple (walk, points)", low=1, high=1000)
    neighbourhood: int | None = option(
        None, "4 or 8 neighbours on a grid (walk); by default the game's own neighbours", low=4, high=8
    )
    windows: str = option("", 'shapes of the windows, rows x columns, as in "2x3 1x4"')
    cells: str = option("", 'the tuples themselves, as in "0,1,2 / 3,4,5"')
    symmetries: int = option(
        0, "0: all symmetries; 1: none; n: the identity and n - 1 others, drawn once", low=0, high=10_000
    )
    compact: bool = option(True, "no table entries for joint values of cells that the rules exclude")
    tables: str = option(
        "player", "a set of tables for each player, or one shared", choices=("player", "shared")
    )
    staged: bool = option(False, "a set of tables for every stage of the game")
    feature_tables: bool = option(False, "with the game's extra feature tables (othello: mobility)")
    sigma: str = option("tanh", "what is applied to the sum of the weights", choices=("tanh", "identity"))
    memory_gb: float = option(8.0, "refuse tables that would take more", low=0.001, high=10_000)

    # ---- the learner ----
    reward: str = option("score", "train on the score or on a named reward of the game")
    alpha: float = option(
        0.2, "learning rate, divided by the number of tuples times symmetries", low=1e-9, high=1e6
    )
    alpha_final: float | None = option(
        None, "learning rate at the end, reached geometrically; by default alpha", low=1e-9, high=1e6
    )
    epsilon: float = option(0.1, "probability of a random action", low=0, high=1)
    epsilon_final: float | None = option(
        None, "the same at the end, reached linearly; by default epsilon", low=0, high=1
    )
    lambda_: float = option(0.0, "eligibility: earlier own after-states learn with lambda**j", low=0, high=1)
    horizon_cut: float = option(0.1, "the trace ends where lambda**j falls below this", low=1e-9, high=1)
    traces: str = option("et", "et: normal; reset: a random action cuts the trace", choices=("et", "reset"))
    gamma: float = option(1.0, "discount of what is to come", low=0, high=1)
    learn_from_random: bool = option(False, "learn from random actions too (LearnFromRM)")
    adapt_others: bool = option(True, "final adaptation, part 1: the players who did not move last")
    adapt_last: bool = option(True, "final adaptation, part 2: the player who moved last")
    choose_start: float = option(
        0.0, "share of episodes that start after random actions (Choose-Start-01: 0.5)", low=0, high=1
    )
    start_actions: int = option(1, "how many random actions those are", low=1, high=1000)
    episode_limit: int | None = option(
        None, "cut episodes after so many actions; by default at the game's horizon", low=1, high=10**9
    )
    skip_reversal: bool = option(False, "do not try the action that takes the last one back (cube)")
    coherence: str = option(
        "off", "temporal coherence learning with TC-id or TC-EXP", choices=("off", "id", "exp")
    )
    tc_init: float = option(1e-4, "N and A start with this", low=1e-20, high=1e6)
    tc_beta: float = option(2.7, "TC-EXP's exponent", low=0, high=80)
    tc_accumulate: str = option(
        "change", "N and A sum up the recommended weight changes or delta", choices=("change", "delta")
    )

    def tuple_lists(self, game: Game, seed: int) -> layouts.Layout:
        """The cells of every tuple."""
        if self.neighbourhood not in (None, 4, 8):
            raise BoardLabError(f"td-ntuple: neighbourhood must be 4 or 8, not {self.neighbourhood}")
        if self.layout == "walk":
            return layouts.random_walk(game, self.tuples, self.length, seed, self.neighbourhood)
        if self.layout == "points":
            return layouts.random_points(game, self.tuples, self.length, seed)
        if self.layout == "windows":
            return layouts.windows(game, self.windows)
        return layouts.layout_from_text(self.cells)

    def symmetry_list(self, game: Game, seed: int) -> list[int]:
        """The symmetries whose boards are read, the identity first."""
        count = game.symmetries if self.symmetries == 0 else min(self.symmetries, game.symmetries)
        if count > 10_000:
            raise BoardLabError(
                f"{game.name} has {count} symmetries, too many to read at once; give symmetries a number"
            )
        if count == game.symmetries:
            return list(range(count))
        rng = random.Random(f"symmetries {seed}")
        chosen: dict[int, None] = {0: None}
        while len(chosen) < count:
            chosen[rng.randrange(game.symmetries)] = None
        return list(chosen)

    def engine_settings(self, episodes: int) -> _engine.TdSettings:
        """The learner's part, as the engine takes it."""
        settings = _engine.TdSettings()
        settings.episodes = episodes
        settings.alpha = self.alpha
        settings.alpha_final = self.alpha if self.alpha_final is None else self.alpha_final
        settings.epsilon = self.epsilon
        settings.epsilon_final = self.epsilon if self.epsilon_final is None else self.epsilon_final
        settings.decay = self.lambda_
        settings.horizon_cut = self.horizon_cut
        settings.reset_traces = self.traces == "reset"
        settings.gamma = self.gamma
        settings.learn_from_random = self.learn_from_random
        settings.adapt_others = self.adapt_others
        settings.adapt_last = self.adapt_last
        settings.start_rate = self.choose_start
        settings.start_actions = self.start_actions
        settings.episode_limit = self.episode_limit or 0
        settings.skip_reversal = self.skip_reversal
        settings.coherence = {
            "off": _engine.Coherence.NONE,
            "id": _engine.Coherence.ID,
            "exp": _engine.Coherence.EXP,
        }[self.coherence]
        settings.tc_init = self.tc_init
        settings.tc_beta = self.tc_beta
        settings.accumulate_delta = self.tc_accumulate == "delta"
        return settings

    def as_dict(self) -> dict[str, Any]:
        """All fields that are not None, for the run's file; lambda_ is written lambda."""
        return {
            name.rstrip("_"): value for name, value in dataclasses.asdict(self).items() if value is not None
        }


def settings_from(values: Mapping[str, Any]) -> TdNTuple:
    """Checked settings; `lambda`, a word that Python keeps for itself, may lack its underscore."""
    named = {"lambda_" if name == "lambda" else name: value for name, value in values.items()}
    return TdNTuple(**check_options("td-ntuple", TdNTuple, named))
