"""Options in groups: flat names outside, nested values inside."""

from dataclasses import dataclass

import pytest

from boardlab.errors import BoardLabError
from boardlab.options import check_options, group, like, option, options_of, replaced, values_of


@dataclass(frozen=True)
class Leg:
    """A part that is used twice."""

    length: float = option(1.0, "metres", low=0, high=9)
    wood: str = option("oak", "kind", choices=("oak", "fir"))
    screws: int = option(4, "not for the user", low=0)


@dataclass(frozen=True)
class Frame:
    """A group with a group."""

    leg: Leg = group(Leg(length=2.0), without=("screws",))
    paint: str = option("", "colour")


@dataclass(frozen=True)
class Table:
    """Two groups around a plain option."""

    frame: Frame = group(Frame(), prefix="frame_", names={"wood": "timber"})
    seats: int = option(4, "people", low=1)
    prop: Leg = group(Leg(), "the prop")


def test_members_stand_beside_the_others_under_flat_names():
    assert [o.name for o in options_of(Table)] == [
        "frame_length", "timber", "frame_paint", "seats", "length", "wood", "screws",
    ]  # fmt: skip
    known = {o.name: o for o in options_of(Table)}
    assert known["frame_length"].default == 2.0 and known["frame_length"].high == 9
    assert known["length"].doc == "the prop: metres"
    assert list(values_of(Table())) == list(known)


def test_values_reach_their_group():
    table = replaced(Table(), {"timber": "fir", "length": 3.0, "seats": 6})
    assert table == Table(Frame(Leg(2.0, "fir")), 6, Leg(3.0))
    assert replaced(Table(), values_of(table)) == table
    with pytest.raises(TypeError, match="Table has no options frame_screws"):
        replaced(Table(), {"frame_screws": 1})


def test_members_are_checked_under_their_flat_names():
    assert check_options("table", Table, {"frame_length": 4}) == {"frame_length": 4.0}
    with pytest.raises(BoardLabError, match='table: timber must be one of "oak", "fir", not'):
        check_options("table", Table, {"timber": "ash"})
    with pytest.raises(BoardLabError, match='unknown parameter of table "frame_screws"'):
        check_options("table", Table, {"frame_screws": 4})


def test_an_option_is_declared_again_with_another_default():
    @dataclass(frozen=True)
    class Stool:
        length: float = like(Leg, "length", 0.5)
        wood: str = like(Leg, "wood", doc="of the seat")

    length, wood = options_of(Stool)
    assert (length.default, length.high, length.doc) == (0.5, 9, "metres")
    assert (wood.default, wood.choices, wood.doc) == ("oak", ("oak", "fir"), "of the seat")
