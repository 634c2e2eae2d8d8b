#include "ntuple/feature_td.h"

#include <algorithm>

namespace boardlab::ntuple {

FeatureLearner::FeatureLearner(FeatureNetworkPtr network, const TdSettings &settings, std::uint64_t seed)
    : SelfPlay(network->game_ptr(), settings, seed),
      network_(std::move(network)),
      traces_(static_cast<std::size_t>(game_.players())),
      unseen_(game_, settings.outcome) {
  best_.state = candidate_.state = StateBuffer(game_);
  gradient_.resize(network_->parameters());
  if (settings.replay > 0)
    replay_ = std::make_shared<FeatureReplay>(*network_, static_cast<std::size_t>(settings.replay));
  for (Trace &trace : traces_) {
    trace.eligibility.resize(network_->parameters());
    if (settings.horizon_cut > 0) trace.gradients.resize(static_cast<std::size_t>(trace_length(settings)));
  }
}

void FeatureLearner::clear(Trace &trace) {
  std::fill(trace.eligibility.begin(), trace.eligibility.end(), 0.0);
  trace.length = 0;
}

void FeatureLearner::begin_episode(const void *start) {
  drawn_.clear();
  for (Trace &trace : traces_) {
    trace.has_latest = false;
    clear(trace);
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

// Epsilon-greedy, uniformly among equals; or the search inside self-play.
SelfPlay::Choice FeatureLearner::choose(const void *state, int player) {
  const auto count = static_cast<std::uint32_t>(game_.legal(state, actions_.data()));
  Action action = actions_[0];
  if (explores()) {
    action = actions_[rng.below(count)];
    play(state, action, player, best_);
    return {action, true};
  }
  if (advised(state, action)) {
    play(state, action, player, best_);
    return {action, false};
  }
  if (game_.is_hidden()) {
    action = unseen_.best(state, player, {actions_.data(), count}, rng, [&](const void *after) {
      network_->read(after, player, candidate_.inputs);
      return settings_.gamma * network_->value(candidate_.inputs, player);
    });
    play(state, action, player, best_);
    return {action, false};
  }
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
  return {action, false};
}

SelfPlay::Choice FeatureLearner::act(void *state, int player) {
  const Choice choice = choose(state, player);
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  if (trace.has_latest) {
    const double reward = best_.paid - trace.paid + game_.step_reward();
    const bool learns = !choice.is_random || settings_.learn_from_random;
    if (learns) remember(player, trace, reward, best_.is_final ? nullptr : &best_.inputs);
    adapt(player, reward + settings_.gamma * best_.to_come, learns, choice.is_random && settings_.reset_traces);
    if (learns) learn_again();
  }
  push(best_, trace);
  game_.copy(state, best_.state.data());
  return choice;
}

double FeatureLearner::extend(int player, Trace &trace) {
  std::vector<double> &e = trace.eligibility;
  const double decay = trace_decay(settings_);
  const bool replaces = settings_.replace_traces;
  if (trace.gradients.empty() && !replaces) return network_->value_and_trace(trace.latest, player, decay, e.data());
  const double value = network_->value_and_trace(trace.latest, player, 0, gradient_.data());
  if (trace.gradients.empty()) {
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = gradient_[i] != 0 ? gradient_[i] : decay * e[i];
    return value;
  }
  const std::size_t most = trace.gradients.size();
  trace.newest = (trace.newest + most - 1) % most;
  trace.gradients[trace.newest] = gradient_;
  trace.length = std::min(trace.length + 1, most);
  std::fill(e.begin(), e.end(), 0.0);
  double share = 1;
  for (std::size_t j = 0; j < trace.length; ++j, share *= decay) {
    const std::vector<double> &g = trace.gradients[(trace.newest + j) % most];
    for (std::size_t i = 0; i < e.size(); ++i)
      if (!replaces || e[i] == 0) e[i] += share * g[i];
  }
  return value;
}

// Moves V of the latest own after-state towards the target, together with the earlier ones. With `cut`, a random
// action: earlier states get no credit for it, and later updates do not reach back over it.
void FeatureLearner::adapt(int player, double target, bool learn, bool cut) {
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  if (cut) clear(trace);
  const double value = extend(player, trace);
  if (learn) {
    const double step = alpha_ * (target - value);
    double *w = network_->weights(player);
    for (std::size_t i = 0; i < trace.eligibility.size(); ++i) w[i] += step * trace.eligibility[i];
  }
  if (cut) clear(trace);
}

// Final adaptation, parts 1 and 2, as on n-tuples.
void FeatureLearner::end_episode(const void *state, int last_player) {
  double final_outcome[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, final_outcome);
  for (int player = 0; player < game_.players(); ++player) {
    const Trace &trace = traces_[static_cast<std::size_t>(player)];
    const bool wanted = player == last_player ? settings_.adapt_last : settings_.adapt_others;
    if (!wanted || !trace.has_latest) continue;
    const double reward = final_outcome[player] - trace.paid;
    remember(player, trace, reward, nullptr);
    adapt(player, reward, true, false);
    learn_again();
  }
}

void FeatureLearner::remember(int player, const Trace &trace, double reward, const FeatureNetwork::Inputs *next) {
  if (replay_) replay_->add(player, trace.latest, reward, next);
}

// As on n-tuples: targets by the current weights, without traces.
void FeatureLearner::learn_again() {
  if (!replay_) return;
  for (int i = 0; i < settings_.replay_batch; ++i) {
    drawn_.push_back(rng.below(static_cast<std::uint32_t>(replay_->size())));
    replay_->read(drawn_.back(), step_);
    const double to_come = step_.is_final ? 0.0 : network_->value(step_.next, step_.player);
    const double value = network_->value_and_trace(step_.latest, step_.player, 0, gradient_.data());
    const double step = alpha_ * (step_.reward + settings_.gamma * to_come - value);
    double *w = network_->weights(step_.player);
    for (std::size_t k = 0; k < gradient_.size(); ++k) w[k] += step * gradient_[k];
  }
}

}  // namespace boardlab::ntuple
