// Hex on n x n: player 0 connects top and bottom, player 1 left and right. Cell = row*n + col; its neighbours are the
// four orthogonal ones and those at (row-1, col+1) and (row+1, col-1).
//
// A stone stores which of its owner's two edges it is linked to. A new stone takes its neighbours' links and passes
// them on to own stones that lack them; a stone gains each link once, so a whole game costs O(cells), and unlike the
// parents of a union-find the links depend only on the position.
#include <algorithm>

#include "core/adapt.h"
#include "games/feature_list.h"
#include "games/filling.h"
#include "games/registry.h"

namespace boardlab {

namespace {

template <int CAPACITY>
class Hex {
 public:
  static constexpr int max_legal = CAPACITY;

  struct State {
    std::uint8_t cells[CAPACITY];  // 0, or STONE with links, red's in the low half byte; 0 beyond the board
    std::uint16_t count;           // stones on the board
    std::uint8_t mover;            // who is to move, or would be
    std::uint8_t winner;           // 0 running, 1 + player
  };

  Hex(int size, bool swap) : size_(size), swap_(swap) {
    for (int cell = 0; cell < cells(); ++cell) {
      const int row = cell / size, col = cell % size;
      edges_[0][cell] = static_cast<std::uint8_t>((row == 0 ? NEAR : 0) | (row == size - 1 ? FAR : 0));
      edges_[1][cell] = static_cast<std::uint8_t>((col == 0 ? NEAR : 0) | (col == size - 1 ? FAR : 0));
      for (int i = 0; i < 6; ++i) {
        const int r = row + DOWN[i], c = col + RIGHT[i];
        if (r < 0 || r >= size || c < 0 || c >= size) continue;
        neighbours_[cell][degree_[cell]++] = static_cast<std::uint16_t>(r * size + c);
      }
      for (int i = degree_[cell]; i < 6; ++i) neighbours_[cell][i] = static_cast<std::uint16_t>(cells());
    }
    for (int cell = 0; cell < cells(); ++cell)
      for (int i = 0; i < 6; ++i) {
        const auto beside = [&](int turn) {
          const int r = cell / size + AROUND[turn % 6][0], c = cell % size + AROUND[turn % 6][1];
          return r < 0 || r >= size || c < 0 || c >= size ? -1 : r * size + c;
        };
        const int first = beside(i), second = beside(i + 1);
        const int r = cell / size + AROUND[i][0] + AROUND[(i + 1) % 6][0];
        const int c = cell % size + AROUND[i][1] + AROUND[(i + 1) % 6][1];
        if (first < 0 || second < 0 || r < 0 || r >= size || c < 0 || c >= size) continue;
        bridges_[cell][bridge_count_[cell]++] = {static_cast<std::uint16_t>(r * size + c),
                                                 static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)};
      }
  }

  Facts facts() const {
    Facts f;
    f.action_count = cells() + swap_;
    f.horizon = cells() + swap_;
    f.flags = BL_ZERO_SUM;
    f.field_count = cells() + 1;
    f.cells = cells();
    f.max_changes = 2;
    f.symmetries = 2;
    f.plane_count = 3;
    f.plane_rows = f.plane_cols = size_;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.winner ? TERMINAL : s.mover; }
  int last_player(const State &s) const { return s.count ? 1 - s.mover : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int cell = 0; cell < cells(); ++cell)
      if (!s.cells[cell]) actions[count++] = cell;
    if (may_swap(s)) actions[count++] = cells();
    return count;
  }
  int playout(State &s, Rng &rng, int max_actions) const {
    int count = 0;
    for (; swap_ && (s.count == 0 || may_swap(s)) && count < max_actions; ++count) {
      Action actions[max_legal];
      apply(s, actions[rng.below(static_cast<std::uint32_t>(legal(s, actions)))]);
    }
    return count + shuffled_playout(*this, s, rng, max_actions - count);  // from here on any empty cell is legal
  }
  void apply(State &s, Action action) const {
    if (action == cells()) {
      int cell = 0;
      while (!s.cells[cell]) ++cell;
      s.cells[cell] = 0;
      place(s, mirrored(cell), 1);
    } else {
      place(s, action, s.mover);
      ++s.count;
    }
    s.mover ^= 1;
  }
  void scores(const State &s, double *out) const {
    out[0] = s.winner == 1 ? 1 : s.winner == 2 ? -1 : 0;
    out[1] = -out[0];
  }

  // The owners of the cells, then whose turn it is; in a finished game, whose turn it was last.
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < cells(); ++cell) fields[cell] = owner(s, cell);
    fields[cells()] = s.winner ? 1 - s.mover : s.mover;
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    int stones[2] = {0, 0};
    for (int cell = 0; cell < cells(); ++cell) {
      if (fields[cell] < 0 || fields[cell] > 2) return "a cell must be empty, red or blue";
      if (!fields[cell]) continue;
      place(s, cell, fields[cell] - 1);
      ++stones[fields[cell] - 1];
    }
    s.count = static_cast<std::uint16_t>(stones[0] + stones[1]);
    const int turn = fields[cells()];
    if (turn < 0 || turn > 1) return "the player to move must be red or blue";
    s.mover = static_cast<std::uint8_t>(s.winner ? 1 - turn : turn);
    // Red begins; after a swap the only stone is blue and red moves, so from then on blue is ahead by one.
    const int ahead = stones[0] - stones[1];
    const bool plain = ahead == s.mover;
    const bool swapped = swap_ && stones[1] > 0 && ahead == s.mover - 1;
    if (!plain && !swapped) return "the numbers of red and blue stones do not fit the player to move";
    if (s.winner && s.winner - 1 != 1 - s.mover) return "play continued after the game was won";
    if (s.winner && !some_stone_decided(s)) return "play continued after the game was won";
    return nullptr;
  }

  int cell_values(int) const { return 3; }
  void board_vector(const State &s, int, std::uint8_t *out) const {
    for (int cell = 0; cell < cells(); ++cell) out[cell] = static_cast<std::uint8_t>(owner(s, cell));
  }
  int adjacency(int cell, std::int32_t *out) const {
    std::copy(neighbours_[cell], neighbours_[cell] + degree_[cell], out);
    return degree_[cell];
  }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    if (action < cells()) {
      changes[0] = {action, 0, static_cast<std::uint8_t>(1 + s.mover)};
      apply(s, action);
      return 1;
    }
    int cell = 0;
    while (!s.cells[cell]) ++cell;
    apply(s, action);
    changes[0] = {cell, 1, static_cast<std::uint8_t>(owner(s, cell))};
    if (mirrored(cell) == cell) return 1;
    changes[1] = {mirrored(cell), 0, 2};
    return 2;
  }

  // The half turn. Mirroring at the long diagonal would swap the players, which is not a symmetry of the scores.
  void symmetry(std::uint64_t g, State &s) const {
    if (g == 0) return;
    std::reverse(s.cells, s.cells + cells());
    constexpr unsigned stones = STONE | STONE << 4, near = NEAR | NEAR << 4, far = FAR | FAR << 4;
    for (int cell = 0; cell < cells(); ++cell) {
      const unsigned value = s.cells[cell];
      s.cells[cell] = static_cast<std::uint8_t>((value & stones) | (value & near) << 1 | (value & far) >> 1);
    }
  }
  int symmetry_action(std::uint64_t g, Action a) const { return g == 0 || a == cells() ? a : cells() - 1 - a; }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    for (int cell = 0; cell < cells(); ++cell) {
      source[cell] = symmetry_action(g, cell);
      for (int v = 0; v < 256; ++v) values[cell * 256 + v] = static_cast<std::uint8_t>(v);
    }
    return 1;
  }

  // Own stones, the opponent's, and whether the player connects top and bottom: the first two alone do not show it.
  void planes(const State &s, int player, float *out) const {
    for (int cell = 0; cell < cells(); ++cell) {
      out[cell] = owner(s, cell) == 1 + player;
      out[cells() + cell] = owner(s, cell) == 2 - player;
      out[2 * cells() + cell] = player == 0;
    }
  }
  // For each side: the stones that it lacks to connect its edges, with and without counting bridges (two common empty
  // neighbours) as connections, and the empty cells on shortest ways; then who is ahead.
  static constexpr int FEATURES = 2 * 8 + 5;
  void features(const State &s, int player, double *out) const {
    FeatureList list(out);
    int bridged[2];
    for (const int side : {player, 1 - player}) {
      std::uint16_t from_near[CAPACITY], from_far[CAPACITY];
      const int lacks = find_lacking(s, side, NEAR, false, from_near);
      find_lacking(s, side, FAR, false, from_far);
      int ways = 0;
      for (int cell = 0; cell < cells(); ++cell)
        ways += lacks < NEVER && !s.cells[cell] && from_near[cell] + from_far[cell] == lacks + 1;
      const int fewest = find_lacking(s, side, NEAR, true, from_near);
      bridged[side] = fewest;
      list.share(std::min(lacks, size_), size_);
      list.share(std::min(fewest, size_), size_);
      for (int most = 1; most <= 2; ++most) list.flag(lacks <= most);
      for (int most = 0; most <= 2; ++most) list.flag(fewest <= most);
      list.share(ways, cells());
    }
    for (int lead = -1; lead <= 2; ++lead) list.flag(bridged[1 - player] - bridged[player] >= lead);
    list.share(s.count, cells());
  }
  double moves_left(const State &s) const { return cells() - s.count; }

 private:
  // Bits of a player's half byte. A stone may be linked to top or left (NEAR), to bottom or right (FAR).
  static constexpr unsigned STONE = 1, NEAR = 2, FAR = 4, BOTH = NEAR | FAR;
  static constexpr int AROUND[6][2] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 0}, {1, -1}, {0, -1}};  // in a circle
  static constexpr int DOWN[6] = {-1, -1, 0, 0, 1, 1}, RIGHT[6] = {0, 1, -1, 1, -1, 0};

  int cells() const { return size_ * size_; }
  int mirrored(int cell) const { return cell % size_ * size_ + cell / size_; }
  bool may_swap(const State &s) const { return swap_ && s.count == 1 && s.mover == 1; }
  static int owner(const State &s, int cell) {
    return static_cast<int>((s.cells[cell] & STONE) + 2 * (s.cells[cell] >> 4 & STONE));
  }

  void place(State &s, int cell, int player) const {
    const int half = 4 * player;
    // No branches here: which neighbours are own stones is unpredictable, and playouts spend their time here.
    unsigned links = edges_[player][cell], missing = 0;
    for (const std::uint16_t neighbour : neighbours_[cell]) {
      const unsigned value = unsigned{s.cells[neighbour]} >> half;
      links |= value & BOTH;
      missing |= ~value & (0u - (value & STONE)) & BOTH;
    }
    s.cells[cell] = static_cast<std::uint8_t>((STONE | links) << half);
    if (links == BOTH) s.winner = static_cast<std::uint8_t>(1 + player);
    if (!(links & missing)) return;
    spread(s, cell, half, links);
  }

  // Passes links on from a stone to all own stones that it is connected to.
  void spread(State &s, int cell, int half, unsigned links) const {
    const unsigned wanted = (STONE | links) << half, stone = STONE << half;
    std::uint16_t stack[CAPACITY];
    int top = 0;
    stack[top++] = static_cast<std::uint16_t>(cell);
    while (top) {
      const int from = stack[--top];
      for (const std::uint16_t neighbour : neighbours_[from]) {
        std::uint8_t &value = s.cells[neighbour];
        if (!(value & stone) || (value & wanted) == wanted) continue;
        value = static_cast<std::uint8_t>(value | wanted);
        stack[top++] = neighbour;
      }
    }
  }

  // The stones that the side lacks to reach its other edge from one edge; with `bridges`, bridges count as connections.
  // lacking[cell]: to reach the cell, its own stone counted; NEVER if the other side cuts it off.
  static constexpr std::uint16_t NEVER = 1000;
  int find_lacking(const State &s, int side, unsigned edge, bool bridges, std::uint16_t *lacking) const {
    std::uint16_t now[CAPACITY], next[CAPACITY];  // a cell is reached first by a shortest way, and put there once
    int now_count = 0, next_count = 0;
    std::fill(lacking, lacking + cells(), NEVER);
    const auto reach = [&](int cell, int before) {
      const int who = owner(s, cell);
      if (who == 2 - side) return;
      const int cost = before + (who == 0);
      if (cost >= lacking[cell]) return;
      lacking[cell] = static_cast<std::uint16_t>(cost);
      (who == 0 ? next[next_count++] : now[now_count++]) = static_cast<std::uint16_t>(cell);
    };
    // An empty cell in the second row is bridged to the edge by the two cells below it.
    const auto touches = [&](int cell, unsigned which) {
      if (edges_[side][cell] & which) return true;
      if (!bridges) return false;
      int empty = 0;
      for (int i = 0; i < degree_[cell]; ++i) {
        const int other = neighbours_[cell][i];
        empty += !s.cells[other] && (edges_[side][other] & which);
      }
      return empty == 2;
    };
    for (int cell = 0; cell < cells(); ++cell)
      if (touches(cell, edge)) reach(cell, 0);
    for (int cost = 0; now_count + next_count > 0; ++cost) {
      while (now_count > 0) {
        const int cell = now[--now_count];
        for (int i = 0; i < degree_[cell]; ++i) reach(neighbours_[cell][i], cost);
        for (int i = 0; bridges && i < bridge_count_[cell]; ++i) {
          const Bridge &bridge = bridges_[cell][i];
          if (!s.cells[bridge.first] && !s.cells[bridge.second]) reach(bridge.to, cost);
        }
      }
      std::copy(next, next + next_count, now);
      now_count = next_count;
      next_count = 0;
    }
    int fewest = NEVER;
    for (int cell = 0; cell < cells(); ++cell)
      if (touches(cell, (NEAR | FAR) & ~edge)) fewest = std::min<int>(fewest, lacking[cell]);
    return fewest;
  }

  // Whether the winner has a stone without which the edges were not connected: only such a stone can be the last.
  bool some_stone_decided(const State &s) const {
    for (int last = 0; last < cells(); ++last) {
      if (owner(s, last) != s.winner) continue;
      State without;
      std::memset(static_cast<void *>(&without), 0, sizeof without);
      for (int cell = 0; cell < cells(); ++cell)
        if (cell != last && owner(s, cell) == s.winner) place(without, cell, s.winner - 1);
      if (!without.winner) return true;
    }
    return false;
  }

  int size_;
  bool swap_;
  std::uint8_t edges_[2][CAPACITY] = {};
  std::uint8_t degree_[CAPACITY] = {};
  std::uint16_t neighbours_[CAPACITY][6] = {};
  struct Bridge {
    std::uint16_t to, first, second;
  };
  Bridge bridges_[CAPACITY][6] = {};
  std::uint8_t bridge_count_[CAPACITY] = {};
};

}  // namespace

bl_game make_hex(const Params &params) {
  const int size = params.integer("size", 2, 19);
  const bool swap = params.boolean("swap");
  if (size <= 6) return make_table(std::make_unique<Hex<40>>(size, swap));
  if (size <= 11) return make_table(std::make_unique<Hex<124>>(size, swap));
  return make_table(std::make_unique<Hex<364>>(size, swap));
}

}  // namespace boardlab
