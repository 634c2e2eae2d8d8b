"""Charts for notebooks: curves with bands, values with intervals."""

import math
import xml.etree.ElementTree as ElementTree

import pytest

from boardlab.charts import Axis, Series, line_chart, short_number, span_chart


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 0.25, 0.5, 0.75, 1]), (-1, 1, [-1, -0.5, 0, 0.5, 1]), (3, 17, [5, 10, 15]), (0, 1e6, [0, 2.5e5, 5e5, 7.5e5, 1e6])],
)  # fmt: skip
def test_ticks_are_round_numbers_within_the_scale(low, high, ticks):
    assert Axis(low, high, 0, 100).ticks(5) == ticks


def test_large_numbers_are_short():
    assert [short_number(n) for n in (0, 0.25, 9999, 25_000, 1_500_000, -2e9)] == [
        "0", "0.25", "9,999", "25k", "1.5M", "-2G"
    ]  # fmt: skip


def test_a_curve_keeps_inside_the_chart_and_bands_inside_what_is_possible():
    points = [(float(x), y, y - 0.5, y + 0.5) for x, y in enumerate((0.1, 0.9, 0.5))]
    svg = line_chart([Series("a < b", points), Series("b", points[:1])], possible=(0, 1), x_label="games")
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for polygon in root.iter("{http://www.w3.org/2000/svg}polygon"):
        for pair in polygon.get("points").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= width and 0 <= y <= height
    assert "a &lt; b" in svg


@pytest.mark.parametrize(
    "points",
    [[], [(0.0, 1.0, math.nan, math.nan)], [(0.0, math.nan, math.nan, math.nan)], [(1.0, 5.0, 5.0, 5.0)] * 2],
)
def test_charts_of_little_or_nothing_are_drawn(points):
    ElementTree.fromstring(line_chart([Series("", points)]))


def test_spans_may_have_no_end():
    svg = span_chart(
        [("a", 1.0, 0.5, math.inf), ("b & c", math.nan, math.nan, math.nan), ("d", 2.0, 1.0, 3.0)]
    )
    ElementTree.fromstring(svg)
    ElementTree.fromstring(span_chart([("a", math.nan, math.nan, math.nan)]))
