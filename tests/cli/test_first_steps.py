"""What a newcomer tries on the command line, right or nearly right."""

import contextlib
import importlib
import io
import re
import sys
import tomllib

import pytest

import boardlab as bl
from boardlab.arena.openings import read_openings
from boardlab.arena.records.files import FORMATS
from boardlab.numbers import plain


@pytest.mark.parametrize(
    ("words", "compact"),
    [
        (("--compact", "false"), False),
        (("--compact", "no"), False),
        (("--compact", "true"), True),
        (("--compact", "YES"), True),
        (("--compact",), True),
        (("--no-compact",), False),
        (("--compact=false",), False),
    ],
)
def test_a_switch_of_a_learner_takes_a_value(boardlab, tmp_path, words, compact):
    out = tmp_path / "run"
    status, _, error = boardlab(
        "train", "tictactoe", "--out", out, *words, "--episodes", "2", "--exam", "none"
    )
    assert status == 0, error
    assert tomllib.loads((out / "agent.toml").read_text())["settings"]["compact"] is compact


@pytest.mark.parametrize(("word", "swap"), [("true", True), ("no", False)])
def test_a_switch_of_a_game_takes_a_value(boardlab, tmp_path, word, swap):
    file = tmp_path / "a.pgn"
    words = ("--size", "3", "--swap", word, "-n", "2", "--save", file)
    assert boardlab("match", "hex", "random", "random", *words)[0] == 0
    assert ("swap=True" in file.read_text()) is swap


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("play", "hex", "--size", "3", "--swap", "maybe"), 'hex: swap must be True or False, not "maybe"'),
        (("train", "tictactoe", "--compact", "x"), 'compact must be True or False, not "x"'),
    ],
)
def test_a_switch_is_true_or_false(boardlab, words, sentence):
    status, _, error = boardlab(*words)
    assert status == 2 and sentence in error


class CtrlC:
    """A progress bar during which somebody presses Ctrl-C, once so many games are done."""

    def __init__(self, after):
        self.after = after

    @contextlib.contextmanager
    def __call__(self, title, games):
        yield self.tell

    def tell(self, done, games=None):
        if done >= self.after:
            raise KeyboardInterrupt


def press_ctrl_c(monkeypatch, command, after):
    monkeypatch.setattr(importlib.import_module(f"boardlab.cli.{command}"), "game_bar", CtrlC(after))


def test_ctrl_c_keeps_the_games_of_a_match(boardlab, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "match", after=2)
    file = tmp_path / "a.pgn"
    agents = ("mcts(rollout, iterations=2000)", "random")
    status, out, _ = boardlab("match", "connectfour", *agents, "-n", "100000", "--save", file)
    assert status == 130
    games = len(bl.read_records(file))
    assert 2 <= games < 100000
    assert f"the result of {games} of 100,000 games" in out
    assert f"\n{games} games, " in out and f"saved: {file}" in out


def test_ctrl_c_before_the_first_game_is_a_sentence(boardlab, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "match", after=0)
    file = tmp_path / "a.pgn"
    agents = ("mcts(rollout, iterations=1000000)", "random")
    status, out, _ = boardlab("match", "othello", *agents, "--save", file)
    assert (status, out) == (130, "stopped before a game was finished\n")
    assert not file.exists()


def test_ctrl_c_in_an_exam_is_a_sentence(boardlab, monkeypatch):
    press_ctrl_c(monkeypatch, "evaluate", after=1)
    words = ("evaluate", "random", "--game", "tictactoe")
    status, out, _ = boardlab(*words, "--exam", "perfect", "-n", "20")
    assert status == 130
    assert out.startswith("stopped in the exam perfect, which has no result; its last match so far:\n")
    assert "20 games" in out
    status, out, _ = boardlab(*words, "--exam", "optimal", "-n", "20")
    assert (status, out) == (130, "stopped in the exam optimal, which has no result\n")


def test_ctrl_c_keeps_the_games_of_a_balance(boardlab, tmp_path, monkeypatch):
    words = ("balance", "tictactoe", "-a", "mcts(rollout, iterations=2000)", "-n", "100000")
    press_ctrl_c(monkeypatch, "balance", after=0)
    assert boardlab("balance", "othello", "-a", "mcts(iterations=1000000)")[:2] == (
        130, "stopped before a game was finished\n",
    )  # fmt: skip
    press_ctrl_c(monkeypatch, "balance", after=2)
    status, out, _ = boardlab(*words)
    games = int(re.match(r"stopped after ([\d,]+) of 100,000 games\n", out)[1].replace(",", ""))
    assert status == 130 and 2 <= games < 100000
    assert out.splitlines()[1].startswith("standard start: X ") and f"; {games:,} games, " in out


@pytest.mark.parametrize(("after", "confirmed"), [(30, False), (100, False), (300, True)])
def test_ctrl_c_keeps_the_starts_that_were_confirmed(boardlab, tmp_path, monkeypatch, after, confirmed):
    """20 games from the usual start, 40 and 160 that choose the starts, then fresh ones."""
    press_ctrl_c(monkeypatch, "balance", after)
    file = tmp_path / "even.txt"
    status, out, _ = boardlab(
        "balance", "tictactoe", "-a", "random", "-n", "20", "--plies", "2", "--candidates", "10",
        "--keep", "4", "--screen", "4", "--confirm", "100000", "--out", file,
    )  # fmt: skip
    assert status == 130 and out.startswith("stopped after ")
    assert "standard start: X " in out and "; 20 games, " in out
    if confirmed:
        starts = len(read_openings(bl.game("tictactoe"), file))
        assert starts == 4 and f"saved {starts} starts in {file}" in out
        assert f"start {starts}: " in out and f"these {starts} starts: " in out
    else:
        assert "start 1" not in out and not file.exists()
        assert out.endswith("saved nothing: no start was confirmed\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("balance", "tictactoe", "-a", "random", "--plies", "2", "--out", "none/x"), "its folder does not exist"),
        (("balance", "tictactoe", "-a", "random", "--out", "x"), "give --plies too"),
        (("inspect", "tictactoe", "--run", "run", "--svg", "none/x.svg"), "its folder does not exist"),
        (("inspect", "tictactoe", "--run", "run", "--export", "none/x"), "its folder does not exist"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_written_is_found_first(boardlab, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    bl.train(bl.game("tictactoe"), episodes=2, out="run", exams=())
    status, out, error = boardlab(*words)
    assert (status, out) == (2, "") and sentence in error


@pytest.mark.parametrize(
    "words",
    [
        ("match", "tictactoe", "random", "random", "--random-actions", "9", "-n", "10"),
        ("tournament", "tictactoe", "random", "greedy(rollout)", "--random-actions", "9", "--games", "4"),
        ("evaluate", "random", "--game", "tictactoe", "--against", "random", "--starts", "random 9", "-n", "4"),
    ],
)  # fmt: skip
def test_a_match_in_which_nobody_decides_is_refused(boardlab, words):
    status, out, error = boardlab(*words)
    assert (status, out) == (2, "")
    assert "random_actions must be less than 9, the most actions of a game of tictactoe" in error


@pytest.mark.parametrize(
    "words",
    [
        ("match", "tictactoe", "random", "random", "-n", "2"),
        ("tournament", "tictactoe", "random", "greedy(rollout)", "--games", "2"),
    ],
)
def test_games_that_all_end_before_anybody_decides_are_refused(boardlab, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, error = boardlab(*words, "--random-actions", "8", "--seed", "2")
    assert (status, out) == (2, "")
    assert "every game of tictactoe is over after 8 random actions" in error
    assert not list(tmp_path.iterdir())  # nothing is kept of it


def test_random_actions_that_leave_something_to_decide_are_played(boardlab):
    status, out, _ = boardlab("match", "tictactoe", "random", "random", "--random-actions", "6", "-n", "10")
    assert status == 0 and "10 games" in out


@pytest.mark.parametrize(
    ("game", "exam", "asked", "played"),
    [
        ("tictactoe", "perfect", 50, "40 games (50 requested)"),
        ("rubiks", "twists50", 2, "6 cubes (2 requested)"),
        ("tictactoe", "perfect", 40, "40 games, "),
    ],
)
def test_an_exam_says_how_many_games_it_played(boardlab, game, exam, asked, played):
    _, out, _ = boardlab("evaluate", "random", "--game", game, "--exam", exam, "-n", asked)
    assert played in out


def test_error_bars_are_plain_numbers(boardlab, tmp_path):
    _, out, _ = boardlab("evaluate", "random", "--game", "2048", "-n", "3")
    assert re.search(r"^score: 1,\d{3} ± \d[\d,]* \(95%\), 3 games, 3 distinct$", out, re.MULTILINE)
    _, out, _ = boardlab("match", "2048", "random", "-n", "3")
    assert re.search(r"mean score 1,\d{3} ± \d[\d,]*$", out, re.MULTILINE)
    words = (
        "--size",
        "3",
        "--episodes",
        "2",
        "--exam-games",
        "3",
        "--exam-every",
        "0",
        "--out",
        tmp_path / "run",
    )
    _, out, _ = boardlab("train", "2048", *words)
    assert re.search(r"^score: \d+(\.\d)? ± \d[\d,.]* \(95%\), 3 samples, 3 distinct$", out, re.MULTILINE)
    assert (plain(99.7, 2), plain(0.123, 2), plain(1234.5, 2)) == ("100", "0.12", "1,234")


def test_one_game_has_no_error_bar(boardlab):
    _, out, _ = boardlab("match", "morpion", "nrpa(level=1)", "--games", "1")
    assert "nan" not in out and "± " not in out
    assert "\n1 game, 1 distinct: too few for a ±\n" in out


def test_an_elo_that_few_games_cannot_bound_is_no_number():
    few = bl.match(bl.game("tictactoe"), ["random", "random"], games=4, seed=1)  # a pair lost, a pair won
    assert "too few games for an Elo" in str(few) and "inf" not in str(few)
    many = bl.match(bl.game("connectfour"), ["mcts(rollout, iterations=100)", "random"], games=40)
    assert many.points[0] == 1
    assert re.search(r"Elo above \+\d+, stronger with", str(many))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("evaluate", "random", "--game", "nim", "--starts", "1"), "--starts and --first belong to an opponent"),
        (("evaluate", "random", "--game", "nim", "--first"), "name one with --against"),
        (("train", "tictactoe", "--exam", "none", "--exam", "perfect"), "--exam none takes no exam"),
        (("rate", "a.pgn", "--system", "glicko2", "--tau", "0"), "above 0 and at most 10, not 0.0"),
    ],
)  # fmt: skip
def test_a_sentence_names_the_option_that_was_typed(boardlab, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pgn").write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n')
    status, _, error = boardlab(*words)
    assert status == 2 and sentence in error


@pytest.mark.parametrize("command", ["match", "play"])
def test_help_names_every_format_that_is_accepted(boardlab, command):
    _, out, _ = boardlab(command, "--help")
    assert all(suffix in out for suffix in FORMATS)


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_the_words_for_the_end_stop_a_game(boardlab, monkeypatch, word):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{word}\na1\n"))
    status, out, error = boardlab("play", "tictactoe", "--against", "random")
    assert (status, error) == (0, "")
    assert "plays" not in out and "not a legal action" not in out and "stopped" not in out


@pytest.mark.parametrize(
    ("game", "says"),
    [
        ("morpion", "(3,-1)v1 adds the point"),
        ("pathwayz", "b3! a permanent one"),
        ("2048", "4@c1 is a new 4"),
    ],
)
def test_notation_is_explained_where_one_plays(boardlab, monkeypatch, game, says):
    assert says in " ".join(boardlab("games", game)[1].split())
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\nq\n"))
    _, out, _ = boardlab("play", game, "--against", "random", "--seed", "1")
    assert " ".join(bl.game(game).rules.notation.split()) in " ".join(out.split())


def test_an_action_keeps_its_name_though_it_is_a_short_word(boardlab, tmp_path, monkeypatch):
    """Two letters, of which each may be played once: h is an action of the game, legal or not."""
    plugin = tmp_path / "letters.py"
    plugin.write_text(
        "import boardlab as bl\n\n"
        "@bl.register_game\n"
        "class Letters(bl.PythonGame):\n"
        "    name, players, action_count, is_zero_sum = 'letters', 1, 3, False\n"
        "    def initial_state(self, rng): return (0, 0, 0)\n"
        "    def player(self, p): return bl.TERMINAL if all(p) else 0\n"
        "    def legal(self, p): return [i for i in range(3) if not p[i]]\n"
        "    def apply(self, p, a): return (*p[:a], 1, *p[a + 1:])\n"
        "    def scores(self, p): return (0,)\n"
        "    def action_name(self, p, a): return 'hzx'[a]\n"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("h\nh\nhint\nq\n"))
    words = ("--plugin", plugin, "play", "letters", "--against", "random", "--seed", "1")
    _, out, error = boardlab(*words)
    assert (
        error == ""
        and "undo (u) takes an action back, hint shows the agent's choice, help (?)" in " ".join(out.split())
    )
    assert out.count('"h" is not a legal action here; legal are z, x') == 1 and out.count("plays ") == 1


def test_help_hint_and_undo_are_words(boardlab, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nhint\na1\nundo\nquit\n"))
    _, out, _ = boardlab("play", "tictactoe", "--against", "mcts(iterations=50)", "--seed", "1")
    assert out.count("quit (q) stops") == 2 and "a1, b1, c1" in out  # at the start, and when asked
    assert "policy" in out and "not a legal action" not in out
    boards = out.split("X to move")
    assert len(boards) == 4 and "1 X . ." in boards[1] and "1 . . ." in boards[2]


def test_a_file_that_is_no_run_is_a_sentence(tmp_path):
    game = bl.game("tictactoe")
    drawing = tmp_path / "layout.svg"
    drawing.write_text("<svg/>")
    with pytest.raises(bl.BoardLabError, match=r"layout\.svg is not a run: it has no agent\.toml$"):
        bl.agent(f'greedy(ntuple("{drawing}"))', game)
    run = bl.train(game, episodes=2, out=tmp_path / "run", exams=())
    for content in (b"\x89PNG\r\n\x1a\n picture", b"\x93NUMPY\x01\x00 array", b""):
        (run.path / "weights.npz").write_bytes(content)
        with pytest.raises(bl.BoardLabError, match=r"weights\.npz is damaged: it is no npz file$"):
            run.agent()


def test_an_expression_is_right_whatever_the_folder_is_called(tmp_path):
    run = bl.train(bl.game("tictactoe"), episodes=2, out=tmp_path / 'a "b\\c', exams=())
    assert run.expression.endswith(r'/a \"b\\c"))')
    assert run.agent().act(run.game.initial_state()).action in range(9)


def test_wrong_kinds_of_arguments_are_a_sentence(tmp_path):
    game = bl.game("tictactoe")
    with pytest.raises(bl.BoardLabError, match="unknown exam 5; there are random"):
        bl.evaluate("random", game, 5)
    with pytest.raises(bl.BoardLabError, match="a game library must be a path, not 5"):
        bl.load_game(5)
    with pytest.raises(bl.BoardLabError, match="needs records"):
        bl.write_records(tmp_path / "x.pgn", 5)
    assert not (tmp_path / "x.pgn").exists()
