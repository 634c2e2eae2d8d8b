// The common part of all self-play learners: how an episode starts and ends, the schedules, and the contents of a
// checkpoint. Each learner defines what it learns from an action.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/game.h"
#include "ntuple/adviser.h"
#include "ntuple/kernels.h"

namespace boardlab::ntuple {

struct TdSettings {
  int outcome = SCORE;
  std::int64_t episodes = 1;                  // over which alpha and epsilon change
  std::int64_t epsilon_episodes = 0;          // over which epsilon changes; 0: all
  double alpha = 0.1, alpha_final = 0.1;      // geometric
  double epsilon = 0.1, epsilon_final = 0.1;  // linear
  bool epsilon_cosine = false;                // or along a quarter of a cosine
  double lambda = 0, horizon_cut = 0.1;       // traces end where (gamma * lambda)^j falls below the cut; 0: never
  bool reset_traces = false;                  // a random action cuts the trace
  bool replace_traces = false;                // a weight keeps only its latest eligibility (Singh and Sutton 1996)
  double gamma = 1;
  bool learn_from_random = false;               // update towards what a random action led to
  bool adapt_others = true, adapt_last = true;  // final adaptation, parts 1 and 2
  double start_rate = 0;                        // share of episodes that start with random actions
  int start_actions = 1;
  int start_actions_min = 0;   // drawn uniformly from here to start_actions; 0: always start_actions
  int episode_limit = 0;       // actions; 0: the game's horizon
  bool skip_reversal = false;  // never return to the state before the last action (cube)
  Coherence coherence = Coherence::NONE;
  double tc_init = 1e-4, tc_beta = 2.7;
  bool accumulate_delta = false;  // N and A sum up delta instead of delta * eligibility
  std::int64_t tc_interval = 0;   // episodes between renewals of the rates; 0: at every step
  std::int64_t replay = 0;        // capacity of the replay buffer in steps; 0: no buffer
  int replay_batch = 1;           // steps to learn again after every step
};

// The factor by which an eligibility decays per own position (Sutton and Barto).
inline double trace_decay(const TdSettings &settings) { return settings.gamma * settings.lambda; }

// The number of own positions that a trace reaches back: until decay^j falls below the horizon cut.
int trace_length(const TdSettings &settings);

// How far a run is, as a line over its episodes. A run limited by time gets a new one whenever its speed is measured.
struct Pace {
  std::int64_t since = 0;
  double share = 0, slope = 0;  // of the run: done at `since`, and added by an episode
};

// A log of an episode, for tests against a slow version of the same algorithm.
struct EpisodeStep {
  Action action;
  bool is_chance, is_random;
};
struct EpisodeRecord {
  std::vector<std::byte> start;
  std::vector<EpisodeStep> steps;
};

class SelfPlay {
 public:
  SelfPlay(GamePtr game, const TdSettings &settings, std::uint64_t seed);
  virtual ~SelfPlay() = default;
  SelfPlay(const SelfPlay &) = delete;
  SelfPlay &operator=(const SelfPlay &) = delete;

  // Plays and learns; calls `stop` regularly, which ends the work after the current episode. Returns the number of
  // episodes played.
  virtual std::int64_t train(std::int64_t episodes, const std::function<bool()> &stop);
  void episode(EpisodeRecord *record);

  const GamePtr &game_ptr() const { return game_ptr_; }
  const TdSettings &settings() const { return settings_; }
  // Alpha and epsilon then change along this line instead of over settings().episodes.
  virtual void follow(const Pace &pace) { pace_ = pace; }
  double alpha() const;
  double epsilon() const;

  // Search inside self-play, for learners that ask `advised`; without an adviser nothing changes.
  void set_adviser(std::unique_ptr<Adviser> adviser);

  // Together with the tables, everything that a checkpoint has to keep; traces end with their episode.
  std::int64_t episodes_done = 0, actions_done = 0;
  Rng rng;

 protected:
  struct Choice {
    Action action;
    bool is_random;
  };
  virtual void begin_episode(const void *start) = 0;
  // The player whose after-state the start of an episode is, or CHANCE. Without chance it is an after-state of the
  // player whose action led to it (random actions at the start), and in a puzzle always, because another position may
  // lead to it. Learners of after-states update its value with the first action, like GBG's TDNTuple4Agt.
  int maker(const void *start) const;
  // Chooses an action for the player to move, learns from it and plays it.
  virtual Choice act(void *state, int player) = 0;
  // The game or the round is over: final adaptation.
  virtual void end_episode(const void *state, int last_player) = 0;
  // Called after every episode, when episodes_done counts it.
  virtual void episode_done() {}
  // The episode was cut when `player` was to decide: nothing to do for a learner that has already learned from the
  // positions on the way.
  virtual void cut_episode(const void * /*state*/, int /*player*/) {}
  bool explores() { return epsilon_ > 0 && rng.unit() < epsilon_; }
  // Whether a search inside self-play chose the action.
  bool advised(const void *state, Action &action) { return adviser_ && adviser_->choose(state, rng, action); }
  // Cost of an action, in actions of a learner that does not search: `stop` is called every 1024.
  std::int64_t effort_ = 1;

 private:
  GamePtr game_ptr_;

 protected:
  const Game &game_;
  TdSettings settings_;
  std::vector<Action> actions_;
  double alpha_ = 0, epsilon_ = 0;  // of the running episode
  std::unique_ptr<Adviser> adviser_;

 private:
  void start(void *state);
  double share_done() const;

  std::optional<Pace> pace_;
  StateBuffer state_;
  std::function<bool()> stop_;
  bool stopped_ = false;
  std::int64_t polled_ = 0;
};

}  // namespace boardlab::ntuple
