"""OpenSpiel's games as games of BoardLab: `game("openspiel:breakthrough(rows=6,columns=6)")`.

histories   a position as the packed history of actions
rules       the game's functions over OpenSpiel's states
views       observation tensors as planes and cells
hidden      what a player sees of a position, and full positions that fit
"""

from boardlab.games.openspiel.rules import PREFIX, openspiel_rules

__all__ = ["PREFIX", "openspiel_rules"]
