// TD(lambda) with final adaptation (TD-FARL; Konen and Bagheri 2020) on an n-tuple network, with temporal coherence
// learning (TCL; Beal and Smith 1999). Every player learns from its own after-states only, so that one algorithm fits
// 1, 2 and N players, with and without dice.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ntuple/after_states.h"
#include "ntuple/network.h"

namespace boardlab::ntuple {

struct TdSettings {
  int outcome = SCORE;
  std::int64_t episodes = 1;                  // over which alpha and epsilon change
  double alpha = 0.1, alpha_final = 0.1;      // geometric
  double epsilon = 0.1, epsilon_final = 0.1;  // linear
  double lambda = 0, horizon_cut = 0.1;       // traces end where lambda^j falls below the cut
  bool reset_traces = false;                  // a random action cuts the trace
  double gamma = 1;
  bool learn_from_random = false;               // update towards what a random action led to
  bool adapt_others = true, adapt_last = true;  // final adaptation, parts 1 and 2
  double start_rate = 0;                        // share of episodes that start with random actions
  int start_actions = 1;
  int episode_limit = 0;       // actions; 0: the game's horizon
  bool skip_reversal = false;  // never back to the state before the last action (cube)
  Coherence coherence = Coherence::NONE;
  double tc_init = 1e-4, tc_beta = 2.7;
  bool accumulate_delta = false;  // N and A sum up delta instead of delta * eligibility
};

// What happened in an episode, for tests against a slow version of the same algorithm.
struct EpisodeStep {
  Action action;
  bool is_chance, is_random;
};
struct EpisodeRecord {
  std::vector<std::byte> start;
  std::vector<EpisodeStep> steps;
};

class TdLearner {
 public:
  // The network must be coherent iff settings.coherence is not NONE; `fresh` sets N and A to tc_init.
  TdLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed);

  // Plays and learns; `stop` is asked now and then and ends the work after the running episode. Returns the number of
  // episodes played.
  std::int64_t train(std::int64_t episodes, const std::function<bool()> &stop);
  void episode(EpisodeRecord *record);

  const NetworkPtr &network() const { return network_; }
  const TdSettings &settings() const { return settings_; }
  int horizon() const { return horizon_; }
  double alpha() const;
  double epsilon() const;

  // With the tables, all that a checkpoint has to keep; traces end with their episode.
  std::int64_t episodes_done = 0, actions_done = 0;
  Rng rng;

 private:
  struct TraceState {
    std::vector<std::uint32_t> indices;
    std::uint64_t set = 0;
    double paid = 0;
    float gradient = 1;  // of sigma, when it was the latest
  };
  // A player's own after-states, the latest first.
  struct Trace {
    std::vector<TraceState> ring;
    std::size_t first = 0, length = 0;
    TraceState &at(std::size_t j) { return ring[(first + j) % ring.size()]; }
    TraceState &push() {
      first = (first + ring.size() - 1) % ring.size();
      if (length < ring.size()) ++length;
      return ring[first];
    }
  };

  void start(void *state);
  bool choose(const void *state, int player);  // into best_; whether the action is random
  double advantage(const AfterStates::View &a, const AfterStates::View &b) const;
  void adapt(Trace &trace, double target, bool learn, bool cut);
  void final_adaptation(int last_player);

  NetworkPtr network_;
  const Game &game_;
  TdSettings settings_;
  int horizon_;
  AfterStates after_states_;
  AfterStates::View best_;
  std::vector<AfterStates::View> candidates_;
  Action best_action_ = -1;
  std::vector<Trace> traces_;
  std::vector<Action> actions_;
  StateBuffer state_, previous_;
  bool have_previous_ = false;
  std::vector<float> kept_;
  std::vector<Counter> copies_;
  double alpha_ = 0, epsilon_ = 0;  // of the running episode
  std::function<bool()> stop_;
  bool stopped_ = false;
  std::int64_t polled_ = 0;
};

}  // namespace boardlab::ntuple
