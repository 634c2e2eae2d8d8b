"""Agents written in Python: known by name as any other, with parameters, memory and errors of their own."""

import copy
import pickle
import random
import re

import numpy as np
import pytest

import boardlab as bl

TICTACTOE = bl.game("tictactoe")


class Eager:
    """Likes the first action.

    More or less.
    """

    def __init__(self, game, seed, share=0.5):
        self.rng, self.share = random.Random(seed), share

    def act(self, state):
        legal = state.legal_actions()
        return legal[0] if self.rng.random() < self.share else self.rng.choice(legal)


class Memory(Eager):
    made = 0

    def __init__(self, game, seed, share=0.5):
        super().__init__(game, seed, share)
        type(self).made += 1

    def reset(self, seed):
        self.rng.seed(seed)


def test_an_agent_is_known_by_its_name_and_its_parameters():
    assert bl.register_agent("eager", Eager) is Eager
    assert bl.register_agent("same")(Eager) is Eager
    agent = bl.agent("eager(share=1)", TICTACTOE, seed=3)
    assert agent.expression == "eager(share=1.0)"
    assert agent.act(TICTACTOE.initial_state()).action == 0
    for expression, words in {
        "eager(shade=1)": 'unknown parameter of eager "shade"; did you mean "share"?',
        "eager(share=True)": "eager: share must be a number, not True",
        "eager(rollout)": "this argument needs a name",
        "nobody": "(or one of your own: boardlab --plugin FILE ...)",
    }.items():
        with pytest.raises(bl.BoardLabError, match=re.escape(words)):
            bl.agent(expression, TICTACTOE)


@pytest.mark.parametrize("kind", [Eager, Memory])
def test_matches_tournaments_and_exams_take_it_and_repeat_themselves(kind, tmp_path):
    bl.register_agent("own", kind)
    agents = ["own(share=0.3)", "random"]
    one, two, threads = (bl.match(TICTACTOE, agents, games=12, seed=5, threads=n) for n in (1, 1, 3))
    assert one.records == two.records == threads.records and one.distinct > 6
    assert one.agents == ("own(share=0.3)", "random") and one.errors == 0
    # Game i does not depend on the games before it: so a tournament can be continued.
    whole, part = (bl.match(TICTACTOE, agents, games=n, seed=5).records for n in (12, 4))
    assert whole[:4] == part
    table = bl.tournament(TICTACTOE, agents, games=4, store=tmp_path / "store.db")
    again = bl.tournament(TICTACTOE, agents, games=4, store=tmp_path / "store.db")
    assert str(table) == str(again) and "own(share=0.3)" in str(table)
    assert bl.evaluate("own", TICTACTOE, "optimal", games=10, seed=1).games == 10
    assert bl.evaluate("mc(iterations=9)", TICTACTOE, against="own", games=4).games == 4


def test_an_object_with_a_memory_is_kept_and_one_without_is_made_anew():
    Memory.made = 0
    bl.register_agent("own", Memory)
    bl.match(TICTACTOE, ["own", "random"], games=6)
    assert Memory.made == 1

    @bl.register_agent("counts")
    class Counts(Eager):
        made = 0

        def __init__(self, game, seed):
            super().__init__(game, seed)
            Counts.made += 1

    bl.match(TICTACTOE, ["counts", "random"], games=6)
    assert Counts.made == 7  # once to see whether it can be, and for every game


def test_a_search_of_ones_own_asks_an_evaluator():
    @bl.register_agent("careful")
    class Careful:
        def __init__(self, game, seed, depth=1, evaluator="score"):
            self.evaluator = evaluator

        def act(self, state):
            actions, children = zip(*state.children(), strict=True)
            values = self.evaluator.values(children)[:, state.player].tolist()
            best = max(range(len(values)), key=values.__getitem__)
            return bl.Decision(actions[best], values=dict(zip(actions, values, strict=True)))

    state = TICTACTOE.initial_state()
    for action in (0, 3, 1, 4):
        state.apply(action)
    agent = bl.agent("careful(rollout(rollouts=5), depth=2)", TICTACTOE)
    assert agent.expression == "careful(rollout(rollouts=5), depth=2)"
    assert bl.agent("careful", TICTACTOE).expression == "careful(score)"
    assert bl.agent("careful", TICTACTOE).act(state).action == 2  # wins at once
    assert bl.agent("careful", TICTACTOE).act(state).values[2] == 1
    with pytest.raises(bl.BoardLabError, match='unknown evaluator "nobody"'):
        bl.agent("careful(nobody)", TICTACTOE)


def test_an_agent_may_say_what_it_thinks():
    thought = bl.Decision(4, {4: 0.75, 0: 0.25}, {4: 0.5}, np.array([0.5, -0.5]), {"nodes": 3.0}, (4, 0, 8))
    agent = bl.python_agent(TICTACTOE, lambda state: thought, "thinker")
    decision = agent.act(TICTACTOE.initial_state())
    assert decision.policy[4] == 0.75 and decision.policy[1] == 0 and decision.values == {4: 0.5}
    assert decision == bl.Decision(
        4,
        {a: thought.policy.get(a, 0.0) for a in range(9)},
        {4: 0.5},
        thought.scores,
        {"nodes": 3.0},
        (4, 0, 8),
    )
    bare = bl.python_agent(TICTACTOE, lambda state: bl.Decision(np.int64(4)), "bare")
    decision = bare.act(TICTACTOE.initial_state())
    assert (decision.action, decision.values, decision.line) == (4, {}, (4,))
    assert np.isnan(decision.scores).tolist() == [True, True]
    inner = bl.agent("mcts(iterations=20)", TICTACTOE, seed=2)
    bl.register_agent("inner", lambda game, seed: bl.agent("mcts(iterations=20)", game, seed))
    state = TICTACTOE.initial_state()
    assert bl.agent("inner", TICTACTOE, seed=2).act(state) == inner.act(state)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("4", "what an agent returns must be a whole number"),
        (None, "what an agent returns must be a whole number"),
        (bl.Decision("a"), "what an agent returns must be a whole number"),
        (bl.Decision(4, [1.0]), "the policy of a Decision must be a dict"),
        (bl.Decision(4, {4: "much"}), "its policy and values must have one number for each legal action"),
        (bl.Decision(4, scores=np.zeros(3)), "its scores must have one number for each player"),
        (bl.Decision(4, line="abc"), "its line of play must be a list of actions"),
        (bl.Decision(4, info={"nodes": "many"}), "its info must map names to numbers"),
        (99, "illegal"),
    ],
)
def test_an_answer_that_is_none_loses_the_game(answer, words):
    bl.register_agent("own", lambda game, seed: type("Own", (), {"act": lambda self, state: answer})())
    result = bl.match(TICTACTOE, ["own", "random"], games=2)
    assert result.wins == (0, 2) and result.errors == 2
    assert words in result.records[0].error


def test_an_agent_that_fails_loses_its_games():
    @bl.register_agent("fails")
    class Fails(Eager):
        def act(self, state):
            return 1 // 0

    result = bl.match(TICTACTOE, ["fails", "random"], games=4)
    assert result.wins == (0, 4) and result.errors == 4
    place = f"{__file__}, line {Fails.act.__code__.co_firstlineno + 1}"
    said = f"fails: {place}: ZeroDivisionError: integer division or modulo by zero"
    assert result.records[0].error == said
    with pytest.raises(ZeroDivisionError):
        bl.agent("fails", TICTACTOE).act(TICTACTOE.initial_state())


def test_what_cannot_be_registered_is_refused():
    for name, words in {
        "mcts": '"mcts" is an agent of BoardLab itself; choose another name',
        "perfect": '"perfect" is an agent of BoardLab itself',
        "rollout": '"rollout" is an evaluator already',
        "1 2": "the name of an agent is a letter, then letters",
        7: "the name of an agent is a letter, then letters",
    }.items():
        with pytest.raises(bl.BoardLabError, match=words):
            bl.register_agent(name, Eager)
    with pytest.raises(
        bl.BoardLabError, match="register_agent takes a function of the game and the seed, or"
    ):
        bl.register_agent("own", 7)
    with pytest.raises(bl.BoardLabError, match="the agent own: its argument depth needs a default"):
        bl.register_agent("own", lambda game, seed, depth: None)
    with pytest.raises(bl.BoardLabError, match=r"the agent own is made by a function of \(game, seed\), not"):
        bl.register_agent("own", lambda game: None)
    with pytest.raises(bl.BoardLabError, match="unknown evaluator"):
        bl.register_agent("own", lambda game, seed, evaluator="nobody": None)
    bl.register_agent("own", lambda game, seed: 7)
    with pytest.raises(bl.BoardLabError, match=r"the agent own must be an object with act\(state\), not 7"):
        bl.agent("own", TICTACTOE)
    with pytest.raises(bl.BoardLabError, match='"own" is a search or a player already'):
        bl.register_evaluator("own")
    bl.register_agent("own", Eager)  # a later one takes the name over
    assert bl.agent("own", TICTACTOE).act(TICTACTOE.initial_state()).action in range(9)


def test_an_object_without_a_name_is_told_how_to_get_one():
    for own in (Eager(TICTACTOE, 0), Eager, lambda state: 0):
        with pytest.raises(bl.BoardLabError, match=r"must be text, not .*; name your own agent with"):
            bl.match(TICTACTOE, [own, "random"])


def test_what_makes_no_agent_is_refused():
    for arguments, words in [
        ((TICTACTOE, 7, "own"), "an agent in Python is a function of the state, not 7"),
        ((TICTACTOE, min, ""), "the name of an agent must be text, not ''"),
        ((TICTACTOE, min, "own", 7), "reset must be a function of the seed, not 7"),
        (("tictactoe", min, "own"), "a game is made with"),
    ]:
        with pytest.raises(bl.BoardLabError, match=words):
            bl.python_agent(*arguments)


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_of_an_agent_is_a_twin(copied):
    bl.register_agent("eager", Eager)
    state = TICTACTOE.initial_state()
    for expression in ("mcts(mix(score, rollout), iterations=40)", "eager(share=0.1)", "random"):
        agent = bl.agent(expression, TICTACTOE, seed=5)
        fresh = agent.act(state)
        twin = copied(agent)
        assert twin is not agent and twin.core is not agent.core
        assert (twin.expression, twin.game) == (agent.expression, agent.game)
        assert twin.act(state) == fresh  # as the agent did at first, whatever it has seen since
        agent.reset(6)
        assert copied(agent).act(state) == agent.act(state)
    assert copied(agent.twin(TICTACTOE, 6)).seed == 6
    assert copied(bl.agent("human", TICTACTOE)).expression == "human"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_an_agent_without_an_expression_is_not_copied(copied):
    agent = bl.python_agent(TICTACTOE, lambda state: 0, "first")
    for own in (agent, agent.twin(TICTACTOE)):
        with pytest.raises(bl.BoardLabError, match="the agent first was not made from an expression, so it"):
            copied(own)
