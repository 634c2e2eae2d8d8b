"""Exams during training: which, how often, and when to stop early.

An exam is one of the arena's by name ("abdl", "perfect", "score" ...), or any agent, against which the
learner then plays in every seat.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boardlab.arena.exams import EXAMS, UNKNOWN, ExamResult, check_has, evaluate, exams_for
from boardlab.arena.exams.exam import OUTCOMES, SHARE
from boardlab.arena.exams.openings import exact_values, take_openings
from boardlab.arena.exams.opponents import Against
from boardlab.checks import as_integer
from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown, unknown
from boardlab.games.game import Game
from boardlab.learners.run_options import (
    FEWEST_GAMES,
    IN_EXAMS,
    MOST_EPISODES,
    MOST_EXAMS,
    MOST_GAMES,
    RunOptions,
)
from boardlab.learners.usual_exams import usual_plan
from boardlab.numbers import counted, plain
from boardlab.search.agent import Agent, AgentLike
from boardlab.search.entrants import as_entrants
from boardlab.search.expression import ExpressionError, programs_of
from boardlab.search.expression import agent as make_agent

MOST_ERRORS = 0.1
"""The share of an exam's games that may end by an agent's error; a program may be late now and then."""


@dataclass(frozen=True)
class ExamPlan:
    """The exams of a run, and when the run may stop early."""

    options: RunOptions
    """The run's options, with `exams`, `exam_every` and `exam_games` decided."""
    stop_since: int = 0
    """Exams up to this episode do not count: the user resumed a run that had passed."""
    spread: bool = False
    """Whether the interval between exams grows with the run's length (usual_exams.py)."""
    final: tuple[str, ...] = ()
    """Exams that are taken once, at the end, with few games."""
    parts: int = 0
    """Exams of a run by minutes, spread over its schedules; 0: `every` decides."""

    @property
    def names(self) -> tuple[str, ...]:
        """The exams that are taken again and again."""
        return tuple(self.options.exams or ())

    @property
    def every(self) -> int:
        """Episodes between exams (GBG's numEval); 0: one at the end."""
        return self.options.exam_every or 0

    @property
    def games(self) -> int:
        """Games of an exam."""
        return MOST_GAMES if self.options.exam_games is None else self.options.exam_games

    def take(self, game: Game, agent: Agent, seed: int, is_last: bool = False) -> dict[str, ExamResult]:
        """The results of all exams by name."""
        results = {name: take_exam(name, game, agent, self.games, seed) for name in self.names}
        if is_last:
            results |= {name: take_exam(name, game, agent, FEWEST_GAMES, seed) for name in self.final}
        return results

    def is_success(self, results: Mapping[str, ExamResult]) -> bool:
        """Whether the exam that may end the run (GBG's stopTest) was passed."""
        if self.options.stop_exam is None:
            return False
        result = results[self.options.stop_exam]
        wanted = result.best if self.options.stop_at is None else self.options.stop_at
        return result.value >= wanted - 1e-9

    def is_passed(self, log: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the log ends with enough successes in a row (GBG's stopEval)."""
        if self.options.stop_exam is None:
            return False
        required = self.options.stop_after
        rows = [row for row in log if int(row["episodes"]) > self.stop_since][-required:]
        return len(rows) == required and all(str(row.get("passed")) == "1" for row in rows)

    def __str__(self) -> str:
        if not self.names:
            return "none"
        how_often = f"every {counted(self.every, 'episodes')}" if self.every else "at the end"
        how_often = f"{self.parts} times" if self.parts else how_often
        text = f"{', '.join(self.names)}, {counted(self.games, 'games')} {how_often}"
        return text + "".join(f"; {name}, {FEWEST_GAMES} games at the end" for name in self.final)

    def as_dict(self) -> dict[str, Any]:
        """The table of exams in agent.toml: all that is not None."""
        table = {name: getattr(self.options, known) for name, known in IN_EXAMS.items()}
        table["stop_since"] = self.stop_since
        if self.spread:  # left out otherwise, as in files of earlier versions
            table["spread"] = True
        if self.final:
            table["final"] = self.final
        if self.parts:
            table["parts"] = self.parts
        return {name: value for name, value in table.items() if value is not None}


def default_every(total: int) -> int:
    """The default interval between exams of a run of `total` episodes."""
    return max(1, total // MOST_EXAMS)


def take_exam(name: str, game: Game, agent: AgentLike, games: int, seed: int) -> ExamResult:
    """Take the arena's exam of that name, or a match against the agent of that name."""
    if name in EXAMS:
        result = evaluate(agent, game, name, games, seed)
    else:
        result = evaluate(agent, game, games=games, seed=seed, against=name)
    if result.details.get("errors", 0.0) > MOST_ERRORS:  # such games say nothing about what was learned
        raise BoardLabError(
            f"{result.details['errors']:.0%} of the games of the exam {name} ended by an error, the first: "
            f"{result.problem}"
        )
    return result


# ---- plans ----


def choose_exams(
    game: Game, options: RunOptions, exam_cost: Callable[[float], float], length: int
) -> ExamPlan:
    """The plan of a new run: the user's exams, or the usual ones of the game.

    Usual exams are those of a run of `length` episodes.
    """
    if not options.has_usual_exams:
        return plan_exams(game, options)
    usual = usual_plan(game, length, exam_cost, options.exam_every, options.exam_games)
    chosen = replace(options, exams=usual.names, exam_every=usual.every, exam_games=usual.games)
    if options.minutes is not None and options.exam_every is None and usual.names:
        parts = -(-length // usual.every)
        return plan_exams(game, replace(chosen, exam_every=0), final=usual.final, parts=parts)
    return plan_exams(game, chosen, spread=options.exam_every is None, final=usual.final)


MORE_IN_EXAMS = ("stop_since", "spread", "final", "parts")
"""The entries of agent.toml's table of exams that are no options."""


def resumed_exams(
    game: Game,
    table: Mapping[str, Any],
    options: RunOptions,
    episodes: int,
    exam_cost: Callable[[float], float],
) -> ExamPlan:
    """The plan of a run that goes on until `episodes`.

    It has as many exams as before, however long it is now. `options` are those of the run so far,
    `table` is its agent.toml's table of exams.
    """
    before, more = (
        options.episodes or 0,
        {name: value for name, value in table.items() if name not in IN_EXAMS},
    )
    for name in more:
        if name not in MORE_IN_EXAMS:
            raise unknown("entry of exams", name, [*IN_EXAMS, *MORE_IN_EXAMS])
    options = replace(options, episodes=episodes)
    if more.get("parts"):
        if episodes != before and not options.is_open:  # the run goes on by episodes
            options = replace(options, exam_every=max(1, episodes // more.pop("parts")))
    elif not more.get("spread"):
        every = None if options.exam_every == default_every(before) else options.exam_every
        options = replace(options, exam_every=every)
    elif episodes > before and not options.exams:  # it was too short for an exam
        usual = usual_plan(game, episodes, exam_cost)
        options = replace(options, exams=usual.names, exam_every=usual.every, exam_games=usual.games)
        more["final"] = usual.final
    elif episodes > before > 0:
        options = replace(options, exam_every=(options.exam_every or 0) * episodes // before)
    return plan_exams(game, options, **more)


def plan_exams(
    game: Game,
    options: RunOptions,
    *,
    stop_since: int = 0,
    spread: bool = False,
    final: Sequence[str] = (),
    parts: int = 0,
) -> ExamPlan:
    """A plan whose exams the game has. Without an interval it has 20 exams."""
    names = _names(options)
    for name in (*names, *final):
        _check_exam(game, name)
    _check_stop_at(game, options)
    every = options.exam_every
    if options.stop_exam is not None and every == 0 and not parts:
        every = None  # a run that may stop early needs exams on the way
    if every is None and names and options.is_open:
        every, parts = 0, MOST_EXAMS
    if every is None:
        every = default_every(options.episodes or 0) if names else 0
    games = MOST_GAMES if options.exam_games is None else options.exam_games
    return ExamPlan(
        replace(options, exams=names, exam_every=every, exam_games=games),
        as_integer("stop_since", stop_since, 0, MOST_EPISODES),
        bool(spread),
        tuple(final),
        as_integer("parts", parts, 0, MOST_EPISODES),
    )


def _names(options: RunOptions) -> tuple[str, ...]:
    """The exams, with the one that ends the run, each once."""
    given = () if options.exams is None else options.exams
    if not isinstance(given, Sequence):
        raise BoardLabError(f"exams must be a list of exams, not {shown(given)}")
    names = (given,) if isinstance(given, str) else tuple(given)
    if options.stop_exam is not None and options.stop_exam not in names:
        names = (*names, options.stop_exam)
    for name in names:
        if not isinstance(name, str):
            raise BoardLabError(f"an exam is a name or an agent expression, not {shown(name)}")
    return tuple(dict.fromkeys(names))


def _check_stop_at(game: Game, options: RunOptions) -> None:
    """Refuse an exam whose best value nobody knows, where it is the value to stop at."""
    stop_exam = options.stop_exam
    if (
        stop_exam is not None
        and stop_exam in EXAMS
        and options.stop_at is None
        and EXAMS[stop_exam].best_in_words(game) == UNKNOWN
    ):
        raise BoardLabError(f"stop_at must be given: nobody knows the best possible score of {game!r}")


def _check_exam(game: Game, name: Any) -> None:
    """Refuse an unknown exam or a missing package before the run begins."""
    if not isinstance(name, str):
        raise BoardLabError(f"an exam is a name or an agent expression, not {shown(name)}")
    known = exams_for(game)
    if name in EXAMS:
        check_has(game, name)
        take = EXAMS[name].take
        if isinstance(take, Against):
            make_agent(take.opponent, game)
        elif take is take_openings:
            exact_values(game)
    else:
        if game.players == 1:
            raise BoardLabError(
                f'{game.name} is for one player; its exams are {", ".join(known)}, not "{name}"'
            )
        try:
            for agent in as_entrants([name])[0].players:
                make_agent(agent, game)
        except ExpressionError as error:
            message = f"{error.message} (or an exam: {', '.join(known)})"
            if error.message.startswith("unknown ") and OF_YOUR_OWN not in message:
                message += OF_YOUR_OWN  # the run may have been started with a plugin
            raise ExpressionError(message, error.source, error.place) from None


def check_stop(game: Game, plan: ExamPlan) -> None:
    """Refuse a value to stop at that its exam cannot give: the run would never stop."""
    exam, value = plan.options.stop_exam, plan.options.stop_at
    if exam is None or value is None:
        return
    most = exam_range(exam, game)[1]
    if value > most:
        raise BoardLabError(
            f"stop_at must be at most {plain(most)}, the highest value of the exam {exam}, not {shown(value)}"
        )


def check_starts_nothing(options: RunOptions, final: Sequence[str]) -> None:
    """Refuse exams that would start a program that somebody else's agent.toml names."""
    for name in (*_names(options), *final):
        if isinstance(name, str) and (started := programs_of(name)):
            raise BoardLabError(
                f"an exam of this run starts the program {started[0]!r}; if you trust it, resume with "
                "--programs (in Python programs=True)"
            )


# ---- what exams give ----


def exam_range(name: str, game: Game) -> tuple[float, float]:
    """The lowest and the highest value of the exam: mostly scores of the game."""
    values = EXAMS[name].values if name in EXAMS else None
    return values or game.score_range


def exam_unit(name: str) -> str:
    """The unit of the exam's value."""
    values = EXAMS[name].values if name in EXAMS else None
    return "mean score" if values is None else "share" if values == SHARE else "value"


def exam_title(name: str) -> str:
    """The heading of an exam or of an opponent."""
    return f"exam {name}" if name in EXAMS else f"against {name}"


def exam_counts(row: Mapping[str, Any], exam: str) -> str:
    """Games of a row of the log, distinct ones among them, and their outcomes; "" for old logs."""
    games, distinct = (row.get(f"{exam} {column}") for column in ("games", "distinct"))
    if games in (None, ""):
        return ""
    text = f", {counted(int(games), 'samples')}"
    text += "" if distinct in (None, "") else f", {int(distinct)} distinct"
    return text + "".join(
        f", {kind} {count}" for kind, count in zip(OUTCOMES, exam_outcomes(row, exam) or (), strict=False)
    )


def exam_outcomes(row: Mapping[str, Any], exam: str) -> tuple[int, int, int] | None:
    """Wins, draws and losses in a row of the log; None if it has none."""
    cells = [row.get(f"{exam} {kind}") for kind in OUTCOMES]
    try:
        wins, draws, losses = (int(float(cell or "nan")) for cell in map(str, cells))
    except (OverflowError, ValueError):  # a log of an earlier version, or of somebody else
        return None
    return wins, draws, losses


def exam_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The exams in the columns of a log."""
    columns = dict.fromkeys(key for row in rows for key in row)
    return [column for column in columns if f"{column} error" in columns]
