"""Users' own games are drawn and printed by declaring their board."""

import xml.etree.ElementTree as ElementTree

import pytest

import boardlab as bl
from boardlab.games.game import Game
from boardlab.testing import check_game


def make(**attributes):
    """A game of placing stones on nine places, until all are taken, with some attributes changed."""

    class Placing(bl.PythonGame):
        """Place stones; who places the last one wins."""

        name = "placing"
        action_count = 9

        def initial_state(self, rng):
            return (0,) * 9

        def player(self, position):
            return bl.TERMINAL if all(position) else 9 - position.count(0) & 1

        def legal(self, position):
            return [cell for cell in range(9) if not position[cell]]

        def apply(self, position, action):
            mover = self.player(position)
            return (*position[:action], mover + 1, *position[action + 1 :])

        def scores(self, position):
            return (1, -1) if all(position) else (0, 0)

    for name, value in attributes.items():
        setattr(Placing, name, value)
    bl.register_game(Placing)
    return Game(Placing())


@pytest.fixture(autouse=True)
def _forget_the_game():
    from boardlab.games.registry import GAMES

    yield
    GAMES.pop("placing", None)


def after(game, *actions):
    state = game.initial_state()
    for action in actions:
        state.apply(action)
    return state


def words(state, **options):
    svg = state.to_svg(**options)
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


SHAPES = [
    bl.grid(3, 3),
    bl.grid(3, 3, "checkered"),
    bl.grid(1, 9, "points"),
    bl.hexagonal(rows=3, cols=3),
    bl.graph(9, [(i, i + 1) for i in range(8)]),
    bl.graph([(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)], [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 3), (1, 2), (1, 4), (2, 4)], cells="edges"),
]  # fmt: skip


@pytest.mark.parametrize("board", SHAPES, ids=lambda board: type(board).__name__)
def test_a_declared_board_is_drawn_with_stones_marks_and_places(board):
    game = make(board=board)
    check_game(game, games=2)
    state = after(game, 4, 0)
    svg = state.to_svg(legal=True)
    assert svg.count("data-action") == 7 and "f-legal" in svg and 'class="last"' in svg
    assert "player 0 to move" in words(state)
    assert 'class="opinion"' in state.to_svg(bl.Decision(1, values={1: 0.5, 2: -0.5}))


def test_a_declared_board_is_printed_too():
    state = after(make(board=bl.grid(3, 3)), 4, 0)
    assert state.game.rules.board_text(state) == "  a b c\n1 O . .\n2 . X .\n3 . . .\nplayer 0 to move"
    state = after(
        make(board=bl.hexagonal(rows=3, cols=3), player_name=lambda self, player: "WB"[player]), 4, 0
    )
    assert state.game.rules.board_text(state) == "a B . .\n b . W .\n  c . . .\nW to move"
    state = after(make(board=bl.graph(9, [(0, 1)], names="abcdefghi")), 8)
    assert state.game.rules.board_text(state).startswith("a:. b:. c:.")


def test_pieces_may_be_text_or_both():
    def pieces(self, position):
        return [{0: None, 1: bl.piece(0, "K"), 2: "12"}[cell] for cell in position]

    state = after(make(board=bl.grid(3, 3), pieces=pieces), 4, 0)
    assert {"K", "12"} <= set(words(state)) and " K  ." in state.game.rules.board_text(state)


def test_actions_between_cells_and_without_a_cell():
    def cells_of(self, position, action):
        return (0, action) if action < 8 else ()

    game = make(
        board=bl.grid(3, 3), cells_of=cells_of, action_name=lambda self, position, action: f"go {action}"
    )
    svg = game.initial_state().to_svg()
    assert svg.count('class="button"') == 1 and 'aria-label="go 8"' in svg and svg.count("data-action") == 9


def test_a_winning_line_is_marked_at_the_end():
    game = make(board=bl.grid(3, 3), winning_line=lambda self, position: (0, 4, 8))
    assert "s-win" not in after(game, 4).to_svg() and "s-win" in after(game, *range(9)).to_svg()


def test_cards_lie_in_rows():
    def pieces(self, position):
        return [["As", "10h", "K", "??", ""], [str(stone) for stone in position if stone]]

    game = make(board=bl.cards("the table", "<b>you</b>"), pieces=pieces, cells_of=lambda *_: ())
    state = after(game, 4, 0)
    assert {"A", "10", "K", "the table", "<b>you</b>"} <= set(words(state)) and "<b>" not in state.to_svg()
    assert state.game.rules.board_text(state).startswith("the table: As 10h K ?? --\n<b>you</b>: 2 1")


def test_a_game_without_a_board_gets_a_table_of_its_numbers():
    assert "number 4" in words(after(make(), 4))
    named = after(make(labels=("first", "second")), 0)
    assert {"first", "second", "number 2"} <= set(words(named))
    assert named.game.rules.board_text(named).startswith("first: 1\nsecond: 0\nnumber 2: 0")
    assert "data-action" in named.to_svg()


def test_a_game_with_a_text_is_drawn_as_text():
    state = make(text=lambda self, position: "a & <b>").initial_state()
    assert "a & <b>" in words(state) and "player 0 to move" in words(state)


def test_a_game_may_draw_itself():
    game = make(to_svg=lambda self, state: f"<svg><!-- {state.player} --></svg>")
    assert game.initial_state().to_svg(legal=True) == "<svg><!-- 0 --></svg>"


def test_names_of_a_stranger_run_no_code():
    evil = '"><script>alert(1)</script>\x00\x01'

    def action_name(self, position, action):
        return f"{evil}{action}"

    game = make(
        board=bl.grid(3, 3),
        player_name=lambda self, player: evil,
        action_name=action_name,
        pieces=lambda self, position: [evil] * 9,
        cells_of=lambda self, position, action: (action,) if action else (),
    )
    state = after(game, 4)
    decision = bl.Decision(0, {0: 1.0}, {0: 0.5}, line=(0, 1), state=state)
    for markup in (state.to_svg(decision, legal=True), decision._repr_html_(), state.to_svg(theme="dark")):
        assert "<script" not in markup
    ElementTree.fromstring(state.to_svg(decision))


def test_a_stranger_colour_cannot_leave_its_attribute():
    from boardlab.games.drawing import Canvas

    canvas = Canvas(10, 10)
    canvas.circle(1, 1, 1, '"/><script>', stroke="'><b>")
    ElementTree.fromstring(canvas.svg())
    assert "<script" not in canvas.svg() and "<b>" not in canvas.svg()


def test_a_board_of_another_meaning_is_no_shape():
    assert "number 0" in words(make(board=lambda self, position: "mine").initial_state())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: bl.grid(0, 3), "rows must be a whole number from 1 to 64, not 0"),
        (lambda: bl.grid(3, 3, "chekered"), 'unknown style of a grid "chekered"; did you mean "checkered"'),
        (lambda: bl.hexagonal(), "hexagonal needs a side, or rows and cols"),
        (lambda: bl.hexagonal(3, rows=2, cols=2), "hexagonal needs a side, or rows and cols"),
        (lambda: bl.hexagonal(rows=3), "cols must be a whole number"),
        (lambda: bl.graph(3, [(0, 3)]), "a node of an edge must be a whole number from 0 to 2, not 3"),
        (lambda: bl.graph(3, [0]), "an edge is a pair of nodes, not 0"),
        (lambda: bl.graph([(0, "x")], []), "nodes must be a number or a list of points"),
        (lambda: bl.graph(3, [], cells="edges"), "needs at least one edge"),
        (lambda: bl.graph(3, [], names=["a"]), "the graph has 3 nodes, but 1 names"),
        (lambda: bl.cards(), "cards needs the names of its rows"),
        (lambda: bl.cards(3), "the name of a row of cards must be text, not 3"),
        (lambda: bl.piece(9), "the player of a piece must be a whole number from 0 to 7, not 9"),
        (lambda: bl.piece(0, 3), "the text of a piece must be text, not 3"),
    ],
)
def test_wrong_shapes_are_refused(wrong, message):
    with pytest.raises(bl.BoardLabError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"board": (3, 3)}, r"placing: board must be a shape such as boardlab.grid\(3, 3\), not \(3, 3\)"),
        (
            {"pieces": lambda self, position: [1]},
            r"placing: pieces must return 9 pieces, not \[1\] in the position",
        ),
        ({"pieces": lambda self, position: None}, "placing: pieces must return 9 pieces, not None"),
        ({"pieces": lambda self, position: [object()] * 9}, "placing: pieces must return 9 pieces"),
        (
            {"cells_of": lambda self, position, action: action},
            "placing: cells_of must return a list of cells, not 0",
        ),
    ],
)
def test_wrong_answers_are_named(attributes, message):
    with pytest.raises(bl.BoardLabError, match=message):
        make(**{"board": bl.grid(3, 3)} | attributes).initial_state().to_svg()


def test_true_is_a_piece_of_player_0():
    game = make(board=bl.grid(3, 3), pieces=lambda self, position: [cell == 1 for cell in position])
    assert game.rules.board_text(after(game, 0, 1)).splitlines()[1] == "1 X . ."
