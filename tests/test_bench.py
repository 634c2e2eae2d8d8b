"""What the benchmarks print beside their means."""

import importlib
from pathlib import Path

import pytest


@pytest.fixture
def bench(monkeypatch):
    """Modules of bench/ by name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "bench"))
    return importlib.import_module


def test_the_interval_of_a_mean_is_students(bench):
    mean = bench("common").mean
    assert mean([0.5, 0.6, 0.7]) == "0.600 ± 0.248"  # 4.303 times .1 / sqrt(3)
    assert mean([0.4, 0.6]) == "0.500 ± 1.271"  # 12.706 times .1
    assert mean([0.1, 0.1, 0.1]) == "0.100"  # no spread to estimate it from
    assert mean([1.0]) == "1.000"
    assert mean([1.0, float("nan")]) == ""


@pytest.mark.parametrize("name", ["arena", "batch_env", "playouts", "full_width"])
def test_words_that_a_benchmark_does_not_know_are_refused(bench, monkeypatch, name):
    monkeypatch.setattr("sys.argv", [f"{name}.py", "statistic"])
    with pytest.raises(SystemExit, match="2"):
        bench(name).main()


def test_the_interval_over_untrained_nets_is_students(bench, monkeypatch):
    pytest.importorskip("torch")
    warm_start = bench("warm_start")
    lines = [{"untrained": "rave", "games": 10, "distinct": 9, "reward": r} for r in (0.0, 0.2, 0.4)]
    rows = []
    monkeypatch.setattr(warm_start, "table", lambda title, columns, found, how: rows.extend(found))
    warm_start.report_untrained("othello", "visits", lines, "")
    assert rows == [["rave", "30", "27", "60.0% ± 24.8%", "53%", "+7.0 ± 26.7"]]


def test_table_2_is_played_by_the_agents_of_those_names(bench, monkeypatch):
    pytest.importorskip("torch")
    warm_start = bench("warm_start")
    played = []
    match = warm_start.bl.match

    def watched(game, agents, *more):
        played.append(agents)
        return match(game, agents, *more)

    monkeypatch.setattr(warm_start.bl, "match", watched)
    settings = {"simulations": 4, "channels": 8, "warm_policy": "values", "equivalence": 60.0}
    lines = [
        warm_start.untrained("connectfour", name, 1, {"settings": settings}) for name in warm_start.PAPER
    ]
    assert [agents[0].split("_")[0] for agents in played] == ["rollout", "rave", "rora", "wro", "wrora"]
    assert played[2] == [
        'rora_mcts(untrained, iterations=4, policy="values", equivalence=60.0, rave_of="own")',
        "mcts(untrained, iterations=4, solver=False)",
    ]
    assert all(
        line["policy"] == "values" and line["games"] == 2 and abs(line["reward"]) <= 1 for line in lines
    )


def test_claims_about_warm_starts_are_means_over_pairs_and_seeds(bench, monkeypatch):
    pytest.importorskip("torch")
    warm_start = bench("warm_start")

    def met(one, other, seed, wins, stage=None):
        line = {
            "match": [one, other],
            "game": "othello",
            "seed": seed,
            "first": [wins, 0, 5 - wins],
            "second": [5, 0, 0],
        }
        return line if stage is None else line | {"stage": stage}

    rows, said = [], []
    monkeypatch.setattr(warm_start, "table", lambda title, columns, found, how: rows.extend(found))
    monkeypatch.setattr(warm_start.console, "print", said.append)
    # Points of 10 games: .6 and .8 with seed 1, 1 with seed 2. The mean of .7 and 1 is .85, its error .15.
    on_the_way = [
        met("wro", "baseline", 1, 1, 10),
        met("rave", "baseline", 1, 3, 10),
        met("wro", "baseline", 2, 5, 10),
    ]
    warm_start.report_stages("othello", [*on_the_way, met("wro+", "wro", 2, 0, 20)], "")
    assert rows == [["10", "85.0% ± 15.0% (2)", "", ""], ["20", "", "", "50.0% (1)"]]

    # What was played on the way, and other games, do not count; each seed of a file does once.
    files = [
        [met("baseline", "wro", 1, 0), met("baseline", "wro", 2, 3), *on_the_way],
        [met("baseline", "wro", 1, 5)],
    ]
    warm_start.report_all(files)
    each = [warm_start.ratings_of([line])["wro"].elo for line in (*files[0][:2], files[1][0])]
    assert each[0] > each[1] > each[2]
    error = (sum((e - sum(each) / 3) ** 2 for e in each) / 2 / 3) ** 0.5
    mean, half = sum(each) / 3, 4.3027 * error  # Student's t with two degrees of freedom
    assert said[1:] == [
        f"fixed - baseline: {mean:+.0f} ± {error:.0f} Elo (standard error, 3 seeds of a game; "
        f"95%: {mean - half:+.0f} to {mean + half:+.0f})"
    ]


def test_the_share_of_wins_has_no_narrower_interval_than_all_of_them(bench):
    percent = bench("common").percent
    assert [percent(wins, 400) for wins in (400, 399, 200)] == ["100.0 ± 0.9", "99.8 ± 0.9", "50.0 ± 4.9"]
