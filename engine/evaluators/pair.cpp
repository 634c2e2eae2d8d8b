#include "evaluators/pair.h"

namespace boardlab {

void PairEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &, double *out) {
  const int player = game().player(state);
  double paid[MAX_PLAYERS];
  game().outcome(outcome(), state, paid);
  pairs_.set_state(state, player);
  for (std::size_t i = 0; i < actions.size(); ++i)
    out[i] = paid[player] + static_cast<double>(network_->squash(pairs_.sum(actions[i])));
}

}  // namespace boardlab
