// Rubik's cube, 2x2x2 (pocket cube) and 3x3x3, in half-turn (HTM) or quarter-turn metric (QTM).
//
// A state stores which cubie is at each position and how it is turned. All tables are derived from geometry when the
// game is made: positions are vectors, twists are rotations of the cubies on one side, so there are no hand-typed
// cycles to get wrong. Axes: x to the right (R), y to the back (B), z up (U).
//
// The 2x2x2 has no centres. Its down-back-right corner is held fixed, and only U, L, F turn; a twist of D equals a
// twist of U with the whole cube turned.
#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/adapt.h"
#include "games/registry.h"

namespace boardlab {

namespace {

struct Vec {
  int x, y, z;
  bool operator==(const Vec &) const = default;
  Vec operator-() const { return {-x, -y, -z}; }
};
int dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
// A quarter turn of v, clockwise as seen from outside the face with normal n.
Vec quarter(Vec n, Vec v) {
  const int along = dot(n, v);
  const Vec turned = cross(v, n);
  return {along * n.x + turned.x, along * n.y + turned.y, along * n.z + turned.z};
}

// Faces in the order of the unfolded drawing and of the facelets.
enum Face { U, L, F, R, B, D };
constexpr Vec NORMAL[6] = {{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
constexpr Face OPPOSITE[6] = {D, R, B, L, F, U};

constexpr int CORNERS = 8, EDGES = 12;

// Positions of one kind of cubie (corners or edges) with their sticker normals. A corner's stickers are listed
// clockwise from the one on U or D, an edge's from the one on U, D, F or B: sticker 0 defines "not turned".
struct Places {
  std::vector<Vec> at;
  std::vector<std::vector<Vec>> stickers;

  int find(Vec v) const { return static_cast<int>(std::find(at.begin(), at.end(), v) - at.begin()); }
  int sticker(int place, Vec normal) const {
    const auto &list = stickers[static_cast<std::size_t>(place)];
    return static_cast<int>(std::find(list.begin(), list.end(), normal) - list.begin());
  }
};

Places make_corners() {
  Places places;
  for (const int z : {1, -1})
    for (const int y : {-1, 1})
      for (const int x : {-1, 1}) {
        const Vec first{0, 0, z}, a{x, 0, 0}, b{0, y, 0};
        places.at.push_back({x, y, z});
        // Clockwise seen from outside: first, second, third with first x second pointing inwards.
        if (dot(cross(first, a), b) < 0)
          places.stickers.push_back({first, a, b});
        else
          places.stickers.push_back({first, b, a});
      }
  return places;
}

Places make_edges() {
  Places places;
  for (const int z : {1, 0, -1})
    for (const int y : {-1, 0, 1})
      for (const int x : {-1, 0, 1}) {
        if ((x == 0) + (y == 0) + (z == 0) != 1) continue;
        places.at.push_back({x, y, z});
        if (z)
          places.stickers.push_back({{0, 0, z}, y ? Vec{0, y, 0} : Vec{x, 0, 0}});
        else
          places.stickers.push_back({{0, y, 0}, {x, 0, 0}});
      }
  return places;
}

// What a rotation does to the cubies at each place: where they go, and how much they turn.
struct Motion {
  std::array<std::uint8_t, EDGES> to{}, turn{};
};

template <class Rotate, class Moves>
Motion motion(const Places &places, Rotate rotate, Moves moves) {
  Motion m;
  for (std::size_t p = 0; p < places.at.size(); ++p) {
    const bool affected = moves(places.at[p]);
    const int to = affected ? places.find(rotate(places.at[p])) : static_cast<int>(p);
    m.to[p] = static_cast<std::uint8_t>(to);
    m.turn[p] = affected ? static_cast<std::uint8_t>(places.sticker(to, rotate(places.stickers[p][0]))) : 0;
  }
  return m;
}

struct Cube2 {
  std::uint8_t corner[CORNERS], corner_turn[CORNERS];  // by position: which cubie, how turned
};
struct Cube3 {
  std::uint8_t corner[CORNERS], corner_turn[CORNERS], edge[EDGES], edge_turn[EDGES];
};
// The same with the twist that led here: 1 + its action, 0 for a scrambled cube.
struct TwistedCube2 {
  std::uint8_t corner[CORNERS], corner_turn[CORNERS], last;
};
struct TwistedCube3 {
  std::uint8_t corner[CORNERS], corner_turn[CORNERS], edge[EDGES], edge_turn[EDGES], last;
};

// What a twist does to the corners, sixteen bytes as in a state: where cubie and turn of each place come from, and what
// is added to the turn.
struct CornerTwist {
  alignas(16) std::array<std::uint8_t, 2 * CORNERS> from, turn;
};

// `corners` are the cubies, then their turns.
void twist_plainly(std::uint8_t *corners, const CornerTwist &twist) {
  std::array<std::uint8_t, 2 * CORNERS> after;
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = static_cast<std::uint8_t>(corners[twist.from[i]] + twist.turn[i]);
    if (i >= CORNERS && after[i] >= 3) after[i] = static_cast<std::uint8_t>(after[i] - 3);
  }
  std::memcpy(corners, after.data(), after.size());
}

#ifdef __x86_64__
// The same with one shuffle: a search plays a dozen twists for every position that it evaluates.
__attribute__((target("ssse3"))) void twist_at_once(std::uint8_t *corners, const CornerTwist &twist) {
  const auto load = [](const std::uint8_t *p) __attribute__((target("ssse3"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
  };
  __m128i bytes = _mm_shuffle_epi8(load(corners), load(twist.from.data()));
  bytes = _mm_add_epi8(bytes, load(twist.turn.data()));
  const __m128i most = _mm_set_epi64x(0x0202020202020202, 0x7F7F7F7F7F7F7F7F);  // cubies stay unchanged
  bytes = _mm_sub_epi8(bytes, _mm_and_si128(_mm_cmpgt_epi8(bytes, most), _mm_set1_epi8(3)));
  _mm_storeu_si128(reinterpret_cast<__m128i *>(corners), bytes);
}
const bool HAS_SHUFFLE = __builtin_cpu_supports("ssse3");
#endif

void twist_all(std::uint8_t *corners, const CornerTwist &twist) {
#ifdef __x86_64__
  if (HAS_SHUFFLE) return twist_at_once(corners, twist);
#endif
  twist_plainly(corners, twist);
}

// GBG's ways to write the cube for n-tuples. CUBIES is its STICKER2: the cubie at each position, then its turn; for the
// 3x3x3 the edges likewise. STICKER has a cell for every position and cubie of the 2x2x2: 0, or 1 + turn if the cubie
// is there. COLOURS is its CUBESTATE: the colours of the facelets, without the centres; its CUBEPLUSACTION has two
// cells more, face and quarter turns of the last twist. The fixed corner of the 2x2x2 (position 7) is left out of the
// first two.
enum class Coding { CUBIES, STICKER, COLOURS };

// KEEPS_LAST: a state also holds the last twist. Only CUBEPLUSACTION does so: with it one cube is as many positions as
// twists lead to it, which no search can tell to be the same.
template <int SIZE, bool KEEPS_LAST>
class Rubiks {
 public:
  static constexpr bool BIG = SIZE == 3;
  using State = std::conditional_t<BIG, std::conditional_t<KEEPS_LAST, TwistedCube3, Cube3>,
                                   std::conditional_t<KEEPS_LAST, TwistedCube2, Cube2>>;
  static constexpr std::size_t CUBE_BYTES = sizeof(std::conditional_t<BIG, Cube3, Cube2>);
  static constexpr int max_legal = 18;
  static constexpr int FACE_COUNT = BIG ? 6 : 3;
  static constexpr int FACELETS = 6 * SIZE * SIZE;

  Rubiks(bool half_turns, int twists, double step_reward, Coding coding)
      : half_turns_(half_turns), twists_(twists), step_reward_(step_reward), coding_(coding) {
    for (int i = 0; i < FACELETS; ++i) {
      const Facelet f = facelet(i);
      const int zeros = (f.at.x == 0) + (f.at.y == 0) + (f.at.z == 0);
      shown_[i].kinds = zeros == 0 ? 3 : zeros == 1 ? 2 : 1;
      shown_[i].sticker = face_with(f.normal);
      if (zeros == 2) continue;
      shown_[i].place = (zeros ? edges_ : corners_).find(f.at);
      shown_[i].sticker = (zeros ? edges_ : corners_).sticker(shown_[i].place, f.normal);
      outer_.push_back(i);
    }
    for (const Places *places : {&corners_, &edges_})
      for (std::size_t c = 0; c < places->at.size(); ++c)
        for (std::size_t i = 0; i < places->stickers[c].size(); ++i)
          colour_of_[places == &edges_][c][i] = face_with(places->stickers[c][i]);
    static constexpr Face TURNING[6] = {U, L, F, D, R, B};  // the 2x2x2 uses the first three
    static constexpr int QUARTERS[2][3] = {{1, 3, 0}, {1, 2, 3}};
    for (int f = 0; f < FACE_COUNT; ++f)
      for (int k = 0; k < (half_turns ? 3 : 2); ++k) {
        const Vec n = NORMAL[TURNING[f]];
        const int quarters = QUARTERS[half_turns][k];
        const auto rotate = [=](Vec v) {
          for (int i = 0; i < quarters; ++i) v = quarter(n, v);
          return v;
        };
        const auto moves = [=](Vec v) { return dot(v, n) == 1; };
        twist_corners_.push_back(corner_twist(motion(corners_, rotate, moves)));
        twist_edges_.push_back(motion(edges_, rotate, moves));
        face_of_.push_back(TURNING[f]);
        quarters_of_.push_back(quarters);
      }
    // The 24 rotations of the whole cube: U and F go to any two perpendicular faces. The first is the identity.
    for (const Vec up : NORMAL)
      for (const Vec front : NORMAL) {
        if (dot(up, front)) continue;
        const Vec right = cross(up, front);
        const auto rotate = [=](Vec v) {
          return Vec{v.x * right.x - v.y * front.x + v.z * up.x, v.x * right.y - v.y * front.y + v.z * up.y,
                     v.x * right.z - v.y * front.z + v.z * up.z};
        };
        const auto all = [](Vec) { return true; };
        Turned turned{motion(corners_, rotate, all), motion(edges_, rotate, all), {}};
        for (int f = 0; f < 6; ++f)
          turned.face[f] = static_cast<Face>(std::find(std::begin(NORMAL), std::end(NORMAL), rotate(NORMAL[f])) -
                                             std::begin(NORMAL));
        rotations_.push_back(turned);
      }
    const auto identity = std::find_if(rotations_.begin(), rotations_.end(),
                                       [](const Turned &t) { return t.face[U] == U && t.face[F] == F; });
    std::swap(*identity, rotations_.front());
  }

  Facts facts() const {
    Facts f;
    f.players = 1;
    f.action_count = static_cast<int>(twist_corners_.size());
    f.horizon = 50;
    f.min_score = 0;
    f.step_reward = step_reward_;
    f.field_count = FACELETS + KEEPS_LAST;
    f.cells = coding_ == Coding::CUBIES    ? (BIG ? 40 : 14)
              : coding_ == Coding::STICKER ? 49
                                           : static_cast<int>(outer_.size()) + 2 * KEEPS_LAST;
    f.symmetries = 24;
    f.plane_count = BIG ? 12 : 7;
    f.plane_rows = BIG ? 20 : 7;
    f.plane_cols = 3;
    return f;
  }

  void initial_state(State &s, Rng &rng) const { scramble(s, twists_, rng); }
  void training_start(State &s, Rng &rng) const {
    scramble(s, twists_ ? 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(twists_))) : 0, rng);
  }
  int player(const State &s) const { return is_solved(s) ? TERMINAL : 0; }
  int last_player(const State &) const { return 0; }
  int legal(const State &, Action *actions) const {
    const int count = static_cast<int>(twist_corners_.size());
    for (int a = 0; a < count; ++a) actions[a] = a;
    return count;
  }
  Action random_action(const State &, Rng &rng) const {
    return static_cast<Action>(rng.below(static_cast<std::uint32_t>(twist_corners_.size())));
  }
  void apply(State &s, Action action) const {
    const auto a = static_cast<std::size_t>(action);
    static_assert(offsetof(State, corner) == 0 && offsetof(State, corner_turn) == CORNERS);
    twist_all(reinterpret_cast<std::uint8_t *>(&s), twist_corners_[a]);
    if constexpr (BIG) {
      const State before = s;
      for (std::size_t p = 0; p < EDGES; ++p) {
        const std::size_t to = twist_edges_[a].to[p];
        s.edge[to] = before.edge[p];
        s.edge_turn[to] = before.edge_turn[p] ^ twist_edges_[a].turn[p];
      }
    }
    if constexpr (KEEPS_LAST) s.last = static_cast<std::uint8_t>(action + 1);
  }
  void scores(const State &s, double *out) const { out[0] = is_solved(s); }

  // Fields are the colours of the facelets (0..5 = U L F R B D), face by face, row by row; then 1 + the last twist.
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int i = 0; i < FACELETS; ++i) fields[i] = colour(s, i);
    if constexpr (KEEPS_LAST) fields[FACELETS] = s.last;
  }
  const char *from_fields(State &s, const std::int32_t *fields) const;

  int cell_values(int cell) const {
    if (coding_ == Coding::STICKER) return 4;
    if (coding_ == Coding::COLOURS) {
      const int more = cell - static_cast<int>(outer_.size());
      return more < 0 ? 6 : more == 0 ? FACE_COUNT + 1 : 4;
    }
    if constexpr (BIG) return cell < 8 ? 8 : cell < 16 ? 3 : cell < 28 ? 12 : 2;
    return cell < 7 ? 7 : 3;
  }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    if (coding_ == Coding::COLOURS) {
      for (const int i : outer_) *cells++ = static_cast<std::uint8_t>(colour(s, i));
      if constexpr (KEEPS_LAST) {
        const std::size_t twist = s.last - std::size_t{s.last > 0};
        const std::size_t kinds = half_turns_ ? 3 : 2;
        *cells++ = s.last ? static_cast<std::uint8_t>(1 + twist / kinds) : std::uint8_t{0};
        *cells++ = s.last ? static_cast<std::uint8_t>(quarters_of_[twist]) : std::uint8_t{0};
      }
    } else if (coding_ == Coding::STICKER) {
      std::fill(cells, cells + 49, std::uint8_t{0});
      for (int p = 0; p < 7; ++p) cells[7 * p + s.corner[p]] = static_cast<std::uint8_t>(1 + s.corner_turn[p]);
    } else if constexpr (BIG) {
      std::memcpy(cells, &s, CUBE_BYTES);
    } else {
      std::copy(s.corner, s.corner + 7, cells);
      std::copy(s.corner_turn, s.corner_turn + 7, cells + 7);
    }
  }
  // 2x2x2: no two places hold the same corner, and the turns of all add up to whole turns: 5040 joint values instead of
  // 7^7, and 729 instead of 3^7.
  int joint_values(int group, bl_joint_values &joint) const {
    if (BIG || group > 1 || coding_ != Coding::CUBIES) return 0;
    joint.cell_count = 7;
    joint.row_count = group == 0 ? 5040 : 729;
    for (int i = 0; joint.cells && i < 7; ++i) joint.cells[i] = 7 * group + i;
    if (joint.rows && group == 0) write_permutations(joint.rows);
    if (joint.rows && group == 1) write_turns(joint.rows);
    return 1;
  }
  // All cells of the same kind of cubie; those of the last twist are next to all.
  int adjacency(int cell, std::int32_t *out) const {
    const auto is_twist = [&](int c) { return KEEPS_LAST && c >= static_cast<int>(outer_.size()); };
    const auto is_edge = [&](int c) {
      if (coding_ == Coding::COLOURS) return shown_[outer_[static_cast<std::size_t>(c)]].kinds == 2;
      return BIG && c >= 16;
    };
    int n = 0;
    for (int other = 0; other < facts().cells; ++other)
      if (other != cell && (is_twist(other) || is_twist(cell) || is_edge(other) == is_edge(cell))) out[n++] = other;
    return n;
  }

  // Turns the whole cube and renames the colours (conjugation). The 2x2x2 is then turned so that its fixed corner is
  // home again. The last twist is renamed like an action of the cube before it.
  void symmetry(std::uint64_t g, State &s) const {
    if constexpr (KEEPS_LAST) {
      if (s.last) {
        const Action last = s.last - 1;
        State before = s;
        apply(before, inverse(last));
        s.last = static_cast<std::uint8_t>(1 + symmetry_action(g, before, last));
      }
    }
    conjugate(g, s);
    if constexpr (!BIG) bring_home(s);
  }
  void conjugate(std::uint64_t g, State &s) const {
    const Turned &r = rotations_[g];
    const State before = s;
    for (std::size_t p = 0; p < CORNERS; ++p) {
      const std::size_t c = before.corner[p], to = r.corners.to[p];
      s.corner[to] = r.corners.to[c];
      s.corner_turn[to] = modulo3(before.corner_turn[p] + r.corners.turn[p] + 3 - r.corners.turn[c]);
    }
    if constexpr (BIG) {
      for (std::size_t p = 0; p < EDGES; ++p) {
        const std::size_t c = before.edge[p], to = r.edges.to[p];
        s.edge[to] = r.edges.to[c];
        s.edge_turn[to] = before.edge_turn[p] ^ r.edges.turn[p] ^ r.edges.turn[c];
      }
    }
  }
  int symmetry_action(std::uint64_t g, const State &s, Action action) const {
    const auto a = static_cast<std::size_t>(action);
    Face face = rotations_[g].face[face_of_[a]];
    if constexpr (!BIG) {
      // How the cube is turned home depends on where the symmetry took the fixed corner.
      State turned = s;
      conjugate(g, turned);
      face = at_home(turned, face);
    }
    return twist_of(face, quarters_of_[a]);
  }

  // One plane per cubie, one row per position, one column per turn.
  void planes(const State &s, int, float *out) const {
    const int count = BIG ? 12 : 7, rows = BIG ? 20 : 7;
    std::fill(out, out + count * rows * 3, 0.0f);
    const auto mark = [&](int cubie, int row, int turn) { out[(cubie * rows + row) * 3 + turn] = 1; };
    for (int p = 0; p < (BIG ? 8 : 7); ++p) mark(s.corner[p], p, s.corner_turn[p]);
    if constexpr (BIG)
      for (int p = 0; p < EDGES; ++p) mark(s.edge[p], 8 + p, s.edge_turn[p]);
  }

  // Exact for the 2x2x2: the distances of all its 3,674,160 states are computed on the first question.
  int solve(const State &s, bl_solution &out) const
    requires(!BIG)
  {
    out.scores[0] = 1 + step_reward_ * distance(s);
    return 1;
  }
  // The length of the scramble, at most God's number. Not the exact distance: an estimate must not cost a search of all
  // states, nor give the solution away.
  double moves_left(const State &s) const {
    const int farthest = BIG ? (half_turns_ ? 20 : 26) : half_turns_ ? 11 : 14;
    return is_solved(s) ? 0 : std::max(1, std::min(twists_, farthest));
  }

 private:
  // All orders of seven corners, ascending.
  static void write_permutations(std::uint8_t *row) {
    std::uint8_t corners[7] = {0, 1, 2, 3, 4, 5, 6};
    do row = std::copy(corners, corners + 7, row);
    while (std::next_permutation(corners, corners + 7));
  }
  // All turns of seven corners whose sum is a whole turn, ascending: six decide the last one.
  static void write_turns(std::uint8_t *row) {
    for (int number = 0; number < 729; ++number) {
      int sum = 0;
      for (int i = 0, power = 243; i < 6; ++i, power /= 3)
        sum += *row++ = static_cast<std::uint8_t>(number / power % 3);
      *row++ = static_cast<std::uint8_t>((3 - sum % 3) % 3);
    }
  }

  struct Turned {
    Motion corners, edges;
    Face face[6];  // where each face goes
  };
  static CornerTwist corner_twist(const Motion &motion) {
    CornerTwist twist{};
    for (std::size_t p = 0; p < CORNERS; ++p) {
      const std::size_t to = motion.to[p];
      twist.from[to] = static_cast<std::uint8_t>(p);
      twist.from[CORNERS + to] = static_cast<std::uint8_t>(CORNERS + p);
      twist.turn[CORNERS + to] = motion.turn[p];
    }
    return twist;
  }
  static constexpr int FIXED = 7;  // position of the 2x2x2's down-back-right corner

  static std::uint8_t modulo3(int n) { return static_cast<std::uint8_t>(n >= 6 ? n - 6 : n >= 3 ? n - 3 : n); }
  static constexpr State solved() {
    State s{};
    for (std::uint8_t p = 0; p < CORNERS; ++p) s.corner[p] = p;
    if constexpr (BIG)
      for (std::uint8_t p = 0; p < EDGES; ++p) s.edge[p] = p;
    return s;
  }
  static bool is_solved(const State &s) {
    static constexpr State home = solved();
    return std::memcmp(&s, &home, CUBE_BYTES) == 0;
  }
  int twist_of(Face face, int quarters) const {
    for (std::size_t b = 0; b < face_of_.size(); ++b)
      if (face_of_[b] == face && quarters_of_[b] == quarters) return static_cast<int>(b);
    return -1;
  }
  Action inverse(Action action) const {
    const auto a = static_cast<std::size_t>(action);
    return twist_of(face_of_[a], 4 - quarters_of_[a]);
  }
  // Random twists of which none undoes an earlier one. Twists of opposite faces commute, so all twists of a face since
  // the last twist about another axis count: in HTM it turns once, in QTM at most twice in one direction.
  void scramble(State &s, int twists, Rng &rng) const {
    do {
      s = solved();
      int turned[6] = {};  // signed quarter turns of each face since then
      for (int i = 0; i < twists;) {
        const int action = random_action(s, rng);
        const Face face = face_of_[static_cast<std::size_t>(action)];
        const int quarters = quarters_of_[static_cast<std::size_t>(action)], sense = quarters == 3 ? -1 : quarters;
        if (turned[face] && (half_turns_ || turned[face] != sense)) continue;
        for (int other = 0; other < 6; ++other)
          if (other != face && other != OPPOSITE[face]) turned[other] = 0;
        turned[face] += sense;
        apply(s, action);
        ++i;
      }
    } while (twists > 0 && is_solved(s));
    if constexpr (KEEPS_LAST) s.last = 0;  // it would give the first twist of a solution away
  }

  // The place and normal of facelet i.
  struct Facelet {
    Vec at, normal;
  };
  static Facelet facelet(int i) {
    const int face = i / (SIZE * SIZE), row = i / SIZE % SIZE, col = i % SIZE;
    const int a = BIG ? row - 1 : 2 * row - 1, b = BIG ? col - 1 : 2 * col - 1;
    switch (face) {
      case U: return {{b, -a, 1}, NORMAL[U]};
      case L: return {{-1, -b, -a}, NORMAL[L]};
      case F: return {{b, -1, -a}, NORMAL[F]};
      case R: return {{1, b, -a}, NORMAL[R]};
      case B: return {{-b, 1, -a}, NORMAL[B]};
      default: return {{b, a, -1}, NORMAL[D]};
    }
  }
  static int face_with(Vec normal) {
    return static_cast<int>(std::find(std::begin(NORMAL), std::end(NORMAL), normal) - std::begin(NORMAL));
  }
  int colour(const State &s, int i) const {
    const Shown &shown = shown_[i];
    if (shown.kinds == 1) return shown.sticker;
    int cubie = 0, turn = 0;
    if (shown.kinds == 3) {
      cubie = s.corner[shown.place];
      turn = s.corner_turn[shown.place];
    } else if constexpr (BIG) {
      cubie = s.edge[shown.place];
      turn = s.edge_turn[shown.place];
    }
    return colour_of_[shown.kinds == 2][cubie][(shown.sticker - turn + shown.kinds) % shown.kinds];
  }

  // The rotation of a whole 2x2x2 that brings the fixed corner home.
  const Turned &home_rotation(const State &s) const {
    std::size_t place = 0;
    while (s.corner[place] != FIXED) ++place;
    std::size_t g = 0;
    while (rotations_[g].corners.to[place] != FIXED ||
           modulo3(s.corner_turn[place] + rotations_[g].corners.turn[place]) != 0)
      ++g;
    return rotations_[g];
  }
  // The face that a twist of `face` turns when the 2x2x2 has been brought home. There U equals D, L equals R and F
  // equals B, because only the relative turn counts.
  Face at_home(const State &s, Face face) const {
    const Face turned = home_rotation(s).face[face];
    return turned == D || turned == R || turned == B ? OPPOSITE[turned] : turned;
  }
  void bring_home(State &s) const {
    const Turned &r = home_rotation(s);
    const State before = s;
    for (std::size_t p = 0; p < CORNERS; ++p) {
      s.corner[r.corners.to[p]] = before.corner[p];
      s.corner_turn[r.corners.to[p]] = modulo3(before.corner_turn[p] + r.corners.turn[p]);
    }
  }

  // ---- exact distances of the 2x2x2 ----
  static constexpr std::size_t STATES = 5040 * 729;
  static std::size_t index(const State &s) {
    std::size_t permutation = 0, turns = 0;
    for (int p = 0; p < 7; ++p) {
      std::size_t smaller = 0;
      for (int q = p + 1; q < 7; ++q) smaller += s.corner[q] < s.corner[p];
      permutation = permutation * static_cast<std::size_t>(7 - p) + smaller;
      if (p < 6) turns = turns * 3 + s.corner_turn[p];
    }
    return permutation * 729 + turns;
  }
  // One table per metric for all games: it depends on nothing else, and takes 3.7 MB.
  int distance(const State &s) const {
    static std::once_flag once[2];
    static std::vector<std::uint8_t> tables[2];
    std::vector<std::uint8_t> &table = tables[half_turns_];
    std::call_once(once[half_turns_], [&] { fill_distances(table); });
    return table[index(s)];
  }
  // A twist permutes the corners independently of their turns, and turns them independently of the permutation: two
  // small tables replace playing it.
  void fill_distances(std::vector<std::uint8_t> &table) const {
    const std::size_t twists = twist_corners_.size();
    std::vector<std::uint32_t> permute(5040 * twists), turn(729 * twists);
    const auto after = [&](const State &s, std::size_t twist) {
      State child = s;
      apply(child, static_cast<Action>(twist));
      return index(child);
    };
    State s = solved();
    do {
      for (std::size_t a = 0; a < twists; ++a)
        permute[index(s) / 729 * twists + a] = static_cast<std::uint32_t>(after(s, a) / 729 * 729);
    } while (std::next_permutation(s.corner, s.corner + 7));
    s = solved();
    for (std::size_t turns = 0; turns < 729; ++turns) {
      std::size_t rest = turns, sum = 0;
      for (int p = 5; p >= 0; --p, rest /= 3) sum += s.corner_turn[p] = static_cast<std::uint8_t>(rest % 3);
      s.corner_turn[6] = static_cast<std::uint8_t>((12 - sum) % 3);
      for (std::size_t a = 0; a < twists; ++a) turn[turns * twists + a] = static_cast<std::uint32_t>(after(s, a) % 729);
    }
    table.assign(STATES, 255);
    std::vector<std::uint32_t> frontier{static_cast<std::uint32_t>(index(solved()))}, next;
    table[frontier[0]] = 0;
    for (std::uint8_t d = 1; !frontier.empty(); ++d) {
      next.clear();
      for (const std::uint32_t state : frontier)
        for (std::size_t a = 0; a < twists; ++a) {
          const std::uint32_t child = permute[state / 729 * twists + a] + turn[state % 729 * twists + a];
          if (table[child] != 255) continue;
          table[child] = d;
          next.push_back(child);
        }
      frontier.swap(next);
    }
  }

  bool half_turns_;
  int twists_;
  double step_reward_;
  Coding coding_;
  // What a facelet shows: a sticker of the corner or edge at a place, or, with kinds = 1, a centre's colour.
  struct Shown {
    int kinds, place, sticker;
  };
  Shown shown_[FACELETS] = {};
  std::vector<int> outer_;           // the facelets that are no centres
  int colour_of_[2][EDGES][3] = {};  // of corners and edges: cubie, sticker
  Places corners_ = make_corners(), edges_ = make_edges();
  std::vector<CornerTwist> twist_corners_;
  std::vector<Motion> twist_edges_;
  std::vector<Face> face_of_;
  std::vector<int> quarters_of_;
  std::vector<Turned> rotations_;
};

int parity(const std::uint8_t *permutation, int n) {
  int inversions = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) inversions += permutation[i] > permutation[j];
  return inversions & 1;
}

template <int SIZE, bool KEEPS_LAST>
const char *Rubiks<SIZE, KEEPS_LAST>::from_fields(State &s, const std::int32_t *fields) const {
  for (int i = 0; i < FACELETS; ++i)
    if (fields[i] < 0 || fields[i] > 5) return "a facelet must have one of the six colours";
  bool corner_seen[CORNERS] = {}, edge_seen[EDGES] = {};
  int corner_turns = 0, edge_turns = 0;
  // Reads the colours at a place and finds the cubie and turn that show them.
  const auto read = [&](const Places &places, std::size_t place, std::uint8_t &cubie, std::uint8_t &turn) {
    const std::size_t kinds = places.stickers[place].size();
    int shown[3] = {};
    for (int i = 0; i < FACELETS; ++i) {
      const Facelet f = facelet(i);
      if (f.at == places.at[place]) shown[places.sticker(static_cast<int>(place), f.normal)] = fields[i];
    }
    for (std::size_t c = 0; c < places.at.size(); ++c)
      for (std::size_t t = 0; t < kinds; ++t) {
        bool fits = true;
        for (std::size_t i = 0; i < kinds; ++i)
          fits = fits && face_with(places.stickers[c][(i + kinds - t) % kinds]) == shown[i];
        if (!fits) continue;
        cubie = static_cast<std::uint8_t>(c);
        turn = static_cast<std::uint8_t>(t);
        return true;
      }
    return false;
  };
  for (std::size_t p = 0; p < CORNERS; ++p) {
    if (!read(corners_, p, s.corner[p], s.corner_turn[p]) || corner_seen[s.corner[p]])
      return "the colours do not make the eight corners of a cube";
    corner_seen[s.corner[p]] = true;
    corner_turns += s.corner_turn[p];
  }
  if (corner_turns % 3) return "a corner is twisted: this cube cannot be solved";
  if constexpr (BIG) {
    for (std::size_t p = 0; p < EDGES; ++p) {
      if (!read(edges_, p, s.edge[p], s.edge_turn[p]) || edge_seen[s.edge[p]])
        return "the colours do not make the twelve edges of a cube";
      edge_seen[s.edge[p]] = true;
      edge_turns += s.edge_turn[p];
    }
    for (int face = 0; face < 6; ++face)
      if (fields[face * 9 + 4] != face) return "the centres must be U, L, F, R, B, D in their places";
    if (edge_turns % 2) return "an edge is flipped: this cube cannot be solved";
    if (parity(s.corner, CORNERS) != parity(s.edge, EDGES)) return "two pieces are swapped: this cube cannot be solved";
  }
  if constexpr (KEEPS_LAST) {
    const std::int32_t last = fields[FACELETS];
    if (last < 0 || last > static_cast<int>(face_of_.size())) return "the last twist must be 0, or 1 + an action";
    s.last = static_cast<std::uint8_t>(last);
    if constexpr (!BIG) {
      const std::size_t twist = s.last - std::size_t{s.last > 0};
      if (last > 0) s.last = static_cast<std::uint8_t>(1 + twist_of(at_home(s, face_of_[twist]), quarters_of_[twist]));
    }
  }
  if constexpr (!BIG) bring_home(s);
  return nullptr;
}

}  // namespace

bl_game make_rubiks(const Params &params) {
  const int size = params.integer("size", 2, 3);
  const bool half_turns = params.choice("metric", {"htm", "qtm"}) == "htm";
  const int twists = params.integer("twists", 0, 1000);
  const double step_reward = params.real("step_reward", -1, 0);
  const std::string name = params.choice("coding", {"sticker2", "sticker", "cubestate", "cubeplusaction"});
  const Coding coding = name == "sticker2" ? Coding::CUBIES : name == "sticker" ? Coding::STICKER : Coding::COLOURS;
  if (size == 3 && coding == Coding::STICKER) params.refuse("coding", "sticker is for the 2x2x2");
  const auto make = [&]<int SIZE>() {
    if (name == "cubeplusaction")
      return make_table(std::make_unique<Rubiks<SIZE, true>>(half_turns, twists, step_reward, coding));
    return make_table(std::make_unique<Rubiks<SIZE, false>>(half_turns, twists, step_reward, coding));
  };
  return size == 2 ? make.template operator()<2>() : make.template operator()<3>();
}

}  // namespace boardlab
