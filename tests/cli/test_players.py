"""Named players and folders of runs on the command line."""

import pytest

import boardlab as bl
from tests.fuzz import hostile_files as hostile

TICTACTOE = bl.game("tictactoe")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    path = tmp_path_factory.mktemp("here")
    bl.train_many(TICTACTOE, 2, out=path / "runs/multi", episodes=20, exams=[], progress=False)
    return path


@pytest.fixture
def here(runs, monkeypatch, tmp_path):
    """A folder with runs; files of a test are in another one, `there`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").symlink_to(runs / "runs")
    return tmp_path


PLAYERS = """
TD = "runs/multi"
Tree = 'mcts(ntuple("runs/multi/seed-1"), iterations=9)'
broken = "runs/nothing"
typo = "mtcs"
program = 'engine(command="false", protocol="gtp")'
"""


def test_players_are_read_from_their_file(here):
    (here / "mine.toml").write_text(PLAYERS)
    known = bl.players("mine.toml")
    assert list(known) == ["TD", "Tree", "broken", "typo", "program"] and "TD" in known and len(known) == 5
    assert known["TD"] == 'greedy(ntuple("runs/multi"))'
    assert repr(known) == "<Players mine.toml: 5 players>" and "TD      = runs/multi" in str(known)
    for name, words in (
        ("broken", "mine.toml: broken: runs/nothing is not a run: it has no agent.toml"),
        ("typo", 'mine.toml: typo: unknown agent "mtcs"; did you mean "mcts"'),
        ("Tre", 'unknown player in mine.toml "Tre"; did you mean "Tree"'),
    ):
        with pytest.raises(bl.BoardLabError, match=words):
            known[name]
    result = bl.match(TICTACTOE, {name: known[name] for name in ("TD", "Tree")}, games=4)
    assert result.names == ("TD", "Tree") and len(result.runs[0]) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A = 5", r'players\.toml: A must be an agent in quotes, as in A = "random"'),
        ('A = ""', "A must be an agent in quotes"),
        ("[A]\nx = 1", "A must be an agent in quotes"),
        ('"a/b" = "random"', r"players\.toml: the name of a player must begin"),
        ('mcts = "random"', r'players\.toml: "mcts" is an agent; choose another name'),
        ('A = "random"\nA = "mcts"', r"players\.toml cannot be read: "),
        ("A = ", r"players\.toml cannot be read: "),
    ],
)
def test_files_of_players_that_cannot_be_are_refused_in_a_sentence(here, boardlab, text, words):
    (here / "players.toml").write_text(text)
    with pytest.raises(bl.BoardLabError, match=words):
        bl.players()
    status, out, said = boardlab("match", "tictactoe", "B", "random", "-n", 2)
    assert (status, out, said.count("\n")) == (2, "", 1)
    assert boardlab("match", "tictactoe", "random", "random", "-n", 2)[0] == 0  # nobody asked for it


@pytest.mark.parametrize(
    "write", [write for _, write in (*hostile.NO_FILES, *hostile.LOGS)], ids=lambda write: write.__name__
)
def test_what_is_no_file_of_players_is_refused_in_a_sentence(here, boardlab, write):
    write(here / "players.toml")
    with pytest.raises(bl.BoardLabError):
        bl.players()
    status, _, said = boardlab("match", "tictactoe", "Mine", "random", "-n", 2)
    assert status == 2 and said.startswith("boardlab: ")  # a link to nothing is no file


def test_a_player_is_named_by_its_name(here, boardlab):
    (here / "players.toml").write_text(PLAYERS)
    status, out, _ = boardlab("match", "tictactoe", "TD", "Other=Tree", "-n", 3, "--save", "games.pgn")
    assert status == 0 and out.startswith("4 games, not 3, so that all runs play equally often\nTD ")
    assert 'Other = mcts(ntuple(run="runs/multi/seed-1"), iterations=9)' in out
    assert "thinking time per move: TD " in out
    assert {r.players for r in bl.read_records("games.pgn")} == {("TD", "Other"), ("Other", "TD")}
    out = boardlab("evaluate", "TD", "--exam", "random", "-n", 4)[1]
    assert out.startswith('TD = greedy(ntuple(run="runs/multi"))\nrandom: ') and "between 2 runs" in out
    out = boardlab("evaluate", "random", "--game", "tictactoe", "--against", "Tree", "-n", 4)[1]
    assert "against Tree: " in out and out.startswith("Tree = mcts(")
    assert boardlab("inspect", "tictactoe", "Tree")[0] == 0
    words = ("--episodes", 4, "--exam", "Tree", "--exam-games", 2, "--out", "trained")
    assert boardlab("train", "tictactoe", *words)[0] == 0
    assert "players in players.toml" in boardlab("agents")[1]


def test_names_are_kept_by_tournaments_and_shown_by_rate_and_fame(here, boardlab):
    words = ("tournament", "tictactoe", "-n", 2, "--store", "s.db")
    assert "   1 R" in boardlab(*words, "T=mcts(iterations=1)", "R=greedy(rollout)")[1]
    assert boardlab(*words, "R2=greedy(rollout)", "random")[0] == 0
    assert " R2 " in boardlab("rate", "--tournament", 1, "--tournament", 2, "--store", "s.db")[1]
    assert boardlab(*words, "R=random", "mcts(iterations=2)")[0] == 0  # another agent's name
    out = boardlab("rate", "--tournament", 1, "--tournament", 3, "--store", "s.db")[1]
    assert " greedy(rollout) " in out and " random " in out and " T " in out
    out = boardlab("fame", "--store", "s.db")[1]
    assert "is greedy(rollout)" in out and "R2\n" in out
    out = boardlab(*words, "runs/multi", "random", "--each")[1]
    assert 'greedy(ntuple(run="runs/multi/seed-2"))' in out and "round-robin of 3 agents" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Tre", "random"), 'unknown agent or player "Tre"; did you mean "Tree"?'),
        (("broken", "random"), "players.toml: broken: runs/nothing is not a run"),
        (("program", "random"), "program in players.toml starts the program 'false'; if you trust the file"),
        (("A=random", "A=mcts"), 'two players are called "A"'),
        (("random", "random", "--players", "x.toml"), "--players goes before the command"),
        (("multi", "random"), 'unknown agent "multi"; write the runs in that folder as runs/multi'),
    ],
)
def test_mistakes_with_players_are_one_sentence(here, boardlab, words, said):
    (here / "players.toml").write_text(PLAYERS)
    status, out, err = boardlab("match", "tictactoe", *words)
    assert (status, out) == (2, "") and err.startswith(f"boardlab: {said}") and err.count("\n") == 1


def test_a_file_of_players_is_named_before_the_command(here, boardlab):
    (here / "mine.toml").write_text(PLAYERS)
    assert boardlab("--players", "mine.toml", "match", "tictactoe", "Tree", "random", "-n", 2)[0] == 0
    status, _, said = boardlab("match", "tictactoe", "Tree", "random", "-n", 2)
    assert status == 2 and 'unknown agent "Tree"' in said
    status, _, said = boardlab("--players", "none.toml", "match", "tictactoe", "Tree", "random")
    assert (status, said) == (2, 'boardlab: there is no file "none.toml"\n')
    # A file that the user names may start programs; here it is another mistake that ends it.
    said = boardlab("--players", "mine.toml", "match", "tictactoe", "program", "random", "-n", 2)[2]
    assert "trust" not in said
    assert boardlab("match", "nim", "random", "random", "random", "--players", 3, "-n", 3)[0] == 0
