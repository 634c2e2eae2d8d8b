// Sim on K nodes for two or three players: colour one edge per turn, and a triangle in your own colour loses.
//
// A colour is stored as rows of an adjacency matrix. The edge i-j closes a triangle if and only if rows i and j of the
// player's colour have a node in common, so the only costly question of the game is one AND.
//
// Three players, as in GBG: a player who closes a triangle has lost and drops out, and the other two continue until one
// of them loses too or the edges run out. In the coalition, players 1 and 2 play together against player 0 and the
// first triangle ends the game.
#include <algorithm>

#include "core/adapt.h"
#include "core/bits.h"
#include "core/permutation.h"
#include "games/feature_list.h"
#include "games/registry.h"

namespace boardlab {

namespace {

// Row: one bit per node, at most CAPACITY of them. The small version keeps the states of Sim itself (K6) small.
template <class Row, int CAPACITY, int PLAYERS>
class Sim {
 public:
  static constexpr int MAX_EDGES = CAPACITY * (CAPACITY - 1) / 2;
  static constexpr int max_legal = MAX_EDGES;

  struct State {
    Row rows[PLAYERS][CAPACITY];  // bit j of rows[p][i]: player p owns the edge i-j
    Row edges;                    // number of coloured edges
    Row to_move;
    Row lost;  // bit p: player p owns a triangle
    Row over;
  };

  Sim(int nodes, bool coalition) : nodes_(nodes), edges_(nodes * (nodes - 1) / 2), coalition_(coalition) {
    int edge = 0;
    for (int i = 0; i < nodes; ++i)
      for (int j = i + 1; j < nodes; ++j) {
        from_[edge] = static_cast<std::uint8_t>(i);
        to_[edge] = static_cast<std::uint8_t>(j);
        edge_of_[i][j] = edge_of_[j][i] = static_cast<std::uint8_t>(edge++);
      }
  }

  Facts facts() const {
    Facts f;
    f.players = PLAYERS;
    f.action_count = edges_;
    f.horizon = edges_;
    f.flags = PLAYERS == 2 ? BL_ZERO_SUM : 0;
    f.field_count = edges_;
    f.cells = edges_;
    f.max_changes = 1;
    for (std::uint64_t k = 2; k <= static_cast<std::uint64_t>(nodes_); ++k) f.symmetries *= k;
    f.plane_count = PLAYERS;
    f.plane_rows = f.plane_cols = nodes_;
    f.feature_count = FEATURES;
    return f;
  }

  void initial_state(State &, Rng &) const {}
  int player(const State &s) const { return s.over ? TERMINAL : static_cast<int>(s.to_move); }
  int last_player(const State &s) const { return s.edges ? last_mover(s) : CHANCE; }
  int legal(const State &s, Action *actions) const {
    int count = 0;
    for (int i = 0; i + 1 < nodes_; ++i)
      for (Bits64 free = free_from(s, i); free; free &= free - 1) actions[count++] = edge_of_[i][lowest_bit(free)];
    return count;
  }
  Action random_action(const State &s, Rng &rng) const {
    int pick = static_cast<int>(rng.below(static_cast<std::uint32_t>(edges_ - static_cast<int>(s.edges))));
    for (int i = 0;; ++i) {
      const Bits64 free = free_from(s, i);
      const int here = popcount(free);
      if (pick < here) return edge_of_[i][select_bit(free, static_cast<unsigned>(pick))];
      pick -= here;
    }
  }
  void apply(State &s, Action edge) const {
    const int me = static_cast<int>(s.to_move), i = from_[edge], j = to_[edge];
    if (s.rows[me][i] & s.rows[me][j]) s.lost = static_cast<Row>(s.lost | 1u << me);
    colour(s, me, edge);
    settle(s, me);
  }
  void scores(const State &s, double *out) const {
    std::fill(out, out + PLAYERS, 0.0);
    if (!s.over) return;
    if (PLAYERS == 3 && !coalition_) {
      for (int p = 0; p < PLAYERS; ++p) out[p] = s.lost >> p & 1 ? -1 : popcount(Bits64{s.lost}) == 2 ? 1 : 0;
    } else if (s.lost) {
      out[0] = s.lost & 1 ? -1 : 1;
      for (int p = 1; p < PLAYERS; ++p) out[p] = -out[0];
    }
  }

  // Fields are the owners of the edges in the order of the actions: 0 nobody, 1 + player. They determine who moves and
  // who has lost.
  void to_fields(const State &s, std::int32_t *fields) const {
    for (int edge = 0; edge < edges_; ++edge) fields[edge] = owner(s, edge);
  }
  const char *from_fields(State &s, const std::int32_t *fields) const {
    for (int edge = 0; edge < edges_; ++edge) {
      if (fields[edge] < 0 || fields[edge] > PLAYERS) return "an edge belongs to nobody or to one of the players";
      if (fields[edge]) colour(s, fields[edge] - 1, edge);
    }
    if (!s.edges) return nullptr;
    int counts[PLAYERS];
    count_edges(s, counts);
    for (int p = 0; p < PLAYERS; ++p)
      if (has_triangle(s, p)) {
        s.lost = static_cast<Row>(s.lost | 1u << p);
        if (!one_edge_makes_all_triangles(s, p)) return "a player continued after closing a triangle";
      }
    const int last = last_mover(s);
    const unsigned out_before = s.lost & ~(1u << last);
    if (out_before && (PLAYERS == 2 || coalition_)) return "play continued after a triangle was closed";
    if (popcount(Bits64{out_before}) > 1) return "play continued after two players had lost";
    // In round r player p makes its r-th turn, unless it has dropped out.
    for (int p = 0; p < PLAYERS; ++p) {
      const int turns = counts[last] - (p > last ? 1 : 0);
      if (!(out_before >> p & 1) && counts[p] != turns) return "the players did not take turns";
    }
    settle(s, last);
    return nullptr;
  }

  int cell_values(int) const { return PLAYERS + 1; }
  void board_vector(const State &s, int, std::uint8_t *cells) const {
    for (int edge = 0; edge < edges_; ++edge) cells[edge] = static_cast<std::uint8_t>(owner(s, edge));
  }
  // Two edges are neighbours when they meet in a node.
  int adjacency(int cell, std::int32_t *out) const {
    int count = 0;
    for (int other = 0; other < edges_; ++other)
      if (other != cell && (from_[other] == from_[cell] || from_[other] == to_[cell] || to_[other] == from_[cell] ||
                            to_[other] == to_[cell]))
        out[count++] = other;
    return count;
  }
  int apply_changes(State &s, Action edge, int, bl_cell_change *changes) const {
    changes[0] = {edge, 0, static_cast<std::uint8_t>(1 + s.to_move)};
    apply(s, edge);
    return 1;
  }

  // Symmetry g renames the nodes by the g-th permutation.
  void symmetry(std::uint64_t g, State &s) const {
    int name[CAPACITY];
    permutation_of(g, nodes_, name);
    const State before = s;
    for (int p = 0; p < PLAYERS; ++p)
      for (int i = 0; i < nodes_; ++i) {
        Row row = 0;
        for (Bits64 rest = before.rows[p][i]; rest; rest &= rest - 1)
          row = static_cast<Row>(row | Row(1) << name[lowest_bit(rest)]);
        s.rows[p][name[i]] = row;
      }
  }
  int symmetry_action(std::uint64_t g, Action edge) const {
    int name[CAPACITY];
    permutation_of(g, nodes_, name);
    return edge_of_[name[from_[edge]]][name[to_[edge]]];
  }
  int symmetry_cells(std::uint64_t g, std::int32_t *source, std::uint8_t *values) const {
    int name[CAPACITY];
    permutation_of(g, nodes_, name);
    for (int edge = 0; edge < edges_; ++edge) {
      source[edge_of_[name[from_[edge]]][name[to_[edge]]]] = edge;
      for (int v = 0; v < 256; ++v) values[edge * 256 + v] = static_cast<std::uint8_t>(v);
    }
    return 1;
  }

  // One adjacency matrix per player, the viewing player's first, then in order of play.
  void planes(const State &s, int player, float *out) const {
    for (int p = 0; p < PLAYERS; ++p)
      for (int i = 0; i < nodes_; ++i)
        for (int j = 0; j < nodes_; ++j) *out++ = static_cast<float>(s.rows[(player + p) % PLAYERS][i] >> j & 1);
  }
  // For each player, the viewing player first: free edges that close no triangle of its own, those that do, and whether
  // it has lost; then how many edges are coloured, and the free ones that are safe for all.
  static constexpr int FEATURES = 6 * PLAYERS + 3;
  void features(const State &s, int player, double *out) const {
    FeatureList list(out);
    int safe_for_all = 0;
    int safe[PLAYERS] = {}, unsafe[PLAYERS] = {};
    for (int edge = 0; edge < edges_; ++edge) {
      if (owner(s, edge)) continue;
      bool is_safe_for_all = true;
      for (int p = 0; p < PLAYERS; ++p) {
        const bool closes = (s.rows[p][from_[edge]] & s.rows[p][to_[edge]]) != 0;
        ++(closes ? unsafe : safe)[p];
        is_safe_for_all = is_safe_for_all && !closes;
      }
      safe_for_all += is_safe_for_all;
    }
    for (int i = 0; i < PLAYERS; ++i) {
      const int p = (player + i) % PLAYERS;
      list.share(safe[p], edges_);
      list.share(unsafe[p], edges_);
      list.flag(s.lost >> p & 1);
      list.steps(safe[p], 3);
    }
    list.share(static_cast<int>(s.edges), edges_);
    list.share(safe_for_all, edges_);
    list.flag(safe_for_all % 2);
  }
  double moves_left(const State &s) const { return s.over ? 0 : edges_ - static_cast<int>(s.edges); }

 private:
  Bits64 free_from(const State &s, int i) const {
    Bits64 taken = 0;
    for (int p = 0; p < PLAYERS; ++p) taken |= s.rows[p][i];
    return ~taken & ((Bits64{1} << nodes_) - (Bits64{2} << i));
  }
  int owner(const State &s, int edge) const {
    for (int p = 0; p < PLAYERS; ++p)
      if (s.rows[p][from_[edge]] >> to_[edge] & 1) return 1 + p;
    return 0;
  }
  void colour(State &s, int p, int edge) const {
    s.rows[p][from_[edge]] = static_cast<Row>(s.rows[p][from_[edge]] | Row(1) << to_[edge]);
    s.rows[p][to_[edge]] = static_cast<Row>(s.rows[p][to_[edge]] | Row(1) << from_[edge]);
    ++s.edges;
  }
  // After an edge of `last`: determines who moves next, if anybody.
  void settle(State &s, int last) const {
    const int losers = popcount(Bits64{s.lost});
    const bool decided = PLAYERS == 3 && !coalition_ ? losers == 2 : losers == 1;
    s.over = decided || static_cast<int>(s.edges) == edges_;
    int next = (last + 1) % PLAYERS;
    if (PLAYERS == 3 && (s.lost >> next & 1)) next = (next + 1) % PLAYERS;
    s.to_move = static_cast<Row>(next);
  }
  void count_edges(const State &s, int *counts) const {
    for (int p = 0; p < PLAYERS; ++p) {
      counts[p] = 0;
      for (int i = 0; i < nodes_; ++i) counts[p] += popcount(Bits64{s.rows[p][i]});
      counts[p] /= 2;
    }
  }
  // The player of the latest turn: the one with the most turns, among equals the later one in order of play.
  int last_mover(const State &s) const {
    int counts[PLAYERS], last = 0;
    count_edges(s, counts);
    for (int p = 1; p < PLAYERS; ++p)
      if (counts[p] >= counts[last]) last = p;
    return last;
  }
  bool has_triangle(const State &s, int p) const {
    for (int edge = 0; edge < edges_; ++edge)
      if ((s.rows[p][from_[edge]] >> to_[edge] & 1) && (s.rows[p][from_[edge]] & s.rows[p][to_[edge]])) return true;
    return false;
  }
  // Whether one edge of the player lies in all its triangles: that edge may have been its last.
  bool one_edge_makes_all_triangles(const State &s, int p) const {
    for (int edge = 0; edge < edges_; ++edge) {
      if (!(s.rows[p][from_[edge]] >> to_[edge] & 1)) continue;
      State without = s;
      without.rows[p][from_[edge]] = static_cast<Row>(without.rows[p][from_[edge]] & ~(Row(1) << to_[edge]));
      without.rows[p][to_[edge]] = static_cast<Row>(without.rows[p][to_[edge]] & ~(Row(1) << from_[edge]));
      if (!has_triangle(without, p)) return true;
    }
    return false;
  }

  int nodes_, edges_;
  bool coalition_;
  std::uint8_t from_[MAX_EDGES] = {}, to_[MAX_EDGES] = {};
  std::uint8_t edge_of_[CAPACITY][CAPACITY] = {};
};

}  // namespace

bl_game make_sim(const Params &params) {
  const int nodes = params.integer("nodes", 4, 20), players = params.integer("players", 2, 3);
  const bool coalition = params.boolean("coalition");
  if (coalition && players == 2) params.refuse("coalition", "is for three players");
  if (nodes <= 8) {
    if (players == 2) return make_table(std::make_unique<Sim<std::uint8_t, 8, 2>>(nodes, false));
    return make_table(std::make_unique<Sim<std::uint8_t, 8, 3>>(nodes, coalition));
  }
  if (players == 2) return make_table(std::make_unique<Sim<std::uint32_t, 20, 2>>(nodes, false));
  return make_table(std::make_unique<Sim<std::uint32_t, 20, 3>>(nodes, coalition));
}

}  // namespace boardlab
