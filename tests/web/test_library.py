"""Games and runs that visitors bring and take away; hostile files are refused and leave nothing behind."""

import io
import re
import stat
import zipfile

import pytest
from web.conftest import Visitor

import boardlab as bl
from boardlab.web import archives


def bring(person, data, status=200, path="/library/games", **words):
    from urllib.parse import urlencode

    answer = person._send("POST", f"/api{path}?{urlencode(words)}", content=data)
    assert answer.status_code == status, answer.text
    return answer.json()


def take(person, path):
    answer = person.get_page(f"/api{path}")
    assert answer.status_code == 200, answer.text
    assert "attachment" in answer.headers["content-disposition"]
    return answer


def test_games_come_and_go_as_files(ann, tmp_path):
    made = bring(ann, b"f5d6c3d3c4\nf5f6e6f4\n", name="cup.txt", game="othello")
    assert made["games"] == 2
    (file,) = ann.get("/library/games")
    assert (file["name"], file["games"], file["titles"]) == ("cup.txt", 2, ["Othello"])
    listed = ann.get(f"/library/games/{made['id']}")
    assert [game["actions"] for game in listed["games"]] == [5, 4] and listed["own"]
    for kind in ("pgn", "ggf", "txt"):
        file = tmp_path / f"back.{kind}"
        file.write_text(take(ann, f"/library/games/{made['id']}/file.{kind}").text)
        assert [len(record.actions) for record in bl.read_records(file, bl.game("othello"))] == [5, 4]
    ann.post(f"/library/games/{made['id']}/remove")
    ann.get(f"/library/games/{made['id']}", status=404)


def test_a_game_of_a_file_is_analysed(ann):
    made = bring(ann, b"4455\n", name="a.txt", game="connectfour")["id"]
    desk = ann.post(f"/library/games/{made}/analyse", {"number": 0})["id"]
    assert desk == ann.post(f"/library/games/{made}/analyse", {"number": 0})["id"]
    with ann.page(f"desk:{desk}") as page:
        assert page.state["main_total"] == 4 and page.state["source"] == "game 1 of a.txt"
    assert "games 0 to 0" in ann.post(f"/library/games/{made}/analyse", {"number": 1}, 400)["error"]


def test_a_file_belongs_to_who_brought_it(ann, bob):
    made = bring(ann, b"4455\n", name="a.txt", game="connectfour")["id"]
    assert bob.get("/library/games") == [] and not bob.get(f"/library/games/{made}")["own"]
    bob.post(f"/library/games/{made}/remove", status=403)


@pytest.mark.parametrize(
    ("data", "words", "sentence"),
    [
        (b"", {}, "is empty"),
        (b"\0\1\2", {}, "not text"),
        (b"x" * (2 << 20) + b"y", {}, "2 MiB at most"),
        (b"99999\n", {"game": "connectfour"}, "move 1"),
        (b'[Game "openspiel:chess"]\n', {}, "no games of OpenSpiel"),
        (b'[Game "nothing"]\n[Scores "1 0"]\n\n1. a1 *\n', {}, "nothing"),
        (b"4455\n", {"game": "connectfour", "parameters": "{"}, "not valid JSON"),
        (b"4455\n", {"game": "../etc"}, "unknown game"),
    ],
)
def test_a_bad_file_of_games_gets_a_sentence(ann, data, words, sentence):
    assert sentence in bring(ann, data, 400, name="x", **words)["error"]
    assert ann.get("/library/games") == []


def test_games_at_tables_are_downloaded(ann, bob, tmp_path):
    assert "played no game" in ann.get("/library/mine.pgn", status=400)["error"]
    table = ann.table("connectfour", ["you", "you"], actions=[3, 3, 2])
    hidden = ann.table("kuhnpoker", ["you", "open"])
    file = tmp_path / "mine.pgn"
    for path in (f"/library/tables/{table}/record.pgn", "/library/mine.pgn"):
        file.write_text(take(ann, path).text)
        (record,) = bl.read_records(file)
        assert record.actions == (3, 3, 2)
    for person in (ann, bob):
        refused = person.get(f"/library/tables/{hidden}/record.pgn", status=403)
        assert "when it is over" in refused["error"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned") / "ttt"
    bl.train(bl.game("tictactoe"), episodes=50, seed=1, out=folder)
    return folder


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def contents(run):
    return {f"ttt/{file.name}": file.read_bytes() for file in run.iterdir() if file.is_file()}


def test_a_run_travels_as_an_archive(serve, run, tmp_path):
    ann = Visitor(serve())
    made = bring(ann, zipped(contents(run)), path="/library/runs", name="mine")
    assert made["game"]["name"] == "tictactoe"
    for _ in range(3):  # each gives its place back
        data = take(ann, f"/library/archive?name={made['name']}").content
    bring(ann, data, path="/library/runs", name="again")
    names = [one["name"] for one in ann.get("/library/runs")]
    assert sorted(name.rpartition("/")[2] for name in names) == ["again", "mine"]
    for folder in names:
        for file in run.iterdir():
            assert (
                tmp_path / "runs" / folder.rpartition("/")[2] / file.name
            ).read_bytes() == file.read_bytes()
    assert "already" in bring(ann, data, 400, path="/library/runs", name="mine")["error"]
    table = ann.table("tictactoe", ["you", {"agent": made["agent"]}])
    with ann.page(f"table:{table}") as page:
        page.play(4)
        page.until(lambda state: state["ply"] == 2)


def link(run):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in contents(run).items():
            archive.writestr(name, data)
        info = zipfile.ZipInfo("ttt/layout.txt" + "x.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def changed(run, old, new):
    files = contents(run)
    files["ttt/agent.toml"] = files["ttt/agent.toml"].replace(old, new)
    assert new in files["ttt/agent.toml"]
    return zipped(files)


HOSTILE = {
    "no zip": (lambda run: b"PK\3\4 nonsense", "not a zip file"),
    "empty": (lambda run: zipped({}), "1 to 400 files"),
    "no run": (lambda run: zipped({"a/log.csv": b"1"}), "no agent.toml"),
    "escape": (lambda run: zipped({**contents(run), "../evil.toml": b""}), "not a name"),
    "absolute": (lambda run: zipped({**contents(run), "/tmp/evil.toml": b""}), "not a name"),
    "backslash": (lambda run: zipped({**contents(run), "ttt\\evil.toml": b""}), "not a name"),
    "hidden": (lambda run: zipped({**contents(run), "ttt/.lock.txt": b""}), "not a name"),
    "program": (lambda run: zipped({**contents(run), "ttt/agent.py": b"1"}), "a run has files that end in"),
    "link": (link, "not a plain file"),
    "many": (lambda run: zipped({f"a/{n}.csv": b"" for n in range(401)}), "1 to 400 files"),
    "bomb": (lambda run: zipped({**contents(run), "ttt/x.csv": bytes(9 << 20)}), "more than 8 MiB"),
    "damaged": (
        lambda run: zipped({**contents(run), "ttt/weights.npz": b"PK"}),
        "weights.npz cannot be read|weights.npz is damaged",
    ),
    "broken toml": (lambda run: changed(run, b"format = 1", b"format = ["), "cannot be read"),
    "newer": (lambda run: changed(run, b"format = 1", b"format = 9"), "newer BoardLab"),
    "library": (lambda run: changed(run, b'name = "tictactoe"', b'name = "x"\npath = "/tmp/x.so"'), "."),
    "a program of settings": (
        lambda run: changed(run, b"seed = 1", b"seed = 1\nopponent = \"engine('sh')\""),
        "starts a program",
    ),
    "a file of settings": (
        lambda run: changed(run, b"seed = 1", b'seed = 1\nx = "/etc/passwd"'),
        "visitors may not",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_and_leaves_nothing(serve, run, tmp_path, monkeypatch, kind):
    make, sentence = HOSTILE[kind]
    monkeypatch.setattr(archives, "MOST_BYTES", 8 << 20)
    ann = Visitor(serve())
    answer = ann._send("POST", "/api/library/runs?name=evil", content=make(run))
    assert answer.status_code in (400, 403), answer.text
    assert re.search(sentence, answer.json()["error"]), answer.text
    assert str(tmp_path) not in answer.json()["error"]
    assert [file.name for file in (tmp_path / "runs").iterdir() if not file.name.startswith("web.db")] == []


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a b", "x" * 61, "a\0b"])
def test_a_run_gets_a_plain_name(ann, run, name):
    assert (
        "letters, digits" in bring(ann, zipped(contents(run)), 400, path="/library/runs", name=name)["error"]
    )


def test_only_runs_of_the_folder_are_sent(ann, run):
    for name in (run, "/etc", "..", ""):
        ann.get(f"/library/archive?name={name}", status=403 if name else 400)


def test_servers_that_show_or_play_take_no_runs(serve, run):
    for settings in ({"play_only": True}, {"read_only": True}):
        person = Visitor(serve(**settings))
        bring(person, zipped(contents(run)), 403, path="/library/runs", name="mine")
