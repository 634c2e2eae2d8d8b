"""The policies of examples in full."""

import numpy as np


def policies(examples, game):
    """[n, actions]."""
    found = np.zeros((len(examples), game.action_count), np.float32)
    for row, actions, shares in zip(found, examples.actions, examples.shares, strict=True):
        row[actions[actions >= 0]] = shares[actions >= 0]
        assert (shares[actions < 0] == 0).all() and (shares[actions >= 0] > 0).all()
    return found
