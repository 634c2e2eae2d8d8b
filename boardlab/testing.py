"""The conformance kit: check every invariant of a game on random games.

    from boardlab.testing import check_game
    check_game(boardlab.game("othello", size=6))

Run it over your own games before you train an agent: agents exploit every hole in the rules.
"""

import contextlib
import functools
import random
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

import boardlab
from boardlab.apart import CheckFailedError, check_apart, seen_apart
from boardlab.errors import BoardLabError, BoardLabWarning, described, place_of
from boardlab.games.face import LibraryGame
from boardlab.games.game import CHANCE, TERMINAL, Game, State, as_game
from boardlab.games.library import Library
from boardlab.games.python import PythonGame
from boardlab.games.rules import Rules
from boardlab.numbers import counted
from boardlab.patience import Patience, StuckError

NO_COUNTS: Mapping[int, int] = {}


class ConformanceError(AssertionError):
    """A game broke an invariant; names the invariant and shows the position."""


def check_game(
    game: Game,
    *,
    games: int = 10,
    seed: int = 0,
    perft: Mapping[int, int] | None = None,
    patience: float = 60,
) -> None:
    """Play random games and check every invariant on their positions.

    Raises `ConformanceError` for the first one that is broken. Warns if no random game of several players
    ends within the horizon. `perft` maps depths to the known number of action sequences. Rules that do not
    answer within `patience` seconds are stopped. Compiled rules run in a process of their own, whose crash is
    an error like any other, and their functions may not write beyond what they are given.
    """
    as_game(game)

    def check(game: Game) -> None:
        check_here(game, games, seed, perft or {}, patience)

    if not _is_compiled(game.rules):
        check(game)
        return
    try:
        check_apart(game, check, patience)
    except CheckFailedError as error:
        text = str(error)
        raise ConformanceError(text if text.startswith(repr(game)) else f"{game!r}: {text}") from None


def _is_compiled(rules: Rules) -> bool:
    """Whether Python cannot stop these rules, and they are not our own."""
    is_numba = isinstance(rules, PythonGame) and rules.compiled and find_spec("numba") is not None
    return is_numba or isinstance(rules, (Library, LibraryGame))


def check_here(
    game: Game, games: int, seed: int = 0, perft: Mapping[int, int] = NO_COUNTS, patience: float = 60
) -> None:
    """Check in this process, whatever the rules are."""
    rng = random.Random(seed)
    with _stopping_stuck_rules(game, patience) as watch:
        _check_facts(game)
        for number in range(games):
            _check_random_game(game, rng, watch, drawings=number == 0)
        _check_playouts(game, rng, watch)
        for depth, count in perft.items():
            watch.see(None)
            seen_apart(game.initial_state().to_text)
            found = boardlab.perft(game, depth)
            _require(found == count, f"perft({depth}) is {found}, not {count}", game.initial_state())


@contextlib.contextmanager
def _stopping_stuck_rules(game: Game, seconds: float) -> Iterator[Patience]:
    """Stop rules in Python that loop for ever; name the position there and where they raise."""
    with Patience(seconds) as watch:
        try:
            yield watch
        except StuckError as error:
            place = place_of(error)
            where = f"{place[0]}, line {place[1]}: " if place else ""
            text = f"{game!r}: {where}the rules do not return within {seconds:g} seconds"
            raise ConformanceError(f"{text}{_where(watch)}") from None
        except (BoardLabError, MemoryError):  # it names the function and the position
            raise
        except Exception as error:
            if place_of(error) is None:  # not the user's code
                raise
            raise ConformanceError(f"{game!r}: {described(error)}{_where(watch)}") from error


def _where(watch: Patience) -> str:
    """Show the position that was checked last."""
    with contextlib.suppress(Exception):  # showing it may be what failed
        if watch.at is not None:
            return f", in\n{_shown(watch.at)}"
    return ""


def _require(holds: bool, what: str, state: State) -> None:
    if not holds:
        raise ConformanceError(f"{state.game!r}: {what}, in\n{_shown(state)}")


def _shown(state: State) -> str:
    """Return a position as text, with the names of its fields where the author declared some."""
    rules = state.game.rules
    if isinstance(rules, PythonGame) and rules.state is not None:
        return f"{rules.position_of(state)!r}\n{state.to_text()}"
    return state.to_text()


def _check_facts(game: Game) -> None:
    state = game.initial_state(seed=1)
    _require(1 <= game.players <= 8, "players must be from 1 to 8", state)
    low, high = game.score_range
    _require(low < high, "score_range must be a range", state)
    _require(game.initial_state(seed=1) == state, "the same seed must give the same initial state", state)
    _require(len(set(game.outcomes)) == len(game.outcomes), "named rewards must differ", state)
    _require(len(game.core.cell_values()) == game.core.cells, "every cell needs its number of values", state)
    adjacency = game.core.adjacency()
    for cell, neighbours in enumerate(adjacency):
        _require(
            all(0 <= n < game.core.cells and n != cell for n in neighbours)
            and len(set(neighbours)) == len(neighbours)
            and all(cell in adjacency[n] for n in neighbours),
            f"adjacency of cell {cell} must list other cells once, and be mutual",
            state,
        )


def _check_random_game(game: Game, rng: random.Random, watch: Patience, *, drawings: bool) -> None:
    """Play one random game and check every position.

    Long games are sampled near their end.
    """
    start_seed = rng.randrange(2**32)
    state = game.training_start(start_seed) if rng.random() < 0.5 else game.initial_state(start_seed)
    if rng.random() < 0.3:
        state.core.playout(rng.randrange(2**32), rng.randrange(60))
    actions_left = 120
    while True:
        watch.see(state)
        seen_apart(lambda: _shown(state))
        _check_state(state, rng)
        if drawings and rng.random() < 0.3:
            _check_drawing(state)
        if state.is_terminal or actions_left == 0:
            break
        actions_left -= 1
        _check_step(state, rng)
    _check_drawing(state)


def _check_state(state: State, rng: random.Random) -> None:
    game, player = state.game, state.player
    actions = state.legal_actions()
    _require(
        player in (CHANCE, TERMINAL) or 0 <= player < game.players, f"there is no player {player}", state
    )
    _require(
        state.last_player == CHANCE or 0 <= state.last_player < game.players,
        f"there is no last player {state.last_player}",
        state,
    )
    _require(state.is_terminal == (player == TERMINAL), "is_terminal and player disagree", state)
    _require(actions == sorted(set(actions)), "legal actions must ascend without repetition", state)
    _require(bool(actions) != state.is_terminal, "exactly terminal states have no legal action", state)
    most = game.core.outcome_count if player == CHANCE else game.action_count
    _require(all(0 <= a < most for a in actions), f"an action is outside 0..{most - 1}", state)
    _require(len(actions) <= game.core.max_legal, "more legal actions than max_legal", state)
    if player == CHANCE:
        _check_chance(state, rng)
    _check_scores(state)
    _check_text(state, actions)
    _check_learner_views(state)
    _check_symmetries(state, rng)
    if game.is_hidden:
        _check_hidden(state, rng)
    _require(state.moves_left >= 0, "moves_left must not be negative", state)
    for wrong in (-1, most, *({rng.randrange(most)} - set(actions))):
        before = state.core.to_bytes()
        try:
            state.apply(wrong)
        except ValueError:
            _require(state.core.to_bytes() == before, "a refused action changed the state", state)
        else:
            _require(False, f"the illegal action {wrong} was applied", state)


def _check_chance(state: State, rng: random.Random) -> None:
    outcomes = state.chance_outcomes()
    _require(
        [o for o, _ in outcomes] == state.legal_actions(), "chance_outcomes and legal_actions differ", state
    )
    _require(all(p > 0 for _, p in outcomes), "a chance outcome has no probability", state)
    total = sum(p for _, p in outcomes)
    _require(abs(total - 1) < 1e-9, f"the probabilities sum to {total}", state)
    drawn = state.sample_chance(rng.randrange(2**32))
    _require(drawn in dict(outcomes), f"sample_chance drew {drawn}, which cannot happen", state)


def _check_scores(state: State) -> None:
    game = state.game
    for outcome in game.outcomes:
        scores = state.outcome(outcome)
        low, high, _ = game.core.outcome_range(outcome)
        _require(scores.shape == (game.players,), f"{outcome} needs one number a player", state)
        _require(bool(np.isfinite(scores).all()), f"{outcome} must be finite", state)
        if state.is_terminal:
            inside = bool((scores >= low - 1e-9).all() and (scores <= high + 1e-9).all())
            _require(inside, f"{outcome} {scores} is outside its range {low}..{high}", state)
        if game.is_zero_sum and state.is_terminal:
            _require(abs(scores.sum()) < 1e-9, f"{outcome} {scores} does not sum to zero", state)


def _check_text(state: State, actions: list[int]) -> None:
    text = state.to_text()
    _check_read(state.game.from_text, text, state, "to_text does not read back", state)
    _check_read(state.game.from_fields, state.fields, state, "fields do not read back", state)
    names = list(state.action_names().values())
    _require(len(set(names)) == len(names), "two actions have the same name", state)
    for action, name in list(zip(actions, names, strict=True))[:: max(1, len(actions) // 8)]:
        if state.player != CHANCE:
            _check_read(state.parse_action, name, action, f'"{name}" does not read back', state)


def _check_read(
    read: Callable[[Any], object], written: Any, expected: object, what: str, state: State
) -> None:
    """Check that what was written reads back."""
    try:
        found = read(written)
    except ValueError as error:
        _require(False, f"{what} ({error})", state)
    else:
        _require(found == expected, what, state)


def _check_learner_views(state: State) -> None:
    game = state.game
    values = np.array(game.core.cell_values())
    for player in range(game.players):
        if game.core.cells:
            vector = state.board_vector(player)
            _require(bool((vector < values).all()), f"board vector {vector} leaves its ranges", state)
            for cells, rows in _joint_values(game):
                joint = vector[cells].tobytes()
                _require(joint in rows, f"cells {cells} have joint values that joint_values lacks", state)
        if game.core.plane_shape != (0, 0, 0):
            planes = state.planes(player)
            _require(planes.shape == game.core.plane_shape, "planes have another shape", state)
            _require(bool(np.isfinite(planes).all()), "planes must be finite", state)
        if game.core.feature_count:
            _require(bool(np.isfinite(state.features(player)).all()), "features must be finite", state)
        sizes = game.core.feature_table_sizes
        if sizes:
            indices = state.core.feature_indices(player)
            inside = all(0 <= i < size for i, size in zip(indices, sizes, strict=True))
            _require(inside, f"feature indices {indices} leave their tables", state)
    _require(0 <= state.stage < game.core.stages, f"stage {state.stage} is outside its range", state)


@functools.lru_cache(maxsize=8)
def _joint_values(game: Game) -> list[tuple[list[int], set[bytes]]]:
    """Groups of interdependent cells, with the joint values that can occur."""
    return [(cells, set(map(bytes, rows))) for cells, rows in game.core.joint_values()]


def _check_symmetries(state: State, rng: random.Random) -> None:
    game = state.game
    if game.symmetries == 1:
        return
    _require(state.symmetry(0) == state, "symmetry 0 must be the identity", state)
    count = game.symmetries
    chosen = range(count) if count <= 8 else {1, count - 1, *(rng.randrange(count) for _ in range(4))}
    for g in chosen:
        turned = state.symmetry(g)
        where = f"symmetry {g}"
        _require(turned.player == state.player, f"{where} changes who moves", state)
        _require(bool((turned.scores == state.scores).all()), f"{where} changes the scores", state)
        _check_read(game.from_fields, turned.fields, turned, f"{where} makes an impossible state", state)
        if state.player >= 0:
            mapped = {a: state.core.symmetry_action(g, a) for a in state.legal_actions()}
            _require(
                sorted(mapped.values()) == turned.legal_actions(), f"{where} breaks the legal actions", state
            )
            action = rng.choice(list(mapped))
            one, other = state.copy(), turned.copy()
            one.apply(action)
            other.apply(mapped[action])
            _require(one.symmetry(g) == other, f"{where} does not commute with action {action}", state)
        elif state.player == CHANCE:
            _require(
                _chance_futures(state, g) == _chance_futures(turned, 0),
                f"{where} does not commute with chance",
                state,
            )
        cells = game.core.symmetry_cells(g)
        if cells is not None:
            source, maps = cells
            for player in range(game.players):
                before = state.board_vector(player)
                expected = maps[np.arange(len(source)), before[source]]
                same = bool((turned.board_vector(player) == expected).all())
                _require(same, f"{where} and its fast form differ", state)


def _chance_futures(state: State, g: int) -> list[tuple[bytes, float]]:
    """Return the positions after a chance event, under a symmetry, as a distribution."""
    futures: dict[bytes, float] = {}
    for outcome, probability in state.chance_outcomes():
        child = state.copy()
        child.apply(outcome)
        key = child.symmetry(g).core.to_bytes()
        futures[key] = futures.get(key, 0.0) + probability
    return sorted((key, round(p, 9)) for key, p in futures.items())


def _check_hidden(state: State, rng: random.Random) -> None:
    game = state.game
    for player in range(game.players):
        seen = state.seen_by(player)
        key = state.observe(player)
        _require(seen.observe(player) == key, f"what player {player} sees cannot be observed again", state)
        _require(seen.player == state.player, f"concealing changes who moves for player {player}", state)
        if state.player == player:
            _require(
                seen.legal_actions() == state.legal_actions(),
                "concealing changes the player's own legal actions",
                state,
            )
        _check_views_hide(state, seen, player, rng)
        full = seen.determinize(player, rng.randrange(2**32))
        _require(full.observe(player) == key, f"determinize contradicts what player {player} saw", state)
        again = full.seen_by(player)
        same = again.core.to_bytes() == seen.core.to_bytes()
        _require(same, f"player {player} could tell a determinized state apart", state)
        _check_read(game.from_fields, full.fields, full, "determinize makes an impossible state", state)
        completions = seen.completions(player)
        if completions:
            total = sum(p for _, p in completions)
            _require(abs(total - 1) < 1e-9, f"completions sum to {total}", state)
            _require(
                all(s.observe(player) == key for s, _ in completions),
                f"a completion contradicts what player {player} saw",
                state,
            )
            for some, _ in rng.sample(completions, min(16, len(completions))):
                _check_read(game.from_fields, some.fields, some, "a completion is impossible", state)
            keys = [s.core.to_bytes() for s, _ in completions]
            _require(len(set(keys)) == len(keys), "a completion is listed twice", state)
            _require(full.core.to_bytes() in keys, "determinize left the completions", state)
            _require(state.core.to_bytes() in keys, "the true state is not among the completions", state)
            if len(keys) <= 16 and rng.random() < 0.1:
                _check_determinize_weights(seen, player, completions, rng)


def _check_views_hide(state: State, seen: State, player: int, rng: random.Random) -> None:
    """Check that a player's learning input does not depend on hidden parts."""
    game = state.game
    same = True
    if game.core.cells:
        same = same and bool((state.board_vector(player) == seen.board_vector(player)).all())
    if game.core.plane_shape != (0, 0, 0):
        same = same and bool((state.planes(player) == seen.planes(player)).all())
    if game.core.feature_count and rng.random() < 0.1:  # they may take long
        same = same and bool((state.features(player) == seen.features(player)).all())
    _require(same, f"board vector, planes or features show player {player} hidden parts", state)
    if game.core.names_situations and state.player == player:
        same = state.core.situation(player) == seen.core.situation(player)
        _require(same, f"the situation shows player {player} hidden parts", state)
    _check_drawing(seen)
    if seen.core.to_bytes() == state.core.to_bytes():
        return
    _require(seen.to_text() != state.to_text(), f"the text shows player {player} hidden parts", state)
    try:
        read = game.from_text(seen.to_text())
    except ValueError:
        return
    _require(read == seen, f"what player {player} sees reads back as something else", state)


def _check_determinize_weights(
    seen: State, player: int, completions: list[tuple[State, float]], rng: random.Random
) -> None:
    """Check that draws match the completions' probabilities within six sigma."""
    draws = 300
    counts = dict.fromkeys((s.core.to_bytes() for s, _ in completions), 0)
    for _ in range(draws):
        counts[seen.determinize(player, rng.randrange(2**32)).core.to_bytes()] += 1
    for state, p in completions:
        found = counts[state.core.to_bytes()]
        allowed = 6 * (draws * p * (1 - p)) ** 0.5 + 1e-9
        _require(
            abs(found - draws * p) <= allowed,
            f"determinize drew a completion of probability {p:.3g} {found} times in {draws}",
            state,
        )


def _check_step(state: State, rng: random.Random) -> None:
    """Apply a random action in every way the contract offers, and compare."""
    game, mover = state.game, state.player
    action = rng.choice(state.legal_actions())
    before = state.core.to_bytes()
    twin = state.copy()
    if game.core.cells:
        viewer = rng.randrange(game.players)
        vector = twin.board_vector(viewer).copy()
        for cell, old, new in twin.core.apply_changes(action, viewer):
            _require(vector[cell] == old, f"apply_changes reports a wrong old value of cell {cell}", state)
            vector[cell] = new
        _require(bool((twin.board_vector(viewer) == vector).all()), "apply_changes misses a change", state)
    else:
        twin.apply(action)
    state.apply(action)
    _require(twin == state, "the same action led to two positions", state)
    _require(state.core.to_bytes() != before, f"action {action} changed nothing", state)
    if mover >= 0:
        _require(state.last_player == mover, f"player {mover} moved, not {state.last_player}", state)
    state.undo()
    _require(state.core.to_bytes() == before, "undo did not bring the position back", state)
    state.apply(action)


def _check_playouts(game: Game, rng: random.Random, watch: Patience) -> None:
    ended = 0
    for _ in range(20):
        watch.see(None)
        seed = rng.randrange(2**32)
        one, other = game.initial_state(seed), game.initial_state(seed)
        seen_apart(one.to_text)
        length = one.core.playout(seed, game.horizon)
        _require(
            other.core.playout(seed, game.horizon) == length and one == other,
            "a seed must repeat a playout",
            one,
        )
        _require(one.is_terminal or length >= game.horizon, "a playout stopped before the end", one)
        _require(length <= game.horizon, "a playout passed the horizon", one)
        ended += one.is_terminal
    if not ended and game.players > 1:  # a random player need not solve a puzzle
        warnings.warn(
            f"{game!r}: none of 20 random games ended within the horizon of "
            f"{counted(game.horizon, 'actions')}: does the game end, or does it need a larger horizon? The "
            f"last one reached\n{one.to_text()}",
            BoardLabWarning,
            stacklevel=3,
        )


def _check_drawing(state: State) -> None:
    try:
        ElementTree.fromstring(state.to_svg())
    except ElementTree.ParseError as error:
        _require(False, f"the drawing is not valid XML: {error}", state)
