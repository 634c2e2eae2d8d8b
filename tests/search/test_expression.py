"""Agent expressions: read, printed back, and refused with the place of the mistake."""

import dataclasses
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardlab as bl
from boardlab import BoardLabError
from boardlab.evaluators import EVALUATORS, EvaluatorSpec
from boardlab.options import Option, options_of
from boardlab.search import SEARCHES, SearchSpec, format_spec, parse
from boardlab.search.expression import ExpressionError

STABLE = settings(derandomize=True, deadline=None, max_examples=100)


def values_of(option: Option) -> st.SearchStrategy[object]:
    """Anything the option allows."""
    kinds = [k for k in typing.get_args(option.type) or (option.type,) if k is not type(None)]
    optional = len(typing.get_args(option.type)) > len(kinds)
    low, high = option.low, option.high
    some: st.SearchStrategy[object]
    if option.choices:
        some = st.sampled_from(option.choices)
    elif kinds == [int]:
        some = st.integers(int(low or 0), int(high if high is not None else 10**9))
    elif kinds == [float]:
        some = st.floats(low, high, allow_nan=False)
    elif kinds == [bool]:
        some = st.booleans()
    elif kinds == [str]:
        some = st.text()
    elif option.is_tuple:
        some = st.lists(st.integers(int(low or 0), int(high or 99)), min_size=1, max_size=3).map(tuple)
    elif kinds == [EvaluatorSpec]:
        some = EVALUATOR
    else:
        raise AssertionError(f"no strategy for {option}")
    return some | st.none() if optional else some


def specs(kind: type) -> st.SearchStrategy[object]:
    return st.builds(kind, **{o.name: values_of(o) for o in options_of(kind)})


# One for all, and deferred: mix(...) holds evaluators in its turn.
EVALUATOR = st.deferred(lambda: st.one_of([specs(kind) for kind in EVALUATORS.values()]))


@pytest.mark.parametrize("name", SEARCHES)
def test_what_is_printed_is_read_back(name: str) -> None:
    @STABLE
    @given(specs(SEARCHES[name]))
    def check(spec: object) -> None:
        assert isinstance(spec, SearchSpec)
        text = format_spec(spec)
        again = parse(text)
        assert again == spec
        assert format_spec(again) == text
        assert {type(v) for v in dataclasses.astuple(again)} == {type(v) for v in dataclasses.astuple(spec)}

    check()


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("random", "random"),
        (" random ( ) ", "random"),
        ("greedy", "greedy(rollout)"),
        ("mcts", "mcts(rollout)"),
        ("mcts(rollout,)", "mcts(rollout)"),
        ("mcts(rollout(),iterations=1e3,)", "mcts(rollout, iterations=1000)"),
        ("mcts(iterations=1_000)", "mcts(rollout, iterations=1000)"),
        ("mcts(evaluator=score, c=2)", "mcts(score, c=2.0)"),
        ("mcts(c=.5)", "mcts(rollout, c=0.5)"),
        ("mcts(c=5.)", "mcts(rollout, c=5.0)"),
        ("mcts(c=+1.5e+0)", "mcts(rollout, c=1.5)"),
        ("mcts(iterations=None)", "mcts(rollout)"),
        ("mcts(select='puct')", 'mcts(rollout, select="puct")'),
        ("mcts(reuse=False)", "mcts(rollout, reuse=False)"),
        ('alphabeta(score(outcome="discs"),depth=6)', 'alphabeta(score(outcome="discs"), depth=6)'),
        ("greedy(rollout(rollouts=5))\n", "greedy(rollout(rollouts=5))"),
    ],
)
def test_expressions_and_their_canonical_form(given: str, canonical: str) -> None:
    assert format_spec(parse(given)) == canonical


def test_an_agent_carries_its_canonical_expression() -> None:
    game = bl.game("connectfour")
    assert bl.agent("mcts( iterations = 1e2 )", game).expression == "mcts(rollout, iterations=100)"
    assert bl.evaluator("rollout( )", game).expression == "rollout"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("mtcs(rollout)", 0, 'unknown agent "mtcs"; did you mean "mcts"?'),
        ("mcts(rolout)", 5, 'unknown evaluator "rolout"; did you mean "rollout"?'),
        ("mcts(rollout, iteratons=5)", 14, 'did you mean "iterations"?'),
        ("mcts(rollout, iterations=0)", 25, "a whole number from 1 to"),
        ("mcts(rollout, iterations=1.5)", 25, "a whole number"),
        ("mcts(rollout, iterations=x)", 25, "expected a number"),
        ("mcts(rollout, iterations=1, iterations=2)", 28, "iterations is given twice"),
        ("mcts(rollout, 100)", 14, "needs a name"),
        ("mcts(rollout rollout)", 13, 'expected ","'),
        ("mcts(rollout", 12, 'expected ")" before the end'),
        ("mcts(rollout,", 13, 'expected ")" before the end'),
        ("mcts(rollout))", 13, 'unexpected ")" after the expression'),
        ("mcts(select='put')", 12, 'one of "uct", "puct"'),
        ("mcts(reuse=1)", 11, "True or False"),
        ("mcts(c='1')", 7, "a number"),
        ("mcts(c=1e999)", 7, "a number"),
        ("mcts(c=nan)", 7, "expected a number"),
        ("mcts(c=" + "9" * 5000 + ")", 7, "digits"),
        ("mcts(seconds=(1, 2))", 13, "a number"),
        ("mcts(human)", 5, "a person cannot judge the positions of a search"),
        ("rollout", 0, '"rollout" is an evaluator'),
        ("mcts(rollout(rollout))", 13, "needs a name"),
        ("mcts(#)", 5, "unexpected '#'"),
        ("mcts('rollout)", 5, "unexpected"),
        ("random(x=1)", 7, "there is none"),
        ("=", 0, "expected the name"),
        ("(mcts)", 0, "expected the name"),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, place: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert words in caught.value.message
    assert caught.value.place == place
    *_, source, pointer = str(caught.value).split("\n")
    assert source == "  " + text
    assert pointer == " " * (place + 2) + "^"


def test_what_is_no_expression_is_refused() -> None:
    for wrong in ("", "   ", None, 3, b"random", ["random"], object(), "()", "\x00", "mcts(\ud800)"):
        with pytest.raises(BoardLabError):
            parse(wrong)  # type: ignore[arg-type]
        with pytest.raises(BoardLabError):
            bl.evaluator(wrong, bl.game("nim"))  # type: ignore[arg-type]
    for wrong in (None, "nim", 3, bl.game):
        with pytest.raises(BoardLabError):
            bl.agent("random", wrong)  # type: ignore[arg-type]
        with pytest.raises(BoardLabError):
            bl.evaluator("score", wrong)  # type: ignore[arg-type]


def test_deep_nesting_and_long_texts_are_refused_at_once() -> None:
    for text in (
        "mcts(" * 100_000,
        "greedy(" + "rollout(" * 100_000 + ")" * 100_001,
        "(" * 100_000,
        "mcts(iterations=" + "(" * 100_000,
        "[" * 100_000,
        "random" + " " * 1_000_000 + "x",
        "mcts(rollout" + ", " * 100_000 + ")",
        '"' + "\\" * 100_001,
    ):
        with pytest.raises(BoardLabError):
            parse(text)


PIECES = st.sampled_from(
    [*SEARCHES, *EVALUATORS, "human", "iterations", "evaluator", "depth", "outcome", "(", ")", ",",
     "=", "[", "]", "1", "-3", "1e3", ".5", "_", "True", "None", '"discs"', "'x'", '"', "\\", " ",
     "\n", "é", "٣", "\ud800", "\x00", "1__0", "--", "+"]
)  # fmt: skip


@settings(STABLE, max_examples=500)
@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40))
def test_garbage_is_refused_with_a_sentence_and_nothing_else(text: str) -> None:
    try:
        spec = parse(text)
    except BoardLabError as error:
        assert str(error)
        return
    assert parse(format_spec(spec)) == spec
