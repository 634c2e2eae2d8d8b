"""The store: an SQLite file of agents, training runs, games and tournaments.

    store = bl.store()                   # ./boardlab.db, or $BOARDLAB_STORE; created on the first write
    t = store.start_tournament(game, ["random", "mcts"], "round-robin", seed=1, options={"games": 20})
    if not t.pairings():                 # a new one; the same call finds an unfinished one
        t.add_pairings([((0, 1), 20)])   # entrants, games to play; Swiss adds rounds: round=1 ...
    for pairing in t.pairings():         # .entrants, .games, .played, .is_done; resume each at `played`
        t.add_games(pairing.number, records, first=pairing.played)     # one transaction; stored games stay
    t.games()                            # StoredGame: .pairing, .number, .record (unchanged)
    t.add_ratings("bayeselo", [Rating(0, elo, low, high, games), ...])
    t.finish()
    store.fame("connectfour")            # agents of rated tournaments, strongest first
    store.add_games(game, result.agents, result.records)               # keeps the games of a match

In records of a tournament `seats` are numbers of entrants. A batch is one transaction, so kill -9 loses at
most the batch being written. Several processes may write at once: SQLite's write-ahead log, a busy timeout,
and BEGIN IMMEDIATE before the first read of a change. A Store may be passed to a forked process, which opens
its own connection.
"""

from boardlab.arena.store.fame import Fame, StoredRun
from boardlab.arena.store.store import Store, store
from boardlab.arena.store.tournament import Pairing, Rating, StoredGame, Tournament

__all__ = ["Fame", "Pairing", "Rating", "Store", "StoredGame", "StoredRun", "Tournament", "store"]
