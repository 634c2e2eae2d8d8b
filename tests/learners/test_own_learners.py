"""Learners of a user's own: registered by a decorator, then like any other."""

import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import boardlab as bl
from boardlab.learners import LEARNERS, Learner, LearnerSettings, open_run
from boardlab.runs import RunFolder

TICTACTOE = bl.game("tictactoe")

PLUGIN = '''
import numpy as np
import boardlab as bl


@bl.register_learner("linear-td", inputs="cells", episodes=300)
class LinearTd:
    """TD(0) with one weight for each value of each cell."""

    def __init__(self, game, seed, rate=bl.option(0.05, "learning rate", low=0, high=1), epsilon=0.2):
        self.game, self.alpha, self.epsilon = game, rate, epsilon
        self.values = np.zeros((len(game.initial_state().board_vector()), 3))

    def arrays(self):
        return {"values": self.values}

    def judge(self, cells, legal):
        """What player 0 expects, from the view of who moves: on even boards player 0."""
        first = np.tanh(self.values[np.arange(cells.shape[1]), cells].sum(axis=1))
        return np.where((cells > 0).sum(axis=1) % 2 == 0, first, -first)

    def expected(self, state):
        cells = state.board_vector()
        return np.tanh(self.values[np.arange(len(cells)), cells].sum()), cells

    def episode(self, rng, progress):
        state, before = self.game.initial_state(), None
        while not state.is_terminal:
            children = list(state.children())
            if rng.random() < self.epsilon * (1 - progress):
                _, child = children[rng.integers(len(children))]
            else:
                sign = 1 if state.player == 0 else -1
                _, child = max(children, key=lambda pair: sign * self.expected(pair[1])[0])
            value, cells = self.expected(child)
            target = child.scores[0] if child.is_terminal else value
            for old, seen in ((before, False), ((value, cells), child.is_terminal)):
                if old is not None and (seen or old is before):
                    self.values[np.arange(len(cells)), old[1]] += self.alpha * (target - old[0])
            state, before = child, (value, cells)
        return state.actions_played
'''


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "linear.py"
    file.write_text(PLUGIN)
    return file


@pytest.fixture
def learner(plugin):
    exec(compile(PLUGIN, str(plugin), "exec"), {"__name__": "linear"})


def test_a_learner_of_ones_own_trains_resumes_and_plays(learner, tmp_path):
    whole = bl.train(TICTACTOE, "linear-td", out=tmp_path / "whole", seed=3, exams=())
    assert (whole.episodes, whole.settings.rate) == (300, 0.05)
    part = bl.train(
        TICTACTOE, "linear-td", episodes=300, out=tmp_path / "part", seed=3, exams=(), progress=stop_once
    )
    assert part.episodes < 300
    assert bl.resume(part).episodes == 300
    assert RunFolder(part.path).fingerprint() == RunFolder(whole.path).fingerprint()
    assert whole.expression == f'greedy(linear-td("{whole.path.as_posix()}"))'
    result = bl.match(TICTACTOE, [whole, "random"], games=60)
    assert result.wins[0] > result.wins[1] + 10
    deeper = bl.agent(f'mcts(linear-td("{whole.path.as_posix()}"), iterations=20)', TICTACTOE)
    assert deeper.act(TICTACTOE.initial_state()).action in range(9)
    assert open_run(whole.path).agent().act(TICTACTOE.initial_state()).action in range(9)


def stop_once(progress):
    return True


def test_its_settings_are_checked(learner, tmp_path):
    with pytest.raises(bl.BoardLabError, match="linear-td: rate must be a number from 0 to 1, not 2"):
        bl.train(TICTACTOE, "linear-td", out=tmp_path / "run", rate=2)
    with pytest.raises(bl.BoardLabError, match='unknown parameter of linear-td "rat"; did you mean "rate"'):
        bl.train(TICTACTOE, "linear-td", out=tmp_path / "run", rat=0.5)
    with pytest.raises(
        bl.BoardLabError, match="linear-td learns games in which nothing is hidden, not kuhnpoker"
    ):
        bl.train(bl.game("kuhnpoker"), "linear-td", out=tmp_path / "run")
    with pytest.raises(
        bl.BoardLabError, match=r'unknown learner "linear-dt"; did you mean "linear-td"\? \(or one of'
    ):
        bl.train(TICTACTOE, "linear-dt", out=tmp_path / "run")
    with pytest.raises(bl.BoardLabError, match='the learner "linear-td" was registered in this process'):
        bl.train_many(TICTACTOE, 2, jobs=2, learner="linear-td", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def named(name, **body):
    """A learner with some functions replaced."""
    usual = {
        "__init__": lambda self, game, seed: setattr(self, "w", np.zeros(3)),
        "arrays": lambda self: {"w": self.w},
        "episode": lambda self, rng, progress: 1,
        "judge": lambda self, planes, legal: np.zeros(len(planes)),
    }
    functions = {key: value for key, value in (usual | body).items() if value is not None}
    return bl.register_learner(name)(type("Own", (), functions))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"episode": None}, "has no episode"),
        ({"arrays": lambda self: [self.w]}, "must return its arrays by name"),
        ({"arrays": lambda self: {"pace": self.w}}, "none of progress, random"),
        (
            {"arrays": lambda self: {"w": [1.0]}},
            r"contiguous numpy arrays of numbers that can be changed; w is \[1.0\]",
        ),
        (
            {"episode": lambda self, rng, progress: None},
            r"episode\(\) must return the number of its actions, not None",
        ),
        (
            {"episode": lambda self, rng, progress: setattr(self, "w", np.zeros(4)) or 1},
            "must keep their names, sizes",
        ),
    ],
)
def test_what_a_learner_must_have_is_said(body, said, tmp_path):
    named("faulty", **body)
    with pytest.raises(bl.BoardLabError, match=f"the learner faulty.*{said}"):
        bl.train(TICTACTOE, "faulty", episodes=5, out=tmp_path / "run", exams=())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("register", "said"),
    [
        (lambda: named("td-ntuple"), '"td-ntuple" is a learner of BoardLab itself'),
        (lambda: named("rollout"), '"rollout" is an agent or an evaluator already'),
        (lambda: named("two words"), "the name of a learner is a letter"),
        (lambda: bl.register_learner("own")(3), "register_learner takes a class"),
        (
            lambda: named("own", __init__=lambda self, game, seed, episodes=3: None),
            'an argument cannot be called "episodes"',
        ),
        (
            lambda: bl.register_learner(type("Own", (LearnerSettings,), {"name": "own"})),
            "describe is missing",
        ),
    ],
)
def test_what_cannot_be_registered_is_said(register, said):
    with pytest.raises(bl.BoardLabError, match=said):
        register()


def test_a_class_of_settings_is_registered_as_it_is(tmp_path):
    class Nothing(Learner):
        alpha = epsilon = 0.0

        def __init__(self, game, seed):
            self.game, self.random_state = game, seed
            self.weights, self.counters = {"none": np.zeros(1)}, {}
            self.episodes_done = self.actions_done = 0

        def train(self, episodes):
            self.episodes_done += episodes
            return episodes

        def evaluator(self):
            return bl.evaluator("rollout", self.game).core

    @bl.register_learner
    @dataclass(frozen=True)
    class Lazy(LearnerSettings):
        """Learns nothing."""

        name = "lazy"

        def expression(self, path):
            return "random"

        def describe(self, game, seed):
            return {"size": 1}

        def build(self, game, description, episodes, seed):
            return Nothing(game, seed)

    assert LEARNERS["lazy"] is Lazy
    assert bl.train(TICTACTOE, "lazy", episodes=7, out=tmp_path / "run", exams=()).episodes == 7


def test_the_command_line_lists_and_trains_it_in_processes_too(plugin, tmp_path):
    def boardlab(*words):
        command = [sys.executable, "-m", "boardlab", "--plugin", plugin, *words]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path)
        assert not done.returncode, done.stderr
        return done.stdout

    said = boardlab("agents", "linear-td")
    assert "TD(0) with one weight" in said and "learning rate" in said and "the folder of the run" in said
    assert "linear-td" in boardlab("train", "--help")
    words = (
        "train",
        "tictactoe",
        "--learner",
        "linear-td",
        "--rate",
        0.1,
        "--episodes",
        60,
        "--exam",
        "random",
    )
    said = boardlab(*words, "--exam-games", 4, "--runs", 2, "--jobs", 2, "--out", "runs/l")
    assert 'greedy(linear-td("runs/l"))' in said
    assert re.search(r"rate +0.1 +learning rate", boardlab(*words, "--settings"))
