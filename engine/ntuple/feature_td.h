// TD(lambda) with final adaptation on features: episodes and targets as on n-tuples, with a gradient step instead of
// tables. The trace of a player is one vector, e = gamma * lambda * e + gradient.
#pragma once

#include <memory>
#include <vector>

#include "core/unseen.h"
#include "ntuple/feature_network.h"
#include "ntuple/self_play.h"

namespace boardlab::ntuple {

using FeatureNetworkPtr = std::shared_ptr<FeatureNetwork>;

class FeatureLearner final : public SelfPlay {
 public:
  FeatureLearner(FeatureNetworkPtr network, const TdSettings &settings, std::uint64_t seed);
  const FeatureNetworkPtr &network() const { return network_; }

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
  };

  void play(const void *state, Action action, int player, View &out);
  void read(int player, View &out);  // everything except its state
  void push(const View &view, Trace &trace);
  void adapt(int player, double target, bool learn, bool cut);

  FeatureNetworkPtr network_;
  std::vector<Trace> traces_;
  View best_, candidate_;
  Unseen unseen_;
};

}  // namespace boardlab::ntuple
