"""The kit itself must catch games that break the rules; each broken game is a C library with one fault."""

import shutil
import subprocess
from pathlib import Path

import pytest

import boardlab as bl
from boardlab.games.game import Game
from boardlab.games.library import Library
from boardlab.testing import ConformanceError, check_game

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "c_game" / "countdown.c"
EVERYTHING = ROOT / "tests" / "games" / "everything.c"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def build(folder, *edits, name="countdown", source=SOURCE):
    """The example game (or another) with some lines replaced, compiled and loaded."""
    text = source.read_text()
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(text)
    command = [COMPILER, "-shared", "-fPIC", "-I", ROOT / "engine", source, "-o", library]
    subprocess.run(list(map(str, command)), check=True)
    return bl.load_game(str(library))


def test_a_game_in_c_is_a_game_like_any_other(tmp_path):
    game = build(tmp_path)
    check_game(game, perft={1: 3, 2: 9})
    decision = bl.agent("alphabeta(depth=21)", game).act(game.initial_state())
    assert decision.action == 0 and decision.scores[0] == 1  # leave a multiple of four
    result = bl.match(game, ["mcts(iterations=300)", "random"], games=40)
    assert result.wins[0] > 35
    assert bl.match(game, ["mcts(iterations=50)", "mc"], games=6, threads=2).games == 6


FAULTS = {
    "legal out of range": ("actions[count] = count,", "actions[count] = count + 1,", "outside 0..2"),
    "legal not ascending": ("actions[count] = count,", "actions[count] = 2 - count,", "must ascend"),
    "terminal with actions": (
        "? ((const state *)s)->to_move : BL_TERMINAL",
        "? ((const state *)s)->to_move : 0",
        "exactly terminal states",
    ),
    "no such player": ("(state){21, 0};", "(state){21, 5};", "there is no player 5"),
    "not zero-sum": ("out[1] = -out[0]", "out[1] = out[0]", "does not sum to zero"),
    "score outside its range": ("->to_move ? 1 : -1", "->to_move ? 7 : -7", "score .* outside its range"),
    "text does not read back": (
        "(state){fields[0], fields[1]}",
        "(state){fields[0], 0}",
        "to_text does not read back",
    ),
    "a position that cannot be read": ("fields[0] > 21", "fields[0] > 20", "to_text does not read back"),
    "wrong last player": (
        "1 - ((const state *)s)->to_move",
        "((const state *)s)->to_move",
        "player 0 moved, not 1",
    ),
    "an action without effect": ("->left -= action + 1;", "->left -= 0; return;", "changed nothing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_kit_catches(tmp_path, fault):
    before, after, says = FAULTS[fault]
    game = build(tmp_path, (before, after), name=f"fault{list(FAULTS).index(fault)}")
    with pytest.raises(ConformanceError, match=says):
        check_game(game)


def test_a_game_that_uses_the_whole_contract_passes(tmp_path):
    game = build(tmp_path, name="everything", source=EVERYTHING)
    check_game(game, games=30, perft={1: 3, 2: 9, 3: 45, 4: 180})


def test_hidden_cards_count_as_often_as_they_are_dealt(tmp_path):
    """The last card against one that is 1 as often as 2 and 3 together: 3 - 1.75, whatever is marked."""
    state = build(tmp_path, name="everything", source=EVERYTHING).initial_state()
    for outcome in (2, 0, 1):
        state.apply(outcome)
    decision = bl.agent("expectimax(depth=4)", state.game).act(state)
    assert set(decision.values.values()) == {1.25}


def added(function, table):
    """Edits that give the game one more function."""
    return (
        ("const bl_game *boardlab_game", f"static {function}\nconst bl_game *boardlab_game"),
        ("  return &table;", f"  table.{table};\n  return &table;"),
    )


def changes(body):
    declared = "int32_t changes(void *self, void *s, int32_t action, int32_t viewer, bl_cell_change *out)"
    return added(f"{declared} {{ {body} }}", "apply_changes = changes")


def playout(body):
    declared = "int32_t play(void *self, void *s, uint64_t *rng, int32_t most, int32_t cut)"
    return added(f"{declared} {{ {body} }}", "playout = play")


PLANE = "(float)((const state *)s)->card[viewer]"
FEATURE = PLANE.replace("float", "double")
ADJACENT = "neighbours[n++] = cell + 1"
TURNED = "s->cell[i] = old.cell[g ? CELLS - 1 - i : i];"
HIDE = "s->card[1 - viewer] = UNSEEN;"
DRAWN = "(int8_t)(drawn < 2 ? 1 : drawn)"
LISTED = "full[i].card[1 - viewer] = (int8_t)(i + 1)"
ALL_THREE = "n = hidden ? 3 : 1"
WEIGHTS = "probabilities[i] = hidden ? DEAL[i] : 1"

BROKEN = {
    # facts
    "a set-up that no seed repeats": [
        ("memset(s, 0, sizeof(state));", "static int n; memset(s, n++ % 2, sizeof(state));"),
        "the same seed must give the same initial state",
    ],
    "a reward named like the score": [('"ends"', '"score"'), "named rewards must differ"],
    "a neighbour that does not know it": [("if (cell > 0 && cell < CELLS)", "if (0)"), "adjacency of cell 0"],
    "a cell beside itself": [(ADJACENT, "neighbours[n++] = cell"), "adjacency of cell 0"],
    "a neighbour listed twice": [(ADJACENT, f"{ADJACENT}, {ADJACENT}"), "adjacency of cell 0"],
    "a neighbour off the board": [(ADJACENT, "neighbours[n++] = cell + 6"), "adjacency of cell 0"],
    # every position
    "no such last player": [
        ("1 - to_move(s) : BL_CHANCE", "1 - to_move(s) : 7"),
        "there is no last player 7",
    ],
    "a score that is not a number": [("s->card[0] - s->card[1] : 0", "NAN : 0"), "score must be finite"],
    "a reward outside its range": [("range[0] = -2", "range[0] = 2"), "ends .* is outside its range"],
    "fewer than no actions left": [("return count(s, 0);", "return count(s, 0) - 1;"), "moves_left must not"],
    # chance
    "an outcome that never comes": [("{0.5, 0.25, 0.25}", "{0.5, 0.5, 0}"), "has no probability"],
    "probabilities above one": [("{0.5, 0.25, 0.25}", "{0.5, 0.5, 0.5}"), r"probabilities sum to 1\.5"],
    "a draw that cannot happen": [
        *added(
            "int32_t draw(void *self, const void *s, uint64_t *rng) { return 4; }", "sample_chance = draw"
        ),
        "sample_chance drew 4",
    ],
    # what learners read
    "a cell outside its values": [("return STONE + 1;", "return STONE;"), "board vector .* leaves"],
    "a plane that is not a number": [(PLANE, "NAN"), "planes must be finite"],
    "a feature that is not a number": [(FEATURE, "NAN"), "features must be finite"],
    "an index outside its table": [
        ("indices[0] = ", "indices[0] = 2 + "),
        "feature indices .* leave their tables",
    ],
    "a stage too many": [("return count(s, STONE);", "return 2 * count(s, STONE);"), "stage 2 is outside"],
    # symmetries
    "an identity that is none": [(TURNED, "s->cell[i] = 1;"), "symmetry 0 must be the identity"],
    "a mirror that changes who moves": [
        (TURNED, TURNED + " if (g) s->card[0] = s->card[1] = 1, s->cell[0] = STONE;"),
        "symmetry 1 changes who moves",
    ],
    "a score that the mirror changes": [
        ("s->card[0] - s->card[1] : 0", "s->cell[0] == 1 : 0"),
        "symmetry 1 changes the scores",
    ],
    "a mirror that leaves the game": [
        (TURNED, TURNED + " if (g) s->cell[0] = 7;"),
        "symmetry 1 makes an impossible state",
    ],
    "a mirror of actions that is none": [
        ("CELLS - 1 - action : action", "0 : action"),
        "symmetry 1 breaks the legal actions",
    ],
    "an action that the mirror changes": [
        (
            "s->cell[action] = (int8_t)(1 + to_move(s));",
            "{ if (action == 0) s->card[to_move(s)] = 1; s->cell[action] = (int8_t)(1 + to_move(s)); }",
        ),
        "symmetry 1 does not commute with action [04]",
    ],
    "dice that the mirror changes": [
        ("{0.3, 0.15, 0.1,", "{0.15, 0.3, 0.1,"),
        "symmetry 1 does not commute with chance",
    ],
    "a mirror of cells that is none": [
        ("source[i] = g ? CELLS - 1 - i : i", "source[i] = i"),
        "symmetry 1 and its fast form differ",
    ],
    # hidden cards
    "concealing that is undone": [
        (HIDE, "s->card[1 - viewer] ^= UNSEEN;"),
        "what player [01] sees cannot be observed again",
    ],
    "concealing the stone": [(HIDE, HIDE + " memset(s->cell, 0, CELLS);"), "concealing changes who moves"],
    "actions that tell the other's card": [
        (
            "if (!s->cell[i])",
            "if (!s->cell[i] && (i != 2 || s->card[1 - to_move(s)] != 3 || count(s, 0) == 1))",
        ),
        "concealing changes the player's own legal actions",
    ],
    "a board vector that tells": [
        ("(uint8_t)s->card[viewer]", "(uint8_t)s->card[1 - viewer]"),
        "board vector, planes or features show player [01]",
    ],
    "planes that tell": [
        (PLANE, "((const state *)s)->card[1 - viewer]"),
        "board vector, planes or features show player [01]",
    ],
    "features that tell": [
        (FEATURE, "((const state *)s)->card[1 - viewer]"),
        "board vector, planes or features show player [01]",
    ],
    "a text that tells": [
        (HIDE, "s->card[1 - viewer] |= UNSEEN;"),
        ("fields[i] = bytes[i];", "fields[i] = bytes[i] & 3;"),
        "the text shows player [01] hidden parts",
    ],
    "a text of another deal": [
        ("fields[i] = bytes[i];", "fields[i] = bytes[i] == UNSEEN ? 0 : bytes[i];"),
        "what player [01] sees reads back as something else",
    ],
    "determinizing the own card": [
        (f"= {DRAWN}", "= s->card[viewer] = 1"),
        "determinize contradicts what player",
    ],
    "determinizing the row": [
        *added(
            "int32_t see(void *self, const void *s, int32_t viewer, uint8_t *key) { return key[0] = 1; }",
            "observe = see, table.observation_size = 1",
        ),
        (f"= {DRAWN};", f"= {DRAWN}, s->cell[0] = 2;"),
        "could tell a determinized state apart",
    ],
    "determinizing to a card that is not in the pack": [
        (DRAWN, "4"),
        "determinize makes an impossible state",
    ],
    "completions with a card that is not in the pack": [
        (LISTED, LISTED.replace("i + 1", "i + 2")),
        r"a completion is impossible \(.*: fields are from 0 to 3\)",
    ],
    "completions above one": [(WEIGHTS, "probabilities[i] = 1"), "completions sum to 3"],
    "completions of another deal": [
        (LISTED, f"{LISTED}, full[i].card[viewer] = 2"),
        "a completion contradicts what player",
    ],
    "a completion listed twice": [
        (LISTED, LISTED.replace("i + 1", "i / 2 + 1")),
        "a completion is listed twice",
    ],
    "draws that are no completion": [
        (DRAWN, "3"),
        (ALL_THREE, "n = hidden ? 2 : 1"),
        (WEIGHTS, "probabilities[i] = hidden ? 0.5 : 1"),
        "determinize left the completions",
    ],
    "completions without the truth": [
        (DRAWN, "1"),
        (ALL_THREE, "n = 1"),
        (WEIGHTS, "probabilities[i] = 1"),
        "the true state is not among the completions",
    ],
    "draws that come too often": [(DRAWN, "1"), "determinize drew a completion of probability 0.[25]"],
    # steps and playouts
    "a change of a cell that was not so": [
        *changes("apply(self, s, action); out[0] = (bl_cell_change){0, 9, 0}; return 1;"),
        "wrong old value of cell 0",
    ],
    "a change that is not told": [
        *changes("apply(self, s, action); return 0;"),
        "apply_changes misses a change",
    ],
    "a change that is not made": [*changes("return 0;"), "the same action led to two positions"],
    "a playout that no seed repeats": [*playout("static int n; return n++;"), "a seed must repeat a playout"],
    "a playout that stops": [*playout("return 0;"), "a playout stopped before the end"],
    "a playout that is too long": [
        *playout("return most + 1;"),
        "playout returns 5, which is not a number of actions up to max_actions",
    ],
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_kit_catches_in_a_game_with_all_parts(tmp_path, fault):
    *edits, says = BROKEN[fault]
    game = build(tmp_path, *edits, name=f"broken{list(BROKEN).index(fault)}", source=EVERYTHING)
    with pytest.raises(ConformanceError, match=says):
        check_game(game)


@pytest.mark.parametrize(
    ("name", "method", "says"),
    [
        ("action_text", lambda self, state, action: "a", "two actions have the same name"),
        ("chance_text", lambda self, state, outcome: "a", "two actions have the same name"),
        ("parse_action", lambda self, state, text: 0, '"[1-4]" does not read back'),
        ("to_svg", lambda self, state: "<svg>", "the drawing is not valid XML"),
    ],
)
def test_the_kit_catches_in_the_rules(tmp_path, name, method, says):
    library = build(tmp_path, name="everything", source=EVERYTHING).rules.path
    rules = type("Broken", (Library,), {name: method})
    with pytest.raises(ConformanceError, match=says):
        check_game(Game(rules(path=library)))


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (("abi_version = BL_GAME_ABI", "abi_version = 99"), "contract version 99"),
        (("players = 2", "players = 9"), "players must be from 1 to 8"),
        (("table.legal = legal;", ""), "missing"),
        (("state_size = sizeof(state)", "state_size = 0"), "state_size"),
        (("max_score = 1", "max_score = -1"), "min_score"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(tmp_path, edit, says):
    with pytest.raises(bl.BoardLabError, match=says):
        build(tmp_path, edit, name=f"bad{abs(hash(edit)) % 10**6}")


def test_a_library_that_is_none_is_refused(tmp_path):
    with pytest.raises(bl.BoardLabError, match="no game library"):
        bl.load_game(str(tmp_path / "nothing.so"))
    (tmp_path / "text.so").write_text("not a library")
    with pytest.raises(bl.BoardLabError, match="cannot be loaded"):
        bl.load_game(str(tmp_path / "text.so"))


def test_wrong_perft_is_reported():
    with pytest.raises(ConformanceError, match=r"perft\(2\) is 72, not 73"):
        check_game(bl.game("tictactoe"), games=1, perft={2: 73})
