// A hand-made judgement of 2048's positions, after what its players look at.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

// The score so far, and for every row and column empty cells, pairs that can merge, tiles in order and not scattered.
// Reads the first fields as exponents, then the score.
class TilesEvaluator final : public Evaluator {
 public:
  explicit TilesEvaluator(GamePtr game);
  void value(const void *state, Rng &, double *out) override;
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<TilesEvaluator>(game_ptr()); }

 private:
  double line(int from, int step) const;

  int size_ = 0;
  std::vector<std::int32_t> fields_;
};

}  // namespace boardlab
