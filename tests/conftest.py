"""Set-up that all tests share."""

import os
import signal

import pytest

import boardlab.learners  # noqa: F401  (registers its kind, and those of the rooms below)
from boardlab.registries import REGISTRIES

# Run in the background, a shell makes its programs deaf to Ctrl-C, and they pass that on to those they start. The tests of
# Ctrl-C must be able to hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_names_are_forgotten():
    """What a test registers is not there for the next one."""
    known = [(registry, dict(registry), dict(registry.sources)) for registry in REGISTRIES.values()]
    yield
    for registry, before, sources in known:
        registry.clear()
        registry.update(before)
        registry.sources = sources


@pytest.fixture(scope="session", autouse=True)
def _private_folders(tmp_path_factory):
    """Compiled code goes to a folder that all workers share; nothing of the user's is read."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOARDLAB_CACHE", str(shared / "boardlab_cache"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "boardlab_configuration"))  # no plugins of the user's
        patch.delenv("BOARDLAB_PLUGINS", raising=False)
        yield
