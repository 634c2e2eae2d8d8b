"""Options of games, evaluators, searches and learners: dataclass fields.

The command line, agent expressions, run files and the documentation are made from them.
"""

import dataclasses
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from boardlab.errors import BoardLabError, shown, unknown


class Not:
    """Every value except some."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __contains__(self, value: object) -> bool:
        return value not in self.values


Need = Mapping[str, Container[Any]]
"""Switches, each with the values that turn it on. At least one of them must be on."""


def option(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    needs: Need | Sequence[Need] = (),
) -> Any:
    """A dataclass field with a default, a help text and the values that it may have.

    The option does nothing unless what it `needs` is on, as in `needs={"search": Not("off")}`; where it has
    several needs, all of them.
    """
    every = (needs,) if isinstance(needs, Mapping) else tuple(needs)
    metadata = {"doc": doc, "low": low, "high": high, "choices": choices, "needs": every}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Option:
    """One option, with what documentation and error messages need."""

    name: str
    type: Any
    default: Any
    doc: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None
    needs: Sequence[Need] = ()

    @property
    def shown_name(self) -> str:
        """The name as users write it: lambda_ is lambda, a keyword of Python."""
        return self.name.rstrip("_")

    @property
    def may_be_none(self) -> bool:
        """Whether None is a value of it, and the text "none" is not."""
        bare, optional = _bare_type(self.type)
        return optional and bare is not str

    @property
    def is_text(self) -> bool:
        """Whether its values are text."""
        return _bare_type(self.type)[0] is str

    @property
    def is_tuple(self) -> bool:
        """Whether its values are several whole numbers."""
        return typing.get_origin(_bare_type(self.type)[0]) is tuple

    @property
    def number(self) -> type | None:
        """The type of single numbers, int or float; None for other values."""
        bare = _bare_type(self.type)[0]
        return bare if bare in (int, float) else None

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
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


def _own_fields(kind: type) -> list[Option]:
    """The options of a dataclass in order, without those of its groups."""
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
            needs=field.metadata["needs"],
        )
        for field in dataclasses.fields(kind)
        if "doc" in field.metadata
    ]


def first_line(made: Any, otherwise: str) -> str:
    """The first line of the docstring of a user's function or class."""
    return next(iter((made.__doc__ or "").strip().splitlines()), otherwise)


KINDS = (bool, int, float, str, tuple[int, ...])
"""Types of a user's own options, each also with `| None`."""


def own_options(
    make: Callable[..., Any], given: Sequence[str], owner: str, reserved: Collection[str]
) -> list[Any]:
    """The keyword arguments of a user's function, as fields for `make_dataclass`.

    BoardLab passes the first arguments, `given`. The others are options if their annotation or default is of
    a known type; others with a default are left alone: `lambda game, net=net: net`. A default made with
    `option` adds a help text and the values that are allowed. Names in `reserved` are refused.
    """
    signature = _signature(make)
    if signature is None:
        return []
    fields = []
    for argument in list(signature.parameters.values())[len(given) :]:
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            continue
        name, default = argument.name, argument.default
        declared = default if isinstance(default, dataclasses.Field) and "doc" in default.metadata else None
        default = default if declared is None else declared.default
        if default is argument.empty or argument.kind is argument.POSITIONAL_ONLY:
            raise BoardLabError(f"{owner}: its argument {name} needs a default, as in {name}=1.0")
        is_annotated = _bare_type(argument.annotation)[0] in KINDS
        kind = argument.annotation if is_annotated else _kind_of(default)
        if kind is None:
            continue
        if name in reserved:
            raise BoardLabError(f'{owner}: an argument cannot be called "{name}"; choose another name')
        limits = {} if declared is None else dict(declared.metadata)
        made = option(default, **({"doc": ""} | limits))
        read = {key: made.metadata[key] for key in ("doc", "low", "high", "choices")}
        value = _checked(owner, Option(name, kind, default, **read), default)
        fields.append((name, kind, option(value, **({"doc": ""} | limits))))
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
    except (TypeError, ValueError):  # written in C, without a signature
        return None


def _kind_of(default: Any) -> Any:
    if isinstance(default, tuple) and default and all(type(item) is int for item in default):
        return tuple[int, ...]
    return type(default) if type(default) in KINDS else None


def check_options(owner: str, kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values`, each checked against its option and converted to its type."""
    known = {option.name: option for option in options_of(kind)}
    checked = {}
    for name, value in values.items():
        if name not in known:
            raise unknown(f"parameter of {owner}", name, [option.shown_name for option in known.values()])
        checked[name] = _checked(owner, known[name], value)
    return checked


def idle_options(
    chosen: Any, names: Iterable[str], more: Mapping[str, Sequence[Need]] | None = None
) -> dict[str, tuple[str, Container[Any]]]:
    """The named options that do nothing in `chosen`.

    Each comes with the switch to turn on and the values that do so. `more` has the
    needs of options that are not declared with them.
    """
    needs = {known.name: known.needs for known in options_of(type(chosen))} | dict(more or {})
    values = values_of(chosen)
    idle = {}
    for name in names:
        for need in needs.get(name, ()):
            if not any(values[switch] in on for switch, on in need.items()):
                idle[name] = next(iter(need.items()))
    return idle


def check_needs(
    owner: str, chosen: Any, given: Iterable[str], more: Mapping[str, Sequence[Need]] | None = None
) -> None:
    """Refuse a `given` option that would do nothing in `chosen`."""
    place = f"{owner}: " if owner else ""
    for name, (switch, on) in idle_options(chosen, given, more).items():
        value, written = values_of(chosen)[switch], switch.rstrip("_")
        if value is None:
            raise BoardLabError(f"{place}{name} does nothing without {written}; give {written} too")
        remedy = (
            f"leave it out, or set {written} to None" if on == (None,) else f"give {written} another value"
        )
        raise BoardLabError(f"{place}{name} does nothing with {written}={value}; {remedy}")


TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_option(owner: str, option: Option, text: str) -> Any:
    """The text as a value of the option's type; `check_options` checks its range."""
    kind, optional = _bare_type(option.type)
    if text in (option.choices or ()):
        return text
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
    """The text as a number of that type; 1e4 is a whole one. ValueError otherwise."""
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
    """`value` as a finite number of that type, or None."""
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


# ---- options that several classes share ----


def like(kind: type, name: str, default: Any = dataclasses.MISSING, doc: str = "") -> Any:
    """Copy the option `name` of another class, with a new default or help if given."""
    field = kind.__dataclass_fields__[name]  # type: ignore[attr-defined]
    metadata = {**field.metadata, **({"doc": doc} if doc else {})}
    chosen = field.default if default is dataclasses.MISSING else default
    return dataclasses.field(default=chosen, metadata=metadata)


# ---- groups: options that hold options ----


@dataclasses.dataclass(frozen=True)
class Group:
    """How the members of a group are named where all options stand side by side."""

    doc: str
    prefix: str
    names: Mapping[str, str]
    without: Collection[str]

    def flat(self, name: str) -> str:
        """The name of a member outside of its group."""
        return self.names.get(name, self.prefix + name)


def group(
    default: Any,
    doc: str = "",
    *,
    prefix: str = "",
    names: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> Any:
    """A field that holds a group of options.

    `default` is an instance of the frozen dataclass that defines them. On the command line, as keywords and
    in files the members appear among the other options, each named `prefix` + its name, or by its entry in
    `names`. Users cannot set those in `without`. `doc` is put before the help of every member.
    """
    metadata = {"group": Group(doc, prefix, names or {}, tuple(without))}
    return dataclasses.field(default=default, metadata=metadata)


def options_of(kind: type) -> list[Option]:
    """The options of a dataclass in order, those of its groups by their flat names."""
    own = {option.name: option for option in _own_fields(kind)}
    found: list[Option] = []
    for field in dataclasses.fields(kind):
        if "group" in field.metadata:
            found += _members(field.metadata["group"], field.default)
        elif field.name in own:
            found.append(own[field.name])
    return found


def _members(group: Group, default: Any) -> list[Option]:
    values = values_of(default)
    return [
        dataclasses.replace(
            member,
            name=group.flat(member.name),
            default=values[member.name],
            doc=f"{group.doc}: {member.doc}" if group.doc else member.doc,
        )
        for member in options_of(type(default))
        if member.name not in group.without
    ]


def values_of(options: Any) -> dict[str, Any]:
    """The values of all options by their flat names."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if "group" in field.metadata:
            named = field.metadata["group"]
            members = values_of(value)
            found |= {named.flat(name): members[name] for name in members if name not in named.without}
        elif "doc" in field.metadata:  # a learner may switch an inherited option off
            found[field.name] = value
    return found


Options = TypeVar("Options")


def replaced(options: Options, values: Mapping[str, Any]) -> Options:
    """The options with some of them, by their flat names, given other values."""
    left = dict(values)
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(options):  # type: ignore[arg-type]
        if "group" in field.metadata:
            named, held = field.metadata["group"], getattr(options, field.name)
            flat = {named.flat(name): name for name in values_of(held) if name not in named.without}
            chosen = {name: left.pop(key) for key, name in flat.items() if key in left}
            if chosen:
                changes[field.name] = replaced(held, chosen)
        elif field.name in left:
            changes[field.name] = left.pop(field.name)
    if left:
        raise TypeError(f"{type(options).__name__} has no options {', '.join(left)}")
    return dataclasses.replace(options, **changes)  # type: ignore[type-var]
