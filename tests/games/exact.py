"""Exact answers by exhaustion, for comparing with what the engine samples and searches."""

import boardlab as bl


def random_play(state: bl.State) -> tuple[float, float]:
    """Expected score of player 0 and expected number of actions when everybody plays uniformly at random."""
    known: dict[bytes, tuple[float, float]] = {}

    def expected(state: bl.State) -> tuple[float, float]:
        key = state.core.to_bytes()
        if key not in known:
            if state.is_terminal:
                known[key] = (float(state.scores[0]), 0.0)
            else:
                futures = [expected(child) for _, child in state.children()]
                score, length = (sum(column) / len(futures) for column in zip(*futures, strict=True))
                known[key] = (score, 1 + length)
        return known[key]

    return expected(state)


def value(state: bl.State, depth: int) -> float:
    """The score of player 0 under best play, by a search to the end."""
    return bl.agent(f"alphabeta(depth={depth}, table_mb=256)", state.game).act(state).scores[0]
