"""Exams that are matches: opponent, starts and seats."""

import functools
from dataclasses import dataclass, replace

from boardlab.arena.exams.exam import UNKNOWN, Exam, ExamResult, Paper
from boardlab.arena.match import match
from boardlab.arena.openings import starts_up_to
from boardlab.errors import BoardLabError
from boardlab.games.blackjack import Blackjack
from boardlab.games.connectfour import ConnectFour
from boardlab.games.game import Game
from boardlab.games.kuhnpoker import KuhnPoker
from boardlab.games.morpion import Morpion
from boardlab.games.nim import Nim
from boardlab.games.othello import Othello
from boardlab.games.rules import Rules
from boardlab.numbers import plain
from boardlab.references.blackjack import round_return
from boardlab.search.expression import agent as make_agent

SMALL = 200_000
"""Most positions of a game that an exam solves."""
TINY = 20_000
"""The same for a horizon above LONGEST; a user's game with the default horizon may still be small."""
LONGEST = 60
"""Longest horizon of a game that gets the larger limit."""
IF_SMALL = f"of at most {SMALL:,} positions ({TINY:,} where the horizon is above {LONGEST})"
MORPION_BEST = {"4D": 35.0, "4T": 62.0}
"""Proven; for the 5 variants only records are known."""


@functools.lru_cache(maxsize=64)
def _is_solved(rules: Rules, positions: int) -> bool:
    try:
        make_agent(f"solved(max_states={positions})", Game(rules))
    except BoardLabError:
        return False
    return True


def is_small(game: Game) -> bool:
    """Return whether the game can be solved position by position in a moment."""
    positions = SMALL if game.horizon <= LONGEST else TINY
    return game.players > 1 and not game.is_hidden and _is_solved(game.rules, positions)


def is_duel(game: Game) -> bool:
    """Return whether two players see everything and there is no chance."""
    return game.players == 2 and not game.has_chance and not game.is_hidden


@dataclass(frozen=True)
class Against:
    """A match against one opponent.

    Games begin from all positions after plies[0] to plies[1] actions, or from varied openings.
    """

    opponent: str
    plies: tuple[int, int] | None = None
    first: bool = False
    """Whether the agent always begins."""
    best: float | None = None

    def __call__(self, paper: Paper) -> ExamResult:
        """Take the exam."""
        starts = starts_up_to(paper.game, self.plies[1], self.plies[0]) if self.plies else None
        seatings = [[0, 1]] if self.first else None
        return paper.play(self.opponent, best=self.best, starts=starts, seatings=seatings)


def _full_width(paper: Paper) -> ExamResult:
    opponent = "expectimax(depth=2)" if paper.game.has_chance else "maxn(depth=3)"
    return paper.play(opponent)


def _perfect(paper: Paper) -> ExamResult:
    starts = starts_up_to(paper.game, 1)
    # In a zero-sum game played from both sides, perfect play scores zero on average.
    return paper.play(f"solved(max_states={SMALL})", best=0.0, starts=starts)


def _bouton(paper: Paper) -> ExamResult:
    starts = starts_up_to(paper.game, 1)
    ideal = match(paper.game, ["bouton", "bouton"], 2 * len(starts), starts=starts)
    return paper.play("bouton", best=ideal.mean_scores[0], starts=starts)


def _best_score(game: Game) -> float:
    """Return the best possible score of a one-player game; infinite if unknown."""
    rules = game.rules
    if isinstance(rules, Blackjack):
        return rules.rounds * round_return(rules)
    return MORPION_BEST.get(rules.variant, float("inf")) if isinstance(rules, Morpion) else float("inf")


def _best_score_in_words(game: Game) -> str:
    best = _best_score(game)
    if isinstance(game.rules, Blackjack):
        return f"{plain(best)}, that of basic strategy"
    return UNKNOWN if best == float("inf") else plain(best)


def _score(paper: Paper) -> ExamResult:
    result = match(
        paper.game,
        [paper.agent],
        paper.games,
        paper.seed,
        threads=paper.threads,
        jobs=paper.jobs,
        progress=paper.progress,
    )
    details: dict[str, float] = {}
    if isinstance(paper.game.rules, Morpion):
        lengths = [r.scores[0] for r in result.records]
        details = {"longest": max(lengths), "shortest": min(lengths)}
    elif paper.game.name == "2048":
        details = _tiles(paper.game, [r.actions for r in result.records])
    return replace(paper.of_match(result, _best_score(paper.game)), details=details)


def _tiles(game: Game, played: list[tuple[int, ...]]) -> dict[str, float]:
    """Return the share of games that reached each tile, from 1024 up."""
    highest = []
    for actions in played:
        state = game.initial_state()
        for action in actions:
            state.apply(action)
        highest.append(2 ** max(state.fields[: game.core.cells]))
    shares = {}
    for exponent in range(10, 18):
        share = sum(tile >= 2**exponent for tile in highest) / len(highest)
        if share:
            shares[f"reached {2**exponent}"] = share
    return shares


def _is_othello(game: Game) -> bool:
    return game.rules == Othello()


def _is_connectfour(game: Game) -> bool:
    return game.rules == ConnectFour()


FIRST = (
    Exam(
        "random",
        "mean score against random players, in every seat",
        lambda game: game.players > 1,
        Against("random"),
        "at most the highest score",
    ),
    Exam(
        "score",
        "mean score",
        lambda game: game.players == 1 and game.name != "rubiks",
        _score,
        _best_score_in_words,
    ),
)
"""The first exams of every game."""

OPPONENTS = (
    Exam(
        "perfect",
        "mean score against perfect play from all starts of no or one action, in both seats",
        lambda game: is_duel(game) and game.is_zero_sum and is_small(game),
        _perfect,
        "0",
        needs=f"zero-sum games of two players without chance or hidden parts, {IF_SMALL}",
    ),
    Exam(
        "bouton",
        "mean score against perfect Nim from all starts of no or one action, in both seats",
        lambda game: isinstance(game.rules, Nim) and game.players == 2 and not game.rules.misere,
        _bouton,
        "the score of perfect play",
    ),
    Exam(
        "ab",
        "mean score, moving first, against perfect Connect Four that plays at random once lost (GBG's AB)",
        _is_connectfour,
        Against("ab", first=True, best=1.0),
        "1",
    ),
    Exam(
        "abdl",
        "mean score, moving first, against perfect Connect Four that delays its losses (GBG's AB-DL)",
        _is_connectfour,
        Against("abdl", first=True, best=1.0),
        "1",
    ),
    Exam(
        "abdl01",
        "mean score against perfect Connect Four from all starts of no or one action, in both seats",
        _is_connectfour,
        Against("abdl", plies=(0, 1), best=0.0),
        "0",
    ),
    Exam(
        "heur",
        "mean score against Othello by weighted squares (GBG's HeurPlayer) from varied openings, both seats",
        _is_othello,
        Against("heur"),
        "at most 1",
    ),
    Exam(
        "bench",
        "mean score against Othello by weighted squares (GBG's BenchPlayer) from varied openings, both seats",
        _is_othello,
        Against("bench"),
        "at most 1",
    ),
    Exam(
        "heur4",
        "mean score against heur from all 236 positions after four actions, in both seats",
        _is_othello,
        Against("heur", plies=(4, 4)),
        "at most 1",
    ),
    Exam(
        "bench4",
        "mean score against bench from all 236 positions after four actions, in both seats",
        _is_othello,
        Against("bench", plies=(4, 4)),
        "at most 1",
    ),
    *(
        Exam(
            f"edax{level}",
            f"mean score against Edax at level {level} from varied openings, both seats",
            _is_othello,
            Against(f"edax(level={level})"),
            "at most 1",
            slow=True,
        )
        for level in range(1, 10)
    ),
    Exam(
        "nash",
        "mean score against an unexploitable Kuhn poker player, in both seats",
        lambda game: isinstance(game.rules, KuhnPoker),
        Against("nash", best=0.0),
        "0",
    ),
    Exam(
        "tight",
        "chips won from players with rules of thumb, in every seat",
        lambda game: game.name == "poker",
        Against("tight"),
        "at most all chips",
    ),
    Exam(
        "equity",
        "chips won from players that compute their odds, in every seat",
        lambda game: game.name == "poker",
        Against("equity"),
        "at most all chips",
    ),
    Exam(
        "maxn",
        "mean score against a full-width search of depth three (with chance: two) from varied openings, in "
        "every seat",
        lambda game: game.players > 1 and not game.is_hidden,
        _full_width,
        "at most the highest score",
        slow=True,
    ),
    Exam(
        "mcts",
        "mean score against mcts(rollout, iterations=1000) from varied openings, in every seat",
        lambda game: game.players > 1,
        Against("mcts(rollout, iterations=1000)"),
        "at most the highest score",
        slow=True,
    ),
    Exam(
        "mcts01",
        "mean score against mcts(rollout, iterations=1000) from all starts of no or one action",
        lambda game: game.players > 1 and not game.has_chance and not game.is_hidden,
        Against("mcts(rollout, iterations=1000)", plies=(0, 1)),
        "at most the highest score",
        slow=True,
    ),
)
