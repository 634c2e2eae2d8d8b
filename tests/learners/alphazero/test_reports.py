"""What a run leaves to look at: a JSON line a generation, log.csv, pictures, TensorBoard."""

import json
import sys

import pytest

import boardlab as bl
from boardlab.errors import BoardLabError, MissingPackageError, install

pytest.importorskip("torch")

SMALL = {"blocks": 1, "channels": 8, "games": 8, "parallel": 8, "simulations": 8, "threads": 1}
SMALL |= {"device": "cpu", "play_simulations": 4, "exams": ["random"], "exam_every": 8, "exam_games": 2}


def lines(run):
    return [json.loads(line) for line in (run / "generations.jsonl").read_text().splitlines()]


def test_every_generation_has_a_line_with_its_losses_and_times(tmp_path):
    run = bl.train(bl.game("tictactoe"), "alphazero", episodes=24, out=tmp_path / "run", **SMALL)
    told = lines(run.path)
    assert [row["generation"] for row in told] == [1, 2, 3]
    wanted = {"policy_loss", "value_loss", "positions", "window", "lr", "simulations_per_second"}
    assert all(wanted < set(row) for row in told)
    assert [int(row["generation"]) for row in run.log] == [1, 2, 3]
    assert [float(row["policy_loss"]) for row in run.log] == pytest.approx(
        [row["policy_loss"] for row in told], rel=1e-4
    )


def test_pictures_of_exams_and_losses(tmp_path):
    pytest.importorskip("matplotlib")
    run = bl.train(bl.game("tictactoe"), "alphazero", episodes=16, out=tmp_path / "run", **SMALL)
    for name in ("curve.png", "losses.png"):
        assert (run.path / name).read_bytes().startswith(b"\x89PNG")


def test_the_losses_that_are_drawn_are_those_of_the_lines(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from matplotlib.axes import Axes

    from boardlab.learners.alphazero.reports import draw_losses

    drawn = {}
    plot = Axes.plot
    monkeypatch.setattr(
        Axes,
        "plot",
        lambda self, x, y, **more: (drawn.update({more["label"]: (x, y)}), plot(self, x, y, **more))[1],
    )
    rows = [{"generation": n, "policy_loss": 2.0 / n, "value_loss": 0.5} for n in (1, 2)]
    assert draw_losses(rows)
    assert drawn["both"] == ([1, 2], [2.5, 1.5])
    assert drawn["policy: cross-entropy"] == ([1, 2], [2.0, 1.0])
    assert draw_losses([]) is None


def test_a_resumed_run_tells_each_generation_once(tmp_path):
    game = bl.game("tictactoe")
    bl.train(game, "alphazero", episodes=24, out=tmp_path / "run", progress=lambda _: True, **SMALL)
    with (tmp_path / "run" / "generations.jsonl").open("a") as file:
        file.write('{"generation": 2, "lost": true}\n')  # of a generation that a kill took
    bl.resume(tmp_path / "run")
    assert [row["generation"] for row in lines(tmp_path / "run")] == [1, 2, 3]
    assert not any("lost" in row for row in lines(tmp_path / "run"))


def test_tensorboard_has_every_generation_and_exam(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    game = bl.game("tictactoe")
    options = {**SMALL, "tensorboard": True, "out": tmp_path / "run"}
    bl.train(game, "alphazero", episodes=8, **options)
    bl.train(game, "alphazero", episodes=24, progress=lambda _: True, force=True, **options)
    bl.resume(tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    told = lines(tmp_path / "run")
    for name in ("policy_loss", "value_loss"):
        scalars = events.Scalars(name)
        assert [event.step for event in scalars] == [1, 2, 3]
        assert [event.value for event in scalars] == pytest.approx([row[name] for row in told], rel=1e-5)
    assert [event.step for event in events.Scalars("exam/random")] == [1, 2, 3]


def test_without_tensorboard_the_run_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'boardlab\[tensorboard\]'"):
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run", tensorboard=True, **SMALL)
    assert not (tmp_path / "run").exists()


def test_without_torch_the_sentence_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BoardLabError) as error:
        bl.train(bl.game("tictactoe"), "alphazero", out=tmp_path / "run")
    assert str(error.value) == f"learning a neural net needs PyTorch: {install('az')}"


@pytest.mark.parametrize("damage", [lambda text: text[:-40], lambda text: text.replace("1", "\x00\xff", 3)])
def test_lines_that_were_cut_are_left_out(tmp_path, damage):
    """A machine that stops may leave half a line: the run goes on without it."""
    game, out = bl.game("tictactoe"), tmp_path / "run"
    bl.train(game, "alphazero", episodes=24, out=out, progress=lambda at: at.episodes >= 16, **SMALL)
    (out / "generations.jsonl").write_bytes(damage((out / "generations.jsonl").read_text()).encode("latin1"))
    assert bl.resume(out).is_finished
    told = [row["generation"] for row in lines(out)]
    assert told[-1] == 3 and told == sorted(set(told)) and len(told) < 3


def test_generations_are_whole_numbers_on_the_axis(monkeypatch):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from boardlab.learners.alphazero.reports import draw_losses

    drawn = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: drawn.append(self) or save(self, *a, **k))
    draw_losses([{"generation": n, "policy_loss": 1.0, "value_loss": 0.5} for n in (1, 2)])
    ticks = drawn[0].axes[0].get_xticks()
    assert len(ticks) > 1 and all(tick == round(tick) for tick in ticks)
