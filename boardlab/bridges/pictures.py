"""Pictures of a state for environments that render: text, or pixels of the SVG."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.bridges.needing import needing
from boardlab.errors import check_known
from boardlab.games.game import State

MODES = ("ansi", "rgb_array")


def check_mode(mode: str | None, extra: str) -> str | None:
    """Return a known mode, or None; pixels need what the extra installs."""
    if mode is not None:
        check_known("render_mode", mode, MODES)
    if mode == "rgb_array":
        _drawers(extra)
    return mode


def rendered(state: State, mode: str | None, extra: str) -> str | NDArray[np.uint8] | None:
    """Return the whole position, as a spectator sees it: text, or [height, width, 3] bytes."""
    if mode is None:
        return None
    if mode == "ansi":
        return state.game.rules.board_text(state)
    resvg, image = _drawers(extra)
    png = resvg.svg_to_bytes(svg_string=state.to_svg(theme="light"))
    return np.asarray(image.open(io.BytesIO(png)).convert("RGB"))


def _drawers(extra: str) -> tuple[Any, Any]:
    with needing('render_mode="rgb_array"', extra):
        import resvg_py
        from PIL import Image
    return resvg_py, Image
