"""The five enhancements of Wang et al. (2021) as agents: what each is, in which units, how strong."""

from pathlib import Path

import numpy as np
import pytest

import boardlab as bl
from boardlab.search import format_spec, parse
from boardlab.search.enhancements import ENHANCEMENTS
from boardlab.search.registry import SEARCHES

ROOT = Path(__file__).parents[2]
NAMES = [f"{name}_mcts" for name in ENHANCEMENTS]

SPELLED_OUT = {
    "rollout_mcts": "mcts(mix(score, rollout, weight=1.0), iterations=60, solver=False)",
    "rave_mcts": "mcts(score, iterations=60, solver=False, rave=True)",
    "rora_mcts": "mcts(mix(score, rollout, weight=1.0), iterations=60, solver=False, rave=True)",
    "wro_mcts": "mcts(mix(score, rollout, weight=0.5), iterations=60, solver=False)",
    "wrora_mcts": "mcts(mix(score, rollout, weight=0.5), iterations=60, solver=False, rave=True, rave_rollouts=True)",
}
"""As docs/mcts.md has them."""


def test_the_page_of_mcts_names_each_with_the_options_that_it_stands_for():
    page = (ROOT / "docs/mcts.md").read_text(encoding="utf-8")
    for name, spelled_out in SPELLED_OUT.items():
        wanted = spelled_out.replace("score", "E").replace(", iterations=60, solver=False", "")
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}(E"))
        assert f"`{wanted}`" in row


def test_each_enhancement_has_an_agent():
    assert [spec.enhancement for spec in SEARCHES.values() if hasattr(spec, "enhancement")] == list(
        ENHANCEMENTS
    )
    assert list(SPELLED_OUT) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_enhancement_is_mcts_with_other_options(name):
    game = bl.game("connectfour", rows=5, cols=5)
    state = game.initial_state()
    for policy, reported in (
        ("visits", ""),
        ("values", ', policy="rave", choose="policy"' if name in ("rave_mcts", "rora_mcts") else
                   ', policy="value", choose="policy"'),
    ):  # fmt: skip
        one = bl.agent(f'{name}(score, iterations=60, policy="{policy}")', game, seed=4).act(state)
        other = bl.agent(SPELLED_OUT[name][:-1] + reported + ")", game, seed=4).act(state)
        assert (one.action, one.policy, one.values) == (other.action, other.policy, other.values)


@pytest.mark.parametrize("name", NAMES)
def test_expressions_are_printed_back(name):
    for text in (f"{name}(rollout)", f"{name}(score, seconds=0.5, policy='values')"):
        assert format_spec(parse(format_spec(parse(text)))) == format_spec(parse(text))
    assert parse(name).as_mcts().iterations == 100
    assert parse(f"{name}(score, seconds=0.5)").as_mcts().iterations is None


@pytest.mark.parametrize("name", NAMES)
def test_rollouts_count_what_the_evaluator_estimates(name):
    """An evaluator of discs is mixed with rollouts that count discs."""
    game = bl.game("othello", size=4)
    decision = bl.agent(f'{name}(score(outcome="discs"), iterations=40)', game, seed=1).act(
        game.initial_state()
    )
    assert sum(decision.policy.values()) == pytest.approx(1)
    assert name != "rollout_mcts" or max(abs(value) for value in decision.values.values()) > 1


@pytest.mark.parametrize(
    ("game", "parameters"),
    [("2048", {"size": 2}), ("ewn", {"size": 3}), ("kuhnpoker", {}), ("nim", {"players": 3})],
)
def test_enhancements_play_with_chance_hidden_cards_and_any_number_of_players(game, parameters):
    board = bl.game(game, **parameters)
    for name in NAMES:
        agents = [f"{name}(score, iterations=5)"] * board.players
        assert bl.match(board, agents, board.players, seed=1).games == board.players


def test_rollouts_beat_a_net_that_knows_nothing():
    """Table 2 of Wang et al. (2021) in small: 76 to 82.5% with rollouts and RAVE, or with weighed rollouts."""
    game = bl.game("connectfour", rows=6, cols=6)
    weights = (
        np.random.default_rng(0).normal(size=(int(np.prod(game.core.plane_shape)), 1 + game.action_count))
        / 20
    )

    def net(planes, legal):
        answers = np.tanh(planes.reshape(len(planes), -1) @ weights)
        return answers[:, 0], answers[:, 1:]

    bl.register_evaluator("untrained")(lambda game: net)
    for name in ("rora_mcts", "wro_mcts", "wrora_mcts"):
        agents = [f"{name}(untrained)", "mcts(untrained, iterations=100, solver=False)"]
        assert bl.match(game, agents, 12, seed=1).points[0] > 0.6
