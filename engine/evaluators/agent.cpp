#include "evaluators/agent.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boardlab {

namespace {

int outcome_of(Search &search) { return search.evaluator() ? search.evaluator()->outcome() : SCORE; }

}  // namespace

AgentEvaluator::AgentEvaluator(std::shared_ptr<Asked> asked)
    : Evaluator(asked->search->game_ptr(), outcome_of(*asked->search)),
      asked_(std::move(asked)),
      drawn_(game()),
      seen_(game()),
      played_(game()) {
  if (asked_->search->needs_history())
    throw std::invalid_argument(
        "this agent must know how a position came about, so that it cannot judge positions inside a search");
}

std::unique_ptr<Evaluator> AgentEvaluator::clone() const {
  const std::lock_guard lock(asked_->mutex);
  std::shared_ptr<Search> another = asked_->search->clone();
  return std::make_unique<AgentEvaluator>(another ? std::make_shared<Asked>(std::move(another)) : asked_);
}

const void *AgentEvaluator::to_player(const void *state, Rng &rng, double *out) {
  if (game().player(state) >= 0) return state;
  game().copy(drawn_.data(), state);
  while (game().player(drawn_.data()) == CHANCE && !game().round_over(drawn_.data()))
    game().apply(drawn_.data(), game().sample_chance(drawn_.data(), rng));
  if (game().player(drawn_.data()) >= 0) return drawn_.data();
  game().outcome(outcome(), drawn_.data(), out);
  return nullptr;
}

// With the mutex.
void AgentEvaluator::decide(const void *state, Rng &rng) {
  asked_->search->set_poll([this] { poll(); });
  asked_->search->reset(rng.next());
  act(state);
}

void AgentEvaluator::act(const void *state) {
  game().copy(seen_.data(), state);
  game().conceal(seen_.data(), game().player(state));
  asked_->search->act(seen_.data(), decision_);
  const auto &actions = decision_.actions;
  if (std::find(actions.begin(), actions.end(), decision_.action) == actions.end())
    throw std::invalid_argument("the agent that judges positions chose action " + std::to_string(decision_.action) +
                                ", which is not legal there");
}

void AgentEvaluator::scores(const void *state, Rng &rng, double *out) {
  const int players = game().players();
  if (std::all_of(decision_.scores, decision_.scores + players, [](double score) { return std::isfinite(score); }))
    std::copy(decision_.scores, decision_.scores + players, out);
  else if (asked_->search->evaluator())
    judge_action(state, rng, out);
  else
    play_on(state, rng, out);
}

void AgentEvaluator::judge_action(const void *state, Rng &rng, double *out) {
  const int player = game().player(state);
  game().copy(played_.data(), state);
  game().apply(played_.data(), decision_.action);
  asked_->search->evaluator()->judge(played_.data(), rng, out);
  out[player] += game().step_reward();
}

// From the decision that was made in `state`.
void AgentEvaluator::play_on(const void *state, Rng &rng, double *out) {
  double paid[MAX_PLAYERS] = {};
  game().copy(played_.data(), state);
  void *now = played_.data();
  for (int count = 0, player; count < game().horizon() && (player = game().player(now)) != TERMINAL;) {
    if (game().round_over(now)) break;
    if (player == CHANCE) {
      game().apply(now, game().sample_chance(now, rng));
      continue;
    }
    if (count++ > 0) act(now);
    game().apply(now, decision_.action);
    paid[player] += game().step_reward();
    poll();
  }
  game().outcome(outcome(), now, out);
  for (int p = 0; p < game().players(); ++p) out[p] += paid[p];
}

void AgentEvaluator::read_policy(std::span<const Action> actions, double *out) const {
  double sum = 0;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    sum += out[i] = decision_.policy[decision_.index_of(game(), actions[i])];
    if (!(out[i] >= 0 && std::isfinite(out[i])))
      throw std::invalid_argument("the policy of the agent that judges positions is " + std::to_string(out[i]) +
                                  " for action " + std::to_string(actions[i]));
  }
  for (std::size_t i = 0; i < actions.size(); ++i)  // without a policy it is the action
    out[i] = sum > 0 ? out[i] / sum : actions[i] == decision_.action;
}

void AgentEvaluator::value(const void *state, Rng &rng, double *out) {
  const Question question{state, {}, out, nullptr};
  answer({&question, 1}, rng);
}

void AgentEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  for (const Question &q : questions) {
    const void *state = to_player(q.state, rng, q.value);
    if (!state) continue;
    const std::lock_guard lock(asked_->mutex);
    decide(state, rng);
    if (q.priors && !q.actions.empty()) read_policy(q.actions, q.priors);
    scores(state, rng, q.value);
  }
}

void AgentEvaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  const std::lock_guard lock(asked_->mutex);
  decide(state, rng);
  read_policy(actions, out);
}

void AgentEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  {
    const std::lock_guard lock(asked_->mutex);
    decide(state, rng);
    for (std::size_t i = 0; i < actions.size(); ++i) out[i] = decision_.values[decision_.index_of(game(), actions[i])];
  }
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (!std::isfinite(out[i])) Evaluator::action_values(state, actions.subspan(i, 1), rng, out + i);
}

}  // namespace boardlab
