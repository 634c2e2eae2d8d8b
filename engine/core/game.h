// A game as the engine uses it: the contract's table, with defaults for all optional functions.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/adapt.h"
#include "core/contract.h"
#include "core/rng.h"

namespace boardlab {

// The outcome that an evaluator estimates and a search maximises: the score, or a named reward (0, 1, ...).
inline constexpr int SCORE = -1;

// Shape of the input planes of a neural net; count 0 if there are none.
struct PlaneShape {
  int count = 0, rows = 0, cols = 0;
  std::size_t size() const { return static_cast<std::size_t>(count) * static_cast<std::size_t>(rows * cols); }
};

// Called regularly during long work; throws to stop it (Ctrl-C).
using Poll = std::function<void()>;

struct Range {
  double min, max;
  bool loose;  // a generous estimate: scale by the observed range instead
};

// A user's game contradicts itself: it gave two answers to one question. Not an invalid_argument, which counts as an
// agent's mistake: this ends a match instead of losing a game.
class BrokenRules : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Cells whose values depend on one another, and the joint values that they can have: rows of a value a cell.
struct JointValues {
  std::vector<int> cells;
  std::vector<std::vector<int>> rows;
};

// 64 bits that depend on every byte.
std::uint64_t hash_bytes(const void *bytes, std::size_t count);

// Whether this engine can read a table: of this version, and whole but for functions that were added since.
inline bool is_readable(const bl_game &table) {
  return table.abi_version == BL_GAME_ABI && table.struct_size >= offsetof(bl_game, joint_values) &&
         table.struct_size <= sizeof(bl_game);
}

class Game {
 public:
  // Takes over `table` (and calls its destroy). Throws std::invalid_argument for an unusable table: wrong version,
  // numbers out of range, a required function missing.
  Game(std::string name, const bl_game &table);
  ~Game();
  Game(const Game &) = delete;
  Game &operator=(const Game &) = delete;

  const std::string &name() const { return name_; }
  const bl_game &table() const { return t_; }
  int players() const { return t_.players; }
  int action_count() const { return t_.action_count; }
  int max_legal() const { return t_.max_legal; }
  int horizon() const { return t_.horizon; }
  std::size_t state_size() const { return static_cast<std::size_t>(t_.state_size); }
  double step_reward() const { return t_.step_reward; }
  bool has_chance() const { return t_.outcome_count > 0; }
  bool is_hidden() const { return (t_.flags & BL_HIDDEN) != 0; }
  bool is_zero_sum() const { return (t_.flags & BL_ZERO_SUM) != 0; }
  std::uint64_t symmetries() const { return t_.symmetry ? t_.symmetries : 1; }

  // ---- the rules ----
  void initial_state(void *s, Rng &rng) const { t_.initial_state(t_.self, s, &rng.word); }
  void training_start(void *s, Rng &rng) const {
    (t_.training_start ? t_.training_start : t_.initial_state)(t_.self, s, &rng.word);
  }
  int player(const void *s) const { return t_.player(t_.self, s); }
  int last_player(const void *s) const { return t_.last_player(t_.self, s); }
  int legal(const void *s, Action *actions) const { return t_.legal(t_.self, s, actions); }
  void apply(void *s, Action action) const { t_.apply(t_.self, s, action); }
  void scores(const void *s, double *out) const { t_.scores(t_.self, s, out); }
  int chance(const void *s, std::int32_t *outcomes, double *p) const { return t_.chance(t_.self, s, outcomes, p); }
  Action sample_chance(const void *s, Rng &rng) const;
  bool round_over(const void *s) const { return t_.round_over && t_.round_over(t_.self, s) != 0; }
  double moves_left(const void *s) const { return t_.moves_left ? t_.moves_left(t_.self, s) : t_.horizon; }
  bool has_solver() const { return t_.solve != nullptr; }
  // Asks the game's own solver about a position of a player. `poll` may throw to stop it.
  bool solve(const void *s, int outcome, std::int64_t node_limit, const Poll &poll, bl_solution &out) const;
  int playout(void *s, Rng &rng, int max_actions, bool cut_at_round) const;
  void copy(void *to, const void *from) const { std::memcpy(to, from, state_size()); }
  bool equal(const void *a, const void *b) const { return std::memcmp(a, b, state_size()) == 0; }
  std::uint64_t hash(const void *s) const { return hash_bytes(s, state_size()); }
  // Throws BrokenRules: `function` gave two answers for one position.
  [[noreturn]] void contradicts(const char *function) const;

  // ---- outcomes: the score or a named reward ----
  int reward_count() const { return t_.reward ? t_.reward_count : 0; }
  std::string reward_name(int reward) const { return t_.reward_name(t_.self, reward); }
  void outcome(int which, const void *s, double *out) const {
    if (which == SCORE)
      t_.scores(t_.self, s, out);
    else
      t_.reward(t_.self, which, s, out);
  }
  Range outcome_range(int which) const;

  // ---- hidden cards ----
  void conceal(void *s, int player) const {
    if (t_.conceal) t_.conceal(t_.self, s, player);
  }
  void determinize(void *s, int player, Rng &rng) const {
    if (t_.determinize) t_.determinize(t_.self, s, player, &rng.word);
  }
  std::vector<std::uint8_t> observe(const void *s, int player) const;
  bool can_retrace() const { return t_.retrace != nullptr; }
  // Writes the state in which the round began, and returns the actions and outcomes that led from there to `s`. Throws
  // BrokenRules if they do not lead there.
  void retrace(const void *s, void *start, std::vector<Action> &actions) const;
  // Concatenated states; empty if there are more than `capacity`.
  std::vector<std::byte> completions(const void *s, int player, int capacity, std::vector<double> &p) const;

  // ---- n-tuples ----
  int cells() const { return t_.board_vector ? t_.cells : 0; }
  int stages() const { return t_.stage && t_.stages > 1 ? t_.stages : 1; }
  int stage(const void *s) const { return t_.stage ? t_.stage(t_.self, s) : 0; }
  int cell_values(int cell) const { return t_.cell_values(t_.self, cell); }
  void board_vector(const void *s, int player, std::uint8_t *cells) const {
    t_.board_vector(t_.self, s, player, cells);
  }
  // Capacity of `changes`: max_changes() entries.
  int max_changes() const { return t_.apply_changes ? t_.max_changes : cells(); }
  int apply_changes(void *s, Action action, int player, bl_cell_change *changes) const;

  // Groups of cells with the joint values that can occur; none where all can.
  std::vector<JointValues> joint_values() const;

  // ---- neural nets ----
  // Default: one plane per value of the board vector's cells, and one per player if there are several; a single row.
  PlaneShape plane_shape() const { return plane_shape_; }
  void planes(const void *s, int player, float *out) const;

  // ---- symmetries ----
  void symmetry(std::uint64_t g, void *s) const {
    if (t_.symmetry) t_.symmetry(t_.self, g, s);
  }
  Action symmetry_action(std::uint64_t g, const void *s, Action a) const {
    return t_.symmetry_action ? t_.symmetry_action(t_.self, g, s, a) : a;
  }

 private:
  static constexpr int MOST_RETRACED = 4096;

  std::string name_;
  bl_game t_;
  PlaneShape plane_shape_;
};

using GamePtr = std::shared_ptr<const Game>;

// Storage for one state: 16-byte aligned bytes.
class StateBuffer {
 public:
  StateBuffer() = default;
  explicit StateBuffer(const Game &game) : words_((game.state_size() + 15) / 16) {}
  void *data() { return words_.data(); }
  const void *data() const { return words_.data(); }
  bool empty() const { return words_.empty(); }

 private:
  struct alignas(16) Word {
    std::uint64_t bits[2] = {0, 0};
  };
  std::vector<Word> words_;
};

// Counts the sequences of exactly `depth` actions (chance outcomes are actions too).
std::uint64_t perft(const Game &game, const void *state, int depth, const Poll &poll);

// Counts the distinct positions at distance 0 .. depth from the nearest of `starts`.
std::vector<std::uint64_t> count_states(const Game &game, const std::vector<const void *> &starts, int depth,
                                        const Poll &poll);

}  // namespace boardlab
