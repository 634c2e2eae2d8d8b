// Othello on even boards from 4x4 to 10x10, as bitboards. Bit = cell = row*N + col, row 0 at the top.
//
// The state carries the legal moves of the side to move: they are needed anyway to know whether the game is over, and
// they make legal() and random actions free.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/adapt.h"
#include "core/bits.h"
#include "games/feature_list.h"
#include "games/othello_solver.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

template <int N>
class Othello {
 public:
  using W = std::conditional_t<(N <= 8), Bits64, Bits128>;
  static constexpr int CELLS = N * N;
  static constexpr Action PASS = CELLS;
  static constexpr int max_legal = CELLS;

  struct State {
    W discs[2];
    W moves;  // of the side to move; 0 if it must pass
    W side;   // bit 0: who is to move (or would be); bit 1: the game is over
  };

  Facts facts() const {
    Facts f;
    f.action_count = CELLS + 1;
    f.horizon = 2 * CELLS;
    f.flags = BL_ZERO_SUM;
    f.field_count = CELLS + 1;
    f.reward_count = 1;
    f.cells = CELLS;
    f.stages = (CELLS - 4) / 4;
    f.feature_tables = 1;
    f.symmetries = 8;
    f.plane_count = 3;
    f.plane_rows = f.plane_cols = N;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &s, Rng &) const {
    constexpr int low = N / 2 - 1, high = N / 2;
    s.discs[0] = bit(low * N + high) | bit(high * N + low);
    s.discs[1] = bit(low * N + low) | bit(high * N + high);
    settle(s, 0);
  }
  int player(const State &s) const { return s.side & 2 ? TERMINAL : static_cast<int>(s.side & 1); }
  int last_player(const State &s) const {
    return popcount(W(s.discs[0] | s.discs[1])) <= 4 ? CHANCE : 1 - static_cast<int>(s.side & 1);
  }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (W moves = s.moves; moves; moves &= moves - 1) actions[count++] = lowest_bit(moves);
    if (count == 0) actions[count++] = PASS;
    return count;
  }
  Action random_action(const State &s, Rng &rng) const {
    if (!s.moves) return PASS;
    return select_bit(s.moves, rng.below(static_cast<std::uint32_t>(popcount(s.moves))));
  }
  void apply(State &s, Action action) const {
    const int me = static_cast<int>(s.side & 1);
    if (action != PASS) {
      const W turned = flips(bit(action), s.discs[me], s.discs[1 - me]);
      s.discs[me] |= turned | bit(action);
      s.discs[1 - me] &= ~turned;
    }
    settle(s, 1 - me);
  }
  void scores(const State &s, double *out) const {
    const int difference = s.side & 2 ? popcount(s.discs[0]) - popcount(s.discs[1]) : 0;
    out[0] = (difference > 0) - (difference < 0);
    out[1] = -out[0];
  }

  // "discs": the final difference, empty squares counting for the winner as in tournaments.
  const char *reward_name(int) const { return "discs"; }
  void reward_range(int, double *range) const {
    range[0] = -CELLS;
    range[1] = CELLS;
  }
  void reward(int, const State &s, double *out) const {
    out[0] = 0;
    if (s.side & 2) {
      const int black = popcount(s.discs[0]), white = popcount(s.discs[1]);
      const int empty = CELLS - black - white;
      out[0] = black - white + (black > white ? empty : black < white ? -empty : 0);
    }
    out[1] = -out[0];
  }

  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < CELLS; ++cell) fields[cell] = owner(s, cell);
    fields[CELLS] = static_cast<std::int32_t>(s.side & 1);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < CELLS; ++cell) {
      if (fields[cell] < 0 || fields[cell] > 2) return "a cell must be empty, X or O";
      if (fields[cell] > 0) s.discs[fields[cell] - 1] |= bit(cell);
    }
    if (fields[CELLS] < 0 || fields[CELLS] > 1) return "the side to move must be X or O";
    settle(s, fields[CELLS]);
    return nullptr;
  }

  // The coding of Scheiermann and Konen (2022): empty, black (player 0), white, empty and legal for the side to move.
  int cell_values(int) const { return 4; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    if constexpr (N == 8 && std::endian::native == std::endian::little) {
      // Eight cells at a time: bit i of a row becomes byte i.
      const auto spread = [](Bits64 row) {
        const Bits64 apart = (row & 0xFF) * 0x0101010101010101ull & 0x8040201008040201ull;
        return (apart + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
      };
      const Bits64 low = s.discs[0] | s.moves, high = s.discs[1] | s.moves;
      for (int row = 0; row < N; ++row) {
        const Bits64 values = spread(low >> 8 * row) + 2 * spread(high >> 8 * row);
        std::memcpy(cells + 8 * row, &values, 8);
      }
    } else {
      for (int cell = 0; cell < CELLS; ++cell)
        cells[cell] = static_cast<std::uint8_t>(s.moves >> cell & 1 ? 3 : owner(s, cell));
    }
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(N, N, cell, true, out); }
  int stage(const State &s) const {
    const int played = popcount(W(s.discs[0] | s.discs[1])) - 4;
    return std::clamp((played - 1) / 4, 0, (CELLS - 4) / 4 - 1);
  }
  // Mobility of the side to move by mobility of the other.
  int feature_table_size(int) const { return 32 * 32; }
  void feature_indices(const State &s, int, std::int32_t *indices) const {
    const int me = static_cast<int>(s.side & 1);
    const int mine = popcount(s.moves), theirs = popcount(moves_of(s.discs[1 - me], s.discs[me]));
    indices[0] = std::min(mine, 31) * 32 + std::min(theirs, 31);
  }

  void symmetry(std::uint64_t g, State &s) const {
    for (W *board : {&s.discs[0], &s.discs[1], &s.moves}) {
      W turned = 0;
      for (W rest = *board; rest; rest &= rest - 1) turned |= bit(square_symmetry(g, N, lowest_bit(rest)));
      *board = turned;
    }
  }
  int symmetry_action(std::uint64_t g, Action a) const { return a == PASS ? PASS : square_symmetry(g, N, a); }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return square_symmetry_cells(g, N, source, values);
  }

  void planes(const State &s, int player, float *out) const {
    const W boards[3] = {s.discs[player], s.discs[1 - player], s.moves};
    for (int plane = 0; plane < 3; ++plane)
      for (int cell = 0; cell < CELLS; ++cell)
        out[plane * CELLS + cell] = static_cast<float>(static_cast<int>(boards[plane] >> cell & 1));
  }
  // For each side: discs, mobility, corners, the cells beside empty corners, edges, discs with an empty neighbour; then
  // how far the game is, and whether the number of empty cells is odd.
  static constexpr int FEATURES = 2 * 8 + 3;
  void features(const State &s, int player, double *out) const {
    const W empty = BOARD & ~(s.discs[0] | s.discs[1]);
    W near_empty = 0, diagonal = 0, straight = 0;  // the latter two beside empty corners
    for (W rest = empty; rest; rest &= rest - 1) near_empty |= around(lowest_bit(rest));
    for (const int corner : CORNERS) {
      if (!(empty >> corner & 1)) continue;
      const W beside = around(corner), edge = beside & EDGES;
      straight |= edge;
      diagonal |= beside & ~edge;
    }
    FeatureList list(out);
    for (const int side : {player, 1 - player}) {
      const W mine = s.discs[side];
      int corners = 0;
      for (const int corner : CORNERS) corners += static_cast<int>(mine >> corner & 1);
      const int moves = popcount(moves_of(mine, s.discs[1 - side]));
      list.share(popcount(mine), CELLS);
      list.share(moves, 16);
      list.flag(moves == 0);
      list.share(corners, 4);
      list.share(popcount(W(mine & diagonal)), 4);
      list.share(popcount(W(mine & straight)), 8);
      list.share(popcount(W(mine & EDGES)), 4 * (N - 1));
      list.share(popcount(W(mine & near_empty)), CELLS);
    }
    const int left = popcount(empty);
    list.share(left, CELLS);
    list.flag(left % 2);
    list.flag(3 * left < CELLS);
  }
  double moves_left(const State &s) const { return CELLS - popcount(W(s.discs[0] | s.discs[1])); }

  // For the score only the winner matters, which is much faster to find than the margin.
  int solve(const State &s, bl_solution &out) const {
    const int me = static_cast<int>(s.side & 1);
    othello::Endgame endgame;
    endgame.own = s.discs[me];
    endgame.other = s.discs[1 - me];
    endgame.beta = out.outcome < 0 ? 1 : CELLS;
    endgame.alpha = -endgame.beta;
    endgame.node_limit = out.node_limit;
    endgame.stop = out.stop;
    endgame.context = out.context;
    static const othello::Solve answer = othello::solver(N);
    const bool solved = answer(endgame);
    out.nodes = endgame.nodes;
    if (!solved) return 0;
    out.action = endgame.best < 0 ? PASS : endgame.best;
    const int value = endgame.value;
    out.scores[me] = out.outcome < 0 ? (value > 0) - (value < 0) : value;
    out.scores[1 - me] = -out.scores[me];
    return 1;
  }

 private:
  static constexpr W bit(int cell) { return W(1) << cell; }
  static constexpr W BOARD = CELLS == int(8 * sizeof(W)) ? ~W(0) : bit(CELLS % int(8 * sizeof(W))) - 1;
  static constexpr W inner_columns() {
    W mask = 0;
    for (int cell = 0; cell < CELLS; ++cell)
      if (cell % N != 0 && cell % N != N - 1) mask |= bit(cell);
    return mask;
  }
  static constexpr W INNER = inner_columns();
  static constexpr int CORNERS[4] = {0, N - 1, CELLS - N, CELLS - 1};
  static constexpr W edge_cells() {
    W mask = 0;
    for (int cell = 0; cell < CELLS; ++cell)
      if (cell % N == 0 || cell % N == N - 1 || cell / N == 0 || cell / N == N - 1) mask |= bit(cell);
    return mask;
  }
  static constexpr W EDGES = edge_cells();
  static W around(int cell) {
    W mask = 0;
    for (int row = std::max(0, cell / N - 1); row <= std::min(N - 1, cell / N + 1); ++row)
      for (int col = std::max(0, cell % N - 1); col <= std::min(N - 1, cell % N + 1); ++col) mask |= bit(row * N + col);
    return mask & ~bit(cell);
  }

  template <int D>
  static W shift(W w) {
    if constexpr (D > 0)
      return w << D;
    else
      return w >> -D;
  }
  // The run of `other` discs that starts next to `from` in direction D: at most N-2 of them, by doubling.
  template <int D>
  static W run(W from, W other) {
    W found = other & shift<D>(from);
    found |= other & shift<D>(found);
    const W pairs = other & shift<D>(other);
    found |= pairs & shift<2 * D>(found);
    if constexpr (N > 6) found |= pairs & shift<2 * D>(found);
    if constexpr (N > 8) found |= pairs & shift<2 * D>(found);
    return found;
  }
  template <int D>
  static W flips_towards(W move, W own, W other) {
    const W found = run<D>(move, other);
    return shift<D>(found) & own ? found : W(0);
  }
  static W flips(W move, W own, W other) {
    const W inner = other & INNER;
    return flips_towards<1>(move, own, inner) | flips_towards<-1>(move, own, inner) |
           flips_towards<N>(move, own, other) | flips_towards<-N>(move, own, other) |
           flips_towards<N + 1>(move, own, inner) | flips_towards<-N - 1>(move, own, inner) |
           flips_towards<N - 1>(move, own, inner) | flips_towards<1 - N>(move, own, inner);
  }
  template <int D>
  static W moves_towards(W own, W other) {
    return shift<D>(run<D>(own, other));
  }
  static W moves_of(W own, W other) {
    const W inner = other & INNER;
    const W reached = moves_towards<1>(own, inner) | moves_towards<-1>(own, inner) | moves_towards<N>(own, other) |
                      moves_towards<-N>(own, other) | moves_towards<N + 1>(own, inner) |
                      moves_towards<-N - 1>(own, inner) | moves_towards<N - 1>(own, inner) |
                      moves_towards<1 - N>(own, inner);
    return reached & BOARD & ~(own | other);
  }
  // Passes the move to `next`, finds its legal moves and whether the game is over.
  static void settle(State &s, int next) {
    s.side = static_cast<W>(next);
    s.moves = moves_of(s.discs[next], s.discs[1 - next]);
    if (!s.moves && !moves_of(s.discs[1 - next], s.discs[next])) s.side |= 2;
  }
  static int owner(const State &s, int cell) {
    return static_cast<int>(s.discs[0] >> cell & 1) + 2 * static_cast<int>(s.discs[1] >> cell & 1);
  }
};

}  // namespace

bl_game make_othello(const Params &params) {
  switch (params.integer("size", 4, 10)) {
    case 4: return make_table(std::make_unique<Othello<4>>());
    case 6: return make_table(std::make_unique<Othello<6>>());
    case 8: return make_table(std::make_unique<Othello<8>>());
    case 10: return make_table(std::make_unique<Othello<10>>());
    default: params.refuse("size", "must be even: 4, 6, 8 or 10");
  }
}

}  // namespace boardlab
