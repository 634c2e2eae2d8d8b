"""Learners of n-tuple networks: TD, SARSA and Q."""
