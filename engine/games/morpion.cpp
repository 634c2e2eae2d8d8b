// Morpion Solitaire 5T, 5D, 4T, 4D: add a point that completes a line of five (four) points, as often as possible.
//
// The sheet is a torus of 64x64 points, so that a row is one machine word and a shift is a rotation. Wrapping around
// never matters, because no position is wider or higher than 60 points (and a line bridges at most one empty point):
//
// * Lines of five. Give every point eight half-edges, one towards each neighbour. A line uses eight of them (its four
//   steps have two ends each) and its new point brings eight, so 8*36 = 288 are unused at any time. (A game of 5D is
//   also one of 5T.) In every row that has points the leftmost one has its left half-edge unused and the rightmost one
//   its right; likewise in columns and both kinds of diagonals: 2*(rows + columns + diagonals) <= 288. Every new point
//   is next to an old one, so at width w no column between is empty, and among the diagonals at most every other one
//   is. From the leftmost to the rightmost point x+y and x-y change by 2(w-1) together, of which the cross covers 12
//   each without a gap: at least 26 + (2(w-1) - 24)/2 = w + 13 diagonals have points. There are at least ten rows:
//   10 + w + w + 13 <= 144, so w <= 60.
// * Lines of four. No game is longer than 62 moves (exact maximum of 4T; 4D games are 4T games). Of three successive
//   columns beyond the cross on one side one has two points at least: with one point p, q, r each, from the inside
//   out, the line that added q contains p and the line that added r contains p and q, so both share the step from p
//   to q, which is not allowed. So k columns on a side cost at least k + floor(k/3) moves, and 62 moves widen the
//   seven columns of the cross to 54 at most.
//
// A state keeps its legal lines, sorted, and an action updates them near the new point only.
#include <algorithm>
#include <bit>

#include "core/adapt.h"
#include "core/bits.h"
#include "games/registry.h"

namespace boardlab {

namespace {

constexpr int SIDE = 64, CELLS = SIDE * SIDE;

// Directions of a line from its first point: right, down, down right, down left.
constexpr int DX[4] = {1, 0, 1, -1}, DY[4] = {0, 1, 1, 1};

struct Point {
  int x, y;
  Point plus(int direction, int steps) const {
    return {(x + steps * DX[direction]) & (SIDE - 1), (y + steps * DY[direction]) & (SIDE - 1)};
  }
};

class Sheet {  // one bit per point
 public:
  bool has(Point p) const { return rows_[p.y] >> p.x & 1; }
  void add(Point p) { rows_[p.y] |= Bits64{1} << p.x; }
  Bits64 row(int y) const { return rows_[y]; }

 private:
  Bits64 rows_[SIDE];
};

// LENGTH points make a line. DISJOINT (variant D): lines in the same direction share no point; otherwise (T) they may
// share an end point, that is, no step between two points.
template <int LENGTH, bool DISJOINT>
class Morpion {
 public:
  // Every legal line contains LENGTH-1 points whose half-edges along it are unused, at least 2*(LENGTH-2) of them, and
  // a half-edge lies in LENGTH-1 lines. There are 288 unused ones in lines of five, 192 + 2*62 in lines of four.
  static constexpr int max_legal = 256;
  static_assert(288 * 4 / 6 < max_legal && (192 + 2 * 62) * 3 / 4 < max_legal);

  struct State {
    Sheet points;
    Sheet used[4];  // D: the point is on a line in this direction; T: the step from here in this direction is
    std::uint16_t legal[max_legal];  // lines, ascending; the rest is 0
    std::uint32_t legal_count;
    std::uint32_t moves;
  };

  Morpion() {
    std::memset(static_cast<void *>(&start_), 0, sizeof start_);
    // A Greek cross of twelve strokes, each ARM+1 points long.
    for (int i = 0; i <= ARM; ++i)
      for (const int side : {0, 3 * ARM}) {
        start_.points.add({FIRST + ARM + i, FIRST + side});  // ends of the arms
        start_.points.add({FIRST + side, FIRST + ARM + i});
        for (const int inner : {ARM, 2 * ARM}) {
          const int along = side ? 2 * ARM + i : i;
          start_.points.add({FIRST + inner, FIRST + along});  // sides of the arms
          start_.points.add({FIRST + along, FIRST + inner});
        }
      }
    list_legal(start_);
  }

  Facts facts() const {
    Facts f;
    f.players = 1;
    f.action_count = 4 * CELLS;
    // Longest games: 35 and 62 are exact; 121 is proved for 5D (Kawamura et al. 2013), 485 for 5T (Michalewski,
    // Nagorko and Pawlewicz 2015).
    f.horizon = LENGTH == 4 ? (DISJOINT ? 35 : 62) : DISJOINT ? 121 : 485;
    f.flags = BL_LOOSE_RANGE;
    f.min_score = 0;
    f.max_score = f.horizon;
    f.field_count = CELLS;
    f.cells = WINDOW * WINDOW;
    f.max_changes = LENGTH;
    f.symmetries = 8;
    f.plane_count = 5;
    f.plane_rows = f.plane_cols = WINDOW;
    return f;
  }

  void initial_state(State &s, Rng &) const { s = start_; }
  int player(const State &s) const { return s.legal_count ? 0 : TERMINAL; }
  int last_player(const State &s) const { return s.moves ? 0 : CHANCE; }
  int legal(const State &s, Action *actions) const {
    std::copy(s.legal, s.legal + s.legal_count, actions);
    return static_cast<int>(s.legal_count);
  }
  Action random_action(const State &s, Rng &rng) const { return s.legal[rng.below(s.legal_count)]; }
  // An action is a line: 4 * cell of its first point + direction. Exactly one of its points is missing.
  void apply(State &s, Action line) const {
    const Point added = missing(s, line);
    play(s, line, added);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < s.legal_count; ++i)
      if (is_legal(s, s.legal[i])) s.legal[kept++] = s.legal[i];
    std::fill(s.legal + kept, s.legal + s.legal_count, std::uint16_t{0});
    s.legal_count = kept;
    // Only lines through the new point can have become legal. None of them is in the list, as it lacked two points.
    for (int d = 0; d < 4; ++d)
      for (int before = 0; before < LENGTH; ++before) {
        const int candidate = line_at(added.plus(d, -before), d);
        if (is_legal(s, candidate)) insert(s, candidate);
      }
  }
  void scores(const State &s, double *out) const { out[0] = s.moves; }

  // Fields, one per cell: bit 0 a point, bits 1 to 4 the first point of a line in direction 0 to 3.
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int cell = 0; cell < CELLS; ++cell) fields[cell] = s.points.has(point_of(cell));
    each_line(s, [&](int line) { fields[line / 4] |= 2 << line % 4; });
  }
  const char *from_fields(State &s, const std::int32_t *fields) const;

  // 0 nothing, else 1 + a bit for each direction in which the point is on a line. Shows only a window around the cross,
  // like the planes.
  int cell_values(int) const { return 17; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    for (int cell = 0; cell < WINDOW * WINDOW; ++cell) cells[cell] = value(s, in_window(cell));
  }
  int adjacency(int cell, std::int32_t *out) const {
    int count = 0;
    const int x = cell % WINDOW, y = cell / WINDOW;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if ((dx || dy) && x + dx >= 0 && x + dx < WINDOW && y + dy >= 0 && y + dy < WINDOW)
          out[count++] = (y + dy) * WINDOW + x + dx;
    return count;
  }
  int apply_changes(State &s, Action line, int, bl_cell_change *changes) const {
    std::uint8_t before[LENGTH];
    for (int i = 0; i < LENGTH; ++i) before[i] = value(s, point_of(line / 4).plus(line % 4, i));
    apply(s, line);
    int count = 0;
    for (int i = 0; i < LENGTH; ++i) {
      const Point p = point_of(line / 4).plus(line % 4, i);
      const int x = p.x - WINDOW_FIRST, y = p.y - WINDOW_FIRST;
      const std::uint8_t after = value(s, p);
      if (after != before[i] && x >= 0 && x < WINDOW && y >= 0 && y < WINDOW)
        changes[count++] = {y * WINDOW + x, before[i], after};
    }
    return count;
  }

  // Bit 2 of g transposes, then bit 0 mirrors left-right and bit 1 top-bottom, all through the middle of the cross.
  void symmetry(std::uint64_t g, State &s) const {
    State turned;
    std::memset(static_cast<void *>(&turned), 0, sizeof turned);
    for (int y = 0; y < SIDE; ++y)
      for (Bits64 row = s.points.row(y); row; row &= row - 1) turned.points.add(moved(g, {lowest_bit(row), y}));
    each_line(s, [&](int line) { mark(turned, symmetry_action(g, line)); });
    turned.legal_count = s.legal_count;
    turned.moves = s.moves;
    for (std::uint32_t i = 0; i < s.legal_count; ++i)
      turned.legal[i] = static_cast<std::uint16_t>(symmetry_action(g, s.legal[i]));
    std::sort(turned.legal, turned.legal + turned.legal_count);
    s = turned;
  }
  int symmetry_action(std::uint64_t g, Action line) const {
    const Point a = moved(g, point_of(line / 4)), b = moved(g, point_of(line / 4).plus(line % 4, LENGTH - 1));
    const int d = turned_direction(g, line % 4);
    const Point end = a.plus(d, LENGTH - 1);
    return end.x == b.x && end.y == b.y ? line_at(a, d) : line_at(b, d);
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    for (int cell = 0; cell < WINDOW * WINDOW; ++cell) {
      const Point to = moved(g, in_window(cell));
      source[(to.y - WINDOW_FIRST) * WINDOW + to.x - WINDOW_FIRST] = cell;
      for (int v = 0; v < 256; ++v) {
        int directions = 0;
        for (int d = 0; d < 4 && v > 0; ++d)
          if ((v - 1) >> d & 1) directions |= 1 << turned_direction(g, d);
        values[cell * 256 + v] = static_cast<std::uint8_t>(v ? 1 + directions : 0);
      }
    }
    return 1;
  }

  // The points, then for each direction the points that are on a line in it.
  void planes(const State &s, int, float *out) const {
    for (int cell = 0; cell < WINDOW * WINDOW; ++cell) {
      const int v = value(s, in_window(cell));
      out[cell] = v > 0;
      for (int d = 0; d < 4; ++d) out[(1 + d) * WINDOW * WINDOW + cell] = static_cast<float>(v ? (v - 1) >> d & 1 : 0);
    }
  }

 private:
  static constexpr int ARM = LENGTH - 2;
  // The cross fills FIRST .. LAST in both coordinates; mirrors go through its middle.
  static constexpr int FIRST = LENGTH == 5 ? 27 : 28, LAST = FIRST + 3 * ARM;
  // A window with the same middle.
  static constexpr int WINDOW_FIRST = 16, WINDOW = FIRST + LAST + 1 - 2 * WINDOW_FIRST;
  static_assert(LAST < SIDE && WINDOW_FIRST + WINDOW <= SIDE);
  // What a line consumes: its points (D) or the steps between them (T).
  static constexpr int USES = DISJOINT ? LENGTH : LENGTH - 1;

  static Point point_of(int cell) { return {cell % SIDE, cell / SIDE}; }
  static Point in_window(int cell) { return {WINDOW_FIRST + cell % WINDOW, WINDOW_FIRST + cell / WINDOW}; }
  static int line_at(Point first, int direction) { return 4 * (first.y * SIDE + first.x) + direction; }

  static bool is_legal(const State &s, int line) {
    const Point first = point_of(line / 4);
    const int d = line % 4;
    int lacking = 0;
    for (int i = 0; i < LENGTH; ++i) {
      const Point p = first.plus(d, i);
      lacking += !s.points.has(p);
      if (i < USES && s.used[d].has(p)) return false;
    }
    return lacking == 1;
  }
  static Point missing(const State &s, int line) {
    Point p = point_of(line / 4);
    while (s.points.has(p)) p = p.plus(line % 4, 1);
    return p;
  }
  static void mark(State &s, int line) {
    for (int i = 0; i < USES; ++i) s.used[line % 4].add(point_of(line / 4).plus(line % 4, i));
  }
  static void play(State &s, int line, Point added) {
    s.points.add(added);
    mark(s, line);
    ++s.moves;
  }
  static void insert(State &s, int line) {
    std::uint16_t *end = s.legal + s.legal_count++;
    std::uint16_t *place = std::upper_bound(s.legal, end, static_cast<std::uint16_t>(line));
    std::copy_backward(place, end, end + 1);
    *place = static_cast<std::uint16_t>(line);
  }
  static void list_legal(State &s) {
    for (int line = 0; line < 4 * CELLS; ++line)
      if (is_legal(s, line)) s.legal[s.legal_count++] = static_cast<std::uint16_t>(line);
  }
  // Visits the lines played. In one direction they lie end to end in runs of used places, and a run has only one
  // beginning, so the lines need not be stored.
  template <class Visit>
  static void each_line(const State &s, Visit visit) {
    for (int d = 0; d < 4; ++d)
      for (int y = 0; y < SIDE; ++y)
        for (Bits64 row = s.used[d].row(y); row; row &= row - 1) {
          Point p{lowest_bit(row), y};
          if (s.used[d].has(p.plus(d, -1))) continue;
          for (; s.used[d].has(p); p = p.plus(d, USES)) visit(line_at(p, d));
        }
  }
  static std::uint8_t value(const State &s, Point p) {
    if (!s.points.has(p)) return 0;
    int v = 1;
    for (int d = 0; d < 4; ++d) v += (s.used[d].has(p) || (!DISJOINT && s.used[d].has(p.plus(d, -1)))) << d;
    return static_cast<std::uint8_t>(v);
  }
  static Point moved(std::uint64_t g, Point p) {
    if (g & 4) std::swap(p.x, p.y);
    if (g & 1) p.x = (FIRST + LAST - p.x) & (SIDE - 1);
    if (g & 2) p.y = (FIRST + LAST - p.y) & (SIDE - 1);
    return p;
  }
  static int turned_direction(std::uint64_t g, int d) {
    if (d < 2) return g & 4 ? 1 - d : d;
    return (g & 1) != (g >> 1 & 1) ? 5 - d : d;
  }

  State start_;
};

// A set of lines is a position if the lines can be played in some order. Any line that lacks one point may be played
// first: every line adds one point, so a remaining line that lacks no point would be one line too many for the points
// of those played, and the first remaining line of a valid order lacks at most one point.
template <int LENGTH, bool DISJOINT>
const char *Morpion<LENGTH, DISJOINT>::from_fields(State &s, const std::int32_t *fields) const {
  State lines = start_;
  int count = 0;
  for (int cell = 0; cell < CELLS; ++cell) {
    if (fields[cell] < 0 || fields[cell] > 31)
      return "a cell must hold a point or none, and the first points of at most four lines";
    for (int d = 0; d < 4; ++d) {
      if (!(fields[cell] >> (1 + d) & 1)) continue;
      ++count;
      for (int i = 0; i < USES; ++i) {
        const Point p = point_of(cell).plus(d, i);
        if (lines.used[d].has(p)) return "two lines in the same direction overlap";
        lines.used[d].add(p);
      }
    }
  }
  if (count > static_cast<int>(facts().horizon)) return "there are more lines than any game can have";
  s = start_;
  for (bool progress = true; progress;) {
    progress = false;
    each_line(lines, [&](int line) {
      if (!is_legal(s, line)) return;
      play(s, line, missing(s, line));
      progress = true;
    });
  }
  if (static_cast<int>(s.moves) != count) return "the lines cannot be played in any order";
  for (int cell = 0; cell < CELLS; ++cell)
    if (s.points.has(point_of(cell)) != ((fields[cell] & 1) != 0))
      return "the points are not the cross and one more for each line";
  std::fill(s.legal, s.legal + s.legal_count, std::uint16_t{0});
  s.legal_count = 0;
  list_legal(s);
  return nullptr;
}

}  // namespace

bl_game make_morpion(const Params &params) {
  const std::string variant = params.choice("variant", {"5T", "5D", "4T", "4D"});
  if (variant == "5T") return make_table(std::make_unique<Morpion<5, false>>());
  if (variant == "5D") return make_table(std::make_unique<Morpion<5, true>>());
  if (variant == "4T") return make_table(std::make_unique<Morpion<4, false>>());
  return make_table(std::make_unique<Morpion<4, true>>());
}

}  // namespace boardlab
