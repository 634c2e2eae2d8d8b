"""The options of a run: declared once, and the same in Python, on the command line and in agent.toml."""

import inspect

import pytest
from typer.main import get_command

import boardlab as bl
from boardlab.cli import app
from boardlab.learners.run_options import RunOptions
from boardlab.learners.train import prepare
from boardlab.options import options_of

OPTIONS = options_of(RunOptions)


@pytest.mark.parametrize("function", [bl.train, bl.train_many])
def test_python_functions_show_every_option_with_its_default_and_its_help(function):
    shown = inspect.signature(function).parameters
    for option in OPTIONS:
        assert shown[option.name].default == option.default
        assert f"- {option.name}: {option.doc[:40]}" in function.__doc__
    assert list(shown)[-1] == "settings"


def test_the_command_line_has_every_option():
    command = get_command(app).commands["train"]
    flags = {parameter.name: parameter for parameter in command.params}
    for option in OPTIONS:
        expected = "--exam" if option.name == "exams" else f"--{option.name.replace('_', '-')}"
        assert flags[option.name].opts == [expected]
        assert flags[option.name].help.lower().startswith(option.doc.lower()[:40])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"stop_aftr": 3}, 'unknown parameter of td-ntuple "stop_aftr"; did you mean "stop_after"'),
        ({"snapshots_every": 3}, '"snapshots_every"; did you mean "snapshot_every"'),
        ({"ot": "folder"}, '"ot"; did you mean "out"'),
        ({"exam_games": 1}, "^exam_games must be a whole number from 2 to 10000000 or None, not 1$"),
        ({"seed": -1}, "^seed must be a whole number from 0 to 18446744073709551615, not -1$"),
        ({"preset": 3}, "^preset must be text, not 3$"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(given, sentence, tmp_path):
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.train(bl.game("tictactoe"), **{"out": tmp_path / "run", **given})
    assert not (tmp_path / "run").exists()


def test_agent_toml_gives_the_options_back():
    given = {"episodes": 40, "seed": 7, "exams": ("random",), "exam_every": 10, "exam_games": 4}
    given |= {"stop_exam": "perfect", "stop_at": 0.5, "stop_after": 2, "snapshot_every": 20}
    prepared = prepare(bl.game("tictactoe"), **given, preset="paper")
    expected = RunOptions(**given | {"exams": ("random", "perfect"), "preset": "paper"})
    assert RunOptions.of_run(prepared.agent) == expected == prepared.exams.options
