"""`boardlab demo`: train, examine and search with an agent in under a minute."""

import importlib.util
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from rich.rule import Rule

import boardlab as bl
from boardlab import _engine
from boardlab.cli.common import board, console
from boardlab.cli.inspect import opinion
from boardlab.cli.progress import teller, training_bar
from boardlab.cli.train import curve_width
from boardlab.errors import install
from boardlab.evaluators.ntuple import build_network
from boardlab.learners import Progress, preset
from boardlab.learners.curve import text_curve
from boardlab.learners.ntuple.settings import TdNTuple
from boardlab.numbers import with_interval

TRAINING_SECONDS = 20.0
RIVAL = "mcts(rollout, iterations=200)"
STRONG_RIVAL = "mcts(rollout, iterations=2000)"


def demo() -> None:
    """Watch an agent teach itself Connect Four, in under a minute.

    Then two exact solvers play Othello and solve a cube.
    """
    start = time.perf_counter()
    game = bl.game("connectfour")
    run = _train(game)
    _measure(game, run)
    _othello()
    _cube()
    console.print(Rule(style="dim"))
    console.print(
        f"That took {time.perf_counter() - start:.0f} s. Your turn, against what you have just trained:"
    )
    against = f'mcts(ntuple("{run.path.as_posix()}"), iterations=500)'
    _say(f"  boardlab play connectfour --against '{against}'")
    _say(f"  boardlab inspect connectfour --run {run.path}")
    _say("  boardlab train connectfour    # the whole course")
    _say("  boardlab serve                # play, and see what it thinks, in a browser")


def _title(words: str) -> None:
    console.print(Rule(words, align="left", style="dim"))


def _say(words: str) -> None:
    console.print(words, markup=False, soft_wrap=True)


def _train(game: bl.Game) -> bl.Run:
    _title("Connect Four: an agent teaches itself, from nothing but the rules")
    console.print(
        f"It plays itself for {TRAINING_SECONDS:.0f} s; every few seconds it is tested against {RIVAL}.",
        soft_wrap=True,
    )
    exam_every = max(1, int(_episodes_a_second(game) * TRAINING_SECONDS / 12))
    with training_bar() as bar:
        show = teller(bar)

        def show_time_left(standing: Progress) -> bool:
            reached = standing.seconds / TRAINING_SECONDS
            show(
                replace(standing, total=max(standing.episodes, round(standing.episodes / max(reached, 1e-9))))
            )
            return reached >= 1

        run = bl.train(
            game,
            out=_folder(),
            seed=1,
            force=True,
            exams=[RIVAL],
            exam_every=exam_every,
            exam_games=40,
            progress=show_time_left,
        )
    console.print(
        f"\nmean score against {RIVAL} (1: wins all, -1: loses all) by games played:", soft_wrap=True
    )
    _say(text_curve(run.log, RIVAL, width=curve_width()))
    _say(f"{run.episodes:,} games, {run.actions / run.seconds:,.0f} actions/s\n")
    return run


def _episodes_a_second(game: bl.Game) -> float:
    """Time the learner briefly, to spread the exams over the available time."""
    settings = TdNTuple.checked({k: v for k, v in preset(game).items() if k != "episodes"})
    network = build_network(game, settings.describe(game, 1), coherent=True, memory_gb=8)
    learner = _engine.TdLearner(network, settings.engine_settings(10**6), settings.reward, 1)
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.7:
        learner.train(200)
    return float(learner.episodes_done / (time.perf_counter() - begin))


def _folder() -> Path:
    """Return runs/demo if it is ours or can be created, otherwise a temporary folder."""
    folder = Path("runs") / "demo"
    ours = folder / ".demo"
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            ours.touch()
            (folder / "agent.toml").touch()
        if ours.exists() and (folder / "agent.toml").exists():
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="boardlab-demo-")) / "run"


def _measure(game: bl.Game, run: bl.Run) -> None:
    _title("How strong is it, alone and with a search over it?")
    network = f'ntuple("{run.path.as_posix()}")'
    searched = f"mcts({network}, iterations=200)"
    for agent in (run.expression, searched):
        console.print(
            str(bl.match(game, [agent, STRONG_RIVAL], games=20, seed=1)), markup=False, soft_wrap=True
        )
        console.print()
    if importlib.util.find_spec("bitbully") is None:
        _say(f"Against perfect play: {install('references')}, then")
        _say(f"  boardlab evaluate '{searched}' -g connectfour --exam abdl\n")
        return
    for agent in (run.expression, searched):
        result = bl.evaluate(agent, game, "abdl", games=40, seed=1)
        _say(f"{agent} moves first against perfect play (AB-DL):")
        score = f"mean score {with_interval(result.value, result.interval)}"
        console.print(f"  {score}, best possible 1; {result.games} games, {result.distinct} distinct\n")


def _othello() -> None:
    _title("Othello: the last eleven squares, played out to the end")
    game = bl.game("othello")
    state = game.initial_state()
    state.core.playout(8, 49)
    console.print(board(state))
    agent = bl.agent('alphabeta(score(outcome="discs"), depth=30, exact=True)', game)
    begin = time.perf_counter()
    decision = agent.act(state)
    names = state.action_names()
    console.print(opinion(decision, names))
    nodes = decision.info["nodes"]
    console.print(f"the exact difference in discs after each action: {nodes:,.0f} positions in ", end="")
    console.print(f"{time.perf_counter() - begin:.2f} s\n")


def _cube() -> None:
    _title("Rubik's cube 2x2x2: a shortest solution")
    game = bl.game("rubiks", twists=12)
    state = game.initial_state(seed=5)
    console.print(board(state))
    agent = bl.agent("greedy(solver)", game)
    twists = []
    while not state.is_terminal:
        action = agent.act(state).action
        twists.append(state.action_text(action))
        state.apply(action)
    console.print(f"{len(twists)} twists: {' '.join(twists)}\n")
