#include "evaluators/mix.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab {

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

}  // namespace boardlab
