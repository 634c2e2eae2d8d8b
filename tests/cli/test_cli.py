"""The command line as a user types it, mistakes included: one sentence, no traceback, exit status 2."""

import importlib.util
import re

import pytest
from commands import output, refused, run

import boardlab as bl


def test_games_lists_every_game_and_describes_one():
    listing = output("games")
    assert all(name in listing for name in bl.games())
    described = output("games", "nim")
    assert "max_take" in described and "Bouton" in described


def test_agents_lists_searches_and_evaluators():
    listing = output("agents")
    assert all(word in listing for word in ("mcts", "rora_mcts", "alphabeta", "rollout", "human"))
    assert "cpuct" in output("agents", "mcts")


def test_match_prints_wins_with_error_bars():
    text = output("match", "tictactoe", "mc(iterations=50)", "random", "--games", "20", "--seed", "3")
    assert "mc(rollout, iterations=50)" in text and "±" in text and "20 games" in text
    again = output("match", "tictactoe", "mc(iterations=50)", "random", "-n", "20", "--seed", "3")
    result, time = text.split("thinking time per move: ")
    assert result == again.split("thinking time per move: ")[0] and "random" in time


def test_match_tests_hypotheses_from_openings(tmp_path):
    (tmp_path / "openings.txt").write_text("b2\na1 c3\n")
    text = output(
        "match", "tictactoe", "mc(iterations=50)", "random", "-n", "100", "--openings",
        str(tmp_path / "openings.txt"), "--sprt", "0,100",
    )  # fmt: skip
    assert "H1 accepted" in text and "pairs of games" in text
    assert "two Elo differences" in refused("match", "tictactoe", "random", "random", "--sprt", "x")
    judged = output("match", "connectfour", "mc(iterations=50)", "random", "-n", "10", "--adjudicate",
                    "rollout(rollouts=50)", "--adjudicate-at", "0.5", "--adjudicate-after", "1")  # fmt: skip
    assert "adjudicated" in judged


def test_a_tournament_is_adjudicated_as_it_was_told(tmp_path):
    words = ["tournament", "connectfour", "random", "mc(iterations=2)", "--rows", "4", "--cols", "4", "-n", "2",
             "--adjudicate", "rollout(rollouts=50)", "--store", str(tmp_path / "t.db")]  # fmt: skip
    output(*words, "--adjudicate-at", "0.4", "--adjudicate-after", "2")
    (stored,) = bl.store(tmp_path / "t.db").tournaments()
    rules = stored.options["adjudicate"]
    assert (rules["threshold"], rules["patience"]) == (0.4, 2)


def test_tournament_prints_tables_and_is_kept(tmp_path):
    store, picture = str(tmp_path / "t.db"), tmp_path / "map.png"
    words = [
        "tournament", "connectfour", "random", "mc(iterations=30)", "mcts(iterations=30)", "--rows", "4",
        "--cols", "4", "-n", "4", "--store", store, "--first-seat", "--superiority", "--heat-map", str(picture),
    ]  # fmt: skip
    text = output(*words)
    assert (
        "Elo ± 95%" in text
        and "Points in percent" in text
        and "moving first" in text
        and "Likelihood" in text
    )
    if importlib.util.find_spec("matplotlib"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert "12 games" in output(*words)
    assert "12 games" in output("rate", "--tournament", "1", "--store", store)
    assert "no tournament 7" in refused("rate", "--tournament", "7", "--store", store)
    assert "give a PGN file" in refused("rate")
    alone = ["tournament", "2048", "random", "mc(iterations=4)", "-n", "2", "--store", store]
    output(*alone)
    assert "2048, a game for one player" in refused("rate", "--tournament", "2", "--store", store)
    assert "did you mean" in refused(
        "tournament", "nim", "random", "mcts", "--format", "swis", "--store", store
    )


def test_match_writes_play_statistics(tmp_path):
    file = tmp_path / "playStats.csv"
    output("match", "2048", "random", "-n", "2", "--play-stats", str(file))
    assert "run, moveNum, player" in file.read_text()


def test_rate_prints_lists_of_all_systems(tmp_path):
    games = "".join(
        f'[Event "e"]\n[Date "{day}"]\n[White "run@{white}"]\n[Black "{black}"]\n[Result "{result}"]\nfree text\n\n'
        for day, white, black, result in [
            (1, 0, "x", "1-0"), (1, 0, "x", "0-1"), (2, 5, "x", "1-0"), (2, 5, "run@0", "1/2-1/2"),
        ]
    )  # fmt: skip
    (tmp_path / "games.pgn").write_text(games)
    path = str(tmp_path / "games.pgn")
    assert "first move +33 Elo, eloDraw 97," in output("rate", path, "--like", "bayeselo")
    assert "--like is not an option of glicko2" in refused(
        "rate", path, "--system", "glicko2", "--like", "bayeselo"
    )
    text = output("rate", path, "--superiority")
    assert " ".join(text.split()[:9]) == "Rank Name Elo + - games score oppo. draws"
    assert "run@5" in text and "4 games" in text and "Likelihood" in text
    if importlib.util.find_spec("matplotlib"):
        picture = tmp_path / "elo.svg"
        assert f"drawn: {picture}" in output("rate", path, "--plot", str(picture))
        assert b"<svg" in picture.read_bytes()
    assert "--plot must end in .png, .svg, .pdf" in refused("rate", path, "--plot", "elo.gif")
    assert "volatility" in output("rate", path, "--system", "glicko2")
    assert "ordinal" in output("rate", path, "--system", "openskill")
    history = output("rate", path, "--system", "whole-history")
    assert history.count("\nrun ") == 2 and "@" not in history
    assert "left out" not in history
    (tmp_path / "games.pgn").write_text(games + '[White "x"]\n[Black "x"]\n[Result "1-0"]\n\n')
    for system in ("bayeselo", "glicko2", "openskill", "whole-history"):
        text = output("rate", path, "--system", system)
        assert text.endswith("\n1 game of a player against itself left out\n"), text
    assert ", 4 games\n" in output("rate", path)
    (tmp_path / "alone.pgn").write_text('[White "x"]\n[Black "x"]\n[Result "1-0"]\n\n')
    assert '"x" cannot be rated by games against itself' in refused("rate", str(tmp_path / "alone.pgn"))
    assert "there is no file" in refused("rate", str(tmp_path / "none.pgn"))
    text = refused("rate", path, "--system", "glicko2", "--anchor", "a")
    assert "--anchor is not an option of glicko2, which takes --tau" in text
    assert "which takes none" in refused("rate", path, "--system", "openskill", "--superiority")


def test_match_takes_the_games_parameters():
    text = output(
        "match", "connectfour", "random", "random", "--rows", "4", "--cols=5", "--connect", "3", "-n", "5"
    )
    assert "5 games" in text
    text = output("match", "nim", "random", "random", "--heaps", "3,4,5", "--misere", "-n", "4")
    assert "4 games" in text


def test_inspect_shows_every_action():
    text = output("inspect", "tictactoe", "alphabeta(depth=9, exact=True)", "--actions", "b2 a1")
    assert "c3" in text and "plays" in text
    line = text.split("line of play: ")[1].strip().split(", ")
    assert f"plays {line[0]};" in text and len(line) == 7 and len({*line, "a1", "b2"}) == 9
    text = output("inspect", "connectfour", "mcts(iterations=50)", "--position", "3324")
    assert "policy" in text
    assert "line of play" not in output("inspect", "tictactoe", "random")


def test_inspect_reads_a_position_from_a_file(tmp_path):
    (tmp_path / "position.txt").write_text("XO.\n.X.\n..O\n")
    text = output("inspect", "tictactoe", "alphabeta(depth=9)", "--position", f"@{tmp_path}/position.txt")
    assert "X to move" in text


def test_play_a_whole_game_with_undo_hint_list_and_a_typo():
    text = output(
        "play",
        "nim",
        "--heaps",
        "2,1",
        "--against",
        "alphabeta(depth=5)",
        given="h\nl\nZ9\nA1\nu\nA1\nA1\nB1\n",
    )
    assert "is not a legal action" in text
    assert "You win!" in text  # one stone is left, and it is ours


def test_play_one_player_with_chance():
    text = output(
        "play", "2048", "--size", "2", "--against", "mc(iterations=20)", "--seed", "1", given="up\nleft\nq\n"
    )
    assert "chance" in text


def test_play_ends_quietly_when_the_input_ends():
    assert "stopped" in output("play", "tictactoe", given="a1\n")


def test_the_second_seat_can_be_taken():
    assert "X plays" in output("play", "tictactoe", "--seat", "1", "--against", "random", given="q\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["match", "otello", "random", "random"], 'unknown game "otello"; did you mean "othello"?'),
        (["match", "othello", "random"], "othello needs 2 agents, not 1"),
        (["match", "othello", "random", "mtcs"], 'did you mean "mcts"?'),
        (["match", "othello", "random", "rollout"], '"rollout" is an evaluator'),
        (["match", "othello", "random", "mcts(iterations=x)"], "expected a number"),
        (["match", "othello", "random", "mcts(iterations=0)"], "iterations must be a whole number"),
        (["match", "othello", "random", "random", "--size", "7"], "must be even"),
        (["match", "othello", "random", "random", "--size", "big"], "size must be a whole number"),
        (["match", "othello", "random", "random", "--sise", "6"], 'did you mean "size"?'),
        (["match", "othello", "random", "random", "--games", "0"], "games must be a whole number"),
        (["match", "2048", "alphabeta"], "use maxn, expectimax or mcts"),
        (["match", "2048", "maxn"], "use expectimax"),
        (["inspect", "othello", "random", "--actions", "z9"], '"z9" is not a legal action'),
        (["inspect", "othello", "random", "--position", "nonsense"], "expected 8 rows"),
        (["inspect", "othello", "random", "--position", "@nowhere.txt"], "nowhere.txt"),
        (["inspect", "tictactoe", "random", "--actions", "a1 b1 a2 b2 a3"], "the game is over"),
        (["play", "othello", "--seat", "2"], "the seat must be a whole number from 0 to 1"),
        (["games", "ches"], "unknown game"),
        (["agents", "mtcs"], 'did you mean "mcts"?'),
        (["match", "nim", "random", "random", "--heaps", "a,b"], "heaps must be whole numbers"),
        (["match", "nim", "random", "random", "--players"], "--players needs a value"),
    ],
)
def test_a_mistake_gets_one_sentence(words, says):
    result = run(*words)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "run"
    said = output("train", "tictactoe", "--episodes", "300", "--out", str(folder), "--exam-games", "20")
    assert "episodes" in said and "perfect:" in said and "play it as" in said
    return folder


def test_train_leaves_a_folder_with_everything(trained):
    assert {"agent.toml", "layout.txt", "weights.npz", "checkpoint.npz", "log.csv"} <= {
        file.name for file in trained.iterdir()
    }
    assert len((trained / "log.csv").read_text().splitlines()) == 2  # one exam: the run is short


def test_train_and_evaluate_say_the_same_of_an_agent(tmp_path):
    folder = tmp_path / "run"
    words = ["--exam", "perfect", "--seed", "1"]
    said = output(
        "train", "tictactoe", "--episodes", "4000", "--out", str(folder), "--exam-games", "20", *words
    )
    agent = f'greedy(ntuple("{folder}"))'
    again = output("evaluate", agent, "--game", "tictactoe", "--games", "20", *words)
    assert "perfect: 0 ± 0.28 (95%)" in said and "perfect: 0 ± 0.28 (95%)" in again


def test_inspect_draws_an_opinion(tmp_path):
    file = tmp_path / "o.svg"
    text = output("inspect", "tictactoe", "mcts(iterations=50)", "--actions", "b2", "--svg", str(file))
    assert text.rstrip().endswith("o.svg") and 'class="opinion"' in file.read_text()


def test_inspect_looks_inside_a_run(trained, tmp_path):
    text = output(
        "inspect", "tictactoe", "--run", str(trained), "--actions", "b2 a1", "--layout",
        "--svg", str(tmp_path / "l.svg"), "--export", str(tmp_path / "l.txt"),
    )  # fmt: skip
    assert "sum of weights" in text and "the only table" in text and "active" in text and "■ ■ ■" in text
    weights, active, share = re.search(r"weights: ([\d,]+), .* ([\d,]+) active .*: ([\d.]+)%", text).groups()
    assert 0 < float(share) < 100
    assert float(share) == round(100 * int(active.replace(",", "")) / int(weights.replace(",", "")), 1)
    assert (tmp_path / "l.svg").read_text().startswith("<svg")
    assert (tmp_path / "l.txt").read_text() == "0,1,2,3,4,5,6,7,8\n"
    again = str(tmp_path / "again")
    assert "plays" not in output(
        "train", "tictactoe", "--cells", f"@{tmp_path}/l.txt", "--episodes", "5", "--out", again
    )


def test_several_runs_print_mean_and_spread(tmp_path):
    words = [
        "train",
        "tictactoe",
        "--runs",
        "3",
        "--episodes",
        "40",
        "--out",
        str(tmp_path),
        "--exam-every",
        "0",
    ]
    text = output(*words, "--exam-games", "20", "--jobs", "2")
    assert "perfect: mean" in text and "over 3 runs" in text
    assert len((tmp_path / "multi.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["inspect", "tictactoe"], "needs an agent"),
        (["inspect", "tictactoe", "random", "--layout"], "add --run FOLDER"),
        (["inspect", "tictactoe", "random", "--run", "RUN"], "not both"),
        (["inspect", "othello", "--run", "RUN"], "was trained on"),
        (["inspect", "tictactoe", "--run", "nowhere"], "is not a run"),
        (["inspect", "tictactoe", "--run", "RUN", "--actions", "a1 b1 a2 b2 a3"], "the game is over"),
        (["train", "tictactoe", "--out", "RUN"], "already holds a run"),
        (["train", "tictactoe", "--runs", "2", "--out", "RUN"], "a folder of their own"),
        (["train", "tictactoe", "--jobs", "2", "--out", "NEW"], "give --runs too"),
        (["train", "tictactoe", "--exam", "bouton", "--out", "NEW"], "has no exam"),
        (["train", "tictactoe", "--stop-at", "1", "--out", "NEW"], "give --stop-exam too"),
        (
            ["train", "tictactoe", "--cells", "@nowhere", "--out", "NEW"],
            'there is no file "nowhere"\n',
        ),
        (["train", "tictactoe", "--cells", "0,1,99", "--out", "NEW"], "cell 99"),
    ],
)
def test_a_mistake_with_runs_gets_one_sentence(words, says, trained, tmp_path):
    result = run(*[{"RUN": str(trained), "NEW": str(tmp_path / "new")}.get(word, word) for word in words])
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_the_demo_trains_and_overwrites_only_its_own(tmp_path, monkeypatch, capsys):
    import importlib

    demo = importlib.import_module("boardlab.cli.demo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "TRAINING_SECONDS", 0.3)
    monkeypatch.setattr(demo, "RIVAL", "random")
    monkeypatch.setattr(demo, "STRONG_RIVAL", "random")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    own = demo._folder()
    assert own == demo._folder() and own.as_posix() == "runs/demo"
    demo.demo()
    said = capsys.readouterr().out
    assert "teaches itself" in said and "●" in said and "boardlab[references]" in said
    assert (own / "weights.npz").exists()
    (own / ".demo").unlink()  # now it looks like somebody's own run
    assert demo._folder() != own


@pytest.mark.parametrize(
    ("learner", "own", "foreign"),
    [
        ("td-ntuple", "skip_reversal", "hidden"),
        ("sarsa-ntuple", "tuples", "skip_reversal"),
        ("q-ntuple", "tuples", "learn_from_random"),
        ("td-features", "hidden", "tuples"),
    ],
)
def test_train_lists_the_settings_of_the_chosen_learner(learner, own, foreign):
    lines = output("train", "nim", "--learner", learner, "--settings", "--alpha", "0.125").splitlines()
    values = {line.split()[0]: line.split()[1] for line in lines if line[:1].isalpha()}
    assert values["alpha"] == "0.125"
    assert own in values and foreign not in values
    # Nim's heaps have 6 values each; 4 bytes a weight, 8 more for TCL, 15 actions, two players.
    taken = {"td-ntuple": "5.062 KiB", "td-features": None}.get(learner, "75.94 KiB")
    assert (f"memory of the tables: {taken}" in lines) == (taken is not None)


def test_inspect_looks_inside_a_run_of_sarsa_and_asks_that_of_features(tmp_path):
    for learner in ("sarsa-ntuple", "td-features"):
        words = (
            "--learner",
            learner,
            "--episodes",
            "200",
            "--exam",
            "random",
            "--out",
            str(tmp_path / learner),
        )
        assert f"play it as greedy({'ntuple' if learner == 'sarsa-ntuple' else 'features'}(" in output(
            "train", "tictactoe", *words
        )
    assert "sum of weights" in output("inspect", "tictactoe", "--run", str(tmp_path / "sarsa-ntuple"))
    shown = output("inspect", "tictactoe", "--run", str(tmp_path / "td-features"))
    assert "greedy(features(" in shown and "sum of weights" not in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tictactoe", "--warm-start", "rolout"], 'warm_start must be one of "off", "rollout", "rave"'),
        (["morpion", "--warm-start", "rora", "--switch", "adaptive"], "use switch=fixed"),
        (["tictactoe", "--ranked-reward", "0.75"], "ranked_reward is for one player"),
    ],
)
def test_a_mistake_with_warm_start_or_ranked_reward_gets_one_sentence(words, says, tmp_path):
    pytest.importorskip("torch")
    said = refused("train", *words, "--learner", "alphazero", "--out", str(tmp_path / "run"))
    assert says in " ".join(said.split()) and not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_warm_run_is_trained_and_resumed_from_the_command_line(tmp_path):
    pytest.importorskip("torch")
    small = {"games": 4, "parallel": 4, "simulations": 4, "blocks": 1, "channels": 8, "threads": 1}
    words = [word for name, value in small.items() for word in (f"--{name}", str(value))]
    words += ["--warm-start", "wrora", "--switch", "adaptive", "--warm-weight", "0.5", "--exam", "none"]
    out = str(tmp_path / "run")
    output("train", "tictactoe", "--learner", "alphazero", "--episodes", "8", "--out", out, *words)
    assert '"arena_reward"' in (tmp_path / "run" / "generations.jsonl").read_text()
    assert "12 of 12 episodes" in output("resume", out, "--episodes", "12")
