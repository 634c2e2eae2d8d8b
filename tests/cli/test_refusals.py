"""Commands that are refused, or nearly right: one sentence that names the mistake."""

import re
import tomllib

import pytest

import boardlab as bl
from boardlab.arena import Result
from boardlab.arena.records.files import FORMATS


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


def test_a_file_that_holds_no_games_is_refused_before_a_game(boardlab, tmp_path):
    junk, binary = tmp_path / "junk.pgn", tmp_path / "binary.pgn"
    junk.write_text("hello\n")
    binary.write_bytes(b"\xff\xfe\0")
    for command in (("play", "tictactoe"), ("match", "tictactoe", "random", "random", "-n", "100000000")):
        for file, words in ((junk, "does not contain games in the .pgn format"), (binary, "it is not text")):
            before = file.read_bytes()
            status, _, err = boardlab(*command, "--save", file)
            assert status == 2 and words in err and file.read_bytes() == before
    lines = tmp_path / "lines.txt"
    lines.write_text("not columns\n")
    assert boardlab("play", "connectfour", "--save", lines)[0] == 2
    bl.match(bl.game("connectfour"), ["random", "random"], games=2).save(tmp_path / "games.pgn")
    lines.write_bytes((tmp_path / "games.pgn").read_bytes())
    assert "in the .txt format" in boardlab("play", "connectfour", "--save", lines)[2]


def test_a_match_adds_its_games_to_those_that_are_there(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    words = ("match", "tictactoe", "random", "random", "-n", "2", "--save", file)
    assert f"saved: {file}" in boardlab(*words)[1] and f"added to: {file}" in boardlab(*words)[1]
    assert len(bl.read_records(file)) == 4


def test_exams_may_be_repeated(boardlab):
    words = ("evaluate", "solved", "--game", "tictactoe", "--games", "4")
    status, out, _ = boardlab(*words, "--exam", "random", "--exam", "perfect")
    assert status == 0 and re.search(r"^random: .* at most 1,", out, re.M)
    assert re.search(r"^perfect: .* best possible 0,", out, re.M)
    status, _, err = boardlab(*words, "--exam", "random", "--against", "random")
    assert status == 2 and "not both" in err


def test_an_exam_whose_opponent_fails_ends_the_run_which_is_saved(failing, tmp_path):
    game = bl.game("tictactoe")
    settings = {"episodes": 100, "stop_exam": "greedy(failing)", "stop_after": 2, "out": tmp_path / "run"}
    with pytest.raises(
        bl.BoardLabError, match=r"of the exam greedy\(failing\) ended by an error, the first: .*mine"
    ):
        bl.train(game, **settings)
    assert 0 < bl.open_run(tmp_path / "run").episodes < 100


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda g: bl.train(g, exams=5), "exams must be a list of exams, not 5"),
        (lambda g: bl.balance(g, None), "agents must be a list of agents, not None"),
        (lambda g: bl.match(g, ["runs/x", "random"]), r"unexpected '/'; a run plays as greedy\(ntuple"),
        (lambda g: bl.agent("./az", g), r"unexpected '.'; a run plays as greedy\(ntuple"),
        (lambda g: bl.match(g, ["random"]), "tictactoe needs 2 agents, not 1 agent$"),
        (lambda g: bl.rate([Result(("a", "b"), ("x", 0))]), "scores must be finite numbers"),
        (lambda g: bl.rate([Result(("a", "b"), (10**400, 0))]), "scores must be finite numbers"),
        (lambda g: bl.rate([Result((None, "b"), (1, 0))]), "players must be named by text"),
    ],
)
def test_what_is_no_list_or_no_name_is_a_sentence(call, sentence):
    with pytest.raises(bl.BoardLabError, match=sentence):
        call(bl.game("tictactoe"))


def test_a_finished_game_is_no_start():
    game = bl.game("tictactoe")
    state = game.initial_state()
    for action in (0, 3, 1, 4, 2):
        state.apply(action)
    with pytest.raises(bl.BoardLabError, match=r"the game is over in starts\[1\]"):
        bl.match(game, ["random", "random"], games=4, starts=[game.initial_state(), state])


def test_a_byte_order_mark_is_no_action(boardlab, tmp_path):
    openings, position = tmp_path / "openings.txt", tmp_path / "position.txt"
    openings.write_text("b2\n", encoding="utf-8-sig")
    position.write_text(bl.game("tictactoe").initial_state().to_text(), encoding="utf-8-sig")
    words = ("match", "tictactoe", "random", "random", "-n", "2", "--openings", openings)
    assert boardlab(*words)[0] == 0
    assert boardlab("inspect", "tictactoe", "random", "--position", f"@{position}")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("play", "connectfour", "--agianst", "random"), 'did you mean "against"?'),
        (("train", "tictactoe", "--exam-evry", "5"), 'did you mean "exam-every"?'),
        (
            ("match", "tictactoe", "random", "random", "--random_actions", "3"),
            'did you mean "random-actions"?',
        ),
        (
            ("train", "tictactoe", "--warm-start=rave"),
            "--warm-start is a setting of the learner alphazero, not of td-ntuple",
        ),
        (
            ("train", "tictactoe", "--learner", "td-ntuple", "--from", "x"),
            "--from is a setting of the learner alphazero, not of td-ntuple",
        ),
        (("train", "tictactoe", "--from", "x"), "x is not a run"),
        (("inspect", "tictactoe", "random", "--position", "@."), '"." cannot be read: it is a folder'),
        (("rate", "."), '"." cannot be read: it is a folder'),
    ],
)
def test_a_sentence_knows_what_was_meant(boardlab, words, sentence):
    status, _, err = boardlab(*words)
    assert status == 2 and sentence in err


def test_train_says_what_the_tables_take_before_they_do(boardlab, tmp_path):
    words = ("train", "nim", "--episodes", "5", "--exam", "none", "--out")
    # Three heaps of 0 to 5 stones, two players, 4 bytes a weight and 8 for TCL.
    assert boardlab(*words, tmp_path / "one")[1].startswith("memory of the tables: 5.062 KiB\n")
    several = boardlab(*words, tmp_path / "two", "--runs", "2")[1]
    assert several.startswith("memory of the tables: 5.062 KiB a run\n")
    status, out, err = boardlab(
        "train", "othello", "--preset", "paper", "--length", "14", "--out", tmp_path / "large"
    )
    assert status == 2 and out == "memory of the tables: 600 GiB\n"
    assert "the tables would take 600 GiB; the limit is 8 GiB" in err
    assert not (tmp_path / "large").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("tictactoe", "--tuples", "100", "--length", "2"),
        ("tictactoe", "--episodes", "-5"),
        ("tictactoe", "--exam", "chess"),
        ("tictactoe", "--exam-games", "0"),
        ("tictactoe", "--runs", "0"),
        ("tictactoe", "--replay-batch", "5"),
        ("hex", "--tables", "shared"),
        ("connectfour", "--symmetries", "5"),
        ("connectfour", "--memory-gb", "0.01"),
        ("2048", "--learner", "davi"),
    ],
)
def test_settings_refuses_what_the_run_would(boardlab, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    status, _, error = boardlab("train", *words)
    assert status == 2
    assert boardlab("train", *words, "--settings") == (2, "", error)
    assert not list(tmp_path.iterdir())


def test_settings_shows_the_episodes_that_the_run_would_play(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = boardlab("train", "tictactoe", "--episodes", "1000", "--settings")[1]
    assert re.search(r"^episodes +1000 ", out, re.MULTILINE)
    pytest.importorskip("torch")
    words = ("--learner", "alphazero", "--games", "32", "--channels", "4", "--episodes", "961")
    out = boardlab("train", "tictactoe", *words, "--settings")[1]
    assert re.search(r"^episodes +992 ", out, re.MULTILINE)
    assert not list(tmp_path.iterdir())
