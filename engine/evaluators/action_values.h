// The base of evaluators that learned values of actions, not of positions.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

// A position's value is that of its best action, for the player to move. Nothing was learned about the others: where
// scores add up to zero they share the opposite, else they get what they were paid. At a chance node one outcome is
// drawn.
class ActionValueEvaluator : public Evaluator {
 public:
  ActionValueEvaluator(GamePtr game, int outcome)
      : Evaluator(std::move(game), outcome),
        drawn_(this->game()),
        legal_(static_cast<std::size_t>(this->game().max_legal())),
        values_(legal_.size()) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override = 0;
  bool has_priors() const override { return true; }

 private:
  StateBuffer drawn_;
  std::vector<Action> legal_;
  std::vector<double> values_;
};

}  // namespace boardlab
