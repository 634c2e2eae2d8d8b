"""docs/promises.md: every promise names a test that is there."""

import ast
import functools
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)


@functools.cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {item.name for item in tree.body if isinstance(item, ast.FunctionDef)}


def test_every_named_test_exists() -> None:
    assert len(NAMED) > 30
    missing = [f"{file}::{name}" for file, name in NAMED if name not in functions_of(file)]
    assert not missing


def test_every_row_of_promises_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith("|---")]
    assert [row for row in rows if row != "| promise | test |" and "::test_" not in row] == []


def test_readme_leads_to_the_page() -> None:
    assert "docs/promises.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_no_file_of_an_optional_reference_is_shipped() -> None:
    """Imported where the user installed them, by two files of ours; in the repository there is nothing of theirs."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        files = [file for file in listed.stdout.splitlines() if "bitbully" in file or "kociemba" in file]
        assert files == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = " ".join(project["dependencies"])
    assert "bitbully" not in required and "kociemba" not in required
