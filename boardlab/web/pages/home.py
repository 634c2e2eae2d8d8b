"""Home: what this is, and a good game at once."""

from typing import Any

from boardlab.web.forms import agent_forms, game_form, game_forms, learner_forms
from boardlab.web.page import Ask, Page, get


def _games(ask: Ask) -> Any:
    return game_forms()


def _game(ask: Ask) -> Any:
    return game_form(ask.path["name"])


def _agents(ask: Ask) -> Any:
    return agent_forms()


def _learners(ask: Ask) -> Any:
    return learner_forms()


PAGE = Page(
    "home",
    "Home",
    routes=[
        get("/games", _games),
        get("/games/{name}", _game),
        get("/agents", _agents),
        get("/learners", _learners),
    ],
)
