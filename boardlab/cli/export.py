"""`boardlab export`: a trained net as a file for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from boardlab.cli.common import console


def export(
    run: Annotated[Path, typer.Argument(help="The folder of a run with a neural net.")],
    file: Annotated[Path, typer.Argument(help="The file to write: model.onnx.")],
) -> None:
    """Write a trained net as an ONNX file.

    The answers of the file are compared with the engine's before it is written.
    """
    from boardlab.bridges.onnx import export as export_net  # needs the extra

    console.print(str(export_net(run, file)), markup=False, soft_wrap=True)
