"""The border between Python and the engine: no call with any argument may crash, corrupt or hang it.

Only ordinary exceptions come out, and a state is what it was after a call that failed. Two layers are
attacked: the public package, where bad input is a BoardLabError (or a TypeError, where Python itself counts
arguments), and the compiled module below it.
"""

import ctypes
import math
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.junk import JUNK
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import boardlab as bl
from boardlab import BoardLabError, _engine
from boardlab.arena import Result
from boardlab.search.agent import python_agent
from boardlab.search.forest import Forest

# What is uninitialised is refused with a TypeError and, beside it, a warning.
pytestmark = pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")

STABLE = settings(derandomize=True, deadline=None, max_examples=150)
# A failure is reported as it was found: making a sequence of forty calls shorter takes minutes.
FIRE = settings(
    STABLE,
    max_examples=60,
    stateful_step_count=40,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
REFUSED = (BoardLabError, TypeError)
ENGINE_REFUSED = (ValueError, TypeError, OverflowError, AttributeError)

GAMES = [
    bl.game("tictactoe"), bl.game("connectfour", rows=4, cols=5, connect=3), bl.game("othello", size=4),
    bl.game("nim", heaps=(3, 2)), bl.game("nim", heaps=(2, 2), players=3), bl.game("2048", size=2),
    bl.game("rubiks", size=3, twists=2),
]  # fmt: skip

# Every other game once, on a small board.
ALL_GAMES = [
    *GAMES,
    bl.game("gobang", rows=4, cols=4), bl.game("sim", nodes=5, players=3), bl.game("hex", size=3, swap=True),
    bl.game("yavalath", side=3, players=3), bl.game("ewn", size=3), bl.game("blackjack", rounds=2),
    bl.game("kuhnpoker"), bl.game("leducpoker"), bl.game("poker", players=3, rounds=2),
    bl.game("morpion", variant="4D"),
    bl.game("pathwayz"),
]  # fmt: skip


def test_all_games_are_under_fire() -> None:
    assert {game.name for game in ALL_GAMES} == set(bl.games())


def uninitialised() -> list[Any]:
    """Instances that no engine code has filled: made without a constructor, or by a subclass with its own."""
    made: list[Any] = []
    for kind in (_engine.Game, _engine.State, _engine.Search, _engine.Evaluator, _engine.GameRecord):
        made.append(kind.__new__(kind))
        made.append(type("Sub", (kind,), {"__init__": lambda self: None})())
    return made


def engine_objects() -> list[Any]:
    """One of everything, small."""
    made: list[Any] = []
    for game in GAMES:
        core = game.core
        state = core.initial_state(1)
        made += [core, state, _engine.paid_evaluator(core, "score")]
        evaluator = _engine.rollout_evaluator(core, "score", 1, 2, False)
        made += [evaluator, _engine.random_search(core, 1), _engine.greedy_search(evaluator, 1),
                 _engine.mc_search(evaluator, 3, 0.0, 1), _engine.maxn_search(evaluator, 1, 1, 1),
                 _engine.mcts_search(evaluator, 1, _engine.TreeOptions(), 5),
                 _engine.python_search(core, lambda state: state.legal_actions()[0], None)]  # fmt: skip
    play_one(GAMES[0].core, [made[4]], made.extend)
    return made


def play_one(core: Any, agents: list[Any], receive: Any = print, games: int = 1, starts: Any = ()) -> None:
    """A match of one thread with the least that the engine needs."""
    _engine.play_match(
        core, [agents], 0, games, 0, [[0, 0]], 1, 0, list(starts), False, None, 1.0, 4, receive
    )


def members(value: Any) -> list[str]:
    names = [n for n in dir(type(value)) if not n.startswith("_")]
    return [*names, "__eq__", "__hash__", "__repr__"]


MODULE_FUNCTIONS = sorted(
    name
    for name in dir(_engine)
    if callable(getattr(_engine, name)) and not isinstance(getattr(_engine, name), type)
)


def snapshot(value: Any) -> Any:
    if isinstance(value, _engine.State):
        try:
            return value.to_bytes(), value.actions_played
        except TypeError:
            return "uninitialised"
    return None


def call(function: Callable[..., Any], arguments: list[Any]) -> tuple[bool, Any]:
    """(whether it went well, the result). Anything but an ordinary refusal fails the test."""
    before = [snapshot(a) for a in arguments]
    owner = getattr(function, "__self__", None)
    owner_before = snapshot(owner)
    try:
        return True, function(*arguments)
    except ENGINE_REFUSED as error:
        assert str(error) or isinstance(error, TypeError)
        assert [snapshot(a) for a in arguments] == before
        assert snapshot(owner) == owner_before
        return False, None


class EngineUnderFire(RuleBasedStateMachine):
    """Random members of live objects, called with junk and with each other."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: list[Any] = []

    @initialize()
    def populate(self) -> None:
        self.objects = engine_objects() + uninitialised()

    def pick(self, data: st.DataObject) -> Any:
        if data.draw(st.booleans()):
            return JUNK[data.draw(st.integers(0, len(JUNK) - 1))]
        return self.objects[data.draw(st.integers(0, len(self.objects) - 1))]

    def arguments(self, data: st.DataObject) -> list[Any]:
        return [self.pick(data) for _ in range(data.draw(st.integers(0, 3)))]

    def keep(self, result: Any) -> None:
        if isinstance(result, (_engine.State, _engine.Search, _engine.Evaluator)) and len(self.objects) < 150:
            self.objects.append(result)

    @rule(data=st.data())
    def use_a_member(self, data: st.DataObject) -> None:
        target = self.objects[data.draw(st.integers(0, len(self.objects) - 1))]
        name = data.draw(st.sampled_from(members(target)))
        went_well, member = call(lambda: getattr(target, name), [])
        if went_well and callable(member):
            self.keep(call(member, self.arguments(data))[1])

    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        """Legal actions too, so that the states do not stay at the start."""
        states = [s for s in self.objects if isinstance(s, _engine.State) and snapshot(s) != "uninitialised"]
        state = data.draw(st.sampled_from(states))
        legal = state.legal_actions()
        if legal:
            state.apply(data.draw(st.sampled_from(legal)))
        elif state.actions_played:
            state.undo()

    @rule(data=st.data())
    def use_a_function(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(MODULE_FUNCTIONS))
        self.keep(
            call(getattr(_engine, name), [self.pick(data) for _ in range(data.draw(st.integers(0, 5)))])[1]
        )

    @rule(data=st.data(), name=st.sampled_from(sorted({n for g in engine_objects() for n in members(g)})))
    def write_a_member(self, data: st.DataObject, name: str) -> None:
        target = self.objects[data.draw(st.integers(0, len(self.objects) - 1))]
        if type(target).__name__ != "Sub":
            with pytest.raises(ENGINE_REFUSED):
                setattr(target, name, self.pick(data))

    @invariant()
    def states_can_be_read(self) -> None:
        for state in self.objects[:10]:
            if isinstance(state, _engine.State) and snapshot(state) != "uninitialised":
                assert state.player in (bl.CHANCE, bl.TERMINAL, 0, 1, 2)
                assert state.is_terminal == (not state.legal_actions())


def test_the_engine_under_fire() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        EngineUnderFire, settings=FIRE
    )


def learning() -> list[list[Any]]:
    """What learns in the engine, and what it learns with: a class and arguments that make a small one."""
    core, goal = bl.game("tictactoe").core, bl.game("rubiks", twists=0).core.initial_state(0)
    design: list[Any] = [[[0, 1, 2], [3, 4]], [0], [], True, False, False, True, False, 10**6]
    network, of_cube = (_engine.NTupleNetwork(game, *design) for game in (core, goal.game))
    of_actions = _engine.NTupleNetwork(core, *design, True)
    td, with_replay = _engine.TdSettings(), _engine.TdSettings()
    with_replay.replay = 5
    return [
        [_engine.NTupleNetwork, core, *design, False],
        [_engine.TdSettings],
        [_engine.TdLearner, network, with_replay, "score", 1, 1],
        [_engine.TdLearner, network, td, "score", 1, 2],
        [_engine.DaviLearner, of_cube, td, "score", 1],
        [_engine.SarsaLearner, of_actions, td, "score", True, 1],
        [_engine.FeatureNetwork, core, 2, True, 1, "game", 0, None],
        [_engine.FeatureLearner, _engine.FeatureNetwork(core, 2, True, 1, "game"), td, "score", 1],
        [_engine.QTable, core, "score", 10**5],
        [_engine.QLearner, _engine.QTable(core, "score", 10**5), td, "score", True, True, 1, 0.0, 1],
        [_engine.RandomWalks, goal, 2],
    ]


@pytest.mark.parametrize("number", range(len(learning())))
def test_what_learns_takes_no_junk(number: int) -> None:
    kind, *good = learning()[number]
    for place in range(len(good)):
        for junk in JUNK:
            call(kind, [*good[:place], junk, *good[place + 1 :]])
    target = kind(*good)
    for name in members(target):
        for junk in JUNK:
            member = call(lambda name=name: getattr(target, name), [])[1]
            if callable(member):
                call(member, [junk])
                call(member, [junk, 1, 2, 3, 4][: 5 if name == "search_with" else 3])
            else:
                call(setattr, [target, name, junk])
    if isinstance(target, _engine.Learner):
        assert target.train(3) == 3


PUBLIC: dict[str, Callable[..., Any]] = {
    "game": bl.game, "describe": bl.describe, "agent": bl.agent, "evaluator": bl.evaluator, "perft": bl.perft,
    "match": lambda *args: bl.match(*args[:2], games=args[2] if len(args) > 2 else 1),
}  # fmt: skip


def public_objects() -> list[Any]:
    made: list[Any] = []
    for game in GAMES:
        made += [game, game.initial_state(1), bl.agent("mcts(iterations=5)", game), bl.agent("random", game),
                 bl.evaluator("score", game)]  # fmt: skip
    return made


class PublicUnderFire(RuleBasedStateMachine):
    """The same for the package: here a refusal is a BoardLabError or a TypeError, with a sentence."""

    @initialize()
    def populate(self) -> None:
        self.objects = public_objects()

    def pick(self, data: st.DataObject) -> Any:
        if data.draw(st.booleans()):
            return JUNK[data.draw(st.integers(0, len(JUNK) - 1))]
        return self.objects[data.draw(st.integers(0, len(self.objects) - 1))]

    def attempt(self, function: Callable[..., Any], arguments: list[Any]) -> None:
        owner = getattr(function, "__self__", None)
        before = [a.fields for a in [*arguments, owner] if isinstance(a, bl.State)]
        try:
            result = function(*arguments)
        except REFUSED as error:
            assert str(error)
            assert [a.fields for a in [*arguments, owner] if isinstance(a, bl.State)] == before
            return
        if isinstance(result, bl.State) and len(self.objects) < 100:
            self.objects.append(result)

    @rule(data=st.data())
    def use_a_member(self, data: st.DataObject) -> None:
        target = self.objects[data.draw(st.integers(0, len(self.objects) - 1))]
        name = data.draw(
            st.sampled_from([n for n in dir(type(target)) if not n.startswith("_") and n != "solve"])
        )
        member = getattr(target, name)
        if callable(member) and name not in ("core", "rules", "rebuild"):
            self.attempt(member, [self.pick(data) for _ in range(data.draw(st.integers(0, 2)))])

    @rule(data=st.data(), name=st.sampled_from(sorted(PUBLIC)))
    def use_a_function(self, data: st.DataObject, name: str) -> None:
        self.attempt(PUBLIC[name], [self.pick(data) for _ in range(data.draw(st.integers(1, 3)))])

    @rule(
        data=st.data(),
        key=st.sampled_from(["rows", "size", "heaps", "players", "twists", "nonsense", "metric"]),
    )
    def make_a_game(self, data: st.DataObject, key: str) -> None:
        name = data.draw(st.sampled_from(bl.games()))
        self.attempt(lambda value: bl.game(name, **{key: value}), [self.pick(data)])

    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        state = data.draw(st.sampled_from([s for s in self.objects if isinstance(s, bl.State)]))
        legal = state.legal_actions()
        if legal:
            state.apply(data.draw(st.sampled_from(legal)))
            assert state == state.game.from_fields(state.fields)


def test_the_package_under_fire() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        PublicUnderFire, settings=FIRE
    )


# ---- arrays ----


@pytest.mark.parametrize("game", ALL_GAMES, ids=repr)
def test_any_fields_make_a_playable_state_or_a_refusal(game: bl.Game) -> None:
    """from_fields gets any integers at all; what it accepts must survive being played to the end."""
    start = game.initial_state(1).fields
    numbers = st.integers(-3, 8) | st.sampled_from([2**31 - 1, -(2**31), 255, 256, 65536])
    changes = st.lists(st.tuples(st.integers(0, len(start) - 1), numbers), max_size=6)

    @STABLE
    @given(changes, st.integers(0, 2**32), st.booleans())
    def check(edits: list[tuple[int, int]], seed: int, wild: bool) -> None:
        anything = random.Random(seed).choices([*range(-3, 9), 255, 256, 65536, 2**31 - 1], k=len(start))
        fields = anything if wild else list(start)
        for place, value in edits:
            fields[place] = value
        try:
            state = game.core.from_fields(np.array(fields, np.int32))
        except BoardLabError as error:
            assert str(error)
            return
        assert state.to_fields().tolist() == fields
        _engine.perft(state, 1)
        if state.player >= 0:
            view = state.seen_by(state.player) if game.is_hidden else state
            _engine.random_search(game.core, 1).act(view)
        for player in range(game.players):
            if game.core.cells:
                state.board_vector(player)
            if game.core.plane_shape != (0, 0, 0):
                state.planes(player)
        assert state.playout(1, 500) <= 500
        state.outcome("score")

    check()


@pytest.mark.parametrize("game", ALL_GAMES, ids=repr)
def test_any_text_makes_a_state_or_a_refusal(game: bl.Game) -> None:
    """from_text gets texts of real positions with characters changed, doubled, moved and taken away."""
    texts = []
    for seed in range(4):
        state = game.initial_state(seed)
        state.core.playout(seed, 3 * seed)
        texts.append(state.to_text())
    letters = st.sampled_from([*"XOxo.,-?0123456789 abcdefAKQJT()|:\n", "\x00", "é", "²", "99999999999"])

    @STABLE
    @given(
        st.sampled_from(texts),
        st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), letters), max_size=4),
    )
    def check(text: str, edits: list[tuple[int, int, str]]) -> None:
        for place, taken, put in edits:
            at = place % (len(text) + 1)
            text = text[:at] + put + text[at + taken :]
        try:
            state = game.from_text(text)
        except BoardLabError as error:
            assert str(error)
            return
        assert game.from_text(state.to_text()) == state

    check()


def test_wrong_shapes_and_kinds_of_arrays() -> None:
    game = bl.game("connectfour")
    good = np.zeros(42, np.int32)
    for wrong in (good[:41], np.zeros(43, np.int32), np.zeros(0, np.int32)):
        with pytest.raises(BoardLabError, match="42 fields"):
            game.core.from_fields(wrong)
        with pytest.raises(BoardLabError, match="42 fields"):
            game.from_fields(wrong)
    for wrong in (good.astype(np.int64), good.astype(np.float32), good.astype(np.uint32), good.reshape(6, 7),
                  np.zeros(84, np.int32)[::2], good.tobytes(), good.tolist(), None,
                  good.astype(">i4")):  # fmt: skip
        with pytest.raises(TypeError):
            game.core.from_fields(wrong)
    readonly = good.copy()
    readonly.setflags(write=False)
    assert game.core.from_fields(readonly).player == 0
    for wrong in (
        [[0] * 7] * 6,
        ["x"] * 42,
        [None] * 42,
        [2**40] * 42,
        [10**30] * 42,
        [0.5] * 42,
        [math.nan] * 42,
    ):
        with pytest.raises(BoardLabError):
            game.from_fields(wrong)


def test_arrays_from_the_engine_own_their_memory() -> None:
    """They outlive the state they came from, and writing into them changes nothing else."""
    game = bl.game("othello")
    state = game.initial_state()
    planes, fields, cells = state.planes(), state.core.to_fields(), state.board_vector()
    text = state.to_text()
    planes[:] = fields[:] = cells[:] = 7
    assert state.to_text() == text
    del state
    assert planes.sum() == 7 * planes.size and fields.sum() == 7 * fields.size


# ---- requests that are too large ----


@pytest.mark.parametrize(
    "spec",
    ["alphabeta(depth=201)", "alphabeta(depth=1000000000000)", "alphabeta(table_mb=1000000000)",
     "maxn(depth=1e9)", "maxn(table_mb=0)", "mcts(iterations=1000000000000000000)", "mcts(iterations=0)",
     "mcts(batch=1e9)", "mcts(max_nodes=1)", "mcts(max_nodes=1e12)", "mcts(depth=1e12)",
     "mcts(seconds=1e300)", "mcts(seconds=0)",
     "mcts(c=-1)", "mcts(epsilon=2)", "mc(iterations=1e18)", "greedy(rollout(rollouts=1e12))",
     "greedy(rollout(depth=1e12))"],
)  # fmt: skip
def test_what_is_too_large_is_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(BoardLabError, match="must be"):
        bl.agent(spec, bl.game("connectfour"))


def test_memory_that_is_not_there_is_refused_with_a_sentence() -> None:
    """Tables of 40 GiB each, until one is refused or the machine shows that it has plenty."""
    game = bl.game("connectfour")
    kept = []
    try:
        for _ in range(8):
            kept.append(bl.agent("maxn(table_mb=65536, depth=1)", game))
    except BoardLabError as error:
        assert "there is no memory for a transposition table" in str(error)
    assert bl.agent("maxn(table_mb=1)", game).act(game.initial_state()).action in range(7)


def test_numbers_for_the_rest_of_the_package() -> None:
    game = bl.game("connectfour")
    state = game.initial_state()
    for wrong in (10**18, -1, 2**64, 1.5, math.nan, None, "3", 10**5000, True):
        for attempt in (lambda n: bl.match(game, ["random"] * 2, games=n), lambda n: bl.perft(game, n),
                        lambda n: state.apply(n), lambda n: state.board_vector(n),
                        lambda n: state.symmetry(n), lambda n: state.completions(0, n)):  # fmt: skip
            with pytest.raises(BoardLabError):
                attempt(wrong)
    with pytest.raises(BoardLabError):
        _engine.perft(state.core, 1001)
    with pytest.raises(BoardLabError):
        play_one(game.core, [], games=10**8 + 1)


def test_numbers_of_numpy_are_numbers() -> None:
    game, half = bl.game("tictactoe"), np.float32(0.5)
    judge = bl.Adjudication("rollout", half, np.int64(1))
    assert bl.match(game, ["random"] * 2, games=2, adjudicate=judge, sprt=(np.int64(0), half)).games == 2
    assert Forest(game, trees=1, tree=bl.TreeOptions(cpuct=half), cache_mb=half).game is game


def test_the_table_of_another_version_is_refused_before_it_is_read() -> None:
    """A table of another contract may be shorter: eight bytes must be enough to refuse it."""
    words = (ctypes.c_uint32 * 2)(99, 8)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    with pytest.raises(BoardLabError, match="contract version 99"):
        _engine.game_from_table("x", make(ctypes.addressof(words), b"boardlab.bl_game", None))
    with pytest.raises(BoardLabError, match="capsule named"):
        _engine.game_from_table("x", make(ctypes.addressof(words), b"something", None))


def test_none_inside_a_list_is_no_object() -> None:
    core = GAMES[0].core
    with pytest.raises(BoardLabError, match="not from None"):
        _engine.count_states([None], 1)  # type: ignore[list-item]
    with pytest.raises(BoardLabError, match="states, not from None"):
        play_one(core, [], starts=[None])
    with pytest.raises(BoardLabError, match="not by None"):
        play_one(core, [None])
    with pytest.raises(BoardLabError, match="cannot be None"):
        core.initial_state(0).with_history([None])  # type: ignore[list-item]


# ---- objects ----


@pytest.mark.parametrize("kind", ["Game", "State", "Search", "Evaluator", "GameRecord"])
def test_engine_classes_cannot_be_made_or_used_empty(kind: str) -> None:
    made = getattr(_engine, kind)
    with pytest.raises(TypeError):
        made()
    with pytest.raises(TypeError):
        type("Sub", (made,), {})()
    for empty in (made.__new__(made), type("Sub", (made,), {"__init__": lambda self: None})()):
        for name in members(empty):
            if name.startswith("__"):
                continue
            with pytest.raises(TypeError):
                value = getattr(empty, name)
                value()
    core = GAMES[0].core
    state = core.initial_state(0)
    for empty in uninitialised():
        for attempt in (lambda x: _engine.random_search(x, 0), lambda x: _engine.greedy_search(x, 0),
                        lambda x: _engine.perft(x, 1), lambda x: _engine.random_search(core, 0).act(x),
                        lambda x: _engine.count_states([x], 1), lambda x: state.apply(x),
                        lambda x: play_one(core, [x])):  # fmt: skip
            with pytest.raises(TypeError):
                attempt(empty)


def test_a_state_of_another_game_is_refused_everywhere() -> None:
    for mine in GAMES:
        for other in GAMES:
            if mine == other:
                continue
            state = other.initial_state(1)
            with pytest.raises(BoardLabError, match="another game"):
                bl.agent("random", mine).act(state)
            with pytest.raises(BoardLabError, match="another game"):
                bl.evaluator("score", mine).value(state)
            with pytest.raises(BoardLabError, match="another game"):
                _engine.random_search(mine.core, 0).act(state.core)
            with pytest.raises(BoardLabError, match="another game"):
                _engine.paid_evaluator(mine.core, "score").value(state.core)
            with pytest.raises(BoardLabError, match="same game"):
                _engine.count_states([mine.core.initial_state(0), state.core], 1)


@pytest.mark.parametrize(
    ("name", "mine", "other"),
    [
        ("othello", {"size": 4}, {"size": 8}),
        ("connectfour", {"rows": 6, "cols": 7}, {"rows": 7, "cols": 6}),
        ("nim", {"heaps": (3, 4)}, {"heaps": (4, 3)}),
        ("hex", {"size": 4, "swap": True}, {"size": 4, "swap": False}),
        ("2048", {"size": 3}, {"size": 4}),
    ],
)
def test_a_game_adopts_no_state_of_other_parameters(name: str, mine: Any, other: Any) -> None:
    game, foreign = bl.game(name, **mine), bl.game(name, **other)
    state = foreign.initial_state(1)
    try:
        adopted = game.core.adopt(state.core)
    except BoardLabError as error:
        assert "another game" in str(error)
    else:  # a position that both games know
        assert list(game.core.from_fields(state.core.to_fields()).to_fields()) == list(adopted.to_fields())
    assert bl.game(name, **other).core.adopt(state.core).to_bytes() == state.core.to_bytes()


def test_an_8x8_othello_state_is_no_4x4_one() -> None:
    small, large = bl.game("othello", size=4), bl.game("othello", size=8)
    with pytest.raises(BoardLabError, match="another game"):
        small.core.adopt(large.core.initial_state(0))


@pytest.mark.parametrize("game", ALL_GAMES, ids=str)
def test_a_game_adopts_every_state_of_its_own(game: bl.Game) -> None:
    equal = bl.Game(game.rules)
    state = game.initial_state(3)
    for step in range(12):
        assert equal.core.adopt(state.core).to_bytes() == state.core.to_bytes()
        for player in range(game.players):
            seen = state.core.seen_by(player)
            assert equal.core.adopt(seen).to_bytes() == seen.to_bytes()
        if state.is_terminal:
            break
        legal = state.legal_actions()
        state.apply(legal[step % len(legal)])


def test_a_forest_that_forgets_has_no_nodes_and_bounds_all_trees_together() -> None:
    game = bl.game("tictactoe")
    forest = Forest(game, 2)
    zeros = lambda inputs, legal: (np.zeros(len(inputs), np.float32), np.zeros(legal.shape, np.float32))  # noqa: E731
    assert forest.info["nodes"] == 0
    forest.search(zeros, 20)
    assert forest.info["nodes"] > 0
    forest.forget()
    assert forest.info["nodes"] == 0 and not forest.visits().any()
    forest.search(zeros, 20)
    assert forest.info["nodes"] > 0
    small = Forest(bl.game("gobang", rows=10, cols=10), 1, tree=bl.TreeOptions(solver=False, max_nodes=1024))
    for _ in range(30):  # at one root, time and again
        small.search(zeros, 20)
    assert small.info["nodes"] <= 1024


def test_an_equal_game_object_is_the_same_game() -> None:
    one, two = bl.game("connectfour"), bl.game("connectfour")
    state = two.initial_state()
    assert bl.agent("random", one).act(state).action in range(7)
    assert list(bl.evaluator("score", one).value(state)) == [0, 0]


def test_a_state_outlives_its_game_and_a_search_everything() -> None:
    agent = bl.agent("mcts(rollout, iterations=50)", bl.game("connectfour"))
    state = bl.game("connectfour").initial_state().core
    copies = [state.copy() for _ in range(10)]
    del state
    assert copies[0].legal_actions() == list(range(7))
    assert agent.act(bl.game("connectfour").initial_state()).action in range(7)


def test_undo_goes_back_to_the_start_and_no_further() -> None:
    state = bl.game("connectfour").initial_state()
    for action in (3, 3, 2):
        state.apply(action)
    with pytest.raises(BoardLabError):
        state.apply(9)
    assert state.actions_played == 3
    for _ in range(3):
        state.undo()
    with pytest.raises(BoardLabError, match="no action to undo"):
        state.undo()
    assert state == bl.game("connectfour").initial_state()


# ---- threads ----


def test_two_threads_cannot_use_one_agent_at_once() -> None:
    """The second call is refused while the first one thinks, and goes well afterwards."""
    game = bl.game("connectfour")
    thinking, go_on = threading.Event(), threading.Event()

    def choose(state: bl.State) -> int:
        thinking.set()
        assert go_on.wait(60)
        return 0

    agent = python_agent(game, choose, "slow")
    decisions: list[int] = []
    thread = threading.Thread(target=lambda: decisions.append(agent.act(game.initial_state()).action))
    thread.start()
    assert thinking.wait(60)
    for attempt in (lambda: agent.act(game.initial_state()), lambda: agent.reset(1),
                    lambda: bl.match(game, [agent, "random"], games=1)):  # fmt: skip
        with pytest.raises(BoardLabError, match="already thinking"):
            attempt()
    go_on.set()
    thread.join(60)
    assert decisions == [0]
    assert agent.act(game.initial_state()).action == 0


def test_many_threads_on_one_agent_get_answers_or_refusals() -> None:
    game = bl.game("othello", size=6)
    agent = bl.agent("mcts(rollout, iterations=300)", game)
    evaluator = bl.evaluator("rollout(rollouts=20)", game)
    wanted = evaluator.value(game.initial_state(), seed=3).tolist()
    unexpected: list[BaseException] = []

    def hammer() -> None:
        try:
            for _ in range(20):
                assert evaluator.value(game.initial_state(), seed=3).tolist() == wanted
                try:
                    agent.act(game.initial_state())
                    agent.reset(1)
                except BoardLabError as error:
                    assert "already thinking" in str(error)
        except BaseException as error:
            unexpected.append(error)

    threads = [threading.Thread(target=hammer) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not unexpected
    assert agent.act(game.initial_state()).action in game.initial_state().legal_actions()


def test_an_agent_that_asks_itself_is_refused() -> None:
    game = bl.game("connectfour")
    agent: bl.Agent = python_agent(game, lambda state: agent.act(state).action, "mirror")
    with pytest.raises(BoardLabError, match="already thinking"):
        agent.act(game.initial_state())


def test_what_an_agent_is_shown_is_its_own_copy() -> None:
    """An agent that plays on in the state it was given does not change the game."""
    game = bl.game("connectfour")

    def scribble(state: bl.State) -> int:
        while not state.is_terminal:
            state.apply(state.legal_actions()[0])
        return 3

    result = bl.match(game, [python_agent(game, scribble, "scribbler"), "random"], games=6)
    assert any(len(r.actions) > 8 for r in result.records)


# ---- what is no name, no path and no list ----

STATE = bl.game("tictactoe").initial_state()
RESULTS = [Result(("a", "b"), (1, 0))] * 2


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: STATE.outcome(None), "unknown outcome of tictactoe None; there are score"),
        (lambda: STATE.solve(1, 1), "unknown outcome of tictactoe 1; there are score"),
        (lambda: STATE.action_names(True), "actions must be a list of actions, not True"),
        (lambda: STATE.action_names(np.array(3)), "actions must be a list of actions, not "),
        (lambda: STATE.action_names(["a"]), "an action must be a whole number, not 'a'"),
        (lambda: STATE.action_names([99]), "action 99 is not legal here"),
        (lambda: Forest(STATE.game, 2).outcomes([]), r"unknown outcome of tictactoe \[\]; there are score"),
        (lambda: Forest(STATE.game, 2).search(1, 1), "function judge\\(inputs, legal\\), not 1"),
        (lambda: bl.rate(RESULTS, anchor=["a"]), r"unknown rated player \['a'\]; there are a, b"),
        (lambda: bl.rate(RESULTS)[3], "unknown rated player 3; there are a, b"),
        (lambda: bl.rate(RESULTS, []), r"unknown rating system \[\]; there are bayeselo"),
        (lambda: bl.train(STATE.game, []), r"unknown learner \[\]; there are td-ntuple"),
        (lambda: bl.train(STATE.game, preset=[]), r"preset must be text, not \[\]"),
        (lambda: bl.balance(STATE.game, "random", progress=5), "progress must be a function .*, not 5"),
        (lambda: bl.store().fame(10**30), "the hall of fame needs a game or its name, not 1000"),
        (lambda: bl.store().tournaments(10**30), "tournaments are listed by a game's name, not by 1000"),
        (lambda: bl.store().games_between(None, None), "a game is made with .*, not None"),
        (lambda: bl.store().games_between(STATE.game, None), "agents must be a list of agents, not None"),
    ],
)
def test_what_is_no_name_is_a_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(BoardLabError, match=sentence):
        call()


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_no_file_can_be_called_is_a_sentence(path: str) -> None:
    for attempt in (
        bl.open_run,
        bl.resume,
        bl.load_game,
        bl.store,
        bl.read_records,
        bl.rate,
        lambda path: bl.train(STATE.game, out=path, episodes=1),
        lambda path: bl.write_records(path, []),
        lambda path: bl.agent(f'greedy(ntuple("{path}"))', STATE.game),
    ):
        with pytest.raises(BoardLabError, match=" must be a path, not '"):
            attempt(path)


def test_what_is_quoted_over_several_lines_becomes_one() -> None:
    for call in (
        lambda: bl.agent(STATE, STATE.game),
        lambda: bl.game(np.zeros((4, 5))),
        lambda: bl.game("a\nb"),
        lambda: STATE.parse_action("a\r\nb"),
    ):
        with pytest.raises(BoardLabError) as refused:
            call()
        assert len(str(refused.value).splitlines()) == 1
    with pytest.raises(BoardLabError, match=r"^unknown evaluator .*\n  mcts\( x\)\n        \^$"):
        bl.agent("mcts(\nx)", STATE.game)  # shown with its place, which a line end must not tear apart


@pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="limits the memory of a process, of which the sanitizer takes terabytes",
)
def test_memory_and_threads_that_the_system_does_not_give_are_a_sentence(tmp_path: Path) -> None:
    program = """
import resource
import sys
import boardlab as bl
from boardlab.search.forest import Forest

game, small = bl.game("connectfour"), bl.game("tictactoe")
agent = bl.agent("mcts(iterations=100, threads=1024)", game)
bl.train(small, out=sys.argv[1], episodes=1, exams=[])
with open("/proc/self/statm") as file:
    most = int(file.read().split()[0]) * resource.getpagesize() + 2**30
resource.setrlimit(resource.RLIMIT_AS, (most, most))
for attempt in (
    lambda: bl.agent("rhea(population=1000000, length=100000)", game),
    lambda: Forest(game, 4, cache_mb=10**6),
    lambda: agent.act(game.initial_state()),
    lambda: bl.train(small, out=sys.argv[1], threads=1024, force=True),
):
    try:
        attempt()
    except bl.BoardLabError as error:
        print(error)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    no_memory, no_threads = (
        "there is not enough memory for this",
        "the system cannot start more threads; use fewer",
    )
    assert done.stdout.splitlines() == [no_memory] * 2 + [no_threads] * 2, done
    assert bl.open_run(tmp_path / "run").is_finished  # what could not begin has replaced nothing
