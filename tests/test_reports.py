"""Results in Python: one line each in a list, the whole report where they are printed or in a notebook."""

import copy
import pickle
from html.parser import HTMLParser

import pytest

import boardlab as bl
from boardlab.reports import Report


class Checker(HTMLParser):
    """Requires that all elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def check(self, page: str) -> None:
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        pass

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


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
        "exams": bl.evaluate_all(agents, game, ["perfect"], games=4),
        "sweep": bl.sweep(
            "tictactoe",
            "q-table",
            alpha=[0.5, 1],
            seeds=2,
            episodes=10,
            exams="random",
            exam_games=4,
            out=folder / "sweep",
        ),
        "compared": bl.compare(
            run, bl.train(game, "q-table", episodes=50, out=folder / "other", seed=2, exams=["random"])
        ),
        "list": bl.list_runs(folder),
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


def test_a_notebook_shows_tables_and_curves(results):
    for name, result in results.items():
        page = result._repr_html_()
        Checker().check(page)
        assert ("<table" in page) != (name == "inspection"), name
    assert "<svg" in results["match"]._repr_html_() and "random" in results["tournament"]._repr_html_()
    for name in ("run", "tournament", "Elo", "Glicko", "skill", "history", "inspection"):
        assert "<svg" in results[name]._repr_html_(), name


def test_a_report_without_a_page_is_shown_as_its_text():
    class Plain(Report):
        def __str__(self) -> str:
            return "one < two\nthree"

    assert Plain()._repr_html_() == "<pre>one &lt; two\nthree</pre>"


def test_names_in_a_page_are_no_markup():
    game = bl.game("tictactoe")
    evil = bl.python_agent(game, lambda state: state.legal_actions()[0], "<script>alert(1)</script>")
    page = bl.match(game, [evil, "random"], games=20)._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_a_description_is_text_and_a_table_in_notebooks():
    described = bl.describe("nim")
    assert described.startswith("nim: take stones") and isinstance(described, str)
    head = next(line for line in described.splitlines() if line.startswith("parameter"))
    assert head.split() == ["parameter", "default", "allowed", "meaning"]
    assert max(map(len, described.splitlines())) <= 110
    Checker().check(described._repr_html_())
    assert described._repr_html_().count("<tr>") == 1 + 5 + len(described.facts)
    assert pickle.loads(pickle.dumps(described)) == described
    printer = Printer()
    described._repr_pretty_(printer, cycle=False)
    assert printer.said == described


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
