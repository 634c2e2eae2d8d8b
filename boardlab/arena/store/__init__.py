"""The store: one SQLite file with agents, training runs, games, tournaments and ratings.

    store = bl.store()                   # ./boardlab.db, or $BOARDLAB_STORE; made when something is written
    t = store.start_tournament(game, ["random", "mcts"], "round-robin", seed=1, options={"games": 20})
    if not t.pairings():                 # a new one; the same call again finds the one that was broken off
        t.add_pairings([((0, 1), 20)])   # entrants, games wanted; Swiss adds a round at a time: round=1 ...
    for pairing in t.pairings():         # .entrants, .games, .played, .is_done; resume each at `played`
        t.add_games(pairing.number, records, first=pairing.played)     # one transaction; what is there stays
    t.games()                            # StoredGame: .pairing, .number, .record (as it was given)
    t.add_ratings("bayeselo", [Rating(0, elo, low, high, games), ...])
    t.finish()
    store.fame("connectfour")            # every agent of rated tournaments, the strongest first
    store.add_games(game, result.agents, result.records)               # games of a match, for good

In records of a tournament `seats` are numbers of entrants. A batch is one transaction, so kill -9 loses at
most the batch being written. Several processes may write at once: SQLite's write-ahead log, a busy timeout,
and BEGIN IMMEDIATE before the first read of a change. A Store may be handed to a forked process, which opens
its own connection.
"""

from boardlab.arena.store.fame import Fame, StoredRun
from boardlab.arena.store.store import Store, store
from boardlab.arena.store.tournament import Pairing, Rating, StoredGame, Tournament

__all__ = ["Fame", "Pairing", "Rating", "Store", "StoredGame", "StoredRun", "Tournament", "store"]
