// TD(lambda) with final adaptation (TD-FARL; Konen and Bagheri 2020) on an n-tuple network, with temporal coherence
// learning (TCL; Beal and Smith 1999). Every player learns only from its own after-states, so one algorithm fits 1, 2
// and N players, with and without dice.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/unseen.h"
#include "ntuple/after_states.h"
#include "ntuple/entry_set.h"
#include "ntuple/held_rates.h"
#include "ntuple/network.h"
#include "ntuple/replay.h"
#include "ntuple/self_play.h"

namespace boardlab::ntuple {

class TdLearner : public SelfPlay {
 public:
  // The network must be coherent iff settings.coherence is not NONE; `fresh` sets N and A to tc_init.
  TdLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed)
      : TdLearner(std::move(network), settings, seed, false) {}

  const NetworkPtr &network() const { return network_; }
  const std::shared_ptr<Replay> &replay() const { return replay_; }  // may be null
  const HeldRates *held_rates() const { return held_rates_.get(); }  // null: rates are renewed at every step
  // The steps drawn from the buffer in the last episode, for tests against a slow version.
  const std::vector<std::uint32_t> &drawn() const { return drawn_; }

 protected:
  // `replays_actions`: the replay buffer keeps the actions of next states.
  TdLearner(NetworkPtr network, const TdSettings &settings, std::uint64_t seed, bool replays_actions);

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
    const TraceState &at(std::size_t j) const { return ring[(first + j) % ring.size()]; }
    TraceState &push() {
      first = (first + ring.size() - 1) % ring.size();
      if (length < ring.size()) ++length;
      return ring[first];
    }
  };

  void begin_episode(const void *start) override;
  Choice act(void *state, int player) override;
  void end_episode(const void *state, int last_player) override;
  void episode_done() override;
  void adapt(Trace &trace, double target, bool learn, bool cut);
  void clear_traces();

  // Plays the first n of actions_ and leaves the best in best_ and best_action_, uniformly among equals.
  void choose_best(std::uint32_t n, const void *forbidden);
  // The same where the player does not see everything.
  void choose_best_unseen(const void *state, int player, std::uint32_t n);
  void update(std::uint64_t set, const std::uint32_t *indices, double delta, double eligibility);
  // Puts a step into the replay buffer, if there is one; `next` is null at the end. Returns the room for the actions of
  // the next state, if the buffer keeps those.
  std::uint32_t *remember(const TraceState &from, double reward, const std::uint32_t *next, std::uint64_t next_set);
  // Learns from steps drawn from the replay buffer, if there is one.
  void learn_again();
  // Value of what follows a step, by the current weights.
  virtual double to_come_after(const Replay::Step &step);

  NetworkPtr network_;
  std::vector<Trace> traces_;
  AfterStates after_states_;
  AfterStates::View best_;
  Action best_action_ = -1;
  std::shared_ptr<Replay> replay_;
  std::unique_ptr<HeldRates> held_rates_;

 private:
  bool choose(const void *state, int player);  // into best_; returns whether the action is random
  void push(const AfterStates::View &view, Trace &trace);
  double advantage(const AfterStates::View &a, const AfterStates::View &b) const;
  void update_new(std::uint64_t set, const std::uint32_t *indices, double delta, double eligibility);
  void learn(std::uint64_t set, const std::uint32_t *indices, const Shape &shape, double delta, double eligibility);
  double to_come_after_best(int player);

  int horizon_;
  std::vector<AfterStates::View> candidates_;
  Unseen unseen_;
  StateBuffer previous_;
  bool have_previous_ = false;
  std::vector<float> copies_;  // for the kernels that learn
  std::vector<std::uint32_t> drawn_;
  EntrySet seen_;                     // for replacing traces
  std::vector<std::uint32_t> fresh_;  // entries that were not in it
};

}  // namespace boardlab::ntuple
