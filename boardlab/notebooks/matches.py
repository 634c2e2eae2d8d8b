"""`boardlab.match` and `boardlab.tournament`, with a bar that fills in notebooks.

Elsewhere they are the functions of `boardlab.arena`, which show nothing themselves.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from boardlab.arena import match as arena_match
from boardlab.arena import tournament as arena_tournament
from boardlab.arena.arena import GameRecord
from boardlab.arena.pages import match_curve
from boardlab.games.game import Game
from boardlab.html import Html, below, progress_bar
from boardlab.notebooks.live import LiveOutput, Pulse, is_notebook
from boardlab.numbers import counted

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

PATIENCE = 0.5
"""Seconds before the bar appears: most matches are over by then."""


class GameBar:
    """A bar over games, and what is known of their results so far."""

    def __init__(self) -> None:
        self._output, self._pulse, self._is_shown = LiveOutput(), Pulse(PATIENCE), False
        self._pulse.is_due()  # starts the wait for the first

    def show_games(
        self, game: Game, agents: Sequence[str], records: Sequence[GameRecord], games: int
    ) -> None:
        """Show the games of a match and the first agent's mean so far."""
        if self._pulse.is_due():
            self._show(len(records), games, match_curve(game, agents, records))

    def show_count(self, done: int, games: int) -> None:
        """Show how many games are done."""
        if self._pulse.is_due():
            self._show(done, games, "")

    def _show(self, done: int, games: int, more: str) -> None:
        words = f"{done:,} of {counted(games, 'games')}"
        self._is_shown = True
        self._output.update(words, below(progress_bar(done, games, words), more))

    def close(self) -> None:
        """Remove the bar: the result tells the rest."""
        if self._is_shown:
            self._output.update("", Html(""))


def _with_bar(
    function: Callable[Parameters, Result], told: str, show: Callable[[GameBar], Callable[..., None]]
) -> Callable[Parameters, Result]:
    """Show a bar in notebooks unless the caller watches the progress himself."""

    @functools.wraps(function)
    def watch(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        given: dict[str, Any] = options
        if not is_notebook() or given.get("progress") is not None or given.get(told) is not None:
            return function(*arguments, **options)
        bar = GameBar()
        given[told] = show(bar)
        try:
            return function(*arguments, **options)
        finally:
            bar.close()

    return watch


match = _with_bar(arena_match, "told_games", lambda bar: bar.show_games)
tournament = _with_bar(arena_tournament, "progress", lambda bar: bar.show_count)
