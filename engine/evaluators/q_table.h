// The evaluator over a Q table.
#pragma once

#include "evaluators/action_values.h"
#include "evaluators/rollout.h"
#include "tabular/q_table.h"

namespace boardlab::tabular {

//   action_values  Q(state, action), brought back to scores. In a state that the table does not know: the means of
//                  `rollouts` random playouts after each action, if there are to be any, as QM-learning does it
class QTableEvaluator final : public ActionValueEvaluator {
 public:
  QTableEvaluator(std::shared_ptr<const QTable> table, int rollouts)
      : ActionValueEvaluator(table->game_ptr(), table->outcome()),
        table_(std::move(table)),
        rollouts_(rollouts),
        rollout_(game_ptr(), outcome(), std::max(rollouts, 1), 0) {
    rollout_.poll = [this] { poll(); };
  }

  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  void visit(const std::function<void(Evaluator &)> &see) override {
    Evaluator::visit(see);
    rollout_.visit(see);
  }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<QTableEvaluator>(table_, rollouts_); }

 private:
  std::shared_ptr<const QTable> table_;
  int rollouts_;
  RolloutEvaluator rollout_;
  std::vector<std::uint8_t> cells_;
};

}  // namespace boardlab::tabular
