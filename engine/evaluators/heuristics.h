// Hand-made judgements of positions: the weighted piece counters of Othello, and what players of 2048 look at.
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

// 2048: the score so far, and for every row and column empty cells, pairs that can merge, tiles in order and not
// scattered. Reads the first fields as exponents, then the score.
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
