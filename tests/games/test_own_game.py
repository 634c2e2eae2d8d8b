"""A game of one's own in a library: trained, resumed, stored and played; and no file ever loads one."""

import dataclasses
import gc
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from test_testing import COMPILER, ROOT, SOURCE, build

import boardlab as bl
from boardlab.arena.played import replay
from boardlab.games.game import Game, game_table
from boardlab.games.library import _CORES, _LOADED_AS, LOADED
from boardlab.games.registry import game_from_table
from boardlab.learners import open_run, train_many
from boardlab.runs import RunFolder
from boardlab.testing import ConformanceError, check_game

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

PLANES = (
    ("const bl_game *boardlab_game", """
static void planes(void *self, const void *s, int32_t player, float *out) {
  (void)self, (void)player;
  for (int i = 0; i < 21; ++i) out[i] = i < ((const state *)s)->left;
}

const bl_game *boardlab_game"""),
    ("  return &table;", """
  table.plane_count = 1, table.plane_rows = 1, table.plane_cols = 21, table.planes = planes;
  return &table;"""),
)  # fmt: skip

ROUNDS = (
    ("const bl_game *boardlab_game", """
static int32_t round_over(void *self, const void *s) {
  (void)self;
  return ((const state *)s)->left % 7 == 0;
}

const bl_game *boardlab_game"""),
    ("  return &table;", "  table.round_over = round_over;\n  return &table;"),
)  # fmt: skip


NO_CELLS = ("  table.cells = 21;", ""), ("  table.board_vector = board_vector;", "")
"""Without the board vector."""

OWNED = (
    ("typedef struct {", """
#include <stdlib.h>
static int alive = 1;
static void destroy(void *self) {
  if (!*(int *)self) abort();
  *(int *)self = 0;
}
typedef struct {"""),
    ("(state){21, 0}", "(state){alive ? 21 : 1, 0}"),
    ("  return &table;", "  table.self = &alive, table.destroy = destroy;\n  return &table;"),
)  # fmt: skip
"""One table that owns something, as `make_table` gives it in C++; destroyed twice it ends the process."""


@pytest.fixture(autouse=True)
def nothing_from_other_tests():
    with not_loaded():
        yield


@pytest.fixture
def game(tmp_path):
    return build(tmp_path)


def not_loaded():
    """As in a process that has loaded nothing."""
    return mock.patch.dict(LOADED, clear=True)


def spy(folder):
    """A library that was never loaded here, and the file that appears as soon as its code runs."""
    mark = folder / "its code ran"
    startup = f"""
#include <stdio.h>
__attribute__((constructor)) static void startup(void) {{ fclose(fopen("{mark}", "w")); }}
"""
    with mock.patch.object(bl, "load_game", lambda path: path):
        return build(folder, ("#include <string.h>", "#include <string.h>" + startup), name="spy"), mark


def test_the_spy_would_be_noticed(tmp_path):
    library, mark = spy(tmp_path)
    assert not mark.exists()
    subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r})"], check=True)
    assert mark.exists()


def test_listing_a_store_runs_no_code_that_it_names(tmp_path, game):
    store = bl.store(tmp_path / "store.db")
    for played in (game, bl.game("nim")):
        bl.tournament(played, ["random", "mcts(iterations=5)"], games=2, store=store)
    library, mark = spy(tmp_path)
    with sqlite3.connect(store.path) as db:
        for table in ("tournaments", "games", "agents"):
            db.execute(
                f"UPDATE {table} SET game = 'spy', parameters = ? WHERE game = 'countdown'",
                (f'{{"path": "{library}"}}',),
            )
    db.close()
    listed, other = store.tournaments()
    assert repr(listed) == "<Tournament 1: round-robin of 2 agents at spy>" and other.game == bl.game("nim")
    assert listed.agents == ("random", "mcts(rollout, iterations=5)") and listed.is_finished
    assert len(listed.pairings()) == 1 and len(listed.ratings("bayeselo")) == 2
    for ask in (lambda: listed.game, listed.games):
        with pytest.raises(bl.BoardLabError, match=rf'the library {library}, which .*boardlab.load_game\("'):
            ask()
    assert {line.game for line in store.fame()} == {"nim", "spy"} and len(store.fame("spy")) == 2
    assert not mark.exists()
    bl.load_game(library)
    assert mark.exists() and len(store.tournament(1).games()) == 2


JOINT = (
    ("const bl_game *boardlab_game", """
static int32_t joint_values(void *self, int32_t group, bl_joint_values *joint) {
  (void)self;
  joint->cell_count = 4, joint->row_count = 5;
  for (int32_t i = 0; joint->cells && i < 4; ++i) joint->cells[i] = group * 4 + i;
  for (int32_t i = 0; joint->rows && i < 20; ++i) joint->rows[i] = i % 4 < i / 4;
  return group < 5;
}

const bl_game *boardlab_game"""),
    ("  return &table;", "  table.joint_values = joint_values;\n  return &table;"),
)  # fmt: skip
"""Four cells side by side of the heap: only those on the left are there."""


def test_a_game_tells_which_joint_values_of_cells_can_occur(tmp_path):
    joint = build(tmp_path, *JOINT, name="joint")
    groups = joint.core.joint_values()
    assert [cells for cells, _ in groups] == [list(range(at, at + 4)) for at in range(0, 20, 4)]
    assert groups[0][1] == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    check_game(joint)
    wrong = build(tmp_path, *JOINT, ("i % 4 < i / 4", "i % 4 > i / 4"), name="wrong")
    with pytest.raises(ConformanceError, match="have joint values that joint_values lacks"):
        check_game(wrong)


def test_a_library_of_an_older_header_still_plays(tmp_path):
    """Functions that were added to the end of the table since then count as null."""
    older = build(
        tmp_path,
        *JOINT,
        ("sizeof table;", "offsetof(bl_game, joint_values);"),
        ("#include <string.h>", "#include <stddef.h>\n#include <string.h>"),
        name="older",
    )
    assert older.core.joint_values() == []
    check_game(older)
    for size in ("offsetof(bl_game, joint_values) - 8", "sizeof table + 8"):
        with pytest.raises(bl.BoardLabError, match="it was made for contract version 2"):
            build(tmp_path, ("table.struct_size = sizeof table;", f"table.struct_size = {size};"),
                  ("#include <string.h>", "#include <stddef.h>\n#include <string.h>"), name=f"size{len(size)}")  # fmt: skip


def test_a_table_for_rounds_needs_a_board_vector(tmp_path):
    rounds = build(tmp_path, *NO_CELLS, *ROUNDS, name="rounds")
    with pytest.raises(bl.BoardLabError, match="rounds needs a board vector, which rounds does not have"):
        bl.train(rounds, "q-table", episodes=20, out=tmp_path / "run", exams=())
    assert not (tmp_path / "run").exists()


def test_opening_a_run_loads_no_library_that_it_names(tmp_path, game):
    run = bl.train(game, "q-table", episodes=20, out=tmp_path / "run", exams=())
    library, mark = spy(tmp_path)
    file = run.path / "agent.toml"
    file.write_text(file.read_text().replace(game.rules.path, library).replace('"countdown"', '"spy"'))
    for ask in (open_run, bl.resume, lambda path: bl.agent(f'greedy(qtable("{path}"))', game)):
        with pytest.raises(bl.BoardLabError, match=rf"boardlab --plugin {library} on the command line"):
            ask(run.path)
    assert not mark.exists()


def test_a_run_is_opened_resumed_and_played(tmp_path, game):
    out = tmp_path / "run"
    whole = bl.train(game, "q-table", episodes=400, out=tmp_path / "whole", seed=1)
    bl.train(game, "q-table", episodes=200, out=out, seed=1)
    assert open_run(out).game == game and open_run(out).episodes == 200
    assert bl.resume(out, episodes=400).episodes == 400
    agent = bl.agent(f'greedy(qtable("{out.as_posix()}"))', game)
    assert agent.act(game.initial_state()).action in range(3)
    assert bl.match(game, [whole.expression, "random"], games=4).games == 4
    with not_loaded():
        with pytest.raises(bl.BoardLabError, match=r'the game "countdown" is in the library .*not loaded'):
            open_run(out)
        moved = tmp_path / "elsewhere" / "libcountdown.so"
        moved.parent.mkdir()
        shutil.copy(game.rules.path, moved)
        there = bl.load_game(str(moved))  # files move; what counts is that the user has loaded it
        assert open_run(out).game == there
        assert bl.resume(out, episodes=401).episodes == 401


@pytest.mark.parametrize("name", ["countdown", "nim"])
def test_a_pickle_loads_no_library(tmp_path, name):
    game = build(tmp_path, name=name)
    state = game.initial_state()
    state.apply(1)
    kept = pickle.dumps((game, state))
    assert pickle.loads(kept) == (game, state)
    with (
        not_loaded(),
        pytest.raises(bl.BoardLabError, match=rf'the game "{name}" is in the library .*not loaded'),
    ):
        pickle.loads(kept)


def test_a_library_called_like_a_game_of_ours_stays_apart(tmp_path):
    own = build(tmp_path, name="nim")
    run = bl.train(own, "q-table", episodes=20, out=tmp_path / "run", exams=())
    assert open_run(run.path).game == own and bl.game("nim") != own
    assert bl.game("nim").action_count != own.action_count


def test_a_loaded_library_prints_as_the_call_that_loads_it(game):
    assert eval(repr(game), {"boardlab": bl}) == game


def test_a_loaded_library_has_its_name(game):
    assert bl.game("countdown") is game
    assert bl.describe("countdown").splitlines()[1] == "players: 2"
    with pytest.raises(bl.BoardLabError, match='unknown parameter of countdown "path"'):
        bl.game("countdown", path="/tmp/other.so")
    with pytest.raises(bl.BoardLabError, match='did you mean "countdown"'):
        bl.game("countdwon")


def test_a_library_loaded_again_keeps_what_its_table_owns(tmp_path):
    game = build(tmp_path, *OWNED, name="owned")
    for _ in range(3):
        assert bl.load_game(game.rules.path) == game
        LOADED.clear()
        gc.collect()
    assert game.initial_state().to_text() == "21 0"


def test_a_table_that_was_refused_is_refused_again(tmp_path):
    wrong = ("table.players = 2", "table.players = 9")
    with pytest.raises(bl.BoardLabError, match="players must be from 1 to 8"):
        build(tmp_path, *OWNED, wrong, name="nine")
    with pytest.raises(bl.BoardLabError, match="players must be from 1 to 8"):
        bl.load_game(tmp_path / "libnine.so")


def test_the_example_is_built_as_its_comment_says_and_learned(tmp_path):
    source = SOURCE.read_text()
    command = next(line.strip(" *") for line in source.splitlines() if " cc " in line)
    library = tmp_path / "libcountdown.so"
    words = [str(library) if word == library.name else word for word in command.split()]
    subprocess.run([COMPILER, *words[1:]], check=True, cwd=ROOT)
    game = bl.load_game(library)
    run = bl.train(game, episodes=2000, out=tmp_path / "run", seed=1)
    assert run.agent().act(game.initial_state()).action == 0  # leaves twenty, a multiple of four


def test_a_game_without_a_board_vector_names_the_learner_that_needs_none(tmp_path):
    game = build(tmp_path, *NO_CELLS, name="fields")
    for learner, said in (("td-ntuple", "has no board vector"), ("alphazero", "neither planes nor a board")):
        with pytest.raises(bl.BoardLabError, match=f"{said}.*; the learner q-table needs none"):
            bl.train(game, learner, episodes=5, out=tmp_path / "run")
    assert bl.train(game, "q-table", episodes=5, out=tmp_path / "run").episodes == 5


def test_runs_in_processes_learn_what_runs_in_this_one_learn(tmp_path, game):
    marks = []
    for jobs in (1, 2):
        done = train_many(game, 2, out=tmp_path / f"{jobs}", jobs=jobs, learner="q-table", episodes=100)
        marks.append([RunFolder(run.path).fingerprint() for run in done.runs])
    assert marks[0] == marks[1] and marks[0][0] != marks[0][1]


def test_self_play_in_processes(tmp_path):
    pytest.importorskip("torch")
    game = build(tmp_path, *PLANES, name="planes")
    small = {"net": "mlp", "blocks": 0, "channels": 4, "hidden": 4, "games": 4, "parallel": 2}
    run = bl.train(
        game, "alphazero", episodes=4, out=tmp_path / "run", exams=(), simulations=2, threads=2, processes=2,
        device="cpu", **small,
    )  # fmt: skip
    assert run.episodes == 4
    assert bl.agent(f'policy(net("{run.path.as_posix()}"))', game).act(game.initial_state()).action in range(
        3
    )


def test_the_command_line_takes_a_library(tmp_path, game):
    def boardlab(*words):
        done = subprocess.run(
            [sys.executable, "-m", "boardlab", *map(str, words)],
            capture_output=True, text=True, cwd=tmp_path, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    library = Path(game.rules.path)
    own = ("--plugin", library)
    train = ("train", "countdown", "--learner", "q-table", "--episodes", 50, "--out", "run")
    status, _, error = boardlab(*own, *train)
    assert status == 0, error
    status, _, error = boardlab("resume", "run")
    assert status == 2 and error.count("\n") == 1 and f"boardlab --plugin {library}" in error
    assert boardlab(*own, "resume", "run", "--episodes", 60)[0] == 0
    agent = 'greedy(qtable("run"))'
    assert boardlab(*own, "play", "countdown", "--against", agent)[0] == 0
    status, said, _ = boardlab(*own, "tournament", "countdown", agent, "random", "-n", 2, "--store", "s.db")
    assert status == 0 and said.startswith("countdown: round-robin")
    status, said, _ = boardlab(*own, "fame", "countdown", "--store", "s.db")
    assert status == 0 and f"boardlab --plugin {library} train countdown --learner q-table" in said
    assert said.startswith(f"countdown (fingerprint={game.rules.fingerprint[:8]}): Elo")
    status, said, _ = boardlab("fame", "--store", "s.db")
    assert status == 0 and "which is not loaded" in said


def test_games_that_are_cut_at_the_horizon_say_so_and_count_as_they_stood(tmp_path):
    short = build(tmp_path, ("table.horizon = 21", "table.horizon = 11"), name="short")
    result = bl.match(short, ["random", "mcts(iterations=2)"], games=40, seed=1)
    cut = [len(r.actions) == 11 and not replay(short, r)[-1].is_terminal for r in result.records]
    assert 0 < result.cut == sum(cut) < 40
    assert str(result).splitlines()[-1].startswith("40 games, ")
    assert f" distinct, {result.cut} cut at the horizon (" in str(result)
    file = tmp_path / "games.pgn"
    result.save(file)
    assert file.read_text().count('[Termination "horizon"]') == result.cut
    records = bl.read_records(file)
    assert [record.ending for record in records] == ["horizon" if is_cut else "" for is_cut in cut]
    assert all(record.is_finished for record in records)
    bl.write_records(tmp_path / "again.pgn", records)
    assert (tmp_path / "again.pgn").read_text() == file.read_text()
    assert bl.rate(file) == bl.rate(result)
    file.write_text(
        file.read_text().replace('[Termination "horizon"]\n', "")
    )  # as earlier versions wrote them
    assert bl.rate(file) == bl.rate(result) and [r.scores for r in bl.read_records(file)] == [
        r.scores for r in records
    ]


# ---- a library that was compiled anew ----

OTHER = ("(state){21, 0}", "(state){15, 0}")
"""Other rules: fifteen to begin with."""


def changed(game):
    """The game as a process sees it that loads the library after it was compiled anew, at the same place."""
    with mock.patch.dict(_CORES, clear=True), mock.patch.dict(_LOADED_AS, clear=True):
        other = Game(dataclasses.replace(game.rules, fingerprint="other"))
    LOADED[game.rules.path] = other
    return other


def test_a_library_compiled_anew_is_not_taken_for_the_old_one(tmp_path, game):
    path = tmp_path / "libcountdown.so"
    old = path.read_bytes()
    with pytest.raises(bl.BoardLabError, match=r"libcountdown.so has changed .*: restart Python"):
        build(tmp_path, OTHER)
    path.unlink()
    path.write_bytes(old)
    assert bl.load_game(path) == game and bl.load_game(path).core is game.core


def test_a_library_that_exports_nothing_and_is_mended_is_not_said_to_export_nothing(tmp_path):
    nothing = ("const bl_game *boardlab_game", "const bl_game *another_name")
    for _ in range(2):
        with pytest.raises(bl.BoardLabError, match=r"does not export boardlab_game\(\)"):
            build(tmp_path, nothing, name="mended")
    with pytest.raises(bl.BoardLabError, match="restart Python"):
        build(tmp_path, name="mended")


def test_a_process_of_ours_plays_no_other_library_than_the_one_that_started_it(game):
    table = game_table(game)
    assert game_from_table(table, load=True) == game
    with pytest.raises(bl.BoardLabError, match="has changed since it was loaded: restart Python"):
        game_from_table({**table, "fingerprint": "other"}, load=True)


def test_a_run_does_not_go_on_by_the_rules_of_another_library(tmp_path, game):
    settings = {"episodes": 20, "out": tmp_path / "run", "exams": ()}
    bl.train(game, "q-table", **settings)
    other = changed(game)
    for again in (
        lambda: bl.resume(tmp_path / "run"),
        lambda: bl.train(other, "q-table", go_on=True, **settings),
    ):
        with pytest.raises(
            bl.BoardLabError, match=r"agent.toml: the code of countdown is not what it was when the run began"
        ):
            again()
    assert bl.agent(f'greedy(qtable("{tmp_path}/run"))', other).act(other.initial_state()).action in range(3)
    file = tmp_path / "run" / "agent.toml"  # as earlier versions wrote it, and as the sentence says
    file.write_text(re.sub("fingerprint = .*", "", file.read_text()))
    assert bl.train(other, "q-table", go_on=True, **settings).episodes == 20
    assert bl.resume(tmp_path / "run", episodes=30).episodes == 30


def test_a_tournament_does_not_go_on_by_the_rules_of_another_library(tmp_path, game):
    def play(game, **options):
        return bl.tournament(game, ["random", "mcts(iterations=5)"], games=2, store=store, **options).number

    store = bl.store(tmp_path / "store.db")
    assert [play(game), play(game)] == [1, 1]
    other = changed(game)
    with pytest.raises(bl.BoardLabError, match=r"code of the rules has changed since tournament 1 .*--again"):
        play(other)
    assert store.games_between(other) == [] and store.agents(other) == [] and store.fame(other) == []
    assert [play(other, again=True), play(other)] == [2, 2]
    assert len(store.games_between(other)) == len(store.games_between(game)) == 2
    assert {line.tournaments for line in store.fame(other)} == {(2,)}


def test_a_tournament_of_an_earlier_version_goes_on(tmp_path, game):
    agents = ["random", "mcts(iterations=5)"]
    store = bl.store(tmp_path / "store.db")
    bl.tournament(game, agents, games=2, store=store)
    with sqlite3.connect(store.path) as db:  # which did not keep the library's fingerprint
        for table in ("tournaments", "games", "agents"):
            db.execute(f"UPDATE {table} SET parameters = ?", (f'{{"path": "{game.rules.path}"}}',))
    db.close()
    assert bl.tournament(game, agents, games=2, store=store).number == 1
    assert len(store.games_between(game)) == 2 and store.agents(game) and len(store.fame(game)) == 2
