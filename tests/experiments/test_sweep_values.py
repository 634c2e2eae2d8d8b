"""How the values of a sweep are written: lists, ranges, alternatives inside expressions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardlab as bl
from boardlab.experiments.sweep_values import Range, alternatives, read_values, split_list, value_text
from boardlab.games.nim import Nim
from boardlab.learners.ntuple.settings import TdNTuple
from boardlab.options import options_of

OPTIONS = {option.shown_name: option for kind in (TdNTuple, Nim) for option in options_of(kind)}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1,2,4", ["1", "2", "4"]),
        (" 1 , 2", ["1", "2"]),
        ("mcts(rollout, iterations=10),random", ["mcts(rollout, iterations=10)", "random"]),
        ("(3,4,5),[5,5],3x4", ["(3,4,5)", "[5,5]", "3x4"]),
        ("'0,1,2 / 3,4,5',@tuples.txt", ["0,1,2 / 3,4,5", "@tuples.txt"]),
        ('greedy(ntuple("a,b")),x', ['greedy(ntuple("a,b"))', "x"]),
        ("'a','b'", ["a", "b"]),
    ],
)
def test_commas_inside_brackets_and_quotes_belong_to_a_value(text, parts):
    assert split_list(text) == parts


@pytest.mark.parametrize("text", ["", "1,", ",1", "1,,2", "(1,2", "1)", "'a"])
def test_a_list_with_a_mistake_is_refused(text):
    with pytest.raises(bl.BoardLabError, match=r"empty value|not closed"):
        split_list(text, "alpha")


@given(st.lists(st.text("abc(),' ", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_whatever_is_quoted_comes_back(values):
    values = [re.sub("'", "", value).strip() or "x" for value in values]
    assert split_list(",".join(f"'{value}'" for value in values)) == values


@pytest.mark.parametrize(
    ("name", "given", "values"),
    [
        ("alpha", "1,2.5", [1.0, 2.5]),
        ("alpha", [1, "2,3", 4.0], [1, 2.0, 3.0, 4.0]),
        ("alpha", 1, [1]),
        ("alpha", range(3), [0, 1, 2]),
        ("alpha_final", "none,0.1", [None, 0.1]),
        ("compact", "true,no", [True, False]),
        ("tuples", "10..30:10", [Range(10, 30, 10)]),
        ("alpha", "0.1..10:log", [Range(0.1, 10, log=True)]),
        ("epsilon", "0..1", [Range(0, 1)]),
        ("heaps", "(3,4),3x4x5", [(3, 4), (3, 4, 5)]),
        ("heaps", (3, 4), [(3, 4)]),
        ("heaps", [(3, 4), [5, 5]], [(3, 4), (5, 5)]),
        ("windows", "2x3 1x4", ["2x3 1x4"]),
        ("windows", ["2x3 1x4", "4x4"], ["2x3 1x4", "4x4"]),
    ],
)
def test_values_are_read_by_the_type_of_their_option(name, given, values):
    assert read_values("owner", OPTIONS[name], given) == values


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2..1", "the range 2..1 must go up"),
        ("1..2:0", "must be above 0"),
        ("0..2:log", "begins above 0"),
        ("1..x", "a range is LOW..HIGH"),
        ("1..2:3:4", "must be a number"),
    ],
)
def test_a_range_with_a_mistake_is_refused(text, sentence):
    with pytest.raises(bl.BoardLabError, match=sentence):
        read_values("owner", OPTIONS["alpha"], text)


def test_a_range_with_a_step_has_its_end():
    assert Range(0, 0.3, 0.1).steps("alpha") == [0, 0.1, 0.2, 0.3]
    assert str(Range(0.1, 10, log=True)) == "0.1..10:log" and str(Range(1, 4, 0.5)) == "1..4:0.5"
    with pytest.raises(bl.BoardLabError, match="a grid needs a step"):
        Range(0, 1).steps("alpha")


def test_braces_stand_for_several_expressions():
    found = list(alternatives("mcts(ntuple(RUN), iterations={10,100}, cpuct={1,2.5})"))
    assert [chosen for chosen, _ in found][:2] == [
        {"iterations": 10, "cpuct": 1},
        {"iterations": 10, "cpuct": 2.5},
    ]
    assert found[-1][1] == "mcts(ntuple(RUN), iterations=100, cpuct=2.5)"
    assert list(alternatives("random")) == [({}, "random")]
    assert [text for _, text in alternatives("{random,mcts(iterations=5)}")] == [
        "random",
        "mcts(iterations=5)",
    ]
    assert [text for _, text in alternatives('ntuple("a{b")')] == ['ntuple("a{b")']


@pytest.mark.parametrize("text", ["a{1", "a}", "a{{1,2},3}", "a{}"])
def test_braces_with_a_mistake_are_refused(text):
    with pytest.raises(bl.BoardLabError, match=r"brace|empty"):
        list(alternatives(text))


def test_values_are_shown_as_they_are_typed():
    assert list(map(value_text, (1.0, 0.1, True, None, (3, 4), "x"))) == [
        "1",
        "0.1",
        "True",
        "none",
        "3,4",
        "x",
    ]
