"""An agent and an exam in Python, both used by name like those of BoardLab.

python examples/own_agent.py
boardlab --plugin examples/own_agent.py match connectfour "lookout(careful=False)" lookout
boardlab --plugin examples/own_agent.py evaluate "mcts(iterations=100)" --game connectfour --exam alert
"""

import random

import boardlab as bl


def fits(game: bl.Game) -> bool:
    """Whether the game has two players, nothing hidden and no chance."""
    return game.players == 2 and not game.has_chance and not game.is_hidden


def can_win(state: bl.State) -> bool:
    """Whether the player to move can win with one action."""
    return any(child.is_terminal and child.scores[state.player] > 0 for _, child in state.children())


@bl.register_agent("lookout")
class Lookout:
    """Win at once if possible; if careful, do not let the other player do so."""

    def __init__(self, game: bl.Game, seed: int, careful: bool = True) -> None:
        if not fits(game):
            raise bl.BoardLabError(f"lookout plays games of two players without chance, not {game!r}")
        self.rng, self.careful = random.Random(seed), careful

    def act(self, state: bl.State) -> bl.Decision:
        """Play the action with the best value, at random among equals."""
        values = {}
        for action, child in state.children():
            if child.is_terminal:
                values[action] = float(child.scores[state.player])
            elif self.careful and child.player != state.player and can_win(child):
                values[action] = -1.0
            else:
                values[action] = 0.0
        best = max(values.values())
        chosen = self.rng.choice([action for action, value in values.items() if value == best])
        return bl.Decision(chosen, values=values)


@bl.register_exam("alert", best=1, values=(0, 1), applies=fits)
def alert(paper):
    """Share of random games in which the agent takes the first chance to win"""
    agent, rng = paper.make_agent(), random.Random(paper.seed)
    answers = []
    for _ in range(paper.games):
        state = paper.game.initial_state(rng.getrandbits(32))
        while not state.is_terminal and not can_win(state):
            state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            player = state.player
            state.apply(agent.act(state).action)
            answers.append(state.is_terminal and state.scores[player] > 0)
    return answers


if __name__ == "__main__":
    game = bl.game("connectfour")
    print(bl.match(game, ["lookout", "lookout(careful=False)"], games=20, seed=1))
    for agent in ("lookout", "random", "mcts(rollout, iterations=100)"):
        print(agent, bl.evaluate(agent, game, "alert", games=20, seed=1).value)
