"""Results in Python: one line each in a list, the whole report where they are printed or in a notebook."""

import copy
import pickle

import pytest

import boardlab as bl
from boardlab.reports import Report


class Printer:
    """What IPython hands to `_repr_pretty_`, as far as it is used."""

    def __init__(self) -> None:
        self.said = ""

    def text(self, words: str) -> None:
        self.said += words


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("results")
    game, agents = bl.game("tictactoe"), ["random", "mc(iterations=5)"]
    run = bl.train(game, "q-table", episodes=50, out=folder / "run", exams=["random"])
    store = bl.store(folder / "store.db")
    tournament = bl.tournament(game, [*agents, run.expression], games=4, store=store)
    return {
        "match": bl.match(game, agents, games=100),
        "alone": bl.match(bl.game("2048"), ["random"], games=2),
        "tournament": tournament,
        "run": run,
        "runs": bl.train_many(game, 2, learner="q-table", episodes=20, out=folder / "runs"),
        "exam": bl.evaluate("random", game, "perfect", games=20),
        "balance": bl.balance(game, "random", games=20, plies=1, candidates=4, keep=2, confirm=10),
        "Elo": bl.rate(tournament),
        "Glicko": bl.rate(tournament, "glicko2"),
        "skill": bl.rate(tournament, "openskill"),
        "history": bl.rate(tournament, "whole-history"),
        "fame": store.fame(),
        "inspection": bl.train(game, episodes=20, out=folder / "tuples").inspect(),
    }


def test_a_result_is_one_line_in_a_list_and_its_report_in_a_notebook(results):
    for name, result in results.items():
        line, printer = repr(result), Printer()
        assert line.startswith(f"<{type(result).__name__} ") and "\n" not in line and len(line) < 300, name
        result._repr_pretty_(printer, cycle=False)
        assert printer.said == str(result) and str(result) != line, name


def test_the_line_says_what_was_found(results):
    match = results["match"]
    assert repr(match) == (
        f"<MatchResult tictactoe, 100 games: random wins {match.wins[0]}, mc(rollout, iterations=5) wins "
        f"{match.wins[1]}, {match.draws} without a winner>"
    )
    assert repr(results["alone"]).startswith("<MatchResult 2048, 2 games: random mean score ")
    assert repr(results["Elo"]).startswith("<BayesElo of 3 players: ")
    assert repr(results["fame"]) == "<HallOfFame of 3 agents: tictactoe>"
    assert "description" not in repr(results["fame"][0])
    assert "50 of 50 episodes" in repr(results["run"])


def test_copies_of_results_are_equal(results):
    for name, result in results.items():
        if name == "inspection":  # which is its folder's, not a value
            continue
        assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result, name
