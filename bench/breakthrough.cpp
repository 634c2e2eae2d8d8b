// Breakthrough in C++, to compare with the same rules in Python (examples/breakthrough.py): see bench/own_games.py.
#include <cstring>

#include "core/adapt.h"

namespace {

using boardlab::Action;
using boardlab::CHANCE;
using boardlab::Facts;
using boardlab::Rng;
using boardlab::TERMINAL;

class Breakthrough {
 public:
  static constexpr int N = 5, CELLS = N * N;
  static constexpr int max_legal = 3 * 2 * N;

  struct State {
    std::int8_t cells[CELLS];  // row by row from the top: 0 empty, 1 and 2 a piece of player 0 and 1
    std::int8_t left[2];
    std::int8_t mover;
    std::int8_t won;
    std::int8_t moved;  // whether somebody has moved
  };

  Facts facts() const {
    Facts f;
    f.action_count = 3 * CELLS;
    f.horizon = 4 * CELLS;
    f.flags = BL_ZERO_SUM;
    f.field_count = CELLS + 2;
    f.cells = CELLS;
    f.max_changes = 2;
    f.symmetries = 2;
    return f;
  }

  void initial_state(State &s, Rng &) const {
    std::memset(s.cells, 2, 2 * N);
    std::memset(s.cells + CELLS - 2 * N, 1, 2 * N);
    s.left[0] = s.left[1] = 2 * N;
  }
  int player(const State &s) const { return s.won ? TERMINAL : s.mover; }
  int last_player(const State &s) const { return s.moved ? 1 - s.mover : CHANCE; }

  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
      if (s.cells[cell] != s.mover + 1) continue;
      for (int action = 3 * cell; action < 3 * cell + 3; ++action) {
        const int to = target(s.mover, action);
        if (to < 0) continue;
        const int there = s.cells[to];
        if (there == 0 || (action % 3 != 1 && there != s.mover + 1)) actions[count++] = action;
      }
    }
    return count;
  }

  void apply(State &s, Action action) const {
    const int to = target(s.mover, action);
    if (s.cells[to]) --s.left[1 - s.mover];
    s.cells[to] = static_cast<std::int8_t>(s.mover + 1);
    s.cells[action / 3] = 0;
    const int last_row = s.mover == 0 ? 0 : N - 1;
    s.won = to / N == last_row || s.left[1 - s.mover] == 0;
    s.mover = static_cast<std::int8_t>(1 - s.mover);
    s.moved = 1;
  }

  void scores(const State &s, double *out) const {
    out[0] = s.won ? (s.mover == 1 ? 1 : -1) : 0;
    out[1] = -out[0];
  }

  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < CELLS; ++cell) fields[cell] = s.cells[cell];
    fields[CELLS] = s.mover;
    fields[CELLS + 1] = s.moved;
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < CELLS; ++cell) {
      if (fields[cell] < 0 || fields[cell] > 2) return "a cell is 0, 1 or 2";
      s.cells[cell] = static_cast<std::int8_t>(fields[cell]);
      if (fields[cell]) ++s.left[fields[cell] - 1];
    }
    for (int i = 0; i < 2; ++i)
      if (fields[CELLS + i] < 0 || fields[CELLS + i] > 1) return "the last two fields are 0 or 1";
    s.mover = static_cast<std::int8_t>(fields[CELLS]);
    s.moved = static_cast<std::int8_t>(fields[CELLS + 1]);
    s.won = !s.left[0] || !s.left[1] || std::memchr(s.cells, 1, N) || std::memchr(s.cells + CELLS - N, 2, N);
    return nullptr;
  }

  int cell_values(int) const { return 3; }
  void board_vector(const State &s, int, std::uint8_t *cells) const { std::memcpy(cells, s.cells, CELLS); }
  int adjacency(int cell, std::int32_t *out) const {
    int count = 0;
    if (cell >= N) out[count++] = cell - N;
    if (cell < CELLS - N) out[count++] = cell + N;
    if (cell % N) out[count++] = cell - 1;
    if ((cell + 1) % N) out[count++] = cell + 1;
    return count;
  }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    const int from = action / 3, to = target(s.mover, action);
    const auto piece = static_cast<std::uint8_t>(s.mover + 1);
    changes[0] = {from, piece, 0};
    changes[1] = {to, static_cast<std::uint8_t>(s.cells[to]), piece};
    apply(s, action);
    return 2;
  }

  void symmetry(std::uint64_t g, State &s) const {
    if (!g) return;
    const State before = s;
    for (int cell = 0; cell < CELLS; ++cell) s.cells[mirrored(cell)] = before.cells[cell];
  }
  int symmetry_action(std::uint64_t g, Action a) const { return g ? 3 * mirrored(a / 3) + 2 - a % 3 : a; }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    for (int cell = 0; cell < CELLS; ++cell) {
      source[cell] = g ? mirrored(cell) : cell;
      for (int value = 0; value < 3; ++value) values[256 * cell + value] = static_cast<std::uint8_t>(value);
    }
    return 1;
  }

 private:
  // The target of a move, or -1 outside the board; player 0 moves up.
  static int target(int mover, int action) {
    const int row = action / 3 / N + 2 * mover - 1, col = action / 3 % N + action % 3 - 1;
    return row >= 0 && row < N && col >= 0 && col < N ? row * N + col : -1;
  }
  static int mirrored(int cell) { return cell - cell % N + N - 1 - cell % N; }
};

}  // namespace

extern "C" const bl_game *boardlab_game(void) {
  static const bl_game table = boardlab::make_table(std::make_unique<Breakthrough>());
  return &table;
}
