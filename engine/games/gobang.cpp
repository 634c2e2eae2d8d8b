// Gobang: k in a row on rows x cols. Gomoku, TicTacToe and every m,n,k-game are of this kind.
//
// One byte per cell: lines are only searched through the last stone, and a walk over bytes is as fast as shifting the
// six words of a 19x19 bitboard. CAPACITY bounds the cells, so that small boards have small states.
#include <algorithm>

#include "core/adapt.h"
#include "games/filling.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

template <int CAPACITY>
class Gobang {
 public:
  static constexpr int max_legal = CAPACITY;

  struct State {
    std::uint8_t cells[CAPACITY];  // 0 empty, 1 + player
    std::uint16_t count;           // stones on the board
    std::uint16_t result;          // 0 running, 1 + winner, or DRAW
  };

  Gobang(int rows, int cols, int k, bool exactly) : rows_(rows), cols_(cols), k_(k), exactly_(exactly) {
    for (int cell = 0; cell < cells(); ++cell) {
      const int row = cell / cols, col = cell % cols;
      for (int axis = 0; axis < 4; ++axis) {
        const auto room = [&](int sign) {
          const int down = sign * DOWN[axis], right = sign * RIGHT[axis];
          const int vertical = down > 0 ? rows - 1 - row : down < 0 ? row : rows + cols;
          const int horizontal = right > 0 ? cols - 1 - col : right < 0 ? col : rows + cols;
          return static_cast<std::uint8_t>(std::min({vertical, horizontal, k}));
        };
        room_[cell][axis][0] = room(1);
        room_[cell][axis][1] = room(-1);
      }
    }
    for (int axis = 0; axis < 4; ++axis) step_[axis] = DOWN[axis] * cols + RIGHT[axis];
  }

  Facts facts() const {
    Facts f;
    f.action_count = cells();
    f.horizon = cells();
    f.flags = BL_ZERO_SUM;
    f.field_count = cells();
    f.cells = cells();
    f.max_changes = 1;
    f.symmetries = rows_ == cols_ ? 8 : 4;
    f.plane_count = 2;
    f.plane_rows = rows_;
    f.plane_cols = cols_;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.result ? TERMINAL : s.count & 1; }
  int last_player(const State &s) const { return s.count ? 1 - (s.count & 1) : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int cell = 0; cell < cells(); ++cell)
      if (!s.cells[cell]) actions[count++] = cell;
    return count;
  }
  int playout(State &s, Rng &rng, int max_actions) const { return shuffled_playout(*this, s, rng, max_actions); }
  void apply(State &s, Action cell) const {
    const auto stone = static_cast<std::uint8_t>(1 + (s.count & 1));
    s.cells[cell] = stone;
    ++s.count;
    if (has_line_through(s, cell))
      s.result = stone;
    else if (s.count == cells())
      s.result = DRAW;
  }
  void scores(const State &s, double *out) const {
    out[0] = s.result == 1 ? 1 : s.result == 2 ? -1 : 0;
    out[1] = -out[0];
  }

  void to_fields(const State &s, std::int32_t *fields) const { std::copy(s.cells, s.cells + cells(), fields); }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    int stones[2] = {0, 0};
    for (int cell = 0; cell < cells(); ++cell) {
      if (fields[cell] < 0 || fields[cell] > 2) return "a cell must be empty, X or O";
      s.cells[cell] = static_cast<std::uint8_t>(fields[cell]);
      if (fields[cell]) ++stones[fields[cell] - 1];
    }
    if (stones[0] != stones[1] && stones[0] != stones[1] + 1) return "X must have as many stones as O, or one more";
    s.count = static_cast<std::uint16_t>(stones[0] + stones[1]);
    const auto mover = static_cast<std::uint8_t>(1 + (s.count & 1)), last = static_cast<std::uint8_t>(3 - mover);
    if (has_line(s, mover)) return "play continued after the game was won";
    if (has_line(s, last)) {
      // Some last stone of the winner must lie in all of its lines.
      bool possible = false;
      for (int cell = 0; cell < cells() && !possible; ++cell) {
        if (s.cells[cell] != last) continue;
        s.cells[cell] = 0;
        possible = !has_line(s, last);
        s.cells[cell] = last;
      }
      if (!possible) return "play continued after the game was won";
      s.result = last;
    } else if (s.count == cells()) {
      s.result = DRAW;
    }
    return nullptr;
  }

  int cell_values(int) const { return 3; }
  void board_vector(const State &s, int, std::uint8_t *out) const { std::copy(s.cells, s.cells + cells(), out); }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(rows_, cols_, cell, true, out); }
  int apply_changes(State &s, Action cell, int, bl_cell_change *changes) const {
    apply(s, cell);
    changes[0] = {cell, 0, s.cells[cell]};
    return 1;
  }

  void symmetry(std::uint64_t g, State &s) const {
    const State before = s;
    for (int cell = 0; cell < cells(); ++cell) s.cells[symmetry_action(g, cell)] = before.cells[cell];
  }
  int symmetry_action(std::uint64_t g, Action a) const { return rectangle_symmetry(g, rows_, cols_, a); }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return rectangle_symmetry_cells(g, rows_, cols_, source, values);
  }

  void planes(const State &s, int player, float *out) const {
    for (int cell = 0; cell < cells(); ++cell) {
      out[cell] = s.cells[cell] == 1 + player;
      out[cells() + cell] = s.cells[cell] == 2 - player;
    }
  }
  double moves_left(const State &s) const { return cells() - s.count; }

 private:
  static constexpr std::uint16_t DRAW = 3;
  static constexpr int DOWN[4] = {0, 1, 1, 1}, RIGHT[4] = {1, 0, 1, -1};

  int cells() const { return rows_ * cols_; }
  // Whether the stone on `cell` is in a line of k; with `exactly`, longer lines do not count.
  bool has_line_through(const State &s, int cell) const {
    const std::uint8_t stone = s.cells[cell];
    for (int axis = 0; axis < 4; ++axis) {
      int length = 1;
      for (int i = 1; i <= room_[cell][axis][0] && s.cells[cell + i * step_[axis]] == stone; ++i) ++length;
      for (int i = 1; i <= room_[cell][axis][1] && s.cells[cell - i * step_[axis]] == stone; ++i) ++length;
      if (exactly_ ? length == k_ : length >= k_) return true;
    }
    return false;
  }
  bool has_line(const State &s, std::uint8_t stone) const {
    for (int cell = 0; cell < cells(); ++cell)
      if (s.cells[cell] == stone && has_line_through(s, cell)) return true;
    return false;
  }

  int rows_, cols_, k_;
  bool exactly_;
  int step_[4] = {};
  std::uint8_t room_[CAPACITY][4][2] = {};  // cells to the edge along an axis, forwards and back, at most k
};

}  // namespace

bl_game make_gobang(const Params &params) {
  const int rows = params.integer("rows", 3, 19), cols = params.integer("cols", 3, 19);
  const int k = params.integer("k", 2, 19);
  const bool exactly = params.boolean("exactly");
  if (k > rows && k > cols) params.refuse("k", "must fit on the board: at most the larger of rows and cols");
  if (rows * cols <= 36) return make_table(std::make_unique<Gobang<36>>(rows, cols, k, exactly));
  if (rows * cols <= 100) return make_table(std::make_unique<Gobang<100>>(rows, cols, k, exactly));
  if (rows * cols <= 228) return make_table(std::make_unique<Gobang<228>>(rows, cols, k, exactly));
  return make_table(std::make_unique<Gobang<364>>(rows, cols, k, exactly));
}

}  // namespace boardlab
