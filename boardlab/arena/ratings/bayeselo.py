"""Bayesian Elo ratings with draws and first-move advantage (Coulom's BayesElo).

The first player, of rating r0 against r1, wins with probability f(r0 - r1 + advantage - draw), loses with
f(r1 - r0 - advantage - draw) and draws otherwise, f(x) = 1 / (1 + 10^(-x/400)). The prior is two virtual
draws per player, spread over the opponents it met. They carry no information about how often the game is
drawn: when eloDraw is estimated, each counts as a win and a loss in a game without draws. In these parameters
the log-posterior is concave, so damped Newton steps find the only maximum, and the inverse of its Hessian is
the covariance of the ratings (R. Coulom, Computing Elo ratings of move patterns in the game of Go, 2007; D.
Hunter, MM algorithms for generalized Bradley-Terry models, 2004).

The list is on BayesElo's scale: ratings r and their bounds are multiplied by 4x / (1 + x)^2 with
x = 10^(-draw/400). A small difference then means the same score as in logistic Elo; without the factor, draws
would stretch all ratings. Advantage and eloDraw are the model's, as BayesElo prints them.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.arena.intervals import NORMAL_95
from boardlab.arena.ratings.plot import Span, draw_spans
from boardlab.arena.ratings.results import (
    Result,
    as_results,
    count_results,
    groups_of,
    never_met,
    ranked,
)
from boardlab.arena.tables import Row, player_table
from boardlab.errors import BoardLabError, check_known, shown, unknown
from boardlab.games.game import is_number
from boardlab.html import Html
from boardlab.reports import Report

SCALE = 400 / math.log(10)
"""Elo points per natural unit of strength."""

COULOM_ADVANTAGE, COULOM_DRAW = 32.8, 97.3
"""First-move advantage and eloDraw of Coulom's program unless it estimates them."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class EloRating:
    """One line of a rating list."""

    name: str
    elo: float
    plus: float
    """The 95% interval reaches from elo - minus to elo + plus."""
    minus: float
    games: int
    score: float
    """Mean points per game: 1 for a win, 1/2 for a draw."""
    opponents: float
    """Mean rating of the opponents."""
    draws: float
    """Share of games drawn."""


@dataclass(frozen=True, repr=False)
class BayesElo(Report):
    """A rating list, strongest first."""

    ratings: tuple[EloRating, ...]
    advantage: float
    """First-move advantage, in the model's Elo."""
    draw: float
    """eloDraw: equal players draw with probability 1 - 2 f(-eloDraw). Infinite if it was to be estimated and
    all games were drawn."""
    scale: float
    """Factor to BayesElo's scale, which ratings, bounds and covariance have: r = elo / scale."""
    covariance: Vector = field(compare=False)
    """Covariance of the ratings, in the order of the list."""
    groups: tuple[tuple[str, ...], ...]
    """Players connected by games. With more than one group, only ratings within a group can be compared."""

    @property
    def superiority(self) -> Vector:
        """[i, j]: likelihood that player i of the list is stronger than j.

        NaN across groups.
        """
        elo = np.array([rating.elo for rating in self.ratings])
        variance = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * self.covariance, 1e-12))
        z = (elo[:, None] - elo[None, :]) / spread
        group = {name: i for i, names in enumerate(self.groups) for name in names}
        mine = np.array([group[rating.name] for rating in self.ratings])
        z[mine[:, None] != mine[None, :]] = math.nan
        return np.array([[0.5 * math.erfc(-x / math.sqrt(2)) for x in row] for row in z])

    def __getitem__(self, name: str) -> EloRating:
        for rating in self.ratings:
            if rating.name == name:
                return rating
        raise unknown("rated player", name, [rating.name for rating in self.ratings])

    def _headline(self) -> str:
        return ranked([rating.name for rating in self.ratings])

    def __str__(self) -> str:
        return self.text()

    @property
    def _rows(self) -> list[Row]:
        return [(rank, rating.name) for rank, rating in enumerate(self.ratings, 1)]

    def text(self, width: int | None = None) -> str:
        """Format the list like BayesElo's, for a terminal of `width` columns."""
        columns = [
            [f" {'Elo':>5}", *(f" {r.elo:>z5.0f}" for r in self.ratings)],
            [f" {'+':>4}", *(f" {r.plus:>4.0f}" for r in self.ratings)],
            [f" {'-':>4}", *(f" {r.minus:>4.0f}" for r in self.ratings)],
            [" games", *(f" {r.games:>5}" for r in self.ratings)],
            [" score", *(f" {r.score:>5.0%}" for r in self.ratings)],
            [" oppo.", *(f" {r.opponents:>z5.0f}" for r in self.ratings)],
            [" draws", *(f" {r.draws:>5.0%}" for r in self.ratings)],
        ]
        lines = player_table(self._rows, columns, width, heads=("Rank", "Name"), legend=True)
        return "\n".join(lines + never_met(self.groups))

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the list with its bounds into a file: .png, .svg or .pdf."""
        return draw_spans(path, "Elo", self.spans(), self.groups)

    def spans(self) -> list[Span]:
        """List the ratings with their 95% intervals."""
        return [Span(r.name, r.elo, r.elo - r.minus, r.elo + r.plus) for r in self.ratings]

    def _page(self) -> Html:
        from boardlab.arena.pages import elo_page  # pages import results

        return elo_page(self, never_met(self.groups))

    def superiority_table(self, width: int | None = None) -> str:
        """Format the likelihood of superiority in percent, one row per player.

        Blank across groups.
        """
        columns = [
            [
                f"{j + 1:>4}",
                *("    " if i == j or math.isnan(p) else f"{100 * p:>4.0f}" for i, p in enumerate(column)),
            ]
            for j, column in enumerate(self.superiority.T)
        ]
        return "\n".join(player_table(self._rows, columns, width))


def bayes_elo(
    results: Sequence[Result],
    *,
    advantage: float | None = None,
    draw: float | None = None,
    prior: float = 2.0,
    anchor: str | None = None,
    bounds: str | None = None,
    like: str | None = None,
) -> BayesElo:
    """Rate the players of two-player games on BayesElo's scale.

    The mean rating is 0, or the anchor's is. `advantage` (of the first move) and `draw` (eloDraw) are
    estimated from the games unless given. `prior` is the number of virtual draws per player.
    `bounds="covariance"`, the default, takes the 95% intervals from the whole covariance matrix;
    `"exact-opponents"`, BayesElo's default, from the posterior of one player with all other ratings fixed.
    `like="bayeselo"` uses the fixed settings of Coulom's program where none are given, to compare with
    published lists.
    """
    if like is not None:
        check_known("program to rate like", like, ("bayeselo",))
        advantage = COULOM_ADVANTAGE if advantage is None else advantage
        draw = COULOM_DRAW if draw is None else draw
    if bounds is None:
        bounds = "covariance" if like is None else "exact-opponents"
    results = as_results(results, players=2)
    if not is_number(prior) or not 1e-3 <= prior <= 1e3:
        raise BoardLabError(f"the prior must be a number of draws from 0.001 to 1000, not {shown(prior)}")
    for name, given, low in (("advantage", advantage, -2000), ("draw", draw, 0)):
        if given is not None and (not is_number(given) or not low <= given <= 2000):
            raise BoardLabError(f"{name} must be a number of Elo from {low} to 2000, not {shown(given)}")
    if bounds not in ("covariance", "exact-opponents"):
        raise BoardLabError(f'bounds must be "covariance" or "exact-opponents", not {shown(bounds)}')
    names, counts = count_results(results)
    if anchor is not None:
        check_known("rated player", anchor, names)
    model = _Model(counts, _virtual_draws(counts, prior), 0.0 if draw is None else draw / SCALE)
    all_drawn = draw is None and not counts[:, :, [0, 2]].any()
    width = None if draw is None else draw / SCALE
    if all_drawn:  # the posterior rises without bound: use the width for one game not drawn
        width = math.log(2 * counts.sum() - 1)
    strength, a, d, covariance = model.fit(None if advantage is None else advantage / SCALE, width)
    scale = 1 / math.cosh(d / 2) ** 2  # 4x / (1 + x)^2, x = e^-d
    groups = [[names.index(name) for name in group] for group in groups_of(results)]
    centre = _centring(len(names), groups, None if anchor is None else names.index(anchor))
    elo = scale * SCALE * (centre @ strength)
    covariance = (scale * SCALE) ** 2 * (centre @ covariance @ centre.T)
    if bounds == "covariance":
        plus = minus = NORMAL_95 * np.sqrt(np.maximum(np.diag(covariance), 0))
    else:
        plus, minus = (scale * reach for reach in model.exact_opponents(strength, a, d, np.diag(centre)))
    order = sorted(range(len(names)), key=lambda i: (-elo[i], names[i]))
    return BayesElo(
        tuple(_line(names[i], elo, i, counts, plus=float(plus[i]), minus=float(minus[i])) for i in order),
        a * SCALE,
        math.inf if all_drawn else d * SCALE,
        scale,
        covariance[np.ix_(order, order)],
        tuple(tuple(names[i] for i in group) for group in groups),
    )


def _line(name: str, elo: Vector, i: int, counts: Vector, *, plus: float, minus: float) -> EloRating:
    first, second = counts[i], counts[:, i]  # [opponent, result], results from the first player's side
    games = first.sum(axis=1) + second.sum(axis=1)
    draws = first[:, 1].sum() + second[:, 1].sum()
    points = first[:, 2].sum() + second[:, 0].sum() + draws / 2
    total = games.sum()
    return EloRating(
        name,
        float(elo[i]),
        plus,
        minus,
        int(total),
        float(points / total),
        float(games @ elo / total),
        float(draws / total),
    )


def _virtual_draws(counts: Vector, prior: float) -> Vector:
    """Split each player's prior over seats and opponents, by games played."""
    met = counts.sum(axis=2)
    met = met + met.T
    share = prior / 4 * met / met.sum(axis=1, keepdims=True)
    return np.asarray(share + share.T)


def _centring(n: int, groups: list[list[int]], anchor: int | None) -> Vector:
    """Return the matrix that subtracts each group's mean, or its anchor."""
    centre = np.eye(n)
    for group in groups:
        if anchor in group:
            centre[group, anchor] -= 1
        else:
            centre[np.ix_(group, group)] -= 1 / len(group)
    return centre


class _Model:
    """The log-posterior of strengths, advantage and draw width, and its maximum.

    With x = strength of the first - strength of the second + advantage, and d the draw width: log P(win) =
    log s(x - d), log P(loss) = log s(-x - d), and log P(draw) = log(e^2d - 1) + log P(win) + log P(loss),
    where s is the logistic function. So a draw is a win plus a loss plus a term in d.
    """

    def __init__(self, counts: Vector, virtual: Vector, virtual_width: float) -> None:
        self.n = len(counts)
        pairs = np.argwhere(counts.sum(axis=2) > 0)
        others = np.argwhere(virtual > 0)
        lost, drawn, won = counts[pairs[:, 0], pairs[:, 1]].T
        unseen = virtual[others[:, 0], others[:, 1]]
        self.wins, self.losses = np.append(won + drawn, unseen), np.append(lost + drawn, unseen)
        self.draws = float(drawn.sum())
        self.is_real = np.repeat([1.0, 0.0], [len(pairs), len(others)])
        self.virtual_width = virtual_width
        pairs = np.concatenate([pairs, others])
        self.first, self.second = pairs[:, 0], pairs[:, 1]
        # Each row of the design maps the parameters (strengths, advantage, draw width) to x.
        self.design = np.zeros((len(pairs), self.n + 2))
        rows = np.arange(len(pairs))
        self.design[rows, self.first] = 1
        self.design[rows, self.second] = -1
        self.design[:, self.n] = 1

    def widths(self, d: float) -> Vector:
        """Return the draw width of every row."""
        return np.where(self.is_real > 0, d, self.virtual_width)

    def log_posterior(self, p: Vector) -> float:
        x, d = self.design @ p, self.widths(p[-1])
        value = -float(self.wins @ np.logaddexp(0, d - x) + self.losses @ np.logaddexp(0, d + x))
        return value + self.draws * float(np.log(np.expm1(2 * p[-1]))) if self.draws else value

    def slopes(self, p: Vector) -> tuple[Vector, Vector]:
        """Return the gradient and the negative Hessian."""
        x, d = self.design @ p, self.widths(p[-1])
        lose_win, lose_loss = _logistic(d - x), _logistic(d + x)  # 1 - P(win), 1 - P(loss)
        up, down = self.wins * lose_win, self.losses * lose_loss
        bend_win, bend_loss = up * (1 - lose_win), down * (1 - lose_loss)
        gradient = self.design.T @ (up - down)
        hessian = self.design.T @ ((bend_win + bend_loss)[:, None] * self.design)
        # d enters real wins as x - d and real losses as -x - d
        gradient[-1] = -float(self.is_real @ (up + down))
        cross = self.design.T @ (self.is_real * (bend_loss - bend_win))
        hessian[:, -1] = hessian[-1, :] = cross
        hessian[-1, -1] = float(self.is_real @ (bend_win + bend_loss))
        if self.draws:
            gradient[-1] += 2 * self.draws / -np.expm1(-2 * p[-1])
            hessian[-1, -1] += self.draws / np.sinh(p[-1]) ** 2
        return gradient, hessian

    def fit(self, advantage: float | None, draw: float | None) -> tuple[Vector, float, float, Vector]:
        """Return strengths (up to a constant), advantage, draw width, covariance."""
        p = np.zeros(self.n + 2)
        p[self.n] = 0.0 if advantage is None else advantage
        if draw is None and not self.draws:
            draw = 0.0  # without draws the model is Bradley-Terry
        p[-1] = 0.5 if draw is None else max(draw, 1e-9)
        free = [*range(self.n), *([self.n] if advantage is None else []), *([-1] if draw is None else [])]
        value, (gradient, hessian) = self.log_posterior(p), self.slopes(p)
        # Levenberg's damping: where the posterior is nearly flat, Newton's step would overshoot the maximum
        # into another flat region. The smallest damping also keeps a group's undetermined constant where it
        # is.
        damping = 0.0
        for _ in range(1000):
            bend = hessian[np.ix_(free, free)]
            damping = max(damping, 1e-12 * float(np.diag(bend).max()))
            step = np.zeros_like(p)
            step[free] = np.linalg.solve(bend + damping * np.eye(len(free)), gradient[free])
            promise = float(gradient @ step)
            trial = p + step
            if trial[-1] > 0:
                new, slopes = self.log_posterior(trial), self.slopes(trial)
                # Accept a step that still climbs at its end, or gains a fair part (Armijo). The first test
                # still works when rounding hides the gain.
                if slopes[0] @ step >= 0 or new >= value + 0.1 * promise:
                    p, value, (gradient, hessian) = trial, new, slopes
                    damping /= 16
                    if promise < 1e-16:
                        break
                    continue
            damping *= 16
        covariance: Any = np.linalg.pinv(hessian[np.ix_(free, free)], rcond=1e-12, hermitian=True)
        return p[: self.n], float(p[self.n]), float(p[-1]), covariance[: self.n, : self.n]

    def exact_opponents(self, strength: Vector, a: float, d: float, rises: Vector) -> tuple[Vector, Vector]:
        """Return the 95% reach up and down of each player's own posterior, in Elo.

        The others are fixed. As in BayesElo, the other players of its group shift together to keep the mean,
        so the player's rating `rises` by only a part of its step. With an anchor it rises by the whole step,
        and the anchor itself by nothing.
        """
        moves = np.linspace(-8, 8, 3201)  # +-1390 Elo around the estimate, in steps of 0.9
        plus, minus = np.zeros(self.n), np.zeros(self.n)
        for i in range(self.n):
            mine = (self.first == i) | (self.second == i)
            if not rises[i]:
                continue
            sign = np.where(self.first[mine] == i, 1.0, -1.0) / rises[i]
            x = (strength[self.first] - strength[self.second] + a)[mine][:, None] + sign[:, None] * moves
            width = self.widths(d)[mine][:, None]
            log = -(
                self.wins[mine] @ np.logaddexp(0, width - x) + self.losses[mine] @ np.logaddexp(0, width + x)
            )
            below = np.cumsum(np.exp(log - log.max()))
            below /= below[-1]
            minus[i] = -SCALE * moves[int(np.searchsorted(below, 0.025))]
            plus[i] = SCALE * moves[int(np.searchsorted(below, 0.975))]
        return plus, minus


def _logistic(x: Vector) -> Vector:
    return np.exp(-np.logaddexp(0, -x))
