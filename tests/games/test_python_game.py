"""Games written in Python: as good as the engine's, and no answer of theirs harms it."""

import math
import pickle
import runpy
import signal
from pathlib import Path

import numpy as np
import pytest
from commands import run

import boardlab as bl
from boardlab.arena.exams import exams_for
from boardlab.bridges.gtp import GtpServer
from boardlab.learners.again import train_command
from boardlab.runs import RunFolder
from boardlab.testing import check_game

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "python_game.py"


@pytest.fixture
def breakthrough():
    runpy.run_path(str(EXAMPLE))
    return bl.game("breakthrough", size=4)


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Crosses(bl.PythonGame):
    """Tictactoe, as the engine has it: cells, 0 empty, 1 X, 2 O."""

    name = "crosses"
    action_count = 9
    horizon = 9
    cell_values = 3

    def initial_state(self, rng):
        return (0,) * 9

    def winner(self, cells):
        return next(
            (cells[a] - 1 for a, b, c in LINES if cells[a] and cells[a] == cells[b] == cells[c]), None
        )

    def player(self, position):
        if self.winner(position) is not None or 0 not in position:
            return bl.TERMINAL
        return (9 - position.count(0)) % 2

    def legal(self, position):
        return [cell for cell in reversed(range(9)) if position[cell] == 0]  # in any order

    def apply(self, position, action):
        mover = (9 - position.count(0)) % 2
        return (*position[:action], mover + 1, *position[action + 1 :])

    def scores(self, position):
        won = self.winner(position)
        return [0, 0] if won is None else [1 - 2 * won, 2 * won - 1]

    def board_vector(self, position, player):
        return position

    def planes(self, position, player):
        return np.reshape(position, (1, 3, 3)) == player + 1


class Race(bl.PythonGame):
    """Three players throw a coin for one or two steps, or rest; who is first at the end of the track wins."""

    name = "race"
    players = 3
    action_count = 2
    outcome_count = 2
    score_range = (0.0, 1.0)
    is_zero_sum = False
    cell_values = (6, 6, 6, 3, 2)

    def initial_state(self, rng):
        return (0, 0, 0, 0, 0)  # places, who moves, whether the coin is in the air

    def player(self, position):
        if max(position[:3]) == 5:
            return bl.TERMINAL
        return bl.CHANCE if position[4] else position[3]

    def legal(self, position):
        return range(2)

    def chance(self, position):
        return [(1, 0.25), (0, 0.75)]

    def apply(self, position, action):
        *places, mover, flying = position
        after = (mover + 1) % 3
        if flying:
            places[mover] = min(places[mover] + 1 + action, 5)
            return (*places, after, 0)
        if action:
            return (*places, mover, 1)
        places[mover] = min(places[mover] + 1, 5)
        return (*places, after, 0)

    def scores(self, position):
        return [float(place == 5) for place in position[:3]]

    def board_vector(self, position, player):
        return position

    def round_over(self, position):
        return False


class Guess(bl.PythonGame):
    """One of four cards is dealt to player 0, who calls high or low; player 1 believes it or not."""

    name = "guess"
    action_count = 2
    outcome_count = 4

    def initial_state(self, rng):
        return (-1, -1, -1)  # card, call, belief; -2 is hidden

    def player(self, position):
        card, call, belief = position
        return bl.CHANCE if card == -1 else 0 if call == -1 else 1 if belief == -1 else bl.TERMINAL

    def legal(self, position):
        return (0, 1)

    def chance(self, position):
        return [(card, 0.25) for card in range(4)]

    def apply(self, position, action):
        at = position.index(-1)
        return (*position[:at], action, *position[at + 1 :])

    def scores(self, position):
        card, call, belief = position
        if belief == -1 or card < 0:
            return 0, 0
        right = belief == (call == (card >= 2))
        return (-1, 1) if right else (1, -1)

    def conceal(self, position, player):
        return (-2, *position[1:]) if player == 1 and position[0] >= 0 else position

    def determinize(self, position, player, rng):
        return (rng.randrange(4), *position[1:]) if position[0] == -2 else position

    def check(self, position):
        return None if -1 <= position[0] < 4 else "there are four cards"


class Slide(bl.PythonGame):
    """A puzzle for one: from a place drawn at random to 0, each step costs."""

    name = "slide"
    players = 1
    action_count = 2
    horizon = 30
    score_range = (0.0, 1.0)
    step_reward = -0.01
    symmetries = 2

    def initial_state(self, rng):
        return (rng.choice([-3, -2, 2, 3]),)

    def training_start(self, rng):
        return (rng.choice([-1, 1]),)

    def player(self, position):
        return bl.TERMINAL if position[0] == 0 else 0

    def legal(self, position):
        return [a for a in range(2) if abs(position[0] + 2 * a - 1) <= 5]

    def apply(self, position, action):
        return (position[0] + 2 * action - 1,)

    def scores(self, position):
        return (float(position[0] == 0),)

    def symmetry(self, g, position):
        return (-position[0],) if g else position

    def symmetry_action(self, g, position, action):
        return 1 - action if g else action

    def moves_left(self, position):
        return abs(position[0])

    def features(self, position, player):
        return position[0], abs(position[0])


@pytest.mark.parametrize("rules", [Crosses, Race, Guess, Slide])
def test_own_games_keep_every_invariant(rules):
    check_game(bl.game(bl.register_game(rules).name), games=5)


@pytest.mark.parametrize("size", [4, 5])
def test_the_example_keeps_every_invariant(breakthrough, size):
    check_game(bl.game("breakthrough", size=size), games=3)


def test_the_same_rules_give_the_same_counts_and_values():
    own, ours = bl.game(bl.register_game(Crosses).name), bl.game("tictactoe")
    assert bl.perft(own, 5) == bl.perft(ours, 5) == 15_120
    rng = np.random.default_rng(1)
    for seed in range(5):
        one, other = own.initial_state(), ours.initial_state()
        for _ in range(4):
            action = int(rng.choice(one.legal_actions()))
            one.apply(action)
            other.apply(action)
        assert one.legal_actions() == other.legal_actions()
        if one.is_terminal:
            assert one.scores.tolist() == other.scores.tolist()
            continue
        found = [
            bl.agent("alphabeta(depth=9)", g, seed=seed).act(s).scores for g, s in ((own, one), (ours, other))
        ]
        assert np.array_equal(found[0], found[1])


def test_a_win_is_found_by_every_search():
    game = bl.game(bl.register_game(Crosses).name)
    state = game.from_fields([1, 1, 0, 2, 2, 0, 0, 0, 0, 1])
    for expression in (
        "mcts(iterations=200)",
        "mcts(iterations=400, threads=2)",
        "mc",
        "maxn(depth=3)",
        "rhea",
    ):
        assert bl.agent(expression, game, seed=1).act(state).action == 2, expression


def test_the_set_up_and_chance_depend_on_the_seed_alone():
    game = bl.game(bl.register_game(Slide).name)
    starts = [game.initial_state(seed).fields for seed in range(20)]
    assert starts == [game.initial_state(seed).fields for seed in range(20)]
    assert len({tuple(fields) for fields in starts}) == 4
    race = bl.game(bl.register_game(Race).name)
    one, other = (bl.match(race, ["mcts(iterations=30)", "random", "random"], 6, seed=3) for _ in range(2))
    assert [r.scores for r in one.records] == [r.scores for r in other.records]


def test_who_moved_last_is_kept():
    state = bl.game(bl.register_game(Race).name).initial_state()
    assert state.last_player == bl.CHANCE
    state.apply(1)  # the coin
    assert (state.player, state.last_player) == (bl.CHANCE, 0)
    state.apply(0)
    assert (state.player, state.last_player) == (1, 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_learners_take_it(breakthrough, tmp_path, threads):
    run = bl.train(breakthrough, "td-ntuple", episodes=200, threads=threads, out=tmp_path / "td", seed=1)
    result = bl.match(breakthrough, [f'greedy(ntuple("{run.path.as_posix()}"))', "random"], 20, seed=1)
    assert result.wins[0] > result.wins[1]
    bl.resume(run.path, episodes=300)
    bl.train(breakthrough, "q-table", episodes=50, out=tmp_path / "q")
    command = train_command(RunFolder(run.path).read_agent("td-ntuple"))
    assert command.startswith("boardlab --plugin") and "examples/python_game.py train breakthrough" in command


def test_alphazero_takes_it(breakthrough, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr("boardlab.plugins.PLUGINS", [])  # those of a command that was tested before
    small = {
        "games": 8,
        "parallel": 8,
        "simulations": 8,
        "blocks": 1,
        "channels": 4,
        "batch": 16,
        "device": "cpu",
    }
    bl.train(breakthrough, "alphazero", episodes=16, out=tmp_path / "az", seed=1, **small)
    agent = bl.agent(f'mcts(net("{(tmp_path / "az").as_posix()}"), iterations=10)', breakthrough)
    assert agent.act(breakthrough.initial_state()).action in breakthrough.initial_state().legal_actions()
    with pytest.raises(bl.BoardLabError, match="other processes do not know it"):
        bl.train(breakthrough, "alphazero", episodes=8, out=tmp_path / "p", processes=2, **small)


def test_without_planes_a_net_is_told_who_moves():
    game = bl.game(bl.register_game(Race).name)
    assert game.core.plane_shape == (9, 1, 5)  # six values, three players
    planes = [game.initial_state().planes(player) for player in range(3)]
    for player in range(3):
        assert planes[player][6:, 0].tolist() == [[float(i == player)] * 5 for i in range(3)]
        assert np.array_equal(planes[player][:6], planes[0][:6])


def test_records_and_copies(breakthrough, tmp_path):
    result = bl.match(breakthrough, ["random", "random"], 3, seed=1)
    result.save(tmp_path / "games.pgn")
    again = bl.read_records(tmp_path / "games.pgn")
    assert [r.actions for r in again] == [r.actions for r in result.records]
    state = breakthrough.initial_state()
    state.apply(state.legal_actions()[0])
    assert pickle.loads(pickle.dumps(state)) == state
    assert breakthrough.from_text(state.to_text()) == state
    assert state.action_text(state.legal_actions()[0]) == "a4b3"


def test_a_player_sees_the_board_and_who_moves_and_no_fields(breakthrough):
    state = breakthrough.initial_state()
    shown = "  a b c d\n4 O O O O\n3 O O O O\n2 X X X X\n1 X X X X\nX to move"
    assert state.game.rules.board_text(state) == shown
    assert state.to_text().startswith(f"{shown}\nfields: 2 2 ") and "fields" not in state.to_svg()
    board_alone = state.to_text().replace("X to move\n", "")  # as earlier versions wrote it
    assert breakthrough.from_text(board_alone) == breakthrough.from_text(state.to_text()) == state
    assert GtpServer(bl.agent("random", breakthrough)).do_showboard() == f"\n{shown}"
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert state.game.rules.board_text(state).endswith("\nX has won")


def test_a_game_without_a_board_shows_the_numbers_of_its_position():
    state = bl.game(bl.register_game(Crosses).name).initial_state()
    numbers = [f"number {i}: 0" for i in range(9)]
    assert state.game.rules.board_text(state).splitlines() == [*numbers, "player 0 to move"]


@pytest.mark.parametrize(("name", "out"), [("__main__", "2\n"), ("takeaway", "")])
def test_the_page_says_what_its_example_prints(capsys, name, out):
    page = (ROOT / "docs" / "own_games.md").read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], {"__name__": name})
    assert capsys.readouterr().out == out and "`python takeaway.py` prints 2" in page


# ---- answers that no game may give ----


def broken(function, answer, **facts):
    """Crosses with one function that answers otherwise after the first position."""

    def method(self, position, *given):
        if not any(position):
            return getattr(Crosses, function)(self, position, *given)
        return answer(position) if callable(answer) else answer

    return type("Broken", (Crosses,), {"name": "broken", function: method, **facts})


WRONG = {
    "player": (2, -3, "x", None, 1.5, bl.CHANCE, 2**70),
    "legal": ([], [9], [-1], [0, 0], None, ["a"], 5, [2**40], list(range(10))),
    "apply": ((), (0,) * 8, (0,) * 10, None, ("a",) * 9, (2**31,) * 9, 3),
    "scores": ([1], [1, 2, 3], None, [math.nan, 0], ["a", 0], [math.inf, 0]),
    "planes": (np.full((1, 3, 3), np.nan), np.zeros((1, 3, 4)), np.zeros((2, 3, 3))),
    "board_vector": ([3] * 9, [-1] * 9, [0] * 8, None),
    "text": (None, 3, b"board"),
    "action_name": (None, 3, "", " "),
}


@pytest.mark.parametrize(("function", "answer"), [(f, a) for f, answers in WRONG.items() for a in answers])
def test_a_wrong_answer_is_one_sentence(function, answer):
    game = bl.game(bl.register_game(broken(function, answer)).name)

    def use():
        state = game.initial_state()
        for _ in range(2):
            state.apply(4 if state.actions_played == 0 else 0)
            state.legal_actions()
            state.board_vector()
            state.planes()
            state.to_text()
            state.action_names()
            assert np.isfinite(state.scores).all()

    with pytest.raises(bl.BoardLabError, match=rf"^broken: {function} must return "):
        use()


@pytest.mark.parametrize(
    "expression",
    ["mcts(iterations=100)", "mcts(iterations=100, threads=2)", "alphabeta(depth=6)", "mc", "rhea"],
)
def test_what_the_rules_raise_comes_out_of_a_search(expression):
    def answer(position):
        if position.count(0) < 6:
            raise ZeroDivisionError("in the rules")
        return [cell for cell in range(9) if position[cell] == 0]

    game = bl.game(bl.register_game(broken("legal", answer)).name)
    with pytest.raises(ZeroDivisionError, match="in the rules"):
        bl.agent(expression, game, seed=1).act(game.initial_state())
    with pytest.raises(ZeroDivisionError):  # no agent loses by it
        bl.match(game, ["random", "random"], 8, seed=1, threads=2)


def test_learning_on_threads_ends_with_what_the_rules_raise(tmp_path):
    def answer(position):
        if position.count(0) < 4:
            raise ZeroDivisionError("in the rules")
        return [cell for cell in range(9) if position[cell] == 0]

    game = bl.game(bl.register_game(broken("legal", answer)).name)
    for threads in (1, 2):
        with pytest.raises(ZeroDivisionError):
            bl.train(
                game,
                "td-ntuple",
                episodes=100,
                threads=threads,
                layout="points",
                tuples=4,
                length=3,
                out=tmp_path / str(threads),
            )


@pytest.mark.parametrize("learner", ["td-ntuple", "q-table"])
def test_ctrl_c_in_the_rules_waits_for_the_end_of_the_episode(tmp_path, learner):
    class Pressed(Crosses):
        name = "pressed"
        calls, press_at = 0, -1

        def legal(self, position):
            Pressed.calls += 1
            if Pressed.calls == Pressed.press_at:
                signal.raise_signal(signal.SIGINT)
            return super().legal(position)

    game = bl.game(bl.register_game(Pressed).name)
    settings = {"layout": "points", "tuples": 4, "length": 3} if learner == "td-ntuple" else {}
    bl.train(game, learner, episodes=40, out=tmp_path / "whole", seed=1, **settings)
    Pressed.calls, Pressed.press_at = 0, 50
    with pytest.raises(KeyboardInterrupt):
        bl.train(game, learner, episodes=40, out=tmp_path / "cut", seed=1, **settings)
    assert 0 < bl.open_run(tmp_path / "cut").episodes < 40
    bl.resume(tmp_path / "cut")
    with (
        np.load(tmp_path / "whole" / "weights.npz") as whole,
        np.load(tmp_path / "cut" / "weights.npz") as cut,
    ):
        assert all(np.array_equal(whole[name], cut[name]) for name in whole.files)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"players": 0}, "players must be a whole number from 1 to 8"),
        ({"action_count": 0}, "action_count must be a whole number"),
        ({"horizon": None}, "horizon must be a whole number"),
        ({"score_range": (1, -1)}, "min_score must be below max_score"),
        ({"score_range": "wide"}, "score_range must be the lowest and the highest score"),
        ({"step_reward": math.nan}, "step_reward must be a number"),
        ({"cell_values": 300}, "cell_values must be a number from 1 to 256"),
        ({"cell_values": (3,) * 8}, "or one for each of the 9 cells"),
        ({"initial_state": lambda self, rng: ()}, "initial_state must return a tuple of 1 to"),
        (
            {"initial_state": lambda self, rng: (2**31,) * 9},
            "initial_state must return 9 whole numbers of 32 bits",
        ),
        (
            {"planes": lambda self, position, player: [1, 2]},
            r"planes must return an array \[planes\]\[rows\]\[cols\]",
        ),
        (
            {"planes": lambda self, position, player: None},
            r"planes must return an array .*, not None in the position \(0, 0",
        ),
        (
            {"board_vector": lambda self, position, player: None},
            r"board_vector must return a list of numbers, not None in the position \(0, 0",
        ),
        (
            {"features": lambda self, position, player: 3},
            r"features must return a list of numbers, not 3 in the position \(0, 0",
        ),
        ({"player_name": lambda self, player: None}, "player_name must return a name, not None"),
        ({"player_name": lambda self, player: ""}, "player_name must return a name, not ''"),
        ({"player_name": lambda self, player: ["a"][player]}, r"player_name\(1\) failed: IndexError"),
        ({"symmetries": 2}, "symmetries = 2 needs symmetry, which is missing"),
        ({"symmetry": lambda self, g, position: position}, "symmetry needs symmetry_action"),
        ({"conceal": lambda self, position, player: position}, "conceal needs determinize"),
    ],
)
def test_wrong_facts_are_one_sentence(facts, sentence):
    rules = bl.register_game(type("Broken", (Crosses,), {"name": "broken", **facts}))
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.game(rules.name).initial_state()


def finished(**functions):
    """Crosses after X has won, with other functions."""
    rules = bl.register_game(type("Broken", (Crosses,), {"name": "broken", **functions}))
    return bl.game(rules.name).from_fields([1, 1, 1, 2, 2, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("scores", "sentence"), [((5, -5), "numbers within score_range"), ((1, 1), "add up to 0")]
)
def test_final_scores_keep_what_the_game_says_of_them(scores, sentence):
    state = finished(scores=lambda self, position: scores)
    with pytest.raises(
        bl.BoardLabError, match=rf"^broken: scores must return .*{sentence}.* in the position"
    ):
        print(state.scores)


def test_a_symmetry_must_not_change_who_moves():
    def turned(self, g, position):
        return (1, *position[1:]) if g else position

    rules = {"symmetries": 2, "symmetry": turned, "symmetry_action": lambda self, g, position, action: action}
    game = bl.game(bl.register_game(type("Broken", (Crosses,), {"name": "broken", **rules})).name)
    with pytest.raises(bl.BoardLabError, match=r"^broken: symmetry must not change who moves"):
        game.initial_state().symmetry(1)


def test_an_answer_that_changes_while_it_is_read():
    class Shrinks(int):
        def __index__(self):
            answer.clear()
            return 0

    answer = []

    def legal(self, position):
        answer[:] = [Shrinks(), *range(1, 9)]
        return answer

    game = bl.game(bl.register_game(type("Broken", (Crosses,), {"name": "broken", "legal": legal})).name)
    assert game.initial_state().legal_actions() == list(range(9))


def test_a_long_answer_is_cut_between_letters():
    state = finished(scores=lambda self, position: "ä" * 300)
    with pytest.raises(bl.BoardLabError, match=r"not 'ä{199} \.\.\. in the position"):
        print(state.scores)


def test_changed_rules_are_noticed(tmp_path):
    path = tmp_path / "own.py"
    text = (
        "import boardlab as bl\n@bl.register_game\nclass Own(bl.PythonGame):\n    name = 'own'\n    action_count = 2\n"
        "    def initial_state(self, rng): return (3,)\n    def player(self, p): return p[0] % 2 if p[0] else bl.TERMINAL\n"
        "    def legal(self, p): return [0]\n    def apply(self, p, a): return (p[0] - 1,)\n"
        "    def scores(self, p): return (0, 0)\n"
    )
    path.write_text(text)
    runpy.run_path(str(path))
    run = bl.train(bl.game("own"), "q-table", episodes=5, out=tmp_path / "run", exams=())
    bl.tournament(bl.game("own"), ["random", "greedy"], games=2, store=tmp_path / "s.db")
    bl.resume(run.path, episodes=6)
    path.write_text(text.replace("return [0]", "return [1]"))
    runpy.run_path(str(path))
    with pytest.raises(bl.BoardLabError, match="the code of own is not what it was when the run began"):
        bl.resume(run.path, episodes=7)
    with pytest.raises(bl.BoardLabError, match="the code of the rules has changed since"):
        bl.tournament(bl.game("own"), ["random", "greedy"], games=2, store=tmp_path / "s.db")


def test_what_cannot_be_registered():
    with pytest.raises(bl.BoardLabError, match="a class derived from boardlab"):
        bl.register_game(3)
    with pytest.raises(bl.BoardLabError, match="is a built-in game"):
        bl.register_game(type("Other", (Crosses,), {"name": "othello"}))
    with pytest.raises(bl.BoardLabError, match="needs a name"):
        bl.register_game(type("Other", (Crosses,), {}))
    with pytest.raises(bl.BoardLabError, match="the function legal is missing"):
        bl.register_game(type("Other", (bl.PythonGame,), {"name": "o", "initial_state": 1, "player": 1}))


def test_fields_that_cannot_be(breakthrough):
    with pytest.raises(bl.BoardLabError, match="cells are 0, 1 or 2"):
        breakthrough.from_fields([5] * 16 + [0, -1])
    with pytest.raises(bl.BoardLabError, match="who moved last, must be from -1 to 1"):
        breakthrough.from_fields([0] * 16 + [0, 7])

    class Careless(Crosses):
        name = "careless"

        def check(self, position):
            return position[99]

    with pytest.raises(bl.BoardLabError, match="IndexError"):
        bl.game(bl.register_game(Careless).name).from_fields([0] * 9 + [-1])


# ---- on the command line ----


def boardlab(*words, cwd, status=0):
    done = run(*words, cwd=cwd)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_command_line_knows_a_registered_game(tmp_path):
    plugin = ("--plugin", str(EXAMPLE))
    assert "breakthrough" in boardlab(*plugin, "games", cwd=tmp_path)
    assert "rows and columns" in boardlab(*plugin, "games", "breakthrough", cwd=tmp_path)
    said = boardlab(*plugin, "inspect", "breakthrough", "random", cwd=tmp_path)
    assert "X to move" in said and "fields" not in said
    train = ("train", "breakthrough", "--size", "4", "--episodes", "60", "--exam", "none")
    boardlab(*plugin, *train, "--runs", "2", "--jobs", "2", "--out", "runs/b", cwd=tmp_path)
    match = ("match", "breakthrough", "runs/b/seed-1", "random", "-n", "4", "--size", "4")
    said = boardlab(*plugin, *match, cwd=tmp_path)
    assert "4 games" in said
    said = boardlab("resume", "runs/b/seed-1", "--episodes", "70", cwd=tmp_path, status=2)
    assert 'unknown game "breakthrough"' in said and "--plugin" in said and "Traceback" not in said


def test_a_fault_in_the_rules_names_the_line(tmp_path):
    text = EXAMPLE.read_text().replace("        actions = []\n", "        actions = [][1]\n")
    (tmp_path / "faulty.py").write_text(text)
    said = boardlab(
        "--plugin",
        "faulty.py",
        "match",
        "breakthrough",
        "random",
        "random",
        "-n",
        "2",
        cwd=tmp_path,
        status=2,
    )
    assert "the plugin faulty.py failed in line" in said and "IndexError" in said and "Traceback" not in said


@pytest.mark.parametrize("wrong", ["tictactoe", Race, None])
def test_the_kit_checks_games_and_says_so(wrong):
    with pytest.raises(bl.BoardLabError, match=r'a game is made with boardlab\.game\("othello"\), not '):
        check_game(wrong)


def test_the_kit_warns_of_a_game_that_does_not_end():
    class Endless(bl.PythonGame):
        """Back and forth, for ever."""

        name, action_count, horizon = "endless", 1, 20

        def initial_state(self, rng):
            return (0,)

        def player(self, position):
            return position[0]

        def legal(self, position):
            return (0,)

        def apply(self, position, action):
            return (1 - position[0],)

        def scores(self, position):
            return 0, 0

    with pytest.warns(UserWarning, match="none of 20 random games ended within the horizon of 20 actions"):
        check_game(bl.game(bl.register_game(Endless).name), games=1)


def test_a_small_game_has_the_exams_by_exact_play_whatever_its_horizon(tmp_path):
    class Long(Crosses):
        name, horizon = "long", 1000

    game = bl.game(bl.register_game(Long).name)
    assert {"perfect", "optimal"} <= set(exams_for(game))
    assert bl.evaluate("solved", game, "perfect", games=20).value == 0
    large = bl.game("ewn")
    assert large.horizon > 60
    sentence = (
        r'no exam "optimal", which is for games .* of at most 200,000 positions \(20,000 where the horizon'
    )
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.evaluate("random", large, "optimal")
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.train(large, episodes=1, exams=["optimal"], out=tmp_path / "run")


def test_a_game_is_summed_up_by_its_docstring_unless_it_says_otherwise(breakthrough):
    assert bl.register_game(type("Plain", (Crosses,), {"name": "plain"})).summary == Crosses.summary
    assert bl.register_game(Race).summary.startswith("Three players throw a coin")
    assert bl.describe("race").startswith("race: Three players throw a coin for one or two steps")
    assert not bl.register_game(Race).summary.endswith(".")
    assert breakthrough.rules.summary == "reach the last row with one piece"
    functions = {
        name: vars(Crosses)[name] for name in ("initial_state", "player", "legal", "apply", "scores")
    }
    silent = type("Silent", (bl.PythonGame,), {"name": "silent", "action_count": 9, **functions})
    for _ in range(2):  # the first makes it a dataclass, which writes a docstring
        assert bl.register_game(silent).summary == "a game written in Python"


def test_without_neighbours_tuples_are_any_cells(tmp_path):
    game = bl.game(bl.register_game(Crosses).name)
    run = bl.train(game, episodes=50, out=tmp_path / "run")
    assert run.settings.layout == "points"
    assert RunFolder(run.path).read_agent()["settings"]["layout"] == "points"
    assert "--layout" not in train_command(RunFolder(run.path).read_agent())  # it is the preset's own
    with pytest.raises(bl.BoardLabError, match=r"write adjacency\(cell\), or give layout=points \(--layout"):
        bl.train(game, episodes=50, out=tmp_path / "other", layout="walk")
    assert bl.train(bl.game("hex", size=3), episodes=5, out=tmp_path / "hex").settings.layout == "walk"
