"""The parts of `boardlab play`: the table, the people and agents at it, and two ways to show it."""
