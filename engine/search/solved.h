// Exhaustive solution: solves and stores every reachable position. For small games with any number of players, with or
// without chance. Refuses games that are too large.
#pragma once

#include <deque>

#include "search/search.h"

namespace boardlab {

class SolvedSearch final : public Search {
 public:
  // Solves from the initial state at once. Throws std::invalid_argument for a game with hidden cards, one whose
  // positions repeat, and one with more positions than `max_states` or than fit into `table_bytes`.
  SolvedSearch(GamePtr game, std::size_t max_states, std::size_t table_bytes, std::uint64_t seed,
               const Poll &while_solving);

  // Plays for the best value; among equals for an early win or a late loss, then at random.
  void act(const void *state, Decision &out) override;
  std::unique_ptr<Search> clone() const override { return std::make_unique<SolvedSearch>(*this); }
  SolvedSearch(const SolvedSearch &);
  SolvedSearch &operator=(const SolvedSearch &) = delete;

 private:
  // The positions found so far, in order of discovery; `slots_` finds them by their bytes.
  static constexpr std::uint32_t NONE = 0xffffffff;
  static constexpr float UNSOLVED = -1;  // as a length: the position is being solved
  struct Frame {
    StateBuffer state;
    std::uint32_t index;
    int player, count, next;
    std::vector<Action> actions;
    std::vector<double> probabilities;
    double values[MAX_PLAYERS];
    double length;
  };

  const unsigned char *key(std::uint32_t i) const { return &keys_[i * size_]; }
  // The slot of the state, or the free one where it belongs.
  std::size_t slot(const void *state) const;
  std::uint32_t insert(const void *state);
  void grow();
  void reserve();
  void clear();
  // Returns the index of the position after solving it and all that it needs.
  std::uint32_t solve(const void *state);
  void open(std::size_t ply, const void *state, std::uint32_t index);
  // Updates the frame by the solved child that its `next` action leads to.
  void take(Frame &frame, std::uint32_t child) const;
  void mover_values(int player, std::uint32_t child, double *values) const;
  bool is_better(int player, const double *values, double length, const double *best, double best_length) const;

  std::size_t size_, players_, max_states_;
  bool is_bound_by_memory_;  // the bound max_states_ comes from table_bytes
  double tolerance_;
  std::vector<unsigned char> keys_;
  std::vector<double> values_;  // [positions][players]
  std::vector<float> lengths_;  // expected number of actions to the end
  std::vector<std::uint32_t> slots_;
  std::deque<Frame> frames_;
};

}  // namespace boardlab
