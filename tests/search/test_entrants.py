"""Entrants: names that users give, and folders of runs as one player."""

import re

import pytest

import boardlab as bl
from boardlab.runs import RunFolder, runs_in
from boardlab.search.entrants import Entrant, as_entrants, legend, split_name

TICTACTOE = bl.game("tictactoe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of eleven runs."""
    path = tmp_path_factory.mktemp("runs") / "multi"
    bl.train_many(TICTACTOE, 11, out=path, episodes=3, exams=[], progress=False)
    return path


@pytest.mark.parametrize(
    ("text", "name", "agent"),
    [
        ("random", "", "random"),
        ("A=random", "A", "random"),
        (
            ' AZ-Res32 = mcts(net("runs/x"), iterations=200) ',
            "AZ-Res32",
            'mcts(net("runs/x"), iterations=200)',
        ),
        ("run@2000=mcts", "run@2000", "mcts"),
        ("Größe 2.1+=mcts(c=2)", "Größe 2.1+", "mcts(c=2)"),
        ("mcts(iterations=5)", "", "mcts(iterations=5)"),
        ('greedy(ntuple("a=b"))', "", 'greedy(ntuple("a=b"))'),
        ("runs/a=b", "", "runs/a=b"),
        ("5=mcts(c=2)", "5", "mcts(c=2)"),
    ],
)
def test_a_name_stands_before_an_equals_sign(text, name, agent):
    assert split_name(text) == (name, agent)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["_a=random"], "the name of a player must begin with a letter or a digit"),
        (["=random"], "the name of a player must begin with a letter or a digit"),
        ([f"{'a' * 61}=random"], "at most 60"),
        (["a\tb=random"], "the name of a player must"),
        (["A="], '"A" has no agent; write A=AGENT'),
        (["mcts=random"], '"mcts" is an agent; choose another name'),
        (["rollout=random"], '"rollout" is an evaluator; choose another name'),
        (["A=random", "A=mcts"], 'two players are called "A"; give each a name of its own'),
        ({1: "random"}, "the name of a player must .* not 1"),
        ({"A": 7}, "an agent expression must be text, not 7"),
        (7, "agents must be a list of agents, or a dict by name, not 7"),
    ],
)
def test_names_that_cannot_be_are_refused_in_a_sentence(given, words):
    with pytest.raises(bl.BoardLabError, match=words) as refused:
        as_entrants(given)
    assert "\n" not in str(refused.value)


def test_agents_are_listed_or_named_by_a_dict():
    agent = bl.agent("mcts(iterations=5)", TICTACTOE)
    assert [e.label for e in as_entrants({"A": agent, "B": "random"})] == ["A", "B"]
    assert [e.label for e in as_entrants([agent, "B=random"])] == ["mcts(rollout, iterations=5)", "B"]
    assert [e.expression for e in as_entrants("B=mcts( iterations =  5)")] == ["mcts(rollout, iterations=5)"]
    assert [e.name for e in as_entrants({"B": "A=random"})] == ["B"]
    assert as_entrants(Entrant("random", "A")) == [Entrant("random", "A")]
    assert as_entrants(["random", "random"]) == [Entrant("random")] * 2  # an agent may meet itself
    assert legend(["A", "mcts"], ["random", "mcts"]) == ["A = random"]


def test_a_folder_of_runs_is_an_agent_per_run_in_the_order_of_their_seeds(folder):
    (one,) = as_entrants(f'T=mcts(ntuple("{folder}"), iterations=9)')
    assert one.runs == tuple(f"seed-{i}" for i in range(1, 12))
    assert one.members[10] == f'mcts(ntuple(run="{folder}/seed-11"), iterations=9)'
    assert one.expression == f'mcts(ntuple(run="{folder}"), iterations=9)' and one.label == "T"
    nested = f'maxn(mix(ntuple("{folder}"), rollout), depth=2)'
    assert f'ntuple(run="{folder}/seed-2")' in as_entrants(nested)[0].members[1]
    many = bl.learners.ManyRuns(folder, tuple(bl.open_run(run) for run in runs_in(folder)))
    assert as_entrants([many])[0].members == as_entrants(f'greedy(ntuple("{folder}"))')[0].members
    (single,) = as_entrants(f'greedy(ntuple("{folder}/seed-1"))')
    assert not single.members and single.players == (single.agent,)


def test_each_run_may_be_an_entrant(folder):
    named = as_entrants([f'T=greedy(ntuple("{folder}"))', "random"], each=True)
    assert [e.label for e in named] == [*(f"T seed-{i}" for i in range(1, 12)), "random"]
    alone = as_entrants(f'greedy(ntuple("{folder}"))', each=True)
    assert alone[1] == Entrant(f'greedy(ntuple(run="{folder}/seed-2"))')


def test_runs_that_differ_in_more_than_their_seed_are_no_player(tmp_path):
    for seed, more in ((1, {}), (2, {"alpha": 0.5})):
        bl.train(TICTACTOE, out=tmp_path / f"seed-{seed}", seed=seed, episodes=3, exams=[], **more)
    with pytest.raises(bl.BoardLabError, match=r"seed-1 and seed-2 differ in alpha, .* \(--each\)"):
        as_entrants(f'greedy(ntuple("{tmp_path}"))')
    assert len(as_entrants(f'greedy(ntuple("{tmp_path}"))', each=True)) == 2
    run = bl.train(TICTACTOE, out=tmp_path / "run", episodes=4, snapshot_every=2, exams=[], progress=False)
    with pytest.raises(bl.BoardLabError, match="2 and 4 differ in snapshot"):
        as_entrants(f'greedy(ntuple("{run.path}/snapshots"))')


def test_two_folders_of_runs_in_one_expression_are_refused(folder, tmp_path):
    bl.train(TICTACTOE, out=tmp_path / "other/seed-1", seed=1, episodes=3, exams=[])
    with pytest.raises(bl.BoardLabError, match="names two folders of runs"):
        as_entrants(f'greedy(mix(ntuple("{folder}"), ntuple("{tmp_path}/other")))')


def test_who_needs_one_agent_is_told_to_name_a_run(folder):
    words = f"{folder} holds several runs: name one of them, as {folder}/seed-1"
    with pytest.raises(bl.BoardLabError, match=re.escape(words)):
        bl.agent(f'greedy(ntuple("{folder}"))', TICTACTOE)
    with pytest.raises(bl.BoardLabError, match=re.escape(words)):
        RunFolder(folder).read_agent()
