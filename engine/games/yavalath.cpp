// Yavalath (Browne 2007) on a hexagon of hexagons, for two or three players: four in a row win, three in a row
// without four lose.
//
// Bitboard over sheared rows: bit row*(2*side) + col, where going down-right keeps the column. The column after the
// last is never on the board, so lines do not wrap; side 6 ends at bit 125.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/adapt.h"
#include "core/bits.h"
#include "games/feature_list.h"
#include "games/registry.h"

namespace boardlab {

namespace {

template <class W, int PLAYERS>
class Yavalath {
 public:
  static constexpr int MAX_CELLS = sizeof(W) == 8 ? 37 : 91;
  static constexpr int max_legal = MAX_CELLS;

  struct State {
    W stones[PLAYERS];
    std::uint32_t mover;   // who is to move, or would be
    std::uint32_t last;    // 0 nobody has moved yet, 1 + player
    std::uint32_t out;     // bit p: player p made three in a row
    std::uint32_t result;  // 0 running, 1 + winner, or DRAW
  };

  Yavalath(int side, bool swap) : side_(side), swap_(swap && PLAYERS == 2), stride_(2 * side) {
    const int reach = side - 1;
    for (int row = 0; row < width(); ++row)
      for (int col = 0; col < width(); ++col) {
        if (row + col < reach || row + col > 3 * reach) continue;
        bit_of_[cells_] = static_cast<std::uint8_t>(row * stride_ + col);
        cell_of_[row * stride_ + col] = static_cast<std::uint8_t>(cells_++);
        board_ |= W(1) << (row * stride_ + col);
      }
    // Cube coordinates with x + y + z = 0: a turn by 60 degrees negates and rotates them, a mirror exchanges two.
    for (int g = 0; g < 12; ++g)
      for (int cell = 0; cell < cells_; ++cell) {
        int x = bit_of_[cell] % stride_ - reach, y = bit_of_[cell] / stride_ - reach, z = -x - y;
        if (g >= 6) std::swap(x, y);
        for (int turn = 0; turn < g % 6; ++turn) {
          const int keep = x;
          x = -y;
          y = -z;
          z = -keep;
        }
        turned_[g][cell] = cell_of_[(y + reach) * stride_ + x + reach];
      }
    for (int cell = 0; cell < cells_; ++cell) {
      const int x = bit_of_[cell] % stride_ - reach, y = bit_of_[cell] / stride_ - reach;
      middle_[cell] = static_cast<std::uint8_t>(reach - (std::abs(x) + std::abs(y) + std::abs(x + y)) / 2);
    }
  }

  Facts facts() const {
    Facts f;
    f.players = PLAYERS;
    f.action_count = cells_ + swap_;
    f.horizon = cells_ + swap_;
    f.flags = PLAYERS == 2 ? BL_ZERO_SUM : 0;
    f.field_count = cells_ + 1;
    f.cells = cells_;
    f.max_changes = 1;
    f.symmetries = 12;
    f.plane_count = PLAYERS == 2 ? 3 + swap_ : 7;
    f.plane_rows = f.plane_cols = width();
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.result ? TERMINAL : static_cast<int>(s.mover); }
  int last_player(const State &s) const { return s.last ? static_cast<int>(s.last) - 1 : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (W open = playable(s); open; open &= open - 1) actions[count++] = cell_of_[lowest_bit(open)];
    if (may_swap(s)) actions[count++] = cells_;
    return count;
  }
  Action random_action(const State &s, Rng &rng) const {
    const W open = playable(s);
    const auto choices = static_cast<std::uint32_t>(popcount(open));
    const std::uint32_t pick = rng.below(choices + may_swap(s));
    return pick == choices ? cells_ : cell_of_[select_bit(open, pick)];
  }
  void apply(State &s, Action action) const {
    if (action == cells_) {
      s.stones[1] = s.stones[0];
      s.stones[0] = 0;
      s.last = 2;
      s.mover = 0;
      return;
    }
    const auto p = s.mover;
    s.stones[p] |= bit(action);
    s.last = 1 + p;
    if (has_run(s.stones[p], 4)) {
      s.result = 1 + p;
    } else if (has_run(s.stones[p], 3)) {
      s.out |= 1u << p;
      if (alive(s.out) == 1) s.result = 1 + static_cast<std::uint32_t>(std::countr_one(s.out));
    }
    if (!s.result && !empty(s)) s.result = DRAW;
    s.mover = next(p, s.out);
  }
  // The winner gets 1 and all others -1; if the board is full, those still in the game get 0.
  void scores(const State &s, double *out) const {
    for (std::uint32_t p = 0; p < PLAYERS; ++p)
      out[p] = !s.result ? 0 : s.result == 1 + p ? 1 : s.result == DRAW && !(s.out >> p & 1) ? 0 : -1;
  }

  // The owners of the cells, then whose turn it is; in a finished game, whose turn it was last.
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < cells_; ++cell) fields[cell] = owner(s, cell);
    fields[cells_] = static_cast<std::int32_t>(s.result ? s.last - 1 : s.mover);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int cell = 0; cell < cells_; ++cell) {
      if (fields[cell] < 0 || fields[cell] > PLAYERS) return "a cell must be empty or hold a player's stone";
      if (fields[cell]) s.stones[fields[cell] - 1] |= bit(cell);
    }
    std::uint32_t won = 0;
    for (std::uint32_t p = 0; p < PLAYERS; ++p) {
      const W stones = s.stones[p];
      if (!has_run(stones, 3)) continue;
      (has_run(stones, 4) ? won : s.out) |= 1u << p;
      // All lines of three and more must contain the player's last stone.
      bool possible = false;
      for (W rest = stones; rest && !possible; rest &= rest - 1) possible = !has_run(stones & ~(rest & -rest), 3);
      if (!possible) return "a player continued after making three in a row";
    }
    if (std::popcount(won) > 1 || alive(s.out) < 1) return "play continued after the game was won";
    if (won)
      s.result = 1 + static_cast<std::uint32_t>(std::countr_zero(won));
    else if (alive(s.out) == 1)
      s.result = 1 + static_cast<std::uint32_t>(std::countr_one(s.out));
    else if (!empty(s))
      s.result = DRAW;
    for (std::uint32_t first = 0; first < (swap_ && s.stones[1] ? 2u : 1u); ++first) {
      replay(s, won, first);
      const std::int64_t turn = s.result ? std::int64_t{s.last} - 1 : std::int64_t{s.mover};
      if (s.mover < PLAYERS && turn == fields[cells_]) return nullptr;
    }
    return "the numbers of stones do not fit the player to move";
  }

  int cell_values(int) const { return PLAYERS + 1; }
  void board_vector(const State &s, int, std::uint8_t *out) const {
    for (int cell = 0; cell < cells_; ++cell) out[cell] = static_cast<std::uint8_t>(owner(s, cell));
  }
  int adjacency(int cell, std::int32_t *out) const {
    int count = 0;
    for (const int step : {-stride_, 1 - stride_, -1, 1, stride_ - 1, stride_}) {
      const int b = bit_of_[cell] + step;
      if (b >= 0 && b < int(8 * sizeof(W)) && (board_ >> b & 1)) out[count++] = cell_of_[b];
    }
    return count;
  }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    if (action < cells_) {
      changes[0] = {action, 0, static_cast<std::uint8_t>(1 + s.mover)};
    } else {
      changes[0] = {cell_of_[lowest_bit(s.stones[0])], 1, 2};
    }
    apply(s, action);
    return 1;
  }

  void symmetry(std::uint64_t g, State &s) const {
    for (W &stones : s.stones) {
      W moved = 0;
      for (W rest = stones; rest; rest &= rest - 1) moved |= bit(turned_[g][cell_of_[lowest_bit(rest)]]);
      stones = moved;
    }
  }
  int symmetry_action(std::uint64_t g, Action a) const { return a == cells_ ? a : turned_[g][a]; }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    for (int cell = 0; cell < cells_; ++cell) {
      source[turned_[g][cell]] = cell;
      for (int v = 0; v < 256; ++v) values[cell * 256 + v] = static_cast<std::uint8_t>(v);
    }
    return 1;
  }

  // Stones of the player and of those who follow; the cells of the hexagon; with three players, who is out; with the
  // swap, whether it may be played: after it, the other player also sees a single stone.
  void planes(const State &s, int player, float *out) const {
    const int area = width() * width();
    std::fill(out, out + facts().plane_count * area, 0.0f);
    for (int cell = 0; cell < cells_; ++cell) {
      const int at = bit_of_[cell] / stride_ * width() + bit_of_[cell] % stride_;
      for (int i = 0; i < PLAYERS; ++i) {
        const int p = (player + i) % PLAYERS;
        out[i * area + at] = static_cast<float>(static_cast<int>(s.stones[p] >> bit_of_[cell] & 1));
        if (PLAYERS == 3) out[(4 + i) * area + at] = static_cast<float>(s.out >> p & 1);
      }
      if (swap_) out[3 * area + at] = may_swap(s);
      out[PLAYERS * area + at] = 1;
    }
  }
  // For each player, the viewing player first: cells that win, cells that lose, cells that threaten to win once and
  // twice, cells near the middle, and whether it is out.
  static constexpr int FEATURES = 8 * PLAYERS + 1;
  void features(const State &s, int player, double *out) const {
    const W open = empty(s);
    FeatureList list(out);
    for (int i = 0; i < PLAYERS; ++i) {
      const int p = (player + i) % PLAYERS;
      const W stones = s.stones[p], wins = winning(stones) & open, loses = closing(stones) & open & ~wins;
      int threats = 0, forks = 0, weight = 0;
      for (W rest = open & ~wins & ~loses; rest; rest &= rest - 1) {
        const W cell = rest & -rest;
        const int found = popcount(W(winning(stones | cell) & open & ~cell & ~wins));
        threats += found > 0;
        forks += found > 1;
      }
      for (W rest = stones; rest; rest &= rest - 1) weight += middle_[cell_of_[lowest_bit(rest)]];
      list.steps(popcount(wins), 2);
      list.share(popcount(loses), cells_);
      list.share(threats, cells_);
      list.steps(forks, 2);
      list.share(weight, cells_);
      list.flag(s.out >> p & 1);
    }
    list.share(cells_ - popcount(open), cells_);
  }
  double moves_left(const State &s) const { return popcount(empty(s)); }

 private:
  static constexpr std::uint32_t DRAW = PLAYERS + 1;

  int width() const { return 2 * side_ - 1; }
  W bit(int cell) const { return W(1) << bit_of_[cell]; }
  W empty(const State &s) const {
    W taken = 0;
    for (const W stones : s.stones) taken |= stones;
    return board_ & ~taken;
  }
  static int alive(std::uint32_t out) { return PLAYERS - std::popcount(out); }
  static std::uint32_t next(std::uint32_t p, std::uint32_t out) {
    do p = (p + 1) % PLAYERS;
    while (out >> p & 1 && out != (1u << PLAYERS) - 1);
    return p;
  }
  bool has_run(W stones, int length) const {
    return (runs(stones, 1, length) | runs(stones, stride_, length) | runs(stones, stride_ - 1, length)) != 0;
  }
  // Cells where one more stone makes four or more in a row: of the three cells on either side, three in a row are ours.
  W winning(W stones) const {
    W found = 0;
    for (const int step : {1, stride_, stride_ - 1}) {
      const W a = stones >> step, aa = a & stones >> 2 * step, b = stones << step, bb = b & stones << 2 * step;
      found |= (aa & stones >> 3 * step) | (b & aa) | (bb & a) | (bb & stones << 3 * step);
    }
    return found;
  }
  // Cells where one more stone makes three or more in a row.
  W closing(W stones) const {
    W found = 0;
    for (const int step : {1, stride_, stride_ - 1}) {
      const W a = stones >> step, b = stones << step;
      found |= (a & stones >> 2 * step) | (a & b) | (b & stones << 2 * step);
    }
    return found;
  }
  W playable(const State &s) const {
    const W open = empty(s);
    if constexpr (PLAYERS == 3) {
      const W block = winning(s.stones[next(s.mover, s.out)]) & open;
      if (block) return block;
    }
    return open;
  }
  bool may_swap(const State &s) const {
    return swap_ && s.mover == 1 && !s.stones[1] && !(s.stones[0] & (s.stones[0] - 1));
  }
  int owner(const State &s, int cell) const {
    int value = 0;
    for (int p = 0; p < PLAYERS; ++p) value += (1 + p) * static_cast<int>(s.stones[p] >> bit_of_[cell] & 1);
    return value;
  }

  // Replays the numbers of stones in order of play and sets mover and last; mover = PLAYERS if that is impossible. A
  // player with three in a row is out after its last stone, and one with four ends the game.
  static void replay(State &s, std::uint32_t won, std::uint32_t first) {
    int left[PLAYERS], total = 0;
    for (int p = 0; p < PLAYERS; ++p) total += left[p] = popcount(s.stones[p]);
    std::uint32_t out = 0, p = first;
    s.last = 0;
    s.mover = total ? PLAYERS : 0;
    while (total > 0) {
      if (left[p]-- == 0) return;
      --total;
      const bool is_last_of_player = left[p] == 0;
      if (is_last_of_player) out |= s.out & 1u << p;
      s.last = 1 + p;
      const bool is_over = (is_last_of_player && won >> p & 1) || alive(out) == 1;
      p = next(p, out);
      if (is_over) break;
    }
    if (total == 0) s.mover = p;
  }

  int side_;
  bool swap_;
  int stride_, cells_ = 0;
  W board_ = 0;
  std::uint8_t bit_of_[MAX_CELLS] = {};
  std::uint8_t cell_of_[8 * sizeof(W)] = {};
  std::uint8_t turned_[12][MAX_CELLS] = {};
  std::uint8_t middle_[MAX_CELLS] = {};  // 0 at the edge of the board, more towards the middle
};

template <int PLAYERS>
bl_game make(int side, bool swap) {
  if (side <= 4) return make_table(std::make_unique<Yavalath<Bits64, PLAYERS>>(side, swap));
  return make_table(std::make_unique<Yavalath<Bits128, PLAYERS>>(side, swap));
}

}  // namespace

bl_game make_yavalath(const Params &params) {
  const int side = params.integer("side", 2, 6), players = params.integer("players", 2, 3);
  const bool swap = params.boolean("swap");
  return players == 2 ? make<2>(side, swap) : make<3>(side, swap);
}

}  // namespace boardlab
