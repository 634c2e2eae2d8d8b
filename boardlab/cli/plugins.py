"""`boardlab plugins` and `boardlab trust`: what extends BoardLab, and which folders may."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console
from boardlab.configuration import PROJECT_FILE, distrust, trusted, user_file
from boardlab.configuration import trust as trust_folder
from boardlab.errors import BoardLabError, BoardLabWarning
from boardlab.numbers import counted
from boardlab.plugins import FOUND, Plugin
from boardlab.registries import FAILED, REGISTRIES, sources_of_packages

NONE = """There are no plugins. They are Python files, or compiled games (.so), that bring games, agents,
evaluators, learners and exams. Name them
  for one command       boardlab --plugin FILE COMMAND ...
  for a terminal        export BOARDLAB_PLUGINS=FILE:FILE
  for all commands      a line  files = ["FILE"]  below  [plugins]  in {user}
  for a project         the same in {project} of its folder, then boardlab trust FOLDER
Installed packages are found by themselves."""


def plugins() -> None:
    """List your plugins: what they bring, and which failed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BoardLabWarning)  # they are listed below
        for registry in REGISTRIES.values():
            registry.load_installed()
    packages = sources_of_packages()
    if not FOUND and not packages:
        console.print(NONE.format(user=user_file(), project=PROJECT_FILE), markup=False, soft_wrap=True)
        return
    for plugin in FOUND:
        _say(
            plugin.path,
            f"named in {plugin.origin}" if plugin.origin != "--plugin" else "named by --plugin",
            plugin,
        )
    for source, names in packages.items():
        failed = FAILED.get(source, "")
        _say(source, "an installed package", Plugin(source, "", failed, brought={} if failed else names))


def _say(name: str, origin: str, plugin: Plugin) -> None:
    console.print(name, style="bold", markup=False, soft_wrap=True)
    console.print(f"  {origin}", markup=False, soft_wrap=True)
    if plugin.error:
        console.print(f"  failed: {plugin.error}", style="red", markup=False, soft_wrap=True)
    elif plugin.waits:
        folder = Path(plugin.origin).parent
        text = f"  not run: {plugin.waits}; boardlab trust {folder} does that"
        console.print(text, style="yellow", markup=False, soft_wrap=True)
    else:
        parts = [
            f"{kind}{'s' * (len(names) > 1)} {', '.join(names)}" for kind, names in plugin.brought.items()
        ]
        console.print(f"  {'; '.join(parts) or 'brings nothing new'}", markup=False, soft_wrap=True)


def trust(
    folder: Annotated[
        str | None, typer.Argument(help=f"The folder with {PROJECT_FILE}: . is this one.", metavar="FOLDER")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no more.")] = False,
    always: Annotated[
        bool,
        typer.Option(
            "--always",
            help="Trust the folder even after its files have changed; for one that only you change.",
        ),
    ] = False,
) -> None:
    """Let boardlab.toml of a folder run the plugins that it names.

    Plugins are programs: look at them first. The trust ends when boardlab.toml or one of the plugins changes
    (files that a plugin imports are not watched), or when the folder moves.
    """
    if show:
        if folder is not None or remove or always:
            raise BoardLabError("--list stands alone: boardlab trust --list")
        _list_trusted()
    elif folder is None:
        raise BoardLabError("name the folder to trust: boardlab trust . is this one; --list lists them")
    elif remove:
        if always:
            raise BoardLabError("give --remove or --always, not both")
        console.print(f"{distrust(folder)} is trusted no more", markup=False, soft_wrap=True)
    else:
        found = trust_folder(folder, always)
        until = "whatever its files become" if always else "until one of these files changes"
        place = Path(folder).resolve()
        console.print(f"{place} is trusted, {until}", markup=False, soft_wrap=True)
        for plugin in found:
            console.print(f"  {plugin}", markup=False, soft_wrap=True)
        console.print(f"commands in this folder and below run {counted(len(found), 'plugins')}", style="dim")


def _list_trusted() -> None:
    folders = trusted()
    if not folders:
        console.print("no folder is trusted")
    for name, kept in folders.items():
        there = "" if (Path(name) / PROJECT_FILE).is_file() else f" (it has no {PROJECT_FILE} any more)"
        always = "" if kept.digest else " (always)"
        console.print(f"{name}{always}{there}", markup=False, soft_wrap=True)
