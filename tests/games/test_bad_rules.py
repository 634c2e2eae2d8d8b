"""Rules with one fault each, in every form that a game may have: the kit names the fault and the position."""

import re
import sys

import pytest
from test_testing import COMPILER, added, build

import boardlab as bl
from boardlab.errors import BoardLabWarning
from boardlab.games.flat import accepting
from boardlab.testing import ConformanceError, check_game

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

# ---- C ----

LEFT = "((const state *)s)->left"
APPLIED = "->to_move ^= 1;"
LISTED = "int32_t count = 0;\n  while"


def after_apply(code):
    """One more statement in apply."""
    return APPLIED, f"{APPLIED} {code}"


def in_legal(code):
    """One more statement at the beginning of legal."""
    return LISTED, f"{code} {LISTED}"


FAULTS = {
    "lists too many actions": (("count < 3 &&", "count < 30 &&"), "legal lists 21 actions; max_legal is 3"),
    "writes behind the state": (after_apply("((int32_t *)s)[2] = 7;"), "apply writes outside of the state"),
    "writes before the state": (after_apply("((int32_t *)s)[-1] = 7;"), "apply writes outside of the state"),
    "writes behind its answer": (
        ("i < 21; ++i", "i < 22; ++i"),
        "board_vector writes outside of its answer, which has room for `cells`",
    ),
    "changes what it may only read": (
        in_legal("((state *)(void *)s)->left -= 1;"),
        "legal changes the state, which it may only read",
    ),
    "writes anywhere": (
        after_apply("*(volatile int *)8 = 1;"),
        r"apply of action \d ended the process: it used memory that is not its own \(SIGSEGV\)",
    ),
    "divides by zero": (
        after_apply(f"volatile int zero = 0; if ({LEFT} < 9) zero = 7 / zero;"),
        r"apply of action \d ended the process: it divided by zero \(SIGFPE\)",
    ),
    "aborts": (in_legal(f"if ({LEFT} < 9) abort();"), "legal ended the process: it aborted"),
    "ends Python": (in_legal(f"if ({LEFT} < 9) exit(0);"), "legal ended the process: it called exit"),
    "never returns": (
        in_legal(f"for (volatile int again = 1; {LEFT} < 9 && again;) {{}}"),
        "legal does not return within 1 seconds",
    ),
    "lists actions that are none": (
        ("actions[count] = count,", "actions[count] = count + 1,"),
        "outside 0..2",
    ),
}


@needs_compiler
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_c_is_named_with_function_and_position(tmp_path, fault):
    edit, said = FAULTS[fault]
    includes = ("#include <string.h>", "#include <stdlib.h>\n#include <string.h>")
    game = build(tmp_path, edit, includes, name=f"bad{list(FAULTS).index(fault)}")
    with pytest.raises(ConformanceError, match=said) as raised:
        check_game(game, patience=1 if fault == "never returns" else 60)
    assert re.search(r", in\n\d+ [01]$", str(raised.value))


HANGS_IN_A_COPY = """#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pid_t loader;
static void hang(void) { while (getpid() != loader) pause(); }
__attribute__((constructor)) static void register_it(void) { loader = getpid(); atexit(hang); }
"""


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_no_handler_of_the_process_keeps_its_copy_from_ending(tmp_path):
    edits = in_legal(f"if ({LEFT} < 9) exit(0);"), ("#include <string.h>", HANGS_IN_A_COPY)
    with pytest.raises(ConformanceError, match="legal ended the process: it called exit"):
        check_game(build(tmp_path, *edits, name="hanging"), patience=10)


@needs_compiler
def test_a_symmetry_in_c_that_breaks_the_rules_is_named(tmp_path):
    edits = added(
        "void turn(void *self, uint64_t g, void *s) { (void)self; if (g) ((state *)s)->left ^= 1; }",
        "symmetry = turn",
    )
    more = added(
        "int32_t turned(void *self, uint64_t g, const void *s, int32_t a) { (void)self, (void)g, (void)s; return a; }",
        "symmetries = 2, table.symmetry_action = turned",
    )
    game = build(tmp_path, *edits, *more, name="turning")
    with pytest.raises(ConformanceError, match=r"symmetry 1 .*, in\n\d+ [01]$"):
        check_game(game)


@needs_compiler
def test_a_game_in_c_that_never_ends_is_shown(tmp_path):
    game = build(tmp_path, after_apply(f"if ({LEFT} < 4) ((state *)s)->left += 9;"), name="endless")
    with pytest.warns(UserWarning, match=r"none of 20 random games ended .* The last one reached\n\d+ [01]"):
        check_game(game)


# ---- Python, plain and compiled ----


class Plain(bl.PythonGame):
    """Take one, two or three; position: left, mover, and a list to write to."""

    name = "plain"
    action_count = 3

    def initial_state(self, rng):
        return (12, 0)

    def player(self, position):
        return position[1] if position[0] else bl.TERMINAL

    def legal(self, position):
        return range(min(3, position[0]))

    def apply(self, position, action):
        return (position[0] - action - 1, 1 - position[1])

    def scores(self, position):
        return (0, 0) if position[0] else (-1, 1) if position[1] == 0 else (1, -1)


class Flat(bl.PythonGame):
    """The same over a declared state."""

    name = "flat"
    action_count = 3
    state = (("left", "i4"), ("mover", "i1"), ("marks", "i1", (12,)))

    def initial_state(self, s):
        s.left = 12

    def player(self, s):
        return s.mover if s.left else bl.TERMINAL

    def legal(self, s):
        yield from range(min(3, s.left))

    def apply(self, s, action):
        s.left -= action + 1
        s.mover = 1 - s.mover

    def scores(self, s):
        if s.left:
            return 0, 0
        return (-1, 1) if s.mover == 0 else (1, -1)


def endless(left):
    """Never return, near the end."""
    while left < 6:
        pass


def plainly(**functions):
    return bl.register_game(type("BadPlain", (Plain,), {"name": "badplain", **functions}))


def flatly(**functions):
    return bl.register_game(compiled=True)(type("BadFlat", (Flat,), {"name": "badflat", **functions}))


def plain_symmetry(self, g, position):
    return (position[0] ^ g, position[1]) if position[0] > 1 else position


def flat_symmetry(self, g, s):
    if s.left > 1:
        s.left ^= g


def same_action(self, g, s, action):
    return action


def left_of(s):
    return s[0] if isinstance(s, tuple) else s.left


def no_such_action(self, s):
    return [7]


def raises(self, s):
    return [1 // (left_of(s) - 3) * 0] if left_of(s) else []


def loops(self, s):
    endless(left_of(s))
    return range(min(3, left_of(s)))


def writes_beyond(self, s, action):
    marks = [0] * 12 if isinstance(s, tuple) else s.marks
    marks[left_of(s) + 5] = 1


PLAIN_TURN = {"symmetries": 2, "symmetry": plain_symmetry, "symmetry_action": same_action}
FLAT_TURN = {"symmetries": 2, "symmetry": flat_symmetry, "symmetry_action": same_action}
LINE = r"test_bad_rules.py, line \d+: "
LEFT_3, ANY = r"fields: 3 \d", r"fields: \d+ \d"


@pytest.mark.parametrize(
    ("form", "functions", "said"),
    [
        (plainly, {"legal": no_such_action}, r"legal must return .* not \[7\] in the position \(12, 0\)"),
        (
            flatly,
            {"legal": no_such_action},
            r"legal must yield .* not \[7\], in the position left=12, mover=0",
        ),
        (plainly, {"legal": raises}, rf"{LINE}ZeroDivisionError: .*, in\n(.*\n)*{LEFT_3}"),
        (flatly, {"legal": raises}, rf"legal failed: .*{LINE}ZeroDivisionError: .*, in the position left=3"),
        (plainly, {"apply": writes_beyond}, rf"{LINE}IndexError: .*, in\n(.*\n)*fields: 12 0"),
        (
            flatly,
            {"apply": writes_beyond},
            rf"apply\(action=\d\) failed: .*{LINE}IndexError: .* left=12, mover=0",
        ),
        (plainly, {"legal": loops}, rf"{LINE}the rules do not return within 1 seconds, in\n(.*\n)*{ANY}"),
        (flatly, {"legal": loops}, rf"{LINE}the rules do not return within 1 seconds, in .*{ANY}"),
        (plainly, PLAIN_TURN, rf"symmetry 1 .*, in\n(.*\n)*{ANY}"),
        (flatly, FLAT_TURN, rf"badflat was not accepted: .*symmetry 1 .*, in .*{ANY}"),
    ],
)
def test_a_fault_in_python_is_named_with_the_position(monkeypatch, form, functions, said):
    if functions.get("legal") is loops:
        monkeypatch.setitem(check_game.__kwdefaults__, "patience", 1)
        monkeypatch.setattr(accepting, "PATIENCE", 1)  # asked before rules are compiled
    with pytest.raises((ConformanceError, bl.BoardLabError), match=said):
        check_game(bl.game(form(**functions).name))


def goes_round(self, position, action):
    return ((position[0] - action - 1) % 9 + 3, 1 - position[1])


def test_a_game_that_never_ends_is_shown():
    with pytest.warns(
        UserWarning, match=r"none of 20 random games ended .* The last one reached\n(.*\n)*fields: \d+"
    ):
        check_game(bl.game(plainly(apply=goes_round).name))


def test_a_compiled_game_that_never_ends_is_said_once():
    def apply(self, s, action):
        s.mover = 1 - s.mover

    with pytest.warns(BoardLabWarning, match="none of 20 random games ended") as caught:
        bl.game(flatly(apply=apply).name).initial_state()
    assert len(caught) == 1
