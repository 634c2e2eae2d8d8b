"""Saving, replaying and the hall of fame as a user types them."""

import errno
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import output, refused, run

import boardlab as bl
from boardlab.learners.again import train_command
from boardlab.runs import RunFolder

ROOT = str(Path(bl.__file__).parents[1])
MATE = '[White "a"]\n[Black "b"]\n[Result "*"]\n[Game "tictactoe"]\n\n1. a1 b2 2. c3 a3 3. c1 c2 *\n'


def test_a_match_is_saved_listed_and_replayed(tmp_path):
    file = str(tmp_path / "games.pgn")
    assert f"saved: {file}" in output(
        "match", "othello", "random", "random", "-n", "2", "--size", "4", "--save", file
    )
    listing = output("replay", file, "--list")
    assert listing.count("othello") == 2
    text = output("replay", file, "--game", "2")
    assert "game 2 of 2" in text and text.count("to move") > 8 and "a b c d" in text
    assert "--game must be a whole number from 1 to 2" in refused("replay", file, "--game", "3")
    text = refused("replay", file, "--rules", "othello", "--size", "6")
    assert 'the file is of boardlab.game("othello", size=4)' in text


def test_a_saved_match_keeps_what_agents_expected(tmp_path):
    file = str(tmp_path / "games.pgn")
    output("match", "tictactoe", "alphabeta(depth=9)", "random", "-n", "2", "--save", file)
    first, second = bl.read_records(file)
    assert first.values[0] == 0 and first.values[1] is None  # random expects nothing
    assert second.values[0] is None and second.values[1] is not None


def test_a_match_whose_files_cannot_be_written_tells_its_result(boardlab, tmp_path, monkeypatch):
    """The disk filled while it was played."""

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    pgn, csv = tmp_path / "g.pgn", tmp_path / "g.csv"
    words = ("match", "tictactoe", "random", "random", "-n", "4", "--save", pgn, "--play-stats", csv)
    status, out, error = boardlab(*words)
    assert status == 2
    assert "4 games" in out and "saved" not in out and "every position" not in out
    reason = "cannot be written: No space left on device"
    assert error == f'boardlab: "{pgn}" {reason}; "{csv}" {reason}\n'
    assert not list(tmp_path.iterdir())


def test_a_match_is_refused_before_it_is_played(tmp_path):
    words = ("match", "tictactoe", "random", "random", "-n", "100000000", "--save")
    assert "must end in .pgn" in refused(*words, "games.doc")
    assert "tictactoe cannot be written as .ggf" in refused(*words, "games.ggf")
    assert "its folder does not exist" in refused(*words, str(tmp_path / "no" / "games.pgn"))


def test_a_person_s_game_is_added_to_a_file(tmp_path):
    file = str(tmp_path / "mine.pgn")
    for moves in ("a1\nu\nb2\nq\n", "a1\n"):  # one is given up, the other ends with the input
        text = output("play", "tictactoe", "--against", "alphabeta(depth=9)", "--save", file, given=moves)
        assert f"saved: {file}" in text
    first, second = bl.read_records(file)
    assert first.players == ("human", "alphabeta(score, depth=9)") and not first.is_finished
    state = first.first_state
    assert state.action_text(first.actions[0]) == "b2" and len(first.actions) == 2
    assert first.values[1] is not None and second.actions[0] == 0


def test_a_game_with_chance_is_saved_whole(tmp_path):
    file = str(tmp_path / "mine.pgn")
    output("play", "2048", "--save", file, "--seed", "4", given="up\nleft\nundo\nright\nq\n")
    (record,) = bl.read_records(file)
    assert record.start is None and len(record.actions) >= 4


def test_replay_shows_where_an_agent_disagrees(tmp_path):
    (tmp_path / "g.pgn").write_text(MATE)
    text = output("replay", str(tmp_path / "g.pgn"), "--agent", "alphabeta(depth=9, exact=True)")
    assert "O plays a3" in text
    assert re.search(r"the agent plays [abc]\d, not a3; it values a3 lower by 1\n", text)
    assert "agrees with 3 of 3 by X (a), 2 of 3 by O (b)" in text


def test_replay_reads_files_of_others(tmp_path):
    (tmp_path / "t.txt").write_text("f5d6c3d3c4\n")
    assert "othello" in output("replay", str(tmp_path / "t.txt"))
    (tmp_path / "c.txt").write_text("4455\n")
    assert "X plays 3" in output("replay", str(tmp_path / "c.txt"))
    (tmp_path / "c.txt").write_text("99\n")
    assert 'line 1, move 1 "9"' in refused("replay", str(tmp_path / "c.txt"))
    assert "X plays 8" in output("replay", str(tmp_path / "c.txt"), "--rules", "connectfour", "--cols", "9")
    assert "need --rules" in refused("replay", str(tmp_path / "c.txt"), "--cols", "9")
    assert "there is no file" in refused("replay", "none.pgn")


def test_replay_and_rate_say_that_a_result_contradicts_the_moves(boardlab, tmp_path):
    file = tmp_path / "g.pgn"
    file.write_text(MATE.replace("*", "1-0").replace("3. c1 c2", "3. b1"))
    assert "contradicts the moves" not in boardlab("replay", file, "--list")[1]
    file.write_text(
        '[White "a"]\n[Black "b"]\n[Result "0-1"]\n[Game "tictactoe"]\n\n1. a1 b1 2. a2 b2 3. a3 0-1\n'
    )
    for more in (["--list"], []):
        status, out, error = boardlab("replay", file, *more)
        assert (status, error) == (0, "")
        assert out.splitlines()[0].endswith("in the first, in line 1, the tag gives 0-1, the moves 1-0")
    status, out, error = boardlab("rate", file)
    assert (status, error) == (0, "")
    assert out.splitlines()[-1] == "1 game rated by the tag Result, though the moves give another result"


def test_replay_draws(tmp_path):
    (tmp_path / "g.pgn").write_text(MATE)
    assert "7 positions drawn" in output("replay", str(tmp_path / "g.pgn"), "--svg", str(tmp_path / "svg"))
    drawings = sorted((tmp_path / "svg").iterdir())
    assert len(drawings) == 7 and drawings[0].read_text().startswith("<svg")


def test_replay_steps_through_in_a_terminal(tmp_path):
    (tmp_path / "g.pgn").write_text(MATE)
    here, there = pty.openpty()
    command = [sys.executable, "-m", "boardlab", "replay", str(tmp_path / "g.pgn")]
    env = {**os.environ, "PYTHONPATH": ROOT, "TERM": "dumb"}
    process = subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=env)
    os.close(there)
    os.write(here, b"\nb\nb\n5\ne\nn\nwhat\n99\nq\n")
    text = b""
    while True:
        try:
            text += os.read(here, 65536)
        except OSError:
            break
    os.close(here)
    assert process.wait() == 0
    shown = re.findall(r"(start|\d of 6: . plays ..) ──", text.decode())
    assert shown == ["start", "1 of 6: X plays a1", "start", "5 of 6: X plays c1", "6 of 6: O plays c2"]
    assert "this is the start" in text.decode() and text.decode().count("this is the end") == 1
    assert "the game has 6 actions: a number from 0 to 6" in text.decode()
    assert text.decode().count("Enter: next") == 2


def test_fame_tells_rating_cost_and_how_to_get_it_again(tmp_path):
    game = bl.game("nim", heaps=(3, 4))
    run_ = bl.train(game, episodes=300, out=tmp_path / "run", seed=5, alpha=0.3, learn_from_random=False)
    bl.tournament(game, [run_.expression, "random"], games=20, store=tmp_path / "s.db")
    text = output("fame", "--store", str(tmp_path / "s.db"))
    assert text.startswith("nim (heaps=3,4): Elo with its 95% interval\n  1 ")
    assert re.search(r"\+\d+ \([-+]\d+ to \+\d+\)  greedy\(ntuple\(", text)
    assert text.count("20 games, tournament 1\n") == 2 and "300 episodes" in text
    assert text == output("fame", "nim", BOARDLAB_STORE=str(tmp_path / "s.db"))
    (again,) = re.findall(r"again: +(boardlab .*)", text)
    words = shlex.split(again)
    assert "--alpha 0.3" in again and "--seed 5" in again and "--no-learn-from-random" in again
    words[words.index("--out") + 1] = str(tmp_path / "twin")
    output(*words[1:])
    assert RunFolder(tmp_path / "twin").fingerprint() == RunFolder(tmp_path / "run").fingerprint()


def test_fame_cuts_every_list_of_agents_that_met(tmp_path):
    game = bl.game("nim")
    for one, other in (("random", "mc(iterations=1)"), ("mc(iterations=2)", "mc(iterations=3)")):
        bl.tournament(game, [one, other], games=2, store=tmp_path / "s.db")
    text = output("fame", "--top", "1", "--store", str(tmp_path / "s.db"))
    assert len(re.findall(r"^  1 ", text, re.M)) == 2 and "that never met those above" in text
    assert not re.search(r"^  2 ", text, re.M)


def test_fame_without_anybody_says_how_to_get_in(tmp_path):
    assert "there is no store" in refused("fame", cwd=tmp_path)
    assert not list(tmp_path.iterdir())
    bl.store(tmp_path / "boardlab.db").add_agent(bl.game("nim"), "random")
    assert "agents enter it through a rated tournament: boardlab tournament nim" in refused(
        "fame", "nim", cwd=tmp_path
    )
    assert 'did you mean "nim"' in refused("fame", "nimm", cwd=tmp_path)
    store = bl.store(tmp_path / "boardlab.db")
    store.start_tournament(bl.game("nim"), ["random", "mcts"], "round-robin", seed=1, options={})
    assert "tournament 1 of nim is unfinished" in run("fame", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("name", "parameters", "learner", "preset"),
    [
        ("connectfour", {"rows": 5}, "td-ntuple", "default"),
        ("nim", {"misere": True}, "q-ntuple", "default"),
        ("tictactoe", {}, "td-features", "default"),
        ("connectfour", {}, "td-ntuple", "paper"),
    ],
)
def test_the_command_trains_the_same_weights_again(tmp_path, name, parameters, learner, preset):
    game = bl.game(name, **parameters)
    bl.train(game, learner, episodes=30, out=tmp_path / "a", seed=3, preset=preset, gamma=0.9)
    words = shlex.split(train_command(RunFolder(tmp_path / "a").read_agent(), str(tmp_path / "b")))
    output(*words[1:], "--exam", "none")
    assert RunFolder(tmp_path / "a").fingerprint() == RunFolder(tmp_path / "b").fingerprint()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("44495", 'line 1, move 4 "9": "9" is not a legal action here; legal are 1, 2, 3, 4, 5, 6, 7'),
        ("0008", 'line 1, move 4 "8": "8" is not a legal action here; legal are 0, 1, 2, 3, 4, 5, 6'),
        ("4444444", 'line 1, move 7 "4": "4" is not a legal action here; legal are 1, 2, 3, 5, 6, 7'),
        ("12121212", 'line 1, move 8 "2": "2" is not a legal action here; the game is over'),
    ],
)
def test_a_wrong_column_is_told_as_the_file_writes_it(boardlab, tmp_path, line, says):
    (tmp_path / "c.txt").write_text(line + "\n")
    status, out, error = boardlab("replay", tmp_path / "c.txt", "--rules", "connectfour")
    assert (status, out) == (2, "") and says in error


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[Game "connectfour\n\n1. 3 *\n', 'p.pgn, line 1: [Game "connectfour is not a tag'),
        ('[White "a"]\n[Black "b"]\n[Game "connectfour\n\n1. 3 *\n', "p.pgn, line 3: [Game"),
        ("; a comment\n", "p.pgn contains no game"),
    ],
)
def test_a_file_without_a_game_is_told(boardlab, tmp_path, text, says):
    (tmp_path / "p.pgn").write_text(text)
    for words in ((), ("--list",)):
        status, out, error = boardlab("replay", tmp_path / "p.pgn", *words)
        assert (status, out) == (2, "") and says in error


def test_replay_draws_an_agents_opinions(tmp_path):
    (tmp_path / "g.pgn").write_text(MATE)
    output(
        "replay", str(tmp_path / "g.pgn"), "--agent", "mcts(iterations=20)", "--svg", str(tmp_path / "svg")
    )
    first, *_, last = sorted((tmp_path / "svg").iterdir())
    assert 'class="opinion"' in first.read_text() and 'class="opinion"' not in last.read_text()
