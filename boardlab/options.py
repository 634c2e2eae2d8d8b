"""Parameters of games, evaluators and searches: frozen dataclasses with a sentence a field.

The command line, agent expressions, run files and the documentation are all made from these.
"""

import dataclasses
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from boardlab.errors import BoardLabError, shown, unknown


def option(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """A field with its default, a sentence, and what it may be."""
    metadata = {"doc": doc, "low": low, "high": high, "choices": choices}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Option:
    """One parameter as documentation and error messages need it."""

    name: str
    type: Any
    default: Any
    doc: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None

    @property
    def shown_name(self) -> str:
        """The name as users write it: lambda_ is lambda, which Python keeps for itself."""
        return self.name.rstrip("_")

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        kinds = {int: "a whole number", float: "a number", bool: "True or False", str: "text"}
        bare, optional = _bare_type(self.type)
        words = kinds.get(bare, "whole numbers" if typing.get_origin(bare) is tuple else "a value")
        if bare in (int, float) or typing.get_origin(bare) is tuple:
            if self.low is not None and self.high is not None:
                words += f" from {_plain(self.low)} to {_plain(self.high)}"
            elif self.low is not None:
                words += f" of at least {_plain(self.low)}"
        return words + (" or None" if optional else "")


def _plain(number: float) -> str:
    """A bound as a person writes it: whole numbers in full."""
    return f"{int(number)}" if float(number).is_integer() else f"{number:g}"


def _bare_type(kind: Any) -> tuple[Any, bool]:
    """The type without `| None`, and whether None is allowed."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        parts = [part for part in typing.get_args(kind) if part is not type(None)]
        return parts[0], True
    return kind, False


def options_of(kind: type) -> list[Option]:
    """The options of a dataclass made with `option`, in order."""
    hints = typing.get_type_hints(kind)
    return [
        Option(
            name=field.name,
            type=hints[field.name],
            default=field.default,
            doc=field.metadata["doc"],
            low=field.metadata["low"],
            high=field.metadata["high"],
            choices=field.metadata["choices"],
        )
        for field in dataclasses.fields(kind)
        if "doc" in field.metadata
    ]


def first_line(made: Any, otherwise: str) -> str:
    """What the docstring of a user's own function or class says of it."""
    return next(iter((made.__doc__ or "").strip().splitlines()), otherwise)


KINDS = (bool, int, float, str, tuple[int, ...])
"""What an option of a user's own may be, each also with `| None`."""


def own_options(
    make: Callable[..., Any], given: Sequence[str], owner: str, reserved: Collection[str]
) -> list[Any]:
    """The keyword arguments of a user's own function, as fields for `dataclasses.make_dataclass`.

    The first arguments are `given` by BoardLab. The others are options where the annotation or the default
    tells of which kind; what else has a default is left alone: `lambda game, net=net: net`. Names that are
    `reserved` mean something already.
    """
    signature = _signature(make)
    if signature is None:
        return []
    fields = []
    for argument in list(signature.parameters.values())[len(given) :]:
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            continue
        name, default = argument.name, argument.default
        if default is argument.empty or argument.kind is argument.POSITIONAL_ONLY:
            raise BoardLabError(f"{owner}: its argument {name} needs a default, as in {name}=1.0")
        is_told = _bare_type(argument.annotation)[0] in KINDS
        kind = argument.annotation if is_told else _kind_of(default)
        if kind is None:
            continue
        if name in reserved:
            raise BoardLabError(f'{owner}: an argument cannot be called "{name}"; choose another name')
        value = _checked(owner, Option(name, kind, default, "", None, None, None), default)
        fields.append((name, kind, option(value, "")))
    try:
        signature.bind(*given)
    except TypeError:
        raise BoardLabError(
            f"{owner} is made by a function of ({', '.join(given)}), not {signature}"
        ) from None
    return fields


def _signature(make: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(make, eval_str=True)
    except Exception:  # annotations that only a type checker understands
        pass
    try:
        return inspect.signature(make)
    except (TypeError, ValueError):  # written in C: nobody can look into it
        return None


def _kind_of(default: Any) -> Any:
    if isinstance(default, tuple) and default and all(type(item) is int for item in default):
        return tuple[int, ...]
    return type(default) if type(default) in KINDS else None


def check_options(owner: str, kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with every entry checked against its option and brought to its type."""
    known = {option.name: option for option in options_of(kind)}
    checked = {}
    for name, value in values.items():
        if name not in known:
            raise unknown(f"parameter of {owner}", name, [option.shown_name for option in known.values()])
        checked[name] = _checked(owner, known[name], value)
    return checked


TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_option(owner: str, option: Option, text: str) -> Any:
    """The text as the option's kind of value; `check_options` then says whether it may be that."""
    kind, optional = _bare_type(option.type)
    if optional and text.lower() == "none":
        return None
    try:
        if kind in (int, float):
            return read_number(kind, text)
        if kind is bool:
            return TRUTH[text.lower()]
        if typing.get_origin(kind) is tuple:
            return tuple(int(part) for part in re.split(r"[,x ]", text.strip(" ()[]").replace(", ", ",")))
    except (ValueError, KeyError):
        raise BoardLabError(f'{owner}: {option.shown_name} must be {option.allowed}, not "{text}"') from None
    return text


def read_number(kind: type, text: str) -> int | float:
    """The text as that kind of number; 1e4 is a whole one. ValueError where it is none."""
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)


def option_text(value: Any) -> str:
    """A value as `read_option` reads it back: 3,4,5 for a tuple."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def option_words(values: Mapping[str, Any]) -> list[str]:
    """Options as the command line takes them: --rows 5 --exactly --no-swap."""
    words = []
    for name, value in values.items():
        key = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{key}" if value else f"--no-{key}")
        else:
            words += [f"--{key}", option_text(value)]
    return words


def _checked(owner: str, option: Option, value: Any) -> Any:
    bare, optional = _bare_type(option.type)
    place = f"{owner}: " if owner else ""
    wrong = BoardLabError(f"{place}{option.shown_name} must be {option.allowed}, not {shown(value)}")
    if value is None:
        if optional:
            return None
        raise wrong
    if typing.get_origin(bare) is tuple:
        if isinstance(value, int) and not isinstance(value, bool):
            value = (value,)
        if not isinstance(value, (list, tuple)):
            raise wrong
        numbers = tuple(_number(int, item) for item in value)
        if not numbers or any(n is None or not _in_range(option, n) for n in numbers):
            raise wrong
        return numbers
    if bare is bool:
        if isinstance(value, bool):
            return value
        raise wrong
    if bare is str:
        if not isinstance(value, str) or (option.choices and value not in option.choices):
            raise wrong
        return value
    if bare in (int, float):
        number = _number(bare, value)
        if number is None or not _in_range(option, number):
            raise wrong
        return number
    return value


def _number(kind: type, value: Any) -> int | float | None:
    """`value` as that kind of number, or None when it is none. NaN and infinity are none."""
    if isinstance(value, (bool, str, bytes, bytearray)):
        return None
    if kind is int:
        try:
            return operator.index(value)
        except TypeError:
            return int(value) if isinstance(value, float) and value.is_integer() else None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) != float("inf") and number == number else None


def _in_range(option: Option, number: float) -> bool:
    return not (
        (option.low is not None and number < option.low) or (option.high is not None and number > option.high)
    )
