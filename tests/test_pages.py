"""The pages: links, line widths, and training commands that are too long to run but must fit each other."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commands() -> list[list[str]]:
    """The words of every command on a line of its own."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    return [shlex.split(line, comments=True) for line in lines if re.match(r"( {4})?boardlab ", line)]


def value(words: list[str], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def trained() -> dict[str, list[list[str]]]:
    """The different commands that train into each folder."""
    found: dict[str, list[list[str]]] = {}
    for words in commands():
        if words[1] == "train" and "--settings" not in words:
            there = found.setdefault(value(words, "--out") or f"runs/{words[2]}", [])
            if words not in there:
                there.append(words)
    return found


def test_every_page_is_linked_from_another():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    linked = {
        (page.parent / target).resolve()
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text(encoding="utf-8"))
        if (page.parent / target).resolve() != page
    }
    assert all(target.exists() for target in linked)
    assert [page for page in pages[2:] if not {page, page.parent} & linked] == []


def prose(page: Path) -> list[str]:
    """The lines of a page without code, tables, headings and pictures."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for line in text.splitlines() if not line.startswith(("    ", "|", "#", "!"))]


def test_prose_wraps_at_100_columns_and_names_papers_by_their_authors():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    lines = [(page.name, line) for page in pages for line in prose(page)]
    assert [line for line in lines if len(line[1]) > 100 or re.search(r"\bpaper 00\d", line[1], re.I)] == []


def test_no_two_commands_train_into_one_folder():
    assert len(trained()) > 10
    assert not {folder: given for folder, given in trained().items() if len(given) > 1}


def test_a_run_begins_with_one_that_another_command_makes():
    begun = [folder for words in commands() if (folder := value(words, "--from"))]
    assert begun
    assert all(value(trained()[folder][0], "--learner") == "alphazero" for folder in begun)


def test_a_cube_is_solved_by_a_run_of_its_size_and_metric():
    runs = trained()
    for words in commands():
        for folder in re.findall(r'"(runs/[^"]*)"', " ".join(words)):
            if words[1:3] == ["match", "rubiks"] and folder in runs:
                for name in ("--size", "--metric"):
                    assert value(words, name) == value(runs[folder][0], name), words
