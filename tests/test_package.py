"""What `import boardlab` shows and loads."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import boardlab as bl
from boardlab.cli.playing.rulebook import rules_page
from boardlab.errors import install


def fresh(program: str) -> str:
    """What a program prints in an interpreter that has imported nothing."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.strip()


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    shown = {name for name in dir(bl) if not name.startswith("_")}
    assert shown == {*bl.__all__, "arena", "experiments", "learners", "testing"}
    for name in shown:
        assert getattr(bl, name) is not None


def test_packages_are_there_without_an_import_and_loaded_only_then() -> None:
    assert fresh("import boardlab as bl; print(bl.arena.Result.__name__)") == "Result"
    assert fresh("import boardlab as bl; print(bl.testing.check_game.__name__)") == "check_game"
    loaded = "print([m for m in ('arena', 'learning', 'learners', 'testing', 'cli') if f'boardlab.{m}' in sys.modules])"
    assert fresh(f"import sys, boardlab as bl; dir(bl); {loaded}") == "[]"


def test_the_former_name_of_the_learners_works_and_warns() -> None:
    use = "import boardlab as bl; print(bl.learning.train is bl.learners.train, bl.learning.LEARNERS.keys())"
    done = subprocess.run([sys.executable, "-W", "default", "-c", use], capture_output=True, text=True)
    assert done.stdout.startswith("True dict_keys(['td-ntuple', ")
    assert "DeprecationWarning: boardlab.learning is now boardlab.learners" in done.stderr


def test_nothing_of_ours_imports_the_former_name_of_the_learners() -> None:
    use = "import boardlab as bl, boardlab.cli, boardlab.watching; bl.train"
    assert fresh(f"import sys; {use}; print('boardlab.learning' in sys.modules)") == "False"


def test_type_checkers_see_every_public_name_and_no_other() -> None:
    """Of the branches on TYPE_CHECKING they read the one that the program skips."""
    seen = set()
    for line in ast.parse(Path(bl.__file__).read_text(encoding="utf-8")).body:
        lines = [line]
        if isinstance(line, ast.If):
            lines = line.body if ast.unparse(line.test) == "TYPE_CHECKING" else line.orelse
        for item in lines:
            if isinstance(item, ast.ImportFrom):
                seen |= {name.asname or name.name for name in item.names}
            seen.add(getattr(item, "name", ""))
    assert {*bl.__all__, "arena", "experiments", "learners", "testing"} <= seen
    assert "__getattr__" not in seen  # with it, a name that is misspelt would be anything


def test_sources_that_were_not_built_are_one_sentence(tmp_path) -> None:
    (tmp_path / "boardlab").mkdir()
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(Path(bl.__file__).with_name(name), tmp_path / "boardlab")
    alone = [sys.executable, "-S", "-E"]  # nothing that is installed, nor built elsewhere
    for words in (["-c", "import boardlab"], ["-m", "boardlab"]):
        done = subprocess.run([*alone, *words], capture_output=True, text=True, cwd=tmp_path, timeout=120)
        assert done.returncode == 1 and "circular" not in done.stderr
        last = done.stderr.splitlines()[-1]
        assert f"the engine is not built beside {tmp_path / 'boardlab' / '__init__.py'}: build it" in last
        assert "Traceback" not in done.stderr or words[0] == "-c"


def test_the_headers_that_are_installed_include_no_other_and_are_where_include_says() -> None:
    folder = Path(bl.include())
    lists = (Path(__file__).parents[1] / "CMakeLists.txt").read_text(encoding="utf-8")
    installed = re.findall(r" engine/(core/\w+\.h)", lists)
    assert "core/contract.h" in installed and "core/adapt.h" in installed
    for name in installed:
        text = (folder / name).read_text(encoding="utf-8")
        assert set(re.findall(r'^#include "(.*)"', text, re.MULTILINE)) <= set(installed)
    said = subprocess.run([sys.executable, "-m", "boardlab", "--include"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout == f"{folder}\n"


def test_adjudication_and_openings_have_the_names_that_the_pages_use(tmp_path) -> None:
    game = bl.game("tictactoe")
    judge = bl.Adjudication("rollout(rollouts=50)", 0.3, 1)
    assert bl.match(game, ["random", "random"], games=10, adjudicate=judge).adjudicated > 0
    found = bl.balance(game, "random", 10, plies=2, candidates=4, keep=2, screen=2, confirm=2)
    bl.arena.write_openings(found, tmp_path / "even.txt")
    assert len(bl.arena.openings.read_openings(game, tmp_path / "even.txt")) == 2


def test_advice_to_install_names_this_python(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert install("plots") == ".venv/bin/python -m pip install 'boardlab[plots]'"
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python3")
    assert install("az") == "'/opt/my python/bin/python3' -m pip install 'boardlab[az]'"


def test_the_rules_of_every_game_are_installed() -> None:
    root = Path(__file__).parents[1]
    lists = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "GLOB GAME_PAGES CONFIGURE_DEPENDS docs/games/*.md" in lists
    assert "install(FILES ${GAME_PAGES} DESTINATION boardlab/pages)" in lists
    for name in bl.games():
        page = rules_page(bl.game(name))
        assert page.startswith(f"# {name}") and "![" not in page and "](" not in page and len(page) > 300
