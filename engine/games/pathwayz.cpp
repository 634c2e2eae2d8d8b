// Pathwayz: pieces of two colours on rows x cols; the first path from the left edge to the right, diagonals included,
// wins for its colour. A permanent piece of the OTHER colour flips the regular pieces around it.
//
// Bitboard: bit row*(cols+1) + col, with a guard column against wrapping around; 8x12 ends at bit 102.
#include "core/adapt.h"
#include "core/bits.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

template <class W>
class Pathwayz {
 public:
  static constexpr int MAX_CELLS = sizeof(W) == 8 ? 63 : 96;
  static constexpr int max_legal = 2 * MAX_CELLS;

  struct State {
    W pieces[2];           // by colour: 0 white, 1 black
    W permanent;           // those among them that never flip
    std::uint64_t count;   // pieces on the board
    std::uint64_t result;  // 0 running, 1 + winner, or DRAW
  };

  Pathwayz(int rows, int cols) : rows_(rows), cols_(cols), stride_(cols + 1) {
    for (int cell = 0; cell < cells(); ++cell) board_ |= bit(cell);
    for (int row = 0; row < rows; ++row) {
      left_ |= bit(row * cols);
      right_ |= bit(row * cols + cols - 1);
    }
  }

  Facts facts() const {
    Facts f;
    f.action_count = 2 * cells();
    f.horizon = cells();
    f.flags = BL_ZERO_SUM;
    f.field_count = cells();
    f.cells = cells();
    f.max_changes = 9;
    f.symmetries = 4;
    f.plane_count = 4;
    f.plane_rows = rows_;
    f.plane_cols = cols_;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.result ? TERMINAL : static_cast<int>(s.count & 1); }
  int last_player(const State &s) const { return s.count ? static_cast<int>(1 - (s.count & 1)) : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (W open = empty(s); open; open &= open - 1) actions[count++] = cell_at(lowest_bit(open));
    for (int i = 0; i < count; ++i) actions[count + i] = cells() + actions[i];
    return 2 * count;
  }
  Action random_action(const State &s, Rng &rng) const {
    const W open = empty(s);
    const std::uint32_t pick = rng.below(2 * static_cast<std::uint32_t>(popcount(open)));
    return cell_at(select_bit(open, pick / 2)) + (pick & 1 ? cells() : 0);
  }
  void apply(State &s, Action action) const {
    const int me = static_cast<int>(s.count & 1);
    const bool is_permanent = action >= cells();
    const W piece = bit(is_permanent ? action - cells() : action);
    if (is_permanent) {
      s.pieces[1 - me] |= piece;
      s.permanent |= piece;
      flip(s, piece);
    } else {
      s.pieces[me] |= piece;
    }
    ++s.count;
    s.result = result_after(s, me);
  }
  void scores(const State &s, double *out) const {
    out[0] = s.result == 1 ? 1 : s.result == 2 ? -1 : 0;
    out[1] = -out[0];
  }

  // 0 empty, 1 white, 2 black, 3 white permanent, 4 black permanent
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < cells(); ++cell) fields[cell] = value(s, bit(cell));
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < cells(); ++cell) {
      const int v = fields[cell];
      if (v < 0 || v > 4) return "a cell must be empty or hold a white or black, regular or permanent piece";
      if (v == 0) continue;
      s.pieces[(v - 1) & 1] |= bit(cell);
      if (v > 2) s.permanent |= bit(cell);
      ++s.count;
    }
    const int white_turns = static_cast<int>(s.count + 1) / 2, black_turns = static_cast<int>(s.count) / 2;
    if (popcount(s.pieces[1] & s.permanent) > white_turns || popcount(s.pieces[0] & s.permanent) > black_turns)
      return "the other colour places permanent pieces, and there are more than it had turns";
    const int last = 1 - static_cast<int>(s.count & 1);
    if (joins(s.pieces[0]) || joins(s.pieces[1])) {
      if (!some_piece_decided(s, last)) return "play continued after the game was won";
      s.result = result_after(s, last);
    } else if (s.count == static_cast<std::uint64_t>(cells())) {
      s.result = DRAW;
    }
    return nullptr;
  }

  int cell_values(int) const { return 5; }
  void board_vector(const State &s, int, std::uint8_t *out) const {
    for (int cell = 0; cell < cells(); ++cell) out[cell] = static_cast<std::uint8_t>(value(s, bit(cell)));
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(rows_, cols_, cell, true, out); }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    const bool is_permanent = action >= cells();
    const int cell = is_permanent ? action - cells() : action;
    int count = 0;
    if (is_permanent) {
      const W flipped = around(bit(cell)) & (s.pieces[0] | s.pieces[1]) & ~s.permanent;
      for (W rest = flipped; rest; rest &= rest - 1) {
        const auto before = static_cast<std::uint8_t>(value(s, rest & -rest));
        changes[count++] = {cell_at(lowest_bit(rest)), before, static_cast<std::uint8_t>(3 - before)};
      }
    }
    apply(s, action);
    changes[count++] = {cell, 0, static_cast<std::uint8_t>(value(s, bit(cell)))};
    return count;
  }

  void symmetry(std::uint64_t g, State &s) const {
    for (W *pieces : {&s.pieces[0], &s.pieces[1], &s.permanent}) {
      W moved = 0;
      for (W rest = *pieces; rest; rest &= rest - 1)
        moved |= bit(rectangle_symmetry(g, rows_, cols_, cell_at(lowest_bit(rest))));
      *pieces = moved;
    }
  }
  int symmetry_action(std::uint64_t g, Action a) const {
    return a < cells() ? rectangle_symmetry(g, rows_, cols_, a)
                       : cells() + rectangle_symmetry(g, rows_, cols_, a - cells());
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return rectangle_symmetry_cells(g, rows_, cols_, source, values);
  }

  // Own regular and permanent pieces, then the other's.
  void planes(const State &s, int player, float *out) const {
    for (int cell = 0; cell < cells(); ++cell) {
      const int v = value(s, bit(cell));
      for (int i = 0; i < 2; ++i) {
        const int colour = i == 0 ? player : 1 - player;
        out[2 * i * cells() + cell] = v == 1 + colour;
        out[(2 * i + 1) * cells() + cell] = v == 3 + colour;
      }
    }
  }
  double moves_left(const State &s) const { return cells() - static_cast<int>(s.count); }

 private:
  static constexpr std::uint64_t DRAW = 3;

  int cells() const { return rows_ * cols_; }
  W bit(int cell) const { return W(1) << (cell / cols_ * stride_ + cell % cols_); }
  int cell_at(int b) const { return b / stride_ * cols_ + b % stride_; }
  W empty(const State &s) const { return board_ & ~(s.pieces[0] | s.pieces[1]); }
  static int value(const State &s, W at) {
    const int colour = s.pieces[0] & at ? 1 : s.pieces[1] & at ? 2 : 0;
    return s.permanent & at ? colour + 2 : colour;
  }
  // The given cells and their neighbours; bits in the guard column may appear.
  W grown(W w) const {
    w |= w << 1 | w >> 1;
    return w | w << stride_ | w >> stride_;
  }
  W around(W piece) const { return grown(piece) & board_ & ~piece; }
  void flip(State &s, W piece) const {
    const W flipped = around(piece) & (s.pieces[0] | s.pieces[1]) & ~s.permanent;
    s.pieces[0] ^= flipped;
    s.pieces[1] ^= flipped;
  }
  bool joins(W pieces) const {
    W reached = pieces & left_;
    for (;;) {
      const W further = grown(reached) & pieces;
      if (further & right_) return true;
      if (further == reached) return false;
      reached = further;
    }
  }
  // One action can complete both paths, by flipping; then its player has won.
  std::uint64_t result_after(const State &s, int mover) const {
    if (joins(s.pieces[mover])) return static_cast<std::uint64_t>(1 + mover);
    if (joins(s.pieces[1 - mover])) return static_cast<std::uint64_t>(2 - mover);
    return s.count == static_cast<std::uint64_t>(cells()) ? DRAW : 0;
  }
  // Whether some piece can be the last one: without it, and with its flips undone, there is no path.
  bool some_piece_decided(const State &s, int last) const {
    const W regular = s.pieces[last] & ~s.permanent, permanent = s.pieces[1 - last] & s.permanent;
    for (W rest = regular | permanent; rest; rest &= rest - 1) {
      const W piece = rest & -rest;
      State before = s;
      if (permanent & piece) flip(before, piece);
      for (W *pieces : {&before.pieces[0], &before.pieces[1], &before.permanent}) *pieces &= ~piece;
      if (!joins(before.pieces[0]) && !joins(before.pieces[1])) return true;
    }
    return false;
  }

  int rows_, cols_, stride_;
  W board_ = 0, left_ = 0, right_ = 0;
};

}  // namespace

bl_game make_pathwayz(const Params &params) {
  const int rows = params.integer("rows", 2, 8), cols = params.integer("cols", 3, 12);
  if (cols < rows)
    params.refuse("cols", "must be at least rows: the path connects the two short edges, left and right");
  if (rows * (cols + 1) <= 64) return make_table(std::make_unique<Pathwayz<Bits64>>(rows, cols));
  return make_table(std::make_unique<Pathwayz<Bits128>>(rows, cols));
}

}  // namespace boardlab
