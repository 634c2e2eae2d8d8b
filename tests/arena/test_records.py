"""Records: what is written is read back bit by bit, other programs' files load, mistakes name their place."""

import errno
import itertools
import multiprocessing
import os
import random
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardlab as bl
from boardlab.arena.records import from_match, parse_records
from boardlab.arena.records.ggf import ggf_text
from boardlab.arena.records.lines import lines_text
from boardlab.arena.records.pgn import pgn_text, result_text, section_result, sections
from boardlab.arena.records.record import UNFINISHED, Record
from boardlab.arena.records.review import Reviewer, review
from boardlab.runs import check_writable

VARIANTS = [(name, variant) for name in bl.games() for variant in bl.game(name).rules.variants]


def wandering(game, seed, length=300):
    """A record of random play from a random start, with values at some actions, perhaps broken off."""
    rng = random.Random(seed)
    start = game.initial_state(seed)
    record_seed = rng.choice([0, 1, 2**64 - 1])
    for _ in range(rng.choice([0, 0, 3])):
        if not start.is_terminal:
            start.apply(rng.choice(start.legal_actions()))
    # Its fields are the position; the history before it is not part of a record.
    start = game.from_fields(start.fields) if rng.random() < 0.5 else None
    record = Record(game, tuple(f'p{i} "\\ é' for i in range(game.players)), (), (), record_seed, start)
    state = record.first_state
    actions, values = [], []
    while not state.is_terminal and len(actions) < length:
        action = rng.choice(state.legal_actions())
        known = rng.random() < 0.3 and state.player != bl.CHANCE
        values.append(rng.choice([0.0, -1e-9, 0.1 + 0.2, 123456.0]) if known else None)
        actions.append(action)
        state.apply(action)
    return replace(
        record,
        actions=tuple(actions),
        values=tuple(values) if any(v is not None for v in values) else (),
        scores=tuple(state.scores.tolist()),
        ending="" if state.is_terminal else UNFINISHED,
        tags={"Event": "a test; with [marks] {and} more", "Annotator": "nobody"},
    )


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=str)
def test_pgn_comes_back_bit_by_bit(name, variant):
    game = bl.game(name, **variant)
    records = [wandering(game, seed, 200) for seed in range(3)]
    text = pgn_text(records)
    back = parse_records(text)
    assert back == records
    assert [list(r.states()) for r in back] == [list(r.states()) for r in records]
    assert pgn_text(back) == text


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["kuhnpoker", "poker", "blackjack", "2048", "ewn", "nim", "rubiks"]),
    st.integers(0, 2**32),
)
def test_pgn_comes_back_for_any_seed(name, seed):
    records = [wandering(bl.game(name), seed)]
    assert parse_records(pgn_text(records)) == records


def test_a_match_is_saved_and_read(tmp_path):
    game = bl.game("ewn", players=3, size=6)
    result = bl.match(game, ["random", "mc(iterations=3)", "random"], 6, seed=4)
    result.save(tmp_path / "games.pgn")
    records = bl.read_records(tmp_path / "games.pgn")
    assert [(r.actions, r.scores, r.seed) for r in records] == [
        (r.actions, r.scores, r.seed) for r in result.records
    ]
    assert records[1].players == tuple(result.agents[a] for a in result.records[1].seats)
    assert records[5].tags["Round"] == "6" and records[0].game == game
    text = (tmp_path / "games.pgn").read_text()
    assert "[Player3 " in text and '[Parameters "size=6 players=3"]' in text


def test_a_game_lost_by_a_mistake_keeps_its_scores_and_its_reason():
    game = bl.game("tictactoe")
    from boardlab.search.agent import python_agent

    cheat = python_agent(game, lambda state: 0, "cheat")
    result = bl.match(game, [cheat, "random"], 2)
    records = [from_match(game, result.agents, r) for r in result.records]
    assert any(r.error for r in records)
    assert parse_records(pgn_text(records)) == records
    assert "rules infraction" in pgn_text(records)


def test_results_of_one_two_and_more_players():
    assert result_text((5.0,)) == "*"
    assert result_text((1.0, -1.0)) == "1-0" and result_text((0.0, 0.0)) == "1/2-1/2"
    assert result_text((-1.0, 1.0)) == "0-1" and result_text((1.0, 0.0), is_finished=False) == "*"
    assert result_text((1, 1, -1)) == "1/2-1/2-0" and result_text((2, 2, 2)) == "1/3-1/3-1/3"


def test_a_golden_file():
    game = bl.game("kuhnpoker")
    state = game.initial_state()
    for name in ("Q", "J", "bet", "fold"):
        state.apply(state.parse_action(name))
    record = Record(game, ("a", "b"), (1, 0, 1, 0), (1.0, -1.0), values=(None, None, 0.25, None), seed=7)
    assert pgn_text([record]) == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "a"]\n[Black "b"]\n'
        '[Result "1-0"]\n[Game "kuhnpoker"]\n[Scores "1 -1"]\n[Seed "7"]\n\n'
        "<Q> <J> 1. bet {+0.25} fold 1-0\n\n"
    )


def test_lines_are_as_long_as_pgn_wants_them_and_no_longer():
    text = pgn_text([wandering(bl.game("othello"), 5)])
    lines = text.split("\n\n")[1].splitlines()
    assert len(lines) > 3 and max(map(len, lines)) <= 80
    for line, following in itertools.pairwise(lines):
        assert len(line) + 1 + len(following.split()[0]) > 80


# ---- results only ----

FIGURE_A2 = """.....
[Event "arena_othello_final.pgn"]
[Iteration "926"]
[Site "liacs server, Leiden"]
[Round "6"]
[White "bestmodel_mcts_rave_run2"]
[Black "bestmodel_mcts_rave_run5"]
[Result "1-0"]
Here are detailed game moves for [Iteration "926, round6"]

[Event "arena_othello_final.pgn"]
[Round "7"]
[White "bestmodel_mcts_rave_run2"]
[Black "bestmodel_mcts_rave_run5"]
[Result "0-1"]
Here are detailed game moves for [Iteration "926, round7"]
.....
"""


def test_free_text_where_moves_should_be_is_read_for_its_results():
    found = list(sections(FIGURE_A2))
    assert [section.line for section in found] == [2, 11]
    assert [section_result("", section.tags) for section in found] == [
        (("bestmodel_mcts_rave_run2", "bestmodel_mcts_rave_run5"), scores) for scores in ((1, 0), (0, 1))
    ]
    assert found[0].moves[0].startswith("Here are detailed")
    with pytest.raises(bl.BoardLabError, match=r"line 2: the game has no tag Game"):
        parse_records(FIGURE_A2[FIGURE_A2.index("[") :].replace("[Event", "\n[Event", 1))
    with pytest.raises(bl.BoardLabError, match=r'line 9, move 1 Here: "Here" is not a legal action'):
        parse_records("\n" + FIGURE_A2[FIGURE_A2.index("[") :], game=bl.game("othello"))


def test_sections_take_what_people_write():
    text = (
        '\ufeff[White "a"] [Black "b"]\r\n[Result "1-0"]\r\n\r\n1. e4 {a comment\n[Event "not a tag"]\n} 1-0\n'
        '[White "greedy(ntuple("runs/c4"))"]\n[Black "b\\"c"]\n[Result "1/2 - 1/2"]\n'
        '[White "c"]\n[Black "d"]\n[Result "*"]\n[White "e"]\n[Black "f"]\n'
    ).lstrip("\ufeff")
    found = [section_result("x", s.tags) for s in sections(text)]
    assert found == [
        (("a", "b"), (1.0, 0.0)),
        (('greedy(ntuple("runs/c4"))', 'b"c'), (0.5, 0.5)),
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ({"White": "a", "Result": "1-0"}, "lacks the tag Black"),
        ({"Result": "1-0"}, "lacks the tag White"),
        ({"White": "a", "Black": "b", "Result": "won"}, 'the result "won" must be'),
        ({"White": "a", "Black": "b", "Result": "1-0-0"}, "2 players has 3 scores"),
        ({"White": "a", "Black": "b", "Result": "1-0", "Scores": "1 x"}, "are not numbers"),
        ({"White": "a", "Black": "b", "Result": "1-0", "Scores": "nan 0"}, "are not numbers"),
    ],
)
def test_a_result_that_is_none_is_an_error(tags, words):
    with pytest.raises(bl.BoardLabError, match=f"f, line 3: .*{words}"):
        section_result("f, line 3", tags)


WON = '[Game "tictactoe"]\n\n1. a1 b1 2. a2 b2 3. a3'  # by the first player


def test_moves_count_and_a_result_that_contradicts_them_is_told(tmp_path):
    file = tmp_path / "g.pgn"
    heads = [
        f'[White "a"]\n[Black "b"]\n[Result "{result}"]\n{WON} {result}\n\n' for result in ("1-0", "0-1")
    ]
    file.write_text(heads[0] + 2 * heads[1])
    words = r"g\.pgn: the Result tag of 2 games contradicts the moves, which decide; in the first, in line 8, the tag gives 0-1, "
    with pytest.warns(UserWarning, match=words + "the moves 1-0$") as caught:
        records = bl.read_records(file)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert [record.scores for record in records] == [(1, -1)] * 3
    with pytest.warns(UserWarning, match="2 games rated by the tag Result, though the moves give another"):
        rated = bl.rate(file)
    assert rated["b"].score == pytest.approx(2 / 3)  # by the tags
    file.write_text(heads[0] + heads[1].replace(" 3. a3", ""))  # who resigned has lost
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [record.scores for record in bl.read_records(file)] == [(1, -1), (-1, 1)]
        bl.rate(file)


# ---- mistakes ----

HEAD = '[White "a"]\n[Black "b"]\n[Result "*"]\n[Game "connectfour"]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            HEAD + "\n1. 3 3\n2. 9 *",
            r'g\.pgn, line 7, move 3 9: "9" is not a legal action here; legal are 0, 1',
        ),
        (
            HEAD.replace("connectfour", "ewn") + "\n1. a3-b3 *",
            "line 6, move 1 a3-b3: chance acts here; its outcome is written before the move, as in <1>",
        ),
        (HEAD + "\n1. 3 <3> *", r"line 6, move 2 <3>: a player acts here, not chance"),
        (HEAD.replace("connectfour", "otello"), r'line 1: unknown game "otello"; did you mean "othello"'),
        (
            HEAD + '[Parameters "rowz=3"]\n',
            r'line 1: unknown parameter of connectfour "rowz"; did you mean "rows"',
        ),
        (HEAD + '[Parameters "rows=x"]\n', r'line 1: connectfour: rows must be a whole number .*not "x"'),
        (HEAD + '[Parameters "rows"]\n', "must be written NAME=VALUE"),
        (HEAD + '[Seed "-1"]\n', "the seed"),
        (HEAD + '[Seed "x"]\n', "the seed"),
        (HEAD + '[Position "1 2"]\n', "Position is not the fields of a state"),
        (HEAD + '[FEN "8/8 w"]\n', "FEN"),
        (HEAD + '[Scores "1"]\n', "2 players has 1 score$"),
        (
            HEAD + '[Scores "-1 1"]\n\n1. 0 1 2. 0 1 3. 0 1 4. 0 1-0',
            "the tag Scores is -1 1, but the moves give 1 -1",
        ),
        (HEAD + "\n1. 0 1 2. 0 1 3. 0 1 4. 0 1 1-0", "line 6, move 8 1: the game was already over"),
        (HEAD.replace("Black", "Blue"), "lacks the tag Black"),
        (HEAD.replace("connectfour", "2048"), "2048 has 1 player, not 2"),
    ],
)
def test_mistakes_in_pgn_name_line_and_move(tmp_path, text, words):
    (tmp_path / "g.pgn").write_text(text)
    with pytest.raises(bl.BoardLabError, match=words):
        bl.read_records(tmp_path / "g.pgn")


def test_pgn_of_others_is_read_with_variations_and_results():
    text = (
        HEAD.replace('"*"', '"0-1"')
        + "\n1.3 $1 {[%eval -0.5]} (1. 2 {no} (1. 4)) 3! 2. 0 ; a remark 5\n{+0.3/12 1.2s} 0-1"
    )
    with pytest.raises(bl.BoardLabError, match=r'move 2 9!\?: "9" is not a legal action'):
        parse_records(text.replace("3!", "9!?"))
    for mark in ("", "?", "!!", "?!"):
        assert parse_records(text.replace("3!", f"3{mark}")) == parse_records(text)
    (record,) = parse_records(text)
    assert record.actions == (3, 3, 0) and record.values == (-0.5, None, 0.3)
    assert record.scores == (-1.0, 1.0) and record.ending == "abandoned"
    assert parse_records(pgn_text([record])) == [record]


def test_marks_that_are_part_of_an_action_stay():
    game = bl.game("pathwayz")
    text = HEAD.replace("connectfour", "pathwayz") + "\n1. a1! b2! 2. c2? *"
    names = [
        s.action_text(a) for r in parse_records(text) for s, a in zip(r.states(), r.actions, strict=False)
    ]
    assert names == ["a1!", "b2!", "c2"] and parse_records(text)[0].game == game


def test_what_is_no_file_of_games_is_refused(tmp_path):
    with pytest.raises(bl.BoardLabError, match="there is no file"):
        bl.read_records(tmp_path / "none.pgn")
    (tmp_path / "x").write_bytes(b"\0\1\2")
    with pytest.raises(bl.BoardLabError, match="it is not text"):
        bl.read_records(tmp_path / "x")
    (tmp_path / "x").write_text("hello world\n")
    with pytest.raises(bl.BoardLabError, match=r"line 1: 'hello world' is neither PGN, GGF"):
        bl.read_records(tmp_path / "x")
    (tmp_path / "x").write_text("\n# nothing\n")
    with pytest.raises(bl.BoardLabError, match="contains no game"):
        bl.read_records(tmp_path / "x")
    with pytest.raises(bl.BoardLabError, match="must be a game"):
        bl.read_records(tmp_path / "x", "othello")
    result = bl.match(bl.game("tictactoe"), ["random", "random"], 2)
    with pytest.raises(bl.BoardLabError, match=r"must end in \.pgn"):
        result.save(tmp_path / "games.doc")
    with pytest.raises(bl.BoardLabError, match="its folder does not exist"):
        result.save(tmp_path / "no" / "games.pgn")
    with pytest.raises(bl.BoardLabError, match="GGF is only for othello"):
        result.save(tmp_path / "games.ggf")
    with pytest.raises(bl.BoardLabError, match="tictactoe has no plain-text line format"):
        result.save(tmp_path / "games.txt")
    assert not list(tmp_path.glob("games*"))


def test_appending_keeps_what_is_there(tmp_path):
    records = [wandering(bl.game("nim"), seed) for seed in range(2)]
    for record in records:
        bl.write_records(tmp_path / "a.pgn", [record], append=True)
    assert bl.read_records(tmp_path / "a.pgn") == records


def test_several_processes_add_to_one_file(tmp_path):
    """Each waits for the others: who had read the file before they wrote it would throw their games away."""
    file, records = tmp_path / "a.pgn", [wandering(bl.game("nim"), seed) for seed in range(8)]
    begin = multiprocessing.get_context("fork").Barrier(4)

    def add(mine):
        begin.wait()
        for record in mine:
            bl.write_records(file, [record], append=True)

    start = multiprocessing.get_context("fork").Process
    processes = [start(target=add, args=(5 * records[i : i + 2],)) for i in range(0, 8, 2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(bl.read_records(file)) == 40
    assert [path.name for path in tmp_path.iterdir()] == ["a.pgn"]


def test_a_file_that_could_not_be_written_is_not_left_empty(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    record = wandering(bl.game("nim"), 1)
    with pytest.raises(bl.BoardLabError, match="cannot be written: No space left on device"):
        bl.write_records(tmp_path / "a.pgn", [record], append=True)
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine.pgn").touch()
    with pytest.raises(bl.BoardLabError, match="cannot be written: No space left on device"):
        bl.write_records(tmp_path / "mine.pgn", [record], append=True)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.pgn"]


@pytest.mark.parametrize("append", [False, True])
def test_links_and_private_files_stay_what_they_are(tmp_path, append):
    record = wandering(bl.game("nim"), 1)
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.pgn", tmp_path / "link.pgn"
    link.symlink_to(real)
    bl.write_records(link, [record], append=append)  # makes what it leads to
    real.chmod(0o600)
    bl.write_records(link, [record], append=append)
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o600
    assert bl.read_records(real) == [record] * (1 + append)
    assert [file.name for file in real.parent.iterdir()] == ["real.pgn"]


@pytest.mark.parametrize("append", [False, True])
def test_a_protected_file_is_left_alone(tmp_path, monkeypatch, append):
    file, record = tmp_path / "a.pgn", wandering(bl.game("nim"), 1)
    bl.write_records(file, [record])
    before = file.read_bytes()
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write anything
    for attempt in (
        lambda: bl.write_records(file, [record], append=append),
        lambda: check_writable(file),
    ):
        with pytest.raises(bl.BoardLabError, match=r'^".*a.pgn" cannot be written: Permission denied$'):
            attempt()
    assert file.read_bytes() == before


ODD_NAMES = [
    "",
    "Berlin [Mitte]",
    "x]PB[y",
    "a;)b",
    ";)",
    "(;",
    "a\0b",
    "a\ud800b",
    "a\nb",
    '"',
    "\\",
    "1-0",
    "[a] [b]",
]


@pytest.mark.parametrize("ending", ["pgn", "ggf"])
@pytest.mark.parametrize("odd", ODD_NAMES, ids=ascii)
def test_whatever_a_player_or_a_place_is_called_the_file_can_be_read(tmp_path, odd, ending):
    """Also what was in it before, and nothing but the name suffers."""
    games = bl.match(bl.game("othello"), ["random", "random"], 2, seed=1).records
    first, second = (replace(from_match(bl.game("othello"), ("a", "b"), r), seed=0) for r in games)
    second = replace(second, players=(odd, "b"), tags=dict.fromkeys(("Site", "Date", "Event"), odd))
    path = tmp_path / f"games.{ending}"
    bl.write_records(path, [first])
    bl.write_records(path, [second], append=True)
    back = bl.read_records(path)
    assert [(r.actions, r.scores, r.start) for r in back] == [
        (r.actions, r.scores, None) for r in (first, second)
    ]
    assert back[1].players[1] == "b"


@pytest.mark.parametrize(
    "tags", [{"My Tag": "x"}, {"a-b": "x"}, {"X]": "x"}, {"": "x"}, {"Round": 3}], ids=str
)
def test_tags_that_no_reader_would_take_are_refused(tmp_path, tags):
    record = wandering(bl.game("nim"), 1)
    bl.write_records(tmp_path / "a.pgn", [record])
    with pytest.raises(bl.BoardLabError, match="a PGN tag must be text, its name only letters, digits and _"):
        bl.write_records(tmp_path / "a.pgn", [replace(record, tags=tags)], append=True)
    assert bl.read_records(tmp_path / "a.pgn") == [record]


def test_what_the_record_says_itself_is_no_further_tag():
    game = bl.game("nim", players=3)
    record = replace(wandering(game, 3), seed=0, start=None, actions=(), values=(), ending=UNFINISHED)
    record = replace(record, scores=tuple(record.first_state.scores.tolist()), tags={})
    told = dict.fromkeys(("White", "Seed", "Position", "FEN", "Error", "Termination", "Result"), "x")
    assert parse_records(pgn_text([replace(record, tags=told)])) == [record]


# ---- othello ----


def without_history(record):
    return replace(record, players=("?", "?"), tags={}, seed=0, values=())


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_ggf_comes_back(size):
    game = bl.game("othello", size=size)
    result = bl.match(game, ["random", "random"], 10, seed=size)
    records = [replace(from_match(game, ("a", "b"), r), seed=0) for r in result.records]
    records[0] = replace(records[0], values=tuple([0.25, None] * 50)[: len(records[0].actions)])
    back = parse_records(ggf_text(records))
    assert [replace(r, tags={}) for r in back] == records
    later = game.initial_state()
    for _ in range(3):
        later.apply(later.legal_actions()[0])
    later = game.from_fields(later.fields)
    result = bl.match(game, ["random", "random"], 2, starts=[later])
    records = [replace(from_match(game, ("a", "b"), r), seed=0) for r in result.records]
    assert [replace(r, tags={}) for r in parse_records(ggf_text(records))] == records


GGS = """
(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]RW[2199.72]
TI[05:00//02:00]TY[8]RE[-64.000:r]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
B[d3//0.01]W[c5/-1.5/0.01]B[D6];)
"""


def test_ggf_of_a_server_is_read():
    (record,) = parse_records(GGS)
    assert record.players == ("Saio1200", "Saio3000") and record.start is None
    assert [s.action_text(a) for s, a in zip(record.states(), record.actions, strict=False)] == [
        "d3",
        "c5",
        "d6",
    ]
    assert record.values == (None, -1.5, None)
    assert record.scores == (-1.0, 1.0) and record.ending == "abandoned"
    assert record.tags["Site"] == "GGS/os"
    assert len(parse_records("1 " + GGS.strip() + "\n" + GGS)) == 2


@pytest.mark.parametrize("result", ["RE[?]", "RE[]", ""])
def test_ggf_of_a_game_that_still_runs_is_read(result):
    running = GGS.replace("RE[-64.000:r]", result)
    unfinished, finished = parse_records(running + GGS)
    assert unfinished.ending == UNFINISHED and len(unfinished.actions) == 3
    assert finished.scores == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("d3", "a1"), r'line 2, move 1 "a1": "a1" is not a legal action here; legal are d3, c4'),
        (("GM[Othello]", "GM[Amazons]"), "is not Othello"),
        (("BO[8 --------", "BO[8 -------x"), "is not an Othello position"),
        (("BO[8", "BO[7"), "is not an Othello position"),
        (("B[D6]", "B D6"), '"B D6" is not a GGF field'),
        (("RE[-64.000:r]", "RE[who knows]"), "is not a number"),
        (("RE[-64.000:r]", "RE[nan]"), "is not a number"),
        ((";)", ""), "no game between"),
    ],
)
def test_mistakes_in_ggf_are_told(change, words):
    with pytest.raises(bl.BoardLabError, match=words):
        parse_records(GGS.replace(*change))


def test_a_value_that_is_no_number_is_unknown():
    (record,) = parse_records(GGS.replace("c5/-1.5", "c5/nan").replace("D6", "D6/inf"))
    assert record.values == ()
    known = replace(record, values=(0.5, float("nan"), float("inf")))
    for text in (pgn_text([known]), ggf_text([known])):
        assert parse_records(text)[0].values == (0.5, None, None)


def test_transcripts_leave_passes_out_and_load():
    game = bl.game("othello")
    records = [
        from_match(game, ("?", "?"), r) for r in bl.match(game, ["random", "random"], 30, seed=1).records
    ]
    assert any(64 in r.actions for r in records)
    assert parse_records(lines_text(records)) == [without_history(r) for r in records]
    (record,) = parse_records("# a comment\n\nF5 D6 c3d3 # four moves\n")
    assert len(record.actions) == 4 and not record.is_finished
    with pytest.raises(bl.BoardLabError, match=r'line 2, move 3 "a1": "a1" is not a legal action'):
        parse_records("f5d6\nf5d6a1\n")


# ---- connect four, cubes ----


def test_column_strings_count_from_one_or_from_zero():
    (record,) = parse_records("44455\n")
    assert record.actions == (3, 3, 3, 4, 4) and record.game == bl.game("connectfour")
    assert [r.actions for r in parse_records("345\n0 1\n")] == [(3, 4, 5), (0, 1)]
    game = bl.game("connectfour")
    records = [from_match(game, ("?", "?"), r) for r in bl.match(game, ["random", "random"], 30).records]
    assert parse_records(lines_text(records)) == [without_history(r) for r in records]
    wide = bl.game("connectfour", rows=4, cols=9)
    assert parse_records("99", game=wide)[0].actions == (8, 8)
    with pytest.raises(bl.BoardLabError, match=r'line 1, move 7 "1": "1" is not a legal action'):
        parse_records("1111111")
    with pytest.raises(bl.BoardLabError, match="tictactoe has no plain-text line format"):
        parse_records("123", game=bl.game("tictactoe"))


def test_a_game_without_actions_is_a_line():
    for name in ("connectfour", "othello"):
        game = bl.game(name)
        whole = from_match(game, ("?", "?"), bl.match(game, ["random", "random"], 1).records[0])
        begun = replace(whole, actions=(), scores=(0.0, 0.0), ending=UNFINISHED)
        text = lines_text([begun, whole, begun])
        assert [r.actions for r in parse_records(text)] == [(), whole.actions, ()]
        assert parse_records("-\n", game=game) == [without_history(begun)]
    with pytest.raises(bl.BoardLabError, match="'-' is neither"):
        parse_records("-\n")
    solved = bl.game("rubiks", twists=0)
    record = Record(solved, ("?",), (), tuple(solved.initial_state().scores.tolist()))
    assert [r.actions for r in parse_records(lines_text([record] * 2), game=solved)] == [(), ()]


@pytest.mark.parametrize(
    "parameters", [{}, {"metric": "qtm"}, {"size": 3}, {"size": 3, "metric": "qtm"}], ids=str
)
def test_twists_tell_the_cube_that_they_solve(parameters):
    game = bl.game("rubiks", twists=3, **parameters)
    rng = random.Random(5)
    records = []
    for seed in range(20):
        start = game.initial_state(seed)
        state, actions = start.copy(), []
        while not state.is_terminal and len(actions) < 6:
            actions.append(rng.choice(state.legal_actions()))
            state.apply(actions[-1])
        ending = "" if state.is_terminal else UNFINISHED
        records.append(
            Record(game, ("?",), tuple(actions), tuple(state.scores.tolist()), start=start, ending=ending)
        )
    back = parse_records(lines_text(records), game=game)
    assert back == [replace(r, start=game.from_fields(r.start.fields)) for r in records]


def test_a_solution_alone_is_a_game():
    game = bl.game("rubiks")
    (record,) = parse_records("R U2 F'\n".replace("R", "L"))
    assert record.game == game and record.scores == (1.0,) and record.is_finished
    assert len(list(record.states())) == 4
    with pytest.raises(
        bl.BoardLabError, match=r'line 1, move 1 "D": "D" is not a legal action here; legal are U'
    ):
        parse_records("D U2\n", game=game)
    with pytest.raises(bl.BoardLabError, match="is neither PGN"):
        parse_records("R X\n")
    with pytest.raises(bl.BoardLabError, match="not a position"):
        parse_records("U @ 1 2 3\n", game=game)


def test_twists_of_other_faces_are_of_the_large_cube():
    """The twists of the 2x2x2 are U, L and F: one corner stays where it is."""
    large = bl.game("rubiks", size=3)
    (record,) = parse_records("R U2 F'\n")
    assert record.game == large and record.scores == (1.0,) and record.is_finished
    assert [r.game for r in parse_records("U L\nU L2 D'\n")] == [large] * 2
    assert parse_records("u l2\n")[0].game == bl.game("rubiks")
    for text, game in (("r U2 F'\n", large), ("R u\n", None)):
        with pytest.raises(
            bl.BoardLabError, match=r'line 1: "[ru]" turns two layers, which is not an action'
        ):
            parse_records(text, game=game)


def test_scores_of_solved_positions_are_left_out():
    """As in the test sets of P. Pons: columns, the score of the position."""
    text = "2252576253462244111563365343671351441 -1\n7422341735647741166133573473242566 1\n44 0\n"
    records = parse_records(text)
    assert [len(record.actions) for record in records] == [37, 34, 2]
    assert records[2].actions == (3, 3) and records == parse_records(text, game=bl.game("connectfour"))
    assert [record.actions for record in parse_records("44 5\n")] == [(3, 3, 4)]
    with pytest.raises(bl.BoardLabError):
        parse_records("44 -5\n44 -\n")


# ---- another agent's opinion ----


def test_a_review_is_the_same_in_any_order():
    game = bl.game("tictactoe")
    record = from_match(game, ("a", "b"), bl.match(game, ["random", "random"], 1, seed=3).records[0])
    expression = "mcts(rollout, iterations=30)"
    forward = [(o.place, o.player, o.decision.action, o.decision.values) for o in review(record, expression)]
    reviewer = Reviewer(record, expression)
    places = range(len(record.actions))
    backward = {place: reviewer(place) for place in reversed(places)}
    assert forward == [
        (o.place, o.player, o.decision.action, o.decision.values) for o in (backward[p] for p in places)
    ]
    assert reviewer(len(record.actions)) is None and reviewer(-1) is None


def test_an_exact_agent_disagrees_where_a_game_was_thrown_away():
    record = parse_records(
        '[White "a"]\n[Black "b"]\n[Result "*"]\n[Game "tictactoe"]\n\n1. a1 b2 2. c3 a3 3. c1 c2 *'
    )[0]
    opinions = list(review(record, "alphabeta(depth=9, exact=True)"))
    assert [o.agrees for o in opinions] == [True, True, True, False, True, True]
    # After a1 b2 c3 the corner a3 loses: c1 makes two threats.
    assert opinions[3].decision.values[opinions[3].action] == -1


def test_reading_results_needs_no_engine_work():
    """The tags of 2000 games are read without looking at moves (the figure of speed is in bench/)."""
    assert len(list(sections(FIGURE_A2[6:] * 1000))) == 2000


def test_records_are_made_without_the_command_line():
    code = "import boardlab.arena.records, sys; sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_games_of_a_match_without_their_game_are_refused_with_the_way_to_save_them(tmp_path):
    result = bl.match(bl.game("tictactoe"), ["random", "random"], games=2)
    with pytest.raises(bl.BoardLabError, match=r"lack game and agents: save them with MatchResult\.save"):
        bl.write_records(tmp_path / "a.pgn", result.records)
