#include "evaluators/rollout.h"

#include <algorithm>

namespace boardlab {

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

}  // namespace boardlab
