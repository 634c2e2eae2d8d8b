#include "ntuple/self_play.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace boardlab::ntuple {

namespace {

constexpr std::int64_t MOST_TRACE = 1024;  // a decay near 1 would keep the whole episode

}  // namespace

int trace_length(const TdSettings &s) {
  const double decay = trace_decay(s);
  if (decay <= 0) return 1;
  if (decay >= 1) return MOST_TRACE;
  int states = 1;  // counted, because logarithms of exact powers may round either way
  for (double share = decay; share >= s.horizon_cut && states < MOST_TRACE; share *= decay) ++states;
  return states;
}

SelfPlay::SelfPlay(GamePtr game, const TdSettings &settings, std::uint64_t seed)
    : rng(derive_seed(seed, 0)),
      game_ptr_(std::move(game)),
      game_(*game_ptr_),
      settings_(settings),
      actions_(static_cast<std::size_t>(game_.max_legal())),
      state_(game_) {}

void SelfPlay::set_adviser(std::unique_ptr<Adviser> adviser) {
  adviser_ = std::move(adviser);
  effort_ = adviser_ ? adviser_->effort() : 1;
}

double SelfPlay::share_done() const {
  if (pace_) return std::min(1.0, pace_->share + pace_->slope * static_cast<double>(episodes_done - pace_->since));
  return std::min(1.0, static_cast<double>(episodes_done) / static_cast<double>(settings_.episodes));
}

double SelfPlay::alpha() const {
  if (settings_.alpha == settings_.alpha_final) return settings_.alpha;
  return settings_.alpha * std::pow(settings_.alpha_final / settings_.alpha, share_done());
}

double SelfPlay::epsilon() const {
  const std::int64_t own = settings_.epsilon_episodes;
  const double done =
      own > 0 ? std::min(1.0, static_cast<double>(episodes_done) / static_cast<double>(own)) : share_done();
  const double fall = settings_.epsilon_final - settings_.epsilon;
  if (!settings_.epsilon_cosine) return settings_.epsilon + fall * done;
  if (done >= 1) return settings_.epsilon_final;  // cos(pi / 2) is not quite 0
  return settings_.epsilon_final - fall * std::cos(done * std::numbers::pi / 2);
}

std::int64_t SelfPlay::train(std::int64_t episodes, const std::function<bool()> &stop) {
  stop_ = stop;
  stopped_ = false;
  struct Forget {  // also if an episode throws: features may be user code
    std::function<bool()> &stop;
    ~Forget() { stop = nullptr; }
  } const forget{stop_};
  std::int64_t played = 0;
  for (; played < episodes && !stopped_; ++played) episode(nullptr);
  return played;
}

// choose_start_01: some episodes begin with random actions, to learn more than one opening.
void SelfPlay::start(void *state) {
  game_.training_start(state, rng);
  if (settings_.start_rate <= 0 || rng.unit() >= settings_.start_rate) return;
  int wanted = settings_.start_actions;
  if (const int least = settings_.start_actions_min; least > 0 && least < wanted)
    wanted = least + static_cast<int>(rng.below(static_cast<std::uint32_t>(wanted - least + 1)));
  for (int played = 0; played < wanted;) {
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

int SelfPlay::maker(const void *start) const {
  if (game_.has_chance() || game_.player(start) == TERMINAL) return CHANCE;
  return game_.players() == 1 ? 0 : game_.last_player(start);
}

void SelfPlay::episode(EpisodeRecord *record) {
  void *state = state_.data();
  start(state);
  if (record) {
    const auto *bytes = static_cast<const std::byte *>(state);
    record->start.assign(bytes, bytes + game_.state_size());
  }
  alpha_ = alpha();
  epsilon_ = epsilon();
  if (adviser_) adviser_->begin_episode(rng);
  begin_episode(state);
  const int limit = settings_.episode_limit > 0 ? settings_.episode_limit : game_.horizon();
  int actions = 0, player = CHANCE, last_player = CHANCE;
  bool is_over = false;
  while (true) {
    player = game_.player(state);
    is_over = player == TERMINAL || (actions > 0 && game_.round_over(state));
    if (is_over || (player != CHANCE && actions >= limit)) break;
    if (player == CHANCE) {
      const Action outcome = game_.sample_chance(state, rng);
      game_.apply(state, outcome);
      if (record) record->steps.push_back({outcome, true, false});
      continue;
    }
    const Choice choice = act(state, player);
    if (record) record->steps.push_back({choice.action, false, choice.is_random});
    last_player = player;
    ++actions;
    if (stop_ && (polled_ += effort_) >= 1024) {
      polled_ = 0;
      if (stop_()) stopped_ = true;
    }
  }
  if (is_over)
    end_episode(state, last_player);
  else
    cut_episode(state, player);
  ++episodes_done;
  actions_done += actions;
  episode_done();
}

}  // namespace boardlab::ntuple
