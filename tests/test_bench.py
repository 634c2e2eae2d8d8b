"""What the benchmarks print beside their means."""

import importlib
from pathlib import Path

import pytest


@pytest.fixture
def bench(monkeypatch):
    """Modules of bench/ by name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "bench"))
    return importlib.import_module


def test_the_interval_of_a_mean_is_students(bench):
    mean = bench("common").mean
    assert mean([0.5, 0.6, 0.7]) == "0.600 ± 0.248"  # 4.303 times .1 / sqrt(3)
    assert mean([0.4, 0.6]) == "0.500 ± 1.271"  # 12.706 times .1
    assert mean([0.1, 0.1, 0.1]) == "0.100"  # no spread to estimate it from
    assert mean([1.0]) == "1.000"
    assert mean([1.0, float("nan")]) == ""


def test_the_interval_over_untrained_nets_is_students(bench, monkeypatch):
    pytest.importorskip("torch")
    warm_start = bench("warm_start")
    lines = [{"untrained": "rave", "reward": reward} for reward in (0.0, 0.2, 0.4)]
    rows = []
    monkeypatch.setattr(warm_start, "table", lambda title, columns, found, how: rows.extend(found))
    warm_start.report_untrained("othello", lines, "")
    assert rows == [["rave", "30", "60.0% ± 24.8%", "53%"]]
