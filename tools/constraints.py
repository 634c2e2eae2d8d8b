"""Renew constraints.txt: a pin for every package that `make` installs.

`make constraints` resolves the build tools and all of pyproject.toml's requirements for Python 3.11 to 3.14,
without installing anything. If versions differ, a pin carries a marker. Torch keeps its pin: a new version is
several gigabytes and changes what nets learn, so it is changed by hand.
"""

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
BY_HAND = ("torch",)
# Published only as source, which pip resolves only for its own Python: pinned with their dependencies.
SOURCE_ONLY = {"kociemba": ("cffi", "future")}
HEAD = """\
# Versions that every make target passes to pip, for Python 3.11 to 3.14. `make constraints` renews all but
# torch. Wheels exist for each of these Pythons, but kociemba is source alone and needs a C compiler. What
# torch's CUDA wheels need beside these they pin themselves.
"""


def canonical(name: str) -> str:
    """Return the canonical spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """Return the package that a requirement names."""
    return canonical(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0])


def requirements() -> list[str]:
    """List what `make` installs: the Makefile's tools, pyproject's requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tools = re.search(r"^TOOLS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert tools, "the Makefile names its tools in TOOLS"
    found = [word.strip('"') for word in tools[1].split()]
    found += project["build-system"]["requires"] + project["project"]["dependencies"]
    for extra in project["project"]["optional-dependencies"].values():
        found += extra
    return list(dict.fromkeys(found))


def pins() -> dict[str, str]:
    """Return the lines of constraints.txt by package: `torch` -> `torch==2.13.0`."""
    found: dict[str, str] = {}
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            name = name_of(line)
            found[name] = f"{found[name]}\n{line}" if name in found else line
    return found


def resolve(wanted: list[str], python: str) -> dict[str, str]:
    """Return the versions that pip would install for this Python."""
    with tempfile.TemporaryDirectory() as target:
        command = [
            sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--dry-run",
            "--ignore-installed", "--report", "-", "--target", target, "--only-binary=:all:",
            "--python-version", python, *wanted,
        ]  # fmt: skip
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {canonical(p["metadata"]["name"]): p["metadata"]["version"] for p in report["install"]}


def newest_source(name: str) -> str:
    """Return the newest version of a package that is published as source."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"\((.*?)\)", answer)[1]  # type: ignore[index]


def main() -> None:
    """Rewrite constraints.txt."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    kept = {name: pins()[name] for name in BY_HAND}
    needed_by_torch = [r for r in importlib.metadata.requires("torch") or [] if ";" not in r]
    wanted = [r for r in requirements() if name_of(r) not in (*BY_HAND, *SOURCE_ONLY)]
    wanted += needed_by_torch + [needed for names in SOURCE_ONLY.values() for needed in names]
    versions = {python: resolve(wanted, python) for python in PYTHONS}
    lines = dict(kept)
    for name in SOURCE_ONLY:
        lines[name] = f"{name}=={newest_source(name)}"
    for name in sorted(set().union(*versions.values())):
        by_python = {python: found[name] for python, found in versions.items() if name in found}
        if len(set(by_python.values())) == 1:
            lines[name] = f"{name}=={next(iter(by_python.values()))}"
        else:
            lines[name] = "\n".join(
                f'{name}=={version}; python_version == "{python}"' for python, version in by_python.items()
            )
    FILE.write_text(HEAD + "\n".join(lines[name] for name in sorted(lines)) + "\n")


if __name__ == "__main__":
    main()
