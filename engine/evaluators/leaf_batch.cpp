#include "evaluators/leaf_batch.h"

namespace boardlab {

void LeafRow::pass_chance(const Game &game, bool ends_with_round, Rng &rng) {
  void *beyond = beyond_.data();
  game.copy(beyond, leaf_);
  while ((mover_ = game.player(beyond)) == CHANCE && !(ends_with_round && game.round_over(beyond)))
    game.apply(beyond, game.sample_chance(beyond, rng));
}

void LeafBatch::take(std::span<const Question> questions, Rng &rng) {
  size_ = 0;
  questions_.clear();
  for (const Question &question : questions) {
    if (size_ == rows_.size()) rows_.emplace_back(*game_);
    if (rows_[size_].take(*game_, question.state, true, rng)) {
      questions_.push_back(&question);
      ++size_;
    } else {
      game_->outcome(outcome_, rows_[size_].asked(), question.value);
    }
  }
}

void LeafBatch::read(const Answers &answers) {
  for (std::size_t i = 0; i < size_; ++i) {
    const Question &q = *questions_[i];
    // A row beyond a chance node has other actions than the question, which has none.
    answers.read(*game_, i, rows_[i].mover(), q.actions, q.value, q.actions.empty() ? nullptr : q.priors);
    if (game_->table().round_over) add_score_so_far(*game_, outcome_, rows_[i].asked(), q.value);
  }
}

void BatchEvaluator::ask(std::span<const Question> questions, Workers &workers, Rng &rng) {
  batch_.take(questions, rng);
  if (batch_.size() > 0) judge(batch_, workers);
}

void BatchEvaluator::value(const void *state, Rng &rng, double *out) {
  const Question q{state, {}, out, nullptr};
  ask({&q, 1}, alone_, rng);
}

void BatchEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const auto players = static_cast<std::size_t>(game().players());
  const auto player = static_cast<std::size_t>(game().player(state));
  while (children_.size() < actions.size()) children_.emplace_back(game());
  child_values_.resize(actions.size() * players);
  child_questions_.clear();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    void *child = children_[i].data();
    game().copy(child, state);
    game().apply(child, actions[i]);
    child_questions_.push_back({child, {}, &child_values_[i * players], nullptr});
  }
  ask(child_questions_, alone_, rng);
  for (std::size_t i = 0; i < actions.size(); ++i) out[i] = child_values_[i * players + player] + game().step_reward();
}

void BatchEvaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  if (!has_priors_) return Evaluator::priors(state, actions, rng, out);
  double unused[MAX_PLAYERS];
  const Question q{state, actions, unused, out};
  ask({&q, 1}, alone_, rng);
}

void BatchEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  ask(questions, alone_, rng);
  if (has_priors_) return;
  for (const Question &q : questions)
    if (q.priors && !q.actions.empty()) Evaluator::priors(q.state, q.actions, rng, q.priors);
}

void BatchEvaluator::values(std::span<const std::byte> states, Workers &workers, Rng &rng, double *out) {
  const auto players = static_cast<std::size_t>(game().players());
  state_questions_.clear();
  for (std::size_t at = 0; at < states.size(); at += game().state_size(), out += players)
    state_questions_.push_back({states.data() + at, {}, out, nullptr});
  ask(state_questions_, workers, rng);
}

}  // namespace boardlab
