#include "evaluators/q_table.h"

namespace boardlab::tabular {

void QTableEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  double paid[MAX_PLAYERS] = {};
  const int player = game().player(state);
  if (table_->pays_on_the_way()) game().outcome(outcome(), state, paid);
  const std::uint64_t key = table_->key(state, cells_);
  bool is_known = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const double *found = table_->find(table_->pair(key, actions[i]));
    is_known = is_known || found;
    out[i] = paid[player] + table_->score(found ? *found : 0);
  }
  if (is_known || rollouts_ == 0) return;
  rollout_.action_values(state, actions, rng, out);
}

}  // namespace boardlab::tabular
