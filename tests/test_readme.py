"""The README and docs/tour.md: every example prints what the page shows."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "least"), [("README.md", 1), ("docs/tour.md", 4)])
def test_examples_print_what_the_page_shows(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = EXAMPLES.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) >= least
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected


def test_the_readme_is_a_landing_page():
    assert len(README.splitlines()) <= 120


def test_commands_need_no_more_than_the_set_up_brings():
    pages = README + (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    commands = "\n".join(re.findall(r"^    boardlab (.*)$", pages, re.MULTILINE))
    assert "tournament connectfour" in commands
    assert not re.findall(r"\b(?:ab|abdl|abdl01|kociemba)\b", commands)  # these need the extra `references`
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert '-e ".[dev,az,numba,plots,notebook,web]"' in makefile


def test_every_game_is_listed():
    import boardlab as bl

    page = (ROOT / "docs/games/README.md").read_text(encoding="utf-8")
    assert all(f"| [{name}]({name}.md) |" in page for name in bl.games())


def test_every_game_has_a_page_with_its_picture():
    import boardlab as bl

    docs = ROOT / "docs"
    drawn = runpy.run_path(str(docs / "pictures.py"))["drawn"]
    for name in bl.games():
        page = (docs / "games" / f"{name}.md").read_text(encoding="utf-8")
        assert f"{name}.svg" in page
        picture = (docs / "games" / f"{name}.svg").read_text(encoding="utf-8")
        assert picture == drawn(name), f"python docs/pictures.py {name} draws it anew"
