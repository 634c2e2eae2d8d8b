"""Agents ready to meet, and the records of their games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from boardlab import _engine
from boardlab.arena.openings import Starts, shuffled_starts
from boardlab.errors import BoardLabError, shown
from boardlab.games.game import Game, State, as_integer, is_number
from boardlab.numbers import counted
from boardlab.search.agent import AgentLike, as_agents
from boardlab.search.expression import agent as make_agent
from boardlab.search.expression import evaluator as make_evaluator


@dataclass(frozen=True)
class GameRecord:
    """One game: who sat where, what was played, and how it ended."""

    seats: tuple[int, ...]
    """The listed agent on each seat; seat 0 begins."""
    actions: tuple[int, ...]
    """All actions, chance outcomes included."""
    scores: tuple[float, ...]
    """One number per seat."""
    seed: int
    """Seed of the initial state and of chance."""
    error: str
    """Why the game ended early, with the agent and the place in its code; else empty."""
    start: State | None = None
    """Where it began, if not at the initial state of its seed."""
    adjudicated: bool = False
    """Whether adjudication ended it."""
    decisions: tuple[int, ...] = ()
    """How many actions the agent in each seat chose itself."""
    seconds: tuple[float, ...] = field(default=(), compare=False)
    """Thinking time in each seat; it varies from run to run, so comparisons ignore it."""
    values: tuple[float, ...] = field(default=(), compare=False)
    """What the player expected of each action (NaN: unknown), if the match kept values."""
    resigned: bool = False
    """Whether `error` is a resignation: its agent lost, but it did not fail."""
    runs: tuple[int, ...] = ()
    """The run in each seat, where an agent is a folder of runs; else empty."""

    @property
    def failed(self) -> bool:
        """Whether an agent failed or broke the rules, and so lost.

        Resigning is not a failure.
        """
        return bool(self.error) and not self.resigned


@dataclass(frozen=True)
class Adjudication:
    """Ends games early whose result is clear, in two-player zero-sum games."""

    judge: str
    """The evaluator, as in "solver" or "ntuple('runs/c4')"."""
    threshold: float = 0.95
    """Value that counts as clear: 1 is the end of the score range."""
    patience: int = 4
    """Consecutive clear actions of the agents; chance and random openings do not count."""


class EnoughError(Exception):
    """Stops a match early: no more games are needed."""


class PlainGame(NamedTuple):
    """A game as the engine records it, in plain values; engine/arena/match.h explains them."""

    seats: Sequence[int]
    actions: Sequence[int]
    scores: Sequence[float]
    values: Sequence[float]
    seconds: Sequence[float]
    decisions: Sequence[int]
    seed: int
    start: int
    faulty_seat: int
    resigned: bool
    adjudicated: bool
    error: str


class Arena:
    """Agents ready to meet under one set of conditions (match or tournament)."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[AgentLike],
        seed: int,
        *,
        random_actions: int = 0,
        starts: Starts = (),
        threads: int = 1,
        adjudicate: str | Adjudication | None = None,
        values: bool = False,
        labels: Sequence[str] = (),
    ) -> None:
        self.game, self.seed, self.values = game, seed, bool(values)
        positions, drawn = shuffled_starts(game, starts, seed)
        if drawn and random_actions:
            raise BoardLabError("give random actions only once, as starts or as random_actions")
        self.random_actions = as_integer("random_actions", drawn or random_actions, 0, 1_000_000)
        if self.random_actions >= game.horizon:
            raise BoardLabError(
                f"random_actions must be less than {game.horizon:,}, the most actions of a game of "
                f"{game.name}, not {self.random_actions:,}: the agents would have nothing to decide"
            )
        threads = as_integer("threads", threads, 1, 1024)
        if not isinstance(positions, Sequence) or not all(isinstance(s, State) for s in positions):
            raise BoardLabError(
                "starts must be a list of states, a number of actions or a file of openings, "
                f"not {shown(starts)}"
            )
        # A cube scrambled by a game with other parameters is a valid start: fields matter, not parameters.
        self.starts = [s if s.game.core is game.core else game.from_fields(s.fields) for s in positions]
        for i, start in enumerate(self.starts):
            if start.is_terminal:
                raise BoardLabError(f"the game is over in starts[{i}], so there is nothing to play from it")
        self.rules = Adjudication(adjudicate) if isinstance(adjudicate, str) else adjudicate
        self.judge = _adjudicator(game, self.rules) if self.rules else None
        agents = as_agents(agents)
        made = [make_agent(a, game, seed=i) for i, a in enumerate(agents)]
        made = [  # an agent that meets itself must be two objects; all must share one engine game
            a.twin(game, seed=i) if a.game.core is not game.core or any(a is b for b in made[:i]) else a
            for i, a in enumerate(made)
        ]
        self.names = tuple(a.expression for a in made)
        self.labels = tuple(labels) or self.names
        """What the agents are called in errors."""
        self.agents, self.threads = made, threads
        self._are_text = [
            isinstance(a, str) and m.expression != "human" for a, m in zip(agents, made, strict=True)
        ]
        self._teams = [[a.core for a in made]]

    def _team(self) -> list[_engine.Search]:
        """Return the agents for another thread.

        The engine clones what it can. Agents written in Python and given as text are made again; an agent
        object given by the caller cannot be.
        """
        return [
            a.rebuild(self.game, i) if is_text and not _engine.can_clone(a.core) else a.core
            for i, (a, is_text) in enumerate(zip(self.agents, self._are_text, strict=True))
        ]

    def check_openings(self, turns: int) -> None:
        """Refuse openings that end every game before an agent decides anything.

        Openings do not depend on the agents; usually the first one decides.
        """
        if not self.random_actions:
            return
        everyone = range(self.game.players)
        anybody = Arena(
            self.game,
            ["random" for _ in everyone],
            self.seed,
            random_actions=self.random_actions,
            starts=self.starts,
        )

        def receive(fresh: list[GameRecord]) -> None:
            if any(any(record.decisions) for record in fresh):
                raise EnoughError

        try:
            anybody.play([everyone], turns, receive)
        except EnoughError:
            return
        raise BoardLabError(
            f"every game of {self.game.name} is over after {counted(self.random_actions, 'random actions')}: "
            "the agents would have nothing to decide"
        )

    def play(
        self,
        seatings: Sequence[Sequence[int]],
        games: int,
        receive: Callable[[list[GameRecord]], None],
        first: int = 0,
        turn: int | None = None,
    ) -> None:
        """Play the games first .. games - 1 and pass them on in order, in batches.

        Game i uses `seatings[i % len(seatings)]`; each `turn` of consecutive games, by default as many as
        there are seatings, shares a seed and an opening. Game i does not depend on earlier games.
        """
        self.play_raw(
            seatings, games, lambda raw: receive([self.record(r) for r in raw]), first, turn or len(seatings)
        )

    def play_raw(
        self,
        seatings: Sequence[Sequence[int]],
        games: int,
        receive: Callable[[list[_engine.GameRecord]], None],
        first: int,
        turn: int,
    ) -> None:
        """Play games as `play` does, and pass on the engine's records."""
        rules = self.rules or Adjudication("")
        while len(self._teams) < min(self.threads, games - first):
            self._teams.append(self._team())
        _engine.play_match(
            self.game.core,
            self._teams,
            first,
            games,
            self.seed,
            [list(seating) for seating in seatings],
            turn,
            self.random_actions,
            [start.core for start in self.starts],
            self.values,
            self.judge,
            float(rules.threshold),
            rules.patience,
            receive,
        )

    def record(self, raw: _engine.GameRecord | PlainGame) -> GameRecord:
        """The record of a game that the engine played, here or in another process."""
        faulty = raw.faulty_seat
        return GameRecord(
            tuple(raw.seats),
            tuple(raw.actions),
            tuple(raw.scores),
            raw.seed,
            f"{self.labels[raw.seats[faulty]]}: {raw.error}" if faulty >= 0 else "",
            self.starts[raw.start] if raw.start >= 0 else None,
            raw.adjudicated,
            tuple(raw.decisions),
            tuple(raw.seconds),
            tuple(raw.values) if self.values else (),
            raw.resigned,
        )


def _adjudicator(game: Game, rules: Adjudication) -> _engine.Evaluator:
    if not isinstance(rules, Adjudication):
        raise BoardLabError(f"adjudicate must name an evaluator, not {shown(rules)}")
    threshold = rules.threshold
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise BoardLabError(
            f"the threshold of an adjudication must be above 0 and at most 1, not {shown(threshold)}"
        )
    as_integer("the patience of an adjudication", rules.patience, 1, 1_000_000)
    return make_evaluator(rules.judge, game).core
