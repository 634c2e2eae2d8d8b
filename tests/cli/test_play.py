"""`boardlab play`: words, notation, hints, saved games, rounds."""

import io
import re
import sys
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.cli.common import console


@pytest.fixture
def typed(boardlab, monkeypatch):
    """Runs a command with what a person types."""

    def run(words, *command):
        monkeypatch.setattr(sys, "stdin", io.StringIO(words))
        return boardlab(*command)

    return run


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_the_words_for_the_end_stop_a_game(boardlab, monkeypatch, word):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{word}\na1\n"))
    status, out, error = boardlab("play", "tictactoe", "--against", "random")
    assert (status, error) == (0, "")
    assert "O plays" not in out and "not a legal action" not in out and "stopped" not in out


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
    words = ("--plugin", plugin, "play", "letters", "--hints", "random", "--seed", "1")
    _, out, error = boardlab(*words)
    assert error == "" and "redo (r) plays it again, hint shows an agent's choice, help (?)" in " ".join(
        out.split()
    )
    assert (
        out.count('"h" is not a legal action here; legal are z, x') == 1 and out.count("random plays ") == 1
    )


def test_help_hint_and_undo_are_words(boardlab, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nhint\na1\nundo\nquit\n"))
    words = ("--against", "random", "--hints", "mcts(iterations=50)", "--seed", "1")
    _, out, _ = boardlab("play", "tictactoe", *words)
    assert (
        " ".join(out.split()).count("quit (q) stops") == 2 and "a1, b1, c1" in out
    )  # at the start, and when asked
    assert "policy" in out and "not a legal action" not in out
    boards = out.split("X to move")
    assert len(boards) == 4 and "1 X . ." in boards[1] and "1 . . ." in boards[2]


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
    status, out, _ = typed("h\nq\n", "play", "nim", "--hints", "bouton", "--heaps", "3,4,5")
    assert status == 0 and "bouton plays A2" in out and "0.0%" not in out
    status, out, _ = typed("", "inspect", "nim", "bouton", "--heaps", "3,4,5")
    assert status == 0 and "0.0%" not in out and re.search(r"action +value\s+A2\s", out)


def test_two_people_play_at_one_terminal(typed, tmp_path):
    file = tmp_path / "two.pgn"
    for words in (("--against", "human"), ("--seat", "0=human", "--seat", "1=human()")):
        status, out, _ = typed("b2\na1\nundo\nc1\nq\n", "play", "tictactoe", *words, "--save", file)
        assert status == 0 and "X: human, O: human" in out and "O: X: " not in out
    state = bl.game("tictactoe").initial_state()
    assert [record.actions for record in bl.read_records(file)] == [(4, 2), (4, 2)]
    assert state.action_text(2) == "c1"


def test_a_game_is_saved_when_the_opponent_fails(typed, failing, tmp_path):
    file = tmp_path / "mine.pgn"
    words = ("play", "tictactoe", "--against", "greedy(failing)", "--save", file)
    # The command line says it in a sentence where a plugin is at fault.
    with pytest.raises(ZeroDivisionError):
        typed("b2\na1\nc1\na3\nc3\n", *words)
    assert len(bl.read_records(file)[0].actions) >= 1


def test_an_engine_of_gtp_survives_an_agent_that_fails(typed, failing):
    status, out, _ = typed(
        "1 genmove b\n2 genmove w\n3 genmove b\n4 name\nquit\n",
        "gtp",
        "greedy(failing)",
        "--game",
        "tictactoe",
    )
    said = rf"^\?\d greedy\(failing\): {re.escape(str(Path(__file__).with_name('conftest.py')))}, line \d+: ZeroDivisionError: mine$"
    assert status == 0 and re.search(said, out, re.M) and "=4 BoardLab" in out


def test_play_states_the_rules_of_the_variant(typed):
    _, out, _ = typed("q\n", "play", "nim", "--players", "3", "--against", "random")
    assert out.startswith("nim: take stones from one heap, the player after the last taker wins.\n")


def test_help_in_play_breaks_lines_between_words(typed, monkeypatch):
    monkeypatch.setattr(console, "_width", 80)
    _, out, _ = typed("?\nq\n", "play", "othello", "--against", "random")
    lines = [line.removeprefix("X: ") for line in out.splitlines()]  # nobody presses enter behind the prompt
    assert max(map(len, lines)) <= 80 and "help (?) shows the actions and the rules" in " ".join(out.split())


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


def test_a_forced_pass_is_made_and_said(typed):
    start = "  a b c d\n1 X . O .\n2 X O O O\n3 O O O O\n4 X X X X\nX to move"
    words = ("play", "othello", "--size", "4", "--position", start, "--against", "human")
    _, out, _ = typed("b1\nundo\nb1\nd1\nq\n", *words)
    assert out.count("O has to pass") == 2  # undo goes back to the decision, not to the pass
    assert "O: " not in out.split("You are")[-1].replace("O: human", "") and "X wins." in out


def test_agents_are_watched_without_a_terminal(typed):
    status, out, _ = typed("", "play", "tictactoe", "--seat", "0=random", "--seat", "1=random", "--seed", "1")
    assert status == 0 and out.startswith("tictactoe: ") and "X: random, O: random." in out
    assert "X plays" in out and re.search(r"(wins|Nobody wins)\.\n$", out) and "rematch" not in out


def test_wasd_and_first_letters_are_directions(typed, tmp_path):
    file = tmp_path / "2048.pgn"
    status, out, _ = typed(
        "w\na\ns\nd\nu\nl\nr\nundo\nredo\nq\n", "play", "2048", "--seed", "3", "--save", file
    )
    (record,) = bl.read_records(file)
    names = [
        state.action_text(action)
        for state, action in zip(record.states(), record.actions, strict=False)
        if state.player == 0
    ]
    illegal = out.count("is not a legal action here")
    assert status == 0 and len(names) + illegal == 7 and set(names) <= {"up", "left", "down", "right"}


def test_the_rest_of_a_game_is_resumed_and_replaced(typed, tmp_path):
    file = tmp_path / "mine.pgn"
    words = ("play", "tictactoe", "--against", "human")
    typed("a1\nb2\nq\n", *words, "--save", file)
    typed("b1\na3\nundo\nc3\nc1\n", *words, "--resume", file)
    (record,) = bl.read_records(file)
    assert record.is_finished and record.actions == (0, 4, 1, 8, 2) and record.scores == (1, -1)
    status, _, error = typed("", *words, "--resume", file)
    assert status == 2 and "is over; boardlab replay" in error


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--seat", "x"), '--seat takes your seat or SEAT=AGENT, as in --seat 1 or --seat "1=mcts(rollout)"'),
        (("--seat", "0", "--seat", "0=random"), "seat 0 is given twice"),
        (("--seat", "7=random"), "the seat must be a whole number from 0 to 1"),
        (("--seat", "1=randon"), 'did you mean "random"?'),
        (("--hints", "mtcs"), 'did you mean "mcts"?'),
        (("--speed", "-1"), "--speed must be a number from 0 to 1000, not -1"),
        (("--resume", "none.pgn"), "none.pgn"),
        (("--resume", "a.pgn", "--save", "b.pgn"), "--resume goes on with a saved game"),
    ],
)
def test_wrong_options_of_play_are_one_sentence(boardlab, words, says):
    status, out, error = boardlab("play", "tictactoe", *words)
    assert status == 2 and says in error and "Traceback" not in error and out == ""
