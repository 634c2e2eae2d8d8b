"""constraints.txt pins all that `make` installs, so that no new release changes what the tests run with."""

import importlib.metadata
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

import constraints  # noqa: E402


def test_every_requirement_has_a_pin() -> None:
    pins = constraints.pins()
    names = {constraints.name_of(requirement) for requirement in constraints.requirements()}
    assert {"numpy", "torch", "kociemba", "ninja"} <= names
    assert names <= pins.keys()


def test_every_line_is_one_exact_version() -> None:
    for lines in constraints.pins().values():
        for line in lines.splitlines():
            assert re.fullmatch(r'[a-z0-9-]+==[0-9][0-9a-z.]*(; python_version == "3\.\d+")?', line), line


def test_what_the_pinned_packages_need_is_pinned_too() -> None:
    """Of what is installed here: a requirement without a pin could change overnight."""
    pins = constraints.pins()
    for name in pins:
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for requirement in needed:
            if ";" not in requirement:
                assert constraints.name_of(requirement) in pins, f"{name} needs {requirement}"


def test_torch_is_kept_by_hand() -> None:
    assert constraints.pins()["torch"] == "torch==2.13.0" and constraints.BY_HAND == ("torch",)
