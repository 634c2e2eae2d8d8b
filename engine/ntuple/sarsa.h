// SARSA and Q-learning on an n-tuple network with tables for every action (Sutton and Barto, chapters 6 and 12).
//
// They learn like the TD learner, with the same traces, temporal coherence and final adaptation, but on pairs (state,
// action) instead of after-states. A pair's target is the player's reward until its own next state s', plus gamma times
// Q(s', a') of the action it takes there (SARSA) or the best Q(s', .) (Q-learning). A pair is never terminal, so final
// adaptation has no part 2.
#pragma once

#include "ntuple/pairs.h"
#include "ntuple/td.h"

namespace boardlab::ntuple {

class SarsaLearner final : public TdLearner {
 public:
  // The network must have tables for every action.
  SarsaLearner(NetworkPtr network, const TdSettings &settings, bool is_q_learning, std::uint64_t seed);

 protected:
  // The start and its first action are a pair like any other.
  void begin_episode(const void *) override { clear_traces(); }
  Choice act(void *state, int player) override;
  void end_episode(const void *state, int last_player) override;
  double to_come_after(const Replay::Step &step) override;

 private:
  Action best_action(int count, float *sum);
  double reward(const void *state, int player, const Trace &trace) const;
  void remember_next(const TraceState &from, double reward, int count);

  bool is_q_learning_;
  Pairs pairs_;
  std::vector<std::uint32_t> chosen_;  // the entries of the pair that is played
};

}  // namespace boardlab::ntuple
