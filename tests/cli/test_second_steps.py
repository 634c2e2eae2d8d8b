"""What a newcomer runs into after the first hour: hints, files that are there, exams that go wrong, typos."""

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import boardlab as bl
from boardlab.arena import Result
from boardlab.cli.common import console
from boardlab.cli.inspect import opinion
from boardlab.cli.train import Standing, teller, training_bar
from boardlab.evaluators import EVALUATORS
from boardlab.games.registry import rules_of
from boardlab.learners import LEARNERS
from boardlab.options import options_of
from boardlab.search.agent import Decision
from boardlab.search.expression import AGENTS


@pytest.fixture
def typed(boardlab, monkeypatch):
    """Runs a command with what a person types."""

    def run(words, *command):
        monkeypatch.setattr(sys, "stdin", io.StringIO(words))
        return boardlab(*command)

    return run


@pytest.fixture
def failing():
    """An evaluator that fails after its first answer, as a plugin's may."""
    calls = []

    @bl.register_evaluator("failing")
    def make(game):
        def judge(inputs, legal):
            calls.append(1)
            if len(calls) > 1:
                raise ZeroDivisionError("mine")
            return np.zeros(len(legal)), np.zeros(legal.shape)

        return judge

    yield calls
    del EVALUATORS["failing"]


# ---- playing ----


def test_twists_are_played_though_a_command_begins_with_the_letter(typed, tmp_path):
    file = tmp_path / "cube.pgn"
    status, _, _ = typed("L\nU\nu\nF\nl\nq\n", "play", "rubiks", "--seed", "1", "--save", file)
    assert status == 0
    (record,) = bl.read_records(file)
    state = record.first_state.copy()
    names = []
    for action in record.actions:
        names.append(state.action_text(action))
        state.apply(action)
    assert names == ["L", "F"]  # U was taken back by u


def test_an_agent_that_knows_only_its_action_still_gives_a_hint(typed):
    status, out, _ = typed("h\nq\n", "play", "nim", "--against", "bouton", "--heaps", "3,4,5")
    assert status == 0 and "plays A2" in out and "0.0%" not in out
    status, out, _ = typed("", "inspect", "nim", "bouton", "--heaps", "3,4,5")
    assert status == 0 and "0.0%" not in out and re.search(r"action +value\s+A2\s", out)


def test_a_human_gives_no_hints(typed, tmp_path):
    file = tmp_path / "two.pgn"
    for human in ("human", "human()"):
        status, out, _ = typed("h\nb2\n", "play", "tictactoe", "--against", human, "--save", file)
        assert status == 130 and "no agent can give a hint" in out
    assert [len(record.actions) for record in bl.read_records(file)] == [1, 1]


def test_a_game_is_saved_when_the_opponent_fails(typed, failing, tmp_path):
    file = tmp_path / "mine.pgn"
    words = ("play", "tictactoe", "--against", "greedy(failing)", "--save", file)
    # The command line says it in a sentence where a plugin is at fault.
    with pytest.raises(ZeroDivisionError):
        typed("b2\na1\nc1\na3\nc3\n", *words)
    assert len(bl.read_records(file)[0].actions) >= 1


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


# ---- measuring ----


def test_exams_may_be_repeated(boardlab):
    words = ("evaluate", "solved", "--game", "tictactoe", "--games", "4")
    status, out, _ = boardlab(*words, "--exam", "random", "--exam", "perfect")
    assert status == 0 and re.search(r"^random: .* at most 1,", out, re.M)
    assert re.search(r"^perfect: .* best possible 0,", out, re.M)
    status, _, err = boardlab(*words, "--exam", "random", "--against", "random")
    assert status == 2 and "not both" in err


def test_what_nobody_can_exploit_is_zero(boardlab):
    _, out, _ = boardlab(
        "evaluate", "nash", "--game", "kuhnpoker", "--exam", "exploitability", "--games", "5"
    )
    assert out.startswith("exploitability: 0 ± 0 ")


def test_one_game_of_a_balance_has_no_error_bar(boardlab):
    status, out, _ = boardlab("balance", "tictactoe", "--agent", "random", "--games", "1")
    assert status == 0 and "nan" not in out and "1 game," in out


def test_an_exam_whose_opponent_fails_ends_the_run_which_is_saved(failing, tmp_path):
    game = bl.game("tictactoe")
    settings = {"episodes": 100, "stop_exam": "greedy(failing)", "stop_after": 2, "out": tmp_path / "run"}
    with pytest.raises(
        bl.BoardLabError, match=r"of the exam greedy\(failing\) ended by an error, the first: .*mine"
    ):
        bl.train(game, **settings)
    assert 0 < bl.open_run(tmp_path / "run").episodes < 100


def test_large_scores_of_famous_agents_are_plain_numbers(boardlab, tmp_path):
    store = tmp_path / "store.db"
    assert boardlab("tournament", "2048", "random", "tiles", "-n", "3", "--store", store)[0] == 0
    _, out, _ = boardlab("fame", "--store", store)
    assert "e+" not in out and re.search(r"\d,\d{3} \(", out)


def test_an_engine_of_gtp_survives_an_agent_that_fails(typed, failing):
    status, out, _ = typed(
        "1 genmove b\n2 genmove w\n3 genmove b\n4 name\nquit\n",
        "gtp",
        "greedy(failing)",
        "--game",
        "tictactoe",
    )
    said = rf"^\?\d greedy\(failing\): {re.escape(__file__)}, line \d+: ZeroDivisionError: mine$"
    assert status == 0 and re.search(said, out, re.M) and "=4 BoardLab" in out


# ---- Python and files ----


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


@pytest.mark.parametrize("columns", [40, 80])
def test_a_curve_fits_a_narrow_terminal(boardlab, tmp_path, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    _, out, _ = boardlab(
        "train",
        "tictactoe",
        "--episodes",
        "200",
        "--exam",
        "random",
        "--exam-games",
        "4",
        "--out",
        tmp_path / "run",
    )
    axis = next(line for line in out.splitlines() if "└" in line)
    assert 24 < len(axis) <= columns


def test_ctrl_c_while_boardlab_is_imported_is_quiet():
    """As early as an import of its own can be interrupted."""
    code = (
        "import signal, sys\n"
        "import boardlab\n"
        "sys.meta_path.insert(0, type('Stop', (), {'find_spec': staticmethod(\n"
        "    lambda name, *a: signal.raise_signal(signal.SIGINT) if name == 'boardlab.cli' else None)}))\n"
        "from boardlab.__main__ import main\n"
        "main()\n"
    )
    root = str(Path(bl.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=root)
    assert done.returncode == 130 and done.stderr == ""


def test_play_states_the_rules_of_the_variant(typed):
    _, out, _ = typed("q\n", "play", "nim", "--players", "3", "--against", "random")
    assert out.startswith("nim: take stones from one heap, the player after the last taker wins.\n")


def test_help_in_play_breaks_lines_between_words(typed, monkeypatch):
    monkeypatch.setattr(console, "_width", 80)
    _, out, _ = typed("?\nq\n", "play", "othello", "--against", "random")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80 and "help (?) lists the actions" in " ".join(out.split())


def test_a_hand_of_poker_ends_with_who_won_what(typed):
    _, out, _ = typed("fold\nq\n", "play", "poker", "--against", "random", "--seed", "1", "--rounds", "2")
    end = out.index("The round is over")
    assert (
        "hand over: player 1 wins 10\n" in out[:end]
        and "pot" not in out[out.rindex("hand 1 of 2", 0, end) : end]
    )


def test_the_end_of_a_round_is_shown_before_the_next_deal(typed):
    _, out, _ = typed("stand\nstand\n", "play", "blackjack", "--rounds", "2", "--seed", "1")
    lines = out.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("The round is over; your score so far: "))
    assert lines[end - 1] == "round over"
    assert lines[end - 3].startswith("dealer: 5 8 10 (bust 23)")  # the whole hand
    assert "chance: 10 8" in lines[end - 5]  # its cards alone, without those of the next deal
    assert lines[end + 2].startswith("chance: ") and lines[end + 3].startswith("round 2 of 2")


def test_ctrl_c_ends_a_game_with_the_status_of_other_commands_and_saves_it(boardlab, tmp_path, monkeypatch):
    answers = iter(["b2"])

    def answer(_):
        if (word := next(answers, None)) is None:
            raise KeyboardInterrupt
        return word

    monkeypatch.setattr("builtins.input", answer)
    file = tmp_path / "game.pgn"
    status, out, _ = boardlab("play", "tictactoe", "--against", "random", "--seed", "1", "--save", file)
    assert status == 130 and out.endswith(f"\nstopped\nsaved: {file}\n")
    assert bl.read_records(file)[0].actions[0] == 4


@pytest.mark.parametrize("columns", [30, 40, 60, 80])
def test_the_games_are_listed_whole_on_a_narrow_terminal(boardlab, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    out = boardlab("games")[1]
    words = out.split()
    assert max(map(len, out.splitlines())) <= columns
    for name in bl.games():
        assert {name, *rules_of(name).summary.split()} <= set(words), name
        for option in options_of(rules_of(name)):
            default = f"{option.name}={option.default}".split()[0].rstrip(",")
            assert any(word.rstrip(",") == default for word in words), default


@pytest.mark.parametrize("columns", [40, 80])
def test_no_word_about_a_setting_is_broken(boardlab, monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    words = set(boardlab("train", "tictactoe", "--settings")[1].split())
    for option in options_of(LEARNERS["td-ntuple"]):
        assert {option.shown_name, *option.doc.split(), *option.allowed.split()} <= words, option.name


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", [*AGENTS, *EVALUATORS])
def test_no_word_about_a_parameter_is_broken(boardlab, monkeypatch, name, columns):
    monkeypatch.setattr(console, "_width", columns)
    words = boardlab("agents", name)[1].split()
    for group in (AGENTS, EVALUATORS):
        for option in options_of(group[name]) if name in group else []:
            assert set(option.doc.split()) <= set(words), option.name


@pytest.mark.parametrize(("actions", "lines"), [(20, 20), (21, 21), (22, 21), (40, 21)])
def test_no_line_says_that_there_is_one_more(actions, lines):
    """It would take the place of that one."""
    decision = Decision(0, dict.fromkeys(range(actions), 1 / actions), {}, np.zeros(2))
    table = opinion(decision, {action: str(action) for action in range(actions)})
    assert table.row_count == lines
    last = list(table.columns[0].cells)[-1]
    assert last == (f"… {actions - 20} more" if actions > 21 else str(actions - 1))


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_training_bar_tells_the_time_left_on_a_narrow_terminal(monkeypatch, columns):
    monkeypatch.setattr(console, "_width", columns)
    bar = training_bar()
    teller(bar, "seed 1")(Standing(50_000, 100_000, 10**6, 10.0, {"mcts(rollout, iterations=200)": 0.98}))
    with console.capture() as said:
        console.print(bar.get_renderable())
    (line,) = said.get().splitlines()
    assert re.match(r"seed 1 ━+ +[-\d]:[-\d]{2}:[-\d]{2} 50,000", line) and len(line) <= columns


def test_an_agent_without_parameters_has_no_empty_table(boardlab):
    assert options_of(AGENTS["random"]) == []
    assert boardlab("agents", "random")[1].splitlines()[1:] == ["It has no parameters."]
