"""Threads inside the engine when Python ends, and thread pools in a forked process."""

import os
import subprocess
import sys

import pytest

START = """
import os, sys, threading
import numpy as np
import boardlab as bl
from boardlab import _engine
from boardlab.search.forest import Forest
"""

# The main thread ends while a daemon thread is in the engine, without the GIL most of the time.
DAEMON = """
inside = threading.Event()

class Slow(bl.PythonGame):
    name = "slow"
    action_count = 3
    horizon = 60

    def initial_state(self, rng):
        return (0,)

    def player(self, position):
        return position[0] % 2 if position[0] < 40 else bl.TERMINAL

    def legal(self, position):
        inside.set()
        return range(3)

    def apply(self, position, action):
        return (position[0] + 1,)

    def scores(self, position):
        return 0, 0

class Chooser:
    def __init__(self, game, seed):
        pass

    def act(self, state):
        inside.set()
        return state.legal_actions()[0]

slow, fast = bl.game(bl.register_game(Slow).name), bl.game("othello")
bl.register_agent("chooser", Chooser)

def work():
    while True:
        inside.set()
        WORK

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
inside.wait()
"""

WORK = {
    "mcts": "bl.agent('mcts(rollout, iterations=1000000)', fast).act(fast.initial_state())",
    "mcts with threads": "bl.agent('mcts(rollout, iterations=1000000, threads=2)', fast).act(fast.initial_state())",
    "mcts over rules in Python": "bl.agent('mcts(rollout, iterations=100000)', slow).act(slow.initial_state())",
    "match": "bl.match(fast, ['random', 'random'], games=1000000)",
    "match of rules in Python": "bl.match(slow, ['random', 'random'], games=1000000, threads=2)",
    "match of an agent in Python": "bl.match(fast, ['chooser', 'random'], games=1000000)",
    "perft": "bl.perft(fast, 12)",
    "perft over rules in Python": "bl.perft(slow, 40)",
}


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("work", WORK)
def test_python_ends_while_a_daemon_thread_is_in_the_engine(work: str) -> None:
    done = run(DAEMON.replace("WORK", WORK[work]))
    assert done.returncode == 0, done.stderr
    assert "terminate" not in done.stderr and "Fatal" not in done.stderr


FORK = """
from boardlab.learners.puzzles.learner import goal_of

def judge(inputs, legal):
    return np.zeros((len(inputs), 1), np.float32), np.zeros(legal.shape, np.float32)

forest = Forest(bl.game("tictactoe"), 4, threads=2, seed=1)
def search():
    forest.forget()
    forest.search(judge, 20)
    return forest.visits().tolist()

cube = bl.game("rubiks", size=2, twists=3)
beam = bl.agent("beam(score, width=20, depth=3, threads=2)", cube, seed=1)
def plan():
    beam.core.reset(1)
    return beam.act(cube.initial_state(seed=1)).action

walks = _engine.RandomWalks(goal_of("davi", cube).core, 2)
def walk():
    return walks.walk(8, 3, 1)[0].tolist()

units = _engine.LearningUnits(1, 3, 3, threads=2)
units.finish([units.add(0, 2, "3x3")])
def learn():
    weights, ones = np.ones((2, 1, 3, 3), np.float32), np.ones(2, np.float32)
    answers = np.zeros((4, 3, 3, 2), np.float32)
    moments = np.zeros(2, np.float32), np.zeros(2, np.float32)
    units.forward(np.ones((4, 1, 3, 3), np.float32), [weights], [ones], [ones], 1e-5, [moments[0]], [moments[1]], [answers])
    return answers.tolist()

network = _engine.NTupleNetwork(bl.game("tictactoe").core, [[0, 1, 2]], [0], [], True, False, False, True, False, 1 << 30)
learner = _engine.TdLearner(network, _engine.TdSettings(), "score", 1, 2)
def train():  # what is learned depends on the threads' luck
    return learner.train(20)

uses = [search, plan, walk, learn, train]
first = [use() for use in uses]
child = os.fork()
if child:
    _, status = os.waitpid(child, 0)
    again = [use() for use in uses]
    sys.exit(os.waitstatus_to_exitcode(status))
try:
    for use, before in zip(uses, first):
        assert use() == before, use
    del forest, beam, walks, units, learner
except BaseException as error:
    print(repr(error), file=sys.stderr, flush=True)
    os._exit(1)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_thread_pools_of_its_own() -> None:
    done = run(FORK)
    assert done.returncode == 0, done.stderr
