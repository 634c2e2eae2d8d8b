// The evaluator over an n-tuple network that judges pairs (state, action): SARSA and Q-learning.
#pragma once

#include "evaluators/action_values.h"
#include "ntuple/pairs.h"

namespace boardlab {

//   action_values  what was paid + Q(state, action | player to move), for every action
class PairEvaluator final : public ActionValueEvaluator {
 public:
  PairEvaluator(std::shared_ptr<const ntuple::Network> network, int outcome)
      : ActionValueEvaluator(network->game_ptr(), outcome), network_(std::move(network)), pairs_(*network_) {}

  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<PairEvaluator>(network_, outcome()); }

 private:
  std::shared_ptr<const ntuple::Network> network_;
  ntuple::Pairs pairs_;
};

}  // namespace boardlab
