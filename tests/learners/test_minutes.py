"""Runs by minutes: they meet their time, say how many episodes that were, and can be repeated bit for bit."""

import shutil
import types

import pytest
from learners.test_learners import game_of, small

import boardlab as bl
from boardlab.learners import LEARNERS, training
from boardlab.learners.again import train_command
from boardlab.learners.pace import MOST_CORNERS, Pace, Timetable
from boardlab.learners.training import Training
from boardlab.runs import RunFolder

TICTACTOE = bl.game("tictactoe")
FALLING = {"alpha": 1.0, "alpha_final": 0.1, "epsilon": 0.5, "epsilon_final": 0.0}


@pytest.fixture
def clock(monkeypatch):
    """A clock that learning alone moves: an episode takes 10 ms, and ever longer."""
    now = types.SimpleNamespace(seconds=0.0, episode=0.01)
    learn = Training._learn

    def timed(self, episodes):
        before = self.learner.episodes_done
        learn(self, episodes)
        done = self.learner.episodes_done
        now.seconds += (done - before) * now.episode * (1 + done / 1000)

    time = types.SimpleNamespace(monotonic=lambda: now.seconds, process_time=lambda: now.seconds)
    monkeypatch.setattr(training, "time", time)
    monkeypatch.setattr(Training, "_learn", timed)
    monkeypatch.setattr(Training, "_draw", lambda self: None)  # it costs more than these runs
    return now


def repeated(run, path):
    """The run again, from its agent.toml alone."""
    path.mkdir()
    shutil.copy(run.path / "agent.toml", path)
    return bl.resume(path)


def same(one, other):
    """Whether two runs learned the same bits and took the same exams."""
    logs = [[{**row, "seconds": 0} for row in run.log] for run in (one, other)]
    prints = {RunFolder(run.path).fingerprint() for run in (one, other)}
    return logs[0] == logs[1] and len(prints) == 1


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_meets_its_time_and_can_be_repeated(learner, tmp_path, clock):
    more = {"games": 10, "parallel": 10} if learner == "alphazero" else {}
    clock.episode = 0.2 if learner == "alphazero" else 0.01
    given = {"exams": [], **small(learner), **more}
    run = bl.train(game_of(learner), learner, minutes=0.1, out=tmp_path / "run", **given)
    assert run.is_finished and 5.5 < run.seconds <= 6.5
    assert f"{run.episodes:,} episodes" in str(run)
    assert "minutes = 0.1" in (run.path / "agent.toml").read_text()
    assert same(run, repeated(run, tmp_path / "again"))


def test_schedules_follow_the_time(tmp_path, clock):
    run = bl.train(TICTACTOE, minutes=0.2, out=tmp_path / "run", exams=["random"], exam_games=2, **FALLING)
    assert same(run, repeated(run, tmp_path / "again"))
    shares = [row["seconds"] / 12 for row in run.log]
    assert len(shares) == 20 and shares[-1] == pytest.approx(1, abs=0.01)
    for share, row in zip(shares, run.log, strict=True):
        assert row["epsilon"] == pytest.approx(0.5 * (1 - share), abs=0.02)
        assert row["alpha"] == pytest.approx(0.1**share, rel=0.1)


def test_the_command_of_a_finished_run_repeats_it(tmp_path, clock):
    run = bl.train(TICTACTOE, minutes=0.05, out=tmp_path / "run", exams=[], **FALLING)
    words = train_command(RunFolder(run.path).read_agent()).split()
    pace = words[words.index("--pace") + 1]
    again = bl.train(TICTACTOE, episodes=run.episodes, pace=pace, out=tmp_path / "again", exams=[], **FALLING)
    assert same(run, again)
    evenly = bl.train(TICTACTOE, episodes=run.episodes, out=tmp_path / "evenly", exams=[], **FALLING)
    assert not same(run, evenly)


def test_a_killed_run_goes_on_until_its_time_is_over(tmp_path, clock):
    def stop(progress):
        if progress.episodes > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bl.train(TICTACTOE, minutes=0.05, out=tmp_path / "run", exams=["random"], progress=stop, **FALLING)
    cut = bl.open_run(tmp_path / "run")
    assert cut.is_open and not cut.is_finished and 0 < cut.share < 1
    assert "--minutes 0.05" in train_command(RunFolder(cut.path).read_agent())
    shutil.copytree(cut.path, tmp_path / "copy")
    shutil.copytree(cut.path, tmp_path / "late")
    assert bl.resume(tmp_path / "copy", episodes=cut.episodes + 50).episodes == cut.episodes + 50
    run = bl.resume(cut)
    assert run.is_finished and run.seconds == pytest.approx(3, abs=0.2)
    assert same(run, repeated(run, tmp_path / "again"))
    shutil.copy(run.path / "agent.toml", tmp_path / "late")  # killed before its last checkpoint
    assert same(run, bl.resume(tmp_path / "late"))


def test_the_same_command_finds_the_finished_run(tmp_path, clock):
    given = {"minutes": 0.05, "out": tmp_path, "exams": []}
    run = bl.train(TICTACTOE, **given)
    assert bl.learners.train(TICTACTOE, go_on=True, **given).episodes == run.episodes
    with pytest.raises(bl.BoardLabError, match="differs in its minutes"):
        bl.learners.train(TICTACTOE, go_on=True, **given | {"minutes": 0.06})
    with pytest.raises(bl.BoardLabError, match="differs in its minutes"):
        bl.learners.train(TICTACTOE, go_on=True, episodes=run.episodes, out=tmp_path, exams=[])


def test_a_run_can_go_on_for_more_minutes_or_more_episodes(tmp_path, clock):
    run = bl.train(TICTACTOE, minutes=0.02, out=tmp_path, exams=["random"], exam_games=2)
    longer = bl.resume(run, minutes=0.04)
    assert longer.is_finished and longer.seconds == pytest.approx(2.4, abs=0.1)
    with pytest.raises(bl.BoardLabError, match=r"has already trained 0\.0\d+ minutes"):
        bl.resume(run, minutes=0.03)
    by_episodes = bl.resume(run, episodes=longer.episodes + 100)
    assert by_episodes.minutes is None and by_episodes.episodes == longer.episodes + 100


def test_a_snapshot_can_be_repeated(tmp_path, clock):
    run = bl.train(TICTACTOE, minutes=0.05, out=tmp_path / "run", exams=[], snapshot_every=100, **FALLING)
    snapshot = RunFolder(run.path / "snapshots/100")
    agent = snapshot.read_agent()
    assert agent["episodes"] == 100
    again = bl.train(TICTACTOE, episodes=100, pace=agent["pace"], out=tmp_path / "again", exams=[], **FALLING)
    assert RunFolder(again.path).fingerprint() == snapshot.fingerprint()


def test_a_run_that_passes_its_exam_stops_before_its_time(tmp_path, clock):
    given = {"stop_exam": "random", "stop_at": -1.0, "stop_after": 2, "exam_games": 2}
    run = bl.train(TICTACTOE, minutes=1, out=tmp_path / "run", **given)
    assert run.seconds < 30 and len(run.log) == 2
    assert same(run, repeated(run, tmp_path / "again"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"minutes": 1, "episodes": 5}, "give episodes or minutes, not both"),
        ({"minutes": 0}, "minutes must be a number from 0.001 to 1000000 or None, not 0"),
        ({"pace": "5:1"}, "pace does nothing without episodes"),
        ({"episodes": 5, "pace": "5"}, "pace must be EPISODES:SHARE"),
        ({"episodes": 5, "pace": "5:0.5,4:1"}, "4:1 cannot follow 5:0.5"),
        ({"episodes": 5, "pace": "5:2"}, "shares from 0 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given, sentence, tmp_path):
    with pytest.raises(bl.BoardLabError, match=sentence):
        bl.train(TICTACTOE, out=tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()


def test_a_pace_is_read_as_it_is_written():
    pace = Pace.read("1:0,90:0.05,800:0.333333,1000:1")
    assert Pace.read(str(pace)) == pace
    assert Pace.of_array(pace.as_array(5), 5) == pace and Pace.of_array(pace.as_array(5), 6) is None
    assert [pace.share(n) for n in (0, 1, 90, 1000, 2000)] == [0, 0, 0.05, 1, 1]
    assert pace.share(45) == pytest.approx(0.05 * 44 / 89)


@pytest.mark.parametrize("exams", [0, 7, 20])
@pytest.mark.parametrize("unit", [1, 400])
@pytest.mark.parametrize("speed", [0.5, 30, 100_000])
def test_a_timetable_has_few_corners_and_ends_on_time(unit, speed, exams):
    """Episodes take twice as long at the end."""
    table, pace, seconds = Timetable(2, exams, unit), Pace(), 0.0
    while (longer := table.extend(pace, pace.end[0], seconds)) is not None:
        seconds += (longer.end[0] - pace.end[0]) / speed * (1 + seconds / 120)
        pace = longer
    assert len(pace.corners) < 50 < MOST_CORNERS
    assert abs(seconds - 120) <= max(2, unit / speed) + (unit / speed if unit / speed > 120 else 0)
