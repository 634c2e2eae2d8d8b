"""Outside programs: good ones, and those that hang, die, or talk nonsense."""

import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import boardlab as bl
from boardlab.arena.played import replay
from boardlab.references.engines.gtp import Gtp, from_vertex, path_between, to_vertex
from boardlab.search.agent import python_agent

PROGRAMS = Path(__file__).parent / "programs"
RHINO = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")


@pytest.fixture(scope="module")
def othello():
    return bl.game("othello")


def fake(how, *arguments, seconds=30.0, protocol="gtp", file="fake_gtp.py"):
    words = " ".join(str(word) for word in (sys.executable, PROGRAMS / file, how, *arguments))
    return f'engine("{words}", protocol="{protocol}", seconds={seconds})'


def is_running(pid):
    """Whether the process exists and is no zombie of ours."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (
        state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z" and not is_ours(pid)
    )


def is_ours(pid):
    return f"PPid:\t{os.getpid()}" in Path(f"/proc/{pid}/status").read_text()


def children():
    return {
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and _parent(folder.name) == os.getpid()
    }


def _parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return -1


@pytest.fixture(autouse=True)
def leaves_nothing_behind():
    before = children()
    yield
    gc.collect()
    assert children() <= before  # zombies are children too


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("deaf", "did not answer in time"),
        ("dead", "ended with status 3: 'cannot open eval.dat'"),
        ("old", 'speaks GTP version "1"'),
        ("no_lines", "a megabyte without an end of line"),
        ("chatter", "did not answer in time"),
    ],
)
def test_a_program_that_cannot_shake_hands_is_refused_at_once(othello, how, message):
    seconds = 0.3 if "time" in message else 30.0
    with pytest.raises(bl.BoardLabError, match=message) as error:
        bl.agent(fake(how, seconds=seconds), othello)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("hang", "did not answer in time"),
        ("stubborn", "did not answer in time"),
        ("die", "ended with status 7: 'segmentation fault, sort of'"),
        ("killed", "was ended by signal 9"),
        ("illegal", 'played "a1", which is not a legal action'),
        ("nonsense", "which is not a legal action"),
        ("refuse", 'refused "genmove b": I do not want to'),
        ("resign", "resigned"),
    ],
)
def test_a_program_that_fails_loses_the_game_with_one_sentence(othello, how, message):
    agent = bl.agent(fake(how, seconds=1.5 if "time" in message else 30.0), othello)
    with pytest.raises(bl.BoardLabError, match=message):
        agent.act(othello.initial_state())


def test_a_program_that_resigns_lost_and_did_not_fail(othello, tmp_path):
    result = bl.match(othello, [fake("resign"), "random"], games=2, seed=1)
    assert result.errors == 0 and result.wins == (0, 2)
    assert all(record.error.endswith("resigned") for record in result.records)
    run = bl.train(
        othello,
        preset="paper",
        episodes=4,
        out=tmp_path / "run",
        exams=[fake("resign")],
        exam_games=2,
        exam_every=0,
    )
    assert float(run.log[-1][fake("resign")]) == 1  # an exam as any other
    with pytest.raises(
        bl.BoardLabError, match=r"100% of the games of the exam .* 'segmentation fault, sort of'"
    ):
        bl.train(
            othello,
            preset="paper",
            episodes=4,
            out=tmp_path / "died",
            exams=[fake("die")],
            exam_games=2,
            exam_every=0,
        )
    assert bl.open_run(tmp_path / "died").episodes == 4


def test_a_failing_program_is_started_anew_for_the_next_game(othello):
    result = bl.match(othello, [fake("die"), "random"], games=2, seed=1)
    assert result.errors == 2 and result.wins == (0, 2)
    assert all("ended with status 7" in record.error for record in result.records)


@pytest.mark.parametrize("how", ["hang_with_child", "hang_with_session"])
def test_whatever_the_program_started_ends_with_it(othello, tmp_path, how):
    file = tmp_path / "pid"
    agent = bl.agent(fake(how, file, seconds=3.0), othello)
    with pytest.raises(bl.BoardLabError, match="in time"):
        agent.act(othello.initial_state())
    assert has_ended(int(file.read_text()))


def has_ended(pid):
    """Whether the process is gone, or will be soon."""
    deadline = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


@pytest.mark.parametrize("how", ["hang_with_child", "hang_with_session", "stubborn"])
def test_kill_9_of_boardlab_leaves_no_program(tmp_path, how):
    """Though the program does not look at its input, and what it started knows nothing of BoardLab."""
    file = tmp_path / "pid"
    script = (
        "import boardlab as bl\n"
        f"agent = bl.agent({fake(how, file, seconds=60.0)!r}, bl.game('othello'))\n"
        "print(agent.core is not None, flush=True)\n"
        "agent.act(bl.game('othello').initial_state())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout.readline()
    while how != "stubborn" and not (file.exists() and file.read_text()):
        time.sleep(0.01)
    below = descendants(process.pid)
    assert len(below) >= 2  # what watches the program, and the program
    process.kill()
    process.communicate()
    started = [int(file.read_text())] if file.exists() else []
    assert all(has_ended(pid) for pid in (*below, *started))


def descendants(pid):
    parents = {int(f.name): _parent(f.name) for f in Path("/proc").iterdir() if f.name.isdigit()}
    found = [pid]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def test_ctrl_c_and_the_end_of_the_interpreter_leave_no_process(tmp_path):
    script = f"""
import os, signal, threading
import boardlab as bl
game = bl.game("othello")
idle = bl.agent({fake("polite")!r}, game)
busy = bl.agent({fake("hang_with_child", tmp_path / "pid", seconds=60.0)!r}, game)
def interrupt():
    while not os.path.exists({str(tmp_path / "pid")!r}): pass
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    busy.act(game.initial_state())
except KeyboardInterrupt:
    print("interrupted")
import subprocess
print(*[p for p in os.listdir("/proc") if p.isdigit() and os.getsid(int(p)) == int(p) and
        f"PPid:\\t{{os.getpid()}}" in open(f"/proc/{{p}}/status").read()])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    words = done.stdout.split()
    assert words[0] == "interrupted" and len(words) == 2, done.stderr  # one program was still idling
    deadline = time.monotonic() + 10
    while is_running(int(words[1])) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(int(words[1]))


def test_slow_is_not_late(othello):
    agent = bl.agent(fake("slow"), othello)
    assert agent.act(othello.initial_state()).action == othello.initial_state().parse_action("d3")


def test_programs_that_are_not_there_and_commands_that_are_none(othello):
    for expression, message in (
        ('engine("no-such-program-here")', 'no program "no-such-program-here"'),
        ("engine", "engine needs a program"),
        ('engine("\'")', "cannot be parsed"),
        ('edax(path="/nowhere/edax")', "github.com/abulmo/edax-reversi"),
    ):
        with pytest.raises(bl.BoardLabError, match=message):
            bl.agent(expression, othello)


@pytest.mark.parametrize("protocol", ["gtp", "nboard", "edax"])
def test_programs_refuse_games_they_cannot_speak_about(protocol):
    with pytest.raises(bl.BoardLabError, match="programs play"):
        bl.agent(fake("polite", protocol=protocol), bl.game("ewn"))


def test_edax_says_how_to_get_it(othello, monkeypatch):
    monkeypatch.delenv("EDAX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(bl.BoardLabError, match=r"\$EDAX"):
        bl.agent("edax(level=3)", othello)


def first_legal(othello):
    """What the fake programs play, by our own rules."""

    class First:
        def __call__(self, state):
            return state.legal_actions()[0]

    from boardlab.search.agent import python_agent

    return python_agent(othello, First(), "first")


@pytest.mark.parametrize("protocol", ["nboard", "edax"])
def test_whole_games_over_nboard_and_edax_from_any_position(othello, protocol):
    """The programs play the same games as the same player inside, passes and odd starts included."""
    program = bl.agent(fake(protocol, protocol=protocol, file="fake_othello.py"), othello)
    outside = bl.match(othello, [program, "random"], games=6, seed=3, random_actions=9)
    inside = bl.match(othello, [first_legal(othello), "random"], games=6, seed=3, random_actions=9)
    assert outside.errors == 0
    assert [r.actions for r in outside.records] == [r.actions for r in inside.records]
    assert any(64 in r.actions for r in outside.records)  # somebody had to pass


def test_edax_is_found_through_the_environment(othello, tmp_path, monkeypatch):
    program = tmp_path / "myedax"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {PROGRAMS / "fake_othello.py"} edax "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("EDAX", str(program))
    state = othello.initial_state()
    assert bl.agent("edax(level=2)", othello).act(state).action == state.legal_actions()[0]


def own_gtp(agent, game="othello"):
    return f"engine(\"{sys.executable} -m boardlab gtp '{agent}' --game {game}\")"


def test_our_own_agents_play_over_gtp_as_they_do_inside(othello):
    """`boardlab gtp` against itself: the games are those of the same agent without a protocol between."""
    outside = bl.match(othello, [own_gtp("heur"), "random"], games=2, seed=5, random_actions=6)
    assert outside.errors == 0, outside.records
    for record in outside.records:
        state = othello.initial_state()
        assert len(record.actions) > 40
        for action in record.actions:
            state.apply(action)
        assert state.is_terminal
    hexagons = bl.game("hex", size=4)
    result = bl.match(hexagons, [own_gtp("alphabeta(depth=3)", "hex --size 4"), "random"], games=2, seed=1)
    assert result.errors == 0 and result.wins[0] == 2


@pytest.mark.parametrize(
    ("words", "size", "vertex", "name"),
    [
        ({"game": "gobang", "rows": 15, "cols": 15, "k": 5}, ["boardsize 15"], "p3", "o3"),
        ({"game": "gobang", "rows": 9, "cols": 12}, [], "J2", "i2"),
        ({"game": "othello", "size": 10}, ["boardsize 10"], "k1", "j1"),
        ({"game": "hex"}, ["boardsize 11"], "i2", "i2"),
        ({"game": "connectfour"}, [], "3", "3"),
    ],
    ids=str,
)
def test_gtp_names_the_board_and_its_columns_as_go_does(words, size, vertex, name):
    parameters = dict(words)
    game = bl.game(parameters.pop("game"), **parameters)
    said = []

    class Listener(Gtp):
        def send(self, command):
            said.append(command)
            return {"protocol_version": "2", "genmove b": vertex}.get(command, "")

    protocol = Listener(SimpleNamespace(name="listener"), game, None, 1.0)
    protocol.begin()
    assert said == ["protocol_version", *size]
    assert from_vertex(game, vertex) == name and to_vertex(game, name) == vertex.lower()
    if game.name != "othello":  # where that is no first action
        state = game.initial_state()
        action = protocol.ask(state)
        assert state.action_text(action) == name
        state.apply(action)
        state.apply(state.legal_actions()[0])
        protocol.known = None
        protocol.follow(state)
        assert f"play b {vertex.lower()}" in said
        earlier = state.copy()
        earlier.undo()
        protocol.known = state
        protocol.follow(earlier)  # an action was taken back: the game is told anew
        assert said[-2:] == ["clear_board", f"play b {vertex.lower()}"]
    if game.name == "gobang":
        vertex = "I5"
        with pytest.raises(bl.BoardLabError, match='listener: "I5" is not a vertex'):
            protocol.ask(game.initial_state())


@pytest.mark.parametrize("words", ["yavalath", "pathwayz"])
def test_programs_hear_of_games_in_which_no_way_to_the_position_is_easily_found(words):
    game = bl.game(words)
    result = bl.match(game, [own_gtp("random", words), "random"], games=4, seed=1, random_actions=12)
    assert result.errors == 0 and any(record.decisions[0] for record in result.records)


def test_agents_that_ask_for_it_know_how_the_state_came_about():
    """From the first position of the game on: the opening, the start's own history, and what was played."""
    hexagons = bl.game("hex", size=3)
    begun = hexagons.initial_state()
    begun.apply(4)
    for starts, random_actions in (([], 0), ([], 2), ([begun], 1)):
        seen = []

        def choose(state, seen=seen):
            line = [state.copy()]
            while line[-1].actions_played:
                line.append(line[-1].copy())
                line[-1].undo()
            seen.append(line[::-1])
            return state.legal_actions()[-1]

        agents = [python_agent(hexagons, choose, "curious", with_history=True), "random"]
        plan = {"games": 2, "starts": starts, "random_actions": random_actions}
        result = bl.match(hexagons, agents, **plan)
        assert result.errors == 0
        expected = []
        for record in result.records:
            line = [hexagons.initial_state()] if starts else []
            for number, state in enumerate(replay(hexagons, record)):
                line.append(state)
                own = record.seats.index(0) == state.player
                if own and number >= random_actions and not state.is_terminal:
                    expected.append(list(line))
        assert seen == expected
    agents[0].act(begun)
    assert seen[-1] == [hexagons.initial_state(), begun]
    cards = bl.game("kuhnpoker")
    hidden = [python_agent(cards, lambda s: s.actions_played or s.legal_actions()[0], "c", with_history=True)]
    assert bl.match(cards, [*hidden, "random"], games=4).errors == 0


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed")
def test_a_real_gtp_program_plays_whole_games(othello):
    result = bl.match(othello, [f'engine("{RHINO} --level=1")', "random"], games=4, seed=2, random_actions=6)
    assert result.errors == 0 and result.wins[0] >= 3


def test_paths_to_positions_from_elsewhere(othello):
    for seed in range(5):
        state = othello.initial_state()
        rng = random.Random(seed)
        for _ in range(10):
            state.apply(rng.choice(state.legal_actions()))
        path = path_between(othello.initial_state(), state, most=100)
        assert path is not None
        again = othello.initial_state()
        for action in path:
            again.apply(action)
        assert again == state
    assert path_between(othello.initial_state(), othello.initial_state(), most=3) == []
    later = othello.initial_state()
    later.apply(later.legal_actions()[0])
    assert path_between(later, othello.initial_state(), most=3) is None


@pytest.mark.parametrize(
    ("words", "actions"),
    [
        ("yavalath", 6),
        ("sim", 5),
        ("pathwayz", 2),
        ("hex", 40),
        ("gobang", 12),
        ("connectfour", 12),
        ("nim", 2),
    ],
)
def test_paths_are_found_in_games_of_all_kinds(words, actions):
    game = bl.game(words)
    rng = random.Random(2)
    for _ in range(3):
        state = game.initial_state()
        for _ in range(actions):
            state.apply(rng.choice(state.legal_actions()))
        again = game.initial_state()
        for action in path_between(again, game.from_fields(state.fields), most=game.horizon):
            again.apply(action)
        assert again == state


def test_a_position_that_never_came_about_is_refused_with_a_sentence(othello):
    island = othello.from_text("X" + "-" * 26 + "OX------XO" + "-" * 27 + "X")
    agent = bl.agent(fake("polite"), othello)
    with pytest.raises(bl.BoardLabError, match="no sequence of actions"):
        agent.act(island)
