"""Exams of cubes: the share solved, by number of scramble twists."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from boardlab.arena.exams.exam import SHARE, Exam, ExamResult, Paper
from boardlab.arena.intervals import interval, standard_error
from boardlab.arena.match import match
from boardlab.games.game import Game, State
from boardlab.games.rubiks import Rubiks
from boardlab.numbers import counted
from boardlab.references.rubiks import distance

FARTHEST = {(2, "htm"): 11, (2, "qtm"): 14, (3, "htm"): 20, (3, "qtm"): 26}


def solved_by_twists(paper: Paper, twists: Sequence[int], steps: int | Callable[[State], int]) -> ExamResult:
    """Return the share of cubes solved within `steps`, by number of twists."""
    allowed = steps if callable(steps) else lambda start: steps
    rules = paper.game.rules
    assert isinstance(rules, Rubiks)
    shares, errors, details = [], [], {}
    every: list[float] = []
    distinct = 0
    for number in twists:
        scrambles = Game(replace(rules, twists=number))
        starts = [scrambles.initial_state((paper.seed * 1_000_003 + i) % 2**64) for i in range(paper.games)]
        result = match(
            paper.game,
            [paper.agent],
            paper.games,
            paper.seed,
            starts=starts,
            threads=paper.threads,
            jobs=paper.jobs,
        )
        solved = [
            float(r.scores[0] == 1 and len(r.actions) <= allowed(start))
            for r, start in zip(result.records, starts, strict=True)
        ]
        shares.append(sum(solved) / len(solved))
        errors.append(standard_error(solved))
        every += solved
        distinct += result.distinct
        details[counted(number, "twists")] = shares[-1]
    mean_error = sum(error**2 for error in errors) ** 0.5 / len(errors)
    games = paper.games * len(shares)
    width = interval(every, SHARE)
    # Chance may draw the same scramble twice: repeated cubes are still a fair sample, so all of them count.
    return ExamResult(
        paper.exam,
        sum(shares) / len(shares),
        mean_error,
        games,
        1.0,
        details,
        width,
        "cubes",
        distinct=distinct,
    )


FAR = {(2, "htm"): (11, 12, 13), (2, "qtm"): (14, 15, 16), (3, "htm"): (7, 8, 9), (3, "qtm"): (11, 12, 13)}
"""The largest numbers of scramble twists that the paper's presets train on."""


def _far(steps: int) -> Callable[[Paper], ExamResult]:
    def take(paper: Paper) -> ExamResult:
        rules = paper.game.rules
        assert isinstance(rules, Rubiks)
        return solved_by_twists(paper, FAR[rules.size, rules.metric], steps)

    return take


def _every_number(steps: int) -> Callable[[Paper], ExamResult]:
    def take(paper: Paper) -> ExamResult:
        rules = paper.game.rules
        assert isinstance(rules, Rubiks)
        # Nobody trains the 3x3x3 on scrambles up to God's number; beyond 26 twists no cube is farther away.
        least = FARTHEST[2, rules.metric] if rules.size == 2 else 1
        most = max(least, min(rules.twists, max(FARTHEST.values())))
        return solved_by_twists(paper, range(1, most + 1), steps)

    return take


def _minimal(paper: Paper) -> ExamResult:
    rules = paper.game.rules
    assert isinstance(rules, Rubiks)
    return solved_by_twists(paper, range(1, FARTHEST[2, rules.metric] + 1), distance)


def _is_cube(game: Game) -> bool:
    return game.name == "rubiks"


MOST_STEPS = 50
"""Twists after which the engine cuts an attempt."""


def _within(name: str, steps: int, *, listed: bool) -> Exam:
    """Return the exam of far scrambled cubes ("twists") or of every number of twists ("every")."""
    cubes, take = {
        "twists": (f"far scrambled cubes solved within {counted(steps, 'twists')}", _far),
        "every": (
            f"cubes solved within {counted(steps, 'twists')}, for every number of scramble twists up to the "
            "game's",
            _every_number,
        ),
    }[name]
    return Exam(
        f"{name}{steps}", f"share of {cubes}", _is_cube, take(steps), "1", values=SHARE, listed=listed
    )


CUBES = (
    _within("twists", 50, listed=True),
    _within("twists", 20, listed=True),
    replace(_within("every", 50, listed=True), name="twists"),
    _within("every", 20, listed=True),
    Exam(
        "minimal",
        "share of cubes solved in as few twists as possible, for every number of scramble twists",
        lambda game: isinstance(game.rules, Rubiks) and game.rules.size == 2,
        _minimal,
        "1",
        values=SHARE,
    ),
    *(_within("twists", steps, listed=False) for steps in range(1, MOST_STEPS) if steps != 20),
    *(_within("every", steps, listed=False) for steps in range(1, MOST_STEPS + 1) if steps != 20),
)
"""The steps an attempt may take (GBG's E_eval) are part of the name: twists30, every30."""
