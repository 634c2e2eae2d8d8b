#include "tabular/q_learner.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "evaluators/rollout.h"

namespace boardlab::tabular {

QLearner::QLearner(QTablePtr table, const QSettings &settings, std::uint64_t seed)
    : SelfPlay(table->game_ptr(), settings.play, seed),
      table_(std::move(table)),
      q_(settings),
      monte_carlo_(std::make_unique<RolloutEvaluator>(table_->game_ptr(), table_->outcome(), 1, 0),
                   settings.search_iterations, settings.search_seconds, 0) {
  if (q_.asks_monte_carlo) effort_ = q_.search_iterations > 0 ? 1 + q_.search_iterations : 1024;
}

void QLearner::begin_episode(const void *) {
  steps_.clear();
  pairs_.clear();
}

bool QLearner::learns(int player) const { return !q_.random_opponents || episodes_done % game_.players() == player; }

int QLearner::best_known(const Step &step) {
  bool is_known = false;
  double best = 0;
  std::uint32_t equals = 0;
  int chosen = -1;
  for (std::size_t i = step.begin; i < step.end; ++i) {
    const double *found = table_->find(pairs_[i]);
    is_known = is_known || found;
    const double value = found ? *found : 0;
    if (equals > 0 && value < best) continue;
    equals = equals > 0 && value == best ? equals + 1 : 1;
    best = value;
    if (equals == 1 || rng.below(equals) == 0) chosen = static_cast<int>(i - step.begin);
  }
  return is_known ? chosen : -1;
}

double QLearner::best_value(const Step &step) const {
  double best = 0;
  for (std::size_t i = step.begin; i < step.end; ++i) {
    const double *found = table_->find(pairs_[i]);
    const double value = found ? *found : 0;
    if (i == step.begin || value > best) best = value;
  }
  return best;
}

QLearner::Step QLearner::step_at(const void *state, int player) {
  const int n = game_.legal(state, actions_.data());
  double paid[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, paid);
  const Step step{player, pairs_.size(), pairs_.size() + static_cast<std::size_t>(n), pairs_.size(), paid[player]};
  const std::uint64_t key = table_->key(state, cells_);
  for (int i = 0; i < n; ++i) pairs_.push_back(table_->pair(key, actions_[static_cast<std::size_t>(i)]));
  return step;
}

// Lines 7 to 14.
ntuple::SelfPlay::Choice QLearner::act(void *state, int player) {
  if (!learns(player)) {
    const int n = game_.legal(state, actions_.data());
    const Action action = actions_[rng.below(static_cast<std::uint32_t>(n))];
    game_.apply(state, action);
    return {action, true};
  }
  Step step = step_at(state, player);
  const int n = static_cast<int>(step.end - step.begin);
  const bool is_random = explores();
  int index = is_random ? static_cast<int>(rng.below(static_cast<std::uint32_t>(n))) : best_known(step);
  if (index < 0 && q_.asks_monte_carlo) {
    monte_carlo_.reset(rng.next());
    monte_carlo_.act(state, decision_);
    index = static_cast<int>(std::find(actions_.begin(), actions_.begin() + n, decision_.action) - actions_.begin());
    if (index == n) game_.contradicts("legal");
  }
  if (index < 0) index = static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
  step.chosen = step.begin + static_cast<std::size_t>(index);
  steps_.push_back(step);
  const Action action = actions_[static_cast<std::size_t>(index)];
  game_.apply(state, action);
  return {action, is_random};
}

void QLearner::end_episode(const void *state, int) {
  double final_outcome[MAX_PLAYERS];
  game_.outcome(settings_.outcome, state, final_outcome);
  learn_backwards(final_outcome);
}

// The future reward is then the best value of the last state; for a player who does not decide there, nothing is known
// about the last action's result.
void QLearner::cut_episode(const void *state, int player) {
  if (learns(player)) steps_.push_back(step_at(state, player));
  learn_backwards(nullptr);
}

// Lines 3 to 6, for every learning player: s' is the state in which the player decides next.
void QLearner::learn_backwards(const double *final_outcome) {
  if (steps_.size() > table_->room())
    throw TableFull("the table is full: it holds at most " + std::to_string(table_->most()) +
                    " pairs of state and action; start a new run with a larger memory_mb");
  const Step *next[MAX_PLAYERS] = {};
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step &step = steps_[i];
    const Step *after = next[step.player];
    next[step.player] = &step;
    if (!after && !final_outcome) continue;
    double reward = 0;
    if (table_->pays_on_the_way())
      reward = (after ? after->paid : final_outcome[step.player]) - step.paid;
    else if (!after)
      reward = table_->goal(final_outcome[step.player]);
    reward += table_->scaled(game_.step_reward());
    const double to_come = after ? best_value(*after) : 0;
    double &value = table_->at(pairs_[step.chosen]);
    value = (1 - alpha_) * value + alpha_ * (reward + settings_.gamma * to_come);
  }
}

}  // namespace boardlab::tabular
