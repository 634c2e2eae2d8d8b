"""Files as a stranger might write them: each must be refused with a sentence, or read, soon and in little memory.

A list has pairs of a name and a function that writes the file, or changes a good one. `cases` and `run` are for `make
fuzz`.
"""

import atexit
import functools
import os
import random
import shutil
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import boardlab as bl

Writer = Callable[[Path], None]

LIMIT_MB = 3000
ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\x7f\u202e\u2066\r"

# ---- arrays ----


def npy(descr: str = "<f4", shape: str = "(4,)", data: bytes = bytes(16), order: str = "False") -> bytes:
    """An array as numpy writes it, with any header."""
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    return raw_npy(header + b" " * (-(len(header) + 11) % 64) + b"\n", data)


def raw_npy(header: bytes, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def packed(file: Path, members: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(file, "w", how) as out:
        for name, data in members.items():
            out.writestr(name, data)


def overlapping(file: Path) -> None:
    """Many names for the same megabyte."""
    packed(file, {"a.npy": bytes(1 << 20)})
    data = file.read_bytes()
    begin = data.rindex(b"PK\x01\x02")
    entry, end = data[begin : begin + 51], bytearray(data[begin + 51 :])
    entries = b"".join(entry[:28] + struct.pack("<H", 5) + entry[30:46] + b"%05d" % i for i in range(500))
    end[8:16] = struct.pack("<HHI", 500, 500, len(entries))
    file.write_bytes(data[:begin] + entries + bytes(end))


def bomb(file: Path, size: int = 1 << 31) -> None:
    """Zeros, two megabytes of them packed, whose header tells the truth."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out, out.open("weights.npy", "w") as part:
        part.write(npy(shape=f"({size // 4},)", data=b""))
        block = bytes(1 << 24)
        for _ in range(size >> 24):
            part.write(block)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def fill(value: float) -> Writer:
    def write(file: Path) -> None:
        with np.load(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        np.savez(file, **{name: np.full_like(array, value) for name, array in arrays.items()})

    return write


def in_zip(data: bytes) -> Writer:
    return lambda file: packed(file, {"weights.npy": data, "progress.npy": data, "seconds.npy": data})


ARRAYS: list[tuple[str, Writer]] = [
    ("claims 2 GB", in_zip(npy(shape="(536870912,)"))),
    ("claims more than any memory", in_zip(npy(shape="(999999999999, 999999999999)"))),
    ("a shape of a thousand digits", in_zip(npy(shape=f"({'9' * 1000},)"))),
    ("a negative shape", in_zip(npy(shape="(-1,)"))),
    ("a shape that is no tuple", in_zip(npy(shape="4"))),
    ("objects", in_zip(npy("|O", data=b"cos\nsystem\n(S'false'\ntR."))),
    ("big-endian numbers", in_zip(npy(">f4"))),
    ("complex numbers", in_zip(npy("<c8"))),
    ("names of fields", in_zip(npy("[('a', '<f4')]"))),
    ("another order", in_zip(npy(shape="(2, 2)", order="True"))),
    ("nine thousand minus signs", in_zip(raw_npy(b"{'descr': " + b"-" * 9500 + b"1}\n"))),
    ("nine thousand brackets", in_zip(raw_npy(b"(" * 9500 + b"\n"))),
    ("a header that is cut", in_zip(b"\x93NUMPY\x01\x00\xff\xff{'descr'")),
    ("a header of four billion bytes", in_zip(b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + b"{}")),
    ("a newer npy format", in_zip(b"\x93NUMPY\x09\x00")),
    ("no npy at all", in_zip(b"hello")),
    ("an empty member", in_zip(b"")),
    ("a zip without arrays", lambda file: packed(file, {})),
    ("packed otherwise", lambda file: packed(file, {"weights.npy": npy()}, zipfile.ZIP_LZMA)),
    ("many names", lambda file: packed(file, {f"{i}.npy": b"" for i in range(10_001)})),
    ("overlapping members", overlapping),
    ("a zip that is cut", cut),
    ("empty", lambda file: file.write_bytes(b"")),
    ("a pickle", lambda file: file.write_bytes(b"cos\nsystem\n(S'false'\ntR.")),
    ("not a number", fill(np.nan)),
    ("infinite", fill(np.inf)),
]
BOMBS: list[tuple[str, Writer]] = [("a bomb of 2 GB", bomb)]
"""They take seconds to make."""

# ---- agent.toml ----


def text(content: str) -> Writer:
    return lambda file: file.write_bytes(content.encode(errors="surrogatepass"))


def instead(old: str, new: str) -> Writer:
    def write(file: Path) -> None:
        said = file.read_text(encoding="utf-8")
        file.write_text(said.replace(old, new, 1), encoding="utf-8")

    return write


def also(line: str) -> Writer:
    return lambda file: file.write_bytes(line.encode() + b"\n" + file.read_bytes())


TABLES: list[tuple[str, Writer]] = [
    ("deep nesting", also("a = " + "[" * 20_000)),
    ("deep inline tables", also("a = " + "{a = " * 20_000)),
    ("a key of many parts", also("a" + ".a" * 20_000 + " = 1")),
    ("a quoted key of many parts", also('"a"' + " . '='" * 20_000 + " = 1")),
    (
        "a header of many parts",
        lambda file: file.write_bytes(file.read_bytes() + b"\n[a" + b".a" * 20_000 + b"]\n"),
    ),
    ("an integer of 5,000 digits", instead("format = 1", f"format = {'1' * 5000}")),
    ("a hexadecimal of 5,000 digits", instead("format = 1", f"format = 0x{'f' * 5000}")),
    ("a seed of 5,000 digits", instead("seed = 0", f"seed = 0x{'f' * 5000}")),
    ("an infinite number", instead("gamma = 1.0", "gamma = inf")),
    ("a date for a number", instead("seed = 0", "seed = 1979-05-27")),
    ("a game that is a list", instead("[game]", "[[game]]")),
    ("a game with a long name", instead('name = "tictactoe"', f'name = "{"x" * 100_000}"')),
    ("a game with escapes in its name", instead('name = "tictactoe"', 'name = "\\u001b[2J\\u009b\\u202e"')),
    ("tuples of a thousand cells", instead("tuples = [[", f"tuples = [{[0] * 1000}, [")),
    ("tuples that are no numbers", instead("tuples = [[", 'tuples = ["x", [')),
    ("cells that are not on the board", instead("tuples = [[", "tuples = [[99999999999999999999], [")),
    ("five megabytes", also("# " + "x" * (5 << 20))),
    ("no text", lambda file: file.write_bytes(os.urandom(1000))),
    ("half of a character", text('format = 1\nkind = "\ud800"\n')),
    ("NUL", text("\0" * 1000)),
    ("empty", text("")),
]

# ---- log.csv ----

LOGS: list[tuple[str, Writer]] = [
    ("a number of 5,000 digits", text("episodes,x\n1," + "1" * 5000 + "\n")),
    ("a field of a megabyte", text('episodes,x\n1,"' + "1" * (1 << 20) + '"\n')),
    ("a column of escapes", text(f"episodes,{ESCAPES[:-1]}\n1,1\n")),
    ("no text", text("\ud800\0")),
]

# ---- whatever has the name of a file ----


def pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def linked_pipe(file: Path) -> None:
    """Never to a device of the machine: what is tested may replace what the link leads to."""
    pipe(file.with_name("a pipe"))
    link("a pipe")(file)


def link(target: str) -> Writer:
    def write(file: Path) -> None:
        file.unlink(missing_ok=True)
        file.symlink_to(target)

    return write


def folder(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir()


NO_FILES: list[tuple[str, Writer]] = [
    ("a pipe", pipe),
    ("a folder", folder),
    ("a link to a pipe", linked_pipe),
    ("a link to itself", lambda file: link(file.name)(file)),
    ("a link to nothing", link("nowhere")),
]

RUN_FILES = {"agent.toml": TABLES, "weights.npz": ARRAYS, "checkpoint.npz": ARRAYS, "log.csv": LOGS}
"""The files of a run, and what may be in their place."""

# ---- games ----

GAMES: list[tuple[str, Writer]] = [
    ("escapes in names", text(f'[White "{ESCAPES[:-1]}a"]\n[Black "b"]\n[Result "1-0"]\n[Game "tictactoe"]\n\na1 *\n')),
    ("escapes in moves", text(f'[White "a"]\n[Black "b"]\n[Result "*"]\n[Game "tictactoe"]\n\n{ESCAPES[:-1]} *\n')),
    ("a line of a megabyte", text('[White "' + "x" * (1 << 17) + '"]\n')),
    ("chance that does not end", text('[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n\n(' + "<" * (1 << 17))),
    ("quotes that do not end", text('[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n\n("' + '\\"' * (1 << 16))),
    ("comments that do not end", text('[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n\n' + "{" * (1 << 17))),
    ("a tag that does not end", text('[White "' + '\\"' * (1 << 16))),
    ("a seed of 5,000 digits", text(f'[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n[Seed "{"1" * 5000}"]\n\n*\n')),
    ("a score of 5,000 digits", text(f'[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n[Scores "{"1" * 5000} 0"]\n\n*\n')),
    ("a share of 5,000 digits", text(f'[White "a"]\n[Black "b"]\n[Result "1/{"1" * 5000}-0"]\n[Game "tictactoe"]\n\n*\n')),
    ("nothing of a point", text('[White "a"]\n[Black "b"]\n[Result "1/0-0"]\n[Game "tictactoe"]\n\n*\n')),
    ("a position of 5,000 digits", text(f'[White "a"]\n[Black "b"]\n[Game "tictactoe"]\n[Position "{"1" * 5000}"]\n\n*\n')),
    ("games of GGF that do not end", text("(;" * (1 << 16))),
    ("a field of GGF that does not end", text("(;GM[Othello]PB[" + "x" * (1 << 17) + ";)")),
    ("escapes in GGF", text(f"(;GM[Othello]PB[{ESCAPES[:-1]}]PW[b]BO[8 {'1' * 5000}];)")),
    ("twists of 5,000 digits", text(f"@ {'1' * 5000}\n")),
    ("a column too many", text("4" * (1 << 17))),
    ("no text", lambda file: file.write_bytes(os.urandom(5000))),
    ("empty", text("")),
]  # fmt: skip

# ---- stores ----


def other_database(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()


def with_view(file: Path) -> None:
    """A table that runs for ever when it is read."""
    file.unlink(missing_ok=True)
    store = bl.store(file)
    store.add_agent(bl.game("tictactoe"), "random")
    store.close()
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DROP TABLE tournaments")
        db.execute(
            "CREATE VIEW tournaments AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n"
        )
    db.close()


STORES: list[tuple[str, Writer]] = [
    ("no database", text("hello " * 1000)),
    ("another program's", other_database),
    ("views", with_view),
    ("a database that is cut", lambda file: file.write_bytes(b"SQLite format 3\0" + bytes(84))),
]


# ---- for `make fuzz` ----


def attempts(run: Path) -> list[Callable[[], object]]:
    """All that reads a run of TicTacToe."""
    game = bl.game("tictactoe")
    return [
        lambda: bl.open_run(run),
        lambda: bl.agent(f"greedy(ntuple('{run}'))", game),
        lambda: bl.runs.RunFolder(run).fingerprint(),
        lambda: bl.resume(run),
        lambda: bl.open_run(run).inspect(),
    ]


def good_run(path: Path) -> Path:
    """A small run, to be spoiled."""
    game = bl.game("tictactoe")
    options = {"tuples": 2, "length": 2, "layout": "walk", "exams": ["random"], "exam_games": 2}
    return bl.train(game, "td-ntuple", episodes=10, out=path, **options).path


@functools.cache
def _kept_run() -> Path:
    scratch = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, scratch)
    return good_run(Path(scratch) / "run")


def cases(rng: random.Random) -> Iterator[tuple[str, str]]:
    """The file, and what becomes of it: a list's, or a good file with some bytes changed."""
    while True:
        file = rng.choice([*RUN_FILES, "games.pgn", "boardlab.db"])
        lists = {**RUN_FILES, "games.pgn": GAMES, "boardlab.db": STORES}[file]
        names = [name for name, _ in (*lists, *NO_FILES)]
        yield file, rng.choice([*names, f"bytes {rng.randrange(2**32)}"] if file in RUN_FILES else names)


def run(case: tuple[str, str]) -> None:
    """Reads the file in every way; refusals are what they should be."""
    file, name = case
    with tempfile.TemporaryDirectory() as scratch:
        path = copy_of(_kept_run(), Path(scratch) / "run") / file
        spoil(path, name)
        readers = {
            "games.pgn": [lambda: bl.read_records(path), lambda: bl.arena.rate(path)],
            "boardlab.db": [lambda: bl.store(path).tournaments(), lambda: bl.store(path).fame()],
        }.get(file, attempts(path.parent))
        for read in readers:
            try:
                read()
            except bl.BoardLabError as error:
                assert len(str(error).splitlines()) == 1


def spoil(path: Path, name: str) -> None:
    """Makes of the file what the name says."""
    if name.startswith("bytes "):
        rng = random.Random(int(name.split()[1]))
        data = bytearray(path.read_bytes())
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        return
    lists = (*RUN_FILES.get(path.name, ()), *GAMES, *STORES, *NO_FILES)
    mine = (
        GAMES if path.suffix == ".pgn" else STORES if path.suffix == ".db" else RUN_FILES.get(path.name, [])
    )
    dict([*lists, *mine])[name](path)


def copy_of(run: Path, to: Path) -> Path:
    """A run to be spoiled, from one that is kept."""
    return Path(shutil.copytree(run, to))
