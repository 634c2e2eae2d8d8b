// Approximate value iteration on an n-tuple network, for puzzles (DAVI in GBG and DeepCubeA): the value of a position
// moves towards that of its best action,
//     V(s) <- max over actions a:  reward + step reward + gamma * V(s'),
// limited to what the game can still pay: one sweep of value iteration over the positions that the episodes visit. An
// episode starts from a scrambled position, learns there, and follows the best action, or with probability epsilon a
// random one.
#pragma once

#include "ntuple/td.h"

namespace boardlab::ntuple {

class DaviLearner final : public TdLearner {
 public:
  // Throws std::invalid_argument for a game that is not a puzzle: one player, no chance.
  DaviLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed);

 protected:
  void begin_episode(const void *) override {}  // no traces: `act` also learns about the start
  Choice act(void *state, int player) override;
  void end_episode(const void *, int) override {}

 private:
  double possible(double target) const;

  Range range_;
  AfterStates::View here_;
};

}  // namespace boardlab::ntuple
