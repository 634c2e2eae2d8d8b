"""The programs on the pages of the bridges run as they are written."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "package"), [("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium"), ("openspiel", "pyspiel")]
)
def test_the_programs_work_as_written(page: str, package: str, capsys) -> None:
    pytest.importorskip(package)
    names: dict[str, object] = {}
    for code in re.findall(
        r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL
    ):
        exec(compile(code, f"{page}.md", "exec"), names)
    assert capsys.readouterr().out.strip()
