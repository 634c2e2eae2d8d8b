"""The rules of a game in full: its page of the documentation, installed with BoardLab."""

import inspect
import re
from pathlib import Path

from boardlab.games.game import Game
from boardlab.games.python import PythonGame
from boardlab.games.registry import GAMES


def rules_page(game: Game) -> str:
    """Return the rules as Markdown; of a user's own game, what it says about itself."""
    rules = game.rules
    page = _page_of(rules.name) if not isinstance(rules, PythonGame) else ""
    if page and GAMES.get(rules.name) is type(rules):
        return page
    facts = [f"# {rules.name}", f"{rules.variant_summary()}."]
    if isinstance(rules, PythonGame) and (own := inspect.getdoc(type(rules))):
        facts.append(own)
    if rules.notation:
        facts.append(f"Actions: {rules.notation}.")
    return "\n\n".join(facts) + "\n"


def _page_of(name: str) -> str:
    """Return the page without its picture; "" if there is none."""
    package = Path(__file__).parents[2]
    for folder in (package / "pages", package.parent / "docs" / "games"):  # installed; in the repository
        file = folder / f"{name}.md"
        if file.is_file():
            text = re.sub(r"^!\[.*\n+", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)  # links lead nowhere in a terminal
    return ""
