"""BoardLab's games and agents in the interfaces of other libraries, and theirs in ours.

A module a library, each with an extra of its own: `import boardlab.bridges.pettingzoo` needs
`boardlab[pettingzoo]`.
"""
