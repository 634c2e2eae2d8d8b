// The evaluator over the average strategies of a regret table.
#pragma once

#include "evaluators/evaluator.h"
#include "tabular/regret_table.h"
#include "tabular/situations.h"

namespace boardlab::tabular {

//   priors  the average strategy of what the player to move knows, uniform where that was never met
//   value   the outcome of one playout in which everybody follows it, to the end of the round
//
// A hand of a longer game may allow other actions than the one that was learned (fewer chips). What the strategy gives
// to an action that is not legal now goes to the legal one with the nearest number, the higher of two.
class RegretEvaluator final : public Evaluator {
 public:
  RegretEvaluator(const GamePtr &game, int outcome, std::shared_ptr<const RegretTable> table, const BucketsPtr &buckets)
      : Evaluator(game, outcome),
        table_(std::move(table)),
        situations_(game, buckets),
        state_(*game),
        legal_(static_cast<std::size_t>(game->max_legal())),
        row_(legal_.size()) {}

  void value(const void *state, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  bool has_priors() const override { return true; }
  bool has_policy() const override { return true; }
  bool stays_in_range() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<RegretEvaluator>(game_ptr(), outcome(), table_, situations_.buckets());
  }

 private:
  void strategy(const void *state, std::span<const Action> actions, double *out);

  std::shared_ptr<const RegretTable> table_;
  Situations situations_;
  StateBuffer state_;
  std::vector<Action> legal_;
  std::vector<double> row_, mix_;
};

}  // namespace boardlab::tabular
