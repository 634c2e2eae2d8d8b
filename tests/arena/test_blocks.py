"""Matches and tournaments in several processes: the games, and nothing but the games, of one process."""

import io

import pytest

import boardlab as bl
from boardlab.arena import blocks
from boardlab.arena.arena import Arena
from boardlab.arena.match import StoppedMatch
from boardlab.errors import BoardLabError
from boardlab.jobs.messages import read_message, write_message
from tests.jobs.lent import lent_for

FOUR = bl.game("connectfour")
FIELD = ["random", "mcts(rollout, iterations=5)", "mcts(rollout, iterations=20)", "greedy(rollout)"]


@pytest.fixture
def lent(monkeypatch):
    monkeypatch.setattr(blocks, "executor_for", lent_for)


@pytest.mark.parametrize(
    ("game", "agents", "more"),
    [
        (FOUR, FIELD[1:3], {"starts": 2, "values": True}),
        (FOUR, FIELD[1:3], {"adjudicate": "rollout", "random_actions": 3, "threads": 2}),
        (bl.game("nim", heaps=(2, 3, 2), max_take=2, players=3), [FIELD[1], "random", "random"], {}),
        (bl.game("kuhnpoker"), ["random", "nash"], {}),
    ],
    ids=["starts", "adjudicate", "three players", "hidden"],
)
def test_a_match_is_the_same_in_two_processes(game, agents, more, lent):
    here, there = (bl.match(game, agents, 60, seed=3, jobs=jobs, **more) for jobs in (1, 2))
    assert here == there and here.records == there.records
    assert repr([record.values for record in here.records]) == repr(
        [record.values for record in there.records]
    )
    assert here.adjudicated == there.adjudicated
    if "starts" in more:  # with their history, which agents may look at
        assert [r.start.history_fields() for r in here.records] == [
            r.start.history_fields() for r in there.records
        ]


def test_games_with_errors_cross_a_pipe_unchanged():
    wrong = bl.python_agent(FOUR, lambda state: 99 if state.actions_played > 5 else 0, "wrong")
    arena = Arena(FOUR, [wrong, "random"], 1, starts=1, values=True)
    raw, direct = [], []
    arena.play_raw([[0, 1], [1, 0]], 20, raw.extend, 0, 2)
    arena.play([[0, 1], [1, 0]], 20, direct.extend)
    pipe = io.BytesIO()
    write_message(pipe, blocks._columns(raw))
    pipe.seek(0)
    found = [arena.record(game) for game in blocks._games(read_message(pipe))]
    assert found == direct and any(record.failed for record in found)
    assert {record.error for record in found} == {"", *(record.error for record in direct)}


def test_an_sprt_stops_at_the_same_game():
    results = [bl.match(FOUR, FIELD[:2], 5000, seed=3, sprt=(-300, 300), jobs=jobs) for jobs in (1, 2)]
    assert results[0].games == results[1].games < 5000
    assert results[0] == results[1]


def test_ctrl_c_keeps_the_first_games(lent):
    def stop(done):
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(StoppedMatch) as stopped:
        bl.match(FOUR, FIELD[1:3], 2000, seed=3, jobs=2, progress=stop)
    first = stopped.value.result.records
    assert 20 < len(first) < 2000
    assert first == bl.match(FOUR, FIELD[1:3], len(first), seed=3).records


@pytest.mark.parametrize("format", ["round-robin", "swiss"])
def test_a_tournament_that_was_stopped_goes_on_in_processes(format, tmp_path, lent):
    def play(store, **more):
        return bl.tournament(FOUR, FIELD, format, games=20, seed=3, store=tmp_path / store, **more)

    def stop(done, games):
        if done > 30:
            raise KeyboardInterrupt

    whole = play("whole.db")
    for jobs in (2, 1):
        with pytest.raises(KeyboardInterrupt):
            play(f"{jobs}.db", jobs=jobs, progress=stop)
        rest = play(f"{jobs}.db", jobs=3 - jobs)
        assert rest.fresh < len(whole.records) and (rest.fresh or jobs == 1)  # which may be done at once
        assert rest.records == whole.records


def test_agents_that_other_processes_cannot_make_are_refused(tmp_path):
    bl.register_agent("blocked", lambda game, seed: bl.agent("random", game, seed))
    made = bl.python_agent(FOUR, lambda state: state.legal_actions()[0], "first")
    for agent, words in [
        (made, "the agent first is an object of this process, and other processes cannot make it again"),
        ("blocked", 'the agent "blocked" was registered in this process'),
        ("human", "a person plays at one terminal"),
    ]:
        with pytest.raises(BoardLabError, match=words):
            bl.match(FOUR, [agent, "random"], jobs=2)
        with pytest.raises(BoardLabError, match=words):
            bl.tournament(FOUR, [agent, "random"], jobs=2, store=tmp_path / "store.db")
    with pytest.raises(BoardLabError, match="jobs must be a whole number from 1 to 1024, not 0"):
        bl.match(FOUR, FIELD[:2], jobs=0)
    assert not (tmp_path / "store.db").exists()


def test_an_agent_made_from_an_expression_is_made_again(lent):
    agents = [bl.agent("mcts(rollout, iterations=7)", FOUR, seed=9), "random"]
    assert bl.match(FOUR, agents, 30, seed=1, jobs=2) == bl.match(FOUR, agents, 30, seed=1)


def test_blocks_grow_to_their_time_and_shrink_at_the_end():
    size = blocks._BlockSize(workers=2)
    assert size.games(1000) == 1
    grown = []
    for _ in range(8):
        size.took(0.001 * 1, 1)  # a millisecond a game
        grown.append(size.games(100_000))
    assert grown == [4, 16, 64, 256, 500, 500, 500, 500]
    assert [size.games(left) for left in (100, 7, 1)] == [25, 2, 1]
    size.took(600.0, 1)
    assert size.games(100_000) == 1
