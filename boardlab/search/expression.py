"""Agent expressions such as `mcts(rollout, iterations=1000)`.

They are parsed without eval and printed in a canonical form.

    expression = name [ "(" [ argument { "," argument } ] ")" ]
    argument   = [ name "=" ] ( expression | number | text | True | False | None | "(" numbers ")" )

The evaluator of a search is its first argument, and mix(...) takes two; all other arguments are named. An
agent can take the place of an evaluator: `maxn(mcts(rollout), depth=2)`.
"""

import copyreg
import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from boardlab.errors import OF_YOUR_OWN, BoardLabError, shown, unknown
from boardlab.evaluators import EVALUATORS, Evaluator, EvaluatorSpec
from boardlab.games.game import Game, as_game, as_seed
from boardlab.options import check_options, options_of
from boardlab.registries import Registry
from boardlab.search.agent import Agent, AgentLike, as_agent
from boardlab.search.human import terminal_human
from boardlab.search.judging import AgentJudge
from boardlab.search.registry import SEARCHES
from boardlab.search.spec import SearchSpec

Spec: TypeAlias = SearchSpec | EvaluatorSpec

PATH = re.compile(r"[.~]*[/\\]")
"""The beginning of a path, which no expression contains."""
TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z]))
    | (?P<name>[A-Za-z0-9_][\w-]*)
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<mark>[(),=\[\]])
    )""",
    re.VERBOSE,
)


class ExpressionError(BoardLabError):
    """A mistake in an expression, with its position."""

    def __init__(self, message: str, source: str, place: int) -> None:
        self.message, self.source, self.place = message, source, place
        super().__init__(message, source, place)

    def __str__(self) -> str:
        line = re.sub(r"[\r\n]", " ", self.source)
        return f"{self.message}\n  {line}\n  {' ' * self.place}^"


class _Parser:
    """A recursive-descent parser.

    Nesting is limited so that no input can overflow the stack.
    """

    MOST_NESTING = 20

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens: list[tuple[str, str, int]] = []
        place, end = 0, len(source.rstrip())
        while place < end:
            match = TOKEN.match(source, place)
            if not match or match.end() == place:
                rest = len(source) - len(source[place:].lstrip())
                hint = '; a run plays as greedy(ntuple("FOLDER")), or as its Run.expression says'
                message = f"unexpected {source[rest]!r}{hint if PATH.match(source, rest) else ''}"
                raise ExpressionError(message, source, rest)
            kind = match.lastgroup or ""
            self.tokens.append((kind, match[kind], match.start(kind)))
            place = match.end()
        self.tokens.append(("end", "", len(source)))
        self.at = 0

    def fail(self, message: str, place: int | None = None) -> ExpressionError:
        return ExpressionError(message, self.source, self.tokens[self.at][2] if place is None else place)

    def peek(self, mark: str) -> bool:
        return self.tokens[self.at][:2] == ("mark", mark)

    def take(self, mark: str) -> None:
        if not self.peek(mark):
            found = self.tokens[self.at][1]
            raise self.fail(f'expected "{mark}"' + (f' instead of "{found}"' if found else " before the end"))
        self.at += 1

    def whole(self, of: Callable[[int], Spec]) -> Spec:
        spec = of(0)
        if self.tokens[self.at][0] != "end":
            raise self.fail(f'unexpected "{self.tokens[self.at][1]}" after the expression')
        return spec

    def evaluator(self, depth: int) -> EvaluatorSpec:
        token, name, place = self.tokens[self.at]
        if token == "name" and name == HumanSpec.name:
            raise self.fail("a person cannot judge the positions of a search", place)
        if token != "name" or name in EVALUATORS or name not in AGENTS:
            judge = self.expression(EVALUATORS, "an evaluator", depth)
            assert isinstance(judge, EvaluatorSpec)
            return judge
        agent = self.expression(AGENTS, "an agent", depth)
        assert isinstance(agent, SearchSpec)
        return AgentJudge(agent)

    def expression(self, known: dict[str, type], kind: str, depth: int) -> Spec:
        token, name, place = self.tokens[self.at]
        if depth > self.MOST_NESTING:
            raise self.fail(f"more than {self.MOST_NESTING} nested expressions")
        if token != "name":
            raise self.fail(f"expected the name of {kind}")
        if name not in known:
            raise ExpressionError(str(_unknown(kind, name, known)), self.source, place)
        self.at += 1
        spec = known[name]
        evaluators = [o.name for o in options_of(spec) if isinstance(o.default, EvaluatorSpec)]
        arguments: dict[str, Any] = {}
        if self.peek("("):
            self.at += 1
            while not self.peek(")") and self.tokens[self.at][0] != "end":
                self.argument(name, spec, evaluators, arguments, depth)
                if not self.peek(")") and self.tokens[self.at][0] != "end":
                    self.take(",")
            self.take(")")
        made: Spec = spec(**arguments)
        return made

    def argument(
        self, owner: str, spec: type, evaluators: list[str], arguments: dict[str, Any], depth: int
    ) -> None:
        token, word, place = self.tokens[self.at]
        named = token == "name" and self.tokens[self.at + 1][:2] == ("mark", "=")
        if named:
            self.at += 2
            word = getattr(spec, "older_names", {}).get(word, word)
        elif token == "text" and not evaluators:
            # The only other unnamed argument: the name of a reference player or the path of a run.
            first = next(iter(options_of(spec)), None)
            if first is None or first.type is not str:
                raise self.fail("this argument needs a name, as in iterations=1000")
            word = first.name
        elif token == "name" and len(arguments) < len(evaluators) and not set(arguments) - set(evaluators):
            word = next(name for name in evaluators if name not in arguments)
        else:
            first = next(iter(options_of(spec)), None)
            if first is not None and first.type is str and not evaluators and not arguments:
                raise self.fail(f"{owner} takes text in quotes first ({first.doc}), not {word or 'this'}")
            raise self.fail("this argument needs a name, as in iterations=1000")
        known = [option.name for option in options_of(spec)]
        if word not in known:
            raise ExpressionError(str(unknown(f"parameter of {owner}", word, known)), self.source, place)
        if word in arguments:
            raise ExpressionError(f"{word} is given twice", self.source, place)
        if word in evaluators:
            arguments[word] = self.evaluator(depth + 1)
            return
        place = self.tokens[self.at][2]
        value = self.value()
        try:
            arguments[word] = check_options(owner, spec, {word: value})[word]
        except BoardLabError as error:
            raise ExpressionError(str(error), self.source, place) from None

    def value(self) -> Any:
        token, word, place = self.tokens[self.at]
        if token == "number":
            self.at += 1
            digits = word.replace("_", "")
            if len(digits) > 400:  # Python itself refuses to read thousands of digits
                raise self.fail("a number has at most 400 digits", place)
            return int(digits) if re.fullmatch(r"[-+]?\d+", digits) else float(digits)
        if token == "text":
            self.at += 1
            return re.sub(r"\\(.)", r"\1", word[1:-1])
        if token == "name" and word in ("True", "False", "None"):
            self.at += 1
            return {"True": True, "False": False, "None": None}[word]
        if self.peek("(") or self.peek("["):
            close = ")" if self.peek("(") else "]"
            self.at += 1
            numbers = []
            while not self.peek(close):
                if self.tokens[self.at][0] != "number":
                    raise self.fail("expected a number")
                numbers.append(self.value())
                if not self.peek(close):
                    self.take(",")
            self.take(close)
            return tuple(numbers)
        raise self.fail("expected a number, text in quotes, True, False or None")


def _unknown(kind: str, name: str, known: dict[str, type]) -> BoardLabError:
    if kind == "an agent" and name in EVALUATORS:
        return BoardLabError(
            f'"{name}" is an evaluator; put a search over it, as in greedy({name}) or mcts({name})'
        )
    return unknown(kind.split()[-1], name, known, OF_YOUR_OWN)


@dataclasses.dataclass(frozen=True)
class HumanSpec(SearchSpec):
    """A person at the terminal."""

    name = "human"


AGENTS: Registry[type] = Registry("agent", {**SEARCHES, "human": HumanSpec})


def parse(expression: str) -> SearchSpec:
    """Parse an agent expression into a search and its evaluator."""
    if not isinstance(expression, str):
        is_own = callable(getattr(expression, "act", expression))
        hint = "; name your own agent with boardlab.register_agent" if is_own else ""
        raise BoardLabError(f"an agent expression must be text, not {shown(expression)}{hint}")
    if not expression.strip():
        raise BoardLabError('the agent expression is empty; try "random" or "mcts(rollout, iterations=1000)"')
    parser = _Parser(expression)
    spec = parser.whole(lambda depth: parser.expression(AGENTS, "an agent", depth))
    assert isinstance(spec, SearchSpec)
    return spec


def parse_evaluator(expression: str) -> EvaluatorSpec:
    """Parse an evaluator expression; an agent becomes an evaluator."""
    if not isinstance(expression, str):
        raise BoardLabError(f"an evaluator expression must be text, not {shown(expression)}")
    parser = _Parser(expression)
    spec = parser.whole(parser.evaluator)
    assert isinstance(spec, EvaluatorSpec)
    return spec


def escaped(text: str) -> str:
    """Escape text for double quotes in an expression."""
    return re.sub(r'(["\\])', r"\\\1", text)


def format_spec(spec: Spec) -> str:
    """Return the canonical expression.

    The evaluator comes first, then every option that differs from its default, in order.
    """
    if isinstance(spec, AgentJudge):
        return format_spec(spec.agent)
    parts = []
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if isinstance(value, EvaluatorSpec):
            parts.append(format_spec(value))
        elif value != field.default:
            text = f'"{escaped(value)}"' if isinstance(value, str) else repr(value)
            parts.append(f"{field.name}={text}")
    return spec.name + (f"({', '.join(parts)})" if parts else "")


def parts_of(expression: str) -> list[Spec]:
    """The search of an agent expression and everything nested in it.

    Empty if the text is not an agent expression.
    """

    def within(spec: Spec) -> Iterator[Spec]:
        yield spec
        for field in dataclasses.fields(spec):
            value = getattr(spec, field.name)
            if isinstance(value, (SearchSpec, EvaluatorSpec)):
                yield from within(value)

    try:
        return list(within(parse(expression)))
    except BoardLabError:
        return []


def programs_of(expression: str) -> list[str]:
    """The external programs that an agent with this expression starts."""
    return [part.program for part in parts_of(expression) if isinstance(part, SearchSpec) and part.program]


def agent(expression: AgentLike, game: Game, seed: int = 0) -> Agent:
    """Make an agent for a game from an expression or a training run."""
    as_game(game)
    wanted = as_agent(expression)
    if isinstance(wanted, Agent):
        if wanted.game != game:
            raise BoardLabError(f"the agent {wanted.expression} was made for {wanted.game!r}")
        return wanted
    spec, seed = parse(wanted), as_seed(seed)
    if isinstance(spec, HumanSpec):
        human = terminal_human(game)
        human.seed = seed
        return human
    return Agent(game, spec.build(game, seed), format_spec(spec), spec.build, seed)


def evaluator(expression: str, game: Game) -> Evaluator:
    """Make an evaluator for a game from an expression."""
    as_game(game)
    spec = parse_evaluator(expression)
    return Evaluator(game, spec.build(game), format_spec(spec))


# Registered here because the class Evaluator cannot parse expressions. A copy is built from the expression.
def _made_anew(judge: Evaluator) -> tuple[Callable[..., Evaluator], tuple[str, Game]]:
    return evaluator, (judge.expression, judge.game)


copyreg.pickle(Evaluator, _made_anew)
