"""What a newcomer gets wrong on the command line: one sentence that says what is wrong, and no traceback."""

import errno
import io
import sys
from pathlib import Path

import pytest

import boardlab as bl
from boardlab import cli
from boardlab.arena.openings import read_openings
from boardlab.errors import BoardLabError

PLUGIN = '''
import boardlab as bl

@bl.register_evaluator("broken", priors=False)
def broken(game):
    """Fails."""
    def judge(planes, legal):
        raise RuntimeError("my judge broke")
    return judge
'''


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(PLUGIN)
    return file


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("match", "tictactoe", "greedy(qtable(5))", "random"), "qtable takes text in quotes first"),
        (("match", "tictactoe", "greedy(net(runs))", "random"), "net takes text in quotes first"),
        (("match", "tictactoe", "mcts(", "random"), 'expected ")" before the end'),
        (("match", "tictactoe", "mcts(rollout", "random"), 'expected ")" before the end'),
        (("match", "tictactoe", "mcts(rollout(", "random"), 'expected ")" before the end'),
        (("match", "tictactoe", "random", "random", "--starts", "-1"), "at least 0 or a file, not -1"),
        (("match", "tictactoe", "random", "random", "--openings", "1.5"), "at least 0 or a file, not 1.5"),
        (("match", "kuhnpoker", "alphabeta", "random"), "for kuhnpoker use ismcts"),
        (("train", "tictactoe", "--episodes", "10", "--out", "{file}/run"), "run cannot be made: Not a directory"),
        (("match", "tictactoe", "random", "random", "--save", "{none}/a.pgn"), "its folder does not exist"),
        (("match", "tictactoe", "random", "random", "--play-stats", "{none}/a.csv"), "its folder does not exist"),
        (("tournament", "tictactoe", "random", "mc", "--heat-map", "{none}/a.png"), "its folder does not exist"),
        (("train", "tictactoe", "--episodes", "10", "--out", ""), "--out must be a path, not ''"),
        (("resume", ""), "RUN must be a path, not ''"),
        (
            ("train", "othello", "--from", "runs/x", "--cells", "0,1"),
            "not of alphazero; --from implies --learner alphazero, the only one that takes over another run's net",
        ),
        (("rate", ""), "FILES must be a path, not ''"),
        (("match", "tictactoe", "random", "random", "--save", ""), "--save must be a path, not ''"),
        (("match", "tictactoe", "random", "random", "--starts", ""), "the file of openings must be a path, not ''"),
    ],
)  # fmt: skip
def test_one_sentence(boardlab, tmp_path, words, sentence):
    (tmp_path / "file").write_text("")
    places = {"file": tmp_path / "file", "none": tmp_path / "none"}
    status, out, error = boardlab(*(word.format(**places) for word in words))
    assert status == 2
    assert sentence in error
    assert "wins" not in out  # found before the games, not after them


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("match", "tictactoe", "random", "random", "--alpha", "0.1"), "--alpha does nothing without --sprt"),
        (("match", "tictactoe", "random", "random", "--adjudicate-at", "1"), "without --adjudicate; give"),
        (("match", "tictactoe", "random", "random", "--adjudicate-after", "1"), "without --adjudicate; give"),
        (("tournament", "tictactoe", "random", "mc", "--adjudicate-at", "1"), "without --adjudicate; give"),
        (("balance", "tictactoe", "-a", "random", "--keep", "3"), "--keep does nothing without --plies"),
        (("balance", "tictactoe", "-a", "random", "--plies", "0", "--screen", "3"), "give --plies too"),
        (("train", "tictactoe", "--jobs", "2"), "--jobs does nothing without --runs; give --runs too"),
        (("train", "tictactoe", "--jobs", "1", "--runs", "0"), "runs must be a whole number from 1 to"),
        (("train", "tictactoe", "--stop-after", "2"), "--stop-after does nothing without --stop-exam"),
        (("train", "tictactoe", "--search-iterations", "100"), "search_iterations does nothing with search=off"),
    ],
)  # fmt: skip
def test_an_option_that_would_do_nothing_is_refused(boardlab, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    status, out, error = boardlab(*words)
    assert (status, out) == (2, "")
    assert sentence in error


@pytest.mark.parametrize(("learner", "layout"), [("alphazero", "walk"), ("qm", "{file}")])
def test_a_layout_is_refused_for_what_learns_without_tuples(boardlab, tmp_path, learner, layout):
    (tmp_path / "file").write_text("0,1,2")
    given = ("--layout", layout.format(file=tmp_path / "file"))
    status, _, error = boardlab("train", "gobang", "--learner", learner, *given)
    assert status == 2
    assert error.startswith("boardlab: --layout is a setting of the learners td-ntuple, ")
    assert error.endswith(f", not of {learner}\n")


def test_the_help_says_whose_the_layout_is_and_what_runs_are_examined_by(boardlab):
    said = " ".join(boardlab("train", "--help")[1].split())
    assert "Layout of n-tuple learners: walk" in said
    assert "By default perfect play, known positions or tree search" in said


TOO_LONG = "x" * 300
"""The system's error for it is the kind that a folder gives that may not be entered, which root may."""


@pytest.mark.parametrize(
    "act",
    [
        lambda game: bl.read_records(f"{TOO_LONG}.pgn"),
        lambda game: bl.write_records(f"{TOO_LONG}.pgn", [], append=True),
        lambda game: bl.store(TOO_LONG).fame(),
        lambda game: bl.open_run(TOO_LONG),
        lambda game: bl.train(game, out=TOO_LONG),
        lambda game: read_openings(game, TOO_LONG),
    ],
)
def test_a_path_that_cannot_be_reached_is_told(act, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoardLabError, match=r'^"x+(\.pgn)?" cannot be reached: File name too long$'):
        act(bl.game("tictactoe"))


def test_a_run_in_a_folder_that_may_not_be_entered_is_told(tmp_path, monkeypatch):
    def refuse(self, **_):
        if self.parent.name == "locked":
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat(self)

    stat = Path.stat
    monkeypatch.setattr(Path, "stat", refuse)
    for act in (
        lambda: bl.open_run(tmp_path / "locked"),
        lambda: bl.train(bl.game("nim"), out=tmp_path / "locked"),
    ):
        with pytest.raises(BoardLabError, match=r'agent.toml" cannot be reached: Permission denied'):
            act()


@pytest.mark.parametrize(
    "words",
    [
        ("play", "tictactoe", "--position", f"@{TOO_LONG}"),
        ("match", "tictactoe", "random", "random", "--openings", TOO_LONG),
        ("train", "tictactoe", "--layout", TOO_LONG),
        ("--plugin", TOO_LONG, "games"),
    ],
)
def test_a_path_on_the_command_line_that_cannot_be_reached_is_told(boardlab, words):
    assert boardlab(*words) == (2, "", f'boardlab: "{TOO_LONG}" cannot be reached: File name too long\n')


def test_a_file_that_cannot_be_written_is_found_before_the_match(boardlab, tmp_path, monkeypatch):
    opened = Path.open

    def refuse(self, *arguments, **more):
        if self.name.startswith(".a.pgn"):  # aside of it
            raise PermissionError(13, "Permission denied")
        return opened(self, *arguments, **more)

    monkeypatch.setattr("pathlib.Path.open", refuse)
    status, out, error = boardlab("match", "tictactoe", "random", "random", "--save", tmp_path / "a.pgn")
    assert (status, out) == (2, "")
    assert error == f'boardlab: "{tmp_path / "a.pgn"}" cannot be written: Permission denied\n'


def test_an_agents_own_error_is_said(boardlab, plugin, tmp_path):
    agent = "mcts(broken, iterations=10)"
    _, out, _ = boardlab(
        "--plugin", plugin, "evaluate", agent, "--game", "tictactoe", "--exam", "perfect", "-n", "4"
    )
    said = f"{agent}: {plugin}, line 8: RuntimeError: my judge broke"
    assert f"the first error: {said}" in out
    store = tmp_path / "store.db"
    _, out, _ = boardlab(
        "--plugin", plugin, "tournament", "tictactoe", agent, "random", "-n", "2", "--store", store
    )
    assert f"lost by an agent's error: 2 games; the first: {said}" in out


def test_gtp_says_where_an_agent_failed(boardlab, plugin, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("genmove b\ngenmove x\n"))
    out = boardlab("--plugin", plugin, "gtp", "greedy(broken)")[1]
    said = f"? greedy(broken): {plugin}, line 8: RuntimeError: my judge broke"
    assert out == f'{said}\n\n? the colour must be b or w, not "x"\n\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nraise KeyError('x')\n", "failed in line 2: KeyError: 'x'"),
        ("import boardlab as bl\nbl.register_agent('a b')\n", "failed in line 2: the name of an agent is a letter"),
        ("x = (\n", "failed: SyntaxError: '(' was never closed (mine.py, line 1)"),
    ],
)  # fmt: skip
def test_what_fails_while_a_plugin_is_loaded_is_said_with_its_line(boardlab, plugin, text, said):
    plugin.write_text(text)
    status, _, error = boardlab("--plugin", plugin, "games")
    assert status == 2 and error.startswith(f"boardlab: the plugin {plugin} {said}")


def test_what_boardlab_refuses_in_a_plugin_is_said_with_its_line(boardlab, plugin):
    plugin.write_text(PLUGIN.replace('raise RuntimeError("my judge broke")', "bl.game('chess')"))
    error = boardlab("--plugin", plugin, "inspect", "tictactoe", "greedy(broken)")[2]
    assert error.startswith(f'boardlab: the plugin {plugin} failed in line 8: unknown game "chess"')


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("train", "tictactoe", "--episodes", "1k"), '--episodes must be a whole number, not "1k"'),
        (("train", "tictactoe", "--episodes", "10,000"), '--episodes must be a whole number, not "10,000"'),
        (("train", "tictactoe", "--tuples", "1.5"), 'tuples must be a whole number from 1 to 100000, not "1.5"'),
        (("match", "tictactoe", "random", "random", "-n", "1.5"), '--games must be a whole number, not "1.5"'),
        (("rate", "--tournament", "x"), '--tournament must be a whole number, not "x"'),
        (("rate", "--tau", "x"), '--tau must be a number, not "x"'),
        (("fame", "--top", "0"), "--top must be a whole number from 1 to 1000000000, not 0"),
        (("resume", "runs/x", "--alpha", "0.5"),
         "a run keeps the settings that it began with: resume takes --episodes, --minutes and --programs, not --alpha"),
    ],
)  # fmt: skip
def test_numbers_that_are_none_are_refused_in_a_sentence(boardlab, words, sentence):
    status, out, error = boardlab(*words)
    assert (status, out) == (2, "") and error.startswith("boardlab: ") and error.endswith(f"{sentence}\n")


def test_a_whole_number_may_be_written_as_1e3(boardlab, tmp_path):
    words = ("--episodes", "1e2", "--tuples", "1e1", "--exam", "none")
    assert boardlab("train", "tictactoe", *words, "--out", tmp_path / "run")[0] == 0
    run = bl.open_run(tmp_path / "run")
    assert run.episodes == 100 and run.settings.tuples == 10


@pytest.mark.parametrize(
    ("words", "status", "end"),
    [
        (("play", "tictactoe"), 0, "stopped\n"),
        (("gtp", "random"), 0, ""),
        (("match", "tictactoe", "human", "random", "-n", "1"), 130, "stopped before a game was finished\n"),
    ],
)
def test_a_closed_input_is_the_end_of_input(boardlab, monkeypatch, words, status, end):
    monkeypatch.setattr(sys, "stdin", None)
    done, out, error = boardlab(*words)
    assert (done, error) == (status, "") and out.endswith(end)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("play", "tictactoe", "--against", "random"), "is not a legal action here"),
        (("gtp", "random"), "? unknown command"),
        (("match", "tictactoe", "human", "random", "-n", "1"), "is not a legal action here"),
    ],
)
def test_input_that_is_no_text_is_not_understood_and_asked_again(boardlab, monkeypatch, words, said):
    typed = io.TextIOWrapper(io.BytesIO(b"\xfc\nquit\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    _, out, error = boardlab(*words)
    assert error == "" and out.count(said) >= 1


def test_a_human_who_mistypes_is_asked_again(monkeypatch, capsys):
    answers = iter([b"\xfc", b"b2"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers).decode("utf-8"))
    game = bl.game("tictactoe")
    assert bl.agent("human", game).act(game.initial_state()).action == 4
    assert "the input is not valid utf-8 text; type an action" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "tictactoe", "mcts(broken, iterations=10)"),
        ("inspect", "tictactoe", "greedy(broken)"),
        ("evaluate", "greedy(broken)", "--game", "tictactoe", "--exam", "optimal", "-n", "4"),
    ],
)
def test_a_plugin_that_fails_later_is_no_traceback(boardlab, plugin, words):
    status, _, error = boardlab("--plugin", plugin, *words)
    assert status == 2
    assert error == f"boardlab: the plugin {plugin} failed in line 8: RuntimeError: my judge broke\n"


@pytest.mark.parametrize("name", ["mcts", "random", "human", "perfect", "uct"])
def test_names_of_searches_and_players_are_taken(name):
    with pytest.raises(BoardLabError, match=f'"{name}" is a search or a player already'):
        bl.register_evaluator(name)


def test_a_run_without_tuples_shows_what_its_agent_thinks(boardlab, tmp_path):
    game = bl.game("tictactoe")
    run = bl.train(game, "q-table", episodes=50, out=tmp_path / "run")
    status, out, _ = boardlab("inspect", "tictactoe", "--run", run.path, "--actions", "b2")
    assert status == 0
    assert run.expression in out and "policy" in out and "O to move" in out
    status, _, error = boardlab("inspect", "tictactoe", "--run", run.path, "--layout")
    assert status == 2 and "is a q-table run, which has no tuples to draw" in error
    with pytest.raises(BoardLabError, match=r"run\.agent\(\)\.act\(state\)"):
        run.inspect()


def test_output_that_cannot_show_every_letter_gets_all_the_others(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii"))
    monkeypatch.setattr(sys, "argv", ["boardlab", "inspect", "tictactoe", "mc(iterations=9)"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    sys.stdout.flush()
    assert not end.value.code
    said = out.getvalue().decode()
    assert "%  ??" in said and "iterations 9" in said.splitlines()[-1]


def test_a_run_without_its_folder_is_named_with_it(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("here", "runs/c4", "runs/optimal"):
        bl.train(bl.game("tictactoe"), episodes=5, out=folder)
    (tmp_path / "none").mkdir()
    for word, said in (
        ("here", 'unknown agent "here"; write the run in that folder as ./here'),
        ("c4", 'unknown agent "c4"; write the run in that folder as runs/c4'),
        ("runs", 'unknown agent "runs"; write the runs in that folder as ./runs'),
        (
            "none",
            'unknown agent "none"; a folder of that name exists, but it has no agent.toml, so it is no run',
        ),
    ):
        assert boardlab("match", "tictactoe", word, "random")[::2] == (2, f"boardlab: {said}\n")
    assert boardlab("match", "tictactoe", "./here", "random", "-n", 2)[0] == 0
    (tmp_path / "random").mkdir()  # an agent stays one, and an exam
    assert boardlab("match", "tictactoe", "random", "random", "-n", 2)[0] == 0
    words = ("--episodes", 5, "--exam", "optimal", "--exam-games", 2, "--out", "runs/two")
    assert boardlab("train", "tictactoe", *words)[0] == 0


@pytest.mark.parametrize("words", [("games", "zzz"), ("match", "othello", "mcts(material)", "random")])
def test_what_a_plugin_may_bring_is_said(boardlab, words):
    status, _, error = boardlab(*words)
    assert status == 2 and "(or one of your own: boardlab --plugin FILE ...)" in error.splitlines()[0]


def test_a_misspelt_argument_of_train_is_recognised():
    with pytest.raises(bl.BoardLabError, match='"episods"; did you mean "episodes"'):
        bl.train(bl.game("tictactoe"), episods=3)
    with pytest.raises(bl.BoardLabError, match='"alpa"; did you mean "alpha"'):
        bl.train(bl.game("tictactoe"), alpa=3)
