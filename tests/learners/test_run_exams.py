"""Exams during training, early stop, learning curves, several runs over seeds."""

import csv
import math
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import boardlab as bl
from boardlab.learners import curve, train_many
from boardlab.learners.exams import exam_range, plan_exams, take_exam
from boardlab.learners.many import ManyRuns
from boardlab.learners.run_options import RunOptions
from boardlab.references.connectfour import _bitbully
from boardlab.runs import RunFolder
from boardlab.search.agent import python_agent

TICTACTOE = bl.game("tictactoe")


def train(path, episodes=400, **more):
    return bl.train(TICTACTOE, episodes=episodes, out=path, seed=7, exam_games=20, **more)


def test_exams_by_name_and_against_agents_are_logged_with_their_errors(tmp_path):
    run = train(tmp_path, exams=["perfect", "greedy"], exam_every=200)
    assert [row["episodes"] for row in run.log] == [200, 400]
    for row in run.log:
        assert -1 <= row["perfect"] <= 0 <= row["perfect error"]
        assert -1 <= row["greedy"] <= 1
    # The last row is what `evaluate` says of the finished agent.
    said = bl.evaluate(run.agent(), TICTACTOE, "perfect", games=20, seed=7)
    assert float(run.log[-1]["perfect"]) == pytest.approx(said.value, abs=1e-5)


def test_a_run_bears_few_errors_of_an_exam_and_not_many():
    """A program may be late in one game of ten; in more, the exam says nothing about what was learned."""

    def failing(most):
        games = iter(range(1000))

        def act(state):
            if state.actions_played < 2 and next(games) < most:
                raise ZeroDivisionError("late")
            return state.legal_actions()[0]

        return python_agent(TICTACTOE, act, "failing")

    assert take_exam("random", TICTACTOE, failing(2), 20, 7).details["errors"] == 0.1
    with pytest.raises(bl.BoardLabError, match="15% of the games of the exam random ended by an error"):
        take_exam("random", TICTACTOE, failing(3), 20, 7)


def test_the_interval_is_that_of_evaluate(tmp_path):
    run = train(tmp_path, 4000, preset="default", exams=["perfect"], exam_every=0)
    said = bl.evaluate(run.agent(), TICTACTOE, "perfect", games=20, seed=7)
    assert said.error == 0 and said.interval > 0.25  # games that all ended alike
    assert curve.points(run.log, "perfect") == [(4000, said.value, pytest.approx(said.interval))]


def test_logs_without_intervals_are_read_and_go_on(tmp_path):
    run = train(tmp_path, exams=["random"], exam_every=200)
    rows = [{key: value for key, value in row.items() if "interval" not in key} for row in run.log]
    rows[0]["random error"] = 0
    RunFolder(tmp_path).write_log(rows)
    old = curve.points(rows, "random")
    assert math.isnan(old[0][2]) and old[1][2] == pytest.approx(
        1.96 * float(rows[1]["random error"]), rel=1e-4
    )
    again = bl.resume(tmp_path, episodes=600)
    assert [row["episodes"] for row in again.log] == [200, 400, 600]
    assert ["random interval" in row for row in again.log] == [False, False, True]
    assert curve.points(again.log, "random")[1] == old[1]
    assert curve.exam_names(again.log) == ["random"]


def test_a_run_stops_after_enough_successes_in_a_row(tmp_path):
    run = train(tmp_path, 4000, stop_exam="random", stop_at=-1.0, stop_after=3, exam_every=100)
    assert run.episodes == 300 and not run.is_finished
    assert [row["passed"] for row in run.log] == [1, 1, 1]
    assert bl.resume(tmp_path).episodes == 300  # it has passed
    assert bl.resume(tmp_path, episodes=4000).episodes == 600  # told to go on: three more
    assert bl.resume(tmp_path).episodes == 600


def test_a_failed_exam_breaks_the_row():
    options = RunOptions(episodes=1000, stop_exam="random", stop_at=0.5, stop_after=2)
    plan = plan_exams(TICTACTOE, options)
    assert plan.every == 50  # exams on the way, though nobody said how often
    rows = [{"episodes": 50 * (i + 1), "passed": passed} for i, passed in enumerate("1011")]
    assert [plan.is_passed(rows[:n]) for n in range(5)] == [False, False, False, False, True]


def test_the_best_possible_value_is_the_default_to_reach(tmp_path):
    run = train(tmp_path, 20_000, preset="default", stop_exam="perfect", stop_after=2)
    assert run.episodes < 20_000
    assert [float(row["perfect"]) for row in run.log[-2:]] == [0, 0]


@pytest.mark.parametrize(("name", "rules"), [("morpion", {"variant": "4D"}), ("blackjack", {})])
def test_a_best_score_that_is_known_is_the_default_to_reach(name, rules):
    plan = plan_exams(bl.game(name, **rules), RunOptions(episodes=1000, stop_exam="score"))
    assert plan.options.stop_at is None


def test_an_exam_that_was_interrupted_is_taken_again(tmp_path, monkeypatch):
    import boardlab.learners.exams as exams

    whole = train(tmp_path / "whole", exams=["random"], exam_every=200)
    real = exams.take_exam

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(exams, "take_exam", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", exams=["random"], exam_every=200)
    monkeypatch.setattr(exams, "take_exam", real)
    run = bl.resume(tmp_path / "broken")
    drop = {"seconds"}
    assert [{k: v for k, v in r.items() if k not in drop} for r in run.log] == [
        {k: v for k, v in r.items() if k not in drop} for r in whole.log
    ]


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        ("tictactoe", {"exams": ["bouton"]}, "has no exam"),
        ("tictactoe", {"exams": ["perfct"]}, r"or an exam: random, perfect, .*\)\n  perfct\n  \^$"),
        ("tictactoe", {"exams": ["mcts(iter=5)"]}, r"or an exam: .*\)\n  mcts\(iter=5\)\n       \^$"),
        ("tictactoe", {"exams": [3]}, "a name or an agent expression"),
        ("tictactoe", {"stop_at": 1.0}, "^stop_at does nothing without stop_exam; give stop_exam too"),
        ("tictactoe", {"stop_after": 2}, "^stop_after does nothing without stop_exam; give stop_exam too"),
        ("tictactoe", {"stop_exam": "random", "stop_at": float("nan")}, "must be a number"),
        ("tictactoe", {"stop_exam": "random", "stop_after": 0}, "stop_after must be"),
        ("tictactoe", {"exam_every": -1}, "exam_every must be"),
        ("2048", {"exams": ["random"]}, 'has no exam "random"'),
        ("2048", {"exams": ["greedy"]}, "is for one player"),
        ("2048", {"stop_exam": "score"}, "stop_at must be given"),
        (
            "tictactoe",
            {"stop_exam": "perfect", "stop_at": 5.0},
            r"stop_at must be at most 1, the highest value of the exam perfect, not 5\.0",
        ),
        ("tictactoe", {"stop_exam": "optimal", "stop_at": 1.01}, "stop_at must be at most 1, .*optimal"),
        ("morpion", {"stop_exam": "score"}, r'best possible score of boardlab.game\("morpion"'),
    ],
)
def test_bad_exams_are_refused_before_anything_is_trained(tmp_path, game, settings, words):
    with pytest.raises(bl.BoardLabError, match=words):
        bl.train(bl.game(game), episodes=10, out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("exam", ["ab", "abdl", "abdl01"])
def test_a_package_that_an_exam_needs_is_missed_before_anything_is_trained(exam, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    _bitbully.cache_clear()  # another test may have loaded it
    with pytest.raises(bl.BoardLabError, match="pip install"):
        bl.train(bl.game("connectfour"), episodes=10, tuples=1, out=tmp_path / "run", exams=[exam])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_exam_of_several_runs_is_told(jobs, tmp_path):
    with pytest.raises(
        bl.BoardLabError, match=r'^unknown .*"perfct".* \(or an exam: random, .*openings\)'
    ) as error:
        train_many(bl.game("tictactoe"), 2, jobs=jobs, out=tmp_path / "runs", exams=["perfct"])
    assert str(error.value).endswith(")" if jobs > 1 else "\n  perfct\n  ^")
    assert not (tmp_path / "runs").exists()


def test_a_stored_exam_that_is_unknown_here_is_told_with_its_file(tmp_path):
    run = train(tmp_path / "run", exams=["random"])
    file = run.path / "agent.toml"
    file.write_text(file.read_text().replace('["random"]', '["mine(x=1)"]'))
    with pytest.raises(bl.BoardLabError, match=r"agent.toml: unknown .* \(or an exam: .*\)$"):
        bl.resume(run.path, episodes=run.total + 10)


def test_ctrl_c_saves_and_the_run_resumes(tmp_path):
    """A real interrupt, sent to the command as a terminal does."""
    words = ["train", "tictactoe", "--episodes", "3000000", "--out", str(tmp_path / "run"), "--exam", "none"]
    process = subprocess.Popen([sys.executable, "-m", "boardlab", *words], stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / "checkpoint.npz").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 130 and "boardlab resume" in said
    done = bl.open_run(tmp_path / "run").episodes
    assert done < 3_000_000
    assert bl.resume(tmp_path / "run", episodes=done + 10).episodes == done + 10


def test_the_curve_is_drawn_with_matplotlib_and_left_out_without(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    run = train(tmp_path / "without", exams=["random"], exam_every=200)
    assert run.picture is None and run.episodes == 400
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    run = train(tmp_path / "with", exams=["random", "perfect"], exam_every=200)
    assert run.picture.read_bytes().startswith(b"\x89PNG")


def test_the_band_of_a_curve_ends_where_values_do():
    """An exam that was passed without a fault may hide some faults, which is no reason to draw more."""
    perfect, middling, unknown = (100, 1.0, 0.12), (200, 0.5, 0.25), (300, -1.0, math.nan)
    low, high = curve.band([perfect, middling, unknown], (-1, 1))
    assert low == pytest.approx([0.88, 0.25, math.nan], nan_ok=True)
    assert high == pytest.approx([1, 0.75, math.nan], nan_ok=True)
    assert curve.band([(0, -1.0, 2.0)], (-1, 1)) == ([-1], [1])
    for game, exam, possible in (
        ("tictactoe", "perfect", (-1, 1)),
        ("tictactoe", "mcts(iterations=5)", (-1, 1)),
        ("tictactoe", "optimal", (0, 1)),
        ("rubiks", "twists20", (0, 1)),
        ("kuhnpoker", "exploitability", (-math.inf, 0)),
        ("2048", "score", bl.game("2048").score_range),
    ):
        assert exam_range(exam, bl.game(game)) == possible


def test_the_drawn_curve_stays_in_range(monkeypatch):
    axes = pytest.importorskip("matplotlib.axes").Axes
    drawn = []
    monkeypatch.setattr(axes, "fill_between", lambda self, xs, low, high, **_: drawn.append((low, high)))
    row = {"perfect": 1.0, "perfect error": 0.0, "perfect interval": 0.12}
    curve.draw_curve(TICTACTOE, [("run", [{"episodes": x, **row} for x in (5, 9)])])
    assert drawn == [([0.88, 0.88], [1.0, 1.0])]


@pytest.fixture
def figures(monkeypatch):
    """What is drawn."""
    drawn = []
    figure = pytest.importorskip("matplotlib.figure")
    monkeypatch.setattr(figure.Figure, "savefig", lambda self, *_, **__: drawn.append(self))
    return drawn


def test_a_single_exam_is_drawn_with_its_interval_on_an_axis_from_0(figures):
    row = {"episodes": 5000, "perfect": 1.0, "perfect error": 0.0, "perfect interval": 0.12}
    curve.draw_curve(TICTACTOE, [("run", [row])])
    axes = figures[0].axes[0]
    (bar,) = axes.collections
    assert bar.get_segments()[0].tolist() == [[5000, 0.88], [5000, 1.0]]
    assert axes.get_xlim()[0] == 0 and axes.get_xlim()[1] > 5000
    curve.draw_curve(TICTACTOE, [(str(i), [{**row, "perfect": y}]) for i, y in enumerate((0.2, 0.4))])
    bottom, top = figures[1].axes[0].get_ylim()
    assert bottom < 0.3 - 12.7062 * 0.1 and top > 1  # to the ends of the interval, as far as scores go


def test_a_curve_says_what_its_values_are_and_of_which_game(figures):
    for exam, title, unit in (
        ("perfect", "exam perfect", "mean score"),
        ("optimal", "exam optimal", "share"),
        ("exploitability", "exam exploitability", "value"),
        ("mcts(iterations=5)", "against mcts(iterations=5)", "mean score"),
    ):
        curve.draw_curve(TICTACTOE, [("run", [{"episodes": 5, exam: 0.5, f"{exam} error": 0.1}])])
        axes = figures[-1].axes[0]
        assert (axes.get_title(), axes.get_ylabel()) == (f"tictactoe: {title}", unit)


def counts(episodes, wins, draws, losses):
    """A row of a log with an exam that is a match."""
    named = {"wins": wins, "draws": draws, "losses": losses}
    games = wins + draws + losses
    row = {
        "episodes": episodes,
        "random": (wins - losses) / games,
        "random error": 0.1,
        "random games": games,
    }
    return row | {f"random {name}": count for name, count in named.items()}


def test_wins_draws_and_losses_of_an_exam_have_a_graph(figures):
    logs = [[counts(10, 1, 1, 2), counts(20, 3, 0, 1)], [counts(10, 3, 1, 0), counts(20, 4, 0, 0)]]
    drawn = {"wins": [0.25, 0.75], "draws": [0.25, 0], "losses": [0.5, 0.25]}
    means = {"wins": [0.5, 0.875], "draws": [0.25, 0], "losses": [0.25, 0.125]}
    for rows, expected in ((logs[:1], drawn), (logs, means)):
        curve.draw_curve(TICTACTOE, [(str(i), log) for i, log in enumerate(rows)])
        _, axes = figures[-1].axes
        assert axes.get_title() == "tictactoe: exam random: wins, draws and losses"
        lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
        assert {name: list(ys) for name, ys in lines.items()} == expected
    said = figures[-1].axes[1].get_legend().get_title().get_text()
    assert said == "mean of 2 runs"


def test_a_log_without_outcomes_or_with_odd_ones_has_no_graph_of_them(figures):
    rows = [counts(10, 1, 1, 2), counts(20, 3, 0, 1)]
    for odd in ("", "nan", "inf", "x", None):
        strange = [{**row, "random draws": odd} for row in rows]
        assert curve.outcome_shares(strange, "random") == []
        curve.draw_curve(TICTACTOE, [("run", strange)])
        assert len(figures[-1].axes) == 1
    half = [{**rows[0], "random draws": ""}, rows[1]]  # begun by an earlier version
    assert curve.outcome_shares(half, "random") == [(20, (0.75, 0, 0.25))]


def test_the_text_curve_has_every_exam_at_its_place():
    rows = [
        {"episodes": str(x), "a": str(y), "a error": "0.1"} for x, y in [(100, -1.0), (200, 1.0), (300, 0.0)]
    ]
    drawn = curve.text_curve(rows, "a", width=21, height=5).splitlines()
    assert [line.find("●") for line in drawn[:5]] == [14, -1, 24, -1, 4]
    assert drawn[0].startswith(" 1") and drawn[4].startswith("-1")
    assert curve.text_curve([], "a") == "a: no exam yet"


def test_several_runs_are_those_of_their_seeds(tmp_path):
    settings = {"episodes": 200, "exams": ["random"], "exam_every": 100, "exam_games": 20}
    many = bl.train_many(TICTACTOE, 3, out=tmp_path / "many", **settings)
    assert [run.seed for run in many.runs] == [1, 2, 3]
    for run in many.runs:
        alone = bl.train(TICTACTOE, out=tmp_path / f"alone-{run.seed}", seed=run.seed, **settings)
        assert (alone.path / "weights.npz").read_bytes() == (run.path / "weights.npz").read_bytes()
    with (tmp_path / "many" / "multi.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["seed"], row["episodes"]) for row in rows] == [(s, e) for s in "123" for e in ("100", "200")]
    values = [float(run.log[-1]["random"]) for run in many.runs]
    lines = (tmp_path / "many" / "multiTrain.csv").read_text().splitlines()
    assert lines[2] == "evalQ: random, evalT: "
    assert lines[3].split("; ")[:4] == ["run", "gameNum", "evalQ", "evalT"]
    for row, line in zip(rows, lines[4:], strict=True):
        words = line.split("; ")
        assert words[:3] == [str(int(row["seed"]) - 1), row["episodes"], row["random"]]
        assert words[3] == "nan" and words[4] == words[5] == row["actions"]
        assert float(words[6]) == float(row["seconds"])
    assert many.last_values("random") == values
    assert f"mean {sum(values) / 3:.4g}" in str(many)


def many_runs(*values):
    """Runs whose only exam had these values."""
    logs = [[{"episodes": "10", "exam": str(value), "exam error": "0.1"}] for value in values]
    runs = (SimpleNamespace(log=log, game=TICTACTOE) for log in logs)
    return ManyRuns(Path("many"), tuple(runs))


@pytest.mark.parametrize(
    ("values", "said"),
    [  # half widths: 12.706, 4.303 and 2.262 (Student's t, from a table) times the standard error
        ((0.4, 0.6), "mean 0.5 ± 1.3 (95%), standard deviation 0.141"),
        ((0.5, 0.6, 0.7), "mean 0.6 ± 0.25 (95%), standard deviation 0.1"),
        ((0.0, 1.0) * 5, "mean 0.5 ± 0.38 (95%), standard deviation 0.527"),
        ((0.1, 0.1, 0.1), "mean 0.1 (no interval: all ended alike), standard deviation 0, from"),
        ((1.0,), "mean 1, from 1 to 1 over 1 run\n"),
    ],
)
def test_the_interval_of_a_few_runs_is_students(values, said):
    assert f"exam: {said}" in f"{many_runs(*values)}\n"


def test_the_mean_of_several_curves_is_drawn_with_its_interval_and_a_legend(figures):
    ends = {10: (0.4, 0.6), 20: (0.5, 0.5), 30: (0.6, 0.8)}
    logs = [[{"episodes": x, "a": ys[i], "a error": 0.1} for x, ys in ends.items()] for i in (0, 1)]
    means = curve.mean_curve(logs, "a")
    assert [(x, round(y, 9)) for x, y, _ in means] == [(10, 0.5), (20, 0.5), (30, 0.7)]
    assert means[0][2] == pytest.approx(12.7062 * 0.1) and means[1][2] != means[1][2]
    curve.draw_curve(TICTACTOE, [(str(i), rows) for i, rows in enumerate(logs)])
    axes = figures[0].axes[0]
    assert len(axes.collections) == 1  # the band
    said = [text.get_text() for text in axes.get_legend().get_texts()]
    assert said == ["mean of 2 runs with its 95% interval"]
    assert -1 < axes.get_ylim()[0] < axes.get_ylim()[1] < 1.5  # a wide interval does not flatten the curves
    more = [[{"episodes": x, "a": 0.1 * i + x / 100, "a error": 0.1} for x in (10, 20)] for i in range(4)]
    curve.draw_curve(TICTACTOE, [(str(i), rows) for i, rows in enumerate(more)])
    low, high = curve.band(curve.mean_curve(more, "a"), (-1, 1))
    bottom, top = figures[1].axes[0].get_ylim()
    assert bottom < min(low) and max(high) < top  # and the ends of another can be read


def test_processes_give_the_same_runs_and_go_on(tmp_path):
    settings = {"episodes": 200, "exams": ["random"], "exam_games": 20}
    bl.train(TICTACTOE, out=tmp_path / "two" / "seed-1", seed=1, **settings)
    standing = []
    two = bl.train_many(
        TICTACTOE, 2, out=tmp_path / "two", jobs=2, progress=lambda s, p: standing.append((s, p)), **settings
    )
    one = bl.train_many(TICTACTOE, 2, out=tmp_path / "one", **settings)
    assert {seed for seed, _ in standing} == {1, 2}
    for a, b in zip(one.runs, two.runs, strict=True):
        assert (a.path / "weights.npz").read_bytes() == (b.path / "weights.npz").read_bytes()
    with pytest.raises(bl.BoardLabError, match=r"in its settings \(there epsilon=0.3\); choose another"):
        bl.train(
            TICTACTOE, out=tmp_path / "two" / "seed-1", seed=1, go_on=True, **{**settings, "epsilon": 0.2}
        )
    with pytest.raises(bl.BoardLabError, match="another run, which differs in its episodes; choose"):
        bl.train_many(TICTACTOE, 2, out=tmp_path / "two", jobs=2, **{**settings, "episodes": 300})
    assert bl.train_many(TICTACTOE, 1, out=tmp_path / "two", force=True, **{**settings, "episodes": 5})


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_fails_does_not_stop_the_others(tmp_path, jobs):
    folder = tmp_path / "seed-1"
    bl.train(TICTACTOE, out=folder, seed=1, episodes=5, exams=[])
    with pytest.raises(bl.BoardLabError) as error:
        bl.train_many(TICTACTOE, 2, out=tmp_path, jobs=jobs, episodes=20, exams=[])
    first, second, third = str(error.value).splitlines()
    assert first == "1 of 2 runs failed:" and second.startswith(f"  seed 1: {folder} holds another run")
    assert third == f"    boardlab train tictactoe --episodes 20 --seed 1 --out {folder}"
    assert bl.open_run(tmp_path / "seed-2").episodes == 20


def test_a_single_runs_folder_is_not_used_for_several(tmp_path):
    train(tmp_path / "run", 10)
    with pytest.raises(bl.BoardLabError, match="a folder of their own"):
        bl.train_many(TICTACTOE, 2, out=tmp_path / "run")
