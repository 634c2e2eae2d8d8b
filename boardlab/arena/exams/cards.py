"""Exams of card games: exploitability (Kuhn poker), basic strategy (blackjack)."""

import itertools
import math
from collections.abc import Mapping

from boardlab.arena.exams.exam import SHARE, Exam, ExamResult, Paper
from boardlab.arena.exams.starts import met_at_random
from boardlab.arena.intervals import NORMAL_95
from boardlab.games.blackjack import INSURANCE, Blackjack
from boardlab.games.game import CHANCE, Game, State
from boardlab.games.kuhnpoker import BET, PASS, KuhnPoker
from boardlab.references.blackjack import action_values, best_actions
from boardlab.search.agent import Agent
from boardlab.search.side_by_side import act_all

Strategy = Mapping[bytes, float]
"""Probability that a player bets, by its observation."""

QUESTIONS = 20
"""Questions per situation of Kuhn poker: searches do not always give the same answer."""


def reported_strategy(agent: Agent, game: Game, question: int) -> dict[bytes, float]:
    """Return the reported probability of betting in all twelve situations of a round."""
    strategy: dict[bytes, float] = {}
    for cards in itertools.permutations(range(3), 2):
        for betting in ((), (PASS,), (BET,), (PASS, BET)):
            state = game.initial_state()
            for action in (*cards, *betting):
                state.apply(action)
            key = state.observe(state.player)
            if key not in strategy:
                agent.reset(question)
                decision = agent.act(state)
                has_policy = sum(decision.policy.values()) > 0  # an agent need not report a policy
                strategy[key] = decision.policy.get(BET, 0.0) if has_policy else float(decision.action == BET)
    return strategy


def best_response_value(game: Game, player: int, strategy: Strategy) -> float:
    """Return the best score of `player` in a round against a strategy."""

    def value(states: list[tuple[State, float]]) -> float:
        """Sum the weighted scores of these positions under the player's best answers."""
        total, pending = 0.0, list(states)
        waiting: dict[bytes, list[tuple[State, float]]] = {}  # decisions, by what the player observes
        while pending:
            state, weight = pending.pop()
            if state.is_terminal:
                total += weight * float(state.scores[player])
            elif state.player == player:
                waiting.setdefault(state.observe(player), []).append((state, weight))
            else:
                chances = dict(state.chance_outcomes()) if state.player == CHANCE else _mix(state, strategy)
                pending += [(child, weight * chances[action]) for action, child in state.children()]
        return total + sum(
            max(value([(_after(state, action), weight) for state, weight in group]) for action in (PASS, BET))
            for group in waiting.values()
        )

    return value([(game.initial_state(), 1.0)])


def _mix(state: State, strategy: Strategy) -> dict[int, float]:
    bet = strategy[state.observe(state.player)]
    return {PASS: 1 - bet, BET: bet}


def _after(state: State, action: int) -> State:
    child = state.copy()
    child.apply(action)
    return child


def exploitability(game: Game, strategy: Strategy) -> float:
    """Return NashConv / 2: what best responses win, averaged over seats."""
    return (best_response_value(game, 0, strategy) + best_response_value(game, 1, strategy)) / 2


def _exploitability(paper: Paper) -> ExamResult:
    one_round = Game(KuhnPoker())
    agent = paper.make_agent().twin(paper.game, paper.seed)
    questions = min(paper.games, QUESTIONS)
    strategies = [_of_one_round(agent, paper.game, (paper.seed + i) % 2**64) for i in range(questions)]
    mean = {key: sum(strategy[key] for strategy in strategies) / questions for key in strategies[0]}
    value = exploitability(one_round, mean)
    # The error of a few questions: the spread between the two halves of the answers.
    halves = [
        exploitability(one_round, {key: sum(s[key] for s in part) / len(part) for key in strategies[0]})
        for part in (strategies[::2], strategies[1::2])
        if part
    ]
    error = (max(halves) - min(halves)) / 2
    value = round(value, 12)  # an unexploitable strategy gets 0, not a rounding error
    return ExamResult(
        paper.exam,
        0.0 - value,
        error,
        12 * questions,
        0.0,
        {},
        NORMAL_95 * error,
        "questions",
        distinct=len({answer for strategy in strategies for answer in strategy.items()}),
    )


def _of_one_round(agent: Agent, game: Game, question: int) -> dict[bytes, float]:
    """Return the first round's strategy, keyed as in a one-round game."""
    strategy = reported_strategy(agent, game, question)
    one_round = Game(KuhnPoker())
    if game == one_round:
        return strategy
    names: dict[bytes, bytes] = {}
    for cards in itertools.permutations(range(3), 2):
        for betting in ((), (PASS,), (BET,), (PASS, BET)):
            many, one = game.initial_state(), one_round.initial_state()
            for action in (*cards, *betting):
                many.apply(action)
                one.apply(action)
            names[many.observe(many.player)] = one.observe(one.player)
    return {names[key]: bet for key, bet in strategy.items()}


def _agreement(paper: Paper) -> ExamResult:
    rules = paper.game.rules
    assert isinstance(rules, Blackjack)
    right: list[bool] = []
    kinds: dict[str, list[bool]] = {}
    states = met_at_random(paper.game, paper.games, paper.seed)
    actions = act_all(paper.agent, paper.game, states, paper.seed, paper.progress)
    for state, action in zip(states, actions, strict=True):
        answer = action in best_actions(action_values(state))
        right.append(answer)
        kinds.setdefault(_kind(rules, state), []).append(answer)
    details = {kind: sum(answers) / len(answers) for kind, answers in sorted(kinds.items())}
    return paper.share(right, details, "positions", states)


def _kind(rules: Blackjack, state: State) -> str:
    if state.fields[2] == INSURANCE:
        return "insurance"
    hand = rules.hands(state)[state.fields[6]]
    if len(hand.cards) == 2 and hand.cards[0] == hand.cards[1]:
        return "pairs"
    return "soft totals" if hand.is_soft else "hard totals"


CARDS = (
    Exam(
        "exploitability",
        "minus what best responses win beyond the value of a round, averaged over both seats: half of "
        "NashConv (exact, from the policies that the agent reports)",
        lambda game: isinstance(game.rules, KuhnPoker),
        _exploitability,
        "0",
        values=(-math.inf, 0.0),
    ),
    Exam(
        "basic",
        "share of decisions in random rounds that follow basic strategy",
        lambda game: isinstance(game.rules, Blackjack),
        _agreement,
        "1",
        values=SHARE,
    ),
)
