"""playStats.csv: one row per position played, in GBG's columns."""

import os
from collections.abc import Sequence

from boardlab.arena.arena import GameRecord
from boardlab.arena.match_result import MatchResult
from boardlab.arena.played import replay
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import CHANCE, Game, State, as_game
from boardlab.games.twenty48 import Twenty48
from boardlab.paths import as_path
from boardlab.runs import write_file

COLUMNS = "run, moveNum, player, action, gameScore, nEmptyTile, cumEmptyTl, highestTile"


def play_stats(game: Game, agents: Sequence[str], records: Sequence[GameRecord]) -> str:
    """Format a playStats.csv: players, a header, and a row for every position.

    `run` counts games from 1, `moveNum` the players' actions; `player` is to move (at the end: who moved
    last), `action` led to the position (-1: the first), `gameScore` is the player's. The tiles are those of
    2048; 0 in other games.
    """
    as_game(game)
    lines = [f"P{i}: {agent}" for i, agent in enumerate(agents)]
    lines.append(COLUMNS)
    for run, record in enumerate(records, 1):
        lines += _rows(game, run, record)
    return "\n".join(lines) + "\n"


def _rows(game: Game, run: int, record: GameRecord) -> list[str]:
    rows: list[str] = []
    states = replay(game, record)
    number, empty_so_far, action = 0, 0, -1
    for before, state, played in zip([None, *states], states, [-1, *record.actions], strict=False):
        if before is not None and before.player != CHANCE:
            number, action = number + 1, played
        if state.player == CHANCE:  # GBG's positions already include the chance event
            continue
        player = state.player if not state.is_terminal else max(state.last_player, 0)
        empty, highest = _tiles(game, state)
        empty_so_far += empty
        score = 0.0 + (record.scores[player] if state is states[-1] else state.scores[player])  # no -0.00
        rows.append(f"{run}, {number}, {player}, {action}, {score:+.2f}, {empty}, {empty_so_far}, {highest}")
    return rows


def _tiles(game: Game, state: State) -> tuple[int, int]:
    if not isinstance(game.rules, Twenty48):
        return 0, 0
    cells = state.fields[: game.core.cells]
    return cells.count(0), 2 ** max(cells)


def write_play_stats(path: str | os.PathLike[str], game: Game, result: MatchResult) -> None:
    """Write the playStats.csv of a match."""
    if not isinstance(result, MatchResult):
        raise BoardLabError(f"play statistics need the result of a match, not {shown(result)}")
    file = as_path("the file of play statistics", path)
    write_file(file, play_stats(game, result.names, result.records))
