"""Choose an agent's actions in many unrelated positions, for exams."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from boardlab.evaluators.net import Net
from boardlab.games.game import Game, State
from boardlab.search.agent import Agent
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import parse
from boardlab.search.forest import Forest
from boardlab.search.mcts import Mcts

MOST_TREES = 1024
"""Trees searched in parallel: a batch size that suits a GPU."""

MOST_NODES = 1 << 25
"""Nodes of all trees together: 1 GiB."""


def act_all(
    agent: str | Agent,
    game: Game,
    states: Sequence[State],
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[int]:
    """Return the action in each state; the agent is reset before each.

    A tree search over a net searches many states in parallel and evaluates their leaves in one batch. The
    results are the same, and a GPU is many times faster this way.
    """
    if not states:
        return []
    spec = parse(agent) if isinstance(agent, str) else None
    if (
        isinstance(spec, Mcts)
        and isinstance(spec.evaluator, Net)
        and spec.evaluator.run
        and spec.is_plain_puct
    ):
        found = _in_a_forest(spec, spec.evaluator, game, states, seed, progress)
        if found is not None:
            return found
    player = make_agent(agent, game, seed)
    actions = []
    for number, state in enumerate(states):
        player.reset((seed + number) % 2**64)
        actions.append(player.act(state).action)
        if progress:
            progress(len(actions))
    return actions


def _in_a_forest(
    spec: Mcts,
    net: Net,
    game: Game,
    states: Sequence[State],
    seed: int,
    progress: Callable[[int], None] | None,
) -> list[int] | None:
    judge = net.judge(game)
    if judge is None:
        return None
    iterations = spec.iterations or 1000
    most = spec.max_nodes or 1 << 24
    nodes = min(iterations * game.action_count, most)  # per tree
    trees = max(1, min(len(states), MOST_TREES, MOST_NODES // nodes))
    judge.prepare(1, trees * spec.batch, game.initial_state().planes().shape)
    forest = Forest(
        game,
        trees,
        tree=replace(spec, reuse=False, max_nodes=most),
        seed=seed,
        cache_mb=64,
    )
    actions: list[int] = []
    for first in range(0, len(states), trees):
        part = states[first : first + trees]
        for tree, state in enumerate([*part, *[part[-1]] * (trees - len(part))]):
            forest.set_state(tree, state)
        forest.search(judge, iterations)
        actions += forest.choices()[: len(part)].tolist()
        if progress:
            progress(len(actions))
    return actions
