"""Runs as zip files: sent whole, and taken from visitors after every check.

Nothing in a run is ever executed: weights are arrays that are read by pattern, games are named and never
loaded from a file. What is checked here is what the archive may do to the folder of runs, to memory, and
which programs its settings name.
"""

import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Any

from boardlab.errors import BoardLabError
from boardlab.evaluators.ntuple import table_bytes
from boardlab.learners import open_run
from boardlab.learners.run import Run
from boardlab.numbers import memory
from boardlab.runs import RunFolder
from boardlab.search.expression import parse
from boardlab.web.errors import Forbidden, Refusal
from boardlab.web.policy import Policy
from boardlab.web.pool import Stopper

MOST_FILES = 400
MOST_BYTES = 1 << 29
"""Unpacked bytes of a visitor's archive."""
LARGEST_SENT = 1 << 31
"""Bytes of a run that is sent."""
MOST_TABLES = 1 << 30
"""Bytes of the tables that an n-tuple network may describe."""
SUFFIXES = (".toml", ".npz", ".csv", ".txt", ".png", ".jsonl", ".json")
PART = re.compile(r"[A-Za-z0-9@_-][A-Za-z0-9@._-]{0,79}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
BLOCK = 1 << 20


def run_name(name: Any) -> str:
    """Return the name for a new run; refuse one that could be anything but a folder's."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise Refusal(
            "the name of a run has 1 to 60 letters, digits, dots, dashes and underscores, "
            f"not {str(name)!r:.80}"
        )
    return name


def pack(folder: Path, stopper: Stopper) -> str:
    """Write the files of a run into a temporary zip file, and return its path."""
    RunFolder(folder).read_agent()
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink() and _is_plain(path, folder)
    )
    size = sum(path.stat().st_size for path in files)
    if size > LARGEST_SENT:
        raise Refusal(f"this run has {memory(size)}; the server sends {memory(LARGEST_SENT)} at most")
    handle, name = tempfile.mkstemp(suffix=".zip", prefix="boardlab-")
    try:
        with (
            os.fdopen(handle, "wb") as out,
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z,
        ):
            for path in files:
                inside = f"{folder.name}/{path.relative_to(folder).as_posix()}"
                with path.open("rb") as source, z.open(inside, "w", force_zip64=True) as target:
                    while block := source.read(BLOCK):
                        stopper.check()
                        target.write(block)
    except BaseException:
        Path(name).unlink()
        raise
    return name


def _is_plain(path: Path, folder: Path) -> bool:
    """Whether no folder on the way is a link out of the run."""
    return not any(parent.is_symlink() for parent in path.parents if folder in parent.parents)


def unpack(source: IO[bytes], name: str, policy: Policy, stopper: Stopper) -> Run:
    """Make a run of an archive in the folder of runs; leave nothing there if anything is wrong."""
    target = policy.runs / run_name(name)
    if target.exists():
        raise Refusal(f'there is a run called "{name}" already; choose another name')
    policy.runs.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".import-", dir=policy.runs))
    try:
        _extract(source, aside, policy, stopper)
        _check(aside, policy)
        try:
            aside.rename(target)
        except OSError:
            raise Refusal(f'there is a run called "{name}" already; choose another name') from None
        target.chmod(0o755)
    except BoardLabError as error:
        said = str(error).replace(f"{aside}/", "").replace(str(aside), "the archive")
        raise type(error)(said) if isinstance(error, Refusal) else Refusal(said) from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return open_run(target)


def _extract(source: IO[bytes], folder: Path, policy: Policy, stopper: Stopper) -> None:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Refusal("this is not a zip file") from None
    with archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if not members or len(members) > MOST_FILES:
            raise Refusal(f"the archive of a run has 1 to {MOST_FILES} files, not {len(members):,}")
        most = MOST_BYTES if not policy.trust else LARGEST_SENT
        if sum(member.file_size for member in members) > most:
            raise Refusal(f"unpacked the archive would have more than {memory(most)}")
        places = _places(members)
        left = most
        for member, place in places.items():
            path = folder.joinpath(*place.parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with archive.open(member) as packed, path.open("xb") as out:
                    while block := packed.read(BLOCK):  # counted: sizes in an archive may be lies
                        stopper.check()
                        left -= len(block)
                        if left < 0:
                            raise Refusal(f"unpacked the archive would have more than {memory(most)}")
                        out.write(block)
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
                raise Refusal(f"{place} in the archive is damaged") from None


def _places(members: list[zipfile.ZipInfo]) -> dict[zipfile.ZipInfo, PurePosixPath]:
    """Return where each file goes, below the folder that all of them are in, if any."""
    places = {}
    for member in members:
        name = member.filename
        mode = member.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise Refusal(f"{name!r:.80} in the archive is not a plain file")
        parts = name.split("/")
        if "\\" in name or len(parts) > 4 or not all(PART.fullmatch(part) for part in parts):
            raise Refusal(f"{name!r:.80} is not a name that a run's file may have")
        if PurePosixPath(name).suffix not in SUFFIXES:
            raise Refusal(f"{name!r:.80}: a run has files that end in {', '.join(SUFFIXES)}")
        if member.flag_bits & 1:
            raise Refusal(f"{name!r:.80} is encrypted")
        places[member] = PurePosixPath(name)
    roots = {place.parts[0] for place in places.values()}
    if len(roots) == 1 and all(len(place.parts) > 1 for place in places.values()):
        places = {member: PurePosixPath(*place.parts[1:]) for member, place in places.items()}
    if len(set(places.values())) < len(places):
        raise Refusal("two files in the archive have one name")
    if PurePosixPath("agent.toml") not in places.values():
        raise Refusal("the archive has no agent.toml, so it is not a run")
    return places


def _check(folder: Path, policy: Policy) -> None:
    """Refuse a run that cannot be opened, is too large for memory, or names programs or foreign files."""
    for file in [folder / "agent.toml", *folder.glob("snapshots/*/agent.toml")]:
        agent = RunFolder(file.parent).read_agent()
        game = policy.game_of(agent["game"])
        if not policy.trust:
            for text in _texts({key: value for key, value in agent.items() if key != "game"}):
                _check_text(text, policy)
        network = agent.get("network")
        if isinstance(network, dict) and "tuples" in network and not policy.trust:
            with RunFolder(file.parent).understanding():
                size = table_bytes(
                    game, network, coherent=False, per_action="per_action" in str(agent["kind"])
                )
            if size > MOST_TABLES:
                raise Forbidden(
                    f"its network would take {memory(size)}; visitors may bring {memory(MOST_TABLES)}"
                )
    run = open_run(folder)
    RunFolder(folder).fingerprint()  # reads the weights, whose checksums show damage
    policy.game_of({"name": run.game.name})


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []


def _check_text(text: str, policy: Policy) -> None:
    """Refuse settings that are paths out of the run, or agents that start programs."""
    if text.startswith(("/", "~", "@", "\\")) or ".." in text.replace("\\", "/").split("/"):
        raise Forbidden(f"its settings name a file, {text!r:.80}, which visitors may not")
    try:
        parse(text)
    except BoardLabError:
        return
    policy.agent(text)
