// A replay buffer (Lin 1992; GBG's ParRB): the latest steps of learning, from which some are drawn to be learned again.
// A step is an own after-state, the reward until the next one, and that one; stored as table entries, so that learning
// again need not read boards.
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
    bool is_final;  // the last step: `next` is unused
  };

  Replay(const Network &network, std::size_t capacity);
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return static_cast<std::size_t>(place[0]); }
  // Replaces the oldest step if full. `next` is null at the end.
  void add(const std::uint32_t *indices, std::uint64_t set, double reward, const std::uint32_t *next,
           std::uint64_t next_set);
  Step at(std::size_t i) const;
  // Throws std::invalid_argument if data loaded from a file do not fit the network.
  void check() const;

  // The whole contents, for checkpoints.
  std::vector<std::uint32_t> indices;  // [capacity][2][padded slots]
  std::vector<double> facts;           // [capacity][4]: set, next set, reward, is final
  std::vector<std::int64_t> place;     // number of steps, and where the next one goes

 private:
  std::size_t capacity_, width_;
  std::uint64_t sets_, set_size_;  // of the network
};

}  // namespace boardlab::ntuple
