"""A short slice of `make fuzz`, the same cases every time, and that the harness sees what it is there for."""

import sys
from pathlib import Path

import pytest
from fuzz.harness import Running, is_sanitized, modules

CASES = {"engine_calls": 1500, "own_code": 60, "train_settings": 12}
FEW = 10
"""Cases of a module that is not named; the tests of lying games and of hostile files run more of their own."""


@pytest.mark.parametrize("module", modules())
def test_a_short_slice_finds_nothing(module: str) -> None:
    result = Running(module, 0, 60, CASES.get(module, FEW)).wait()
    assert not result.failure, result.failure
    assert result.cases


FAULTY = """
import ctypes, os, random

def cases(rng: random.Random):
    for number in range(4):
        yield number

def run(case):
    if case == 2:
        {deed}
"""


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("ctypes.string_at(0)", "AddressSanitizer" if is_sanitized() else "case 2 died of signal 11"),
        ("raise KeyError('unforeseen')", "KeyError: 'unforeseen'"),
        ("os.abort()", "case 2 died of signal 6"),
    ],
)
def test_a_crash_and_an_unforeseen_exception_are_reported_with_their_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, said: str
) -> None:
    folder = tmp_path / "fuzz"
    folder.mkdir()
    here = Path(__file__).parent
    for name in ("__init__", "harness"):
        (folder / f"{name}.py").write_text((here / f"{name}.py").read_text())
    (folder / "faulty.py").write_text(FAULTY.format(deed=deed))
    monkeypatch.setattr("fuzz.harness.FOLDER", folder)
    assert modules() == ["faulty"]
    result = Running("faulty", 7, 60, sys.maxsize).wait()
    assert said in result.failure and result.cases == 2
    assert result.command == "python tools/fuzz.py --only faulty --batch 7"
