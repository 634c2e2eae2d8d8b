#include "search/ntuple_evaluator.h"

#include <algorithm>

namespace boardlab {

void NTupleEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &, double *out) {
  if (known_.empty())
    judge_actions(state, actions, out);
  else
    judge_unknown_actions(state, actions, out);
}

void NTupleEvaluator::judge_unknown_actions(const void *state, std::span<const Action> actions, double *out) {
  unknown_.clear();
  unknown_at_.clear();
  keys_.resize(actions.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    game().copy(child_.data(), state);
    game().apply(child_.data(), actions[i]);
    keys_[i] = game().hash(child_.data()) ^ decision_;
    __builtin_prefetch(&known_[keys_[i] % KNOWN]);
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Known &known = known_[keys_[i] % KNOWN];
    out[i] = known.value;
    if (known.key == keys_[i]) continue;
    unknown_.push_back(actions[i]);
    unknown_at_.push_back(i);
  }
  if (unknown_.empty()) return;
  found_.resize(unknown_.size());
  judge_actions(state, unknown_, found_.data());
  for (std::size_t i = 0; i < unknown_.size(); ++i) {
    out[unknown_at_[i]] = found_[i];
    const std::uint64_t key = keys_[unknown_at_[i]];
    known_[key % KNOWN] = {key, found_[i]};
  }
}

void NTupleEvaluator::judge_actions(const void *state, std::span<const Action> actions, double *out) {
  after_states_.set_parent(state, game().player(state));
  while (views_.size() < actions.size()) views_.push_back(after_states_.make_view());
  for (std::size_t i = 0; i < actions.size(); ++i) after_states_.play(actions[i], views_[i]);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto &view = views_[i];
    after_states_.add_up(views_[i]);
    out[i] = view.paid + game().step_reward() + gamma_ * after_states_.to_come(view);
  }
}

double NTupleEvaluator::best_action_value(const void *state, Rng &rng) {
  const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
  action_values(state, {legal_.data(), n}, rng, values_.data());
  return *std::max_element(values_.data(), values_.data() + n);
}

double NTupleEvaluator::table_value(const void *state, int player) {
  after_states_.read(state, player, view_);
  return view_.paid + after_states_.to_come(view_);
}

void NTupleEvaluator::complete(const void *state, int known, double value, double *out) {
  const int players = game().players();
  out[known] = value;
  if (players == 2 && game().is_zero_sum()) {
    out[1 - known] = -value;
    return;
  }
  for (int p = 0; p < players; ++p)
    if (p != known) out[p] = table_value(state, p);
}

void NTupleEvaluator::value(const void *state, Rng &rng, double *out) {
  const int mover = game().player(state), creator = game().last_player(state);
  const bool is_after_state = creator != CHANCE && (mover == CHANCE || !game().has_chance());
  if (mover != CHANCE && (!is_after_state || game().players() > 2))
    complete(state, mover, best_action_value(state, rng), out);
  else
    complete(state, std::max(creator, 0), table_value(state, std::max(creator, 0)), out);
}

void NTupleEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  for (const Question &q : questions) {
    if (!q.priors || q.actions.empty()) {
      value(q.state, rng, q.value);
      continue;
    }
    action_values(q.state, q.actions, rng, q.priors);
    const std::span<double> values(q.priors, q.actions.size());
    const double best = *std::max_element(values.begin(), values.end());
    complete(q.state, game().player(q.state), best, q.value);
    values_to_priors(values);
  }
}

}  // namespace boardlab
