#include "evaluators/regret.h"

#include <algorithm>
#include <cstdlib>

namespace boardlab::tabular {

void RegretEvaluator::strategy(const void *state, std::span<const Action> actions, double *out) {
  const std::size_t set = table_->find(situations_.key(state, game().player(state)));
  if (set == RegretTable::NONE) {
    std::fill_n(out, actions.size(), 1.0 / static_cast<double>(actions.size()));
    return;
  }
  const Action *learned = &table_->actions[table_->first(set)];
  const std::size_t n = table_->count(set);
  row_.resize(std::max(row_.size(), n));
  table_->average(set, row_.data());
  if (std::equal(actions.begin(), actions.end(), learned, learned + n)) {
    std::copy_n(row_.data(), n, out);
    return;
  }
  std::fill_n(out, actions.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t nearest = 0;
    for (std::size_t a = 1; a < actions.size(); ++a)
      if (std::abs(actions[a] - learned[i]) <= std::abs(actions[nearest] - learned[i])) nearest = a;
    out[nearest] += row_[i];
  }
}

void RegretEvaluator::priors(const void *state, std::span<const Action> actions, Rng &, double *out) {
  strategy(state, actions, out);
}

void RegretEvaluator::value(const void *state, Rng &rng, double *out) {
  const Game &g = game();
  g.copy(state_.data(), state);
  double paid[MAX_PLAYERS] = {};
  mix_.resize(legal_.size());
  for (int actions = 0; actions < g.horizon();) {
    const int player = g.player(state_.data());
    if (player == TERMINAL || g.round_over(state_.data())) break;
    if (player == CHANCE) {
      g.apply(state_.data(), g.sample_chance(state_.data(), rng));
      continue;
    }
    const auto n = static_cast<std::size_t>(g.legal(state_.data(), legal_.data()));
    strategy(state_.data(), {legal_.data(), n}, mix_.data());
    double u = rng.unit();
    std::size_t a = 0;
    while (a + 1 < n && (u -= mix_[a]) >= 0) ++a;
    g.apply(state_.data(), legal_[a]);
    paid[player] += g.step_reward();
    ++actions;
  }
  g.outcome(outcome(), state_.data(), out);
  for (int p = 0; p < g.players(); ++p) out[p] += paid[p];
}

}  // namespace boardlab::tabular
