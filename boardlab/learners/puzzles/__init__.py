"""Learners of puzzles: value iteration (DAVI) and random walks."""
