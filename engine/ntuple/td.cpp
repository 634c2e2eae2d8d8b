#include "ntuple/td.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab::ntuple {

TdLearner::TdLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed, bool replays_actions)
    : SelfPlay(network->game_ptr(), settings, seed),
      network_(std::move(network)),
      traces_(static_cast<std::size_t>(game_.players())),
      after_states_(*network_, settings.outcome),
      best_(after_states_.make_view()),
      horizon_(trace_length(settings)),
      unseen_(game_, settings.outcome),
      previous_(game_),
      copies_(3 * static_cast<std::size_t>(network_->padded_slots()), 1.0f) {
  if (network_->is_coherent() != (settings.coherence != Coherence::NONE))
    throw std::logic_error("TCL needs tables with counters");
  for (Trace &trace : traces_) {
    trace.ring.resize(static_cast<std::size_t>(horizon_));
    for (TraceState &s : trace.ring) s.indices.resize(static_cast<std::size_t>(network_->padded_slots()));
  }
  if (settings.replay > 0)
    replay_ = std::make_shared<Replay>(*network_, static_cast<std::size_t>(settings.replay), replays_actions);
  if (network_->is_coherent()) {
    const auto init = static_cast<float>(settings.tc_init);
    std::fill_n(network_->counters(0), network_->entries(), Counter{init, init});
    if (settings.tc_interval > 0) held_rates_ = std::make_unique<HeldRates>(*network_);
  }
}

void TdLearner::clear_traces() {
  drawn_.clear();
  for (Trace &trace : traces_) trace.length = 0;
}

void TdLearner::push(const AfterStates::View &view, Trace &trace) {
  TraceState &latest = trace.push();
  std::copy(view.indices.begin(), view.indices.end(), latest.indices.begin());
  latest.set = view.set;
  latest.paid = view.paid;
}

void TdLearner::begin_episode(const void *start) {
  clear_traces();
  have_previous_ = false;
  const int player = maker(start);
  if (player == CHANCE) return;
  after_states_.read(start, player, best_);
  if (!best_.is_final) push(best_, traces_[static_cast<std::size_t>(player)]);
}

// One action of TD-FARL; Scheiermann and Konen (2022), Eq. (4) to (6).
SelfPlay::Choice TdLearner::act(void *state, int player) {
  Trace &trace = traces_[static_cast<std::size_t>(player)];
  // While actions are evaluated, prefetch the memory that the update will need.
  if (network_->is_coherent() && trace.length > 0)
    network_->kernels().prefetch_counters(network_->counters(trace.at(0).set), trace.at(0).indices.data(),
                                          network_->slots());
  const bool is_random = choose(state, player);
  if (trace.length > 0) {
    const double reward = best_.paid - trace.at(0).paid + game_.step_reward();
    const double target = reward + settings_.gamma * to_come_after_best(player);
    const bool learns = !is_random || settings_.learn_from_random;
    if (learns) remember(trace.at(0), reward, best_.is_final ? nullptr : best_.indices.data(), best_.set);
    adapt(trace, target, learns, is_random && settings_.reset_traces);
    if (learns) learn_again();
  }
  if (best_.is_final && settings_.adapt_last) after_states_.read_final(player, best_);
  push(best_, trace);
  if (settings_.skip_reversal) {
    game_.copy(previous_.data(), state);
    have_previous_ = true;
  }
  game_.copy(state, best_.state.data());
  return {best_action_, is_random};
}

// The future reward after the chosen action: the network's own value, or the adviser's.
double TdLearner::to_come_after_best(int player) {
  double value;
  if (adviser_ && !best_.is_final && adviser_->judge(best_.state.data(), player, rng, value)) return value - best_.paid;
  return after_states_.to_come(best_);
}

// Epsilon-greedy over reward so far + step reward + gamma * V(after-state), uniformly among equals.
bool TdLearner::choose(const void *state, int player) {
  const auto n = static_cast<std::uint32_t>(game_.legal(state, actions_.data()));
  after_states_.set_parent(state, player);
  if (explores()) {
    best_action_ = actions_[rng.below(n)];
    after_states_.play(best_action_, best_);
    after_states_.add_up(best_);
    return true;
  }
  if (advised(state, best_action_)) {
    after_states_.play(best_action_, best_);
    after_states_.add_up(best_);
    return false;
  }
  if (game_.is_hidden())
    choose_best_unseen(state, player, n);
  else
    choose_best(n, settings_.skip_reversal && have_previous_ && n > 1 ? previous_.data() : nullptr);
  return false;
}

void TdLearner::choose_best(std::uint32_t n, const void *forbidden) {
  while (candidates_.size() < n) candidates_.push_back(after_states_.make_view());
  std::uint32_t allowed = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    if (after_states_.play(actions_[i], candidates_[allowed], forbidden)) actions_[allowed++] = actions_[i];
  if (allowed == 0) allowed = static_cast<std::uint32_t>(after_states_.play(actions_[0], candidates_[0]));
  std::uint32_t equals = 0, best = 0;
  for (std::uint32_t i = 0; i < allowed; ++i) {
    after_states_.add_up(candidates_[i]);
    const double better = i == 0 ? 1 : advantage(candidates_[i], candidates_[best]);
    if (better < 0) continue;
    equals = better > 0 ? 1 : equals + 1;
    if (equals == 1 || rng.below(equals) == 0) best = i;
  }
  best_action_ = actions_[best];
  std::swap(best_, candidates_[best]);
}

void TdLearner::choose_best_unseen(const void *state, int player, std::uint32_t n) {
  best_action_ = unseen_.best(state, player, {actions_.data(), n}, rng, [&](const void *after) {
    after_states_.read(after, player, best_);
    return settings_.gamma * after_states_.to_come(best_);
  });
  after_states_.play(best_action_, best_);
  after_states_.add_up(best_);
}

// Above 0 if a is better than b. Sigma is monotone, so the sums decide if nothing else differs.
double TdLearner::advantage(const AfterStates::View &a, const AfterStates::View &b) const {
  if (!a.is_final && !b.is_final && a.paid == b.paid && settings_.gamma > 0)
    return static_cast<double>(a.sum) - static_cast<double>(b.sum);
  return a.paid - b.paid + settings_.gamma * (after_states_.to_come(a) - after_states_.to_come(b));
}

void TdLearner::update(std::uint64_t set, const std::uint32_t *indices, double delta, double eligibility) {
  learn(set, indices, network_->shape(), delta, eligibility);
}

// The same for the weights that no later state of the trace has: replacing traces. Without repeated entries they may be
// given as the slots of single tuples.
void TdLearner::update_new(std::uint64_t set, const std::uint32_t *indices, double delta, double eligibility) {
  fresh_.clear();
  for (int slot = 0; slot < network_->slots(); ++slot)
    if (seen_.insert(set * network_->set_size() + indices[slot])) fresh_.push_back(indices[slot]);
  const auto count = static_cast<std::int32_t>(fresh_.size());
  if (count > 0) learn(set, fresh_.data(), {count, 1, count}, delta, eligibility);
}

void TdLearner::learn(std::uint64_t set, const std::uint32_t *indices, const Shape &shape, double delta,
                      double eligibility) {
  const Kernels &k = network_->kernels();
  const auto rate = static_cast<float>(alpha_ / network_->slots() * delta * eligibility);
  if (network_->is_coherent()) {
    const auto change = static_cast<float>(settings_.accumulate_delta ? delta : delta * eligibility);
    const Step step{rate, change, static_cast<float>(settings_.tc_beta), settings_.coherence};
    if (held_rates_)
      held_rates_->learn(set, indices, shape.slots, step);
    else
      k.learn(network_->weights(set), network_->counters(set), indices, shape, copies_.data(), step);
  } else {
    k.add(network_->weights(set), indices, shape, copies_.data(), rate);
  }
}

// At whole multiples, so that a resumed run renews when an unbroken one does.
void TdLearner::episode_done() {
  if (held_rates_ && episodes_done % settings_.tc_interval == 0)
    held_rates_->renew(settings_.coherence, static_cast<float>(settings_.tc_beta));
}

std::uint32_t *TdLearner::remember(const TraceState &from, double reward, const std::uint32_t *next,
                                   std::uint64_t next_set) {
  return replay_ ? replay_->add(from.indices.data(), from.set, reward, next, next_set) : nullptr;
}

double TdLearner::to_come_after(const Replay::Step &step) {
  return static_cast<double>(network_->squash(network_->sum(step.next_set, step.next)));
}

// Learns from steps drawn uniformly from the buffer, with targets by the current weights; without traces.
void TdLearner::learn_again() {
  if (!replay_) return;
  for (int i = 0; i < settings_.replay_batch; ++i) {
    const std::uint32_t draw = rng.below(static_cast<std::uint32_t>(replay_->size()));
    drawn_.push_back(draw);
    const Replay::Step step = replay_->at(draw);
    const double to_come = step.is_final ? 0.0 : to_come_after(step);
    const auto value = static_cast<double>(network_->squash(network_->sum(step.set, step.indices)));
    const double slope = network_->design().squash ? 1 - value * value : 1;
    update(step.set, step.indices, step.reward + settings_.gamma * to_come - value, slope);
  }
}

// Moves V of the latest own after-state towards the target, together with the earlier ones (eligibility). With `cut`, a
// random action: earlier states get no credit for it, and later updates do not reach back over it.
void TdLearner::adapt(Trace &trace, double target, bool learn, bool cut) {
  TraceState &latest = trace.at(0);
  const float value = network_->squash(network_->sum(latest.set, latest.indices.data()));
  latest.gradient = network_->design().squash ? 1 - value * value : 1;
  if (cut) trace.length = 1;
  if (learn) {
    const double delta = target - static_cast<double>(value);
    const double decay = trace_decay(settings_);
    const bool replaces = settings_.replace_traces && trace.length > 1;
    if (replaces) seen_.clear();
    double share = 1;
    for (std::size_t j = 0; j < trace.length; ++j, share *= decay) {
      const TraceState &s = trace.at(j);
      const double eligibility = share * static_cast<double>(s.gradient);
      if (replaces)
        update_new(s.set, s.indices.data(), delta, eligibility);
      else
        update(s.set, s.indices.data(), delta, eligibility);
    }
  }
  if (cut) trace.length = 0;
}

// Part 1: every other player's last after-state moves towards that player's final outcome. Part 2: so does the last
// player's; if its action ended the game there is no future reward, so towards 0.
void TdLearner::end_episode(const void *state, int last_player) {
  double final_outcome[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, final_outcome);
  for (int player = 0; player < game_.players(); ++player) {
    Trace &trace = traces_[static_cast<std::size_t>(player)];
    const bool wanted = player == last_player ? settings_.adapt_last : settings_.adapt_others;
    if (!wanted || trace.length == 0) continue;
    const double reward = final_outcome[player] - trace.at(0).paid;
    remember(trace.at(0), reward, nullptr, 0);
    adapt(trace, reward, true, false);
    learn_again();
  }
}

}  // namespace boardlab::ntuple
