"""Exams of card games: exploitability, basic strategy (blackjack)."""

from boardlab.arena.exams.exam import SHARE, Exam, ExamResult, Paper
from boardlab.arena.exams.exploitability import EXPLOITABILITY
from boardlab.arena.exams.starts import met_at_random
from boardlab.games.blackjack import INSURANCE, Blackjack
from boardlab.games.game import State
from boardlab.references.blackjack import action_values, best_actions
from boardlab.search.side_by_side import act_all


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
    EXPLOITABILITY,
    Exam(
        "basic",
        "share of decisions in random rounds that follow basic strategy",
        lambda game: isinstance(game.rules, Blackjack),
        _agreement,
        "1",
        values=SHARE,
    ),
)
