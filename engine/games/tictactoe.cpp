// TicTacToe: three in a row on a 3x3 board. The smallest complete example of a game.
#include <bit>

#include "core/adapt.h"
#include "games/feature_list.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

class TicTacToe {
 public:
  static constexpr int max_legal = 9;

  struct State {
    std::uint16_t stones[2];  // bit = row*3 + col
  };

  Facts facts() const {
    Facts f;
    f.action_count = 9;
    f.horizon = 9;
    f.flags = BL_ZERO_SUM;
    f.field_count = 9;
    f.cells = 9;
    f.max_changes = 1;
    f.symmetries = 8;
    f.plane_count = 2;
    f.plane_rows = f.plane_cols = 3;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const {
    return winner(s) >= 0 || taken(s) == FULL ? TERMINAL : std::popcount(taken(s)) & 1;
  }
  int last_player(const State &s) const { return taken(s) ? 1 - (std::popcount(taken(s)) & 1) : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int cell = 0; cell < 9; ++cell)
      if (!(taken(s) >> cell & 1)) actions[count++] = cell;
    return count;
  }
  void apply(State &s, Action action) const {
    s.stones[std::popcount(taken(s)) & 1] |= static_cast<std::uint16_t>(1u << action);
  }
  void scores(const State &s, double *out) const {
    const int who = winner(s);
    out[0] = who < 0 ? 0 : who == 0 ? 1 : -1;
    out[1] = -out[0];
  }

  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < 9; ++cell) fields[cell] = value(s, cell);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < 9; ++cell) {
      if (fields[cell] < 0 || fields[cell] > 2) return "a cell must be empty, X or O";
      if (fields[cell] > 0) s.stones[fields[cell] - 1] |= static_cast<std::uint16_t>(1u << cell);
    }
    const int extra = std::popcount(s.stones[0]) - std::popcount(s.stones[1]);
    if (extra != 0 && extra != 1) return "X must have as many stones as O, or one more";
    if ((has_line(s.stones[0]) && extra == 0) || (has_line(s.stones[1]) && extra == 1))
      return "play continued after the game was won";
    return nullptr;
  }

  int cell_values(int) const { return 3; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    for (int cell = 0; cell < 9; ++cell) cells[cell] = static_cast<std::uint8_t>(value(s, cell));
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(3, 3, cell, true, out); }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    apply(s, action);
    changes[0] = {action, 0, static_cast<std::uint8_t>(value(s, action))};
    return 1;
  }

  void symmetry(std::uint64_t g, State &s) const {
    State turned{};
    for (int cell = 0; cell < 9; ++cell)
      for (int p = 0; p < 2; ++p)
        if (s.stones[p] >> cell & 1) turned.stones[p] |= static_cast<std::uint16_t>(1u << square_symmetry(g, 3, cell));
    s = turned;
  }
  int symmetry_action(std::uint64_t g, Action a) const { return square_symmetry(g, 3, a); }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return square_symmetry_cells(g, 3, source, values);
  }

  void planes(const State &s, int player, float *out) const {
    for (int cell = 0; cell < 9; ++cell) {
      out[cell] = static_cast<float>(s.stones[player] >> cell & 1);
      out[9 + cell] = static_cast<float>(s.stones[1 - player] >> cell & 1);
    }
  }
  // For each side: lines with one and two stones and none of the other's, empty cells where two lines with one stone
  // meet, the centre and the corners.
  static constexpr int FEATURES = 2 * 10 + 1;
  void features(const State &s, int player, double *out) const {
    FeatureList list(out);
    for (const int side : {player, 1 - player}) {
      const unsigned mine = s.stones[side], theirs = s.stones[1 - side];
      int lines[4] = {};
      unsigned once = 0, twice = 0;
      for (const unsigned line : LINES) {
        if (line & theirs) continue;
        const int stones = std::popcount(line & mine);
        ++lines[stones];
        if (stones != 1) continue;
        twice |= once & line & ~mine;
        once |= line & ~mine;
      }
      list.steps(lines[1], 4);
      list.steps(lines[2], 2);
      list.steps(std::popcount(twice), 2);
      list.flag(mine >> 4 & 1);
      list.share(std::popcount(mine & CORNERS), 4);
    }
    list.share(std::popcount(taken(s)), 9);
  }
  double moves_left(const State &s) const { return 9 - std::popcount(taken(s)); }

 private:
  static constexpr unsigned FULL = 0777, CORNERS = 0505;
  static constexpr unsigned LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

  static unsigned taken(const State &s) { return s.stones[0] | s.stones[1]; }
  static int value(const State &s, int cell) {
    return static_cast<int>((s.stones[0] >> cell & 1) + 2 * (s.stones[1] >> cell & 1));
  }
  static bool has_line(unsigned stones) {
    for (const unsigned line : LINES)
      if ((stones & line) == line) return true;
    return false;
  }
  static int winner(const State &s) { return has_line(s.stones[0]) ? 0 : has_line(s.stones[1]) ? 1 : -1; }
};

}  // namespace

bl_game make_tictactoe(const Params &) { return make_table(std::make_unique<TicTacToe>()); }

}  // namespace boardlab
