"""Learning through the bridge to OpenSpiel, beside the same rules without it."""

from random import Random

import numpy as np
import pytest

import boardlab as bl

pytest.importorskip("pyspiel")
pytest.importorskip("torch")

SIZE = 4


class Twin(bl.PythonGame):
    """OpenSpiel's breakthrough on 4 x 4 cells, number for number: a small board has one row of pieces.

    A position is the cells (0 empty, 1 and 2 a piece) and who moves. An action is ((cell * 6) + direction) * 2,
    and 1 more for a capture; player 0 goes down in directions 0 to 2, player 1 up in 3 to 5.
    """

    name = "twin"
    action_count = 12 * SIZE**2
    horizon = 41
    cell_values = 4  # as the bridge counts: no piece seen, player 0's, player 1's, empty

    def initial_state(self, rng: Random):
        return (*[1] * SIZE, *[0] * (SIZE - 2) * SIZE, *[2] * SIZE, 0)

    def won(self, position):
        before = 1 - position[-1]
        last_row = position[-1 - SIZE : -1] if before == 0 else position[:SIZE]
        return before + 1 in last_row or position[-1] + 1 not in position[:-1]

    def player(self, position):
        return bl.TERMINAL if self.won(position) else position[-1]

    def target(self, action):
        cell, direction = action // 12, action // 2 % 6
        row, col = cell // SIZE + (1 if direction < 3 else -1), cell % SIZE + direction % 3 - 1
        return row * SIZE + col if 0 <= row < SIZE and 0 <= col < SIZE else -1

    def legal(self, position):
        cells, mover = position[:-1], position[-1]
        for cell in range(SIZE**2):
            for direction in range(3 * mover, 3 * mover + 3) if cells[cell] == mover + 1 else ():
                action = 12 * cell + 2 * direction
                target = self.target(action)
                if target >= 0 and cells[target] == 0:
                    yield action
                elif target >= 0 and cells[target] == 2 - mover and direction % 3 != 1:
                    yield action + 1

    def apply(self, position, action):
        cells = list(position[:-1])
        cells[action // 12], cells[self.target(action)] = 0, position[-1] + 1
        return (*cells, 1 - position[-1])

    def scores(self, position):
        return ((1, -1) if position[-1] == 1 else (-1, 1)) if self.won(position) else (0, 0)

    def board_vector(self, position, player):
        return [cell or 3 for cell in position[:-1]]

    def adjacency(self, cell):
        around = [(cell // SIZE + down, cell % SIZE + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        inside = [row * SIZE + col for row, col in around if 0 <= row < SIZE and 0 <= col < SIZE]
        return [other for other in inside if other != cell]

    def planes(self, position, player):
        cells = np.reshape(position[:-1], (SIZE, SIZE))
        who = [np.full((SIZE, SIZE), player == other) for other in (0, 1)]
        return np.stack([cells == 1, cells == 2, cells == 0, *who])


@pytest.mark.bridge
@pytest.mark.parametrize("learner", ["td-ntuple", "alphazero"])
def test_learners_end_with_the_same_weights_as_on_the_same_rules_without_the_bridge(
    learner, tmp_path
) -> None:
    bl.register_game(Twin)
    settings = {"episodes": 60} if learner == "td-ntuple" else {
        "episodes": 16, "games": 8, "parallel": 8, "simulations": 8, "channels": 4, "blocks": 1, "threads": 1, "device": "cpu",
    }  # fmt: skip
    learned = []
    for name in ("twin", f"openspiel:breakthrough(rows={SIZE},columns={SIZE})"):
        out = tmp_path / str(len(learned))
        bl.train(bl.game(name), learner, out=out, seed=1, exams=[], **settings)
        with np.load(out / "weights.npz") as arrays:
            learned.append({name: arrays[name] for name in arrays})
    assert learned[0].keys() == learned[1].keys()
    for name, array in learned[0].items():
        assert np.array_equal(array, learned[1][name]), name
