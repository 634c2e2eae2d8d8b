"""Plugins that commands find: named in files and in the environment, or installed."""

import os
import sys

import pytest
from commands import run

import boardlab as bl
from boardlab.registries import FAILED, REGISTRIES, _all_entries, _entries

GAME = """
import boardlab as bl
from brk import STONES

@bl.register_game
class Few(bl.PythonGame):
    name = "few"
    action_count = 1
    def initial_state(self, rng): return (STONES,)
    def player(self, position): return position[0] % 2 if position[0] else bl.TERMINAL
    def legal(self, position): return [0]
    def apply(self, position, action): return (position[0] - 1,)
    def scores(self, position): return (0, 0)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "few.py").write_text(GAME)
    (tmp_path / "brk.py").write_text("STONES = 3\n")
    yield tmp_path
    sys.modules.pop("brk", None)
    sys.path.remove(str(tmp_path))


def test_a_plugin_imports_the_files_beside_it_and_is_named_in_the_environment(folder):
    done = run("games", "few", BOARDLAB_PLUGINS=str(folder / "few.py"))
    assert done.returncode == 0 and "few" in done.stdout and not done.stderr


def test_a_named_plugin_that_fails_does_not_stop_other_commands(folder):
    (folder / "brk.py").write_text("STONES = 3 / 0\n")
    done = run("games", "nim", BOARDLAB_PLUGINS=f"{folder / 'few.py'}{os.pathsep}{folder / 'gone.py'}")
    assert done.returncode == 0 and "nim" in done.stdout
    first, second = done.stderr.splitlines()
    assert (
        "few.py failed in" in first
        and "brk.py, line 1: ZeroDivisionError" in first
        and "there is no file" in second
    )


# ---- the user's configuration, and project folders ----

EAGER = """
import boardlab as bl

@bl.register_agent("eager")
class Eager:
    "Plays the first action."
    def __init__(self, game, seed): pass
    def act(self, state): return state.legal_actions()[0]
"""


@pytest.fixture
def project(tmp_path):
    """A project folder with a plugin, and an empty configuration of the user's."""
    folder = tmp_path / "project"
    (folder / "below").mkdir(parents=True)
    (folder / "eager.py").write_text(EAGER)
    (folder / "boardlab.toml").write_text('[plugins]\nfiles = ["eager.py"]\n')
    return folder


@pytest.fixture
def asked(project, tmp_path):
    """Run a command in the project folder."""

    def ask(*words, cwd=project, **environment):
        return run(*words, cwd=cwd, XDG_CONFIG_HOME=str(tmp_path / "configuration"), **environment)

    return ask


def configure(tmp_path, text):
    file = tmp_path / "configuration" / "boardlab" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_users_configuration_names_plugins_of_every_command(asked, project, tmp_path):
    (project / "boardlab.toml").unlink()
    file = configure(tmp_path, f'[plugins]\nfiles = ["{project}/eager.py"]\n')
    assert "Plays the first action" in asked("agents", "eager").stdout
    listed = asked("plugins").stdout
    assert listed == f"{project}/eager.py\n  named in {file}\n  agent eager\n"
    said = asked("match", "tictactoe", "eager", "random", "-n", 2, "--jobs", 2)  # workers run it too
    assert said.returncode == 0 and "2 games" in said.stdout, said.stderr


def test_a_project_folder_runs_nothing_before_it_is_trusted(asked, project):
    (project / "eager.py").write_text("raise SystemExit('it ran')" + EAGER)
    done = asked("games", "nim")
    assert done.returncode == 0 and done.stderr == (
        f"boardlab: the plugins of {project}/boardlab.toml (eager.py) are not run, because you have not trusted "
        f"this folder: if you trust their code, type boardlab trust {project}\n"
    )
    assert (
        f"not run: you have not trusted this folder; boardlab trust {project} does that"
        in asked("plugins").stdout
    )


def test_a_trusted_folder_runs_its_plugins_until_one_of_them_changes(asked, project):
    assert f"{project}/eager.py\n" in asked("trust", ".").stdout
    assert asked("trust", "--list").stdout == f"{project}\n"
    done = asked("agents", "eager", cwd=project / "below")
    assert "Plays the first action" in done.stdout and not done.stderr
    (project / "eager.py").write_text(EAGER + "\n")
    done = asked("games", "nim")
    assert "has changed since you trusted this folder" in done.stderr
    asked("trust", ".", "--always")
    assert asked("trust", "--list").stdout == f"{project} (always)\n"
    (project / "eager.py").write_text(EAGER)
    assert not asked("games", "nim").stderr
    assert asked("trust", "--remove", ".").stdout == f"{project} is trusted no more\n"
    assert "you have not trusted this folder" in asked("games", "nim").stderr


def test_a_trusted_folder_elsewhere_is_not_trusted(asked, project):
    asked("trust", ".")
    moved = project.rename(project.with_name("moved"))
    assert "you have not trusted this folder" in asked("games", "nim", cwd=moved).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trust",), "name the folder to trust: boardlab trust . is this one"),
        (("trust", "gone"), 'there is no folder "gone"'),
        (("trust", "below"), "below has no boardlab.toml"),
        (("trust", ".", "--remove"), "is not trusted; boardlab trust --list lists"),
        (("trust", "--list", "."), "--list stands alone"),
        (("trust", ".", "--remove", "--always"), "give --remove or --always"),
    ],
)
def test_mistakes_with_trust_are_one_sentence(asked, words, said):
    done = asked(*words)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[plugins", "config.toml cannot be read:"),
        ('[plugin]\nfiles = ["a.py"]', 'unknown table "plugin"; did you mean "plugins"?'),
        ('[plugins]\nfile = ["a.py"]', 'unknown key of [plugins] "file"; did you mean "files"?'),
        ('[plugins]\nfiles = "a.py"', "files must be a list of paths, as in [\"brk.py\"], not 'a.py'"),
        ('[plugins]\nfiles = [""]', "a plugin must be a path, not ''"),
        ('plugins = ["a.py"]', "plugins must be a table, [plugins]"),
        ('[plugins]\nfiles = ["gone.py"]', 'boardlab/gone.py" to run as a plugin (named in'),
    ],
)
def test_a_mistake_in_a_configuration_is_said_and_stops_nothing(asked, project, tmp_path, text, said):
    (project / "boardlab.toml").unlink()
    configure(tmp_path, text)
    done = asked("games", "nim")
    assert done.returncode == 0 and "nim" in done.stdout
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_damaged_list_of_trusted_folders_trusts_nobody(asked, project, tmp_path):
    asked("trust", ".")
    (tmp_path / "configuration" / "boardlab" / "trusted.json").write_text("[")
    assert "trusted.json is damaged; remove it" in asked("games", "nim").stderr
    assert asked("agents", "eager").returncode == 2


def test_python_programs_load_what_commands_load(asked, project, tmp_path, monkeypatch):
    configure(tmp_path, f'[plugins]\nfiles = ["{project}/eager.py"]\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    monkeypatch.chdir(tmp_path)
    loaded = bl.load_plugins()
    assert loaded[-1].path == f"{project}/eager.py" and loaded[-1].brought == {"agent": ["eager"]}
    assert bl.match(bl.game("tictactoe"), ["eager", "random"], games=2).games == 2


def test_a_plugin_that_fails_brings_nothing(asked, project, monkeypatch):
    (project / "eager.py").write_text(EAGER + "\nimport sys; sys.exit(3)\n")
    done = asked("plugins", BOARDLAB_PLUGINS="eager.py")
    assert "eager.py failed in line 10: it ended Python (sys.exit)" in done.stdout
    assert asked("agents", "eager", BOARDLAB_PLUGINS="eager.py").returncode == 2
    (project / "eager.py").write_text("x = (\n")
    assert (
        "SyntaxError: '(' was never closed (eager.py, line 1)"
        in asked("plugins", BOARDLAB_PLUGINS="eager.py").stdout
    )


def test_two_plugins_with_one_name_are_said_and_a_failure_takes_nothing_away(asked, project):
    (project / "other.py").write_text(EAGER.replace("Plays the first action", "Plays another action"))
    (project / "half.py").write_text(EAGER + "\nraise ValueError\n")
    done = asked("agents", "eager", BOARDLAB_PLUGINS=os.pathsep.join(["eager.py", "other.py", "half.py"]))
    assert (
        f'the agent "eager" of the plugin {project / "eager.py"} is replaced by that of other.py'
        in done.stderr
    )
    assert "half.py failed" in done.stderr and "Plays another action" in done.stdout


# ---- installed packages ----


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that declares names, some of which are not there."""
    site = tmp_path / "site"
    (site / "hexa").mkdir(parents=True)
    (site / "hexa" / "__init__.py").write_text("")
    (site / "hexa" / "games.py").write_text(GAME.replace("from brk import STONES", "STONES = 3"))
    (site / "hexa" / "agents.py").write_text(EAGER)
    (site / "hexa" / "broken.py").write_text("\nimport nowhere_to_be_found\n")
    info = site / "hexa-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hexa\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[boardlab.games]\nfew = hexa.games\n[boardlab.agents]\neager = hexa.agents:Eager\nlazy = hexa.agents\n"
        "[boardlab.evaluators]\nlost = hexa.broken\n[boardlab.learners]\nslow = hexa.broken\n[boardlab.exams]\n"
        "hard = hexa.broken\n"
    )
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    _all_entries.cache_clear()
    _entries.cache_clear()
    yield site
    for name in [name for name in sys.modules if name.partition(".")[0] == "hexa"]:
        del sys.modules[name]
    _all_entries.cache_clear()
    _entries.cache_clear()
    FAILED.clear()


def test_names_of_installed_packages_are_found_when_asked_for(package, tmp_path):
    assert "hexa.games" not in sys.modules
    game = bl.game("few")
    assert game.action_count == 1 and "hexa.agents" not in sys.modules
    assert bl.match(game, ["eager", "random"], games=2).games == 2
    with pytest.raises(bl.BoardLabError, match='unknown agent "eagre"; did you mean "eager"'):
        bl.agent("eagre", game)
    out = tmp_path / "run"
    bl.train(game, "q-table", episodes=5, exams=(), out=out)
    assert 'plugins = ["hexa 1.2 (hexa.games)"]' in (out / "agent.toml").read_text()


def test_a_package_that_fails_is_named_with_file_and_line_and_stops_nothing_else(package):
    where = (
        f"the plugin hexa 1.2 (hexa.broken) failed in {package}/hexa/broken.py, line 2: ModuleNotFoundError"
    )
    done = run("match", "few", "eager", "random", "-n", 2)
    assert done.returncode == 0 and not done.stderr
    for words in [
        ("match", "nim", "greedy(lost)", "random", "-n", 2),
        ("train", "nim", "--learner", "slow"),
        ("evaluate", "random", "--game", "nim", "--exam", "hard"),
    ]:
        done = run(*words)
        assert done.returncode == 2 and where in done.stderr and done.stderr.count("\n") <= 3, done.stderr
    done = run("match", "nim", "lazy", "random")
    assert (
        'the plugin hexa 1.2 (hexa.agents) does not register the agent "lazy", which it declares'
        in done.stderr
    )


def test_plugins_lists_installed_packages(package):
    listed = run("plugins").stdout
    assert "hexa 1.2 (hexa.games)\n  an installed package\n  game few\n" in listed
    assert "hexa 1.2 (hexa.broken)\n  an installed package\n  failed: " in listed
    done = run("agents")
    assert "eager" in done.stdout and "hexa.broken" in done.stderr


# ---- runs that need a plugin ----


def test_a_run_says_how_to_get_the_plugin_that_it_needs(folder, tmp_path):
    plugin = folder / "few.py"
    words = (
        "train",
        "few",
        "--learner",
        "q-table",
        "--episodes",
        "5",
        "--exam",
        "none",
        "--out",
        str(tmp_path / "run"),
    )
    assert run(*words, BOARDLAB_PLUGINS=str(plugin)).returncode == 0
    REGISTRIES["game"].pop("few")
    done = run("resume", tmp_path / "run")
    assert done.returncode == 2 and done.stderr.endswith(
        f"; the run was trained with plugins: type boardlab --plugin {plugin} COMMAND ...\n"
    )
    assert run("plugins").stdout.startswith("There are no plugins")
