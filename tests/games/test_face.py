"""Faces of compiled games: parameters, text, names and pictures from a class beside the library."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_testing import COMPILER, ROOT, SOURCE

import boardlab as bl
from boardlab.games.game import game_table
from boardlab.games.registry import game_from_table
from boardlab.testing import check_game

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

HEAPS = r"""
#include <stdlib.h>
#include "core/contract.h"

/* Take from one of some heaps; whoever takes the last one wins. */
typedef struct { int32_t heap[4], to_move, moved; } state;
typedef struct { int32_t count, most; int64_t heap[4]; double win; } rules;

static void initial_state(void *self, void *s, uint64_t *rng) {
  (void)rng;
  for (int i = 0; i < 4; ++i) ((state *)s)->heap[i] = i < ((rules *)self)->count ? (int32_t)((rules *)self)->heap[i] : 0;
  ((state *)s)->to_move = 0, ((state *)s)->moved = 0;
}
static int32_t sum(const state *s) { return s->heap[0] + s->heap[1] + s->heap[2] + s->heap[3]; }
static int32_t player(void *self, const void *s) {
  (void)self;
  return sum(s) ? ((const state *)s)->to_move : BL_TERMINAL;
}
static int32_t last_player(void *self, const void *s) {
  (void)self;
  return ((const state *)s)->moved ? 1 - ((const state *)s)->to_move : BL_CHANCE;
}
static int32_t legal(void *self, const void *s, int32_t *actions) {
  int32_t n = 0, most = ((rules *)self)->most;
  for (int heap = 0; heap < 4; ++heap)
    for (int k = 0; k < most && k < ((const state *)s)->heap[heap]; ++k) actions[n++] = heap * most + k;
  return n;
}
static void apply(void *self, void *s, int32_t action) {
  int32_t most = ((rules *)self)->most;
  ((state *)s)->heap[action / most] -= action % most + 1;
  ((state *)s)->to_move ^= 1, ((state *)s)->moved = 1;
}
static void scores(void *self, const void *s, double *out) {
  out[0] = sum(s) ? 0 : ((const state *)s)->to_move ? ((rules *)self)->win : -((rules *)self)->win;
  out[1] = -out[0];
}
static void to_fields(void *self, const void *s, int32_t *fields) { (void)self; memcpy(fields, s, sizeof(state)); }
static const char *from_fields(void *self, void *s, const int32_t *fields) {
  (void)self;
  for (int i = 0; i < 4; ++i)
    if (fields[i] < 0 || fields[i] > 99) return "a heap has from 0 to 99";
  if (fields[4] < 0 || fields[4] > 1 || fields[5] < 0 || fields[5] > 1) return "player 0 or 1 is to move";
  memcpy(s, fields, sizeof(state));
  return 0;
}

const char *boardlab_make_game(bl_game *table, bl_parameters *parameters) {
  rules *made = calloc(1, sizeof *made);
  made->heap[0] = 5, made->heap[1] = 4;
  int32_t given = bl_integers(parameters, "heaps", made->heap, 4);
  made->count = given < 0 ? 2 : given;
  made->most = (int32_t)bl_integer(parameters, "most", 3);
  made->win = bl_real(parameters, "win", 1);
  if (strcmp(bl_text(parameters, "end", "last wins"), "last loses") == 0) made->win = -made->win;
  if (made->count > 4) { free(made); return "at most four heaps"; }
  table->abi_version = BL_GAME_ABI, table->struct_size = sizeof *table;
  table->self = made, table->destroy = free;
  table->state_size = sizeof(state), table->players = 2, table->field_count = 6;
  table->action_count = table->max_legal = 4 * made->most;
  table->horizon = 400, table->flags = BL_ZERO_SUM, table->min_score = -10, table->max_score = 10;
  table->initial_state = initial_state, table->player = player, table->last_player = last_player;
  table->legal = legal, table->apply = apply, table->scores = scores;
  table->to_fields = to_fields, table->from_fields = from_fields;
  return 0;
}
"""

FACE = '''
import boardlab as bl


@bl.register_game
class Heaps(bl.LibraryGame):
    """Take from one of some heaps; who takes the last one wins."""

    heaps: tuple[int, ...] = bl.option((5, 4), "stones of each heap", low=1, high=99)
    most: int = bl.option(3, "most stones of an action", low=1, high=9)
    win: float = bl.option(1.0, "what a win is worth", low=0.5, high=10)
    end: str = bl.option("last wins", "who wins", choices=("last wins", "last loses"))

    name = "heaps"
    source = "heaps.c"
    notation = "a heap and how many: A3"
    variants = ({}, {"heaps": (1, 2, 3), "most": 2})
    board = bl.grid(1, 4)

    def pieces(self, fields):
        return [str(stones) if stones else 0 for stones in fields[:4]]

    def cells_of(self, fields, action):
        return (action // self.most,)

    def action_name(self, fields, action):
        return f"{'ABCD'[action // self.most]}{action % self.most + 1}"

    def player_name(self, player):
        return "XO"[player]
'''


@pytest.fixture
def plugin(tmp_path):
    (tmp_path / "heaps.c").write_text(HEAPS)
    (tmp_path / "heaps.py").write_text(FACE)
    return tmp_path / "heaps.py"


def register(plugin, *edits):
    text = plugin.read_text()
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    exec(compile(text, str(plugin), "exec"), {"__name__": "heaps"})


@pytest.fixture
def heaps(plugin):
    register(plugin)
    return bl.game


def test_a_face_gives_a_c_game_parameters_text_names_and_pictures(heaps):
    game = heaps("heaps")
    check_game(game)
    check_game(heaps("heaps", heaps=(1, 2, 3), most=2))
    state = game.initial_state()
    assert state.fields == [5, 4, 0, 0, 0, 0]
    assert list(state.action_names().values()) == ["A1", "A2", "A3", "B1", "B2", "B3"]
    state.apply(state.parse_action("a3"))
    assert str(state).splitlines()[-1] == "fields: 2 4 0 0 1 1" and "O to move" in str(state)
    assert ">4<" in state.to_svg() and game.from_text(state.to_text()) == state
    assert "a heap and how many" in str(bl.describe("heaps"))
    assert bl.agent("alphabeta(depth=20)", game).act(game.initial_state()).scores[0] == 1


def test_the_library_gets_every_kind_of_parameter(heaps):
    ended = heaps("heaps", heaps=(1,), win=2.5).initial_state()
    ended.apply(0)
    assert ended.scores.tolist() == [2.5, -2.5]
    ended = heaps("heaps", heaps=[1], end="last loses").initial_state()
    ended.apply(0)
    assert ended.scores.tolist() == [-1, 1]
    assert heaps("heaps", most=9).action_count == 36
    game = heaps("heaps", heaps=(3, 3), most=2)
    assert game != heaps("heaps") and game == heaps("heaps", heaps=(3, 3), most=2)
    assert pickle.loads(pickle.dumps(game.initial_state())) == game.initial_state()
    assert game_from_table(game_table(game)) == game
    assert repr(game) == 'boardlab.game("heaps", heaps=(3, 3), most=2)'


def test_bad_parameters_are_said(heaps):
    with pytest.raises(bl.BoardLabError, match=r"^heaps: most must be a whole number from 1 to 9, not 0"):
        heaps("heaps", most=0)
    with pytest.raises(bl.BoardLabError, match=r"^heaps: at most four heaps$"):
        heaps("heaps", heaps=(1, 1, 1, 1, 1))
    with pytest.raises(bl.BoardLabError, match='unknown parameter of heaps "mots"; did you mean "most"'):
        heaps("heaps", mots=1)


def test_without_a_face_the_library_uses_its_own_values(plugin):
    game = bl.c_game(HEAPS, name="bare")
    assert game.initial_state().fields == [5, 4, 0, 0, 0, 0]
    check_game(game)


def test_a_library_that_has_one_game_takes_a_face_without_parameters(tmp_path):
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-I", ROOT / "engine", SOURCE, "-o", tmp_path / "libcd.so"], check=True
    )

    class Down(bl.LibraryGame):
        name = "down"
        library = str(tmp_path / "libcd.so")
        labels = ("left", "to move")

        def action_name(self, fields, action):
            return f"take {action + 1}"

    bl.register_game(Down)
    game = bl.game("down")
    state = game.initial_state()
    assert state.action_text(2) == "take 3" and "left: 21" in game.rules.board_text(state)
    assert game.rules.file == __file__
    check_game(game)
    assert bl.game("down").core is game.core  # its table is taken over once

    class Deep(Down):
        name = "deep"
        heap: int = bl.option(3, "stones", low=1, high=9)

    bl.register_game(Deep)
    with pytest.raises(
        bl.BoardLabError, match=r"libcd.so takes no parameters, .*boardlab_make_game\(\); leave out heap"
    ):
        bl.game("deep")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (('"heaps.c"', '"gone.c"'), r'heaps: there is no C text ".*gone.c"'),
        (
            ('source = "heaps.c"', ""),
            r'heaps needs its rules: library = "libheaps.so", or source = "heaps.c"',
        ),
        (('source = "heaps.c"', 'source = "heaps.c"; library = "libheaps.so"'), "heaps needs its rules"),
        (
            ('source = "heaps.c"', 'library = "libheaps.so"'),
            r'heaps: there is no game library ".*libheaps.so"',
        ),
        (
            ('source = "heaps.c"', 'source = "int x;\\n"'),
            r"source must be C text that defines boardlab_game\(\)",
        ),
        (("    most: int", "    fingerprint: int"), "heaps: a parameter cannot be called fingerprint"),
        (("@bl.register_game", "@bl.register_game(compiled=True)"), "only rules in Python can be compiled"),
    ],
)
def test_a_face_without_its_rules_is_refused(plugin, edit, said):
    with pytest.raises(bl.BoardLabError, match=said):
        register(plugin, edit)


def test_a_parameter_that_the_library_does_not_know_is_no_silent_mistake(plugin):
    register(plugin, ("    most: int", "    limit: int"), ("self.most", "self.limit"))
    with pytest.raises(
        bl.BoardLabError,
        match=r'heaps: the library .*libheaps.so does not ask for the parameter "limit" \(bl_integer\)',
    ):
        bl.game("heaps")


def test_another_picture_is_the_same_game_and_another_rule_is_not(plugin, tmp_path):
    register(plugin)
    run = bl.train(bl.game("heaps"), "q-table", episodes=20, out=tmp_path / "run", exams=())
    register(plugin, ("bl.grid(1, 4)", "bl.grid(2, 2)"))
    assert bl.resume(run.path, episodes=40).episodes == 40
    (tmp_path / "heaps.c").write_text(HEAPS.replace("2 : given", "1 : given"))
    register(plugin)
    with pytest.raises(bl.BoardLabError, match="the code of heaps is not what it was when the run began"):
        bl.resume(run.path, episodes=60)


def test_the_command_line_shows_a_game_with_a_face(plugin, tmp_path):
    def boardlab(*words):
        command = [sys.executable, "-m", "boardlab", "--plugin", plugin, *words]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path)
        assert not done.returncode, done.stderr
        return done.stdout

    assert "most stones of an action" in boardlab("games", "heaps")
    train = (
        "train",
        "heaps",
        "--most",
        2,
        "--learner",
        "q-table",
        "--episodes",
        50,
        "--out",
        "runs/h",
        "--runs",
        2,
    )
    said = boardlab(*train, "--jobs", 2)
    assert f"boardlab --plugin {plugin} play heaps --most 2 --against" in said
    assert "A2" in boardlab("inspect", "heaps", "mcts(iterations=50)", "--most", 2)


def test_the_parameters_in_python_are_those_of_the_header(tmp_path):
    """A program prints the offsets of the struct as C sees it."""
    import ctypes

    from boardlab.games.parameters import ABI, Parameter, Parameters

    names = {"bl_parameter": Parameter, "bl_parameters": Parameters}
    lines = [f'printf("%zu ", sizeof({name}));' for name in names] + [
        f'printf("%zu ", offsetof({name}, {field[0]}));'
        for name, kind in names.items()
        for field in kind._fields_
    ]
    source = tmp_path / "offsets.c"
    source.write_text(
        '#include <stddef.h>\n#include <stdio.h>\n#include "core/contract.h"\n'
        f'int main(void) {{ {" ".join(lines)} printf("%u", BL_GAME_ABI); }}\n'
    )
    subprocess.run([COMPILER, "-I", ROOT / "engine", source, "-o", tmp_path / "offsets"], check=True)
    printed = subprocess.run(
        [tmp_path / "offsets"], capture_output=True, text=True, check=True
    ).stdout.split()
    expected = [ctypes.sizeof(kind) for kind in names.values()]
    expected += [getattr(kind, field[0]).offset for kind in names.values() for field in kind._fields_]
    assert list(map(int, printed)) == [*expected, ABI]


def test_a_file_names_where_a_game_comes_from(heaps, plugin):
    assert Path(heaps("heaps").rules.file) == plugin


def test_the_page_works_as_written(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "c_games.md").read_text(encoding="utf-8")
    face, check = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (make,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    before, export = SOURCE.read_text().split("const bl_game *boardlab_game")
    for old, new in [
        ("(state){21, 0}", "(state){((rules *)self)->heap, 0}"),
        ("count < 3", "count < ((rules *)self)->most"),
        ("->left == 21", "->left == ((rules *)self)->heap"),
        ("fields[0] > 21", "fields[0] > ((rules *)self)->heap"),
        ("(void)self, (void)rng;", "(void)rng;"),
        ("} state;", "} state;\ntypedef struct { int32_t heap, most; } rules;"),
        ("#include <string.h>", "#include <stdlib.h>"),
    ]:
        assert old in before
        before = before.replace(old, new)
    facts = re.findall(r"  table\.((?!abi|struct|cells|max_ch|board|cell_v|adj).*?);\n", export)
    rest = "".join(f"  table->{fact};\n" for fact in facts)
    rest = rest.replace("action_count = 3", "action_count = made->most").replace(
        "legal = 3", "legal = made->most"
    )
    rest = rest.replace("horizon = 21", "horizon = made->heap")
    (tmp_path / "countdown.c").write_text(before + make.replace("  ...\n", rest))
    (tmp_path / "countdown.py").write_text(face)
    exec(compile(face, str(tmp_path / "countdown.py"), "exec"), {"__name__": "page"})
    game = bl.game("countdown", heap=5, most=2)
    exec(check, {"bl": bl})
    check_game(game, perft={1: 2, 2: 4})
    assert game.initial_state().action_text(1) == "take 2"
    with pytest.raises(bl.BoardLabError, match="countdown: most must be at most heap"):
        bl.game("countdown", heap=2)
