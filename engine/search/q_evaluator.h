// The evaluator over a Q table.
#pragma once

#include "search/evaluator.h"
#include "tabular/q_table.h"

namespace boardlab {

//   action_values  Q(state, action), brought back to scores. In a state that the table does not know: the means of
//                  `rollouts` random playouts after each action, if there are to be any, as QM-learning does it;
//   value          the best of them for the player to move. Nothing was learned about the others: where scores add up
//                  to zero they share the opposite, else they get what they were paid. At a chance node one outcome is
//                  drawn.
class QTableEvaluator final : public Evaluator {
 public:
  QTableEvaluator(std::shared_ptr<const tabular::QTable> table, int rollouts)
      : Evaluator(table->game_ptr(), table->outcome()),
        table_(std::move(table)),
        rollouts_(rollouts),
        rollout_(game_ptr(), outcome(), std::max(rollouts, 1), 0),
        drawn_(game()),
        legal_(static_cast<std::size_t>(game().max_legal())),
        values_(legal_.size()) {}

  void value(const void *state, Rng &rng, double *out) override;
  void action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) override;
  bool has_priors() const override { return true; }
  std::unique_ptr<Evaluator> clone() const override { return std::make_unique<QTableEvaluator>(table_, rollouts_); }

 private:
  std::shared_ptr<const tabular::QTable> table_;
  int rollouts_;
  RolloutEvaluator rollout_;
  StateBuffer drawn_;
  std::vector<Action> legal_;
  std::vector<double> values_;
};

}  // namespace boardlab
