"""The plan of a sweep: what was asked for, checked before anything starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.arena.elsewhere import check_known_elsewhere
from boardlab.arena.exams import exams_for
from boardlab.checks import as_integer, as_seed
from boardlab.errors import BoardLabError, shown
from boardlab.experiments.sweep_search import check_search
from boardlab.experiments.sweep_space import (
    FIXED,
    Axis,
    Setting,
    Space,
    Variant,
    count,
    grid,
    read_axes,
    read_variants,
)
from boardlab.experiments.sweep_values import alternatives
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game as make_game
from boardlab.learners.exams import plan_exams
from boardlab.learners.registry import default_learner, known_learner
from boardlab.learners.run_options import MOST_GAMES, RunOptions
from boardlab.learners.usual_exams import usual_plan
from boardlab.numbers import counted
from boardlab.plugins import plugins_for

MOST_RUNS = 1000
"""Runs, or exams where nothing is trained, that are started without asking."""
MOST_SEEDS = 10_000
MOST_TRIALS = 100_000


@dataclass(frozen=True)
class Point:
    """What is measured: a setting, and the agent that plays with it."""

    setting: Setting
    variant: Variant | None

    @property
    def key(self) -> tuple[str, str]:
        """Equal for equal points."""
        return self.setting.folder, self.variant.template if self.variant else ""

    @property
    def chosen(self) -> dict[str, Any]:
        """The values of all axes."""
        return {**self.setting.chosen, **(self.variant.chosen if self.variant else {})}

    @property
    def name(self) -> str:
        """For progress and errors."""
        return " ".join(
            part for part in (self.setting.name, self.variant.template if self.variant else "") if part
        )


class Plan:
    """A sweep as it was asked for, checked."""

    def __init__(
        self,
        game: Game | str,
        learner: str | Sequence[str] | None,
        seeds: int,
        exams: str | Sequence[str] | None,
        agent: str | Sequence[str] | None,
        search: str | None,
        trials: int,
        batch: int,
        given: Mapping[str, Any],
    ) -> None:
        self.game, self.game_name = game, game.name if isinstance(game, Game) else str(game)
        if not isinstance(game, Game):
            make_game(game)  # refuses an unknown one
        self.search = search
        if search is not None:
            check_search(search)
        self.trials = as_integer("trials", trials, 1, MOST_TRIALS)
        self.batch = as_integer("batch", batch, 1, self.trials)
        self.seed = as_seed(given.get("seed", 0))
        self.seeds = [self.seed + 1 + i for i in range(as_integer("seeds", seeds, 1, MOST_SEEDS))]
        self.fixed = {name: given[name] for name in FIXED if given.get(name) is not None}
        RunOptions.checked(self.fixed)
        learners = self._learners = _learners(learner, given)
        varied = {
            name: value for name, value in given.items() if name not in ("seed", *FIXED) and value is not None
        }
        self.axes = read_axes(game, learners, varied, search is not None)
        self.variants = read_variants(_several("agent", agent), [axis.name for axis in self.axes])
        self.trains = not self.variants or any(variant.needs_run for variant in self.variants)
        self._check_used()
        self.exams = self._exams(exams, learners[0])
        self.space = Space(game, learners[0], self.axes, self._train_arguments(), self.trains)

    @property
    def first_game(self) -> Game:
        """The game of the first setting."""
        chosen = {axis.name: axis.values[0] for axis in self.axes if axis.kind == "game"}
        return (
            Space(self.game, None, [a for a in self.axes if a.kind == "game"], {}, False).setting(chosen).game
        )

    def _check_used(self) -> None:
        """Refuse options that would do nothing."""
        if not self.trains:
            idle = [axis.name for axis in self.axes if axis.kind != "game"]
            idle += [name for name in self.fixed if name != "exam_games"]
            if idle:
                raise BoardLabError(
                    f"{idle[0]} does nothing: no agent plays with a trained run; write RUN for its folder, "
                    "as in mcts(ntuple(RUN))"
                )
        elif self.variants and "exam_every" in self.fixed:
            raise BoardLabError("exam_every does nothing with agent: its exams are taken after training")

    def _exams(self, given: str | Sequence[str] | None, learner: str) -> tuple[str, ...]:
        """The exams, each once; by default the usual one of the game."""
        names = [text for name in _several("exams", given) for _, text in alternatives(name)]
        if not names:
            if given is not None:
                raise BoardLabError("a sweep needs an exam: it decides which setting is best")
            game = self.first_game
            names = list(usual_plan(game, 10**9, lambda cost: cost, every=0).names)
            if not names:
                raise BoardLabError(f"name an exam (--exam): {', '.join(exams_for(game)) or 'any agent'}")
        return tuple(dict.fromkeys(names))

    def _train_arguments(self) -> dict[str, Any]:
        """The arguments of `train` that all runs share."""
        if self.variants:  # examined after training
            rest = {name: value for name, value in self.fixed.items() if name != "exam_games"}
            return {"exams": [], **rest}
        usual = {} if "stop_exam" in self.fixed else {"exam_every": 0}
        return {"exams": list(self.exams), "exam_games": MOST_GAMES, **usual, **self.fixed}

    @property
    def draws_curves(self) -> bool:
        """Whether runs take several exams, so that their learning curves say something."""
        return "stop_exam" in self.fixed or bool(self.fixed.get("exam_every"))

    @property
    def games(self) -> int:
        """Games of an exam."""
        return int(self.fixed.get("exam_games", MOST_GAMES))

    def check_elsewhere(self) -> None:
        """Refuse what other processes cannot know: it was registered in this one."""
        words = [*self.exams, str(self.fixed.get("stop_exam", "")), *(v.template for v in self.variants)]
        words += self._learners
        features = [axis.values for axis in self.axes if axis.name == "features"] or [("",)]
        for name in features[0]:
            check_known_elsewhere(" ".join(words), name)
        plugins_for(self.first_game)

    # ---- size ----

    def check_size(self, yes: bool) -> None:
        """Refuse more runs than anybody means, unless the user does."""
        settings = self.trials if self.search else count(self.axes)
        what = settings * len(self.seeds)
        if not self.trains:
            what *= len(self.variants) * len(self.exams)
        if what <= MOST_RUNS or yes:
            return
        parts = [f"{axis.name} {len(axis.values)}" for axis in self.axes if len(axis.values) > 1]
        how = " x ".join(parts) if parts and not self.search else f"{settings} settings"
        raise BoardLabError(
            f"this sweep has {what:,} {'runs' if self.trains else 'exams'} ({how}, "
            f"{counted(len(self.seeds), 'seeds')} each); if you mean it, add --yes (in Python yes=True)"
        )

    # ---- points ----

    def all_points(self) -> list[Point]:
        """Every combination, each checked."""
        settings = self.space.settings(list(grid(self.axes)))
        for game in {repr(setting.game): setting.game for setting in settings}.values():
            self.check_exams(game)
        variants: list[Variant | None] = [*self.variants] or [None]
        return [Point(setting, variant) for setting in settings for variant in variants]

    def point(self, chosen: Mapping[str, Any]) -> Point:
        """The point of a search's proposal."""
        own = {axis.name: chosen[axis.name] for axis in self.axes}
        setting = self.space.setting(own)
        self.check_exams(setting.game)
        fitting = (v for v in self.variants if all(chosen[name] == v.chosen[name] for name in v.chosen))
        return Point(setting, next(fitting, None))

    def check_exams(self, game: Game) -> None:
        """Refuse exams that the game does not have."""
        plan_exams(game, RunOptions.checked({"exams": self.exams, "exam_every": 0, "exam_games": self.games}))

    @property
    def choices(self) -> dict[str, list[Any]]:
        """What a search chooses from, by axis."""
        found = {axis.name: list(axis.values) for axis in self.axes}
        for variant in self.variants:
            for name, value in variant.chosen.items():
                values = found.setdefault(name, [])
                if value not in values:
                    values.append(value)
        return found

    @property
    def shown_axes(self) -> tuple[str, ...]:
        """The axes of the table: those with several values."""
        own = [axis.name for axis in self.axes if axis.is_varied]
        return (*own, *(self.variants[0].chosen if self.variants else ()))

    # ---- descriptions ----

    @property
    def about(self) -> dict[str, Any]:
        """What identifies the sweep; seeds and trials may be added to."""
        return {
            "command": "sweep",
            **{name: value for name, value in self.as_file().items() if name not in ("seeds", "trials")},
        }

    def as_file(self) -> dict[str, Any]:
        """The sweep as `--grid` reads it."""
        table: dict[str, Any] = {"game": self.game_name}
        if isinstance(self.game, Game):
            own = game_table(self.game)
            table |= {name: own[name] for name in own if name not in ("name", "path", "fingerprint")}
        if self.trains and not any(axis.name == "learner" for axis in self.axes):
            table["learner"] = self.space.learner
        table |= {axis.name: _plain_values(axis) for axis in self.axes}
        table |= self.fixed
        table |= {"agent": [variant.template for variant in self.variants]} if self.variants else {}
        table |= {"exam": list(self.exams), "seeds": len(self.seeds), "seed": self.seed}
        if self.search:
            table |= {"search": self.search, "trials": self.trials, "batch": self.batch}
        return table


def _plain_values(axis: Axis) -> list[Any]:
    """The values as a file holds them."""
    return [
        text if value is None or not isinstance(value, (bool, int, float, str, tuple)) else value
        for value, text in zip(axis.values, axis.texts, strict=True)
    ]


def _several(what: str, given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if not isinstance(name, str):
            raise BoardLabError(f"{what} must be text or a list of texts, not {shown(name)}")
    return names


def _learners(given: str | Sequence[str] | None, settings: Mapping[str, Any]) -> list[str]:
    names = list(dict.fromkeys(_several("learner", given))) or [default_learner(settings)]
    for name in names:
        known_learner(name)
    return names
