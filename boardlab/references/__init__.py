"""Players that were not learned here, perfect and famous ones. Importing this makes their names known."""

from boardlab.references.connectfour import AB, ABDL
from boardlab.references.nim import Bouton
from boardlab.search.expression import AGENTS

REFERENCES = (AB, ABDL, Bouton)

for _reference in REFERENCES:
    AGENTS[_reference.name] = _reference

__all__ = ["REFERENCES"]
