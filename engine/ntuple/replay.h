// A replay buffer (Lin 1992; GBG's ParRB): the latest steps of learning, from which some are drawn to be learned again.
// A step is an own after-state, or pair of state and action, the reward until the next one, and that one; stored as
// table entries, so that learning again need not read boards. Q-learning needs all actions of the next state: its step
// keeps the entries of that state and, for every action, what it becomes on each symmetric board.
#pragma once

#include <cstdint>
#include <vector>

#include "ntuple/network.h"

namespace boardlab::ntuple {

class Replay {
 public:
  struct Step {
    const std::uint32_t *indices, *next;
    std::uint64_t set, next_set;
    double reward;
    bool is_final;                 // the last step: `next` is unused
    const std::uint32_t *actions;  // of the next state: their number, then [number][symmetric boards]
  };

  // `keeps_actions`: for Q-learning.
  Replay(const Network &network, std::size_t capacity, bool keeps_actions);
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return static_cast<std::size_t>(place[0]); }
  // Replaces the oldest step if full. `next` is null at the end. Returns the room for the actions of the next state,
  // which has none yet; null if they are not kept.
  std::uint32_t *add(const std::uint32_t *indices, std::uint64_t set, double reward, const std::uint32_t *next,
                     std::uint64_t next_set);
  Step at(std::size_t i) const;
  // Throws std::invalid_argument if data loaded from a file do not fit the network.
  void check() const;

  // The whole contents, for checkpoints.
  std::vector<std::uint32_t> indices;  // [capacity][2][padded slots]
  std::vector<double> facts;           // [capacity][4]: set, next set, reward, is final
  std::vector<std::uint32_t> actions;  // [capacity][1 + most legal * symmetric boards], if kept
  std::vector<std::int64_t> place;     // number of steps, and where the next one goes

 private:
  std::size_t capacity_, width_, boards_, actions_width_;
  std::uint64_t set_size_, reach_;  // of the network; and the number of entries that an index may have
  std::uint32_t most_actions_, action_count_;
  double sets_, next_sets_;  // that a fact may name
};

}  // namespace boardlab::ntuple
