#include "ntuple/sarsa.h"

#include <algorithm>

namespace boardlab::ntuple {

SarsaLearner::SarsaLearner(NetworkPtr network, const TdSettings &settings, bool is_q_learning, std::uint64_t seed)
    : TdLearner(network, settings, seed, is_q_learning),
      is_q_learning_(is_q_learning),
      pairs_(*network),
      chosen_(static_cast<std::size_t>(network->padded_slots())) {}

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

// The next state is stored with the pair that is played there (SARSA) or with all its actions (Q-learning).
void SarsaLearner::remember_next(const TraceState &from, double reward, int count) {
  if (!is_q_learning_) {
    remember(from, reward, chosen_.data(), 0);
    return;
  }
  std::uint32_t *room = remember(from, reward, pairs_.relative(), pairs_.set());
  if (!room) return;
  *room++ = static_cast<std::uint32_t>(count);
  for (int i = 0; i < count; ++i, room += pairs_.boards())
    pairs_.on_boards(actions_[static_cast<std::size_t>(i)], room);
}

double SarsaLearner::to_come_after(const Replay::Step &step) {
  if (!is_q_learning_) return TdLearner::to_come_after(step);
  const std::uint32_t *actions = step.actions + 1;
  float best = 0;
  for (std::uint32_t i = 0; i < *step.actions; ++i, actions += pairs_.boards()) {
    const float sum = pairs_.sum(step.next, step.next_set, actions);
    if (i == 0 || sum > best) best = sum;
  }
  return static_cast<double>(network_->squash(best));
}

SelfPlay::Choice SarsaLearner::act(void *state, int player) {
  const int count = game_.legal(state, actions_.data());
  const bool is_random = explores();
  Action action = -1;
  const bool is_advised = !is_random && advised(state, action);
  pairs_.set_state(state, player);
  float sum = 0;  // of the action in the target
  bool is_best = !is_random;
  if (is_q_learning_ || (!is_random && !is_advised)) {
    const Action best = best_action(count, &sum);
    if (!is_advised) action = best;
  }
  if (is_random) action = actions_[rng.below(static_cast<std::uint32_t>(count))];
  pairs_.encode(action, chosen_.data());
  if (is_random || is_advised) {
    const float found = network_->sum(0, chosen_.data());
    if (is_q_learning_)
      is_best = is_best && found == sum;
    else
      sum = found;
  }
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  if (trace.length > 0) {
    const double paid = reward(state, player, trace);
    const double target = paid + settings_.gamma * static_cast<double>(network_->squash(sum));
    // Watkins's Q(lambda): the target holds whatever is played now, but the trace ends if that is not the best.
    const bool learns = is_q_learning_ || !is_random || settings_.learn_from_random;
    const bool cuts = !is_q_learning_ && is_random && settings_.reset_traces;
    if (learns) remember_next(trace.at(0), paid, count);
    adapt(trace, target, learns, cuts);
    if (learns) learn_again();
    if (is_q_learning_ && !is_best && settings_.reset_traces) trace.length = 0;
  }
  TraceState &latest = trace.push();
  std::copy(chosen_.begin(), chosen_.end(), latest.indices.begin());
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
    if (!wanted || trace.length == 0) continue;
    const double paid = reward(state, player, trace);
    remember(trace.at(0), paid, nullptr, 0);
    adapt(trace, paid, true, false);
    learn_again();
  }
}

}  // namespace boardlab::ntuple
