"""The programs of docs/evaluators.md run as they are written, one after the other."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "evaluators.md").read_text(encoding="utf-8")


def test_the_programs_work_as_written(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    for code in blocks:
        exec(compile(code, "evaluators.md", "exec"), names)
    said = capsys.readouterr().out
    assert "error" not in said.replace("error=", "") and "eager(share=0.9)  wins" in said
    won = re.search(r"greedy\(linear.*wins (\d+)", said)
    assert won and int(won[1]) >= 65
    assert "length: 6.6 ± 0.7 (95%), at most 9, 20 games" in said
