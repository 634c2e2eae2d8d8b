"""Learning how far a puzzle is from its goal: value iteration (DAVI) and random walks."""
