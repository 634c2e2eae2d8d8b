"""Tournaments, ratings and the hall of fame as a user types them: what they say, and what they refuse in time."""

import re

import pytest

import boardlab as bl
from boardlab.arena.store import Rating
from boardlab.cli.common import console


def pgn(*games: tuple[str, str, str, str]) -> str:
    """(game, white, black, result) as a file."""
    return "\n".join(
        f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n[Game "{game}"]\n\n*\n'
        for game, white, black, result in games
    )


@pytest.mark.parametrize("system", ["bayeselo", "glicko2", "openskill", "whole-history"])
def test_players_that_never_met_are_not_compared(boardlab, tmp_path, system):
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("hex", "a", "b", "1-0"), ("hex", "c", "d", "1-0"), ("hex", "d", "c", "1-0")] * 2))
    said = boardlab("rate", file, "--system", system)[1]
    assert "2 groups never met; only ratings within a group can be compared" in said
    assert "rated as one" not in said
    file.write_text(pgn(("hex", "a", "b", "1-0"), ("hex", "c", "b", "1-0")))
    assert "never met" not in boardlab("rate", file, "--system", system)[1]


@pytest.mark.parametrize("system", ["bayeselo", "glicko2", "openskill", "whole-history"])
def test_ratings_of_long_names_fit_a_terminal_and_files_keep_the_names(
    boardlab, tmp_path, monkeypatch, system
):
    long = [f"{name}, of which much is to be said that does not fit a line of a table" for name in "abc"]
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("hex", long[0], long[1], "1-0"), ("hex", long[2], long[0], "1-0")] * 3))
    named = boardlab("rate", file, "--system", system)[1]
    assert max(map(len, named.splitlines())) > 80
    monkeypatch.setattr(console, "_width", 80)
    assert boardlab("rate", file, "--system", system)[1] == named  # where nobody looks nothing is cut
    monkeypatch.setattr(console, "_force_terminal", True)
    shown = boardlab("rate", file, "--system", system)[1]
    assert max(map(len, shown.splitlines())) <= 80
    assert all(shown.count(name) == 1 for name in long)
    numbers = [line.split()[0] for line in shown.splitlines() if line.endswith(tuple(long))]
    assert numbers == ["1", "2", "3"]


def test_points_of_one_history_hang_together(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(pgn(("hex", "run@1", "a", "1-0"), ("hex", "run@2", "b", "1-0")))
    assert "never met" not in boardlab("rate", file, "--system", "whole-history")[1]
    assert "2 groups never met" in boardlab("rate", file)[1]


def test_superiority_is_said_only_of_players_that_met(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("hex", "a", "b", "1-0"), ("hex", "c", "d", "1/2-1/2")] * 3))
    table = boardlab("rate", file, "--superiority")[1].split("than the column\n")[1].splitlines()
    assert [len(line.split()) for line in table[1:]] == [3] * 4  # rank, name, and one other player
    elo = bl.rate(str(file))
    for i, j in ((i, j) for i in range(4) for j in range(4)):
        same = any({elo.ratings[i].name, elo.ratings[j].name} <= set(group) for group in elo.groups)
        assert (elo.superiority[i, j] == elo.superiority[i, j]) == same


def test_intervals_may_take_the_opponents_for_exact(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("hex", "a", "b", "1-0"), ("hex", "b", "c", "1-0"), ("hex", "c", "a", "1-0")] * 3))
    lists = {kind: str(bl.rate(file, bounds=kind)) for kind in ("covariance", "exact-opponents")}
    assert lists["covariance"] != lists["exact-opponents"]
    assert boardlab("rate", file)[1].startswith(lists["covariance"])
    for kind, expected in lists.items():
        assert boardlab("rate", file, "--bounds", kind)[1].startswith(expected)


def test_a_history_drifts_as_fast_as_it_is_told(boardlab, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("hex", "run@1", "a", "0-1"), ("hex", "run@9", "a", "1-0")] * 5))

    def rise(drift):
        said = boardlab("rate", file, "--system", "whole-history", "--drift", drift)[1]
        first, last = (int(line.split()[2]) for line in said.splitlines() if line.startswith("run "))
        return last - first

    assert 0 <= rise(0.01) < 10 < 100 < rise(10_000)


def test_a_list_that_mixes_games_says_so(boardlab, tmp_path):
    file, store = tmp_path / "games.pgn", tmp_path / "t.db"
    for game in ("nim", "hex --size 3", "hex --size 4"):
        words = game.split()
        boardlab("match", words[0], "random", "mc(iterations=3)", "-n", 2, "--save", file, *words[1:])
        boardlab("tournament", words[0], "random", "greedy", "-n", 2, "--store", store, *words[1:])
    note = "3 games are rated as one (hex size=3, hex size=4, nim); strength in one does not carry over"
    for system in ("bayeselo", "glicko2", "openskill", "whole-history"):
        assert note in boardlab("rate", file, "--system", system)[1]
    both = ["rate", file, "--tournament", 1, "--tournament", 2, "--tournament", 3, "--store", store]
    assert note in boardlab(*both)[1]
    assert "rated as one" not in boardlab("rate", "--tournament", 2, "--store", store)[1]


@pytest.mark.parametrize(
    ("game", "option", "sentence"),
    [
        ("nim --players 3", "--first-seat", "--first-seat needs a game for two players; nim has 3 players"),
        (
            "nim --players 3",
            "--superiority",
            "--superiority needs a game for two players; nim has 3 players",
        ),
        ("2048", "--first-seat", "--first-seat needs a game for two players; 2048 has 1 player"),
        ("2048", "--heat-map h.png", "a heat map shows who beat whom; 2048 is a game for one player"),
        ("nim", "--heat-map h.foo", '"h.foo" must end in .png'),
    ],
)
def test_what_a_tournament_could_not_show_is_refused_before_its_games(
    boardlab, tmp_path, monkeypatch, game, option, sentence
):
    monkeypatch.chdir(tmp_path)
    name, *parameters = game.split()
    agents = ["random", "mc(iterations=1)", "mc(iterations=2)"]
    status, out, error = boardlab("tournament", name, *agents, "-n", 2, *option.split(), *parameters)
    assert (status, out, error) == (2, "", f"boardlab: {sentence}\n")
    assert not list(tmp_path.iterdir())


def test_play_statistics_are_a_csv_file(boardlab, tmp_path):
    file = tmp_path / "x.txt"
    status, out, error = boardlab("match", "2048", "random", "-n", 1, "--play-stats", file)
    assert (status, out, error) == (2, "", f'boardlab: "{file}" must end in .csv\n')


def test_a_heat_map_of_nobody_against_nobody_is_refused(tmp_path):
    alone = bl.tournament(
        bl.game("2048", size=2), ["random", "mc(iterations=1)"], games=1, store=tmp_path / "t.db"
    )
    with pytest.raises(bl.BoardLabError, match="2048 is a game for one player"):
        alone.heat_map()


def test_a_name_is_shown_and_another_one_renames(boardlab, tmp_path):
    store = ("--store", tmp_path / "t.db")
    words = ("tournament", "nim", "random", "mc(iterations=2)", "-n", 2, *store)
    assert boardlab(*words)[1].startswith("nim: round-robin of 2 agents")
    assert boardlab(*words, "--name", "zebra")[1].startswith('nim: round-robin "zebra" of 2 agents, 2 games')
    assert boardlab(*words)[1].startswith('nim: round-robin "zebra" of 2 agents')
    assert boardlab("rate", "--tournament", 1, *store)[1].startswith('tournament 1 "zebra" of nim\n')
    boardlab(*words, "--seed", 1)
    assert boardlab("fame", *store)[1].count('4 games, tournaments 1 "zebra", 2\n') == 2
    assert boardlab(*words, "--name", "gnu")[1].startswith('nim: round-robin "gnu"')
    assert [t.name for t in bl.store(tmp_path / "t.db").tournaments()] == ["gnu", ""]
    with pytest.raises(bl.BoardLabError, match="the name of a tournament must be text, not 3"):
        bl.tournament(bl.game("nim"), ["random", "greedy"], store=tmp_path / "t.db", name=3)


def test_seats_are_taken_in_as_many_orders_as_asked_for(boardlab, tmp_path):
    store = tmp_path / "t.db"
    agents = ("random", "mc(iterations=1)", "mc(iterations=2)", "--players", 3, "-n", 6, "--store", store)
    for seats in ("single", "double", "all"):
        assert boardlab("tournament", "nim", *agents, "--seats", seats)[0] == 0
    played = [[game.record.seats for game in t.games()] for t in bl.store(store).tournaments()]
    assert list(map(len, played)) == [6, 6, 6]
    assert [len(set(orders)) for orders in played] == [3, 3, 6]


def test_a_match_takes_seats_by_the_words_of_a_tournament(boardlab, tmp_path):
    for seats, orders in {"single": 1, "double": 2, "all": 2}.items():
        saved = tmp_path / f"{seats}.pgn"
        words = ("A=random", "B=random", "-n", 6, "--seats", seats, "--save", saved, "--jobs", 2)
        status, out, _ = boardlab("match", "nim", *words)
        assert status == 0 and ("A began every game" in out) == (seats == "single")
        assert len({record.players for record in bl.read_records(saved)}) == orders
    status, out, err = boardlab("match", "nim", "random", "random", "--seats", "singel")
    assert status and 'unknown seats of a match "singel"; did you mean "single"?' in out + err


def test_fame_lists_as_many_as_asked_for(boardlab, tmp_path):
    store = ("--store", tmp_path / "t.db")
    agents = ("random", "mc(iterations=1)", "mc(iterations=2)")
    boardlab("tournament", "nim", *agents, "-n", 2, *store)
    ranks = re.compile(r"^ +(\d+)  ", re.M)
    assert ranks.findall(boardlab("fame", *store)[1]) == ["1", "2", "3"]
    assert ranks.findall(boardlab("fame", "--top", 2, *store)[1]) == ["1", "2"]


def test_a_tournament_that_was_played_but_not_rated_is_not_called_broken_off(boardlab, tmp_path):
    game, agents, store = bl.game("nim"), ["random", "greedy"], bl.store(tmp_path / "t.db")
    played = store.start_tournament(game, agents, "round-robin", name="mine")
    played.add_pairings([((0, 1), 2)])
    said = [boardlab("fame", "--store", store.path)[1]]
    played.add_games(0, bl.match(game, agents, 2).records, first=0)
    said.append(boardlab("fame", "--store", store.path)[1])
    played.add_ratings("bayeselo", [Rating(i, 0.0, -1.0, 1.0, 2) for i in (0, 1)])
    said.append(boardlab("fame", "--store", store.path)[1])
    assert 'tournament 1 "mine" of nim is unfinished and does not count; repeat the same command' in said[0]
    assert 'tournament 1 "mine" of nim is not rated and does not count' in said[1]
    assert "does not count" not in said[2] and '1 "mine"' in said[2]


def test_a_tournament_says_what_it_played_where_it_is_kept_and_who_had_more(boardlab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOARDLAB_STORE", raising=False)
    command = ("tournament", "nim", "mcts(iterations=20)", "mcts(iterations=5)", "random", "-n", "2")
    said = boardlab(*command)[1]
    assert "budgets per decision differ: " in said and "20 iterations (" in said and "5 iterations (" in said
    assert said.endswith("6 games played and kept in a new store, boardlab.db\n")
    again = boardlab(*command)[1]
    assert again.endswith("nothing was played: all 6 games were in boardlab.db; --again plays them again\n")
    equal = boardlab("tournament", "nim", "mcts(iterations=20)", "uct", "-n", "2", "--iterations", "9")[1]
    assert "budget of every search: 9 iterations per decision" in equal and "uct(iterations=9)" in equal
    with bl.store("boardlab.db")._writing() as db:  # as though it had been killed before the last game
        last = "(SELECT max(id) FROM games WHERE tournament = 1)"
        db.execute(f"DELETE FROM seats WHERE played = {last}")
        db.execute(f"DELETE FROM games WHERE id = {last}")
        db.execute("UPDATE tournaments SET finished = NULL WHERE id = 1")
    assert boardlab(*command)[1].endswith("1 game played and kept in boardlab.db, which already had 5\n")
    equal = boardlab("match", "nim", "mcts(iterations=20)", "uct", "-n", "2")[1]
    assert "budgets per decision differ: 20 iterations (1), 200 iterations (2)" in equal
