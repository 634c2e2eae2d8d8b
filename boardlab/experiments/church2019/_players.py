"""Figs. 6 to 9: the trained players against MCTS with 50 to 800 searches, and their tournament."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boardlab.experiments.church2019 import CHOICES, PAPER, az, player, uct
from boardlab.experiments.display import Display
from boardlab.experiments.experiment import Board, Budget, Cell, Experiment, Plan, Training
from boardlab.experiments.forms import beside
from boardlab.experiments.measuring import Match
from boardlab.experiments.results import Results

SEARCHES = (50, 200, 400, 800)
TOURNAMENT_SEARCHES = 200
OURS = "BoardLab default"
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Player:
    """A player of Section V: its preset and what differs from it."""

    preset: str
    cpuct: float = 1.0
    settings: Mapping[str, Any] = field(default_factory=dict)


def run(name: str) -> str:
    """The name of a player's training."""
    return name.lower().replace("-", "_").replace(" ", "_")


def trainings(board: Board, players: Mapping[str, Player], budget: Budget) -> dict[str, Training]:
    """The players of the budget, and our own default beside them."""
    chosen = {
        run(name): player(
            board,
            players[name].preset,
            budget["iterations"][name],
            budget["channels"],
            **players[name].settings,
        )
        for name in budget["iterations"]
    }
    settings = {"preset": "default", "episodes": budget["default"], "device": "cpu", "threads": 1}
    return {**chosen, run(OURS): Training(board, "alphazero", settings)}


def agents(players: Mapping[str, Player], budget: Budget, searches: int) -> dict[str, str]:
    """The agents of all trained players."""
    named = {name: az(run(name), searches, players[name].cpuct) for name in budget["iterations"]}
    return {**named, OURS: az(run(OURS), searches)}


def against_mcts(
    item: str,
    board: Board,
    players: Mapping[str, Player],
    published: Mapping[tuple[str, int], Triple],
    quick: Budget,
    full: Budget,
) -> Experiment:
    """Every player against MCTS with the same number of searches."""

    def plan(budget: Budget) -> Plan:
        cells = []
        for searches in budget["searches"]:
            for name, agent in agents(players, budget, searches).items():
                match = Match(board, (agent, uct(searches)), budget["games"])
                cells.append(Cell((name, str(searches)), match))
        return Plan(trainings(board, players, budget), cells)

    def show(results: Results) -> Display:
        rows = []
        for name in (*results.budget["iterations"], OURS):
            row = [name]
            for searches in SEARCHES:
                keys = (name, str(searches))
                shares = [results.share(outcome, *keys) for outcome in ("wins", "draws", "losses")]
                known = published.get((name, searches))
                text = "/".join(share.percent(0, bar=False) for share in shares)
                text += f" ± {100 * shares[0].bar:.0f}" if shares[0].is_known else ""
                row.append(beside(text, "/".join(map(str, known)) if known else None))
            rows.append(row)
        return Display(
            ["player", *(f"{searches} searches" for searches in SEARCHES)],
            rows,
            [
                "Wins/draws/losses in percent, published in brackets; ± is the 95% interval of the wins over "
                "seeds, or over games with one seed.",
                f"{OURS} is the preset default, trained for {results.budget['default']:,} episodes.",
            ],
            lambda figure: _draw_searches(figure, results),
        )

    return _experiment(
        item,
        f"{board.name}: the players against MCTS with equal searches.",
        ("player", "searches"),
        (plan, show),
        published,
        f"{item}; wins, draws and losses in 100 games",
        quick,
        full,
    )


def _draw_searches(figure: Any, results: Results) -> None:
    from boardlab.experiments.figures import curve

    axes = figure.add_subplot()
    xs = results.budget["searches"]
    for number, name in enumerate((*results.budget["iterations"], OURS)):
        ys = [results.share("wins", name, str(x)) for x in xs]
        curve(axes, xs, ys, label=name, color=f"C{number}")
    axes.set_xscale("log")
    axes.set_xticks(xs, [str(x) for x in xs])
    axes.set_xlabel("searches of both players")
    axes.set_ylabel("win rate against MCTS")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def tournament(
    item: str, board: Board, players: Mapping[str, Player], quick: Budget, full: Budget
) -> Experiment:
    """All pairs and MCTS, 200 games a pair from random first moves, the orders switched."""

    def plan(budget: Budget) -> Plan:
        entrants = {**agents(players, budget, budget["searches"]), "MCTS": uct(budget["searches"])}
        cells = [
            Cell(pair, Match(board, [entrants[name] for name in pair], budget["games"], random_actions=2))
            for pair in itertools.combinations(entrants, 2)
        ]
        return Plan(trainings(board, players, budget), cells)

    def show(results: Results) -> Display:
        return standings(results, [*results.budget["iterations"], OURS, "MCTS"])

    return _experiment(
        item,
        f"{board.name}: a tournament of all players and MCTS from random first moves.",
        ("one", "other"),
        (plan, show),
        {},
        f"{item} shows stacked bars and no numbers; AZ-Res32 and AZ-Res6 come out best in Connect Four",
        quick,
        full,
    )


def standings(results: Results, entrants: list[str]) -> Display:
    """Wins, draws and losses of every entrant over all its games, as stacked bars."""
    totals = {name: [0.0, 0.0, 0.0] for name in entrants}
    for row in results.rows:
        wins, draws, losses = (float(row[outcome]) for outcome in ("wins", "draws", "losses"))
        for place, count in enumerate((wins, draws, losses)):
            totals[row["one"]][place] += count
            totals[row["other"]][2 - place] += count
    ranked = sorted(totals, key=lambda name: -totals[name][0])
    rows = [[name, *(f"{count:,.0f}" for count in totals[name])] for name in ranked]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        left = [0.0] * len(ranked)
        for place, (outcome, colour) in enumerate(
            (("wins", "tab:green"), ("draws", "0.7"), ("losses", "tab:red"))
        ):
            counts = [totals[name][place] for name in ranked]
            axes.barh(ranked, counts, left=left, color=colour, label=outcome)
            left = [a + b for a, b in zip(left, counts, strict=True)]
        axes.invert_yaxis()
        axes.set_xlabel("games")
        axes.legend()  # fmt: skip

    notes = ["Games of all pairs and seeds together."]
    return Display(["player", "wins", "draws", "losses"], rows, notes, draw)


def _experiment(
    item: str,
    title: str,
    keys: tuple[str, ...],
    does: Any,
    published: Mapping[Any, Any],
    source: str,
    quick: Budget,
    full: Budget,
) -> Experiment:
    plan, show = does
    return Experiment(
        paper=PAPER,
        item=item,
        title=title,
        keys=keys,
        plan=plan,
        show=show,
        published=published,
        source=source,
        choices=CHOICES,
        extras=("az",),
        quick=quick,
        full=full,
    )
