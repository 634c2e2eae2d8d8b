"""Rules that contradict themselves or fail: an error in one sentence, and the state, the forest and the heap stay whole."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest
from fuzz import lying_games
from test_testing import COMPILER, build

import boardlab as bl
from boardlab import BoardLabError
from boardlab.games.game import Game
from boardlab.search.forest import Forest

CONTRADICTION = "must be a function of"


def judge(inputs, legal):
    return np.zeros((len(inputs), 1), np.float32), np.zeros(legal.shape, np.float32)


def lying(shape: type[bl.PythonGame], *functions: str, rate: float = 0.5, fails: bool = False) -> Game:
    return lying_games.lying(shape, functions, rate, seed=1, fails=fails)


def refusals(ask, times: int = 20) -> Iterator[str]:
    """What is said of the rules that often."""
    for seed in range(times):
        try:
            ask(seed)
        except BoardLabError as error:
            yield str(error)


def test_a_slice_of_the_fuzz() -> None:
    kinds = {lying_games.run(case) for case in itertools.islice(lying_games.cases(random.Random(7)), 28)}
    assert "answered" in kinds and kinds <= {"answered", "BoardLabError", "LieError"}


@pytest.mark.slow
def test_many_cases_of_the_fuzz() -> None:
    for case in itertools.islice(lying_games.cases(random.Random(8)), 3000):
        lying_games.run(case)


def test_a_forest_takes_one_answer_of_legal_for_each_leaf() -> None:
    class Moody(bl.PythonGame):
        name = "moody"
        action_count = 64
        cell_values = 9

        def initial_state(self, rng):
            return (0,)

        def player(self, position):
            return position[0] % 2 if position[0] < 8 else bl.TERMINAL

        def legal(self, position):
            return range(lottery.choice([2, 64]))

        def apply(self, position, action):
            return (position[0] + 1,)

        def scores(self, position):
            return 0, 0

        def board_vector(self, position, player):
            return position

    lottery = random.Random(1)
    game = bl.game(bl.register_game(Moody).name)
    for cache_mb in (0, 1):
        forest = Forest(game, trees=3, inputs="cells", cache_mb=cache_mb)
        for _ in range(10):
            forest.search(judge, 30)
        assert forest.visits().sum() > 0


@pytest.mark.parametrize(
    ("agent", "shape", "function"),
    [
        ("mcts(rollout, iterations=5)", lying_games.Honest, "legal"),
        ("mcts(rollout, iterations=5, select='puct')", lying_games.Honest, "legal"),
        ("ismcts(rollout, iterations=20, start='position')", lying_games.Hidden, "legal"),
        ("beam(score, width=4)", lying_games.Puzzle, "legal"),
        ("nrpa(level=1, iterations=3)", lying_games.Puzzle, "legal"),
        ("rhea(rollout, iterations=12)", lying_games.Honest, "legal"),
        (
            "alphabeta(score, depth=2, solve_below=12, solve_nodes=300, table_mb=1)",
            lying_games.Honest,
            "legal",
        ),
    ],
)
def test_a_search_says_which_function_contradicts_itself(agent, shape, function) -> None:
    game = lying(shape, function)

    def ask(seed: int) -> None:
        state = game.initial_state(seed=seed)
        bl.agent(agent, game, seed=seed).act(state.seen_by(0) if game.core.is_hidden else state)

    said = list(refusals(ask))
    assert any(f"{function} {CONTRADICTION}" in sentence for sentence in said), said


def test_ismcts_says_that_determinize_loses_what_the_player_sees() -> None:
    game = lying(lying_games.Hidden, "determinize", rate=1.0)
    agent = bl.agent("ismcts(rollout, iterations=3, start='position')", game)
    with pytest.raises(BoardLabError, match="determinize must keep what the player sees"):
        agent.act(game.initial_state().seen_by(0))


def test_a_match_stops_at_broken_rules_instead_of_blaming_an_agent() -> None:
    game = lying(lying_games.Honest, "legal")
    with pytest.raises(BoardLabError, match=f"legal {CONTRADICTION}"):
        bl.match(game, ["random", "random"], games=20)


def test_nature_that_moves_for_ever_ends_a_search_and_not_the_stack() -> None:
    class Endless(lying_games.Dice):
        name = "endless"

        def player(self, position):
            return bl.CHANCE if position[0] else 0

        def apply(self, position, action):
            return (1, *position[1:])

        def chance(self, position):
            return [(0, 1.0)]

    game = bl.game(bl.register_game(Endless).name)
    with pytest.raises(BoardLabError, match="without reaching its depth"):
        bl.agent("expectimax(score, depth=2)", game).act(game.initial_state())


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_a_game_in_c_that_contradicts_itself_meets_the_same_checks(tmp_path) -> None:
    more = "  while (count < 3 && count < ((const state *)s)->left) actions[count] = count, ++count;"
    moody = more.replace("count < 3", "count < 1 + (calls++ * 7 % 5) % 3")
    game = build(
        tmp_path,
        (more, moody),
        ("static int32_t legal(", "static uint32_t calls;\nstatic int32_t legal("),
        name="moody",
    )

    def ask(seed: int) -> None:
        for agent in ("mcts(rollout, iterations=40, select='puct')", "mcts(rollout, iterations=40, batch=4)"):
            bl.agent(agent, game, seed=seed).act(game.initial_state())

    assert all(CONTRADICTION in sentence for sentence in refusals(ask))
    forest = Forest(game, trees=3, inputs="cells", cache_mb=1)
    for _ in range(10):
        forest.search(judge, 30)


# ---- rules that fail: all or nothing ----


class Brittle(lying_games.Honest):
    """Fails at its third action: in `apply`, or in what is asked after it."""

    name = "brittle"
    broken = ""

    def fail_in(self, function: str, done: int) -> None:
        if self.broken == function and done >= 3:
            raise lying_games.LieError(function)

    def apply(self, position, action):
        self.fail_in("apply", position[0] + 1)
        return super().apply(position, action)

    def player(self, position):
        self.fail_in("player", position[0])
        return super().player(position)

    def board_vector(self, position, player):
        self.fail_in("board_vector", position[0])
        return super().board_vector(position, player)


def brittle(function: str) -> Game:
    return bl.game(
        bl.register_game(type("BrokenBrittle", (Brittle,), {"name": "brittle", "broken": function})).name
    )


def snapshot(state: bl.State) -> tuple:
    return (
        state.actions_played,
        state.player,
        state.core.last_player,
        state.core.to_bytes(),
        state.legal_actions(),
    )


@pytest.mark.parametrize("function", ["apply", "player"])
@pytest.mark.parametrize("deed", ["apply", "playout", "apply_changes"])
def test_a_state_is_what_it_was_when_the_rules_fail(function, deed) -> None:
    state = brittle(function).initial_state()
    state.apply(state.legal_actions()[0])
    if deed != "playout":
        state.apply(state.legal_actions()[0])
    before = snapshot(state)
    deeds = {
        "apply": lambda: state.apply(state.legal_actions()[0]),
        "playout": lambda: state.core.playout(1, 10),
        "apply_changes": lambda: state.core.apply_changes(state.legal_actions()[0], 0),
    }
    with pytest.raises(lying_games.LieError):
        deeds[deed]()
    assert snapshot(state) == before
    state.undo()
    assert state.actions_played == before[0] - 1


def test_apply_changes_is_undone_when_the_cells_after_it_fail() -> None:
    state = brittle("board_vector").initial_state()
    for _ in range(2):
        state.apply(state.legal_actions()[0])
    before = snapshot(state)
    with pytest.raises(lying_games.LieError):
        state.core.apply_changes(state.legal_actions()[0], 0)
    assert snapshot(state) == before


def test_no_game_of_a_forest_moves_when_one_fails() -> None:
    game = brittle("player")
    forest = Forest(game, trees=2, inputs="cells")
    state = game.initial_state()
    for _ in range(2):
        state.apply(state.legal_actions()[0])
    forest.set_state(1, state)
    before = forest.fields()
    with pytest.raises(lying_games.LieError):
        forest.play([forest.state(tree).legal_actions()[0] for tree in range(2)])
    assert np.array_equal(forest.fields(), before)
