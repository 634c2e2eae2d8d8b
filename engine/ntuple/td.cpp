#include "ntuple/td.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab::ntuple {

namespace {

constexpr std::int64_t MOST_TRACE = 1024;  // lambda near 1 would keep a whole long episode

int trace_length(const TdSettings &s) {
  if (s.lambda <= 0) return 1;
  if (s.lambda >= 1) return MOST_TRACE;
  const double states = 1 + std::floor(std::log(s.horizon_cut) / std::log(s.lambda));
  return static_cast<int>(std::clamp(states, 1.0, static_cast<double>(MOST_TRACE)));
}

}  // namespace

TdLearner::TdLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed)
    : rng(derive_seed(seed, 0)),
      network_(std::move(network)),
      game_(network_->game()),
      settings_(settings),
      horizon_(trace_length(settings)),
      after_states_(*network_, settings.outcome),
      best_(after_states_.make_view()),
      traces_(static_cast<std::size_t>(game_.players())),
      actions_(static_cast<std::size_t>(game_.max_legal())),
      state_(game_),
      previous_(game_),
      kept_(static_cast<std::size_t>(network_->padded_slots())),
      copies_(static_cast<std::size_t>(network_->padded_slots()), Counter{0, 1}) {
  if (network_->is_coherent() != (settings.coherence != Coherence::NONE))
    throw std::logic_error("TCL needs tables with counters");
  for (Trace &trace : traces_) {
    trace.ring.resize(static_cast<std::size_t>(horizon_));
    for (TraceState &s : trace.ring) s.indices.resize(static_cast<std::size_t>(network_->padded_slots()));
  }
  if (network_->is_coherent()) {
    const auto init = static_cast<float>(settings.tc_init);
    std::fill_n(network_->counters(0), network_->entries(), Counter{init, init});
  }
}

double TdLearner::alpha() const {
  const double done = std::min(1.0, static_cast<double>(episodes_done) / static_cast<double>(settings_.episodes));
  if (settings_.alpha == settings_.alpha_final) return settings_.alpha;
  return settings_.alpha * std::pow(settings_.alpha_final / settings_.alpha, done);
}

double TdLearner::epsilon() const {
  const double done = std::min(1.0, static_cast<double>(episodes_done) / static_cast<double>(settings_.episodes));
  return settings_.epsilon + (settings_.epsilon_final - settings_.epsilon) * done;
}

std::int64_t TdLearner::train(std::int64_t episodes, const std::function<bool()> &stop) {
  stop_ = stop;
  stopped_ = false;
  std::int64_t played = 0;
  for (; played < episodes && !stopped_; ++played) episode(nullptr);
  stop_ = nullptr;
  return played;
}

// choose_start_01: some episodes begin after random actions, so that more than one opening is learned.
void TdLearner::start(void *state) {
  game_.training_start(state, rng);
  if (settings_.start_rate <= 0 || rng.unit() >= settings_.start_rate) return;
  for (int played = 0; played < settings_.start_actions;) {
    const int player = game_.player(state);
    if (player == TERMINAL || (played > 0 && game_.round_over(state))) {
      game_.training_start(state, rng);
      return;
    }
    if (player == CHANCE) {
      game_.apply(state, game_.sample_chance(state, rng));
      continue;
    }
    const int n = game_.legal(state, actions_.data());
    game_.apply(state, actions_[rng.below(static_cast<std::uint32_t>(n))]);
    ++played;
  }
  if (game_.player(state) == TERMINAL) game_.training_start(state, rng);
}

// One episode of TD-FARL; paper 000, Eq. (4) to (6).
void TdLearner::episode(EpisodeRecord *record) {
  void *state = state_.data();
  start(state);
  if (record) {
    const auto *bytes = static_cast<const std::byte *>(state);
    record->start.assign(bytes, bytes + game_.state_size());
  }
  alpha_ = alpha();
  epsilon_ = epsilon();
  for (Trace &trace : traces_) trace.length = 0;
  have_previous_ = false;
  const int limit = settings_.episode_limit > 0 ? settings_.episode_limit : game_.horizon();
  int actions = 0, last_player = CHANCE;
  bool is_over = false;
  while (true) {
    const int player = game_.player(state);
    is_over = player == TERMINAL || (actions > 0 && game_.round_over(state));
    if (is_over || (player != CHANCE && actions >= limit)) break;
    if (player == CHANCE) {
      const Action outcome = game_.sample_chance(state, rng);
      game_.apply(state, outcome);
      if (record) record->steps.push_back({outcome, true, false});
      continue;
    }
    Trace &trace = traces_[static_cast<std::size_t>(player)];
    // While the actions are judged, the memory that the update will need comes nearer.
    if (network_->is_coherent() && trace.length > 0)
      network_->kernels().prefetch_counters(network_->counters(trace.at(0).set), trace.at(0).indices.data(),
                                            network_->slots());
    const bool is_random = choose(state, player);
    if (record) record->steps.push_back({best_action_, false, is_random});
    if (trace.length > 0) {
      const double reward = best_.paid - trace.at(0).paid + game_.step_reward();
      const double target = reward + settings_.gamma * after_states_.to_come(best_);
      adapt(trace, target, !is_random || settings_.learn_from_random, is_random && settings_.reset_traces);
    }
    if (best_.is_final && settings_.adapt_last) after_states_.read_final(player, best_);
    TraceState &latest = trace.push();
    std::copy(best_.indices.begin(), best_.indices.end(), latest.indices.begin());
    latest.set = best_.set;
    latest.paid = best_.paid;
    if (settings_.skip_reversal) {
      game_.copy(previous_.data(), state);
      have_previous_ = true;
    }
    game_.copy(state, best_.state.data());
    last_player = player;
    ++actions;
    if (stop_ && ++polled_ % 1024 == 0 && stop_()) stopped_ = true;
  }
  if (is_over) final_adaptation(last_player);
  ++episodes_done;
  actions_done += actions;
}

// Epsilon-greedy over reward so far + step reward + gamma * V(after-state), uniformly among equals.
bool TdLearner::choose(const void *state, int player) {
  const auto n = static_cast<std::uint32_t>(game_.legal(state, actions_.data()));
  after_states_.set_parent(state, player);
  if (epsilon_ > 0 && rng.unit() < epsilon_) {
    best_action_ = actions_[rng.below(n)];
    after_states_.play(best_action_, best_);
    after_states_.add_up(best_);
    return true;
  }
  const void *forbidden = settings_.skip_reversal && have_previous_ && n > 1 ? previous_.data() : nullptr;
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
  return false;
}

// Above 0 where a is better than b. Sigma is monotone, so the sums decide where nothing else differs.
double TdLearner::advantage(const AfterStates::View &a, const AfterStates::View &b) const {
  if (!a.is_final && !b.is_final && a.paid == b.paid && settings_.gamma > 0)
    return static_cast<double>(a.sum) - static_cast<double>(b.sum);
  return a.paid - b.paid + settings_.gamma * (after_states_.to_come(a) - after_states_.to_come(b));
}

// Moves V of the latest own after-state towards the target, and those before it with it (eligibility). With `cut`, a
// random action: what came before it is not credited, and nothing later reaches back over it.
void TdLearner::adapt(Trace &trace, double target, bool learn, bool cut) {
  const Kernels &k = network_->kernels();
  const int slots = network_->slots();
  const bool coherent = network_->is_coherent();
  const auto fetch = [&](const TraceState &s) { return network_->gather(s.set, s.indices.data(), kept_.data()); };
  TraceState &latest = trace.at(0);
  const float value = network_->squash(fetch(latest));
  latest.gradient = network_->design().squash ? 1 - value * value : 1;
  if (cut) trace.length = 1;
  if (learn) {
    const double delta = target - static_cast<double>(value);
    double decay = 1;
    for (std::size_t j = 0; j < trace.length; ++j, decay *= settings_.lambda) {
      const TraceState &s = trace.at(j);
      if (j > 0) fetch(s);
      const double eligibility = decay * static_cast<double>(s.gradient);
      const auto rate = static_cast<float>(alpha_ / slots * delta * eligibility);
      if (coherent) {
        const auto change = static_cast<float>(settings_.accumulate_delta ? delta : delta * eligibility);
        const Step step{rate, change, static_cast<float>(settings_.tc_beta), settings_.coherence};
        k.learn(network_->weights(s.set), network_->counters(s.set), s.indices.data(), slots, kept_.data(),
                copies_.data(), step);
      } else {
        k.add(network_->weights(s.set), s.indices.data(), slots, kept_.data(), rate);
      }
    }
  }
  if (cut) trace.length = 0;
}

// Part 1: every other player's last after-state moves towards what that player got in the end. Part 2: so does the
// last player's; where its action ended the game, nothing was still to come, so towards 0.
void TdLearner::final_adaptation(int last_player) {
  double final_outcome[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state_.data(), final_outcome);
  for (int player = 0; player < game_.players(); ++player) {
    Trace &trace = traces_[static_cast<std::size_t>(player)];
    const bool wanted = player == last_player ? settings_.adapt_last : settings_.adapt_others;
    if (wanted && trace.length > 0) adapt(trace, final_outcome[player] - trace.at(0).paid, true, false);
  }
}

}  // namespace boardlab::ntuple
