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

void RolloutEvaluator::value(const void *state, Rng &rng, double *out) { mean_outcome(state, nullptr, rng, out); }

void RolloutEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  for (const Question &q : questions) {
    mean_outcome(q.state, q.played, rng, q.value);
    if (q.priors && !q.actions.empty()) priors(q.state, q.actions, rng, q.priors);
  }
}

// Plays `state_` out at random and returns the number of actions; appends them to `played` unless it is null.
int RolloutEvaluator::playout(std::vector<Played> *played, Rng &rng) {
  const Game &g = game();
  const int limit = depth_ > 0 ? depth_ : g.horizon();
  if (!played) return g.playout(state_.data(), rng, limit, !whole_game_);
  legal_.resize(static_cast<std::size_t>(g.max_legal()));
  int count = 0;
  while (count < limit) {
    const int player = g.player(state_.data());
    if (player == TERMINAL || (!whole_game_ && g.round_over(state_.data()))) break;
    if (player == CHANCE) {
      g.apply(state_.data(), g.sample_chance(state_.data(), rng));
      continue;
    }
    const int n = g.legal(state_.data(), legal_.data());
    const Action action = legal_[rng.below(static_cast<std::uint32_t>(n))];
    g.apply(state_.data(), action);
    played->push_back({player, action});
    ++count;
  }
  return count;
}

void RolloutEvaluator::mean_outcome(const void *state, std::vector<Played> *played, Rng &rng, double *out) {
  const Game &g = game();
  const int players = g.players();
  const bool counts_steps = players > 1 && g.step_reward() != 0;  // each player pays for the own actions
  double sum[MAX_PLAYERS] = {}, final_outcome[MAX_PLAYERS];
  for (int i = 0; i < rollouts_; ++i) {
    g.copy(state_.data(), state);
    std::vector<Played> *recorded = i == 0 ? played : nullptr;
    if (!recorded && counts_steps) recorded = &played_;
    const std::size_t before = recorded ? recorded->size() : 0;
    const int actions = playout(recorded, rng);
    g.outcome(outcome(), state_.data(), final_outcome);
    for (int p = 0; p < players; ++p) sum[p] += final_outcome[p];
    if (players == 1)
      sum[0] += g.step_reward() * actions;
    else if (counts_steps)
      for (std::size_t k = before; k < recorded->size(); ++k) sum[(*recorded)[k].player] += g.step_reward();
    played_.clear();
    actions_since_poll_ += actions;
    if (actions_since_poll_ >= ACTIONS_A_POLL) {
      actions_since_poll_ = 0;
      poll();
    }
  }
  for (int p = 0; p < players; ++p) out[p] = sum[p] / rollouts_;
}

MixEvaluator::MixEvaluator(std::unique_ptr<Evaluator> first, std::unique_ptr<Evaluator> second, double weight)
    : Evaluator(first->game_ptr(), first->outcome()),
      first_(std::move(first)),
      second_(std::move(second)),
      weight_(weight) {
  if (first_->game_ptr() != second_->game_ptr())
    throw std::invalid_argument("mix: both evaluators must judge the same game");
  if (first_->outcome() != second_->outcome())
    throw std::invalid_argument("mix: both evaluators must estimate the same outcome");
  first_->poll = second_->poll = [this] { poll(); };
}

void MixEvaluator::value(const void *state, Rng &rng, double *out) {
  double other[MAX_PLAYERS];
  first_->value(state, rng, out);
  second_->value(state, rng, other);
  for (int p = 0; p < game().players(); ++p) out[p] = (1 - weight_) * out[p] + weight_ * other[p];
}

void MixEvaluator::values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) {
  const std::size_t count = states.size() / game().state_size() * static_cast<std::size_t>(game().players());
  values_.resize(count);
  first_->values(states, workers, rng, out);
  second_->values(states, workers, rng, values_.data());
  for (std::size_t i = 0; i < count; ++i) out[i] = (1 - weight_) * out[i] + weight_ * values_[i];
}

void MixEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  values_.resize(actions.size());
  first_->action_values(state, actions, rng, out);
  second_->action_values(state, actions, rng, values_.data());
  for (std::size_t i = 0; i < actions.size(); ++i) out[i] = (1 - weight_) * out[i] + weight_ * values_[i];
}

void MixEvaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  first_->priors(state, actions, rng, out);
}

void MixEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  first_->answer(questions, rng);
  const auto players = static_cast<std::size_t>(game().players());
  values_.resize(questions.size() * players);
  questions_.assign(questions.begin(), questions.end());
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    questions_[i].value = &values_[i * players];
    questions_[i].priors = nullptr;
  }
  second_->answer(questions_, rng);
  for (std::size_t i = 0; i < questions.size(); ++i)
    for (std::size_t p = 0; p < players; ++p)
      questions[i].value[p] = (1 - weight_) * questions[i].value[p] + weight_ * values_[i * players + p];
}

void SolverEvaluator::value(const void *state, Rng &, double *out) {
  bl_solution solution;
  if (!game().solve(state, outcome(), INT64_MAX, poll, solution))
    throw std::invalid_argument(game().name() + " has no exact solver for this position");
  std::copy(solution.scores, solution.scores + game().players(), out);
}

}  // namespace boardlab
