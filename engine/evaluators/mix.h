// The mean (1 - weight) * first + weight * second of two evaluators' values, with the first one's priors. With a
// rollout as the second: WRo of Wang et al. (2021), and with weight 1 their Rollout.
#pragma once

#include "evaluators/evaluator.h"

namespace boardlab {

class MixEvaluator final : public Evaluator {
 public:
  // Throws std::invalid_argument where the two judge different games or outcomes.
  MixEvaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, double weight);
  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void answer(std::span<const Question> questions, Rng &rng) override;
  void values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) override;
  bool batches() const override { return first_->batches() || second_->batches(); }
  void begin_decision() override {
    first_->begin_decision();
    second_->begin_decision();
  }
  void visit(const std::function<void(Evaluator &)> &see) override {
    Evaluator::visit(see);
    first_->visit(see);
    second_->visit(see);
  }
  bool has_priors() const override { return first_->has_priors(); }
  bool has_policy() const override { return first_->has_policy(); }
  std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<MixEvaluator>(first_->clone(), second_->clone(), weight_);
  }

 private:
  std::unique_ptr<Evaluator> first_, second_;
  double weight_;
  std::vector<Question> questions_;
  std::vector<double> values_;
};

}  // namespace boardlab
