#include "evaluators/evaluator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab {

void softmax(std::span<double> x, double temperature) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double &v : x) sum += v = std::exp((v - top) / temperature);
  for (double &v : x) v /= sum;
}

void Evaluator::value(const void *state, Rng &rng, double *out) {
  const int player = game_->player(state);
  const int n = game_->legal(state, actions_.data());
  std::vector<double> values(static_cast<std::size_t>(n));
  action_values(state, {actions_.data(), static_cast<std::size_t>(n)}, rng, values.data());
  const double best = *std::max_element(values.begin(), values.end());
  if (game_->players() <= 2) {
    const double sign = game_->is_zero_sum() ? -1 : 1;
    for (int p = 0; p < game_->players(); ++p) out[p] = p == player ? best : sign * best;
    return;
  }
  throw std::logic_error("an evaluator for three and more players must answer value()");
}

void Evaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const auto player = static_cast<std::size_t>(game_->player(state));
  double values[MAX_PLAYERS];
  for (std::size_t i = 0; i < actions.size(); ++i) {
    game_->copy(child_.data(), state);
    game_->apply(child_.data(), actions[i]);
    judge(child_.data(), rng, values);
    out[i] = values[player] + game_->step_reward();
  }
}

void Evaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  action_values(state, actions, rng, out);
  values_to_priors({out, actions.size()});
}

void Evaluator::values_to_priors(std::span<double> values) const {
  if (!scales_priors && !minmax_priors) return softmax(values, 1.0);
  Range range = game_->outcome_range(outcome_);
  if (range.loose) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range = {*low, *high, false};
  }
  const double width = range.max - range.min;
  if (minmax_priors) {  // a learned value may lie below the range; a prior below 0 would keep an action away for ever
    for (double &v : values) v = width > 0 ? std::max(0.0, (v - range.min) / width) : 1;
    return;
  }
  for (double &v : values) v = width > 0 ? 2 * (v - range.min) / width - 1 : 0;
  softmax(values, 1.0);
}

void Evaluator::answer(std::span<const Question> questions, Rng &rng) {
  for (const Question &q : questions) {
    value(q.state, rng, q.value);
    if (q.priors && !q.actions.empty()) priors(q.state, q.actions, rng, q.priors);
  }
}

void Evaluator::values(std::span<const std::byte> states, Workers &, Rng &rng, double *out) {
  const auto players = static_cast<std::size_t>(game_->players());
  for (std::size_t at = 0; at < states.size(); at += game_->state_size(), out += players)
    value(states.data() + at, rng, out);
}

}  // namespace boardlab
