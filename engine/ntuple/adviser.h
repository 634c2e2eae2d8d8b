// The door for search inside self-play: what a learner may ask about a position while it plays. The learners do not
// know the searches, which stand above them.
#pragma once

#include "core/game.h"

namespace boardlab::ntuple {

class Adviser {
 public:
  virtual ~Adviser() = default;
  // Before the first question about an episode.
  virtual void begin_episode(Rng &rng) = 0;
  // An action for the player to move; false where the learner is to choose by itself.
  virtual bool choose(const void *state, Rng &rng, Action &action) = 0;
  // What the player who created the after-state will have been paid in the end; false where the learner is to look at
  // its own value.
  virtual bool judge(const void *after_state, int player, Rng &rng, double &value) = 0;
  // What a decision costs, in actions without advice: the signals are looked at less often than every so many.
  virtual std::int64_t effort() const = 0;
};

}  // namespace boardlab::ntuple
