"""Work in threads: bounded, fair, stoppable. Events, not clocks, decide what happens when."""

import asyncio
import threading

import pytest

import boardlab as bl
from boardlab.web import pool as pools
from boardlab.web.errors import TooMuch
from boardlab.web.policy import Policy
from boardlab.web.pool import Pool
from boardlab.web.thinking import AgentError, Thinking


def run(main):
    asyncio.run(asyncio.wait_for(main, 60))


@pytest.fixture
def one_short(monkeypatch):
    """A pool with one place, where no work counts as long."""
    monkeypatch.setattr(pools, "SHORT_SECONDS", 1e6)
    return Pool(1)


def test_work_returns_its_result_or_its_error():
    async def main():
        pool = Pool(2)
        assert await pool.run("ann", lambda stopper: 6 * 7) == 42
        with pytest.raises(ZeroDivisionError):
            await pool.run("ann", lambda stopper: 1 / 0)
        assert pool.load == (0, 0)

    run(main())


def test_people_take_turns_however_much_one_asks_for(one_short):
    async def main():
        order, gate = [], threading.Event()
        first = asyncio.create_task(one_short.run("ann", lambda stopper: gate.wait(60)))
        await asyncio.sleep(0)
        tasks = [first]
        for person, count in (("ann", 4), ("bob", 2), ("cid", 1)):
            for number in range(count):
                name = f"{person}{number}"
                tasks.append(
                    asyncio.create_task(one_short.run(person, lambda stopper, name=name: order.append(name)))
                )
        await asyncio.sleep(0)
        assert one_short.load == (1, 7)
        gate.set()
        await asyncio.gather(*tasks)
        assert order == ["ann0", "bob0", "cid0", "ann1", "bob1", "ann2", "ann3"]

    run(main())


def test_nobody_can_queue_without_end(one_short):
    async def main():
        gate = threading.Event()
        tasks = [
            asyncio.create_task(one_short.run("ann", lambda stopper: gate.wait(60)))
            for _ in range(pools.MOST_WAITING + 1)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooMuch):
            await one_short.run("ann", lambda stopper: None)
        bob = asyncio.create_task(one_short.run("bob", lambda stopper: "served"))
        gate.set()
        assert await bob == "served"
        await asyncio.gather(*tasks)

    run(main())


def test_long_work_gives_its_place_away(monkeypatch):
    monkeypatch.setattr(pools, "SHORT_SECONDS", 0.0)

    async def main():
        pool, gate = Pool(1), threading.Event()
        long = [asyncio.create_task(pool.run("ann", lambda stopper: gate.wait(60))) for _ in range(5)]
        while pool.load != (pools.MOST_LONG, 5 - pools.MOST_LONG):
            await asyncio.sleep(0)
        assert await pool.run("bob", lambda stopper: "served") == "served"
        gate.set()
        await asyncio.gather(*long)

    run(main())


def test_cancelling_stops_what_runs_and_forgets_what_waits(one_short):
    async def main():
        started, stopped = threading.Event(), threading.Event()

        def work(stopper):
            with stopper.calling(stopped.set):
                started.set()
                stopped.wait(60)
            stopper.check()

        running = asyncio.create_task(one_short.run("ann", work))
        waiting = asyncio.create_task(one_short.run("bob", lambda stopper: None))
        await asyncio.to_thread(started.wait, 60)
        waiting.cancel()
        running.cancel()
        for task in (running, waiting):
            with pytest.raises(asyncio.CancelledError):
                await task
        assert stopped.is_set() and one_short.load[1] == 0
        assert await one_short.run("cid", lambda stopper: "served") == "served"

    run(main())


def test_a_search_stops_when_nobody_waits_for_it(tmp_path):
    async def main():
        pool = Pool(1)
        thinking = Thinking(pool, Policy(tmp_path, trust=True))
        state = bl.game("connectfour").initial_state()
        endless = asyncio.create_task(thinking.decide("ann", "seat", "mcts(rollout, seconds=1e6)", state))
        while pool.load != (1, 0):
            await asyncio.sleep(0)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        while pool.load != (0, 0):
            await asyncio.sleep(0.001)
        decision = await thinking.decide("bob", "seat", "mcts(rollout, iterations=20)", state)
        assert decision.action in range(7)

    run(main())


def test_an_agent_that_takes_too_long_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("boardlab.web.policy.SECONDS", 0.05)

    async def main():
        pool = Pool(1)
        thinking = Thinking(pool, Policy(tmp_path))
        state = bl.game("othello").initial_state()
        with pytest.raises(AgentError, match="took longer than"):
            await thinking.decide("ann", "seat", "maxn(depth=40)", state)
        while pool.load != (0, 0):
            await asyncio.sleep(0.001)

    run(main())


def test_a_tree_grows_on_in_its_seat_alone(tmp_path):
    async def main():
        thinking = Thinking(Pool(1), Policy(tmp_path))
        state = bl.game("tictactoe").initial_state()
        agent = "mcts(rollout, iterations=50, solver=False)"
        await thinking.decide("ann", "seat 0", agent, state)
        kept = dict(thinking._kept)
        await thinking.decide("ann", "seat 0", agent, state)
        assert list(kept.values()) == list(thinking._kept.values())
        await thinking.decide("ann", "seat 1", agent, state)
        assert len(thinking._kept) == 2
        thinking.forget("seat 0")
        assert [key for key, _, _ in thinking._kept] == ["seat 1"]

    run(main())


def test_analysis_deepens_slice_by_slice(tmp_path):
    async def main():
        thinking = Thinking(Pool(1), Policy(tmp_path))
        state = bl.game("othello").initial_state()
        seen = []
        async for iterations, decision in thinking.slices("ann", "a", "mcts(rollout)", state):
            seen.append(iterations)
            assert decision.values
            if len(seen) == 3:
                break
        assert seen == sorted(seen) and seen[0] < seen[2]
        once = [one async for one in thinking.slices("ann", "a", "random", state)]
        assert len(once) == 1

    run(main())


def test_an_analysis_stops_when_nobody_looks(tmp_path):
    async def main():
        pool = Pool(1)
        thinking = Thinking(pool, Policy(tmp_path, trust=True))
        state = bl.game("othello").initial_state()

        async def look():
            async for _ in thinking.slices("ann", "a", "maxn(depth=60)", state, 1e6):
                pass

        looking = asyncio.create_task(look())
        while pool.load != (1, 0):
            await asyncio.sleep(0)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
        while pool.load != (0, 0):
            await asyncio.sleep(0.001)

    run(main())


def test_what_a_run_learned_is_read_once(tmp_path):
    run_folder = tmp_path / "c3"
    game = bl.game("tictactoe")
    bl.train(game, "td-ntuple", episodes=50, out=run_folder, seed=1, exams=[])

    async def main():
        thinking = Thinking(Pool(1), Policy(tmp_path))
        agent = f'mcts(ntuple("{run_folder.as_posix()}"), iterations=20)'
        for seat in range(3):
            equal = bl.game("tictactoe")  # every table has a game of its own
            await thinking.decide("ann", f"seat {seat}", agent, equal.initial_state())
        assert len(thinking._learned._kept) == 1
        own = bl.agent(agent, game).act(game.initial_state())
        ours = await thinking.decide("ann", "another", agent, game.initial_state())
        assert ours.policy == own.policy

    run(main())


def test_many_cookies_of_one_address_do_not_block_another(monkeypatch):
    monkeypatch.setattr(pools, "SHORT_SECONDS", 0.0)

    async def main():
        gate = threading.Event()
        pool = Pool(1, lambda person: "there" if person.startswith("crowd") else "here", most_long=6)
        crowd = [asyncio.create_task(pool.run(f"crowd{n}", lambda stopper: gate.wait(60))) for n in range(9)]
        while pool.load != (4, 5):
            await asyncio.sleep(0)
        assert await pool.run("ann", lambda stopper: "an answer") == "an answer"
        gate.set()
        await asyncio.gather(*crowd)

    run(main())
