#include "evaluators/ntuple.h"

#include <algorithm>

namespace boardlab {

void NTupleEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const int player = game().player(state);
  if (game().is_hidden())
    unseen_.worth(
        state, player, actions, rng,
        [&](const void *after) {
          after_states_.read(after, player, view_);
          return gamma_ * after_states_.to_come(view_) + game().step_reward();
        },
        out);
  else if (known_.empty())
    judge_actions(state, actions, out);
  else
    judge_unknown_actions(state, actions, out);
}

void NTupleEvaluator::judge_unknown_actions(const void *state, std::span<const Action> actions, double *out) {
  make_views(actions.size());
  keys_.resize(actions.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    void *child = views_[i].state.data();
    game().copy(child, state);
    game().apply(child, actions[i]);
    keys_[i] = game().hash(child) ^ decision_;
    __builtin_prefetch(&known_[keys_[i] % KNOWN]);
  }
  unknown_.clear();
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Known &known = known_[keys_[i] % KNOWN];
    out[i] = known.value;
    if (known.key == keys_[i]) continue;
    if (unknown_.empty()) after_states_.set_parent(state, game().player(state));
    after_states_.read_played(views_[i]);
    unknown_.push_back(i);
  }
  for (const std::size_t i : unknown_) {
    out[i] = total(views_[i]);
    known_[keys_[i] % KNOWN] = {keys_[i], out[i]};
  }
}

void NTupleEvaluator::judge_actions(const void *state, std::span<const Action> actions, double *out) {
  make_views(actions.size());
  after_states_.set_parent(state, game().player(state));
  for (std::size_t i = 0; i < actions.size(); ++i) after_states_.play(actions[i], views_[i]);
  for (std::size_t i = 0; i < actions.size(); ++i) out[i] = total(views_[i]);
}

void NTupleEvaluator::make_views(std::size_t count) {
  while (views_.size() < count) views_.push_back(after_states_.make_view());
}

double NTupleEvaluator::total(ntuple::AfterStates::View &view) {
  after_states_.add_up(view);
  return view.paid + game().step_reward() + gamma_ * after_states_.to_come(view);
}

double NTupleEvaluator::best_action_value(const void *state, Rng &rng) {
  const auto n = static_cast<std::size_t>(game().legal(state, legal_.data()));
  action_values(state, {legal_.data(), n}, rng, values_.data());
  const auto best = std::max_element(values_.data(), values_.data() + n);
  best_ = legal_[static_cast<std::size_t>(best - values_.data())];
  return *best;
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

void NTupleEvaluator::complete_by_playing(const void *state, Action action, double value, Rng &rng, double *out) {
  const int players = game().players(), mover = game().player(state), creator = game().last_player(state);
  std::uint32_t known = 1U << mover;
  out[mover] = value;
  if (creator >= 0 && creator != mover) {
    out[creator] = table_value(state, creator);
    known |= 1U << creator;
  }
  void *ahead = ahead_.data();
  game().copy(ahead, state);
  // A player may have several turns in a row, but nobody is waited for forever.
  for (int turns = 0; turns < 2 * players && known + 1 != 1U << players; ++turns) {
    game().apply(ahead, action);
    const int next = game().player(ahead);
    if (next < 0) break;  // the end, or nature
    value = best_action_value(ahead, rng);
    action = best_;
    if (!(known >> next & 1)) out[next] = value;
    known |= 1U << next;
  }
  for (int p = 0; p < players; ++p)
    if (!(known >> p & 1)) out[p] = table_value(ahead, p);
}

void NTupleEvaluator::value(const void *state, Rng &rng, double *out) {
  const int mover = game().player(state), creator = game().last_player(state);
  const bool is_after_state = creator != CHANCE && (mover == CHANCE || !game().has_chance());
  if (mover >= 0 && game().players() > 2) {
    const double best = best_action_value(state, rng);
    complete_by_playing(state, best_, best, rng, out);
  } else if (mover != CHANCE && !is_after_state)
    complete(state, mover, best_action_value(state, rng), out);
  else
    complete(state, std::max(creator, 0), table_value(state, std::max(creator, 0)), out);
}

void NTupleEvaluator::begin_decision() {
  decision_ = derive_seed(decision_, 1);
  if (answer_at_.empty()) {
    answer_at_.resize(ANSWERS);
    const std::size_t entries = std::min(ANSWERS, ANSWERS_BYTES / (sizeof(Answer) + sizeof(float) * legal_.size()));
    answers_.resize(entries);
    answer_priors_.resize(entries * legal_.size());
  }
  next_answer_ = 0;
  if (game().players() == 1 && !game().has_chance()) known_.resize(KNOWN);
}

void NTupleEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  for (const Question &q : questions) {
    if (!q.priors || q.actions.empty()) {
      value(q.state, rng, q.value);
      continue;
    }
    const std::span<double> priors(q.priors, q.actions.size());
    const Answer found = best_and_priors(q.state, q.actions, rng, priors);
    if (game().players() > 2)
      complete_by_playing(q.state, q.actions[found.number], found.best, rng, q.value);
    else
      complete(q.state, game().player(q.state), found.best, q.value);
  }
}

NTupleEvaluator::Answer NTupleEvaluator::best_and_priors(const void *state, std::span<const Action> actions, Rng &rng,
                                                         std::span<double> priors) {
  const auto judged = [&](std::uint64_t key) -> Answer {
    action_values(state, actions, rng, priors.data());
    const auto best = std::max_element(priors.begin(), priors.end());
    const Answer found{key, *best, static_cast<std::uint32_t>(best - priors.begin()),
                       static_cast<std::uint32_t>(priors.size())};
    values_to_priors(priors);
    return found;
  };
  if (answers_.empty()) return judged(0);
  const std::uint64_t key = game().hash(state) ^ decision_;
  std::uint32_t &at = answer_at_[key % ANSWERS];
  if (answers_[at].key == key) {
    if (answers_[at].actions != priors.size()) game().contradicts("legal");
    std::copy_n(&answer_priors_[at * legal_.size()], priors.size(), priors.begin());
    return answers_[at];
  }
  at = next_answer_;
  next_answer_ = next_answer_ + 1 < answers_.size() ? next_answer_ + 1 : 0;
  answers_[at] = judged(key);
  std::transform(priors.begin(), priors.end(), &answer_priors_[at * legal_.size()],
                 [](double prior) { return static_cast<float>(prior); });
  return answers_[at];
}

}  // namespace boardlab
