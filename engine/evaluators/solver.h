// Exact values from the game's own solver, where it has one.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

class SolverEvaluator final : public Evaluator {
 public:
  using Evaluator::Evaluator;
  void value(const void *state, Rng &rng, double *out) override;
  bool stays_in_range() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<SolverEvaluator>(game_ptr(), outcome()); }
};

}  // namespace boardlab
