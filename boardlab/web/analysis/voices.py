"""Which tuples of a network speak for an action, and where they are on the board."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from boardlab.errors import BoardLabError
from boardlab.games.drawing import BoardCanvas
from boardlab.games.game import State
from boardlab.learners.ntuple.inspection import Inspection
from boardlab.search.expression import parse
from boardlab.web.policy import Policy, parts_of

MOST_KEPT = 2
"""Networks that are kept open."""
FOR, AGAINST = "#1d6fb8", "#c2410c"
"""Colours of tuples that add to a value and of those that take from it: blue is good, as in opinions."""
SHOWN = 6


def network_of(expression: str) -> str:
    """Return the run of the n-tuple network that an agent asks; "" if there is none."""
    try:
        parts = parts_of(parse(expression))
    except BoardLabError:
        return ""
    runs = (getattr(part, "run", "") for part in parts if part.name == "ntuple")
    return next((run for run in runs if isinstance(run, str) and run), "")


class Networks:
    """Networks opened for inspection."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._kept: OrderedDict[tuple[str, int], Inspection] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, run: str) -> Inspection:
        """Open the network of a run, or return the one that is open."""
        folder = Path(run)
        if not self.policy.trust:
            self.policy.run(run)
        try:
            changed = (folder / "weights.npz").stat().st_mtime_ns
        except OSError:
            changed = 0
        with self._lock:
            found = self._kept.pop((run, changed), None) or Inspection(run)
            self._kept[run, changed] = found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    def voices(self, run: str, state: State, action: int | None) -> dict[str, Any]:
        """Return what the tuples say of an action, the best one if None is given."""
        network = self.open(run)
        views = network.position(state)
        view = next((view for view in views if view.action == action), views[0])
        tuples = len(network.layout)
        loudest = view.loudest(SHOWN)
        longest = max((abs(voice) for _, voice in loudest), default=1.0)
        after = state.copy()
        after.apply(view.action)
        shown = state if network.network.per_action else after
        return {
            "run": run,
            "action": view.action,
            "name": state.action_text(view.action),
            "value": view.value,
            "sum": view.sum,
            "final": view.is_final,
            "tables": len(view.contributions),
            "rest": view.sum - sum(voice for _, voice in loudest),
            "voices": [
                {
                    "name": network.table_name(number).partition(":")[0],
                    "adds": voice,
                    "share": abs(voice) / longest,
                    "picture": cells_drawn(shown, network.layout[number], FOR if voice > 0 else AGAINST)
                    if number < tuples
                    else "",
                }
                for number, voice in loudest
            ],
        }


def cells_drawn(state: State, cells: list[int], colour: str) -> str:
    """Draw a position with some cells marked; "" for a board whose cells have no places."""
    canvas = state.game.rules.draw_board(state)
    if not isinstance(canvas, BoardCanvas):
        return ""
    try:
        places = [canvas.centre(cell) for cell in cells]
    except (IndexError, KeyError, ValueError):
        return ""
    for x, y in places:
        canvas.circle(x, y, 0.36 * canvas.unit, colour, width=0)
        canvas.circle(x, y, 0.36 * canvas.unit, "none", stroke="halo", width=1.5)
    canvas.description = f"cells {', '.join(map(str, cells))}"
    return canvas.svg("page")
