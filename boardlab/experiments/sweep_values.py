"""The values of a sweep's options: lists, ranges and alternatives inside expressions.

As text they are separated by commas. Commas inside brackets or quotes belong to a value:
`mcts(rollout, iterations=100),random` are two values, and so are `(3,4,5),(5,5)`.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boardlab.errors import BoardLabError, shown
from boardlab.options import Option, option_text, read_number, read_option

OPENING, CLOSING = "([{", ")]}"
QUOTES = "\"'"
MOST_STEPS = 10_000
RANGE = re.compile(r"(?P<low>[^.:]+(?:\.\d[^.:]*)?)\.\.(?P<high>[^:]+?)(?::(?P<step>[^:]+))?")
NAME_BEFORE = re.compile(r"(\w+)\s*=\s*$")


def split_list(text: str, what: str = "the list") -> list[str]:
    """Split text at the commas outside brackets and quotes; unquote quoted values."""
    parts, depth, quote, begin = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[place - 1] != "\\" else quote
        elif letter in QUOTES:
            quote = letter
        elif letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
        if depth < 0:
            break
    if depth or quote:
        raise BoardLabError(f"{what}: a {'quote' if quote else 'bracket'} is not closed in {shown(text)}")
    parts = [part.strip() for part in (*parts, text[begin:])]
    if not all(parts):
        raise BoardLabError(
            f"{what} has an empty value in {shown(text)}; values are separated by single commas"
        )
    return [_unquoted(part) for part in parts]


def _unquoted(text: str) -> str:
    """The content of a value that is quoted as a whole."""
    quote = text[0]
    is_whole = quote in QUOTES and len(text) > 1 and text.find(quote, 1) == len(text) - 1
    return text[1:-1] if is_whole else text


# ---- ranges ----


@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, or every `step`-th; `log`: even in the logarithm."""

    low: float
    high: float
    step: float | None = None
    log: bool = False

    def __str__(self) -> str:
        end = ":log" if self.log else "" if self.step is None else f":{_short(self.step)}"
        return f"{_short(self.low)}..{_short(self.high)}{end}"

    def steps(self, what: str) -> list[float]:
        """The numbers of a range with a step."""
        if self.step is None:
            raise BoardLabError(
                f"{what}: the range {self} has no end of values; a grid needs a step, as in {self.low:g}.."
                f"{self.high:g}:{(self.high - self.low) / 4:g}, and a search (--search) does without"
            )
        count = math.floor((self.high - self.low) / self.step + 1e-9) + 1
        if count > MOST_STEPS:
            raise BoardLabError(f"{what}: the range {self} has {count:,} values")
        return [round(self.low + i * self.step, 12) for i in range(count)]


def _short(number: float) -> str:
    return f"{number:.12g}"


def read_range(option: Option, text: str) -> Range | None:
    """The range that the text describes (1..4, 1..4:0.5, 0.1..10:log), or None."""
    found = RANGE.fullmatch(text.strip())
    kind = option.number
    if found is None or kind is None:
        return None
    what, step = option.shown_name, found["step"]
    try:
        low, high = (read_number(kind, found[name]) for name in ("low", "high"))
        width = None if step in (None, "log") else read_number(kind, step)
    except ValueError:
        raise BoardLabError(
            f"{what}: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:log, not {shown(text)}"
        ) from None
    return checked_range(what, Range(low, high, width, step == "log"))


def checked_range(what: str, given: Range) -> Range:
    """A range that has a number."""
    if not given.low <= given.high:
        raise BoardLabError(f"{what}: the range {given} must go up")
    if given.step is not None and given.step <= 0:
        raise BoardLabError(f"{what}: the step of the range {given} must be above 0")
    if given.log and (given.low <= 0 or given.step is not None):
        raise BoardLabError(f"{what}: a logarithmic range begins above 0 and has no step, not {given}")
    return given


# ---- values of an option ----


def read_values(owner: str, option: Option, given: Any) -> list[Any]:
    """The values that were given for an option: its own, and ranges.

    A list has several, text as well unless the option itself is text; a tuple is one value of an option that
    takes tuples.
    """
    if isinstance(given, Range):
        return [checked_range(option.shown_name, given)]
    if isinstance(given, str):
        return _read_text(owner, option, given)
    is_one = option.is_tuple and isinstance(given, tuple)
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)) and not is_one:
        values = [value for part in given for value in _of_part(owner, option, part)]
        if not values:
            raise BoardLabError(f"{option.shown_name} has no values")
        return values
    return [given]


def _of_part(owner: str, option: Option, part: Any) -> list[Any]:
    """The values of an item of a list; one that is a list is a tuple."""
    if option.is_tuple and isinstance(part, (list, tuple)):
        return [tuple(part)]
    return read_values(owner, option, part) if isinstance(part, (str, Range)) else [part]


def _read_text(owner: str, option: Option, text: str) -> list[Any]:
    if option.is_text:
        return [text]
    values: list[Any] = []
    for word in split_list(text, option.shown_name):
        found = read_range(option, word)
        values.append(read_option(owner, option, word) if found is None else found)
    return values


def value_text(value: Any) -> str:
    """A value as tables and folders show it: 3,4,5 for a tuple, no useless digits."""
    if isinstance(value, float):
        return _short(value)
    return "none" if value is None else option_text(value)


# ---- alternatives inside an expression ----


def alternatives(template: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The expressions that a template with braces stands for, and what was chosen in each.

    `mcts(iterations={100,1000})` has two: {"iterations": 100} and {"iterations": 1000}.
    """
    parts: list[str] = []
    names: list[str] = []
    lists: list[list[str]] = []
    begin = 0
    for start, end in _braces(template):
        before = NAME_BEFORE.search(template[begin:start])
        name = before[1] if before else "choice"
        names.append(name if name not in names else f"{name} {len(names) + 1}")
        lists.append(split_list(template[start + 1 : end], f"the braces of {shown(template)}"))
        parts.append(template[begin:start])
        begin = end + 1
    rest = template[begin:]
    for words in itertools.product(*lists):
        text = "".join(part + word for part, word in zip(parts, words, strict=True)) + rest
        yield dict(zip(names, map(_plain, words), strict=True)), text


def _braces(template: str) -> Iterator[tuple[int, int]]:
    """The places of braces outside quotes."""
    quote, start = "", -1
    for place, letter in enumerate(template):
        if quote:
            quote = "" if letter == quote and template[place - 1] != "\\" else quote
        elif letter in QUOTES and start < 0:
            quote = letter
        elif letter == "{":
            if start >= 0:
                raise BoardLabError(f"braces inside braces in {shown(template)}")
            start = place
        elif letter == "}":
            if start < 0:
                raise BoardLabError(f"a brace is closed that was not opened in {shown(template)}")
            yield start, place
            start = -1
    if start >= 0:
        raise BoardLabError(f"a brace is not closed in {shown(template)}")


def _plain(word: str) -> Any:
    """A word as a number, where it is one."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
