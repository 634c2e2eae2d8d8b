"""Forms for whatever is declared once."""

from boardlab.web.forms import agent_forms, game_forms, learner_forms, option_form


def every_option():
    parts = agent_forms()
    for one in [*game_forms(), *parts["agents"], *parts["evaluators"], *learner_forms()]:
        for option in one["options"]:
            yield one["name"], option


def test_every_option_has_a_field_that_can_hold_its_default():
    kinds = {
        "whole": int,
        "number": (int, float),
        "switch": bool,
        "choice": str,
        "text": str,
        "numbers": list,
        "evaluator": str,
    }
    for name, option in every_option():
        default, told = option["default"], f"{option['name']} of {name}"
        assert (default is None and option["optional"]) or isinstance(default, kinds[option["kind"]]), told
        assert option["kind"] != "choice" or default is None or default in option["choices"], told
        assert option["help"] and option["allowed"], told


def test_a_form_says_what_is_allowed():
    from boardlab.games.connectfour import ConnectFour
    from boardlab.options import options_of

    rows = option_form(options_of(ConnectFour)[0])
    assert rows["name"] == "rows" and rows["kind"] == "whole" and rows["default"] == 6
    assert rows["low"] is not None and "whole number" in rows["allowed"] and "height" in rows["help"]
