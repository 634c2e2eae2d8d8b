#include "ntuple/sarsa.h"

namespace boardlab::ntuple {

SarsaLearner::SarsaLearner(NetworkPtr network, const TdSettings &settings, bool is_q_learning, std::uint64_t seed)
    : TdLearner(network, settings, seed), is_q_learning_(is_q_learning), pairs_(*network) {}

// The action with the highest Q, uniformly among equals. Sigma is monotone, so comparing sums suffices.
Action SarsaLearner::best_action(int count, float *sum) {
  Action best = actions_[0];
  std::uint32_t equals = 0;
  for (int i = 0; i < count; ++i) {
    const Action action = actions_[static_cast<std::size_t>(i)];
    const float found = pairs_.sum(action);
    if (equals > 0 && found < *sum) continue;
    equals = equals > 0 && found == *sum ? equals + 1 : 1;
    if (equals > 1 && rng.below(equals) != 0) continue;
    best = action;
    *sum = found;
  }
  return best;
}

// The player's reward since its latest pair, including step rewards.
double SarsaLearner::reward(const void *state, int player, const Trace &trace) const {
  double paid[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, paid);
  return paid[player] - trace.at(0).paid + game_.step_reward();
}

SelfPlay::Choice SarsaLearner::act(void *state, int player) {
  const int count = game_.legal(state, actions_.data());
  pairs_.set_state(state, player);
  const bool is_random = explores();
  float sum = 0;  // of the action in the target
  Action action = -1;
  if (!is_random || is_q_learning_) action = best_action(count, &sum);
  if (is_random) {
    action = actions_[rng.below(static_cast<std::uint32_t>(count))];
    if (!is_q_learning_) sum = pairs_.sum(action);
  }
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  if (trace.length > 0) {
    const double to_come = static_cast<double>(network_->squash(sum));
    const double target = reward(state, player, trace) + settings_.gamma * to_come;
    if (is_q_learning_) {
      // Watkins's Q(lambda): the target holds whatever is played now, but the trace ends if that is not the best.
      adapt(trace, target, true, false);
      if (is_random && settings_.reset_traces) trace.length = 0;
    } else {
      adapt(trace, target, !is_random || settings_.learn_from_random, is_random && settings_.reset_traces);
    }
  }
  TraceState &latest = trace.push();
  pairs_.encode(action, latest.indices.data());
  latest.set = 0;
  double paid[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, paid);
  latest.paid = paid[player];
  game_.apply(state, action);
  return {action, is_random};
}

// The last player's own last pair gets its target, without future reward; part 1 of final adaptation does the same for
// the others.
void SarsaLearner::end_episode(const void *state, int last_player) {
  for (int player = 0; player < game_.players(); ++player) {
    Trace &trace = traces_[static_cast<std::size_t>(player)];
    const bool wanted = player == last_player || settings_.adapt_others;
    if (wanted && trace.length > 0) adapt(trace, reward(state, player, trace), true, false);
  }
}

}  // namespace boardlab::ntuple
