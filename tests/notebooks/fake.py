"""A Jupyter kernel as far as BoardLab asks: what is displayed, and how it is updated."""

import sys
from types import ModuleType, SimpleNamespace


class FakeNotebook:
    """Stands in for IPython while a test runs."""

    def __init__(self, monkeypatch) -> None:
        self.shown: list[dict[str, str]] = []
        """All bundles, displayed or updated, in order."""
        self.outputs = 0
        """How many outputs were displayed."""
        display, ipython = ModuleType("IPython.display"), ModuleType("IPython")
        display.display = self._display
        ipython.version_info = (9, 0)  # matplotlib asks
        ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def _display(self, bundle, raw, display_id):
        assert raw and display_id
        self.outputs += 1
        self.shown.append(bundle)
        return SimpleNamespace(update=lambda bundle, raw: self.shown.append(bundle))
