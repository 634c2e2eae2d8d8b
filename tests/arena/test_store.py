"""The store: what goes in comes out, under several processes, kill -9, and files that are not what they seem."""

import linecache
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

import boardlab as bl
from boardlab.arena.intervals import interval
from boardlab.arena.ratings import Result, bayes_elo, openskill
from boardlab.arena.standings import results_of
from boardlab.arena.store import Rating
from boardlab.arena.store import file as store_file
from boardlab.arena.store.migrations import MIGRATIONS
from boardlab.arena.store.rows import pack, run_folders, unpack
from boardlab.evaluators import EVALUATORS
from boardlab.options import options_of
from boardlab.plugins import RUN, run_plugin
from boardlab.runs import RunFolder

AGENTS = ["random", "mc(rollout, iterations=4)", "mcts(rollout, iterations=4)"]


@pytest.fixture
def store(tmp_path):
    return bl.store(tmp_path / "store.db")


@pytest.fixture(scope="module")
def game():
    return bl.game("tictactoe")


def played(game, entrants, games, seed=0, agents=AGENTS):
    """Records of a pairing, with seats as numbers of entrants."""
    from dataclasses import replace

    records = bl.match(game, [agents[e] for e in entrants], games, seed).records
    return [replace(r, seats=tuple(entrants[s] for s in r.seats)) for r in records]


def test_a_tournament_is_found_again_and_holds_what_was_played(store, game):
    tournament = store.start_tournament(game, AGENTS, "round-robin", 7, {"games": 6})
    assert tournament.pairings() == [] and not tournament.is_finished
    tournament.add_pairings([((0, 1), 6), ((0, 2), 6)])
    first, second = played(game, (0, 1), 6), played(game, (0, 2), 6)
    assert tournament.add_games(0, first[:4], first=0) == 4
    assert [(p.entrants, p.played, p.is_done) for p in tournament.pairings()] == [
        ((0, 1), 4, False),
        ((0, 2), 0, False),
    ]
    again = bl.store(store.path).start_tournament(game, AGENTS, "round-robin", 7, {"games": 6})
    assert (
        again.number == tournament.number and again.agents == tuple(AGENTS) and again.options == {"games": 6}
    )
    again.add_games(0, first[4:], first=4)
    again.add_games(1, second, first=0)
    again.finish()
    assert tournament.is_finished and all(p.is_done for p in tournament.pairings())
    assert [g.record for g in again.games()] == first + second
    assert [(g.pairing, g.number) for g in again.games()] == [(p, n) for p in (0, 1) for n in range(6)]


def test_another_plan_is_another_tournament(store, game):
    one = store.start_tournament(game, AGENTS, "round-robin", 7)
    others = [
        store.start_tournament(game, AGENTS[::-1], "round-robin", 7),
        store.start_tournament(game, AGENTS, "gauntlet", 7),
        store.start_tournament(game, AGENTS, "round-robin", 8),
        store.start_tournament(game, AGENTS, "round-robin", 7, {"games": 2}),
        store.start_tournament(bl.game("connectfour"), AGENTS, "round-robin", 7),
        store.start_tournament(game, AGENTS, "round-robin", 7, again=True),
    ]
    assert len({one.number, *(t.number for t in others)}) == 7
    assert [t.number for t in store.tournaments("connectfour")] == [others[4].number]


def test_games_that_are_there_stay_and_none_may_be_left_out(store, game):
    tournament = store.start_tournament(game, AGENTS, "round-robin")
    tournament.add_pairings([((0, 1), 4)])
    records = played(game, (0, 1), 4)
    assert tournament.add_games(0, records[:3], 0) == 3
    assert tournament.add_games(0, records, 0) == 1
    assert [g.record for g in tournament.games()] == records
    with pytest.raises(bl.BoardLabError, match="game 6 of pairing 0 must be stored after"):
        tournament.add_games(0, records[:1], 6)
    with pytest.raises(bl.BoardLabError, match="no pairing 5"):
        tournament.add_games(5, records, 0)


def test_a_round_is_planned_once(store, game):
    tournament = store.start_tournament(game, AGENTS, "swiss")
    tournament.add_pairings([((0, 1), 2)])
    tournament.add_pairings([((1, 2), 2)], round=0)
    assert len(tournament.pairings()) == 1
    tournament.add_pairings([((1, 2), 2)], round=1)
    assert [(p.number, p.round, p.entrants) for p in tournament.pairings()] == [
        (0, 0, (0, 1)),
        (1, 1, (1, 2)),
    ]


@pytest.mark.parametrize("name", ["rubiks", "2048", "kuhnpoker", "morpion"])
def test_records_of_all_kinds_come_back_bit_by_bit(store, name):
    game = bl.game(name)
    agents = ["random"] * game.players
    starts = [game.initial_state(3)] if name == "rubiks" else []
    result = bl.match(game, agents, 4, seed=2**64 - 1, starts=starts)
    store.add_games(game, agents, result.records)
    stored = store.games_between(game)
    assert [r.actions for _, r in stored] == [r.actions for r in result.records]
    assert [(r.scores, r.seed, r.error, r.start) for _, r in stored] == [
        (r.scores, r.seed, r.error, r.start) for r in result.records
    ]


def test_actions_are_packed_as_narrow_as_they_can_be():
    for actions in [(), (0, 255), (256,), (65535, 0), (65536,), (-1, 3), (2**31 - 1, -(2**31))]:
        assert unpack(pack(actions)) == actions
    assert len(pack([3] * 100)) == 101
    with pytest.raises(bl.BoardLabError, match="damaged"):
        unpack(b"Hxyz")


def test_games_of_some_agents_are_found(store, game):
    store.add_games(game, AGENTS[:2], bl.match(game, AGENTS[:2], 4).records)
    store.add_games(game, AGENTS[1:], bl.match(game, AGENTS[1:], 6).records)
    assert len(store.games_between(game)) == 10
    assert len(store.games_between(game, ["mc(iterations=4)", "random"])) == 4
    assert store.games_between(bl.game("nim")) == []
    names = [names for names, _ in store.games_between(game, AGENTS[:2])]
    assert names == [tuple(AGENTS[:2]), tuple(AGENTS[1::-1])] * 2


def rated(store, game, agents, seed, games=60):
    """A tournament of all pairs, rated."""
    tournament = store.start_tournament(game, agents, "round-robin", seed)
    pairs = [(i, j) for i in range(len(agents)) for j in range(i)]
    tournament.add_pairings([(pair, games) for pair in pairs])
    for number, pair in enumerate(pairs):
        tournament.add_games(number, played(game, pair, games, seed, agents), 0)
    tournament.add_ratings("bayeselo", [Rating(i, 0.0, -1, 1, games) for i in range(len(agents))])
    return tournament


def test_ratings_are_replaced(store, game):
    tournament = store.start_tournament(game, AGENTS, "round-robin", 2)
    tournament.add_ratings("bayeselo", [Rating(2, 90.0, 60, 120, 40), Rating(1, 10.0, -20, 40, 40)])
    assert tournament.ratings("bayeselo") == [Rating(2, 90.0, 60, 120, 40), Rating(1, 10.0, -20, 40, 40)]
    tournament.add_ratings("bayeselo", [Rating(2, 95.0, 60, 120, 40)])
    assert tournament.ratings("bayeselo") == [Rating(2, 95.0, 60, 120, 40)]


def test_fame_rates_all_tournaments_of_a_game_together(store, game):
    """Elo of one tournament has its own zero; only over all games do agents of two tournaments compare."""
    first, second = rated(store, game, AGENTS[:2], 1), rated(store, game, AGENTS[1:], 2)
    store.start_tournament(game, ["random", "greedy"], "round-robin", 3)  # not rated: does not count
    lines = store.fame("tictactoe")
    results = [
        Result(tuple(names[seat] for seat in r.seats), r.scores)
        for t, names in ((first, AGENTS[:2]), (second, AGENTS[1:]))
        for r in (g.record for g in t.games())
    ]
    expected = bayes_elo(results)
    assert [f.expression for f in lines] == [r.name for r in expected.ratings]
    for line, r in zip(lines, expected.ratings, strict=True):
        assert (line.rating, line.low, line.high) == pytest.approx((r.elo, r.elo - r.minus, r.elo + r.plus))
        assert line.games == r.games and line.method == "bayeselo" and line.group == 0
    by_name = {f.expression: f for f in lines}
    assert by_name[AGENTS[1]].tournaments == (first.number, second.number)
    assert by_name["random"].rating < by_name[AGENTS[1]].rating
    assert store.fame(bl.game("othello")) == [] and len(store.fame()) == len(store.fame(game)) == 3
    with pytest.raises(bl.BoardLabError, match="did you mean"):
        store.fame("tictacto")


def test_agents_that_never_met_stand_apart(store, game):
    rated(store, game, AGENTS[:2], 1, games=10)
    rated(store, game, ["greedy(rollout)", "mc(rollout, iterations=9)"], 2, games=10)
    assert [f.group for f in store.fame("tictactoe")] == [0, 0, 1, 1]


def test_fame_of_one_player_is_the_mean_score_of_all_games(store):
    game = bl.game("2048", size=2)
    played = [bl.tournament(game, AGENTS[:2], games=n, seed=n, store=store) for n in (5, 3)]
    assert len(store.fame("2048")) == 2
    for line in store.fame("2048"):
        agent = AGENTS.index(line.expression)
        scores = [r.scores[0] for result in played for r in result.records if r.seats == (agent,)]
        half = interval(scores, game.score_range)
        assert (line.games, line.method, line.tournaments, line.group) == (8, "score", (1, 2), 0)
        assert line.rating == pytest.approx(sum(scores) / 8)
        assert (line.low, line.high) == pytest.approx((line.rating - half, line.rating + half))


def test_a_tournament_that_was_played_again_counts_once(store):
    game = bl.game("2048", size=2)
    for again in (False, True, True):
        bl.tournament(game, AGENTS[:2], games=4, seed=1, store=store, again=again)
    assert [(line.games, line.tournaments) for line in store.fame("2048")] == [(4, (3,))] * 2


def test_one_game_is_famous_without_an_interval_and_ratings_without_games_are(store):
    game = bl.game("2048", size=2)
    bl.tournament(game, [*AGENTS[:1], "greedy"], games=1, store=store)
    assert all(math.isnan(line.low) and line.games == 1 for line in store.fame("2048"))
    for seed, score in ((1, 900.0), (2, 1100.0)):
        tournament = store.start_tournament(bl.game("2048"), AGENTS[:2], "round-robin", seed)
        tournament.add_ratings("score", [Rating(0, score, score - 9, score + 9, 20)])
        assert tournament.is_rated
    (line,) = store.fame(bl.game("2048"))
    assert (line.rating, line.low, line.games, line.tournaments) == (1100, 1091, 20, (3,))


def test_fame_of_three_players_rates_all_tournaments_together(store):
    game = bl.game("nim", heaps=(2, 3, 2), players=3)
    played = [bl.tournament(game, AGENTS, games=6, seed=seed, store=store) for seed in (1, 2)]
    alone = ["greedy", "mc(iterations=3)", "mc(iterations=5)"]
    bl.tournament(game, alone, games=6, store=store)
    skills = openskill([r for result in played for r in results_of(game, result.agents, result.records)])
    lines = store.fame("nim")
    assert [line.expression for line in lines[:3]] == list(skills) and [f.group for f in lines] == [0] * 3 + [
        1
    ] * 3
    for line in lines[:3]:
        assert (line.rating, line.games) == (pytest.approx(skills[line.expression].mean), 12)
        assert line.tournaments == (1, 2)
    assert all((line.games, line.tournaments) == (6, (3,)) for line in lines[3:])


def test_what_a_method_of_ones_own_said_last_is_famous(store, game):
    for seed, rating in ((1, 900.0), (2, 1100.0)):
        tournament = store.start_tournament(game, AGENTS[:2], "round-robin", seed)
        tournament.add_ratings("mine", [Rating(0, rating, rating - 9, rating + 9, 20)])
    (line,) = store.fame("tictactoe")
    assert (line.method, line.rating, line.games, line.tournaments) == ("mine", 1100, 20, (2,))


def test_a_trained_agent_brings_its_cost_and_is_another_one_after_more_training(store, tmp_path):
    game = bl.game("nim")
    run = bl.train(game, episodes=200, out=tmp_path / "run", seed=5, alpha=0.3)
    one = store.add_agent(game, run.expression)
    assert store.add_agent(game, f"  {run.expression}  ") == one
    rated(store, game, [run.expression, "random"], 1, games=4)
    (line,) = [f for f in store.fame("nim") if f.runs]
    (trained,) = line.runs
    assert (trained.learner, trained.preset, trained.seed, trained.episodes) == (
        "td-ntuple",
        "default",
        5,
        200,
    )
    assert trained.actions == run.actions and trained.seconds == run.seconds
    assert trained.cpu_seconds is not None and 0 < trained.cpu_seconds < 60
    assert trained.version == bl.__version__ and trained.description["settings"]["alpha"] == 0.3
    same = bl.train(game, episodes=200, out=tmp_path / "twin", seed=5, alpha=0.3)
    assert store.add_agent(game, same.expression) != one  # another expression, the same weights
    bl.resume(run.path, episodes=400)
    assert store.add_agent(game, run.expression) != one
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (2,)


def test_every_evaluator_that_reads_a_run_says_which(monkeypatch):
    """Whatever folder an evaluator opens, wherever it stands in an expression, the store knows it."""

    def opened(folder, *_):
        raise bl.BoardLabError(f"opened {folder.path}")

    monkeypatch.setattr(RunFolder, "read_agent", opened)
    readers = set()
    for name, spec in EVALUATORS.items():
        first = next(iter(options_of(spec)), None)
        if first is None or first.type is not str:
            continue
        try:
            bl.evaluator(f'{name}("some/run")', bl.game("tictactoe"))
        except bl.BoardLabError as error:
            if str(error) == "opened some/run":
                readers.add(name)
    assert readers == {"ntuple", "net", "features", "qtable", "regret"}
    for name in readers:
        for around in (
            "greedy({})",
            "mcts({}, iterations=5)",
            "beam({}, width=2)",
            "mcts(endgame({}, below=2))",
            "greedy(mix(score, endgame({})))",
        ):
            assert run_folders(around.format(f'{name}("some/run")')) == ["some/run"]
    both = 'greedy(mix(net("b"), mix(qtable("a"), net("b", device="cpu"))))'
    assert run_folders(both) == ["b", "a"]
    assert run_folders("greedy(mix(score, rollout))") == []


def test_a_judge_that_was_trained_on_makes_another_tournament(store, tmp_path):
    game = bl.game("tictactoe")
    run = bl.train(game, episodes=50, out=tmp_path / "judge", seed=1)

    def held():
        judge = f'ntuple("{run.path.as_posix()}")'
        return bl.tournament(game, ["random", "mc"], games=2, adjudicate=judge, store=store).number

    first = held()
    assert held() == first
    bl.resume(run.path, episodes=100)
    assert held() != first


def own_evaluator(file, value):
    """Runs the file of a user that registers an evaluator."""
    file.write_text(
        "import boardlab as bl\n"
        "@bl.register_evaluator('own', inputs='states', priors=False)\n"
        "def own(game):\n"
        f"    return lambda states, legal: [{value}] * len(states)\n"
    )
    RUN.pop(str(file), None)  # as in a new process
    run_plugin(str(file))


def test_a_tournament_does_not_go_on_with_an_evaluator_whose_file_has_changed(
    store, game, tmp_path, monkeypatch
):
    monkeypatch.setattr("boardlab.plugins.PLUGINS", [])

    def held(**options):
        return bl.tournament(game, ["random", "greedy(own)"], games=2, store=store, **options).number

    own_evaluator(tmp_path / "own.py", 0)
    assert [held(), held()] == [1, 1]
    own_evaluator(tmp_path / "own.py", 0.5)
    with pytest.raises(
        bl.BoardLabError, match=r"an evaluator or agent in greedy\(own\) has changed since tournament 1"
    ):
        held()
    assert [held(again=True), held()] == [2, 2]
    judged = [held(adjudicate="own"), held(adjudicate="own")]
    own_evaluator(tmp_path / "own.py", 0)
    assert judged == [3, 3] and held(adjudicate="own") == 4  # as with a judge that was trained on
    with sqlite3.connect(store.path) as db:  # earlier versions did not keep it
        db.execute(
            "UPDATE OR REPLACE agents SET fingerprint = '' WHERE id IN (SELECT agent FROM entrants WHERE tournament = 2)"
        )
    db.close()
    assert held() == 2


def test_an_evaluator_made_in_a_notebook_has_the_fingerprint_of_its_lines():
    """Its file is none; where nobody knows the lines it has no fingerprint."""
    marks = []
    for value in (0, 0, 0.5, None):
        source = f"def own(game):\n    return lambda planes, legal: [{value}] * len(planes)\n"
        if value is not None:
            linecache.cache["<cell>"] = (len(source), None, source.splitlines(True), "<cell>")
        names = {}
        exec(compile(source, "<cell>" if value is not None else "<nowhere>", "exec"), names)
        bl.register_evaluator("own", priors=False)(names["own"])
        marks.append(EVALUATORS["own"].own_code)
    assert marks[0] == marks[1] != marks[2] and len(marks[0]) == 32 and marks[3] == ""


def test_reading_makes_no_file(store, game):
    with pytest.raises(bl.BoardLabError, match=r"there is no store .*; a tournament creates one"):
        store.fame()
    with pytest.raises(bl.BoardLabError, match="there is no store"):
        store.games_between(game)
    assert not store.path.exists()


def test_the_place_of_the_store(monkeypatch, tmp_path):
    monkeypatch.delenv("BOARDLAB_STORE", raising=False)
    assert str(bl.store().path) == "boardlab.db"
    monkeypatch.setenv("BOARDLAB_STORE", str(tmp_path / "elsewhere.db"))
    assert bl.store().path == tmp_path / "elsewhere.db"
    with pytest.raises(bl.BoardLabError, match="its folder does not exist"):
        bl.store(tmp_path / "no" / "store.db").add_agent(bl.game("nim"), "random")
    with pytest.raises(bl.BoardLabError, match="is a folder"):
        bl.store(tmp_path).fame()
    for path in ("", 3):
        with pytest.raises(bl.BoardLabError, match="file of a store must be a path"):
            bl.store(path)


def test_what_is_no_store_is_refused_and_left_alone(tmp_path):
    text, other, newer = tmp_path / "notes.txt", tmp_path / "other.db", tmp_path / "newer.db"
    text.write_text("this is no database, and it is longer than a header of one hundred bytes " * 3)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE photos (id)")
    with bl.store(newer) as store:  # closed here: a store that is closed later writes its log into the file
        store.add_agent(bl.game("nim"), "random")
    with sqlite3.connect(newer) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    for path, words in ((text, "not an SQLite file"), (other, "another program"), (newer, "newer BoardLab")):
        before = path.read_bytes()
        for act in (lambda s: s.fame(), lambda s: s.add_agent(bl.game("nim"), "random")):
            with pytest.raises(bl.BoardLabError, match=words):
                act(bl.store(path))
        assert path.read_bytes() == before


def test_a_damaged_file_is_told(store, game):
    store.add_games(game, AGENTS[:2], bl.match(game, AGENTS[:2], 200).records)
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    store.path.write_bytes(content)
    with pytest.raises(bl.BoardLabError, match=r"is damaged|failed"):
        bl.store(store.path).games_between(game)


DEEP = "[" * 3000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("tournaments SET seed = 'x'", "tournament 1 cannot be read: invalid literal"),
        ("tournaments SET game = x'ff'", "tournament 1 cannot be read: b'.*' is not text"),
        ("tournaments SET game = cast(x'ff' AS text)", "it contains bytes where text should be"),
        (f"tournaments SET parameters = '{DEEP}'", "tournament 1 cannot be read: maximum recursion"),
        ("tournaments SET parameters = '['", "tournament 1 cannot be read: Expecting value"),
        ("tournaments SET options = '3'", "tournament 1 cannot be read: 'int' object"),
        (
            "tournaments SET options = '{\"seats\": 3}'",
            "tournament 1 of tictactoe cannot be read: there is no 3 among its seats",
        ),
        ("pairings SET entrants = '{0, 1]'", "pairing 0 of tournament 1 cannot be read: Expecting property"),
        ("pairings SET entrants = '[7, 8]'", "pairing 0 of tournament 1 cannot be read: an entrant must be"),
        ("pairings SET games = 'x'", "pairing 0 of tournament 1 cannot be read: 'x' is not a whole number"),
        ("pairings SET round = 5 WHERE number = 1", "round 0 of tournament 1 .* has 2 pairings, not 3"),
        ("entrants SET agent = 99", "tournament 1 cannot be read: its agents are not those of its plan"),
        ("agents SET expression = 3 WHERE id = 1", "an agent of tournament 1 .*: '3' is no text|not those"),
        ("games SET actions = x'ff'", "game 1 cannot be read: its actions are damaged"),
        ("games SET start = x'01'", "game 1 cannot be read: buffer size"),
        ("games SET start = x'01000000'", "game 1 cannot be read: tictactoe: a state needs 9 fields"),
        ("games SET pairing = 'x' WHERE id = 1", "a game of tournament 1 cannot be read: 'x' is not a whole"),
        ("seats SET score = 'x'", "game 1 cannot be read: 'x' is not a number"),
        ("seats SET score = 9e999", "tournament 1 of tictactoe cannot be read: scores must be finite"),
        ("seats SET decisions = 'x'", "game 1 cannot be read: 'x' is not a whole number"),
        ("seats SET agent = 99", "game 1 cannot be read: it has 0 seats, not 2"),
        (
            "ratings SET method = 'mine', rating = 'x'",
            "a rating of tictactoe cannot be read: 'x' is not a number",
        ),
        ("ratings SET games = 'x'", "a rating of tournament 1 cannot be read: 'x' is not a whole number"),
        ("runs SET description = '{' || substr(description, 3)", "a run of agent 1 .*: Expecting property"),
        ("runs SET seconds = 'x'", "a run of agent 1 cannot be read: 'x' is not a number"),
    ],
)
def test_rows_that_are_damaged_are_told(store, game, change, words):
    """SQLite has no checksums, and takes them for whole."""
    bl.tournament(game, AGENTS, games=2, store=store)
    with store._writing() as db:
        run = "1, 'f', 'runs/a', 'td', '', '1', '1', 1, 1, 1.0, 1.0, '{\"kind\": 1}'"
        db.execute(f"INSERT INTO runs VALUES ({run})")
        db.execute("INSERT INTO agent_runs VALUES (1, 1)")
    assert len(store.fame()) == 3
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute(f"UPDATE {change}")
    db.close()
    said = []
    for ask in (
        lambda: bl.tournament(game, AGENTS, games=2, store=store),
        lambda: [(t.pairings(), t.games(), t.ratings("bayeselo")) for t in store.tournaments()],
        lambda: store.games_between(game),
        store.fame,
    ):
        try:
            ask()
        except bl.BoardLabError as error:
            said.append(str(error))
    assert any(re.search(f"^the store .*store.db is damaged: .*{words}", sentence) for sentence in said), said


def test_a_damaged_table_of_tables_is_told(store, game):
    store.add_agent(game, "random")
    store.close()
    content = store.path.read_bytes()
    assert b"tableagentsagents" in content
    store.path.write_bytes(content.replace(b"tableagentsagents", b"table\xff\xfe\xfdntsagents"))
    with pytest.raises(bl.BoardLabError, match=r"^the store .* is damaged: it contains bytes where text"):
        store.fame()


def test_a_read_only_file_is_read_and_not_written(store, game, monkeypatch):
    store.add_games(game, AGENTS[:2], bl.match(game, AGENTS[:2], 4).records)
    store.close()
    monkeypatch.setattr(store_file.os, "access", lambda path, mode: False)  # root may write everything
    reader = bl.store(store.path)
    assert len(reader.games_between(game)) == 4
    with pytest.raises(bl.BoardLabError, match="read-only"):
        reader.add_agent(game, "random")


def test_a_full_disk_loses_only_the_batch(store, game):
    records = bl.match(game, AGENTS[:2], 2000).records
    store.add_games(game, AGENTS[:2], records[:10])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(bl.BoardLabError, match="the disk is full"):
        store.add_games(game, AGENTS[:2], records)
    assert len(store.games_between(game)) == 10
    store.close()
    store.add_games(game, AGENTS[:2], records)
    assert len(store.games_between(game)) == 2010


def test_an_older_file_is_upgraded_step_by_step(tmp_path, monkeypatch):
    path = tmp_path / "old.db"
    bl.store(path).add_agent(bl.game("nim"), "random")
    more = (*MIGRATIONS, ("ALTER TABLE agents ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",))
    monkeypatch.setattr(store_file, "MIGRATIONS", more)
    later = bl.store(path)
    later.add_agent(bl.game("nim"), "greedy")
    assert later._read("SELECT expression, note FROM agents ORDER BY id") == [
        ("random", "none"),
        ("greedy(rollout)", "none"),
    ]
    assert later._read("PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]


def test_an_upgrade_that_fails_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "old.db"
    bl.store(path).add_agent(bl.game("nim"), "random")
    broken = (*MIGRATIONS, ("ALTER TABLE agents ADD COLUMN note TEXT", "ALTER TABLE absent ADD COLUMN x"))
    monkeypatch.setattr(store_file, "MIGRATIONS", broken)
    with pytest.raises(bl.BoardLabError, match="failed: no such table: absent"):
        bl.store(path).agents(bl.game("nim"))
    monkeypatch.undo()
    assert bl.store(path).agents(bl.game("nim")) == ["random"]


WRITER = """
    import sys, boardlab as bl
    from dataclasses import replace
    path, number, agents = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    game = bl.game("tictactoe")
    print("ready", flush=True)
    sys.stdin.readline()
    tournament = bl.store(path).start_tournament(game, agents, "round-robin", 1)
    tournament.add_pairings([((0, 1), 60), ((0, 2), 60), ((1, 2), 60)])
    for pairing in tournament.pairings()[number % 3 :] + tournament.pairings()[: number % 3]:
        seats = pairing.entrants
        records = bl.match(game, [agents[e] for e in seats], pairing.games, pairing.number).records
        records = [replace(r, seats=tuple(seats[s] for s in r.seats)) for r in records]
        for first in range(0, pairing.games, 4):
            tournament.add_games(pairing.number, records[first : first + 4], first)
            print("wrote", flush=True)
"""


def writer(path, number):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(number), *AGENTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def expected_games(game):
    return [r for i, pair in enumerate([(0, 1), (0, 2), (1, 2)]) for r in played(game, pair, 60, i)]


def test_processes_that_write_at_once_make_one_tournament(store, game):
    """All make the file, the tournament and its pairings at the same moment, and play the same games."""
    writers = [writer(store.path, i) for i in range(4)]
    for process in writers:
        assert process.stdout.readline() == "ready\n"
    for process in writers:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in writers:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    (tournament,) = store.tournaments()
    assert [g.record for g in tournament.games()] == expected_games(game)
    assert store._read("PRAGMA integrity_check") == [("ok",)]


def test_a_tournament_goes_on_after_kill_9(store, game):
    process = writer(store.path, 0)
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (tournament,) = store.tournaments()
    there = [p.played for p in tournament.pairings()]
    assert there[0] == 60 and 20 <= there[1] <= 60 and there[1] % 4 == 0
    for pairing in tournament.pairings():
        records = played(game, pairing.entrants, pairing.games, pairing.number)
        tournament.add_games(pairing.number, records[pairing.played :], pairing.played)
    assert [g.record for g in tournament.games()] == expected_games(game)


def test_a_forked_process_opens_its_own_connection(store, game):
    store.add_agent(game, "random")
    child = os.fork()
    if child == 0:
        try:
            store.add_agent(game, "greedy")
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.agents(game) == ["random", "greedy(rollout)"]


def test_a_store_that_stays_busy_is_told(store, game, monkeypatch):
    store.add_agent(game, "random")
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.01)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(bl.BoardLabError, match="is busy: another process"):
        bl.store(store.path).add_agent(game, "greedy")
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda s, g: s.add_agent(g, "mtcs"), "did you mean"),
        (lambda s, g: s.add_agent("tictactoe", "random"), "boardlab.game"),
        (lambda s, g: s.add_agent(g, 3), "an agent expression must be text"),
        (lambda s, g: s.start_tournament(g, ["random", " random"], "x"), "listed twice"),
        (lambda s, g: s.start_tournament(g, [], "x"), "list of agents"),
        (lambda s, g: s.start_tournament(g, AGENTS, "x", -1), "seed"),
        (lambda s, g: s.start_tournament(g, AGENTS, "x", 1, {"a": {1}}), "JSON"),
        (
            lambda s, g: s.start_tournament(g, AGENTS, "x").add_ratings("e", [Rating(9, 0, 0, 0, 1)]),
            "entrant",
        ),
        (
            lambda s, g: s.start_tournament(g, AGENTS, "x").add_ratings(
                "e", [Rating(0, 0, 0, float("nan"), 1)]
            ),
            "finite",
        ),
        (lambda s, g: s.start_tournament(g, AGENTS, "x").add_pairings([((0, 5), 2)]), "entrant"),
        (lambda s, g: s.add_games(g, ["random"], bl.match(g, AGENTS[:2], 2).records), "seats"),
        (lambda s, g: s.add_games(g, AGENTS, ["f5"]), "records of a match"),
        (lambda s, g: s.start_tournament(g, AGENTS, "x") and s.tournament(9), "no tournament 9"),
    ],
)
def test_mistakes_are_one_sentence(store, game, act, words):
    with pytest.raises(bl.BoardLabError, match=words):
        act(store, game)
