#include "evaluators/features.h"

#include <algorithm>

namespace boardlab {

double FeatureEvaluator::after_state_value(const void *state, int player, double gamma) {
  double paid[MAX_PLAYERS];
  game().outcome(outcome(), state, paid);
  if (game().player(state) == TERMINAL || game().round_over(state)) return paid[player];
  network_->read(state, player, inputs_);
  return paid[player] + gamma * network_->value(inputs_, player);
}

void FeatureEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const int player = game().player(state);
  if (game().is_hidden()) {
    unseen_.worth(
        state, player, actions, rng,
        [&](const void *after) {
          network_->read(after, player, inputs_);
          return gamma_ * network_->value(inputs_, player) + game().step_reward();
        },
        out);
    return;
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    game().copy(after_.data(), state);
    game().apply(after_.data(), actions[i]);
    out[i] = game().step_reward() + after_state_value(after_.data(), player, gamma_);
  }
}

void FeatureEvaluator::value(const void *state, Rng &rng, double *out) {
  const int mover = game().player(state);
  const int known = mover == CHANCE ? std::max(game().last_player(state), 0) : mover;
  if (mover == CHANCE) {
    out[known] = after_state_value(state, known, 1.0);
  } else {
    const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
    action_values(state, {legal_.data(), n}, rng, values_.data());
    out[known] = *std::max_element(values_.data(), values_.data() + n);
  }
  const bool opposed = game().players() == 2 && game().is_zero_sum();
  for (int p = 0; p < game().players(); ++p)
    if (p != known) out[p] = opposed ? -out[known] : after_state_value(state, p, 1.0);
}

}  // namespace boardlab
