"""`boardlab evaluate`, `balance` and `gtp` as a user types them."""

import io
import random

import pytest
from typer.testing import CliRunner

import boardlab as bl
from boardlab.bridges.gtp import GtpServer
from boardlab.cli import app


def output(*words):
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def mistake(*words):
    with pytest.raises(bl.BoardLabError) as error:
        CliRunner().invoke(app, list(words), catch_exceptions=False)
    return str(error.value)


@pytest.mark.parametrize("game", bl.games())
def test_every_game_lists_its_exams(game):
    text = output("evaluate", "--game", game, "--list")
    assert "best possible" in text and len(text.splitlines()) > 1


def test_exams_of_a_variant_are_listed():
    assert "perfect" in output("evaluate", "--list", "--game", "hex", "--size", "3")
    assert "perfect" not in output("evaluate", "--game", "hex", "--size", "9", "--list")


def test_evaluate_says_value_error_bar_and_best():
    text = output("evaluate", "solved", "--game", "tictactoe", "--exam", "optimal", "-n", "20")
    assert "optimal: 1 ±" in text and "best possible 1, 20 positions" in text
    text = output("evaluate", "nash", "-g", "kuhnpoker", "--exam", "exploitability")
    assert "best possible 0" in text and "240 questions" in text


def test_results_in_python_print_as_on_the_command_line(tmp_path):
    game, file, store = bl.game("tictactoe"), str(tmp_path / "games.pgn"), str(tmp_path / "s.db")
    words = ("evaluate", "random", "-g", "tictactoe", "--exam", "perfect", "-n", "20")
    assert f"{bl.evaluate('random', game, 'perfect', games=20)}\n" == output(*words)
    even = ("-n", "4", "--plies", "1", "--candidates", "2", "--keep", "1", "--screen", "2", "--confirm", "2")
    few = bl.balance(game, "random", 4, plies=1, candidates=2, keep=1, screen=2, confirm=2)
    assert f"{few}\n" == output("balance", "tictactoe", "-a", "random", *even)
    bl.match(game, ["random", "mcts(iterations=20)"], games=6).save(file)
    for system in ("glicko2", "openskill", "whole-history"):
        assert f"{bl.rate(file, system)}\n" == output("rate", file, "--system", system)
    output("tournament", "tictactoe", "random", "solved", "-n", "2", "--store", store)
    famous = bl.store(store).fame()
    assert f"{famous}\n" == output("fame", "--store", store) and "solved" in str(famous)


def test_evaluate_against_anybody_from_anywhere():
    text = output("evaluate", "solved", "-g", "nim", "--against", "random", "--starts", "random 1", "--first")
    assert "against random:" in text and "100 games" in text


def test_evaluate_says_what_is_missing():
    assert "name a game" in mistake("evaluate", "random")
    assert "name an agent" in mistake("evaluate", "--game", "hex")


def test_one_start_is_no_starts(tmp_path):
    words = ("--plies", "1", "--candidates", "2", "--keep", "1", "--screen", "2", "--confirm", "2")
    text = output(
        "balance", "tictactoe", "-a", "random", "-n", "1", *words, "--out", str(tmp_path / "one.txt")
    )
    assert "\nthis start: X " in text and "\nsaved 1 start in " in text
    assert text.splitlines()[0].endswith("; 1 game, 1 distinct")


def test_balance_finds_and_saves_even_starts(tmp_path):
    file = tmp_path / "even.txt"
    words = ("--plies", "3", "--candidates", "40", "--keep", "3", "--screen", "2", "--confirm", "4")
    text = output("balance", "tictactoe", "--agent", "solved", "-n", "10", *words, "--out", str(file))
    assert "standard start: X +0.000" in text and "these 3 starts" in text and "saved 3 starts" in text
    text = output(
        "evaluate", "random", "-g", "tictactoe", "--against", "random", "--starts", str(file), "-n", "12"
    )
    assert "12 games" in text
    assert "nothing to balance" in mistake("balance", "2048", "--agent", "random")


def talk(*lines, agent="random", game="othello", **parameters):
    out = io.StringIO()
    GtpServer(bl.agent(agent, bl.game(game, **parameters))).serve(iter(f"{line}\n" for line in lines), out)
    return out.getvalue().split("\n\n")[:-1]


def test_gtp_answers_the_usual_commands():
    assert talk("protocol_version", "1 name", "known_command play", "known_command fly") == [
        "= 2", "=1 BoardLab random", "= true", "= false",
    ]  # fmt: skip
    assert "genmove" in talk("list_commands")[0]
    assert talk("boardsize 8", "boardsize 19", "komi 6.5", "komi x") == [
        "=", "? unacceptable size: othello: size must be a whole number from 4 to 10", "=",
        '? komi must be a number, not "x"',
    ]  # fmt: skip
    assert talk("boardsize 3", "boardsize 4", game="tictactoe") == ["=", "? unacceptable size: 4"]
    assert talk("boardsize 6", "boardsize seven", game="connectfour") == [
        "? unacceptable size: 6; connectfour has no square board",
        "? unacceptable size: seven; connectfour has no square board",
    ]
    assert talk("# only a comment", "", "quit", "name") == ["="]


def test_gtp_plays():
    answers = talk("play b d3", "genmove w", "showboard", "undo", "undo", "undo", "genmove w")
    assert answers[0] == "=" and answers[1][2:] in ("c3", "c5", "e3")
    assert "O to move" not in answers[2] and answers[3:5] == ["=", "="]
    assert answers[5] == "? cannot undo" and answers[6] == "? it is the turn of black"


def test_gtp_leaves_out_the_column_i_where_go_does():
    lines = ("play b j1", "play w i2", "play w p3", "showboard", "play b h1", "play w j1")
    answers = talk(*lines, game="gobang", rows=15, cols=15, k=5)
    assert answers[0] == answers[2] == answers[4] == "=" and "column j follows h" in answers[1]
    assert answers[3].splitlines()[1:3] == [
        "   a b c d e f g h j k l m n o p",
        " 1 . . . . . . . . X . . . . . .",
    ]
    assert answers[5].startswith("?")  # taken
    only = ["play b a1", "play w b1", "play b a2", "play w b2", "genmove b"]
    assert talk(*only, game="gobang", rows=9, cols=9, k=3, agent="alphabeta(depth=2)")[-1] == "= a3"
    won = ["play b j1", "play w b1", "play b j2", "play w b2", "reg_genmove b", "genmove b"]
    assert talk(*won, game="gobang", rows=9, cols=9, k=3, agent="alphabeta(depth=2)")[-2:] == ["= j3"] * 2
    assert talk("play b i1", "play w j1", game="hex", size=11) == ["=", "="]


def forced_pass():
    """What was played in Othello until somebody must pass, and the state."""
    game, rng = bl.game("othello"), random.Random(1)
    while True:
        state, lines = game.initial_state(), []
        while not state.is_terminal:
            action = rng.choice(state.legal_actions())
            if state.action_text(action) == "pass":
                return lines, state
            lines.append(f"play {'bw'[state.player]} {state.action_text(action)}")
            state.apply(action)


def test_gtp_names_the_vertex_that_was_typed():
    (answer,) = talk("play black z9")
    assert answer == '? "z9" is not a legal vertex here; legal vertices: d3, c4, f5, e6'
    full = [f"play {'bw'[i % 2]} {'abcdefghj'[i % 9]}{i // 9 + 1}" for i in range(8)]
    answer = talk(*full, "play b a1", game="gobang", rows=9, cols=9, k=8)[-1]
    assert answer.startswith('? "a1" is not a legal vertex here; legal vertices: j1, ')


def test_gtp_plays_the_passes_that_are_left_out():
    lines, state = forced_pass()
    passing, other = "bw"[state.player], "wb"[state.player]
    told = talk(*lines, f"reg_genmove {other}", f"genmove {other}", "undo", "undo", "showboard")
    assert told[-5].startswith("= ") and told[-4].startswith("= ")
    assert told[-1] == talk(*lines[:-1], "showboard")[-1]  # the pass went with the action after it
    told = talk(*lines, f"play {passing} pass", f"genmove {other}", "undo", "undo", "showboard")
    assert told[-1] == talk(*lines, "showboard")[-1]
    assert talk("play b d3", "play b c4")[-1] == '? "c4" cannot be played: it is the turn of white'


def test_gtp_tells_the_discs():
    game, rng = bl.game("othello"), random.Random(1)
    state, lines = game.initial_state(), []
    while not state.is_terminal:
        action = rng.choice(state.legal_actions())
        lines.append(f"play {'bw'[state.player]} {state.action_text(action)}")
        state.apply(action)
    discs = state.outcome("discs")[0]
    assert abs(discs) > 1
    assert talk(*lines, "final_score")[-1] == f"= {'B' if discs > 0 else 'W'}+{abs(discs):g}"


def test_gtp_refuses_nonsense_with_a_sentence():
    answers = talk("fly", "play", "play b", "play b z9", "play green d3", "final_score", "play w pass")
    assert answers[0] == "? unknown command" and answers[1] == "? wrong number of arguments"
    assert all(answer.startswith("? ") for answer in answers)
    with pytest.raises(bl.BoardLabError, match="without chance"):
        GtpServer(bl.agent("random", bl.game("2048")))


def test_gtp_knows_the_end():
    answers = talk(*["genmove b", "genmove w"] * 5, "final_score", agent="solved", game="tictactoe")
    assert answers[9] == "? the game is over" and answers[10] == "= 0"
    won = ["play b a1", "play w b1", "play b a2", "play w b2", "play b a3", "final_score"]
    assert talk(*won, game="tictactoe")[-1] == "= B+1"
    lost = [*won[:4], "play b c3", "play w b3", "final_score"]
    assert talk(*lost, game="tictactoe")[-1] == "= W+1"
