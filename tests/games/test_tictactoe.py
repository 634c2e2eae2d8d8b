import boardlab as bl
from boardlab import _engine


def test_number_of_games_and_positions():
    game = bl.game("tictactoe")
    # Games that end at each ply = sequences of that length minus those that go on.
    perft = [bl.perft(game, depth) for depth in range(11)]
    assert perft == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]
    assert sum(perft) == 549_946  # nodes of the whole tree
    assert sum(_engine.count_states([game.initial_state().core], 9)) == 5_478


def test_results_of_all_games():
    wins = {1.0: 0, -1.0: 0, 0.0: 0}

    def walk(state):
        if state.is_terminal:
            wins[float(state.scores[0])] += 1
            return
        for action in state.legal_actions():
            state.apply(action)
            walk(state)
            state.undo()

    walk(bl.game("tictactoe").initial_state())
    assert wins == {1.0: 131_184, -1.0: 77_904, 0.0: 46_080}


def test_positions_up_to_symmetry():
    game = bl.game("tictactoe")
    seen, frontier = set(), [game.initial_state()]
    while frontier:
        state = frontier.pop()
        key = min(state.symmetry(g).core.to_bytes() for g in range(8))
        if key not in seen:
            seen.add(key)
            frontier += [child for _, child in state.children()]
    assert len(seen) == 765


def test_it_is_a_draw():
    game = bl.game("tictactoe")
    assert bl.agent("alphabeta(depth=9)", game).act(game.initial_state()).scores.tolist() == [0, 0]
