// The evaluator over an n-tuple network that judges pairs (state, action): SARSA and Q-learning.
#pragma once

#include "ntuple/pairs.h"
#include "search/evaluator.h"

namespace boardlab {

//   action_values  what was paid + Q(state, action | player to move), for every action;
//   value          the best of them for the player to move. Nothing was learned about the others: where scores add up
//                  to zero they share the opposite, else they get what they were paid. At a chance node one outcome is
//                  drawn.
class PairEvaluator final : public Evaluator {
 public:
  PairEvaluator(std::shared_ptr<const ntuple::Network> network, int outcome)
      : Evaluator(network->game_ptr(), outcome),
        network_(std::move(network)),
        pairs_(*network_),
        drawn_(game()),
        legal_(static_cast<std::size_t>(game().max_legal())),
        values_(legal_.size()) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  bool has_priors() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<PairEvaluator>(network_, outcome()); }

 private:
  std::shared_ptr<const ntuple::Network> network_;
  ntuple::Pairs pairs_;
  StateBuffer drawn_;
  std::vector<Action> legal_;
  std::vector<double> values_;
};

}  // namespace boardlab
