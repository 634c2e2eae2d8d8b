#include "search/q_evaluator.h"

#include <algorithm>

namespace boardlab {

void QTableEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  double paid[MAX_PLAYERS] = {};
  const int player = game().player(state);
  if (table_->pays_on_the_way()) game().outcome(outcome(), state, paid);
  const std::uint64_t hash = game().hash(state);
  bool is_known = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const double *found = table_->find(table_->pair(hash, actions[i]));
    is_known = is_known || found;
    out[i] = paid[player] + table_->score(found ? *found : 0);
  }
  if (is_known || rollouts_ == 0) return;
  rollout_.poll = poll;
  rollout_.action_values(state, actions, rng, out);
}

void QTableEvaluator::value(const void *state, Rng &rng, double *out) {
  if (game().player(state) == CHANCE) {
    game().copy(drawn_.data(), state);
    while (game().player(drawn_.data()) == CHANCE)
      game().apply(drawn_.data(), game().sample_chance(drawn_.data(), rng));
    state = drawn_.data();
  }
  game().outcome(outcome(), state, out);
  const int player = game().player(state), players = game().players();
  if (player == TERMINAL) return;
  const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
  action_values(state, {legal_.data(), n}, rng, values_.data());
  out[player] = *std::max_element(values_.data(), values_.data() + n);
  if (!game().is_zero_sum()) return;
  for (int p = 0; p < players; ++p)
    if (p != player) out[p] = -out[player] / (players - 1);
}

}  // namespace boardlab
