"""Draw the README's picture: an agent learns Connect Four, and what it then thinks of a position.

python docs/readme_picture.py      # writes docs/pictures/connectfour.svg; about a minute on one core

The seed is fixed, so the picture is the same every time.
"""

import tempfile
from pathlib import Path

import boardlab as bl
from boardlab.games.drawing import LINE, Canvas

OPPONENT = "mcts(rollout, iterations=200)"
EPISODES, EXAMS, GAMES = 1_000_000, 20, 100
PLAYED = (3, 3, 3, 3, 2)
LEFT, RIGHT, TOP, BOTTOM = 62.0, 402.0, 52.0, 266.0


def trained(folder: Path) -> bl.Run:
    """Train with one exam every 50,000 episodes."""
    return bl.train(
        bl.game("connectfour"),
        episodes=EPISODES,
        out=folder / "run",
        seed=1,
        exams=[OPPONENT],
        exam_every=EPISODES // EXAMS,
        exam_games=GAMES,
        progress=False,
    )


def point(row: dict[str, float], shift: float = 0.0) -> tuple[float, float]:
    """Return the place in the chart of an exam: mean score of -1 to 1 over episodes."""
    score = max(-1.0, min(1.0, row[OPPONENT] + shift))
    x = LEFT + (RIGHT - LEFT) * row["episodes"] / EPISODES
    return x, BOTTOM - (BOTTOM - TOP) * (score + 1) / 2


def draw_axes(canvas: Canvas) -> None:
    """Draw grid lines, numbers and titles of the chart."""
    for score in (-1, 0, 1):
        y = BOTTOM - (BOTTOM - TOP) * (score + 1) / 2
        canvas.line(LEFT, y, RIGHT, y, LINE, 1)
        canvas.text(LEFT - 20, y, f"{score:+d}" if score else "0")
    for share, label in ((0.25, "250k"), (0.5, "500k"), (0.75, "750k"), (1, "1M")):
        canvas.text(LEFT + (RIGHT - LEFT) * share, BOTTOM + 16, label)
    canvas.text((LEFT + RIGHT) / 2, 26, "mean score against MCTS with 200 rollouts, ± 95%", size=13)
    canvas.text((LEFT + RIGHT) / 2, BOTTOM + 38, "games of self-play", size=13)


def draw_curve(canvas: Canvas, log: list[dict[str, float]]) -> None:
    """Draw the learning curve over the band of its 95% intervals."""
    half = f"{OPPONENT} interval"
    band = [point(row, row[half]) for row in log] + [point(row, -row[half]) for row in reversed(log)]
    canvas.polygon(band, "blue", stroke="", opacity=0.25)
    for (x1, y1), (x2, y2) in zip(map(point, log), map(point, log[1:]), strict=False):
        canvas.line(x1, y1, x2, y2, "blue", 2.5)


def draw_position(canvas: Canvas, run: bl.Run, x: float) -> None:
    """Draw the position with what the search thinks of every column."""
    state = run.game.initial_state()
    for action in PLAYED:
        state.apply(action)
    evaluator = run.expression.removeprefix("greedy(").removesuffix(")")
    decision = bl.agent(f"mcts({evaluator}, iterations=1000)", run.game, seed=1).act(state)
    canvas.elements.append(f'<g transform="translate({x:g},8)">{decision.to_svg()}</g>')


def main() -> None:
    """Train, draw and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        run = trained(Path(folder))
        canvas = Canvas(744, 322)
        draw_axes(canvas)
        draw_curve(canvas, run.log)
        draw_position(canvas, run, 424)
    target = Path(__file__).parent / "pictures" / "connectfour.svg"
    target.write_text(canvas.svg(), encoding="utf-8")
    print(target.name)


if __name__ == "__main__":
    main()
