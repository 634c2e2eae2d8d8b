"""BoardLab as a GTP engine: sizes, clocks, analysis while thinking."""

import io
import re
import subprocess
import sys

import pytest

import boardlab as bl
from boardlab.bridges.gtp import GtpServer
from boardlab.bridges.gtp.clock import LATENCY, LEAST, Clock
from boardlab.bridges.gtp.thinking import Thinker


def server(agent: str = "random", game: str = "othello", **parameters) -> GtpServer:
    return GtpServer(bl.agent(agent, bl.game(game, **parameters), seed=1))


def talk(made: GtpServer, *lines: str) -> list[str]:
    out = io.StringIO()
    made.serve(iter(f"{line}\n" for line in lines), out)
    return out.getvalue().split("\n\n")[:-1]


# ---- sizes and vertices ----


@pytest.mark.parametrize(("game", "size"), [("hex", 7), ("othello", 6), ("gobang", 9)])
def test_boardsize_changes_the_board(game: str, size: int) -> None:
    made = server("mcts(rollout, iterations=20)", game)
    first, again, move = talk(made, f"boardsize {size}", f"boardsize {size}", "genmove b")
    assert first == again == "=" and move.startswith("= ")
    assert made.game.action_count in (size**2, size**2 + 1) and made.agent.game == made.game


def test_an_agent_that_cannot_play_a_size_says_why_and_plays_on(tmp_path) -> None:
    run = bl.train(bl.game("hex", size=3), episodes=20, out=tmp_path / "hex", exams=[])
    made = server(run.expression, "hex", size=3)
    refused, other, move = talk(made, "boardsize 7", "boardsize 99", "genmove b")
    assert refused.startswith("? unacceptable size: ") and "size=3" in refused
    assert "from 2 to" in other
    assert move.startswith("= ") and made.game.rules.size == 3


def test_play_without_a_vertex_says_what_is_missing() -> None:
    assert talk(server(game="hex"), "play white") == [
        "? play needs a colour and a vertex; only white was given"
    ]


def test_a_refused_play_names_the_vertex() -> None:
    over = [f"play {'bw'[i % 2]} {v}" for i, v in enumerate(("a1", "b1", "a2", "b2", "a3"))]
    answers = talk(server(game="tictactoe"), "play w c3", "play green c3", *over, "play w c3")
    assert answers[:2] == [
        '? "c3" cannot be played: it is the turn of black',
        '? "c3" cannot be played: the colour must be b or w, not "green"',
    ]
    assert answers[-1] == '? "c3" cannot be played: the game is over'


def test_vertices_of_hex_and_gobang() -> None:
    assert talk(server(game="hex"), "play b i11", "play w I1", "play b K11", "play w l1") == [
        "=",
        "=",
        "=",
        '? "l1" is not a legal vertex here; legal vertices: a1, b1, c1, d1, e1, f1, g1, h1, j1, k1, a2, b2, ...',
    ]
    gobang = server(game="gobang", rows=15, cols=15, k=5)
    answers = talk(gobang, "play b P15", "play w J9", "play b I9", "play b Q1")
    assert answers[:2] == ["=", "="]
    assert answers[2] == '? "I9" is not a vertex: column j follows h'
    assert answers[3].startswith('? "Q1" is not a legal vertex here')


# ---- time ----


def test_a_clock_shares_out_main_time_and_periods() -> None:
    clock = Clock()
    assert clock.allotted(0, None) is None
    clock.set(60, 0, 0)
    assert clock.allotted(0, 40) == pytest.approx(3 - LATENCY)  # 20 actions of its own
    assert clock.allotted(1, 2) == pytest.approx(60 / 8 - LATENCY)  # it may take longer than it says
    clock.spend(0, 59)
    assert clock.allotted(0, 40) == LEAST and clock.allotted(1, 40) > 2
    clock.set(10, 30, 5)
    clock.spend(1, 11)  # into the first period
    assert (clock.left[1].seconds, clock.left[1].stones) == (30, 5)
    assert clock.allotted(1, 40) == pytest.approx(6 - LATENCY)
    for _ in range(5):
        clock.spend(1, 1)
    assert (clock.left[1].seconds, clock.left[1].stones) == (30, 5)  # the next one
    clock.told(1, 4, 2)
    assert clock.allotted(1, 40) == pytest.approx(2 - LATENCY)
    clock.set(0, 10, 0)
    assert clock.allotted(0, None) is None  # a period for no stones is no limit


def test_time_commands_are_checked() -> None:
    made = server()
    answers = talk(
        made,
        "time_settings 60 10 5",
        "time_left b 3.5 0",
        "time_left w 9 4",
        "time_settings 1 2",
        "time_settings x 2 3",
        "time_settings 1 2 -3",
        "time_left green 1 1",
        "time_settings -1 0 0",
    )
    assert answers[:3] == ["=", "=", "="] and (made.clock.left[1].seconds, made.clock.left[1].stones) == (
        9,
        4,
    )
    assert answers[3:] == [
        "? wrong number of arguments",
        '? main time must be a number, not "x"',
        '? stones must be a whole number, not "-3"',
        '? the colour must be b or w, not "green"',
        "? times and stones must not be negative",
    ]


def test_strange_numbers_are_refused_in_a_sentence() -> None:
    long = "9" * 5000
    answers = talk(
        server("random", "hex"),
        "boardsize \u00b2",
        f"boardsize {long}",
        "lz-analyze b \u00b2",
        "time_settings nan 0 0",
        f"time_settings 1 1 {long}",
        "time_left b inf 0",
        "komi nan",
        "\u00b2 name",
    )
    assert answers[0] == "? unacceptable size: \u00b2" and answers[1].startswith("? unacceptable size: 999")
    assert answers[2].startswith('? unknown argument "\u00b2"')
    assert answers[3] == '? main time must be a number, not "nan"'
    assert answers[4].startswith('? stones must be a whole number, not "999')
    assert answers[5:] == [
        '? time must be a number, not "inf"',
        '? komi must be a number, not "nan"',
        "? unknown command",
    ]


def test_a_search_ends_with_its_time_or_its_iterations() -> None:
    game = bl.game("othello")
    state = game.initial_state()
    unlimited = Thinker(bl.agent("mcts(rollout)", game, seed=1))
    told = list(unlimited.within(state, 0.001))
    assert len(told) == 1 and told[0][0] > 0  # one slice, however short the time
    capped = Thinker(bl.agent("mcts(rollout, iterations=160)", game, seed=1))
    assert [iterations for iterations, _ in capped.within(state, 1000.0)] == list(range(10, 161, 10))
    own = Thinker(bl.agent("mcts(rollout, iterations=160)", game, seed=1))
    assert own.decide(state, None) == bl.agent("mcts(rollout, iterations=160)", game, seed=1).act(state)
    for agent in (
        "alphabeta(bench, depth=3)",
        "random",
        "mc(rollout)",
        "mcts(score, gumbel=4, iterations=16)",
    ):
        assert Thinker(bl.agent(agent, game, seed=1)).decide(state, 0.01).action in state.legal_actions()


def test_genmove_keeps_to_the_clock() -> None:
    made = server("mcts(rollout)", "tictactoe")
    answers = talk(made, "time_settings 0 10 1", "time_left b 0.01 1", "genmove b", "genmove w")
    assert answers[2].startswith("= ") and answers[3].startswith("= ")
    assert made.clock.left[0].seconds == 10  # a new period has begun


# ---- analysis ----


def test_analysis_is_written_as_leela_zero_does() -> None:
    made = server("mcts(rollout, iterations=64)")
    (answer, position) = talk(made, "lz-analyze b 10", "showboard")
    first, *reports = answer.splitlines()
    assert first == "=" and reports
    entry = r"info move [a-h][1-8] visits \d+ winrate \d+ prior \d+ lcb \d+ order \d+ pv( [a-h][1-8])+"
    assert re.fullmatch(rf"{entry}( {entry})*", reports[0])
    moves = re.findall(r"info move (\S+) visits (\d+) winrate (\d+) .*? order (\d+)", reports[0])
    assert [int(order) for *_, order in moves] == list(range(len(moves)))
    assert {move for move, *_ in moves} <= {"d3", "c4", "f5", "e6"}
    assert all(4000 < int(winrate) < 6000 for _, _, winrate, _ in moves)
    assert position == talk(server(), "showboard")[0]  # nothing was played


def test_analysis_goes_on_until_the_next_command() -> None:
    """In a process of its own, whose input stays open: the reports come without being asked for."""
    command = [sys.executable, "-m", "boardlab", "gtp", "mcts(rollout)", "--game", "connectfour"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin and program.stdout
        program.stdin.write("7 lz-analyze interval 1\n")
        program.stdin.flush()
        assert program.stdout.readline() == "=7\n"
        visits = []
        for _ in range(3):
            report = program.stdout.readline()
            visits.append(sum(map(int, re.findall(r"visits (\d+)", report))))
        assert visits == sorted(visits) and visits[0] < visits[-1]  # the tree grows
        program.stdin.write("8 genmove b\n")
        program.stdin.flush()
        while program.stdout.readline() != "\n":
            pass
        assert program.stdout.readline().startswith("=8 ")
        assert program.stdout.readline() == "\n"
        program.stdin.close()
        assert program.wait(60) == 0 and program.stdout.read() == ""


def test_genmove_with_analysis_plays() -> None:
    made = server("mcts(rollout, iterations=32)")
    answer, _ = talk(made, "5 lz-genmove_analyze b 50", "time_settings 0 1 1")
    first, *reports, last = answer.splitlines()
    assert first == "=5" and reports and re.fullmatch(r"play [a-h][1-8]", last)
    assert made.state.actions_played == 1
    timed, _ = talk(made, "lz-genmove_analyze", "name")
    assert timed.splitlines()[-1].startswith("play ") and made.state.actions_played == 2


def test_a_proven_position_is_told_once() -> None:
    made = server("mcts(rollout, iterations=100)", "tictactoe")
    lines = ("play b a1", "play w b1", "play b a2", "play w b2")
    answer = talk(made, *lines, "lz-analyze b", "name")[-2]
    assert "info move a3" in answer and "winrate 10000" in answer


def test_mistakes_of_analysis_are_told_in_a_sentence() -> None:
    answers = talk(server("random", "tictactoe"), "lz-analyze w", "lz-analyze b fast", "lz-genmove_analyze w")
    assert answers == [
        "? it is the turn of black",
        '? unknown argument "fast"; there are a colour and an interval in centiseconds',
        "? it is the turn of black",
    ]
    assert "lz-analyze" in talk(server(), "list_commands")[0]
    assert talk(server(), "known_command lz-analyze") == ["= true"]
    over = [f"play {'bw'[i % 2]} {v}" for i, v in enumerate(("a1", "b1", "a2", "b2", "a3"))]
    assert talk(server("random", "tictactoe"), *over, "lz-analyze")[-1] == "? the game is over"


def test_a_session_of_quarry() -> None:
    """The commands that Quarry 0.2.0, Debian's front end for Othello, sends."""
    start = (
        "protocol_version",
        "name",
        "version",
        "list_commands",
        "set_game Othello",
        "boardsize 8",
        "clear_board",
    )
    clock = ("time_settings 600 0 0", "time_left black 600 0")
    made = server("mcts(rollout, iterations=32)")
    answers = talk(made, *start, *clock, "genmove black", "play white F6")
    assert answers[:3] == ["= 2", "= BoardLab mcts(rollout, iterations=32)", f"= {bl.__version__}"]
    assert answers[4:9] == ["="] * 5 and re.fullmatch(r"= [a-h][1-8]", answers[9])
    assert talk(made, "set_game Reversi", "set_game Go") == ["=", '? unsupported game "Go"; this is othello']
