// EinStein wuerfelt nicht (EWN): the die picks the stone, the stone runs to the far corner.
//
// Two players on 3x3 to 6x6, and GBG's variants for three and four. Everything about a seat follows from one rotation
// of the board that brings its home corner to the top left: where its stones start and run, how its moves are
// numbered, what its planes look like.
//
// Teams, as in GBG. Four players: 0 and 2 against 1 and 3. Three players: 0 and 1 hunt player 2, who alone may win by
// reaching its corner; a hunter passes if the die picks its stone in its own far corner.
#include <algorithm>
#include <bit>

#include "core/adapt.h"
#include "core/permutation.h"
#include "games/feature_list.h"
#include "games/registry.h"
#include "games/square.h"

namespace boardlab {

namespace {

enum class Coding { OWNER, LEVEL, STONE };

// Maps a cell seen from seat p to the board itself: the seats' corners are top left, bottom right, bottom left, top
// right.
constexpr int from_seat(int p, int n, int cell) {
  const int row = cell / n, col = cell % n;
  switch (p) {
    case 0: return cell;
    case 1: return (n - 1 - row) * n + n - 1 - col;
    case 2: return (n - 1 - col) * n + row;
    default: return col * n + n - 1 - row;
  }
}

template <int N, int PLAYERS>
class Ewn {
 public:
  static constexpr int CELLS = N * N;
  static constexpr int STONES = N <= 4 ? 3 : 6;  // per player; the die has as many sides
  static constexpr int DIRECTIONS = 3;           // along the row, along the column, diagonally: seen from the seat
  static constexpr bool MAY_PASS = PLAYERS == 3;
  static constexpr Action PASS = STONES * DIRECTIONS;
  static constexpr int max_legal = std::max(STONES, 2 * DIRECTIONS);
  static constexpr std::uint8_t NOWHERE = 255;
  static constexpr int PLANES = (PLAYERS + 1) * STONES + (PLAYERS > 2 ? PLAYERS : 0);

  struct State {
    std::uint8_t cells[CELLS];             // 0 empty, else 1 + player*STONES + stone
    std::uint8_t where[PLAYERS * STONES];  // the cell of each stone, NOWHERE if captured
    std::uint8_t alive[PLAYERS];           // bit = stone
    std::uint8_t to_move;                  // who is to roll or move, or would be
    std::uint8_t die;                      // 1 .. STONES, or 0 before the roll
    std::uint8_t result;                   // 0 running, 1 team 0 has won, 2 team 1 has won
  };

  Ewn(bool random_start, Coding coding) : random_start_(random_start), coding_(coding) {
    for (int p = 0; p < PLAYERS; ++p)
      for (int cell = 0; cell < CELLS; ++cell) {
        const int row = cell / N, col = cell % N;
        const int steps[DIRECTIONS][2] = {{0, 1}, {1, 0}, {1, 1}};
        for (int d = 0; d < DIRECTIONS; ++d) {
          const int r = row + steps[d][0], c = col + steps[d][1];
          target_[p][from_seat(p, N, cell)][d] =
              r < N && c < N ? static_cast<std::uint8_t>(from_seat(p, N, r * N + c)) : NOWHERE;
        }
      }
  }

  Facts facts() const {
    Facts f;
    f.players = PLAYERS;
    f.action_count = STONES * DIRECTIONS + MAY_PASS;
    f.outcome_count = STONES;
    // A stone makes at most 2*(N-1) steps. A player out of moves ends the game, so no player has more turns.
    f.horizon = PLAYERS * (STONES * 2 * (N - 1) + 1);
    f.flags = PLAYERS == 3 ? 0 : BL_ZERO_SUM;
    f.field_count = CELLS + 2;
    f.cells = CELLS;
    f.max_changes = 2;
    f.symmetries = PLAYERS == 2 ? 2 : 1;
    f.plane_count = PLANES;
    f.plane_rows = f.plane_cols = N;
    f.feature_count = FEATURES;
    return f;
  }

  // The fixed start is GBG's. The random one shuffles the stones in the home corner, in the same way for every seat, as
  // GBG does.
  void initial_state(State &s, Rng &rng) const {
    int order[STONES];
    const std::uint64_t deals = STONES == 3 ? 6 : 720;
    permutation_of(random_start_ ? rng.below(static_cast<std::uint32_t>(deals)) : 0, STONES, order);
    std::fill(s.where, s.where + PLAYERS * STONES, NOWHERE);
    for (int p = 0; p < PLAYERS; ++p)
      for (int stone = 0; stone < STONES; ++stone) put(s, p, stone, from_seat(p, N, home(order[stone])));
  }
  int player(const State &s) const { return s.result ? TERMINAL : s.die ? s.to_move : CHANCE; }
  // The home corners are full at the start, and the first action empties a cell for good.
  int last_player(const State &s) const { return is_start(s) ? CHANCE : (s.to_move + PLAYERS - 1) % PLAYERS; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (unsigned stones = movable(s); stones; stones &= stones - 1) {
      const int stone = std::countr_zero(stones), p = s.to_move;
      const std::uint8_t *targets = target_[p][s.where[p * STONES + stone]];
      for (int d = 0; d < DIRECTIONS; ++d)
        if (targets[d] != NOWHERE) actions[count++] = stone * DIRECTIONS + d;
    }
    if constexpr (MAY_PASS)
      if (count == 0) actions[count++] = PASS;
    return count;
  }
  void apply(State &s, Action action) const {
    if (!s.die) {
      s.die = static_cast<std::uint8_t>(1 + action);
      return;
    }
    const int p = s.to_move;
    if (!MAY_PASS || action != PASS) {
      const int stone = action / DIRECTIONS;
      const std::uint8_t from = s.where[p * STONES + stone], to = target_[p][from][action % DIRECTIONS];
      if (s.cells[to]) take(s, s.cells[to] - 1);
      s.cells[from] = 0;
      s.cells[to] = static_cast<std::uint8_t>(1 + p * STONES + stone);
      s.where[p * STONES + stone] = to;
      s.result = result_of(s);
    }
    s.die = 0;
    s.to_move = static_cast<std::uint8_t>((p + 1) % PLAYERS);
  }
  void scores(const State &s, double *out) const {
    for (int p = 0; p < PLAYERS; ++p) out[p] = !s.result ? 0 : s.result - 1 == team(p) ? 1 : -1;
  }
  int chance(const State &, std::int32_t *outcomes, double *probabilities) const {
    for (int side = 0; side < STONES; ++side) {
      outcomes[side] = side;
      probabilities[side] = 1.0 / STONES;
    }
    return STONES;
  }
  Action sample_chance(const State &, Rng &rng) const { return static_cast<Action>(rng.below(STONES)); }

  // Fields: the cells, who is to roll or move, the die (0 before the roll).
  void to_fields(const State &s, std::int32_t *fields) const {
    std::copy(s.cells, s.cells + CELLS, fields);
    fields[CELLS] = s.to_move;
    fields[CELLS + 1] = s.die;
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    std::fill(s.where, s.where + PLAYERS * STONES, NOWHERE);
    for (int cell = 0; cell < CELLS; ++cell) {
      if (fields[cell] < 0 || fields[cell] > PLAYERS * STONES) return "a cell must be empty or hold a player's stone";
      if (!fields[cell]) continue;
      const int id = fields[cell] - 1;
      if (s.where[id] != NOWHERE) return "a stone is on two cells";
      put(s, id / STONES, id % STONES, cell);
    }
    if (fields[CELLS] < 0 || fields[CELLS] >= PLAYERS) return "there is no such player to move";
    if (fields[CELLS + 1] < 0 || fields[CELLS + 1] > STONES) return "the die shows no such number";
    s.to_move = static_cast<std::uint8_t>(fields[CELLS]);
    s.die = static_cast<std::uint8_t>(fields[CELLS + 1]);
    int finished = 0;
    for (int p = 0; p < PLAYERS; ++p) finished += !s.alive[p] + (runs_home(p) && reached(s, p));
    const int last = (s.to_move + PLAYERS - 1) % PLAYERS;
    if (!s.alive[last]) return "the player who has just moved has no stone";
    for (int p = 0; p < PLAYERS; ++p)
      if (p != last && runs_home(p) && reached(s, p)) return "play continued after a stone reached its corner";
    // One action may take a last stone and reach the corner, but it takes only one stone.
    if (finished > 1 && !(finished == 2 && runs_home(last) && reached(s, last)))
      return "play continued after a player lost all stones";
    s.result = result_of(s);
    if (s.result && s.die) return "the die cannot be rolled after the end";
    return nullptr;
  }

  // GBG's three codings: the owner; the owner and the stone in three levels (six stones in pairs); the owner and the
  // stone. 0 is an empty cell.
  int cell_values(int) const { return 1 + PLAYERS * per_player(); }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    for (int cell = 0; cell < CELLS; ++cell) cells[cell] = coded(s.cells[cell]);
  }
  int adjacency(int cell, std::int32_t *out) const { return grid_neighbours(N, N, cell, true, out); }
  int apply_changes(State &s, Action action, int, bl_cell_change *changes) const {
    if (!s.die || (MAY_PASS && action == PASS)) {
      apply(s, action);
      return 0;
    }
    const std::uint8_t from = s.where[s.to_move * STONES + action / DIRECTIONS];
    const std::uint8_t to = target_[s.to_move][from][action % DIRECTIONS];
    const std::uint8_t mover = coded(s.cells[from]), taken = coded(s.cells[to]);
    apply(s, action);
    changes[0] = {from, mover, 0};
    if (taken == mover) return 1;
    changes[1] = {to, taken, mover};
    return 2;
  }

  // Two players: the mirror through their corners. With three or four it would swap the other seats.
  void symmetry(std::uint64_t g, State &s) const {
    if (!g) return;
    const State before = s;
    for (int cell = 0; cell < CELLS; ++cell) s.cells[square_symmetry(4, N, cell)] = before.cells[cell];
    for (auto &cell : s.where)
      if (cell != NOWHERE) cell = static_cast<std::uint8_t>(square_symmetry(4, N, cell));
  }
  int symmetry_action(std::uint64_t g, Action action) const {
    const int d = action % DIRECTIONS;
    return g && d < 2 ? action - d + 1 - d : action;
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    return square_symmetry_cells(g ? 4 : 0, N, source, values);
  }

  // One plane per stone, the viewing player's first, then the other seats in order of play; then the die, one plane per
  // side. The board is rotated so that the player's own corner is top left, as its actions are numbered. With three and
  // four players one plane per seat marks the viewer, because the others' corners and the teams depend on it.
  void planes(const State &s, int player, float *out) const {
    std::fill(out, out + PLANES * CELLS, 0.0f);
    for (int cell = 0; cell < CELLS; ++cell) {
      const int id = s.cells[from_seat(player, N, cell)] - 1;
      if (id < 0) continue;
      const int seat = (id / STONES - player + PLAYERS) % PLAYERS;
      out[(seat * STONES + id % STONES) * CELLS + cell] = 1;
    }
    if (s.die) {
      float *plane = out + (PLAYERS * STONES + s.die - 1) * CELLS;
      std::fill(plane, plane + CELLS, 1.0f);
    }
    if constexpr (PLAYERS > 2) {
      float *plane = out + ((PLAYERS + 1) * STONES + player) * CELLS;
      std::fill(plane, plane + CELLS, 1.0f);
    }
  }
  // For each seat, the viewing player's first: stones left; steps from its far corner, of the nearest stone and on
  // average over the sides of the die; the sides that let it reach the corner, and that let it take another team's
  // stone.
  static constexpr int FEATURES = 5 * PLAYERS;
  void features(const State &s, int player, double *out) const {
    FeatureList list(out);
    for (int i = 0; i < PLAYERS; ++i) {
      const int p = (player + i) % PLAYERS;
      int steps[STONES], nearest = N, sum = 0, arrives = 0, takes = 0;
      bool attacks[STONES] = {};
      std::fill(steps, steps + STONES, N);
      for (int cell = 0; cell < CELLS; ++cell) {
        const int at = from_seat(p, N, cell), id = s.cells[at] - 1;
        if (id < 0 || id / STONES != p) continue;
        const int stone = id % STONES;
        steps[stone] = std::max(N - 1 - cell / N, N - 1 - cell % N);
        nearest = std::min(nearest, steps[stone]);
        for (const std::uint8_t target : target_[p][at])
          if (target != NOWHERE && s.cells[target] && team((s.cells[target] - 1) / STONES) != team(p))
            attacks[stone] = true;
      }
      for (unsigned side = 0; side < STONES; ++side) {
        int best = N;
        bool attack = false;
        for (unsigned stones = movable(s.alive[p], side); stones; stones &= stones - 1) {
          best = std::min(best, steps[std::countr_zero(stones)]);
          attack = attack || attacks[std::countr_zero(stones)];
        }
        sum += best;
        arrives += best == 1;
        takes += attack;
      }
      list.share(std::popcount(s.alive[p]), STONES);
      list.share(nearest, N);
      list.share(sum, N * STONES);
      list.share(arrives, STONES);
      list.share(takes, STONES);
    }
  }

 private:
  // Start cell of seat 0's stone number `stone`, in a triangle in the corner.
  static constexpr int home(int stone) {
    // GBG's fixed starts number the triangle diagonal by diagonal, from bottom left to top right; with four players on
    // 4x4, stones 1 and 2 are swapped.
    constexpr int TRIANGLE[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    if (PLAYERS == 4 && N == 4 && stone > 0) stone = 3 - stone;
    return TRIANGLE[stone][0] * N + TRIANGLE[stone][1];
  }
  static constexpr int team(int p) { return PLAYERS == 3 ? p == 2 : p % 2; }
  // Whether the player wins by reaching its far corner.
  static constexpr bool runs_home(int p) { return PLAYERS != 3 || p == 2; }

  int per_player() const { return coding_ == Coding::OWNER ? 1 : coding_ == Coding::LEVEL ? 3 : STONES; }
  std::uint8_t coded(std::uint8_t cell) const {
    if (!cell || coding_ == Coding::STONE) return cell;
    const int p = (cell - 1) / STONES, stone = (cell - 1) % STONES;
    return static_cast<std::uint8_t>(coding_ == Coding::OWNER ? 1 + p : 1 + 3 * p + stone * 3 / STONES);
  }

  static void put(State &s, int p, int stone, int cell) {
    s.cells[cell] = static_cast<std::uint8_t>(1 + p * STONES + stone);
    s.where[p * STONES + stone] = static_cast<std::uint8_t>(cell);
    s.alive[p] = static_cast<std::uint8_t>(s.alive[p] | 1u << stone);
  }
  static void take(State &s, int id) {
    s.where[id] = NOWHERE;
    s.alive[id / STONES] = static_cast<std::uint8_t>(s.alive[id / STONES] & ~(1u << id % STONES));
  }
  // The stone of the die, or the next lower and the next higher one still on the board.
  static unsigned movable(const State &s) { return movable(s.alive[s.to_move], s.die - 1u); }
  static unsigned movable(unsigned alive, unsigned side) {
    const unsigned wanted = 1u << side;
    if (alive & wanted) return wanted;
    const unsigned below = alive & (wanted - 1), above = alive & ~(wanted - 1);
    return std::bit_floor(below) | (above & (0u - above));
  }
  static bool reached(const State &s, int p) {
    const int corner = s.cells[from_seat(p, N, CELLS - 1)] - 1;
    return corner >= 0 && corner / STONES == p;
  }
  // Reaching the corner takes precedence: it wins even if the same step took a team mate's last stone.
  static std::uint8_t result_of(const State &s) {
    for (int p = 0; p < PLAYERS; ++p)
      if (runs_home(p) && reached(s, p)) return static_cast<std::uint8_t>(1 + team(p));
    for (int p = 0; p < PLAYERS; ++p)
      if (!s.alive[p]) return static_cast<std::uint8_t>(2 - team(p));
    return 0;
  }
  static bool is_start(const State &s) {
    for (int p = 0; p < PLAYERS; ++p)
      for (int stone = 0; stone < STONES; ++stone) {
        const int id = s.cells[from_seat(p, N, home(stone))] - 1;
        if (id < 0 || id / STONES != p) return false;
      }
    return true;
  }

  bool random_start_;
  Coding coding_;
  std::uint8_t target_[PLAYERS][CELLS][DIRECTIONS];
};

template <int N, int PLAYERS>
bl_game make_ewn_of(bool random_start, Coding coding) {
  return make_table(std::make_unique<Ewn<N, PLAYERS>>(random_start, coding));
}

}  // namespace

bl_game make_ewn(const Params &params) {
  const int size = params.integer("size", 3, 6), players = params.integer("players", 2, 4);
  const bool random_start = params.choice("start", {"fixed", "random"}) == "random";
  const std::string name = params.choice("coding", {"owner", "level", "stone"});
  const Coding coding = name == "owner" ? Coding::OWNER : name == "level" ? Coding::LEVEL : Coding::STONE;
  switch (10 * players + size) {
    case 23: return make_ewn_of<3, 2>(random_start, coding);
    case 24: return make_ewn_of<4, 2>(random_start, coding);
    case 25: return make_ewn_of<5, 2>(random_start, coding);
    case 26: return make_ewn_of<6, 2>(random_start, coding);
    case 36: return make_ewn_of<6, 3>(random_start, coding);
    case 44: return make_ewn_of<4, 4>(random_start, coding);
    case 46: return make_ewn_of<6, 4>(random_start, coding);
    default: params.refuse("size", players == 3 ? "must be 6 for three players" : "must be 4 or 6 for four players");
  }
}

}  // namespace boardlab
