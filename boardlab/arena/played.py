"""What the records of games tell: positions, points, and which games are the same."""

from collections.abc import Hashable, Sequence

from boardlab import _engine
from boardlab.arena.arena import GameRecord
from boardlab.errors import BoardLabError
from boardlab.games.game import Game, State


def game_points(scores: Sequence[float]) -> tuple[float, ...]:
    """Return each seat's points: the share of players behind it, ties counting half."""
    if len(scores) == 1:
        return (0.0,)
    if len(scores) == 2:
        a, b = scores
        return (1.0, 0.0) if a > b else (0.0, 1.0) if b > a else (0.5, 0.5)
    others = len(scores) - 1
    return tuple(
        (sum(s > t for t in scores) + (sum(s == t for t in scores) - 1) / 2) / others for s in scores
    )


def game_keys(game: Game, records: Sequence[GameRecord]) -> list[Hashable]:
    """Return one key per game, equal for equal games.

    Another scramble is another game.
    """
    starts: dict[tuple[int, int], bytes] = {}
    keys: list[Hashable] = []
    for r in records:
        key = (id(r.start), 0 if r.start is not None else r.seed)
        if key not in starts:
            starts[key] = _start(game, r)
        keys.append((starts[key], r.actions, r.scores if r.error else ()))
    return keys


def count_distinct(game: Game, records: Sequence[GameRecord]) -> int:
    """Count the different games."""
    return len(set(game_keys(game, records)))


def is_dealt(game: Game, records: Sequence[GameRecord]) -> bool:
    """Return whether chance varies the games: dice, cards or a seeded set-up.

    Games that chance repeats are a fair sample; without chance a repeated game is not a new sample.
    """
    if game.has_chance:
        return True
    seeds = list(dict.fromkeys(r.seed for r in records if r.start is None))[:2]
    return len({_engine.match_start(game.core, seed).to_bytes() for seed in seeds}) > 1


def was_cut(game: Game, record: GameRecord) -> bool:
    """Return whether a game was cut at the horizon before it was over."""
    if record.error or record.adjudicated or len(record.actions) < game.horizon:
        return False
    core = first_state(game, record).core
    for action in record.actions:
        core.apply(action)
    return not core.is_terminal


def _start(game: Game, record: GameRecord) -> bytes:
    return first_state(game, record).core.to_bytes()


def replay(game: Game, record: GameRecord) -> list[State]:
    """Return all positions of a recorded game, including the first."""
    if not isinstance(game, Game) or not isinstance(record, GameRecord):
        raise BoardLabError("replay needs the game and one of the match's records")
    state = first_state(game, record)
    states = [state.copy()]
    for action in record.actions:
        state.apply(action)
        states.append(state.copy())
    return states


def first_state(game: Game, record: GameRecord) -> State:
    """Return the position in which a recorded game began."""
    if record.start is not None:
        return record.start.copy()
    return State(game, _engine.match_start(game.core, record.seed))
