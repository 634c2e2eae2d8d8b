"""Observation tensors of OpenSpiel as planes for nets and as cells for n-tuple networks.

Planes are the tensor as it is, folded to three dimensions, and a plane of ones for the player who looks.
Cells undo one-hot codes: planes of which at most one is set at a place become one cell there, whose value
says which, and a row with a single one becomes a cell that says where it is. Which planes exclude each
other is found on random games, always the same ones. n-tuples know who acted last, but not who acts next:
where players do not simply take turns and no cell shows who acts, one more cell does.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardlab.games.openspiel.histories import actor_in

SAMPLES = 200
MOST_VALUES = 256
MOST_TELLING = 8
"""Most values of a cell that shows who acts; one with more values may do so by chance."""


def folded_shape(shape: Sequence[int]) -> tuple[int, int, int]:
    """Return a tensor's shape as [planes, rows, cols]; a vector is planes of one cell."""
    if len(shape) == 1:
        return shape[0], 1, 1
    if len(shape) == 2:
        return 1, shape[0], shape[1]
    return int(np.prod(shape[:-2])), shape[-2], shape[-1]


class Tensors:
    """What a game shows to a player: its observation, or where there is none its information state."""

    def __init__(self, spiel: Any) -> None:
        kind = spiel.get_type()
        self.is_observation = bool(kind.provides_observation_tensor)
        self.players = spiel.num_players()
        if self.is_observation:
            shape = spiel.observation_tensor_shape()
        elif kind.provides_information_state_tensor:
            shape = spiel.information_state_tensor_shape()
        else:
            shape = []
        self.shape = folded_shape(shape) if shape else None

    def of(self, state: Any, player: int) -> NDArray[np.float32]:
        """Return what a player sees, [planes, rows, cols]."""
        tensor = state.observation_tensor if self.is_observation else state.information_state_tensor
        return np.asarray(tensor(player), np.float32).reshape(self.shape or 0)

    def planes(self, state: Any, player: int) -> NDArray[np.float32]:
        """Return the tensor and, where there are several players, a plane of ones for this one."""
        seen = self.of(state, player)
        if self.players == 1:
            return seen
        who = np.zeros((self.players, *seen.shape[1:]), np.float32)
        who[player] = 1
        return np.concatenate([seen, who])


@dataclass(frozen=True)
class Group:
    """Planes that become cells: one-hot planes, or a single plane of small whole numbers or one-hot rows."""

    planes: tuple[int, ...]
    values: int
    is_number: bool
    is_uniform: bool
    """All places have the same value: one cell is enough."""
    is_rows: bool = False
    """Each row has a single one: a cell a row."""


class Cells:
    """The cells of a game, found on random games."""

    def __init__(self, groups: list[Group], rows: int, cols: int, actors: int = 0) -> None:
        """Make cells of groups, and one that shows which of `actors` acts, unless `actors` is 0."""
        self.groups, self.rows, self.cols, self.actors = groups, rows, cols, actors
        sizes = [1 if g.is_uniform else rows if g.is_rows else rows * cols for g in groups]
        self.starts = np.cumsum([0, *sizes[:-1]]).tolist() if sizes else []
        self.values = [group.values for group, size in zip(groups, sizes, strict=True) for _ in range(size)]
        self.values += [actors] if actors else []
        boards = [s for s, g in zip(self.starts, groups, strict=True) if not (g.is_uniform or g.is_rows)]
        self._neighbours = self._grid(boards) if rows > 1 and cols > 1 and boards else None

    def of(self, tensor: NDArray[np.float32], actor: int) -> list[int]:
        """Return the value of each cell; the highest of the actor's is for chance, and for nobody."""
        cells = self.seen(tensor)
        return [*cells, actor if actor >= 0 else self.actors - 1] if self.actors else cells

    def seen(self, tensor: NDArray[np.float32]) -> list[int]:
        """Return the value of each cell, but for the one of the actor."""
        cells: list[int] = []
        for group in self.groups:
            part = tensor[list(group.planes)].reshape(len(group.planes), -1)
            if group.is_rows:
                part = part.reshape(self.rows, self.cols).T
            elif group.is_uniform:
                part = part[:, :1]
            if group.is_number:
                found = np.clip(part[0], 0, group.values - 1).astype(np.int64)
            else:  # 0: none of the planes is set
                found = np.where((part > 0).any(axis=0), 1 + (part > 0).argmax(axis=0), 0)
            cells += found.tolist()
        return cells

    @property
    def has_neighbours(self) -> bool:
        """Whether cells lie on a board."""
        return self._neighbours is not None

    def adjacency(self, cell: int) -> list[int]:
        """Return the cells around this one, those at its place in other groups, and the actor's.

        The actor's is beside all cells of a board.
        """
        assert self._neighbours is not None
        return self._neighbours[cell]

    def _grid(self, boards: list[int]) -> list[list[int]]:
        places = self.rows * self.cols
        lists: list[list[int]] = [[] for _ in self.values]
        for start in boards:
            for place in range(places):
                row, col = divmod(place, self.cols)
                around = [
                    start + r * self.cols + c
                    for r in range(row - 1, row + 2)
                    for c in range(col - 1, col + 2)
                    if (r, c) != (row, col) and 0 <= r < self.rows and 0 <= c < self.cols
                ]
                lists[start + place] = around + [other + place for other in boards if other != start]
        if self.actors:
            lists[-1] = [cell for cell, others in enumerate(lists) if others]
            for cell in lists[-1]:
                lists[cell].append(len(lists) - 1)
        return lists


@dataclass(frozen=True)
class Sample:
    """What random games showed: tensors, who acted there, and the highest numbers of actions and outcomes."""

    tensors: list[NDArray[np.float32]]
    actors: list[int]
    actions: int
    outcomes: int
    takes_turns: bool
    """Who acted last decides who acts next."""


def sample_games(spiel: Any, tensors: Tensors, per_player: bool) -> Sample:
    """Play random games, always the same ones; some games have more actions than they declare."""
    rng = random.Random(1)
    seen: list[NDArray[np.float32]] = []
    actors: list[int] = []
    nexts: dict[int, int] = {}
    takes_turns = True
    actions = outcomes = positions = 0
    while positions < SAMPLES:
        state, before, last = spiel.new_initial_state(), positions, None
        while not state.is_terminal() and positions < before + SAMPLES // 4:
            actor = actor_in(state)
            if last is not None and last >= 0:
                takes_turns &= nexts.setdefault(last, actor) == actor
            last = actor
            if state.is_chance_node():
                drawn, weights = zip(*state.chance_outcomes(), strict=True)
                outcomes = max(outcomes, max(drawn) + 1)
                state.apply_action(rng.choices(drawn, weights)[0])
                continue
            positions += 1
            legal = state.legal_actions()
            actions = max(actions, max(legal) + 1)
            if tensors.shape is not None:
                seen.append(tensors.of(state, actor if per_player else 0))
                actors.append(actor)
            state.apply_action(rng.choice(legal))
        if positions == before:
            break
    return Sample(seen, actors, actions, outcomes, takes_turns)


def find_cells(tensors: Tensors, sample: Sample) -> Cells | None:
    """Find the cells of a game; None if its tensors are no small whole numbers."""
    if tensors.shape is None or not sample.tensors:
        return None
    flat = np.stack(sample.tensors).reshape(len(sample.tensors), tensors.shape[0], -1)
    if flat.min() < 0 or flat.max() >= MOST_VALUES or (flat != np.round(flat)).any():
        return None
    groups: list[Group] = []
    occupied = np.zeros((len(flat), flat.shape[2]), bool)
    for plane in range(tensors.shape[0]):
        values = flat[:, plane]
        is_uniform = bool((values == values[:, :1]).all())
        most = int(values.max())
        if has_one_hot_rows(values.reshape(-1, *tensors.shape[1:])):
            groups.append(Group((plane,), tensors.shape[2] + 1, False, False, is_rows=True))
            continue
        if most > 1:
            groups.append(Group((plane,), min(2 * most + 1, MOST_VALUES), True, is_uniform))
            continue
        last = groups[-1] if groups else None
        fits = last is not None and not (last.is_number or last.is_rows) and last.is_uniform == is_uniform
        if last is not None and fits and last.values < MOST_VALUES and not (occupied & (values > 0)).any():
            groups[-1] = Group((*last.planes, plane), last.values + 1, False, is_uniform)
            occupied |= values > 0
        else:
            groups.append(Group((plane,), 2, False, is_uniform))
            occupied = values > 0
    cells = Cells(groups, *tensors.shape[1:])
    if sample.takes_turns or tells_actor(np.array([cells.seen(t) for t in sample.tensors]), sample.actors):
        return cells
    return Cells(groups, *tensors.shape[1:], actors=tensors.players + 1)


def has_one_hot_rows(planes: NDArray[np.float32]) -> bool:
    """Return whether each row of [samples, rows, cols] has a single one, and not always the same."""
    if not 2 < planes.shape[2] < MOST_VALUES or planes.max() > 1 or (planes.sum(axis=2) != 1).any():
        return False
    return bool((planes != planes[:1]).any())


def tells_actor(cells: NDArray[np.int64], actors: list[int]) -> bool:
    """Return whether one cell of [samples, cells] decides who acts."""
    who = np.array(actors)
    return any(
        all(len(set(who[column == value])) == 1 for value in set(column.tolist()))
        for column in cells.T
        if len(set(column.tolist())) <= MOST_TELLING
    )
