// TD(lambda) with final adaptation on features: episodes and targets as on n-tuples, with a gradient step instead of
// tables. The trace of a player is one vector, e = gamma * lambda * e + gradient. Replacing traces (Singh and Sutton
// 1996) keep of every weight its latest gradient that is not 0, decayed; with a horizon cut the trace is made of the
// latest gradients alone.
#pragma once

#include <memory>
#include <vector>

#include "core/unseen.h"
#include "ntuple/feature_network.h"
#include "ntuple/feature_replay.h"
#include "ntuple/self_play.h"

namespace boardlab::ntuple {

using FeatureNetworkPtr = std::shared_ptr<FeatureNetwork>;

class FeatureLearner final : public SelfPlay {
 public:
  FeatureLearner(FeatureNetworkPtr network, const TdSettings &settings, std::uint64_t seed);
  const FeatureNetworkPtr &network() const { return network_; }
  const std::shared_ptr<FeatureReplay> &replay() const { return replay_; }  // may be null
  // The steps drawn from the buffer in the last episode, for tests against a slow version.
  const std::vector<std::uint32_t> &drawn() const { return drawn_; }

 protected:
  void begin_episode(const void *start) override;
  Choice act(void *state, int player) override;
  void end_episode(const void *state, int last_player) override;

 private:
  // An after-state of a player.
  struct View {
    StateBuffer state;
    FeatureNetwork::Inputs inputs;
    bool is_final = false;
    double paid = 0, to_come = 0;
  };
  struct Trace {
    bool has_latest = false;
    FeatureNetwork::Inputs latest;
    double paid = 0;
    std::vector<double> eligibility;
    // With a horizon cut: the latest gradients, a ring, and how many are in it; the newest is gradients[newest].
    std::vector<std::vector<double>> gradients;
    std::size_t newest = 0, length = 0;
  };

  void play(const void *state, Action action, int player, View &out);
  void read(int player, View &out);  // everything except its state
  void push(const View &view, Trace &trace);
  void adapt(int player, double target, bool learn, bool cut);
  // Moves the trace on to the latest own after-state; returns that one's value.
  double extend(int player, Trace &trace);
  void clear(Trace &trace);
  // Puts a step into the replay buffer, if there is one; `next` is null at the end.
  void remember(int player, const Trace &trace, double reward, const FeatureNetwork::Inputs *next);
  // Learns from steps drawn from the replay buffer, if there is one.
  void learn_again();
  Choice choose(const void *state, int player);  // leaves the after-state in best_

  FeatureNetworkPtr network_;
  std::vector<Trace> traces_;
  View best_, candidate_;
  std::vector<double> gradient_;
  std::shared_ptr<FeatureReplay> replay_;
  FeatureReplay::Step step_;
  std::vector<std::uint32_t> drawn_;
  Unseen unseen_;
};

}  // namespace boardlab::ntuple
