"""Set-up that all tests share."""

import os
import signal

import pytest

from boardlab.arena.exams import EXAMS
from boardlab.evaluators import EVALUATORS
from boardlab.evaluators.features import OWN_FEATURES
from boardlab.games.registry import GAMES
from boardlab.search.expression import AGENTS

# Run in the background, a shell makes its programs deaf to Ctrl-C, and they pass that on to those they start. The tests of
# Ctrl-C must be able to hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_names_are_forgotten():
    """What a test registers is not there for the next one."""
    registries = (AGENTS, EVALUATORS, EXAMS, GAMES, OWN_FEATURES)
    known = [registry.copy() for registry in registries]
    yield
    for registry, before in zip(registries, known, strict=True):
        registry.clear()
        registry.update(before)


@pytest.fixture(scope="session", autouse=True)
def _private_folders(tmp_path_factory):
    """Compiled code goes to a folder that all workers share, not to the user's."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOARDLAB_CACHE", str(shared / "boardlab_cache"))
        yield
