"""`boardlab play` on a terminal: screens, cursor, keys, and what Ctrl-C leaves."""

import re
import shlex

import pytest
from pseudo_terminal import CTRL_C, CTRL_D, CTRL_Z, DOWN, ENTER, LEFT, RIGHT, UP, PseudoTerminal

import boardlab as bl
from boardlab.cli.playing.keys import decode_keys

KEYS = """\
arrows, Enter: play  Tab: next legal  ?: rules
or type: an action, hint, undo, redo, quit"""
QUICK = ("--against", "random", "--seed", "1", "--hints", "mcts(iterations=50)")


@pytest.fixture
def playing(tmp_path):
    """Starts `boardlab play` on a pseudo-terminal in an empty folder."""
    started = []

    def start(*words, **how):
        started.append(PseudoTerminal("play", *words, **{"cwd": tmp_path} | how))
        return started[-1]

    yield start
    for terminal in started:
        terminal.stop()


def test_the_board_has_a_cursor_and_is_redrawn_in_place(playing):
    terminal = playing("tictactoe", *QUICK)
    first = terminal.until("X: _")
    assert first == (
        "tictactoe  X: you, O: random\n\n    a b c\n  1 . . .\n  2 .[.].\n  3 . . .\n  X to move\n\nX: _\n"
        + KEYS
    )
    terminal.press(LEFT + UP)
    terminal.until("1[.]. .")
    terminal.press(ENTER)
    screen = terminal.until("O plays c2", "X: _")
    assert "1[X]. .\n  2 . .(O)\n" in screen
    terminal.press("c1" + ENTER)
    terminal.until("[X]. X")
    assert terminal.output.count("\x1b[?1049h") == 1  # one second screen, never left
    terminal.press(CTRL_D)
    status, left = terminal.ended()
    assert status == 0 and left.startswith("  a b c\n1 X . X\n")


def test_keys_without_a_meaning_and_typing_errors_change_nothing(playing):
    terminal = playing("tictactoe", *QUICK)
    terminal.until("X: _")
    terminal.press("\x1b[15~\x1b[1;5C\x00\x01é" + "zz" + ENTER)  # F5, Ctrl-Right, Ctrl-A
    screen = terminal.until('"ézz" is not a legal action here; legal are a1, b1')
    assert "1 . . .\n  2 .[.].\n  3 . . .\n" in screen
    terminal.press("abc\x7f\x7f")
    terminal.until("X: a_")
    terminal.press("q" + CTRL_D)
    assert terminal.ended()[0] == 0


def test_undo_and_redo_walk_through_the_game(playing):
    terminal = playing("tictactoe", *QUICK)
    terminal.until("X: _")
    terminal.press("a1" + ENTER)
    terminal.until("O plays c2", "X: _")
    terminal.press(CTRL_Z)
    terminal.until("1 . . .", "X: _")
    terminal.press(CTRL_Z)
    terminal.until("there is nothing to take back")
    terminal.press("redo" + ENTER)
    terminal.until("1 X . .", also=lambda screen: "O)" in screen or "O" in screen.split("2")[1])
    terminal.press("r" + ENTER)
    terminal.until("there is nothing to play again")
    terminal.press("quit" + ENTER)
    assert terminal.ended()[0] == 0


def test_a_hint_is_marked_and_explained(playing):
    terminal = playing("connectfour", "--against", "random", "--hints", "alphabeta(depth=2)", "--seed", "1")
    terminal.until("X: _")
    terminal.press("h" + ENTER)
    screen = terminal.until("alphabeta(score, depth=2) plays")
    column = int(re.search(r"plays (\d)", screen)[1])
    assert "30;46m" in terminal.coloured() and "action" in screen  # black on cyan
    terminal.press("\x1b")
    terminal.until("X: _", also=lambda screen: "plays" not in screen)
    terminal.press(str(column) + ENTER)
    terminal.until("O plays")
    terminal.press(CTRL_D)
    terminal.ended()


def test_arrow_keys_and_wasd_slide_tiles(playing):
    terminal = playing("2048", "--seed", "1")
    screen = terminal.until("arrows or w a s d: play")
    state = bl.game("2048").from_text("\n".join(screen.replace("(", " ").replace(")", " ").split("\n")[2:6]))
    assert len(state.legal_actions()) == 4
    for number, key in enumerate((LEFT, "d", UP, "s"), 1):
        terminal.press(key)
        terminal.until(also=lambda screen, n=number: terminal.output.count("chance: ") > n)
    terminal.press("u" + ENTER)  # up, not undo
    terminal.until("player: _")
    terminal.press("undo" + ENTER + CTRL_D)
    assert terminal.ended()[0] == 0


def test_ctrl_c_saves_the_game_and_says_how_to_go_on(playing, tmp_path):
    terminal = playing("tictactoe", *QUICK)
    terminal.until("X: _")
    terminal.press("a1" + ENTER)
    terminal.until("O plays", "X: _")
    terminal.press(CTRL_C)
    status, left = terminal.ended()
    (file,) = tmp_path.glob("tictactoe-*.pgn")
    assert status == 130 and f"stopped\nsaved: {file.name}\nto go on: boardlab play tictactoe " in left
    (record,) = bl.read_records(file)
    assert len(record.actions) == 2 and not record.is_finished

    command = shlex.split(re.search(r"to go on: boardlab play (.*)", left)[1])
    terminal = playing(*command)
    terminal.until("1 X", "X: _")
    while "r: rematch" not in terminal.screen():
        thoughts = terminal.output.count("thinking")
        terminal.press("\t" + ENTER)
        terminal.until(
            also=lambda screen, n=thoughts: (
                "rematch" in screen or ("X: _" in screen and terminal.output.count("thinking") > n)
            )
        )
    terminal.press("q")
    assert terminal.ended()[0] == 0
    (record,) = bl.read_records(file)  # replaced by the finished game
    assert record.is_finished and record.actions[0] == 0


def test_ctrl_c_before_the_first_action_leaves_no_file(playing, tmp_path):
    terminal = playing("tictactoe", *QUICK)
    terminal.until("X: _")
    terminal.press(CTRL_C)
    assert terminal.ended()[0] == 130 and not list(tmp_path.iterdir())


def test_the_finished_game_is_reviewed_and_played_again(playing):
    terminal = playing(
        "tictactoe", "--seat", "1", "--against", "alphabeta(depth=9)", "--hints", "alphabeta(depth=9)",
        "--position", "  a b c\n1 X . .\n2 . O .\n3 X . .\nO to move",
    )  # fmt: skip
    terminal.until("O: _")
    terminal.press("c3" + ENTER)
    screen = terminal.until("X wins.", "r: rematch")
    assert "X has won" in screen and "30;42m" in terminal.coloured()  # the line, black on green
    terminal.press("v")
    screen = terminal.until("the worst mistakes:", "q: back")
    assert "1. action 1: O played c3; a2 is better" in screen and "2 . O ." in screen
    terminal.press(RIGHT + "q")
    terminal.until("r: rematch")
    terminal.press("u")
    terminal.until("O: _", "3 X . .", also=lambda screen: "plays" not in screen)
    terminal.press("a2" + ENTER)
    terminal.until("X plays", "O: _")
    terminal.press(CTRL_D)
    terminal.ended()


def test_the_rules_are_shown_in_full(playing):
    terminal = playing("hex", "--against", "random", columns=60, lines=20)
    terminal.until("red: _")
    terminal.press("?")
    seen = screen = terminal.until("q: back")
    while not re.search(r"^(\d+) of \1 lines", screen, re.M):
        terminal.press(" ")
        screen = terminal.until("q: back", also=lambda new, old=screen: new != old)
        seen += screen
    terminal.press("q")
    terminal.until("red: _")
    terminal.press(CTRL_D)
    terminal.ended()
    assert "A draw is impossible." in " ".join(seen.split())


def test_agents_are_watched_at_a_chosen_speed(playing):
    terminal = playing("tictactoe", "--seat", "0=random", "--seat", "1=random", "--speed", "0.5")
    terminal.until("0.5 actions a second")
    terminal.press(" ")
    terminal.until("paused")
    terminal.press(ENTER)
    terminal.until("X plays", "paused")
    terminal.press("+")
    terminal.press(" ")
    terminal.until("1 actions a second")
    for _ in range(9):
        terminal.press(ENTER)
    terminal.until("r: rematch", also=lambda screen: "undo" not in screen)
    terminal.press("q")
    assert terminal.ended()[0] == 0


@pytest.mark.parametrize("game", ["hex", "morpion", "poker", "rubiks", "yavalath", "2048"])
def test_forty_columns_are_enough(playing, game):
    terminal = playing(game, "--against", "random", "--seed", "1", columns=40, lines=24)
    screen = terminal.until(": _", "quit")
    assert max(map(len, screen.split("\n"))) <= 40 and "…" not in screen
    terminal.resize(30, 12)
    terminal.until(also=lambda screen: max(map(len, screen.split("\n"))) <= 30 and ": _" in screen)
    terminal.press(CTRL_D)
    assert terminal.ended()[0] == 0


def test_several_actions_of_a_cell_are_a_choice(playing):
    terminal = playing("pathwayz", "--against", "random", "--seed", "1")
    terminal.until("white: _")
    terminal.press(ENTER)
    terminal.until("[c2] c2!", "Esc: go back")
    terminal.press("\x1b")
    terminal.until("Tab: next legal", also=lambda screen: "c2!" not in screen)
    terminal.press(ENTER)
    terminal.until("[c2] c2!")
    terminal.press(RIGHT)
    terminal.until("[c2!]")
    terminal.press(ENTER)
    terminal.until("black plays", "B]")
    terminal.press(DOWN + CTRL_D)
    terminal.ended()


def test_hidden_cards_stay_hidden_between_two_people(playing):
    terminal = playing("kuhnpoker", "--seat", "0=human", "--seat", "1=human", "--seed", "1")
    screen = terminal.until("[check] bet")
    assert re.search(r"cards: [JQK] \?", screen)
    terminal.press(ENTER)
    screen = terminal.until("It is player 1's turn.")
    assert "cards" not in screen
    terminal.press(ENTER)
    assert re.search(r"cards: \? [JQK]", terminal.until("player 1: _"))
    terminal.press(CTRL_D)
    terminal.ended()


@pytest.mark.parametrize("how", [{"words": ("--plain",)}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_plain_text_has_no_escape_codes(playing, how):
    terminal = playing("tictactoe", *QUICK, *how.pop("words", ()), **how)
    terminal.until("X to move", "X: ")
    terminal.press("a1\n")
    terminal.until("O plays")
    terminal.press("q\n")
    assert terminal.ended()[0] == 0 and "\x1b" not in terminal.output


@pytest.mark.parametrize(
    ("text", "keys", "rest"),
    [
        ("a\x1b[Aé\r", ["a", "up", "é", "enter"], ""),
        ("\x1bOD\x1b[1;5C\x1b[Z", ["left", "backtab"], ""),
        ("x\x1b[", ["x"], "\x1b["),
        ("\x1bq", ["escape", "q"], ""),
        ("\x00\x07\x7f\x04", ["backspace", "end of input"], ""),
    ],
)
def test_keys_are_decoded(text, keys, rest):
    assert decode_keys(text) == (keys, rest)


def test_a_closed_window_saves_the_game(playing, tmp_path):
    terminal = playing("tictactoe", *QUICK)
    terminal.until("X: _")
    terminal.press("a1" + ENTER)
    terminal.until("O plays", "X: _")
    terminal.hang_up()
    (file,) = tmp_path.glob("tictactoe-*.pgn")
    assert len(bl.read_records(file)[0].actions) == 2


def test_a_rematch_begins_at_the_same_position(playing):
    start = "  a b c\n1 X O X\n2 X O O\n3 . X .\nO to move"
    terminal = playing("tictactoe", "--seat", "1", "--against", "random", "--position", start)
    terminal.until("O: _")
    terminal.press("c3" + ENTER)
    terminal.until("r: rematch")
    terminal.press("r")
    terminal.until("1 X O X", "O: _", also=lambda screen: "plays" not in screen)
    terminal.press(CTRL_D)
    assert terminal.ended()[0] == 0
