"""Ctrl-C stops whatever takes long, in a process of its own; the interpreter goes on."""

import signal
import subprocess
import sys

import boardlab as bl

LONG = {
    "mcts": 'bl.agent("mcts(rollout, iterations=4000000000)", c4).act(c4.initial_state())',
    "mcts with slow leaves": (
        'bl.agent("mcts(rollout(rollouts=1000000), iterations=1000000)", c4).act(c4.initial_state())'
    ),
    "mcts on three threads": (
        'bl.agent("mcts(rollout, iterations=4000000000, threads=3)", c4).act(c4.initial_state())'
    ),
    "mcts on three threads with slow leaves": (
        'bl.agent("mcts(rollout(rollouts=1000000), iterations=100, threads=3)", c4).act(c4.initial_state())'
    ),
    "greedy with slow rollouts": (
        'bl.agent("greedy(rollout(rollouts=1000000, depth=1000000))", cube).act(cube.initial_state())'
    ),
    "evaluator": (
        'bl.evaluator("rollout(rollouts=1000000, depth=1000000)", cube).value(cube.initial_state())'
    ),
    "mc": 'bl.agent("mc(rollout, iterations=1000000000000)", c4).act(c4.initial_state())',
    "rhea": 'bl.agent("rhea(score, repetitions=1000000, length=1000)", cube).act(cube.initial_state())',
    "alphabeta": 'bl.agent("alphabeta(depth=60)", c4).act(c4.initial_state())',
    "maxn": 'bl.agent("maxn(depth=60)", c4).act(c4.initial_state())',
    "beam": 'bl.agent("beam(score, width=100000)", cube).act(cube.initial_state())',
    "beam with slow leaves": (
        'bl.agent("beam(rollout(rollouts=1000000, depth=1000000))", cube).act(cube.initial_state())'
    ),
    "perft": "bl.perft(c4, 20)",
    "perft beyond the end": "bl.perft(c4, 1000)",
    "match": 'bl.match(c4, ["mcts(iterations=100000)"] * 2, games=100000)',
    "match on two threads": 'bl.match(c4, ["mcts(iterations=100000)"] * 2, games=100000, threads=2)',
    "random games": "bl._engine.random_games(c4.core, 10**15)",
    "count states": "bl._engine.count_states([cube.initial_state().core], 1000)",
}

PROGRAM = """
import faulthandler
import signal
import boardlab as bl

faulthandler.dump_traceback_later(120, exit=True)  # what cannot be stopped fails the test
c4, cube = bl.game("connectfour"), bl.game("rubiks", size=3, twists=30)
signal.signal(signal.SIGALRM, signal.default_int_handler)
for name, call in {calls!r}.items():
    print(name, flush=True)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        eval(call)
        print("came to its end")
    except KeyboardInterrupt:
        assert bl.agent("mcts(iterations=10)", c4).act(c4.initial_state()).action in range(7)
try:
    print("begin", flush=True)
    bl.agent("mcts(rollout, iterations=4000000000)", c4).act(c4.initial_state())
except KeyboardInterrupt:
    print("end")
"""


def test_ctrl_c_stops_whatever_takes_long() -> None:
    """A timer's signal each, raised as Ctrl-C is, and at the end Ctrl-C itself from outside."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(calls=LONG)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        lines = []
        try:
            for line in program.stdout:
                lines.append(line.strip())
                if line == "begin\n":
                    program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=120)
        finally:
            program.kill()
    assert lines[-len(LONG) - 2 :] == [*LONG, "begin", "end"], errors


def test_a_tree_is_sound_after_an_interrupt() -> None:
    """Visits of descents that never came back must not stay behind: the agent starts from a fresh tree."""
    program = """
import signal
import boardlab as bl
c4 = bl.game("connectfour")
signal.signal(signal.SIGALRM, signal.default_int_handler)
agent = bl.agent("mcts(rollout(rollouts=20000), iterations=64, batch=64, leaf_visits=0)", c4, seed=1)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    agent.act(c4.initial_state())
    print("came to its end")
except KeyboardInterrupt:
    decision = agent.act(c4.initial_state())
    print(decision.info["nodes"], sum(decision.policy.values()))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    fresh = bl.agent(
        "mcts(rollout(rollouts=1), iterations=64, batch=64, leaf_visits=0)", bl.game("connectfour")
    )
    nodes = fresh.act(bl.game("connectfour").initial_state()).info["nodes"]
    assert done.stdout.splitlines()[-1] == f"{nodes} 1.0", done.stderr
