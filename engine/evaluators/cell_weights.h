// The evaluator that adds up weights of cells: the positional judgements of Othello and its like.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

// The sum of the weights of the cells that player 0 holds less those of player 1, scaled to [-1, 1]. Reads the first
// fields of the state as cells: 0 empty, 1 player 0, 2 player 1.
class CellWeightsEvaluator final : public Evaluator {
 public:
  CellWeightsEvaluator(GamePtr game, std::vector<double> weights);
  void value(const void *state, Rng &, double *out) override;
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<CellWeightsEvaluator>(game_ptr(), weights_);
  }

 private:
  std::vector<double> weights_;
  double total_ = 0;
  std::vector<std::int32_t> fields_;
};

}  // namespace boardlab
