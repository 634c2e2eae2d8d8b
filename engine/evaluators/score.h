// The score so far: 0 for an unfinished game that pays at the end. For searches that reach the end.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

class PaidEvaluator final : public Evaluator {
 public:
  using Evaluator::Evaluator;
  void value(const void *state, Rng &, double *out) override { game().outcome(outcome(), state, out); }
  bool stays_in_range() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<PaidEvaluator>(game_ptr(), outcome()); }
};

}  // namespace boardlab
