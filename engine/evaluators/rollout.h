// Mean outcome of random playouts; `depth` actions at most, or to the end (0). In a game with rounds the end is that of
// the round, unless `whole_game` is set: later rounds of random players tell nothing about this one.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

class RolloutEvaluator final : public Evaluator {
 public:
  RolloutEvaluator(GamePtr game, int outcome, int rollouts, int depth, bool whole_game = false)
      : Evaluator(std::move(game), outcome),
        rollouts_(rollouts),
        depth_(depth),
        whole_game_(whole_game),
        state_(this->game()) {}
  void value(const void *state, Rng &rng, double *out) override;
  bool stays_in_range() const override { return true; }
  void answer(std::span<const Question> questions, Rng &rng) override;
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<RolloutEvaluator>(game_ptr(), outcome(), rollouts_, depth_, whole_game_);
  }

 private:
  static constexpr std::int64_t ACTIONS_A_POLL = 1 << 20;  // some tens of milliseconds

  int playout(std::vector<Played> *played, Rng &rng);
  void mean_outcome(const void *state, std::vector<Played> *played, Rng &rng, double *out);

  int rollouts_, depth_;
  bool whole_game_;
  StateBuffer state_;
  std::vector<Action> legal_;
  std::vector<Played> played_;
  std::int64_t actions_since_poll_ = 0;
};

}  // namespace boardlab
