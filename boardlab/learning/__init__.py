"""Deprecated: the former name of `boardlab.learners`, to be removed in the next release."""

import warnings

from boardlab.learners import *  # noqa: F403
from boardlab.learners import __all__  # noqa: F401

warnings.warn("boardlab.learning is now boardlab.learners", DeprecationWarning, stacklevel=2)
