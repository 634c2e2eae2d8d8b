// The interface for search inside self-play: what a learner may ask about a position while it plays. Learners do not
// include the searches, which are in a higher room.
#pragma once

#include "core/game.h"

namespace boardlab::ntuple {

class Adviser {
 public:
  virtual ~Adviser() = default;
  // Called before the first question of an episode.
  virtual void begin_episode(Rng &rng) = 0;
  // Chooses an action for the player to move; returns false to leave the choice to the learner.
  virtual bool choose(const void *state, Rng &rng, Action &action) = 0;
  // Estimates the final outcome of the player who created the after-state; returns false to let the learner use its own
  // value.
  virtual bool judge(const void *after_state, int player, Rng &rng, double &value) = 0;
  // Cost of a decision, in actions without advice; signals are checked less often than that.
  virtual std::int64_t effort() const = 0;
};

}  // namespace boardlab::ntuple
