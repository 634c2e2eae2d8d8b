// The evaluator over a value function on features.
#pragma once

#include "core/unseen.h"
#include "evaluators/evaluator.h"
#include "ntuple/feature_network.h"

namespace boardlab {

//   action_values  what was paid + step reward + gamma * V(after-state | player to move), for every action;
//   value          the best of them for the player to move, or at a chance node V for its creator; the opposite for the
//                  other of two players whose scores add up to zero, else V of this position for every other player.
class FeatureEvaluator final : public Evaluator {
 public:
  FeatureEvaluator(std::shared_ptr<const ntuple::FeatureNetwork> network, int outcome, double gamma)
      : Evaluator(network->game_ptr(), outcome),
        network_(std::move(network)),
        gamma_(gamma),
        after_(game()),
        unseen_(game(), outcome),
        legal_(static_cast<std::size_t>(game().max_legal())),
        values_(legal_.size()) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  bool has_priors() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<FeatureEvaluator>(network_, outcome(), gamma_);
  }

 private:
  double after_state_value(const void *state, int player, double gamma);

  std::shared_ptr<const ntuple::FeatureNetwork> network_;
  double gamma_;
  ntuple::FeatureNetwork::Inputs inputs_;
  StateBuffer after_;
  Unseen unseen_;
  std::vector<Action> legal_;
  std::vector<double> values_;
};

}  // namespace boardlab
