"""Rating lists as pictures: every player with its 95% interval."""

import pytest

import boardlab as bl
from boardlab.arena import Result
from boardlab.arena.intervals import NORMAL_95

pytest.importorskip("matplotlib")

SYSTEMS = ("bayeselo", "glicko2", "openskill", "whole-history")
GAMES = [Result(("a", "b"), (1, 0)), Result(("b", "a"), (0, 1)), Result(("a", "b@5"), (0, 0))] * 4


@pytest.fixture
def axes(monkeypatch):
    """The axes of the last figure drawn."""
    figure = pytest.importorskip("matplotlib.figure")
    drawn, save = [], figure.Figure.savefig

    def savefig(self, *arguments, **named):
        drawn[:] = self.axes
        save(self, *arguments, **named)

    monkeypatch.setattr(figure.Figure, "savefig", savefig)
    return drawn


def bars(axes):
    """Points and the ends of their error bars, from the top."""
    found = []
    for container in axes.containers:
        line, _, (bar,) = container
        ((low, _), (high, _)) = bar.get_segments()[0]
        found.append((low, line.get_xdata()[0], high))
    return found


def test_elo_is_drawn_with_its_bounds(tmp_path, axes):
    for more in ({}, {"bounds": "exact-opponents"}):
        rated = bl.rate(GAMES, **more)
        assert rated.plot(tmp_path / "elo.png") == tmp_path / "elo.png"
        expected = [(r.elo - r.minus, r.elo, r.elo + r.plus) for r in rated.ratings]
        assert bars(axes[0]) == [pytest.approx(bar) for bar in expected]
        names = [label.get_text() for label in axes[0].get_yticklabels()]
        assert names == [f"{rank}  {r.name}" for rank, r in enumerate(rated.ratings, 1)]
        assert axes[0].get_ylim()[0] > axes[0].get_ylim()[1]  # the strongest is on top
    assert (tmp_path / "elo.png").read_bytes().startswith(b"\x89PNG")


def test_the_other_systems_are_drawn_with_their_intervals(tmp_path, axes):
    skills = bl.rate(GAMES, "openskill")
    skills.plot(tmp_path / "skill.svg")
    first = next(iter(skills.values()))
    half = NORMAL_95 * first.deviation
    assert bars(axes[0])[0] == pytest.approx((first.mean - half, first.mean, first.mean + half))
    assert axes[0].get_xlabel() == "skill with its 95% interval"
    history = bl.rate(GAMES, "whole-history")
    history.plot(tmp_path / "history.svg")
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == list(history)
    assert [len(line.get_xdata()) for line in axes[0].get_lines() if line.get_label() == "b"] == [2]


def test_the_same_ratings_give_the_same_file(tmp_path):
    for system in SYSTEMS:
        rated = bl.rate(GAMES, system)
        one, other = (rated.plot(tmp_path / f"{name}.svg").read_bytes() for name in "ab")
        assert one == other and b"<svg" in one


def test_what_cannot_be_drawn_is_refused_before_anything_is_rated(tmp_path, monkeypatch):
    rated = bl.rate(GAMES)
    with pytest.raises(bl.BoardLabError, match=r"must end in \.png, \.svg, \.pdf"):
        rated.plot(tmp_path / "elo.gif")
    with pytest.raises(bl.BoardLabError, match="its folder does not exist"):
        rated.plot(tmp_path / "none" / "elo.png")
    monkeypatch.setattr("boardlab.plots.has_matplotlib", lambda: False)
    with pytest.raises(bl.BoardLabError, match=r"a picture needs matplotlib: .*boardlab\[plots\]"):
        rated.plot(tmp_path / "elo.png")
