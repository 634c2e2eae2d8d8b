"""Files of named players, for those who use them often.

# players.toml
AZ-Res32 = 'mcts(net("runs/az"), iterations=200)'
TD = "runs/connectfour"
strong = "mcts(rollout, iterations=10000)"
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from boardlab.errors import BoardLabError, unknown
from boardlab.learners.run import run_expression
from boardlab.numbers import counted
from boardlab.paths import read_text
from boardlab.reports import Report
from boardlab.runs.toml import from_toml
from boardlab.search.entrants import check_name
from boardlab.search.expression import parse

PLAYERS_FILE = "players.toml"
LARGEST = 1 << 20


class Players(Report, Mapping[str, str]):
    """The players of a file: agent expressions by name."""

    def __init__(self, path: Path, given: Mapping[str, str]) -> None:
        self.path, self._given = path, dict(given)

    def __getitem__(self, name: str) -> str:
        if name not in self._given:
            raise unknown(f"player in {self.path}", name, self._given)
        try:
            expression = agent_expression(self._given[name])
            parse(expression)
        except BoardLabError as error:
            sentence = str(error).splitlines()[0]
            raise BoardLabError(f"{self.path}: {name}: {sentence}") from None
        return expression

    def given(self, name: str) -> str:
        """The agent as the file has it."""
        return self._given[name]

    def __contains__(self, name: object) -> bool:
        return name in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def _headline(self) -> str:
        return f"{self.path}: {counted(len(self), 'players')}"

    def __str__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:<{width}} = {agent}" for name, agent in self._given.items())


def players(path: str | os.PathLike[str] = PLAYERS_FILE) -> Players:
    """Read a file of named players: lines NAME = "AGENT", where an agent may be the folder of a run.

    `bl.match(game, {name: players[name] for name in ("TD", "AZ")})` plays with them.
    """
    text = read_text("the file of players", path, LARGEST)
    try:
        table = from_toml(text)
    except ValueError as error:
        raise BoardLabError(f"{path} cannot be read: {error}") from None
    for name, agent in table.items():
        try:
            check_name(name)
        except BoardLabError as error:
            raise BoardLabError(f"{path}: {error}") from None
        if not isinstance(agent, str) or not agent.strip():
            raise BoardLabError(f'{path}: {name} must be an agent in quotes, as in {name} = "random"')
    return Players(Path(path), table)


def agent_expression(word: str) -> str:
    """Return an agent's expression; `word` is one, or the folder of a run (with a slash)."""
    place = min((word.find(slash) for slash in {"/", os.sep} if slash in word), default=-1)
    return word if place < 0 or "(" in word[:place] else run_expression(word)
