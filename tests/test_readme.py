"""The README's tour, run block by block; what a block prints must be what the README shows."""

import contextlib
import io
import re
import runpy
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_tour_works_as_written():
    blocks = re.findall(r"<!-- tour -->\n```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected


def test_commands_need_no_more_than_the_set_up_brings():
    commands = "\n".join(re.findall(r"^    boardlab (.*)$", README, re.MULTILINE))
    assert "tournament connectfour" in commands
    assert not re.findall(r"\b(?:ab|abdl|abdl01|kociemba)\b", commands)  # these need the extra `references`
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    assert '-e ".[dev,az,plots]"' in makefile


def test_every_game_is_listed():
    import boardlab as bl

    assert all(f"| {name} |" in README for name in bl.games())


def test_every_game_has_a_page_with_its_picture():
    import boardlab as bl

    docs = Path(__file__).parents[1] / "docs"
    position = runpy.run_path(str(docs / "pictures.py"))["position"]
    for name in bl.games():
        page = (docs / "games" / f"{name}.md").read_text(encoding="utf-8")
        assert f"{name}.svg" in page
        picture = (docs / "games" / f"{name}.svg").read_text(encoding="utf-8")
        assert picture == position(name).to_svg(), f"python docs/pictures.py {name} draws it anew"
