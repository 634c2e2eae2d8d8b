"""Outside programs as agents: anything that speaks GTP, NBoard or Edax's console."""

from boardlab.references.engines.spec import Edax, Engine

__all__ = ["Edax", "Engine"]
