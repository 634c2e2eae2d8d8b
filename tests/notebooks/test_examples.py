"""The example notebooks run, and every cell that should show something does."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.ipynb")), ids=lambda file: file.stem)
def test_an_example_runs_from_top_to_bottom(file, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code), "notebooks are kept without their outputs"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in code for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert not any(output.output_type in ("error", "stream") for output in outputs)
    assert "text/html" in kinds and len(outputs) >= 4


def test_there_are_three_examples():
    assert len(list(FOLDER.glob("*.ipynb"))) == 3
