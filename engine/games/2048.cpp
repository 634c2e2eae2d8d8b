// 2048 on boards from 2x2 to 6x6: slide, merge, and chance adds a 2 (90%) or a 4.
//
// A cell holds the exponent (2 -> 1, 4 -> 2, ...). On the standard 4x4 board a row of four bytes is looked up in a
// table of all rows with exponents up to 15; the table takes 512 KiB and is shared by all games. With SSE2, the
// sixteen cells are one vector.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/adapt.h"
#include "core/bits.h"
#include "games/feature_list.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

// Slides `n` cells (stride apart) towards the first; returns the sum of merged tiles.
std::uint64_t slide(std::uint8_t *cells, int n, int stride) {
  std::uint64_t gained = 0;
  int put = 0;
  bool may_merge = false;
  for (int i = 0; i < n; ++i) {
    const std::uint8_t tile = cells[i * stride];
    if (!tile) continue;
    cells[i * stride] = 0;
    if (may_merge && cells[(put - 1) * stride] == tile) {
      ++cells[(put - 1) * stride];
      gained += std::uint64_t{1} << (tile + 1);
      may_merge = false;
    } else {
      cells[put++ * stride] = tile;
      may_merge = true;
    }
  }
  return gained;
}

struct RowTable {
  struct Entry {
    std::uint32_t row;
    std::uint32_t gained;
  };
  std::vector<Entry> left;

  RowTable() : left(65536) {
    for (std::uint32_t index = 0; index < 65536; ++index) {
      std::uint8_t cells[4];
      for (std::uint32_t i = 0; i < 4; ++i) cells[i] = static_cast<std::uint8_t>(index >> (4 * i) & 15);
      left[index].gained = static_cast<std::uint32_t>(slide(cells, 4, 1));
      std::memcpy(&left[index].row, cells, 4);
    }
  }
  static const RowTable &get() {
    static const RowTable table;
    return table;
  }
};

enum Direction { UP, RIGHT, DOWN, LEFT };

#ifdef __SSE2__
__m128i load(const std::uint8_t *cells) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(cells)); }
void store(std::uint8_t *cells, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i *>(cells), x); }
unsigned bits(__m128i x) { return static_cast<unsigned>(_mm_movemask_epi8(x)); }

__m128i transposed(__m128i x) {
  x = _mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x));
  return _mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x));
}
// One bit for every empty cell.
unsigned empty_cells(const std::uint8_t *cells) { return bits(_mm_cmpeq_epi8(load(cells), _mm_setzero_si128())); }
// Whether each direction moves anything: a tile has an empty cell or an equal tile ahead of it.
void find_directions(const std::uint8_t *cells, bool *moves) {
  const __m128i x = load(cells), zero = _mm_setzero_si128(), empty = _mm_cmpeq_epi8(x, zero);
  const auto before = [&](__m128i next, unsigned inside) {
    const __m128i free = _mm_or_si128(_mm_cmpeq_epi8(next, zero), _mm_cmpeq_epi8(next, x));
    return (bits(_mm_andnot_si128(empty, free)) & inside) != 0;
  };
  moves[UP] = before(_mm_slli_si128(x, 4), 0xFFF0);
  moves[RIGHT] = before(_mm_srli_si128(x, 1), 0x7777);
  moves[DOWN] = before(_mm_srli_si128(x, 4), 0x0FFF);
  moves[LEFT] = before(_mm_slli_si128(x, 1), 0xEEEE);
}
#endif

template <int N>
class Game2048 {
 public:
  static constexpr int CELLS = N * N;
  static constexpr int max_legal = 2 * CELLS;
  static constexpr int VALUES = N <= 4 ? 16 : 20;  // for n-tuples: larger tiles count as the largest

  struct State {
    std::uint8_t cells[(CELLS + 7) / 8 * 8];
    std::uint64_t score;
    std::uint64_t empty_tiles;  // summed over all actions
    std::uint32_t spawns;       // tiles that chance has still to add
    std::uint32_t moved;        // an action was played
  };

  Facts facts() const {
    Facts f;
    f.players = 1;
    f.action_count = 4;
    f.outcome_count = 2 * CELLS;
    f.horizon = 1000000;
    f.flags = BL_LOOSE_RANGE;
    f.min_score = 0;
    f.max_score = static_cast<double>(CELLS) * static_cast<double>(std::uint64_t{1} << (CELLS + 1));
    f.field_count = CELLS + 4;
    f.reward_count = 1;
    f.cells = CELLS;
    f.symmetries = 8;
    f.plane_count = VALUES;
    f.plane_rows = f.plane_cols = N;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &s, Rng &) const { s.spawns = 2; }
  int player(const State &s) const { return s.spawns ? CHANCE : any_action(s) ? 0 : TERMINAL; }
  int last_player(const State &s) const { return s.moved ? 0 : CHANCE; }
  int legal(const State &s, Action *actions) const {
    bool moves[4];
    directions(s, moves);
    int count = 0;
    for (Action a = 0; a < 4; ++a) {
      actions[count] = a;
      count += moves[a];
    }
    return count;
  }
  void apply(State &s, Action action) const {
    if (s.spawns) {
      s.cells[action / 2] = static_cast<std::uint8_t>(1 + action % 2);
      --s.spawns;
      return;
    }
    push(s, action);
    s.empty_tiles += static_cast<std::uint64_t>(empty_count(s));
    s.spawns = 1;
    s.moved = 1;
  }
  void scores(const State &s, double *out) const { out[0] = static_cast<double>(s.score); }
  int chance(const State &s, std::int32_t *outcomes, double *probabilities) const {
    const double each = 1.0 / empty_count(s);
    int count = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
      if (s.cells[cell]) continue;
      outcomes[count] = 2 * cell;
      probabilities[count++] = 0.9 * each;
      outcomes[count] = 2 * cell + 1;
      probabilities[count++] = 0.1 * each;
    }
    return count;
  }
  Action sample_chance(const State &s, Rng &rng) const {
    std::uint32_t pick = rng.below(static_cast<std::uint32_t>(empty_count(s)));
    const int four = rng.below(10) == 0;
#ifdef __SSE2__
    if constexpr (N == 4) return 2 * select_bit(Bits64{empty_cells(s.cells)}, pick) + four;
#endif
    for (int cell = 0;; ++cell)
      if (!s.cells[cell] && pick-- == 0) return 2 * cell + four;
  }

  // "empty_tiles": GBG's second reward, the number of empty cells after each action, summed.
  const char *reward_name(int) const { return "empty_tiles"; }
  void reward_range(int, double *range) const {
    range[0] = 0;
    range[1] = 1e6 * CELLS;
  }
  void reward(int, const State &s, double *out) const { out[0] = static_cast<double>(s.empty_tiles); }

  void to_fields(const State &s, std::int32_t *fields) const {
    std::copy(s.cells, s.cells + CELLS, fields);
    fields[CELLS] = static_cast<std::int32_t>(std::min<std::uint64_t>(s.score, INT32_MAX));
    fields[CELLS + 1] = static_cast<std::int32_t>(std::min<std::uint64_t>(s.empty_tiles, INT32_MAX));
    fields[CELLS + 2] = static_cast<std::int32_t>(s.spawns);
    fields[CELLS + 3] = static_cast<std::int32_t>(s.moved);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    int empty = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
      if (fields[cell] < 0 || fields[cell] > CELLS + 1) return "a tile is impossible on this board";
      s.cells[cell] = static_cast<std::uint8_t>(fields[cell]);
      empty += fields[cell] == 0;
    }
    if (fields[CELLS] < 0 || fields[CELLS + 1] < 0) return "the score and the count of empty tiles cannot be negative";
    const int spawns = fields[CELLS + 2], moved = fields[CELLS + 3];
    if (spawns < 0 || spawns > 2 || spawns > empty) return "chance adds zero, one or two tiles, and there must be room";
    if (moved < 0 || moved > 1) return "whether an action was played must be 0 or 1";
    if (moved && spawns == 2) return "two tiles are added only before the first action";
    s.score = static_cast<std::uint64_t>(fields[CELLS]);
    s.empty_tiles = static_cast<std::uint64_t>(fields[CELLS + 1]);
    s.spawns = static_cast<std::uint32_t>(spawns);
    s.moved = static_cast<std::uint32_t>(moved);
    return nullptr;
  }

  int cell_values(int) const { return VALUES; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    for (int cell = 0; cell < CELLS; ++cell)
      cells[cell] = s.cells[cell] < VALUES - 1 ? s.cells[cell] : std::uint8_t{VALUES - 1};
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(N, N, cell, false, out); }

  void symmetry(std::uint64_t g, State &s) const {
    const State before = s;
    for (int cell = 0; cell < CELLS; ++cell) s.cells[square_symmetry(g, N, cell)] = before.cells[cell];
  }
  int symmetry_action(std::uint64_t g, Action a) const {
    if (g & 4) a = 3 - a;  // transpose: up <-> left, right <-> down
    if ((g & 1) && (a == LEFT || a == RIGHT)) a ^= 2;
    if ((g & 2) && (a == UP || a == DOWN)) a ^= 2;
    return a;
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return square_symmetry_cells(g, N, source, values);
  }

  void planes(const State &s, int, float *out) const {
    std::fill(out, out + VALUES * CELLS, 0.0f);
    for (int cell = 0; cell < CELLS; ++cell) out[std::min<int>(s.cells[cell], VALUES - 1) * CELLS + cell] = 1;
  }
  // Empty cells, the largest tile and whether it is in a corner, equal and unequal neighbours, lines out of order, and
  // how well the tiles fall from a corner.
  static constexpr int LARGE = 9;
  static constexpr int FEATURES = 10 + LARGE;
  void features(const State &s, int, double *out) const {
    int empty = 0, largest = 0, equal = 0, rough = 0, disorder = 0;
    double sum = 0, falls = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
      const int tile = s.cells[cell];
      empty += tile == 0;
      if (tile) sum += std::ldexp(1.0, tile);
      largest = std::max(largest, tile);
      const int row = cell / N, col = cell % N;
      for (const int other : {col + 1 < N ? cell + 1 : -1, row + 1 < N ? cell + N : -1}) {
        if (other < 0 || !tile || !s.cells[other]) continue;
        equal += s.cells[other] == tile;
        rough += std::abs(s.cells[other] - tile);
      }
    }
    for (int line = 0; line < 2 * N; ++line) {  // rows, then columns
      const int first = line < N ? line * N : line - N, step = line < N ? 1 : N;
      int rises = 0, sinks = 0;
      for (int i = 0; i + 1 < N; ++i) {
        const int change = s.cells[first + (i + 1) * step] - s.cells[first + i * step];
        (change > 0 ? rises : sinks) += std::abs(change);
      }
      disorder += std::min(rises, sinks);
    }
    for (int corner = 0; corner < 4; ++corner) {
      double weighted = 0;
      for (int cell = 0; cell < CELLS; ++cell) {
        const int row = corner & 1 ? N - 1 - cell / N : cell / N, col = corner & 2 ? N - 1 - cell % N : cell % N;
        weighted += s.cells[cell] * std::ldexp(1.0, -row - col);
      }
      falls = std::max(falls, weighted);
    }
    FeatureList list(out);
    list.share(empty, CELLS);
    list.steps(empty, 2);
    list.share(largest, CELLS);
    list.flag(largest > 0 && (s.cells[0] == largest || s.cells[N - 1] == largest || s.cells[CELLS - N] == largest ||
                              s.cells[CELLS - 1] == largest));
    list.share(equal, CELLS);
    list.share(rough, 4 * CELLS);
    list.share(disorder, 2 * CELLS);
    list.add(falls / CELLS);
    list.add(sum > 0 ? std::log2(sum) / CELLS : 0);
    list.steps(largest - 6, LARGE);
  }

 private:
  // Slides all lines and adds to the score; returns false if nothing moved.
  static bool push(State &s, int direction) {
    std::uint8_t before[CELLS];
    std::memcpy(before, s.cells, CELLS);
    if constexpr (N == 4) {
      const bool is_vertical = direction == UP || direction == DOWN,
                 backwards = direction == RIGHT || direction == DOWN;
      if (is_vertical) transpose(s.cells);
      std::uint32_t rows[4];
      std::memcpy(rows, s.cells, CELLS);
      for (std::uint32_t &row : rows) s.score += slide_row(row, backwards);
      std::memcpy(s.cells, rows, CELLS);
      if (is_vertical) transpose(s.cells);
    } else {
      const int along = direction == UP || direction == DOWN ? N : 1, across = N + 1 - along;
      const bool backwards = direction == RIGHT || direction == DOWN;
      for (int line = 0; line < N; ++line) {
        std::uint8_t *first = s.cells + line * across + (backwards ? (N - 1) * along : 0);
        s.score += slide(first, N, backwards ? -along : along);
      }
    }
    return std::memcmp(before, s.cells, CELLS) != 0;
  }
  static std::uint64_t slide_row(std::uint32_t &row, bool backwards) {
    static const RowTable &table = RowTable::get();
    if (row & 0xF0F0F0F0u) {
      std::uint8_t cells[4];
      std::memcpy(cells, &row, 4);
      const std::uint64_t gained = slide(backwards ? cells + 3 : cells, 4, backwards ? -1 : 1);
      std::memcpy(&row, cells, 4);
      return gained;
    }
    if (backwards) row = __builtin_bswap32(row);
    const std::uint32_t pairs = (row | row >> 4) & 0x00FF00FFu;
    const RowTable::Entry entry = table.left[(pairs | pairs >> 8) & 0xFFFFu];
    row = backwards ? __builtin_bswap32(entry.row) : entry.row;
    return entry.gained;
  }
  static void transpose(std::uint8_t *cells) {
#ifdef __SSE2__
    store(cells, transposed(load(cells)));
#else
    for (int row = 0; row < N; ++row)
      for (int col = row + 1; col < N; ++col) std::swap(cells[row * N + col], cells[col * N + row]);
#endif
  }
  static int empty_count(const State &s) {
#ifdef __SSE2__
    if constexpr (N == 4) return popcount(Bits64{empty_cells(s.cells)});
#endif
    return static_cast<int>(std::count(s.cells, s.cells + CELLS, 0));
  }
  static void directions(const State &s, bool *moves) {
#ifdef __SSE2__
    if constexpr (N == 4) return find_directions(s.cells, moves);
#endif
    for (int direction = 0; direction < 4; ++direction) {
      State after = s;
      moves[direction] = push(after, direction);
    }
  }
  static bool any_action(const State &s) {
#ifdef __SSE2__
    if constexpr (N == 4) {
      bool moves[4];
      find_directions(s.cells, moves);
      return moves[UP] || moves[RIGHT] || moves[DOWN] || moves[LEFT];
    }
#endif
    for (int cell = 0; cell < CELLS; ++cell) {
      if (!s.cells[cell]) continue;
      const int row = cell / N, col = cell % N;
      const std::uint8_t tile = s.cells[cell];
      if ((col + 1 < N && (s.cells[cell + 1] == tile || !s.cells[cell + 1])) ||
          (row + 1 < N && (s.cells[cell + N] == tile || !s.cells[cell + N])) || (col > 0 && !s.cells[cell - 1]) ||
          (row > 0 && !s.cells[cell - N]))
        return true;
    }
    return false;
  }
};

}  // namespace

bl_game make_2048(const Params &params) {
  switch (params.integer("size", 2, 6)) {
    case 2: return make_table(std::make_unique<Game2048<2>>());
    case 3: return make_table(std::make_unique<Game2048<3>>());
    case 4: return make_table(std::make_unique<Game2048<4>>());
    case 5: return make_table(std::make_unique<Game2048<5>>());
    default: return make_table(std::make_unique<Game2048<6>>());
  }
}

}  // namespace boardlab
