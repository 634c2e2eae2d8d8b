// ConnectFour, any rows x cols x connect whose columns, with one guard bit each, fit into 128 bits.
//
// Bitboard: bit col*(rows+1) + height, height 0 at the bottom. The guard bit on top of each column keeps lines from
// wrapping around into the next one.
#include <vector>

#include "core/adapt.h"
#include "core/bits.h"
#include "games/feature_list.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

template <class W>
class ConnectFour {
 public:
  static constexpr int max_legal = 32;

  struct State {
    W stones[2];
    std::uint64_t count;   // stones on the board
    std::uint64_t result;  // RUNNING, 1 + winner, or DRAW
  };

  ConnectFour(int rows, int cols, int connect) : rows_(rows), cols_(cols), connect_(connect), step_(rows + 1) {
    for (int col = 0; col < cols; ++col) {
      bottom_ |= W(1) << (col * step_);
      column_[col] = ((W(1) << rows) - 1) << (col * step_);
      board_ |= column_[col];
      for (int height = 0; height <= rows; ++height) column_of_[col * step_ + height] = static_cast<std::uint8_t>(col);
      for (int row = 0; row < rows; ++row)
        bit_[row * cols + col] = static_cast<std::uint8_t>(col * step_ + rows - 1 - row);
    }
    const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};  // columns and heights
    for (int start = 0; start < rows * cols; ++start)
      for (const auto &[across, up] : directions) {
        const int col = start / rows, height = start % rows;
        const int last_col = col + (connect - 1) * across, last_height = height + (connect - 1) * up;
        if (last_col >= cols || last_height < 0 || last_height >= rows) continue;
        W line = 0;
        for (int i = 0; i < connect; ++i) line |= W(1) << ((col + i * across) * step_ + height + i * up);
        lines_.push_back(line);
      }
    for (int col = 0; col < cols; ++col)
      for (int height = 0; height < rows; height += 2) odd_ |= W(1) << (col * step_ + height);
  }

  Facts facts() const {
    Facts f;
    f.action_count = cols_;
    f.horizon = rows_ * cols_;
    f.flags = BL_ZERO_SUM;
    f.field_count = rows_ * cols_;
    f.cells = rows_ * cols_;
    f.max_changes = 2;
    f.symmetries = 2;
    f.plane_count = 2;
    f.plane_rows = rows_;
    f.plane_cols = cols_;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.result ? TERMINAL : static_cast<int>(s.count & 1); }
  int last_player(const State &s) const { return s.count ? static_cast<int>(1 - (s.count & 1)) : CHANCE; }
  int legal(const State &s, Action *actions) const {
    const W open = playable(s);
    int count = 0;
    for (int col = 0; col < cols_; ++col)
      if (open & column_[col]) actions[count++] = col;
    return count;
  }
  Action random_action(const State &s, Rng &rng) const {
    const W open = playable(s);
    return column_of_[select_bit(open, rng.below(static_cast<std::uint32_t>(popcount(open))))];
  }
  void apply(State &s, Action col) const {
    W &stones = s.stones[s.count & 1];
    stones |= playable(s) & column_[col];
    ++s.count;
    if (has_line(stones))
      s.result = 1 + ((s.count - 1) & 1);
    else if (s.count == static_cast<std::uint64_t>(rows_ * cols_))
      s.result = DRAW;
  }
  void scores(const State &s, double *out) const {
    out[0] = s.result == 1 ? 1 : s.result == 2 ? -1 : 0;
    out[1] = -out[0];
  }

  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < rows_ * cols_; ++cell) fields[cell] = owner(s, bit(cell));
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < rows_ * cols_; ++cell) {
      const int value = fields[cell];
      if (value < 0 || value > 2) return "a cell must be empty, X or O";
      if (value == 0) continue;
      if (cell + cols_ < rows_ * cols_ && fields[cell + cols_] == 0) return "a stone floats above an empty cell";
      s.stones[value - 1] |= W(1) << bit(cell);
    }
    const int first = popcount(s.stones[0]), second = popcount(s.stones[1]);
    if (first != second && first != second + 1) return "X must have as many stones as O, or one more";
    s.count = static_cast<std::uint64_t>(first + second);
    const bool won[2] = {has_line(s.stones[0]), has_line(s.stones[1])};
    const int mover = static_cast<int>(s.count & 1);
    if (won[mover]) return "play continued after the game was won";
    if (won[1 - mover]) {
      // Some last stone of the winner must lie in all of its lines.
      bool possible = false;
      for (int col = 0; col < cols_; ++col) {
        const W top = highest(s, col);
        possible = possible || ((s.stones[1 - mover] & top) && !has_line(s.stones[1 - mover] & ~top));
      }
      if (!possible) return "play continued after the game was won";
      s.result = static_cast<std::uint64_t>(1 + 1 - mover);
    } else if (s.count == static_cast<std::uint64_t>(rows_ * cols_)) {
      s.result = DRAW;
    }
    return nullptr;
  }

  // GBG's coding: empty and out of reach, player 0, player 1, empty and playable next.
  int cell_values(int) const { return 4; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    const W open = playable(s);
    for (int cell = 0; cell < rows_ * cols_; ++cell) {
      const int b = bit(cell);
      cells[cell] = static_cast<std::uint8_t>(open >> b & 1 ? 3 : owner(s, b));
    }
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(rows_, cols_, cell, false, out); }
  // A column is a stack. With h stones in it, 2^h colourings, the cell above them is playable and the rest out of
  // reach: 2^(rows+1) - 1 joint values instead of 4^rows.
  int joint_values(int col, bl_joint_values &joint) const {
    if (col >= cols_ || rows_ > 11) return 0;
    joint.cell_count = rows_;
    joint.row_count = (2 << rows_) - 1;
    for (int i = 0; joint.cells && i < rows_; ++i) joint.cells[i] = (rows_ - 1 - i) * cols_ + col;
    std::uint8_t *row = joint.rows;
    for (int height = 0; row && height <= rows_; ++height)
      for (int colours = 0; colours < 1 << height; ++colours)
        for (int i = 0; i < rows_; ++i)
          *row++ = static_cast<std::uint8_t>(i < height ? 1 + (colours >> i & 1) : i == height ? 3 : 0);
    return 1;
  }
  int apply_changes(State &s, Action col, int, bl_cell_change *changes) const {
    const int b = lowest_bit(playable(s) & column_[col]);
    const int cell = (rows_ - 1 - b % step_) * cols_ + col;
    const auto value = static_cast<std::uint8_t>(1 + (s.count & 1));
    apply(s, col);
    changes[0] = {cell, 3, value};
    if (cell < cols_) return 1;
    changes[1] = {cell - cols_, 0, 3};
    return 2;
  }

  void symmetry(std::uint64_t g, State &s) const {
    if (g == 0) return;
    for (W &stones : s.stones) {
      W mirrored = 0;
      for (int col = 0; col < cols_; ++col)
        mirrored |= ((stones & column_[col]) >> (col * step_)) << ((cols_ - 1 - col) * step_);
      stones = mirrored;
    }
  }
  int symmetry_action(std::uint64_t g, Action col) const { return g ? cols_ - 1 - col : col; }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    for (int cell = 0; cell < rows_ * cols_; ++cell) {
      source[cell] = g ? cell - cell % cols_ + cols_ - 1 - cell % cols_ : cell;
      for (int v = 0; v < 256; ++v) values[cell * 256 + v] = static_cast<std::uint8_t>(v);
    }
    return 1;
  }

  void planes(const State &s, int player, float *out) const {
    for (int cell = 0; cell < rows_ * cols_; ++cell) {
      out[cell] = static_cast<float>(s.stones[player] >> bit(cell) & 1);
      out[rows_ * cols_ + cell] = static_cast<float>(s.stones[1 - player] >> bit(cell) & 1);
    }
  }
  // For each side: cells that complete a line, playable next or later, on odd and even rows, above each other and above
  // a playable cell; open lines that lack two and three stones; the middle.
  static constexpr int FEATURES = 2 * 11 + 1;
  void features(const State &s, int player, double *out) const {
    const W open = playable(s);
    const int middle = (cols_ - 1) / 2;
    FeatureList list(out);
    for (const int side : {player, 1 - player}) {
      const W mine = s.stones[side], theirs = s.stones[1 - side];
      W wins = 0;
      int lack_two = 0, lack_three = 0;
      for (const W line : lines_) {
        if (line & theirs) continue;
        const int lacking = connect_ - popcount(W(line & mine));
        if (lacking == 1) wins |= line & ~mine;
        lack_two += lacking == 2;
        lack_three += lacking == 3;
      }
      const W later = wins & ~open;
      list.steps(popcount(W(wins & open)), 2);
      list.steps(popcount(W(later & odd_)), 2);
      list.steps(popcount(W(later & ~odd_)), 2);
      list.flag((wins & wins >> 1) != 0);
      list.flag((wins & open << 1) != 0);
      list.share(lack_two, 10);
      list.share(lack_three, 20);
      list.share(popcount(W(mine & (column_[middle] | column_[cols_ / 2]))), rows_);
    }
    list.share(static_cast<int>(s.count), rows_ * cols_);
  }
  double moves_left(const State &s) const { return static_cast<double>(rows_ * cols_) - static_cast<double>(s.count); }

 private:
  static constexpr std::uint64_t DRAW = 3;

  W playable(const State &s) const { return ((s.stones[0] | s.stones[1]) + bottom_) & board_; }
  int bit(int cell) const { return bit_[cell]; }
  static int owner(const State &s, int b) {
    return static_cast<int>(s.stones[0] >> b & 1) + 2 * static_cast<int>(s.stones[1] >> b & 1);
  }
  // The topmost stone of a column, or 0.
  W highest(const State &s, int col) const {
    const W stones = (s.stones[0] | s.stones[1]) & column_[col];
    return stones ^ (stones >> 1 & column_[col]);
  }
  bool has_line(W stones) const {
    if (four_) {  // the standard game without loops: saves a sixth of a playout's time
      const W up = stones & stones >> 1, across = stones & stones >> step_;
      const W falling = stones & stones >> (step_ - 1), rising = stones & stones >> (step_ + 1);
      return ((up & up >> 2) | (across & across >> (2 * step_)) | (falling & falling >> (2 * (step_ - 1))) |
              (rising & rising >> (2 * (step_ + 1)))) != 0;
    }
    return (runs(stones, 1, connect_) | runs(stones, step_, connect_) | runs(stones, step_ - 1, connect_) |
            runs(stones, step_ + 1, connect_)) != 0;
  }

  int rows_, cols_, connect_, step_;
  bool four_ = connect_ == 4 && 2 * (step_ + 1) < static_cast<int>(8 * sizeof(W));  // no shift may exceed the word
  W bottom_ = 0, board_ = 0, odd_ = 0;  // odd_: the first row from the bottom, the third ...
  std::vector<W> lines_;                // all possible ones
  W column_[32] = {};
  std::uint8_t column_of_[128] = {};  // by bit
  std::uint8_t bit_[128] = {};        // by cell; divisions would dominate the time to read a board
};

}  // namespace

bl_game make_connectfour(const Params &params) {
  const int rows = params.integer("rows", 1, 31), cols = params.integer("cols", 1, 32);
  const int connect = params.integer("connect", 2, 32);
  if ((rows + 1) * cols > 128) params.refuse("rows", "x cols is too large: (rows + 1) * cols must be at most 128");
  if (connect > rows && connect > cols) params.refuse("connect", "must fit on the board");
  if ((rows + 1) * cols <= 64) return make_table(std::make_unique<ConnectFour<Bits64>>(rows, cols, connect));
  return make_table(std::make_unique<ConnectFour<Bits128>>(rows, cols, connect));
}

}  // namespace boardlab
