"""Train: agents that teach themselves, in processes of their own."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from boardlab.checks import as_integer
from boardlab.errors import BoardLabError
from boardlab.learners.registry import run_folder
from boardlab.learners.run import open_run
from boardlab.web.errors import Forbidden, Missing, Refusal
from boardlab.web.hub import Topic
from boardlab.web.page import Ask, Page, get, post
from boardlab.web.people import Person
from boardlab.web.works.orders import (
    MOST_EPISODES,
    about,
    new_folder,
    read_training,
    training_forms,
)
from boardlab.web.works.trainings import Runs
from boardlab.web.works.watching import WatchedFiles
from boardlab.web.works.work import PAUSE, STOP, Work

if TYPE_CHECKING:
    from boardlab.web.arena import Arena

T = TypeVar("T")


def _open_run(arena: "Arena", name: str) -> Topic:
    """Open the curve of a run, named by its folder below the folder of runs."""
    _checked_name(arena, name)
    runs = Runs(arena)
    return WatchedFiles(arena, f"run:{name}", lambda person: runs.about(name, person))


def _open_list(arena: "Arena", rest: str) -> Topic:
    """Open the list of all runs."""
    runs = Runs(arena)

    def look(person: Person) -> dict[str, Any]:
        return {"runs": runs.listed(person)}

    return WatchedFiles(arena, f"trainings:{rest}", look)


def _checked_name(arena: "Arena", name: Any) -> str:
    """Return the name of a run that lies below the folder of runs."""
    if (
        not isinstance(name, str)
        or not name
        or any(part in ("", ".", "..", ".web") for part in name.split("/"))
    ):
        raise Missing("there is no such run on this server")
    path = arena.policy.run(str(arena.settings.runs / name))
    if not path.resolve().is_relative_to(arena.settings.runs.resolve()):
        raise Missing("there is no such run on this server")
    return name


async def _forms(ask: Ask) -> Any:
    """Return the forms of a training: {"game": {...}, "learner": name, "preset": name}."""
    arena, body = ask.arena, ask.body
    return await _in_pool(ask, lambda: training_forms(arena.policy, body))


async def _check(ask: Ask) -> Any:
    """Check a training and say how long it is, how it is examined and what it takes."""
    arena, body = ask.arena, ask.body
    order = await _in_pool(ask, lambda: read_training(arena.policy, body))
    return about(order)


async def _start(ask: Ask) -> Any:
    """Start a training: {"game", "learner", "preset", "settings", "options", "name"}."""
    arena, body = ask.arena, ask.body
    arena.works.check_room(ask.person)
    order = await _in_pool(ask, lambda: read_training(arena.policy, body))
    name = new_folder(arena.settings.runs, body.get("name"), order.game)
    try:
        arena.works.start(ask.person, order.as_dict(name))
    except BaseException:
        with contextlib.suppress(OSError):
            (arena.settings.runs / name).rmdir()
        raise
    _look_again(arena, name)
    return {"name": name}


LONGEST = 60.0
"""Most seconds for checking a training; grouping the hands of poker takes some."""


async def _in_pool(ask: Ask, do: Callable[[], T]) -> T:
    """Check an order in a thread, in turn with the searches of others."""
    try:
        return await ask.arena.pool.run(ask.person.id, lambda stopper: do(), LONGEST)
    except TimeoutError:
        raise Refusal("preparing this training takes too long; smaller settings are faster") from None


async def _pause(ask: Ask) -> Any:
    """Let a training save and end; it can be resumed."""
    return _end(ask, PAUSE)


async def _stop(ask: Ask) -> Any:
    """End a training with what it has learned so far."""
    return _end(ask, STOP)


def _end(ask: Ask, wanted: str) -> dict[str, Any]:
    work = _work_of(ask)
    if work is None:
        raise Refusal("this run is not trained from here; Ctrl-C in its terminal stops it")
    ask.arena.works.check_may_change(ask.person, work)
    work.end(wanted)
    _look_again(ask.arena, str(work.order["run"]))
    return {}


async def _resume(ask: Ask) -> Any:
    """Go on with a run: {"episodes": total} or {"minutes": total} makes it longer."""
    arena, body, work = ask.arena, ask.body, _work_of(ask)
    name = _checked_name(arena, body.get("run"))
    more: dict[str, Any] = {}
    if body.get("episodes") is not None:
        most = 10**12 if arena.settings.trust else MOST_EPISODES
        more["episodes"] = as_integer("episodes", body["episodes"], 1, most)
    if work is not None and not more:
        arena.works.resume(ask.person, work)
    else:
        if work is None and not arena.works.is_everybodys:
            raise Forbidden("only runs that were started here can go on here")
        if work is not None:
            arena.works.check_may_change(ask.person, work)
            if work.is_alive:
                raise Refusal("it is being trained; pause it first")
        await asyncio.to_thread(_check_can_go_on, arena, name, more)
        arena.works.start(
            ask.person, {"kind": "training", "run": name, "programs": arena.settings.trust, **more}
        )
    _look_again(arena, name)
    return {}


def _check_can_go_on(arena: "Arena", name: str, more: dict[str, Any]) -> None:
    run = open_run(arena.settings.runs / name)
    if run_folder(run.path).read_agent().get("clean"):
        raise Refusal(f"{name} plays, but cannot go on: its checkpoint was removed")
    if more and more["episodes"] <= run.episodes:
        raise BoardLabError(f"{name} has already played {run.episodes:,} episodes; give a larger total")


async def _remove(ask: Ask) -> Any:
    """Remove a run that was started here, with its folder."""
    arena, work = ask.arena, _work_of(ask)
    if work is None:
        raise Forbidden("only runs that were started here can be removed here")
    arena.works.check_may_change(ask.person, work)
    if work.is_alive:
        raise Refusal("it is being trained; stop it first")
    name = _checked_name(arena, work.order["run"])
    folder = run_folder(arena.settings.runs / name)

    def discard() -> None:
        with folder.claimed():
            folder.discard()
        with contextlib.suppress(OSError):  # files of other people stay
            folder.path.rmdir()

    await asyncio.to_thread(discard)
    for other in arena.works.all("training"):
        if other.order.get("run") == name:
            arena.works.remove(ask.person, other)
    _look_again(arena, name)
    return {}


def _work_of(ask: Ask) -> Work | None:
    """Return the newest work of the run that a request names."""
    name = _checked_name(ask.arena, ask.body.get("run"))
    return next((work for work in ask.arena.works.all("training") if work.order.get("run") == name), None)


def _look_again(arena: "Arena", name: str) -> None:
    for topic in (f"run:{name}", "trainings:all"):
        if isinstance(open_topic := arena.hub.topics.get(topic), WatchedFiles):
            open_topic.look_soon()


def _run(ask: Ask) -> Any:
    """Return a run with its curves, for those who do not watch."""
    return Runs(ask.arena).about(_checked_name(ask.arena, ask.path["name"]), ask.person)


async def _revive(arena: "Arena") -> None:
    await asyncio.to_thread(arena.works.revive)


PAGE = Page(
    "train",
    "Train",
    routes=[
        post("/trainings/forms", _forms),
        post("/trainings/check", _check),
        post("/trainings", _start),
        post("/trainings/pause", _pause),
        post("/trainings/stop", _stop),
        post("/trainings/resume", _resume),
        post("/trainings/remove", _remove),
        get("/trainings/{name:path}", _run),
    ],
    topics={"run": _open_run, "trainings": _open_list},
    for_play=False,
    start=_revive,
)
