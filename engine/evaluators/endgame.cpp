#include "evaluators/endgame.h"

#include <algorithm>
#include <stdexcept>

namespace boardlab {

EndgameSolver::EndgameSolver(GamePtr game, int outcome, std::size_t table_bytes)
    : game_(std::move(game)), outcome_(outcome), table_bytes_(table_bytes) {
  if (!is_two_player_zero_sum(*game_))
    throw std::invalid_argument("exact solving is for two-player zero-sum games without chance and hidden cards, not " +
                                game_->name());
}

// The game's own solver, which knows no clock: it is stopped where it polls.
bool EndgameSolver::ask_game(const void *state, std::int64_t node_limit, const Poll &poll, double deadline,
                             bl_solution &out) {
  if (deadline == PrincipalVariation::INFINITE) return game_->solve(state, outcome_, node_limit, poll, out);
  const Poll in_time = [&] {
    poll();
    if (PrincipalVariation::now() > deadline) throw PrincipalVariation::OutOfBudget{};
  };
  try {
    return game_->solve(state, outcome_, node_limit, in_time, out);
  } catch (const PrincipalVariation::OutOfBudget &) {
    return false;
  }
}

bool EndgameSolver::solve(const void *state, std::int64_t node_limit, const Poll &poll, Solution &out,
                          double deadline) {
  by_search_ = false;
  if (game_->has_solver()) {
    bl_solution solution;
    const bool solved = ask_game(state, node_limit, poll, deadline, solution);
    out.nodes = solution.nodes;
    out.action = solution.action;
    std::copy(solution.scores, solution.scores + game_->players(), out.scores);
    if (solved && out.action >= 0) return true;
    if (solution.nodes > 0) return false;  // it tried; 0 nodes: not a question that it answers
  }
  if (!search_) search_.emplace(game_, outcome_, table_bytes_);
  PrincipalVariation &search = *search_;
  search.poll = poll;
  search.begin();
  search.node_limit = node_limit;
  search.deadline = deadline;
  search.set_root(state);
  const Range range = game_->outcome_range(outcome_);
  const double low = range.loose ? -PrincipalVariation::INFINITE : range.min;
  const double high = range.loose ? PrincipalVariation::INFINITE : range.max;
  try {
    const auto found = search.value(PrincipalVariation::TO_THE_END, low, high);
    const int player = game_->player(state);
    out.scores[player] = found.value;
    out.scores[1 - player] = -found.value;
    out.action = search.best_known();
    by_search_ = true;
    out.nodes = search.nodes;
  } catch (const PrincipalVariation::OutOfBudget &) {
    out.nodes = search.nodes;
    return false;
  }
  return true;
}

void EndgameEvaluator::value(const void *state, Rng &rng, double *out) {
  EndgameSolver::Solution solution;
  if (is_near_end(state, 0) && solver_.solve(state, nodes_, poll, solution))
    std::copy(solution.scores, solution.scores + game().players(), out);
  else
    inner_->value(state, rng, out);
}

void EndgameEvaluator::action_values(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  if (is_near_end(state, 1))
    Evaluator::action_values(state, actions, rng, out);
  else
    inner_->action_values(state, actions, rng, out);
}

void EndgameEvaluator::priors(const void *state, std::span<const Action> actions, Rng &rng, double *out) {
  if (is_near_end(state, 1))
    Evaluator::priors(state, actions, rng, out);
  else
    inner_->priors(state, actions, rng, out);
}

void EndgameEvaluator::answer(std::span<const Question> questions, Rng &rng) {
  // Those in a row that the other evaluator answers stay one batch.
  std::size_t begin = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!is_near_end(questions[i].state, 0)) continue;
    if (i > begin) inner_->answer(questions.subspan(begin, i - begin), rng);
    begin = i + 1;
    EndgameSolver::Solution solution;
    const Question &q = questions[i];
    if (!solver_.solve(q.state, nodes_, poll, solution)) {
      inner_->answer(questions.subspan(i, 1), rng);
      continue;
    }
    std::copy(solution.scores, solution.scores + game().players(), q.value);
    if (q.priors && !q.actions.empty()) {  // the action that was proven best, and no opinion about the others
      std::fill(q.priors, q.priors + q.actions.size(), 0.0);
      const auto at = std::find(q.actions.begin(), q.actions.end(), solution.action);
      q.priors[at == q.actions.end() ? 0 : at - q.actions.begin()] = 1;
    }
  }
  if (begin < questions.size()) inner_->answer(questions.subspan(begin), rng);
}

}  // namespace boardlab
