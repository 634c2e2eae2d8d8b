"""The deprecated name of `boardlab.learners`; the next release removes it."""

import warnings

from boardlab.learners import *  # noqa: F403
from boardlab.learners import __all__  # noqa: F401

warnings.warn("boardlab.learning is now boardlab.learners", DeprecationWarning, stacklevel=2)
