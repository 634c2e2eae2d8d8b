"""The programs of docs/evaluators.md run as they are written, one after the other."""

import re
from pathlib import Path

import pytest

from boardlab.arena.exams import EXAMS
from boardlab.evaluators import EVALUATORS
from boardlab.search.expression import AGENTS

PAGE = (Path(__file__).parents[1] / "docs" / "evaluators.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def forget_registered():
    registries = (AGENTS, EVALUATORS, EXAMS)
    known = [registry.copy() for registry in registries]
    yield
    for registry, before in zip(registries, known, strict=True):
        registry.clear()
        registry.update(before)


def test_the_programs_work_as_written(capsys):
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    for code in blocks:
        exec(compile(code, "evaluators.md", "exec"), names)
    said = capsys.readouterr().out
    assert "error" not in said.replace("error=", "") and "eager(share=0.9)  wins" in said
    assert "length: 6.6 ± 0.7 (95%), at most 9, 20 games" in said
