"""The store's tables in numbered steps: step n upgrades version n to n + 1.

A released step never changes; new ones are appended. Every step is a list of single statements, because a
script would end the transaction that applies all of them or none.
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # An agent is its expression with what it has learned: trained again it is another agent.
        """CREATE TABLE agents (
            id INTEGER PRIMARY KEY,
            game TEXT NOT NULL,         -- its name
            parameters TEXT NOT NULL,   -- all of them, as JSON with sorted keys
            expression TEXT NOT NULL,   -- canonical
            fingerprint TEXT NOT NULL,  -- of the weights of all its runs; empty if nothing was learned
            UNIQUE (game, parameters, expression, fingerprint)
        )""",
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY,
            fingerprint TEXT NOT NULL UNIQUE,
            folder TEXT NOT NULL,       -- where it was last seen
            learner TEXT NOT NULL,
            preset TEXT NOT NULL,
            seed TEXT NOT NULL,
            version TEXT NOT NULL,      -- of BoardLab
            episodes INTEGER,           -- played
            actions INTEGER,
            seconds REAL,               -- of learning, exams not counted
            cpu_seconds REAL,           -- the same in processor time, if known
            description TEXT NOT NULL   -- agent.toml as JSON: everything needed to train it again
        )""",
        """CREATE TABLE agent_runs (
            agent INTEGER NOT NULL REFERENCES agents(id),
            run INTEGER NOT NULL REFERENCES runs(id),
            PRIMARY KEY (agent, run)
        ) WITHOUT ROWID""",
        """CREATE TABLE tournaments (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            game TEXT NOT NULL,
            parameters TEXT NOT NULL,
            format TEXT NOT NULL,
            seed TEXT NOT NULL,         -- up to 2**64 - 1, more than an INTEGER holds
            options TEXT NOT NULL,      -- JSON with sorted keys
            plan TEXT NOT NULL,         -- identifies it: a hash of all above and the entrants
            version TEXT NOT NULL,
            created TEXT NOT NULL,      -- UTC, ISO 8601
            finished TEXT
        )""",
        "CREATE INDEX tournaments_by_plan ON tournaments (plan)",
        """CREATE TABLE entrants (
            tournament INTEGER NOT NULL REFERENCES tournaments(id),
            number INTEGER NOT NULL,
            agent INTEGER NOT NULL REFERENCES agents(id),
            PRIMARY KEY (tournament, number)
        ) WITHOUT ROWID""",
        """CREATE TABLE pairings (
            tournament INTEGER NOT NULL REFERENCES tournaments(id),
            number INTEGER NOT NULL,
            round INTEGER NOT NULL,
            entrants TEXT NOT NULL,     -- JSON list of numbers
            games INTEGER NOT NULL,     -- to play
            PRIMARY KEY (tournament, number)
        ) WITHOUT ROWID""",
        """CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            game TEXT NOT NULL,
            parameters TEXT NOT NULL,
            tournament INTEGER REFERENCES tournaments(id),
            pairing INTEGER,
            number INTEGER,             -- within its pairing
            seed TEXT NOT NULL,
            start BLOB,                 -- fields of the first position, 32 bits each; NULL: initial
            actions BLOB NOT NULL,      -- one byte for their width, then the actions
            vals BLOB,                  -- expected value of each action for its player, 32-bit floats
            error TEXT NOT NULL,
            adjudicated INTEGER NOT NULL,
            UNIQUE (tournament, pairing, number)
        )""",
        """CREATE TABLE seats (
            played INTEGER NOT NULL REFERENCES games(id),
            seat INTEGER NOT NULL,
            agent INTEGER NOT NULL REFERENCES agents(id),
            score REAL NOT NULL,
            seconds REAL,               -- of thinking
            decisions INTEGER,
            PRIMARY KEY (played, seat)
        ) WITHOUT ROWID""",
        "CREATE INDEX seats_by_agent ON seats (agent)",
        "CREATE INDEX games_by_game ON games (game, parameters)",
        """CREATE TABLE ratings (
            tournament INTEGER NOT NULL REFERENCES tournaments(id),
            method TEXT NOT NULL,
            agent INTEGER NOT NULL REFERENCES agents(id),
            rating REAL NOT NULL,
            low REAL NOT NULL,          -- 95% interval
            high REAL NOT NULL,
            games INTEGER NOT NULL,
            PRIMARY KEY (tournament, method, agent)
        ) WITHOUT ROWID""",
    ),
    (
        # Names of players, and folders of runs as players.
        "ALTER TABLE agents ADD COLUMN name TEXT NOT NULL DEFAULT ''",  # last given by the user
        "ALTER TABLE entrants ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE entrants ADD COLUMN runs TEXT NOT NULL DEFAULT '[]'",  # JSON: names, of a folder of runs
        "ALTER TABLE seats ADD COLUMN run INTEGER",  # number of the run that played, of a folder of runs
    ),
)
