#include "evaluators/action_values.h"

#include <algorithm>

namespace boardlab {

void ActionValueEvaluator::value(const void *state, Rng &rng, double *out) {
  if (game().player(state) == CHANCE) {
    game().copy(drawn_.data(), state);
    while (game().player(drawn_.data()) == CHANCE && !game().round_over(drawn_.data()))
      game().apply(drawn_.data(), game().sample_chance(drawn_.data(), rng));
    state = drawn_.data();
  }
  game().outcome(outcome(), state, out);
  const int player = game().player(state), players = game().players();
  if (player < 0) return;  // the end of the game or of the round
  const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
  action_values(state, {legal_.data(), n}, rng, values_.data());
  out[player] = *std::max_element(values_.data(), values_.data() + n);
  if (!game().is_zero_sum()) return;
  for (int p = 0; p < players; ++p)
    if (p != player) out[p] = -out[player] / (players - 1);
}

}  // namespace boardlab
