"""The pages of docs/results say what their raw results say."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from boardlab.arena.intervals import interval

ROOT = Path(__file__).parents[1]
GAMES = {"Connect Four": "connectfour", "Othello": "othello", "Gobang": "gobang"}
NAMES = ("rollout", "rave", "rora", "wro", "wrora")


def test_every_raw_result_has_its_page():
    index = (ROOT / "docs/results/README.md").read_text(encoding="utf-8")
    assert {path.name for path in (ROOT / "bench/results").iterdir()} <= set(
        re.findall(r"results/([\w.]+)\)", index)
    )


def test_table_2_is_what_was_measured():
    shares = defaultdict(list)
    for line in (ROOT / "bench/results/warm_start_table_2.jsonl").read_text().splitlines():
        told = json.loads(line)
        key = told["game"], told["policy"], told["rave_of"], told["untrained"]
        shares[key].append((told["reward"] + 1) / 2)
    page = (ROOT / "docs/results/warm_start_table_2.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?), (visits|values)(, RAVE of all)? \| (\d+) \| (.*) \|$", page, re.M)
    assert len(rows) == len({key[:3] for key in shares})
    for game, policy, of_all, games, cells in rows:
        for name, cell in zip(NAMES, cells.split(" | "), strict=True):
            mine = shares[GAMES[game], policy, "all" if of_all else "own", name]
            mean, half = (float(number) for number in cell.strip("* ").split(" ± "))
            assert mean == pytest.approx(100 * sum(mine) / len(mine), abs=0.5)
            assert half == pytest.approx(100 * interval(mine, (0.0, 1.0)), abs=0.5)
            assert int(games) == 2 * len(mine)
