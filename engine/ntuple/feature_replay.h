// A replay buffer (Lin 1992; GBG's ParRB) of TD on features: the latest steps of learning, from which some are drawn to
// be learned again. A step is an own after-state, the reward until the next one, and that one; stored as their inputs,
// all of them, so that a step has a fixed size in checkpoints.
#pragma once

#include <cstdint>
#include <vector>

#include "ntuple/feature_network.h"

namespace boardlab::ntuple {

class FeatureReplay {
 public:
  struct Step {
    int player;
    FeatureNetwork::Inputs latest, next;
    double reward;
    bool is_final;  // the last step: `next` is unused
  };

  FeatureReplay(const FeatureNetwork &network, std::size_t capacity);
  std::size_t size() const { return static_cast<std::size_t>(place[0]); }
  // Replaces the oldest step if full. `next` is null at the end.
  void add(int player, const FeatureNetwork::Inputs &latest, double reward, const FeatureNetwork::Inputs *next);
  void read(std::size_t i, Step &out) const;
  // Throws std::invalid_argument if data loaded from a file do not fit the network.
  void check() const;

  // The whole contents, for checkpoints.
  std::vector<double> inputs;       // [capacity][2][inputs of the network]
  std::vector<double> facts;        // [capacity][3]: player, reward, 1 at the end
  std::vector<std::int64_t> place;  // steps in the buffer, place of the next one

 private:
  std::size_t capacity_, width_;
  int players_;
};

}  // namespace boardlab::ntuple
