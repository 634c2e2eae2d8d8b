#include "ntuple/feature_td.h"

#include <algorithm>

namespace boardlab::ntuple {

FeatureLearner::FeatureLearner(FeatureNetworkPtr network, const TdSettings &settings, std::uint64_t seed)
    : SelfPlay(network->game_ptr(), settings, seed),
      network_(std::move(network)),
      traces_(static_cast<std::size_t>(game_.players())),
      unseen_(game_, settings.outcome) {
  best_.state = candidate_.state = StateBuffer(game_);
  for (Trace &trace : traces_) trace.eligibility.resize(network_->parameters());
}

void FeatureLearner::begin_episode(const void *start) {
  for (Trace &trace : traces_) {
    trace.has_latest = false;
    std::fill(trace.eligibility.begin(), trace.eligibility.end(), 0.0);
  }
  const int player = maker(start);
  if (player == CHANCE) return;
  game_.copy(best_.state.data(), start);
  read(player, best_);
  if (!best_.is_final) push(best_, traces_[static_cast<std::size_t>(player)]);
}

void FeatureLearner::push(const View &view, Trace &trace) {
  trace.has_latest = true;
  trace.latest = view.inputs;
  trace.paid = view.paid;
}

void FeatureLearner::play(const void *state, Action action, int player, View &out) {
  void *after = out.state.data();
  game_.copy(after, state);
  game_.apply(after, action);
  read(player, out);
}

void FeatureLearner::read(int player, View &out) {
  const void *after = out.state.data();
  double paid[MAX_PLAYERS];
  game_.outcome(settings_.outcome, after, paid);
  out.paid = paid[player];
  out.is_final = game_.player(after) == TERMINAL || game_.round_over(after);
  network_->read(after, player, out.inputs);
  out.to_come = out.is_final ? 0.0 : network_->value(out.inputs, player);
}

SelfPlay::Choice FeatureLearner::act(void *state, int player) {
  const auto count = static_cast<std::uint32_t>(game_.legal(state, actions_.data()));
  const bool is_random = explores();
  Action action = actions_[0];
  if (is_random) {
    action = actions_[rng.below(count)];
    play(state, action, player, best_);
  } else if (game_.is_hidden()) {
    action = unseen_.best(state, player, {actions_.data(), count}, rng, [&](const void *after) {
      network_->read(after, player, candidate_.inputs);
      return settings_.gamma * network_->value(candidate_.inputs, player);
    });
    play(state, action, player, best_);
  } else {
    // Uniformly among equals.
    const auto worth = [&](const View &view) { return view.paid + settings_.gamma * view.to_come; };
    std::uint32_t equals = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      play(state, actions_[i], player, candidate_);
      if (equals > 0 && worth(candidate_) < worth(best_)) continue;
      equals = equals > 0 && worth(candidate_) == worth(best_) ? equals + 1 : 1;
      if (equals > 1 && rng.below(equals) != 0) continue;
      action = actions_[i];
      std::swap(best_, candidate_);
    }
  }
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  if (trace.has_latest) {
    const double target = best_.paid - trace.paid + game_.step_reward() + settings_.gamma * best_.to_come;
    adapt(player, target, !is_random || settings_.learn_from_random, is_random && settings_.reset_traces);
  }
  push(best_, trace);
  game_.copy(state, best_.state.data());
  return {action, is_random};
}

// Moves V of the latest own after-state towards the target, together with the earlier ones. With `cut`, a random
// action: earlier states get no credit for it, and later updates do not reach back over it.
void FeatureLearner::adapt(int player, double target, bool learn, bool cut) {
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  std::vector<double> &e = trace.eligibility;
  const double value = network_->value_and_trace(trace.latest, player, cut ? 0 : trace_decay(settings_), e.data());
  if (learn) {
    const double step = alpha_ * (target - value);
    double *w = network_->weights(player);
    for (std::size_t i = 0; i < e.size(); ++i) w[i] += step * e[i];
  }
  if (cut) std::fill(e.begin(), e.end(), 0.0);
}

// Final adaptation, parts 1 and 2, as on n-tuples.
void FeatureLearner::end_episode(const void *state, int last_player) {
  double final_outcome[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, final_outcome);
  for (int player = 0; player < game_.players(); ++player) {
    const Trace &trace = traces_[static_cast<std::size_t>(player)];
    const bool wanted = player == last_player ? settings_.adapt_last : settings_.adapt_others;
    if (wanted && trace.has_latest) adapt(player, final_outcome[player] - trace.paid, true, false);
  }
}

}  // namespace boardlab::ntuple
