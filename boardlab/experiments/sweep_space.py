"""The space of a sweep: what varies, and the settings and agents that it makes.

An axis is an option with its values: of the run, the game or the learner. A setting has one value of each
axis and is trained with every seed. A variant is an agent that plays with the trained run.
"""

import hashlib
import itertools
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError, shown, unknown
from boardlab.experiments.sweep_values import Range, alternatives, read_values, value_text
from boardlab.games.game import Game, game_table
from boardlab.games.registry import game as make_game
from boardlab.games.registry import game_from_table, rules_of
from boardlab.learners.learner import LearnerSettings
from boardlab.learners.ntuple.layouts import LAYOUTS, read_layout
from boardlab.learners.registry import LEARNERS, default_learner
from boardlab.learners.run_options import RunOptions
from boardlab.learners.train import Prepared, prepare
from boardlab.options import Option, check_options, options_of
from boardlab.search.expression import escaped, parse

VARIED = ("preset", "episodes", "minutes", "stop_at", "stop_after")
"""Options of a run that may have several values."""
FIXED = ("pace", "exam_every", "exam_games", "stop_exam", "snapshot_every")
"""Options of a run that have one."""
LEARNER = "learner"
KINDS = (LEARNER, "run", "game", "setting")
"""The order of axes; games and settings vary in the order in which they are given."""

LONGEST_FOLDER = 80
RUN = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\bRUN\b""")
"""The word RUN outside quotes: the folder of the run."""


@dataclass(frozen=True)
class Axis:
    """An option with its values, or with a range of them."""

    name: str
    """As users write it: lambda, not lambda_."""
    kind: str
    """game, run, learner or setting."""
    values: tuple[Any, ...]
    option: Option

    @property
    def is_varied(self) -> bool:
        """Whether it has several values."""
        return len(self.values) > 1 or isinstance(self.values[0], Range)

    @property
    def texts(self) -> list[str]:
        """The values as text."""
        return [str(value) if isinstance(value, Range) else value_text(value) for value in self.values]


# ---- axes ----


def read_axes(
    game: Game | str, learners: Sequence[str], given: Mapping[str, Any], is_search: bool
) -> list[Axis]:
    """The axes of what was given, each value checked alone.

    A grid takes the steps of ranges for their values.
    """
    name = game.name if isinstance(game, Game) else game
    rules = type(game.rules) if isinstance(game, Game) else rules_of(name)
    axes = []
    for word, value in given.items():
        kind, owner, option, holder = _found(word, name, rules, learners)
        values = [_checked(owner, holder, option, one) for one in read_values(owner, option, value)]
        values = _steps(option, values, is_search)
        axes.append(Axis(option.shown_name, kind, tuple(dict.fromkeys(values)), option))
    if len(learners) > 1:
        axes.append(Axis(LEARNER, LEARNER, tuple(learners), Option(LEARNER, str, None, "", None, None, None)))
    return sorted(axes, key=lambda axis: (KINDS.index(axis.kind), axis.kind == "run" and axis.name))


def _steps(option: Option, values: Sequence[Any], is_search: bool) -> list[Any]:
    """The values with the steps of ranges; a search keeps a range that stands alone."""
    ranges = [value for value in values if isinstance(value, Range)]
    if is_search and ranges:
        if len(values) > 1:
            raise BoardLabError(
                f"{option.shown_name}: a search takes one range or a list of values, not both"
            )
        return ranges
    found: list[Any] = []
    for value in values:
        steps = value.steps(option.shown_name) if isinstance(value, Range) else [value]
        found += map(option.number or (lambda step: step), steps) if isinstance(value, Range) else steps
    return found


def _found(word: str, game: str, rules: type, learners: Sequence[str]) -> tuple[str, str, Option, type]:
    """The kind of an option, its owner, the option, and the class that declares it."""
    name = word.replace("-", "_").rstrip("_")
    own = {option.shown_name: option for option in options_of(rules)}
    if name in own:
        return "game", game, own[name], rules
    runs = {option.shown_name: option for option in options_of(RunOptions) if option.name in VARIED}
    if name in runs:
        return "run", "", runs[name], RunOptions
    for learner in learners:
        LEARNERS[learner].check_renamed(name)
    tables = [{option.shown_name: option for option in options_of(LEARNERS[learner])} for learner in learners]
    lacking = [learner for learner, table in zip(learners, tables, strict=True) if name not in table]
    if not lacking:
        return "setting", learners[0], tables[0][name], LEARNERS[learners[0]]
    others = [known for known in LEARNERS if name in {o.shown_name for o in options_of(LEARNERS[known])}]
    if others:
        raise BoardLabError(f"{word} is a setting of {', '.join(others)}, not of {', '.join(lacking)}")
    names = [*own, *runs, *(name for table in tables for name in table)]
    raise unknown(f"option, setting or parameter of {game}", word, list(dict.fromkeys(names)))


def _checked(owner: str, holder: type, option: Option, value: Any) -> Any:
    """The value in the option's type; refuses one that it cannot have."""
    if isinstance(value, Range):
        for end in (value.low, value.high):
            _checked(owner, holder, option, end)
        return value
    if option.name == "layout" and isinstance(value, str) and value not in LAYOUTS:
        read_layout(value)  # refuses what is no file
        return value
    if option.is_text and not option.choices and isinstance(value, str):
        return value  # what it means may depend on the game: `prepare` checks it
    if issubclass(holder, LearnerSettings):
        return holder.check({option.name: value})[option.name]
    return check_options(owner, holder, {option.name: value})[option.name]


# ---- settings ----


@dataclass(frozen=True)
class Setting:
    """What is trained: a value of each axis, as `train` takes it."""

    chosen: Mapping[str, Any]
    """By axis. An option that does nothing beside the others is left out."""
    game: Game
    arguments: Mapping[str, Any]
    prepared: Prepared | None = None
    """None where nothing is trained."""
    varied: tuple[str, ...] = ()
    """The axes that name it."""

    @property
    def name(self) -> str:
        """The values of the varied axes: alpha=1 epsilon=0.1."""
        return " ".join(
            f"{axis}={value_text(self.chosen[axis])}" for axis in self.varied if axis in self.chosen
        )

    @property
    def folder(self) -> str:
        """The name of its folder: the same for the same values."""
        name = self.name or "runs"
        plain = re.sub(r"[^\w.=+-]+", "_", name)
        if plain == name.replace(" ", "_") and len(plain) <= LONGEST_FOLDER:
            return plain
        return f"{plain[:LONGEST_FOLDER]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def grid(axes: Sequence[Axis]) -> Iterator[dict[str, Any]]:
    """All combinations of values, the last axis fastest."""
    for values in itertools.product(*(axis.values for axis in axes)):
        yield {axis.name: value for axis, value in zip(axes, values, strict=True)}


def count(axes: Sequence[Axis]) -> int:
    """The number of combinations."""
    return math.prod(len(axis.values) for axis in axes)


class Space:
    """Turns values of the axes into settings, each checked as `train` checks its run."""

    def __init__(
        self,
        game: Game | str,
        learner: str | None,
        axes: Sequence[Axis],
        fixed: Mapping[str, Any],
        trains: bool,
    ) -> None:
        """`fixed` are the other arguments of `train`; without `trains` only the game has axes."""
        self.game, self.learner, self.axes, self.fixed, self.trains = game, learner, axes, fixed, trains
        self._varied = tuple(axis.name for axis in axes if axis.is_varied)
        self._games: dict[str, Game] = {}
        self._active: set[str] = set()
        self._idle: dict[str, BoardLabError] = {}

    def settings(self, chosen: Sequence[Mapping[str, Any]]) -> list[Setting]:
        """The different settings among the combinations; refuses an option that never does anything."""
        found: dict[str, Setting] = {}
        for values in chosen:
            setting = self.setting(values)
            found.setdefault(repr(sorted(setting.chosen.items())), setting)
        for name, error in self._idle.items():
            if name not in self._active:
                raise error
        return list(found.values())

    def setting(self, chosen: Mapping[str, Any]) -> Setting:
        """The setting of a value for each axis."""
        name = " ".join(f"{axis}={value_text(chosen[axis])}" for axis in self._varied)
        try:
            game = self._game({axis.name: chosen[axis.name] for axis in self.axes if axis.kind == "game"})
            if not self.trains:
                return Setting(dict(chosen), game, {}, None, self._varied)
            return self._trained(game, dict(chosen))
        except BoardLabError as error:
            if not name:
                raise
            raise type(error)(f"{name}: {error}") if type(error) is BoardLabError else error from None

    def _game(self, parameters: Mapping[str, Any]) -> Game:
        key = repr(parameters)
        if key not in self._games:
            if isinstance(self.game, Game):
                table = {**game_table(self.game), **parameters}
                self._games[key] = game_from_table(table) if parameters else self.game
            else:
                self._games[key] = make_game(self.game, **parameters)
        return self._games[key]

    def _trained(self, game: Game, chosen: dict[str, Any]) -> Setting:
        """Prepare the run, without the options that would do nothing in it."""
        arguments = self._arguments(chosen)
        prepared = prepare(game, **arguments)
        idle = [name.rstrip("_") for name in prepared.settings.idle(prepared.given)]
        for name in idle:
            self._note_idle(prepared, name)
            chosen.pop(name, None)
        if idle:
            arguments = self._arguments(chosen)
            prepared = prepare(game, **arguments)
        self._active |= set(chosen)
        prepared.check()
        return Setting(chosen, game, arguments, prepared, self._varied)

    def _note_idle(self, prepared: Prepared, name: str) -> None:
        if name not in self._idle:
            try:
                prepared.settings.check_needs(prepared.given)
            except BoardLabError as error:
                self._idle[name] = error

    def _arguments(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `train` beside game, folder and seed."""
        kinds = {axis.name: axis.kind for axis in self.axes}
        own = {name: value for name, value in chosen.items() if kinds[name] in ("run", "setting")}
        if own.get("layout") not in (None, *LAYOUTS):
            own |= read_layout(own.pop("layout"))
        learner = chosen.get(LEARNER, self.learner)
        settings = [name for name in own if kinds.get(name) == "setting"]
        return {"learner": learner or default_learner(settings), **own, **self.fixed}


# ---- agents ----


@dataclass(frozen=True)
class Variant:
    """An agent that is examined; RUN in it stands for the trained run."""

    chosen: Mapping[str, Any]
    """By axis."""
    template: str

    @property
    def needs_run(self) -> bool:
        """Whether it plays with a trained run."""
        return any(not found[1] for found in RUN.finditer(self.template))

    def expression(self, run: str, own: str) -> str:
        """The agent over the run in that folder, whose own agent is `own`."""
        if self.template == "RUN":
            return own
        return RUN.sub(lambda found: found[1] or f'"{escaped(run)}"', self.template)


def read_variants(agents: Sequence[str], taken: Collection[str]) -> list[Variant]:
    """The agents that the templates stand for, and their axes.

    One template gets an axis for each of its braces; several templates have the axis "agent".
    """
    found = [pair for template in agents for pair in alternatives(_template(template))]
    variants = []
    for chosen, template in found:
        if len(agents) > 1:
            chosen = {"agent": template}
        named = {f"agent {name}" if name in taken else name: value for name, value in chosen.items()}
        variant = Variant(named, template.strip())
        parse(variant.expression("RUN", "random"))
        variants.append(variant)
    return variants


def _template(given: Any) -> str:
    if not isinstance(given, str):
        raise BoardLabError(
            f"an agent of a sweep is an expression, as in 'mcts(ntuple(RUN))', not {shown(given)}"
        )
    return given
